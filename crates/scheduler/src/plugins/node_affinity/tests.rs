use serde_json::{Value, json};

use super::{UnmetNodeAffinity, UnmetNodeSelector};
use crate::framework::evidence::Fact;
use crate::framework::operands::MissingPair;
use crate::framework::pre_filter::PreFilter;
use crate::testing::{Pod, assert_ends, at, cluster, decide, node, objects, pod};
use model::cluster::Sym;
use model::cluster::node_selector::unmet::Unmet;
use profile::Profile;

const REJECTED: &str = "UU NodeAffinity: node(s) didn't match Pod's node affinity/selector";
const NARROWED: &str = "UU: node(s) didn't satisfy plugin(s) [NodeAffinity]";

/// A term with one expression on a label.
fn label(key: &str, operator: &str, values: &[&str]) -> Value {
    json!({"matchExpressions": [{"key": key, "operator": operator, "values": values}]})
}

/// A term with one condition on a field.
fn field(key: &str, operator: &str, values: &[&str]) -> Value {
    json!({"matchFields": [{"key": key, "operator": operator, "values": values}]})
}

/// What the plugin says of node `n`, which has labels disk=ssd, cpus=8 and word=x.
fn of_n(pod: Pod) -> String {
    let n =
        node("n").label("disk", "ssd").label("cpus", "8").label("word", "x").label("minus", "-3");
    decide(objects![n, pod], "p").node("n")
}

#[test]
fn expressions_on_labels() {
    for (operator, key, values, fits) in [
        ("In", "disk", &["hdd", "ssd"][..], true),
        ("In", "disk", &["hdd"], false),
        ("In", "gone", &["ssd"], false),
        ("NotIn", "disk", &["hdd"], true),
        ("NotIn", "disk", &["ssd"], false),
        ("NotIn", "gone", &["ssd"], true),
        ("Exists", "disk", &[], true),
        ("Exists", "gone", &[], false),
        ("DoesNotExist", "gone", &[], true),
        ("DoesNotExist", "disk", &[], false),
        ("Gt", "cpus", &["7"], true),
        ("Gt", "cpus", &["8"], false),
        ("Lt", "cpus", &["9"], true),
        ("Lt", "cpus", &["8"], false),
        ("Gt", "gone", &["1"], false),
        ("Gt", "word", &["1"], false),
        ("Lt", "minus", &["0"], true),
    ] {
        let want = if fits { "fits" } else { REJECTED };
        assert_eq!(
            of_n(pod("p").node_term(label(key, operator, values))),
            want,
            "{key} {operator} {values:?}"
        );
    }
}

#[test]
fn a_term_that_cannot_be_parsed_never_matches() {
    for (row, term) in [
        ("In without values", label("disk", "In", &[])),
        ("NotIn without values", label("gone", "NotIn", &[])),
        ("Exists with values", label("disk", "Exists", &["ssd"])),
        ("DoesNotExist with values", label("gone", "DoesNotExist", &["x"])),
        ("Gt with two values", label("cpus", "Gt", &["1", "2"])),
        ("Gt with a word", label("cpus", "Gt", &["one"])),
        ("Gt with a negative bound, which is no label value", label("cpus", "Gt", &["-5"])),
        ("an unknown operator", label("disk", "Like", &["ssd"])),
        ("a key that is no label key", label("-disk-", "Exists", &[])),
        ("a value that is no label value", label("disk", "NotIn", &["a b"])),
        ("no condition at all", json!({})),
        ("two values of a field", field("metadata.name", "NotIn", &["a", "b"])),
        ("an operator that fields do not know", field("metadata.name", "Exists", &[])),
    ] {
        assert_eq!(of_n(pod("p").node_term(term.clone())), REJECTED, "{row}");
        let other = pod("p").node_term(term).node_term(label("disk", "Exists", &[]));
        assert_eq!(of_n(other), "fits", "another term still counts: {row}");
    }
}

#[test]
fn selector_and_affinity_must_both_hold() {
    for (row, pod, want) in [
        ("a pair of nodeSelector", pod("p").selects_nodes("disk", "ssd"), "fits"),
        ("another value", pod("p").selects_nodes("disk", "hdd"), REJECTED),
        ("one of two pairs", pod("p").selects_nodes("disk", "ssd").selects_nodes("gone", "x"), REJECTED),
        ("an empty nodeSelector selects all", pod("p").with("/spec/nodeSelector", json!({})), "fits"),
        (
            "the selector holds, the affinity does not",
            pod("p").selects_nodes("disk", "ssd").node_term(label("gone", "Exists", &[])),
            REJECTED,
        ),
        (
            "no terms select nothing",
            pod("p").with(
                "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms",
                json!([]),
            ),
            REJECTED,
        ),
        (
            "conditions of a term are all needed",
            pod("p").node_term(json!({"matchExpressions": [
                {"key": "disk", "operator": "Exists"}, {"key": "gone", "operator": "Exists"}]})),
            REJECTED,
        ),
        (
            "labels and fields of a term are both needed",
            pod("p").node_term(json!({
                "matchExpressions": [{"key": "disk", "operator": "Exists"}],
                "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n"]}]})),
            REJECTED,
        ),
        ("a field other than the name is empty", pod("p").node_term(field("spec.x", "NotIn", &["y"])), "fits"),
    ] {
        assert_eq!(of_n(pod), want, "{row}");
    }
}

#[test]
fn the_evidence_names_the_missing_label() {
    let answer = decide(
        objects![node("n").label("disk", "ssd"), pod("p").selects_nodes("disk", "hdd")],
        "p",
    );
    let (key, value, found) = (answer.sym("disk"), answer.sym("hdd"), Some(answer.sym("ssd")));
    let missing = Box::new([MissingPair { key, value, found }]);
    assert_eq!(answer.evidence::<UnmetNodeSelector>("n"), &UnmetNodeSelector { missing });
}

#[test]
fn the_evidence_names_every_missing_pair() {
    let wants =
        pod("p").selects_nodes("disk", "hdd").selects_nodes("gone", "x").selects_nodes("zone", "a");
    let answer = decide(objects![node("n").label("disk", "ssd").label("zone", "a"), wants], "p");
    let UnmetNodeSelector { missing } = answer.evidence("n");
    let mut keys: Vec<Sym> = missing.iter().map(|pair| pair.key).collect();
    keys.sort();
    let mut want = [answer.sym("disk"), answer.sym("gone")];
    want.sort();
    assert_eq!(keys, want);
}

/// What node `n` lacks for the closest term, as `key operator [values]: found`.
fn unmet_by_n(terms: &[Value]) -> Vec<String> {
    let incoming = terms.iter().cloned().fold(pod("p"), Pod::node_term);
    let answer = decide(objects![node("n").label("disk", "ssd").label("cpus", "8"), incoming], "p");
    let UnmetNodeAffinity { terms: count, unmet } = answer.evidence("n");
    assert_eq!(*count, terms.len());
    let text = |unmet: &Unmet| {
        let found = unmet.found().map_or("absent", |found| answer.cluster.text(found));
        format!(
            "{} {} {:?}: {found}",
            unmet.key(&answer.cluster),
            unmet.comparison().name(),
            unmet.values(&answer.cluster)
        )
    };
    unmet.iter().map(text).collect()
}

#[test]
fn the_evidence_names_what_the_closest_term_misses() {
    let two = json!({"matchExpressions": [
        {"key": "disk", "operator": "In", "values": ["nvme"]}, {"key": "gone", "operator": "Exists"}]});
    let both = json!({
        "matchExpressions": [{"key": "disk", "operator": "Exists"}],
        "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["m"]}]});
    for (row, terms, want) in [
        (
            "all of one term",
            vec![two.clone()],
            vec![r#"disk In ["nvme"]: ssd"#, "gone Exists []: absent"],
        ),
        (
            "the term with fewer",
            vec![two.clone(), label("cpus", "Gt", &["8"])],
            vec![r#"cpus Gt ["8"]: 8"#],
        ),
        (
            "the first of equals",
            vec![label("disk", "NotIn", &["ssd"]), both.clone()],
            vec![r#"disk NotIn ["ssd"]: ssd"#],
        ),
        ("a field", vec![two.clone(), both], vec![r#"metadata.name In ["m"]: n"#]),
        (
            "a term without conditions is not close",
            vec![json!({}), two],
            vec![r#"disk In ["nvme"]: ssd"#, "gone Exists []: absent"],
        ),
        ("a term that cannot be parsed is not close", vec![label("disk", "In", &[])], vec![]),
    ] {
        assert_eq!(unmet_by_n(&terms), want, "{row}");
    }
}

/// Verdicts of nodes a, b and c, where only c is too small.
fn of_three(pod: Pod) -> [String; 3] {
    let answer =
        decide(objects![node("a").cpu("2"), node("b").cpu("2"), node("c"), pod.cpu("1")], "p");
    ["a", "b", "c"].map(|n| answer.node(n))
}

#[test]
fn names_narrow_the_nodes() {
    let name = |operator, values: &[&str]| field("metadata.name", operator, values);
    let small = "UU NodeResourcesFit: Insufficient cpu";
    for (row, pod, want) in [
        (
            "one name, as a daemon set's pod has it",
            pod("p").node_term(name("In", &["a"])),
            ["fits", NARROWED, NARROWED],
        ),
        (
            "alternatives add up",
            pod("p").node_term(name("In", &["a"])).node_term(name("In", &["c"])),
            ["fits", NARROWED, small],
        ),
        (
            "a term without a name lifts the narrowing",
            pod("p").node_term(name("In", &["a"])).node_term(json!({})),
            ["fits", REJECTED, REJECTED],
        ),
        (
            "NotIn does not narrow",
            pod("p").node_term(name("NotIn", &["a"])),
            [REJECTED, "fits", small],
        ),
        (
            "two names in one condition narrow, and then match nothing",
            pod("p").node_term(name("In", &["a", "b"])),
            [REJECTED, REJECTED, NARROWED],
        ),
        (
            "a name that is no node leaves none",
            pod("p").node_term(name("In", &["z"])),
            [NARROWED; 3],
        ),
    ] {
        assert_eq!(of_three(pod), want, "{row}");
    }
}

#[test]
fn the_evidence_names_nodes_that_do_not_exist() {
    let name = |values: &[&str]| field("metadata.name", "In", values);
    for (pod, want) in [
        (
            pod("p").node_term(name(&["gone"])),
            vec!["it asks for node gone by name, which does not exist"],
        ),
        (
            pod("p").node_term(name(&["z"])).node_term(name(&["y"])),
            vec!["it asks by name for y and z, none of which exists"],
        ),
        // One that exists has a reason of its own.
        (pod("p").node_term(name(&["gone"])).node_term(name(&["a"])), vec![]),
    ] {
        let cluster = cluster(objects![node("a").cpu("4"), node("b").cpu("4"), pod.cpu("9")]);
        at("1.37.1").look(&cluster, "p", |decision| {
            let PreFilter::SomeNodes { evidence, .. } = decision.pre_filter() else {
                panic!("every node is looked at")
            };
            let facts = evidence.iter().flat_map(|evidence| evidence.facts(&cluster));
            let said: Vec<String> = facts
                .map(|fact| match fact {
                    Fact::Words(words) => words,
                    other => panic!("{other:?}"),
                })
                .collect();
            assert_eq!(said, want);
        });
    }
}

#[test]
fn names_that_contradict_each_other_refuse_the_pod() {
    let pod = pod("p").node_term(json!({"matchFields": [
        {"key": "metadata.name", "operator": "In", "values": ["a"]},
        {"key": "metadata.name", "operator": "In", "values": ["b"]}]}));
    let answer = decide(objects![node("a"), node("b"), pod], "p");
    assert_eq!(answer.node("a"), "not tried");
    assert_eq!(answer.pre_filter(), "UU NodeAffinity: pod affinity terms conflict");
    assert_eq!(answer.message(), "0/2 nodes are available: pod affinity terms conflict. not found");
}

#[test]
fn without_pre_filter_names_do_not_narrow_the_search() {
    let off = |profile: &mut Profile| {
        profile.plugins.pre_filter.retain(|plugin| *plugin != "NodeAffinity");
    };
    let name = |value: &str| json!({"key": "metadata.name", "operator": "In", "values": [value]});
    let of = |adjust, fields: Vec<Value>| {
        let pod = pod("p").node_term(json!({"matchFields": fields}));
        let answer = at("1.37").with(adjust).decide(objects![node("a"), node("b"), pod], "p");
        [answer.pre_filter(), answer.node("a"), answer.node("b")]
    };
    let on: fn(&mut Profile) = |_| {};
    for (row, adjust, fields, want) in [
        ("one name", on, vec![name("a")], ["", "fits", NARROWED]),
        ("one name, PreFilter disabled", off, vec![name("a")], ["", "fits", REJECTED]),
        (
            "two names",
            on,
            vec![name("a"), name("b")],
            ["UU NodeAffinity: pod affinity terms conflict", "not tried", "not tried"],
        ),
        (
            "two names, PreFilter disabled",
            off,
            vec![name("a"), name("b")],
            ["", REJECTED, REJECTED],
        ),
    ] {
        assert_eq!(of(adjust, fields), want, "{row}");
    }
}

#[test]
fn weights_of_preferred_terms_that_select_the_node_add_up() {
    let prefers = |weight: i64, key: &str, value: &str| json!({"weight": weight, "preference": {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}});
    let path = "/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution";
    let nodes =
        || objects![node("a").label("disk", "ssd").zone("x"), node("b").zone("x"), node("c")];
    let both = pod("p").push(path, prefers(10, "disk", "ssd")).push(path, prefers(30, "zone", "x"));
    let answer = decide([nodes(), objects![both.clone()]].concat(), "p");
    assert_eq!(
        ["a", "b", "c"].map(|n| answer.score(n, "NodeAffinity")),
        [(40, 100), (30, 75), (0, 0)]
    );
    let empty = pod("p").push(path, json!({"weight": 5, "preference": {}}));
    let answer = decide([nodes(), objects![empty]].concat(), "p");
    assert_eq!(answer.score("a", "NodeAffinity"), (0, 0), "an empty term selects nothing");
    let answer = decide([nodes(), objects![pod("p")]].concat(), "p");
    assert!(
        !answer.score_plugins("a").contains(&"NodeAffinity".to_owned()),
        "no preference, no score"
    );
}

const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
                           must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', \
                           regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

#[test]
fn preferred_terms_that_cannot_be_parsed_end_the_cycle() {
    let path = "/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution";
    let term = |operator: &str, value: &str| json!({"weight": 1, "preference": {"matchExpressions": [{"key": "k", "operator": operator, "values": [value]}]}});
    let integer = |at: &str, value: &str| {
        format!(
            "{at}.matchExpressions[0].values[0]: Invalid value: \"{value}\": for 'Gt', 'Lt' operators, the value must be an integer"
        )
    };
    let nodes = || objects![node("a"), node("b")];
    for (row, pod, want) in [
        (
            "one",
            pod("p").push(path, term("In", "x")).push(path, term("Gt", "x")),
            integer("[1]", "x"),
        ),
        (
            "two",
            pod("p").push(path, term("Gt", "x")).push(path, term("Lt", "y")),
            format!("[{}, {}]", integer("[0]", "x"), integer("[1]", "y")),
        ),
    ] {
        let message = decide([nodes(), objects![pod]].concat(), "p").message().to_owned();
        assert_eq!(message, format!("running PreScore plugin \"NodeAffinity\": {want}"), "{row}");
    }
    let several = json!({"weight": 1, "preference": {"matchExpressions": [{"key": "k", "operator": "In", "values": ["-", "x", "_"]}]}});
    let message = decide([nodes(), objects![pod("p").push(path, several)]].concat(), "p")
        .message()
        .to_owned();
    let value = |index: u8, value: &str| {
        format!(
            "[0].matchExpressions[0].values[{index}][k]: Invalid value: \"{value}\": {LABEL_VALUE}"
        )
    };
    assert_eq!(
        message,
        format!("running PreScore plugin \"NodeAffinity\": [{}, {}]", value(0, "-"), value(2, "_"))
    );
    let negative = pod("p").push(path, term("Gt", "-5"));
    let message = decide([nodes(), objects![negative]].concat(), "p").message().to_owned();
    assert!(
        message.contains("[0].matchExpressions[0].values[0][k]: Invalid value: \"-5\": a valid label must be an empty")
    );
}

#[test]
fn every_era_has_its_own_words() {
    for (version, want) in [
        ("1.16", "UU GeneralPredicates: node(s) didn't match node selector"),
        ("1.19", "UU NodeAffinity: node(s) didn't match node selector"),
        ("1.20", "UU NodeAffinity: node(s) didn't match Pod's node affinity"),
        ("1.21", REJECTED),
    ] {
        let pod = pod("p").with("/spec/nodeSelector/disk", "hdd");
        assert_eq!(at(version).decide(objects![node("n"), pod], "p").node("n"), want, "{version}");
    }
}

/// A pod that must go to one of the terms.
fn requires(terms: &[Value]) -> Pod {
    let path = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";
    pod("p").with(path, json!(terms))
}

#[test]
fn names_narrow_since_1_24_and_one_conflict_was_enough_up_to_1_26() {
    let named = requires(&[field("metadata.name", "In", &["m"])]);
    for (version, want) in [
        ("1.23", REJECTED),
        ("1.24", "not tried"),
        ("1.30.1", "UU: node is filtered out by the prefilter result"),
        ("1.31", "not tried"),
        ("1.32", NARROWED),
    ] {
        let answer = at(version).decide(objects![node("m"), node("n"), named.clone()], "p");
        assert_eq!(answer.node("n"), want, "{version}");
    }
    let mut conflict = field("metadata.name", "In", &["m"]);
    conflict["matchFields"]
        .as_array_mut()
        .expect("fields")
        .push(json!({"key": "metadata.name", "operator": "In", "values": ["n"]}));
    let either = requires(&[conflict, field("metadata.name", "In", &["n"])]);
    let message = |version: &str| {
        at(version).decide(objects![node("n"), either.clone()], "p").message().to_owned()
    };
    assert!(message("1.26").contains("pod affinity terms conflict"), "{}", message("1.26"));
    assert_eq!(message("1.27"), "");
}

#[test]
fn preferred_terms_look_at_fields_since_1_20() {
    let term = json!([{"weight": 5, "preference": field("metadata.name", "In", &["n"])}]);
    let path = "/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution";
    let score = |version: &str| {
        let answer = at(version)
            .decide(objects![node("m"), node("n"), pod("p").with(path, term.clone())], "p");
        answer.raw_score("n", "NodeAffinity")
    };
    assert_eq!((score("1.19"), score("1.20")), (0, 5));
}

#[test]
fn eras_tell_a_preferred_term_that_cannot_be_read_differently() {
    let term = json!([{"weight": 5, "preference": label("cpus", "Gt", &["x"])}]);
    let path = "/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution";
    let plain = "for 'Gt', 'Lt' operators, the value must be an integer";
    for (version, want) in [
        ("1.16", plain.to_owned()),
        ("1.19", format!("error while running score plugin for pod \"p\": {plain}")),
        ("1.20", format!("running Score plugins: plugin \"NodeAffinity\" failed with: {plain}")),
        (
            "1.21",
            format!(
                "running PreScore plugin \"NodeAffinity\": [0].matchExpressions[0].values[0]: Invalid value: \"x\": {plain}"
            ),
        ),
    ] {
        let answer = at(version)
            .decide(objects![node("m"), node("n"), pod("p").with(path, term.clone())], "p");
        assert_eq!(answer.message(), want, "{version}");
    }
    let near = json!([{"weight": 5, "preference": label("zone", "Near", &["a"])}]);
    let answer = at("1.19").decide(objects![node("m"), node("n"), pod("p").with(path, near)], "p");
    assert_ends(answer.message(), ": \"Near\" is not a valid node selector operator");
}
