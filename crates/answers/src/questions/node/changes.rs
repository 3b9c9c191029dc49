//! The words and commands for what an administrator may change before nodes go. Nothing here runs
//! them.

use engine::cluster::budget::BudgetLimit;
use engine::cluster::owner::Workload;
use engine::simulation::sequence::{DrainChange, ReplicaLimits};
use serde_json::{Value, json};

use crate::words::shell_word;

/// The change in a clause, in the imperative.
pub fn text(change: &DrainChange) -> String {
    match change {
        DrainChange::Replica { workload, replicas, may_be_scaled } => {
            let Workload { kind, namespace, name } = workload;
            let before = replicas - 1;
            let unless = if *may_be_scaled {
                " (no HorizontalPodAutoscaler was read: where one sets them, raise its minReplicas \
                 instead)"
            } else {
                ""
            };
            format!(
                "scale {kind} {namespace}/{name} from {before} to {replicas} replicas first{unless}"
            )
        }
        DrainChange::MinReplicas { workload, autoscaler, replicas, before } => {
            let Workload { kind, namespace, name } = workload;
            let most = if *replicas > before.max {
                format!(" and maxReplicas {replicas}")
            } else {
                String::new()
            };
            format!(
                "set minReplicas {replicas}{most} in HorizontalPodAutoscaler {namespace}/{autoscaler} \
                 of {kind} {name} first (now {} to {})",
                before.min, before.max
            )
        }
        DrainChange::MaxUnavailable { namespace, name, pods, before } => {
            let now = match before {
                BudgetLimit::MinAvailable(least) => format!(" (now minAvailable {least})"),
                BudgetLimit::MaxUnavailable(most) => format!(" (now {most})"),
                BudgetLimit::Unknown => String::new(),
            };
            format!("set maxUnavailable {pods} in PDB {namespace}/{name} while it lasts{now}")
        }
        DrainChange::MinAvailable { namespace, name, least, before } => format!(
            "set minAvailable {least} in PDB {namespace}/{name} while it lasts (now {before})"
        ),
        DrainChange::EvictUnready { namespace, name } => format!(
            "set unhealthyPodEvictionPolicy AlwaysAllow in PDB {namespace}/{name} while it lasts"
        ),
    }
}

/// The command that lets pods onto nodes again that were cordoned for new replicas alone; `None`
/// without nodes.
pub fn uncordon(nodes: &[String]) -> Option<String> {
    let words: Vec<_> = nodes.iter().map(|node| shell_word(node)).collect();
    (!words.is_empty()).then(|| format!("kubectl uncordon {}", words.join(" ")))
}

/// The commands that make the change. `drained` are the nodes that a new replica must not go to.
pub fn commands(change: &DrainChange, drained: &[&str]) -> Vec<String> {
    match change {
        DrainChange::Replica { workload, replicas, .. } => {
            one_more(workload, scale(workload, *replicas), drained)
        }
        DrainChange::MinReplicas { workload, autoscaler, replicas, before } => {
            let limits = raised(*before, *replicas);
            one_more(workload, limit(&workload.namespace, autoscaler, limits, *before), drained)
        }
        DrainChange::MaxUnavailable { namespace, name, pods, .. } => {
            let spec = json!({"minAvailable": null, "maxUnavailable": pods});
            vec![patch(namespace, name, &spec)]
        }
        DrainChange::MinAvailable { namespace, name, least, .. } => {
            vec![patch(namespace, name, &json!({"minAvailable": least}))]
        }
        DrainChange::EvictUnready { namespace, name } => {
            vec![patch(namespace, name, &json!({"unhealthyPodEvictionPolicy": "AlwaysAllow"}))]
        }
    }
}

/// The commands for one more replica, which must not go to the nodes that are drained.
fn one_more(workload: &Workload, scales: String, drained: &[&str]) -> Vec<String> {
    let nodes: Vec<_> = drained.iter().map(|node| shell_word(node)).collect();
    let mut commands = Vec::new();
    if !nodes.is_empty() {
        commands.push(format!("kubectl cordon {}", nodes.join(" ")));
    }
    commands.push(scales);
    if workload.kind == "Deployment" {
        commands.push(format!("kubectl rollout status {}", object(workload)));
    }
    commands
}

/// The command that undoes it after the drain; `None` if what was there before is not known.
pub fn undo(change: &DrainChange) -> Option<String> {
    Some(match change {
        DrainChange::Replica { workload, replicas, .. } => scale(workload, replicas - 1),
        DrainChange::MinReplicas { workload, autoscaler, replicas, before } => {
            limit(&workload.namespace, autoscaler, *before, raised(*before, *replicas))
        }
        DrainChange::MaxUnavailable { namespace, name, before, .. } => {
            let spec = match before {
                BudgetLimit::MinAvailable(least) => {
                    json!({"minAvailable": written(least), "maxUnavailable": null})
                }
                BudgetLimit::MaxUnavailable(most) => json!({"maxUnavailable": written(most)}),
                BudgetLimit::Unknown => return None,
            };
            patch(namespace, name, &spec)
        }
        DrainChange::MinAvailable { namespace, name, before, .. } => {
            patch(namespace, name, &json!({"minAvailable": before}))
        }
        DrainChange::EvictUnready { namespace, name } => {
            patch(namespace, name, &json!({"unhealthyPodEvictionPolicy": "IfHealthyBudget"}))
        }
    })
}

/// A number as a number, a percentage as text.
fn written(limit: &str) -> Value {
    limit.parse::<i64>().map_or_else(|_| limit.into(), Value::from)
}

fn object(workload: &Workload) -> String {
    let kind = workload.kind.to_lowercase();
    format!("{kind}/{} -n {}", shell_word(&workload.name), shell_word(&workload.namespace))
}

fn scale(workload: &Workload, replicas: i64) -> String {
    format!("kubectl scale {} --replicas={replicas}", object(workload))
}

/// The limits of an autoscaler that keeps at least this many replicas.
fn raised(before: ReplicaLimits, replicas: i64) -> ReplicaLimits {
    ReplicaLimits { min: replicas, max: before.max.max(replicas) }
}

/// Sets the limits of a `HorizontalPodAutoscaler`, as far as they differ from those of `now`.
fn limit(namespace: &str, name: &str, limits: ReplicaLimits, now: ReplicaLimits) -> String {
    let spec = if limits.max == now.max {
        json!({"minReplicas": limits.min})
    } else {
        json!({"minReplicas": limits.min, "maxReplicas": limits.max})
    };
    patch_of("hpa", namespace, name, &spec)
}

fn patch(namespace: &str, name: &str, spec: &Value) -> String {
    patch_of("pdb", namespace, name, spec)
}

fn patch_of(resource: &str, namespace: &str, name: &str, spec: &Value) -> String {
    let (namespace, name) = (shell_word(namespace), shell_word(name));
    let patch = shell_word(&json!({"spec": spec}).to_string());
    format!("kubectl patch {resource} {name} -n {namespace} --type=merge -p {patch}")
}
