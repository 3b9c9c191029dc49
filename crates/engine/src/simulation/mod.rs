//! Simulation: hypothetical pods, changes to a cluster in memory, the plan of evictions that follows from a decision,
//! and its consequences. Nothing here changes a real cluster; the plugin's `apply` carries out a plan.

pub mod admission;
pub mod afterwards;
pub mod daemon;
pub mod hazard;
pub mod hypothetical_pods;
pub mod plan;
pub mod planning;
pub mod sequence;
pub mod what_if;
pub mod workload;
