//! One verdict of what autoscalers have answered and what their groups and pools can do.

use super::cluster_autoscaler::GroupState;
use super::karpenter::{ClaimProgress, REGISTRATION_TIME};
use super::outlook::seconds;
use super::outlook::{
    ArrivedNode, AutoscalerAnswer, AutoscalerKind, AutoscalingOutlook, AutoscalingVerdict, Can,
    ComingNode, Growth, GrowthObstacle, Says, Stalled,
};
use super::trial::{NodeTrialResult, NodeTrials};
use super::{Autoscalers, events, in_flight};
use model::cluster::autoscaling::parts::ObjectCondition;

/// How long a status may lag behind an Event: it is written every 10 s.
const STATUS_LAG: i64 = 30;

/// Fills in the verdict, and the node that is on its way.
pub(super) fn settle(outlook: &mut AutoscalingOutlook, of: &Autoscalers, trials: &mut NodeTrials) {
    // The newest answer of each autoscaler counts; that a node comes beats that another comes not.
    let newest = newest_of_each(outlook);
    for answer in &newest {
        match coming(answer, of) {
            Coming::Yes(node) => {
                outlook.coming = Some(node);
                outlook.verdict = AutoscalingVerdict::Coming;
                return;
            }
            Coming::Failed(why) => {
                outlook.failure.get_or_insert(why);
            }
            Coming::NotSaid => {}
        }
    }

    // No Event says so where a node that comes anyway has room for the pod.
    if let Some(node) = in_flight::find(outlook, of, trials) {
        outlook.coming = Some(node);
        outlook.verdict = AutoscalingVerdict::Coming;
        return;
    }
    if outlook.failure.is_some()
        || newest.iter().any(|answer| matches!(answer.says, Says::Failed(_)))
    {
        outlook.verdict = AutoscalingVerdict::Failed;
        return;
    }
    outlook.arrived = newest.iter().find_map(|answer| arrived(answer, of, trials));
    if outlook.arrived.as_ref().is_some_and(|node| !node.is_new) {
        outlook.verdict = AutoscalingVerdict::CountsOnNode;
        return;
    }
    if newest.iter().any(|answer| matches!(answer.says, Says::LeftToRequest(_)))
        && outlook.found.len() == 1
    {
        outlook.verdict = AutoscalingVerdict::NotLooking;
        return;
    }

    // Who does not look at the pod answers nothing; the others have refused, or have not answered.
    let looking: Vec<AutoscalerKind> = outlook
        .found
        .iter()
        .map(|found| found.kind)
        .filter(|kind| !outlook.excluded.iter().any(|one| one.by == *kind && !one.cause.passes()))
        .collect();
    let silent: Vec<AutoscalerKind> =
        looking.iter().copied().filter(|kind| outlook.may_act(*kind)).collect();
    if silent.is_empty() && !looking.is_empty() {
        outlook.verdict = AutoscalingVerdict::Refused;
        return;
    }
    outlook.verdict = unanswered(outlook, &silent, of);
}

/// What those can do that have not answered.
fn unanswered(
    outlook: &AutoscalingOutlook,
    silent: &[AutoscalerKind],
    of: &Autoscalers,
) -> AutoscalingVerdict {
    let able = outlook.pools.iter().filter(|pool| silent.contains(&pool.of));
    let best = able.map(|pool| pool.can).min();
    // Unknown must not count as no.
    let is_open = silent.iter().any(|kind| match kind {
        AutoscalerKind::ClusterAutoscaler => !of.knows_all_groups,
        kind => !of.pools.iter().any(|pool| pool.of == *kind) || !outlook.unread.is_empty(),
    });
    let doubtful = outlook.found.iter().filter(|autoscaler| silent.contains(&autoscaler.kind)).any(
        |autoscaler| {
            autoscaler.stalled.as_ref().is_some_and(|stalled| match stalled {
                Stalled::Silent
                | Stalled::NotReady(_)
                | Stalled::Starting
                | Stalled::Unhealthy
                | Stalled::BrokenStatus(_) => true,
                Stalled::MaxNodes(_) | Stalled::NoPool => false,
            })
        },
    );
    match best {
        _ if doubtful => AutoscalingVerdict::Unknown,
        Some(Can::Would) => AutoscalingVerdict::WouldCome,
        Some(Can::May | Can::NotKnown) => AutoscalingVerdict::MayCome,
        Some(Can::No) if !is_open => AutoscalingVerdict::Cannot,
        None if !is_open && !silent.is_empty() => AutoscalingVerdict::Cannot,
        _ => AutoscalingVerdict::Unknown,
    }
}

/// The newest answer of each author that was given since the pod was marked.
pub(super) fn newest_of_each(outlook: &AutoscalingOutlook) -> Vec<AutoscalerAnswer> {
    let mut newest: Vec<AutoscalerAnswer> = Vec::new();
    for answer in outlook.fresh() {
        if !newest.iter().any(|other| other.by == answer.by) {
            newest.push(answer.clone());
        }
    }
    newest
}

/// Whether an answer announces a node.
pub(super) fn comes(answer: &AutoscalerAnswer, of: &Autoscalers) -> bool {
    matches!(coming(answer, of), Coming::Yes(_))
}

/// The node that an answer names and that is there, if it does not take the pod.
fn arrived(
    answer: &AutoscalerAnswer,
    of: &Autoscalers,
    trials: &NodeTrials,
) -> Option<ArrivedNode> {
    let Says::Nominated { claim, node } = &answer.says else { return None };
    let cluster = of.cluster;
    let claim = claim.as_deref().and_then(|claim| of.claim(claim));
    let of_claim = claim.map(|claim| cluster.text(claim.node)).filter(|node| !node.is_empty());
    let name = node.as_deref().or(of_claim)?;
    let NodeTrialResult::Rejects { node, reasons } = trials.as_it_is(cluster.find_node(name)?)
    else {
        return None;
    };

    // It came for the pod if it was not ready when it was named.
    let ready = claim.and_then(|claim| {
        let condition = ObjectCondition::find(&claim.conditions, "Initialized", &cluster.symbols);
        condition.and_then(|condition| condition.since)
    });
    let ready_for = ready.map(|ready| of.now.as_second() - ready.as_second());
    let is_new = match (ready_for, answer.age) {
        (Some(ready_for), Some(named)) => ready_for < named,
        _ => false,
    };
    Some(ArrivedNode { by: answer.by, node, reasons, is_new })
}

/// Whether an answer says that a node comes.
enum Coming {
    Yes(ComingNode),
    /// Why it does not come.
    Failed(String),
    NotSaid,
}

fn coming(answer: &AutoscalerAnswer, of: &Autoscalers) -> Coming {
    let (name, claim) = match &answer.says {
        Says::Grows(groups) => return grows(answer, groups, of),
        Says::Nominated { claim: Some(claim), .. } => (claim, of.claim(claim)),
        _ => return Coming::NotSaid,
    };
    let what = format!("nodeclaim/{name}");
    let Some(claim) = claim else {
        // Without the claim, only what Events say is known.
        if let Some(event) = of.failed_claims.get(name.as_str()) {
            return Coming::Failed(format!("{what}: {}", events::failure_text(event, of.cluster)));
        }
        return match answer.age > Some(REGISTRATION_TIME) {
            true => Coming::NotSaid,
            false if of.cluster.autoscaling.claims.is_empty() => Coming::Yes(ComingNode {
                by: answer.by,
                what,
                pool: None,
                state: ago("nominated", answer.age),
            }),
            false => Coming::Failed(format!("{what} does not exist any more")),
        };
    };
    match of.progress(claim) {
        ClaimProgress::Coming(state) => {
            let pool = of.cluster.text(claim.pool).to_owned();
            let pool = Some(pool).filter(|pool| !pool.is_empty());
            Coming::Yes(ComingNode { by: answer.by, what, pool, state })
        }
        // The node exists without the pod: the answer is outdated.
        ClaimProgress::Ready => Coming::NotSaid,
        ClaimProgress::NotLaunched(why) | ClaimProgress::Gone(why) => {
            Coming::Failed(format!("{what}: {why}"))
        }
    }
}

/// Whether a group waits after a failure before it tries to grow again.
fn backs_off(group: &GroupState) -> bool {
    group.state.iter().any(|cause| matches!(cause, GrowthObstacle::Backoff { .. }))
}

/// Why groups that were asked to grow do not.
fn backoff(groups: &[Growth], of: &Autoscalers) -> String {
    let states = groups.iter().filter_map(|group| state_of(group, of));
    let mut causes = states.flat_map(|state| &state.state);
    let code = causes.find_map(|cause| match cause {
        GrowthObstacle::Backoff { code, message } if message.is_empty() => Some(code.clone()),
        GrowthObstacle::Backoff { code, message } => Some(format!("{code}: {message}")),
        _ => None,
    });
    code.filter(|code| !code.is_empty())
        .unwrap_or_else(|| "the cloud did not give the node".to_owned())
}

/// What the status of cluster-autoscaler says about a group.
fn state_of<'a>(group: &Growth, of: &'a Autoscalers) -> Option<&'a GroupState> {
    of.groups.iter().find(|state| state.name == group.group)
}

/// Whether groups that were asked to grow still do.
fn grows(answer: &AutoscalerAnswer, groups: &[Growth], of: &Autoscalers) -> Coming {
    let first = groups.iter().find(|group| !state_of(group, of).is_some_and(backs_off));
    let Some(first) = first else { return Coming::Failed(backoff(groups, of)) };

    // What has come, or been given up, is no longer on its way: the Event outlives it.
    let is_status_newer = answer.age > Some(STATUS_LAG);
    let mut states = groups.iter().map(|group| state_of(group, of));
    let have_ended = states.all(|state| state.is_some_and(|state| !state.is_growing));
    let is_old = answer.age > Some(of.settings.provision_time);
    if is_old || is_status_newer && have_ended {
        return Coming::NotSaid;
    }
    let more = match groups.len() {
        1 => String::new(),
        n => format!(" and {} more", n - 1),
    };
    let under_way = state_of(first, of).map(|state| state.coming).filter(|coming| *coming > 0);
    let state = match under_way {
        Some(1) => format!("{}, 1 node is on its way", ago("triggered", answer.age)),
        Some(n) => format!("{}, {n} nodes are on their way", ago("triggered", answer.age)),
        None => ago("triggered", answer.age),
    };
    Coming::Yes(ComingNode {
        by: answer.by,
        what: format!("{} {}→{}{more}", answer.by.pool_text(&first.group), first.from, first.to),
        pool: None,
        state,
    })
}

fn ago(what: &str, age: Option<i64>) -> String {
    age.map_or_else(|| what.to_owned(), |age| format!("{what} {} ago", seconds(age)))
}
