//! The program against a real control plane: etcd, kube-apiserver, kube-controller-manager and
//! kube-scheduler of a release, on loopback. `just e2e` builds them and runs this; tests/e2e/README.md says
//! more. Where they are not built, one line says so.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::allow_attributes,
    missing_docs,
    reason = "tests may"
)]

#[cfg(unix)]
mod answers;
#[cfg(unix)]
mod apply;
#[cfg(unix)]
mod disruptions;
#[cfg(unix)]
mod drains;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod fidelity;
#[cfg(unix)]
mod groups;
#[cfg(unix)]
mod http;
#[cfg(unix)]
mod karpenter;
#[cfg(unix)]
mod kubelets;
#[cfg(unix)]
mod objects;
#[cfg(unix)]
mod permissions;
#[cfg(unix)]
mod plane;
#[cfg(unix)]
mod program;
#[cfg(unix)]
mod proxy;
#[cfg(unix)]
mod random;
#[cfg(unix)]
mod rollouts;
#[cfg(unix)]
mod situations;
#[cfg(unix)]
mod stage;
#[cfg(unix)]
mod suite;
#[cfg(unix)]
mod tool;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    suite::run()
}

/// Children are paused and resumed by signals.
#[cfg(not(unix))]
fn main() {
    println!("e2e: skipped: needs Unix");
}
