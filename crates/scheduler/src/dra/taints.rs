//! Taints of devices.
//!
//! Upstream: `dynamic-resource-allocation/resourceclaim/devicetoleration.go`,
//! `resourceslice/tracker` (1.37).

use super::Allocator;
use model::cluster::devices::{
    Device, DeviceId, DeviceTaint, DeviceToleration, DeviceTolerationOperator, Want,
};

/// The first taint of a device that the request does not tolerate.
pub(super) fn repelling(
    allocator: &Allocator,
    want: &Want,
    id: DeviceId,
    device: &Device,
) -> Option<DeviceTaint> {
    if !allocator.features.dra_device_taints {
        return None;
    }
    let rules = if allocator.features.dra_device_taint_rules {
        allocator.cluster.devices.taint_rules.as_slice()
    } else {
        &[]
    };
    let ruled = rules
        .iter()
        .filter(|rule| rule.matches(id, allocator.features.dra_rules_need_selector))
        .map(|rule| &rule.taint);
    let mut taints = device.taints.iter().chain(ruled);
    taints
        .find(|taint| taint.repels && !want.tolerations.iter().any(|t| tolerates(t, taint)))
        .copied()
}

fn tolerates(toleration: &DeviceToleration, taint: &DeviceTaint) -> bool {
    let matches =
        |wanted: model::cluster::symbols::Sym, given| wanted.is_empty() || wanted == given;
    matches(toleration.effect, taint.effect)
        && matches(toleration.key, taint.key)
        && match toleration.operator {
            Some(DeviceTolerationOperator::Equal) => toleration.value == taint.value,
            Some(DeviceTolerationOperator::Exists) => true,
            None => false,
        }
}
