//! A node.

use jiff::Timestamp;

use super::pod::PoolIx;
use super::resources::Resources;
use super::symbols::Sym;
use super::template::Effect;

/// Index of a node in [`super::Cluster::nodes`], which is ordered by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIx(pub u32);

/// A node.
#[derive(Debug, Clone)]
pub struct Node {
    /// Name.
    pub name: Sym,
    /// Labels.
    pub labels: PoolIx,
    /// `spec.unschedulable`: cordoned.
    pub unschedulable: bool,
    /// `spec.taints`, in order.
    pub taints: Box<[Taint]>,
    /// `status.allocatable`, pods apart.
    pub allocatable: Resources,
    /// `status.allocatable.pods`; absent as 0.
    pub allocatable_pods: i64,
    /// `status.declaredFeatures`.
    pub declared_features: Box<[Sym]>,
    /// When it was created.
    pub created: Option<Timestamp>,
    /// When its youngest taint was added, as far as taints say.
    pub tainted: Option<Timestamp>,
    /// Kind and UID of controllers whose pods it would rather not have.
    pub avoids: Box<[(Sym, Sym)]>,
    /// Images it holds: every name with the size in bytes, ordered by name number.
    pub images: Box<[(Sym, i64)]>,
}

/// `spec.taints[]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taint {
    /// Key.
    pub key: Sym,
    /// Value, may be empty.
    pub value: Sym,
    /// Effect.
    pub effect: Effect,
}

impl Taint {
    /// Whether it keeps pods away that do not tolerate it.
    #[must_use]
    pub fn repels(&self) -> bool {
        matches!(self.effect, Effect::NoSchedule | Effect::NoExecute)
    }
}
