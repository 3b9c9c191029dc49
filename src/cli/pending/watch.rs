//! `--watch`: one thread reads and decides, one receives changes and signals, and this one shows the list.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::args::PendingArgs;
use super::refresh_interval::RefreshInterval;
use super::report::PendingReport;
use super::view::View;
use crate::api::flags::ConnectionFlags;
use crate::apply::signals;
use crate::capture::live::watch::{self, WatchEvent};
use crate::cli::flags::GlobalFlags;
use crate::cli::target;
use crate::error::Error;
use crate::exit::Exit;
use render::pending::PendingRow;

/// The default of `--interval`: how often a cluster is read that may not be watched.
const INTERVAL: Duration = Duration::from_secs(5);
/// How often the screen is drawn again without an event, because it shows ages.
const TICK: Duration = Duration::from_secs(1);

/// What the loop reacts to.
enum Event {
    /// The cluster was read: the waiting pods, and the rows of those that no longer wait.
    Read(Box<Result<(PendingReport, Vec<PendingRow>), Error>>),
    /// From the watch of pods and nodes.
    Watch(WatchEvent),
    /// A signal asks the program to stop.
    Stop(Exit),
}

/// Shows the waiting pods until a signal comes or standard output is closed.
///
/// # Errors
/// When the cluster cannot be read the first time; later that is shown, and tried again.
pub(super) fn run(args: &PendingArgs, global: &GlobalFlags, connection: &ConnectionFlags) -> anyhow::Result<Exit> {
    let (events, inbox) = mpsc::channel();
    let (read_requests, requests) = mpsc::channel();
    let reader = PendingReader { args: args.clone(), global: global.clone(), connection: connection.clone() };
    let (watch_events, flags) = (events.clone(), connection.clone());
    thread::spawn(move || reader.run(&requests, &events));
    let mut refresh = RefreshInterval::new(args.interval.unwrap_or(INTERVAL), Instant::now());
    let mut view = View::new(args, global);
    let request_read = |refresh: &mut RefreshInterval| {
        refresh.read_began(Instant::now());
        // The reader runs as long as this sender exists.
        let _ = read_requests.send(());
    };
    request_read(&mut refresh);
    watch_cluster_and_signals(flags, watch_events)?;
    loop {
        if refresh.next_read().is_some_and(|due| due <= Instant::now()) {
            request_read(&mut refresh);
        }
        let is_open = match next(&inbox, refresh.next_read()) {
            Some(Event::Stop(exit)) => return Ok(exit),
            Some(Event::Read(read)) => {
                refresh.read_ended(Instant::now(), read.is_ok());
                match *read {
                    Ok((report, left)) => view.show(report, &left)?,
                    Err(error) if view.is_empty() => return Err(error.into()),
                    Err(error) => view.trouble(&error.to_string()),
                }
            }
            Some(Event::Watch(WatchEvent::Changed)) => {
                refresh.changed();
                true
            }
            Some(Event::Watch(WatchEvent::Forbidden(why))) => {
                refresh.poll();
                view.remark(&format!("cannot be watched, read now and then instead: {why}"))
            }
            // Until the first read has ended, its own error is the one to report.
            Some(Event::Watch(WatchEvent::Disconnected(_))) if view.is_empty() => true,
            Some(Event::Watch(WatchEvent::Disconnected(why))) => view.trouble(&why),
            None => view.tick(),
        };
        if !is_open {
            return Ok(Exit::Answered);
        }
    }
}

/// The next event, if there is one before the next read is due.
fn next(inbox: &Receiver<Event>, due: Option<Instant>) -> Option<Event> {
    let left = due.map_or(TICK, |due| due.saturating_duration_since(Instant::now()).min(TICK));
    inbox.recv_timeout(left).ok()
}

/// Reads and decides, once for each request.
struct PendingReader {
    args: PendingArgs,
    global: GlobalFlags,
    connection: ConnectionFlags,
}

impl PendingReader {
    fn run(mut self, requests: &Receiver<()>, events: &Sender<Event>) {
        let mut before: Vec<PendingRow> = Vec::new();
        while requests.recv().is_ok() {
            let read = self.read(&before);
            if let Ok((report, _)) = &read {
                before.clone_from(&report.pending.rows);
                // Messages beside the list are shown for the first read only.
                self.global.quiet = true;
            }
            if events.send(Event::Read(Box::new(read))).is_err() {
                return;
            }
        }
    }

    fn read(&self, before: &[PendingRow]) -> Result<(PendingReport, Vec<PendingRow>), Error> {
        let input = self.args.input.check()?.read(&[], &self.global, &self.connection)?;
        let pods = target::waiting(input.pod_filter(self.args.all_namespaces), &input.cluster);
        let report = PendingReport::new(&input, &pods, self.args.sequence())?;
        let gone = |row: &&PendingRow| !report.pending.rows.iter().any(|now| now.is_about(row));
        let left = before.iter().filter(gone).map(|row| row.left(&input.cluster)).collect();
        Ok((report, left))
    }
}

/// Sends changes and signals to `events`, from a thread of its own.
fn watch_cluster_and_signals(flags: ConnectionFlags, events: Sender<Event>) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Error::Cluster { problem: format!("cannot start watching the cluster: {e}"), hint: None })?;
    thread::spawn(move || {
        runtime.block_on(async {
            // Sending fails once the receiver is dropped; then the process is about to end.
            let watch = watch::pods_and_nodes(&flags, |event| events.send(Event::Watch(event)).is_ok());
            let stop = async {
                let signal = signals::first().await;
                let _ = events.send(Event::Stop(signal.exit()));
            };
            tokio::join!(watch, stop);
        });
    });
    Ok(())
}
