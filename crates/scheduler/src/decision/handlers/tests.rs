#![expect(clippy::needless_pass_by_value, reason = "tables of JSON, written where they are used")]

use serde_json::{Value, json};

use super::{Handler, HeldBy, PodHandler};
use crate::testing::{Pod, at, cluster, node, objects, pod};

pub(super) const GATE: &str = "kueue.x-k8s.io/admission";

pub(super) fn holder(mut others: Vec<Value>, held: Pod) -> Option<PodHandler> {
    let mut all = objects![node("n").cpu("4"), held];
    all.append(&mut others);
    at("1.37.1").look(&cluster(all), "p", |decision| decision.holder())
}

/// The word, the place and the message of a program.
pub(super) fn said(others: Vec<Value>, held: Pod, handler: Handler, by: HeldBy) -> [String; 3] {
    let found = holder(others, held).expect("a holder");
    assert_eq!((found.handler, found.by), (Some(handler), by));
    [found.reason.word, found.reason.place, found.reason.message]
}

pub(super) fn gated(gate: &str) -> Pod {
    pod("p").cpu("1").with("/spec/schedulingGates", json!([{"name": gate}]))
}

pub(super) fn annotated(held: Pod, key: &str, value: &str) -> Pod {
    held.with("/metadata/annotations", json!({key: value}))
}

pub(super) fn condition(kind: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({"type": kind, "status": status, "reason": reason, "message": message,
        "lastTransitionTime": "2026-01-01T00:00:00Z"})
}

pub(super) fn object(version: &str, kind: &str, name: &str, spec: Value, status: Value) -> Value {
    json!({"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}")},
        "spec": spec, "status": status})
}

/// A Workload of Kueue in LocalQueue `lq` with these conditions.
pub(super) fn workload(conditions: &[Value]) -> Value {
    object(
        "kueue.x-k8s.io/v1beta2",
        "Workload",
        "w",
        json!({"queueName": "lq"}),
        json!({"conditions": conditions}),
    )
}

#[test]
fn reason_that_is_not_read_is_a_note_and_only_then() {
    let note = |others: Vec<Value>, held: Pod| {
        let mut all = objects![node("n").cpu("4"), held];
        all.extend(others);
        at("1.37.1").look(&cluster(all), "p", |decision| {
            let found = decision.notes.iter().find(|note| note.doc.code == "PRE-968");
            found.map(|note| note.text.clone())
        })
    };
    let queued = || gated(GATE).label("kueue.x-k8s.io/queue-name", "lq");
    assert_eq!(
        note(vec![], queued()).as_deref(),
        Some(
            "why Kueue holds the pod is not known: the input has no workloads.kueue.x-k8s.io; kubectl get \
             workloads.kueue.x-k8s.io -A -o json adds them"
        )
    );
    let known = workload(&[condition("QuotaReserved", "False", "Pending", "full")]);
    assert_eq!(note(vec![known], annotated(queued(), "kueue.x-k8s.io/workload", "w")), None);
    assert_eq!(note(vec![], pod("p").cpu("1")), None);
}

#[test]
fn gates_come_before_scheduler_names_and_quotas() {
    let both = gated(GATE).scheduler("volcano");
    let found = holder(vec![], both).expect("a holder");
    assert_eq!((found.handler, found.by), (Some(Handler::Kueue), HeldBy::Gates));
    // A gate of an unknown program is shown by its name alone.
    assert_eq!(holder(vec![], gated("example.com/wait").scheduler("volcano")), None);
    let unknown = pod("p").scheduler("mine").refused("no");
    let found = holder(vec![], unknown).expect("a holder");
    assert_eq!((found.handler, found.reason.message.as_str()), (None, "no"));
    assert_eq!(holder(vec![], pod("p").cpu("9").refused("0/1 nodes are available")), None);
    let done = pod("p").scheduler("volcano").phase("Failed");
    assert_eq!(holder(vec![], done), None);
}

#[test]
fn long_message_is_cut_at_a_character() {
    let long = "ä".repeat(2000);
    let found = holder(vec![], pod("p").scheduler("volcano").refused(&long)).expect("a holder");
    assert_eq!(found.reason.message.chars().count(), super::MESSAGE + 1);
}
