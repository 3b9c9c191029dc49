//! How a step of the cycle fails: an error, a timeout, or a crash of kube-scheduler.

/// Why a step of the cycle fails instead of giving a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepFailure {
    /// It returns this error.
    Error(String),
    /// It returns this error because it takes longer than kube-scheduler allows; whether it does
    /// depends on the machine.
    TimedOut(String),
    /// This version of kube-scheduler panics.
    Crash(Crash),
}

/// A state in which a version of kube-scheduler panics. It then restarts and decides nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crash {
    /// A dry run adds or removes a pod in a topology domain in which PodTopologySpread counts no
    /// pods.
    UncountedDomain,
    /// PreFilter leaves only nodes that do not exist.
    NoNodeLeft,
    /// PreFilter leaves only nodes that do not exist, and the profile has neither filters nor
    /// scores.
    NoNodeToTake,
    /// NodeResourcesBalancedAllocation has to score an extended resource without the state to look
    /// up its devices.
    NoDevicesToScore,
    /// A request already has more devices than the next one's slice has.
    NoDeviceToCompare,
    /// A request for all devices gets one that consumes counters.
    NoPoolOfCounters,
    /// A device is compared with a selector of a DeviceClass that has no expression.
    NoExpressionInClass,
    /// NodeResourcesBalancedAllocation has to count the devices of a class with a selector that it
    /// cannot evaluate.
    NoSelectorsToScore,
    /// VolumeBinding scores a claim whose class is only in the annotation.
    NoClassToScore,
    /// VolumeBinding scores a node by a CSIStorageCapacity without `capacity`.
    NoCapacityToScore,
    /// An extender answers the preempt verb with null for the victims of a node, or for one of
    /// them.
    NoVictimsInAnswer,
}

impl StepFailure {
    /// The same failure with a changed error text.
    #[must_use]
    pub(crate) fn map(self, change: impl FnOnce(&str) -> String) -> Self {
        match self {
            Self::Error(text) => Self::Error(change(&text)),
            Self::TimedOut(text) => Self::TimedOut(change(&text)),
            Self::Crash(crash) => Self::Crash(crash),
        }
    }

    /// The error text; for a crash, a description of it.
    pub fn text(&self) -> &str {
        match self {
            Self::Error(text) | Self::TimedOut(text) => text,
            Self::Crash(crash) => crash.text(),
        }
    }

    /// The crash, if it is one.
    pub fn crash(&self) -> Option<Crash> {
        if let Self::Crash(crash) = self { Some(*crash) } else { None }
    }
}

impl From<String> for StepFailure {
    fn from(error: String) -> Self {
        Self::Error(error)
    }
}

impl Crash {
    /// A description, and the version that fixed it.
    pub const fn text(self) -> &'static str {
        match self {
            Self::UncountedDomain => {
                "kube-scheduler panics: a dry run adds or removes a pod in a topology domain in which it counts no pods \
                 (fixed in 1.23.8)"
            }
            Self::NoNodeLeft => {
                "kube-scheduler panics: the pod asks for nodes none of which exists (fixed in 1.27.15, 1.28.11, 1.29.6 and \
                 1.30.2)"
            }
            Self::NoNodeToTake => {
                "kube-scheduler panics: the pod asks for nodes none of which exists, and the profile runs neither filter nor \
                 score plugins (not fixed yet)"
            }
            Self::NoDeviceToCompare => {
                "kube-scheduler panics: a request gets more devices than a slice has while DRAConsumableCapacity is on (fixed \
                 in 1.35)"
            }
            Self::NoPoolOfCounters => {
                "kube-scheduler panics: a request for all devices gets a device that consumes shared counters (fixed in 1.35.6 \
                 and 1.36.2)"
            }
            Self::NoExpressionInClass => {
                "kube-scheduler panics: a device is compared with a selector of a DeviceClass that has no cel (not fixed yet; \
                 the API server rejects such a class)"
            }
            Self::NoDevicesToScore => {
                "kube-scheduler panics: NodeResourcesBalancedAllocation scores an extended resource while DRAExtendedResource \
                 is on (fixed in 1.36)"
            }
            Self::NoSelectorsToScore => {
                "kube-scheduler panics: NodeResourcesBalancedAllocation scores an extended resource whose DeviceClass selects \
                 devices by expressions (not fixed yet)"
            }
            Self::NoClassToScore => {
                "kube-scheduler panics: VolumeBinding scores a claim whose class is in the annotation \
                 volume.beta.kubernetes.io/storage-class alone (not fixed yet)"
            }
            Self::NoVictimsInAnswer => {
                "kube-scheduler panics: an extender answers the preempt verb with null where victims or a victim belong (not \
                 fixed yet)"
            }
            Self::NoCapacityToScore => {
                "kube-scheduler panics: VolumeBinding scores a node by a CSIStorageCapacity that has a maximumVolumeSize and no \
                 capacity (not fixed yet)"
            }
        }
    }
}
