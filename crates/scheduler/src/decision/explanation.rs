//! A decision plus what only an explanation of it needs. Each part costs as much as the decision or
//! more, so it is computed on demand.

use std::collections::BTreeMap;
use std::ops::Deref;

use super::competitors::Competitors;
use super::remedy::Remedies;
use super::sampling::Sampling;
use super::verify::Verification;
use super::{Decision, OutcomeKind};
use crate::framework::cycle::{NodeVerdict, PreFilter, PreparedCycle};
use crate::framework::status::Rejection;
use crate::plugins;
use crate::preemption::proof::{self, PlanCertificate};
use model::cluster::NodeIx;

/// A decision, with more about its nodes, odds, remedies and the condition that the pod carries.
#[derive(Debug, Clone)]
#[must_use]
#[non_exhaustive]
pub struct Explanation<'c> {
    pub decision: Decision<'c>,
    /// The rejections by filters that come after the first one that rejects a node.
    pub(super) also_refused: BTreeMap<NodeIx, Vec<(&'static str, Rejection)>>,
    /// Like [`Decision::odds`], from more starts or from a single one, if [`Self::enumerate`] was
    /// called.
    pub sampling: Option<Sampling>,
    /// What would help, if [`Self::seek_remedies`] was called and the pod fits nowhere.
    pub remedies: Option<Remedies>,
    /// Whether a better plan of evictions exists, if [`Self::certify_plan`] was called and the pod
    /// preempts.
    pub certificate: Option<PlanCertificate>,
    /// How the condition that the pod carries compares with the one that would be written now, if
    /// [`Self::compare_condition`] was called.
    pub condition: Option<Verification>,
    /// The pending pods that may take the room of the evictions, if asked for.
    pub competitors: Competitors,
}

impl<'c> From<Decision<'c>> for Explanation<'c> {
    fn from(decision: Decision<'c>) -> Self {
        Self {
            decision,
            also_refused: BTreeMap::new(),
            sampling: None,
            remedies: None,
            certificate: None,
            condition: None,
            competitors: Competitors::default(),
        }
    }
}

/// Code that explains a decision also reads the decision itself.
impl<'c> Deref for Explanation<'c> {
    type Target = Decision<'c>;

    fn deref(&self) -> &Decision<'c> {
        &self.decision
    }
}

impl Explanation<'_> {
    /// Runs the remaining filters on every node that does not take the pod. Costs at most as much
    /// as filtering did. Nothing is run if the cycle ended with an error, since the nodes' verdicts
    /// are then not known.
    pub fn run_other_filters(&mut self) {
        // These versions run every filter anyway, and name all reasons.
        let all_run = self.profile().features.cycle.filters_all_run;
        if all_run || matches!(self.kind(), OutcomeKind::Error(_) | OutcomeKind::NotInQueue) {
            return;
        }
        let stopped = if let PreFilter::Rejected { plugin, .. } = self.pre_filter() {
            Some(*plugin)
        } else {
            None
        };
        let nodes: Vec<(NodeIx, Option<&'static str>)> = self
            .view
            .cluster
            .node_indices()
            .zip(self.nodes())
            .filter_map(|(node, verdict)| match verdict {
                NodeVerdict::Filtered { plugin, .. } => Some((node, Some(*plugin))),
                NodeVerdict::ExcludedByPreFilter => Some((node, None)),
                NodeVerdict::NotTried => Some((node, stopped)),
                NodeVerdict::Feasible | NodeVerdict::Failed(_) => None,
            })
            .collect();
        let filters = plugins::filters(&self.profile().plugins);
        let prepared = PreparedCycle::of_every_plugin(self.view, self.pod, self.now, &filters);
        let rejections = prepared.other_rejections(&nodes);
        self.also_refused = nodes
            .into_iter()
            .zip(rejections)
            .filter_map(|((node, _), also)| Some((node, also?)))
            .collect();
    }

    /// Searches for a better plan than that of the first node that the scheduler may pick.
    pub fn certify_plan(&mut self) {
        let (view, now) = (self.view, self.now);
        let Some(report) = self.preemption().filter(|_| self.kind() == OutcomeKind::Preempt) else {
            return;
        };
        let Some(candidate) = self.selected().first().and_then(|node| report.candidate(*node))
        else {
            return;
        };
        let filters = plugins::filters(&self.profile().plugins);
        let prepared = PreparedCycle::new(view, self.pod, now, &filters);
        self.certificate = Some(proof::certify(&prepared, report, candidate, now));
    }

    /// The other plugins that also reject `node`, in the order of the profile; `None` if not known,
    /// as before [`Self::run_other_filters`].
    pub fn also_refused(&self, node: NodeIx) -> Option<&[(&'static str, Rejection)]> {
        self.also_refused.get(&node).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{At, at, node, objects, pod};

    /// The plugins behind the first, by node.
    fn also(scheduler: At<'_>, objects: Vec<Value>, name: &str) -> Vec<String> {
        scheduler.explain(objects, "p").also_refused(name)
    }

    #[test]
    fn further_rejecting_filters_are_named() {
        let taint = |name: &str| node(name).taint("a", "b", "NoSchedule");
        let objects = || {
            objects![
                node("fits").cpu("4"),
                taint("tainted").cpu("4"),
                taint("both").cpu("1"),
                taint("reserved").cpu("4"),
                pod("n").cpu("3").priority(9).nominated("reserved"),
                pod("p").cpu("2"),
            ]
        };
        let small = ["NodeResourcesFit Insufficient cpu"];
        for (name, want) in
            [("fits", &[][..]), ("tainted", &[]), ("both", &small), ("reserved", &small)]
        {
            assert_eq!(also(at("1.37"), objects(), name), want, "{name}");
        }
        // All filters run, and their reasons are one rejection.
        assert_eq!(also(at("1.26.0"), objects(), "both"), [""; 0]);
    }

    #[test]
    fn nodes_that_pre_filter_left_out_are_filtered() {
        let named = pod("p").cpu("2").with(
            "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution",
            json!({
                "nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]}]
            }),
        );
        let objects = || objects![node("a").cpu("1"), node("b").cpu("1"), named.clone()];
        let both = [
            "NodeAffinity node(s) didn't match Pod's node affinity/selector",
            "NodeResourcesFit Insufficient cpu",
        ];
        assert_eq!(also(at("1.37"), objects(), "b"), both);
        assert_eq!(also(at("1.37"), objects(), "a"), [""; 0]);
        let missing = objects![node("a").cpu("1"), pod("p").cpu("2").claim("data")];
        let not_found = |plugin: &str, context: &str| {
            format!("{plugin} {context}persistentvolumeclaim \"data\" not found")
        };
        let want = [
            "NodeResourcesFit Insufficient cpu".to_owned(),
            not_found("NodeVolumeLimits", "looking up PVC default/data: "),
            not_found("VolumeBinding", ""),
            not_found("VolumeZone", ""),
        ];
        assert_eq!(also(at("1.37"), missing, "a"), want);
    }

    #[test]
    fn further_filters_are_omitted_after_an_error() {
        let selector =
            json!({"matchExpressions": [{"key": "app", "operator": "Like", "values": ["x"]}]});
        let broken = pod("p")
            .cpu("2")
            .constraint(json!({"topologyKey": "zone", "maxSkew": 1, "labelSelector": selector}));
        assert_eq!(also(at("1.37"), objects![node("a").cpu("1"), broken], "a"), [""; 0]);
    }
}
