//! All pending pods as metrics: their number by cause, by who has to act, by namespace and priority
//! class. No pod is named, and the number of series is limited.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::exposition::{Counts, Exposition, FOLDED, Gauge};
use crate::safe::Printable;
use answers::questions::pending::{Actor, Pending, PendingRow, PendingVerdict};

/// Maximum number of series of a metric whose labels are names from the cluster.
const SERIES: usize = 50;

const PODS: Gauge =
    Gauge { name: "kubectl_preempt_pending_pods", help: "Pods that wait for a node, by verdict." };
const BY_CAUSE: Gauge = Gauge {
    name: "kubectl_preempt_pending_pods_by_cause",
    help: "Pods that wait for a node, by verdict and by the code of what keeps them from the \
           nearest nodes (kubectl preempt rules CODE).",
};
const BY_ACTOR: Gauge = Gauge {
    name: "kubectl_preempt_pending_pods_by_actor",
    help: "Pods that wait for a node, by who has to act.",
};
const BY_CLASS: Gauge = Gauge {
    name: "kubectl_preempt_pending_pods_by_priority_class",
    help: "Pods that wait for a node, by namespace and priority class. Beyond 50 series the \
           others are counted as _other.",
};
const OLDEST: Gauge = Gauge {
    name: "kubectl_preempt_pending_oldest_age_seconds",
    help: "Age of the oldest pod that waits for a node, by who has to act; 0 without one.",
};
const VICTIMS: Gauge = Gauge {
    name: "kubectl_preempt_pending_victims",
    help: "Pods that kube-scheduler would evict for pods that wait, by the namespace of the \
           victim. Each is counted once. Beyond 50 series the others are counted as _other.",
};
const VIOLATIONS: Gauge = Gauge {
    name: "kubectl_preempt_pending_pods_violating_budgets",
    help: "Pods that wait for a node and whose preemption violates a PodDisruptionBudget.",
};
const UNCERTAIN: Gauge = Gauge {
    name: "kubectl_preempt_pending_uncertain_pods",
    help: "Pods that wait for a node and about which the answer is not certain.",
};
const FOLDED_SERIES: Gauge = Gauge {
    name: "kubectl_preempt_pending_folded_series",
    help: "Series that are counted together as _other, by metric.",
};
const COMPLETE: Gauge = Gauge {
    name: "kubectl_preempt_pending_complete",
    help: "1 if every pod could be read; 0 if the list may lack some.",
};
const RULES_ASSUMED: Gauge = Gauge {
    name: "kubectl_preempt_pending_rules_assumed",
    help: "1 if it is not known which version kube-scheduler has, so that its rules are assumed.",
};
const DECIDED: Gauge = Gauge {
    name: "kubectl_preempt_pending_decided_timestamp_seconds",
    help: "Time of the decisions. It shows that a file of metrics is not written any more.",
};
const CONNECTED: Gauge = Gauge {
    name: "kubectl_preempt_pending_connected",
    help: "1 while the cluster can be read; 0 if the metrics may be older than the cluster.",
};

/// The names of all metrics, for those who write queries.
pub const NAMES: [&str; 13] = [
    PODS.name,
    BY_CAUSE.name,
    BY_ACTOR.name,
    BY_CLASS.name,
    OLDEST.name,
    VICTIMS.name,
    VIOLATIONS.name,
    UNCERTAIN.name,
    FOLDED_SERIES.name,
    COMPLETE.name,
    RULES_ASSUMED.name,
    DECIDED.name,
    CONNECTED.name,
];

/// The state of the read that the metrics are based on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadState {
    /// The time of the decisions.
    pub decided: Timestamp,
    /// Whether every pod could be read.
    pub complete: bool,
    /// Whether the version of kube-scheduler is assumed.
    pub rules_assumed: bool,
    /// Whether the cluster can still be read; `None` for a list that is read once.
    pub connected: Option<bool>,
}

/// The metrics of the pods, as `OpenMetrics`.
pub fn openmetrics(pending: &Pending, read: ReadState) -> Printable {
    let rows = pending.rows.as_slice();
    let mut out = Exposition::default();

    // The series of these are known in advance, and all of them are written: a query about a
    // verdict that no pod has gets 0.
    out.begin(PODS);
    for verdict in PendingVerdict::ALL {
        out.sample(PODS, &[("verdict", verdict.word())], pending.count(verdict));
    }
    out.begin(BY_ACTOR);
    for actor in Actor::NAMES {
        let count = pods(rows, |row| Actor::of(row).name() == actor);
        out.sample(BY_ACTOR, &[("actor", actor)], count);
    }
    out.begin(OLDEST);
    for actor in Actor::NAMES {
        let age = oldest_age(rows, read.decided, actor);
        out.sample(OLDEST, &[("actor", actor)], age);
    }

    // The others depend on the cluster.
    let mut causes = Counts::new();
    let mut classes = Counts::new();
    for row in rows {
        let code = row.cause.as_ref().and_then(|cause| cause.code).unwrap_or("none");
        causes.add([row.verdict.word(), code], row.pods());
        classes.add([&row.namespace, &row.priority_class], row.pods());
    }
    let mut victims = Counts::new();
    let names: BTreeSet<&str> =
        rows.iter().flat_map(|row| &row.victims).map(String::as_str).collect();
    for name in names {
        victims.add([name.split_once('/').map_or("", |(namespace, _)| namespace)], 1);
    }
    let folded = [
        (BY_CAUSE.name, add_counts(&mut out, BY_CAUSE, ["verdict", "code"], causes)),
        (BY_CLASS.name, add_counts(&mut out, BY_CLASS, ["namespace", "priority_class"], classes)),
        (VICTIMS.name, add_counts(&mut out, VICTIMS, ["namespace"], victims)),
    ];
    out.begin(FOLDED_SERIES);
    for (name, series) in folded {
        out.sample(FOLDED_SERIES, &[("metric", name)], series);
    }

    // How reliable all of this is.
    out.single(VIOLATIONS, pods(rows, |row| row.violations > 0));
    out.single(UNCERTAIN, pods(rows, PendingRow::is_unsure));
    out.single(COMPLETE, u8::from(read.complete));
    out.single(RULES_ASSUMED, u8::from(read.rules_assumed));
    out.single(DECIDED, read.decided.as_second());
    if let Some(connected) = read.connected {
        out.single(CONNECTED, u8::from(connected));
    }
    out.end()
}

/// The number of pending pods whose row is `wanted`.
fn pods(rows: &[PendingRow], wanted: impl Fn(&PendingRow) -> bool) -> usize {
    rows.iter().filter(|row| wanted(row)).map(PendingRow::pods).sum()
}

/// The age in seconds of the oldest pod for which `actor` has to act.
fn oldest_age(rows: &[PendingRow], now: Timestamp, actor: &str) -> i64 {
    let of_actor = rows.iter().filter(|row| Actor::of(row).name() == actor);
    let oldest = of_actor.filter_map(|row| row.created).min();
    oldest.map_or(0, |created| (now.as_second() - created.as_second()).max(0))
}

/// Adds the largest counts, and the others combined. Returns the number of the others.
fn add_counts<const LABELS: usize>(
    out: &mut Exposition,
    gauge: Gauge,
    names: [&str; LABELS],
    counts: Counts<LABELS>,
) -> usize {
    let largest = counts.largest(SERIES);
    out.begin(gauge);
    for (values, number) in &largest.counts {
        let labels: Vec<(&str, &str)> =
            names.iter().copied().zip(values.iter().map(String::as_str)).collect();
        out.sample(gauge, &labels, number);
    }
    if largest.folded > 0 {
        out.sample(gauge, &names.map(|name| (name, FOLDED)), largest.rest);
    }
    largest.folded
}
