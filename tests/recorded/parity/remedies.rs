//! Every remedy of every recorded decision holds: with its edits, what `simulate` runs gives the
//! pod what the remedy promises.

use engine::decision::remedy::{Remedy, RemedyKind};
use engine::decision::{Decision, Explanation, OutcomeKind};
use engine::edits;
use engine::profile::Profile;
use engine::simulation::planning::Proposal;
use engine::simulation::sequence::{self, SimulationSettings};

use super::compare::Case;

/// What was found about one case.
#[derive(Debug, Default, Clone)]
pub struct Found {
    /// Whether the pod fits nowhere.
    pub asks: bool,
    /// How many remedies there are.
    pub remedies: usize,
    pub kinds: Vec<&'static str>,
    /// What does not hold.
    pub wrong: Vec<String>,
}

/// Looks for remedies, and tries each as `simulate` does.
pub fn of(case: &Case) -> Result<Found, String> {
    case.with(|decision, profiles| {
        let mut decision = Explanation::from(decision);
        let asks = matches!(decision.kind(), OutcomeKind::Preempt | OutcomeKind::Unschedulable);
        decision.seek_remedies();
        let remedies = decision.remedies.take().unwrap_or_default();
        let wrong =
            remedies.found.iter().filter_map(|remedy| wrong(&decision, profiles, remedy)).collect();
        let kinds = remedies.found.iter().map(|remedy| remedy.kind.name()).collect();
        Found { asks, remedies: remedies.found.len(), kinds, wrong }
    })
}

/// What a remedy promises and does not keep.
pub fn wrong(decision: &Decision, profiles: &[Profile], remedy: &Remedy) -> Option<String> {
    let mut cluster = decision.view.cluster.clone();
    let pods = [decision.pod];
    if let Err(error) = edits::apply(&mut cluster, &pods, &remedy.edits) {
        return Some(format!("{}: {error:?}", remedy.summary));
    }
    // As the command says, victims are followed unless the pod preempts or a rolling update goes on.
    let is_followed =
        remedy.outcome != OutcomeKind::Preempt && remedy.kind != RemedyKind::ReplaceOldPod;
    let depth = if is_followed { 3 } else { 0 };
    let settings = SimulationSettings::new(profiles, decision.now).following(depth);
    let simulation = sequence::run(cluster, &pods, settings);
    let (outcome, mut nodes) = match simulation.steps.first().map(|step| &step.proposal) {
        Some(Proposal::Fits(nodes)) => (OutcomeKind::Schedulable, nodes.clone()),
        Some(Proposal::Evict(plan) | Proposal::Awaits(plan)) => (
            OutcomeKind::Preempt,
            plan.nodes().into_iter().map(str::to_owned).chain(plan.tied.iter().cloned()).collect(),
        ),
        other => return Some(format!("{}: {other:?}", remedy.summary)),
    };
    let mut promised = remedy.nodes.clone();
    promised.sort();
    nodes.sort();
    let holds = outcome == remedy.outcome
        && nodes == promised
        && simulation.all_placed()
        && !simulation.is_unsure();
    (!holds).then(|| {
        format!(
            "{}: {outcome:?} {nodes:?}, promised {:?} {promised:?}",
            remedy.summary, remedy.outcome
        )
    })
}
