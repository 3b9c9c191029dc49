//! Pods that tie on a node.

use serde_json::Value;

use crate::{NOW, node, objects, pod};

/// A full node `n` with pods `v0`, `v1`... of these requests in CPUs that started in the same
/// second, and a pod `p` that needs 2.
///
/// # Panics
/// When a request is not a whole number.
pub fn tied(cpus: &[&str]) -> Vec<Value> {
    let total: usize = cpus.iter().map(|cpu| cpu.parse::<usize>().expect("a number")).sum();
    let mut objects = objects![node("n").cpu(&total.to_string()), pod("p").cpu("2").priority(9)];
    let victims = cpus.iter().enumerate();
    objects.extend(
        victims.map(|(at, cpu)| Value::from(pod(&format!("v{at}")).cpu(cpu).on("n").started(NOW))),
    );
    objects
}
