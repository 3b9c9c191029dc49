//! A cluster that is listed once and then kept up to date by watches of every kind. What extensions
//! show decides nothing and may change all the time, so it is not watched: it is listed again with
//! what cannot be watched, and is as old as that.
//!
//! kube's reflector is not used: it lists by itself, into objects with all their fields. Here
//! lists, missing permissions and fields of the wrong type are handled as in every other read of a
//! cluster, and the watches continue from there.

mod catch_up;
mod connector;
mod event;
mod events;
mod follow;
mod objects;
mod state;

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use self::connector::Connector;
use self::objects::{KeptObjects, ListedObjects};
use self::state::{Contents, KeptState};
use super::{ControllerScope, ListProgress, LiveInfo, ReadScope, capture, capture_from};
use crate::api::Env;
use crate::api::config;
use crate::api::flags::ConnectionFlags;
use crate::api::runtime;
use crate::error::Error;
use answers::questions::pending::earlier::Changes;
use engine::decode::{Originals, WithOriginals};
use engine::snapshot::{Kind, Sink};

/// Maximum time to wait for the start of all watches.
const SETTLE: Duration = Duration::from_secs(5);

/// How long lists of workloads are used: they are long, and nothing selects those that lack pods.
const WORKLOADS_AGAIN: Duration = Duration::from_secs(2 * 60);

/// An event of a kept cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptEvent {
    /// The first login is done, before anything was read: from now on no credential plugin prompts
    /// while a screen covers the terminal.
    LoggedIn,
    /// Something that a decision reads has changed. Reported once until the cluster is read.
    Changed,
    /// Watching this kind is not permitted, which is reported once; the server's message.
    NotWatched(Kind, String),
    /// The connection failed and is retried; the error.
    Disconnected(String),
    /// All watches are running again.
    Connected,
}

/// What is known of a state besides its objects.
#[derive(Debug)]
pub struct KeptRead {
    /// The complete nodes and pods, if they are stored.
    pub originals: Option<Originals>,
    /// What has changed since the state that was read before.
    pub changes: Changes,
}

/// Callback for events.
pub type Notify = Box<dyn Fn(KeptEvent) + Send + Sync>;

/// A cluster that is kept up to date until this value is dropped.
pub struct KeptCluster {
    keeper: Arc<Keeper>,
    info: LiveInfo,
    /// The kinds whose watches lagged at the last [`KeptCluster::catch_up`].
    late: Mutex<Vec<Kind>>,
    /// When workloads were listed last.
    workloads_read: Mutex<Instant>,
    /// The runtime of the requests.
    runtime: Handle,
    /// Stops the watches on drop.
    _stop: oneshot::Sender<()>,
}

/// The state that the threads share.
struct Keeper {
    env: Env,
    flags: ConnectionFlags,
    scope: ReadScope,
    connector: Connector,
    state: KeptState,
    /// Whether complete nodes and pods are stored, for extenders.
    whole: bool,
}

impl KeptCluster {
    /// Lists `scope` of the cluster and starts to watch it. With `whole`, nodes and pods are also
    /// stored with all their fields.
    ///
    /// # Errors
    /// As for [`capture`].
    pub fn open(
        env: &Env,
        flags: &ConnectionFlags,
        scope: &ReadScope,
        whole: bool,
        progress: &mut dyn FnMut(ListProgress),
        notify: Notify,
    ) -> Result<Self, Error> {
        let (mut listing, mut originals) =
            (ListedObjects::default(), whole.then(Originals::default));
        let connection = config::resolve(flags, env)?;
        notify(KeptEvent::LoggedIn);
        // The deadline of the environment is that of the first read.
        let first = scope.until(env.deadline());
        let env = env.after_login().until(None);
        let info = list_into(&mut listing, originals.as_mut(), |sink| {
            capture_from(connection, flags, &first, sink, progress)
        })?;
        let contents = Contents::new(&scope.kinds, &scope.extension_kinds(), listing, originals);
        let to_watch = contents.starting();
        let keeper = Arc::new(Keeper {
            flags: flags.clone(),
            scope: scope.clone(),
            connector: Connector::new(env.clone(), flags.clone()),
            env,
            state: KeptState::new(contents, notify),
            whole,
        });
        let (stop, stopped) = oneshot::channel();
        let runtime = watch_all(keeper.clone(), to_watch, stopped)?;
        let workloads_read = Mutex::new(Instant::now());
        Ok(Self { keeper, info, late: Mutex::default(), workloads_read, runtime, _stop: stop })
    }

    pub fn info(&self) -> &LiveInfo {
        &self.info
    }

    /// Passes the current state to `sink`.
    pub fn read(&self, sink: &mut dyn Sink) -> KeptRead {
        let (kinds, header, issues, read) = {
            let mut contents = self.keeper.state.lock();
            let (kinds, header, issues) = contents.read();
            let (originals, changes) = (contents.originals.clone(), contents.take_changes());
            (kinds, header, issues, KeptRead { originals, changes })
        };
        kinds.into_iter().for_each(|(kind, copies)| objects::pass_on(kind, copies, sink));
        issues.into_iter().for_each(|issue| sink.issue(issue));
        sink.header(header);
        read
    }

    /// Kinds that may not be watched and are listed repeatedly.
    pub fn not_watched(&self) -> Vec<Kind> {
        self.keeper.state.lock().not_watched()
    }

    /// Lists what no watch keeps: the kinds without one, the server's version, what the cluster
    /// shows of its scheduler, and extensions if they are in the scope.
    ///
    /// # Errors
    /// As for [`capture`].
    pub fn list_unwatched(&self) -> Result<(), Error> {
        let kinds = self.keeper.state.lock().unwatched();
        let mut scope = ReadScope { kinds, ..self.keeper.scope.clone() };
        let mut workloads_read = self.workloads_read.lock().unwrap_or_else(PoisonError::into_inner);
        if workloads_read.elapsed() < WORKLOADS_AGAIN {
            scope.controllers = ControllerScope::Kept;
        } else {
            *workloads_read = Instant::now();
        }
        drop(workloads_read);
        self.keeper.list_in(&scope)
    }

    /// Waits until every watch has started or failed, for a limited time.
    pub fn settle(&self) {
        self.keeper.state.wait(Instant::now() + SETTLE, |contents| contents.starting().is_empty());
    }
}

impl Keeper {
    /// Lists `kinds` again, and nothing of extensions.
    fn list(&self, kinds: &[Kind]) -> Result<(), Error> {
        self.list_in(&ReadScope { kinds: kinds.to_vec(), extensions: false, ..self.scope.clone() })
    }

    /// Lists what is in a scope again.
    fn list_in(&self, scope: &ReadScope) -> Result<(), Error> {
        let (mut listing, mut originals) =
            (ListedObjects::default(), self.whole.then(Originals::default));
        list_into(&mut listing, originals.as_mut(), |sink| {
            capture(&self.env, &self.flags, scope, sink, &mut |_| {})
        })?;
        // Workloads that were not listed this time are those of the last time.
        if scope.controllers != self.scope.controllers
            && let Some(programs) = &mut listing.header.programs
        {
            self.state.lock().keep_workloads(programs);
        }
        // A kind that is watched is not one of the extensions, although it was left out above.
        let mut of_extensions = scope.extension_kinds();
        of_extensions.retain(|kind| !self.scope.kinds.contains(kind));
        self.state.replace(&scope.kinds, &of_extensions, listing, originals)
    }
}

/// Runs `list` on a sink for the local state.
fn list_into<T>(
    listing: &mut ListedObjects,
    originals: Option<&mut Originals>,
    list: impl FnOnce(&mut dyn Sink) -> T,
) -> T {
    match originals {
        Some(originals) => list(&mut WithOriginals { sink: listing, originals }),
        None => list(listing),
    }
}

/// Watches `kinds` on a separate thread until `stopped` is closed.
fn watch_all(
    keeper: Arc<Keeper>,
    kinds: Vec<Kind>,
    stopped: oneshot::Receiver<()>,
) -> Result<Handle, Error> {
    let runtime = runtime::start("start watching the cluster")?;
    let handle = runtime.handle().clone();
    thread::spawn(move || {
        runtime.block_on(async {
            for kind in kinds {
                tokio::spawn(follow::follow(keeper.clone(), kind));
            }
            drop(keeper);
            // No value is ever sent: closing the channel is the signal.
            let _ = stopped.await;
        });
        // Does not wait for a list in flight.
        runtime.shutdown_background();
    });
    Ok(handle)
}
