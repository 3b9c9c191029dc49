//! How many more pods like one fit, as metrics in the text format of `OpenMetrics`, which Prometheus
//! reads.

use engine::simulation::headroom::{Headroom, PiecesState};

use crate::escape::visible;
use crate::safe::Printable;

/// The metrics: a line per priority, and per group of nodes. Without an answer there is none.
#[must_use]
pub fn text(room: &Headroom) -> Printable {
    let mut out = String::new();
    let pod = format!(
        "namespace=\"{}\",pod=\"{}\"",
        value_text(&room.pod.namespace),
        value_text(&room.pod.name)
    );
    if room.unknown.is_none() {
        priorities(&mut out, room, &pod);
        groups(&mut out, room, &pod);
        pieces(&mut out, room, &pod);
    }
    out.push_str("# EOF\n");
    Printable::new(out)
}

fn head(out: &mut String, name: &str, help: &str) {
    out.push_str(&format!("# HELP {name} {help}\n# TYPE {name} gauge\n"));
}

fn priorities(out: &mut String, room: &Headroom, pod: &str) {
    const NAME: &str = "kubectl_preempt_headroom_pods";
    head(out, NAME, "How many more pods like one fit, by priority; a lower bound unless complete.");
    for row in &room.priorities {
        let class = value_text(row.class.as_deref().unwrap_or_default());
        let labels =
            format!("{pod},priority=\"{}\",class=\"{class}\",own=\"{}\"", row.priority, row.is_own);
        let counts = [(false, Some(row.without_preemption)), (true, row.with_preemption)];
        for (preemption, count) in counts {
            let Some(count) = count else { continue };
            out.push_str(&format!(
                "{NAME}{{{labels},preemption=\"{preemption}\",complete=\"{}\"}} {}\n",
                count.is_complete, count.number
            ));
        }
    }
}

fn groups(out: &mut String, room: &Headroom, pod: &str) {
    const NAME: &str = "kubectl_preempt_headroom_group_pods";
    head(out, NAME, "How many more pods like one fit on the nodes of a zone, pool or shape.");
    for group in &room.groups {
        let (by, name) = (group.by.name().to_lowercase(), value_text(&group.name));
        out.push_str(&format!("{NAME}{{{pod},by=\"{by}\",name=\"{name}\"}} {}\n", group.fits));
    }
}

fn pieces(out: &mut String, room: &Headroom, pod: &str) {
    const NAME: &str = "kubectl_preempt_headroom_in_sum_pods";
    const FRAGMENTED: &str = "kubectl_preempt_headroom_fragmented";
    head(out, NAME, "For how many pods what is free would be enough if it were in one piece.");
    if let Some(in_sum) = room.pieces.in_sum {
        out.push_str(&format!("{NAME}{{{pod}}} {in_sum}\n"));
    }
    head(out, FRAGMENTED, "Whether noticeably more would fit if what is free were in one piece.");
    let value = u8::from(room.pieces.state == PiecesState::Fragmented);
    out.push_str(&format!("{FRAGMENTED}{{{pod}}} {value}\n"));
}

/// A label value: backslash, quote and line end are escaped, and what a terminal would act on is
/// made visible.
fn value_text(value: &str) -> String {
    visible(value).replace('\\', "\\\\").replace('"', "\\\"")
}
