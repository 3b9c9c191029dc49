//! `--watch`: one thread reads and decides, one listens for changes and signals, this one shows.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::pace::Pace;
use super::view::View;
use super::{Look, PendingArgs};
use crate::api::flags::ConnectionFlags;
use crate::apply::signals;
use crate::capture::live::changes::{self, Change};
use crate::cli::{GlobalFlags, target};
use crate::error::Error;
use crate::exit::Exit;
use render::pending::PendingRow;

/// How often the cluster is read that may not be watched, unless `--interval` says otherwise.
const INTERVAL: Duration = Duration::from_secs(5);
/// How long nothing has to happen for the screen to be drawn again, for the ages on it.
const TICK: Duration = Duration::from_secs(1);

/// What can happen.
pub(super) enum Event {
    /// The cluster was read; with the pods that wait no more.
    Read(Box<Result<(Look, Vec<PendingRow>), Error>>),
    /// The watch tells something.
    Change(Change),
    /// A signal.
    Stop(Exit),
}

/// Shows what waits until it is told to stop, or nobody reads on.
///
/// # Errors
/// When the cluster cannot be read the first time; later that is shown, and tried again.
pub(super) fn run(args: &PendingArgs, global: &GlobalFlags, connection: &ConnectionFlags) -> Result<Exit, Error> {
    let (events, inbox) = mpsc::channel();
    let (go, turns) = mpsc::channel();
    let reader = Reader { args: args.clone(), global: global.clone(), connection: connection.clone() };
    let (told, flags) = (events.clone(), connection.clone());
    thread::spawn(move || reader.run(&turns, &events));
    let mut pace = Pace::new(args.interval.unwrap_or(INTERVAL), Instant::now());
    let mut view = View::new(args, global);
    pace.begins(Instant::now());
    // The reader lives as long as `go`.
    let _ = go.send(());
    listen(flags, told)?;
    loop {
        if pace.next().is_some_and(|due| due <= Instant::now()) {
            pace.begins(Instant::now());
            let _ = go.send(());
        }
        let shown = match next(&inbox, pace.next()) {
            Some(Event::Stop(exit)) => return Ok(exit),
            Some(Event::Read(read)) => {
                pace.ends(Instant::now(), read.is_ok());
                match *read {
                    Ok((look, left)) => view.show(look, &left)?,
                    Err(error) if view.is_empty() => return Err(error),
                    Err(error) => view.trouble(&error.to_string()),
                }
            }
            Some(Event::Change(Change::Seen)) => {
                pace.changes();
                true
            }
            Some(Event::Change(Change::Forbidden(why))) => {
                pace.polls();
                view.remark(&format!("cannot be watched, read now and then instead: {why}"))
            }
            Some(Event::Change(Change::Lost(why))) => view.trouble(&why),
            None => view.tick(),
        };
        if !shown {
            return Ok(Exit::Answered);
        }
    }
}

/// The next event, if there is one before the next read is due.
fn next(inbox: &Receiver<Event>, due: Option<Instant>) -> Option<Event> {
    let left = due.map_or(TICK, |due| due.saturating_duration_since(Instant::now()).min(TICK));
    inbox.recv_timeout(left).ok()
}

/// Reads and decides, each time that it is its turn.
struct Reader {
    args: PendingArgs,
    global: GlobalFlags,
    connection: ConnectionFlags,
}

impl Reader {
    fn run(mut self, turns: &Receiver<()>, events: &Sender<Event>) {
        let mut before: Vec<PendingRow> = Vec::new();
        while turns.recv().is_ok() {
            let read = self.read(&before);
            if let Ok((look, _)) = &read {
                before.clone_from(&look.pending.rows);
                // What there is to say beside the answer was said once.
                self.global.quiet = true;
            }
            if events.send(Event::Read(Box::new(read))).is_err() {
                return;
            }
        }
    }

    fn read(&self, before: &[PendingRow]) -> Result<(Look, Vec<PendingRow>), Error> {
        let request = self.args.input.check()?;
        let question = request.read(&[], &self.global, &self.connection)?;
        let pods = target::pending(self.args.all_namespaces, &question, &question.cluster);
        let look = Look::at(&question, &pods)?;
        let gone = |row: &&PendingRow| !look.pending.rows.iter().any(|now| now.is_about(row));
        let left = before.iter().filter(gone).map(|row| row.left(&question.cluster)).collect();
        Ok((look, left))
    }
}

/// Listens for changes and signals, on a thread of its own.
fn listen(flags: ConnectionFlags, events: Sender<Event>) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Error::Cluster { problem: format!("cannot start watching the cluster: {e}"), hint: None })?;
    thread::spawn(move || {
        runtime.block_on(async {
            // Nobody listens once the other end is dropped; then the process is about to end.
            let watch = changes::follow(&flags, |change| events.send(Event::Change(change)).is_ok());
            let stop = async {
                let signal = signals::first().await;
                let _ = events.send(Event::Stop(signal.exit()));
            };
            tokio::join!(watch, stop);
        });
    });
    Ok(())
}
