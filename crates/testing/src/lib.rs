//! Builders for tests: clusters in the words of the domain, what a scheduler decides about them,
//! and what follows from it. [`decisions`] needs the scheduler alone; the tests of `simulation`,
//! whose types `simulated` names, include that file by path.

extern crate self as testing;

pub mod decisions;
mod markdown;
mod others;
mod simulated;

pub use decisions::*;
pub use markdown::outside_code;
pub use others::{limit_range, owner, priority_class};
pub use simulated::{Scene, Simulated, scene, simulate};
