//! Plugins that today's scheduler no longer has: `SelectorSpread` (by default up to 1.19),
//! `NodePreferAvoidPods` (up to 1.21), `EBSLimits`, `GCEPDLimits` and `AzureDiskLimits` (up to
//! 1.30); and the names of predicates and priorities.

pub mod cloud_disk_limits;
pub(super) mod names;
pub mod node_prefer_avoid_pods;
pub mod selector_spread;
