//! How many more pods like one fit, as metrics.

use answers::questions::headroom::HeadroomReport;
use engine::simulation::headroom::PiecesState;

use crate::exposition::{Exposition, Gauge, label};
use crate::safe::Printable;

const PODS: Gauge = Gauge {
    name: "kubectl_preempt_headroom_pods",
    help: "How many more pods like one fit, by priority; a lower bound unless complete.",
};
const GROUP: Gauge = Gauge {
    name: "kubectl_preempt_headroom_group_pods",
    help: "How many more pods like one fit on the nodes of a zone, pool or shape.",
};
const IN_SUM: Gauge = Gauge {
    name: "kubectl_preempt_headroom_in_sum_pods",
    help: "For how many pods what is free would be enough if it were in one piece.",
};
const FRAGMENTED: Gauge = Gauge {
    name: "kubectl_preempt_headroom_fragmented",
    help: "Whether noticeably more would fit if what is free were in one piece.",
};

const UNCERTAIN: Gauge = Gauge {
    name: "kubectl_preempt_headroom_uncertain",
    help: "Whether something that the other values depend on could not be read, or is not modelled.",
};

/// The metrics: a sample per priority, and per group of nodes. No samples if there is no answer.
pub fn text(report: &HeadroomReport) -> Printable {
    let room = &report.room;
    let mut out = Exposition::default();
    if room.unknown.is_some() {
        return out.end();
    }
    let (namespace, name) = (label(&room.pod.namespace), label(&room.pod.name));
    let pod = [("namespace", namespace.as_str()), ("pod", name.as_str())];

    out.begin(PODS);
    for row in &room.priorities {
        let class = label(row.class.as_deref().unwrap_or_default());
        let (priority, own) = (row.priority.to_string(), row.is_own.to_string());
        let counts = [("false", Some(row.without_preemption)), ("true", row.with_preemption)];
        for (preemption, count) in counts {
            let Some(count) = count else { continue };
            let complete = count.is_complete.to_string();
            let of_row = [
                ("priority", priority.as_str()),
                ("class", class.as_str()),
                ("own", own.as_str()),
                ("preemption", preemption),
                ("complete", complete.as_str()),
            ];
            out.sample(PODS, &[&pod[..], &of_row].concat(), count.number);
        }
    }

    out.begin(GROUP);
    for group in &room.groups {
        let (by, name) = (group.by.name().to_lowercase(), label(&group.name));
        let of_group = [("by", by.as_str()), ("name", name.as_str())];
        out.sample(GROUP, &[&pod[..], &of_group].concat(), group.fits);
    }

    out.begin(IN_SUM);
    if let Some(in_sum) = room.pieces.in_sum {
        out.sample(IN_SUM, &pod, in_sum);
    }
    out.begin(FRAGMENTED);
    let is_fragmented = room.pieces.state == PiecesState::Fragmented;
    out.sample(FRAGMENTED, &pod, u8::from(is_fragmented));
    out.begin(UNCERTAIN);
    out.sample(UNCERTAIN, &pod, u8::from(room.is_unsure()));
    out.end()
}
