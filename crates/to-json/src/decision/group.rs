//! The decision about a group of pods as JSON.

use jiff::Timestamp;
use json::group::{
    Condition, Group, GroupDecision as JsonGroupDecision, GroupDecisionList, GroupHold,
    GroupVictim, Lack as JsonLack, LaterCycle as JsonLaterCycle, MadeGroups, Member,
    MemberCondition, NotMade as JsonNotMade, Outcomes, Placement, PodOnNode, PossibleOutcome,
    Preemption, Tree, TreeGroup, Workload,
};
use json::{ApiVersion, kind};

use super::{DecisionJson, SourceKind, node_names, note, pod_names, scheduler, source};
use engine::cluster::owner::PodHindrance;
use engine::cluster::pod_group::DisruptionMode;
use engine::cluster::{AnyGroup, NodeIx, PodGroup, PodIx, Sym};
use engine::decision::Certainty;
use engine::decision::group::{GroupShortfall, GroupVerdict};
use engine::framework::cluster_view::ClusterView;
use engine::framework::cycle::NodeVerdict;
use engine::groups::answer::GroupAnswer;
use engine::groups::cycle::TrialResult;
use engine::groups::made::MadeOf;
use engine::groups::made::{self, NotCreatedCause, NotMade};
use engine::groups::outcomes::PossibleOutcomes;
use engine::groups::preemption::{GroupPlan, GroupPreemption, GroupPreemptionVerdict};
use engine::groups::summary::{LaterCycle, MissingGroup};
use engine::groups::tree::{TreeMembership, TreeRow};
use engine::groups::{GroupDecision, GroupOutcome, NominationChange};
use engine::preemption::budgets::BudgetIndex;

/// Maximum number of outcomes, and of sets of victims, that are listed.
const LISTED: usize = 32;

/// The JSON of decisions about several groups, and of the Workloads that named them.
pub fn group_decision_list(
    items: Vec<JsonGroupDecision>,
    workloads: &[MadeOf],
) -> GroupDecisionList {
    GroupDecisionList {
        api_version: ApiVersion::default(),
        kind: kind::GroupDecisionList::default(),
        items,
        workloads: workloads.iter().map(workload).collect(),
    }
}

fn workload(made: &MadeOf) -> Workload {
    let json = DecisionJson { cluster: made.cluster };
    let mut groups = Vec::with_capacity(made.groups.len());
    for group in &made.groups {
        groups.push(MadeGroups {
            name: json.text(group.of.name),
            min_count: group.of.min_count,
            groups: group.names.iter().map(|name| json.text(*name)).collect(),
        });
    }
    let (namespace, name) = (json.text(made.workload.namespace), json.text(made.workload.name));
    Workload { namespace, name, groups }
}

/// The JSON of a decision about a group.
pub fn group_decision(answer: &GroupAnswer, source: SourceKind) -> JsonGroupDecision {
    match answer {
        GroupAnswer::Decided(decision) => decided(decision, source),
        GroupAnswer::Missing { group, view, now } => self::missing(group, view, source, *now),
    }
}

fn decided(decision: &GroupDecision, source: SourceKind) -> JsonGroupDecision {
    let (view, cluster) = (decision.view, decision.view.cluster);
    let json = DecisionJson { cluster };
    let (group, summary, members) = (decision.pod_group(), decision.summary(), &decision.members);
    let not_made = made::of(members, Some(decision.group), cluster);

    // The condition that this cycle writes, beside the one that the object has.
    let (written, present) = (decision.condition.as_ref(), group.condition.as_ref());
    let (preemption, other) = (decision.preemption.as_ref(), decision.alternative.as_ref());
    JsonGroupDecision {
        group: json.group(group),
        outcome: summary.verdict.name().into(),
        later_cycles: decision.later_cycles().iter().map(|cycle| json.later(cycle)).collect(),
        hold: json.group_hold(&summary.verdict, members.count()),
        error: match &decision.outcome {
            GroupOutcome::Error(error) => Some(error.clone()),
            _ => None,
        },
        members: members.waiting.iter().map(|pod| json.member(*pod, decision)).collect(),
        running: members.running.iter().map(|pod| json.placed(*pod)).collect(),
        of_other_schedulers: pod_names(&members.of_other_schedulers, cluster),
        not_made: not_made.iter().map(|found| json.not_made(*found)).collect(),
        condition: written.map(|c| condition(c.is_true, c.reason, &c.message)),
        condition_now: present.map(|c| condition(c.is_true, &c.reason, &c.message)),
        tree: decision.tree.as_deref().map(|tree| json.tree(tree)),
        preemption: preemption.map(|found| json.group_preemption(found, decision)),
        alternative: other.map(|plan| json.group_victims(plan, decision)),
        outcomes: json.outcomes(&decision.outcomes),
        placements: json.placements(decision),
        certainty: decision.certainty().name().into(),
        notes: decision.notes.iter().map(note).collect(),
        ..undecided(view, source, decision.now)
    }
}

fn condition(status: bool, reason: &str, message: &str) -> Condition {
    Condition { status, reason: reason.to_owned(), message: message.to_owned() }
}

/// The JSON of a group that pods name and that does not exist.
fn missing(
    missing: &MissingGroup,
    view: &ClusterView,
    source: SourceKind,
    now: Timestamp,
) -> JsonGroupDecision {
    let json = DecisionJson { cluster: view.cluster };
    let members = &missing.members;
    // Whether it exists may not be known, and then nor is the answer.
    let certainty = if missing.is_unsure(view) { Certainty::Unsure } else { Certainty::Certain };
    JsonGroupDecision {
        group: Group {
            namespace: json.text(missing.namespace),
            name: json.text(missing.name),
            ..Group::default()
        },
        hold: json.group_hold(&missing.summary(view).verdict, members.count()),
        members: members.waiting.iter().map(|pod| json.held(*pod)).collect(),
        running: members.running.iter().map(|pod| json.placed(*pod)).collect(),
        of_other_schedulers: pod_names(&members.of_other_schedulers, view.cluster),
        certainty: certainty.name().into(),
        notes: missing.notes(view).iter().map(note).collect(),
        ..undecided(view, source, now)
    }
}

/// A decision with nothing but what it is based on.
fn undecided(view: &ClusterView, source: SourceKind, now: Timestamp) -> JsonGroupDecision {
    JsonGroupDecision {
        scheduler: scheduler(view.profile),
        source: self::source(&view.cluster.header, source),
        decided_at: now.to_string(),
        outcome: "NotInQueue".into(),
        ..JsonGroupDecision::default()
    }
}

fn hold(pods: usize, kind: &'static str) -> GroupHold {
    GroupHold { kind: kind.into(), pods, ..GroupHold::default() }
}

impl DecisionJson<'_> {
    fn group_hold(&self, verdict: &GroupVerdict, pods: usize) -> Option<GroupHold> {
        // Each kind has the values that explain it, and no others.
        Some(match verdict {
            GroupVerdict::Missing { .. } => hold(pods, "MissingPodGroup"),
            GroupVerdict::NothingWaits => hold(pods, "NothingWaits"),
            GroupVerdict::TooFewPods => hold(pods, "TooFewPods"),
            GroupVerdict::NoParent(name) => GroupHold {
                composite_pod_group: Some(self.text(*name)),
                ..hold(pods, "MissingCompositePodGroup")
            },
            GroupVerdict::TreeTooSmall(lacks) => GroupHold {
                lacking: lacks.iter().map(|lack| self.lack(*lack)).collect(),
                ..hold(pods, "TooFewInTree")
            },
            GroupVerdict::Held(pod, gate) => GroupHold {
                pod: Some(self.cluster.pod_name(*pod)),
                hold: Some(self.hold_of(*pod, gate)),
                ..hold(pods, "Member")
            },
            GroupVerdict::Deleting => hold(pods, "Deleting"),
            GroupVerdict::Error(_)
            | GroupVerdict::NoPriority(..)
            | GroupVerdict::Fits
            | GroupVerdict::Preempts
            | GroupVerdict::Awaits
            | GroupVerdict::Cannot(_) => return None,
        })
    }

    fn lack(&self, lack: GroupShortfall) -> JsonLack {
        JsonLack {
            kind: lack.group.kind().name().into(),
            name: self.text(self.cluster.names_of(lack.group).1),
            has: lack.has,
            needs: lack.needs,
        }
    }

    fn tree(&self, tree: &TreeMembership) -> Tree {
        Tree {
            root: self.cluster.any_group_name(AnyGroup::Groups(tree.root)),
            outcome: tree.outcome.name().into(),
            message: tree.message.clone(),
            groups: tree.rows.iter().map(|row| self.tree_group(row)).collect(),
        }
    }

    fn tree_group(&self, row: &TreeRow) -> TreeGroup {
        TreeGroup {
            kind: row.group.kind().name().into(),
            name: self.text(self.cluster.names_of(row.group).1),
            depth: row.depth,
            needs: row.needs,
            has: row.has,
            tried: row.tried,
        }
    }

    /// A pod that is not tried.
    fn held(&self, ix: PodIx) -> Member {
        let pod = self.cluster.pod(ix);
        Member {
            namespace: self.text(pod.namespace),
            name: pod.name.to_string(),
            uid: pod.uid.to_string(),
            priority: pod.priority,
            result: "Held".into(),
            ..Member::default()
        }
    }

    fn group(&self, group: &PodGroup) -> Group {
        Group {
            namespace: self.text(group.namespace),
            name: self.text(group.name),
            exists: true,
            uid: Some(group.uid.to_string()),
            policy: Some(if group.min_count.is_some() { "gang" } else { "basic" }.into()),
            min_count: group.min_count,
            priority: group.own_priority,
            disruption_mode: Some(match group.disruption {
                DisruptionMode::Single | DisruptionMode::Unset => "single".into(),
                DisruptionMode::All => "all".into(),
            }),
            topology_key: self.named(group.topology_key),
            workload: self.named(group.workload),
            parent: self.named(group.parent),
        }
    }

    /// A text, unless it is empty.
    fn named(&self, sym: Sym) -> Option<String> {
        let text = self.text(sym);
        (!text.is_empty()).then_some(text)
    }

    fn member(&self, pod: PodIx, group: &GroupDecision) -> Member {
        let written = group.written.iter().find(|written| written.pod == pod);
        let trial = group.trial(pod);
        let decision = group.member(pod);
        let result = match &decision.membership {
            Some(membership) => membership.result.name(),
            None => "NotTried",
        };
        let tied = match trial.map(|trial| &trial.result) {
            Some(TrialResult::Placed { tied, .. }) if tied.len() > 1 => tied.as_slice(),
            _ => &[],
        };
        let mut rejected_by = Vec::new();
        for (node, verdict) in self.cluster.node_indices().zip(decision.nodes()) {
            if matches!(verdict, NodeVerdict::Filtered { .. }) {
                rejected_by.push(self.verdict(node, verdict, &decision));
            }
        }
        // Only 1.35 lets a member preempt on its own.
        let mut victims = Vec::new();
        if let Some((_, of_member)) = trial.and_then(|trial| trial.preempts.as_ref()) {
            victims = pod_names(of_member.iter().map(|victim| &victim.pod), self.cluster);
        }
        let condition = written.and_then(|written| written.condition.as_ref());
        Member {
            result: result.into(),
            node: group.node_of(pod).map(|node| self.node(node)),
            tied: node_names(tied, self.cluster),
            condition: condition.map(|(reason, message)| MemberCondition {
                reason: (*reason).to_owned(),
                message: message.clone(),
            }),
            nomination: written.map(|written| match written.nomination {
                NominationChange::Kept => "Kept".into(),
                NominationChange::Cleared => "Cleared".into(),
                NominationChange::To(_) => "Set".into(),
            }),
            pre_filter: self.pre_filter(decision.pre_filter()),
            rejected_by,
            victims,
            ..self.held(pod)
        }
    }

    fn placed(&self, pod: PodIx) -> PodOnNode {
        PodOnNode {
            pod: self.cluster.pod_name(pod),
            node: self.text(self.cluster.pod(pod).node_name),
        }
    }

    fn later(&self, cycle: &LaterCycle) -> JsonLaterCycle {
        JsonLaterCycle {
            outcome: cycle.summary.verdict.name().into(),
            tried: cycle.summary.waiting,
            placed: self.pods_on_nodes(&cycle.placed),
            victims: pod_names(&cycle.victims, self.cluster),
            certainty: Some(cycle.certainty.name().into()),
            outcomes: self.outcomes(&cycle.outcomes),
        }
    }

    /// What a cycle may lead to, if that is more than one thing.
    fn outcomes(&self, outcomes: &PossibleOutcomes) -> Option<Outcomes> {
        let items = outcomes.all.iter().take(LISTED).map(|outcome| PossibleOutcome {
            outcome: outcome.outcome.name().into(),
            placed: self.pods_on_nodes(&outcome.placed),
            victim_sets: outcome
                .sets(LISTED)
                .map(|sets| sets.iter().map(|set| pod_names(set, self.cluster)).collect()),
        });
        let count = outcomes.victim_count();
        outcomes.is_open().then(|| Outcomes {
            complete: outcomes.complete,
            fewest: count.fewest,
            most: count.most,
            always: pod_names(&outcomes.always(), self.cluster),
            among: pod_names(&outcomes.among(), self.cluster),
            items: items.collect(),
            number: outcomes.all.len(),
        })
    }

    fn not_made(&self, found: NotMade) -> JsonNotMade {
        let (reason, message) = match found.cause {
            NotCreatedCause::Event(event) => (self.text(event.reason), event.message.to_string()),
            NotCreatedCause::Status(
                PodHindrance::ReplicaFailure(reason, message)
                | PodHindrance::JobFailed(reason, message),
            ) => (reason.to_string(), message.to_string()),
            NotCreatedCause::Status(PodHindrance::Suspended) => {
                ("Suspended".to_owned(), String::new())
            }
        };
        JsonNotMade { by: format!("{}/{}", found.kind, found.name), reason, message }
    }

    fn group_preemption(&self, found: &GroupPreemption, decision: &GroupDecision) -> Preemption {
        let terminating = match &found.verdict {
            GroupPreemptionVerdict::Ongoing(pods) => pods.as_slice(),
            _ => &[],
        };
        // Only a verdict that evicts has a plan.
        let plan = decision.plan();
        let verdict = match &found.verdict {
            GroupPreemptionVerdict::Never => "Never",
            GroupPreemptionVerdict::Ongoing(_) => "Ongoing",
            GroupPreemptionVerdict::NothingToEvict => "NothingToEvict",
            GroupPreemptionVerdict::NotHelpful(_) => "NotHelpful",
            GroupPreemptionVerdict::Evicts(_) => "Evicts",
            GroupPreemptionVerdict::Failed(_) => "Failed",
        };
        Preemption {
            verdict: verdict.into(),
            message: found.message.clone(),
            terminating: pod_names(terminating, self.cluster),
            victims: plan.map(|plan| self.group_victims(plan, decision)),
            num_pdb_violations: plan.map(|plan| plan.violations),
            pdbs_unknown: plan.is_some() && self.cluster.are_budgets_unknown(),
            placed: plan.map(|plan| self.pods_on_nodes(&plan.placed)),
            potential_victims: found.potential,
        }
    }

    fn pods_on_nodes(&self, placed: &[(PodIx, NodeIx)]) -> Vec<PodOnNode> {
        let on_nodes = placed.iter().map(|(pod, node)| PodOnNode {
            pod: self.cluster.pod_name(*pod),
            node: self.node(*node),
        });
        on_nodes.collect()
    }

    fn group_victims(&self, plan: &GroupPlan, decision: &GroupDecision) -> Vec<GroupVictim> {
        let budgets = BudgetIndex::new(self.cluster, &decision.view.profile.features.preemption);
        let victims = plan.victims.iter().map(|victim| GroupVictim {
            node: self.cluster.node_of(victim.pod).map(|node| self.node(node)),
            together_with: victim.together.map(|group| self.cluster.any_group_name(group)),
            blocks_pod: plan.blocked_by(victim.pod).map(|pod| self.cluster.pod_name(pod)),
            victim: self.victim(victim, &budgets, victim.blocks.as_deref()),
        });
        victims.collect()
    }

    fn placements(&self, decision: &GroupDecision) -> Vec<Placement> {
        if decision.summary().domains == 0 {
            return Vec::new();
        }
        let placements = decision.placements.iter().enumerate().map(|(at, placement)| Placement {
            domain: self.text(placement.domain),
            nodes: node_names(placement.nodes.iter(), self.cluster),
            fits: placement.message.is_none(),
            message: placement.message.clone(),
            score: placement.score,
            chosen: decision.chosen == Some(at),
        });
        placements.collect()
    }
}
