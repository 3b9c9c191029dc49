//! Plugins that today's scheduler no longer has: SelectorSpread (up to 1.22), NodePreferAvoidPods (up to 1.21), and
//! EBSLimits, GCEPDLimits and AzureDiskLimits (up to 1.30); and the names under which plugins ran before 1.18.

pub mod cloud_disk_limits;
pub(super) mod names;
pub mod node_prefer_avoid_pods;
pub mod selector_spread;
