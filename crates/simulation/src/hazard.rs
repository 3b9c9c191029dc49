//! Hazards: why evicting a victim is dangerous or useless. Most of them must be waived by the user.

use model::cluster::eviction_guard::EvictionGuard;

/// What annotations of a pod do not protect it from, as a phrase that follows its name.
pub fn unprotected(guards: &[EvictionGuard]) -> String {
    let names: Vec<&str> = guards.iter().map(|guard| guard.annotation()).collect();
    match names.as_slice() {
        [one] => format!("has {one}, which does not protect from preemption"),
        several => format!("has {}, which do not protect from preemption", several.join(" and ")),
    }
}

/// How a user allows evicting victims despite a hazard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiver {
    /// Unsafe evictions are allowed.
    Force,
    /// The data of `emptyDir` volumes may be lost.
    EmptyDirData,
}

/// A reason not to evict a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hazard {
    /// It is a static pod: deleting its mirror in the API changes nothing on the node.
    Mirror,
    /// No controller replaces it.
    Bare,
    /// It has an `emptyDir` volume, whose data are lost.
    EmptyDir,
    /// It has a system-critical priority: the name of the class, or the number if it has no class.
    SystemCritical(String),
    /// Its priority is not lower than the preemptor's.
    PriorityNotLower,
    /// It has been terminating for longer than its grace period, so its node is probably dead.
    Stuck,
    /// Another scheduler places its replacement, and may place it on the same node again and again.
    OtherScheduler(String),
    /// Several budgets select it; the eviction API always rejects the eviction of such a pod.
    SeveralBudgets,
    /// Its replacement can only run on the same node.
    ComesBack,
    /// It has annotations by which it asks other programs not to evict it.
    Guarded(Vec<EvictionGuard>),
}

impl Hazard {
    /// Its name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Mirror => "Mirror",
            Self::Bare => "Bare",
            Self::EmptyDir => "EmptyDir",
            Self::SystemCritical(_) => "SystemCritical",
            Self::PriorityNotLower => "PriorityNotLower",
            Self::Stuck => "Stuck",
            Self::OtherScheduler(_) => "OtherScheduler",
            Self::SeveralBudgets => "SeveralBudgets",
            Self::ComesBack => "ComesBack",
            Self::Guarded(_) => "Guarded",
        }
    }

    /// The hazard as a phrase that follows the pod's name.
    pub fn text(&self) -> String {
        match self {
            Self::Mirror => "is a static pod: its kubelet restarts it".to_owned(),
            Self::Bare => "has no controller: it is not recreated".to_owned(),
            Self::EmptyDir => "loses the data of its emptyDir volumes".to_owned(),
            Self::SystemCritical(what) => format!("belongs to the system ({what})"),
            Self::PriorityNotLower => {
                "does not have a lower priority than the pod that replaces it".to_owned()
            }
            Self::Stuck => "should have terminated long ago: its node is probably dead".to_owned(),
            Self::OtherScheduler(name) => {
                format!(
                    "is scheduled by another scheduler ({name}), which may place its replacement there at once"
                )
            }
            Self::SeveralBudgets => {
                "is selected by several PodDisruptionBudgets: the eviction API always refuses it"
                    .to_owned()
            }
            Self::ComesBack => {
                "is recreated on this node, where it may take the room or stay pending".to_owned()
            }
            Self::Guarded(guards) => unprotected(guards),
        }
    }

    /// What allows the eviction of such a victim; `None` if the hazard is only reported.
    pub const fn waived_by(&self) -> Option<Waiver> {
        match self {
            Self::ComesBack | Self::Guarded(_) => None,
            Self::EmptyDir => Some(Waiver::EmptyDirData),
            Self::Mirror
            | Self::Bare
            | Self::SystemCritical(_)
            | Self::PriorityNotLower
            | Self::Stuck
            | Self::OtherScheduler(_)
            | Self::SeveralBudgets => Some(Waiver::Force),
        }
    }
}
