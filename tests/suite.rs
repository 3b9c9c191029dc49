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
mod cli;
mod completion;
mod documents;
mod groups;
mod hostile;
mod laws;
mod live;
mod parity;
mod protobuf;
mod rbac;
mod recording;
mod rows;
mod rules;
mod scenarios;
mod schema;
mod screens;
mod scripts;
mod selectors;
mod share;
mod structure;
mod text;
mod versions;
mod whole;
mod words;
mod wrong_types;
mod yaml;
