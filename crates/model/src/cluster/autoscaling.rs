//! What autoscalers show in the cluster: their objects, their settings, and the Events that they
//! write. No decision of kube-scheduler reads it.

pub mod cluster_autoscaler;
pub mod karpenter;
pub mod parts;

use cluster_autoscaler::{
    CapacityBuffer, CapacityQuota, ComputeClass, MachineAutoscaler, MachineGroup,
    OpenShiftSettings, ProvisioningRequest,
};
use karpenter::{NodeClaim, NodeClass, NodeOverlay, NodePool};

use super::event::Event;
use super::reader::{Identity, ReadContext};
use super::symbols::Sym;
use crate::snapshot::{AutoscalerObject, Kind};

/// What was read about autoscalers; each list is in the order of the input.
#[derive(Debug, Clone, Default)]
pub struct AutoscalerObjects {
    /// Pools of Karpenter.
    pub pools: Vec<NodePool>,
    /// Nodes that Karpenter has or is creating.
    pub claims: Vec<NodeClaim>,
    /// Resources that Karpenter's nodes have in addition to those of their instance type.
    pub overlays: Vec<NodeOverlay>,
    /// Classes of nodes that pools name.
    pub classes: Vec<NodeClass>,
    /// Requests for nodes that pods consume.
    pub requests: Vec<ProvisioningRequest>,
    /// Capacity that is kept free.
    pub buffers: Vec<CapacityBuffer>,
    /// Limits on the total resources of nodes.
    pub quotas: Vec<CapacityQuota>,
    /// Scalable groups of machines.
    pub machine_groups: Vec<MachineGroup>,
    /// The size limits of OpenShift's groups.
    pub machine_autoscalers: Vec<MachineAutoscaler>,
    /// OpenShift's settings of cluster-autoscaler.
    pub openshift: Option<OpenShiftSettings>,
    /// How many DaemonSets the input has; only their pods are read.
    pub daemon_sets: usize,
    /// GKE's classes of nodes.
    pub compute_classes: Vec<ComputeClass>,
    /// Events of autoscalers about pods, pools, claims and the status of cluster-autoscaler.
    pub events: Vec<Event>,
}

impl AutoscalerObjects {
    pub(super) fn add(&mut self, object: &AutoscalerObject<'_>, reader: &mut ReadContext) {
        match object {
            AutoscalerObject::NodePool(pool) => self.pools.push(NodePool::read(pool, reader)),
            AutoscalerObject::NodeClaim(claim) => self.claims.push(NodeClaim::read(claim, reader)),
            AutoscalerObject::NodeOverlay(overlay) => {
                self.overlays.push(NodeOverlay::read(overlay, reader));
            }
            AutoscalerObject::Ec2NodeClass(class) => {
                self.classes.push(NodeClass::read(Kind::Ec2NodeClass, class, reader));
            }
            AutoscalerObject::EksNodeClass(class) => {
                self.classes.push(NodeClass::read(Kind::EksNodeClass, class, reader));
            }
            AutoscalerObject::AksNodeClass(class) => {
                self.classes.push(NodeClass::read(Kind::AksNodeClass, class, reader));
            }
            AutoscalerObject::ProvisioningRequest(request) => {
                self.requests.push(ProvisioningRequest::read(request, reader));
            }
            AutoscalerObject::CapacityBuffer(buffer) => {
                self.buffers.push(CapacityBuffer::read(buffer, reader));
            }
            AutoscalerObject::CapacityQuota(quota) => {
                self.quotas.push(CapacityQuota::read(quota, reader));
            }
            AutoscalerObject::MachineAutoscaler(scaler) => {
                self.machine_autoscalers.push(MachineAutoscaler::read(scaler, reader));
            }
            AutoscalerObject::ClusterAutoscaler(settings) => {
                self.openshift = Some(OpenShiftSettings::read(settings));
            }
            AutoscalerObject::MachineDeployment(group) => {
                self.machine_groups.push(MachineGroup::read(
                    Kind::MachineDeployment,
                    group,
                    reader,
                ));
            }
            AutoscalerObject::MachineSet(group) => {
                self.machine_groups.push(MachineGroup::read(Kind::MachineSet, group, reader));
            }
            AutoscalerObject::OpenShiftMachineSet(group) => {
                self.machine_groups.push(MachineGroup::read(
                    Kind::OpenShiftMachineSet,
                    group,
                    reader,
                ));
            }
            AutoscalerObject::ComputeClass(class) => {
                self.compute_classes.push(ComputeClass::read(class, reader));
            }
        }
    }

    /// Sorts everything by name, so that the order of the input does not matter.
    pub(super) fn sort(&mut self, reader: &mut ReadContext) {
        reader.sort_named(&mut self.pools, |o| Identity::of(Kind::NodePool, Sym::EMPTY, o.name));
        reader.sort_named(&mut self.claims, |o| Identity::of(Kind::NodeClaim, Sym::EMPTY, o.name));
        reader.sort_named(&mut self.overlays, |o| {
            Identity::of(Kind::NodeOverlay, Sym::EMPTY, o.name)
        });
        let symbols = &reader.symbols;
        let text = |sym: Sym| symbols.text(sym);
        self.classes.sort_by_key(|class| (class.kind, text(class.name)));
        self.requests.sort_by_key(|request| (text(request.namespace), text(request.name)));
        self.buffers.sort_by_key(|buffer| (text(buffer.namespace), text(buffer.name)));
        self.quotas.sort_by_key(|quota| text(quota.name));
        self.machine_groups
            .sort_by_key(|group| (group.kind, text(group.namespace), text(group.name)));
        self.machine_autoscalers
            .sort_by_key(|scaler| (text(scaler.namespace), text(scaler.target)));
        self.compute_classes.sort_by_key(|class| text(class.name));
        // Events of the same second are sorted by their texts, so that the order of the input does
        // not matter.
        self.events.sort_by(|a, b| {
            a.time
                .cmp(&b.time)
                .then_with(|| text(a.reason).cmp(text(b.reason)))
                .then_with(|| (&*a.object.name, &*a.message).cmp(&(&*b.object.name, &*b.message)))
        });
    }
}
