//! Whether an ability can be used: computed from the decisions about the permissions that it needs.

use super::requirement::Weight;

/// Whether an ability can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// Every permission is granted.
    Works,
    /// Only optional permissions are missing.
    Partly,
    /// The server did not decide about a permission, and the others do not settle it.
    Unknown,
    /// An essential permission is missing.
    No,
}

impl Availability {
    /// The value for people.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Works => "yes",
            Self::Partly => "partly",
            Self::Unknown => "unknown",
            Self::No => "no",
        }
    }

    /// The name of the value in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Works => "Works",
            Self::Partly => "Partly",
            Self::Unknown => "Unknown",
            Self::No => "No",
        }
    }
}

/// The availability that follows from requirements, each with its weight and whether it is met
/// (`None`: not known).
pub(super) fn availability(
    requirements: impl Iterator<Item = (Weight, Option<bool>)>,
) -> Availability {
    let (mut missing, mut unknown, mut in_doubt) = (false, false, false);
    for (weight, met) in requirements {
        match (weight, met) {
            (Weight::Essential, Some(false)) => return Availability::No,
            (Weight::Optional, Some(false)) => missing = true,
            (Weight::Essential, None) => in_doubt = true,
            (Weight::Optional, None) => unknown = true,
            (Weight::Essential | Weight::Optional, Some(true)) => {}
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
