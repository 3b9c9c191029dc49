//! What autoscalers do for a pod, as JSON.

use engine::autoscalers::{self as found, Says};
use json::autoscaling::{
    Answer, AnswerCause, Autoscaler, Autoscaling, Coming, Contradiction, Exclusion, Pool,
    PoolRemedy,
};

/// The JSON of what autoscalers do for a pod.
pub fn autoscaling(told: &found::AutoscalingOutlook) -> Autoscaling {
    Autoscaling {
        found: told.found.iter().map(autoscaler).collect(),
        verdict: told.verdict.name().into(),
        answers: told.answers.iter().map(answer).collect(),
        pools: told.pools.iter().map(pool).collect(),
        excluded: told
            .excluded
            .iter()
            .map(|one| Exclusion { by: one.by.name().into(), because: one.cause.clause() })
            .collect(),
        coming: told.coming.as_ref().map(|node| Coming {
            by: node.by.name().into(),
            what: node.what.clone(),
            pool: node.pool.clone(),
            state: node.state.clone(),
        }),
        contradictions: told
            .contradictions
            .iter()
            .map(|one| Contradiction {
                by: one.by.name().into(),
                reason: one.reason.clone(),
                age_seconds: one.age,
                concluded: one.clause(),
            })
            .collect(),
        remedies: told
            .remedies
            .iter()
            .map(|remedy| PoolRemedy {
                pool: remedy.pool.clone(),
                summary: remedy.summary.clone(),
                tried: remedy.is_tried,
            })
            .collect(),
        marked_for_seconds: told.marked_for,
        unread: told.unread.clone(),
        buffers: told.buffers.clone(),
        overlays: told.overlays.clone(),
    }
}

fn autoscaler(one: &found::FoundAutoscaler) -> Autoscaler {
    Autoscaler {
        kind: one.kind.name().into(),
        version: one.version.clone(),
        status_age_seconds: one.status_age,
        stalled: one.stalled.as_ref().map(found::Stalled::clause),
    }
}

fn answer(answer: &found::AutoscalerAnswer) -> Answer {
    let causes = match &answer.says {
        Says::Refuses(causes) => causes
            .iter()
            .map(|one| AnswerCause {
                groups: one.groups,
                pool: one.pool.clone(),
                cause: one.cause.clone(),
            })
            .collect(),
        Says::Failed(causes) => causes
            .iter()
            .map(|cause| AnswerCause { groups: None, pool: None, cause: cause.clone() })
            .collect(),
        Says::Grows(_) | Says::Nominated { .. } | Says::LeftToRequest(_) | Says::Unknown => {
            Vec::new()
        }
    };
    Answer {
        by: answer.by.name().into(),
        reason: answer.reason.clone(),
        text: answer.text.clone(),
        age_seconds: answer.age,
        stale: answer.is_stale,
        understood: answer.says != Says::Unknown,
        causes,
    }
}

fn pool(pool: &found::PoolAnswer) -> Pool {
    Pool {
        name: pool.name.clone(),
        kind: pool.of.name().into(),
        answer: pool.can.name().into(),
        causes: pool.causes.iter().map(found::GrowthObstacle::clause).collect(),
        precedent: pool.precedent.clone(),
    }
}
