//! The waiting pods that get no node whichever pods come and go: nodes that are drained or lost
//! change nothing for them, and so they take nobody's room.

use scheduler::decision::Decision;
use scheduler::framework::operands::ResourceId;
use scheduler::framework::status::Rejection;

use super::SimulationRun;

/// Maximum number of kinds of pods that are decided for it; others are followed.
const MOST_KINDS: usize = 500;

/// The filters that read the node and the pod alone.
const OF_THE_NODE: [&str; 4] = ["NodeAffinity", "NodeName", "NodeUnschedulable", "TaintToleration"];

impl SimulationRun<'_> {
    /// Finds these pods and stops following them. It holds while no node is added or changed.
    pub(super) fn set_hopeless_aside(&mut self) {
        // The pods of a group are not decided alone.
        let mut waiting = self.waiting();
        waiting.retain(|pod| self.cluster.group_of(*pod).is_none());
        let mut hopeless =
            self.decided_once(&self.cluster, &waiting, MOST_KINDS, |decider, pod| {
                never_fits(&decider.decide(pod))
            });
        hopeless.retain(|_, never_fits| *never_fits);
        self.hopeless = hopeless.into_keys().collect();
    }
}

/// Whether every node refuses the pod for what it is, or is too small for it even without pods.
fn never_fits(decision: &Decision) -> bool {
    let mut refusing = 0;
    for (_, plugin, rejection) in decision.rejections() {
        if !OF_THE_NODE.contains(&plugin) && !exceeds_node(rejection) {
            return false;
        }
        refusing += 1;
    }
    refusing == decision.view.cluster.nodes.len()
}

/// Whether the pod asks for more of a resource than the node has.
fn exceeds_node(rejection: &Rejection) -> bool {
    let mut lacks = rejection.evidence().filter_map(|evidence| evidence.lack());
    lacks.any(|lack| lack.resource != ResourceId::Pods && lack.requested > lack.allocatable)
}

#[cfg(test)]
mod tests {
    use testing::{NOW, at, cluster, node, objects, pod};

    use crate::sequence::{DrainSequence, SimulationSettings};

    #[test]
    fn pods_that_every_node_refuses_are_set_aside_until_a_node_comes() {
        let other_pool = |name: &str| pod(name).with("/spec/nodeSelector/pool", "other");
        let cluster = cluster(objects![
            node("n1").cpu("4"),
            node("n2").cpu("2"),
            node("n3").cpu("8").taint("gpu", "", "NoSchedule"),
            node("n4").cpu("8").cordoned(),
            pod("a").cpu("4").on("n1"),
            other_pool("elsewhere"),
            pod("huge").cpu("5"),
            pod("fits-later").cpu("4"),
        ]);
        let profiles = [at("1.37").profile()];
        let settings = SimulationSettings::new(&profiles, NOW.parse().expect("a time"));
        let mut sequence = DrainSequence::new(cluster, settings);
        let names = |sequence: &DrainSequence| -> Vec<String> {
            let pods = sequence.run.hopeless.iter();
            pods.map(|pod| sequence.cluster().pod_name(*pod)).collect()
        };
        assert_eq!(names(&sequence), ["default/elsewhere", "default/huge"]);
        sequence.add_like("n4");
        assert_eq!(names(&sequence), [""; 0]);
    }
}
