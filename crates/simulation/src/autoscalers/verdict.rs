//! One verdict of what autoscalers have answered and what their groups and pools can do.

use super::Autoscalers;
use super::cluster_autoscaler::GroupState;
use super::karpenter::{ClaimProgress, seconds};
use super::outlook::{
    AutoscalerAnswer, AutoscalerKind, AutoscalingOutlook, AutoscalingVerdict, Can, ComingNode,
    Growth, GrowthObstacle, Says, Stalled,
};

/// How long a node takes to come at most: the default of `--max-node-provision-time`, and of
/// Karpenter until it gives up a claim that does not register.
const PROVISION_TIME: i64 = 15 * 60;
/// How long a status may lag behind an Event: it is written every 10 s.
const STATUS_LAG: i64 = 30;

/// Fills in the verdict, and the node that is on its way.
pub(super) fn settle(outlook: &mut AutoscalingOutlook, of: &Autoscalers) {
    // The newest answer of each autoscaler counts; that a node comes beats that another comes not.
    let newest = newest_of_each(outlook);
    let mut failed = false;
    for answer in &newest {
        match coming(answer, of) {
            Coming::Yes(node) => {
                outlook.coming = Some(node);
                outlook.verdict = AutoscalingVerdict::Coming;
                return;
            }
            Coming::Failed => failed = true,
            Coming::NotSaid => {}
        }
    }
    if failed || newest.iter().any(|answer| matches!(answer.says, Says::Failed(_))) {
        outlook.verdict = AutoscalingVerdict::Failed;
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
                | Stalled::Starting
                | Stalled::Unhealthy
                | Stalled::OldStatus
                | Stalled::BrokenStatus(_) => true,
                Stalled::MaxNodes(_) | Stalled::NoPool => false,
            })
        },
    );
    match best {
        _ if doubtful => AutoscalingVerdict::Unknown,
        Some(Can::Would) => AutoscalingVerdict::WouldCome,
        Some(Can::May) => AutoscalingVerdict::MayCome,
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

/// Whether an answer says that a node comes.
enum Coming {
    Yes(ComingNode),
    Failed,
    NotSaid,
}

fn coming(answer: &AutoscalerAnswer, of: &Autoscalers) -> Coming {
    match &answer.says {
        Says::Grows(groups) => grows(answer, groups, of),
        Says::Nominated { claim: Some(claim), .. } => match of.progress(claim) {
            Some((ClaimProgress::Coming(state), pool)) => Coming::Yes(ComingNode {
                by: answer.by,
                what: format!("nodeclaim/{claim}"),
                pool: Some(pool.to_owned()).filter(|pool| !pool.is_empty()),
                state,
            }),
            // The node exists without the pod: the answer is outdated.
            Some((ClaimProgress::Ready, _)) => Coming::NotSaid,
            // Without the claims, only what the Event says is known.
            None if is_old(answer) => Coming::NotSaid,
            None if of.cluster.autoscaling.claims.is_empty() => Coming::Yes(ComingNode {
                by: answer.by,
                what: format!("nodeclaim/{claim}"),
                pool: None,
                state: ago("nominated", answer.age),
            }),
            Some((ClaimProgress::NotLaunched(_), _)) | None => Coming::Failed,
        },
        _ => Coming::NotSaid,
    }
}

/// Whether an answer is older than a node takes to come.
fn is_old(answer: &AutoscalerAnswer) -> bool {
    answer.age > Some(PROVISION_TIME)
}

/// Whether a group waits after a failure before it tries to grow again.
fn backs_off(group: &GroupState) -> bool {
    group.state.iter().any(|cause| matches!(cause, GrowthObstacle::Backoff { .. }))
}

/// What the status of cluster-autoscaler says about a group.
fn state_of<'a>(group: &Growth, of: &'a Autoscalers) -> Option<&'a GroupState> {
    of.groups.iter().find(|state| state.name == group.group)
}

/// Whether groups that were asked to grow still do.
fn grows(answer: &AutoscalerAnswer, groups: &[Growth], of: &Autoscalers) -> Coming {
    let first = groups.iter().find(|group| !state_of(group, of).is_some_and(backs_off));
    let Some(first) = first else { return Coming::Failed };

    // What has come, or been given up, is no longer on its way: the Event outlives it.
    let is_status_newer = answer.age > Some(STATUS_LAG);
    let mut states = groups.iter().map(|group| state_of(group, of));
    let have_ended = states.all(|state| state.is_some_and(|state| !state.is_growing));
    if is_old(answer) || is_status_newer && have_ended {
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
