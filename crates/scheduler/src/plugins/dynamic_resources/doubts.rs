//! What the devices that a pod gets depend on: objects that may be missing, expressions that cannot
//! be evaluated here, and the time that the search takes.

use super::extended::Special;
use super::filter::Claims;
use super::{DOC, DynamicResources, claims};
use crate::framework::doubts::{DoubtContext, Doubts, Reliance};
use crate::framework::plugin::Cycle;
use crate::framework::plugin::RuleDoc;
use dra::cel::CompileError;
use model::cluster::Kind;
use model::cluster::resources::is_extended;
use model::notes::{Note, NoteDoc, Severity, Subject};

static OTHER_WORDS: NoteDoc = NoteDoc {
    code: "PRE-955",
    name: "a device selector that does not compile",
    meaning: "kube-scheduler also fails on the selector or derived attribute, but with another error text.",
};
static UNKNOWN_SELECTOR: NoteDoc = NoteDoc {
    code: "PRE-956",
    name: "a device selector that is not known here",
    meaning: "The selector or derived attribute uses something of CEL that is not known here, or takes too many steps: which devices \
              it selects is not known.",
};
static GAVE_UP: NoteDoc = NoteDoc {
    code: "PRE-957",
    name: "the search for devices was given up",
    meaning: "kube-scheduler stops the search on a node after ten seconds; here it stops after a number of steps that all waiting \
              pods share, which may be sooner or later.",
};
static CLAIMS_OFF: NoteDoc = NoteDoc {
    code: "PRE-958",
    name: "resource claims that do not count",
    meaning: "The pod has resource claims, which this version reads only with a gate that is off by default.",
};

static MAP_ORDER: NoteDoc = NoteDoc {
    code: "PRE-964",
    name: "a device selector that depends on an order",
    meaning: "The selector makes a list of the entries of a map and looks at their places in it. kube-scheduler goes through maps in an order that differs each time.",
};

static NOTES: &[&NoteDoc] = &[&OTHER_WORDS, &UNKNOWN_SELECTOR, &GAVE_UP, &CLAIMS_OFF, &MAP_ORDER];

impl Doubts for DynamicResources {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn notes(&self) -> &'static [&'static NoteDoc] {
        NOTES
    }

    fn doubts(&self, context: &DoubtContext) -> Vec<Note> {
        let (cycle, cluster) = (context.cycle, context.cycle.cluster());
        if !cycle.features().dra.dynamic_resources {
            return if cycle.template.claims.is_empty() {
                Vec::new()
            } else {
                vec![claims_off(cycle)]
            };
        }
        if cycle.template.claims.is_empty() && cluster.devices.classes.is_empty() {
            return Vec::new();
        }
        let Ok(Some(claims)) = Claims::new(cycle) else { return Vec::new() };
        let mut notes = selectors(context, &claims);
        notes.extend(derivations(context, &claims));
        notes.extend(gave_up(context));
        notes
    }

    fn relies_on(&self, kind: Kind, context: &DoubtContext) -> Option<Reliance> {
        let features = &context.cycle.features().dra;
        let devices = matches!(
            kind,
            Kind::DeviceClass | Kind::ResourceClaim | Kind::ResourceSlice | Kind::DeviceTaintRule
        );
        if !features.dynamic_resources || !devices {
            return None;
        }
        if !context.cycle.template.claims.is_empty() {
            // Few clusters have taint rules. A pod whose claims are missing waits for them, and one
            // whose claims have devices needs no others.
            let waits = claims::of_pod(context.cycle.cluster(), context.cycle.ix, features)
                .is_ok_and(|claims| claims.iter().any(|(_, claim)| claim.allocation.is_none()));
            let needed = matches!(kind, Kind::DeviceClass | Kind::ResourceSlice) && waits;
            return Some(Reliance::whole(needed.then_some(Severity::Error)));
        }
        if !features.dra_extended_resources || !asks_for_extended(context) {
            return None;
        }
        if kind == Kind::DeviceClass {
            let effect = "one of them may stand for an extended resource that the pod requests";
            return Some(Reliance::partial(Severity::Error, effect));
        }
        // A class maps to devices, which other pods may hold.
        let without = Claims::new(context.cycle)
            .is_ok_and(|claims| claims.is_none_or(|claims| claims.special.is_none()));
        (!without).then_some(Reliance::whole(None))
    }
}

/// The note about claims that are ignored. Unless a flag says that the gate is off, the pod itself
/// suggests that it is on: an API server with the gate off drops the claims of pods.
fn claims_off(cycle: &Cycle) -> Note {
    const GATE: &str = "DynamicResourceAllocation";
    let subject = cycle.cluster().pod_subject(cycle.ix);
    let note = if cycle.view.profile.gates.contains_key(GATE) {
        Note::warning(
            &CLAIMS_OFF,
            format!("its resource claims count only with the gate {GATE}, which is off"),
        )
    } else {
        let text = format!(
            "its resource claims count only with the gate {GATE}, which is off by default in this version; a cluster that \
             keeps such pods has it on, and decides otherwise"
        );
        Note::error(&CLAIMS_OFF, text)
    };
    note.about(subject)
}

/// Whether the pod requests an extended resource.
fn asks_for_extended(context: &DoubtContext) -> bool {
    let (cycle, cluster) = (context.cycle, context.cycle.cluster());
    let scalars = cycle.view.incoming(cycle.pod).scalars;
    scalars.iter().any(|(name, amount)| *amount != 0 && is_extended(cluster.text(*name)))
}

/// Notes about selectors, of the pod's claims or of classes behind its extended resources, that
/// cannot be evaluated.
fn selectors(context: &DoubtContext, claims: &Claims) -> Vec<Note> {
    let cluster = context.cycle.cluster();
    let Some(allocator) = &claims.allocator else { return Vec::new() };
    let of_claims = claims.user.iter().filter(|(_, claim)| claim.allocation.is_none()).flat_map(
        |(_, claim)| {
            let about = Subject::object(
                Kind::ResourceClaim,
                cluster.text(claim.namespace),
                cluster.text(claim.name),
            );
            claims::expressions(cluster, claim).map(move |expression| (expression, about.clone()))
        },
    );
    let of_pod = claims.special.iter().flat_map(Special::expressions);
    let of_pod = of_pod.map(|expression| (expression, cluster.pod_subject(context.cycle.ix)));
    let mut notes = Vec::new();
    for (expression, about) in of_claims.chain(of_pod) {
        let text = cluster.text(expression);
        let Some(selector) = allocator.selector(expression) else { continue };
        let note = match selector.compile_error() {
            Some(CompileError::Invalid(_)) => continue,
            Some(CompileError::Syntax(e)) => other_words(&format!("selector `{text}`"), e),
            Some(CompileError::Unsupported(what)) => unknown_selector(text, what),
            None => match selector.unknown_result(cluster) {
                Some(what) => unknown_selector(text, &what),
                None if selector.depends_on_map_order(cluster) => depends_on_map_order(text),
                None => continue,
            },
        };
        notes.push(note.about(about));
    }
    notes
}

fn unknown_selector(text: &str, what: &str) -> Note {
    Note::error(
        &UNKNOWN_SELECTOR,
        format!(
            "selector `{text}` {what}, which is not known here: it counts as matching no device"
        ),
    )
}

fn depends_on_map_order(text: &str) -> Note {
    let order = "depends on the order of a map, which differs from time to time";
    Note::error(&MAP_ORDER, format!("which devices selector `{text}` selects {order}"))
}

/// Notes about expressions of derived attributes that cannot be evaluated.
fn derivations(context: &DoubtContext, claims: &Claims) -> Vec<Note> {
    let cluster = context.cycle.cluster();
    let Some(allocator) = &claims.allocator else { return Vec::new() };
    let waiting = claims.user.iter().filter(|(_, claim)| claim.allocation.is_none());
    let mut notes = Vec::new();
    for (_, claim) in waiting {
        let (namespace, name) = (cluster.text(claim.namespace), cluster.text(claim.name));
        let subject = Subject::object(Kind::ResourceClaim, namespace, name);
        for expression in claims::derivations(claim) {
            let Some(derivation) = allocator.derivation(expression) else { continue };
            let what = format!("derived attribute `{}`", cluster.text(expression));
            let unknown = match derivation.compile_error() {
                Some(CompileError::Invalid(_)) => continue,
                Some(CompileError::Syntax(e)) => {
                    notes.push(other_words(&what, e).about(subject.clone()));
                    continue;
                }
                Some(CompileError::Unsupported(unknown)) => unknown.clone(),
                None => match derivation.unknown_attribute(cluster) {
                    Some(unknown) => unknown,
                    None => continue,
                },
            };
            let text = format!("{what} {unknown}, which is not known here: it counts as missing");
            notes.push(Note::error(&UNKNOWN_SELECTOR, text).about(subject.clone()));
        }
    }
    notes
}

fn other_words(what: &str, error: &str) -> Note {
    let error = error.lines().next().unwrap_or_default();
    let words = "the scheduler's error has the same cause but other words";
    Note::warning(&OTHER_WORDS, format!("{what} does not compile; {words}: {error}"))
}

/// The note about nodes on which the search for devices was given up.
fn gave_up(context: &DoubtContext) -> Option<Note> {
    let count = context.verdicts.iter().filter(|verdict| verdict.is_given_up()).count();
    let text = format!(
        "the search for devices was given up on {count} nodes, after as many steps as it may take here; the scheduler gives up \
         after ten seconds, which may be sooner or later"
    );
    (count > 0).then(|| {
        Note::error(&GAVE_UP, text).about(context.cycle.cluster().pod_subject(context.cycle.ix))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{at, node, notes_of, objects, pod, without};

    #[test]
    fn devices_matter_to_pods_with_claims_and_classes_to_extended_resources() {
        let claiming = || {
            pod("p")
                .with("/spec/resourceClaims", json!([{"name": "gpu", "resourceClaimName": "c"}]))
        };
        for resource in ["deviceclasses", "resourceclaims", "resourceslices", "devicetaintrules"] {
            assert_eq!(
                without("1.37", resource, objects![node("n"), pod("p")]),
                "info",
                "{resource}"
            );
            assert_eq!(
                without("1.37", resource, objects![node("n"), claiming()]),
                "error",
                "{resource}"
            );
            let extended = objects![
                node("n").allocatable("example.com/gpu", "1"),
                pod("p").requests("example.com/gpu", "1")
            ];
            let expected = if resource == "deviceclasses" { "error" } else { "info" };
            assert_eq!(without("1.37", resource, extended), expected, "{resource}");
        }
        assert_eq!(without("1.30", "deviceclasses", objects![node("n"), claiming()]), "info");
    }

    #[test]
    fn kinds_that_claims_need_and_that_are_not_in_the_input_are_named() {
        let claiming = || {
            pod("p")
                .with("/spec/resourceClaims", json!([{"name": "gpu", "resourceClaimName": "c"}]))
        };
        let claim =
            || json!({"kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "default"}});
        let missed = |objects, header| {
            notes_of("1.37", objects, &header).iter().any(|n| n.contains("not in the input"))
        };
        let listed = || json!({"resourceVersions": {"deviceclasses": "1", "resourceslices": "1", "resourceclaims": "1"}});
        assert!(missed(objects![node("n"), claim(), claiming()], json!({})));
        assert!(
            !missed(objects![node("n"), claim(), claiming()], listed()),
            "they were read, and there are none"
        );
        assert!(!missed(objects![node("n"), pod("p")], json!({})), "a pod without claims");
        assert!(
            !missed(objects![node("n"), claiming()], json!({})),
            "a pod that waits for its claim"
        );
    }

    #[test]
    fn ignored_claims_make_the_answer_uncertain_unless_the_gate_is_off() {
        let claiming = || {
            pod("p")
                .with("/spec/resourceClaims", json!([{"name": "gpu", "resourceClaimName": "c"}]))
        };
        for (row, version, gates, severity) in [
            ("a default", "1.33", "", "error"),
            ("said", "1.33", "DynamicResourceAllocation=false", "warning"),
            (
                "said of a version in which it is on by default",
                "1.34",
                "DynamicResourceAllocation=false,DRAPrioritizedList=false,DRASchedulerFilterTimeout=false",
                "warning",
            ),
        ] {
            let answer = at(version).gates(gates).decide(objects![node("n"), claiming()], "p");
            let about = |note: &&String| note.contains("its resource claims count only with");
            let notes: Vec<String> =
                answer.notes().iter().filter(about).map(ToString::to_string).collect();
            assert!(
                matches!(notes.as_slice(), [one] if one.starts_with(severity)),
                "{row}: {notes:?}"
            );
        }
    }

    #[test]
    fn selector_that_depends_on_the_order_of_a_map_makes_the_answer_unsure() {
        let notes = |selector: &str| {
            let class = json!({"kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}});
            let slice = json!({"kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": {
                "driver": "d.example.com", "nodeName": "n", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
                "devices": [{"name": "x", "attributes": {"a": {"string": "1"}, "b": {"string": "2"}, "c": {"string": "3"}}}]}});
            let exactly =
                json!({"deviceClassName": "gpu", "selectors": [{"cel": {"expression": selector}}]});
            let claim = json!({"kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "default"},
                "spec": {"devices": {"requests": [{"name": "r", "exactly": exactly}]}}});
            let claiming = pod("p")
                .with("/spec/resourceClaims", json!([{"name": "gpu", "resourceClaimName": "c"}]));
            notes_of("1.37", objects![node("n"), class, slice, claim, claiming], &json!({}))
        };
        let unsure = |selector: &str| {
            notes(selector)
                .iter()
                .any(|n| n.starts_with("error") && n.contains("the order of a map"))
        };
        let own = r#"device.attributes["d.example.com"]"#;
        for (selector, want) in [
            (format!(r#"{own}.map(k, k)[0] == "a""#), true),
            (format!(r#"{own}.map(k, k)[1] == "b""#), true),
            (format!(r#"{own}.exists(k, k == "b")"#), false),
            (format!("{own}.map(k, k).size() == 3"), false),
        ] {
            assert_eq!(unsure(&selector), want, "{selector}: {:?}", notes(&selector));
        }
    }
}
