//! The programs of a control plane as children of the test. None outlives it: they end when their
//! standard input does, and its other end is the test's alone.

use std::fs::File;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Where `tests/e2e/build` leaves the control plane of a release, if it has been built.
pub fn built(version: &str) -> Option<PathBuf> {
    Some(cache().join(version).join("controlplane")).filter(|path| path.is_file())
}

/// Where `tests/e2e/karpenter/build` leaves Karpenter, if it has been built.
pub fn karpenter() -> Option<PathBuf> {
    Some(cache().join("karpenter/karpenter")).filter(|path| path.is_file())
}

fn cache() -> PathBuf {
    std::env::var_os("KUBECTL_PREEMPT_CACHE")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("target/e2e"), PathBuf::from)
}

/// An address at which nothing listens.
pub fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a free port")
}

/// One running program. Dropping it kills it.
pub struct Program {
    name: &'static str,
    child: Child,
    log: PathBuf,
}

impl Program {
    /// Starts `name` of `binary`; what it says goes to a file in `folder`.
    pub fn start(binary: &Path, name: &'static str, arguments: &[String], folder: &Path) -> Self {
        let log = folder.join(format!("{name}.log"));
        let file = File::options().create(true).append(true).open(&log).expect("a log");
        let mut command = Command::new(binary);
        command
            .arg(name)
            .args(arguments)
            .env_clear()
            .env("CONTROLPLANE_STDIN", "alive")
            .current_dir(folder);
        // A group of its own: an interrupt of the terminal is the test's, and a stopped program
        // whose parent is gone is woken by the system.
        command
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(file.try_clone().expect("a file"))
            .stderr(file);
        let child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", binary.display()));
        Self { name, child, log }
    }

    /// Why it is not running any more, with the end of what it said.
    pub fn ended(&mut self) -> Option<String> {
        let status = self.child.try_wait().expect("a child")?;
        Some(format!("{} ended: {status}\n{}", self.name, self.last_words()))
    }

    /// The end of what it said.
    pub fn last_words(&self) -> String {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(15)..].join("\n")
    }

    /// Stops it in its tracks; [`Self::go_on`] wakes it. On a busy machine its threads run on for a
    /// moment after the signal.
    pub fn pause(&self) {
        self.signal("-STOP");
        let stat = format!("/proc/{}/stat", self.child.id());
        while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") T ")) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    pub fn go_on(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let status = Command::new("kill")
            .args([signal, &self.child.id().to_string()])
            .status()
            .expect("kill");
        assert!(status.success(), "kill {signal} {}", self.name);
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
