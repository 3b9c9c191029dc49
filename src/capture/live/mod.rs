//! A live cluster, read only. The caller sees an ordinary function: downloads run on a thread of their own, decoding and
//! the sink stay with the caller, and the objects come in the order of [`Kind::ALL`] whatever arrives first.

pub mod changes;
mod feed;
mod list;
mod scheduler;
pub mod webhook;

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use self::list::Part;
pub(crate) use self::list::encode;
use super::Sink;
pub use crate::api::Env;
use crate::api::client::Reader;
use crate::api::config::{self, Connection};
use crate::api::failure::{self, Peer};
use crate::api::flags::ConnectionFlags;
use crate::api::inquiry;
use crate::error::Error;
use engine::snapshot::scheduler::{ConfigMapName, Scheduler};
use engine::snapshot::{Header, Kind};

/// kubectl's page size.
const PAGE: usize = 500;
/// Pages that wait for the decoder, per kind.
const PAGES_IN_FLIGHT: usize = 2;

/// What is read of a cluster.
#[derive(Debug, Clone)]
pub struct Scope {
    /// Kinds of objects.
    pub kinds: Vec<Kind>,
    /// The ConfigMap with the scheduler's configuration.
    pub config_map: Option<ConfigMapName>,
    /// Objects of a page; 0 for all at once.
    pub chunk: usize,
}

impl Scope {
    /// Objects of these kinds.
    #[must_use]
    pub fn of(kinds: &[Kind]) -> Self {
        Self { kinds: kinds.to_vec(), config_map: None, chunk: PAGE }
    }
}

/// How far the reading of one kind is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being read.
    pub kind: Kind,
    /// Objects of it so far.
    pub objects: usize,
    /// Whether that is all.
    pub complete: bool,
}

/// What is known of the connection after reading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LiveInfo {
    /// Name of the kubeconfig context, if one was used.
    pub context: Option<String>,
    /// Address of the API server.
    pub server: String,
    /// The namespace that holds where none is given.
    pub namespace: String,
    /// What the server warned of, each once.
    pub warnings: Vec<String>,
}

/// Reads `scope` of the cluster that flags, kubeconfig and environment select, into `sink`. Its header comes last.
///
/// # Errors
/// When the cluster cannot be reached, refuses nodes or pods, or answers what cannot be read.
pub fn capture(
    flags: &ConnectionFlags,
    scope: &Scope,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(Progress),
) -> Result<LiveInfo, Error> {
    capture_in(&Env::process(), flags, scope, sink, progress)
}

/// [`capture`] in an environment that need not be the process's.
///
/// # Errors
/// As [`capture`].
pub fn capture_in(
    env: &Env,
    flags: &ConnectionFlags,
    scope: &Scope,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(Progress),
) -> Result<LiveInfo, Error> {
    let connection = config::resolve(flags, env)?;
    let mut info = LiveInfo {
        context: connection.context.clone(),
        server: connection.config.cluster_url.to_string(),
        namespace: connection.config.default_namespace.clone(),
        warnings: Vec::new(),
    };
    tracing::info!(
        "server {} (context {}), namespace {}, user {}",
        info.server,
        info.context.as_deref().unwrap_or("-"),
        info.namespace,
        connection.user.as_deref().unwrap_or("-")
    );
    info.warnings = read(connection, flags.request_timeout, scope, sink, progress)?;
    match info.warnings.as_slice() {
        [first, ..] if flags.warnings_as_errors == Some(true) => Err(failure::warned(first, info.warnings.len())),
        _ => Ok(info),
    }
}

/// The namespace that holds where none is given. Neither network nor credential plugin.
///
/// # Errors
/// When the kubeconfig cannot be read or does not have what the flags name.
pub fn default_namespace(flags: &ConnectionFlags) -> Result<String, Error> {
    default_namespace_in(&Env::process(), flags)
}

/// [`default_namespace`] in an environment that need not be the process's.
///
/// # Errors
/// As [`default_namespace`].
pub fn default_namespace_in(env: &Env, flags: &ConnectionFlags) -> Result<String, Error> {
    config::default_namespace(flags, env)
}

/// Downloads on one thread, decodes on this one; the value is the server's warnings.
fn read(
    connection: Connection,
    timeout: Option<Duration>,
    scope: &Scope,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<String>, Error> {
    let peer = Arc::new(Peer::of(&connection));
    let wanted = Kind::ALL.into_iter().filter(|kind| scope.kinds.contains(kind));
    let (senders, receivers): (Vec<_>, Vec<_>) = wanted
        .map(|kind| {
            let (sender, receiver) = mpsc::channel(PAGES_IN_FLIGHT);
            ((kind, sender), (kind, receiver))
        })
        .unzip();
    let (sender, opening) = oneshot::channel();
    let (stop, stopped) = oneshot::channel();
    thread::scope(|threads| {
        let first = Opening { config_map: scope.config_map.as_ref(), answer: sender };
        let lists = (Some(scope.chunk).filter(|chunk| *chunk > 0), senders);
        let download = threads.spawn(|| run(connection, timeout, lists, first, stopped));
        let received = receive(opening, receivers, sink, &peer, progress);
        // Ends what still runs, after an error.
        drop(stop);
        let downloaded = download.join().unwrap_or_else(|_| Err(broken_off()));
        match received {
            // A client that could not be built says why; the receiver only sees that nothing came.
            Err(None) => Err(downloaded.err().unwrap_or_else(broken_off)),
            Err(Some(error)) => Err(error),
            Ok(header) => {
                sink.header(header);
                downloaded
            }
        }
    })
}

/// The server's version and what the cluster tells of its scheduler.
type Opened = (Option<String>, Scheduler);

/// What is asked before any list.
struct Opening<'s> {
    config_map: Option<&'s ConfigMapName>,
    answer: oneshot::Sender<Result<Opened, Error>>,
}

async fn open(reader: &Reader, config_map: Option<&ConfigMapName>) -> Result<Opened, Error> {
    let version = inquiry::version(reader).await?;
    Ok((version, scheduler::find(reader, config_map).await?))
}

/// The download thread: a runtime of its own, until all is read or nobody listens.
fn run(
    connection: Connection,
    timeout: Option<Duration>,
    (chunk, channels): (Option<usize>, Vec<(Kind, mpsc::Sender<Part>)>),
    opening: Opening<'_>,
    stopped: oneshot::Receiver<()>,
) -> Result<Vec<String>, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Error::Cluster { problem: format!("cannot start reading the cluster: {e}"), hint: None })?;
    let outcome = runtime.block_on(async {
        let reader = Reader::new(connection, timeout)?;
        let work = async {
            let answer = open(&reader, opening.config_map).await;
            let reachable = answer.is_ok();
            if opening.answer.send(answer).is_ok() && reachable {
                list::download(&reader, chunk, channels).await;
            }
        };
        tokio::select! {
            () = work => {}
            _ = stopped => {}
        }
        Ok(reader.warnings())
    });
    // A name that is still being looked up must not hold us.
    runtime.shutdown_background();
    outcome
}

/// Everything in its order. An error of `None` means that the download thread knows more.
fn receive(
    opening: oneshot::Receiver<Result<Opened, Error>>,
    lists: Vec<(Kind, mpsc::Receiver<Part>)>,
    sink: &mut dyn Sink,
    peer: &Peer,
    progress: &mut dyn FnMut(Progress),
) -> Result<Header, Option<Error>> {
    let (server_version, scheduler) = opening.blocking_recv().map_err(|_| None)?.map_err(Some)?;
    let mut header = Header { server_version, scheduler: Some(scheduler), ..Header::default() };
    for (kind, parts) in lists {
        feed::drain(kind, parts, sink, &mut header, peer, progress).map_err(Some)?;
    }
    header.captured_at = Some(jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
    Ok(header)
}

fn broken_off() -> Error {
    Error::Cluster { problem: "reading the cluster broke off".to_owned(), hint: Some("try again".to_owned()) }
}
