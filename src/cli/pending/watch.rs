//! `--watch`: one thread decides on what is kept of the cluster, one receives signals, and this one shows the list.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::args::PendingArgs;
use ratatui::crossterm::event::KeyEvent;

use super::report::PendingReport;
use super::schedule::{Schedule, Task};
use super::screen::state::Action;
use super::screen::{self, Input};
use super::view::View;
use crate::api::flags::ConnectionFlags;
use crate::api::runtime;
use crate::apply::signals;
use crate::capture::live::kept::KeptEvent;
use crate::cli::flags::GlobalFlags;
use crate::cli::input::{KeptInput, LoadedInput};
use crate::cli::{explain, target};
use crate::error::Error;
use crate::exit::Exit;
use engine::cluster::Cluster;
use engine::simulation::plan::PodId;
use render::pending::PendingRow;
use render::safe::Safe;

/// The default of `--interval`: how often a kind is listed that may not be watched.
const INTERVAL: Duration = Duration::from_secs(5);
/// The longest wait for an event.
const TICK: Duration = Duration::from_secs(1);

/// What the loop reacts to.
enum Event {
    /// A task has ended: the waiting pods, and the rows of those that no longer wait.
    Done(Box<Result<(PendingReport, Vec<PendingRow>), Error>>),
    /// The decision about a pod, as a page.
    Explained(PodId, String),
    /// From what is kept of the cluster.
    Kept(KeptEvent),
    /// From the terminal.
    Input(Input),
    /// A signal asks the program to stop.
    Stop(Exit),
}

/// What the thread that decides is asked for.
enum Request {
    /// To do a task.
    Do(Task),
    /// To explain the decision about one of the pods.
    Explain(PodId),
}

/// Shows the waiting pods until a signal comes, a key ends it, or standard output is closed.
///
/// # Errors
/// When the cluster cannot be read the first time; later that is shown, and tried again.
pub(super) fn run(args: &PendingArgs, global: &GlobalFlags, connection: &ConnectionFlags) -> anyhow::Result<Exit> {
    let (events, inbox) = mpsc::channel();
    let (requests, wanted) = mpsc::channel();
    let (keys, signals) = (events.clone(), events.clone());
    let decider = Decider {
        args: args.clone(),
        global: global.clone(),
        connection: connection.clone(),
        events,
        kept: None,
        last: None,
    };
    thread::spawn(move || decider.run(&wanted));
    let mut watch = Watch {
        schedule: Schedule::new(args.interval.unwrap_or(INTERVAL), Instant::now()),
        view: View::new(args, global),
        requests,
        keys: Some(keys),
        lost: None,
        explaining: false,
        explain_again: false,
    };
    watch.begin(Task::Decide);
    wait_for_signals(signals)?;
    loop {
        let next = watch.schedule.next();
        if let Some((task, due)) = next
            && due <= Instant::now()
        {
            watch.begin(task);
        }
        if watch.view.next_draw().is_some_and(|due| due <= Instant::now()) && !watch.draw() {
            return Ok(Exit::Answered);
        }
        let due = [watch.schedule.next().map(|(_, due)| due), watch.view.next_draw()].into_iter().flatten().min();
        if let Some(event) = next_event(&inbox, due)
            && let Some(exit) = watch.handle(event)?
        {
            return Ok(exit);
        }
    }
}

/// The next event, if there is one before something is due.
fn next_event(inbox: &Receiver<Event>, due: Option<Instant>) -> Option<Event> {
    let left = due.map_or(TICK, |due| due.saturating_duration_since(Instant::now()).min(TICK));
    inbox.recv_timeout(left).ok()
}

/// The list and what it depends on.
struct Watch {
    schedule: Schedule,
    view: View,
    requests: Sender<Request>,
    /// Where keys go to, until they are listened for.
    keys: Option<Sender<Event>>,
    /// Why the watches do not run, if they do not.
    lost: Option<String>,
    /// Whether a decision is being explained, and whether one is wanted after it.
    explaining: bool,
    explain_again: bool,
}

impl Watch {
    fn begin(&mut self, task: Task) {
        self.schedule.begin(task, Instant::now());
        // The thread that decides runs as long as this sender exists.
        let _ = self.requests.send(Request::Do(task));
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
            Event::Done(done) => {
                self.schedule.end(Instant::now(), done.is_ok());
                self.view.read_every(self.schedule.list_interval());
                match *done {
                    Ok((report, left)) => {
                        let open = self.view.show(report, &left)?;
                        self.view.trouble(self.lost.as_deref());
                        self.explain();
                        return Ok((!open).then_some(Exit::Answered));
                    }
                    Err(error) if self.view.is_empty() => return Err(error.into()),
                    Err(error) => self.view.trouble(Some(&error.to_string())),
                }
            }
            Event::Explained(pod, text) => {
                self.explaining = false;
                self.view.explained(&pod, text);
                if std::mem::take(&mut self.explain_again) {
                    self.explain();
                }
            }
            Event::Kept(KeptEvent::Changed) => self.schedule.changed(),
            Event::Kept(KeptEvent::NotWatched(kind, why)) => {
                self.schedule.list_at_interval();
                self.view.read_every(self.schedule.list_interval());
                self.view.not_watched(kind, &why);
            }
            Event::Kept(KeptEvent::Disconnected(why)) => {
                self.view.trouble(Some(&why));
                self.lost = Some(why);
            }
            Event::Kept(KeptEvent::Connected) => {
                self.lost = None;
                self.view.trouble(None);
            }
            Event::Input(Input::Key(key)) => return Ok(self.key(key)),
            Event::Input(Input::Resized) => {
                self.explain();
                return Ok((!self.view.draw()).then_some(Exit::Answered));
            }
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
            Action::Clear => self.view.clear(),
            Action::Explain(_) => {
                self.explain();
                self.view.draw()
            }
        };
        (!open).then_some(Exit::Answered)
    }

    /// Asks for the decision about the pod that the screen explains, if it does: again when the cluster or the width has changed,
    /// but for one at a time.
    fn explain(&mut self) {
        let Some(pod) = self.view.explains() else { return };
        if self.explaining {
            self.explain_again = true;
            return;
        }
        self.explaining = self.requests.send(Request::Explain(pod.clone())).is_ok();
    }
}

/// Decides on what is kept, once for each request.
struct Decider {
    args: PendingArgs,
    global: GlobalFlags,
    connection: ConnectionFlags,
    events: Sender<Event>,
    /// What is kept of the cluster, after the first task.
    kept: Option<KeptInput>,
    /// What was decided on last, for explanations.
    last: Option<LoadedInput>,
}

impl Decider {
    fn run(mut self, requests: &Receiver<Request>) {
        let mut before: Vec<PendingRow> = Vec::new();
        while let Ok(request) = requests.recv() {
            let event = match request {
                Request::Explain(pod) => {
                    let waits = before.iter().any(|row| is_about(row, &pod));
                    let text = if waits { self.explain(&pod) } else { self.gone(&pod) };
                    Event::Explained(pod, text)
                }
                Request::Do(task) => {
                    let done = self.decide(task, &before);
                    if let Ok((report, _)) = &done {
                        before.clone_from(&report.pending.rows);
                        // Messages beside the list are shown for the first read only.
                        self.global.quiet = true;
                    }
                    Event::Done(Box::new(done))
                }
            };
            if self.events.send(event).is_err() {
                return;
            }
        }
    }

    /// The page about a pod or a group, on the cluster that the list shows.
    fn explain(&self, pod: &PodId) -> String {
        let Some(input) = &self.last else { return self.gone(pod) };
        let page = match input.cluster.find_uid(&pod.namespace, &pod.name, &pod.uid) {
            Some(ix) => explain::page_without_remedies(input, ix, &self.global).map(Some),
            None if is_group(pod, &input.cluster) => {
                explain::page_of_group(input, (&pod.namespace, &pod.name), &self.global)
            }
            None => Ok(None),
        };
        page.map_or_else(|error| error.to_string(), |page| page.map_or_else(|| self.gone(pod), |page| page.to_string()))
    }

    /// What is said of a pod that has left the list.
    fn gone(&self, pod: &PodId) -> String {
        let cluster = self.last.as_ref().map(|input| &input.cluster);
        let node = cluster.and_then(|cluster| {
            let known = cluster.find_uid(&pod.namespace, &pod.name, &pod.uid)?;
            Some(cluster.text(cluster.pod(known).node_name)).filter(|node| !node.is_empty())
        });
        let place = node.map(|node| format!(": it is on node {node}")).unwrap_or_default();
        let text = format!("{}/{} does not wait for a node any more{place}.", pod.namespace, pod.name);
        Safe::from(text).as_str().to_owned()
    }

    fn decide(&mut self, task: Task, before: &[PendingRow]) -> Result<(PendingReport, Vec<PendingRow>), Error> {
        let options = self.args.input.check()?;
        let kept = match &mut self.kept {
            Some(kept) => {
                if task == Task::List {
                    kept.cluster.list_unwatched()?;
                }
                kept
            }
            none => {
                let events = self.events.clone();
                // Sending fails once the receiver is dropped; then the process is about to end.
                let notify = move |event| drop(events.send(Event::Kept(event)));
                none.insert(options.keep(&[], &self.global, &self.connection, Box::new(notify))?)
            }
        };
        let input = options.read_kept(kept)?;
        let pods = target::waiting(input.pod_filter(self.args.all_namespaces), &input.cluster);
        let report = PendingReport::new(&input, &pods, &self.args)?;
        let gone = |row: &&PendingRow| !report.pending.rows.iter().any(|now| now.is_about(row));
        let left = before.iter().filter(gone).map(|row| row.left(&input.cluster)).collect();
        self.last = Some(input);
        Ok((report, left))
    }
}

fn is_about(row: &PendingRow, pod: &PodId) -> bool {
    (&row.namespace, &row.name, &row.uid) == (&pod.namespace, &pod.name, &pod.uid)
}

/// Whether the row of that name and UID is that of a group. One that does not exist has no UID.
fn is_group(row: &PodId, cluster: &Cluster) -> bool {
    let known = cluster.find_pod_group(&row.namespace, &row.name).map(|group| &cluster.pod_group(group).uid);
    known.map_or("", |uid| uid) == row.uid
}

/// Sends a signal to `events`, from a thread of its own.
fn wait_for_signals(events: Sender<Event>) -> Result<(), Error> {
    let runtime = runtime::start("wait for signals")?;
    thread::spawn(move || {
        runtime.block_on(async {
            let signal = signals::first().await;
            let _ = events.send(Event::Stop(signal.exit()));
        });
    });
    Ok(())
}
