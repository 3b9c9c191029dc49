//! The verdict, and what would change it.

use super::Text;
use crate::decision::Outcome;
use crate::preemption::PreemptionReport;
use crate::preemption::dry_run::Candidate;
use crate::render::help::{self, Way};
use crate::render::page::{Sign, Span, Tone};
use crate::render::words;

/// Ways out that are shown of those that lift one obstacle.
const WAYS_SHOWN: usize = 3;

impl Text<'_> {
    pub(super) fn verdict(&mut self) {
        let decision = self.decision;
        let pod = self.cluster.pod(decision.pod);
        let name = self.cluster.pod_name(decision.pod);
        let (none, total) = match self.cluster.nodes.len() {
            1 => ("does not fit on the only node".to_owned(), "one node".to_owned()),
            n => (format!("fits on none of {}", words::count(n, "node")), words::count(n, "node")),
        };
        let (sign, tone, text) = match decision.outcome {
            Outcome::NotInQueue => (Sign::Aside, Tone::Plain, decision.why.clone().unwrap_or_default()),
            Outcome::Schedulable => (Sign::Yes, Tone::Good, self.fits(&name, &total)),
            Outcome::Preempt => {
                let victims = self.winner().map_or(0, |c| c.victims.len());
                let text = match decision.selected.as_slice() {
                    [node] => format!(
                        "Pod {name} (priority {}) {none}; preemption evicts {} on node {} for it.",
                        pod.priority,
                        words::count(victims, "pod"),
                        self.node(*node)
                    ),
                    several => format!(
                        "Pod {name} (priority {}) {none}; preemption makes room on one of {}: {}.",
                        pod.priority,
                        several.len(),
                        self.nodes(several)
                    ),
                };
                (Sign::Costs, Tone::Bad, text)
            }
            Outcome::Unschedulable => {
                let why = match decision.preemption.as_ref() {
                    Some(PreemptionReport { ineligible: Some(_), .. }) => "it may not preempt",
                    Some(_) => "no eviction would help",
                    None => "preemption is not tried",
                };
                let text = if self.cluster.nodes.is_empty() {
                    format!("Pod {name} cannot be scheduled: there are no nodes.")
                } else {
                    format!("Pod {name} (priority {}) {none}, and {why}.", pod.priority)
                };
                (Sign::No, Tone::Bad, text)
            }
        };
        self.page.line(0, vec![Span::signed(sign, "", tone), Span::new(text, Tone::Strong)]);
    }

    fn fits(&self, name: &str, total: &str) -> String {
        let feasible = self.decision.feasible().count();
        let nominated = self.cluster.pod(self.decision.pod).nominated_node;
        match self.decision.selected.as_slice() {
            [node] if feasible == 1 => {
                format!("Pod {name} fits on one of {total}, {}, and goes there.", self.node(*node))
            }
            [node] if self.cluster.node(*node).name == nominated => {
                format!(
                    "Pod {name} goes to {}, which it is nominated to (it fits on {feasible} of {total}).",
                    self.node(*node)
                )
            }
            [node] => {
                let node = self.node(*node);
                format!("Pod {name} fits on {feasible} of {total}, and goes to {node}, which scores highest.")
            }
            several => format!(
                "Pod {name} fits on {feasible} of {total}; the highest score is shared by {}.",
                self.nodes(several)
            ),
        }
    }

    fn winner(&self) -> Option<&Candidate> {
        let report = self.decision.preemption.as_ref()?;
        report.candidates().find(|c| report.winners.first() == Some(&c.node))
    }

    /// The cheapest ways out: first what is sure to work, or sure not to, then what lifts the first obstacle on a node.
    pub(super) fn help(&mut self) {
        let (sure, perhaps): (Vec<Way>, Vec<Way>) = help::ways(self.decision).into_iter().partition(Way::is_sure);
        for (head, ways) in [("What would help: ", sure), ("What may help: ", perhaps)] {
            let texts: Vec<String> = ways.iter().take(WAYS_SHOWN).map(|way| way.text(self.cluster)).collect();
            if !texts.is_empty() {
                self.page.line(2, vec![Span::new(head, Tone::Strong), texts.join("; ").into()]);
            }
        }
    }
}
