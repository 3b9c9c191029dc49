//! What a scheduler decides about the clusters that `builders` makes, and what follows from it, as
//! values and short texts for tests. [`decisions`] needs the scheduler alone.

pub mod decisions;
mod markdown;
mod simulated;

pub use builders::share;
pub use decisions::*;
pub use markdown::outside_code;
pub use simulated::{Scene, Simulated, scene, simulate};
