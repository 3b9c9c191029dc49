//! What would help: suggestions that follow from the decision alone.
//!
//! The rejection of a node names only the first filter that rejects it; whether a later one would reject it, too, is
//! unknown. A suggestion that removes such an obstacle is therefore not certain to help, and is listed apart from those
//! that are (`WayOut::is_sure`).

use indexmap::IndexMap;

use super::words;
use engine::cluster::Cluster;
use engine::cluster::node::NodeIx;
use engine::cluster::symbols::Sym;
use engine::cluster::template::Effect;
use engine::decision::{Decision, Outcome};
use engine::framework::cycle::{NodeVerdict, PreFilter};
use engine::framework::status::{Evidence, Rejection, ResourceId};
use engine::preemption::PreemptionReport;
use engine::preemption::dry_run::DryRun;
use engine::rules;

/// A suggestion, or the fact that an obvious one does not help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WayOut {
    /// Preemption makes room; no action is needed.
    Preemption {
        /// The number of victims on the first node.
        victims: usize,
        /// The nodes that the scheduler may nominate.
        nodes: Vec<NodeIx>,
    },
    /// The victims of an earlier preemption are still terminating.
    Wait {
        /// Their number.
        pods: usize,
    },
    /// A higher priority does not help, since no pod is protected by its priority.
    NotPriority {
        /// The priority of the pod.
        priority: i32,
    },
    /// The pod's preemption policy is `Never`.
    Policy,
    /// Cordoned nodes can be uncordoned.
    Uncordon {
        /// The nodes.
        nodes: Vec<NodeIx>,
    },
    /// The pod can tolerate a taint.
    Tolerate {
        /// Key, value and effect.
        taint: (Sym, Sym, Effect),
        /// The number of nodes with the taint.
        nodes: usize,
    },
    /// A node has too little of one resource free.
    ResourceLack {
        /// The resource.
        resource: ResourceId,
        /// The missing amount, on the node where it is smallest.
        lack: i64,
        /// The node.
        node: NodeIx,
    },
    /// Even without pods no node has enough of one resource.
    LargerNode {
        /// The resource.
        resource: ResourceId,
        /// The amount that the pod requests.
        wanted: i64,
        /// The largest allocatable amount of these nodes.
        largest: i64,
    },
    /// The remedy of a message in the rulebook.
    Remedy {
        /// The remedy.
        remedy: &'static str,
        /// The number of nodes with that message.
        nodes: usize,
    },
}

impl WayOut {
    /// Whether the suggestion is certain, and not only the removal of one obstacle.
    #[must_use]
    pub(crate) fn is_sure(&self) -> bool {
        matches!(self, Self::Preemption { .. } | Self::Wait { .. } | Self::NotPriority { .. })
    }

    /// The suggestion as text, after a colon.
    #[must_use]
    pub(crate) fn text(&self, cluster: &Cluster) -> String {
        let name = |node: &NodeIx| cluster.text(cluster.node(*node).name);
        let on = |nodes: usize| words::count(nodes, "node");
        match self {
            Self::Preemption { victims, nodes } => {
                let place = match nodes.as_slice() {
                    [node] => name(node).to_owned(),
                    nodes => format!("one of {}", on(nodes.len())),
                };
                if *victims == 0 {
                    return format!("nothing is needed: the scheduler nominates it to {place}");
                }
                format!("evicting {} on {place} (the scheduler does it itself)", words::count(*victims, "pod"))
            }
            Self::Wait { pods } => {
                format!("waiting for {} to be gone from the nominated node", words::count(*pods, "pod"))
            }
            Self::NotPriority { priority } => format!("no eviction; a priority above {priority} would not, either"),
            Self::Policy => "preemptionPolicy PreemptLowerPriority instead of Never".to_owned(),
            Self::Uncordon { nodes } => match nodes.as_slice() {
                [node] => format!("uncordon {}", name(node)),
                nodes => format!("uncordon one of {}", on(nodes.len())),
            },
            Self::Tolerate { taint: (key, value, effect), nodes } => {
                format!("tolerate taint {} ({})", effect.taint(*key, *value, cluster), on(*nodes))
            }
            Self::ResourceLack { resource: ResourceId::Pods, lack, node } => {
                let pods = usize::try_from(*lack).unwrap_or(1);
                format!("{} less on {}", words::count(pods, "pod"), name(node))
            }
            Self::ResourceLack { resource, lack, node } => {
                let (lack, what) = (resource.amount(*lack, cluster), resource.name(cluster));
                format!("{lack} more {what} free on {}", name(node))
            }
            Self::LargerNode { resource, wanted, largest } => {
                let amount = |value| resource.amount(value, cluster);
                let what = resource.name(cluster);
                format!("a node with {} {what} (these have at most {})", amount(*wanted), amount(*largest))
            }
            Self::Remedy { remedy, nodes: 0 } => (*remedy).to_owned(),
            Self::Remedy { remedy, nodes } => format!("{remedy} ({})", on(*nodes)),
        }
    }
}

/// The most suggestions of each kind that are shown.
const WAYS_OUT_SHOWN: usize = 3;

/// The cheapest suggestions as text, by heading: first the certain ones, then those that remove the first obstacle on a
/// node.
#[must_use]
pub(crate) fn lines(decision: &Decision) -> Vec<(&'static str, String)> {
    let (sure, perhaps): (Vec<WayOut>, Vec<WayOut>) = ways_out(decision).into_iter().partition(WayOut::is_sure);
    let lines = [("What would help", sure), ("What may help", perhaps)].map(|(head, ways_out)| {
        let texts: Vec<String> =
            ways_out.iter().take(WAYS_OUT_SHOWN).map(|way| way.text(decision.view.cluster)).collect();
        (head, texts.join("; "))
    });
    lines.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

/// The suggestions: certain ones first, then the cheapest. Empty for a pod that fits or that is not in the queue.
#[must_use]
pub(crate) fn ways_out(decision: &Decision) -> Vec<WayOut> {
    let mut ways_out = match decision.outcome {
        Outcome::Schedulable | Outcome::NotInQueue => return Vec::new(),
        Outcome::Preempt | Outcome::Unschedulable => preemption(decision),
    };
    match &decision.pre_filter {
        PreFilter::Rejected { rejection, .. } => ways_out.extend(remedies(rejection, decision.view.cluster, 0)),
        PreFilter::AllNodes | PreFilter::SomeNodes { .. } | PreFilter::Failed(_) => {
            ways_out.extend(obstacles(decision));
        }
    }
    ways_out
}

fn preemption(decision: &Decision) -> Vec<WayOut> {
    let Some(report) = &decision.preemption else { return Vec::new() };
    if let Some(ineligible) = &report.ineligible {
        let pods = ineligible.terminating.len();
        return vec![if pods == 0 { WayOut::Policy } else { WayOut::Wait { pods } }];
    }
    if decision.outcome == Outcome::Preempt {
        let victims = report.winner().map_or(0, |c| c.victims.len());
        return vec![WayOut::Preemption { victims, nodes: decision.selected.clone() }];
    }
    let priority = decision.view.cluster.pod(decision.pod).priority;
    if is_high_enough(decision, report) { vec![WayOut::NotPriority { priority }] } else { Vec::new() }
}

/// Whether a higher priority would not allow the pod to evict any other pods: on every node that preemption tries all
/// pods already have lower priorities, and no resources are reserved for nominated pods.
fn is_high_enough(decision: &Decision, report: &PreemptionReport) -> bool {
    let (view, cluster) = (decision.view, decision.view.cluster);
    let own = cluster.pod(decision.pod).priority;
    let all_lower = |node: &NodeIx| cluster.pods_on(*node).iter().all(|pod| cluster.pod(*pod).priority < own);
    let all_rejected = report.dry_runs.values().all(|run| matches!(run, DryRun::NoCandidate { .. }));
    let nominated_pods = cluster.node_indices().any(|node| view.nominated_pods(node, decision.pod).next().is_some());
    all_rejected && !nominated_pods && report.extender_message.is_none() && report.dry_runs.keys().all(all_lower)
}

/// The first obstacle of each node with a single one, grouped by the suggestion that removes it.
fn obstacles(decision: &Decision) -> Vec<WayOut> {
    let cluster = decision.view.cluster;
    let mut cordoned = Vec::new();
    let mut taints: IndexMap<(Sym, Sym, Effect), usize> = IndexMap::new();
    let mut rooms: IndexMap<ResourceId, ResourceLack> = IndexMap::new();
    let mut others: IndexMap<&'static str, usize> = IndexMap::new();
    for (node, verdict) in cluster.node_indices().zip(&decision.nodes) {
        let NodeVerdict::Filtered { rejection, .. } = verdict else { continue };
        let [reason] = rejection.reasons.as_slice() else { continue };
        match &reason.evidence {
            Evidence::Cordoned => cordoned.push(node),
            Evidence::Taint { key, value, effect } => *taints.entry((*key, *value, *effect)).or_default() += 1,
            Evidence::Resource { resource, requested, used, allocatable } => {
                rooms.entry(*resource).or_default().take(node, *requested, *used, *allocatable);
            }
            _ => remedies(rejection, cluster, 1).for_each(|way| {
                if let WayOut::Remedy { remedy, nodes } = way {
                    *others.entry(remedy).or_default() += nodes;
                }
            }),
        }
    }
    taints.sort_by(|_, a, _, b| b.cmp(a));
    others.sort_by(|_, a, _, b| b.cmp(a));
    let mut ways_out = Vec::new();
    if !cordoned.is_empty() {
        ways_out.push(WayOut::Uncordon { nodes: cordoned });
    }
    ways_out.extend(rooms.iter().filter_map(|(resource, room)| room.way(*resource)));
    ways_out.extend(taints.into_iter().map(|(taint, nodes)| WayOut::Tolerate { taint, nodes }));
    ways_out.extend(others.into_iter().map(|(remedy, nodes)| WayOut::Remedy { remedy, nodes }));
    ways_out
}

/// The missing amounts of one resource.
#[derive(Debug, Default)]
struct ResourceLack {
    least: Option<(i64, NodeIx)>,
    wanted: i64,
    largest: i64,
}

impl ResourceLack {
    fn take(&mut self, node: NodeIx, requested: i64, used: i64, allocatable: i64) {
        self.wanted = requested;
        self.largest = self.largest.max(allocatable);
        let lack = requested.saturating_sub(allocatable.saturating_sub(used));
        if requested <= allocatable && self.least.is_none_or(|(least, _)| lack < least) {
            self.least = Some((lack, node));
        }
    }

    fn way(&self, resource: ResourceId) -> Option<WayOut> {
        match self.least {
            Some((lack, node)) => Some(WayOut::ResourceLack { resource, lack, node }),
            None if resource == ResourceId::Pods => None,
            None => Some(WayOut::LargerNode { resource, wanted: self.wanted, largest: self.largest }),
        }
    }
}

fn remedies(rejection: &Rejection, cluster: &Cluster, nodes: usize) -> impl Iterator<Item = WayOut> {
    let texts = rejection.texts(cluster).into_iter();
    texts.filter_map(move |text| rules::find(&text).map(|message| WayOut::Remedy { remedy: message.remedy, nodes }))
}

#[cfg(test)]
mod tests;
