use serde_json::{Value, json};

use crate::framework::operands::{EmptiestDomain, Fewest};

use super::evidence::MissingTopologyLabel;
use crate::framework::evidence::Skew;
use crate::testing::{At, Pod, at, decide, labels, node, objects, pod};

const SKEW: &str = "U PodTopologySpread: node(s) didn't match pod topology spread constraints";
const NO_LABEL: &str = "UU PodTopologySpread: node(s) didn't match pod topology spread constraints (missing required label)";

fn web(name: &str, node: &str) -> Pod {
    pod(name).label("app", "web").on(node)
}

fn incoming() -> Pod {
    pod("p").label("app", "web")
}

/// Nodes a1 and a2 in zone a, b in zone b, c without a zone.
fn zones() -> Vec<Value> {
    objects![node("a1").zone("a"), node("a2").zone("a"), node("b").zone("b"), node("c")]
}

/// Verdicts of a1, b and c.
fn verdicts(objects: Vec<Value>) -> [String; 3] {
    let answer = decide([zones(), objects].concat(), "p");
    ["a1", "b", "c"].map(|n| answer.node(n))
}

#[test]
fn no_domain_exceeds_the_emptiest_by_more_than_the_skew() {
    let spread = || incoming().spread("zone", 1, "app", "web");
    for (row, objects, want) in [
        ("all empty", objects![spread()], ["fits", "fits", NO_LABEL]),
        ("one ahead", objects![web("w", "a2"), spread()], [SKEW, "fits", NO_LABEL]),
        (
            "level again",
            objects![web("w", "a2"), web("x", "b"), spread()],
            ["fits", "fits", NO_LABEL],
        ),
        (
            "a skew of two",
            objects![web("w", "a2"), incoming().spread("zone", 2, "app", "web")],
            ["fits", "fits", NO_LABEL],
        ),
        (
            "pods on nodes without the label do not count",
            objects![web("w", "c"), spread()],
            ["fits", "fits", NO_LABEL],
        ),
        (
            "other labels do not count",
            objects![web("w", "a1").label("app", "db"), spread()],
            ["fits", "fits", NO_LABEL],
        ),
        (
            "other namespaces do not count",
            objects![web("w", "a1").ns("other"), spread()],
            ["fits", "fits", NO_LABEL],
        ),
        (
            "pods that are being deleted do not count",
            objects![web("w", "a1").terminating(), spread()],
            ["fits", "fits", NO_LABEL],
        ),
        (
            "a pod that does not match its own constraint adds nothing",
            objects![web("w", "a1"), pod("p").spread("zone", 1, "app", "web")],
            ["fits", "fits", NO_LABEL],
        ),
        (
            "and is still rejected where there are too many",
            objects![web("w", "a1"), web("x", "a2"), pod("p").spread("zone", 1, "app", "web")],
            [SKEW, "fits", NO_LABEL],
        ),
        (
            "a constraint that only scores",
            objects![
                web("w", "a1"),
                incoming().constraint(json!({"topologyKey": "zone", "maxSkew": 1,
                "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": labels("app", "web")}))
            ],
            ["fits"; 3],
        ),
        ("no constraint", objects![web("w", "a1"), incoming()], ["fits"; 3]),
    ] {
        assert_eq!(verdicts(objects), want, "{row}");
    }
}

#[test]
fn the_evidence_names_the_emptiest_domain_and_why_it_counts() {
    let spread = || {
        incoming().constraint(
            json!({"topologyKey": "zone", "maxSkew": 1, "labelSelector": labels("app", "web")}),
        )
    };
    let with = |field: &str, value: Value| {
        let mut constraint =
            json!({"topologyKey": "zone", "maxSkew": 1, "labelSelector": labels("app", "web")});
        constraint[field] = value;
        incoming().constraint(constraint)
    };
    let full = || objects![node("a").zone("a"), web("v", "a"), web("w", "a")];
    for (row, want, objects) in [
        ("an empty node", "b of 0 others", objects![node("b").zone("b"), spread()]),
        (
            "two of them",
            "b of 1 others",
            objects![node("b").zone("b"), node("c").zone("c"), spread()],
        ),
        (
            "a taint",
            "b of 0 others, b closed by Taint",
            objects![node("b").zone("b").taint("k", "", "NoSchedule"), spread()],
        ),
        (
            "a second node of the domain is open",
            "b of 0 others",
            objects![
                node("b").zone("b").taint("k", "", "NoSchedule"),
                node("c").zone("b"),
                spread()
            ],
        ),
        (
            "a cordon",
            "b of 0 others, b closed by Cordon",
            objects![node("b").zone("b").cordoned(), spread()],
        ),
        (
            "a cordon that the pod tolerates",
            "b of 0 others",
            objects![
                node("b").zone("b").cordoned(),
                spread().push("/spec/tolerations", json!({"operator": "Exists"}))
            ],
        ),
        (
            "labels",
            "b of 0 others, b closed by Labels",
            objects![
                node("b").zone("b"),
                with("nodeAffinityPolicy", json!("Ignore")).selects_nodes("zone", "a")
            ],
        ),
        ("too few domains", "1 of 2 domains", objects![with("minDomains", json!(2))]),
    ] {
        let answer = decide([full(), objects].concat(), "p");
        let Skew { fewest: Some(fewest), minimum: 0, .. } = *answer.evidence("a") else {
            panic!("{row}")
        };
        let text = |sym| answer.cluster.text(sym);
        let found = match fewest {
            Fewest::TooFewDomains { domains, min_domains } => {
                format!("{domains} of {min_domains} domains")
            }
            Fewest::Domain(EmptiestDomain { domain, others, closed }) => {
                let closed = closed.map(|c| {
                    format!(
                        ", {} closed by {}",
                        text(answer.cluster.node(c.node).name),
                        c.by.name()
                    )
                });
                format!("{} of {others} others{}", text(domain), closed.unwrap_or_default())
            }
        };
        assert_eq!(found, want, "{row}");
    }
}

#[test]
fn min_domains_adds_an_empty_one() {
    let spread = |domains: i64| {
        incoming().constraint(json!({"topologyKey": "zone", "maxSkew": 1, "minDomains": domains,
            "labelSelector": labels("app", "web")}))
    };
    let level = || objects![web("w", "a1"), web("x", "b")];
    for (row, domains, want) in [
        ("as many as there are", 2, ["fits", "fits", NO_LABEL]),
        ("one more", 3, [SKEW, SKEW, NO_LABEL]),
    ] {
        assert_eq!(verdicts([level(), objects![spread(domains)]].concat()), want, "{row}");
    }
}

#[test]
fn selectors_of_a_constraint() {
    let with = |selector: Value| incoming().label("rev", "2").constraint(selector);
    for (row, constraint, want) in [
        (
            "no selector matches nobody, not even the pod",
            json!({"topologyKey": "zone", "maxSkew": 1}),
            ["fits", "fits", NO_LABEL],
        ),
        // For `{}` upstream counts no pods except the incoming one.
        (
            "an empty selector counts the pod alone",
            json!({"topologyKey": "zone", "maxSkew": 1, "labelSelector": {}}),
            ["fits", "fits", NO_LABEL],
        ),
        (
            "a label key narrows to the pod's own value",
            json!({"topologyKey": "zone", "maxSkew": 1, "labelSelector": labels("app", "web"), "matchLabelKeys": ["rev"]}),
            ["fits", SKEW, NO_LABEL],
        ),
        (
            "a label key that the pod lacks narrows nothing",
            json!({"topologyKey": "zone", "maxSkew": 1, "labelSelector": labels("app", "web"), "matchLabelKeys": ["no"]}),
            ["fits", "fits", NO_LABEL],
        ),
    ] {
        // Zone a holds web of revision 1, zone b of revision 2.
        let objects = objects![
            web("w", "a1").label("rev", "1"),
            web("x", "b").label("rev", "2"),
            with(constraint)
        ];
        assert_eq!(verdicts(objects), want, "{row}");
    }
}

#[test]
fn versions_and_gates_that_differ() {
    let verdicts = |scheduler: At, constraint: Value| {
        let incoming = incoming().label("rev", "2").constraint(constraint);
        let pods = objects![
            web("w", "a1").label("rev", "1"),
            web("y", "a2"),
            web("x", "b").label("rev", "2"),
            incoming
        ];
        let answer = scheduler.decide([zones(), pods].concat(), "p");
        ["a1", "b", "c"].map(|n| answer.node(n))
    };
    let everything = || json!({"topologyKey": "zone", "maxSkew": 1, "labelSelector": {}});
    assert_eq!(verdicts(at("1.37"), everything()), ["fits", "fits", NO_LABEL]);
    assert_eq!(verdicts(at("1.38"), everything()), [SKEW, "fits", NO_LABEL], "everybody counts");
    let keys = json!({"topologyKey": "zone", "maxSkew": 1, "labelSelector": labels("app", "web"), "matchLabelKeys": ["rev"]});
    let off = "MatchLabelKeysInPodTopologySpread=false,MatchLabelKeysInPodTopologySpreadSelectorMerge=false";
    assert_eq!(verdicts(at("1.37"), keys.clone()), ["fits", SKEW, NO_LABEL]);
    assert_eq!(
        verdicts(at("1.37").gates(off), keys),
        [SKEW, "fits", NO_LABEL],
        "keys are not looked at"
    );
}

#[test]
fn policies_decide_which_nodes_make_domains() {
    let spread = |more: Value| {
        let mut constraint =
            json!({"topologyKey": "zone", "maxSkew": 1, "labelSelector": labels("app", "web")});
        constraint.as_object_mut().expect("a map").extend(more.as_object().expect("a map").clone());
        incoming().constraint(constraint)
    };
    // Zone a holds one; zone b is empty and all its nodes are closed to the pod.
    let tainted = || {
        objects![
            node("a").zone("a"),
            node("b").zone("b").taint("k", "", "NoSchedule"),
            web("w", "a")
        ]
    };
    let unselected =
        || objects![node("a").zone("a").label("disk", "ssd"), node("b").zone("b"), web("w", "a")];
    for (row, objects, want) in [
        (
            "taints are ignored unless it says otherwise",
            [tainted(), objects![spread(json!({}))]].concat(),
            SKEW,
        ),
        (
            "taints are honoured",
            [tainted(), objects![spread(json!({"nodeTaintsPolicy": "Honor"}))]].concat(),
            "fits",
        ),
        (
            "a tolerated taint does not matter",
            [
                tainted(),
                objects![
                    spread(json!({"nodeTaintsPolicy": "Honor"})).tolerates("k", "Exists", "", "")
                ],
            ]
            .concat(),
            SKEW,
        ),
        (
            "node affinity is honoured unless it says otherwise",
            [unselected(), objects![spread(json!({})).selects_nodes("disk", "ssd")]].concat(),
            "fits",
        ),
        (
            "node affinity is ignored",
            [
                unselected(),
                objects![
                    spread(json!({"nodeAffinityPolicy": "Ignore"})).selects_nodes("disk", "ssd")
                ],
            ]
            .concat(),
            SKEW,
        ),
    ] {
        assert_eq!(decide(objects, "p").node("a"), want, "{row}");
    }
}

#[test]
fn every_constraint_must_hold_and_count_only_complete_nodes() {
    let both = || incoming().spread("zone", 1, "app", "web").spread("host", 1, "app", "web");
    let nodes = || {
        objects![
            node("a").zone("a").label("host", "a"),
            node("b").zone("b").label("host", "b"),
            node("x").zone("a"),
            node("y").label("host", "y")
        ]
    };
    // The pods on x and y count nowhere: their nodes lack a label of some constraint.
    let answer = decide([nodes(), objects![web("v", "x"), web("w", "y"), both()]].concat(), "p");
    assert_eq!(["a", "b", "x", "y"].map(|n| answer.node(n)), ["fits", "fits", NO_LABEL, NO_LABEL]);
    let missing_label = MissingTopologyLabel { key: answer.sym("host") };
    assert_eq!(
        answer.evidence::<MissingTopologyLabel>("x"),
        &missing_label,
        "the first constraint that fails decides"
    );
    let answer = decide([nodes(), objects![web("v", "a"), both()]].concat(), "p");
    let (key, domain) = (answer.sym("zone"), answer.sym("a"));
    let emptiest = EmptiestDomain { domain: answer.sym("b"), others: 0, closed: None };
    let fewest = Some(Fewest::Domain(emptiest));
    let want = Skew { key, domain, matching: 1, minimum: 0, incoming: 1, max_skew: 1, fewest };
    assert_eq!((answer.node("a").as_str(), answer.evidence::<Skew>("a")), (SKEW, &want));
}

#[test]
fn a_selector_that_cannot_be_parsed_ends_the_cycle() {
    let selector =
        json!({"matchExpressions": [{"key": "app", "operator": "Like", "values": ["x"]}]});
    let pod = incoming()
        .constraint(json!({"topologyKey": "zone", "maxSkew": 1, "labelSelector": selector}));
    let answer = decide([zones(), objects![pod]].concat(), "p");
    assert_eq!((answer.outcome(), answer.error()), ("Error", "CycleError"));
    assert_eq!(
        answer.message(),
        "running PreFilter plugin \"PodTopologySpread\": get constraints from pod: obtaining pod's hard topology spread \
         constraints: \"Like\" is not a valid label selector operator"
    );
    assert_eq!(answer.preemption, None);
}

#[test]
fn evicting_matching_pods_of_the_node_lowers_its_domain() {
    let spread = || incoming().priority(10).spread("zone", 1, "app", "web");
    let blocked = "node(s) didn't match pod topology spread constraints";
    // Zone b is cordoned and empty, so the minimum is 0.
    let nodes =
        || objects![node("a1").zone("a"), node("a2").zone("a"), node("b").zone("b").cordoned()];
    for (row, objects, want) in [
        ("the only one", objects![web("w", "a1")], "victims w, violations 0"),
        (
            "others may stay",
            objects![web("w", "a1"), pod("x").on("a1")],
            "victims w, violations 0, spared x",
        ),
        (
            "one on another node of the zone stays",
            objects![web("w", "a1"), web("x", "a2")],
            blocked,
        ),
        (
            "one of two would do if the skew allowed it",
            objects![web("v", "a1"), web("w", "a1")],
            "victims v w, violations 0",
        ),
        (
            "one of the same priority",
            objects![web("w", "a1").priority(10), pod("x").on("a1")],
            blocked,
        ),
        // The one that is on its way out was never counted, but its removal counts: one pod may
        // stay.
        (
            "a pod that is being deleted",
            objects![web("v", "a1").terminating(), web("w", "a1")],
            "victims w, violations 0, spared v",
        ),
        (
            "a more important one that is being deleted",
            objects![web("v", "a1").terminating().priority(1), web("w", "a1"), web("x", "a1")],
            "victims w x, violations 0, spared v",
        ),
    ] {
        assert_eq!(
            decide([nodes(), objects, objects![spread()]].concat(), "p").dry_run("a1"),
            want,
            "{row}"
        );
    }
}

#[test]
fn removing_a_terminating_pod_counts_one_too_few() {
    // One counted pod that must stay, and one terminating victim: without the victim the domain
    // seems empty.
    let objects = objects![
        node("a").zone("a").pods(2),
        node("b").zone("b").cordoned(),
        web("stays", "a").priority(10),
        web("leaving", "a").terminating(),
        incoming().priority(10).spread("zone", 1, "app", "web"),
    ];
    assert_eq!(decide(objects.clone(), "p").dry_run("a"), "victims leaving, violations 0");
    assert_eq!(at("1.33").decide(objects, "p").dry_run("a"), "victims leaving, violations 0");
}

/// What the scheduler of `version` says of a1 and c.
fn on(version: &str, objects: Vec<Value>) -> [String; 2] {
    let answer = at(version).decide([zones(), objects].concat(), "p");
    ["a1", "c"].map(|n| answer.node(n))
}

#[test]
fn a_node_without_the_label_might_be_helped_in_1_18() {
    let objects = || objects![incoming().spread("zone", 1, "app", "web")];
    assert_eq!(on("1.17", objects()), ["fits", "fits"], "constraints were alpha");
    assert_eq!(on("1.18", objects()), ["fits", SKEW]);
    assert_eq!(on("1.19", objects()), ["fits", NO_LABEL]);
}

#[test]
fn unknown_topology_key_rejects_no_node_in_1_19() {
    let objects = || objects![incoming().spread("rack", 1, "app", "web")];
    assert_eq!(on("1.19", objects()), ["fits", "fits"]);
    assert_eq!(on("1.20", objects()), [NO_LABEL, NO_LABEL]);
}

#[test]
fn pods_of_nodes_that_the_pod_cannot_use_counted_from_1_19_to_1_23() {
    let objects = || {
        let selecting =
            incoming().spread("zone", 1, "app", "web").with("/spec/nodeSelector/disk", "ssd");
        objects![
            node("a1").zone("a").label("disk", "ssd"),
            node("a2").zone("a"),
            node("b").zone("b").label("disk", "ssd"),
            web("w", "a2"),
            selecting,
        ]
    };
    for (version, want) in [("1.18", "fits"), ("1.19", SKEW), ("1.23", SKEW), ("1.24", "fits")] {
        assert_eq!(at(version).decide(objects(), "p").node("a1"), want, "{version}");
    }
}

#[test]
fn pods_of_nodes_without_the_label_counted_for_the_empty_one_from_1_19_to_1_23() {
    let objects = |zone: &str| {
        let spread = incoming().spread("zone", 1, "app", "web");
        objects![node("a").zone(zone), node("b").zone("b"), node("c"), web("w", "c"), spread]
    };
    for (version, zone, want) in [
        ("1.18", "", "fits"),
        ("1.19", "", SKEW),
        ("1.23", "", SKEW),
        ("1.23", "a", "fits"),
        ("1.24", "", "fits"),
    ] {
        assert_eq!(at(version).decide(objects(zone), "p").node("a"), want, "{version} {zone:?}");
    }
}

#[test]
fn empty_selectors_counted_everybody_up_to_1_26() {
    let all = json!({"topologyKey": "zone", "maxSkew": 1, "labelSelector": {}, "whenUnsatisfiable": "DoNotSchedule"});
    let objects = || objects![web("w", "a2"), incoming().constraint(all.clone())];
    assert_eq!(on("1.26", objects())[0], SKEW);
    assert_eq!(on("1.27", objects())[0], "fits");
}

#[test]
fn constraint_field_counts_since_its_gate_is_on() {
    let with = |field: &str, value: Value| {
        let mut constraint = json!({"topologyKey": "zone", "maxSkew": 1, "labelSelector": labels("app", "web"),
            "whenUnsatisfiable": "DoNotSchedule"});
        constraint[field] = value;
        objects![web("w", "a2"), web("x", "b"), incoming().constraint(constraint)]
    };
    for (field, value, before, since) in [
        ("minDomains", json!(3), "1.26", "1.27"),
        ("matchLabelKeys", json!(["app"]), "1.26", "1.27"),
    ] {
        let want = if field == "minDomains" { SKEW } else { "fits" };
        assert_eq!(on(before, with(field, value.clone()))[0], "fits", "{field}");
        assert_eq!(on(since, with(field, value))[0], want, "{field}");
    }
}

#[test]
fn pod_in_an_uncounted_domain_crashed_the_scheduler() {
    let victim = pod("v").label("app", "web").cpu("1").priority(-1).on("b");
    let selecting = incoming()
        .spread("zone", 1, "app", "web")
        .cpu("1")
        .priority(9)
        .with("/spec/nodeSelector/disk", "ssd");
    let objects = || {
        objects![
            node("a").zone("a").label("disk", "ssd").cpu("1"),
            node("b").zone("b").cpu("1"),
            pod("u").label("app", "web").cpu("1").priority(-1).on("a"),
            pod("n").label("app", "web").priority(99).nominated("b"),
            victim.clone(),
            selecting.clone(),
        ]
    };
    let answer = at("1.19").decide(objects(), "p");
    assert_eq!(answer.message(), "");
    assert_eq!((answer.outcome(), answer.error()), ("Error", "Crash"));
    assert_eq!(at("1.23").decide(objects(), "p").error(), "");
}
