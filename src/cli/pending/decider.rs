//! Decides for `--watch` on what is kept of the cluster, in a thread of its own.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use super::args::PendingArgs;
use super::changes::QueueChanges;
use super::event::{DecideRequest, QueueEvent};
use super::schedule::Task;
use super::screen::state::{AnswerSpace, DrawnPodAnswer, PodQuestion, QuestionKind, WantedAnswer};
use crate::api::Env;
use crate::api::flags::ConnectionFlags;
use crate::capture::live::ListProgress;
use crate::cli::flags::GlobalFlags;
use crate::cli::input::{InputOfCommand as _, KeptInput, LoadedInput};
use crate::cli::progress::{self, ObjectTally};
use crate::error::Error;
use answers::extent::Extent;
use answers::questions::explain::{ExplainRequest, explain_group, explain_pod};
use answers::questions::headroom::{HeadroomRequest, ModelPod, headroom};
use answers::questions::node::NodeRequest;
use answers::questions::pending::earlier::{Changes, EarlierList, KnownRows};
use answers::questions::pending::{PendingReport, PendingRow, pending_since};
use answers::target::{self, Target};
use answers::timeline::Timeline;
use engine::cluster::Cluster;
use engine::simulation::plan::PodId;
use render::page::{Drawn, Page};
use render::pod_group;
use render::screen::{AnswerDrawer, Answers, BarsWanted};

/// How long the Events about a pod are used.
const EVENTS_AGAIN: Duration = Duration::from_secs(10);

/// The Events about a pod that were read last.
struct EventsOfPod {
    uid: String,
    at: Instant,
    /// Them, or why they cannot be read.
    events: Result<Arc<Cluster>, String>,
}

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
    last: Option<Arc<LoadedInput>>,
    /// The rows that were decided on it; none after a read or a decision that failed.
    known: KnownRows,
    events_of_pod: Option<EventsOfPod>,
    /// What would help the pods of the list together.
    helps: QueueChanges,
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
            events_of_pod: None,
            helps: QueueChanges::default(),
        }
    }

    /// Does what `requests` ask for, as long as there may be more.
    pub(super) fn run(mut self, requests: &Receiver<DecideRequest>) {
        let mut before: Vec<PendingRow> = Vec::new();
        while let Ok(request) = requests.recv() {
            let event = match request {
                DecideRequest::Answer(WantedAnswer { question, space }) => {
                    let waits = before.iter().any(|row| is_about(row, &question.pod));
                    let answer = self.answer(&question, space, waits);
                    QueueEvent::Answered(question, Box::new(answer))
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

    /// The answer to a question about a pod or a group that `waits`, on the cluster that the list shows.
    fn answer(
        &mut self,
        question: &PodQuestion,
        space: AnswerSpace,
        waits: bool,
    ) -> DrawnPodAnswer {
        let pod = &question.pod;
        let events = self.events_about(question, waits);
        // What helps all of them is not about the pod.
        let is_about_all = question.kind == QuestionKind::Changes;
        let Some(input) = self.last.as_ref().filter(|_| waits || is_about_all) else {
            return message(self.gone(pod), space);
        };
        let answered = match &question.kind {
            QuestionKind::Changes => {
                let answer = self.helps.answer(|report| drawn(report, space));
                return answer.unwrap_or_else(|text| message(text, space));
            }
            QuestionKind::Explain => explanation(pod, input, space, events.as_ref()),
            QuestionKind::Node(None) => {
                let text =
                    format!("kube-scheduler picks no node for {}/{}.", pod.namespace, pod.name);
                return message(text, space);
            }
            QuestionKind::Node(Some(node)) => {
                let request = NodeRequest { nodes: vec![node.clone()], surge: 0 };
                let report = answers::questions::node::node(input, &request);
                report.map(|report| Some(drawn(&report, space))).map_err(Error::from)
            }
            QuestionKind::Headroom => {
                let (name, namespace) = (pod.name.clone(), Some(pod.namespace.clone()));
                let pod = ModelPod::Existing(Target { kind: "Pod", name, namespace });
                let report = headroom(input, &HeadroomRequest { pod, edits: Vec::new() });
                report.map(|report| Some(drawn(&report, space))).map_err(Error::from)
            }
        };
        match answered {
            Ok(Some(answer)) => answer,
            Ok(None) => message(self.gone(pod), space),
            Err(error) => message(error.to_string(), space),
        }
    }

    /// The Events about a pod that is explained, or why they cannot be read. They are used for a while:
    /// the same pod is explained again whenever the cluster changes.
    fn events_about(
        &mut self,
        question: &PodQuestion,
        waits: bool,
    ) -> Option<Result<Arc<Cluster>, String>> {
        let pod = Some(&question.pod)
            .filter(|pod| waits && question.kind == QuestionKind::Explain && !pod.uid.is_empty())?;
        if let Some(read) = &self.events_of_pod
            && read.uid == pod.uid
            && read.at.elapsed() < EVENTS_AGAIN
        {
            return Some(read.events.clone());
        }
        let kept = self.kept.as_ref()?;
        let events = kept.cluster.events_about(&pod.namespace, &pod.uid);
        let events = events.map(Arc::new).map_err(|error| error.to_string());
        let (uid, at) = (pod.uid.clone(), Instant::now());
        self.events_of_pod = Some(EventsOfPod { uid, at, events: events.clone() });
        Some(events)
    }

    /// What is said of a pod that has left the list.
    fn gone(&self, pod: &PodId) -> String {
        let cluster = self.last.as_ref().map(|input| &input.cluster);
        let node = cluster.and_then(|cluster| {
            let known = cluster.find_uid(&pod.namespace, &pod.name, &pod.uid)?;
            Some(cluster.text(cluster.pod(known).node_name)).filter(|node| !node.is_empty())
        });
        let place = node.map(|node| format!(": it is on node {node}")).unwrap_or_default();
        format!("{}/{} does not wait for a node any more{place}.", pod.namespace, pod.name)
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
            input: last.as_ref(),
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
        let input = Arc::new(input);
        if self.on_terminal {
            let is_same = changes == Changes::Pods(BTreeSet::new());
            self.helps.look_for(&input, request.all_namespaces, is_same, self.events.clone());
        }
        self.last = Some(input);
        Ok((report, left))
    }
}

/// A page of one sentence.
fn message(text: String, space: AnswerSpace) -> DrawnPodAnswer {
    let mut page = Page::default();
    page.line(0, vec![text.into()]);
    DrawnPodAnswer { text: page.print(space.paper), timeline: None }
}

/// A report in full.
fn drawn(report: &impl Drawn, space: AnswerSpace) -> DrawnPodAnswer {
    DrawnPodAnswer { text: report.page(Extent::All).print(space.paper), timeline: None }
}

/// The decision about a pod or a group of `input`, with what would help, and what has happened to the
/// pod; `None` if there is no such thing.
fn explanation(
    pod: &PodId,
    input: &LoadedInput,
    space: AnswerSpace,
    events: Option<&Result<Arc<Cluster>, String>>,
) -> Result<Option<DrawnPodAnswer>, Error> {
    let callers = input.callers()?;
    let views = input.views(callers.as_deref());
    let (cluster, origin) = (&input.cluster, input.origin());
    if let Some(ix) = cluster.find_uid(&pod.namespace, &pod.name, &pod.uid) {
        let request = ExplainRequest { remedies: true, ..ExplainRequest::default() };
        let Some(report) = explain_pod(input, &views, ix, &request) else { return Ok(None) };
        let mut timeline = match events {
            Some(Ok(events)) => Timeline::with_events(&report, events),
            _ => Timeline::of(&report),
        };
        timeline.without_events = events.and_then(|read| read.as_ref().err()).cloned();

        let bars = match space.lines {
            0 => BarsWanted::Yes,
            lines => BarsWanted::Fitted { paper: space.paper, lines },
        };
        let drawer = AnswerDrawer::new(1, &origin, false, space.lines).with_bars(bars);
        let mut answers = Answers::default();
        answers.add(drawer.draw(&report));
        let text = answers.page().print(space.paper);
        return Ok(Some(DrawnPodAnswer { text, timeline: Some(timeline) }));
    }
    if !is_group(pod, cluster) {
        return Ok(None);
    }
    let group = explain_group(input, &views, &pod.namespace, &pod.name);
    Ok(group.map(|group| DrawnPodAnswer {
        text: pod_group::page(&[group], &[], &origin, false).print(space.paper),
        timeline: None,
    }))
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
