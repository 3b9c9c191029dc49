//! Every test of the program as a whole, in one binary: a folder or file a subject. The rules' own
//! tables stand beside the rules; the page in a browser (`html`) and the control plane (`e2e`) have
//! binaries of their own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::allow_attributes,
    reason = "a test that goes wrong is to stop"
)]

mod apply;
mod autoscalers;
mod cli;
mod docs;
mod gate;
mod golden;
mod json;
mod laws;
mod live;
mod mcp;
mod recorded;
mod scenarios;
mod scripts;
mod structure;
mod terminal;
mod values;
mod versions;
