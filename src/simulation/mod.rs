//! What would happen if: pods that do not exist yet, a cluster that is edited in thought, and the plan that a decision
//! comes to. Nothing here touches a cluster; `apply` carries a plan out.

pub mod hazard;
pub mod plan;
