//! Why is a pod pending, and whom would kube-scheduler throw out for it?

pub mod capture;
pub mod cli;
pub mod cluster;
pub mod decision;
pub mod error;
pub mod exit;
pub mod framework;
pub mod plugins;
pub mod preemption;
pub mod profile;
pub mod render;
pub mod snapshot;

#[cfg(test)]
mod testing;
