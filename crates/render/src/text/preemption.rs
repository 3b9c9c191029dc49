//! The section about preemption: the candidates, and the nodes on which it does not help.

use super::{DecisionPage, PODS_NAMED};
use crate::page::{Span, Tone};
use answers::causes;
use answers::pod_report::preemption_off;
use answers::words;
use engine::cluster::NodeIx;
use engine::preemption::{CANNOT_HELP, NOT_HELPFUL, PreemptionReport};

/// Maximum number of nodes with a failed dry run that are shown.
const FAILED_SHOWN: usize = 5;

impl DecisionPage<'_> {
    pub(super) fn preemption(&mut self) {
        let Some(report) = self.decision.preemption() else { return };
        if report.off {
            self.heading("Preemption is not tried");
            self.page.line(2, vec![preemption_off(self.decision).into()]);
            return;
        }
        if let Some(ineligible) = &report.ineligible {
            self.heading("Preemption is not tried");
            self.quote("", &ineligible.reason.reason().quote(self.cluster));
            for pod in ineligible.terminating.iter().take(PODS_NAMED) {
                let text = format!(
                    "waiting until {} has terminated{}",
                    self.cluster.pod_name(*pod),
                    self.decision.due(*pod)
                );
                self.page.line(4, vec![text.into()]);
            }
            return;
        }
        self.not_helped(report);
        self.candidates();
        self.tie_break(report);
    }

    /// The nodes on which preemption does not help, and what still rejects the pod there.
    fn not_helped(&mut self, report: &PreemptionReport) {
        let mut groups = causes::group(report.rejections(), self.cluster);
        let errors: Vec<(NodeIx, &str)> = report
            .dry_runs
            .iter()
            .filter_map(|(node, run)| Some((*node, run.failure()?.text())))
            .collect();
        let not_tried = report.not_tried(self.cluster).len();
        if groups.is_empty() && not_tried == 0 && errors.is_empty() {
            return;
        }
        self.heading("Where preemption does not help");
        groups.iter_mut().for_each(|group| self.decision.after_evictions(group));
        self.groups(&groups);
        for (node, error) in errors.iter().take(FAILED_SHOWN) {
            self.point(format!("{}: ", self.node(*node)), (*error).to_owned());
        }
        if errors.len() > FAILED_SHOWN {
            let more = words::count(errors.len() - FAILED_SHOWN, "more node");
            self.page.line(
                2,
                vec![Span::new(format!("and {more} with errors; --nodes shows them"), Tone::Quiet)],
            );
        }
        if not_tried > 0 {
            let text = format!("{CANNOT_HELP} (see above)");
            self.point(format!("{}: ", words::count(not_tried, "node")), text);
            self.quote("", &NOT_HELPFUL.reason().quote(self.cluster));
        }
    }
}
