//! Pods that preemption treats otherwise than their owners may expect.

use std::collections::BTreeMap;

use super::finding::{Evidence, Finding};
use super::{Scope, add_ons};
use model::cluster::Cluster;
use model::cluster::pod::PodIx;
use model::cluster::priority_class::SYSTEM_CLASSES;
use model::cluster::resource_requests::ResourceRequests;
use model::cluster::symbols::Sym;
use model::snapshot::Kind;

pub(super) fn check(scope: &Scope, findings: &mut Vec<Finding>) {
    for (workload, pods) in &scope.running {
        let mut found = |evidence| findings.push(Finding { object: workload.into(), evidence });
        of_classes(scope, pods, &mut found);
        let priority = scope.lowest(pods);
        if !scope.users.threaten(priority) || scope.pods(pods).all(|pod| pod.mirror) {
            continue;
        }
        let (count, preemptors) = (pods.len(), || scope.preemptors(priority));
        let is_job = workload.kind == Kind::Job.name() || workload.kind == "CronJob";
        if !is_job && scope.pods(pods).any(|pod| add_ons::is_add_on(pod, scope.cluster)) {
            found(Evidence::AddOnPreemptible { pods: count, priority, preemptors: preemptors() });
        } else if workload.kind == "DaemonSet" {
            found(Evidence::DaemonSetComesBack { pods: count, priority, preemptors: preemptors() });
        }
        if scope.pods(pods).all(|pod| pod.controller.is_none()) {
            found(Evidence::BarePod { priority, preemptors: preemptors() });
        }
        let empty = pods.iter().filter(|pod| requests_nothing(scope, **pod)).count();
        if empty > 0 {
            found(Evidence::NoRequests { pods: empty, priority });
        }
    }
}

/// Pods whose priority is not that of their class, by class.
fn of_classes(scope: &Scope, pods: &[PodIx], found: &mut impl FnMut(Evidence)) {
    let cluster = scope.cluster;
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
        found(match value {
            Some(value) => Evidence::PriorityNotOfClass { pods, priority, class, value },
            None => Evidence::MissingClass { pods, class, priority },
        });
    }
}

/// The value of a class. Every API server has those of the system, whether or not they are in the
/// input.
fn value_of(class: Sym, cluster: &Cluster) -> Option<i64> {
    let of_system = || {
        SYSTEM_CLASSES
            .iter()
            .find(|(name, _)| *name == cluster.text(class))
            .map(|(_, value)| *value)
    };
    let known =
        cluster.priority_classes.iter().find(|known| known.name == class).map(|known| known.value);
    known.or_else(of_system)
}

fn requests_nothing(scope: &Scope, pod: PodIx) -> bool {
    let requests = scope.cluster.resource_requests.get(scope.cluster.pod(pod).resource_requests);
    requests.is_some_and(
        |ResourceRequests { containers, init_containers, overhead, pod_level, .. }| {
            containers.iter().chain(init_containers).all(|container| container.requests.is_empty())
                && overhead.is_empty()
                && pod_level.as_ref().is_none_or(|requests| requests.is_empty())
        },
    )
}
