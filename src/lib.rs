//! The kubectl plugin `kubectl-preempt`: the command line around the decision engine (crate
//! `engine`) and the renderers (crate `render`). It is a library only for the binary and for the
//! tests of this package.
//!
//! ARCHITECTURE.md describes the modules.

pub mod api;
pub mod apply;
pub mod capture;
pub mod cli;
pub mod crash;
pub mod error;
pub mod exit;
pub mod program;
pub mod small_file;
