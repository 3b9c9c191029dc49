//! Edits as JSON.

use engine::cluster::template::TaintEffect;
use engine::edits::{Edit, PreemptionPolicy, TaintPattern};
use json::edit::{
    Edit as JsonEdit, Effect as JsonEffect, PreemptionPolicy as JsonPolicy,
    TaintPattern as JsonTaint,
};

/// The JSON of an edit.
pub fn edit(edit: &Edit) -> JsonEdit {
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
