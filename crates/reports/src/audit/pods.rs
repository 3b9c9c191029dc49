//! Pods that preemption treats differently than their owners may expect.

use json::audit::{Check as CheckName, Evidence};
use std::collections::BTreeMap;

use super::check::{CLASSES, Check, Finding, NodePart};
use super::scope::{AuditScope, Preemptible};
use super::{NAMED, add_ons};
use model::cluster::owner::Workload;
use model::cluster::priority_class::SYSTEM_CLASSES;
use model::cluster::resource_requests::ResourceRequests;
use model::cluster::{Cluster, PodIx, Sym};
use model::edits::{self, Edit, PreemptionPolicy};
use model::notes::Severity;
use model::snapshot::Kind;
use model::words::{count, have, list};
use scheduler::decision::{OutcomeKind, decide};
use scheduler::framework::cluster_view::ClusterView;

pub(super) static CHECKS: &[&Check] =
    &[&NOT_OF_CLASS, &MISSING_CLASS, &ADD_ON, &NEVER_PREEMPTS, &BARE, &DAEMON_SET, &NO_REQUESTS];

/// A check of what application pods, and so their classes, can preempt.
const BY_CLASS: Check = Check { needs: CLASSES, ..Check::OF_PODS };

static NOT_OF_CLASS: Check = Check {
    code: "AUD-301",
    name: CheckName::PriorityNotOfClass,
    title: "The priority of pods is not that of their class",
    meaning: "The class was probably deleted and created again with another value. kube-scheduler counts the priority in the \
              pod, not that of the class.",
    fix: "restart these workloads: new pods get the current value of the class",
    find: |scope| of_classes(scope, &NOT_OF_CLASS),
    clause: |evidence| {
        let Evidence::PriorityNotOfClass { pods, priority, class, value } = evidence else {
            return None;
        };
        let (have, pods) = (have(*pods), count(*pods, "pod"));
        Some(format!("{pods} of class {class} {have} priority {priority}; the class has {value}"))
    },
    rests_on: class_of,
    ..BY_CLASS
};

static MISSING_CLASS: Check = Check {
    code: "AUD-302",
    name: CheckName::MissingClass,
    title: "Pods name a priority class that does not exist",
    meaning: "The pods keep their priority, but the API server refuses new pods that name the class: the workload cannot \
              replace a pod that is preempted.",
    fix: "create the class again, or name another one in the manifest",
    find: |scope| of_classes(scope, &MISSING_CLASS),
    clause: |evidence| {
        let Evidence::MissingClass { pods, class, priority } = evidence else { return None };
        let name = if *pods == 1 { "names" } else { "name" };
        Some(format!("{} of priority {priority} {name} class {class}", count(*pods, "pod")))
    },
    is_of_absence: true,
    rests_on: class_of,
    rests_on_absent: true,
    ..BY_CLASS
};

fn class_of(finding: &Finding) -> Vec<&str> {
    match &finding.evidence {
        Evidence::PriorityNotOfClass { class, .. } | Evidence::MissingClass { class, .. } => {
            vec![class]
        }
        _ => Vec::new(),
    }
}

/// Pods whose priority differs from that of their class, by class: the findings of one of two
/// checks.
fn of_classes(scope: &AuditScope, check: &'static Check) -> Vec<Finding> {
    let cluster = scope.cluster;
    let mut findings = Vec::new();
    for (workload, pods) in &scope.running {
        let mut odd: BTreeMap<Sym, (usize, i32)> = BTreeMap::new();
        for pod in scope.pods(pods) {
            let class = cluster.template(pod).priority_class;
            let value = value_of(class, cluster);
            if !class.is_empty() && value != Some(i64::from(pod.priority)) {
                odd.entry(class).or_insert((0, pod.priority)).0 += 1;
            }
        }
        for (class, (pods, priority)) in odd {
            let value = value_of(class, cluster);
            let class = cluster.text(class).to_owned();
            let (of, evidence) = match value {
                Some(value) => {
                    (&NOT_OF_CLASS, Evidence::PriorityNotOfClass { pods, priority, class, value })
                }
                None => (&MISSING_CLASS, Evidence::MissingClass { pods, class, priority }),
            };
            if of == check {
                findings.push(Finding { check, object: workload.into(), evidence });
            }
        }
    }
    findings
}

/// The value of a class. Every API server has the system classes, whether or not they are in the
/// input.
fn value_of(class: Sym, cluster: &Cluster) -> Option<i64> {
    let of_input = cluster.priority_classes.iter().find(|one| one.name == class);
    of_input.map(|class| class.value).or_else(|| {
        SYSTEM_CLASSES
            .iter()
            .find(|(name, _)| *name == cluster.text(class))
            .map(|(_, value)| *value)
    })
}

static ADD_ON: Check = Check {
    code: "AUD-303",
    name: CheckName::AddOnPreemptible,
    title: "Application pods can preempt a cluster add-on",
    meaning: "Monitoring and system add-ons can be evicted for applications.",
    fix: "give it a higher class, such as system-cluster-critical or system-node-critical, or one of your own",
    find: |scope| {
        let add_ons = scope.preemptible().filter(|found| is_add_on(found, scope));
        add_ons
            .map(|found| {
                let Preemptible { workload, pods, priority } = found;
                let preemptors = scope.preemptors(priority);
                let evidence =
                    Evidence::AddOnPreemptible { pods: pods.len(), priority, preemptors };
                Finding { check: &ADD_ON, object: workload.into(), evidence }
            })
            .collect()
    },
    clause: |evidence| {
        let Evidence::AddOnPreemptible { pods, priority, preemptors } = evidence else {
            return None;
        };
        Some(can_be_preempted(*pods, *priority, preemptors))
    },
    ..BY_CLASS
};

/// Whether a workload is an add-on that keeps running.
fn is_add_on(preemptible: &Preemptible, scope: &AuditScope) -> bool {
    let kind = &preemptible.workload.kind;
    let is_job = kind == Kind::Job.name() || kind == "CronJob";
    !is_job && scope.pods(preemptible.pods).any(|pod| add_ons::is_add_on(pod, scope.cluster))
}

fn can_be_preempted(pods: usize, priority: i32, preemptors: &[String]) -> String {
    let (pods, preemptors) = (count(pods, "pod"), list(preemptors, NAMED));
    format!("{pods} of priority {priority} can be preempted by {preemptors}")
}

static NEVER_PREEMPTS: Check = Check {
    code: "AUD-304",
    name: CheckName::NeverPreempts,
    title: "A pod waits because its preemptionPolicy is Never",
    meaning: "Preemption would make room for the pod, but the pod does not preempt.",
    fix: "set preemptionPolicy: PreemptLowerPriority on its class, or add room",
    find: never_preempts,
    clause: |evidence| {
        let Evidence::NeverPreempts { pods, priority, node, victims } = evidence else {
            return None;
        };
        let wait = if *pods == 1 { "waits" } else { "wait" };
        let (pods, victims) = (count(*pods, "pod"), list(victims, NAMED));
        Some(format!(
            "{pods} of priority {priority} {wait}; preempting {victims} would make room on node {node}"
        ))
    },
    is_made: |scope| {
        let mut pods = scope.cluster.pods.iter();
        pods.any(|pod| pod.is_waiting() && scope.cluster.template(pod).never_preempts)
    },
    reads_nodes: NodePart::All,
    ..Check::OF_PODS
};

/// Pending pods that would fit with preemption. One pod of each workload is decided, with its own
/// policy and with the other.
fn never_preempts(scope: &AuditScope) -> Vec<Finding> {
    let cluster = scope.cluster;
    let mut waiting: BTreeMap<Workload, Vec<PodIx>> = BTreeMap::new();
    for ix in cluster.pod_indices() {
        let pod = cluster.pod(ix);
        let waits = pod.is_waiting() && !pod.is_terminating();
        if waits && cluster.template(pod).never_preempts {
            waiting.entry(cluster.workload(pod)).or_default().push(ix);
        }
    }
    // The pods of a workload have the same template, so the first one stands for all of them.
    let view = ClusterView::new(cluster, scope.profile);
    let mut findings = Vec::new();
    for (workload, pods) in waiting {
        let Some(first) = pods.first().copied() else { continue };
        if decide(&view, first, scope.now).kind() != OutcomeKind::Unschedulable {
            continue;
        }
        // Only a pod that preemption would place is held up by its policy: it is tried.
        let mut edited = cluster.clone();
        let policy = PreemptionPolicy::PreemptLowerPriority;
        if edits::apply(&mut edited, &[first], &[Edit::PreemptionPolicy { policy }]).is_err() {
            continue;
        }
        let selectors = view.device_selectors().clone();
        let edited_view = ClusterView::with_selectors(&edited, scope.profile, selectors);
        let decision = decide(&edited_view, first, scope.now);
        let mut candidates = decision.candidates();
        let Some(best) = candidates.find(|candidate| decision.selected().contains(&candidate.node))
        else {
            continue;
        };
        let evidence = Evidence::NeverPreempts {
            pods: pods.len(),
            priority: cluster.pod(first).priority,
            node: cluster.node_name(best.node).to_owned(),
            victims: best.victims.iter().map(|victim| cluster.pod_name(victim.pod)).collect(),
        };
        findings.push(Finding { check: &NEVER_PREEMPTS, object: (&workload).into(), evidence });
    }
    findings
}

static BARE: Check = Check {
    code: "AUD-305",
    name: CheckName::BarePod,
    title: "A pod without a controller can be preempted",
    meaning: "Nothing recreates a pod without a controller after a preemption.",
    fix: "run it with a Deployment, StatefulSet or Job",
    find: |scope| {
        let mut findings = Vec::new();
        for Preemptible { workload, pods, priority } in scope.preemptible() {
            if scope.pods(pods).all(|pod| pod.controller.is_none()) {
                let preemptors = scope.preemptors(priority);
                let evidence = Evidence::BarePod { priority, preemptors };
                findings.push(Finding { check: &BARE, object: workload.into(), evidence });
            }
        }
        findings
    },
    clause: |evidence| {
        let Evidence::BarePod { priority, preemptors } = evidence else { return None };
        let preemptors = list(preemptors, NAMED);
        Some(format!("has priority {priority} and can be preempted by {preemptors}"))
    },
    ..BY_CLASS
};

static DAEMON_SET: Check = Check {
    code: "AUD-306",
    name: CheckName::DaemonSetComesBack,
    title: "Pods of a DaemonSet can be preempted and come back",
    meaning: "The DaemonSet recreates a pod that is preempted on the same node. It takes the room back, or stays pending there.",
    fix: "give the DaemonSet a higher class than the pods that share its nodes",
    find: |scope| {
        let mut findings = Vec::new();
        for found in scope.preemptible() {
            // That a workload is an add-on matters more.
            if found.workload.kind != "DaemonSet" || is_add_on(&found, scope) {
                continue;
            }
            let Preemptible { workload, pods, priority } = found;
            let preemptors = scope.preemptors(priority);
            let evidence = Evidence::DaemonSetComesBack { pods: pods.len(), priority, preemptors };
            findings.push(Finding { check: &DAEMON_SET, object: workload.into(), evidence });
        }
        findings
    },
    clause: |evidence| {
        let Evidence::DaemonSetComesBack { pods, priority, preemptors } = evidence else {
            return None;
        };
        Some(can_be_preempted(*pods, *priority, preemptors))
    },
    ..BY_CLASS
};

static NO_REQUESTS: Check = Check {
    code: "AUD-307",
    name: CheckName::NoRequests,
    severity: Severity::Info,
    title: "Pods request no resources, so preempting them frees none",
    meaning: "kube-scheduler counts only requests: evicting these pods frees a pod slot, but no cpu or memory.",
    fix: "set requests for its containers, or a LimitRange in its namespace",
    find: |scope| {
        let mut findings = Vec::new();
        for Preemptible { workload, pods, priority } in scope.preemptible() {
            let pods = pods.iter().filter(|pod| requests_nothing(scope, **pod)).count();
            if pods > 0 {
                let evidence = Evidence::NoRequests { pods, priority };
                findings.push(Finding { check: &NO_REQUESTS, object: workload.into(), evidence });
            }
        }
        findings
    },
    clause: |evidence| {
        let Evidence::NoRequests { pods, priority } = evidence else { return None };
        let request = if *pods == 1 { "requests" } else { "request" };
        Some(format!("{} of priority {priority} {request} nothing", count(*pods, "pod")))
    },
    ..BY_CLASS
};

fn requests_nothing(scope: &AuditScope, pod: PodIx) -> bool {
    let requests = scope.cluster.resource_requests.get(scope.cluster.pod(pod).resource_requests);
    requests.is_some_and(
        |ResourceRequests { containers, init_containers, overhead, pod_level, .. }| {
            containers.iter().chain(init_containers).all(|container| container.requests.is_empty())
                && overhead.is_empty()
                && pod_level.as_ref().is_none_or(|requests| requests.is_empty())
        },
    )
}

#[cfg(test)]
pub(super) mod tests {
    use crate::audit::tests::{Example, high, web};
    use testing::{objects, pod};

    pub(in crate::audit) fn examples() -> Vec<Example> {
        let of_class = |class: &str| web("w").priority(7).with("/spec/priorityClassName", class);
        let exporter = |priority| web("e").label("app", "node-exporter").priority(priority);
        let waits = || high("waits").cpu("3").never_preempts();
        let bare = |priority| pod("bare").cpu("1").on("n1").priority(priority);
        let agent = |priority| {
            let agent = pod("agent").cpu("1").on("n1").of("apps/v1", "DaemonSet", "agent");
            agent.priority(priority)
        };
        let idle = || pod("idle").on("n1").replica_of("idle");
        let equal = web("w").cpu("1").priority(1000);
        vec![
            Example {
                code: "AUD-301",
                found: objects![of_class("high")],
                clean: objects![high("h2").on("n1")],
            },
            Example {
                code: "AUD-302",
                found: objects![of_class("gone")],
                clean: objects![web("w")],
            },
            Example {
                code: "AUD-303",
                found: objects![exporter(0)],
                clean: objects![exporter(1000)],
            },
            Example {
                code: "AUD-304",
                found: objects![web("w").cpu("2"), waits()],
                clean: objects![equal, high("k").on("n1"), waits()],
            },
            Example {
                code: "AUD-305",
                found: objects![bare(0)],
                clean: objects![bare(1000), web("w")],
            },
            Example { code: "AUD-306", found: objects![agent(0)], clean: objects![agent(1000)] },
            Example {
                code: "AUD-307",
                found: objects![idle()],
                clean: objects![idle().pod_level("cpu", "1")],
            },
        ]
    }
}
