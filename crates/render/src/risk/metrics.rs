//! Which running pods can be preempted, as metrics in Prometheus' text format, for a node
//! exporter's textfile collector.

use engine::risk::{Exposure, Risk};

use crate::escape::visible;
use crate::safe::Printable;

/// The metrics, a line per workload and exposure.
#[must_use]
pub fn text(risk: &Risk) -> Printable {
    let mut out = String::from(
        "# HELP kubectl_preempt_running_pods Running pods of a workload, by how exposed they are to preemption.\n\
         # TYPE kubectl_preempt_running_pods gauge\n",
    );
    for workload in &risk.workloads {
        for exposure in Exposure::ALL {
            let labels = labels(workload);
            let (name, count) = (exposure.name().to_lowercase(), workload.count(exposure));
            out.push_str(&format!(
                "kubectl_preempt_running_pods{{{labels},exposure=\"{name}\"}} {count}\n"
            ));
        }
    }
    out.push_str(
        "# HELP kubectl_preempt_all_at_once Whether one preemptor can preempt all running pods of a workload at once.\n\
         # TYPE kubectl_preempt_all_at_once gauge\n",
    );
    for workload in &risk.workloads {
        let value = u8::from(workload.all_at_once);
        out.push_str(&format!("kubectl_preempt_all_at_once{{{}}} {value}\n", labels(workload)));
    }
    out.push_str(
        "# HELP kubectl_preempt_evicted_now Running pods of a workload that kube-scheduler evicts for pending pods in queue order.\n\
         # TYPE kubectl_preempt_evicted_now gauge\n",
    );
    for workload in &risk.workloads {
        out.push_str(&format!(
            "kubectl_preempt_evicted_now{{{}}} {}\n",
            labels(workload),
            workload.evicted()
        ));
    }
    Printable::new(out)
}

fn labels(workload: &engine::risk::WorkloadRisk) -> String {
    let owner = &workload.workload;
    let pairs = [("namespace", &owner.namespace), ("kind", &owner.kind), ("name", &owner.name)];
    pairs.map(|(label, value)| format!("{label}=\"{}\"", value_text(value))).join(",")
}

/// A label value: backslash, quote and line end are escaped, and what a terminal would act on is
/// made visible.
fn value_text(value: &str) -> String {
    visible(value).replace('\\', "\\\\").replace('"', "\\\"")
}
