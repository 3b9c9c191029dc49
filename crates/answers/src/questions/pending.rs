//! `pending`: a row for each pod that waits for a node, or for its group.

mod cause;
pub mod earlier;
mod group;
mod list;
mod of_decision;
mod pod_group;
mod row;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use self::earlier::{EarlierList, KnownRows};
use super::{Basis, Beside, Cut, Report, Verdict, in_order};
use crate::ahead::{Ahead, Work};
use crate::error::AnswerError;
use crate::input::LoadedInput;
use crate::node_name::shared_ending;
use crate::not_running::{self, StartingPod};
use crate::pod_report::PodReport;
use crate::reporter::{ReportDepth, Reporter, deciders};
use crate::silence::SeenSchedulers;
use crate::workload;
use engine::autoscalers::Autoscalers;
use engine::cluster::pod::{Pod, PodIx};
use engine::decision::{Decision, OutcomeKind};
use engine::framework::cluster_view::ClusterView;
use engine::groups::answer::GroupAnswer;
use engine::groups::member;
use engine::notes::Note;
use engine::profile::Profile;
use engine::simulation::competitors::PendingKinds;
use engine::simulation::sequence::{each_in_order, queue_order};

pub use cause::BlockingCause;
pub use group::{RowGroup, groups};
pub use list::{DecisionSequence, Pending, summary};
pub use row::{
    Actor, AutoscalerRole, NAMED, NODES_NAMED, PendingGroup, PendingHolder, PendingNomination,
    PendingRow, PendingVerdict, PodOwner,
};

/// The number of rows for the pods of a group that is scheduled as a whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GroupRows {
    /// One.
    #[default]
    Together,
    /// One for each pod.
    Apart,
}

/// Which pods are listed, and how they are decided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PendingRequest {
    /// Whether the pods are those of all namespaces.
    pub all_namespaces: bool,
    pub sequence: DecisionSequence,
    pub groups: GroupRows,
}

/// Every pod that waits for a node, and the decision about it.
#[derive(Debug, Clone)]
pub struct PendingReport {
    pub basis: Basis,
    /// One row per pod or group, in the order of the scheduler's queue.
    pub pending: Pending,
    /// Whether the list may lack pods, because they could not be read.
    pub may_lack_pods: bool,
    /// Where the list was cut off.
    pub cut: Option<Cut>,
    /// Whether the pods are those of all namespaces.
    pub all_namespaces: bool,
    /// The pods that have a node and are Pending nevertheless.
    pub starting: Vec<StartingPod>,
    /// The pods that run and have an in-place resize that is not done.
    pub resizing: Vec<StartingPod>,
    /// The workloads that could not be read: a sentence each.
    pub unread_workloads: Vec<String>,
}

impl PendingRequest {
    /// The pods that wait in `input`.
    ///
    /// # Errors
    /// [`AnswerError::Input`] for files that lack the nodes.
    pub fn pods(&self, input: &LoadedInput) -> Result<Vec<PodIx>, AnswerError> {
        input.choose(&[], self.all_namespaces)
    }
}

impl PendingReport {
    fn new(
        input: &LoadedInput,
        request: PendingRequest,
        pending: Pending,
        cut: Option<Cut>,
    ) -> Self {
        let (basis, may_lack_pods) = (Basis::of(input), input.may_lack_pods());
        let cluster = &input.cluster;
        let is_asked = |pod: &Pod| {
            let is_here = request.all_namespaces || cluster.text(pod.namespace) == input.namespace;
            is_here && input.selector.matches(cluster.labels(pod.labels))
        };
        let starting = not_running::starting(cluster, input.now, is_asked);
        let resizing = not_running::resizing(cluster, is_asked);
        let namespace = (!request.all_namespaces).then_some(input.namespace.as_str());
        // Labels select pods, and these have none.
        let workloads = if input.selector.is_everything() {
            workload::lacking(input, namespace)
        } else {
            Vec::new()
        };
        let ending = shared_ending(cluster).to_owned();
        let pending = Pending { workloads, ending, ..pending };
        let all_namespaces = request.all_namespaces;
        let unread_workloads = workload::unread(cluster);
        Self {
            basis,
            pending,
            may_lack_pods,
            cut,
            all_namespaces,
            starting,
            resizing,
            unread_workloads,
        }
    }

    /// Whether every pod that waits is in the list.
    pub fn is_complete(&self) -> bool {
        self.cut.is_none() && !self.may_lack_pods
    }
}

impl Report for PendingReport {
    /// A list has no answer of yes or no.
    fn verdict(&self) -> Verdict {
        let rows = &self.pending.rows;
        let is_unsure = rows.iter().any(|row| row.is_unsure() || row.competitors.is_certain());
        Verdict::new(true, is_unsure || self.may_lack_pods)
    }

    fn beside(&self) -> Beside {
        Beside { remark: None, warnings: self.unread_workloads.clone() }
    }

    fn reorder(&mut self, order: &[usize]) {
        self.pending.rows = in_order(&self.pending.rows, order);
    }
}

/// Decides about `pods`. Alone, each is decided on the cluster as it is, which the views of `input`
/// show, and the pods of a group together, unless these are to be apart. In order, each is decided
/// as the earlier ones leave the cluster. Before each pod, `goes_on` is asked whether the list does.
pub fn pending(
    input: &LoadedInput,
    views: &[ClusterView<'_>],
    pods: &[PodIx],
    request: PendingRequest,
    goes_on: &mut dyn FnMut() -> bool,
) -> PendingReport {
    match request.sequence {
        DecisionSequence::Alone => {
            let known = &KnownRows::default();
            let mut report = decide_each(known, None, input, views, pods, request, goes_on);
            report.pending.together = together(input, pods, request, &report);
            report
        }
        DecisionSequence::InOrder => one_after_the_other(input, pods, request, goes_on),
    }
}

/// The most decisions on one node each that are made to say what becomes of the pods together.
const QUICKLY: usize = 4_000;

/// What becomes of the pods one after the other, if that is quickly known and not the same as for each
/// alone. Groups are placed as a whole either way, and are left out.
fn together(
    input: &LoadedInput,
    pods: &[PodIx],
    request: PendingRequest,
    alone: &PendingReport,
) -> Option<Vec<(PendingVerdict, usize)>> {
    let rows = &alone.pending.rows;
    let is_quick = pods.len().saturating_mul(input.cluster.nodes.len()) <= QUICKLY;
    if !is_quick
        || pods.len() < 2
        || !alone.is_complete()
        || rows.iter().any(|row| row.group.is_some())
    {
        return None;
    }
    let in_order = PendingRequest { sequence: DecisionSequence::InOrder, ..request };
    let verdicts = one_after_the_other(input, pods, in_order, &mut || true).pending.verdicts();
    (verdicts != alone.pending.verdicts()).then_some(verdicts)
}

/// The same, but rows of an earlier list that still hold are not decided anew. Returns also the
/// rows that the next list may take over.
pub fn pending_since(
    earlier: Option<EarlierList<'_>>,
    input: &LoadedInput,
    views: &[ClusterView<'_>],
    pods: &[PodIx],
    request: PendingRequest,
    goes_on: &mut dyn FnMut() -> bool,
) -> (PendingReport, KnownRows) {
    let mut rows = KnownRows::default();
    if request.sequence == DecisionSequence::InOrder {
        return (one_after_the_other(input, pods, request, goes_on), rows);
    }
    let known_rows = earlier.map(|earlier| earlier.rows_that_hold(input)).unwrap_or_default();
    let mut report =
        decide_each(&known_rows, Some(&mut rows), input, views, pods, request, goes_on);
    report.pending.together = together(input, pods, request, &report);
    (report, rows)
}

/// Decides about each pod whose row is not known, and keeps the rows of all in `rows` if another
/// list will follow: a row may have the names of thousands of nodes.
fn decide_each(
    known_rows: &KnownRows,
    mut rows: Option<&mut KnownRows>,
    input: &LoadedInput,
    views: &[ClusterView<'_>],
    pods: &[PodIx],
    request: PendingRequest,
    goes_on: &mut dyn FnMut() -> bool,
) -> PendingReport {
    let mut deciders = deciders(input, views);
    let autoscalers = Autoscalers::find(&input.cluster, input.now);
    let competing = PendingKinds::new(views, input.now, |_| false);
    let (autoscalers, competitors) = (autoscalers.as_ref(), competing.as_ref());
    let depth = ReportDepth::ROW;
    let schedulers = &SeenSchedulers::new(&input.cluster, input.now, input.is_dated);
    let rower = Rower(Reporter { input, views, depth, autoscalers, competitors, schedulers });
    let mut pending = Pending { flags: input.flags.clone(), ..Pending::default() };
    let mut listed_groups = BTreeSet::new();
    let pods = queue_order(pods, &input.cluster);
    let mut decided = 0;
    let is_known = |pod| known_rows.of(pod, &input.cluster).is_some();
    rayon::in_place_scope(|scope| {
        let mut ahead = Ahead::new(&rower, scope, input, views, &pods, is_known, usize::MAX);
        for pod in pods.iter().copied() {
            if !goes_on() {
                break;
            }
            decided += 1;
            let Some(view) = views.get(input.view_of(pod)) else { continue };
            if let Some(known) = known_rows.of(pod, &input.cluster) {
                pending.add_row(known.row.clone(), &known.notes, view.profile);
                if let Some(rows) = &mut rows {
                    rows.keep(known.row.clone(), known.notes.clone());
                }
                continue;
            }
            let Some((namespace, name)) =
                member::group_of(view, pod).filter(|_| request.groups == GroupRows::Together)
            else {
                let row = ahead.answer(pod, || rower.0.report_with(pod, &mut deciders));
                if let Some(PodRow { row, notes }) = row {
                    if let Some(rows) = &mut rows {
                        rows.keep(row.clone(), notes.clone());
                    }
                    pending.add_row(row, &notes, view.profile);
                }
                continue;
            };
            if listed_groups.insert((namespace, name)) {
                let [namespace, name] = [namespace, name].map(|sym| input.cluster.text(sym));
                let answer = GroupAnswer::find(view, namespace, name, input.now);
                if let Some(answer) = answer {
                    pending.add_group(&answer, autoscalers);
                }
            }
        }
    });
    PendingReport::new(input, request, pending, Cut::of_pods(decided, pods.len()))
}

/// The row of a pod, with the notes of its decision.
struct PodRow {
    row: PendingRow,
    notes: Vec<Note>,
}

/// Makes the report about a pod, and its row.
struct Rower<'e, 'v>(Reporter<'e, 'v>);

impl<'v> Work<'v> for Rower<'_, 'v> {
    type Drawn = PodRow;

    fn explain(&self, pod: PodIx) -> Option<PodReport<'v>> {
        self.0.report(pod)
    }

    fn adapt(&self, like: PodReport<'v>) -> PodReport<'v> {
        self.0.adapt(like)
    }

    fn draw(&self, report: &PodReport<'v>) -> PodRow {
        PodRow { row: PendingRow::of(report), notes: report.notes.clone() }
    }
}

/// Decides about each pod on the cluster as the earlier ones leave it. Extenders are not called,
/// because they know the cluster as it is alone.
fn one_after_the_other(
    input: &LoadedInput,
    pods: &[PodIx],
    request: PendingRequest,
    goes_on: &mut dyn FnMut() -> bool,
) -> PendingReport {
    let profiles: Vec<Profile> = input.profiles().cloned().collect();
    let mut pending = Pending {
        sequence: DecisionSequence::InOrder,
        flags: input.flags.clone(),
        ..Pending::default()
    };
    let autoscalers = Autoscalers::find(&input.cluster, input.now);
    let schedulers = &SeenSchedulers::new(&input.cluster, input.now, input.is_dated);
    // Earlier pods that may not preempt, and are tried again once the victims of others are gone.
    let mut blocked: Vec<PodIx> = Vec::new();
    let mut decided = 0;
    let add = |decision: &Decision| {
        if !goes_on() {
            return ControlFlow::Break(());
        }
        decided += 1;
        let views = std::slice::from_ref(decision.view);
        let competitors = if !blocked.is_empty() && decision.kind() == OutcomeKind::Preempt {
            PendingKinds::among(views, input.now, blocked.iter().copied())
        } else {
            None
        };
        let (autoscalers, competitors) = (autoscalers.as_ref(), competitors.as_ref());
        let depth = ReportDepth::ROW;
        let report = Reporter { input, views, depth, autoscalers, competitors, schedulers }
            .report_on(decision.clone());
        let preemption = decision.preemption();
        if preemption.is_some_and(|report| report.off || report.ineligible.is_some()) {
            blocked.push(decision.pod);
        }
        pending.add(&report);
        ControlFlow::Continue(())
    };
    each_in_order(input.cluster.clone(), pods, &profiles, input.now, add);
    PendingReport::new(input, request, pending, Cut::of_pods(decided, pods.len()))
}
