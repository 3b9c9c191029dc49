//! The cycle of a tree, and what it means for each of its groups.
//!
//! Upstream: `pkg/scheduler/schedule_one_podgroup.go` `scheduleOnePodGroup`, `podGroupCycle`
//! (1.37).

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::complete::{self, EffectiveStatus, EffectiveStatuses};
use super::search::{Results, TreeSearch};
use super::{CompositeResult, Tree, TreeDecision, TreeMembership, TreeRow, doubts};
use crate::framework::cluster_view::ClusterView;
use crate::groups::choices::Choices;
use crate::groups::cycle::{GroupSearchResult, PlacementAttempt};
use crate::groups::gate::GroupGate;
use crate::groups::outcomes::{MOST_LOOKED_AT, MOST_RUNS, PossibleOutcomes};
use crate::groups::placements::SearchResult;
use crate::groups::preemption::{self, GroupPreemption};
use crate::groups::select::Memory;
use crate::groups::{GroupDecision, GroupOutcome, written};
use model::cluster::{AnyGroup, CompositeIx, NodeIx, PodIx, Sym};

impl<'c> TreeDecision<'c> {
    /// Runs the cycle of the tree of this root, and preemption if the root cannot get what it needs. The
    /// view's profile must be that of the pods.
    pub fn of(view: &'c ClusterView<'c>, root: CompositeIx, now: Timestamp) -> Self {
        let tree = Tree::of(root, view);
        let TreeRun { mut decision, text_may_differ } = TreeRun::of_every_path(view, &tree, now);
        doubts::add(&mut decision, &tree, text_may_differ);
        decision
    }

    /// Nothing is decided yet.
    fn nothing(view: &'c ClusterView<'c>, tree: &Tree, now: Timestamp) -> Self {
        let root = tree.root;
        let groups = tree
            .leaves(AnyGroup::Groups(root))
            .map(|ix| GroupDecision::nothing(view, ix, now))
            .collect();
        Self {
            view,
            root,
            now,
            outcome: GroupOutcome::Unschedulable,
            composites: tree
                .below(AnyGroup::Groups(root))
                .into_iter()
                .filter_map(|group| match group {
                    AnyGroup::Groups(ix) => Some(untried(ix, tree)),
                    AnyGroup::Pods(_) => None,
                })
                .collect(),
            groups,
            preemption: None,
            notes: view.cluster.notes.clone(),
        }
    }
}

/// One run of a tree's cycle.
struct TreeRun<'c> {
    /// Without the notes that it needs.
    decision: TreeDecision<'c>,
    /// Whether the scheduler may write one of several texts.
    text_may_differ: bool,
}

impl<'c> TreeRun<'c> {
    /// Runs the cycle once for each path through its choices. Returns the first run, with the
    /// outcomes of all in each of its groups.
    fn of_every_path(view: &'c ClusterView<'c>, tree: &Tree, now: Timestamp) -> Self {
        let mut choices = Choices::default();
        let (mut first, tries) = Self::taking(&mut choices, view, tree, now);
        let looked_at = tries.saturating_mul(view.cluster.nodes.len());
        let mut found = vec![PossibleOutcomes::none_yet(); first.decision.groups.len()];
        first.add_results(&mut found);

        // Each other path differs in a choice of which an earlier one took another option.
        let (mut runs, mut all_followed) = (1, true);
        while choices.next_path() {
            if runs == MOST_RUNS || looked_at.saturating_mul(runs) > MOST_LOOKED_AT {
                all_followed = false;
                break;
            }
            runs += 1;
            let (other, _) = Self::taking(&mut choices, view, tree, now);
            first.text_may_differ |= other.text_may_differ;
            other.add_results(&mut found);
        }
        for (group, mut outcomes) in first.decision.groups.iter_mut().zip(found) {
            outcomes.complete &= all_followed && !choices.is_sampled && !choices.is_unlisted;
            outcomes.has_unlisted = choices.is_unlisted;
            group.outcomes = outcomes;
        }
        first
    }

    /// Adds the outcome of each group to those that it may have.
    fn add_results(&self, found: &mut [PossibleOutcomes]) {
        for (outcomes, group) in found.iter_mut().zip(&self.decision.groups) {
            outcomes.add_result(group);
        }
    }

    /// Runs the cycle with these choices. Returns also how many pods were given to searches.
    fn taking(
        choices: &mut Choices,
        view: &'c ClusterView<'c>,
        tree: &Tree,
        now: Timestamp,
    ) -> (Self, usize) {
        let mut decision = TreeDecision::nothing(view, tree, now);
        let memory = Memory::of_tree(std::mem::take(choices));
        let mut cycle = Cycle { tree, decision: &mut decision, memory, text_may_differ: false };
        cycle.run();
        let Cycle { memory, text_may_differ, .. } = cycle;
        *choices = memory.choices;
        (Self { decision, text_may_differ }, memory.tries)
    }
}

fn untried(group: CompositeIx, tree: &Tree) -> CompositeResult {
    let count = tree.inside(group).len();
    CompositeResult {
        group,
        fitting: None,
        count,
        message: None,
        placements: Vec::new(),
        chosen: None,
    }
}

struct Cycle<'d, 'c> {
    tree: &'d Tree,
    decision: &'d mut TreeDecision<'c>,
    memory: Memory,
    /// Whether the scheduler may write one of several texts.
    text_may_differ: bool,
}

impl Cycle<'_, '_> {
    fn run(&mut self) {
        let view = self.decision.view;
        if let Some(gate) = self.tree.gate(view) {
            self.hold(&gate);
            return;
        }
        let errors = self.tree.errors(view);
        if let Some(error) = errors.first() {
            self.text_may_differ = errors.len() > 1;
            self.fail(error);
            return;
        }
        let search = TreeSearch::new(self.tree, view, self.decision.now);
        if search.waiting.values().all(Vec::is_empty) {
            self.hold(&GroupGate::Deleting);
            return;
        }
        self.search(&search);
    }

    /// The tree gets no cycle because of this gate.
    fn hold(&mut self, gate: &GroupGate) {
        self.decision.outcome = GroupOutcome::NotInQueue(gate.clone());
        for group in &mut self.decision.groups {
            let nothing_waits = group.members.waiting.is_empty();
            let own = if nothing_waits { GroupGate::NothingWaits } else { gate.clone() };
            group.outcome = GroupOutcome::NotInQueue(own);
        }
        self.add_tree(None);
    }

    /// The cycle ends with this error before any search.
    fn fail(&mut self, error: &str) {
        let view = self.decision.view;
        self.decision.outcome = GroupOutcome::Error(error.to_owned());
        for group in &mut self.decision.groups {
            group.written = written::of_error(&group.members.waiting, error);
            group.condition = written::condition_of_error(group.pod_group(), error, view);
            group.outcome = if group.members.waiting.is_empty() {
                GroupOutcome::NotInQueue(GroupGate::NothingWaits)
            } else {
                GroupOutcome::Error(error.to_owned())
            };
        }
        self.add_tree(Some(error));
    }

    /// Searches nodes for the pods of all groups, and sets the outcome of each group.
    fn search(&mut self, search: &TreeSearch) {
        // Parity: a pod of the tree that is being tried is in no queue, where the scheduler looks
        // up the requests of nominated pods.
        let mut view = self.decision.view.clone();
        view.take_from_queue(&self.tree.waiting().collect::<Vec<_>>());
        let mut results = search.run(&mut view, &mut self.memory);
        self.text_may_differ = results.differ();
        let statuses = complete::effective_statuses(self.tree, &results, &view);

        // If the root gets too little, preemption makes one plan for all groups, and its text is
        // appended to every status.
        let mut after: BTreeMap<AnyGroup, GroupSearchResult> = statuses
            .iter()
            .map(|(group, search_result)| (*group, search_result.status.clone()))
            .collect();
        let root = AnyGroup::Groups(self.tree.root);
        if let Some(GroupSearchResult::Unfit { .. }) = after.get(&root) {
            self.memory.begin_anew();
            let search_result = preemption::run_for_tree(&view, search, &mut self.memory);
            for (group, before) in &statuses {
                let mut status = before.status.clone();
                for _ in 0..complete::sharing(before, &statuses) {
                    status = search_result.after(&status);
                }
                after.insert(*group, status);
            }
            self.decision.preemption = search_result.report;
        }

        // Each group reports its own pods, with the status after preemption.
        let preemption = self.decision.preemption.as_ref();
        for group in &mut self.decision.groups {
            let own = AnyGroup::Pods(group.group);
            if let (Some(effective), Some(after)) = (statuses.get(&own), after.get(&own)) {
                let members = search.waiting.get(&group.group).map_or(&[][..], Vec::as_slice);
                report(group, members, effective, after, &mut results, preemption);
            }
        }

        let after_root = after.remove(&root).unwrap_or(GroupSearchResult::Fits);
        let outcome = GroupOutcome::of(&after_root, preemption);
        self.add_composites(&mut results, &statuses);
        self.decision.outcome = outcome;
        let message = after_root.text();
        self.add_tree(Some(message.as_str()).filter(|text| !text.is_empty()));
    }

    /// Adds the results of the composite groups.
    fn add_composites(&mut self, results: &mut Results, statuses: &EffectiveStatuses) {
        for composite in &mut self.decision.composites {
            let Some(groups) = results.groups.remove(&composite.group) else { continue };
            let status = statuses.get(&AnyGroup::Groups(composite.group));
            composite.message =
                status.map(|result| result.status.text()).filter(|text| !text.is_empty());
            composite.fitting = Some(groups.fitting);
            composite.chosen = groups.found.chosen;
            let limited = self.decision.view.cluster.composite_group(composite.group).topology_key
                != Sym::EMPTY;
            composite.placements = if limited { groups.found.placements } else { Vec::new() };
        }
    }

    /// Adds the tree's result to every group of pods.
    fn add_tree(&mut self, message: Option<&str>) {
        let mut rows = self.tree.rows(self.decision.view.cluster);
        if !matches!(self.decision.outcome, GroupOutcome::NotInQueue(_) | GroupOutcome::Error(_)) {
            rows.iter_mut().for_each(|row| self.fill(row));
        }
        let in_tree = TreeMembership {
            root: self.tree.root,
            outcome: self.decision.outcome.clone(),
            message: message.map(str::to_owned),
            rows,
            waiting: self.tree.waiting().collect(),
            bound: self.decision.groups.iter().flat_map(bound).collect(),
        };
        self.decision
            .groups
            .iter_mut()
            .for_each(|group| group.tree = Some(Box::new(in_tree.clone())));
    }

    /// Fills in what a group got in the search.
    fn fill(&self, row: &mut TreeRow) {
        match row.group {
            AnyGroup::Groups(ix) => {
                let fitting = self.decision.composites.iter().find(|result| result.group == ix);
                let fitting = fitting.and_then(|result| result.fitting);
                (row.has, row.tried) = (fitting.unwrap_or(0), fitting.is_some());
            }
            AnyGroup::Pods(ix) => {
                let Some(group) = self.decision.groups.iter().find(|group| group.group == ix)
                else {
                    return;
                };
                let placed = group.trials.iter().filter(|trial| trial.node().is_some()).count();
                row.has = placed + group.members.running.len();
                row.tried = !group.trials.is_empty() || row.has_enough();
            }
        }
    }
}

/// Sets what the search has shown for a group: `members` are its waiting pods that are not being
/// deleted, `after` its status after preemption.
fn report(
    group: &mut GroupDecision,
    members: &[PodIx],
    effective: &EffectiveStatus,
    after: &GroupSearchResult,
    results: &mut Results,
    preemption: Option<&GroupPreemption>,
) {
    // Pods of a group that took over another's status have no results of their own.
    let result = results
        .pods
        .remove(&group.group)
        .unwrap_or_else(|| SearchResult::of(PlacementAttempt::of(GroupSearchResult::Fits)));
    let trials = result.attempt.trials;
    let shown = if effective.inherited { &[][..] } else { trials.as_slice() };
    group.written = written::of_members(
        group.pod_group(),
        members,
        shown,
        &effective.status,
        after,
        preemption,
        group.view,
    );
    group.condition = written::condition(group.pod_group(), after);

    let places_any = trials.iter().any(|trial| trial.node().is_some());
    group.outcome = if group.members.waiting.is_empty() {
        GroupOutcome::NotInQueue(GroupGate::NothingWaits)
    } else if members.is_empty() {
        GroupOutcome::NotInQueue(GroupGate::Deleting)
    } else {
        match GroupOutcome::of(after, preemption) {
            // The tree already has enough with the running pods of the group.
            GroupOutcome::Scheduled if !places_any => GroupOutcome::Unschedulable,
            outcome => outcome,
        }
    };

    // An error ends the cycle, with the pods that were tried until then.
    let failed = results.failed.take_if(|(failed, _)| *failed == group.group);
    group.trials = failed.map_or(trials, |(_, trials)| trials);
    group.other_errors = result.other_errors;
    group.placements = result.placements;
    group.chosen = result.chosen;
    group.preemption = preemption.cloned();
}

/// The pods that are bound at the end, with their nodes.
fn bound(group: &GroupDecision) -> Vec<(PodIx, NodeIx)> {
    let is_bound = |pod: PodIx| {
        group.written.iter().any(|written| written.pod == pod && written.condition.is_none())
    };
    group
        .trials
        .iter()
        .filter_map(|trial| Some((trial.pod, trial.node()?)))
        .filter(|(pod, _)| is_bound(*pod))
        .collect()
}
