//! The flags and arguments of this program's commands that answers mention.

use std::borrow::Cow;

use engine::decision::{Explanation, OutcomeKind};
use engine::edits::Edit;
use engine::edits::words::pairs;
use engine::notes::SettledBy;
use engine::simulation::hazard::Waiver;

/// The flag of `simulate --apply` that waives a hazard.
#[must_use]
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
        if remedy.outcome == OutcomeKind::Preempt {
            // Whether the replacements of the victims run again is a separate question, and may be
            // uncertain.
            remedy.check.extend(["--depth", "0"].map(str::to_owned));
        }
        remedy.check.extend(remedy.edits.iter().flat_map(arguments));
    }
}

/// How to settle a note's uncertainty, as the end of its sentence.
#[must_use]
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

/// The arguments of `simulate` for an edit.
#[must_use]
pub fn arguments(edit: &Edit) -> Vec<String> {
    let (flag, value) = match edit {
        Edit::Priority { priority } => ("--priority", priority.to_string()),
        Edit::PriorityClass { name } => ("--priority", name.clone()),
        Edit::PreemptionPolicy { policy } => ("--preemption-policy", policy.name().to_owned()),
        Edit::AsIfPreempting => return vec!["--as-if-preempting".to_owned()],
        Edit::Request { resource, amount } => ("--requests", format!("{resource}={amount}")),
        Edit::Toleration { taint } => ("--toleration", taint.to_string()),
        Edit::NodeSelector { key, value } => ("--node-selector", format!("{key}={value}")),
        Edit::RemovePod { namespace, name } => ("--remove-pod", format!("{namespace}/{name}")),
        Edit::Free { node, resources } => ("--free", format!("{node}:{}", pairs(resources))),
        Edit::Cordon { node } => ("--cordon", node.clone()),
        Edit::Uncordon { node } => ("--uncordon", node.clone()),
        Edit::Drain { node } => ("--drain", node.clone()),
        Edit::LabelNode { node, key, value } => ("--label-node", format!("{node}:{key}={value}")),
        Edit::RemoveTaint { node, taint } => ("--remove-taint", format!("{node}:{taint}")),
        Edit::RemoveNode { node } => ("--remove-node", node.clone()),
        Edit::AddNode { file, .. } => ("--add-node", file.clone()),
        Edit::AddNodeLike { node } => ("--add-node-like", node.clone()),
        Edit::Budget { namespace, name, allowed } => {
            ("--pdb", format!("{namespace}/{name}={allowed}"))
        }
    };
    vec![flag.to_owned(), value]
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::decision::decide;
    use engine::decision::remedy::RemedyKind;
    use engine::framework::cluster_view::ClusterView;
    use testing::{at, cluster, node, objects, pod, priority_class};

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
