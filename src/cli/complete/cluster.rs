//! Names in the kubeconfig and in the cluster. Any error results in no names.

use clap_complete::engine::CompletionCandidate;
use http::StatusCode;

use super::list::{CompletionList, Name};
use super::protocol::DEADLINE;
use super::typed::Typed;
use super::values::ValueSource;
use crate::api::Env;
use crate::api::client::Reader;
use crate::api::config;
use crate::api::runtime;
use crate::api::url::encode;
use answers::node_name;
use answers::target::{self, Resource};

/// Size of the first page, which is read as objects with everything that the descriptions need.
const PAGE: usize = 500;
/// Size of each further page, which is read as a table.
const ROWS: usize = 5000;
/// Maximum number of pages.
const PAGES: usize = 4;
const NODES: &str = "/api/v1/nodes";
/// Selects pending pods, percent-encoded.
const WAITING: &str = "status.phase%3DPending%2Cspec.nodeName%3D";

/// The names with the prefix `current`.
pub(super) fn candidates(
    values: ValueSource,
    current: &str,
    typed: &Typed,
) -> Vec<CompletionCandidate> {
    let names = match values {
        ValueSource::Contexts | ValueSource::Clusters | ValueSource::Users => {
            in_kubeconfig(values, typed)
        }
        _ => in_cluster(values, current, typed).unwrap_or_default(),
    };
    let names = names.into_iter().filter(|n| n.name.starts_with(current));
    names.map(|n| CompletionCandidate::new(n.name).help(Some(n.about.into()))).collect()
}

fn in_kubeconfig(values: ValueSource, typed: &Typed) -> Vec<Name> {
    let known = config::names(&typed.connection, &Env::process());
    let list = match values {
        ValueSource::Contexts => known.contexts,
        ValueSource::Clusters => known.clusters,
        _ => known.users,
    };
    list.into_iter().map(|(name, about)| Name { name, about }).collect()
}

fn in_cluster(values: ValueSource, current: &str, typed: &Typed) -> Option<Vec<Name>> {
    let env = Env::process().unattended();
    let mut flags = typed.connection.clone();
    flags.request_timeout = Some(DEADLINE);
    let connection = config::resolve(&flags, &env).ok()?;
    let namespace =
        typed.namespace.clone().unwrap_or_else(|| connection.config.default_namespace.clone());
    let runtime = runtime::start("ask the cluster").ok()?;
    let names = runtime.block_on(async {
        let reader = Reader::new(connection, flags.request_timeout).ok()?;
        let names = NameReader { reader, namespace, current };
        match values {
            ValueSource::Targets => names.targets(&typed.pods).await,
            ValueSource::Pods => names.pods(&[]).await,
            ValueSource::Namespaces => match names.list("/api/v1/namespaces").await {
                // Without the permission to list namespaces, those of the kubeconfig.
                None => Some(kubeconfig_namespaces(typed)),
                names => names,
            },
            ValueSource::Nodes | ValueSource::NodesAnd | ValueSource::Domains => {
                names.list(NODES).await.map(|nodes| of_nodes(values, nodes))
            }
            ValueSource::Budgets => {
                let path =
                    format!("/apis/policy/v1/namespaces/{}/poddisruptionbudgets", names.namespace);
                let budgets = names.list(&path).await?;
                Some(
                    budgets
                        .into_iter()
                        .map(|n| Name { name: format!("{}=", n.name), ..n })
                        .collect(),
                )
            }
            ValueSource::PriorityClasses => {
                names.list("/apis/scheduling.k8s.io/v1/priorityclasses").await
            }
            _ => None,
        }
    });
    // Does not wait for a DNS lookup in flight.
    runtime.shutdown_background();
    names
}

/// The nodes in the form of their argument, without the ending that all of them share: every command
/// accepts them so.
pub(super) fn of_nodes(values: ValueSource, nodes: Vec<Name>) -> Vec<Name> {
    let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    let ending = node_name::shared_by(&names).to_owned();
    let form = |node: Name| {
        let short = node.name.strip_suffix(&ending).unwrap_or(&node.name);
        let name = match values {
            ValueSource::NodesAnd => format!("{short}:"),
            ValueSource::Domains => format!("node/{short}"),
            _ => short.to_owned(),
        };
        Name { name, ..node }
    };
    nodes.into_iter().map(form).collect()
}

fn kubeconfig_namespaces(typed: &Typed) -> Vec<Name> {
    let known = config::names(&typed.connection, &Env::process()).namespaces;
    known.into_iter().map(|name| Name { name, about: "of the kubeconfig".to_owned() }).collect()
}

/// Reads names from a cluster.
struct NameReader<'a> {
    reader: Reader,
    namespace: String,
    current: &'a str,
}

impl NameReader<'_> {
    /// Pods; after a type or as `TYPE/…`, objects of that type. `before` are the names already on
    /// the line.
    async fn targets(&self, before: &[String]) -> Option<Vec<Name>> {
        if let Some((kind, name)) = self.current.split_once('/') {
            let names = self.of_kind(target::find_resource(kind)?, name).await?;
            return Some(
                names
                    .into_iter()
                    .map(|n| Name { name: format!("{kind}/{}", n.name), ..n })
                    .collect(),
            );
        }
        match before {
            [kind, names @ ..] if !kind.contains('/') && target::find_resource(kind).is_some() => {
                let found = self.of_kind(target::find_resource(kind)?, self.current).await?;
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

    /// `deployment/` and similar prefixes, once a part is typed.
    fn kinds(&self) -> Vec<Name> {
        let names = target::resources().map(|resource| resource.singular);
        let begun = names.filter(|name| !self.current.is_empty() && name.starts_with(self.current));
        begun.map(|name| Name { name: format!("{name}/"), about: String::new() }).collect()
    }

    /// Objects of a kind. `prefix` is the typed part of the name.
    async fn of_kind(&self, resource: &Resource, prefix: &str) -> Option<Vec<Name>> {
        if resource.singular == "pod" {
            let (reader, namespace) = (self.reader.clone(), self.namespace.clone());
            return NameReader { reader, namespace, current: prefix }.pods(&[]).await;
        }
        for path in resource.paths(&self.namespace) {
            if let Some(names) = self.list(&path).await {
                return Some(names);
            }
        }
        if resource.singular == "podgroup" { self.named_groups().await } else { None }
    }

    /// The groups named by pending pods, for clusters that do not serve PodGroups, as in 1.35.
    async fn named_groups(&self) -> Option<Vec<Name>> {
        let path = format!(
            "/api/v1/namespaces/{}/pods?limit={PAGE}&fieldSelector={WAITING}",
            self.namespace
        );
        let answer =
            self.reader.get(&path).await.ok().filter(|answer| answer.status == StatusCode::OK)?;
        Some(serde_json::from_str::<CompletionList>(&answer.body).ok()?.named_groups())
    }

    /// Pending pods; if none has this prefix, all pods that have it.
    async fn pods(&self, except: &[String]) -> Option<Vec<Name>> {
        let path = format!("/api/v1/namespaces/{}/pods", self.namespace);
        for query in [&*format!("&fieldSelector={WAITING}"), ""] {
            let mut names = self.all(&path, query).await?;
            names.retain(|n| n.name.starts_with(self.current) && !except.contains(&n.name));
            if !names.is_empty() {
                return Some(names);
            }
        }
        Some(Vec::new())
    }

    async fn list(&self, path: &str) -> Option<Vec<Name>> {
        self.all(path, "").await
    }

    /// All pages of a list. The first is read as objects, which contain everything for the
    /// descriptions; the others as tables, which are smaller.
    async fn all(&self, path: &str, query: &str) -> Option<Vec<Name>> {
        let mut names = Vec::new();
        let mut token = String::new();
        for _ in 0..PAGES {
            let answer = if token.is_empty() {
                self.reader.get(&format!("{path}?limit={PAGE}{query}")).await.ok()?
            } else {
                let next = encode(&token);
                self.reader
                    .table(&format!(
                        "{path}?limit={ROWS}{query}&continue={next}&includeObject=None"
                    ))
                    .await
                    .ok()?
            };
            // Half a list would hide the names that are missing, so there is none.
            if answer.status != StatusCode::OK {
                return None;
            }
            let list: CompletionList = serde_json::from_str(&answer.body).ok()?;
            list.next_page().clone_into(&mut token);
            names.extend(list.names());
            if token.is_empty() {
                break;
            }
        }
        Some(names)
    }
}
