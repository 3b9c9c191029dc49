//! Reserve: the devices that a pod takes from those after it in its group, and what its claims mean
//! for them.
//!
//! Upstream: `pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go` `Reserve`, and
//! what PreFilter and Filter do with a pending allocation (1.37).

use std::sync::Arc;

use super::filter::Claims;
use super::messages;
use crate::framework::reserved::{Reserved, ReservedDevices};
use crate::framework::status::{Code, FilterVerdict};
use dra::{Grant, declares_node_operations};
use model::cluster::NodeIx;
use model::cluster::devices::{ClaimIx, DeviceRequest};

/// The error if a configuration disables Filter, which finds the devices.
const NOT_FOUND: &str = "claim allocation not found for node";

impl Claims<'_> {
    /// The grant of an unallocated claim that a pod of the group reserved before.
    pub(super) fn pending(&self, claim: ClaimIx) -> Option<&Arc<Grant>> {
        self.cycle.view.reserved().grant(claim)
    }

    /// The unallocated claims, in order; `None` stands for the scheduler's own.
    fn unallocated(&self) -> impl Iterator<Item = Option<ClaimIx>> {
        let user = self
            .user
            .iter()
            .filter(|(_, claim)| claim.allocation.is_none())
            .map(|(ix, _)| Some(*ix));
        user.chain(self.special.is_some().then_some(None))
    }

    /// Rejects a node that cannot skip operations on devices that a claim got before.
    pub(super) fn pending_skips(&self, node: NodeIx) -> Option<FilterVerdict> {
        let cluster = self.cycle.cluster();
        if !self.cycle.features().dra.dra_node_operations {
            return None;
        }
        let mut waiting = self.user.iter().filter(|(_, claim)| claim.allocation.is_none());
        let (_, claim) = waiting.find(|(ix, _)| {
            let granted = self.pending(*ix).into_iter().flat_map(|grant| &grant.devices);
            granted.into_iter().any(|device| device.skips_node_operations)
        })?;
        if declares_node_operations(cluster, node) {
            return None;
        }
        let name = cluster.full_name(claim.namespace, claim.name);
        let text = messages::OPERATIONS_NOT_SKIPPED.with([&name]);
        Some(FilterVerdict::reject(Code::UnschedulableAndUnresolvable, text, None))
    }

    /// What the unallocated claims get on a node, in upstream's order. Parity: earlier reservations
    /// come after new allocations and are then told apart only by position, so claims may get each
    /// other's devices.
    pub(super) fn granted(
        &self,
        node: NodeIx,
        requests: Option<&[DeviceRequest]>,
    ) -> Result<Vec<Arc<Grant>>, FilterVerdict> {
        let new = self.allocate(self.cycle.view.info(node), requests)?;
        let before = self.unallocated().flatten().filter_map(|ix| self.pending(ix)).cloned();
        Ok(new.iter().cloned().map(Arc::new).chain(before).collect())
    }

    pub(super) fn reserve(&self, node: NodeIx, reserved: &mut Reserved) -> Result<(), String> {
        reserved.users.extend(self.user.iter().map(|(claim, _)| (self.cycle.ix, *claim)));
        if self.unallocated().next().is_none() {
            return Ok(());
        }
        let requests = self
            .special
            .as_ref()
            .map(|s| s.on_node(&self.cycle, self.cycle.view.info(node)))
            .transpose();
        let Ok(requests) = requests.map(Option::flatten) else { return Ok(()) };
        if requests.is_none() && self.user.is_empty() {
            return Ok(());
        }
        let filters = self.cycle.view.profile.plugins.filter.contains(&super::DOC.name);
        let granted = if filters { self.granted(node, requests.as_deref()).ok() } else { None };
        let Some(granted) = granted else {
            let needed = self.unallocated().flatten().next().is_some();
            return if needed { Err(NOT_FOUND.to_owned()) } else { Ok(()) };
        };
        for (claim, grant) in self.unallocated().zip(granted) {
            if claim.is_none_or(|claim| reserved.grant(claim).is_none()) {
                reserved.devices.push(ReservedDevices { pod: self.cycle.ix, claim, grant });
            }
        }
        Ok(())
    }
}
