//! From decoded objects to answers: [`questions`] has a function for each question.
//!
//! The plugin and the page for browsers differ in where objects come from and where answers go.
//! Everything between is here, so that both give the same answer, byte for byte.

mod ahead;
mod alike;
pub mod autoscaling;
pub mod causes;
pub mod certificate;
pub mod commands;
pub mod competition;
pub mod doctor;
mod error;
mod eviction_requests;
pub mod extent;
pub mod headline;
pub mod holder;
pub mod holder_words;
pub mod in_part;
pub mod input;
mod input_flags;
pub mod new_pods;
pub mod node_name;
pub mod nodeless;
pub mod not_running;
pub mod notes;
pub mod origin;
pub mod pod_group;
pub mod pod_report;
pub mod questions;
pub mod remedies;
mod reporter;
pub mod room;
pub mod scale;
pub mod scheduler;
pub mod silence;
pub mod similar;
mod stuck;
pub mod target;
pub mod ties;
pub mod timeline;
mod verdict;
pub mod what_if;
pub mod who_acts;
pub mod why_not;
pub mod words;
pub mod workload;

pub use error::{AnswerError, CommandHint, Hint};
