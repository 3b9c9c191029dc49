//! `--watch`: one thread reads and decides, one receives changes and signals, and this one shows the list.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::args::PendingArgs;
use ratatui::crossterm::event::KeyEvent;

use super::refresh_interval::RefreshInterval;
use super::report::PendingReport;
use super::screen::state::Action;
use super::screen::{self, Input};
use super::view::View;
use crate::api::flags::ConnectionFlags;
use crate::apply::signals;
use crate::capture::live::watch::{self, WatchEvent};
use crate::cli::flags::GlobalFlags;
use crate::cli::input::LoadedInput;
use crate::cli::{explain, target};
use crate::error::Error;
use crate::exit::Exit;
use engine::simulation::plan::PodId;
use render::pending::PendingRow;

/// The default of `--interval`: how often a cluster is read that may not be watched.
const INTERVAL: Duration = Duration::from_secs(5);
/// The longest wait for an event.
const TICK: Duration = Duration::from_secs(1);

/// What the loop reacts to.
enum Event {
    /// The cluster was read: the waiting pods, and the rows of those that no longer wait.
    Read(Box<Result<(PendingReport, Vec<PendingRow>), Error>>),
    /// The decision about a pod, as a page.
    Explained(PodId, String),
    /// From the watch of pods and nodes.
    Watch(WatchEvent),
    /// From the terminal.
    Input(Input),
    /// A signal asks the program to stop.
    Stop(Exit),
}

/// What the reader is asked for.
enum Request {
    /// To read the cluster and decide about the waiting pods.
    Read,
    /// To explain the decision about one of them.
    Explain(PodId),
}

/// Shows the waiting pods until a signal comes, a key ends it, or standard output is closed.
///
/// # Errors
/// When the cluster cannot be read the first time; later that is shown, and tried again.
pub(super) fn run(args: &PendingArgs, global: &GlobalFlags, connection: &ConnectionFlags) -> anyhow::Result<Exit> {
    let (events, inbox) = mpsc::channel();
    let (requests, wanted) = mpsc::channel();
    let reader =
        PendingReader { args: args.clone(), global: global.clone(), connection: connection.clone(), last: None };
    let (watch_events, keys, flags) = (events.clone(), events.clone(), connection.clone());
    thread::spawn(move || reader.run(&wanted, &events));
    let mut watch = Watch {
        refresh: RefreshInterval::new(args.interval.unwrap_or(INTERVAL), Instant::now()),
        view: View::new(args, global),
        requests,
        keys: Some(keys),
    };
    watch.request_read();
    watch_cluster_and_signals(flags, watch_events)?;
    loop {
        if watch.refresh.next_read().is_some_and(|due| due <= Instant::now()) {
            watch.request_read();
        }
        if watch.view.next_draw().is_some_and(|due| due <= Instant::now()) && !watch.draw() {
            return Ok(Exit::Answered);
        }
        let due = [watch.refresh.next_read(), watch.view.next_draw()].into_iter().flatten().min();
        if let Some(event) = next(&inbox, due)
            && let Some(exit) = watch.handle(event)?
        {
            return Ok(exit);
        }
    }
}

/// The next event, if there is one before something is due.
fn next(inbox: &Receiver<Event>, due: Option<Instant>) -> Option<Event> {
    let left = due.map_or(TICK, |due| due.saturating_duration_since(Instant::now()).min(TICK));
    inbox.recv_timeout(left).ok()
}

/// The list and what it depends on.
struct Watch {
    refresh: RefreshInterval,
    view: View,
    requests: Sender<Request>,
    /// Where keys go to, until they are listened for.
    keys: Option<Sender<Event>>,
}

impl Watch {
    fn request_read(&mut self) {
        self.refresh.read_began(Instant::now());
        // The reader runs as long as this sender exists.
        let _ = self.requests.send(Request::Read);
    }

    fn draw(&mut self) -> bool {
        let open = self.view.draw();
        // Keys are read once the terminal is ours.
        if let Some(keys) = self.keys.take_if(|_| self.view.takes_keys()) {
            screen::listen(keys, Event::Input);
        }
        open
    }

    /// Acts on an event. Returns how the program ends, if it does.
    fn handle(&mut self, event: Event) -> anyhow::Result<Option<Exit>> {
        match event {
            Event::Stop(exit) => return Ok(Some(exit)),
            Event::Read(read) => {
                self.refresh.read_ended(Instant::now(), read.is_ok());
                match *read {
                    Ok((report, left)) => {
                        return Ok((!self.view.show(report, &left)?).then_some(Exit::Answered));
                    }
                    Err(error) if self.view.is_empty() => return Err(error.into()),
                    Err(error) => self.view.trouble(&error.to_string()),
                }
            }
            Event::Explained(pod, text) => self.view.explained(&pod, text),
            Event::Watch(WatchEvent::Changed) => self.refresh.changed(),
            Event::Watch(WatchEvent::Forbidden(why)) => {
                self.refresh.poll();
                self.view.remark(&format!("cannot be watched, read now and then instead: {why}"));
            }
            // Until the first read has ended, its own error is the one to report.
            Event::Watch(WatchEvent::Disconnected(_)) if self.view.is_empty() => {}
            Event::Watch(WatchEvent::Disconnected(why)) => self.view.trouble(&why),
            Event::Input(Input::Key(key)) => return Ok(self.key(key)),
            Event::Input(Input::Resized) => return Ok((!self.view.draw()).then_some(Exit::Answered)),
        }
        Ok(None)
    }

    /// Acts on a key. Returns how the program ends, if it does.
    fn key(&mut self, key: KeyEvent) -> Option<Exit> {
        let open = match self.view.key(key) {
            Action::Nothing => true,
            Action::Draw => self.view.draw(),
            Action::Quit => return Some(Exit::Answered),
            Action::Interrupt => return Some(Exit::Interrupted),
            Action::Suspend => self.view.suspend(),
            Action::Explain(pod) => {
                let _ = self.requests.send(Request::Explain(pod));
                self.view.draw()
            }
        };
        (!open).then_some(Exit::Answered)
    }
}

/// Reads and decides, once for each request.
struct PendingReader {
    args: PendingArgs,
    global: GlobalFlags,
    connection: ConnectionFlags,
    /// What was read last, for explanations.
    last: Option<LoadedInput>,
}

impl PendingReader {
    fn run(mut self, requests: &Receiver<Request>, events: &Sender<Event>) {
        let mut before: Vec<PendingRow> = Vec::new();
        while let Ok(request) = requests.recv() {
            if let Request::Explain(pod) = request {
                let text = self.explain(&pod);
                if events.send(Event::Explained(pod, text)).is_err() {
                    return;
                }
                continue;
            }
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

    /// The page about a pod, on the cluster that the list shows.
    fn explain(&self, pod: &PodId) -> String {
        let gone = || format!("Pod {}/{} does not wait for a node any more.", pod.namespace, pod.name);
        let Some(input) = &self.last else { return gone() };
        let Some(ix) = input.cluster.find_uid(&pod.namespace, &pod.name, &pod.uid) else { return gone() };
        explain::page_without_remedies(input, ix, &self.global)
            .map_or_else(|error| error.to_string(), |page| page.to_string())
    }

    fn read(&mut self, before: &[PendingRow]) -> Result<(PendingReport, Vec<PendingRow>), Error> {
        let input = self.args.input.check()?.read(&[], &self.global, &self.connection)?;
        let pods = target::waiting(input.pod_filter(self.args.all_namespaces), &input.cluster);
        let report = PendingReport::new(&input, &pods, self.args.sequence())?;
        let gone = |row: &&PendingRow| !report.pending.rows.iter().any(|now| now.is_about(row));
        let left = before.iter().filter(gone).map(|row| row.left(&input.cluster)).collect();
        self.last = Some(input);
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
