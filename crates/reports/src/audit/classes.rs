//! Priority classes: surprising defaults, classes without pods, and differences between clusters.

use json::audit::{Check as CheckName, ClassDifference, Evidence};

use super::NAMED;
use super::check::{CLASSES, Check, Finding, ObjectName};
use super::scope::AuditScope;
use model::cluster::Cluster;
use model::cluster::priority_class::{PriorityClass, SYSTEM_CLASSES};
use model::notes::Severity;
use model::snapshot::Kind;
use model::words::{count, have, list};

pub(super) static CHECKS: &[&Check] = &[
    &SEVERAL_DEFAULTS,
    &OLDER_THAN_DEFAULT,
    &DEFAULT_ABOVE_CLASS,
    &UNUSED,
    &DIFFERS,
    &DEFAULT_PREEMPTS,
];

const OF_CLASS: Check = Check {
    needs: CLASSES,
    rests_on: |found| vec![&found.object.name],
    rests_on_absent: true,
    ..Check::OF_PODS
};

fn finding(check: &'static Check, class: &str, evidence: Evidence) -> Finding {
    Finding { check, object: ObjectName::of_cluster(Kind::PriorityClass.name(), class), evidence }
}

fn name_of(class: &PriorityClass, cluster: &Cluster) -> String {
    cluster.text(class.name).to_owned()
}

fn defaults(cluster: &Cluster) -> impl Iterator<Item = &PriorityClass> {
    cluster.priority_classes.iter().filter(|class| class.global_default)
}

/// The effective global default.
///
/// Upstream: `plugin/pkg/admission/priority/admission.go` `getDefaultPriorityClass` (1.37): of
/// several defaults, the one with the lowest value.
fn used_default(cluster: &Cluster) -> Option<&PriorityClass> {
    defaults(cluster).min_by_key(|class| class.value)
}

static SEVERAL_DEFAULTS: Check = Check {
    code: "AUD-201",
    name: CheckName::SeveralGlobalDefaults,
    title: "Several priority classes are the global default",
    meaning: "Pods that name no class get the one with the lowest value.",
    fix: "set globalDefault: false on all classes but one",
    find: several_defaults,
    clause: |evidence| {
        let Evidence::SeveralGlobalDefaults { others, used } = evidence else { return None };
        Some(format!("{used} is used; also the default: {}", list(others, NAMED)))
    },
    reads_pods: false,
    rests_on: |found| match &found.evidence {
        Evidence::SeveralGlobalDefaults { others, used } => {
            others.iter().chain([used]).map(String::as_str).collect()
        }
        _ => Vec::new(),
    },
    rests_on_absent: false,
    ..OF_CLASS
};

fn several_defaults(scope: &AuditScope) -> Vec<Finding> {
    let cluster = scope.cluster;
    let Some(used) = used_default(cluster) else { return Vec::new() };
    let others = defaults(cluster).filter(|class| class.name != used.name);
    let others: Vec<String> = others.map(|class| name_of(class, cluster)).collect();
    if others.is_empty() {
        return Vec::new();
    }
    let evidence = Evidence::SeveralGlobalDefaults { others, used: name_of(used, cluster) };
    vec![finding(&SEVERAL_DEFAULTS, cluster.text(used.name), evidence)]
}

static OLDER_THAN_DEFAULT: Check = Check {
    code: "AUD-202",
    name: CheckName::OlderThanGlobalDefault,
    title: "Pods have another priority than the global default gives",
    meaning: "These pods name no priority class and were created before the default was set. Pods created after them get \
              another priority, and the higher ones preempt the lower ones.",
    fix: "restart these workloads, or name a class in their manifests",
    find: older_than_default,
    clause: |evidence| {
        let Evidence::OlderThanGlobalDefault { pods, class, value, priority } = evidence else {
            return None;
        };
        let (have, pods) = (have(*pods), count(*pods, "pod"));
        Some(format!(
            "gives {value}, but {pods} without a class {have} another priority, the lowest {priority} (default: {class})"
        ))
    },
    ..OF_CLASS
};

fn older_than_default(scope: &AuditScope) -> Vec<Finding> {
    let cluster = scope.cluster;
    let Some(used) = used_default(cluster) else { return Vec::new() };
    let older: Vec<i32> = cluster
        .pods
        .iter()
        .filter(|pod| pod.is_active() && cluster.template(pod).priority_class.is_empty())
        .map(|pod| pod.priority)
        .filter(|priority| i64::from(*priority) != used.value)
        .collect();
    let Some(priority) = older.iter().min().copied() else { return Vec::new() };
    let (class, value) = (name_of(used, cluster), used.value);
    let evidence = Evidence::OlderThanGlobalDefault { pods: older.len(), class, value, priority };
    vec![finding(&OLDER_THAN_DEFAULT, cluster.text(used.name), evidence)]
}

static DEFAULT_ABOVE_CLASS: Check = Check {
    code: "AUD-203",
    name: CheckName::GlobalDefaultAboveClass,
    severity: Severity::Info,
    title: "The global default is higher than another class",
    meaning: "Pods that name this class can be preempted by pods that name none.",
    fix: "lower the value of the default, or raise that of the class",
    find: default_above_class,
    clause: |evidence| {
        let Evidence::GlobalDefaultAboveClass { default, default_value, value } = evidence else {
            return None;
        };
        Some(format!(
            "has value {value}, below the {default_value} of the global default {default}"
        ))
    },
    reads_pods: false,
    rests_on: |found| match &found.evidence {
        Evidence::GlobalDefaultAboveClass { default, .. } => vec![default, &found.object.name],
        _ => Vec::new(),
    },
    ..OF_CLASS
};

fn default_above_class(scope: &AuditScope) -> Vec<Finding> {
    let cluster = scope.cluster;
    let Some(used) = used_default(cluster) else { return Vec::new() };
    let mut findings = Vec::new();
    for class in &cluster.priority_classes {
        // A class below zero is meant to rank below pods without a class.
        if !class.global_default && (0..used.value).contains(&class.value) {
            let (default, default_value) = (name_of(used, cluster), used.value);
            let value = class.value;
            let evidence = Evidence::GlobalDefaultAboveClass { default, default_value, value };
            findings.push(finding(&DEFAULT_ABOVE_CLASS, cluster.text(class.name), evidence));
        }
    }
    findings
}

static UNUSED: Check = Check {
    code: "AUD-204",
    name: CheckName::UnusedClass,
    severity: Severity::Info,
    title: "No pod has this priority class",
    meaning: "It may be left over, or meant for workloads that have no pods now.",
    fix: "delete the class if nothing will use it",
    find: unused,
    clause: |evidence| {
        let Evidence::UnusedClass { value } = evidence else { return None };
        Some(format!("value {value}"))
    },
    is_of_absence: true,
    ..OF_CLASS
};

fn unused(scope: &AuditScope) -> Vec<Finding> {
    let cluster = scope.cluster;
    let mut findings = Vec::new();
    for class in &cluster.priority_classes {
        let name = cluster.text(class.name);
        let is_of_system = SYSTEM_CLASSES.iter().any(|(system, _)| *system == name);
        let is_used =
            cluster.pods.iter().any(|pod| cluster.template(pod).priority_class == class.name);
        if !is_used && !is_of_system && !class.global_default {
            findings.push(finding(&UNUSED, name, Evidence::UnusedClass { value: class.value }));
        }
    }
    findings
}

pub(super) static DIFFERS: Check = Check {
    code: "AUD-205",
    name: CheckName::ClassDiffers,
    title: "A priority class differs from the other cluster",
    meaning: "The same manifest gets another priority in each cluster, or is refused in one of them.",
    fix: "apply the same classes to both clusters; a value can only be changed by recreating the class",
    find: differs,
    clause: |evidence| {
        let Evidence::ClassDiffers { difference } = evidence else { return None };
        Some(match difference {
            ClassDifference::OnlyHere { value } => {
                format!("value {value}; the other cluster does not have it")
            }
            ClassDifference::OnlyThere { value } => {
                format!("only the other cluster has it, with value {value}")
            }
            ClassDifference::Value { here, there } => {
                format!("value {here}; in the other cluster {there}")
            }
            ClassDifference::PreemptionPolicy { preempts_here: true } => {
                "its pods preempt; in the other cluster its preemptionPolicy is Never".to_owned()
            }
            ClassDifference::PreemptionPolicy { preempts_here: false } => {
                "its preemptionPolicy is Never; in the other cluster its pods preempt".to_owned()
            }
            ClassDifference::GlobalDefault { default_here: true } => {
                "is the global default only here".to_owned()
            }
            ClassDifference::GlobalDefault { default_here: false } => {
                "is the global default only in the other cluster".to_owned()
            }
            ClassDifference::Other => return None,
        })
    },
    is_made: |scope| scope.other.is_some(),
    reads_pods: false,
    is_of_absence: true,
    ..OF_CLASS
};

/// How the classes of the cluster differ from those of the other one.
fn differs(scope: &AuditScope) -> Vec<Finding> {
    let Some(other) = scope.other else { return Vec::new() };
    let cluster = scope.cluster;
    let mut findings = Vec::new();
    let mut differs = |name: &str, difference| {
        findings.push(finding(&DIFFERS, name, Evidence::ClassDiffers { difference }));
    };
    // Each field that differs is a finding of its own: each changes other pods' chances.
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
    findings
}

static DEFAULT_PREEMPTS: Check = Check {
    code: "AUD-206",
    name: CheckName::GlobalDefaultPreempts,
    title: "Pods that name no class preempt others",
    meaning: "The global default has a priority above 0 and may preempt. Every new pod without a class evicts pods of a lower \
              priority if it fits nowhere: pods from before the default, and those of lower classes.",
    fix: "recreate the default with preemptionPolicy: Never, and name classes in the workloads that are to preempt",
    find: default_preempts,
    clause: |evidence| {
        let Evidence::GlobalDefaultPreempts { value, lower } = evidence else { return None };
        let victims = match lower {
            0 => "no running pod is lower now".to_owned(),
            lower => format!(
                "{} {} lower",
                count(*lower, "running pod"),
                if *lower == 1 { "is" } else { "are" }
            ),
        };
        Some(format!("gives {value} to every pod that names no class; {victims}"))
    },
    ..OF_CLASS
};

fn default_preempts(scope: &AuditScope) -> Vec<Finding> {
    let cluster = scope.cluster;
    let Some(used) = used_default(cluster) else { return Vec::new() };
    // With value 0 pods have the priority that they would have without the class.
    if used.value <= 0 || used.never_preempts {
        return Vec::new();
    }
    let running = cluster.pods.iter().filter(|pod| pod.is_running());
    let lower = running.filter(|pod| i64::from(pod.priority) < used.value).count();
    let evidence = Evidence::GlobalDefaultPreempts { value: used.value, lower };
    vec![finding(&DEFAULT_PREEMPTS, cluster.text(used.name), evidence)]
}

fn find<'c>(cluster: &'c Cluster, name: &str) -> Option<&'c PriorityClass> {
    cluster.priority_classes.iter().find(|class| cluster.text(class.name) == name)
}

#[cfg(test)]
pub(super) mod tests {
    use crate::audit::tests::{Example, web};
    use testing::{objects, priority_class};

    pub(in crate::audit) fn examples() -> Vec<Example> {
        let default = |name, value| priority_class(name, value).with("/globalDefault", true);
        let newer = web("w").priority(100).with("/spec/priorityClassName", "normal");
        let user = web("w").priority(5).with("/spec/priorityClassName", "used");
        vec![
            Example {
                code: "AUD-201",
                found: objects![default("a", 1), default("b", 2)],
                clean: objects![default("a", 1)],
            },
            Example {
                code: "AUD-202",
                found: objects![default("normal", 100), web("w")],
                clean: objects![default("normal", 100), newer],
            },
            Example {
                code: "AUD-203",
                found: objects![default("normal", 100), priority_class("low", 10)],
                clean: objects![default("normal", 100), priority_class("background", -10)],
            },
            Example {
                code: "AUD-204",
                found: objects![priority_class("gone", 5)],
                clean: objects![priority_class("used", 5), user],
            },
            Example {
                code: "AUD-206",
                found: objects![default("normal", 100), web("w")],
                clean: objects![
                    default("normal", 100).with("/preemptionPolicy", "Never"),
                    web("w")
                ],
            },
        ]
    }
}
