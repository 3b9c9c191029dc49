//! Priority classes: defaults that surprise, classes without pods, and differences between
//! clusters.

use super::Scope;
use super::finding::{ClassDifference, Evidence, Finding, ObjectName};
use model::cluster::Cluster;
use model::cluster::priority_class::{PriorityClass, SYSTEM_CLASSES};
use model::snapshot::Kind;

pub(super) fn check(scope: &Scope, findings: &mut Vec<Finding>) {
    unused(scope.cluster, findings);
    defaults(scope.cluster, findings);
}

fn of_system(name: &str) -> bool {
    SYSTEM_CLASSES.iter().any(|(system, _)| *system == name)
}

fn finding(class: &str, evidence: Evidence) -> Finding {
    Finding { object: ObjectName::of_cluster(Kind::PriorityClass.name(), class), evidence }
}

fn unused(cluster: &Cluster, findings: &mut Vec<Finding>) {
    for class in &cluster.priority_classes {
        let name = cluster.text(class.name);
        let is_used =
            cluster.pods.iter().any(|pod| cluster.template(pod).priority_class == class.name);
        if !is_used && !of_system(name) && !class.global_default {
            findings.push(finding(name, Evidence::UnusedClass { value: class.value }));
        }
    }
}

/// Upstream: `plugin/pkg/admission/priority/admission.go` `getDefaultPriorityClass` (1.37): of
/// several defaults the one with the lowest value counts.
fn defaults(cluster: &Cluster, findings: &mut Vec<Finding>) {
    let defaults: Vec<&PriorityClass> =
        cluster.priority_classes.iter().filter(|class| class.global_default).collect();
    let Some(used) = defaults.iter().min_by_key(|class| class.value) else { return };
    let name = |class: &PriorityClass| cluster.text(class.name).to_owned();
    if defaults.len() > 1 {
        let others = defaults
            .iter()
            .filter(|class| class.name != used.name)
            .map(|class| name(class))
            .collect();
        findings.push(finding(
            &name(used),
            Evidence::SeveralGlobalDefaults { others, used: name(used) },
        ));
    }
    let older: Vec<i32> = cluster
        .pods
        .iter()
        .filter(|pod| pod.is_active() && cluster.template(pod).priority_class.is_empty())
        .map(|pod| pod.priority)
        .filter(|priority| i64::from(*priority) != used.value)
        .collect();
    if let Some(priority) = older.iter().min() {
        let evidence = Evidence::OlderThanGlobalDefault {
            pods: older.len(),
            class: name(used),
            value: used.value,
            priority: *priority,
        };
        findings.push(finding(&name(used), evidence));
    }
    // A class below zero is meant to be below what names no class.
    let below =
        cluster.priority_classes.iter().filter(|class| (0..used.value).contains(&class.value));
    for class in below.filter(|class| !class.global_default) {
        let (default, default_value) = (name(used), used.value);
        let evidence =
            Evidence::GlobalDefaultAboveClass { default, default_value, value: class.value };
        findings.push(finding(&name(class), evidence));
    }
}

/// Adds how the classes of `cluster` differ from those of `other`.
pub(super) fn compare(cluster: &Cluster, other: &Cluster, findings: &mut Vec<Finding>) {
    let mut differs = |name: &str, difference| {
        findings.push(finding(name, Evidence::ClassDiffers { difference }));
    };
    for class in &cluster.priority_classes {
        let name = cluster.text(class.name);
        let Some(there) = find(other, name) else {
            differs(name, ClassDifference::OnlyHere { value: class.value });
            continue;
        };
        if class.value != there.value {
            differs(name, ClassDifference::Value { here: class.value, there: there.value });
        }
        if class.never_preempts != there.never_preempts {
            differs(
                name,
                ClassDifference::PreemptionPolicy { preempts_here: !class.never_preempts },
            );
        }
        if class.global_default != there.global_default {
            differs(name, ClassDifference::GlobalDefault { default_here: class.global_default });
        }
    }
    for there in &other.priority_classes {
        let name = other.text(there.name);
        if find(cluster, name).is_none() {
            differs(name, ClassDifference::OnlyThere { value: there.value });
        }
    }
}

fn find<'c>(cluster: &'c Cluster, name: &str) -> Option<&'c PriorityClass> {
    cluster.priority_classes.iter().find(|class| cluster.text(class.name) == name)
}
