use serde_json::{Value, json};

use super::evidence::MissingPartner;
use crate::framework::evidence::{AntiAffinity, Evidence as _, Fact, RuleOf};
use crate::testing::{Pod, assert_begins, at, decide, labels, namespace, node, objects, pod};

const AFFINITY: &str = "UU InterPodAffinity: node(s) didn't match pod affinity rules";
const ANTI: &str = "U InterPodAffinity: node(s) didn't match pod anti-affinity rules";
const EXISTING: &str =
    "U InterPodAffinity: node(s) didn't satisfy existing pods anti-affinity rules";

fn db(name: &str, node: &str) -> Pod {
    pod(name).label("app", "db").on(node)
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
fn affinity_wants_a_partner_in_the_domain() {
    let near = || pod("p").near("zone", "app", "db");
    for (row, objects, want) in [
        ("nobody anywhere", objects![near()], [AFFINITY; 3]),
        ("a partner in zone a", objects![db("d", "a2"), near()], ["fits", AFFINITY, AFFINITY]),
        ("a partner on a node without the label", objects![db("d", "c"), near()], [AFFINITY; 3]),
        (
            "a partner that is being deleted",
            objects![db("d", "a2").terminating(), near()],
            ["fits", AFFINITY, AFFINITY],
        ),
        (
            "a partner that has finished",
            objects![db("d", "a2").phase("Succeeded"), near()],
            [AFFINITY; 3],
        ),
        (
            "a partner in another namespace",
            objects![db("d", "a2").ns("other"), near()],
            [AFFINITY; 3],
        ),
        (
            "the first of a series may go where the label is",
            objects![near().label("app", "db")],
            ["fits", "fits", AFFINITY],
        ),
        (
            "a match on a node without the label leaves it the first",
            objects![db("d", "c"), near().label("app", "db")],
            ["fits", "fits", AFFINITY],
        ),
        (
            "the second of a series goes to the first",
            objects![db("d", "b"), near().label("app", "db")],
            [AFFINITY, "fits", AFFINITY],
        ),
        (
            "two terms need one partner that matches both",
            objects![
                db("d", "a1"),
                pod("w").label("app", "web").on("a1"),
                near().near("zone", "app", "web")
            ],
            [AFFINITY; 3],
        ),
        (
            "a partner that matches both",
            objects![db("d", "a1").label("tier", "1"), near().near("zone", "tier", "1")],
            ["fits", AFFINITY, AFFINITY],
        ),
    ] {
        assert_eq!(verdicts(objects), want, "{row}");
    }
}

#[test]
fn anti_affinity_keeps_out_of_the_domain() {
    let away = || pod("p").away("zone", "app", "db");
    for (row, objects, want) in [
        ("nobody anywhere", objects![away()], ["fits"; 3]),
        ("somebody in zone a", objects![db("d", "a2"), away()], [ANTI, "fits", "fits"]),
        ("somebody on a node without the label", objects![db("d", "c"), away()], ["fits"; 3]),
        ("somebody in another namespace", objects![db("d", "a2").ns("other"), away()], ["fits"; 3]),
        (
            "each term counts",
            objects![
                db("d", "a2"),
                pod("w").label("app", "web").on("b"),
                away().away("zone", "app", "web")
            ],
            [ANTI, ANTI, "fits"],
        ),
    ] {
        assert_eq!(verdicts(objects), want, "{row}");
    }
}

#[test]
fn running_pods_keep_the_incoming_one_away() {
    let away = |name: &str, node: &str| pod(name).away("zone", "app", "web").on(node);
    let web = || pod("p").label("app", "web");
    for (row, objects, want) in [
        ("one in zone a", objects![away("d", "a2"), web()], [EXISTING, "fits", "fits"]),
        ("one on a node without the label", objects![away("d", "c"), web()], ["fits"; 3]),
        (
            "one that is not about the pod",
            objects![away("d", "a2"), pod("p").label("app", "db")],
            ["fits"; 3],
        ),
        ("one that has finished", objects![away("d", "a2").phase("Failed"), web()], ["fits"; 3]),
        ("one on an unknown node", objects![away("d", "gone"), web()], ["fits"; 3]),
        ("one that is pending", objects![pod("d").away("zone", "app", "web"), web()], ["fits"; 3]),
        ("one of another namespace", objects![away("d", "a2").ns("other"), web()], ["fits"; 3]),
        (
            "its own terms are asked before theirs",
            objects![away("d", "a2").label("app", "web"), web().away("zone", "app", "web")],
            [ANTI, "fits", "fits"],
        ),
    ] {
        assert_eq!(verdicts(objects), want, "{row}");
    }
}

/// A term about app=db in the namespaces that `more` says.
fn term(more: Value) -> Value {
    let mut term = json!({"topologyKey": "zone", "labelSelector": labels("app", "db")});
    if let Value::Object(more) = more {
        term.as_object_mut().expect("a map").extend(more);
    }
    term
}

#[test]
fn namespaces_of_the_pods_own_terms() {
    for (row, more, want) in [
        ("none named: its own", json!({}), "fits"),
        ("by name", json!({"namespaces": ["other"]}), ANTI),
        ("another by name", json!({"namespaces": ["third"]}), "fits"),
        ("by label", json!({"namespaceSelector": labels("team", "x")}), ANTI),
        ("another label", json!({"namespaceSelector": labels("team", "y")}), "fits"),
        ("all", json!({"namespaceSelector": {}}), ANTI),
        (
            "by label or by name",
            json!({"namespaces": ["other"], "namespaceSelector": labels("team", "y")}),
            ANTI,
        ),
        (
            "by a missing label",
            json!({"namespaceSelector": {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}}),
            "fits",
        ),
    ] {
        let objects = objects![
            namespace("other").label("team", "x"),
            namespace("default"),
            db("d", "a2").ns("other"),
            pod("p").affinity("podAntiAffinity", term(more)),
        ];
        assert_eq!(verdicts(objects)[0], want, "{row}");
    }
}

#[test]
fn a_selector_for_unlabelled_namespaces_matched_all_of_them_in_1_34_to_1_36() {
    let without = json!({"namespaceSelector": {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}});
    for (version, want) in [("1.33", "fits"), ("1.34", ANTI), ("1.36", ANTI), ("1.37", "fits")] {
        let objects = objects![
            namespace("other").label("team", "x"),
            db("d", "a2").ns("other"),
            pod("p").affinity("podAntiAffinity", term(without.clone())),
        ];
        assert_eq!(
            at(version).decide([zones(), objects].concat(), "p").node("a1"),
            want,
            "{version}"
        );
    }
}

#[test]
fn namespaces_of_running_pods_terms() {
    for (row, more, namespaces, want) in [
        ("none named: its own, not the incoming pod's", json!({}), objects![], "fits"),
        ("by name", json!({"namespaces": ["default"]}), objects![], EXISTING),
        (
            "by label",
            json!({"namespaceSelector": labels("team", "x")}),
            objects![namespace("default").label("team", "x")],
            EXISTING,
        ),
        (
            "an unknown namespace has no labels",
            json!({"namespaceSelector": labels("team", "x")}),
            objects![],
            "fits",
        ),
        ("all of them, known or not", json!({"namespaceSelector": {}}), objects![], EXISTING),
    ] {
        let running = pod("d").ns("other").affinity("podAntiAffinity", term(more)).on("a2");
        let objects = [namespaces, objects![running, pod("p").label("app", "db")]].concat();
        assert_eq!(verdicts(objects)[0], want, "{row}");
    }
}

#[test]
fn selectors_absent_and_empty() {
    for (row, selector, want) in [
        ("absent: nobody", Value::Null, "fits"),
        ("empty: everybody", json!({}), ANTI),
        ("by label", labels("app", "db"), ANTI),
    ] {
        let term = json!({"topologyKey": "zone", "labelSelector": selector});
        let objects = objects![db("d", "a2"), pod("p").affinity("podAntiAffinity", term)];
        assert_eq!(verdicts(objects)[0], want, "{row}");
    }
}

#[test]
fn a_term_that_cannot_be_parsed_rejects_the_pod() {
    let bad = json!({"topologyKey": "zone", "labelSelector": {"matchExpressions": [{"key": "a", "operator": "Like"}]}});
    let preferred = json!([{"weight": 1, "podAffinityTerm": bad}]);
    for (row, pod) in [
        ("requiredAffinityTerms", pod("p").affinity("podAffinity", bad.clone())),
        ("requiredAntiAffinityTerms", pod("p").affinity("podAntiAffinity", bad.clone())),
        (
            "preferredAffinityTerms",
            pod("p").with(
                "/spec/affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution",
                preferred,
            ),
        ),
    ] {
        let answer = decide(objects![node("n"), pod], "p");
        let error = "\"Like\" is not a valid label selector operator";
        let want = format!("0/1 nodes are available: parsing pod: {row}: {error}. not found");
        assert_eq!((answer.node("n").as_str(), answer.message()), ("not tried", want.as_str()));
    }
}

/// What the scheduler of `version` says of node a1.
fn on_a1(version: &str, objects: Vec<Value>) -> String {
    at(version).decide([zones(), objects].concat(), "p").node("a1")
}

#[test]
fn eras_give_one_reason_or_two() {
    let objects = || objects![db("d", "a2"), pod("p").away("zone", "app", "db")];
    for (version, want) in [
        (
            "1.16",
            "U MatchInterPodAffinity: node(s) didn't match pod affinity/anti-affinity; node(s) didn't match pod anti-affinity rules",
        ),
        ("1.17", "U InterPodAffinity: node(s) didn't match pod affinity/anti-affinity"),
        (
            "1.20",
            "U InterPodAffinity: node(s) didn't match pod affinity/anti-affinity; node(s) didn't match pod anti-affinity rules",
        ),
        (
            "1.21",
            "U InterPodAffinity: node(s) didn't match pod affinity/anti-affinity rules; node(s) didn't match pod anti-affinity rules",
        ),
        ("1.22", "U InterPodAffinity: node(s) didn't match pod anti-affinity rules"),
    ] {
        assert_eq!(on_a1(version, objects()), want, "{version}");
    }
    let missing = || objects![pod("p").near("zone", "app", "none")];
    let hopeless = |version| on_a1(version, missing());
    assert!(hopeless("1.16").starts_with(
        "UU MatchInterPodAffinity: node(s) didn't match pod affinity/anti-affinity; "
    ));
    assert_eq!(hopeless("1.17"), "UU InterPodAffinity: node(s) didn't match pod affinity rules");
}

#[test]
fn existing_anti_affinity_is_checked_first_up_to_1_18() {
    let running = pod("d").label("app", "db").away("zone", "app", "web").on("a2");
    let objects =
        || objects![running.clone(), pod("p").label("app", "web").near("zone", "app", "none")];
    assert_begins(&on_a1("1.18", objects()), "U InterPodAffinity");
    assert_begins(&on_a1("1.19", objects()), "UU InterPodAffinity");
}

#[test]
fn the_first_of_a_series_needs_the_topology_key_since_1_19() {
    let objects = || objects![pod("p").label("app", "web").near("rack", "app", "web")];
    assert_eq!(on_a1("1.18", objects()), "fits");
    assert!(on_a1("1.19", objects()).starts_with("UU InterPodAffinity"));
}

#[test]
fn nominated_pods_count_for_the_pods_own_terms_since_1_19() {
    let nominated = pod("n").label("app", "db").priority(9).nominated("a1");
    let objects = || objects![nominated.clone(), pod("p").away("zone", "app", "db")];
    assert_eq!(on_a1("1.18", objects()), "fits");
    assert!(on_a1("1.19", objects()).starts_with("U InterPodAffinity"));
}

#[test]
fn objections_of_nominated_pods_were_heard_up_to_1_26() {
    let nominated = pod("n").away("zone", "app", "web").priority(9).nominated("a1");
    let objects = || objects![nominated.clone(), pod("p").label("app", "web")];
    assert_eq!(
        on_a1("1.26", objects()),
        "U InterPodAffinity: node(s) didn't satisfy existing pods anti-affinity rules"
    );
    assert_eq!(on_a1("1.27", objects()), "fits");
}

#[test]
fn namespaces_are_selected_by_label_since_1_22() {
    let term = json!({"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "db"}}, "namespaceSelector": {}});
    let objects =
        |ns| objects![db("d", "a2").ns(ns), pod("p").affinity("podAntiAffinity", term.clone())];
    for (version, own, other) in
        [("1.20", false, true), ("1.21", true, true), ("1.22", false, false)]
    {
        assert_eq!(
            on_a1(version, objects("default")) == "fits",
            own,
            "{version}: the pod's own namespace"
        );
        assert_eq!(on_a1(version, objects("other")) == "fits", other, "{version}: another one");
    }
}

#[test]
fn the_evidence_says_where_the_partner_is() {
    let near = || pod("p").near("zone", "app", "db");
    for (objects, on, said) in [
        (
            objects![db("e", "a2"), db("d", "a2"), near()],
            "b",
            "the node's zone has no pod that matches the pod's affinity; default/d is in a",
        ),
        (
            objects![db("d", "a2"), near()],
            "c",
            "the node has no label zone, which the pod's affinity needs; default/d is in a",
        ),
        (
            objects![db("d", "a2").ns("other"), near()],
            "b",
            "the node's zone has no pod that matches the pod's affinity; none matches: other/d has the labels, in another namespace",
        ),
        (
            objects![near()],
            "b",
            "the node's zone has no pod that matches the pod's affinity; no pod matches",
        ),
        // It matches, on a node without the label.
        (
            objects![db("d", "c"), near()],
            "b",
            "the node's zone has no pod that matches the pod's affinity; default/d matches, and its node has no such label",
        ),
    ] {
        let answer = decide([zones(), objects].concat(), "p");
        let evidence: &MissingPartner = answer.evidence(on);
        let facts = evidence.facts(&answer.cluster);
        let [Fact::Words(words)] = facts.as_slice() else { panic!("{facts:?}") };
        assert_eq!(words, said);
    }
}

#[test]
fn evidence_names_a_conflicting_pod() {
    let answer = decide(
        [zones(), objects![db("d", "a2"), db("e", "a1"), pod("p").away("zone", "app", "db")]]
            .concat(),
        "p",
    );
    let (key, domain) = (answer.sym("zone"), answer.sym("a"));
    let pod_ix = Some(answer.pod_ix("e"));
    let want = AntiAffinity { of: RuleOf::Pod, key, domain, pod: pod_ix, pods: 2 };
    assert_eq!(answer.evidence::<AntiAffinity>("a1"), &want);
    let running = pod("d").away("zone", "app", "web").on("a2");
    let answer = decide([zones(), objects![running, pod("p").label("app", "web")]].concat(), "p");
    let (key, domain) = (answer.sym("zone"), answer.sym("a"));
    let pod_ix = Some(answer.pod_ix("d"));
    let want = AntiAffinity { of: RuleOf::Others, key, domain, pod: pod_ix, pods: 1 };
    assert_eq!(answer.evidence::<AntiAffinity>("a1"), &want);
}

#[test]
fn evicting_pods_of_the_node_lifts_anti_affinity_but_never_finds_a_partner() {
    let away = || pod("p").priority(10).away("zone", "app", "db");
    let nodes = || objects![node("a1").zone("a"), node("a2").zone("a").cordoned()];
    for (row, objects, want) in [
        (
            "the one on the node",
            objects![db("d", "a1"), pod("x").on("a1"), away()],
            "victims d, violations 0, spared x",
        ),
        (
            "one on another node of the zone stays",
            objects![db("d", "a2"), pod("x").on("a1"), away()],
            "node(s) didn't match pod anti-affinity rules",
        ),
        (
            "nobody on the node to evict",
            objects![db("d", "a2"), away()],
            "No preemption victims found for incoming pod",
        ),
        (
            "one that objects to the pod",
            objects![
                pod("d").away("zone", "app", "web").on("a1"),
                pod("x").on("a1"),
                pod("p").label("app", "web").priority(10)
            ],
            "victims d, violations 0, spared x",
        ),
        (
            "a missing partner",
            objects![pod("x").on("a1"), pod("p").priority(10).near("zone", "app", "db")],
            "Preemption is not helpful for scheduling",
        ),
        (
            "the partner is the one in the way of resources, and the only one",
            objects![
                db("d", "a1").port(80, "TCP", ""),
                pod("p").priority(10).near("zone", "app", "db").port(80, "TCP", "")
            ],
            "node(s) didn't match pod affinity rules",
        ),
        (
            "with the last partner gone the pod becomes the first of its series",
            objects![
                db("d", "a1").port(80, "TCP", ""),
                pod("p")
                    .label("app", "db")
                    .priority(10)
                    .near("zone", "app", "db")
                    .port(80, "TCP", "")
            ],
            "victims d, violations 0",
        ),
    ] {
        assert_eq!(decide([nodes(), objects].concat(), "p").dry_run("a1"), want, "{row}");
    }
}

#[test]
fn terms_on_the_hostname_may_be_about_single_nodes() {
    const HOST: &str = "kubernetes.io/hostname";
    // Two nodes of one host name, and one without.
    let nodes = || objects![node("a").label(HOST, "h"), node("b").label(HOST, "h"), node("c")];
    let series = || pod("p").label("app", "db").near(HOST, "app", "db");
    for (row, objects, off, on) in [
        (
            "a partner",
            objects![db("d", "a"), series()],
            ["fits", "fits", AFFINITY],
            ["fits", AFFINITY, AFFINITY],
        ),
        (
            "an enemy",
            objects![db("d", "a"), pod("p").away(HOST, "app", "db")],
            [ANTI, ANTI, "fits"],
            [ANTI, "fits", "fits"],
        ),
        (
            "a running pod that objects",
            objects![db("d", "a").away(HOST, "app", "x"), pod("p").label("app", "x")],
            [EXISTING, EXISTING, "fits"],
            [EXISTING, "fits", "fits"],
        ),
        (
            "the first of a series, though one is on a node without the label",
            objects![db("d", "c"), series()],
            ["fits", "fits", AFFINITY],
            [AFFINITY, AFFINITY, AFFINITY],
        ),
        (
            "with another key beside it all terms are about domains",
            objects![db("d", "a"), series().near("zone", "app", "db")],
            [AFFINITY; 3],
            [AFFINITY; 3],
        ),
    ] {
        let objects = [nodes(), objects].concat();
        let verdicts = |scheduler: crate::testing::At| {
            let answer = scheduler.decide(objects.clone(), "p");
            ["a", "b", "c"].map(|name| answer.node(name))
        };
        assert_eq!(verdicts(at("1.37")), off, "{row}");
        assert_eq!(
            verdicts(at("1.37").gates("InterPodAffinityHostnameFastPath=true")),
            on,
            "{row}"
        );
    }
    // Any term on the hostname keeps the plugin from being skipped, so that it sees the pod
    // nominated to b.
    let objects = || {
        let rival =
            pod("rival").label("app", "x").away("zone", "app", "web").nominated("b").priority(9);
        let busy = db("d", "a").away(HOST, "app", "nobody");
        objects![
            node("a").label(HOST, "a"),
            node("b").zone("z"),
            busy,
            rival,
            pod("p").label("app", "web")
        ]
    };
    let of = |scheduler: crate::testing::At| scheduler.decide(objects(), "p").node("b");
    assert_eq!(of(at("1.37")), "fits");
    assert_eq!(of(at("1.37").gates("InterPodAffinityHostnameFastPath=true")), EXISTING);
}

#[test]
fn a_pod_on_a_node_that_is_gone_had_every_pod_looked_at_up_to_1_13() {
    let gone = || db("d", "gone");
    let away = || objects![gone(), pod("p").away("zone", "app", "db")];
    assert_begins(&on_a1("1.13", away()), "U MatchInterPodAffinity");
    assert_eq!(on_a1("1.14", away()), "fits");
    let near =
        |more: Vec<Value>| [objects![gone(), pod("p").near("zone", "app", "db")], more].concat();
    let message = |version: &str| {
        at(version).decide([zones(), near(objects![])].concat(), "p").message().to_owned()
    };
    let error = "because of PodAffinity, err: node \"gone\" not found";
    assert!(message("1.13").contains(error), "{}", message("1.13"));
    assert!(message("1.14").starts_with("0/4 nodes are available: "), "{}", message("1.14"));
    // The others are judged as ever.
    let with_partner = |node: &str| {
        on_a1(
            "1.13",
            objects![gone().label("app", "web"), db("e", node), pod("p").near("zone", "app", "db")],
        )
    };
    assert_eq!(with_partner("a2"), "fits");
    assert!(with_partner("b").starts_with("UU MatchInterPodAffinity"));
    let objecting = pod("o").away("zone", "app", "web").on("a2");
    assert!(
        on_a1("1.13", objects![gone(), objecting, pod("p").label("app", "web")])
            .starts_with("U MatchInterPodAffinity")
    );
}

#[test]
fn anti_affinity_names_the_pod_its_domain_and_the_rule_in_every_release() {
    let versions =
        ["1.12", "1.13", "1.14", "1.17", "1.18", "1.19", "1.20", "1.21", "1.22", "1.29", "1.37"];
    for version in versions {
        for gone in [false, true] {
            // Up to 1.13 a pod on a node that is gone has every pod looked at.
            let others =
                if gone { objects![pod("lost").label("app", "x").on("gone")] } else { Vec::new() };
            let own = objects![db("d", "a2"), db("e", "a1"), pod("p").away("zone", "app", "db")];
            let answer = at(version).decide([zones(), own, others.clone()].concat(), "p");
            let found: &AntiAffinity = answer.evidence("a1");
            assert_eq!(
                (found.of, found.key, found.domain, found.pods),
                (RuleOf::Pod, answer.sym("zone"), answer.sym("a"), 2),
                "{version}"
            );
            let any_of = [answer.pod_ix("d"), answer.pod_ix("e")].map(Some);
            assert!(any_of.contains(&found.pod), "{version}");

            let existing = objects![
                pod("d").away("zone", "app", "web").on("a2"),
                pod("p").label("app", "web")
            ];
            let answer = at(version).decide([zones(), existing, others].concat(), "p");
            let found: &AntiAffinity = answer.evidence("a1");
            assert_eq!(
                (found.of, found.key, found.domain, found.pods),
                (RuleOf::Others, answer.sym("zone"), answer.sym("a"), 1),
                "{version}"
            );
            assert_eq!(found.pod, Some(answer.pod_ix("d")), "{version}");
        }
    }
}
