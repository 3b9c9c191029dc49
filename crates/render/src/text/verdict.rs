//! The verdict, and what would help.

use super::DecisionPage;
use crate::headline::headline;
use crate::help;
use crate::page::{Sign, Span, Tone};
use engine::decision::Outcome;

impl DecisionPage<'_> {
    pub(super) fn verdict(&mut self) {
        let (sign, tone) = match self.decision.outcome {
            Outcome::NotInQueue => (Sign::Aside, Tone::Plain),
            Outcome::Schedulable => (Sign::Yes, Tone::Good),
            Outcome::Preempt => (Sign::Costs, Tone::Bad),
            Outcome::Unschedulable => (Sign::No, Tone::Bad),
        };
        self.page.line(0, vec![Span::signed(sign, "", tone), Span::new(headline(self.decision), Tone::Strong)]);
    }

    pub(super) fn help(&mut self) {
        for (head, ways_out) in help::lines(self.decision) {
            self.page.line(2, vec![Span::new(format!("{head}: "), Tone::Strong), ways_out.into()]);
        }
    }
}
