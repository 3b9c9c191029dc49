//! The program under test, as its user runs it.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::plane::Plane;

/// What a run left.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    /// Of a program that has ended.
    pub fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Runs the program with a kubeconfig, and nothing else of the environment.
pub fn run(kubeconfig: &Path, arguments: &[&str]) -> Run {
    Run::of(command(kubeconfig, arguments).output().expect("the program"))
}

/// Runs it as a user who may only read, about the release of the scheduler.
pub fn ask(plane: &Plane, arguments: &[&str]) -> Run {
    run(&plane.kubeconfig("reader"), &[arguments, &plane.release.flags()].concat())
}

/// [`run`], not started yet: for tests that do something meanwhile.
pub fn command(kubeconfig: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    let home = kubeconfig.parent().expect("a folder");
    command
        .args(arguments)
        .env_clear()
        .env("KUBECONFIG", kubeconfig)
        .env("HOME", home)
        .stdin(Stdio::null());
    command
}
