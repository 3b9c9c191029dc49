//! `NodeResourcesBalancedAllocation`: prefers nodes whose cpu and memory are used equally.

use crate::framework::claims::leaves_to_devices;
use crate::framework::cluster_view::NodeInfo;
use crate::framework::cluster_view::known_nodes::ScoreKey;
use crate::framework::failure::{Crash, StepFailure};
use crate::framework::plugin::{Cycle, MAX_NODE_SCORE, RuleDoc, Signer};
use crate::framework::requests;
use crate::framework::score::{PreparedScore, Score, ScorePlugin};
use crate::framework::utilization::{RequestCounting, Scored, Usage};
use dra::Selectors;
use model::cluster::devices::CLASS_RESOURCE_PREFIX;
use model::cluster::resources::is_extended;
use model::cluster::{NodeIx, Pod};
use profile::history::BalanceScore;

pub struct NodeResourcesBalancedAllocation;

static DOC: RuleDoc = RuleDoc {
    name: "NodeResourcesBalancedAllocation",
    code: "PRE-131",
    summary: "Prefers nodes whose resources are equally full with the pod; since 1.36, nodes whose balance the pod improves.",
    preemption: "Does not take part: it only scores.",
    scores: None,
    messages: &[],
    retried_on: None,
    source: "pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go (1.37)",
};

impl Signer for NodeResourcesBalancedAllocation {
    fn shares_nothing(&self, cycle: &Cycle) -> bool {
        leaves_to_devices(cycle)
    }

    fn sees_alike(&self, cycle: &Cycle, other: &Pod) -> bool {
        cycle.view.incoming(cycle.pod) == cycle.view.incoming(other)
    }
}

impl ScorePlugin for NodeResourcesBalancedAllocation {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>, _: &[NodeIx]) -> PreparedScore<'c> {
        let balance = Balance::new(cycle);
        if balance.scored.wants_nothing() {
            PreparedScore::Skip
        } else if looks_up_devices(cycle) {
            PreparedScore::Failed(StepFailure::Crash(Crash::NoDevicesToScore))
        } else {
            PreparedScore::ready(balance)
        }
    }

    fn prepare_without_pre_score<'c>(
        &self,
        cycle: &Cycle<'c>,
        nodes: &[NodeIx],
    ) -> PreparedScore<'c> {
        if cycle.features().node_resources_balanced_allocation.balance_score_skips {
            return self.prepare(cycle, nodes);
        }
        PreparedScore::ready(Balance::new(cycle))
    }
}

/// Whether the scheduler looks up the DeviceClass of a scored resource in a version that cannot.
///
/// Upstream: `pkg/scheduler/framework/plugins/noderesources/resource_allocation.go`
/// `getDRAPreScoredParams` (1.35).
fn looks_up_devices(cycle: &Cycle) -> bool {
    let features = cycle.features();
    let looks = features.dra.dra_extended_resources
        && features.node_resources_balanced_allocation.balance_device_lookup_crashes;
    let mut names =
        cycle.view.profile.args.balanced_resources.iter().map(|resource| &*resource.name);
    looks && names.any(|name| is_extended(name) || name.starts_with(CLASS_RESOURCE_PREFIX))
}

struct Balance<'c> {
    scored: Scored<'c>,
    cycle: Cycle<'c>,
}

impl<'c> Balance<'c> {
    fn new(cycle: &Cycle<'c>) -> Self {
        let features = cycle.features();
        let resource_requests = cycle.cluster().resource_requests.get(cycle.pod.resource_requests);
        // Parity: what the kubelet reports counts even for the incoming pod.
        let wanted = if features.requests.score_overhead_in_thousandths {
            cycle.view.footprint(cycle.pod).clone()
        } else {
            resource_requests
                .map(|s| requests::scored_by_balance(s, cycle.cluster(), &features.requests))
                .unwrap_or_default()
        };
        let counting = if features.requests.balance_as_asked {
            RequestCounting::AsAsked
        } else {
            RequestCounting::WithDefaults
        };
        // Parity: upstream gives only NodeResourcesFit the means to evaluate selectors.
        let selectors = Selectors::Unreadable;
        let scored = Scored::new(
            cycle,
            &cycle.view.profile.args.balanced_resources,
            wanted,
            counting,
            selectors,
        );
        Self { scored, cycle: *cycle }
    }
}

impl Score for Balance<'_> {
    fn score(&self, node: &NodeInfo) -> Result<i64, StepFailure> {
        let (usages, how) = (
            self.scored.on(node)?,
            self.cycle.features().node_resources_balanced_allocation.balance_score,
        );
        if how == BalanceScore::Difference {
            return Ok(closeness(&usages, self.cycle.max_score()));
        }
        let with = evenness(usages.iter().map(|u| fraction(u.requested, u)));
        if how == BalanceScore::Deviation {
            return Ok(with);
        }
        let without = evenness(usages.iter().map(|u| fraction(u.used, u)));
        let half = MAX_NODE_SCORE / 2;
        Ok(half + (half + with - without) / 2)
    }

    fn known_by(&self) -> Option<ScoreKey> {
        self.scored.known_by()
    }

    fn narrowed(&self, _: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        None
    }
}

#[expect(clippy::cast_precision_loss, reason = "upstream divides as float64, too")]
fn fraction(of: i64, usage: &Usage) -> f64 {
    (of as f64 / usage.allocatable as f64).min(1.0)
}

/// The maximum score if cpu and memory are equally used, reduced by their difference; 0 if one of
/// them is exhausted.
#[expect(clippy::cast_precision_loss, reason = "upstream divides as float64, too")]
fn closeness(usages: &[Usage], best: i64) -> i64 {
    let mut fractions: Vec<f64> = Vec::with_capacity(usages.len());
    for Usage { requested, allocatable, .. } in usages {
        let is_full = *allocatable == 0;
        fractions.push(if is_full { 1.0 } else { *requested as f64 / *allocatable as f64 });
    }
    match fractions.as_slice() {
        [one, other] if *one < 1.0 && *other < 1.0 => {
            ((1.0 - (one - other).abs()) * best as f64) as i64
        }
        _ => 0,
    }
}

/// 100 if all fractions are equal, reduced by their standard deviation.
#[expect(clippy::cast_precision_loss, reason = "a handful of resources")]
fn evenness(fractions: impl Iterator<Item = f64>) -> i64 {
    let fractions: Vec<f64> = fractions.collect();
    let deviation = match fractions.as_slice() {
        [] | [_] => 0.0,
        [one, other] => ((one - other) / 2.0).abs(),
        all => {
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let squares: f64 = all.iter().map(|f| (f - mean) * (f - mean)).sum();
            (squares / all.len() as f64).sqrt()
        }
    };
    ((1.0 - deviation) * MAX_NODE_SCORE as f64) as i64
}

#[cfg(test)]
mod tests {
    use crate::testing::{self, Pod, at, device_class, node, pod};
    use profile::Profile;
    use profile::args::WeightedResource;
    use serde_json::{Value, json};

    const NAME: &str = "NodeResourcesBalancedAllocation";

    fn objects(cpu: &str, memory: &str) -> Vec<Value> {
        let nodes = ["a", "b"].map(|name| node(name).cpu("4").memory("4Gi"));
        let holds = pod("holds").cpu("2").on("b");
        let incoming = pod("p").cpu(cpu).memory(memory);
        [nodes.map(Into::into).to_vec(), vec![holds.into(), incoming.into()]].concat()
    }

    #[test]
    fn node_with_equal_shares_scores_highest() {
        // On b 2 of 4 cpus are taken already.
        for (cpu, memory, on_a, on_b) in
            [("1", "1Gi", 100, 75), ("1", "3Gi", 75, 100), ("2", "0", 75, 50)]
        {
            let answer = at("1.35").decide(objects(cpu, memory), "p");
            assert_eq!(
                (answer.raw_score("a", NAME), answer.raw_score("b", NAME)),
                (on_a, on_b),
                "{cpu} {memory}"
            );
        }
    }

    #[test]
    fn since_1_36_the_improvement_counts() {
        for (cpu, memory, on_a, on_b) in
            [("1", "1Gi", 75, 75), ("1", "3Gi", 62, 87), ("2", "0", 62, 62)]
        {
            let answer = testing::decide(objects(cpu, memory), "p");
            assert_eq!(
                (answer.raw_score("a", NAME), answer.raw_score("b", NAME)),
                (on_a, on_b),
                "{cpu} {memory}"
            );
        }
    }

    #[test]
    fn a_pod_that_asks_for_nothing_has_no_score() {
        let answer = testing::decide(objects("0", "0"), "p");
        assert!(!answer.score_plugins("a").contains(&NAME.to_owned()));
    }

    #[test]
    fn up_to_1_21_cpu_and_memory_are_compared_and_full_nodes_score_nothing() {
        let of = |version: &str, cpu: &str, memory: &str| {
            let answer = at(version).decide(objects(cpu, memory), "p");
            let name = if version == "1.16" { "BalancedResourceAllocation" } else { NAME };
            (answer.raw_score("a", name), answer.raw_score("b", name))
        };
        // On b 2 of 4 cpus and, of a pod that asks for no memory, 200Mi are taken already.
        assert_eq!(of("1.16", "1", "1Gi"), (10, 5));
        assert_eq!(of("1.21", "1", "1Gi"), (100, 54));
        assert_eq!(of("1.22.0", "1", "1Gi"), (100, 77), "half the difference, with defaults");
        assert_eq!(of("1.22.6", "1", "1Gi"), (100, 75), "as asked");
        assert_eq!(of("1.21", "2", "1Gi").1, 0, "b is full");
        assert_eq!(of("1.22.0", "2", "1Gi").1, 64);
    }

    #[test]
    fn without_pre_score_a_pod_that_asks_for_nothing_scores_nothing() {
        let off =
            |profile: &mut Profile| profile.plugins.pre_score.retain(|plugin| *plugin != NAME);
        let answer = at("1.37").with(off).decide(objects("0", "0"), "p");
        assert_eq!(answer.raw_score("a", NAME), 0);
    }

    /// Cpu and the extended resource `example.com/gpu`.
    fn scores_gpus(profile: &mut Profile) {
        let scored = |name: &str| WeightedResource { name: name.to_owned(), weight: 1 };
        profile.args.balanced_resources = vec![scored("cpu"), scored("example.com/gpu")];
    }

    /// Whether a version that scores `example.com/gpu` panics; `wants` is asked of nodes a and b, of
    /// which b has two devices.
    fn panics(version: &str, selectors: &Value, wants: Pod) -> bool {
        let class =
            device_class("gpu", "example.com/gpu").with("/spec/selectors", selectors.clone());
        let slice = json!({
            "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"},
            "spec": {
                "driver": "gpu.example.com", "nodeName": "b", "devices": [{"name": "d0"}, {"name": "d1"}],
                "pool": {"name": "b", "generation": 1, "resourceSliceCount": 1},
            },
        });
        let own =
            |name: &str| node(name).cpu("4").with("/status/allocatable/example.com~1gpu", "4");
        let objects = vec![
            own("a").into(),
            node("b").cpu("4").into(),
            own("c").into(),
            class.into(),
            slice,
            wants.into(),
        ];
        at(version).gates("DRAExtendedResource=true").with(scores_gpus).decide(objects, "p").error()
            == "Crash"
    }

    #[test]
    fn devices_of_classes_with_selectors_make_the_scheduler_panic() {
        let (all, selected) = (json!([]), json!([{"cel": {"expression": "true"}}]));
        let (gpu, cpu) = (
            || pod("p").requests("example.com/gpu", "1").requests("cpu", "1"),
            || pod("p").cpu("1"),
        );
        for (row, version, selectors, wants, want) in [
            ("a class with a selector", "1.37", &selected, gpu(), true),
            ("a class with a selector", "1.36", &selected, gpu(), true),
            ("a class without selectors", "1.37", &all, gpu(), false),
            ("a pod that asks for no device", "1.37", &selected, cpu(), false),
            ("no look at devices yet", "1.34", &selected, cpu(), false),
            ("whatever is asked", "1.35", &all, cpu(), true),
            ("nothing asked", "1.35", &all, pod("p"), false),
        ] {
            assert_eq!(panics(version, selectors, wants), want, "{row}, {version}");
        }
    }
}
