//! The flags and arguments of this program's commands that answers mention.

use std::borrow::Cow;

use crate::input_flags::InputFlags;
use crate::pod_report::PodReport;
use crate::remedies;
use engine::decision::remedy::RemedyKind;
use engine::decision::{Explanation, OutcomeKind};
use engine::edits::Edit;
use engine::edits::pairs;
use engine::framework::reason::Obstacle;
use engine::notes::SettledBy;
use engine::simulation::hazard::Waiver;

/// The flag of `simulate --apply` that waives a hazard.
pub const fn flag_of(waiver: Waiver) -> &'static str {
    match waiver {
        Waiver::Force => "--force",
        Waiver::EmptyDirData => "--delete-emptydir-data",
    }
}

/// Adds to each remedy of a decision the command that shows it. `asked` is the `simulate` command
/// for this pod and input, without the program's name.
pub fn add_checks(decision: &mut Explanation, asked: &[String]) {
    for remedy in decision.remedies.iter_mut().flat_map(|remedies| &mut remedies.found) {
        remedy.check = asked.to_vec();
        if remedy.outcome == OutcomeKind::Preempt || remedy.kind == RemedyKind::ReplaceOldPod {
            // Whether the replacements of the victims run again is a separate question, and may be
            // uncertain; an old ReplicaSet ends once the new one is ready.
            remedy.check.extend(["--depth", "0"].map(str::to_owned));
        }
        remedy.check.extend(remedy.edits.iter().flat_map(arguments));
    }
}

/// The command that explains the group of a pod, without the program's name.
pub fn group_command(report: &PodReport) -> Option<Vec<String>> {
    let cluster = report.cluster();
    let (name, namespace) = match (&report.membership, &report.permit) {
        (Some(membership), _) => (membership.group.name, membership.group.namespace),
        (None, Some(permit)) => (permit.group, cluster.pod(report.pod).namespace),
        (None, None) => return None,
    };
    let name = format!("podgroup/{}", cluster.text(name));
    Some(report.flags.command(&["explain", &name, "-n", cluster.text(namespace)]))
}

/// Another page about the same input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherPage {
    /// What it shows.
    pub shows: String,
    /// The command that makes it, without the program's name.
    pub command: Vec<String>,
}

/// The pages that a page of the queue leads to. `pod` is a pending pod outside of groups, with its
/// namespace, if there is one.
pub fn other_pages(flags: &InputFlags, pod: Option<(&str, &str)>) -> Vec<OtherPage> {
    let pages: [(&str, &[&str]); 5] = [
        ("Where all of them go, in the order of the queue", &["simulate", "-A"]),
        ("Which actions place them without evictions", &["suggest", "-A"]),
        ("Whether a node can be drained", &["node", "NODE"]),
        ("Which running pods may be evicted", &["risk", "-A"]),
        ("What is configured badly", &["audit", "-A"]),
    ];
    let mut pages: Vec<OtherPage> =
        pages.map(|(shows, words)| other_page(flags, shows.to_owned(), words)).to_vec();
    if let Some((namespace, pod)) = pod {
        let shows = format!("How many more pods like {namespace}/{pod} fit");
        pages.insert(2, other_page(flags, shows, &["headroom", pod, "-n", namespace]));
    }
    pages
}

fn other_page(flags: &InputFlags, shows: String, words: &[&str]) -> OtherPage {
    let html = ["-o", "html"].map(str::to_owned);
    OtherPage { shows, command: [flags.command(words), html.to_vec()].concat() }
}

/// The commands that show more about a pod, without the program's name; what explains the first
/// causes comes first, because a narrow terminal cuts the list at its end.
pub fn next_commands(report: &PodReport) -> Vec<Vec<String>> {
    let (cluster, flags) = (report.cluster(), &report.flags);
    let pod = cluster.pod(report.pod);
    let mut commands = Vec::new();
    let codes = report.causes().iter().flat_map(|cause| &cause.reasons);
    if let Some(message) = codes.into_iter().find_map(|reason| reason.message) {
        commands.push(vec!["rules".to_owned(), message.code.to_owned()]);
    }
    let stays = matches!(report.kind(), OutcomeKind::Unschedulable | OutcomeKind::Error(_));
    if let Some(node) = first_cordoned(report).filter(|_| stays) {
        commands.push(flags.command(&["node", node]));
    }
    if let Some(remedy) = remedies::telling(report).next() {
        commands.push(remedy.check.clone());
    }

    // What makes a pod fit without evictions, or how many more of it fit, is asked only about one
    // that is scheduled alone.
    let next = match report.kind() {
        _ if group_command(report).is_some() => None,
        OutcomeKind::Preempt | OutcomeKind::Unschedulable => Some("suggest"),
        OutcomeKind::Schedulable => Some("headroom"),
        OutcomeKind::NotInQueue | OutcomeKind::Error(_) => None,
    };
    if let Some(command) = next {
        let namespace = cluster.text(pod.namespace);
        commands.push(flags.command(&[command, &pod.name, "-n", namespace]));
    }
    commands
}

/// The first cordoned node, if cordons are the main cause: then a node is often being drained
/// without success.
fn first_cordoned<'r>(report: &'r PodReport) -> Option<&'r str> {
    let cause = report.causes().first()?;
    let mut messages = cause.reasons.iter().filter_map(|reason| reason.message);
    if !messages.any(|message| message.obstacle == Obstacle::Cordon) {
        return None;
    }
    Some(report.node(*cause.nodes.first()?))
}

/// How to settle a note's uncertainty, as the end of its sentence.
pub fn settling(answer: SettledBy) -> Cow<'static, str> {
    match answer {
        SettledBy::FeatureGate(gate) => {
            format!(": --feature-gates {gate}=true or {gate}=false says what it is").into()
        }
        SettledBy::FeatureGates => ": --feature-gates says what they are".into(),
        SettledBy::AskingExtenders => "; --call-extenders asks".into(),
        SettledBy::Replicas => ": say how many with --replicas".into(),
        SettledBy::AllowedDisruptions => "; --pdb changes that".into(),
    }
}

/// A flag of `simulate` whose value is an assumption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhatIf {
    Priority,
    PreemptionPolicy,
    /// Of one resource.
    Requests,
    Toleration,
    /// Of one label.
    NodeSelector,
    AddNodeLike,
    RemovePod,
    Free,
    Cordon,
    Drain,
    Uncordon,
    LabelNode,
    RemoveTaint,
    RemoveNode,
    Pdb,
}

impl WhatIf {
    /// All of them, in the order in which `simulate` applies them.
    pub const ALL: [Self; 15] = [
        Self::Priority,
        Self::PreemptionPolicy,
        Self::Requests,
        Self::Toleration,
        Self::NodeSelector,
        Self::AddNodeLike,
        Self::RemovePod,
        Self::Free,
        Self::Cordon,
        Self::Drain,
        Self::Uncordon,
        Self::LabelNode,
        Self::RemoveTaint,
        Self::RemoveNode,
        Self::Pdb,
    ];

    pub const fn flag(self) -> &'static str {
        match self {
            Self::Priority => "--priority",
            Self::PreemptionPolicy => "--preemption-policy",
            Self::Requests => "--requests",
            Self::Toleration => "--toleration",
            Self::NodeSelector => "--node-selector",
            Self::AddNodeLike => "--add-node-like",
            Self::RemovePod => "--remove-pod",
            Self::Free => "--free",
            Self::Cordon => "--cordon",
            Self::Drain => "--drain",
            Self::Uncordon => "--uncordon",
            Self::LabelNode => "--label-node",
            Self::RemoveTaint => "--remove-taint",
            Self::RemoveNode => "--remove-node",
            Self::Pdb => "--pdb",
        }
    }

    /// Whether its flag takes several values, separated by commas.
    pub const fn takes_a_list(self) -> bool {
        matches!(
            self,
            Self::Requests
                | Self::NodeSelector
                | Self::AddNodeLike
                | Self::Cordon
                | Self::Drain
                | Self::Uncordon
                | Self::RemoveNode
        )
    }
}

/// The arguments of `simulate` for an edit.
pub fn arguments(edit: &Edit) -> Vec<String> {
    let (what_if, value) = match edit {
        // The scheduler is assumed with the same flag.
        Edit::AsIfPreempting => return vec!["--as-if-preempting".to_owned()],
        Edit::Scheduler { .. } => return Vec::new(),
        Edit::AddNode { file, .. } => return vec!["--add-node".to_owned(), file.clone()],
        Edit::Priority { priority } => (WhatIf::Priority, priority.to_string()),
        Edit::PriorityClass { name } => (WhatIf::Priority, name.clone()),
        Edit::PreemptionPolicy { policy } => (WhatIf::PreemptionPolicy, policy.name().to_owned()),
        Edit::Request { resource, amount } => (WhatIf::Requests, format!("{resource}={amount}")),
        Edit::Toleration { taint } => (WhatIf::Toleration, taint.to_string()),
        Edit::NodeSelector { key, value } => (WhatIf::NodeSelector, format!("{key}={value}")),
        Edit::RemovePod { namespace, name } => (WhatIf::RemovePod, format!("{namespace}/{name}")),
        Edit::Free { node, resources } => (WhatIf::Free, format!("{node}:{}", pairs(resources))),
        Edit::Cordon { node } => (WhatIf::Cordon, node.clone()),
        Edit::Uncordon { node } => (WhatIf::Uncordon, node.clone()),
        Edit::Drain { node } => (WhatIf::Drain, node.clone()),
        Edit::LabelNode { node, key, value } => {
            (WhatIf::LabelNode, format!("{node}:{key}={value}"))
        }
        Edit::RemoveTaint { node, taint } => (WhatIf::RemoveTaint, format!("{node}:{taint}")),
        Edit::RemoveNode { node } => (WhatIf::RemoveNode, node.clone()),
        Edit::AddNodeLike { node } => (WhatIf::AddNodeLike, node.clone()),
        Edit::Budget { namespace, name, allowed } => {
            (WhatIf::Pdb, format!("{namespace}/{name}={allowed}"))
        }
    };
    vec![what_if.flag().to_owned(), value]
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::decision::decide;
    use engine::framework::cluster_view::ClusterView;
    use testing::{at, cluster, node, objects, pod, priority_class};

    #[test]
    fn a_page_of_the_queue_names_the_pod_of_another_page() {
        let pages = other_pages(&InputFlags::default(), Some(("shop", "web-1")));
        assert_eq!(pages[2].shows, "How many more pods like shop/web-1 fit");
        assert_eq!(pages[2].command, ["headroom", "web-1", "-n", "shop", "-o", "html"]);
        let of_groups = other_pages(&InputFlags::default(), None);
        assert_eq!(of_groups.len(), pages.len() - 1);
        assert!(of_groups.iter().all(|page| page.command[0] != "headroom"));
    }

    #[test]
    fn a_check_is_a_command_that_makes_the_edits() {
        let objects = objects![
            node("n1").cpu("2"),
            pod("a").cpu("2").priority(5).on("n1"),
            pod("p").cpu("1"),
            priority_class("high", 6)
        ];
        let (cluster, profile) = (cluster(objects), at("1.37").profile());
        let view = ClusterView::new(&cluster, &profile);
        let pod = cluster.find_pod("default", "p").expect("the pod");
        let mut decision =
            Explanation::from(decide(&view, pod, testing::NOW.parse().expect("a time")));
        decision.seek_remedies();
        add_checks(&mut decision, &["simulate", "p"].map(str::to_owned));
        let found = decision.remedies.expect("remedies").found;
        let check = |kind| found.iter().find(|r| r.kind == kind).expect("a remedy").check.join(" ");
        assert_eq!(check(RemedyKind::FreeResources), "simulate p --free n1:cpu=1");
        assert_eq!(check(RemedyKind::RaisePriority), "simulate p --depth 0 --priority high");
    }
}
