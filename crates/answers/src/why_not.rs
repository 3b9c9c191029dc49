//! Why kube-scheduler does not give a pod one node: the constraint or the criterion that decides
//! between it and the node that is selected.

use engine::cluster::NodeIx;
use engine::decision::OutcomeKind;
use engine::decision::nominated::NominationState;
use engine::framework::cycle::NodeVerdict;
use engine::preemption::pick_node::CRITERIA;

use crate::pod_report::{PodReport, RejectionCause, texts};
use crate::words;

/// What decides against a node.
#[derive(Debug, Clone, PartialEq)]
pub struct WhyNot {
    /// The node that was asked about.
    pub node: String,
    /// The node that is selected instead; one of them, if several may be.
    pub selected: Option<String>,
    pub decides: DecidesAgainst,
}

/// The first thing that decides.
#[derive(Debug, Clone, PartialEq)]
pub enum DecidesAgainst {
    /// Nothing: the node is selected.
    Nothing,
    /// Nothing: the pod is nominated to the node and gets it once its victims there are gone.
    Awaited,
    /// The pod has a node already.
    Assigned { to: String },
    /// Chance, between so many nodes.
    Chance { nodes: usize },
    /// The scheduler looks at only so many nodes, so that it may be this one.
    Sampled {
        looks_at: usize,
        /// `None` if it takes too long to compute, or is not that of the node alone.
        probability: Option<f64>,
    },
    /// A filter rejects the pod there.
    Filter {
        /// Empty for nodes that PreFilter excludes.
        plugin: String,
        /// The reasons with their operands.
        reasons: String,
        /// Why no pods are evicted there.
        evictions: String,
    },
    /// A criterion of the tie-break between candidates.
    TieBreak {
        criterion: &'static str,
        /// What it compares on the node.
        there: String,
        /// What it compares on the selected node.
        on_selected: String,
    },
    /// The score.
    Score {
        there: i64,
        on_selected: i64,
        /// The plugin whose weighted scores differ most in favour of the selected node, with both.
        plugin: Option<(&'static str, i64, i64)>,
    },
    /// The pod is nominated to the selected node, which the scheduler tries before all others.
    Nomination,
    /// The scheduler had found enough nodes before it looked at this one.
    Sampling,
    /// The pod gets no cycle, or its cycle ends with an error: no node is compared.
    NoCycle,
}

impl WhyNot {
    /// About the node that a report is asked about; `None` without one.
    #[must_use]
    pub fn of(report: &PodReport) -> Option<Self> {
        report.why_not.map(|node| Self::find(report, node))
    }

    fn find(report: &PodReport, node: NodeIx) -> Self {
        let selected = report.selected();
        // Of several nodes, one that has what the node lacks: the first.
        let other = selected.first().copied().filter(|first| *first != node);
        let has = report.cluster().pod(report.pod).node_name;
        let decides = if !has.is_empty() {
            DecidesAgainst::Assigned { to: report.cluster().text(has).to_owned() }
        } else if matches!(report.kind(), OutcomeKind::Error(_) | OutcomeKind::NotInQueue) {
            DecidesAgainst::NoCycle
        } else if report.awaited().is_some_and(|awaited| awaited.node == node) {
            DecidesAgainst::Awaited
        } else if selected.contains(&node) {
            match (selected.len(), report.odds()) {
                (1, _) => DecidesAgainst::Nothing,
                (_, Some(odds)) => {
                    let share = odds.nodes.iter().find(|share| share.node == node);
                    let probability = share.map(|share| share.probability);
                    DecidesAgainst::Sampled { looks_at: odds.sample_size, probability }
                }
                (nodes, None) => DecidesAgainst::Chance { nodes },
            }
        } else {
            against(report, node, other)
        };
        let selected = other.map(|other| report.node(other).to_owned());
        Self { node: report.node(node).to_owned(), selected, decides }
    }

    /// In one sentence, without a full stop.
    pub fn sentence(&self) -> String {
        let node = &self.node;
        let selected = self.selected.as_deref().unwrap_or("the selected node");
        match &self.decides {
            DecidesAgainst::Nothing => format!("{node} is the node that kube-scheduler selects"),
            DecidesAgainst::Awaited => {
                format!("{node} is the node that the pod gets once its victims there are gone")
            }
            DecidesAgainst::Assigned { to } if to == node => {
                format!("the pod is on {node} already")
            }
            DecidesAgainst::Assigned { to } => {
                format!("the pod is on {to} already, and kube-scheduler moves no pods")
            }
            DecidesAgainst::Chance { nodes } => format!(
                "{node} is one of {} that are equal: kube-scheduler takes any of them",
                words::count(*nodes, "node")
            ),
            DecidesAgainst::Sampled { looks_at, probability } => {
                let number = words::group_digits(*looks_at);
                let picks = probability.map_or_else(
                    || format!("it may pick {node}"),
                    |probability| {
                        let probability = words::percent(probability);
                        format!("it picks {node} with a probability of {probability}")
                    },
                );
                format!(
                    "kube-scheduler stops once {number} nodes are found, so chance decides: {picks}"
                )
            }
            DecidesAgainst::Filter { plugin, reasons, evictions } => {
                let by = if plugin.is_empty() { "PreFilter" } else { plugin };
                format!("{by} rejects {node}: {reasons}; {evictions}")
            }
            DecidesAgainst::TieBreak { criterion, there, on_selected } => {
                format!("{criterion}: {there} on {node}, {on_selected} on {selected}")
            }
            DecidesAgainst::Score { there, on_selected, plugin } => {
                let most = plugin.map_or(String::new(), |(plugin, there, on_selected)| {
                    format!("; the largest part by {plugin}, {there} and {on_selected}")
                });
                format!("lower score: {there} on {node}, {on_selected} on {selected}{most}")
            }
            DecidesAgainst::Nomination => {
                format!("the pod is nominated to {selected}, which is tried before {node}")
            }
            DecidesAgainst::Sampling => {
                format!("kube-scheduler had found enough nodes before it looked at {node}")
            }
            DecidesAgainst::NoCycle => format!(
                "{node} is not compared with others: the pod has no scheduling cycle that selects a node"
            ),
        }
    }
}

/// What decides against a node that is not selected, in the order in which the scheduler finds out.
fn against(report: &PodReport, node: NodeIx, selected: Option<NodeIx>) -> DecidesAgainst {
    let is_nominated =
        report.nomination().is_some_and(|own| matches!(own.state, NominationState::Used));
    if report.fits() && is_nominated {
        return DecidesAgainst::Nomination;
    }
    // A candidate has lost at the first criterion after which it is not left.
    let tie_break = report.preemption().map_or(&[][..], |preemption| &preemption.tie_break);
    for step in tie_break {
        let has_lost = step.values.contains_key(&node) && !step.survivors.contains(&node);
        let Some(criterion) = CRITERIA.get(step.criterion).filter(|_| has_lost) else { continue };
        let on_selected = selected.and_then(|node| report.compared(step, node));
        return DecidesAgainst::TieBreak {
            criterion: criterion.name,
            there: report.compared(step, node).unwrap_or_default(),
            on_selected: on_selected.unwrap_or_default(),
        };
    }
    match report.nodes().get(node.0 as usize) {
        Some(NodeVerdict::Feasible) => by_score(report, node, selected),
        _ => by_filter(report, node),
    }
}

fn by_score(report: &PodReport, node: NodeIx, selected: Option<NodeIx>) -> DecidesAgainst {
    let places = report
        .scores()
        .and_then(|table| Some((table, table.position(node)?, table.position(selected?)?)));
    let Some((table, there, on_selected)) = places else { return DecidesAgainst::Sampling };
    // The plugin by which the selected node gains most.
    let mut plugin = None;
    for scores in &table.plugins {
        let [here, best] = [there, on_selected]
            .map(|at| scores.normalized.get(at).copied().unwrap_or(0) * scores.weight);
        let lost = best - here;
        if lost > plugin.map_or(0, |(_, here, best): (&str, i64, i64)| best - here) {
            plugin = Some((scores.plugin, here, best));
        }
    }
    let [there, on_selected] =
        [there, on_selected].map(|at| table.totals.get(at).copied().unwrap_or_default());
    DecidesAgainst::Score { there, on_selected, plugin }
}

fn by_filter(report: &PodReport, node: NodeIx) -> DecidesAgainst {
    let is_of_node = |cause: &&RejectionCause| cause.nodes.contains(&node);
    let mut plugin = String::new();
    let mut reasons = String::new();
    let verdict = report.nodes().get(node.0 as usize);
    if let Some(NodeVerdict::Filtered { plugin: first, rejection }) = verdict {
        (*first).clone_into(&mut plugin);
        reasons = report.with_operands(rejection).join(", ");
    } else {
        // Where PreFilter rejects the pod, no node is tried: what it says holds for every node.
        let is_untried = matches!(verdict, Some(NodeVerdict::NotTried));
        let cause = report.causes().iter().find(|cause| is_untried || is_of_node(cause));
        if let Some(cause) = cause {
            plugin.clone_from(&cause.plugin);
            reasons = texts(&cause.reasons).join(", ");
            if !cause.details.is_empty() {
                reasons.push_str(&format!(" ({})", cause.details.join("; ")));
            }
        }
    }
    // What evictions would change there, if they were tried.
    let failure = report.preemption_failures().iter().find(is_of_node);
    let evictions = if report.fits() {
        "no pods are evicted there, since the pod fits elsewhere".to_owned()
    } else if let Some(awaited) = report.awaited() {
        let gets = report.node(awaited.node);
        format!("no pods are evicted there, since the pod gets {gets} once its victims are gone")
    } else if let Some(untried) = report.untried() {
        untried
    } else if let Some(failure) = failure {
        let why = if failure.details.is_empty() {
            texts(&failure.reasons).join(", ")
        } else {
            failure.details.join("; ")
        };
        format!("preemption does not help there: {why}")
    } else {
        "preemption is not tried there".to_owned()
    };
    DecidesAgainst::Filter { plugin, reasons, evictions }
}

#[cfg(test)]
mod tests {
    use engine::NodeIx;
    use engine::cluster::Cluster;
    use testing::{at, cluster, node, objects, pod};

    use super::WhyNot;
    use crate::pod_report::PodReport;

    fn why_not(cluster: &Cluster, name: &str) -> String {
        at("1.37").look(cluster, "p", |explanation| {
            let report = PodReport::from(explanation.clone());
            let node: NodeIx = cluster.find_node(name).expect("a node");
            WhyNot::find(&report, node).sentence()
        })
    }

    #[test]
    fn what_decides_first_is_said_of_every_node() {
        let victims = cluster(objects![
            node("n1").cpu("2"),
            node("n2").cpu("2"),
            node("n3").cpu("2").taint("dedicated", "db", "NoSchedule"),
            node("n4").cpu("2"),
            pod("low").cpu("2").priority(1).on("n1").replica_of("low"),
            pod("mid").cpu("2").priority(5).on("n2").replica_of("mid"),
            pod("high").cpu("2").priority(500).on("n4").replica_of("high"),
            pod("p").cpu("2").priority(100),
        ]);
        for (node, sentence) in [
            ("n1", "n1 is the node that kube-scheduler selects"),
            ("n2", "lowest priority of the most important victim: 5 on n2, 1 on n1"),
            ("n3", "TaintToleration rejects n3: node(s) had untolerated taint(s)"),
            ("n4", "NodeResourcesFit rejects n4: Insufficient cpu"),
        ] {
            let said = why_not(&victims, node);
            assert!(said.starts_with(sentence), "{said}");
        }
        assert!(why_not(&victims, "n3").contains("preemption does not help there: "));
        assert!(why_not(&victims, "n4").contains("No preemption victims found"));
    }

    #[test]
    fn scores_decide_between_nodes_that_fit() {
        let roomy = cluster(objects![
            node("n1").cpu("8").memory("8Gi"),
            node("n2").cpu("8").memory("8Gi"),
            node("n3").cpu("1").memory("8Gi"),
            pod("other").cpu("6").on("n2"),
            pod("p").cpu("2"),
        ]);
        let said = why_not(&roomy, "n2");
        assert!(said.starts_with("lower score: "), "{said}");
        assert!(said.contains("; the largest part by NodeResources"), "{said}");
        let said = why_not(&roomy, "n3");
        assert!(
            said.ends_with("no pods are evicted there, since the pod fits elsewhere"),
            "{said}"
        );
    }

    #[test]
    fn node_with_a_lower_score_may_be_picked_from_a_sample() {
        let name = |n: usize| format!("n{n:03}");
        let mut all: Vec<serde_json::Value> = Vec::new();
        for n in 0..300 {
            all.push(node(&name(n)).cpu(if n == 0 { "16" } else { "4" }).into());
        }
        all.push(pod("p").cpu("2").into());
        let sampled = cluster(all);
        let said = why_not(&sampled, "n001");
        let begins =
            "kube-scheduler stops once 144 nodes are found, so chance decides: it picks n001";
        assert!(said.starts_with(begins), "{said}");
    }

    #[test]
    fn node_that_the_pod_has_or_waits_for_is_named() {
        let mut victim = pod("low").cpu("2").on("n1").terminating();
        victim = victim.preempted();
        let waits = cluster(objects![
            node("n1").cpu("2"),
            node("n2").cpu("2"),
            victim,
            pod("other").cpu("2").on("n2"),
            pod("p").cpu("2").priority(100).nominated("n1"),
        ]);
        let said = why_not(&waits, "n1");
        assert_eq!(said, "n1 is the node that the pod gets once its victims there are gone");
        let said = why_not(&waits, "n2");
        let expected = "NodeResourcesFit rejects n2: Insufficient cpu (cpu: requests 2, 2 of 2 already requested); no \
                        pods are evicted there, since the pod gets n1 once its victims are gone";
        assert_eq!(said, expected);
        let runs = cluster(objects![node("n1"), node("n2"), pod("p").on("n1")]);
        assert_eq!(why_not(&runs, "n1"), "the pod is on n1 already");
        let moved = "the pod is on n1 already, and kube-scheduler moves no pods";
        assert_eq!(why_not(&runs, "n2"), moved);
    }

    #[test]
    fn equal_nodes_are_left_to_chance() {
        let equal = cluster(objects![node("n1").cpu("8"), node("n2").cpu("8"), pod("p").cpu("2")]);
        let chance = "n2 is one of 2 nodes that are equal: kube-scheduler takes any of them";
        assert_eq!(why_not(&equal, "n2"), chance);
    }
}
