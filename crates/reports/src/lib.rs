//! Reports about a whole cluster. They ask kube-scheduler's decisions and say what they mean for
//! somebody who runs it.

pub mod audit;
pub mod autoscalers;
pub mod disruption;
pub mod risk;
pub mod rules;
