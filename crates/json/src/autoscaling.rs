//! What autoscalers do about a pod for which kube-scheduler has no node.

use serde::{Deserialize, Serialize};

use crate::Text;

/// What autoscalers do about a pod.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Autoscaling {
    /// The autoscalers that the input shows; others may be there.
    pub found: Vec<Autoscaler>,
    /// `coming` (a node is on its way), `failed` (one was tried), `countsOnNode` (an autoscaler counts
    /// on a node where the pod does not fit), `refused` (each has answered that none comes), `notLooking` (none looks at the pod), `wouldCome` (not answered; a node like one
    /// that is there takes the pod), `mayCome` (not answered; labels, taints and limits allow it),
    /// `cannot` (no group or pool can grow for it) or `unknown`.
    pub verdict: Text,
    /// What they have answered, the newest first.
    pub answers: Vec<Answer>,
    /// What each group and pool can do, in the order in which they are tried.
    pub pools: Vec<Pool>,
    /// The autoscalers that do not look at the pod, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<Exclusion>,
    /// The node that is on its way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coming: Option<Coming>,
    /// Why a node that was tried does not come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// A node that an autoscaler has meant for the pod, and that does not take it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrived: Option<Arrived>,
    /// Where an answer is another one than what is concluded from the cluster. The answer counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<Contradiction>,
    /// What would let a node come.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remedies: Vec<PoolRemedy>,
    /// For how many seconds the pod has been marked unschedulable; absent if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marked_for_seconds: Option<i64>,
    /// Kinds that may not be read and that the answer needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// Buffers whose room any pod may take: `namespace/name`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<String>,
    /// `NodeOverlays` that give nodes a resource which the pod requests; to which sizes they apply is
    /// known to the cloud alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overlays: Vec<String>,
}

/// An autoscaler that the input shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Autoscaler {
    /// `cluster-autoscaler`, `karpenter`, `eks-auto-mode`, `aks-nap`, `cast-ai` or `spot-ocean`.
    pub kind: Text,
    /// Its version, if its image says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How old its status is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_age_seconds: Option<i64>,
    /// What keeps it from acting for any pod, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalled: Option<String>,
}

/// An answer of an autoscaler.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AutoscalerAnswer"))]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// Whose, as `found[].kind`.
    pub by: Text,
    /// The Event's reason.
    pub reason: String,
    /// The Event's text.
    pub text: String,
    /// How many seconds ago it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_seconds: Option<i64>,
    /// Whether it was given before the pod was last marked unschedulable, or before its groups came
    /// into another state.
    pub stale: bool,
    /// Whether its form is known; nothing is concluded from another.
    pub understood: bool,
    /// The causes of a refusal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<AnswerCause>,
}

/// A cause in an answer that refuses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AnswerCause {
    /// For how many groups, if it is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<u64>,
    /// The pool, if it is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    /// The cause, in the autoscaler's words.
    pub cause: String,
}

/// What a group or pool can do for the pod.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AutoscalerPool"))]
#[serde(rename_all = "camelCase")]
pub struct Pool {
    pub name: String,
    /// Whose it is, as `found[].kind`.
    pub kind: Text,
    /// `would` (a node like `precedent` takes the pod, or one as annotations describe it), `may`
    /// (sizes are known to the cloud alone), `notKnown` (nothing shows what a new node is like),
    /// `limit` (too near to its limit for the smallest node so far) or `no`.
    pub answer: Text,
    /// Why, or what is in doubt.
    pub causes: Vec<String>,
    /// A node that is there, like which a new one takes the pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precedent: Option<String>,
}

/// Why an autoscaler does not look at the pod.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Exclusion {
    /// Which, as `found[].kind`.
    pub by: Text,
    pub because: String,
}

/// An answer that is not what is concluded from the cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "AnswerContradiction")
)]
#[serde(rename_all = "camelCase")]
pub struct Contradiction {
    /// Whose answer, as `found[].kind`.
    pub by: Text,
    /// The Event's reason.
    pub reason: String,
    /// How many seconds ago it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_seconds: Option<i64>,
    /// What is concluded, in words.
    pub concluded: String,
}

/// A node that is on its way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ComingNode"))]
#[serde(rename_all = "camelCase")]
pub struct Coming {
    /// Whose, as `found[].kind`.
    pub by: Text,
    /// `nodeclaim/NAME`, or a group with its sizes.
    pub what: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    /// How far it is, in words.
    pub state: String,
}

/// A node that an autoscaler has meant for the pod, and that does not take it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ArrivedNode"))]
#[serde(rename_all = "camelCase")]
pub struct Arrived {
    /// Whose, as `found[].kind`.
    pub by: Text,
    pub node: String,
    /// Why the pod does not fit there.
    pub reasons: Vec<String>,
    /// Whether it came for the pod; else it was there before.
    pub new: bool,
}

/// What would let a group or pool grow for the pod.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PoolRemedy {
    /// The group or pool; empty for all of them.
    pub pool: String,
    pub summary: String,
    /// Whether it was tried with a node like one that is there, which takes the pod.
    pub tried: bool,
}
