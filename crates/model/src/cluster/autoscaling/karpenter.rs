//! Pools, claims, overlays and node classes of Karpenter. Upstream: `sigs.k8s.io/karpenter`
//! `pkg/apis/v1` (1.14), `pkg/apis/v1alpha1`.

use jiff::Timestamp;

use super::parts::{Amounts, ObjectCondition, amounts};
use crate::cluster::node::Taint;
use crate::cluster::reader::ReadContext;
use crate::cluster::selector::Labels;
use crate::cluster::symbols::{PoolIx, Sym};
use crate::notes::Subject;
use crate::snapshot::{Kind, autoscalers as wire};

/// The label that names the pool of a node and of a claim.
pub const POOL_LABEL: &str = "karpenter.sh/nodepool";

/// A pool: which nodes Karpenter may create.
#[derive(Debug, Clone)]
pub struct NodePool {
    pub name: Sym,
    /// Pools of higher weight are tried first.
    pub weight: i64,
    /// Whether its number of nodes is fixed, so that it does not grow for pods.
    pub is_static: bool,
    /// Limits on the total resources of its nodes.
    pub limits: Amounts,
    /// Labels of its nodes, ordered by symbol.
    pub labels: Labels,
    pub requirements: Box<[KarpenterRequirement]>,
    pub taints: Box<[Taint]>,
    pub class: ClassRef,
    /// The total resources of its nodes, according to its status.
    pub used: Amounts,
    pub conditions: Box<[ObjectCondition]>,
    /// Whether it is being deleted.
    pub is_terminating: bool,
}

/// The node class that a pool or claim names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassRef {
    /// API group.
    pub group: Sym,
    pub kind: Sym,
    pub name: Sym,
}

/// A requirement of a pool, claim or overlay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KarpenterRequirement {
    /// Label.
    pub key: Sym,
    /// How the values are compared.
    pub operator: KarpenterOperator,
    pub values: Box<[Sym]>,
    /// Minimum number of values that the remaining instance types must have.
    pub min_values: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KarpenterOperator {
    /// One of the values.
    In,
    /// None of the values.
    NotIn,
    /// Any value.
    Exists,
    /// No such label.
    DoesNotExist,
    /// A larger integer.
    Gt,
    /// A smaller integer.
    Lt,
    /// No smaller integer.
    Gte,
    /// No larger integer.
    Lte,
    /// Any other operator, which is not known.
    Unknown,
}

/// A node that Karpenter has or is creating.
#[derive(Debug, Clone)]
pub struct NodeClaim {
    pub name: Sym,
    /// Its pool; empty without the label.
    pub pool: Sym,
    /// Labels, which its node gets.
    pub labels: PoolIx,
    pub requirements: Box<[KarpenterRequirement]>,
    pub taints: Box<[Taint]>,
    /// Taints that are removed once the node has started.
    pub startup_taints: Box<[Taint]>,
    /// The node; empty until it has one.
    pub node: Sym,
    /// The instance's resources.
    pub capacity: Amounts,
    /// The part of them that is allocatable.
    pub allocatable: Amounts,
    pub conditions: Box<[ObjectCondition]>,
    /// When it was created.
    pub created: Option<Timestamp>,
    /// Whether it is being deleted.
    pub is_terminating: bool,
}

/// Resources that nodes have in addition to those of their instance type.
#[derive(Debug, Clone)]
pub struct NodeOverlay {
    pub name: Sym,
    pub requirements: Box<[KarpenterRequirement]>,
    /// The resources.
    pub capacity: Amounts,
}

/// A class of nodes of a cloud provider.
#[derive(Debug, Clone)]
pub struct NodeClass {
    /// Its provider's kind.
    pub kind: Kind,
    pub name: Sym,
    pub conditions: Box<[ObjectCondition]>,
}

impl KarpenterOperator {
    pub fn read(text: &str) -> Self {
        match text {
            "In" => Self::In,
            "NotIn" => Self::NotIn,
            "Exists" => Self::Exists,
            "DoesNotExist" => Self::DoesNotExist,
            "Gt" => Self::Gt,
            "Lt" => Self::Lt,
            "Gte" => Self::Gte,
            "Lte" => Self::Lte,
            _ => Self::Unknown,
        }
    }
}

impl KarpenterRequirement {
    fn read_all(wire: &[wire::Requirement], reader: &mut ReadContext) -> Box<[Self]> {
        wire.iter()
            .map(|requirement| Self {
                key: reader.intern(&requirement.key),
                operator: KarpenterOperator::read(&requirement.operator),
                values: reader.intern_all(&requirement.values),
                min_values: requirement.min_values,
            })
            .collect()
    }
}

impl ClassRef {
    fn read(wire: &wire::NodeClassRef, reader: &mut ReadContext) -> Self {
        Self {
            group: reader.intern(&wire.group),
            kind: reader.intern(&wire.kind),
            name: reader.intern(&wire.name),
        }
    }
}

impl NodePool {
    pub(super) fn read(wire: &wire::NodePool, reader: &mut ReadContext) -> Self {
        let (meta, spec, status) = (&wire.metadata, &wire.spec, &wire.status);
        let template = &spec.template;
        let subject = Subject::object(Kind::NodePool, "", &meta.name);
        Self {
            name: reader.intern(&meta.name),
            weight: spec.weight,
            is_static: spec.replicas.is_some(),
            limits: amounts(&spec.limits, &subject, "spec.limits", reader),
            labels: reader.pairs(&template.metadata.labels),
            requirements: KarpenterRequirement::read_all(&template.spec.requirements, reader),
            taints: Taint::read_all(&template.spec.taints, reader),
            class: ClassRef::read(&template.spec.node_class_ref, reader),
            used: amounts(&status.resources, &subject, "status.resources", reader),
            conditions: ObjectCondition::read_all(&status.conditions, reader),
            is_terminating: !meta.deletion_timestamp.is_empty(),
        }
    }
}

impl NodeClaim {
    pub(super) fn read(wire: &wire::NodeClaim, reader: &mut ReadContext) -> Self {
        let (meta, spec, status) = (&wire.metadata, &wire.spec, &wire.status);
        let subject = Subject::object(Kind::NodeClaim, "", &meta.name);
        Self {
            name: reader.intern(&meta.name),
            pool: reader.intern(meta.labels.get(POOL_LABEL).unwrap_or_default()),
            labels: reader.labels(&meta.labels),
            requirements: KarpenterRequirement::read_all(&spec.requirements, reader),
            taints: Taint::read_all(&spec.taints, reader),
            startup_taints: Taint::read_all(&spec.startup_taints, reader),
            node: reader.intern(&status.node_name),
            capacity: amounts(&status.capacity, &subject, "status.capacity", reader),
            allocatable: amounts(&status.allocatable, &subject, "status.allocatable", reader),
            conditions: ObjectCondition::read_all(&status.conditions, reader),
            created: meta.creation_timestamp.parse().ok(),
            is_terminating: !meta.deletion_timestamp.is_empty(),
        }
    }
}

impl NodeOverlay {
    pub(super) fn read(wire: &wire::NodeOverlay, reader: &mut ReadContext) -> Self {
        let subject = Subject::object(Kind::NodeOverlay, "", &wire.metadata.name);
        Self {
            name: reader.intern(&wire.metadata.name),
            requirements: KarpenterRequirement::read_all(&wire.spec.requirements, reader),
            capacity: amounts(&wire.spec.capacity, &subject, "spec.capacity", reader),
        }
    }
}

impl NodeClass {
    pub(super) fn read(kind: Kind, wire: &wire::NodeClass, reader: &mut ReadContext) -> Self {
        Self {
            kind,
            name: reader.intern(&wire.metadata.name),
            conditions: ObjectCondition::read_all(&wire.status.conditions, reader),
        }
    }
}
