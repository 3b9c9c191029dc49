//! Every answer in JSON is what docs/schema.json says, and can be read with the types of the crate
//! `json`: what is written again is the same. `just schema-fresh` compares the schema with these
//! types.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use json::Answer;
use jsonschema::Validator;
use serde_json::Value;

use crate::golden;

const EXAMPLE: &str = "examples/pending-web/cluster.yaml";
const POD: &str = "web-6d4cf56db6-q7rtz";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What the program prints, whatever its exit code.
fn printed(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    let output = command.current_dir(root()).args(arguments).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!output.stdout.is_empty(), "{arguments:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

fn schema() -> Value {
    serde_json::from_str(&printed(&["schema"])).unwrap()
}

/// What is wrong with a value, with where.
fn issues(validator: &Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect()
}

/// The part of the schema for one `kind`, which names an issue where the whole could only say that
/// nothing matches. Unknown fields are issues here: the schema allows them for the sake of what is
/// added later.
fn of_kind(schema: &Value, kind: &str) -> Validator {
    let mut strict = schema.clone();
    forbid_unknown(&mut strict);
    let part = strict["$defs"][kind].clone();
    assert!(part.is_object(), "the schema has no {kind}");
    let mut whole = serde_json::Map::new();
    whole.insert("$defs".to_owned(), strict["$defs"].clone());
    whole.insert("allOf".to_owned(), serde_json::json!([{"$ref": format!("#/$defs/{kind}")}]));
    jsonschema::validator_for(&Value::Object(whole)).unwrap()
}

fn forbid_unknown(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.contains_key("properties") {
                fields.entry("additionalProperties").or_insert(Value::Bool(false));
            }
            fields.values_mut().for_each(forbid_unknown);
        }
        Value::Array(items) => items.iter_mut().for_each(forbid_unknown),
        _ => {}
    }
}

/// The published schema, made ready once for each kind: that takes longer than an answer.
struct Published {
    schema: Value,
    whole: Validator,
    by_kind: BTreeMap<String, Validator>,
}

impl Published {
    fn new() -> Self {
        let schema = schema();
        let whole = jsonschema::validator_for(&schema).unwrap();
        Self { schema, whole, by_kind: BTreeMap::new() }
    }

    fn check(&mut self, answer: &Value, what: &str) {
        let kind = answer["kind"].as_str().unwrap_or_else(|| panic!("{what} has no kind"));
        let of_kind =
            self.by_kind.entry(kind.to_owned()).or_insert_with(|| of_kind(&self.schema, kind));
        assert_eq!(issues(of_kind, answer), Vec::<String>::new(), "{what}");
        assert!(self.whole.is_valid(answer), "{what}");
        assert!(
            read_and_written(answer).unwrap_or_else(|e| panic!("{what}: {e}")) == *answer,
            "{what}"
        );
    }
}

/// Checks an answer of a live cluster.
#[track_caller]
pub(crate) fn check(answer: &Value) {
    let kind = answer["kind"].as_str().expect("a kind");
    assert_eq!(issues(&of_kind(&schema(), kind), answer), Vec::<String>::new(), "{answer}");
    assert!(read_and_written(answer).unwrap() == *answer, "{answer}");
}

/// The answer, read with the type of its kind and written again.
fn read_and_written(answer: &Value) -> serde_json::Result<Value> {
    macro_rules! by_kind {
        ($($kind:ident),*) => {
            match answer["kind"].as_str() {
                $(Some(stringify!($kind)) => {
                    let read: json::$kind = serde_json::from_value(answer.clone())?;
                    // Whoever does not know the kind finds the same.
                    let Answer::$kind(any) = serde_json::from_value(answer.clone())? else {
                        panic!("taken for another kind")
                    };
                    assert!(read == *Borrow::<json::$kind>::borrow(&any));
                    serde_json::to_value(read)
                })*
                other => panic!("the kind {other:?} has no type"),
            }
        };
    }
    by_kind!(
        Decision,
        DecisionList,
        GroupDecision,
        GroupDecisionList,
        DecisionComparison,
        DecisionComparisonList,
        VerificationList,
        Audit,
        RiskList,
        DisruptionList,
        ApplyResult,
        Doctor,
        Simulation,
        NodeRemovalList,
        NodeLossList,
        NodeDemand,
        PendingList,
        Headroom,
        SuggestionList,
        RuleList,
        Version
    )
}

#[test]
fn schema_command_prints_the_published_schema() {
    assert!(printed(&["schema"]) == fs::read_to_string(root().join("docs/schema.json")).unwrap());
}

#[test]
fn every_scenario_is_what_the_schema_says() {
    let mut published = Published::new();
    let mut answers: Vec<(String, String)> = crate::scenarios::json_answers();
    assert!(answers.len() > 25, "the scenarios were not found");
    let example = root().join("crates/json/examples/decision.json");
    answers.push((example.display().to_string(), fs::read_to_string(&example).unwrap()));
    for (name, answer) in answers {
        published.check(&serde_json::from_str(&answer).unwrap(), &name);
    }
}

#[test]
fn every_command_prints_what_the_schema_says() {
    let mut published = Published::new();
    let from = ["--from", EXAMPLE, "-o", "json"];
    for question in [
        &["explain", POD, "-n", "shop"][..],
        &["explain", "-A"],
        &["explain", POD, "-n", "shop", "--as-scheduled"],
        &["explain", POD, "-n", "shop", "--compare", "1.28,1.37"],
        &["explain", "-A", "--compare", "1.28,1.37"],
        &["simulate", "-A"],
        &["simulate", POD, "-n", "shop", "--priority", "standard"],
        &["simulate", POD, "-n", "shop", "--on", "worker-1", "--depth", "1"],
        &["simulate", POD, "-n", "shop", "--cordon", "worker-3", "--pdb", "cart=1"],
        &[
            "simulate",
            POD,
            "-n",
            "shop",
            "--free",
            "worker-1:cpu=1",
            "--toleration",
            "a=b:NoSchedule",
            "--drain",
            "worker-2",
        ],
        &[
            "simulate",
            POD,
            "-n",
            "shop",
            "--add-node-like",
            "worker-1",
            "--preemption-policy",
            "Never",
        ],
        &["simulate", "deploy/cart", "-n", "shop", "--replicas", "3"],
        &["simulate", "-f", "examples/pending-web/deployment.yaml", "--priority", "7"],
        &["verify", "-A"],
        &["audit"],
        &["audit", "--against", EXAMPLE],
        &["risk", "-A"],
        &["node", "worker-2", "worker-3"],
        &["node", "worker-1", "--surge", "1"],
        &["risk", "-A", "--requests", "cpu=4", "--priority", "standard"],
        &["suggest", POD, "-n", "shop"],
        &["suggest", "-A"],
        &["headroom", "deploy/cart", "-n", "shop"],
        &["headroom", "cpu=1,nvidia.com/gpu=1", "--priority", "standard"],
        &["why-evicted", "-A"],
        &["why-evicted", "-n", "shop", POD],
        &["pending", "-A"],
        &["pending", "-A", "--in-order"],
    ] {
        let arguments: Vec<&str> = question.iter().copied().chain(from).collect();
        published
            .check(&serde_json::from_str(&printed(&arguments)).unwrap(), &format!("{question:?}"));
    }
    for world in crate::terminal::groups::worlds() {
        for instead in [None, Some("pending")] {
            let mut arguments = crate::terminal::groups::question(&world);
            if let Some(command) = instead {
                arguments.retain(|word| !word.contains('/') || word.starts_with("tests/"));
                arguments[0] = command.to_owned();
                arguments.retain(|word| !["podgroup", "train", "train-1"].contains(&word.as_str()));
            }
            let arguments: Vec<&str> =
                arguments.iter().map(String::as_str).chain(["-o", "json"]).collect();
            published.check(
                &serde_json::from_str(&printed(&arguments)).unwrap(),
                &format!("{arguments:?}"),
            );
        }
    }
    let message = "0/2 nodes are available: 2 Insufficient cpu.";
    for question in [
        &["rules", "-o", "json"][..],
        &["rules", message, "-o", "json"],
        &["version", "-o", "json"],
    ] {
        published
            .check(&serde_json::from_str(&printed(question)).unwrap(), &format!("{question:?}"));
    }
}

/// The first sentences of a part of the schema, which stand at its type in crates/json.
fn description(part: &Value, name: &str) -> String {
    let text = part["description"].as_str().unwrap_or_default().replace('\n', " ");
    assert!(!text.is_empty(), "{name} has no sentence in crates/json");
    text
}

#[test]
fn the_document_has_every_kind_and_every_part_of_a_decision() {
    let schema = schema();
    let mut kinds = String::from("| `kind` | printed by |\n| --- | --- |\n");
    for kind in schema["anyOf"].as_array().unwrap() {
        let name = kind["$ref"].as_str().unwrap().trim_start_matches("#/$defs/");
        kinds.push_str(&format!("| `{name}` | {} |\n", description(&schema["$defs"][name], name)));
    }
    golden::part("docs/JSON.md", "kinds", &kinds);
    let mut parts = String::from("| field | |\n| --- | --- |\n");
    for (name, part) in schema["$defs"]["Decision"]["properties"].as_object().unwrap() {
        if !["apiVersion", "kind", "pod"].contains(&name.as_str()) {
            parts.push_str(&format!("| `{name}` | {} |\n", description(part, name)));
        }
    }
    golden::part("docs/JSON.md", "parts of a decision", &parts);
}

#[test]
fn a_field_that_is_missing_or_unknown_is_noticed() {
    let schema = schema();
    let answer = printed(&["explain", POD, "-n", "shop", "--from", EXAMPLE, "-o", "json"]);
    let mut answer: Value = serde_json::from_str(&answer).unwrap();
    let validator = of_kind(&schema, "Decision");
    answer["nodes"][0]["colour"] = Value::from("blue");
    assert_eq!(issues(&validator, &answer).len(), 1);
    answer["nodes"][0].as_object_mut().unwrap().remove("colour");
    answer.as_object_mut().unwrap().remove("outcome");
    assert_eq!(issues(&validator, &answer).len(), 1);
}
