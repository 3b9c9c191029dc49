//! A field of the wrong type, or with a value that Kubernetes does not have there, never changes an
//! answer that is called certain: in every scenario of `tests/versions/rows` and `tests/scenarios`,
//! every value of every object is replaced by such values, one at a time. Every field is tried with
//! every change, in the first scenario that has it; the long run tries it in eight.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use engine::decision::{self, Decision};
use engine::decode::read_cluster;
use engine::framework::cluster_view::ClusterView;
use engine::framework::cycle::NodeVerdict;
use engine::preemption::PreemptionReport;
use rayon::prelude::*;
use serde_json::{Value, json};
use testing::share;

use crate::versions::rows;
use crate::versions::rows::case::{Case, Loaded};

/// A path in an object: names of fields and places in lists.
type Pointer = String;

/// What of a decision is its answer.
#[derive(PartialEq, Debug)]
struct Answer {
    outcome: &'static str,
    why: Option<String>,
    message: Option<String>,
    selected: Vec<String>,
    nodes: Vec<(String, String)>,
    victims: Vec<(String, Vec<String>)>,
}

fn answer(decision: &Decision) -> Answer {
    let cluster = decision.view.cluster;
    let name = |node| cluster.text(cluster.node(node).name).to_owned();
    let verdict = |verdict: &NodeVerdict| match verdict {
        NodeVerdict::Filtered { plugin, rejection } => {
            format!("{plugin}: {}", rejection.texts(cluster).join(", "))
        }
        NodeVerdict::Feasible => "feasible".to_owned(),
        NodeVerdict::NotTried => "not tried".to_owned(),
        NodeVerdict::ExcludedByPreFilter => "excluded".to_owned(),
        NodeVerdict::Failed(_) => "failed".to_owned(),
    };
    let report = decision.preemption();
    Answer {
        outcome: decision.outcome.name(),
        why: decision.why(),
        message: decision.message().map(str::to_owned),
        selected: decision.selected().iter().map(|node| name(*node)).collect(),
        nodes: cluster
            .node_indices()
            .zip(decision.nodes())
            .map(|(node, v)| (name(node), verdict(v)))
            .collect(),
        victims: report
            .into_iter()
            .flat_map(PreemptionReport::candidates)
            .map(|c| {
                (
                    name(c.node),
                    c.victims.iter().map(|victim| cluster.pod_name(victim.pod)).collect(),
                )
            })
            .collect(),
    }
}

/// The answer, and whether it is called certain. `None`: the pod is not found, so there is none.
fn decide(case: &Case, loaded: &Loaded, objects: &[String]) -> Option<(Answer, bool)> {
    let list =
        format!(r#"{{"apiVersion": "v1", "kind": "List", "items": [{}]}}"#, objects.join(","));
    let cluster = read_cluster(&list, "objects").expect("a list");
    let (namespace, name) = case.pod.split_once('/')?;
    let view = ClusterView::new(&cluster, &loaded.profiles[1]);
    let decision = decision::decide(&view, cluster.find_pod(namespace, name)?, loaded.now);
    Some((answer(&decision), !decision.is_unsure()))
}

/// The objects of a scenario as JSON.
fn texts(case: &Case) -> Vec<String> {
    case.all_objects().unwrap().iter().map(Value::to_string).collect()
}

/// Every path in `value`.
fn pointers(value: &Value, at: &str, into: &mut Vec<Pointer>) {
    let mut each = |key: &str, inner: &Value| {
        let path = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        into.push(path.clone());
        pointers(inner, &path, into);
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, inner)| each(key, inner)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, inner)| each(&i.to_string(), inner));
        }
        _ => {}
    }
}

/// Where a quantity stands, which may be written as a number, and of which not every text is one.
fn is_quantity(pointer: &str) -> bool {
    let keys: Vec<&str> = pointer.rsplit('/').collect();
    let lists = [
        "requests",
        "allocatable",
        "capacity",
        "overhead",
        "allocatedResources",
        "consumedCapacity",
    ];
    match *keys.as_slice() {
        ["value", _, "capacity" | "counters", ..]
        | ["min" | "max" | "step" | "default", ..]
        | ["capacity" | "maximumVolumeSize", ""] => true,
        [_, list, ..] => lists.contains(&list),
        _ => false,
    }
}

/// Whether a text stands here that is one of a few. Selectors with other operators are answered as
/// kube-scheduler answers them, and to other effects of device taints Kubernetes gives a meaning.
fn is_one_of_few(pointer: &str) -> bool {
    let fields = [
        "preemptionPolicy",
        "whenUnsatisfiable",
        "nodeAffinityPolicy",
        "nodeTaintsPolicy",
        "protocol",
        "phase",
        "volumeBindingMode",
        "volumeMode",
        "allocationMode",
        "disruptionMode",
    ];
    match *pointer.rsplit('/').collect::<Vec<_>>().as_slice() {
        ["effect" | "operator", _, "tolerations", ..]
        | ["effect", _, "taints", "spec", ""]
        | ["restartPolicy", _, "initContainers", ..]
        | ["status", _, "conditions", "status", ""]
        | [_, "accessModes", ..] => true,
        [field, ..] => fields.contains(&field),
        [] => false,
    }
}

/// The wrong values for a value at a path: one of each other type, and a text where not every text
/// is one.
fn wrong(pointer: &str, value: &Value) -> Vec<Value> {
    let is_quantity = value.is_string() && is_quantity(pointer);
    let in_list =
        pointer.rsplit('/').next().is_some_and(|key| key.bytes().all(|b| b.is_ascii_digit()));
    let text = if value.is_number() { value.to_string() } else { "x".to_owned() };
    let all = [
        (!value.is_string() || is_quantity || is_one_of_few(pointer), json!(text)),
        (!value.is_number() && !is_quantity, json!(7)),
        (!value.is_boolean(), json!(true)),
        (!value.is_array(), json!(["x"])),
        (!value.is_object(), json!({"x": "y"})),
        (in_list, Value::Null),
    ];
    all.into_iter().filter_map(|(is_wrong, value)| is_wrong.then_some(value)).collect()
}

/// A path without the places in lists: the same field of two items is replaced once.
fn without_places(path: &str) -> String {
    let is_place = |key: &&str| key.bytes().all(|b| b.is_ascii_digit());
    path.split('/').map(|key| if is_place(&key) { "" } else { key }).collect::<Vec<_>>().join("/")
}

/// Scenarios in which one field of a kind is tried with every change: most are alike in most
/// fields.
const MOST_SCENARIOS: usize = 1;
/// The same in the long run.
const LONG_SCENARIOS: usize = 8;

/// What was asked with wrong values, how often the answer changed, and where it did without a word.
#[derive(Default)]
struct Tally {
    asked: usize,
    changed: usize,
    silent: Vec<String>,
}

/// The fields of a scenario that are tried: the place of the object, and the path in it.
type Fields = Vec<(usize, Pointer)>;

/// Which fields are tried in each scenario.
fn fields(cases: &[(String, Case)]) -> Vec<Fields> {
    let most = share::of(MOST_SCENARIOS, LONG_SCENARIOS);
    let mut tried = BTreeMap::new();
    let of_case = |(_, case): &(String, Case)| {
        let (mut fields, mut seen) = (Fields::new(), BTreeSet::new());
        for (index, object) in case.objects.iter().enumerate() {
            let mut paths = Vec::new();
            pointers(object, "", &mut paths);
            let is_own = case.pod.ends_with(&format!(
                "/{}",
                object["metadata"]["name"].as_str().unwrap_or_default()
            ));
            for path in paths {
                let field = (object["kind"].to_string(), is_own, without_places(&path));
                let count: &mut usize = tried.entry(field.clone()).or_default();
                if seen.insert(field) && *count < most {
                    *count += 1;
                    fields.push((index, path));
                }
            }
        }
        fields
    };
    cases.iter().map(of_case).collect()
}

fn check(name: &str, case: &Case, fields: &Fields) -> Tally {
    let mut tally = Tally::default();
    let loaded = case.load().unwrap();
    let mut texts = texts(case);
    let Some((right, _)) = decide(case, &loaded, &texts) else { return tally };
    for (nth, (index, path)) in fields.iter().enumerate() {
        let object = &case.objects[*index];
        let values = wrong(path, object.pointer(path).unwrap());
        // With every change half of the types, others for each field.
        let part = share::of(2, 1);
        for value in values.into_iter().skip(nth % part).step_by(part) {
            // Only the object that is changed is written anew.
            let mut changed = object.clone();
            *changed.pointer_mut(path).unwrap() = value.clone();
            let unchanged = std::mem::replace(&mut texts[*index], changed.to_string());
            let decided = decide(case, &loaded, &texts);
            texts[*index] = unchanged;
            tally.asked += 1;
            let Some((found, certain)) = decided else { continue };
            tally.changed += usize::from(found != right);
            if found != right && certain {
                tally.silent.push(format!("{name} {} {path} = {value}", object["kind"]));
            }
        }
    }
    tally
}

/// The scenarios of a folder, by name.
fn cases() -> Vec<(String, Case)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let files = |folder: &str| -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(root.join(folder)).unwrap().map(|e| e.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let rows = rows::files("yaml").into_iter().map(|path| {
        (name(&path), serde_saphyr::from_str(&fs::read_to_string(&path).unwrap()).unwrap())
    });
    let scenarios = files("scenarios").into_iter().filter_map(|folder| {
        let text = fs::read_to_string(folder.join("cluster.yaml")).unwrap();
        let words: Vec<&str> =
            text.lines().next()?.strip_prefix("# kubectl preempt explain ")?.split(' ').collect();
        let namespace = words.iter().position(|w| *w == "-n").map_or("default", |n| words[n + 1]);
        let version = "1.37".to_owned();
        let case = Case {
            before: version.clone(),
            after: version,
            pod: format!("{namespace}/{}", words[0]),
            now: "2026-06-01T12:00:00Z".to_owned(),
            config: None,
            extenders: Vec::new(),
            cycle: false,
            group: false,
            objects: engine::decode::whole_objects(&text, "scenario")
                .unwrap()
                .into_iter()
                .map(|found| found.object)
                .collect(),
            copies: 0,
            expect: None,
        };
        Some((name(&folder), case))
    });
    rows.chain(scenarios).collect()
}

#[test]
fn never_change_an_answer_that_is_called_certain() {
    // Where the answer is not certain anyway there is nothing to see.
    let certain = |(_, case): &(String, Case)| {
        case.extenders.is_empty()
            && case.load().is_ok_and(|loaded| {
                decide(case, &loaded, &texts(case)).is_some_and(|(_, certain)| certain)
            })
    };
    let cases: Vec<(String, Case)> = cases().into_par_iter().filter(certain).collect();
    let fields = fields(&cases);
    let tallies =
        cases.par_iter().zip(&fields).map(|((name, case), fields)| check(name, case, fields));
    let tallies: Vec<Tally> = tallies.collect();
    let sum = |count: fn(&Tally) -> usize| tallies.iter().map(count).sum::<usize>();
    let (asked, changed) = (sum(|t| t.asked), sum(|t| t.changed));
    let silent: Vec<&String> = tallies.iter().flat_map(|t| &t.silent).collect();
    println!(
        "{} of {asked} wrong values change a certain answer without a word; {changed} change it",
        silent.len()
    );
    assert!(silent.is_empty(), "{} of {asked}:\n{silent:#?}", silent.len());
    assert!(
        asked > share::of(1_200, 8_000) && changed > share::of(400, 3_000),
        "{asked} {changed}"
    );
}
