//! Makes sure that what is kept is not behind the cluster. Watches are late by some milliseconds, and a server that lags behind
//! the others may be late by more; a decision after which something is evicted must not miss what has happened before.
//!
//! The version of a kind alone does not tell: where nothing of it changes, its watch does not come to the version of the
//! server. So what decides the most is listed, in short lists, and compared: the nodes, their pods, and the budgets. Where one
//! of these kinds is not watched, all of it is listed, and the version of a probe shows whether that list is new enough.

use std::time::{Duration, Instant};

use http::StatusCode;
use tokio::sync::oneshot;

use super::objects::{Listing, Objects};
use super::state::{Contents, older_state};
use super::{Keeper, KeptCluster};
use crate::api::client::Reader;
use crate::api::failure;
use crate::api::url::encode;
use crate::capture::live::interrupted;
use crate::capture::live::list::{UNFINISHED_PODS, bad_page, not_a_list, path};
use crate::error::Error;
use engine::decode;
use engine::snapshot::Kind;

/// How long watches may take to show what a list shows. Then the kind is listed again.
const BOUND: Duration = Duration::from_secs(2);

/// With more nodes than this, listing all pods once is less work than listing those of each node.
const MOST_NODES: usize = 16;

/// What decides the most.
#[derive(Debug, Clone)]
enum Part {
    /// This node.
    Node(String),
    /// The pods of this node.
    PodsOn(String),
    /// All budgets.
    Budgets,
}

impl Part {
    const fn kind(&self) -> Kind {
        match self {
            Self::Node(_) => Kind::Node,
            Self::PodsOn(_) => Kind::Pod,
            Self::Budgets => Kind::PodDisruptionBudget,
        }
    }

    /// Whether it has the object of this key, which is a pod on `node` if it is one.
    fn has(&self, key: &str, node: &str) -> bool {
        match self {
            Self::Node(name) => key.strip_prefix('/') == Some(name),
            Self::PodsOn(name) => node == name,
            Self::Budgets => true,
        }
    }

    /// Selects it in a list of its kind.
    fn query(&self) -> String {
        match self {
            Self::Node(name) => format!("?fieldSelector={}", encode(&format!("metadata.name={name}"))),
            Self::PodsOn(name) => {
                format!("?fieldSelector={}", encode(&format!("spec.nodeName={name},{UNFINISHED_PODS}")))
            }
            Self::Budgets => String::new(),
        }
    }
}

impl KeptCluster {
    /// Waits until everything is kept that has happened to `nodes`, their pods and the budgets before this call, and lists what no
    /// watch keeps. Where a watch does not come so far in time, its kind is listed again.
    ///
    /// # Errors
    /// When the cluster cannot be read.
    pub fn catch_up(&self, nodes: &[String]) -> Result<(), Error> {
        self.settle();
        if nodes.len() > MOST_NODES {
            return self.keeper.list(&[Kind::Node, Kind::PodDisruptionBudget, Kind::Pod]);
        }
        let part = |of: fn(String) -> Part| nodes.iter().cloned().map(of);
        let parts = part(Part::Node).chain([Part::Budgets]).chain(part(Part::PodsOn));
        let unwatched = self.keeper.state.lock().unwatched();
        let (to_probe, parts): (Vec<Part>, Vec<Part>) = parts.partition(|part| unwatched.contains(&part.kind()));
        let probes = self.list_each(to_probe, |_| "?limit=1".to_owned())?;
        self.list_unwatched()?;
        let lists = self.list_each(parts, Part::query)?;
        self.check_probes(&probes)?;
        let behind = |contents: &Contents| -> Vec<Kind> {
            let is_behind = |(part, list): &&(Part, Objects)| {
                let kept = contents.kinds.get(&part.kind());
                !kept.is_some_and(|kept| kept.has_seen(list, |key, node| part.has(key, node)))
            };
            lists.iter().filter(is_behind).map(|(part, _)| part.kind()).collect()
        };
        if self.keeper.state.wait(Instant::now() + BOUND, |contents| behind(contents).is_empty()) {
            return Ok(());
        }
        let late = behind(&self.keeper.state.lock());
        tracing::info!("the watches of {late:?} are late: listing these kinds again");
        self.keeper.list(&late)
    }

    /// Checks that no list of a kind that is not watched came from a server that lags behind the one that answered the probe.
    fn check_probes(&self, probes: &[(Part, Objects)]) -> Result<(), Error> {
        let contents = self.keeper.state.lock();
        let is_older =
            |(part, probe): &&(Part, Objects)| contents.kinds.get(&part.kind()).is_some_and(|k| probe.is_newer_than(k));
        let older: Vec<Kind> = probes.iter().filter(is_older).map(|(part, _)| part.kind()).collect();
        if older.is_empty() { Ok(()) } else { Err(older_state(&older)) }
    }

    /// Lists `parts`, each as `query` says, on the thread of the watches. What may not be listed is left out.
    fn list_each(&self, parts: Vec<Part>, query: fn(&Part) -> String) -> Result<Vec<(Part, Objects)>, Error> {
        let keeper = self.keeper.clone();
        let (sender, answer) = oneshot::channel();
        self.runtime.spawn(async move {
            // The receiver waits for it.
            let _ = sender.send(list_each(&keeper, parts, query).await);
        });
        answer.blocking_recv().unwrap_or_else(|_| Err(interrupted()))
    }
}

async fn list_each(
    keeper: &Keeper,
    parts: Vec<Part>,
    query: fn(&Part) -> String,
) -> Result<Vec<(Part, Objects)>, Error> {
    let reader = keeper.connector.reader().await?;
    let mut lists = Vec::new();
    for part in parts {
        match list(&reader, part.kind(), &query(&part)).await {
            Ok(list) => lists.extend(list.map(|list| (part, list))),
            Err(error) => {
                keeper.connector.renew().await;
                return Err(error);
            }
        }
    }
    Ok(lists)
}

/// A list of `kind`; `None` if it may not be read, or is not served.
async fn list(reader: &Reader, kind: Kind, query: &str) -> Result<Option<Objects>, Error> {
    for version in kind.versions() {
        let path = path(kind, version);
        let answer = reader.get(&format!("{path}{query}")).await?;
        match answer.status {
            StatusCode::OK => {}
            StatusCode::NOT_FOUND => continue,
            StatusCode::FORBIDDEN => return Ok(None),
            _ => return Err(failure::from_answer(&answer, Some(kind), &reader.peer)),
        }
        let mut listing = Listing::default();
        let meta =
            decode::decode_list(&answer.body, kind, &path, &mut listing).map_err(|e| bad_page(&e, &reader.peer))?;
        if !meta.is_named() {
            return Err(not_a_list(&path, kind, &reader.peer));
        }
        let mut objects = listing.kinds.remove(&kind).unwrap_or_default();
        objects.version = meta.resource_version;
        return Ok(Some(objects));
    }
    Ok(None)
}
