use crate::framework::evidence::UntoleratedTaint;
use crate::testing::{at, decide, node, objects, pod};
use model::cluster::template::TaintEffect;

const REJECTED: &str = "UU TaintToleration: node(s) had untolerated taint(s)";

#[test]
fn tolerations_match_taints() {
    // The node's taint is k=v:NoSchedule.
    for (row, [key, operator, value, effect], want) in [
        ("same key, value and effect", ["k", "Equal", "v", "NoSchedule"], "fits"),
        ("no operator means Equal", ["k", "", "v", "NoSchedule"], "fits"),
        ("no effect means any", ["k", "Equal", "v", ""], "fits"),
        ("Exists ignores the value", ["k", "Exists", "other", "NoSchedule"], "fits"),
        ("no key with Exists means any key", ["", "Exists", "", ""], "fits"),
        ("no key with Equal compares values only", ["", "Equal", "v", ""], "fits"),
        ("no key with Equal and another value", ["", "Equal", "w", ""], REJECTED),
        ("Equal without a value matches an empty one only", ["k", "Equal", "", ""], REJECTED),
        ("another value", ["k", "Equal", "w", "NoSchedule"], REJECTED),
        ("another key", ["j", "Equal", "v", "NoSchedule"], REJECTED),
        ("another effect", ["k", "Equal", "v", "NoExecute"], REJECTED),
        ("no key and another effect", ["", "Exists", "", "NoExecute"], REJECTED),
        ("Exists and another effect", ["k", "Exists", "", "NoExecute"], REJECTED),
        ("an effect for scoring only", ["k", "Equal", "v", "PreferNoSchedule"], REJECTED),
        ("an unknown operator tolerates nothing", ["k", "Like", "v", "NoSchedule"], REJECTED),
    ] {
        let pod = pod("p").tolerates(key, operator, value, effect);
        let answer = decide(objects![node("n").taint("k", "v", "NoSchedule"), pod], "p");
        assert_eq!(answer.node("n"), want, "{row}");
    }
}

#[test]
fn only_taints_that_repel_count() {
    for (effect, want) in [
        ("NoSchedule", REJECTED),
        ("NoExecute", REJECTED),
        ("PreferNoSchedule", "fits"),
        ("NoAdmit", "fits"),
        ("", "fits"),
    ] {
        let answer = decide(objects![node("n").taint("k", "v", effect), pod("p")], "p");
        assert_eq!(answer.node("n"), want, "{effect}");
    }
}

#[test]
fn every_taint_must_be_tolerated() {
    let tainted = || node("n").taint("a", "1", "NoSchedule").taint("b", "2", "NoExecute");
    let one = pod("p").tolerates("a", "Exists", "", "");
    let answer = decide(objects![tainted(), one.clone()], "p");
    let want = UntoleratedTaint {
        key: answer.sym("b"),
        value: answer.sym("2"),
        effect: TaintEffect::NoExecute,
    };
    assert_eq!(
        (answer.node("n").as_str(), answer.evidence::<UntoleratedTaint>("n")),
        (REJECTED, &want)
    );
    assert_eq!(
        decide(objects![tainted(), one.tolerates("b", "Exists", "", "")], "p").node("n"),
        "fits"
    );
}

#[test]
fn the_text_names_the_taint_up_to_1_34_1() {
    for (version, taint, want) in [
        ("1.33.13", ["k", "v"], "UU TaintToleration: node(s) had untolerated taint {k: v}"),
        ("1.34.1", ["k", "v"], "UU TaintToleration: node(s) had untolerated taint {k: v}"),
        ("1.34.1", ["k", ""], "UU TaintToleration: node(s) had untolerated taint {k: }"),
        ("1.34.2", ["k", "v"], REJECTED),
        ("1.37.1", ["k", "v"], REJECTED),
    ] {
        let objects = objects![node("n").taint(taint[0], taint[1], "NoSchedule"), pod("p")];
        assert_eq!(at(version).decide(objects, "p").node("n"), want, "{version} {taint:?}");
    }
}

#[test]
fn comparisons_tolerate_nothing_while_their_gate_is_off() {
    for operator in ["Lt", "Gt"] {
        let objects = objects![
            node("n").taint("k", "5", "NoSchedule"),
            pod("p").tolerates("k", operator, "5", "")
        ];
        assert_eq!(decide(objects, "p").node("n"), REJECTED, "{operator}");
    }
}

#[test]
fn every_untolerated_preference_of_the_node_costs() {
    let nodes = || {
        objects![
            node("clean"),
            node("one").taint("a", "1", "PreferNoSchedule"),
            node("two").taint("a", "1", "PreferNoSchedule").taint("b", "", "PreferNoSchedule")
        ]
    };
    for (row, incoming, want) in [
        ("nothing tolerated", pod("p"), [(0, 100), (1, 50), (2, 0)]),
        ("a tolerated", pod("p").tolerates("a", "Exists", "", ""), [(0, 100), (0, 100), (1, 0)]),
        (
            "a with its effect",
            pod("p").tolerates("a", "Equal", "1", "PreferNoSchedule"),
            [(0, 100), (0, 100), (1, 0)],
        ),
        (
            "a with another effect",
            pod("p").tolerates("a", "Exists", "", "NoSchedule"),
            [(0, 100), (1, 50), (2, 0)],
        ),
        ("everything", pod("p").tolerates("", "Exists", "", ""), [(0, 100), (0, 100), (0, 100)]),
    ] {
        let answer = decide([nodes(), objects![incoming]].concat(), "p");
        assert_eq!(
            ["clean", "one", "two"].map(|n| answer.score(n, "TaintToleration")),
            want,
            "{row}"
        );
    }
}

#[test]
fn every_era_has_its_own_words() {
    for (version, want) in [
        ("1.16", "UU PodToleratesNodeTaints: node(s) had taints that the pod didn't tolerate"),
        ("1.17", "UU TaintToleration: node(s) had taints that the pod didn't tolerate"),
        ("1.18", "UU TaintToleration: node(s) had taint {k: v}, that the pod didn't tolerate"),
        ("1.23", "UU TaintToleration: node(s) had taint {k: v}, that the pod didn't tolerate"),
        ("1.24", "UU TaintToleration: node(s) had untolerated taint {k: v}"),
        ("1.34.1", "UU TaintToleration: node(s) had untolerated taint {k: v}"),
        ("1.34.2", REJECTED),
    ] {
        let answer =
            at(version).decide(objects![node("n").taint("k", "v", "NoSchedule"), pod("p")], "p");
        assert_eq!(answer.node("n"), want, "{version}");
    }
}
