//! The verdict in one sentence.

use super::autoscaling;
use super::pod_group::member;
use super::pod_report::{PodReport, preemption_off};
use super::stuck::{kept_by, longest_stuck};
use super::verdict::Verdict;
use super::{competition, holder, not_running, words};
use engine::cluster::{Cluster, NodeIx};
use engine::decision::handlers::{HeldBy, PodHandler};
use engine::decision::lingering::Lingering;
use engine::decision::sampling::Likelihood;
use engine::decision::{CycleErrorKind, Decision, Outcome};
use engine::framework::cycle::PreFilter;
use engine::notes::{Note, Severity};
use engine::preemption::PreemptionReport;
use engine::profile::{Profile, VersionGap, VersionSource};
use jiff::Timestamp;

/// Below this probability, the most likely node is hardly more likely than others.
const UNLIKELY: f64 = 0.05;
/// Above this probability, a node is more likely than all others together.
const LIKELY: f64 = 0.5;
/// Maximum difference between probabilities that are equal except for rounding.
const ROUNDING: f64 = 1e-9;

/// The pod and its verdict as a sentence of plain, unescaped text, and whether it is certain.
pub fn headline(decision: &PodReport) -> String {
    let cluster = decision.view.cluster;
    let (name, priority) = (cluster.pod_name(decision.pod), cluster.pod(decision.pod).priority);
    let head = format!("{name} (priority {priority}): ");
    let verdict = verdict_and_next(decision, head.chars().count());
    format!("{head}{verdict}.{}", doubt(decision.notes.iter()))
}

/// The same with how long the pod has been pending.
pub fn headline_at(decision: &PodReport, now: Timestamp) -> String {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    let waits = match pod.created.filter(|_| pod.is_waiting()) {
        Some(created) => format!(", pending {}", words::age(now.as_second() - created.as_second())),
        None => String::new(),
    };
    let name = cluster.pod_name(decision.pod);
    let head = format!("{name} (priority {}{waits}): ", pod.priority);
    let verdict = verdict_and_next(decision, head.chars().count());
    format!("{head}{verdict}.{}", doubt(decision.notes.iter()))
}

/// The verdict, and who acts next if an autoscaler was found. `head` columns of the line are
/// already taken.
pub fn verdict_and_next(decision: &PodReport, head: usize) -> String {
    if let Some(silence) = &decision.silence {
        return format!("{}; {}", silence.clause(), if_looked_at(decision));
    }
    let verdict = decision
        .next_step()
        .and_then(|told| autoscaling::verdict(decision, told, head, &evicts(decision)))
        .unwrap_or_else(|| verdict(decision));
    match competition::clause(&decision.competitors) {
        Some(clause) => format!("{verdict}, {clause}"),
        None => verdict,
    }
}

/// What the scheduler would do with a pod that none looks at.
fn if_looked_at(decision: &Decision) -> String {
    let rules = "by kube-scheduler's rules";
    match &decision.outcome {
        Outcome::Schedulable { .. } => format!("{rules} it fits on {}", feasible(decision)),
        Outcome::Preempt { .. } => format!("{rules} no node fits, and evictions would help"),
        Outcome::NotInQueue(_) => {
            let cluster = decision.view.cluster;
            let template = cluster.template(cluster.pod(decision.pod));
            format!("it names scheduler \"{}\"", cluster.text(template.scheduler_name))
        }
        Outcome::Unschedulable { .. } | Outcome::Error(_) => {
            format!("{rules} {}", verdict(decision))
        }
    }
}

/// The version whose rules decided, and why it is assumed, in a few words.
pub fn rules_in_short(profile: &Profile) -> String {
    let version = &profile.version;
    match (&profile.version_gap, profile.source) {
        (None, VersionSource::StaticPod) => format!("{version} (from its static pod)"),
        (None, _) => version.to_string(),
        (Some(_), VersionSource::Kubelets) => format!("{version} (assumed from the kubelets)"),
        (Some(VersionGap::NotInInput), _) => {
            format!("{version} (assumed: no version in the input)")
        }
        (Some(VersionGap::NotAnswered), _) => {
            format!("{version} (assumed: the server reports none)")
        }
        (Some(VersionGap::NotKnown(said)), _) => {
            format!("{version} (assumed: {said} is not known)")
        }
    }
}

/// The version whose rules decided and why, if it is assumed.
pub fn assumed_rules(profile: &Profile) -> Option<String> {
    profile.version_gap.as_ref().map(|_| rules_in_short(profile))
}

/// The sentence, after a space, that follows a verdict which error-level notes make uncertain;
/// otherwise empty.
pub fn doubt<'n>(notes: impl Iterator<Item = &'n Note>) -> String {
    let mut errors: Vec<&Note> = Vec::new();
    for note in notes.filter(|note| note.severity == Severity::Error) {
        if errors.iter().all(|known| !known.says_the_same(note)) {
            errors.push(note);
        }
    }
    match errors.len() {
        0 => String::new(),
        1 => " This is not certain: see the note.".to_owned(),
        n => format!(" This is not certain: see the {n} notes."),
    }
}

/// What an answer means for the pod in question, the same for every question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It gets what it needs.
    Yes,
    /// Only at a cost, such as evictions.
    Costs,
    /// It does not.
    No,
    /// The answer is not certain.
    Unknown,
    /// The question does not apply, as to a pod that is not in the queue.
    Aside,
}

impl From<Verdict> for Standing {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Yes => Self::Yes,
            Verdict::No => Self::No,
            Verdict::Uncertain => Self::Unknown,
        }
    }
}

/// The standing of a decision's pod.
pub fn standing(decision: &PodReport) -> Standing {
    match &decision.outcome {
        _ if decision.silence.is_some() => Standing::Costs,
        _ if decision.is_unsure() => Standing::Unknown,
        Outcome::NotInQueue(_) => Standing::Aside,
        Outcome::Schedulable { .. } if counted_out(decision).is_some() => Standing::Aside,
        Outcome::Schedulable { .. }
            if decision.permit.as_ref().is_some_and(|permit| !permit.is_met()) =>
        {
            Standing::Aside
        }
        Outcome::Schedulable { .. } => Standing::Yes,
        Outcome::Preempt { .. } => Standing::Costs,
        Outcome::Unschedulable { .. } if !decision.stuck_victims().is_empty() => Standing::Costs,
        Outcome::Unschedulable { .. } if decision.awaited().is_some() => Standing::Yes,
        Outcome::Unschedulable { .. } | Outcome::Error(_) => Standing::No,
    }
}

/// The program whose plugin rejects a pod that fits by kube-scheduler's own rules.
pub fn counted_out(decision: &Decision) -> Option<PodHandler> {
    if !matches!(decision.outcome, Outcome::Schedulable { .. }) {
        return None;
    }
    decision.holder().filter(|holder| holder.by == HeldBy::Quota)
}

/// The outcome as a clause about the pod, without its name and without a full stop.
pub fn verdict(decision: &Decision) -> String {
    let cluster = decision.view.cluster;
    if let Some(membership) = &decision.membership {
        return member(membership, decision.view);
    }
    if let Some(holder) = counted_out(decision) {
        let held = holder::held(&holder, decision.pod, cluster);
        let (fitting, all) = (decision.feasible().count(), cluster.nodes.len());
        return format!("{held}; kube-scheduler's own filters pass {fitting} of {all} nodes");
    }
    match &decision.outcome {
        Outcome::NotInQueue(_) => {
            let (view, pod) = (decision.view, decision.pod);
            holder::clause(decision)
                .or_else(|| not_running::clause(view, pod, decision.now))
                .or_else(|| decision.gate())
                .unwrap_or_default()
        }
        Outcome::Error(error) => match error.kind {
            CycleErrorKind::Crash => {
                format!(
                    "kube-scheduler {} crashes when it schedules this pod",
                    decision.profile().version
                )
            }
            CycleErrorKind::CycleError => "the scheduling cycle ends with an error".to_owned(),
            CycleErrorKind::Timeout => "the scheduling cycle takes too long and ends".to_owned(),
        },
        Outcome::Schedulable { .. } => {
            match decision.permit.as_ref().filter(|permit| !permit.is_met()) {
                None => fits(decision),
                Some(permit) => format!(
                    "{}, where it waits for its gang: {} of the {} pods that it needs get a node",
                    fits(decision),
                    permit.assumed,
                    permit.min_count
                ),
            }
        }
        Outcome::Preempt { .. } => format!("no node fits; {}", evicts(decision)),
        Outcome::Unschedulable { .. } if cluster.nodes.is_empty() => {
            "it cannot be scheduled: there are no nodes".to_owned()
        }
        Outcome::Unschedulable { .. } => {
            let stuck = decision.stuck_victims();
            if let Some(longest) = longest_stuck(&stuck) {
                return stuck_on(decision, &stuck, longest);
            }
            if let Some(awaited) = decision.awaited() {
                // Nobody knows when a finalizer is taken away.
                let due = awaited.victims.iter().map(|victim| {
                    let pod = cluster.pod(victim.pod);
                    pod.deletion.filter(|due| pod.finalizers.is_empty() || *due < decision.now)
                });
                return once_gone("it gets", cluster.node_name(awaited.node), due, decision.now);
            }
            let why = match decision.preemption() {
                Some(PreemptionReport { off: true, .. }) => preemption_off(decision),
                Some(PreemptionReport { ineligible: Some(ineligible), .. }) => {
                    // Only a nominated node with terminating pods is the other reason.
                    if ineligible.terminating.is_empty() {
                        "it cannot preempt others (preemptionPolicy: Never)".to_owned()
                    } else {
                        "it waits for pods that it has evicted before".to_owned()
                    }
                }
                Some(_) => "preemption does not help".to_owned(),
                None => return rejected_before_nodes(decision),
            };
            format!("no node fits, and {why}")
        }
    }
}

/// Why no node is asked at all.
fn rejected_before_nodes(decision: &Decision) -> String {
    let PreFilter::Rejected { rejection, .. } = decision.pre_filter() else {
        return "no node fits, and preemption is not tried".to_owned();
    };
    let cluster = decision.view.cluster;
    let why: Vec<_> = rejection.reasons.iter().map(|reason| reason.text.render(cluster)).collect();
    format!("no node fits: {}", why.join(", "))
}

/// What a pod or group gets once terminating pods are gone, each due at a time in `due`.
pub fn once_gone(
    gets: &str,
    nodes: &str,
    due: impl Iterator<Item = Option<Timestamp>> + Clone,
    now: Timestamp,
) -> String {
    let number = due.clone().count();
    let (pods, are) =
        (words::count(number, "terminating pod"), if number == 1 { "is" } else { "are" });
    let are_known = due.clone().all(|due| due.is_some());
    let left = due.flatten().map(|due| due.as_second() - now.as_second());
    match (left.clone().min(), left.max().filter(|_| are_known)) {
        // Overdue pods are what they wait for.
        (Some(left), _) if left < 0 => {
            format!("{gets} {nodes} when {pods} {are} gone (overdue by {})", words::age(-left))
        }
        (_, Some(left)) => {
            format!("{gets} {nodes} in about {}, when {pods} {are} gone", words::age(left))
        }
        (_, None) => format!("{gets} {nodes} when {pods} {are} gone"),
    }
}

/// That a pod waits for overdue victims, and what blocks the one that has been overdue the longest.
fn stuck_on(decision: &Decision, stuck: &[Lingering], longest: &Lingering) -> String {
    let cluster = decision.view.cluster;
    let node = cluster.text(cluster.pod(decision.pod).nominated_node);
    let others = match stuck.len() - 1 {
        0 => String::new(),
        n => format!(" and {}", words::count(n, "more victim")),
    };
    let overdue = words::age(longest.overdue);
    let (name, why) = (cluster.pod_name(longest.pod), kept_by(longest, cluster).join("; "));
    format!("stuck: it waits on {node} for {name}{others}, overdue by {overdue} ({why})")
}

/// What kube-scheduler does if preemption helps.
fn evicts(decision: &Decision) -> String {
    let cluster = decision.view.cluster;
    let count =
        decision.selected().first().map(|node| decision.victim_count(*node)).unwrap_or_default();
    // Up to 1.21 preemption may find a node on which the pod fits without evictions.
    let evict = match count.most {
        0 => "nominate it".to_owned(),
        1 => format!("evict {count} pod"),
        _ => format!("evict {count} pods"),
    };
    match (decision.odds(), decision.selected()) {
        (Some(odds), [node, ..]) => {
            let place = |likely: Likely| {
                let will = likely.verb();
                format!("kube-scheduler {will}{evict} on {}", cluster.node_name(*node))
            };
            sampled(odds.likelihood(), place, |possible| {
                format!("kube-scheduler will evict pods on one of {possible}")
            })
        }
        (_, [node]) => {
            let which = if decision.victims_are_open(*node) {
                ", and which ones depends on an order that the API does not show"
            } else {
                ""
            };
            format!("kube-scheduler will {evict} on {}{which}", cluster.node_name(*node))
        }
        (_, [one, other]) => {
            format!(
                "kube-scheduler will evict pods on {} or {}",
                cluster.node_name(*one),
                cluster.node_name(*other)
            )
        }
        (_, several) => format!(
            "kube-scheduler will evict pods on one of {}",
            words::count(several.len(), "node")
        ),
    }
}

/// How likely kube-scheduler takes the most likely node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likely {
    /// Certain with every start of the search.
    Sure,
    /// More often than not.
    Most,
    /// Less often.
    Maybe,
}

impl Likely {
    /// As a verb before another one, with a trailing space.
    pub const fn verb(self) -> &'static str {
        match self {
            Self::Sure => "will ",
            Self::Most => "will most likely ",
            Self::Maybe => "may ",
        }
    }

    /// As an adverb with a trailing space; empty if it is certain.
    pub const fn adverb(self) -> &'static str {
        match self {
            Self::Sure => "",
            Self::Most => "most likely ",
            Self::Maybe => "perhaps ",
        }
    }
}

/// What a scheduler that samples nodes does: `likely` with the most likely node, preceded by how
/// likely that is, or `anywhere` with the number of possible nodes if that is unknown, negligible,
/// or equal for all of them.
pub fn sampled(
    likelihood: Likelihood,
    likely: impl FnOnce(Likely) -> String,
    anywhere: impl FnOnce(&str) -> String,
) -> String {
    let possible = words::count(likelihood.possible, "node");
    let Some(probability) = likelihood.probability.filter(|probability| *probability >= UNLIKELY)
    else {
        return anywhere(&possible);
    };
    let about = if likelihood.complete { "" } else { "about " };
    let percent = format!("{about}{}", words::percent(probability));
    // The most likely of several nodes is certain only if each of them is.
    let alike = likelihood.possible > 1
        && (probability * f64::from(u32::try_from(likelihood.possible).unwrap_or(u32::MAX)) - 1.0)
            .abs()
            < ROUNDING;
    match (likelihood.complete, likelihood.possible) {
        (true, 1) => format!("{}, wherever it starts its search", likely(Likely::Sure)),
        _ if alike => format!("{}, each {about}as likely", anywhere(&possible)),
        _ if probability > LIKELY => {
            format!("{} ({percent}); {possible} are possible", likely(Likely::Most))
        }
        _ => format!("{} ({percent}), the likeliest of {possible}", likely(Likely::Maybe)),
    }
}

/// How many nodes take the pod.
fn feasible(decision: &Decision) -> String {
    match decision.view.cluster.nodes.len() {
        1 => "the only node".to_owned(),
        n => format!(
            "{} of {}",
            words::group_digits(decision.feasible().count()),
            words::count(n, "node")
        ),
    }
}

fn fits(decision: &Decision) -> String {
    let cluster = decision.view.cluster;
    let total = feasible(decision);
    let nominated = cluster.pod(decision.pod).nominated_node;
    // Which nodes a large cluster's scheduler looks at is chance, so the node is likely at best.
    if let Some(odds) = decision.odds() {
        let node =
            decision.selected().first().map(|node| cluster.node_name(*node)).unwrap_or_default();
        let picks = |likely: Likely| format!("kube-scheduler {}pick {node}", likely.verb());
        let anywhere = |possible: &str| format!("kube-scheduler will pick one of {possible}");
        return format!("it fits on {total}; {}", sampled(odds.likelihood(), picks, anywhere));
    }
    match decision.selected() {
        [node] => {
            let why = if cluster.node(*node).name == nominated {
                ", to which it is nominated"
            } else if decision.scores().is_some() {
                ", which scores highest"
            } else {
                ""
            };
            format!(
                "it fits on {total}; kube-scheduler will pick {}{why}",
                cluster.node_name(*node)
            )
        }
        several => {
            format!("it fits on {total}; kube-scheduler will pick {}", one_of(cluster, several))
        }
    }
}

/// One of several nodes; two are named.
fn one_of(cluster: &Cluster, nodes: &[NodeIx]) -> String {
    match nodes {
        [one, other] => format!("{} or {}", cluster.node_name(*one), cluster.node_name(*other)),
        several => format!("one of {}", words::count(several.len(), "node")),
    }
}

#[cfg(test)]
mod tests;
