//! What has happened to a waiting pod so far, and what comes next, each with its time. Events and
//! conditions say it, and the pods that are ending for it; no decision reads any of this.

use engine::cluster::Cluster;
use engine::cluster::event::{Event, ObjectRef};
use engine::cluster::pod::{Pod, PodIx};
use engine::decision::OutcomeKind;
use engine::decision::lingering;
use engine::decision::waiting::leaving;
use jiff::{SignedDuration, Timestamp};

use crate::pod_report::PodReport;
use crate::stuck;
use crate::words;

/// How many seconds kube-scheduler may take to see that a pod has waited long enough to be retried.
///
/// Upstream: `pkg/scheduler/backend/queue/scheduling_queue.go` (1.37), `Run`, which looks twice a minute.
const LOOKS_EVERY: i64 = 30;

/// Something that has happened to the pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    pub at: Timestamp,
    /// When it happened last, if it has happened several times.
    pub last: Option<Timestamp>,
    /// How often it has happened at least.
    pub count: u32,
    pub what: MomentKind,
}

/// What has happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MomentKind {
    Created,
    /// The pod's condition says since then that it is not scheduled, with this reason.
    Marked(String),
    /// A scheduler found no node. Its text of the first time: later ones are counted, not kept.
    FailedScheduling(String),
    /// These pods were evicted for it.
    Evicted(Vec<String>),
}

impl MomentKind {
    /// Its name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Created => "Created",
            Self::Marked(_) => "ConditionFalse",
            Self::FailedScheduling(_) => "FailedScheduling",
            Self::Evicted(_) => "Evicted",
        }
    }
}

impl Moment {
    /// It in a few words.
    pub fn words(&self) -> String {
        match &self.what {
            MomentKind::Created => "created".to_owned(),
            MomentKind::Marked(reason) => format!("condition {reason}"),
            MomentKind::FailedScheduling(_) if self.count > 1 => {
                let count = words::group_digits(usize::try_from(self.count).unwrap_or(usize::MAX));
                format!("FailedScheduling {count} times or more")
            }
            MomentKind::FailedScheduling(_) => "FailedScheduling".to_owned(),
            MomentKind::Evicted(pods) => format!("evicts {}", words::count(pods.len(), "pod")),
        }
    }
}

/// When kube-scheduler tries the pod again, whatever else happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextRetry {
    /// The seconds within which it does after an attempt.
    pub within: i64,
    /// The last attempt, if it is known.
    pub last_attempt: Option<Timestamp>,
}

impl NextRetry {
    /// When it is tried again at the latest, as seen at `now`.
    pub fn at_latest(&self, now: Timestamp) -> Timestamp {
        let after = |from: Timestamp| from.saturating_add(SignedDuration::from_secs(self.within));
        let known = self.last_attempt.and_then(|last| after(last).ok()).filter(|at| *at > now);
        known.or_else(|| after(now).ok()).unwrap_or(now)
    }
}

/// A pod that is ending on the node to which the pod is nominated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndingVictim {
    /// `namespace/name`.
    pub pod: String,
    /// When its grace period ends.
    pub due: Option<Timestamp>,
    /// How long that is, in seconds.
    pub grace_seconds: i64,
    /// What keeps it although its grace period is over; empty if nothing does.
    pub kept_by: Vec<String>,
}

impl EndingVictim {
    /// How much of its grace period is over at `now`, from 0 to 1.
    pub fn progress(&self, now: Timestamp) -> f64 {
        let left = self.due.map_or(0, |due| due.as_second() - now.as_second()).max(0);
        let grace = self.grace_seconds.max(1);
        #[expect(clippy::cast_precision_loss, reason = "seconds of a grace period")]
        let over = 1.0 - left.min(grace) as f64 / grace as f64;
        over
    }

    /// When it ends, or why it does not.
    pub fn words(&self, now: Timestamp) -> String {
        if !self.kept_by.is_empty() {
            return format!("stuck: {}", self.kept_by.join(" and "));
        }
        match self.due.map(|due| due.as_second() - now.as_second()) {
            Some(left @ 1..) => format!("ends within {}", words::age(left)),
            _ => "is ending".to_owned(),
        }
    }
}

/// What has happened to a waiting pod, and what comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    pub now: Timestamp,
    /// What has happened, in its order.
    pub moments: Vec<Moment>,
    /// `status.nominatedNodeName`; nothing says since when.
    pub nominated: Option<String>,
    /// `None` if only an event, or nothing, leads to another attempt.
    pub next: Option<NextRetry>,
    pub ending: Vec<EndingVictim>,
    /// Why Events could not be read.
    pub without_events: Option<String>,
}

impl Timeline {
    /// What is known of the pod of a report. Events of its scheduling are those of its cluster.
    pub fn of(report: &PodReport) -> Self {
        Self::with_events(report, report.cluster())
    }

    /// The same with Events that were read on their own.
    pub fn with_events(report: &PodReport, events: &Cluster) -> Self {
        let (cluster, now) = (report.cluster(), report.now);
        let pod = cluster.pod(report.pod);
        let once = |at, what| Moment { at, last: None, count: 1, what };
        let mut moments: Vec<Moment> = Vec::new();
        moments.extend(pod.created.map(|created| once(created, MomentKind::Created)));

        // The condition says when the first attempt failed, also where Events are gone.
        let attempts = attempts(pod, cluster, events, now);
        if let Some(condition) = pod.scheduled_condition.as_deref()
            && let Some(since) = condition.since
            && attempts.iter().all(|attempt| attempt.at > since)
        {
            moments.push(once(since, MomentKind::Marked(condition.reason.to_string())));
        }
        let next = next_retry(report, &attempts);
        moments.extend(attempts);
        moments.extend(evictions(report.pod, cluster));
        // A clock that is ahead does not make anything of the past.
        moments.retain(|moment| moment.at <= now);
        moments.sort_by_key(|moment| moment.at);

        let nominated = cluster.text(pod.nominated_node);
        let mut ending = Vec::new();
        for victim in leaving(report) {
            let facts = cluster.pod(victim);
            let kept = lingering::of(victim, cluster, now);
            ending.push(EndingVictim {
                pod: cluster.pod_name(victim),
                due: facts.deletion.filter(|due| *due != Timestamp::UNIX_EPOCH),
                grace_seconds: facts.grace_seconds,
                kept_by: kept.map(|kept| stuck::kept_by(&kept, cluster)).unwrap_or_default(),
            });
        }
        Self {
            now,
            moments,
            nominated: (!nominated.is_empty()).then(|| nominated.to_owned()),
            next,
            ending,
            without_events: None,
        }
    }

    /// Whether it has more than what the pod itself says.
    pub fn is_telling(&self) -> bool {
        !self.ending.is_empty()
            || self.moments.iter().any(|moment| {
                matches!(moment.what, MomentKind::FailedScheduling(_) | MomentKind::Evicted(_))
            })
    }

    /// The text of the last Event about a failed attempt.
    pub fn last_message(&self) -> Option<&str> {
        self.moments.iter().rev().find_map(|moment| match &moment.what {
            MomentKind::FailedScheduling(text) => Some(text.as_str()),
            _ => None,
        })
    }
}

/// Whether an Event of `events` names this pod of `cluster`. One of an earlier pod of this name has
/// another UID.
fn is_about(object: &ObjectRef, events: &Cluster, pod: &Pod, cluster: &Cluster) -> bool {
    *object.name == *pod.name
        && events.text(object.namespace) == cluster.text(pod.namespace)
        && (object.uid.is_empty() || pod.uid.is_empty() || object.uid == pod.uid)
}

/// The attempts to schedule the pod that have failed, as far as Events say so.
fn attempts(pod: &Pod, cluster: &Cluster, events: &Cluster, now: Timestamp) -> Vec<Moment> {
    let own = |event: &&Event| is_about(&event.object, events, pod, cluster);
    let mut attempts = Vec::new();
    for event in events.scheduling_events.iter().filter(own) {
        let Some(at) = event.first.or(event.time).filter(|at| *at <= now) else { continue };
        attempts.push(Moment {
            at,
            last: event.time.filter(|last| *last != at && *last <= now),
            count: event.count,
            what: MomentKind::FailedScheduling(event.message.to_string()),
        });
    }
    attempts.sort_by_key(|attempt| (attempt.at, attempt.last));
    attempts
}

/// The pods whose Events say that they were preempted for this one, those of a moment together.
fn evictions(preemptor: PodIx, cluster: &Cluster) -> Vec<Moment> {
    let pod = cluster.pod(preemptor);
    let mut moments: Vec<Moment> = Vec::new();
    for event in &cluster.events {
        let Some(related) = &event.related else { continue };
        let (Some(at), "Preempted") = (event.time, cluster.text(event.reason)) else { continue };
        if !is_about(related, cluster, pod, cluster) {
            continue;
        }
        let victim = format!("{}/{}", cluster.text(event.object.namespace), event.object.name);
        let known = moments.iter_mut().find(|moment| moment.at.as_second() == at.as_second());
        if let Some(MomentKind::Evicted(victims)) = known.map(|moment| &mut moment.what) {
            victims.push(victim);
        } else {
            let what = MomentKind::Evicted(vec![victim]);
            moments.push(Moment { at, last: None, count: 1, what });
        }
    }
    moments
}

/// When the pod is tried again: once it has waited long enough since its last attempt. An attempt in
/// a series of Events may not be the last, since schedulers count later ones in memory.
fn next_retry(report: &PodReport, attempts: &[Moment]) -> Option<NextRetry> {
    if !matches!(report.kind(), OutcomeKind::Unschedulable | OutcomeKind::Preempt) {
        return None;
    }
    let flush = report.waiting()?.flush?;
    let within = i64::from(flush) + LOOKS_EVERY;
    let known = attempts.last().filter(|attempt| attempt.count == 1).map(|attempt| attempt.at);
    Some(NextRetry { within, last_attempt: known })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{MomentKind, Timeline};
    use crate::pod_report::PodReport;
    use engine::decision::decide;
    use engine::framework::cluster_view::ClusterView;
    use testing::{at, cluster, node, objects, pod};

    fn event(reason: &str, about: &str, fields: &Value) -> Value {
        let mut event = json!({"kind": "Event", "apiVersion": "v1", "reason": reason,
            "metadata": {"name": format!("{about}.1"), "namespace": "default"},
            "involvedObject": {"kind": "Pod", "namespace": "default", "name": about},
            "reportingComponent": "default-scheduler", "message": "0/1 nodes are available"});
        for (key, value) in fields.as_object().expect("fields") {
            event[key] = value.clone();
        }
        event
    }

    fn timeline(objects: Vec<Value>, now: &str) -> Timeline {
        let (cluster, profile) = (cluster(objects), at("1.37").profile());
        let view = ClusterView::new(&cluster, &profile);
        let pod = cluster.find_pod("default", "web").expect("the pod");
        Timeline::of(&PodReport::from(decide(&view, pod, now.parse().expect("a time"))))
    }

    fn told(timeline: &Timeline) -> Vec<String> {
        let mut lines = Vec::new();
        for moment in &timeline.moments {
            let last = moment.last.map(|last| format!(" until {last}")).unwrap_or_default();
            lines.push(format!("{} {}{last}", moment.at, moment.words()));
        }
        lines
    }

    /// Seconds from now to the latest retry, and whether they count from the last attempt.
    fn retried_in(timeline: &Timeline) -> Option<(i64, bool)> {
        let next = timeline.next.as_ref()?;
        let seconds = next.at_latest(timeline.now).as_second() - timeline.now.as_second();
        Some((seconds, next.last_attempt.is_some()))
    }

    const CREATED: &str = "2026-01-01T00:00:00Z";
    const LATER: &str = "2026-01-01T00:02:00Z";
    const AT: &str = "2026-01-01T00:03:00Z";

    fn waiting() -> Vec<Value> {
        objects![node("n").cpu("1"), pod("web").cpu("2").priority(5).created(CREATED)]
    }

    #[test]
    fn one_attempt_is_the_last_and_a_series_may_have_gone_on() {
        let mut objects = waiting();
        objects.push(event("FailedScheduling", "web", &json!({"eventTime": LATER})));
        objects.push(event("FailedScheduling", "other", &json!({"eventTime": LATER})));
        let one = timeline(objects, AT);
        assert_eq!(
            told(&one),
            ["2026-01-01T00:00:00Z created", "2026-01-01T00:02:00Z FailedScheduling"]
        );
        assert_eq!(retried_in(&one), Some((270, true)));
        assert!(one.is_telling());

        let mut objects = waiting();
        let series =
            json!({"eventTime": CREATED, "series": {"count": 3, "lastObservedTime": LATER}});
        objects.push(event("FailedScheduling", "web", &series));
        let several = timeline(objects, AT);
        assert_eq!(
            told(&several).last().expect("a moment"),
            "2026-01-01T00:00:00Z FailedScheduling 3 times or more until 2026-01-01T00:02:00Z"
        );
        assert_eq!(retried_in(&several), Some((330, false)));

        let mut old = waiting();
        old.push(event(
            "FailedScheduling",
            "web",
            &json!({"firstTimestamp": CREATED,
            "lastTimestamp": LATER, "count": 4}),
        ));
        assert_eq!(timeline(old, AT).moments.last().map(|moment| moment.count), Some(4));
    }

    #[test]
    fn an_attempt_long_ago_is_not_the_last() {
        let mut objects = waiting();
        objects.push(event("FailedScheduling", "web", &json!({"eventTime": CREATED})));
        let late = timeline(objects, "2026-01-01T02:00:00Z");
        assert_eq!(retried_in(&late), Some((330, true)), "from now on");
    }

    #[test]
    fn events_of_an_earlier_pod_of_this_name_are_left_out() {
        let mut objects = waiting();
        objects[1]["metadata"]["uid"] = json!("new");
        let mut old = event("FailedScheduling", "web", &json!({"eventTime": LATER}));
        old["involvedObject"]["uid"] = json!("old");
        objects.push(old);
        let timeline = timeline(objects, AT);
        assert_eq!(told(&timeline), ["2026-01-01T00:00:00Z created"]);
        assert!(!timeline.is_telling());
    }

    #[test]
    fn victims_are_those_evicted_for_the_pod_and_those_that_end() {
        let mut objects = objects![
            node("n").cpu("2"),
            pod("old")
                .cpu("2")
                .on("n")
                .grace(60)
                .with("/metadata/deletionTimestamp", "2026-01-01T00:03:20Z"),
            pod("web").cpu("2").priority(5).created(CREATED).nominated("n"),
        ];
        objects.push(event(
            "Preempted",
            "old",
            &json!({"eventTime": LATER,
            "related": {"kind": "Pod", "namespace": "default", "name": "web"}}),
        ));
        let timeline = timeline(objects, AT);
        assert_eq!(
            timeline.moments.last().map(|moment| &moment.what),
            Some(&MomentKind::Evicted(vec!["default/old".to_owned()]))
        );
        let [victim] = timeline.ending.as_slice() else { panic!("{:?}", timeline.ending) };
        assert_eq!(victim.words(timeline.now), "ends within 20s");
        assert!((victim.progress(timeline.now) - 2.0 / 3.0).abs() < 0.01);
        assert_eq!(timeline.nominated.as_deref(), Some("n"));
    }
}
