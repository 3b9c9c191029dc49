//! The operands of a rejection.

use serde::{Deserialize, Serialize};

use crate::Text;

/// The operands of a rejection; which fields there are depends on what was refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
// What is read is the first variant whose fields are all there: one that has some of the fields of
// another stands behind it.
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum Evidence {
    NodeName {
        node_name: String,
    },
    Cordoned {
        unschedulable: bool,
    },
    Taint {
        taint: String,
    },
    NodeSelector {
        label: String,
        wanted: String,
        found: Option<String>,
        /// Further pairs of `nodeSelector` that the node does not have.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        also: Vec<MissingPair>,
    },
    NodeAffinity {
        required_terms: usize,
        /// What the node lacks for the term that is closest to selecting it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unmet: Vec<UnmetExpression>,
    },
    Port {
        host_port: String,
        used_by: Option<String>,
        used_port: String,
    },
    Resource {
        resource: String,
        requested: String,
        used: String,
        allocatable: String,
        /// Where the request comes from, unless the containers alone request it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        parts: Vec<RequestPart>,
    },
    MissingLabel {
        missing_label: String,
    },
    Spread {
        topology_key: String,
        domain: String,
        matching_pods: i64,
        minimum: i64,
        incoming: i64,
        max_skew: i64,
        /// A domain that has as few pods as any; absent if it is not known which, and with
        /// `tooFewDomains`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        emptiest: Option<EmptiestDomain>,
        /// There are fewer domains than `minDomains`, for which the minimum counts as 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        too_few_domains: Option<TooFewDomains>,
    },
    AntiAffinity {
        topology_key: String,
        domain: String,
        direction: Text,
        matching_pods: i64,
        pod: Option<String>,
    },
    Disk {
        volume: String,
        used_by: String,
    },
    ClaimInUse {
        claim: String,
        used_by: String,
    },
    VolumeLimit {
        driver: String,
        limit: i64,
        attached: i64,
        wanted: i64,
    },
    MissingDrivers {
        missing_drivers: Vec<String>,
    },
    StorageSpace {
        claim: String,
        storage_class: String,
        wanted_bytes: i64,
        /// The same as a quantity.
        wanted: String,
        /// The largest volume for which there is room where the node reaches it, as a quantity;
        /// absent if no `CSIStorageCapacity` covers the node.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        here: Option<String>,
        /// What the objects of kind `CSIStorageCapacity` of the class offer anywhere, the largest
        /// first, ten at most.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        offers: Vec<StorageOffer>,
        /// How many more there are.
        #[serde(default, skip_serializing_if = "is_zero")]
        more_offers: usize,
    },
    VolumeZone {
        volume: String,
        label: String,
        /// The volume's value of the label: a zone or region, or several with `__` between them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        volume_value: Option<String>,
        found: Option<String>,
    },
    Feature {
        feature: Text,
    },
    Devices {
        claim: Option<String>,
        request: String,
        wanted: usize,
        devices: usize,
        selected: usize,
        in_use: usize,
        tainted: usize,
        /// The pods that hold what is in use, the least important first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        holders: Vec<DeviceHolder>,
    },
    /// Each claim could get devices, but no choice of them satisfies all claims together.
    ClaimsTogether {
        claims_together: bool,
    },
    ClaimElsewhere {
        claims: Vec<String>,
    },
    Affinity {
        topology_key: String,
        domain: Option<String>,
        matching_pods: i64,
        /// A pod that matches, and where it is: in another domain, or with the labels alone in
        /// another namespace.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pod: Option<String>,
        /// The domain of that pod; absent if its node has none, or its namespace is another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pod_domain: Option<String>,
    },
    Claim {
        claim: String,
        volume: Option<String>,
        /// What the node lacks for the closest term of the volume's node affinity.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unmet: Vec<UnmetExpression>,
        /// The only hosts that have the volume, if that excluded the node before it was filtered.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        hosts: Vec<String>,
        /// Why a claim is not bound that has no volume.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unbound: Option<UnboundClaim>,
    },
    /// One that a newer program has.
    #[cfg_attr(feature = "schema", schemars(skip))]
    Other {},
}

/// Why a claim is not bound, and cannot be on the node.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UnboundClaim {
    /// Null without one.
    pub storage_class: Option<String>,
    /// What it asks for, as a quantity.
    pub wanted: String,
    /// Why no volume is made for it: `NoStorageClass`, `StorageClassMissing`, `NoProvisioner`,
    /// `Immediate` (the class binds at once, and nothing has bound it), `AllowedTopologies` (of the
    /// class, without the node), `VolumeName` (it names a volume to which it is not bound yet) or
    /// `SelectedNode` (its volume is made for another node).
    pub cause: Text,
    /// For `Immediate`: what provisions the class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provisioner: Option<String>,
    /// For `AllowedTopologies`: the alternatives, of which each has expressions on labels of nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_topologies: Vec<Vec<LabelValues>>,
    /// For `VolumeName`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names_volume: Option<NamedObject>,
    /// For `SelectedNode`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected_node: Option<NamedObject>,
    /// For `SelectedNode`: whether the annotation `volume.kubernetes.io/selected-node` says so, and
    /// not a pod that was placed before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_annotation: Option<bool>,
    /// The volumes that no claim has and why each does not suit, the closest first, ten at most. Of
    /// another storage class are those that do not suit for that alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<UnsuitedVolume>,
    /// How many more there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_volumes: usize,
    /// How many volumes of the class belong to other claims.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub volumes_of_other_claims: usize,
    /// The volumes that suit it on every node, ten at most. It is not bound to any of them yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matching: Vec<String>,
    /// The volumes that suit it on the node, but go to other claims of the pod.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken: Vec<String>,
}

/// An object that is named, and whether it exists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NamedObject {
    pub name: String,
    pub exists: bool,
}

/// The values of which a label must have one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LabelValues {
    pub label: String,
    pub values: Vec<String>,
}

/// A volume that does not suit a claim, and the first reason.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UnsuitedVolume {
    pub volume: String,
    /// `Reserved` (for a claim that is gone), `OtherClaim` (which has the volume), `Size`,
    /// `VolumeMode`, `VolumeAttributesClass`, `Deleting`, `NotAvailable`, `Selector`,
    /// `StorageClass`, `AccessModes` or `Unreachable` (only other nodes reach it).
    pub reason: Text,
    /// What the volume has: its size, mode, class or access modes, or the claim that it is reserved
    /// for or belongs to; empty for no class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// What the claim asks for instead: a size, mode, class, or the access modes that the volume
    /// lacks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
    /// For `Selector`: what the claim's selector asks of the volume's labels, which these do not
    /// have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<UnmetExpression>,
    /// For `Unreachable`: what the volume asks of a node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<Expression>,
    /// For `Unreachable`: how many nodes reach the volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<usize>,
}

/// What a `CSIStorageCapacity` offers, and where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StorageOffer {
    /// The largest volume that it has room for, as a quantity.
    pub room: String,
    /// The labels of the nodes from which it is accessible; empty for all nodes.
    pub topology: Vec<Expression>,
    /// How many nodes these are; 0 also if it names no topology at all.
    pub nodes: usize,
}

/// An expression on a label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Expression {
    pub key: String,
    pub operator: Text,
    pub values: Vec<String>,
}

/// A domain that has as few matching pods as any other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EmptiestDomain {
    pub domain: String,
    /// How many other domains have as few.
    pub others: usize,
    /// The first node of the domain, if the pod can go to none of its nodes, all of which count
    /// nevertheless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_node: Option<String>,
    /// What keeps the pod from that node: `Taint`, `Labels` (the pod does not select it) or
    /// `Cordon`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_by: Option<Text>,
    /// The taint that the pod does not tolerate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taint: Option<String>,
}

/// Fewer domains than `minDomains`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TooFewDomains {
    pub domains: usize,
    pub min_domains: i64,
}

/// A pair of `nodeSelector` that the node does not have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MissingPair {
    pub label: String,
    pub wanted: String,
    /// The node's value; null without the label.
    pub found: Option<String>,
}

/// An expression that the node does not meet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UnmetExpression {
    /// Key of the label, or the field `metadata.name`.
    pub key: String,
    pub operator: Text,
    pub values: Vec<String>,
    /// The node's value; null without the label.
    pub found: Option<String>,
}

/// A pod that holds devices; kube-scheduler does not preempt for them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeviceHolder {
    /// `namespace/name`.
    pub pod: String,
    pub priority: i32,
    /// How many of the devices it holds.
    pub devices: usize,
}

/// A part of what a pod requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestPart {
    pub amount: String,
    /// `Containers`, `Sidecars`, `InitContainer`, `PodLevel` or `Overhead`.
    pub origin: Text,
    /// Sidecars, the init container, or the RuntimeClass of the overhead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}
