//! Edits as JSON.

use json::edit::{
    Edit as JsonEdit, Effect as JsonEffect, PreemptionPolicy as JsonPolicy,
    TaintPattern as JsonTaint,
};
use model::cluster::template::TaintEffect;
use model::edits::{Edit, PreemptionPolicy, TaintPattern};

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
