//! Applies plans against a simulated API server with faults.

#![cfg(unix)]

mod faults;
mod lists;
mod model;
mod planner;
mod rig;
mod scripted;
mod seeded;
mod server;
mod terminal;
mod told;
