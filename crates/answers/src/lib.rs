//! From decoded objects to the answers of `pending` and `explain`: chooses the scheduler and the
//! pods, decides, and explains.
//!
//! The plugin and the page for browsers differ in where objects come from and where answers go.
//! Everything between is here, so that both give the same answer, byte for byte.

mod ahead;
mod alike;
pub mod earlier;
mod error;
pub mod explain;
pub mod input;
pub mod nodeless;
pub mod other_versions;
pub mod pending;
pub mod scheduler;
pub mod what_if;

pub use error::AnswerError;
