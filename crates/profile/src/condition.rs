//! Conditions on what a version does.

use super::Features;

/// Whether something holds in a version.
pub type FeatureCondition = fn(&Features) -> bool;

/// Holds in every version.
pub const fn always(_: &Features) -> bool {
    true
}
