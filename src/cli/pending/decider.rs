//! Decides for `--watch` on what is kept of the cluster, in a thread of its own.

use std::sync::mpsc::{Receiver, Sender};

use super::args::PendingArgs;
use super::event::{DecideRequest, QueueEvent};
use super::schedule::Task;
use crate::api::Env;
use crate::api::flags::ConnectionFlags;
use crate::capture::live::ListProgress;
use crate::cli::flags::GlobalFlags;
use crate::cli::input::{InputOfCommand as _, KeptInput, LoadedInput};
use crate::cli::output;
use crate::cli::progress::{self, ObjectTally};
use crate::error::Error;
use answers::questions::explain::{ExplainRequest, explain_group, explain_pod};
use answers::questions::pending::earlier::{EarlierList, KnownRows};
use answers::questions::pending::{PendingReport, PendingRow, pending_since};
use answers::target;
use engine::cluster::Cluster;
use engine::simulation::plan::PodId;
use render::page::Page;
use render::safe::Printable;
use render::{pod_group, screen};

/// Decides on what is kept, once for each request.
pub(super) struct QueueDecider {
    env: Env,
    /// Whether the list is shown on a screen.
    on_terminal: bool,
    args: PendingArgs,
    global: GlobalFlags,
    connection: ConnectionFlags,
    events: Sender<QueueEvent>,
    /// What is kept of the cluster, after the first task.
    kept: Option<KeptInput>,
    /// What was decided on last, for explanations.
    last: Option<LoadedInput>,
    /// The rows that were decided on it; none after a read or a decision that failed.
    known: KnownRows,
}

impl QueueDecider {
    /// Sends to `events`, also what is read for the first time if the list is shown on a screen
    /// (`on_terminal`).
    pub(super) fn new(
        (args, global, connection): (&PendingArgs, &GlobalFlags, &ConnectionFlags),
        env: Env,
        on_terminal: bool,
        events: Sender<QueueEvent>,
    ) -> Self {
        let (args, global, connection) = (args.clone(), global.clone(), connection.clone());
        Self {
            env,
            on_terminal,
            args,
            global,
            connection,
            events,
            kept: None,
            last: None,
            known: KnownRows::default(),
        }
    }

    /// Does what `requests` ask for, as long as there may be more.
    pub(super) fn run(mut self, requests: &Receiver<DecideRequest>) {
        let mut before: Vec<PendingRow> = Vec::new();
        while let Ok(request) = requests.recv() {
            let event = match request {
                DecideRequest::Explain(pod) => {
                    let waits = before.iter().any(|row| is_about(row, &pod));
                    let text = if waits { self.explain(&pod) } else { self.gone(&pod) };
                    QueueEvent::Explained(pod, text)
                }
                DecideRequest::Do(task) => {
                    let done = self.decide(task, &before);
                    if let Ok((report, _)) = &done {
                        before.clone_from(&report.pending.rows);
                        // Messages beside the list are shown for the first read only.
                        self.global.quiet = true;
                    }
                    QueueEvent::Done(Box::new(done))
                }
            };
            if self.events.send(event).is_err() {
                return;
            }
        }
    }

    /// The page about a pod or a group, on the cluster that the list shows.
    fn explain(&self, pod: &PodId) -> Printable {
        let Some(input) = &self.last else { return self.gone(pod) };
        match explanation(pod, input) {
            Ok(Some(page)) => page.print(output::paper(&self.global)),
            Ok(None) => self.gone(pod),
            Err(error) => self.message(error.to_string()),
        }
    }

    /// What is said of a pod that has left the list.
    fn gone(&self, pod: &PodId) -> Printable {
        let cluster = self.last.as_ref().map(|input| &input.cluster);
        let node = cluster.and_then(|cluster| {
            let known = cluster.find_uid(&pod.namespace, &pod.name, &pod.uid)?;
            Some(cluster.text(cluster.pod(known).node_name)).filter(|node| !node.is_empty())
        });
        let place = node.map(|node| format!(": it is on node {node}")).unwrap_or_default();
        self.message(format!(
            "{}/{} does not wait for a node any more{place}.",
            pod.namespace, pod.name
        ))
    }

    /// A page of one sentence.
    fn message(&self, text: String) -> Printable {
        let mut page = Page::default();
        page.line(0, vec![text.into()]);
        page.print(output::paper(&self.global))
    }

    fn decide(
        &mut self,
        task: Task,
        before: &[PendingRow],
    ) -> Result<(PendingReport, Vec<PendingRow>), Error> {
        let mut options = self.args.input.check()?;
        options.with_missing_pods();
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
                let notify = move |event| drop(events.send(QueueEvent::Kept(event)));
                let progress = progress(self.on_terminal, self.global.quiet, self.events.clone());
                let kept = options.keep(
                    &self.env,
                    &[],
                    &self.global,
                    &self.connection,
                    progress,
                    Box::new(notify),
                )?;
                none.insert(kept)
            }
        };
        // If this fails, the changes since the last list are read and not decided on.
        let known = std::mem::take(&mut self.known);
        let (input, changes) = options.read_kept_again(kept)?;
        let request = self.args.request();
        let pods = target::waiting(input.pod_filter(request.all_namespaces), &input.cluster);
        let earlier = self.last.as_ref().map(|last| EarlierList {
            input: last,
            rows: &known,
            changes: &changes,
        });
        let (report, known) = {
            let callers = input.callers()?;
            let views = input.views(callers.as_deref());
            pending_since(earlier, &input, &views, &pods, request, &mut || true)
        };
        let gone = |row: &&PendingRow| !report.pending.rows.iter().any(|now| now.is_about(row));
        let left = before.iter().filter(gone).map(|row| row.left(&input.cluster)).collect();
        self.known = known;
        self.last = Some(input);
        Ok((report, left))
    }
}

/// The page about a pod or a group of `input`; `None` if there is no such thing.
fn explanation(pod: &PodId, input: &LoadedInput) -> Result<Option<Page>, Error> {
    let callers = input.callers()?;
    let views = input.views(callers.as_deref());
    let (cluster, origin) = (&input.cluster, input.origin());
    if let Some(ix) = cluster.find_uid(&pod.namespace, &pod.name, &pod.uid) {
        let report = explain_pod(input, &views, ix, &ExplainRequest::default());
        return Ok(Some(screen::page(report.as_slice(), &origin, false, output::lines())));
    }
    if !is_group(pod, cluster) {
        return Ok(None);
    }
    let group = explain_group(input, &views, &pod.namespace, &pod.name);
    Ok(group.map(|group| pod_group::page(&[group], &[], &origin, false)))
}

/// Shows how much is read: on the screen, or in a line of standard error.
fn progress(
    on_terminal: bool,
    quiet: bool,
    events: Sender<QueueEvent>,
) -> Box<dyn FnMut(ListProgress)> {
    if !on_terminal {
        return Box::new(progress::shown(quiet));
    }
    let mut tally = ObjectTally::new();
    Box::new(move |read| {
        if let Some(read) = tally.saw(read) {
            // As above.
            let _ = events.send(QueueEvent::Read(read));
        }
    })
}

fn is_about(row: &PendingRow, pod: &PodId) -> bool {
    (&row.namespace, &row.name, &row.uid) == (&pod.namespace, &pod.name, &pod.uid)
}

/// Whether the row of that name and UID is that of a group. One that does not exist has no UID.
fn is_group(row: &PodId, cluster: &Cluster) -> bool {
    let known = cluster
        .find_pod_group(&row.namespace, &row.name)
        .map(|group| &cluster.pod_group(group).uid);
    known.map_or("", |uid| uid) == row.uid
}
