//! `--watch`: one thread decides on what is kept of the cluster, one receives signals, and this one
//! shows the list.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::event::KeyEvent;

use super::args::PendingArgs;
use super::decider::QueueDecider;
use super::event::{DecideRequest, QueueEvent};
use super::listener::MetricsServer;
use super::schedule::{Schedule, Task};
use super::screen::state::{KeyAction, WantedAnswer};
use super::screen::{self, UserInput};
use super::view::{self, View};
use crate::api::flags::ConnectionFlags;
use crate::api::{Env, runtime};
use crate::apply::signals::{self, Signal};
use crate::capture::live::kept::KeptEvent;
use crate::cli::flags::GlobalFlags;
use crate::cli::output;
use crate::error::Error;
use crate::exit::Exit;
use answers::extent::Extent;
use answers::in_part::in_part;
use render::page::Drawn as _;

/// The default of `--interval`: how often a kind is listed that may not be watched.
const INTERVAL: Duration = Duration::from_secs(5);
/// How many times as long as it took to answer a question, the same is not asked again: the list comes
/// first where much changes.
const PAUSE: u32 = 4;
/// The longest wait for an event.
const TICK: Duration = Duration::from_secs(1);

/// Shows the waiting pods until a signal comes, a key ends it, or standard output is closed.
///
/// # Errors
/// When the cluster cannot be read the first time; later that is shown, and tried again.
pub(super) fn run(
    args: &PendingArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
) -> anyhow::Result<Exit> {
    let (events, inbox) = mpsc::channel();
    // Whoever reads where metrics are may end the program right away.
    wait_for_signals(events.clone())?;
    let metrics = match args.listen {
        Some(address) => {
            let (server, bound) = MetricsServer::start(address, &args.listen_host)?;
            output::say(global, &format!("metrics at http://{bound}/metrics"));
            Some(server)
        }
        None => None,
    };
    let (requests, wanted) = mpsc::channel();
    let keys = events.clone();
    let on_terminal = view::is_on_terminal(args);
    let env = if on_terminal { Env::process().covered_after_login() } else { Env::process() };
    let view = View::new(args, global, on_terminal, env.waits.clone());
    let decider = QueueDecider::new((args, global, connection), env, on_terminal, events);
    thread::spawn(move || decider.run(&wanted));
    let mut watch = Watch {
        schedule: Schedule::new(args.interval.unwrap_or(INTERVAL), Instant::now()),
        view,
        metrics,
        requests,
        keys: Some(keys),
        lost: None,
        asked: None,
        asked_at: Instant::now(),
        is_asking: false,
        ask_again: false,
        is_old: false,
        rests_until: Instant::now(),
    };
    watch.begin(Task::Decide);
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
        let due = [watch.schedule.next().map(|(_, due)| due), watch.view.next_draw()]
            .into_iter()
            .flatten()
            .min();
        if let Some(event) = next_event(&inbox, due)
            && let Some(exit) = watch.handle(event)?
        {
            return Ok(exit);
        }
    }
}

/// Shows what can be said without the nodes whenever it changes, to whoever may not read them, until
/// a signal comes.
pub(super) fn run_in_part(
    args: &PendingArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
) -> anyhow::Result<Exit> {
    let (events, inbox) = mpsc::channel();
    wait_for_signals(events)?;
    let mut shown = None;
    loop {
        let (mut options, request) = (args.input.check()?, args.request());
        options.in_part();
        options.with_missing_pods();
        let input = options.read(&[], global, connection)?;
        let Some(report) = in_part(&input, &[], request.all_namespaces)? else {
            return run(args, global, connection);
        };
        let text = report.page(Extent::Top).print(output::paper(global));
        if shown.as_ref() != Some(&text) {
            output::print(&text)?;
            shown = Some(text);
        }
        let pause = args.interval.unwrap_or(INTERVAL);
        if let Ok(QueueEvent::Stop(exit)) = inbox.recv_timeout(pause) {
            return Ok(exit);
        }
    }
}

/// The next event, if there is one before something is due.
fn next_event(inbox: &Receiver<QueueEvent>, due: Option<Instant>) -> Option<QueueEvent> {
    let left = due.map_or(TICK, |due| due.saturating_duration_since(Instant::now()).min(TICK));
    inbox.recv_timeout(left).ok()
}

/// The list and what it depends on.
struct Watch {
    schedule: Schedule,
    view: View,
    /// Where the list is served as metrics, with `--listen`.
    metrics: Option<MetricsServer>,
    requests: Sender<DecideRequest>,
    /// Where keys go to, until they are listened for.
    keys: Option<Sender<QueueEvent>>,
    /// Why the watches do not run, if they do not.
    lost: Option<String>,
    /// What was asked about a pod last, and when; whether the answer is still to come, and whether
    /// another one is wanted after it.
    asked: Option<WantedAnswer>,
    asked_at: Instant,
    is_asking: bool,
    ask_again: bool,
    /// Whether the cluster has changed since, and until when the same is not asked again.
    is_old: bool,
    rests_until: Instant,
}

impl Watch {
    fn begin(&mut self, task: Task) {
        self.schedule.begin(task, Instant::now());
        // The thread that decides runs as long as this sender exists.
        let _ = self.requests.send(DecideRequest::Do(task));
    }

    fn draw(&mut self) -> bool {
        let open = self.view.draw();
        self.after_drawing();
        open
    }

    /// What follows from a drawing.
    fn after_drawing(&mut self) {
        // Keys are read once the terminal is ours.
        if let Some(keys) = self.keys.take_if(|_| self.view.takes_keys()) {
            screen::listen(keys, QueueEvent::Input);
        }
        // Another pod may be selected now, and its answer have another width.
        let is_due = self.is_old && self.rests_until <= Instant::now();
        if is_due || self.view.wanted() != self.asked {
            self.ask();
        }
    }

    /// Acts on an event. Returns how the program ends, if it does.
    fn handle(&mut self, event: QueueEvent) -> anyhow::Result<Option<Exit>> {
        match event {
            QueueEvent::Stop(exit) => return Ok(Some(exit)),
            QueueEvent::Done(done) => {
                self.schedule.end(Instant::now(), done.is_ok());
                self.view.read_every(self.schedule.list_interval());
                match *done {
                    Ok((report, left)) => {
                        let open = self.view.show(report, &left)?;
                        self.view.trouble(self.lost.as_deref());
                        self.publish();
                        self.is_old = true;
                        return Ok((!open).then_some(Exit::Answered));
                    }
                    Err(error) if self.view.is_empty() => return Err(error.into()),
                    Err(error) => {
                        self.view.trouble(Some(&error.to_string()));
                        self.publish();
                    }
                }
            }
            QueueEvent::Answered(question, answer) => {
                self.is_asking = false;
                self.rests_until = Instant::now() + self.asked_at.elapsed() * PAUSE;
                self.view.answered(question, *answer);
                if std::mem::take(&mut self.ask_again) {
                    self.ask();
                }
            }
            QueueEvent::Suggested(text) => {
                self.view.suggested(text);
                self.is_old |= self.view.shows_changes();
            }
            QueueEvent::Read(read) => self.view.read(read),
            QueueEvent::Kept(KeptEvent::LoggedIn) => self.view.logged_in(),
            QueueEvent::Kept(KeptEvent::Changed) => self.schedule.changed(),
            QueueEvent::Kept(KeptEvent::NotWatched(kind, why)) => {
                self.schedule.list_at_interval();
                self.view.read_every(self.schedule.list_interval());
                self.view.not_watched(kind, &why);
            }
            QueueEvent::Kept(KeptEvent::Disconnected(why)) => {
                self.view.trouble(Some(&why));
                self.lost = Some(why);
                self.publish();
            }
            QueueEvent::Kept(KeptEvent::Connected) => {
                self.lost = None;
                self.view.trouble(None);
                self.publish();
            }
            QueueEvent::Input(UserInput::Key(key)) => return Ok(self.key(key)),
            QueueEvent::Input(UserInput::Resized) => {
                return Ok((!self.draw()).then_some(Exit::Answered));
            }
        }
        Ok(None)
    }

    /// Serves the list as it is shown now.
    fn publish(&self) {
        if let (Some(server), Some((metrics, connected))) = (&self.metrics, self.view.metrics()) {
            server.publish(&metrics, connected);
        }
    }

    /// Acts on a key. Returns how the program ends, if it does.
    fn key(&mut self, key: KeyEvent) -> Option<Exit> {
        let open = match self.view.key(key) {
            KeyAction::Nothing => true,
            KeyAction::Draw => self.draw(),
            KeyAction::Quit => return Some(Exit::Answered),
            KeyAction::Interrupt => return Some(Exit::Interrupted),
            KeyAction::Suspend => self.view.suspend(),
            KeyAction::Clear => self.view.clear(),
        };
        (!open).then_some(Exit::Answered)
    }

    /// Asks what the screen wants to show about a pod, one question at a time.
    fn ask(&mut self) {
        let Some(wanted) = self.view.wanted() else { return };
        if self.is_asking {
            self.ask_again = true;
            return;
        }
        (self.asked, self.asked_at, self.is_old) = (Some(wanted.clone()), Instant::now(), false);
        self.is_asking = self.requests.send(DecideRequest::Answer(wanted)).is_ok();
    }
}

/// Sends signals to `events`, from a thread of its own. From when it returns, none is missed.
fn wait_for_signals(events: Sender<QueueEvent>) -> Result<(), Error> {
    let runtime = runtime::start("wait for signals")?;
    let (ready, begun) = mpsc::channel();
    let take = move |signal: Signal| {
        let _ = events.send(QueueEvent::Stop(signal.exit()));
    };
    thread::spawn(move || runtime.block_on(signals::each(ready, take)));
    let _ = begun.recv();
    Ok(())
}
