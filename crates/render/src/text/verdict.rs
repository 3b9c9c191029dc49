//! The verdict, and what would help.

use super::DecisionPage;
use crate::page::{Sign, Span, Tone};
use answers::autoscaling;
use answers::headline::headline_at;
use answers::headline::standing;
use answers::origin::Origin;
use answers::{holder, remedies};

impl DecisionPage<'_> {
    pub(super) fn verdict(&mut self, origin: &Origin) {
        let (sign, tone) = Sign::of(standing(self.decision));
        self.page.line(
            0,
            vec![
                Span::signed(sign, "", tone),
                Span::new(headline_at(self.decision, origin.as_of), Tone::Strong),
            ],
        );
        let origin = origin.text(std::slice::from_ref(self.decision));
        self.page.line(2, vec![Span::new(origin, Tone::Quiet)]);
    }

    /// What autoscalers do about the pod, in full.
    pub(super) fn next_steps(&mut self) {
        let Some(told) = self.decision.next_step() else { return };
        let lines = autoscaling::lines(told, true);
        self.heading(&lines.head);
        for line in lines.lines {
            self.page.line(2, vec![line.into()]);
        }
    }

    /// The reason given by the program that holds the pod.
    pub(super) fn holder(&mut self) {
        let Some(found) = holder::words(self.decision) else { return };
        self.heading(&found.head);
        for line in found.lines {
            self.page.line(2, vec![line.into()]);
        }
    }

    pub(super) fn help(&mut self) {
        let Some(section) = remedies::section(self.decision) else { return };
        let end = if section.lines.is_empty() { "" } else { ":" };
        self.page.line(2, vec![Span::new(format!("{}{end}", section.head), Tone::Strong)]);
        for line in section.lines {
            self.page.line(4, vec![line.into()]);
        }
        if !section.check.is_empty() {
            let command = Span::command(section.check, Tone::Plain);
            self.page.line(4, vec![Span::new("the first: ", Tone::Quiet), command]);
        }
    }
}
