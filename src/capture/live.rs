//! Reads a live cluster. One thread downloads the lists; the calling thread decodes them and passes
//! the objects to the sink, in the order of [`Kind::ALL`], whichever list arrives first.

mod channel;
mod controllers;
mod extensions;
mod feed;
mod intake;
pub mod kept;
mod list;
mod scheduler;
mod scope;
pub mod server_check;
pub(crate) mod webhook;
pub mod workloads;

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use self::channel::{ListEvent, Sender, channel};
use self::extensions::Extensions;
use self::list::Listing;
use crate::api::Env;
use crate::api::client::Reader;
use crate::api::config::{self, Connection};
use crate::api::failure::{self, Peer};
use crate::api::flags::ConnectionFlags;
use crate::api::inquiry;
use crate::api::runtime;
use crate::error::Error;
use engine::snapshot::autoscaler::ClusterAutoscaler;
use engine::snapshot::programs::Programs;
use engine::snapshot::scheduler::{ConfigMapName, Scheduler};
use engine::snapshot::{Header, Kind, Sink};

pub use controllers::{ControllerScope, NamedController};
pub use scope::{AlsoRead, ListProgress, PAGE, ReadScope};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LiveInfo {
    /// Name of the kubeconfig context, if one was used.
    pub context: Option<String>,
    /// Address of the API server.
    pub server: String,
    /// The namespace of the kubeconfig context.
    pub namespace: String,
    /// The server's warnings, deduplicated.
    pub warnings: Vec<String>,
}

/// Reads `scope` of the cluster selected by flags, kubeconfig and environment into `sink`. The
/// header is passed last.
///
/// # Errors
/// When the cluster cannot be reached, listing nodes or pods is denied, or responses cannot be
/// decoded.
pub fn capture(
    env: &Env,
    flags: &ConnectionFlags,
    scope: &ReadScope,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(ListProgress),
) -> Result<LiveInfo, Error> {
    capture_from(config::resolve(flags, env)?, flags, scope, sink, progress)
}

/// Reads `scope` of the cluster at `connection` as [`capture`] does.
fn capture_from(
    connection: Connection,
    flags: &ConnectionFlags,
    scope: &ReadScope,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(ListProgress),
) -> Result<LiveInfo, Error> {
    let mut info = LiveInfo {
        context: connection.context.clone(),
        server: connection.config.cluster_url.to_string(),
        namespace: connection.config.default_namespace.clone(),
        warnings: Vec::new(),
    };
    log::info!(
        "server {} (context {}), namespace {}, user {}",
        info.server,
        info.context.as_deref().unwrap_or("-"),
        info.namespace,
        connection.user.as_deref().unwrap_or("-")
    );
    info.warnings = read(connection, flags.request_timeout, scope, sink, progress)?;
    match info.warnings.as_slice() {
        [first, ..] if flags.warnings_as_errors == Some(true) => {
            Err(failure::warned(first, info.warnings.len()))
        }
        _ => Ok(info),
    }
}

/// Downloads on another thread and decodes on this one. Returns the server's warnings.
fn read(
    connection: Connection,
    timeout: Option<Duration>,
    scope: &ReadScope,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(ListProgress),
) -> Result<Vec<String>, Error> {
    let peer = Arc::new(Peer::of(&connection));
    let wanted = Kind::ALL.into_iter().filter(|kind| scope.has(*kind));
    let (senders, receivers): (Vec<_>, Vec<_>) = wanted
        .map(|kind| {
            let (sender, receiver) = channel();
            ((kind, sender), (kind, receiver))
        })
        .unzip();
    let chunk = Some(scope.chunk).filter(|chunk| *chunk > 0);
    let listing = Listing {
        chunk,
        finished_pods: scope.finished_pods,
        whole_objects: sink.wants_text(),
        event_selectors: None,
        in_part: scope.in_part.clone().map(|namespace| {
            let of_context = connection.config.default_namespace.clone();
            if namespace.is_empty() { of_context } else { namespace }
        }),
    };
    // Unless all Events are read, those of a few components are.
    let selected_events = scope.extensions && !scope.kinds.contains(&Kind::Event);
    let (sender, opening) = oneshot::channel();
    let (stop, stopped) = oneshot::channel();
    thread::scope(|threads| {
        let first = Opening {
            config_map: scope.config_map.as_ref(),
            extensions: scope.extensions,
            controllers: &scope.controllers,
            also: scope.also,
            namespace: connection.config.default_namespace.clone(),
            in_part: listing.in_part.clone(),
            selected_events,
            answer: sender,
        };
        let lists = (listing, senders);
        let download =
            threads.spawn(|| run(connection, (timeout, scope.deadline), lists, first, stopped));
        let received = receive(opening, receivers, sink, &peer, progress);
        // Stops the download after an error.
        drop(stop);
        let downloaded = download.join().unwrap_or_else(|_| Err(interrupted()));
        match received {
            // If the client could not be built, only the download thread knows the cause.
            Err(None) => Err(downloaded.err().unwrap_or_else(interrupted)),
            Err(Some(error)) => Err(error),
            Ok(header) => {
                sink.header(header);
                downloaded
            }
        }
    })
}

/// The results of the requests before the first list.
struct Opened {
    version: Option<String>,
    scheduler: Scheduler,
    autoscaler: Option<ClusterAutoscaler>,
    programs: Option<Programs>,
}

/// The requests before the first list.
struct Opening<'s> {
    config_map: Option<&'s ConfigMapName>,
    /// Whether extensions are read.
    extensions: bool,
    /// The controllers of pods that are read with them.
    controllers: &'s ControllerScope,
    also: AlsoRead,
    /// The namespace of the kubeconfig context.
    namespace: String,
    /// As in [`Listing`].
    in_part: Option<String>,
    /// Whether only Events of some components are read.
    selected_events: bool,
    answer: oneshot::Sender<Result<Opened, Error>>,
}

async fn open(reader: &Reader, opening: &Opening<'_>) -> Result<(Opened, Extensions), Error> {
    let version = inquiry::version(reader).await?;
    let scheduler = scheduler::find(reader, opening.config_map);
    if !opening.extensions {
        let (scheduler, _) = scheduler.await?;
        let opened = Opened { version, scheduler, autoscaler: None, programs: None };
        return Ok((opened, Extensions::default()));
    }
    let (scheduler, found) = futures::future::join(scheduler, Extensions::find(reader)).await;
    let ((scheduler, states), found) = (scheduler?, found?);
    let (autoscaler, leases) = (found.autoscaler.clone(), found.programs.clone());
    let mut programs = Programs { pods: states, ..leases };
    let namespaces = (opening.namespace.as_str(), opening.in_part.as_deref());
    controllers::read(reader, opening.controllers, found.groups(), namespaces, &mut programs)
        .await?;
    if opening.also.node_changes {
        controllers::read_node_changes(reader, &mut programs).await?;
    }
    if opening.also.access {
        controllers::read_access(reader, &mut programs).await?;
    }
    let programs = Some(programs);
    Ok((Opened { version, scheduler, autoscaler, programs }, found))
}

/// The download thread: runs until everything is read, or until `stopped` is dropped.
fn run(
    connection: Connection,
    (timeout, deadline): (Option<Duration>, Duration),
    (mut listing, mut channels): (Listing, Vec<(Kind, Sender)>),
    opening: Opening<'_>,
    stopped: oneshot::Receiver<()>,
) -> Result<Vec<String>, Error> {
    let runtime = runtime::start("start reading the cluster")?;
    let outcome = runtime.block_on(async {
        let reader = Reader::new(connection, timeout)?;
        let work = async {
            let (opened, extensions) = match open(&reader, &opening).await {
                Ok((opened, extensions)) => (Ok(opened), Some(extensions)),
                Err(error) => (Err(error), None),
            };
            let is_received = opening.answer.send(opened).is_ok();
            if let Some(extensions) = extensions.filter(|_| is_received) {
                // The channel of a kind that is not served closes without an object.
                channels.retain(|(kind, _)| extensions.may_serve(*kind));
                listing.event_selectors = opening
                    .selected_events
                    .then(|| extensions.event_selectors(opening.controllers));
                list::download(&reader, &listing, channels).await;
            }
        };
        tokio::select! {
            () = work => {}
            _ = stopped => {}
            () = tokio::time::sleep(deadline) => return Err(failure::too_slow(deadline, &reader.peer)),
        }
        Ok(reader.warnings())
    });
    // Does not wait for a DNS lookup in flight.
    runtime.shutdown_background();
    outcome
}

/// Passes everything to the sink, in order. The error is `None` if the download thread ended
/// without a result and so has the cause.
fn receive(
    opening: oneshot::Receiver<Result<Opened, Error>>,
    lists: Vec<(Kind, mpsc::UnboundedReceiver<ListEvent>)>,
    sink: &mut dyn Sink,
    peer: &Peer,
    progress: &mut dyn FnMut(ListProgress),
) -> Result<Header, Option<Error>> {
    let opened = opening.blocking_recv().map_err(|_| None)?.map_err(Some)?;
    let mut header = Header {
        server_version: opened.version,
        scheduler: Some(opened.scheduler),
        autoscaler: opened.autoscaler,
        programs: opened.programs,
        ..Header::default()
    };
    for (kind, parts) in lists {
        feed::drain(kind, parts, sink, &mut header, peer, progress).map_err(Some)?;
    }
    header.captured_at = Some(jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
    Ok(header)
}

fn interrupted() -> Error {
    Error::Cluster {
        problem: "reading the cluster broke off".to_owned(),
        hint: Some("try again".to_owned()),
    }
}
