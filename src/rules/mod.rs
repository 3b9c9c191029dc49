//! The rulebook: what every plugin, step and message of kube-scheduler means, for people. Nothing here decides; that the
//! rulebook is complete is checked by `tests/rules.rs`.

pub mod message;

pub use message::{Message, find};
