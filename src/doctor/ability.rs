//! How something that can be done stands, by the answers to what it needs.

use super::requirement::Weight;

/// How an ability stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// All that it needs is there.
    Works,
    /// Something is missing that it can do without.
    Partly,
    /// Nothing is known to be missing, but the server did not answer for all of it.
    Unknown,
    /// It cannot be done.
    No,
}

impl Standing {
    /// For people.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Works => "yes",
            Self::Partly => "partly",
            Self::Unknown => "unknown",
            Self::No => "no",
        }
    }

    /// The name in JSON.
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

/// How something stands that has needs of this weight, each met, not met or (`None`) not known.
pub fn standing(needs: impl Iterator<Item = (Weight, Option<bool>)>) -> Standing {
    let (mut missing, mut unknown, mut in_doubt) = (false, false, false);
    for (weight, met) in needs {
        match (weight, met) {
            (Weight::Essential, Some(false)) => return Standing::No,
            (Weight::Counts, Some(false)) => missing = true,
            (Weight::Essential, None) => in_doubt = true,
            (Weight::Counts, None) => unknown = true,
            (Weight::Essential | Weight::Counts, Some(true)) => {}
        }
    }
    if missing && !in_doubt {
        Standing::Partly
    } else if in_doubt || unknown {
        Standing::Unknown
    } else {
        Standing::Works
    }
}
