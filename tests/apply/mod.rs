//! Applies plans against a simulated API server with faults.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::allow_attributes,
    reason = "tests may"
)]
#![cfg(unix)]

mod faults;
mod model;
mod planner;
mod rig;
mod scripted;
mod seeded;
mod server;
mod terminal;
