//! A small controller: says whenever the answer about a pending pod changes.
//!
//! It reads the lists that `kubectl get -o json` prints, one after the other, from standard input,
//! and decides again about every pending pod of each. It keeps nothing between two lists but the
//! last answers, as a controller does that compares the state that it sees with the state that it
//! has acted on:
//!
//! ```sh
//! while sleep 10; do kubectl get nodes,pods,namespaces,services,rc,rs,sts,pdb,priorityclasses -A -o json; done |
//!     cargo run -p kubectl-preempt-engine --example controller
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write as _};

use kubectl_preempt_engine::{
    Cluster, ClusterView, Decision, OutcomeKind, Profile, SchedulerVersion, Timestamp,
    VersionSource, decide, read_cluster,
};
use serde_json::{Deserializer, Value};

fn main() -> Result<(), Box<dyn Error>> {
    let version = SchedulerVersion::parse("1.37.1").ok_or("no version")?;
    let mut controller = Controller {
        profile: Profile::new(version, VersionSource::Flag),
        answers: BTreeMap::new(),
    };
    for list in Deserializer::from_reader(io::stdin().lock()).into_iter::<Value>() {
        for change in controller.reconcile(&list?.to_string(), Timestamp::now())? {
            writeln!(io::stdout(), "{change}")?;
        }
    }
    Ok(())
}

/// What is kept from one list to the next.
struct Controller {
    profile: Profile,
    /// The last answer about each pending pod, by the pod's name.
    answers: BTreeMap<String, String>,
}

impl Controller {
    /// Decides about each pending pod of `list`, and returns the answers that are new or changed.
    fn reconcile(&mut self, list: &str, now: Timestamp) -> Result<Vec<String>, Box<dyn Error>> {
        let cluster = read_cluster(list, "the API server")?;
        let view = ClusterView::new(&cluster, &self.profile);
        let mut answers = BTreeMap::new();
        let mut changes = Vec::new();
        for pod in cluster.pod_indices().filter(|pod| cluster.pod(*pod).is_waiting()) {
            let decision = decide(&view, pod, now);
            let name = cluster.pod_name(pod);
            let answer = answer(&cluster, &decision);
            if self.answers.get(&name) != Some(&answer) {
                changes.push(format!("{name}: {answer}"));
            }
            answers.insert(name, answer);
        }
        // Pods that run, or are gone, are forgotten.
        self.answers = answers;
        Ok(changes)
    }
}

/// A decision as one line. A controller that acts would look at [`Decision::notes`] first: they say
/// what makes it uncertain.
fn answer(cluster: &Cluster, decision: &Decision) -> String {
    let node = decision.selected().first().map_or("no node", |node| cluster.node_name(*node));
    let victims = decision.selected().first().and_then(|node| decision.candidate(*node));
    let victims: Vec<String> = victims
        .iter()
        .flat_map(|candidate| &candidate.victims)
        .map(|victim| cluster.pod_name(victim.pod))
        .collect();
    match decision.kind() {
        OutcomeKind::Schedulable => format!("gets {node}"),
        OutcomeKind::Preempt => format!("gets {node} once {} are evicted", victims.join(", ")),
        _ => decision.scheduler_message().unwrap_or("is not scheduled").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    #[test]
    fn answer_is_printed_only_when_it_changes() {
        let version = SchedulerVersion::parse("1.37.1").unwrap();
        let mut controller = Controller {
            profile: Profile::new(version, VersionSource::Flag),
            answers: BTreeMap::new(),
        };
        let now: Timestamp = "2026-06-01T12:00:00Z".parse().unwrap();
        let list = |cpu: &str| {
            json!({"kind": "List", "apiVersion": "v1", "items": [
                {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n1"},
                 "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "10"}}},
                {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "web", "namespace": "shop", "uid": "u"},
                 "spec": {"schedulerName": "default-scheduler",
                    "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "2"}}}]},
                 "status": {"phase": "Pending"}}]})
            .to_string()
        };
        let too_small = controller.reconcile(&list("1"), now).unwrap();
        assert!(
            too_small[0].starts_with("shop/web: 0/1 nodes are available: 1 Insufficient cpu."),
            "{too_small:?}"
        );
        assert_eq!(controller.reconcile(&list("1"), now).unwrap(), Vec::<String>::new());
        assert_eq!(controller.reconcile(&list("4"), now).unwrap(), ["shop/web: gets n1"]);
    }
}
