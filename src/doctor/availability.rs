//! Whether an ability can be used: derived from the decisions about its permissions.

use super::requirement::Necessity;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// Every permission is granted.
    Works,
    /// Only optional permissions are missing.
    Partly,
    /// A permission is undecided, and the others do not settle it.
    Unknown,
    /// An essential permission is missing.
    No,
}

impl Availability {
    /// The value as shown to users.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Works => "yes",
            Self::Partly => "partly",
            Self::Unknown => "unknown",
            Self::No => "no",
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Works => "Works",
            Self::Partly => "Partly",
            Self::Unknown => "Unknown",
            Self::No => "No",
        }
    }
}

/// The availability from requirements with their weights; `None` means that it is unknown whether
/// one is met.
pub(super) fn availability(
    requirements: impl Iterator<Item = (Necessity, Option<bool>)>,
) -> Availability {
    let (mut missing, mut unknown, mut in_doubt) = (false, false, false);
    for (weight, met) in requirements {
        match (weight, met) {
            (Necessity::Essential, Some(false)) => return Availability::No,
            (Necessity::Optional, Some(false)) => missing = true,
            (Necessity::Essential, None) => in_doubt = true,
            (Necessity::Optional, None) => unknown = true,
            (Necessity::Essential | Necessity::Optional, Some(true)) => {}
        }
    }
    if missing && !in_doubt {
        Availability::Partly
    } else if in_doubt || unknown {
        Availability::Unknown
    } else {
        Availability::Works
    }
}
