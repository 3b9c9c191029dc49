//! Names of nodes: the ending that those of a cloud share is said once, and need not be typed.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use engine::cluster::{Cluster, NodeIx};
use engine::edits::{Edit, EditError};

use crate::error::{AnswerError, Hint};
use crate::similar::{did_you_mean, similar_names};

/// The ending that the names of all nodes share, from a dot on:
/// `.eu-central-1.compute.internal`. Empty if there is none, or only one node.
pub fn shared_ending(cluster: &Cluster) -> &str {
    let names: Vec<&str> = cluster.nodes.iter().map(|node| cluster.text(node.name)).collect();
    shared_by(&names)
}

/// The same of nodes with these names.
pub fn shared_by<'n>(names: &[&'n str]) -> &'n str {
    let [first, _, ..] = names else { return "" };
    let mut ending = first.find('.').and_then(|dot| first.get(dot..)).unwrap_or_default();
    for name in names {
        // The next shorter ending begins at the next dot.
        while !(ending.is_empty() || name.len() > ending.len() && name.ends_with(ending)) {
            let shorter = ending.get(1..).and_then(|rest| Some((rest, rest.find('.')?)));
            ending = shorter.and_then(|(rest, dot)| rest.get(dot..)).unwrap_or_default();
        }
    }
    ending
}

/// The node with this name, with or without the ending that all nodes share.
///
/// # Errors
/// [`AnswerError::NotFound`] with the names that may have been meant.
pub fn find(typed: &str, cluster: &Cluster) -> Result<NodeIx, AnswerError> {
    cluster.find_node(typed).or_else(|| by_short_name(typed, cluster)).ok_or_else(|| {
        // What is typed without the ending is compared with the names without it.
        let ending = shared_ending(cluster);
        let known = cluster.nodes.iter().map(|node| {
            let name = cluster.text(node.name);
            if typed.ends_with(ending) { name } else { name.strip_suffix(ending).unwrap_or(name) }
        });
        AnswerError::NotFound {
            resource: "nodes".to_owned(),
            name: typed.to_owned(),
            hint: did_you_mean(&similar_names(typed, known)).map(Hint::from),
        }
    })
}

fn by_short_name(typed: &str, cluster: &Cluster) -> Option<NodeIx> {
    let ending = shared_ending(cluster);
    if ending.is_empty() { None } else { cluster.find_node(&format!("{typed}{ending}")) }
}

/// The names of a cluster's nodes as people read them: the ending that all share stands once, in a
/// heading, and each name has the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeNames(Arc<SharedEnding>);

#[derive(Debug, Default, PartialEq, Eq)]
struct SharedEnding {
    ending: String,
    /// The names without it; none if there is no ending.
    names: BTreeSet<Box<str>>,
}

/// Words before the name of a node in a sentence. After others, as after `=`, a name may be the value of
/// a label, which is said as it is.
const BEFORE_NODES: [&str; 23] = [
    "on",
    "node",
    "nodes",
    "like",
    "losing",
    "lose",
    "from",
    "to",
    "than",
    "over",
    "order:",
    "cordoning",
    "draining",
    "uncordon",
    "uncordoning",
    "repair",
    "repairing",
    "Assuming",
    "Assumed:",
    "pick",
    "picks",
    "get",
    "gets",
];
/// What stands between nodes of a list.
const BETWEEN_NODES: [&str; 3] = [", ", " or ", " and "];

/// Where a text with names of nodes stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamePlace {
    /// Where nothing but nodes is named.
    OnlyNodes,
    /// In a sentence that may begin with a node.
    Sentence,
    /// In a text that may begin with something else of that name, as a pod.
    Text,
}

impl NodeNames {
    /// Those of a cluster. None is in short if that would be the name of another node, or without the
    /// end of an address.
    pub fn of(cluster: &Cluster) -> Self {
        let ending = shared_ending(cluster).to_owned();
        if !ending.contains(|letter: char| letter.is_ascii_alphabetic()) {
            return Self::default();
        }
        let mut names: BTreeSet<Box<str>> = BTreeSet::new();
        for node in &cluster.nodes {
            names.extend(cluster.text(node.name).strip_suffix(&*ending).map(Box::from));
        }
        if names.iter().any(|name| cluster.find_node(name).is_some()) {
            return Self::default();
        }
        Self(Arc::new(SharedEnding { ending, names }))
    }

    /// The ending that all share; empty if there is none.
    pub fn ending(&self) -> &str {
        &self.0.ending
    }

    /// `text` with the nodes that it names without the ending. Values of labels and other names that end
    /// so, as those of static pods, stay, and so does what follows `kubectl`, as it is meant to be copied.
    pub fn shorten<'t>(&self, text: &'t str, place: NamePlace) -> Cow<'t, str> {
        let SharedEnding { ending, names } = &*self.0;
        if ending.is_empty() || !text.contains(ending.as_str()) {
            return Cow::Borrowed(text);
        }
        let mut short = String::with_capacity(text.len());
        let mut is_listed = false;
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once(ending.as_str()) {
            let name = before.rsplit(is_boundary).next().unwrap_or(before);
            let lead = before.strip_suffix(name).unwrap_or(before);
            let is_node = match place {
                NamePlace::OnlyNodes => true,
                NamePlace::Sentence | NamePlace::Text if short.is_empty() && lead.is_empty() => {
                    place == NamePlace::Sentence
                }
                NamePlace::Sentence | NamePlace::Text => {
                    is_listed && BETWEEN_NODES.contains(&lead) || is_before_node(lead)
                }
            };
            // Copies of a node are named after it.
            let ends = behind.chars().next().is_none_or(|next| is_boundary(next) || next == '.')
                || behind.starts_with("-copy");
            short.push_str(before);
            is_listed = is_node && ends && names.contains(name) && !short.contains("kubectl ");
            if !is_listed {
                short.push_str(ending);
            }
            rest = behind;
        }
        short.push_str(rest);
        Cow::Owned(short)
    }
}

fn is_boundary(letter: char) -> bool {
    !letter.is_ascii_alphanumeric() && !"-.".contains(letter)
}

/// Whether a node follows this text.
fn is_before_node(lead: &str) -> bool {
    let word = lead.strip_suffix(' ').and_then(|lead| lead.rsplit([' ', '(']).next());
    lead.ends_with("node/")
        || lead.ends_with(" (")
        || word.is_some_and(|word| BEFORE_NODES.contains(&word))
}

/// The edit with the whole name of its node. A name that no node has stays: an earlier edit may add
/// the node.
pub(crate) fn in_full(mut edit: Edit, cluster: &Cluster) -> Edit {
    let (Edit::AddNodeLike { node }
    | Edit::Free { node, .. }
    | Edit::Cordon { node }
    | Edit::Uncordon { node }
    | Edit::Drain { node }
    | Edit::LabelNode { node, .. }
    | Edit::RemoveTaint { node, .. }
    | Edit::RemoveNode { node }) = &mut edit
    else {
        return edit;
    };
    if let Ok(meant) = find(node, cluster) {
        cluster.node_name(meant).clone_into(node);
    }
    edit
}

/// Why an edit is impossible. For a name that nothing has, with those that may have been meant.
pub(crate) fn impossible(refusal: EditError, cluster: &Cluster) -> AnswerError {
    let EditError::NotFound { resource, name } = &refusal else { return refusal.into() };
    let mut names: Vec<String> = Vec::new();
    match *resource {
        "nodes" => return find(name, cluster).err().unwrap_or_else(|| refusal.clone().into()),
        "priorityclasses" => {
            let classes = cluster.priority_classes.iter();
            names.extend(classes.map(|class| cluster.text(class.name).to_owned()));
        }
        "poddisruptionbudgets" => {
            names.extend(cluster.budgets.iter().map(|budget| budget.name.to_string()));
        }
        "pods" => names.extend(cluster.pods.iter().map(|pod| pod.name.to_string())),
        _ => {}
    }
    // Objects of a namespace may be named with it.
    let typed = name.rsplit('/').next().unwrap_or(name);
    let hint = did_you_mean(&similar_names(typed, names)).map(Hint::from);
    AnswerError::NotFound { resource: (*resource).to_owned(), name: name.clone(), hint }
}

#[cfg(test)]
mod tests {
    use super::{NamePlace, NodeNames, find, shared_ending};
    use crate::error::{AnswerError, Hint};
    use testing::{cluster, node, objects};

    #[test]
    fn the_ending_of_all_names_need_not_be_typed() {
        for (names, ending) in [
            (["ip-1.eu.internal", "ip-2.eu.internal"], ".eu.internal"),
            (["ip-1.eu.internal", "ip-2.us.internal"], ".internal"),
            (["ip-1.eu", "worker"], ""),
            (["a.b", ".b"], ""),
        ] {
            let cluster = cluster(objects![node(names[0]), node(names[1])]);
            assert_eq!(shared_ending(&cluster), ending, "{names:?}");
            let short = names[0].strip_suffix(ending).expect("an ending");
            assert_eq!(find(short, &cluster), Ok(cluster.find_node(names[0]).expect("the node")));
        }
    }

    #[test]
    fn names_of_nodes_in_a_text_lose_their_ending_and_other_names_do_not() {
        let cluster = cluster(objects![node("ip-1.eu.internal"), node("ip-2.eu.internal")]);
        for (text, short) in [
            ("evicts on ip-1.eu.internal.", "evicts on ip-1."),
            ("ip-1.eu.internal or ip-2.eu.internal", "ip-1 or ip-2"),
            ("on ip-2.eu.internal, ip-1.eu.internal", "on ip-2, ip-1"),
            ("node/ip-2.eu.internal", "node/ip-2"),
            ("add a node like ip-2.eu.internal-copy-2", "add a node like ip-2-copy-2"),
            ("uncordon ip-1.eu.internal", "uncordon ip-1"),
            ("add one more m6i (like ip-1.eu.internal)", "add one more m6i (like ip-1)"),
            ("cordoned for 2d (ip-1.eu.internal)", "cordoned for 2d (ip-1)"),
            ("run kubectl uncordon ip-1.eu.internal", "run kubectl uncordon ip-1.eu.internal"),
            ("run kubectl drain ip-1.eu.internal", "run kubectl drain ip-1.eu.internal"),
            ("kube-system/ip-1.eu.internal", "kube-system/ip-1.eu.internal"),
            ("proxy-ip-1.eu.internal", "proxy-ip-1.eu.internal"),
            ("*.eu.internal", "*.eu.internal"),
            ("on ip-1.eu.internals", "on ip-1.eu.internals"),
            ("hostname=ip-1.eu.internal", "hostname=ip-1.eu.internal"),
            ("In [ip-1.eu.internal, ip-2.eu.internal]", "In [ip-1.eu.internal, ip-2.eu.internal]"),
            ("1 has ip-1.eu.internal", "1 has ip-1.eu.internal"),
            ("--on ip-1.eu.internal", "--on ip-1.eu.internal"),
        ] {
            let names = NodeNames::of(&cluster);
            assert_eq!(names.shorten(text, NamePlace::Sentence), short);
        }
        let names = NodeNames::of(&cluster);
        let (pod, cell) = ("ip-1.eu.internal", "ip-1.eu.internal +3");
        assert_eq!(names.shorten(pod, NamePlace::Text), pod);
        assert_eq!(names.shorten(cell, NamePlace::OnlyNodes), "ip-1 +3");
    }

    #[test]
    fn names_stay_whole_where_short_ones_would_mean_something_else() {
        for names in [["x.b", "x.b.b"], ["10.0.1.5", "10.0.2.5"]] {
            let cluster = cluster(objects![node(names[0]), node(names[1])]);
            assert_eq!(NodeNames::of(&cluster).ending(), "", "{names:?}");
        }
    }

    #[test]
    fn a_mistyped_name_gets_those_that_may_have_been_meant() {
        for (names, typed, meant) in [
            (["worker-1", "worker-2"], "wroker-1", "worker-1"),
            (["ip-11.eu.internal", "ip-2.eu.internal"], "ip-111", "ip-11"),
            (["ip-11.eu.internal", "ip-2.eu.internal"], "ip-111.eu.internal", "ip-11.eu.internal"),
        ] {
            let cluster = cluster(objects![node(names[0]), node(names[1]), node("db.eu.internal")]);
            let Err(AnswerError::NotFound { hint: Some(Hint::Sentence(hint)), .. }) =
                find(typed, &cluster)
            else {
                panic!("a hint for {typed}");
            };
            let others = [format!("mean {meant}?"), format!("one of {meant}, ")];
            assert!(others.iter().any(|one| hint.contains(one)), "{typed}: {hint}");
        }
    }
}
