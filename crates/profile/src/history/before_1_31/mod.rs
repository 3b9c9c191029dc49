//! Rows of plugins that today's scheduler no longer has: `SelectorSpread` (by default up to 1.19),
//! `NodePreferAvoidPods` (up to 1.21), `EBSLimits`, `GCEPDLimits` and `AzureDiskLimits` (up to
//! 1.30).

pub mod cloud_disk_limits;
pub mod node_prefer_avoid_pods;
pub mod selector_spread;

pub use cloud_disk_limits::CloudDiskLimits;
pub use node_prefer_avoid_pods::NodePreferAvoidPods;
pub use selector_spread::SelectorSpread;
