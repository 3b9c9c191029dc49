//! One recorded cycle of a pod group: what the scheduler decided, what we decide, and where the two
//! differ.

use std::collections::BTreeSet;

use engine::cluster::{AnyGroup, Cluster, NodeIx, PodIx, selector};
use engine::framework::cluster_view::ClusterView;
use engine::framework::cycle::NodeVerdict;
use engine::framework::failure::StepFailure;
use engine::groups::cycle::{Trial, TrialResult};
use engine::groups::preemption::{GroupPlan, GroupPreemptionVerdict};
use engine::groups::{self, GroupDecision, GroupOutcome, NominationChange};
use engine::preemption::dry_run::Victim;
use serde_json::{Value, json};

use super::compare::{Case, Difference, Verdict};

/// What the answer itself says that it is not certain of: which of several volumes of one size a
/// pod gets.
const NOT_MODELLED: [&str; 1] = ["PRE-929"];

/// What the answer itself says where kube-scheduler may answer otherwise: nodes or domains that are
/// as good, pods or groups that are as important, topology domains with as few pods, the order of
/// budgets, and volumes and capacities that are as large.
const LEFT_OPEN: [&str; 6] = ["PRE-927", "PRE-928", "PRE-941", "PRE-944", "PRE-951", "PRE-953"];

/// With this many answers of the scheduler, there are others that were not recorded.
const MOST_ANSWERS: usize = 20;

/// What is compared.
const FIELDS: [&str; 6] =
    ["outcome", "members", "condition", "victims", "numPDBViolations", "placement"];

/// Our answer.
struct Ours {
    answer: Value,
    /// Whether it says that kube-scheduler may answer otherwise.
    is_open: bool,
    /// Each outcome that it names with the pods that are evicted, if it says that these are all.
    outcomes: Option<BTreeSet<(&'static str, BTreeSet<String>)>>,
}

/// Maximum number of sets of victims of an outcome that are compared.
const MOST_SETS: usize = 5000;

/// Compares our decision about the group of a case with what the scheduler answered. Where it gave
/// several answers, ours has to be one of them, and has to say that it depends on an order.
///
/// # Errors
/// Why the case cannot be decided.
pub fn compare(case: &Case, cluster: &Cluster) -> Result<Verdict, String> {
    let Some(ours) = decide(case, cluster)? else { return Ok(Verdict::Unsure) };
    let mut answers: Vec<Vec<Difference>> = Vec::new();
    let mut known: Vec<Vec<Value>> = Vec::new();
    for expect in [&case.expect].into_iter().chain(&case.also) {
        let compared = fields(case, expect, &ours.answer);
        let wanted = compared.iter().map(|(_, want, _)| want.clone()).collect();
        if !known.contains(&wanted) {
            known.push(wanted);
            answers.push(compared.into_iter().filter(|(_, want, got)| want != got).collect());
        }
    }
    // With that many answers, not all were recorded.
    let unseen = known.len() >= MOST_ANSWERS && ours.is_open && !answers.iter().any(Vec::is_empty);
    if unseen {
        return Ok(Verdict::Skipped(format!("{MOST_ANSWERS} answers or more")));
    }
    // Every answer has to be one of the outcomes, if these are all.
    for expect in [&case.expect].into_iter().chain(&case.also) {
        if let Some(unnamed) = ours.outcomes.as_ref().and_then(|named| unnamed(expect, named)) {
            return Ok(Verdict::Differs(vec![unnamed]));
        }
    }
    let is_one = answers.iter().any(Vec::is_empty);
    Ok(match answers.into_iter().min_by_key(Vec::len).filter(|nearest| !nearest.is_empty()) {
        Some(nearest) => Verdict::Differs(nearest),
        None if is_one && known.len() > 1 && !ours.is_open => Verdict::Differs(vec![(
            "certainty",
            json!(format!("{} answers", known.len())),
            json!("Certain"),
        )]),
        None => Verdict::Agrees,
    })
}

/// The outcome and victims of a recorded answer, if they are not among those that are named.
fn unnamed(
    expect: &Value,
    named: &BTreeSet<(&'static str, BTreeSet<String>)>,
) -> Option<Difference> {
    let outcome = expect["outcome"].as_str().unwrap_or_default();
    let victims = expect["victims"].as_array().map_or(&[][..], Vec::as_slice);
    let victims: BTreeSet<String> =
        victims.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let is_named = named.iter().any(|(own, set)| *own == outcome && *set == victims);
    (!is_named).then(|| ("outcomes", json!([outcome, victims]), json!(named)))
}

/// The outcomes that our answer names, if they are all.
fn outcomes(decision: &GroupDecision) -> Option<BTreeSet<(&'static str, BTreeSet<String>)>> {
    let cluster = decision.view.cluster;
    let mut named = BTreeSet::new();
    for outcome in &decision.outcomes.all {
        let kind = match &outcome.outcome {
            GroupOutcome::Preempt => "Preempt",
            GroupOutcome::Scheduled => "Scheduled",
            GroupOutcome::Unschedulable => "Unschedulable",
            // These do not depend on a choice.
            GroupOutcome::NotInQueue(_) | GroupOutcome::Error(_) | GroupOutcome::Awaits => {
                return None;
            }
        };
        for set in outcome.sets(MOST_SETS)? {
            named.insert((kind, set.into_iter().map(|pod| cluster.pod_name(pod)).collect()));
        }
    }
    decision.outcomes.complete.then_some(named)
}

/// Each field: the scheduler's value of it, and ours.
fn fields(case: &Case, expect: &Value, ours: &Value) -> Vec<Difference> {
    let (mut expect, mut ours) = (expect.clone(), ours.clone());
    if case.id.starts_with("v1.36") {
        // The recording has the pods of a group by name, though they are not evicted together when
        // pods preempt alone.
        for victims in [&mut ours["victims"], &mut expect["victims"]]
            .into_iter()
            .filter_map(Value::as_array_mut)
        {
            victims.sort_by_key(ToString::to_string);
        }
    }
    // A patch leaves out the status that the condition has already.
    if expect["condition"]["status"] == "" {
        ours["condition"]["status"] = json!("");
    }
    FIELDS.into_iter().map(|field| (field, expect[field].clone(), ours[field].clone())).collect()
}

/// Our answer; `None` if it says itself that it is not certain.
fn decide(case: &Case, cluster: &Cluster) -> Result<Option<Ours>, String> {
    let (namespace, name) = case.group.split_once('/').ok_or("not a namespace/name")?;
    let now = case.now()?;
    let Some(group) = cluster.find_pod_group(namespace, name) else {
        // Nothing holds the pods but that the group does not exist.
        let answer = json!({
            "outcome": "Waiting", "members": [], "condition": null, "victims": [], "numPDBViolations": null,
            "placement": null
        });
        return Ok(Some(Ours { answer, is_open: false, outcomes: None }));
    };
    let profiles = case.all_profiles()?;
    let members = groups::gate::Members::of(
        &ClusterView::new(cluster, profiles.first().ok_or("no profile")?),
        group,
    );
    let scheduler = members
        .waiting
        .first()
        .map_or("", |pod| cluster.text(cluster.template(cluster.pod(*pod)).scheduler_name));
    let own = profiles.iter().position(|p| p.scheduler_name == scheduler).unwrap_or(0);
    let view = ClusterView::new(cluster, profiles.get(own).ok_or("no profile")?);
    let decision = groups::decide(&view, group, now);
    let says = |codes: &[&str]| decision.notes.iter().any(|note| codes.contains(&note.doc.code));
    let is_certain = !says(&NOT_MODELLED);
    let is_open = says(&LEFT_OPEN);
    let answer = of_one_node(of_decision(&decision), &decision, case);
    let answer = if is_open { of_one_device(answer, case) } else { answer };
    let outcomes = outcomes(&decision);
    Ok(is_certain.then_some(Ours { answer, is_open, outcomes }))
}

/// The same with the device that the scheduler names, if preemption ends with an error about
/// devices of several nodes.
fn of_one_device(ours: Value, case: &Case) -> Value {
    let device = |text: &Value| {
        let text = text["condition"]["message"].as_str()?;
        Some(text.split_once(" on device ")?.1.split_once(": ")?.0.to_owned())
    };
    let (Some(own), Some(other)) = (device(&ours), device(&case.expect)) else { return ours };
    serde_json::from_str(&ours.to_string().replace(&own, &other)).unwrap_or(ours)
}

/// The same with the error of another node, if several fail a pod and the scheduler met that one
/// first.
fn of_one_node(ours: Value, decision: &GroupDecision, case: &Case) -> Value {
    let failed = |trial: &&Trial| matches!(trial.result, TrialResult::Failed(_));
    let Some(trial) = decision.trials.iter().find(failed) else { return ours };
    let text =
        |failure: &StepFailure| json!(failure.text()).to_string().trim_matches('"').to_owned();
    let mut texts = trial.nodes.iter().filter_map(NodeVerdict::failure).map(text);
    let (Some(first), expect) = (texts.next(), case.expect["condition"].to_string()) else {
        return ours;
    };
    let Some(other) = texts.find(|other| expect.contains(other)) else { return ours };
    serde_json::from_str(&ours.to_string().replace(&first, &other)).unwrap_or(ours)
}

fn of_decision(decision: &GroupDecision) -> Value {
    let cluster = decision.view.cluster;
    let one_by_one = is_one_by_one(decision);
    let outcome = match &decision.outcome {
        GroupOutcome::Preempt if one_by_one => "Unschedulable",
        GroupOutcome::NotInQueue(_) => "Waiting",
        GroupOutcome::Error(_) => "Error",
        GroupOutcome::Scheduled => "Scheduled",
        GroupOutcome::Preempt => "Preempt",
        GroupOutcome::Awaits => "Ongoing",
        GroupOutcome::Unschedulable => "Unschedulable",
    };
    // A tree has a cycle also where no pod of this group waits; the recording is of one in which
    // pods of it are tried.
    let has_cycle = outcome != "Waiting";
    let plan = match decision.preemption.as_ref().map(|report| &report.verdict) {
        Some(GroupPreemptionVerdict::Evicts(plan)) if has_cycle => Some(plan),
        _ => None,
    };
    // Up to 1.36 each pod may evict others, one after the other.
    let alone = decision
        .trials
        .iter()
        .filter_map(|trial| trial.preempts.as_ref())
        .flat_map(|(_, victims)| victims);
    let victims: Vec<_> = plan.iter().flat_map(|plan| &plan.victims).chain(alone).collect();
    // 1.35 was watched while it evicted.
    let is_told = |v: &&Victim| !one_by_one || !cluster.pod(v.pod).is_terminating();
    let victims: Vec<&Victim> = victims.into_iter().filter(is_told).collect();
    let members: Vec<Value> =
        decision.written.iter().map(|written| member(decision, written)).collect();
    let placement = placement(decision, &members);
    json!({
        "outcome": outcome,
        "members": members,
        "condition": decision.condition.as_ref().filter(|_| !decision.members.waiting.is_empty()).map(|condition| json!({
            "status": if condition.is_true { "True" } else { "False" },
            "reason": condition.reason, "message": condition.message,
        })),
        "victims": victims.iter().map(|v| cluster.pod_name(v.pod)).collect::<Vec<_>>(),
        "numPDBViolations": if one_by_one { None } else { violations(decision, plan) },
        "placement": placement,
    })
}

/// The violations of the plans for which a pod is evicted; `None` if there are none. kube-scheduler
/// does nothing for a plan of which all victims are being deleted, so that a recording has none of
/// its violations.
fn violations(decision: &GroupDecision, plan: Option<&GroupPlan>) -> Option<usize> {
    let evicts = |victims: &[Victim]| {
        victims.iter().any(|victim| !decision.view.cluster.pod(victim.pod).is_terminating())
    };
    let whole = plan.filter(|plan| evicts(&plan.victims)).map(|plan| plan.violations);
    let alone = decision
        .trials
        .iter()
        .filter_map(|trial| trial.preempts.as_ref())
        .map(|(_, victims)| victims);
    let of_pods = alone.filter(|victims| evicts(victims));
    let counts =
        of_pods.map(|victims| victims.iter().filter(|victim| !victim.violates.is_empty()).count());
    whole.into_iter().chain(counts).reduce(|all, more| all + more)
}

/// Whether each pod of the group has a cycle of its own, as in 1.35.
fn is_one_by_one(decision: &GroupDecision) -> bool {
    decision.view.profile.features.pod_groups.one_by_one()
}

fn member(decision: &GroupDecision, written: &groups::WrittenMember) -> Value {
    let cluster = decision.view.cluster;
    let trial = decision.trial(written.pod);
    let (result, node) = match trial.map(|trial| &trial.result) {
        Some(TrialResult::Placed { node, .. })
            if is_one_by_one(decision) && trial.is_some_and(|trial| trial.waits_at_permit) =>
        {
            ("Waits", Some(*node))
        }
        Some(TrialResult::Placed { node, .. }) => ("Placed", Some(*node)),
        Some(TrialResult::Rejected) => ("Rejected", None),
        Some(TrialResult::Failed(_)) => ("Error", None),
        None => ("NotTried", None),
    };
    let limited = decision.view.profile.features.pod_groups.group_placements
        && !decision.pod_group().topology_key.is_empty();
    let in_limited_tree = decision.tree.is_some() && is_tree_limited(decision);
    let hidden =
        limited && decision.chosen.is_none() || in_limited_tree && written.condition.is_some();
    let says_nothing = in_limited_tree
        && matches!(
            decision.outcome,
            GroupOutcome::Unschedulable | GroupOutcome::Preempt | GroupOutcome::Awaits
        )
        && !decision.written.iter().any(|written| tells_own(written, decision));
    let says_nothing = says_nothing
        || decision.tree.is_some() && matches!(decision.outcome, GroupOutcome::Error(_));
    let (result, node) = if says_nothing { ("Hidden", None) } else { (result, node) };
    let nominated = match written.nomination {
        _ if written.condition.is_none() => None,
        NominationChange::Kept => Some(cluster.text(cluster.pod(written.pod).nominated_node))
            .filter(|node| !node.is_empty()),
        NominationChange::Cleared => None,
        NominationChange::To(node) => Some(text(node, cluster)),
    };
    json!({
        "pod": name(written.pod, cluster), "result": result,
        "node": node.filter(|_| !hidden).map(|node| text(node, cluster)),
        "reason": written.condition.as_ref().map(|(reason, _)| reason),
        "message": written.condition.as_ref().map(|(_, message)| message),
        "nominatedNode": nominated,
    })
}

/// Whether a group or one above it has a topology constraint: of what was found in several domains
/// not all shows.
fn is_tree_limited(decision: &GroupDecision) -> bool {
    let cluster = decision.view.cluster;
    let above = cluster.ancestors(AnyGroup::Pods(decision.group)).known;
    let keys = above.into_iter().map(|ix| cluster.composite_group(ix).topology_key);
    keys.chain([decision.pod_group().topology_key]).any(|key| !key.is_empty())
}

/// Whether it is written about a pod why it fits nowhere.
fn tells_own(written: &groups::WrittenMember, decision: &GroupDecision) -> bool {
    let own = decision.trial(written.pod).and_then(|trial| trial.message.as_ref());
    written.condition.as_ref().is_some_and(|(_, message)| Some(message) == own)
}

/// The domain in which the pods end, as the recording finds it: of the first node by name that one
/// of them is bound or nominated to.
fn placement(decision: &GroupDecision, members: &[Value]) -> Value {
    let (view, key) = (decision.view, decision.pod_group().topology_key);
    let field = match decision.outcome {
        GroupOutcome::Scheduled => "node",
        GroupOutcome::Preempt => "nominatedNode",
        _ => return Value::Null,
    };
    if !view.profile.features.pod_groups.group_placements || key.is_empty() {
        return Value::Null;
    }
    let cluster = view.cluster;
    let domain = |node: NodeIx| selector::label(cluster.labels(cluster.node(node).labels), key);
    let is_taken =
        |node: &NodeIx| members.iter().any(|member| member[field] == text(*node, cluster));
    let found = cluster.node_indices().filter(is_taken).find_map(domain);
    found.map_or(Value::Null, |domain| json!(cluster.text(domain)))
}

fn text(node: NodeIx, cluster: &Cluster) -> &str {
    cluster.text(cluster.node(node).name)
}

fn name(pod: PodIx, cluster: &Cluster) -> String {
    cluster.pod_name(pod)
}
