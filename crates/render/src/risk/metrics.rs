//! Which running pods can be preempted, as metrics in Prometheus' text format, for a node
//! exporter's textfile collector.

use answers::questions::risk::RiskReport;
use engine::risk::{Exposure, WorkloadRisk};

use crate::exposition::{Exposition, Gauge, label};
use crate::safe::Printable;

const RUNNING: Gauge = Gauge {
    name: "kubectl_preempt_running_pods",
    help: "Running pods of a workload, by how exposed they are to preemption.",
};
const ALL_AT_ONCE: Gauge = Gauge {
    name: "kubectl_preempt_all_at_once",
    help: "Whether one preemptor can preempt all running pods of a workload at once.",
};
const EVICTED_NOW: Gauge = Gauge {
    name: "kubectl_preempt_evicted_now",
    help: "Running pods of a workload that kube-scheduler evicts for pending pods in queue order.",
};

const UNCERTAIN: Gauge = Gauge {
    name: "kubectl_preempt_risk_uncertain",
    help: "Whether something that the other values depend on could not be read, or is not modelled.",
};

/// The metrics, a line per workload and exposure.
pub fn text(report: &RiskReport) -> Printable {
    let mut out = Exposition::default();
    out.begin(RUNNING);
    for workload in &report.risk.workloads {
        let [namespace, kind, name] = labels(workload);
        for exposure in Exposure::ALL {
            let exposed = exposure.name().to_lowercase();
            let labels = [pair(&namespace), pair(&kind), pair(&name), ("exposure", &exposed)];
            out.sample(RUNNING, &labels, workload.count(exposure));
        }
    }
    out.begin(ALL_AT_ONCE);
    for workload in &report.risk.workloads {
        let labels = labels(workload);
        out.sample(ALL_AT_ONCE, &labels.each_ref().map(pair), u8::from(workload.all_at_once));
    }
    out.begin(EVICTED_NOW);
    for workload in &report.risk.workloads {
        let labels = labels(workload);
        out.sample(EVICTED_NOW, &labels.each_ref().map(pair), workload.evicted());
    }
    out.single(UNCERTAIN, u8::from(report.risk.is_unsure()));
    out.text()
}

/// A label: its name and its value.
type Label = (&'static str, String);

fn labels(workload: &WorkloadRisk) -> [Label; 3] {
    let owner = &workload.workload;
    [("namespace", &owner.namespace), ("kind", &owner.kind), ("name", &owner.name)]
        .map(|(name, value)| (name, label(value)))
}

fn pair((name, value): &Label) -> (&'static str, &str) {
    (name, value)
}
