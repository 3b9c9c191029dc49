//! Amounts of resources as the scheduler counts them. Upstream: `pkg/scheduler/framework/types.go`
//! `Resource` (1.37).

use std::ops::{AddAssign, SubAssign};

use smallvec::SmallVec;

use super::quantity::Quantity;
use super::symbols::Sym;

/// How the scheduler counts a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceKind {
    /// `cpu`, in thousandths.
    Cpu,
    /// `memory`, in bytes.
    Memory,
    /// `ephemeral-storage`, in bytes.
    EphemeralStorage,
    /// `pods`: only nodes have it.
    Pods,
    /// An extended resource, huge pages, or another one that is counted in units.
    Scalar,
    /// Not counted at all.
    Ignored,
}

impl ResourceKind {
    /// The kind of the resource named `name`. Upstream: `pkg/scheduler/util/utils.go`
    /// `IsScalarResourceName`, `pkg/apis/core/v1/helper/helpers.go` (1.37).
    pub fn of(name: &str) -> Self {
        match name {
            "cpu" => Self::Cpu,
            "memory" => Self::Memory,
            "ephemeral-storage" => Self::EphemeralStorage,
            "pods" => Self::Pods,
            _ if is_extended(name)
                || name.starts_with("hugepages-")
                || name.contains("kubernetes.io/")
                || name.starts_with("attachable-volumes-") =>
            {
                Self::Scalar
            }
            _ => Self::Ignored,
        }
    }

    /// The amount of `quantity` in the unit of this kind.
    pub fn count(self, quantity: Quantity) -> i64 {
        if self == Self::Cpu { quantity.milli_value() } else { quantity.value() }
    }

    /// The same in versions in which amounts that are too large saturate.
    pub fn saturated_count(self, quantity: Quantity) -> i64 {
        if self == Self::Cpu {
            quantity.saturated_milli_value()
        } else {
            quantity.saturated_value()
        }
    }
}

/// Whether `name` is an extended resource: a prefixed name outside `kubernetes.io`.
pub fn is_extended(name: &str) -> bool {
    let native = !name.contains('/') || name.contains("kubernetes.io/");
    !native
        && !name.starts_with("requests.")
        && super::selector::is_label_key(&format!("requests.{name}"))
}

/// Up to this many scalar resources are inserted one by one; more are sorted in.
const FEW: usize = 16;

/// Adds amounts as kube-scheduler does since 1.38: a sum of positive amounts that is too large to
/// count is the largest number.
pub fn capped_add(a: i64, b: i64) -> i64 {
    if a > 0 && b > 0 { a.saturating_add(b) } else { a.wrapping_add(b) }
}

/// Amounts of resources. Sums wrap, as in the scheduler.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resources {
    /// Thousandths of a core.
    pub milli_cpu: i64,
    /// Bytes.
    pub memory: i64,
    /// Bytes.
    pub ephemeral_storage: i64,
    /// Everything else, in units, ordered by number of the name.
    pub scalars: SmallVec<[(Sym, i64); 2]>,
}

impl Resources {
    /// Amount of a scalar resource; `None` if it is not listed.
    pub fn scalar(&self, name: Sym) -> Option<i64> {
        let index = self.scalars.binary_search_by_key(&name, |(n, _)| *n).ok()?;
        self.scalars.get(index).map(|(_, amount)| *amount)
    }

    /// Adds `amount` of the scalar resource `name`, listing it if need be.
    pub fn add_scalar(&mut self, name: Sym, amount: i64) {
        match self.scalars.binary_search_by_key(&name, |(n, _)| *n) {
            Ok(index) => {
                if let Some(entry) = self.scalars.get_mut(index) {
                    entry.1 = entry.1.wrapping_add(amount);
                }
            }
            Err(index) => self.scalars.insert(index, (name, amount)),
        }
    }

    /// Adds amounts of scalar resources, listing them if need be.
    fn add_scalars(&mut self, more: impl ExactSizeIterator<Item = (Sym, i64)>) {
        if more.len() <= FEW {
            return more.for_each(|(name, amount)| self.add_scalar(name, amount));
        }
        self.scalars.extend(more);
        self.scalars.sort_by_key(|(name, _)| *name);
        self.scalars.dedup_by(|(name, amount), (kept, sum)| {
            let same = name == kept;
            *sum = if same { sum.wrapping_add(*amount) } else { *sum };
            same
        });
    }

    /// Adds amounts by [`capped_add`].
    pub fn add_capped(&mut self, other: &Self) {
        self.milli_cpu = capped_add(self.milli_cpu, other.milli_cpu);
        self.memory = capped_add(self.memory, other.memory);
        self.ephemeral_storage = capped_add(self.ephemeral_storage, other.ephemeral_storage);
        for (name, amount) in &other.scalars {
            let sum = capped_add(self.scalar(*name).unwrap_or(0), *amount);
            self.scalars.retain(|(other, _)| other != name);
            self.add_scalar(*name, sum);
        }
    }

    /// The largest amount of all resources.
    pub fn largest(&self) -> i64 {
        let scalars = self.scalars.iter().map(|(_, amount)| *amount);
        let most = scalars.max().unwrap_or(0);
        most.max(self.milli_cpu).max(self.memory).max(self.ephemeral_storage)
    }

    /// Adds `amount` of a resource of `kind`.
    pub fn add(&mut self, kind: ResourceKind, name: Sym, amount: i64) {
        match kind {
            ResourceKind::Cpu => self.milli_cpu = self.milli_cpu.wrapping_add(amount),
            ResourceKind::Memory => self.memory = self.memory.wrapping_add(amount),
            ResourceKind::EphemeralStorage => {
                self.ephemeral_storage = self.ephemeral_storage.wrapping_add(amount);
            }
            ResourceKind::Scalar => self.add_scalar(name, amount),
            ResourceKind::Pods | ResourceKind::Ignored => {}
        }
    }
}

impl Resources {
    /// The amount of a resource of `kind`.
    pub fn amount(&self, kind: ResourceKind, name: Sym) -> i64 {
        match kind {
            ResourceKind::Cpu => self.milli_cpu,
            ResourceKind::Memory => self.memory,
            ResourceKind::EphemeralStorage => self.ephemeral_storage,
            ResourceKind::Scalar => self.scalar(name).unwrap_or(0),
            ResourceKind::Pods | ResourceKind::Ignored => 0,
        }
    }

    /// These amounts minus `freed`, but never below zero for freed resources.
    #[must_use]
    pub fn less(&self, freed: &Self) -> Self {
        let scalars = self
            .scalars
            .iter()
            .map(|(name, amount)| (*name, less(*amount, freed.scalar(*name).unwrap_or(0))));
        Self {
            milli_cpu: less(self.milli_cpu, freed.milli_cpu),
            memory: less(self.memory, freed.memory),
            ephemeral_storage: less(self.ephemeral_storage, freed.ephemeral_storage),
            scalars: scalars.collect(),
        }
    }
}

/// An amount in use, minus what is freed.
pub fn less(used: i64, freed: i64) -> i64 {
    if freed <= 0 { used } else { used.min(used.saturating_sub(freed).max(0)) }
}

/// Amounts of resources, in any order.
impl FromIterator<(ResourceKind, Sym, i64)> for Resources {
    fn from_iter<I: IntoIterator<Item = (ResourceKind, Sym, i64)>>(amounts: I) -> Self {
        let mut sum = Self::default();
        let mut scalars: Vec<(Sym, i64)> = Vec::new();
        for (kind, name, amount) in amounts {
            if kind == ResourceKind::Scalar {
                scalars.push((name, amount));
            } else {
                sum.add(kind, name, amount);
            }
        }
        sum.add_scalars(scalars.into_iter());
        sum
    }
}

impl AddAssign<&Self> for Resources {
    fn add_assign(&mut self, other: &Self) {
        self.milli_cpu = self.milli_cpu.wrapping_add(other.milli_cpu);
        self.memory = self.memory.wrapping_add(other.memory);
        self.ephemeral_storage = self.ephemeral_storage.wrapping_add(other.ephemeral_storage);
        self.add_scalars(other.scalars.iter().copied());
    }
}

impl SubAssign<&Self> for Resources {
    fn sub_assign(&mut self, other: &Self) {
        self.milli_cpu = self.milli_cpu.wrapping_sub(other.milli_cpu);
        self.memory = self.memory.wrapping_sub(other.memory);
        self.ephemeral_storage = self.ephemeral_storage.wrapping_sub(other.ephemeral_storage);
        self.add_scalars(other.scalars.iter().map(|(name, amount)| (*name, amount.wrapping_neg())));
    }
}
