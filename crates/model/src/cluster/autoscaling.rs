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
use crate::snapshot::{Kind, Object};

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
    /// GKE's classes of nodes.
    pub compute_classes: Vec<ComputeClass>,
    /// Events of autoscalers about pods, pools, claims and the status of cluster-autoscaler.
    pub events: Vec<Event>,
}

impl AutoscalerObjects {
    /// Adds an object of one of these kinds; ignores any other.
    pub(super) fn add(&mut self, object: &Object<'_>, reader: &mut ReadContext) {
        match object {
            Object::NodePool(pool) => self.pools.push(NodePool::read(pool, reader)),
            Object::NodeClaim(claim) => self.claims.push(NodeClaim::read(claim, reader)),
            Object::NodeOverlay(overlay) => self.overlays.push(NodeOverlay::read(overlay, reader)),
            Object::Ec2NodeClass(class) => {
                self.classes.push(NodeClass::read(Kind::Ec2NodeClass, class, reader));
            }
            Object::EksNodeClass(class) => {
                self.classes.push(NodeClass::read(Kind::EksNodeClass, class, reader));
            }
            Object::AksNodeClass(class) => {
                self.classes.push(NodeClass::read(Kind::AksNodeClass, class, reader));
            }
            Object::ProvisioningRequest(request) => {
                self.requests.push(ProvisioningRequest::read(request, reader));
            }
            Object::CapacityBuffer(buffer) => {
                self.buffers.push(CapacityBuffer::read(buffer, reader));
            }
            Object::CapacityQuota(quota) => self.quotas.push(CapacityQuota::read(quota, reader)),
            Object::MachineAutoscaler(scaler) => {
                self.machine_autoscalers.push(MachineAutoscaler::read(scaler, reader));
            }
            Object::ClusterAutoscaler(settings) => {
                self.openshift = Some(OpenShiftSettings::read(settings));
            }
            Object::MachineDeployment(group) => {
                self.machine_groups.push(MachineGroup::read(
                    Kind::MachineDeployment,
                    group,
                    reader,
                ));
            }
            Object::MachineSet(group) => {
                self.machine_groups.push(MachineGroup::read(Kind::MachineSet, group, reader));
            }
            Object::OpenShiftMachineSet(group) => self.machine_groups.push(MachineGroup::read(
                Kind::OpenShiftMachineSet,
                group,
                reader,
            )),
            Object::ComputeClass(class) => {
                self.compute_classes.push(ComputeClass::read(class, reader));
            }
            _ => {}
        }
    }

    /// Whether it has no object of a kind.
    pub(super) fn has_none(&self, kind: Kind) -> bool {
        match kind {
            Kind::NodePool => self.pools.is_empty(),
            Kind::NodeClaim => self.claims.is_empty(),
            Kind::NodeOverlay => self.overlays.is_empty(),
            Kind::Ec2NodeClass | Kind::EksNodeClass | Kind::AksNodeClass => {
                !self.classes.iter().any(|class| class.kind == kind)
            }
            Kind::ProvisioningRequest => self.requests.is_empty(),
            Kind::CapacityBuffer => self.buffers.is_empty(),
            Kind::CapacityQuota => self.quotas.is_empty(),
            Kind::MachineAutoscaler => self.machine_autoscalers.is_empty(),
            Kind::ClusterAutoscaler => self.openshift.is_none(),
            Kind::MachineDeployment | Kind::MachineSet | Kind::OpenShiftMachineSet => {
                !self.machine_groups.iter().any(|group| group.kind == kind)
            }
            Kind::ComputeClass => self.compute_classes.is_empty(),
            _ => true,
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
