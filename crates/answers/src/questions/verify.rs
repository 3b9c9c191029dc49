//! Does the scheduler's own message about a pod agree with what its rules give?

use engine::cluster::PodIx;
use engine::decision;
use engine::decision::verify::{self, Verification, VerificationResult};
use engine::framework::cluster_view::ClusterView;
use engine::framework::extender_client::ExtenderClient;
use engine::groups::member::Decider;
use engine::notes::{self, Note, Severity};
use engine::profile::doubts::is_about_scheduler;
use engine::profile::{Profile, SchedulerVersion, VersionSource};
use engine::simulation::plan::PodId;

use super::{Basis, Beside, ListRemarks, Report, Verdict, in_order};
use crate::error::AnswerError;
use crate::in_part::PartialSubject;
use crate::input::LoadedInput;
use crate::silence::{SeenSchedulers, silence};
use crate::target::Target;

/// The pods in question.
#[derive(Debug, Clone, Default)]
pub struct VerifyRequest {
    /// Pods or owners of pods; empty for all pending pods.
    pub targets: Vec<Target>,
    /// Whether pods of every namespace are meant if none is named.
    pub all_namespaces: bool,
}

impl VerifyRequest {
    /// What it is about, for an answer in part.
    pub fn in_part(&self) -> PartialSubject<'_> {
        PartialSubject::Waiting { targets: &self.targets, all_namespaces: self.all_namespaces }
    }
}

/// The comparison of each pod's condition with the rules.
#[derive(Debug, Clone)]
pub struct VerifyReport {
    pub basis: Basis,
    pub items: Vec<VerifiedPod>,
    /// What is not known of the scheduler, and so concerns every pod.
    pub notes: Vec<Note>,
    pub remarks: ListRemarks,
}

/// The comparison for one pod.
#[derive(Debug, Clone)]
pub struct VerifiedPod {
    pub id: PodId,
    pub found: Verification,
}

impl Report for VerifyReport {
    /// A certain difference is the answer no. Messages that are equal by rules which are not known
    /// are not a certain answer.
    fn verdict(&self) -> Verdict {
        let different = VerificationResult::Different;
        let is_certain =
            self.items.iter().any(|item| item.found.verdict == different && !item.found.unsure);
        let is_unsure = !self.notes.is_empty() || self.number(different) > 0;
        let verdict = if is_certain { Verdict::No } else { Verdict::new(true, is_unsure) };
        self.remarks.limit(verdict)
    }

    fn reorder(&mut self, order: &[usize]) {
        self.items = in_order(&self.items, order);
    }

    fn beside(&self) -> Beside {
        self.remarks.beside()
    }
}

impl VerifyReport {
    /// How many pods have this result.
    pub fn number(&self, result: VerificationResult) -> usize {
        self.items.iter().filter(|item| item.found.verdict == result).count()
    }

    /// How many pods have which result: `3 equal, 1 stale, 0 different, 2 without message`.
    pub fn sentence(&self) -> String {
        let counts = VerificationResult::ALL
            .map(|verdict| format!("{} {}", self.number(verdict), verdict.text()));
        counts.join(", ")
    }

    /// At most `most` pods, in their order: what nothing explains is left out last.
    pub fn most_unexpected(&self, most: usize) -> Vec<&VerifiedPod> {
        let mut places: Vec<usize> = (0..self.items.len()).collect();
        places.sort_by_key(|at| self.items.get(*at).map(|one| unexpectedness(one.found.verdict)));
        places.truncate(most);
        places.sort_unstable();
        places.into_iter().filter_map(|at| self.items.get(at)).collect()
    }
}

/// The rank in a list that is cut: what nothing explains comes first.
const fn unexpectedness(verdict: VerificationResult) -> u8 {
    match verdict {
        VerificationResult::Different => 0,
        VerificationResult::Stale => 1,
        VerificationResult::NoMessage => 2,
        VerificationResult::Equal => 3,
    }
}

/// Decides about the pods, and compares. Extenders are called with `ask`.
///
/// # Errors
/// A target that there is not, and files that lack the nodes.
pub fn verify(
    input: &LoadedInput,
    request: &VerifyRequest,
    ask: Option<&dyn ExtenderClient>,
) -> Result<VerifyReport, AnswerError> {
    let VerifyRequest { targets, all_namespaces } = request;
    let pods = input.choose(targets, *all_namespaces)?;
    let remarks = ListRemarks::of(&pods, targets, *all_namespaces, input);
    let views = input.views(ask);
    let mut deciders: Vec<Decider> =
        views.iter().map(|view| Decider::new(view, input.now)).collect();
    let schedulers = &SeenSchedulers::new(&input.cluster, input.now, input.is_dated);
    let mut items = Vec::new();
    let mut unknown = Vec::new();
    for pod in pods {
        let Some(decider) = deciders.get_mut(input.view_of(pod)) else { continue };
        let decision = decider.decide(pod);
        // What is not known of the scheduler concerns every pod, so it is said once, for all.
        for note in &decision.notes {
            if note.severity == Severity::Error && is_about_scheduler(note) {
                notes::add(&mut unknown, note.clone());
            }
        }
        let mut found = verify::verify(&decision);
        // Nobody has rejected what no scheduler looks at.
        if found.verdict == VerificationResult::NoMessage
            && let Some(silence) = silence(&decision, schedulers)
        {
            found.what = silence.clause();
        }
        items.push(VerifiedPod { id: id_of(pod, input), found });
    }
    try_other_versions(
        &mut items.iter_mut().map(|item| &mut item.found).collect::<Vec<_>>(),
        input,
    );
    Ok(VerifyReport { basis: Basis::of(input), items, notes: unknown, remarks })
}

fn id_of(pod: PodIx, input: &LoadedInput) -> PodId {
    PodId::of(input.cluster.pod(pod), &input.cluster)
}

/// Looks for the scheduler versions that write the differing messages: the newest, and its
/// consecutive predecessors. A cluster may run a scheduler of a version other than its API
/// server's.
pub(crate) fn try_other_versions(found: &mut [&mut Verification], input: &LoadedInput) {
    if !found.iter().any(|f| f.verdict == VerificationResult::Different) {
        return;
    }
    // Verifications whose range of versions may still grow.
    let mut open: Vec<&mut Verification> = found
        .iter_mut()
        .map(|found| &mut **found)
        .filter(|found| found.verdict == VerificationResult::Different)
        .collect();
    for minor in (SchedulerVersion::OLDEST.minor..=SchedulerVersion::NEWEST.minor).rev() {
        if minor == input.profile.version.minor {
            // This version does not write the message: a started range ends here.
            open.retain(|found| found.written_by.is_none());
            continue;
        }
        if open.is_empty() {
            return;
        }
        let version = SchedulerVersion::new(minor, u16::MAX);
        let profile = Profile::new(version, VersionSource::Default);
        let view = ClusterView::new(&input.cluster, &profile);
        open.retain_mut(|found| {
            if !found.is_what_writes(&decision::decide(&view, found.pod, input.now)) {
                return found.written_by.is_none();
            }
            found.written_by.get_or_insert_with(|| version.to_string());
            found.written_since = Some(version.to_string());
            true
        });
    }
}
