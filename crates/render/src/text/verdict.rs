//! The verdict, and what would help.

use super::DecisionPage;
use crate::headline::headline;
use crate::page::{Sign, Span, Tone};
use crate::remedies;
use engine::decision::Outcome;

impl DecisionPage<'_> {
    pub(super) fn verdict(&mut self) {
        let (sign, tone) = match &self.decision.outcome {
            _ if self.decision.is_unsure() => (Sign::Unknown, Tone::Bad),
            Outcome::NotInQueue(_) => (Sign::Aside, Tone::Plain),
            Outcome::Schedulable => (Sign::Yes, Tone::Good),
            Outcome::Preempt => (Sign::Costs, Tone::Bad),
            Outcome::Unschedulable | Outcome::Error(_) => (Sign::No, Tone::Bad),
        };
        self.page.line(0, vec![Span::signed(sign, "", tone), Span::new(headline(self.decision), Tone::Strong)]);
    }

    pub(super) fn help(&mut self) {
        let most = if self.detail.wide { usize::MAX } else { remedies::SHOWN };
        let Some(section) = remedies::section(self.decision, most) else { return };
        let end = if section.lines.is_empty() { "" } else { ":" };
        self.page.line(2, vec![Span::new(format!("{}{end}", section.head), Tone::Strong)]);
        for line in section.lines {
            self.page.line(4, vec![line.into()]);
        }
        if !section.check.is_empty() {
            self.page.line(4, vec![Span::new("the first: ", Tone::Quiet), section.check.into()]);
        }
    }
}
