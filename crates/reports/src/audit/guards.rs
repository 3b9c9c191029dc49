//! Pods that ask not to be evicted, with annotations that kube-scheduler ignores.

use std::collections::BTreeSet;

use json::audit::{Check as CheckName, Evidence};

use super::NAMED;
use super::check::{CLASSES, Check, Finding};
use super::nominations::SILENT;
use super::scope::{AuditScope, Preemptible};
use model::cluster::eviction_guard::EvictionGuard;
use model::words::{count, have, list};

pub(super) static CHECKS: &[&Check] = &[&UNPROTECTED, &SILENT];

static UNPROTECTED: Check = Check {
    code: "AUD-310",
    name: CheckName::Unprotected,
    title: "Pods ask not to be evicted and can be preempted",
    meaning: "Each of these annotations is meant for one program: Karpenter, cluster-autoscaler or the descheduler. \
              kube-scheduler knows none of them and preempts the pods like others; only their priority protects them. The \
              descheduler looks at descheduler.alpha.kubernetes.io/evict whatever its value, and then may evict the pod.",
    fix: "give the pods a priority class that no others are above, or accept that they can be preempted",
    needs: CLASSES,
    find: |scope| scope.preemptible().filter_map(|found| unprotected(&found, scope)).collect(),
    clause: |evidence| {
        let Evidence::Unprotected { pods, priority, annotations, preemptors } = evidence else {
            return None;
        };
        let (have, pods) = (have(*pods), count(*pods, "pod"));
        let (annotations, preemptors) = (list(annotations, NAMED), list(preemptors, NAMED));
        Some(format!(
            "{pods} of priority {priority} {have} {annotations}, which does not protect from preemption by {preemptors}"
        ))
    },
    ..Check::OF_PODS
};

/// The annotations of a workload's pods that preemption ignores, if any.
fn unprotected(preemptible: &Preemptible, scope: &AuditScope) -> Option<Finding> {
    let mut annotations: BTreeSet<EvictionGuard> = BTreeSet::new();
    let mut pods = 0;
    for pod in scope.pods(preemptible.pods) {
        let guards = scope.cluster.eviction_guards(pod);
        pods += usize::from(!guards.is_empty());
        annotations.extend(guards);
    }
    let evidence = Evidence::Unprotected {
        pods,
        priority: preemptible.priority,
        annotations: annotations.iter().map(|guard| guard.annotation().to_owned()).collect(),
        preemptors: scope.preemptors(preemptible.priority),
    };
    let object = preemptible.workload.into();
    (pods > 0).then_some(Finding { check: &UNPROTECTED, object, evidence })
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use crate::audit::tests::{Example, web};
    use testing::objects;

    pub(in crate::audit) fn examples() -> Vec<Example> {
        let asks = |key: &str, value: &str| {
            let annotations = json!({key: value});
            web("w").with("/metadata/annotations", annotations)
        };
        vec![Example {
            code: "AUD-310",
            found: objects![asks("karpenter.sh/do-not-disrupt", "true")],
            clean: objects![asks("cluster-autoscaler.kubernetes.io/safe-to-evict", "true")],
        }]
    }
}
