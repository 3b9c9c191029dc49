//! The questions: one file each, with its request, its report, and the function between them.
//!
//! A request is checked values: no flag, no text of the command line. A report owns everything that
//! any outlet says about the answer, so that the screen, the JSON, the gate, the server for agents
//! and the page draw the same conclusions. Nothing is concluded after it.

pub mod audit;
pub mod compare;
pub mod evictions;
pub mod explain;
pub mod headroom;
pub mod loss;
pub mod node;
pub mod pending;
pub mod risk;
pub mod rules;
pub mod simulate;
pub mod suggest;
pub mod verify;

use std::sync::Arc;

use engine::cluster::PodIx;
use engine::profile::Profile;
use engine::snapshot::Header;
use jiff::Timestamp;

use crate::headline::rules_in_short;
use crate::input::{InputFlags, LoadedInput};
use crate::notes;
use crate::origin::{Origin, SourceKind};
use crate::target::Target;
pub use crate::verdict::Verdict;
use crate::words;

/// The answer to a question, with everything that any outlet says about it.
pub trait Report {
    /// How the question is answered.
    fn verdict(&self) -> Verdict;

    /// Puts the items into this order, given by their present places.
    fn reorder(&mut self, _order: &[usize]) {}

    /// What is said beside the answer.
    fn beside(&self) -> Beside {
        Beside::default()
    }
}

/// What is said beside an answer, where it does not disturb.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Beside {
    pub remark: Option<String>,
    pub warnings: Vec<String>,
}

/// The things in this order, given by their present places.
fn in_order<T: Clone>(things: &[T], order: &[usize]) -> Vec<T> {
    order.iter().filter_map(|place| things.get(*place).cloned()).collect()
}

/// A list that was not decided to its end, because whoever asked ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// How many are decided.
    pub decided: usize,
    /// How many were asked about.
    pub total: usize,
    /// What they are.
    pub noun: &'static str,
}

impl Cut {
    /// Of a list of pods; `None` if all of them are decided.
    pub fn of_pods(decided: usize, total: usize) -> Option<Self> {
        (decided < total).then_some(Self { decided, total, noun: "pod" })
    }

    /// The first line of an answer that lacks the rest.
    pub fn sentence(self) -> String {
        format!(
            "Interrupted: only {} of {} are decided; this list is not complete.",
            words::group_digits(self.decided),
            words::count(self.total, self.noun)
        )
    }
}

/// What each report has besides its answer: which scheduler decided, about what, and as of when.
#[derive(Debug, Clone)]
pub struct Basis {
    /// The first profile of the scheduler.
    pub profile: Profile,
    /// Versions of the cluster and its programs, and what could not be read.
    pub header: Header,
    /// Whether the objects came from a cluster or from files.
    pub source: SourceKind,
    /// The cluster or the files, and the time of the answer.
    pub origin: Origin,
    /// Whether budgets were not read, so that nothing is known of them.
    pub budgets_unknown: bool,
    /// How a command asks about the same input.
    pub flags: Arc<InputFlags>,
}

impl Basis {
    /// The basis of answers about `input`.
    pub fn of(input: &LoadedInput) -> Self {
        Self {
            profile: input.profile.clone(),
            header: input.cluster.header.clone(),
            source: input.source,
            origin: input.origin(),
            budgets_unknown: input.cluster.are_budgets_unknown(),
            flags: input.flags.clone(),
        }
    }

    /// What a cell says of a pod without budgets.
    pub const fn no_budget(&self) -> &'static str {
        words::no_budget_if(self.budgets_unknown)
    }

    /// The time of the answer.
    pub const fn now(&self) -> Timestamp {
        self.origin.as_of
    }

    /// The version that decided, as pages name it.
    pub fn rules(&self) -> String {
        rules_in_short(&self.profile)
    }

    /// The line about the version that decided, the cluster or the files, and the time.
    pub fn line(&self) -> String {
        self.origin.line(&self.rules())
    }
}

/// What is said of pods that were chosen without naming one.
#[derive(Debug, Clone, Default)]
pub struct ListRemarks {
    /// That no pod waits for a node, if none does.
    pub nothing_waits: Option<String>,
    /// Why the list may lack a pod.
    pub lacks: Vec<String>,
}

impl ListRemarks {
    /// What is said of `pods`, which `targets` name, or which wait if there are no targets.
    pub fn of(
        pods: &[PodIx],
        targets: &[Target],
        all_namespaces: bool,
        input: &LoadedInput,
    ) -> Self {
        if !targets.is_empty() {
            return Self::default();
        }
        let nothing_waits =
            pods.is_empty().then(|| input.pod_filter(all_namespaces).nothing_waits());
        let lacks = input.cluster.notes_on_lists().map(notes::sentence).collect();
        Self { nothing_waits, lacks }
    }

    /// The verdict about a list that may lack a pod.
    pub fn limit(&self, verdict: Verdict) -> Verdict {
        if self.lacks.is_empty() { verdict } else { Verdict::Uncertain }
    }

    /// What is said beside a list; a list with decisions has a note about what could not be read.
    fn beside(&self) -> Beside {
        let lacks = self.lacks.iter().filter(|_| self.nothing_waits.is_some());
        let warnings = lacks.map(|lack| format!("the list may lack a pod: {lack}")).collect();
        Beside { remark: self.nothing_waits.clone(), warnings }
    }
}

#[cfg(test)]
mod tests {
    use super::Cut;

    #[test]
    fn list_that_was_cut_says_how_many_are_decided() {
        let cut = Cut::of_pods(3, 1_200).expect("pods are missing");
        assert_eq!(
            cut.sentence(),
            "Interrupted: only 3 of 1,200 pods are decided; this list is not complete."
        );
        assert_eq!(Cut::of_pods(2, 2), None);
    }
}
