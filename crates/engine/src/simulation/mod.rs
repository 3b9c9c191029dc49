//! What would happen if: pods that do not exist yet, a cluster that is edited in thought, the plan that a decision comes
//! to, and what follows from it. Nothing here touches a cluster; `apply` carries a plan out.

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
