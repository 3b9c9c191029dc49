mod evidence;
mod facts;

use serde_json::{Value, json};

use answers::origin::SourceKind;
use engine::decision::sampling::Starts;
use testing::{At, at, budget, cluster, node, objects, pod};

/// A scheduler's decision about `p`, with the filters after the first rejection.
fn decided(scheduler: At, objects: Vec<Value>) -> Value {
    scheduler.look(&cluster(objects), "p", |decision| {
        decision.run_other_filters();
        serde_json::to_value(super::pod_report(&decision.clone().into(), SourceKind::File))
            .expect("plain JSON")
    })
}

/// A node of 2 cpus that are in use.
fn full(name: &str) -> Value {
    json!({
        "name": name, "verdict": "Filtered", "stage": "Filter", "plugin": "NodeResourcesFit", "code": "Unschedulable",
        "reasons": ["Insufficient cpu"], "reasonCodes": ["PRE-201"],
        "evidence": [{"resource": "cpu", "requested": "1", "used": "2", "allocatable": "2"}], "alsoRefusedBy": [],
    })
}

fn victim(name: &str, budgets: &[&str]) -> Value {
    let mut victim = json!({
        "namespace": "default", "name": name, "uid": format!("uid-{name}"), "resourceVersion": "", "priority": 1,
        "startTime": null, "terminating": false, "owner": null, "pdbViolations": budgets,
        "blocks": {
            "plugin": "NodeResourcesFit", "reasons": ["Insufficient cpu"], "reasonCodes": ["PRE-201"],
            "evidence": [{"resource": "cpu", "requested": "1", "used": "2", "allocatable": "2"}],
        },
    });
    if let [budget] = budgets {
        victim["budgets"] = json!([{"name": budget, "allowed": 0}]);
    }
    victim
}

/// What filtering says of the nodes.
fn filtered() -> Value {
    let also = json!({
        "plugin": "NodeResourcesFit", "code": "UnschedulableAndUnresolvable", "reasons": ["Insufficient cpu"],
        "reasonCodes": ["PRE-201"],
        "evidence": [{"resource": "cpu", "requested": "1", "used": "0", "allocatable": "500m"}],
    });
    json!([
        {
            "name": "a", "verdict": "Filtered", "stage": "Filter", "plugin": "NodeUnschedulable",
            "code": "UnschedulableAndUnresolvable", "reasons": ["node(s) were unschedulable"],
            "reasonCodes": ["PRE-212"], "evidence": [{"unschedulable": true}], "alsoRefusedBy": [also],
        },
        full("b"),
        full("c"),
    ])
}

/// What preemption would do on them.
fn dry_run() -> Value {
    json!({
        "eligible": true, "ineligibleReason": null,
        "nodes": [
            {
                "name": "a", "verdict": "NotHelpful", "reasons": ["Preemption is not helpful for scheduling"],
                "reasonCodes": ["PRE-301"],
            },
            {
                "name": "b", "verdict": "Candidate", "victims": [victim("u", &["default/b"])],
                "numPDBViolations": 1, "spared": [], "reasons": [], "reprieveOrder": ["default/u"],
            },
            {
                "name": "c", "verdict": "Candidate", "victims": [victim("v", &[])], "numPDBViolations": 0,
                "spared": [{
                    "namespace": "default", "name": "w", "priority": 2, "startTime": null, "terminating": false,
                    "owner": null, "violatesPDB": false, "why": "fits back",
                }],
                "reasons": [], "reprieveOrder": ["default/w", "default/v"],
            },
        ],
        "ladder": [{"criterion": "fewest PDB violations", "values": {"b": 1, "c": 0}, "survivors": ["c"]}],
        "winners": ["c"],
    })
}

#[test]
fn a_preemption_with_everything_it_says() {
    let objects = objects![
        node("a").cpu("500m").cordoned(),
        node("b").cpu("2"),
        node("c").cpu("2"),
        budget("b").selects("app", "web"),
        pod("u").label("app", "web").cpu("2").priority(1).on("b"),
        pod("v").cpu("1").priority(1).on("c"),
        pod("w").cpu("1").priority(2).on("c"),
        pod("p").cpu("1").priority(9),
    ];
    let message = "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu.";
    let condition =
        "preemption: found a potential placement for pod on node c, preempting 1 victims";
    let want = json!({
        "apiVersion": "kubectl-preempt.github.io/v1", "kind": "Decision",
        "pod": {
            "namespace": "default", "name": "p", "uid": "uid-p", "priority": 9,
            "preemptionPolicy": "PreemptLowerPriority", "schedulerName": "default-scheduler", "nominatedNodeName": null,
        },
        "scheduler": {
            "version": "1.37", "versionSource": "flag", "profile": "default-scheduler", "config": "default",
        },
        "source": {"kind": "file", "capturedAt": null, "resourceVersions": {}},
        "outcome": "Preempt", "why": null, "error": null, "decidedAt": "2026-01-01T00:00:00Z",
        "headline": "default/p (priority 9): no node fits; kube-scheduler will evict 1 pod on c.",
        "message": message, "conditionMessage": format!("{message} {condition}"),
        "preFilter": null,
        "nodes": filtered(),
        "nearest": {
            "nodes": ["b", "c"], "nearness": "Full", "plugin": "NodeResourcesFit", "reason": "Insufficient cpu",
        },
        "preemption": dry_run(),
        "selected": {
            "certainty": "Certain", "nodes": ["c"], "victims": [{"node": "c", "sets": [["default/v"]]}],
        },
        "waiting": {
            "keptBy": [],
            "retriedOn": [
                {
                    "plugin": "NodeUnschedulable",
                    "when": "a node is added or its taints change, the pod's tolerations change",
                },
                {
                    "plugin": "NodeResourcesFit",
                    "when": "a node is added or its allocatable changes, a pod is deleted or scaled down",
                },
            ],
            "firstBackoffSeconds": 1, "longestBackoffSeconds": 10, "flushSeconds": 300,
        },
        "notes": [],
    });
    let mut got = decided(at("1.37"), objects);
    let filters =
        got["scheduler"].as_object_mut().and_then(|scheduler| scheduler.remove("filters"));
    assert_eq!(filters.and_then(|filters| filters.as_array().map(Vec::len)), Some(14));
    assert_eq!(got, want);
}

#[test]
fn a_node_that_fits_has_its_scores() {
    let objects = objects![node("a").cpu("2"), node("b").cpu("4"), pod("p").cpu("1")];
    let got = decided(at("1.37"), objects);
    let (b, taints) = (&got["nodes"][1], "TaintToleration");
    assert_eq!(
        (&b["name"], &b["verdict"], &b["score"]),
        (&json!("b"), &json!("Feasible"), &json!(450))
    );
    assert_eq!(b["scores"][taints], 300);
    assert_eq!(
        b["scoreDetails"][taints],
        json!({"raw": 0, "normalized": 100, "weight": 3, "weighted": 300})
    );
    assert_eq!(got["selected"], json!({"certainty": "Certain", "nodes": ["b"]}));
    assert_eq!(
        (&got["message"], &got["conditionMessage"], &got["preemption"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
}

#[test]
fn a_pod_without_a_cycle_says_why() {
    let got = decided(at("1.37"), objects![node("a"), pod("p").gated("g")]);
    let why = "Pod default/p waits for its scheduling gate [g]; kube-scheduler ignores it until it is removed.";
    assert_eq!(
        (&got["outcome"], &got["why"], &got["nodes"]),
        (&json!("NotInQueue"), &json!(why), &json!([]))
    );
    assert_eq!(got["waiting"], Value::Null);
}

#[test]
fn a_pod_that_pre_filter_rejects_names_the_plugin() {
    let got = decided(at("1.37"), objects![node("n"), pod("p").claim("c")]);
    let want = json!({
        "plugin": "VolumeRestrictions", "code": "UnschedulableAndUnresolvable",
        "reasons": ["persistentvolumeclaim \"c\" not found"], "reasonCodes": ["PRE-240"],
    });
    assert_eq!((&got["preFilter"], &got["nodes"][0]["verdict"]), (&want, &json!("NotTried")));
}

#[test]
fn odds_are_fractions() {
    let two = |version| {
        at(version).with(|profile| {
            (
                profile.args.min_candidate_nodes_absolute,
                profile.args.min_candidate_nodes_percentage,
            ) = (2, 0);
        })
    };
    let objects = || {
        let full = |name: &str| node(name).cpu("2");
        let running =
            |name: &str, node: &str, priority| pod(name).cpu("2").priority(priority).on(node);
        objects![
            full("a"),
            full("b"),
            full("c"),
            running("x", "a", 1),
            running("y", "b", 2),
            running("z", "c", 3),
            pod("p").cpu("2").priority(9),
        ]
    };
    let got = decided(two("1.31").as_scheduled(Starts::All), objects());
    let want = json!({
        "certainty": "Sampled", "nodes": ["a", "b"], "sampleSize": 2,
        "odds": [{"node": "a", "probability": "2/3"}, {"node": "b", "probability": "1/3"}],
        "victims": [{"node": "a", "sets": [["default/x"]]}, {"node": "b", "sets": [["default/y"]]}],
    });
    assert_eq!(got["selected"], want);
    let found = &got["asScheduled"];
    assert_eq!(
        (&found["kind"], &found["sampled"], &found["starts"]),
        (&json!("preemption"), &json!(true), &json!(3))
    );
    let first = &found["nodes"][0];
    assert_eq!(
        (&first["name"], &first["numerator"], &first["denominator"]),
        (&json!("a"), &json!(2), &json!(3))
    );
    assert_eq!((&first["bestFrom"], &first["tiedFrom"]), (&json!(2), &json!(0)));
    // In an order that is not known any two of the three are compared, so every candidate but the
    // worst may win.
    let got = decided(two("1.32"), objects());
    assert_eq!((&got["selected"]["possible"], &got["asScheduled"]), (&json!(2), &Value::Null));
}

#[test]
fn nomination_has_its_reserved_node_and_its_end() {
    let p = || pod("p").cpu("2").priority(9).nominated("n");
    let of = |objects| decided(at("1.37"), objects)["nomination"].clone();
    let taken = of(objects![node("n").cpu("2"), pod("other").cpu("1").priority(9).on("n"), p()]);
    let want = json!({
        "node": "n", "state": "DoesNotFit", "reserves": {"cpu": "2"}, "takenBy": ["default/other"], "ends": "Cleared",
    });
    assert_eq!(taken, want);
    let gone = of(objects![node("m").cpu("1"), p()]);
    assert_eq!(gone, json!({"node": "n", "state": "NodeGone", "reserves": {}, "ends": "Cleared"}));
    let victim = pod("v").cpu("1").priority(1).on("n").preempted();
    let victim = victim.with("/metadata/deletionTimestamp", "2025-12-31T23:00:00Z");
    let held = victim.with("/metadata/finalizers", json!(["example.com/protect"]));
    let stuck = of(objects![node("n").cpu("2"), held, p()]);
    let by = json!([{
        "pod": "default/v", "overdueSeconds": 3600, "keptBy": ["Finalizers"], "finalizers": ["example.com/protect"],
    }]);
    assert_eq!(
        (&stuck["state"], &stuck["stuck"], &stuck["ends"]),
        (&json!("Stuck"), &by, &json!("VictimsGone"))
    );
    assert_eq!(of(objects![node("n").cpu("4"), p()])["state"], "Used");
    assert_eq!(of(objects![node("n").cpu("4"), pod("p").cpu("2")]), Value::Null);
}
