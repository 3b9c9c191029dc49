//! What one read of the cluster shows: every pod that waits for a node, and the decision about it.

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

use jiff::Timestamp;

use super::args::{PendingArgs, PendingFormat};
use crate::cli::deciding::{CutShort, Deciding};
use crate::cli::input::LoadedInput;
use crate::cli::{kubectl_format, output};
use crate::error::Error;
use crate::exit::Exit;
use engine::autoscalers::{Autoscalers, Trying};
use engine::cluster::pod::PodIx;
use engine::decision::{Decision, Explanation, OutcomeKind};
use engine::groups::answer::GroupAnswer;
use engine::groups::member::{self, Decider};
use engine::json::SourceKind;
use engine::profile::Profile;
use engine::simulation::sequence::{each_in_order, queue_order};
use engine::snapshot::Header;
use json::PendingList;
use render::custom_columns;
use render::jsonpath::PathTemplate;
use render::origin::Origin;
use render::page::{Page, Paper, Span, Tone};
use render::pending::{self, DecisionSequence, Layout, Pending, PendingRow, ReadState};
use render::safe::Printable;

/// The waiting pods of one read of the cluster.
#[derive(Debug)]
pub(super) struct PendingReport {
    /// One row per pod or group, in the order of the scheduler's queue.
    pub(super) pending: Pending,
    header: Header,
    profile: Profile,
    source: SourceKind,
    /// What the decisions are based on.
    pub(super) origin: Origin,
    /// The time of the decisions.
    pub(super) now: Timestamp,
    /// Whether every pod could be read.
    complete: bool,
    /// That not every pod was decided.
    pub(super) cut: Option<CutShort>,
}

impl PendingReport {
    /// Decides about `pods`.
    ///
    /// # Errors
    /// Extenders that cannot be called.
    pub(super) fn new(
        input: &LoadedInput,
        pods: &[PodIx],
        args: &PendingArgs,
        mut deciding: Deciding,
    ) -> Result<Self, Error> {
        let apart = args.output == PendingFormat::Wide;
        let pending = match args.sequence() {
            DecisionSequence::Alone => alone(input, pods, apart, &mut deciding)?,
            DecisionSequence::InOrder => in_order(input, pods, &mut deciding),
        };
        let cut = deciding.end();
        Ok(Self {
            pending,
            header: input.cluster.header.clone(),
            profile: input.profile.clone(),
            source: input.source,
            origin: input.origin(),
            now: input.now,
            complete: cut.is_none() && input.cluster.notes_on_lists().next().is_none(),
            cut,
        })
    }

    /// The whole list in one of the formats of `-o`.
    pub(super) fn text(
        &self,
        args: &PendingArgs,
        format: &PendingFormat,
        paper: Paper,
    ) -> anyhow::Result<Printable> {
        match format {
            PendingFormat::Text | PendingFormat::Wide => {
                let layout = self.layout(args, self.now);
                let mut page = Page::default();
                if let Some(cut) = self.cut {
                    page.line(0, vec![Span::new(cut.sentence(), Tone::Strong)]);
                }
                page.append(self.pending.page(layout, &self.origin));
                Ok(page.print(Paper { whole: layout.wide, ..paper }))
            }
            PendingFormat::Name => Ok(pending::names(&self.pending.rows).map_err(Error::from)?),
            PendingFormat::Openmetrics => Ok(self.metrics(None)),
            PendingFormat::Json => output::json(&self.list()),
            PendingFormat::Yaml => output::yaml(&self.list()),
            PendingFormat::Kubectl(format) => format.text(&self.list(), !args.no_headers, paper),
        }
    }

    /// The columns and headings that the flags and the pods ask for, with ages as of `now`.
    pub(super) fn layout(&self, args: &PendingArgs, now: Timestamp) -> Layout {
        Layout {
            namespaces: args.all_namespaces,
            wide: args.output == PendingFormat::Wide,
            headers: !args.no_headers,
            actors: self.pending.names_actors(),
            now,
        }
    }

    /// Sorts the pods by what stands at `path` in their JSON.
    ///
    /// # Errors
    /// [`Error::Usage`] for a path that no pod has.
    pub(super) fn sort(&mut self, path: &PathTemplate) -> anyhow::Result<()> {
        let root = output::to_value(&self.list())?;
        kubectl_format::check("--sort-by", std::iter::once(path), &root)?;
        let order = custom_columns::order(&kubectl_format::items(&root), path);
        self.pending.rows =
            order.into_iter().filter_map(|index| self.pending.rows.get(index).cloned()).collect();
        Ok(())
    }

    /// The list as metrics; `connected` is whether the cluster can be read still.
    pub(super) fn metrics(&self, connected: Option<bool>) -> Printable {
        let read = ReadState {
            decided: self.now,
            complete: self.complete,
            rules_assumed: self.profile.version_gap.is_some(),
            connected,
        };
        pending::openmetrics(&self.pending, read)
    }

    fn list(&self) -> PendingList {
        render::json::pending_list(&self.pending, &self.header, &self.profile, self.source)
    }

    /// The exit code after this list.
    pub(super) fn exit(&self) -> Exit {
        if self.pending.rows.iter().any(PendingRow::is_unsure) {
            Exit::Partial
        } else {
            Exit::Answered
        }
    }
}

/// The decisions that are kept for pods that are alike. Each has a verdict about every node.
const MOST_ALIKE: usize = 32;

/// Decides about each pod on the cluster as it is; about the pods of a group together, unless each
/// is `apart`.
fn alone(
    input: &LoadedInput,
    pods: &[PodIx],
    apart: bool,
    deciding: &mut Deciding,
) -> Result<Pending, Error> {
    let callers = input.callers()?;
    let views = input.views(callers.as_deref());
    let mut deciders: Vec<Decider> =
        views.iter().map(|view| Decider::new(view, input.now)).collect();
    let autoscalers = Autoscalers::find(&input.cluster, input.now);
    let (mut pending, mut known) = (Pending::default(), BTreeSet::new());
    // What was decided about pods of which there may be more.
    let mut decided: VecDeque<Explanation> = VecDeque::new();
    for pod in queue_order(pods, &input.cluster) {
        if !deciding.goes_on() {
            break;
        }
        let profile = input.view_of(pod);
        let (Some(view), Some(decider)) = (views.get(profile), deciders.get_mut(profile)) else {
            continue;
        };
        let Some((namespace, name)) = member::group_of(view, pod).filter(|_| !apart) else {
            let like = decided
                .iter_mut()
                .find_map(|known| known.decision.passes_on_to(pod).then_some(&*known));
            if let Some(like) = like {
                add(&mut pending, like, autoscalers.as_ref());
                continue;
            }
            let explanation = with_every_cause(decider.decide(pod));
            add(&mut pending, &explanation, autoscalers.as_ref());
            decided.push_front(explanation);
            decided.truncate(MOST_ALIKE);
            continue;
        };
        if known.insert((namespace, name)) {
            let text = |sym| input.cluster.text(sym);
            let answer = GroupAnswer::find(view, text(namespace), text(name), input.now);
            if let Some(answer) = answer {
                pending.add_group(&answer);
                if let Some(autoscalers) = &autoscalers {
                    pending.set_autoscaling(autoscalers.about_group(&answer));
                }
            }
        }
    }
    Ok(pending)
}

/// Decides about each pod on the cluster as the earlier ones leave it. Extenders are not called,
/// because they know the cluster as it is alone.
fn in_order(input: &LoadedInput, pods: &[PodIx], deciding: &mut Deciding) -> Pending {
    let profiles: Vec<Profile> = input.profiles().cloned().collect();
    let mut pending = Pending { sequence: DecisionSequence::InOrder, ..Pending::default() };
    let autoscalers = Autoscalers::find(&input.cluster, input.now);
    let add = |decision: &Decision| {
        if !deciding.goes_on() {
            return ControlFlow::Break(());
        }
        add(&mut pending, &with_every_cause(decision.clone()), autoscalers.as_ref());
        ControlFlow::Continue(())
    };
    each_in_order(input.cluster.clone(), pods, &profiles, input.now, add);
    pending
}

/// Adds the pod of a decision, and who acts next for it if an autoscaler was found. No new node is
/// tried: that takes as long as a decision for each pod and pool.
fn add(pending: &mut Pending, decision: &Explanation, autoscalers: Option<&Autoscalers>) {
    pending.add(decision);
    if let Some(autoscalers) = autoscalers {
        let told = autoscalers.about(decision, Trying::Off);
        pending.set_autoscaling(told.map(|told| told.verdict));
    }
}

/// The decision with every filter's word about every node: which nodes are the nearest is not known
/// from the first alone.
fn with_every_cause(decision: Decision) -> Explanation {
    let mut explanation = Explanation::from(decision);
    let fits_nowhere =
        matches!(explanation.kind(), OutcomeKind::Preempt | OutcomeKind::Unschedulable);
    if explanation.membership.is_none() && fits_nowhere {
        explanation.run_other_filters();
    }
    explanation
}
