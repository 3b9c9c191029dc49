//! What helps a pod, as JSON: the edits of a remedy, and what autoscalers do.

use engine::autoscalers::{self as found, Says};
use engine::cluster::template::TaintEffect;
use engine::decision::remedy::Remedy;
use engine::edits::{Edit, PreemptionPolicy, TaintPattern};
use json::autoscaling::{
    Answer, AnswerCause, Arrived, Autoscaler, Autoscaling, Coming, Contradiction, Exclusion, Pool,
    PoolRemedy,
};
use json::decision::Remedy as JsonRemedy;
use json::edit::{
    Edit as JsonEdit, Effect as JsonEffect, PreemptionPolicy as JsonPolicy,
    TaintPattern as JsonTaint,
};

/// The JSON of a remedy.
pub fn remedy(remedy: &Remedy) -> JsonRemedy {
    JsonRemedy {
        kind: remedy.kind.name().into(),
        summary: remedy.summary.clone(),
        edits: remedy.edits.iter().map(edit).collect(),
        outcome: remedy.outcome.name().into(),
        nodes: remedy.nodes.clone(),
        check: remedy.check.clone(),
    }
}

/// The JSON of an edit.
pub fn edit(edit: &Edit) -> JsonEdit {
    // Every edit has its counterpart; the manifest of a new node stays in its file.
    match edit.clone() {
        Edit::Priority { priority } => JsonEdit::Priority { priority },
        Edit::PriorityClass { name } => JsonEdit::PriorityClass { name },
        Edit::PreemptionPolicy { policy } => JsonEdit::PreemptionPolicy {
            policy: match policy {
                PreemptionPolicy::Never => JsonPolicy::Never,
                PreemptionPolicy::PreemptLowerPriority => JsonPolicy::PreemptLowerPriority,
            },
        },
        Edit::AsIfPreempting => JsonEdit::AsIfPreempting,
        Edit::Scheduler { name } => JsonEdit::Scheduler { name },
        Edit::Request { resource, amount } => JsonEdit::Request { resource, amount },
        Edit::Toleration { taint } => JsonEdit::Toleration { taint: taints(taint) },
        Edit::NodeSelector { key, value } => JsonEdit::NodeSelector { key, value },
        Edit::RemovePod { namespace, name } => JsonEdit::RemovePod { namespace, name },
        Edit::Free { node, resources } => {
            JsonEdit::Free { node, resources: resources.into_iter().collect() }
        }
        Edit::Cordon { node } => JsonEdit::Cordon { node },
        Edit::Uncordon { node } => JsonEdit::Uncordon { node },
        Edit::Drain { node } => JsonEdit::Drain { node },
        Edit::LabelNode { node, key, value } => JsonEdit::LabelNode { node, key, value },
        Edit::RemoveTaint { node, taint } => JsonEdit::RemoveTaint { node, taint: taints(taint) },
        Edit::RemoveNode { node } => JsonEdit::RemoveNode { node },
        Edit::AddNode { node, file, object: _ } => JsonEdit::AddNode { node, file },
        Edit::AddNodeLike { node } => JsonEdit::AddNodeLike { node },
        Edit::Budget { namespace, name, allowed } => JsonEdit::Budget { namespace, name, allowed },
    }
}

fn taints(TaintPattern { key, value, effect }: TaintPattern) -> JsonTaint {
    let effect = effect.map(|effect| match effect {
        TaintEffect::NoSchedule => JsonEffect::NoSchedule,
        TaintEffect::PreferNoSchedule => JsonEffect::PreferNoSchedule,
        TaintEffect::NoExecute => JsonEffect::NoExecute,
        TaintEffect::Unknown => JsonEffect::Unknown,
    });
    JsonTaint { key, value, effect }
}

/// The JSON of what autoscalers do for a pod.
pub fn autoscaling(told: &found::AutoscalingOutlook) -> Autoscaling {
    Autoscaling {
        found: told.found.iter().map(autoscaler).collect(),
        verdict: told.verdict.name().into(),
        answers: told.answers.iter().map(answer).collect(),
        pools: told.pools.iter().map(pool).collect(),
        excluded: told.excluded.iter().map(exclusion).collect(),
        coming: told.coming.as_ref().map(coming),
        failure: told.failure.clone(),
        arrived: told.arrived.as_ref().map(arrived),
        contradictions: told.contradictions.iter().map(contradiction).collect(),
        remedies: told.remedies.iter().map(pool_remedy).collect(),
        marked_for_seconds: told.marked_for,
        unread: told.unread.clone(),
        buffers: told.buffers.clone(),
        overlays: told.overlays.clone(),
    }
}

fn exclusion(one: &found::Exclusion) -> Exclusion {
    Exclusion { by: one.by.name().into(), because: one.cause.clause() }
}

fn arrived(node: &found::ArrivedNode) -> Arrived {
    Arrived {
        by: node.by.name().into(),
        node: node.node.clone(),
        reasons: node.reasons.clone(),
        new: node.is_new,
    }
}

fn coming(node: &found::ComingNode) -> Coming {
    Coming {
        by: node.by.name().into(),
        what: node.what.clone(),
        pool: node.pool.clone(),
        state: node.state.clone(),
    }
}

fn contradiction(one: &found::Contradiction) -> Contradiction {
    Contradiction {
        by: one.by.name().into(),
        reason: one.reason.clone(),
        age_seconds: one.age,
        concluded: one.clause(),
    }
}

fn pool_remedy(remedy: &found::PoolRemedy) -> PoolRemedy {
    PoolRemedy {
        pool: remedy.pool.clone(),
        summary: remedy.summary.clone(),
        tried: remedy.is_tried,
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
    // Only a refusal and a failure have causes; the others are said by the text.
    let mut causes: Vec<AnswerCause> = Vec::new();
    match &answer.says {
        Says::Refuses(refused) => {
            for found::AutoscalerRefusal { groups, pool, cause } in refused {
                let (groups, pool, cause) = (*groups, pool.clone(), cause.clone());
                causes.push(AnswerCause { groups, pool, cause });
            }
        }
        Says::Failed(failed) => {
            for cause in failed {
                causes.push(AnswerCause { groups: None, pool: None, cause: cause.clone() });
            }
        }
        Says::Grows(_) | Says::Nominated { .. } | Says::LeftToRequest(_) | Says::Unknown => {}
    }
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

#[cfg(test)]
mod tests {
    use engine::cluster::template::TaintEffect;
    use engine::edits::{Edit, TaintPattern};

    #[test]
    fn edit_has_its_operation_and_its_values() {
        let gpu = || TaintPattern {
            key: "gpu".to_owned(),
            value: Some("yes".to_owned()),
            effect: Some(TaintEffect::NoSchedule),
        };
        for (edit, json) in [
            (
                Edit::Request { resource: "cpu".to_owned(), amount: "500m".to_owned() },
                r#"{"op":"request","resource":"cpu","amount":"500m"}"#,
            ),
            (Edit::Cordon { node: "n1".to_owned() }, r#"{"op":"cordon","node":"n1"}"#),
            (
                Edit::Free {
                    node: "n2".to_owned(),
                    resources: [("cpu".to_owned(), "250m".to_owned())].into_iter().collect(),
                },
                r#"{"op":"free","node":"n2","resources":{"cpu":"250m"}}"#,
            ),
            (
                Edit::RemoveTaint { node: "n1".to_owned(), taint: gpu() },
                r#"{"op":"removeTaint","node":"n1","key":"gpu","value":"yes","effect":"NoSchedule"}"#,
            ),
            (Edit::Priority { priority: -7 }, r#"{"op":"priority","priority":-7}"#),
        ] {
            let as_json = super::edit(&edit);
            assert_eq!(serde_json::to_string(&as_json).unwrap(), json);
            assert_eq!(serde_json::from_str::<json::edit::Edit>(json).unwrap(), as_json);
        }
    }
}
