//! From decoded objects to answers: [`questions`] has a function for each question.
//!
//! The plugin and the page for browsers differ in where objects come from and where answers go.
//! Everything between is here, so that both give the same answer, byte for byte.

mod ahead;
mod alike;
pub mod audit;
pub mod autoscaling;
pub mod causes;
pub mod commands;
pub mod competition;
pub mod earlier;
mod error;
pub mod evictions;
pub mod explain;
pub mod extent;
pub mod gate;
pub mod headline;
pub mod holder;
pub mod input;
pub mod new_pods;
pub mod nodeless;
pub mod notes;
pub mod origin;
pub mod other_versions;
pub mod pending;
pub mod pod_group;
pub mod questions;
pub mod remedies;
pub mod removal;
pub mod scale;
pub mod scheduler;
pub mod similar;
pub mod suggest;
pub mod target;
pub mod ties;
pub mod view_model;
pub mod what_if;
pub mod words;

pub use error::{AnswerError, CommandHint, Hint};
