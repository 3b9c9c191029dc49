//! Carrying plans out, against an API server of our own making that can do everything that goes wrong.

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
