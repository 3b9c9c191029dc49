//! Ensures that the local state is not behind the cluster. A watch may lag arbitrarily without any
//! sign: it stays open and silent, as in a cluster where nothing changes. A decision that leads to
//! a removal must not miss earlier changes, so each kind that it reads is compared with a
//! consistent list, which shows the current state of etcd.
//!
//! For a kind with few objects, the complete list is read. For a kind with many, a list of one
//! object is read, whose version is that of etcd: a watch that reaches this version within
//! [`ReadScope::patience`] has delivered everything before it; otherwise it lags, and the kind is
//! listed as well. Events of a running watch that a list already contained are ignored
//! (`Objects::has_come_to`), so that listing a kind does not disturb its watch.
//!
//! [`ReadScope::patience`]: crate::capture::live::ReadScope::patience

use std::sync::PoisonError;
use std::time::Instant;

use futures::{StreamExt as _, TryStreamExt as _};
use http::StatusCode;
use tokio::sync::oneshot;

use super::objects::ListedObjects;
use super::state::{Contents, older_state};
use super::{Keeper, KeptCluster};
use crate::api::client::Reader;
use crate::api::failure;
use crate::capture::live::list::{bad_page, not_a_list};
use crate::capture::live::{PAGE, interrupted};
use crate::error::Error;
use engine::decode;
use engine::snapshot::Kind;

/// Number of concurrent probes.
const PARALLEL: usize = 8;

/// The kinds whose lists must be current even if they are not watched.
const PROBED: [Kind; 3] = [Kind::Node, Kind::PodDisruptionBudget, Kind::Pod];

/// The kinds that decisions read.
struct Kinds {
    /// Kinds without a running watch.
    unwatched: Vec<Kind>,
    /// Kinds with a watch and few objects.
    few: Vec<Kind>,
    /// Kinds with a watch and many objects.
    many: Vec<Kind>,
}

/// The version of etcd at the time of a short list of a kind.
struct Probe {
    kind: Kind,
    version: String,
}

impl Probe {
    /// Whether the local state includes everything up to the probe.
    fn is_reached(&self, contents: &Contents) -> bool {
        contents.kinds.get(&self.kind).is_some_and(|kept| kept.has_come_to(&self.version))
    }

    /// Whether the local state is certainly older than the probe.
    fn is_missed(&self, contents: &Contents) -> bool {
        contents.kinds.get(&self.kind).is_some_and(|kept| kept.is_older_than(&self.version))
    }
}

impl KeptCluster {
    /// Ensures that the local state includes everything that happened before this call, except
    /// Events, which do not affect decisions.
    ///
    /// # Errors
    /// When the cluster cannot be read, or a list is older than an earlier state.
    pub fn catch_up(&self) -> Result<(), Error> {
        self.settle();
        let Kinds { unwatched, few, many } = self.kinds();
        // A list of a kind without a watch is used whatever its age, unless a probe shows that it
        // is too old.
        let probed = PROBED.into_iter().filter(|kind| unwatched.contains(kind));
        let probes = self.probe(many.iter().copied().chain(probed).collect())?;

        let late = self.wait_for_watches(&many, &probes);
        self.keeper.list(&[unwatched, few, late].concat())?;

        // One of several API servers may lag behind and send an older list.
        let contents = self.keeper.state.lock();
        let missed: Vec<Kind> =
            probes.iter().filter(|p| p.is_missed(&contents)).map(|probe| probe.kind).collect();
        if missed.is_empty() { Ok(()) } else { Err(older_state(&missed)) }
    }

    /// Groups the kinds by the required action.
    fn kinds(&self) -> Kinds {
        let contents = self.keeper.state.lock();
        let watched = contents.watched().into_iter().filter(|kind| *kind != Kind::Event);
        let (many, few) = watched.partition(|kind| self.has_many(&contents, *kind));
        Kinds { unwatched: contents.unwatched(), few, many }
    }

    /// Waits until the watches of `kinds` have reached the versions of their probes, and returns
    /// the kinds that lag.
    ///
    /// A kind with many objects changes constantly, and its watch reaches the version in a moment.
    /// If it does not, it is stuck, or nothing has happened: only a list can distinguish these.
    fn wait_for_watches(&self, kinds: &[Kind], probes: &[Probe]) -> Vec<Kind> {
        let (state, patience, start) =
            (&self.keeper.state, self.keeper.scope.patience, Instant::now());
        let mut late_before = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        // A watch that lagged the last time will most likely lag again: its kind rarely changes.
        let all_came =
            state.wait(start + patience / 10, |contents| late(kinds, probes, contents).is_empty());
        if !all_came {
            state.wait(start + patience, |contents| {
                late(kinds, probes, contents).iter().all(|kind| late_before.contains(kind))
            });
        }
        let late = late(kinds, probes, &state.lock());
        if !late.is_empty() {
            log::info!("the watches of {late:?} are late: listing these kinds again");
        }
        late_before.clone_from(&late);
        late
    }

    /// Whether a complete list of a kind is more expensive than waiting for its watch: if it
    /// exceeds a page, or for nodes and pods, which are large and change often, a quarter of a
    /// page.
    fn has_many(&self, contents: &Contents, kind: Kind) -> bool {
        let page = match self.keeper.scope.chunk {
            0 => PAGE,
            chunk => chunk.min(PAGE),
        };
        let few = if kind.is_essential() { page / 4 } else { page };
        contents.kinds.get(&kind).is_some_and(|kept| kept.len() > few)
    }

    /// Probes `kinds` on the thread of the watches. Kinds that may not be listed are omitted.
    fn probe(&self, kinds: Vec<Kind>) -> Result<Vec<Probe>, Error> {
        if kinds.is_empty() {
            return Ok(Vec::new());
        }
        let keeper = self.keeper.clone();
        let (sender, answer) = oneshot::channel();
        self.runtime.spawn(async move {
            // The receiver waits for it.
            let _ = sender.send(probe_each(&keeper, kinds).await);
        });
        answer.blocking_recv().unwrap_or_else(|_| Err(interrupted()))
    }
}

/// The kinds whose watches have not reached the version of their probe.
fn late(kinds: &[Kind], probes: &[Probe], contents: &Contents) -> Vec<Kind> {
    let is_live = |kind: &&Kind| {
        probes.iter().any(|probe| probe.kind == **kind && probe.is_reached(contents))
    };
    kinds.iter().filter(|kind| !is_live(kind)).copied().collect()
}

async fn probe_each(keeper: &Keeper, kinds: Vec<Kind>) -> Result<Vec<Probe>, Error> {
    let reader = keeper.connector.reader().await?;
    let probes = futures::stream::iter(kinds.into_iter().map(|kind| probe(&reader, kind)));
    let probes: Result<Vec<Option<Probe>>, Error> = probes.buffered(PARALLEL).try_collect().await;
    if probes.is_err() {
        keeper.connector.renew().await;
    }
    Ok(probes?.into_iter().flatten().collect())
}

/// A list of one object of `kind`; `None` if listing is denied or the kind is not served.
async fn probe(reader: &Reader, kind: Kind) -> Result<Option<Probe>, Error> {
    for version in kind.versions() {
        let path = kind.list_path(version);
        let answer = reader.get(&format!("{path}?limit=1")).await?;
        match answer.status {
            StatusCode::OK => {}
            StatusCode::NOT_FOUND => continue,
            StatusCode::FORBIDDEN => return Ok(None),
            _ => return Err(failure::from_answer(&answer, Some(kind), &reader.peer)),
        }
        let mut listing = ListedObjects::default();
        let meta = decode::decode_list(&answer.body, kind, &path, &mut listing)
            .map_err(|e| bad_page(&e, &reader.peer))?;
        if !meta.is_named() {
            return Err(not_a_list(&path, kind, &reader.peer));
        }
        return Ok(Some(Probe { kind, version: meta.resource_version }));
    }
    Ok(None)
}
