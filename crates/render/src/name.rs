//! `-o name`: the objects of a decision, one `type/name` per line, for `xargs -L1 kubectl get`.

use std::collections::BTreeSet;
use std::fmt;

use super::safe::Safe;
use answers::pod_report::PodReport;
use answers::words;
use engine::cluster::selector::is_subdomain;
use engine::cluster::{Cluster, PodIx};
use engine::decision::{Certainty, Decision};

/// What the names of a decision do not show: that the choice is uncertain.
pub fn remark(decision: &Decision) -> Option<String> {
    let pod = decision.view.cluster.pod_name(decision.pod);
    let nodes = decision.odds().map_or(decision.selected().len(), |odds| odds.possible);
    let what = if decision.preemption().is_some() {
        "evicts the pods of one of them"
    } else {
        "picks one of them"
    };
    match decision.certainty() {
        Certainty::Unsure => Some(format!(
            "pod {pod}: this is not certain; see the notes in the text or with -o json"
        )),
        Certainty::OneOf | Certainty::Sampled if nodes > 1 => Some(format!(
            "pod {pod}: {} are possible, and kube-scheduler {what}",
            words::count(nodes, "node")
        )),
        Certainty::OneOf => Some(format!(
            "pod {pod}: which pods are evicted depends on an order that the API does not show"
        )),
        Certainty::Certain | Certainty::Sampled => None,
    }
}

/// A name that no API server admits. `-o name` shows none: text that a shell would interpret as
/// more than a name must not get there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAName(Safe);

impl NotAName {
    /// The line of a list that names an object: `pod/NAME`.
    ///
    /// # Errors
    /// If `name` is not a DNS subdomain, as the names of pods, nodes, groups and namespaces are.
    pub(crate) fn check(kind: &str, name: &str) -> Result<String, Self> {
        if is_subdomain(name, LONGEST) {
            Ok(format!("{kind}/{name}"))
        } else {
            Err(Self(format!("{kind}/{name}").into()))
        }
    }
}

impl fmt::Display for NotAName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "{:?} is no name of an object, and -o name shows names alone: use -o json",
            self.0.as_str()
        )
    }
}

/// Maximum length of a DNS subdomain.
///
/// Upstream: `k8s.io/apimachinery/pkg/api/validation` `NameIsDNSSubdomain` (1.37).
const LONGEST: usize = 253;

/// Whether a victim is in a different namespace than the pod.
fn is_apart(model: &PodReport) -> bool {
    let cluster = model.cluster();
    let own = cluster.pod(model.pod).namespace;
    let mut victims = model.winners().flat_map(|candidate| &candidate.victims);
    victims.any(|victim| cluster.pod(victim.pod).namespace != own)
}

/// The line of a victim, with its namespace if any victim is `apart`.
pub(crate) fn line(cluster: &Cluster, pod: PodIx, apart: bool) -> Result<String, NotAName> {
    let pod = cluster.pod(pod);
    let name = NotAName::check("pod", &pod.name)?;
    if !apart {
        return Ok(name);
    }
    let namespace = cluster.text(pod.namespace);
    NotAName::check("namespace", namespace)?;
    Ok(format!("{name} -n {namespace}"))
}

/// The victims on the nodes that the scheduler may pick, as kubectl writes names; the nodes, if
/// there are no victims. If a victim is outside of the pod's namespace, kubectl needs the namespace
/// of each: it follows as `-n NAMESPACE`. Without duplicates, in the order of the decisions.
///
/// # Errors
/// [`NotAName`].
pub fn lines(decisions: &[PodReport]) -> Result<String, NotAName> {
    let mut seen = BTreeSet::new();
    let mut out = String::new();
    let apart = decisions.iter().any(is_apart);
    for model in decisions {
        let victims = model.winners().flat_map(|candidate| &candidate.victims);
        let mut lines: Vec<String> = victims
            .map(|victim| line(model.cluster(), victim.pod, apart))
            .collect::<Result<_, _>>()?;
        if lines.is_empty() {
            let nodes = model.selected().iter();
            lines = nodes
                .map(|node| NotAName::check("node", model.node(*node)))
                .collect::<Result<_, _>>()?;
        }
        for line in lines.into_iter().filter(|line| seen.insert(line.clone())) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_the_api_admits_are_names() {
        let longest = "a".repeat(LONGEST);
        for name in ["web-1", "ip-10-0-0-1.ec2.internal", "0", &longest] {
            assert_eq!(NotAName::check("pod", name), Ok(format!("pod/{name}")));
        }
        let too_long = "a".repeat(LONGEST + 1);
        for name in [
            "",
            "x --kubeconfig=y",
            "-A",
            "a-",
            "a..b",
            ".",
            "A",
            "a_b",
            "a/b",
            "a\n",
            "é",
            &too_long,
        ] {
            assert!(NotAName::check("pod", name).is_err(), "{name:?}");
        }
    }
}
