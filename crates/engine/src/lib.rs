//! kube-scheduler's decision as a value.
pub mod cluster;
pub mod decision;
pub mod decode;
pub mod dra;
pub mod framework;
pub mod json;
pub mod plugins;
pub mod preemption;
pub mod profile;
pub mod rules;
pub mod simulation;
pub mod snapshot;
// The builders of tests name the engine as other crates do: those include them by path.
#[cfg(test)]
extern crate self as engine;
#[cfg(test)]
#[expect(unused_imports, reason = "not every builder is needed here")]
mod testing;
