//! Who acts next for a pod that kube-scheduler does not place: the clause in the first line, and
//! the lines below it.

use super::words;
use crate::who_acts::WhoActs;
use engine::autoscalers::{
    AutoscalerAnswer, AutoscalingOutlook, AutoscalingVerdict, Can, ExclusionCause, FoundAutoscaler,
    GrowthObstacle, NextActor, PoolAnswer, Says, known_name,
};
use engine::decision::{Decision, Outcome};
use engine::preemption::PreemptionReport;

/// Maximum number of columns of a first line, as long as its names are short enough.
const LINE: usize = 119;
/// Maximum number of pools or groups that a clause names.
const NAMED: usize = 2;

/// What happens to the pod, as a clause: `head` columns of the line are already taken, and `evicts`
/// names the pods that kube-scheduler evicts. `None` if autoscalers do not change what
/// kube-scheduler's decision says.
pub fn verdict(
    decision: &Decision,
    told: &AutoscalingOutlook,
    head: usize,
    evicts: &str,
) -> Option<String> {
    let forms = match &decision.outcome {
        Outcome::Preempt { .. } => while_evicting(told, evicts),
        Outcome::Unschedulable { .. }
            if decision.awaited().is_some() || !decision.stuck_victims().is_empty() =>
        {
            return None;
        }
        Outcome::Unschedulable { .. } => without_evictions(told, lead(decision)),
        Outcome::NotInQueue(_) | Outcome::Error(_) | Outcome::Schedulable { .. } => return None,
    };
    longest_that_fits(&forms, head)
}

/// The same for a pod of a simulation that no node takes, with `lead` before it.
pub fn without_node(told: &AutoscalingOutlook, lead: &str, head: usize) -> Option<String> {
    longest_that_fits(&without_evictions(told, lead), head)
}

fn longest_that_fits(forms: &[String], head: usize) -> Option<String> {
    let mut forms_that_fit = forms.iter().filter(|form| head + form.chars().count() <= LINE);
    forms_that_fit.next().or(forms.last()).cloned()
}

/// The forms, from the longest to the shortest.
fn while_evicting(told: &AutoscalingOutlook, evicts: &str) -> Vec<String> {
    let names = told.names();
    // A node that was asked for before the pod is nominated comes nevertheless.
    if let Some(node) = &told.coming {
        return vec![
            format!("{evicts}, although a node is coming: {} ({})", node.what, node.state),
            format!("{evicts}, although a node is coming: {}", node.what),
            format!("{evicts}, although a node is coming"),
        ];
    }
    let passes = if told.found.len() == 1 { "passes" } else { "pass" };
    vec![
        format!("{evicts}; no node comes for this pod ({names} {passes} over nominated pods)"),
        format!("{evicts}; no node comes for this pod"),
        format!("{evicts}; no node comes"),
    ]
}

/// Why nothing is evicted.
fn lead(decision: &Decision) -> &'static str {
    match decision.preemption() {
        Some(PreemptionReport { off: true, .. }) => "preemption is off",
        Some(PreemptionReport { ineligible: Some(_), .. }) => "it may not preempt",
        Some(_) => "no pods to evict",
        None => "no evictions",
    }
}

/// The forms, from the longest to the shortest.
fn without_evictions(told: &AutoscalingOutlook, lead: &str) -> Vec<String> {
    match told.verdict {
        AutoscalingVerdict::Coming => coming(told, lead),
        AutoscalingVerdict::Failed => {
            let why = failure(told);
            let by = failing(told);
            vec![
                format!("{lead}; {by} tried to add a node and failed, and tries again: {why}"),
                format!("{lead}; {by} tried to add a node and failed: {why}"),
                format!("{lead}; {by} tried to add a node and failed: {}", in_short(&why)),
                format!("{by} tried to add a node and failed: {}", in_short(&why)),
                format!("{by} failed to add a node: {}", in_short(&why)),
                format!("{lead}; {by} tried to add a node and failed"),
            ]
        }
        AutoscalingVerdict::CountsOnNode => counts_on_node(told, lead),
        AutoscalingVerdict::Refused => {
            let (by, age) = refusing(told);
            let why = refusal(told);
            vec![
                format!("{lead}; {by} answered{age}: no node, because {why}"),
                format!("{by} answered{age}: no node, because {why}"),
                format!("{lead}; {by} answered{age}: no node"),
                format!("{lead}; {by} answered: no node"),
            ]
        }
        AutoscalingVerdict::NotLooking => not_looking(told, lead),
        AutoscalingVerdict::WouldCome | AutoscalingVerdict::MayCome if told.arrived.is_some() => {
            another_node(told, lead)
        }
        AutoscalingVerdict::WouldCome => {
            let pools = named(told, |can| can == Can::Would);
            let pending = unanswered(told);
            vec![
                format!("{lead}; a node of {pools} would take it; {pending}"),
                format!("{lead}; a node of {pools} would take it; not answered yet"),
                format!("a node of {pools} would take it; not answered yet"),
                format!("a node of {pools} would take it"),
                format!("{lead}; a new node would take it; not answered yet"),
            ]
        }
        AutoscalingVerdict::MayCome if !told.may_some() => {
            let pools = named(told, |can| can == Can::NotKnown);
            let pending = unanswered(told);
            vec![
                format!("{lead}; whether {pools} can get a node for it is not known; {pending}"),
                format!("{lead}; whether {pools} can get a node for it is not known"),
                format!("whether {pools} can get a node for it is not known"),
                format!("{lead}; whether a node comes is not known; not answered yet"),
            ]
        }
        AutoscalingVerdict::MayCome => {
            let pools = named(told, Can::is_hopeful);
            let pending = unanswered(told);
            vec![
                format!("{lead}; {pools} may get a node for it; {pending}"),
                format!("{lead}; {pools} may get a node for it; not answered yet"),
                format!("{pools} may get a node for it; not answered yet"),
                format!("{lead}; a node may come; not answered yet"),
            ]
        }
        AutoscalingVerdict::Cannot => {
            let nothing = "nothing will happen by itself: no evictions";
            let why = causes_in_short(told);
            let noun = nouns(told);
            vec![
                format!("{nothing}, and no {noun} can grow for it: {why}"),
                format!("{nothing}, and no {noun} can grow for it"),
                format!("{nothing}, and no node"),
            ]
        }
        AutoscalingVerdict::Unknown => {
            let (names, why) = (told.names(), why_unknown(told));
            vec![
                format!("{lead}; whether {names} adds a node is not known: {why}"),
                format!("{lead}; whether a node comes is not known"),
            ]
        }
    }
}

/// Why it is not known whether a node comes.
fn why_unknown(told: &AutoscalingOutlook) -> String {
    if let Some(node) = &told.fits_on {
        return format!("by kube-scheduler's filters it fits on {node} already");
    }
    let near = told.pools.iter().find(|pool| pool.can == Can::AtLimit);
    match (stalled(told), near, told.unread.as_slice()) {
        (Some(why), ..) => why,
        (None, Some(pool), _) => {
            let causes: Vec<String> = pool.causes.iter().map(GrowthObstacle::clause).collect();
            format!("{} {}", pool.of.pool_text(&pool.name), causes.join(", "))
        }
        (None, None, []) => unanswered(told),
        (None, None, unread) => format!("{} may not be read", unread.join(", ")),
    }
}

fn coming(told: &AutoscalingOutlook, lead: &str) -> Vec<String> {
    let Some(node) = &told.coming else { return vec![format!("{lead}; a node is coming")] };
    let pool = node.pool.as_ref().map_or_else(String::new, |pool| format!("NodePool {pool}, "));
    vec![
        format!("{lead}; a node is coming: {} ({pool}{})", node.what, node.state),
        format!("{lead}; a node is coming: {}", node.what),
        format!("a node is coming: {}", node.what),
        "a node is coming".to_owned(),
    ]
}

/// An autoscaler that takes a node for free where the pod does not fit.
fn counts_on_node(told: &AutoscalingOutlook, lead: &str) -> Vec<String> {
    let Some(node) = &told.arrived else { return vec![format!("{lead}; no node is coming")] };
    let (by, name, why) = (node.by.text(), &node.node, node.reasons.join(", "));
    vec![
        format!("{lead}; no node is coming: {by} counts on {name}, where it does not fit ({why})"),
        format!("{lead}; no node is coming: {by} counts on {name}, where it does not fit"),
        format!("no node is coming: {by} counts on {name}, where it does not fit"),
        format!("{lead}; no node is coming"),
    ]
}

/// A node that came for the pod and does not take it, so that another one may come.
fn another_node(told: &AutoscalingOutlook, lead: &str) -> Vec<String> {
    let Some(node) = &told.arrived else { return vec![lead.to_owned()] };
    let (by, name, why) = (node.by.text(), &node.node, node.reasons.join(", "));
    vec![
        format!("{lead}; its node {name} came and does not take it ({why}); {by} may add another"),
        format!("its node {name} came and does not take it ({why}); {by} may add another"),
        format!("its node {name} came and does not take it; {by} may add another"),
        format!("{lead}; its node came and does not take it"),
    ]
}

fn not_looking(told: &AutoscalingOutlook, lead: &str) -> Vec<String> {
    // The first cause is enough: each of them alone keeps autoscalers away.
    let causes: Vec<&ExclusionCause> = told.excluded.iter().map(|one| &one.cause).collect();
    if let Some(ExclusionCause::StuckNomination(node)) = causes.first() {
        return vec![
            format!("{lead}; no node comes while nominatedNodeName={node} is set"),
            "no node comes while nominatedNodeName is set".to_owned(),
        ];
    }
    if let Some(ExclusionCause::LeftToRequest { request, state }) = causes.first() {
        let state = state.clause();
        return vec![
            format!("{lead}; its node is that of ProvisioningRequest {request}, {state}"),
            format!("{lead}; its node is that of ProvisioningRequest {request}"),
            format!("{lead}; no autoscaler looks at this pod"),
        ];
    }
    if let Some(Says::LeftToRequest(name)) =
        told.fresh().map(|answer| &answer.says).find(|says| matches!(says, Says::LeftToRequest(_)))
    {
        return vec![
            format!("{lead}; its node is that of ProvisioningRequest {name}"),
            format!("{lead}; no autoscaler looks at this pod"),
        ];
    }
    let why = causes.first().map(|cause| cause.clause()).unwrap_or_default();
    if let Some(ExclusionCause::Volume(_)) = causes.first() {
        return vec![
            format!("{lead}; no new node helps: {why}"),
            format!("no new node helps: {why}"),
            format!("{lead}; no new node helps"),
        ];
    }
    vec![
        format!("{lead}; no autoscaler looks at this pod: {why}"),
        format!("{lead}; no autoscaler looks at this pod"),
    ]
}

fn failing(told: &AutoscalingOutlook) -> &'static str {
    let fresh = told.fresh().find(|answer| !matches!(answer.says, Says::Unknown));
    fresh.map_or("an autoscaler", |answer| answer.by.text())
}

/// Why an attempt failed, in the words of the program that made it.
fn failure(told: &AutoscalingOutlook) -> String {
    if let Some(why) = &told.failure {
        return why.clone();
    }
    for answer in told.fresh() {
        if let Says::Failed(causes) = &answer.says {
            return causes.join(", ");
        }
    }
    let backoff = told.pools.iter().flat_map(|pool| &pool.causes).find_map(|cause| match cause {
        GrowthObstacle::Backoff { code, .. } => Some(code.clone()),
        _ => None,
    });
    backoff.unwrap_or_else(|| "the cloud did not give the node".to_owned())
}

/// The autoscaler that refused, and the age of its newest answer.
fn refusing(told: &AutoscalingOutlook) -> (String, String) {
    let mut names: Vec<&str> = Vec::new();
    for answer in refusals(told) {
        if !names.contains(&answer.by.text()) {
            names.push(answer.by.text());
        }
    }
    let age = refusals(told).find_map(|answer| answer.age);
    let age = age.map_or_else(String::new, |age| format!(" {} ago", words::age(age)));
    (names.join(" and "), age)
}

fn refusals(told: &AutoscalingOutlook) -> impl Iterator<Item = &AutoscalerAnswer> {
    told.fresh().filter(|answer| matches!(answer.says, Says::Refuses(_)))
}

/// The first causes of the newest refusal.
fn refusal(told: &AutoscalingOutlook) -> String {
    let causes = refusals(told).find_map(|answer| match &answer.says {
        Says::Refuses(causes) => Some(causes),
        _ => None,
    });
    let shown: Vec<String> = causes
        .into_iter()
        .flatten()
        .map(|one| match one.groups {
            Some(groups) => format!("{groups} {}", one.cause),
            None => one.cause.clone(),
        })
        .collect();
    let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
    if shown.is_empty() { "no group was tried".to_owned() } else { words::list(&shown, NAMED) }
}

/// The kind of a failure: what stands before its message, without the name of a claim.
fn in_short(why: &str) -> &str {
    let why = match why.split_once(": ") {
        Some((claim, rest)) if claim.starts_with("nodeclaim/") => rest,
        _ => why,
    };
    why.split(": ").next().unwrap_or(why)
}

/// The groups and pools that can do this, in the order in which they are tried, of autoscalers that
/// may still act.
fn named(told: &AutoscalingOutlook, is_meant: fn(Can) -> bool) -> String {
    let able: Vec<String> = told
        .pools
        .iter()
        .filter(|pool| is_meant(pool.can) && told.may_act(pool.of))
        .map(|pool| pool.of.pool_text(&pool.name))
        .collect();
    match able.as_slice() {
        [] => "a new group".to_owned(),
        [one] => one.clone(),
        [one, other] => format!("{one} or {other}"),
        [one, rest @ ..] => format!("{one} or {} more", rest.len()),
    }
}

/// That no autoscaler has answered, and how long the pod has been marked.
fn unanswered(told: &AutoscalingOutlook) -> String {
    match told.marked_for {
        Some(age) => format!("not answered yet (marked unschedulable {} ago)", words::age(age)),
        None => "it is not marked unschedulable yet".to_owned(),
    }
}

/// The word for the groups and pools that were found.
fn nouns(told: &AutoscalingOutlook) -> String {
    let mut nouns: Vec<&str> = Vec::new();
    for found in &told.found {
        if !nouns.contains(&found.kind.pool_noun()) {
            nouns.push(found.kind.pool_noun());
        }
    }
    nouns.join(" or ")
}

/// Why no group or pool can grow: the cause of the first, and their number.
fn causes_in_short(told: &AutoscalingOutlook) -> String {
    let first = told.pools.iter().find_map(|pool| Some((pool, pool.causes.first()?)));
    match (first, told.pools.len()) {
        (Some((pool, cause)), 1) => format!("{} {}", known_name(&pool.name), cause.clause()),
        (Some((pool, cause)), n) => {
            format!("{} {}; {} more", known_name(&pool.name), cause.clause(), n - 1)
        }
        (None, _) => "there is none".to_owned(),
    }
}

/// What stops an autoscaler from acting at all.
fn stalled(told: &AutoscalingOutlook) -> Option<String> {
    let found = told.found.iter().find(|found| found.stalled.is_some())?;
    Some(found.stalled.as_ref()?.clause())
}

/// The addition to the line about a replacement that stays pending: a new pod, about which no
/// autoscaler has said anything yet.
pub fn of_replacement(told: Option<&AutoscalingOutlook>) -> String {
    let Some(told) = told else { return String::new() };
    match told.verdict {
        AutoscalingVerdict::WouldCome => {
            format!("; a node of {} would take it", named(told, |can| can == Can::Would))
        }
        AutoscalingVerdict::MayCome if told.may_some() => {
            format!("; {} may get a node for it", named(told, Can::is_hopeful))
        }
        AutoscalingVerdict::Cannot => {
            format!("; no {} can grow for it: {}", nouns(told), causes_in_short(told))
        }
        AutoscalingVerdict::NotLooking => {
            let why = told.excluded.first().map(|one| one.cause.clause()).unwrap_or_default();
            format!("; no autoscaler looks at it: {why}")
        }
        AutoscalingVerdict::Coming
        | AutoscalingVerdict::MayCome
        | AutoscalingVerdict::Failed
        | AutoscalingVerdict::CountsOnNode
        | AutoscalingVerdict::Refused
        | AutoscalingVerdict::Unknown => "; whether a node comes for it is not known".to_owned(),
    }
}

/// The section below the first line: its heading and its lines.
pub struct AutoscalerLines {
    pub head: String,
    pub lines: Vec<String>,
}

/// What was found, answered and concluded. With `all`, every group and pool and the full texts.
pub(crate) fn lines(told: &AutoscalingOutlook, who: WhoActs, all: bool) -> AutoscalerLines {
    let mut lines = Vec::new();

    // What happens already, and what contradicts it, before what may happen.
    if let Some(node) = &told.coming {
        let pool = node.pool.as_ref().map_or_else(String::new, |pool| format!(", NodePool {pool}"));
        lines.push(format!("coming: {}{pool}: {}", node.what, node.state));
    }
    if let Some(why) = &told.failure {
        lines.push(format!("failed: {why}; {} tries again", failing(told)));
    }
    if let Some(node) = &told.arrived {
        let (by, name, why) = (node.by.text(), &node.node, node.reasons.join(", "));
        lines.push(if node.is_new {
            format!("{name} came for it and does not take it: {why}; {by} looks at it again")
        } else {
            format!("{by} counts on {name}, which does not take it: {why}; no node comes meanwhile")
        });
    }
    if let Some(node) = &told.fits_on {
        lines.push(format!(
            "by kube-scheduler's filters it fits on {node} already: no node comes if its scheduler agrees"
        ));
    }
    for one in &told.contradictions {
        let age = one.age.map_or_else(String::new, |age| format!(" {} ago", words::age(age)));
        let by = one.by.text();
        let reason = if one.reason.is_empty() { "an Event" } else { &one.reason };
        lines.push(format!("{by} wrote {reason}{age}, although {}: that counts", one.clause()));
    }
    for remedy in &told.remedies {
        let tried = if remedy.is_tried { " (checked)" } else { "" };
        lines.push(format!("{}{tried}", remedy.summary));
    }
    for one in &told.excluded {
        lines.push(format!("{} does not look at it: {}", one.by.text(), one.cause.clause()));
    }
    let answers = if all { told.answers.len() } else { 2 };
    for answer in told.answers.iter().take(answers) {
        lines.push(answer_line(answer));
    }
    if told.answers.is_empty() && told.verdict != AutoscalingVerdict::NotLooking {
        lines.push(format!("no answer: {}", unanswered(told)));
    }

    // What the rules give for each pool; those that can grow come first.
    let mut pools: Vec<&PoolAnswer> = told.pools.iter().collect();
    pools.sort_by_key(|pool| pool.can);
    for pool in pools {
        lines.push(pool_line(pool));
    }
    for buffer in &told.buffers {
        lines.push(format!("the room of CapacityBuffer {buffer} is free for any pod"));
    }
    for overlay in &told.overlays {
        lines.push(format!(
            "NodeOverlay {overlay} gives some sizes a resource that the pod requests; which, the cloud alone knows"
        ));
    }
    for kind in &told.unread {
        lines.push(format!("{kind} could not be read: the answer may lack something"));
    }
    AutoscalerLines { head: head(told, who), lines }
}

/// Who acts next, and which autoscalers were found.
fn head(told: &AutoscalingOutlook, who: WhoActs) -> String {
    let names: Vec<String> = told.found.iter().map(found_line).collect();
    let found = names.join(", ");
    let add = if names.len() == 1 { "adds" } else { "add" };
    let next = match who {
        WhoActs::Step(NextActor::Autoscaler) => found,
        WhoActs::Step(NextActor::NoOne) => {
            format!("{}; {found} {add} no node", NextActor::NoOne.name())
        }
        WhoActs::Step(NextActor::NotKnown) => format!("not known; found: {found}"),
        WhoActs::HandlerAndAutoscaler(handler) => format!("{}, {found}", handler.name()),
        WhoActs::Handler(handler) => format!("{}; found: {found}", handler.name()),
        WhoActs::Scheduler if told.coming.is_some() => format!("kube-scheduler, {found}"),
        WhoActs::Scheduler => format!("kube-scheduler; {found} {add} no node for this pod"),
    };
    format!("Who acts next: {next}")
}

fn found_line(found: &FoundAutoscaler) -> String {
    let version = found.version.as_ref().map_or_else(String::new, |version| format!(" {version}"));
    let status = match (found.status_age, &found.stalled) {
        (_, Some(why)) => format!(" ({})", why.clause()),
        (Some(age), None) => format!(" (status {} old)", words::age(age)),
        (None, None) => String::new(),
    };
    format!("{}{version}{status}", found.kind.text())
}

/// An answer with its exact text, which anyone in the cluster may have written.
fn answer_line(answer: &AutoscalerAnswer) -> String {
    let age = answer.age.map_or_else(String::new, |age| format!(" {} ago", words::age(age)));
    let stale = if answer.is_stale { ", outdated" } else { "" };
    let unknown = if answer.says == Says::Unknown { ", which is not understood here" } else { "" };
    let reason = if answer.reason.is_empty() { "no reason" } else { &answer.reason };
    format!("{} said{age} ({reason}{stale}{unknown}): \"{}\"", answer.by.text(), answer.text)
}

fn pool_line(pool: &PoolAnswer) -> String {
    let causes: Vec<String> = pool.causes.iter().map(GrowthObstacle::clause).collect();
    let why = match (&pool.precedent, causes.is_empty()) {
        (Some(node), _) => {
            format!(": a node like {node} would take it; another size may be chosen")
        }
        (None, true) if pool.can == Can::May => {
            ": labels, taints and limits allow it; sizes are known to the cloud alone".to_owned()
        }
        (None, true) if pool.can == Can::Would => {
            ": a new node, by its annotations, would take it".to_owned()
        }
        (None, true) => String::new(),
        (None, false) => format!(": {}", causes.join("; ")),
    };
    let can = match pool.can {
        Can::Would => "would",
        Can::May => "may",
        Can::NotKnown => "is not known",
        Can::AtLimit => "is at its limit",
        Can::No => "cannot",
    };
    format!("{} {can}{why}", pool.of.pool_text(&pool.name))
}
