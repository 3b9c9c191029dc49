//! Reading a live cluster, against an API server of our own making.

#![cfg(unix)]

mod complete;
mod doctor;
mod extender;
mod extensions;
mod in_part;
mod kept;
mod listing;
mod login;
#[cfg(target_os = "linux")]
mod memory;
mod metrics;
mod not_preempting;
pub(crate) mod pending;
mod read_only;
mod save;
mod scheduler;
pub(crate) mod server;
pub(crate) mod terminal;
mod told;
mod unsure;
mod verify;
mod workloads;

use std::path::PathBuf;

use clap::Parser;
use engine::snapshot::{DecodeIssue, Header, Kind, Object, Sink};
use kubectl_preempt::api::Env;
use kubectl_preempt::api::flags::ConnectionFlags;
use kubectl_preempt::capture::live::{self, ListProgress, LiveInfo, ReadScope};
use kubectl_preempt::error::Error;
use tempfile::TempDir;

use server::Server;

/// What arrived.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) objects: Vec<String>,
    pub(crate) issues: Vec<DecodeIssue>,
    pub(crate) header: Header,
}

impl Sink for Seen {
    fn object(&mut self, object: Object<'_>) {
        let name = match &object {
            Object::Node(o) => &o.metadata.name,
            Object::Pod(o) => &o.metadata.name,
            Object::DeviceClass(o) => &o.metadata.name,
            Object::Namespace(o) => &o.metadata.name,
            Object::PodGroup(o) => &o.metadata.name,
            other => panic!("{other:?}"),
        };
        let kind = object.kind().unwrap().name();
        self.objects.push(format!("{kind}/{}", name.as_str()));
    }
    fn issue(&mut self, issue: DecodeIssue) {
        self.issues.push(issue);
    }
    fn header(&mut self, header: Header) {
        self.header = header;
    }
}

/// A home folder, and the environment of its user.
pub(crate) struct Home {
    pub(crate) folder: TempDir,
    vars: Vec<(String, String)>,
}

impl Home {
    /// With `server` as the current context `main`, user `me` and namespace `shop`; `user` is the
    /// user's entry.
    pub(crate) fn new(server: &Server, user: &str) -> Self {
        let mut home = Self::empty();
        home.write("config", &kubeconfig(&server.url(), "", user));
        home.set("KUBECONFIG", home.path("config").to_str().unwrap().to_owned());
        home
    }

    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let vars = vec![
            ("HOME".to_owned(), folder.path().to_str().unwrap().to_owned()),
            ("PATH".to_owned(), std::env::var("PATH").unwrap()),
        ];
        Self { folder, vars }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn set(&mut self, name: &str, value: impl Into<String>) {
        self.vars.push((name.to_owned(), value.into()));
    }

    pub(crate) fn env(&self) -> Env {
        let mut env = Env::of(self.vars.iter().map(|(k, v)| (k, v)));
        env.service_account = self.path("serviceaccount");
        env
    }

    /// Reads the kinds every explanation needs.
    pub(crate) fn capture(&self, flags: &str) -> (Result<LiveInfo, Error>, Seen) {
        let kinds = [
            Kind::Pod,
            Kind::Node,
            Kind::PodDisruptionBudget,
            Kind::PriorityClass,
            Kind::Namespace,
            Kind::DeviceClass,
        ];
        self.capture_kinds(flags, &kinds, &mut |_| {})
    }

    pub(crate) fn capture_kinds(
        &self,
        line: &str,
        kinds: &[Kind],
        progress: &mut dyn FnMut(ListProgress),
    ) -> (Result<LiveInfo, Error>, Seen) {
        let mut seen = Seen::default();
        let result =
            live::capture(&self.env(), &flags(line), &ReadScope::of(kinds), &mut seen, progress);
        (result, seen)
    }

    pub(crate) fn error(&self, flags: &str) -> Error {
        self.capture(flags).0.unwrap_err()
    }
}

/// Flags as typed.
pub(crate) fn flags(line: &str) -> ConnectionFlags {
    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        flags: ConnectionFlags,
    }
    Line::try_parse_from(std::iter::once("test").chain(line.split_whitespace())).unwrap().flags
}

pub(crate) fn kubeconfig(server: &str, cluster: &str, user: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: main\n\
         contexts: [{{name: main, context: {{cluster: c, user: me, namespace: shop}}}}]\n\
         clusters: [{{name: c, cluster: {{server: '{server}'{cluster}}}}}]\n\
         users: [{{name: me, user: {{{user}}}}}]\n"
    )
}
