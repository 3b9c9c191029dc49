//! Reports about a whole cluster. They use kube-scheduler's decisions and explain what they mean
//! for the operator.

pub mod audit;
pub mod disruption;
pub mod matrix;
pub mod risk;
pub mod rules;
