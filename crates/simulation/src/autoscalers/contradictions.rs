//! Contradictions between an autoscaler's answer and what the cluster suggests. The autoscaler
//! knows what the cluster does not show: its flags, the cloud's sizes and quotas. So its answer
//! counts, and the conclusion is reported next to it.

use super::Autoscalers;
use super::outlook::{
    AutoscalerAnswer, AutoscalingOutlook, Can, Conclusion, Contradiction, Exclusion,
    ExclusionCause, GrowthObstacle, Says,
};
use super::verdict::{comes, newest_of_each};

/// Takes back the exclusions that answers disprove.
pub(super) fn of_exclusions(outlook: &mut AutoscalingOutlook, of: &Autoscalers) {
    let newest = newest_of_each(outlook);
    let mut excluded = Vec::new();
    for one in std::mem::take(&mut outlook.excluded) {
        let own = newest.iter().find(|answer| answer.by.writes_for(one.by));
        match own.filter(|answer| disproves(answer, &one, of)) {
            Some(answer) => {
                outlook.contradictions.push(contradiction(answer, Conclusion::Passes(one.cause)));
            }
            None => excluded.push(one),
        }
    }
    outlook.excluded = excluded;
}

/// Whether an autoscaler that gives this answer looks at the pod after all.
fn disproves(answer: &AutoscalerAnswer, exclusion: &Exclusion, of: &Autoscalers) -> bool {
    match exclusion.cause {
        // These may have come after the answer. Only a node that is on its way comes nevertheless.
        ExclusionCause::Placed
        | ExclusionCause::Nominated
        | ExclusionCause::StuckNomination(_)
        | ExclusionCause::NotMarked
        | ExclusionCause::Gated
        | ExclusionCause::Deleting => comes(answer, of),
        ExclusionCause::Expendable(_)
        | ExclusionCause::DaemonSet
        | ExclusionCause::Mirror
        | ExclusionCause::Scheduler(_)
        | ExclusionCause::TooYoung(_)
        | ExclusionCause::OptsOut
        | ExclusionCause::NodeByName
        | ExclusionCause::Volume(_)
        | ExclusionCause::Claims
        | ExclusionCause::LeftToRequest { .. } => match answer.says {
            Says::Grows(_) | Says::Nominated { .. } | Says::Failed(_) => true,
            // Karpenter refuses pods for what they ask for, too.
            Says::Refuses(_) => !matches!(
                exclusion.cause,
                ExclusionCause::NodeByName | ExclusionCause::Volume(_) | ExclusionCause::Claims
            ),
            Says::LeftToRequest(_) | Says::Unknown => false,
        },
    }
}

/// Adds the groups and pools whose answer contradicts the conclusion.
pub(super) fn of_pools(outlook: &mut AutoscalingOutlook, of: &Autoscalers) {
    let mut contradictions = Vec::new();
    for answer in newest_of_each(outlook) {
        for pool in outlook.pools.iter().filter(|pool| answer.by.writes_for(pool.of)) {
            let named = pool.name.clone();
            let concluded = match (&answer.says, &pool.precedent) {
                (Says::Refuses(_), Some(node)) if pool.can == Can::Would => {
                    Conclusion::WouldTake { pool: named, node: node.clone() }
                }
                (Says::Grows(_) | Says::Nominated { .. }, _)
                    if pool.can == Can::No && is_named(&answer, &pool.name, of) =>
                {
                    // Reaching its limit by this growth is no contradiction.
                    let Some(cause) = pool.causes.iter().find(|cause| is_about_pod(cause)) else {
                        continue;
                    };
                    Conclusion::CannotTake { pool: named, cause: cause.clone() }
                }
                _ => continue,
            };
            contradictions.push(contradiction(&answer, concluded));
        }
    }
    outlook.contradictions.extend(contradictions);
}

/// Whether an answer says that this group or pool gets a node.
fn is_named(answer: &AutoscalerAnswer, pool: &str, of: &Autoscalers) -> bool {
    match &answer.says {
        Says::Grows(groups) => groups.iter().any(|group| group.group == pool),
        Says::Nominated { claim: Some(claim), .. } => {
            of.claim(claim).is_some_and(|claim| of.cluster.text(claim.pool) == pool)
        }
        _ => false,
    }
}

/// Whether a cause is one between pool and pod, which growing does not change.
const fn is_about_pod(cause: &GrowthObstacle) -> bool {
    matches!(
        cause,
        GrowthObstacle::Taint(_)
            | GrowthObstacle::Requirement { .. }
            | GrowthObstacle::NoSuchLabel(_)
            | GrowthObstacle::Rejects { .. }
            | GrowthObstacle::TemplateRejects { .. }
    )
}

fn contradiction(answer: &AutoscalerAnswer, concluded: Conclusion) -> Contradiction {
    Contradiction { by: answer.by, reason: answer.reason.clone(), age: answer.age, concluded }
}
