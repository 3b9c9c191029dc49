//! Nodes that are on their way for other pods, or of which no Event about the pod is left: an
//! autoscaler that expects a node to take the pod makes no other one, and writes nothing about it.
//!
//! Upstream: `sigs.k8s.io/karpenter` `pkg/controllers/provisioning/scheduling/existingnode.go`
//! (1.14.1); `sigs.k8s.io/cluster-autoscaler` `pkg/core/podlistprocessor/filter_out_schedulable.go`
//! (33c3f97b).

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::karpenter::{self, ClaimProgress};
use super::outlook::seconds;
use super::outlook::{AutoscalerKind, AutoscalingOutlook, Can, ComingNode, GrowthObstacle, Says};
use super::trial::{Company, NodeTrialResult, NodeTrials};
use super::{Autoscalers, events};
use model::cluster::event::Event;
use model::cluster::{Cluster, PodIx};

/// The waiting pods for which a claim or group gets nodes, as the newest Event about each says, by
/// the name of the claim or group.
pub(super) fn expected_by(
    events: &BTreeMap<&str, Vec<&Event>>,
    cluster: &Cluster,
    now: Timestamp,
) -> BTreeMap<String, Vec<PodIx>> {
    let mut expected: BTreeMap<String, Vec<PodIx>> = BTreeMap::new();
    if events.is_empty() {
        return expected;
    }
    for pod in cluster.pod_indices() {
        let facts = cluster.pod(pod);
        if !facts.is_waiting() || facts.uid.is_empty() {
            continue;
        }
        let Some(about) = events.get(&*facts.uid) else { continue };
        let newest = about.iter().rev().find_map(|event| events::answer(event, cluster, now, None));
        match newest.map(|answer| answer.says) {
            Some(Says::Nominated { claim: Some(claim), .. }) => {
                expected.entry(claim).or_default().push(pod);
            }
            Some(Says::Grows(groups)) => {
                for growth in groups {
                    expected.entry(growth.group).or_default().push(pod);
                }
            }
            _ => {}
        }
    }
    expected
}

/// A node on its way that has room for the pod, of an autoscaler that may act for it. Where it is
/// not known what such a node has, its group or pool is not ruled out.
pub(super) fn find(
    outlook: &mut AutoscalingOutlook,
    of: &Autoscalers,
    trials: &mut NodeTrials,
) -> Option<ComingNode> {
    claimed(outlook, of, trials).or_else(|| of_groups(outlook, of, trials))
}

/// The pods that a claim or group gets nodes for.
fn expected<'a>(name: &str, of: &'a Autoscalers) -> &'a [PodIx] {
    of.expected_by.get(name).map_or(&[], Vec::as_slice)
}

/// The name of a trial with other pods beside.
fn beside(name: &str) -> String {
    format!("{name} beside others")
}

/// The waiting pods that an autoscaler may expect on a node before the pod that is tried, in its
/// order. Of pods that are equal to it, any may be first.
///
/// Upstream: `core/podlistprocessor/filter_out_schedulable.go` of cluster-autoscaler (1.36.1), which
/// packs pods by priority; `pkg/controllers/provisioning/scheduling/queue.go` of Karpenter (1.14.1),
/// which does so by cpu and memory, also with the pods of nodes that it deletes.
pub(super) fn rivals(by: AutoscalerKind, of: &Autoscalers, trials: &NodeTrials) -> Vec<PodIx> {
    let Some(seeker) = trials.seeker else { return Vec::new() };
    let (view, pod) = (seeker.view, of.cluster.pod(seeker.pod));
    let size = |ix: PodIx| {
        let requested = view.requested_by(ix);
        (requested.milli_cpu, requested.memory)
    };
    let mut rivals: Vec<PodIx> = (of.waiting.iter().copied())
        .filter(|ix| *ix != seeker.pod && of.own_exclusion(by, of.cluster.pod(*ix)).is_none())
        .collect();
    if by == AutoscalerKind::ClusterAutoscaler {
        rivals.retain(|ix| of.cluster.pod(*ix).priority >= pod.priority);
        rivals.sort_by_key(|ix| std::cmp::Reverse(of.cluster.pod(*ix).priority));
    } else {
        rivals.extend(&of.displaced);
        rivals.retain(|ix| size(*ix) >= size(seeker.pod));
        rivals.sort_by_key(|ix| std::cmp::Reverse(size(*ix)));
    }
    rivals
}

/// A node of Karpenter.
fn claimed(
    outlook: &mut AutoscalingOutlook,
    of: &Autoscalers,
    trials: &mut NodeTrials,
) -> Option<ComingNode> {
    for claim in &of.cluster.autoscaling.claims {
        let name = of.cluster.text(claim.name);
        let Some(pool) = of.pools.iter().find(|pool| pool.facts.name == claim.pool) else {
            continue;
        };
        if !outlook.may_act(pool.of) {
            continue;
        }
        let ClaimProgress::Coming(state) = of.progress(claim) else { continue };
        let like = of.shapes(pool).first().copied();
        let meant = expected(name, of);
        let room = of.tried_once(name, trials, |trials| {
            let company = Company { meant, ..Company::default() };
            karpenter::room_in(claim, like, company, of.cluster, trials)
        });
        let takes_alone = matches!(room, Some(NodeTrialResult::Takes(_)));
        let room = if takes_alone {
            of.tried_once(&beside(name), trials, |trials| {
                let rivals = rivals(pool.of, of, trials);
                let company = Company { meant, rivals: &rivals, uncounted: &[] };
                karpenter::room_in(claim, like, company, of.cluster, trials)
            })
        } else {
            room
        };
        match room {
            Some(NodeTrialResult::Takes(_)) => {
                return Some(ComingNode {
                    by: pool.of,
                    what: format!("nodeclaim/{name}"),
                    pool: Some(pool.name.to_owned()),
                    state: format!("{state}; it has room for the pod"),
                });
            }
            Some(NodeTrialResult::Rejects { .. }) if takes_alone => {
                leave_open(outlook, pool.of, pool.name, GrowthObstacle::Shared(1));
            }
            Some(NodeTrialResult::Rejects { .. }) => {}
            Some(NodeTrialResult::No) | None => {
                leave_open(outlook, pool.of, pool.name, GrowthObstacle::Underway(1));
            }
        }
    }
    None
}

/// A node of cluster-autoscaler.
fn of_groups(
    outlook: &mut AutoscalingOutlook,
    of: &Autoscalers,
    trials: &mut NodeTrials,
) -> Option<ComingNode> {
    let by = AutoscalerKind::ClusterAutoscaler;
    if !outlook.may_act(by) {
        return None;
    }
    for group in &of.groups {
        let fails = group.state.iter().any(|cause| matches!(cause, GrowthObstacle::Backoff { .. }));
        let missing = group.coming + group.unrequested;
        if missing == 0 || fails {
            continue;
        }
        let open = match group.unrequested {
            0 => GrowthObstacle::Underway(missing),
            n => GrowthObstacle::Unrequested(n),
        };
        let Some(model) = of.model_of(group) else {
            leave_open(outlook, by, &group.name, open);
            continue;
        };
        let taints = of.settings.taints_of_new(of.cluster.node(model), of.cluster);
        // One node is shared with the pods it comes for; of several, one may be free.
        let meant = if missing == 1 { expected(&group.name, of) } else { &[] };
        let room = of.tried_once(&beside(&group.name), trials, |trials| {
            let rivals = rivals(by, of, trials);
            // More nodes than rivals leave one free.
            let missing = usize::try_from(missing).unwrap_or(usize::MAX);
            let (count, rivals) =
                if rivals.len() < missing { (1, &[][..]) } else { (missing, &*rivals) };
            let company = Company { meant, rivals, uncounted: &of.expendable };
            Some(trials.nodes_like(model, count, &taints, company))
        });
        match room.unwrap_or(NodeTrialResult::No) {
            // It does not count on a node that it has not asked for, which may come or not.
            NodeTrialResult::Takes(_) if group.unrequested > 0 => {
                leave_open(outlook, by, &group.name, open);
            }
            NodeTrialResult::Takes(node) => {
                let nodes = match group.coming {
                    1 => "1 node is on its way".to_owned(),
                    n => format!("{n} nodes are on their way"),
                };
                let since = group.growing_since.map_or_else(String::new, |since| {
                    format!(" for {}", seconds(of.now.as_second() - since.as_second()))
                });
                return Some(ComingNode {
                    by,
                    what: by.pool_text(&group.name),
                    pool: None,
                    state: format!("{nodes}{since}; one like {node} has room for the pod"),
                });
            }
            // Which of the pods gets the room is decided once the node is there.
            NodeTrialResult::Rejects { .. } => {
                let alone = of.tried_once(&group.name, trials, |trials| {
                    Some(trials.nodes_like(model, 1, &taints, of.counted()))
                });
                if !matches!(alone, Some(NodeTrialResult::Rejects { .. })) {
                    leave_open(outlook, by, &group.name, GrowthObstacle::Shared(missing));
                }
            }
            NodeTrialResult::No => leave_open(outlook, by, &group.name, open),
        }
    }
    None
}

/// Notes that nodes of a group or pool come of which it is not known whether they take the pod.
fn leave_open(
    outlook: &mut AutoscalingOutlook,
    by: AutoscalerKind,
    name: &str,
    nodes: GrowthObstacle,
) {
    let own = outlook.pools.iter_mut().find(|pool| pool.of == by && pool.name == name);
    if let Some(pool) = own.filter(|pool| pool.can == Can::No) {
        // What is between pool and pod rules out the coming nodes, too.
        let is_about_size = pool.causes.iter().all(|cause| {
            matches!(
                cause,
                GrowthObstacle::Full { .. }
                    | GrowthObstacle::UsedUp { .. }
                    | GrowthObstacle::TooLittleLeft { .. }
                    | GrowthObstacle::NodesLimit { .. }
                    | GrowthObstacle::MaxNodes(_)
                    | GrowthObstacle::Quota { .. }
                    | GrowthObstacle::Total { .. }
                    | GrowthObstacle::Underway(_)
            )
        });
        if is_about_size {
            pool.can = Can::NotKnown;
            pool.causes.push(nodes);
        }
    }
}
