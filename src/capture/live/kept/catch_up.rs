//! Makes sure that what is kept is not behind the cluster. A watch may be late by any time without
//! showing it: it stays open and silent, and nothing tells that from a cluster in which nothing
//! changes. A decision after which a pod is removed must not miss what has happened before, so each
//! kind that it reads is compared with a consistent list, which shows the store as it is now.
//!
//! Where a kind has few objects, that is all of it. Where it has many, it is a list of one object,
//! whose version is that of the store: a watch that comes to this version within
//! [`Scope::patience`] has shown everything before it, and one that does not is late, so the kind
//! is listed, too. Events of a running watch that a list has shown already are passed over
//! (`Objects::has_come_to`), so that listing a kind does not disturb its watch.
//!
//! [`Scope::patience`]: crate::capture::live::Scope::patience

use std::sync::PoisonError;
use std::time::Instant;

use futures::{StreamExt as _, TryStreamExt as _};
use http::StatusCode;
use tokio::sync::oneshot;

use super::objects::Listing;
use super::state::{Contents, older_state};
use super::{Keeper, KeptCluster};
use crate::api::client::Reader;
use crate::api::failure;
use crate::capture::live::list::{bad_page, not_a_list, path};
use crate::capture::live::{PAGE, interrupted};
use crate::error::Error;
use engine::decode;
use engine::snapshot::Kind;

/// Probes that are sent at the same time.
const PARALLEL: usize = 8;

/// The kinds whose lists have to be new even where they are not watched.
const PROBED: [Kind; 3] = [Kind::Node, Kind::PodDisruptionBudget, Kind::Pod];

/// The kinds that decisions read.
struct Kinds {
    /// Those without a watch that runs.
    unwatched: Vec<Kind>,
    /// Those with a watch and few objects.
    few: Vec<Kind>,
    /// Those with a watch and many objects.
    many: Vec<Kind>,
}

/// The version of the store when a short list of a kind was answered.
struct Probe {
    kind: Kind,
    version: String,
}

impl Probe {
    /// Whether everything is kept that had happened by then.
    fn is_reached(&self, contents: &Contents) -> bool {
        contents.kinds.get(&self.kind).is_some_and(|kept| kept.has_come_to(&self.version))
    }

    /// Whether what is kept is certainly older.
    fn is_missed(&self, contents: &Contents) -> bool {
        contents.kinds.get(&self.kind).is_some_and(|kept| kept.is_older_than(&self.version))
    }
}

impl KeptCluster {
    /// Makes sure that everything is kept that has happened before this call, except to Events,
    /// which decide nothing.
    ///
    /// # Errors
    /// When the cluster cannot be read, or a list is older than what was shown before.
    pub fn catch_up(&self) -> Result<(), Error> {
        self.settle();
        let Kinds { unwatched, few, many } = self.kinds();
        // Of a kind without a watch a list is decided on, whatever its age, if a probe does not
        // show that it is too old.
        let probed = PROBED.into_iter().filter(|kind| unwatched.contains(kind));
        let probes = self.probe(many.iter().copied().chain(probed).collect())?;

        let late = self.wait_for_watches(&many, &probes);
        self.keeper.list(&[unwatched, few, late].concat())?;

        // One of several servers, which lags behind the others, may have answered with an older
        // list.
        let contents = self.keeper.state.lock();
        let missed: Vec<Kind> =
            probes.iter().filter(|p| p.is_missed(&contents)).map(|probe| probe.kind).collect();
        if missed.is_empty() { Ok(()) } else { Err(older_state(&missed)) }
    }

    /// The kinds, by what has to be done about them.
    fn kinds(&self) -> Kinds {
        let contents = self.keeper.state.lock();
        let watched = contents.watched().into_iter().filter(|kind| *kind != Kind::Event);
        let (many, few) = watched.partition(|kind| self.has_many(&contents, *kind));
        Kinds { unwatched: contents.unwatched(), few, many }
    }

    /// Waits until the watches of `kinds` have come to the versions of their probes, and returns
    /// those that are late.
    ///
    /// Where a kind has many objects something happens all the time, and its watch comes so far in
    /// a moment. If it does not, it is stuck, or nothing has happened: only a list tells which.
    fn wait_for_watches(&self, kinds: &[Kind], probes: &[Probe]) -> Vec<Kind> {
        let (state, patience, start) =
            (&self.keeper.state, self.keeper.scope.patience, Instant::now());
        let mut late_before = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        // A watch that was late the last time will most likely be so again: little happens to its
        // kind.
        let all_came =
            state.wait(start + patience / 10, |contents| late(kinds, probes, contents).is_empty());
        if !all_came {
            state.wait(start + patience, |contents| {
                late(kinds, probes, contents).iter().all(|kind| late_before.contains(kind))
            });
        }
        let late = late(kinds, probes, &state.lock());
        if !late.is_empty() {
            tracing::info!("the watches of {late:?} are late: listing these kinds again");
        }
        late_before.clone_from(&late);
        late
    }

    /// Whether listing all of a kind costs more than to wait for its watch: where it takes more
    /// than a page, and of nodes and pods, which are large and of which something is always heard,
    /// more than a quarter of one.
    fn has_many(&self, contents: &Contents, kind: Kind) -> bool {
        let page = match self.keeper.scope.chunk {
            0 => PAGE,
            chunk => chunk.min(PAGE),
        };
        let few = if kind.is_essential() { page / 4 } else { page };
        contents.kinds.get(&kind).is_some_and(|kept| kept.len() > few)
    }

    /// Probes `kinds` on the thread of the watches. What may not be listed is left out.
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

/// Those of `kinds` whose watches have not come to the version of their probe.
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

/// A list of one object of `kind`; `None` if it may not be read, or is not served.
async fn probe(reader: &Reader, kind: Kind) -> Result<Option<Probe>, Error> {
    for version in kind.versions() {
        let path = path(kind, version);
        let answer = reader.get(&format!("{path}?limit=1")).await?;
        match answer.status {
            StatusCode::OK => {}
            StatusCode::NOT_FOUND => continue,
            StatusCode::FORBIDDEN => return Ok(None),
            _ => return Err(failure::from_answer(&answer, Some(kind), &reader.peer)),
        }
        let mut listing = Listing::default();
        let meta = decode::decode_list(&answer.body, kind, &path, &mut listing)
            .map_err(|e| bad_page(&e, &reader.peer))?;
        if !meta.is_named() {
            return Err(not_a_list(&path, kind, &reader.peer));
        }
        return Ok(Some(Probe { kind, version: meta.resource_version }));
    }
    Ok(None)
}
