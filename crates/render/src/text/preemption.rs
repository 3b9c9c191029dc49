//! The section about preemption: the candidates, and the nodes on which it does not help.

use super::{DecisionPage, PODS_NAMED};
use crate::groups::{self, Group};
use crate::headline::preemption_off;
use crate::page::{Span, Tone};
use crate::words;
use engine::cluster::node::NodeIx;
use engine::cluster::pod::PodIx;
use engine::preemption::{NOT_HELPFUL, PreemptionReport};

/// The most nodes with a failed dry run that are shown.
const FAILED_SHOWN: usize = 5;

impl DecisionPage<'_> {
    pub(super) fn preemption(&mut self) {
        let Some(report) = &self.decision.preemption else { return };
        if report.off {
            self.heading("Preemption is not tried");
            self.page.line(2, vec![preemption_off(self.decision).into()]);
            return;
        }
        if let Some(ineligible) = &report.ineligible {
            self.heading("Preemption is not tried");
            self.quote("", &ineligible.reason.reason().quote(self.cluster));
            for pod in ineligible.terminating.iter().take(PODS_NAMED) {
                let text = format!("waiting for {} to be gone{}", self.cluster.pod_name(*pod), self.due(*pod));
                self.page.line(4, vec![text.into()]);
            }
            return;
        }
        self.not_helped(report);
        self.candidates();
        self.tie_break(report);
    }

    fn due(&self, pod: PodIx) -> String {
        let Some(due) = self.cluster.pod(pod).deletion else { return String::new() };
        let left = due.as_second() - self.detail.now.as_second();
        if left >= 0 {
            format!(" (due in {})", words::age(left))
        } else {
            format!(" (overdue by {})", words::age(-left))
        }
    }

    /// The nodes on which preemption does not help, and what still rejects the pod there.
    fn not_helped(&mut self, report: &PreemptionReport) {
        let mut groups = groups::group(report.rejections(), self.cluster);
        let errors: Vec<(NodeIx, &str)> =
            report.dry_runs.iter().filter_map(|(node, run)| Some((*node, run.failure()?.text()))).collect();
        let resolved = self.cluster.nodes.len() - report.dry_runs.len();
        if groups.is_empty() && resolved == 0 && errors.is_empty() {
            return;
        }
        self.heading("Where preemption does not help");
        groups.iter_mut().for_each(|group| self.after_evictions(group));
        self.groups(&groups);
        for (node, error) in errors.iter().take(FAILED_SHOWN) {
            self.point(format!("{}: ", self.node(*node)), (*error).to_owned());
        }
        if errors.len() > FAILED_SHOWN {
            let more = words::count(errors.len() - FAILED_SHOWN, "more node");
            self.page.line(2, vec![Span::new(format!("and {more} with errors; --nodes shows them"), Tone::Quiet)]);
        }
        if resolved > 0 {
            let text = "refused for a cause that no eviction removes (see above)";
            self.point(format!("{}: ", words::count(resolved, "node")), text.to_owned());
            self.quote("", &NOT_HELPFUL.reason().quote(self.cluster));
        }
    }

    /// Adds that the explanation applies after all pods of lower priority are removed.
    fn after_evictions(&self, group: &mut Group) {
        if !group.plugin.is_empty() {
            group.details.iter_mut().for_each(|detail| detail.push_str(", with every pod of lower priority gone"));
            return;
        }
        let mut text = "no pod of lower priority to evict".to_owned();
        let preemptor = self.decision.pod;
        let equal = group.nodes.iter().map(|node| self.cluster.pods_of_equal_priority(*node, preemptor)).sum();
        if equal > 0 {
            let priority = self.cluster.pod(preemptor).priority;
            text.push_str(&format!(", though {} of equal priority {priority}", words::count(equal, "pod")));
        }
        group.details = vec![text];
    }
}
