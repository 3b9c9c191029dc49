//! Names that a kubeconfig or a cluster has. Every error means: no names.

use std::time::Duration;

use clap_complete::engine::CompletionCandidate;
use http::StatusCode;
use jiff::Timestamp;
use serde::Deserialize;

use super::values::Values;
use super::{DEADLINE, Typed};
use crate::api::Env;
use crate::api::client::Reader;
use crate::api::config;
use crate::capture::live::encode;
use crate::cli::target;
use render::words;

/// Objects of the first page, which come whole.
const PAGE: usize = 500;
/// Rows of the others.
const ROWS: usize = 5000;
/// Pages that are read at most.
const PAGES: usize = 4;
/// How long a request may take: what comes later than that comes too late.
const REQUEST: Duration = DEADLINE;
/// Pods that wait for a node.
const WAITING: &str = "status.phase%3DPending%2Cspec.nodeName%3D";

/// A name, and what is said about it.
struct Name {
    name: String,
    about: String,
}

/// The names that begin with `current`.
pub(super) fn candidates(values: Values, current: &str, typed: &Typed) -> Vec<CompletionCandidate> {
    let names = match values {
        Values::Contexts | Values::Clusters | Values::Users => configured(values, typed),
        _ => asked_for(values, current, typed).unwrap_or_default(),
    };
    let names = names.into_iter().filter(|n| n.name.starts_with(current));
    names.map(|n| CompletionCandidate::new(n.name).help(Some(n.about.into()))).collect()
}

/// What the kubeconfig has.
fn configured(values: Values, typed: &Typed) -> Vec<Name> {
    let known = config::names(&typed.connection, &Env::process());
    let list = match values {
        Values::Contexts => known.contexts,
        Values::Clusters => known.clusters,
        _ => known.users,
    };
    list.into_iter().map(|(name, about)| Name { name, about }).collect()
}

/// What the cluster has.
fn asked_for(values: Values, current: &str, typed: &Typed) -> Option<Vec<Name>> {
    let env = Env::process().unattended();
    let mut flags = typed.connection.clone();
    flags.request_timeout = Some(REQUEST);
    let connection = config::resolve(&flags, &env).ok()?;
    let namespace = typed.namespace.clone().unwrap_or_else(|| connection.config.default_namespace.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let names = runtime.block_on(async {
        let reader = Reader::new(connection, flags.request_timeout).ok()?;
        let ask = Ask { reader, namespace, current };
        match values {
            Values::Targets => ask.targets(&typed.pods).await,
            Values::Pods => ask.pods(&[]).await,
            Values::Namespaces => match ask.names("/api/v1/namespaces").await {
                // Who may not list namespaces knows those of the kubeconfig.
                None => Some(named_namespaces(typed)),
                names => names,
            },
            Values::Nodes => ask.names("/api/v1/nodes").await,
            Values::PriorityClasses => ask.names("/apis/scheduling.k8s.io/v1/priorityclasses").await,
            _ => None,
        }
    });
    // A name that is still being looked up must not hold us.
    runtime.shutdown_background();
    names
}

fn named_namespaces(typed: &Typed) -> Vec<Name> {
    let known = config::names(&typed.connection, &Env::process()).namespaces;
    known.into_iter().map(|name| Name { name, about: "of the kubeconfig".to_owned() }).collect()
}

/// A list of objects, or the table of one.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct List {
    metadata: ListMeta,
    items: Vec<Item>,
    column_definitions: Vec<Column>,
    rows: Vec<Row>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Column {
    name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Row {
    cells: Vec<serde_json::Value>,
}

impl List {
    fn names(self) -> Vec<Name> {
        let at = |column: &str| self.column_definitions.iter().position(|c| c.name == column);
        let [name, status, age] = ["Name", "Status", "Age"].map(at);
        let rows = self.rows.iter().map(|row| {
            let cell = |at: Option<usize>| at.and_then(|at| row.cells.get(at)?.as_str()).unwrap_or_default();
            let about = format!("{} {}", cell(status), cell(age)).trim().to_owned();
            Name { name: cell(name).to_owned(), about }
        });
        let rows: Vec<Name> = rows.collect();
        self.items.into_iter().map(Item::name).chain(rows).collect()
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ListMeta {
    #[serde(rename = "continue")]
    token: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Item {
    metadata: Meta,
    spec: Spec,
    status: Status,
    /// Of a PriorityClass.
    value: Option<i64>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Meta {
    name: String,
    creation_timestamp: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Spec {
    unschedulable: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    phase: String,
    conditions: Vec<Condition>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Condition {
    #[serde(rename = "type")]
    kind: String,
    status: String,
    reason: String,
}

impl Item {
    /// `Pending 3m, Unschedulable`, `Active`, `priority 1000`, `cordoned`.
    fn about(&self) -> String {
        if let Some(value) = self.value {
            return format!("priority {value}");
        }
        if self.spec.unschedulable {
            return "cordoned".to_owned();
        }
        let refused = self.status.conditions.iter().find(|c| c.kind == "PodScheduled" && c.status == "False");
        let created = self.metadata.creation_timestamp.as_deref().and_then(|t| t.parse::<Timestamp>().ok());
        let age = created.map(|created| words::age(Timestamp::now().as_second() - created.as_second()));
        match (&*self.status.phase, refused, age) {
            ("Pending", Some(refused), Some(age)) => format!("Pending {age}, {}", refused.reason),
            ("Pending", None, Some(age)) => format!("Pending {age}"),
            (phase, ..) => phase.to_owned(),
        }
    }

    fn name(self) -> Name {
        Name { about: self.about(), name: self.metadata.name }
    }
}

/// A question to a cluster.
struct Ask<'a> {
    reader: Reader,
    namespace: String,
    current: &'a str,
}

impl Ask<'_> {
    /// Pods, or after a type or as `TYPE/NAME` its objects; `before` is what was named already.
    async fn targets(&self, before: &[String]) -> Option<Vec<Name>> {
        if let Some((kind, name)) = self.current.split_once('/') {
            let names = self.of_kind(target::kind_of(kind)?, name).await?;
            return Some(names.into_iter().map(|n| Name { name: format!("{kind}/{}", n.name), ..n }).collect());
        }
        match before {
            [kind, names @ ..] if !kind.contains('/') && target::kind_of(kind).is_some() => {
                let found = self.of_kind(target::kind_of(kind)?, self.current).await?;
                return Some(found.into_iter().filter(|n| !names.contains(&n.name)).collect());
            }
            [first, ..] if first.contains('/') => return Some(self.kinds()),
            _ => {}
        }
        let mut names = self.pods(before).await.unwrap_or_default();
        if before.is_empty() {
            names.extend(self.kinds());
        }
        Some(names)
    }

    /// `deployment/` and the like, once something of it is typed.
    fn kinds(&self) -> Vec<Name> {
        let begun = target::kinds().filter(|name| !self.current.is_empty() && name.starts_with(self.current));
        begun.map(|name| Name { name: format!("{name}/"), about: String::new() }).collect()
    }

    async fn of_kind(&self, kind: &str, begins: &str) -> Option<Vec<Name>> {
        let (group, plural) = match kind {
            "Pod" => {
                return Ask { reader: self.reader.clone(), namespace: self.namespace.clone(), current: begins }
                    .pods(&[])
                    .await;
            }
            "Deployment" => ("/apis/apps/v1", "deployments"),
            "ReplicaSet" => ("/apis/apps/v1", "replicasets"),
            "StatefulSet" => ("/apis/apps/v1", "statefulsets"),
            "DaemonSet" => ("/apis/apps/v1", "daemonsets"),
            "ReplicationController" => ("/api/v1", "replicationcontrollers"),
            "Job" => ("/apis/batch/v1", "jobs"),
            "CronJob" => ("/apis/batch/v1", "cronjobs"),
            _ => return None,
        };
        self.names(&format!("{group}/namespaces/{}/{plural}", self.namespace)).await
    }

    /// Pods that wait for a node; if none of them begins so, any others.
    async fn pods(&self, but: &[String]) -> Option<Vec<Name>> {
        let path = format!("/api/v1/namespaces/{}/pods", self.namespace);
        let meant = |names: Vec<Name>| {
            let meant = names.into_iter().filter(|n| n.name.starts_with(self.current) && !but.contains(&n.name));
            meant.collect::<Vec<Name>>()
        };
        let waiting = meant(self.all(&path, &format!("&fieldSelector={WAITING}")).await?);
        if !waiting.is_empty() {
            return Some(waiting);
        }
        Some(meant(self.all(&path, "").await?))
    }

    async fn names(&self, path: &str) -> Option<Vec<Name>> {
        self.all(path, "").await
    }

    /// A list: its first page with what can be said about each object, what there is more as a table.
    async fn all(&self, path: &str, query: &str) -> Option<Vec<Name>> {
        let mut names = Vec::new();
        let mut token = String::new();
        for _ in 0..PAGES {
            let answer = if token.is_empty() {
                self.reader.get(&format!("{path}?limit={PAGE}{query}")).await.ok()?
            } else {
                let next = encode(&token);
                self.reader
                    .table(&format!("{path}?limit={ROWS}{query}&continue={next}&includeObject=None"))
                    .await
                    .ok()?
            };
            if answer.status != StatusCode::OK {
                return None;
            }
            let list: List = serde_json::from_str(&answer.body).ok()?;
            token.clone_from(&list.metadata.token);
            names.extend(list.names());
            if token.is_empty() {
                break;
            }
        }
        Some(names)
    }
}
