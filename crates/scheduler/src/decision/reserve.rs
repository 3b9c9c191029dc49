//! Whether the scheduler can reserve what the pod needs on the node that it has chosen.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `schedulingCycle` (1.37).

use super::{Decision, OutcomeKind};
use crate::framework::plugin::Cycle;
use crate::plugins;
use model::notes::{Note, NoteDoc};

static FAILS: NoteDoc = NoteDoc {
    code: "PRE-969",
    name: "what the pod needs cannot be reserved",
    meaning: "The configuration runs a plugin's Reserve without its PreFilter or Filter, which find what is to be reserved. \
              kube-scheduler chooses a node, fails, and tries the pod again: it gets no node.",
};

/// What its notes mean.
pub(super) static DOCS: &[&NoteDoc] = &[&FAILS];

/// The note about a pod that fits and still gets no node, since Reserve of a plugin fails.
pub(super) fn doubts(decision: &Decision) -> Option<Note> {
    let profile = decision.profile();
    // After its own filter has passed, Reserve fails only if objects have changed.
    if decision.kind() != OutcomeKind::Schedulable || !profile.plugins.reserves_unprepared() {
        return None;
    }
    let cycle = Cycle::of(decision.view, decision.pod, decision.now);
    let error = plugins::reserve(&cycle, *decision.selected().first()?).err()?;
    let text = format!(
        "the pod fits, but kube-scheduler cannot reserve what it needs there, and it gets no node: {error}"
    );
    Some(Note::error(&FAILS, text).about(cycle.cluster().pod_subject(decision.pod)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{at, node, objects, pod};
    use profile::Profile;

    /// What the notes say of reserving for a pod that fits, with or without a claim for devices.
    fn said(adjust: fn(&mut Profile), claims: bool) -> Vec<String> {
        let mut asks = pod("p");
        let mut more: Vec<Value> = Vec::new();
        if claims {
            asks =
                asks.push("/spec/resourceClaims", json!({"name": "c", "resourceClaimName": "c"}));
            more.push(json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
                "metadata": {"name": "c", "namespace": "default", "uid": "c"}, "spec": {"devices": {"requests": [
                    {"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}}));
            more.push(json!({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"}}));
        }
        let objects = [objects![node("n")], more, objects![asks]].concat();
        let answer = at("1.37").with(adjust).decide(objects, "p");
        assert_eq!(answer.outcome(), "Schedulable");
        let texts = answer.notes.iter().map(|note| note.text.clone());
        texts.filter(|note| note.contains("cannot reserve")).collect()
    }

    #[test]
    fn reserve_without_its_filter_fails_for_pods_with_claims_to_allocate() {
        let no_filter = |profile: &mut Profile| {
            profile.plugins.filter.retain(|name| *name != "DynamicResources");
        };
        let found =
            "running Reserve plugin \"DynamicResources\": claim allocation not found for node";
        assert!(said(no_filter, true)[0].ends_with(found));
        assert!(said(no_filter, false).is_empty());
        let nowhere = |profile: &mut Profile| {
            profile.plugins.filter.retain(|name| *name != "DynamicResources");
            profile.plugins.reserve.retain(|name| *name != "DynamicResources");
        };
        assert!(said(nowhere, true).is_empty());
        assert!(said(|_| {}, false).is_empty());
    }

    #[test]
    fn reserve_without_state_fails_for_every_pod() {
        let no_state = |profile: &mut Profile| {
            profile.plugins.pre_filter.retain(|name| *name != "VolumeBinding");
            profile.plugins.filter.retain(|name| *name != "VolumeBinding");
        };
        let found = "running Reserve plugin \"VolumeBinding\": not found";
        assert!(said(no_state, false)[0].ends_with(found));
    }
}
