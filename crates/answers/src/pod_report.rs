//! The report about one pod: the decision about it, why, and who acts next. Every format says what
//! stands here, as unescaped strings.

mod lines;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use super::causes::{self, CauseGroup, FirstCause, NodeDistances};
use super::stuck::stuck_victim;
use super::words;
use crate::input_flags::InputFlags;
use crate::silence::Silence;
use crate::verdict::Verdict;
use engine::autoscalers::{Autoscalers, AutoscalingOutlook, Detail};
use engine::cluster::{Cluster, NodeIx, PodIx};
use engine::decision::blockers::Blockers;
use engine::decision::nominated::NominationState;
use engine::decision::verify::VerificationResult;
use engine::decision::{Decision, Explanation, OutcomeKind};
use engine::framework::reason::{Message, Quote};
use engine::framework::status::Rejection;
use engine::preemption::dry_run::{Candidate, Victim};
use engine::preemption::pick_node::{CRITERIA, CriterionUnit, PRIORITY_OFFSET, TieBreakStep};
use engine::preemption::{CANNOT_HELP, NOT_HELPFUL};

/// How the question is answered whether a decision gives the pod a node.
pub fn decision_verdict(decision: &Decision) -> Verdict {
    let stays = matches!(decision.kind(), OutcomeKind::Unschedulable | OutcomeKind::Error(_));
    Verdict::new(!stays || decision.awaited().is_some(), decision.is_unsure())
}

/// That the profile does not preempt.
pub fn preemption_off(decision: &Decision) -> String {
    format!("preemption is off in profile {}", decision.profile().scheduler_name)
}

/// Maximum number of pods named that took the place of a nominated pod.
const TAKERS_NAMED: usize = 2;

pub use self::lines::CauseLine;

/// What is decided about a pod, why, and who acts next.
#[derive(Clone)]
pub struct PodReport<'v> {
    /// The decision, with what explains it.
    pub explanation: Explanation<'v>,
    /// What autoscalers do about the pod, if one was found and the pod needs a node.
    pub autoscaling: Option<Box<AutoscalingOutlook>>,
    /// Whether an autoscaler was found.
    pub has_autoscalers: bool,
    /// What is known of the scheduler, if nobody seems to schedule the pod.
    pub silence: Option<Arc<Silence>>,
    /// The node about which it is asked why the pod does not get it.
    pub why_not: Option<NodeIx>,
    /// How a command asks about the same input.
    pub flags: Arc<InputFlags>,
    groups: Arc<NodeGroups>,
}

/// What is made of the verdicts about thousands of nodes, once something asks for it. It is the same
/// for pods that are alike, and stays when the decision passes on to another one.
#[derive(Default)]
struct NodeGroups {
    distances: OnceLock<NodeDistances>,
    first_causes: OnceLock<Vec<FirstCause>>,
    closest: OnceLock<Vec<CauseGroup>>,
    causes: OnceLock<Vec<RejectionCause>>,
    preemption_failures: OnceLock<Vec<RejectionCause>>,
    /// The place of each selected node among them: thousands may tie.
    places: OnceLock<BTreeMap<NodeIx, usize>>,
}

impl<'v> From<Explanation<'v>> for PodReport<'v> {
    /// Of a decision whose nodes are explained as far as they will be.
    fn from(explanation: Explanation<'v>) -> Self {
        Self {
            explanation,
            autoscaling: None,
            has_autoscalers: false,
            silence: None,
            why_not: None,
            flags: Arc::default(),
            groups: Arc::default(),
        }
    }
}

impl<'v> From<Decision<'v>> for PodReport<'v> {
    fn from(decision: Decision<'v>) -> Self {
        Explanation::from(decision).into()
    }
}

/// A condition that says something else than the scheduler would report now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherCondition<'r> {
    /// Why it differs.
    pub why: String,
    /// What it says.
    pub message: &'r str,
    /// Why it differs, and what it says where that is the answer.
    pub in_short: String,
}

/// What is said about a decision also reads the decision itself.
impl<'v> Deref for PodReport<'v> {
    type Target = Explanation<'v>;

    fn deref(&self) -> &Explanation<'v> {
        &self.explanation
    }
}

/// The nodes that are rejected for the same reasons.
pub struct RejectionCause {
    pub nodes: Vec<NodeIx>,
    /// The plugin that rejects them; empty if no plugin does.
    pub plugin: String,
    /// The reasons in the scheduler's words.
    pub reasons: Vec<Quote>,
    /// Explanations of the reasons, with their values.
    pub details: Vec<String>,
}

/// A pod on a node, for lists of victims and reprieved pods.
pub struct PodSummary {
    /// `namespace/name`.
    pub name: String,
    pub priority: i32,
    pub age: String,
    /// `Kind/name`, or `-`.
    pub owner: String,
    /// Whether it is already being deleted.
    pub terminating: bool,
}

/// A step of the tie-break.
pub struct TieBreakRow {
    /// The name of the criterion.
    pub name: &'static str,
    /// The values of the given nodes; `-` for those that an earlier step eliminated.
    pub values: Vec<String>,
    /// The number of candidates that are left.
    pub left: usize,
    /// Whether this step decides, that is, is the last one.
    pub decides: bool,
}

/// The step of the tie-break that decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecidingStep {
    /// Why the node is chosen, in a clause.
    pub because: &'static str,
    /// The number of candidates that were left before it, and of all of them.
    pub among: usize,
    pub all: usize,
}

/// A node that was scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoredNode {
    pub node: NodeIx,
    /// Its place in the table of scores.
    pub at: usize,
    pub total: i64,
}

/// The criterion whose values are shown without the offset of each victim.
const PRIORITY_SUM: &str =
    "smallest sum of victim priorities, where one more victim always costs more";

/// Maximum number of changes that are shown.
const CHANGES: usize = 3;

/// The texts only.
pub fn texts(quotes: &[Quote]) -> Vec<&str> {
    quotes.iter().map(|quote| quote.text.as_str()).collect()
}

/// The first changes, each of which is already a list.
fn joined(changes: &[String]) -> String {
    let shown = changes.get(..CHANGES).unwrap_or(changes);
    let mut text = shown.join("; ");
    let more = changes.len() - shown.len();
    if more > 0 {
        text.push_str(&format!("; and {}", words::count(more, "more change")));
    }
    text
}

/// The heading of the message that the scheduler writes.
pub const REPORT: &str = "What kube-scheduler will report";
/// The heading of a condition of a pod that fits.
pub const REPORTED: &str = "What kube-scheduler has reported";

impl<'v> PodReport<'v> {
    /// How the question is answered whether the pod gets a node. One that an autoscaler adds for it
    /// is one, and it is uncertain whether the pod runs if another pod takes the room.
    pub fn verdict(&self) -> Verdict {
        let is_added = matches!(self.kind(), OutcomeKind::Unschedulable)
            && self.next_step().is_some_and(|outlook| outlook.verdict.adds_node());
        let is_down = self.silence.as_ref().is_some_and(|silence| silence.is_down());
        let of_cycle = match (is_down, is_added) {
            (true, _) => Verdict::No,
            (false, true) => Verdict::Yes,
            (false, false) => decision_verdict(self),
        };
        of_cycle.max(Verdict::new(true, self.is_unsure() || self.competitors.is_certain()))
    }

    /// Finds out what autoscalers do about the pod.
    pub(crate) fn seek_autoscaling(&mut self, all: Option<&Autoscalers>, detail: Detail) {
        let outlook = all.and_then(|all| all.about(self, detail));
        self.autoscaling = outlook.map(Box::new);
        self.has_autoscalers = all.is_some();
    }

    /// What autoscalers do about a pod that is scheduled alone: what they do about the members of a
    /// group is said of the group.
    pub fn next_step(&self) -> Option<&AutoscalingOutlook> {
        self.autoscaling.as_deref().filter(|_| self.membership.is_none())
    }

    /// What stands in the way on the nodes, by one reason for each: a request that no node could
    /// ever meet, or else the scheduler's first. The nodes nearest to taking the pod come first;
    /// among equally near ones, the most nodes.
    pub fn first_causes(&self) -> &[FirstCause] {
        self.groups.first_causes.get_or_init(|| {
            let (distances, causes) = causes::first_causes(&self.explanation);
            // If these were known already, they are the same.
            let _ = self.groups.distances.set(distances);
            causes
        })
    }

    /// The nodes by all plugins that reject them. The nodes nearest to taking the pod come first.
    pub fn closest_causes(&self) -> &[CauseGroup] {
        let distances =
            self.groups.distances.get_or_init(|| NodeDistances::find(&self.explanation));
        self.groups.closest.get_or_init(|| causes::closest_causes(&self.explanation, distances))
    }

    /// The condition that the pod carries, if it differs from what the scheduler would report now.
    pub fn other_condition(&self) -> Option<OtherCondition<'_>> {
        // An error is not the scheduler's answer about the nodes, so there is nothing to compare.
        if let Some(condition) = self.cluster().pod(self.pod).scheduled_condition.as_deref()
            && &*condition.reason == "SchedulerError"
        {
            // Of a pod that fits it is why it may still be pending.
            if self.kind() == OutcomeKind::Schedulable {
                return None;
            }
            let why = "The pod's condition: its last attempt ended with an error".to_owned();
            let in_short = format!("{why}: {}", condition.message);
            return Some(OtherCondition { why, message: &condition.message, in_short });
        }
        let found = self.condition.as_ref()?;
        let message = found.written.as_deref()?;
        let changes = joined(&found.evidence);
        let why = match (found.verdict, found.writers()) {
            (VerificationResult::Equal | VerificationResult::NoMessage, _) => return None,
            (VerificationResult::Stale, _) => {
                format!("The pod's condition is older ({}; {changes})", found.what)
            }
            (VerificationResult::Different, Some(versions)) => {
                format!(
                    "The pod's condition has the wording of kube-scheduler {versions}: does the cluster run it?"
                )
            }
            (VerificationResult::Different, None) => {
                "The pod's condition says something else, and no visible change explains it"
                    .to_owned()
            }
        };
        let in_short = "The pod's condition differs from this answer: verify says how".to_owned();
        Some(OtherCondition { why, message, in_short })
    }

    pub fn cluster(&self) -> &'v Cluster {
        self.view.cluster
    }

    /// The name of a node.
    pub fn node(&self, node: NodeIx) -> &'v str {
        self.cluster().node_name(node)
    }

    /// The pod of the decision as `namespace/name`.
    pub fn pod(&self) -> String {
        self.cluster().pod_name(self.pod)
    }

    /// A summary of a pod on a node.
    pub fn pod_summary(&self, ix: PodIx) -> PodSummary {
        let (cluster, pod) = (self.cluster(), self.cluster().pod(ix));
        let owner = pod.controller.map(|owner| cluster.owner_name(&owner));
        PodSummary {
            name: cluster.pod_name(ix),
            priority: pod.priority,
            age: match pod.start_time {
                Some(start) => words::age(self.now.as_second() - start.as_second()),
                None => "not started".to_owned(),
            },
            owner: owner.unwrap_or_else(|| "-".to_owned()),
            terminating: pod.is_terminating(),
        }
    }

    /// That annotations of a victim do not protect it, if it has any that seem to.
    pub fn unprotected(&self, pod: PodIx) -> Option<String> {
        let guards = self.cluster().eviction_guards(self.cluster().pod(pod));
        let names: Vec<&str> = guards.iter().map(|guard| guard.annotation()).collect();
        let verb = if names.len() == 1 { "does" } else { "do" };
        (!names.is_empty())
            .then(|| format!("{} {verb} not protect from preemption", names.join(" and ")))
    }

    /// The budgets that a victim's eviction violates.
    pub fn budgets(&self, victim: &Victim) -> Vec<String> {
        let budgets = victim.violates.iter().map(|b| self.cluster().budget(*b));
        budgets.map(|b| format!("{} (allows {})", b.name, b.allowed.max(0))).collect()
    }

    /// Per victim of a candidate, the plugin that would reject the preemptor if it stayed, with its
    /// reasons.
    #[must_use]
    pub fn blocks(&self, candidate: &Candidate, blockers: &Blockers) -> BTreeMap<PodIx, String> {
        let mut texts = BTreeMap::new();
        for (pod, (plugin, rejection)) in blockers.of(candidate) {
            let reasons = self.with_operands(&rejection).join(", ");
            texts.insert(pod, format!("{plugin}: {reasons}"));
        }
        texts
    }

    /// The reasons with their values.
    pub fn with_operands(&self, rejection: &Rejection) -> Vec<String> {
        let reasons = rejection.reasons.iter().map(|reason| {
            let text = reason.text.render(self.cluster());
            causes::operands(reason, self.cluster())
                .map_or(text.to_string(), |o| format!("{text} ({o})"))
        });
        reasons.collect()
    }

    /// Why nodes are rejected, the most frequent reason first.
    pub fn causes(&self) -> &[RejectionCause] {
        self.groups.causes.get_or_init(|| self.find_causes())
    }

    fn find_causes(&self) -> Vec<RejectionCause> {
        if let Some(group) = causes::of_pre_filter(self) {
            return Self::of_groups(&[group]);
        }
        let mut causes = Self::of_groups(self.closest_causes());
        let excluded = self.excluded_by_pre_filter();
        if !excluded.is_empty() {
            let (reasons, details) = (vec![self.excluded()], causes::narrowing(self));
            causes.push(RejectionCause {
                nodes: excluded,
                plugin: "PreFilter".to_owned(),
                reasons,
                details,
            });
        }
        causes
    }

    /// The reason for nodes that PreFilter excludes.
    pub fn excluded(&self) -> Quote {
        self.pre_filter_exclusion().unwrap_or_else(|| {
            Quote::unknown("not among the nodes that the pod asks for by name".to_owned())
        })
    }

    /// The same with the explanations of the plugins that allowed only some nodes.
    pub fn excluded_with_operands(&self) -> String {
        let (text, why) = (self.excluded().text, causes::narrowing(self));
        if why.is_empty() { text } else { format!("{text} ({})", why.join("; ")) }
    }

    fn grouped<'r>(
        &self,
        rejections: impl Iterator<Item = (NodeIx, &'static str, &'r Rejection)>,
    ) -> Vec<RejectionCause> {
        Self::of_groups(&causes::group(rejections, self.cluster()))
    }

    fn of_groups(groups: &[CauseGroup]) -> Vec<RejectionCause> {
        let mut causes = Vec::with_capacity(groups.len());
        for group in groups {
            let mut details = group.details_and_remark();
            details.extend(group.held_by.iter().chain(&group.more_details).cloned());
            details.extend(group.also.iter().map(|also| format!("also {also}")));
            causes.push(RejectionCause {
                nodes: group.nodes.clone(),
                plugin: group.plugin.to_owned(),
                reasons: group.reasons.clone(),
                details,
            });
        }
        causes
    }

    /// Why evictions do not help, grouped by reason.
    pub fn preemption_failures(&self) -> &[RejectionCause] {
        self.groups.preemption_failures.get_or_init(|| self.find_preemption_failures())
    }

    fn find_preemption_failures(&self) -> Vec<RejectionCause> {
        let Some(report) = self.preemption().filter(|r| r.tried()) else {
            return Vec::new();
        };
        let mut causes = self.grouped(report.rejections());
        for (node, run) in &report.dry_runs {
            let reasons =
                run.failure().map(|failure| vec![Quote::unknown(failure.text().to_owned())]);
            causes.extend(reasons.map(|reasons| RejectionCause {
                nodes: vec![*node],
                plugin: String::new(),
                reasons,
                details: Vec::new(),
            }));
        }
        let nodes = report.not_tried(self.cluster());
        if !nodes.is_empty() {
            let reasons = vec![NOT_HELPFUL.reason().quote(self.cluster())];
            let details = vec![CANNOT_HELP.to_owned()];
            causes.push(RejectionCause { nodes, plugin: String::new(), reasons, details });
        }
        causes
    }

    /// That preemption is not tried, and why, if it is not: the profile does not preempt, or the pod
    /// may not. A sentence without a full stop.
    pub fn untried(&self) -> Option<String> {
        let preemption = self.preemption()?;
        if preemption.off {
            return Some(format!("Preemption is not tried: {}", preemption_off(self)));
        }
        // Only a nominated node with terminating pods is the other reason.
        Some(if preemption.ineligible.as_ref()?.terminating.is_empty() {
            "Preemption is not tried: the pod forbids it (preemptionPolicy: Never)".to_owned()
        } else {
            "No new preemption while pods of lower priority terminate on its nominated node"
                .to_owned()
        })
    }

    /// Adds to a group of failed dry runs that they were made without any pod of lower priority.
    pub fn after_evictions(&self, group: &mut CauseGroup) {
        if !group.plugin.is_empty() {
            group
                .details
                .iter_mut()
                .for_each(|detail| detail.push_str(", even without the pods of lower priority"));
            return;
        }
        let preemptor = self.pod;
        let equal = group
            .nodes
            .iter()
            .map(|node| self.cluster().pods_of_equal_priority(*node, preemptor))
            .sum();
        let mut text = "no pod of lower priority to evict".to_owned();
        if equal > 0 {
            let priority = self.cluster().pod(preemptor).priority;
            text.push_str(&format!(
                ", but {} of equal priority {priority}",
                words::count(equal, "pod")
            ));
        }
        group.details = vec![text];
    }

    /// When a terminating pod should be gone, in parentheses after a space.
    pub fn due(&self, pod: PodIx) -> String {
        let Some(due) = self.cluster().pod(pod).deletion else { return String::new() };
        let left = due.as_second() - self.now.as_second();
        if left >= 0 {
            format!(" (due in {})", words::age(left))
        } else {
            format!(" (overdue by {})", words::age(-left))
        }
    }

    /// The nodes that reject the pod and have resources reserved for pods nominated to them, with
    /// these pods.
    pub fn reserved(&self) -> Vec<(NodeIx, Vec<String>)> {
        let mut reserved = Vec::new();
        for (node, ..) in self.rejections() {
            let nominated = self.view.nominated_pods(node, self.pod);
            let pods: Vec<String> = nominated.map(|pod| self.cluster().pod_name(pod)).collect();
            if !pods.is_empty() {
                reserved.push((node, pods));
            }
        }
        reserved
    }

    /// The state of the pod's own nomination, unless the verdict gives it: why it no longer holds
    /// or what blocks the victims, what it keeps from other pods, and what ends it. Sentences
    /// without a full stop.
    pub fn own_nomination(&self) -> Vec<String> {
        let cluster = self.cluster();
        let Some(nomination) = self.nomination() else { return Vec::new() };
        let name = cluster.text(nomination.node);
        let ends = nomination.ends.clause();
        let mut told = match &nomination.state {
            NominationState::Used | NominationState::Waits => return Vec::new(),
            NominationState::NodeGone => {
                return vec![format!(
                    "nominated to {name}, which no longer exists: it reserves nothing; {ends}"
                )];
            }
            NominationState::Stuck(victims) => {
                victims.iter().map(|victim| stuck_victim(victim, cluster)).collect()
            }
            NominationState::DoesNotFit { rejection, takers } => {
                let why = self.why_nomination_fails(rejection, takers);
                vec![format!("nominated to {name}, which does not fit: {why}")]
            }
            NominationState::OtherNode => {
                vec![format!("nominated to {name}, which is not selected")]
            }
        };

        // A nomination that no longer helps its pod still keeps the room from others.
        let priority = cluster.pod(self.pod).priority;
        let reserved: Vec<String> = self
            .requested()
            .iter()
            .map(|(resource, amount)| format!("{resource}={amount}"))
            .collect();
        let reserves = if reserved.is_empty() {
            "a place for a pod".to_owned()
        } else {
            reserved.join(" and ")
        };
        told.push(format!(
            "it reserves {reserves} on {name} against pods of priority {priority} or lower; {ends}"
        ));
        told
    }

    /// Why the pod does not fit on its nominated node; for resources, also which pods that it
    /// cannot preempt use them.
    fn why_nomination_fails(&self, rejection: &Rejection, takers: &[PodIx]) -> String {
        let cluster = self.cluster();
        let groups = causes::group(std::iter::once((NodeIx(0), "", rejection)), cluster);
        let mut text = groups.first().map(causes::CauseGroup::cause).unwrap_or_default();
        if !takers.is_empty() {
            let names: Vec<String> = takers.iter().map(|pod| cluster.pod_name(*pod)).collect();
            let has = if names.len() == 1 { "has" } else { "have" };
            text.push_str(&format!("; {} {has} taken the room", words::list(&names, TAKERS_NAMED)));
        }
        text
    }

    /// The candidates: the winners first, then the others in reverse order of their elimination by
    /// the tie-break.
    pub fn ranked(&self) -> Vec<&Candidate> {
        let Some(report) = self.preemption() else { return Vec::new() };
        let places = self.places();
        let mut candidates: Vec<&Candidate> = report.candidates().collect();
        candidates.sort_by_cached_key(|c| {
            let place = places.get(&c.node).copied().unwrap_or(usize::MAX);
            let steps = report.tie_break.iter();
            let survived = steps.filter(|step| step.survivors.binary_search(&c.node).is_ok());
            (place, std::cmp::Reverse(survived.count()), c.node)
        });
        candidates
    }

    /// Whether a node wins the tie-break.
    pub fn wins(&self, node: NodeIx) -> bool {
        self.preemption().is_some() && self.places().contains_key(&node)
    }

    /// Whether other nodes may win the tie-break, too.
    pub fn is_tied(&self) -> bool {
        self.places().len() > 1
    }

    fn places(&self) -> &BTreeMap<NodeIx, usize> {
        self.groups.places.get_or_init(|| {
            self.selected().iter().enumerate().map(|(at, node)| (*node, at)).collect()
        })
    }

    /// Why the scheduler may pick any of several candidates.
    pub fn why_several(&self, winners: usize) -> String {
        let nodes = words::count(winners, "node");
        if self.odds().is_some() {
            format!(
                "kube-scheduler only samples candidates: it may pick one of {nodes}, the most likely first."
            )
        } else {
            format!("Still tied after the last step: {nodes}. kube-scheduler may take any of them.")
        }
    }

    /// Candidates that the scheduler may pick.
    pub fn winners(&self) -> impl Iterator<Item = &Candidate> {
        self.ranked().into_iter().filter(|candidate| self.wins(candidate.node))
    }

    /// The tie-break, with the values of `nodes`.
    pub fn tie_break(&self, nodes: &[NodeIx]) -> Vec<TieBreakRow> {
        let Some(report) = self.preemption() else { return Vec::new() };
        let last = report.tie_break.len().saturating_sub(1);
        let mut rows = Vec::with_capacity(report.tie_break.len());
        for (index, step) in report.tie_break.iter().enumerate() {
            let name = CRITERIA.get(step.criterion).map_or("", |criterion| match criterion.unit {
                CriterionUnit::PrioritySum => PRIORITY_SUM,
                _ => criterion.name,
            });
            let values = nodes.iter().map(|node| self.compared(step, *node));
            rows.push(TieBreakRow {
                name,
                values: values.map(|value| value.unwrap_or_else(|| "-".to_owned())).collect(),
                left: step.survivors.len(),
                decides: index == last && report.winners.len() == 1,
            });
        }
        rows
    }

    /// The last step of the tie-break, which decides; `None` without a choice, and if nodes stay tied.
    pub fn deciding_step(&self) -> Option<DecidingStep> {
        let report = self.preemption().filter(|report| report.winners.len() == 1)?;
        let step = report.tie_break.last()?;
        Some(DecidingStep {
            because: CRITERIA.get(step.criterion)?.because,
            among: step.values.len(),
            all: report.candidates().count(),
        })
    }

    /// The nodes that were scored, the highest total first, each with its place in the table.
    pub fn ranked_scores(&self) -> Vec<ScoredNode> {
        let Some(table) = self.scores() else { return Vec::new() };
        let nodes = table.nodes.iter().zip(&table.totals).enumerate();
        let mut ranked: Vec<ScoredNode> = nodes
            .map(|(at, (node, total))| ScoredNode { node: *node, at, total: *total })
            .collect();
        ranked.sort_by_key(|scored| (Reverse(scored.total), scored.node));
        ranked
    }

    /// What a step of the tie-break compares on a node; `None` if an earlier step eliminated it.
    /// Times are ages; a sum of priorities is the plain sum with the number of victims, each of
    /// which adds to the cost.
    pub fn compared(&self, step: &TieBreakStep, node: NodeIx) -> Option<String> {
        let value = *step.values.get(&node)?;
        Some(match CRITERIA.get(step.criterion)?.unit {
            CriterionUnit::Violations if self.cluster().are_budgets_unknown() => {
                words::UNKNOWN.to_owned()
            }
            CriterionUnit::Number | CriterionUnit::Violations => value.to_string(),
            CriterionUnit::PrioritySum => {
                let victims = self.candidate(node)?.victims.len();
                let sum = i64::try_from(victims)
                    .ok()
                    .and_then(|n| value.checked_sub(n.checked_mul(PRIORITY_OFFSET)?))?;
                format!("{sum} ({})", words::count(victims, "pod"))
            }
            CriterionUnit::Time => format!(
                "{} ago",
                words::age(self.now.as_second() - value.div_euclid(1_000_000_000))
            ),
        })
    }

    /// The reasons of nodes and of preemption, without duplicates, each with its message.
    pub fn messages(&self) -> Vec<(String, &'static Message)> {
        let mut seen = BTreeSet::new();
        let causes = self.causes().iter().chain(self.preemption_failures());
        let quotes = causes
            .flat_map(|cause| &cause.reasons)
            .filter_map(|q| Some((q.text.as_str(), q.message?)));
        let ineligible = self.preemption().and_then(|report| report.ineligible.as_ref());
        let all = quotes.chain(ineligible.map(|found| (found.reason.text, found.reason)));
        all.filter(|(text, _)| seen.insert(*text))
            .map(|(text, message)| (text.to_owned(), message))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn list_changes_are_distinguished() {
        let changes =
            |count: usize| (0..count).map(|at| format!("a{at}, b and 2 more")).collect::<Vec<_>>();
        assert_eq!(joined(&[]), "");
        assert_eq!(joined(&changes(2)), "a0, b and 2 more; a1, b and 2 more");
        assert!(joined(&changes(4)).ends_with("; a2, b and 2 more; and 1 more change"));
        assert!(joined(&changes(5)).ends_with("; and 2 more changes"));
    }
}
