//! Collects what makes a decision uncertain from the plugins and steps that know it.

use super::sampling::Starts;
use super::{
    CycleMode, Decision, OutcomeKind, gang, handlers, nominated, pod_groups, priority, run, unread,
};
use crate::framework::doubts::DoubtContext;
use crate::framework::extender;
use crate::framework::plugin::Cycle;
use crate::{plugins, preemption};
use model::notes::{self, Note, NoteDoc};
use profile::gates::Reach;

/// What the notes of decisions mean, by step.
pub static DOCS: &[&[&NoteDoc]] = &[
    &[&priority::NOT_THAT_OF_ITS_CLASS],
    pod_groups::DOCS,
    gang::DOCS,
    nominated::DOCS,
    run::DOCS,
    handlers::DOCS,
    unread::DOCS,
    extender::DOCS,
    preemption::doubts::DOCS,
    super::sampling::DOCS,
];

/// Adds these caveats to the notes of a decision.
pub(super) fn add(decision: &mut Decision, mode: CycleMode) {
    let mut own = std::mem::take(&mut decision.notes);
    let doubts = of(decision, mode, &mut own);
    decision.notes = own;
    doubts.into_iter().for_each(|note| notes::add(&mut decision.notes, note));
    notes::sort(&mut decision.notes);
}

/// The caveats. The decision's own notes get the severity that they have for it.
fn of(decision: &Decision, mode: CycleMode, own: &mut [Note]) -> Vec<Note> {
    let (view, profile) = (decision.view, decision.profile());
    let cycle = Cycle::of(view, decision.pod, decision.now);
    let context = DoubtContext { cycle: &cycle, verdicts: decision.nodes(), fits: decision.fits() };
    let mut doubts = profile.doubts(|reach| match reach {
        Reach::Any => true,
        Reach::Claims => !cycle.template.claims.is_empty(),
        Reach::NodeAllocatable => view.cluster.devices.node_allocatable,
        Reach::Scores => context.scores_decide(),
    });
    doubts.extend(extender::doubts(view, decision.pod));
    doubts.extend(unread::doubts(decision, &context));
    unread::weigh(own, decision, &context);
    if decision.kind() == OutcomeKind::NotInQueue {
        doubts.extend(handlers::doubts(decision));
        return doubts;
    }
    doubts.extend(plugins::DOUBTS.iter().flat_map(|plugin| plugin.doubts(&context)));
    doubts.extend(priority::doubts(&cycle));
    if mode == CycleMode::Alone {
        doubts.extend(pod_groups::doubts(decision));
        doubts.extend(nominated::doubts(decision));
        doubts.extend(run::reserve_doubts(decision));
    }
    if let Some(odds) = decision.odds() {
        doubts.extend(decision.assumptions(odds, Starts::Affordable));
    }
    if let Some(report) = decision.preemption() {
        doubts.extend(preemption::doubts::doubts(report, decision.selected(), view));
    }
    doubts
}
