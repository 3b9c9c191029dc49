//! Answers that all threads work out at once, ahead of the list: a job decides about one pod,
//! explains that and draws it, so that whoever writes the list has only finished texts to pass on.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use rayon::Scope;

use crate::alike::Alike;
use crate::input::LoadedInput;
use crate::pod_report::PodReport;
use engine::cluster::Cluster;
use engine::cluster::pod::PodIx;
use engine::decision::are_alike;
use engine::framework::cluster_view::ClusterView;

/// Maximum number of verdicts about nodes that jobs hold.
const VERDICTS_AHEAD: usize = 40_000;
/// Maximum number of jobs for each thread: one that is at work, and one that it goes on with while
/// the list waits for another one.
const JOBS_OF_THREAD: usize = 2;
/// Among how many pods of the list the next one for a job is looked for.
const LOOKED_AHEAD: usize = 256;

/// What a job does for a pod.
pub(crate) trait Work<'v>: Sync {
    /// What is passed on to the list.
    type Drawn: Send;

    /// Decides about a pod and explains that, whatever is known of others.
    fn explain(&self, pod: PodIx) -> Option<PodReport<'v>>;

    /// Makes the report that was taken from a pod that is alike that of its own pod.
    fn adapt(&self, like: PodReport<'v>) -> PodReport<'v>;

    fn draw(&self, report: &PodReport<'v>) -> Self::Drawn;
}

/// The answers about the pods of a list, which are taken in its order.
pub(crate) struct Ahead<'a, 's, 'v, W: Work<'v>> {
    cluster: &'s Cluster,
    work: &'s W,
    scope: &'a Scope<'s>,
    /// The pods for which there will be a job, in the order of the list.
    waiting: VecDeque<PodIx>,
    /// Maximum number of jobs.
    most: usize,
    /// Those whose answers have not been taken.
    jobs: Vec<Job<'v, W::Drawn>>,
    alike: Alike<'v>,
    /// Set when no further answer will be taken.
    is_over: Arc<AtomicBool>,
}

/// A job about a pod.
struct Job<'v, D> {
    pod: PodIx,
    progress: Progress<'v, D>,
}

enum Progress<'v, D> {
    Runs(Receiver<JobResult<'v, D>>),
    Done(Option<D>),
}

struct JobResult<'v, D> {
    drawn: Option<D>,
    /// What other pods need of it.
    report: Option<PodReport<'v>>,
}

impl<'a, 's, 'v: 's, W: Work<'v>> Ahead<'a, 's, 'v, W>
where
    W::Drawn: 's,
{
    /// About the pods of a list, in its order. No job is made for a pod that the list decides about
    /// itself (`is_apart`), and at most `most_drawn` answers are worked out at once.
    pub(crate) fn new(
        work: &'s W,
        scope: &'a Scope<'s>,
        input: &'s LoadedInput,
        views: &[ClusterView<'v>],
        pods: &[PodIx],
        is_apart: impl Fn(PodIx) -> bool,
        most_drawn: usize,
    ) -> Self {
        let cluster = &input.cluster;
        let affordable = VERDICTS_AHEAD / cluster.nodes.len().max(1);
        let threads = rayon::current_num_threads();
        // A thread alone has nobody to work ahead of.
        let most = if threads < 2 { 0 } else { threads * JOBS_OF_THREAD };
        let mut ahead = Self {
            cluster,
            work,
            scope,
            waiting: VecDeque::new(),
            most: most.min(affordable).min(most_drawn),
            jobs: Vec::new(),
            alike: Alike::new(pods, cluster),
            is_over: Arc::default(),
        };
        if ahead.most > 1 {
            // An extender is asked about one pod after the other, and a group is decided once.
            ahead.waiting.extend(pods.iter().copied().filter(|pod| {
                let view = views.get(input.view_of(*pod));
                view.is_some_and(|view| view.extender_client.is_none())
                    && cluster.template(cluster.pod(*pod)).group.is_empty()
                    && !is_apart(*pod)
            }));
        }
        ahead
    }

    /// The answer about a pod: that of its job, or else from `explain`.
    pub(crate) fn answer(
        &mut self,
        pod: PodIx,
        explain: impl FnOnce() -> Option<PodReport<'v>>,
    ) -> Option<W::Drawn> {
        if let Some(drawn) = self.of_job(pod) {
            return Some(drawn);
        }
        let is_wanted = self.alike.begin(pod, self.cluster);
        let like = self.alike.take(pod).map(|like| self.work.adapt(like));
        let report = like.or_else(explain)?;
        let drawn = self.work.draw(&report);
        if is_wanted {
            self.keep(report);
        }
        Some(drawn)
    }

    /// The answer of a pod's job, once that has ended; `None` without a job.
    fn of_job(&mut self, pod: PodIx) -> Option<W::Drawn> {
        self.begin_jobs();
        if !self.jobs.iter().any(|job| job.pod == pod) {
            // There may be as many jobs as are affordable, all for later pods.
            let at = self.waiting.iter().position(|waiting| *waiting == pod)?;
            self.waiting.remove(at);
            self.begin(pod);
        }
        let at = self.jobs.iter().position(|job| job.pod == pod)?;
        let drawn = match self.jobs.remove(at).progress {
            Progress::Done(drawn) => drawn,
            // A job that panics sends nothing; the scope passes its panic on.
            Progress::Runs(result) => self.take_over(wait(&result)?),
        };
        // The threads have something to do while the answer is written.
        self.begin_jobs();
        drawn
    }

    /// Begins as many jobs as there may be.
    fn begin_jobs(&mut self) {
        self.collect();
        let mut at = 0;
        while self.jobs.len() < self.most && at < LOOKED_AHEAD {
            let Some(pod) = self.waiting.get(at).copied() else { break };
            // The pod gets its answer from the job about the other one.
            if self.jobs.iter().any(|job| job.runs() && are_alike(self.cluster, job.pod, pod)) {
                at += 1;
                continue;
            }
            self.waiting.remove(at);
            self.begin(pod);
        }
    }

    /// Begins the job about a pod.
    fn begin(&mut self, pod: PodIx) {
        let is_wanted = self.alike.begin(pod, self.cluster);
        let like = self.alike.take(pod);
        let (sender, receiver) = channel();
        let (work, is_over) = (self.work, Arc::clone(&self.is_over));
        self.scope.spawn(move |_| {
            if is_over.load(Ordering::Relaxed) {
                return;
            }
            let report = match like {
                Some(like) => Some(work.adapt(like)),
                None => work.explain(pod),
            };
            let drawn = report.as_ref().map(|report| work.draw(report));
            // Nobody waits for it if the list was cut short.
            let report = report.filter(|_| is_wanted);
            let _ = sender.send(JobResult { drawn, report });
        });
        self.jobs.push(Job { pod, progress: Progress::Runs(receiver) });
    }

    /// Takes over what jobs have found that have ended.
    fn collect(&mut self) {
        let mut jobs = std::mem::take(&mut self.jobs);
        for job in &mut jobs {
            let Progress::Runs(result) = &job.progress else { continue };
            if let Ok(result) = result.try_recv() {
                job.progress = Progress::Done(self.take_over(result));
            }
        }
        self.jobs = jobs;
    }

    fn take_over(&mut self, result: JobResult<'v, W::Drawn>) -> Option<W::Drawn> {
        result.report.into_iter().for_each(|report| self.keep(report));
        result.drawn
    }

    /// Keeps an report for pods that are alike. To drop one takes a while.
    fn keep(&mut self, report: PodReport<'v>) {
        let spent = self.alike.keep(report);
        if !spent.is_empty() {
            self.scope.spawn(move |_| drop(spent));
        }
    }
}

impl<'v, W: Work<'v>> Drop for Ahead<'_, '_, 'v, W> {
    fn drop(&mut self) {
        // The scope waits for the jobs that are at work.
        self.is_over.store(true, Ordering::Relaxed);
    }
}

impl<D> Job<'_, D> {
    fn runs(&self) -> bool {
        matches!(self.progress, Progress::Runs(_))
    }
}

/// Waits until a job has ended. A thread that works on jobs itself does so meanwhile.
fn wait<T>(result: &Receiver<T>) -> Option<T> {
    while rayon::current_thread_index().is_some() {
        match result.try_recv() {
            Ok(result) => return Some(result),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => {}
        }
        if rayon::yield_now() != Some(rayon::Yield::Executed) {
            break;
        }
    }
    result.recv().ok()
}
