//! How a debug build is linked.

use std::env;

/// The tests start the program some thousand times. Where the loader does not have to adjust the
/// hundred thousands of addresses in a debug build, a start costs a third less. What is released
/// stays position independent.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_debug = env::var("PROFILE").is_ok_and(|profile| profile == "debug");
    let is_os = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    let is_env = env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "gnu");
    if is_debug && is_os && is_env {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
