//! What one outlet says of a question, every other one says as well: text, JSON and metrics of a
//! command, and the commands that answer the same question in passing. Each is the program itself,
//! asked about the scenarios, about inputs that once made them contradict one another, and about
//! random clusters.

#![expect(clippy::needless_pass_by_value, reason = "what is compared is made for it")]
#![expect(clippy::match_same_arms, reason = "each outcome has its own line")]
#![expect(clippy::useless_vec, reason = "objects! makes one for every caller")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::everywhere;
use super::suggest::scenes;
use testing::{budget, node, objects, pod, pod_group, share};

pub(super) const NOW: &str = "2026-06-01T12:00:00Z";

/// An input about which every outlet is asked.
pub(super) struct Input {
    pub name: String,
    pub file: PathBuf,
    /// Flags of the scheduler.
    pub flags: &'static [&'static str],
    folder: Option<tempfile::TempDir>,
}

/// What one outlet gave.
#[derive(Debug)]
pub(super) struct Said {
    pub code: i32,
    pub text: String,
}

impl Said {
    /// `None` where nothing was answered, as of an input without pods of the kind.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_str(&self.text).ok()
    }

    pub fn first_line(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }
}

impl Input {
    fn of_file(path: &Path) -> Self {
        let name = path.display().to_string();
        Self { name, file: path.to_owned(), flags: &[], folder: None }
    }

    fn of(name: &str, objects: &[Value], flags: &'static [&'static str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cluster.json");
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
        std::fs::write(&file, list.to_string()).unwrap();
        Self { name: name.to_owned(), file, flags, folder: Some(folder) }
    }

    pub fn ask(&self, arguments: &[&str]) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
        let output = command
            .args(arguments)
            .args(self.flags)
            .args(["--now", NOW, "--from"])
            .arg(&self.file)
            .env("LC_ALL", "C.UTF-8")
            .env("RAYON_NUM_THREADS", "1")
            .output()
            .unwrap();
        Said {
            code: output.status.code().unwrap(),
            text: String::from_utf8(output.stdout).unwrap(),
        }
    }
}

/// Where two outlets contradict each other.
#[derive(Default)]
pub(super) struct Contradictions {
    input: String,
    /// How many things were compared.
    compared: usize,
    found: Vec<String>,
}

impl Contradictions {
    /// Notes that two outlets do not say the same of something.
    pub fn same<A: PartialEq<B> + std::fmt::Debug, B: std::fmt::Debug>(
        &mut self,
        what: &str,
        one: A,
        other: B,
    ) {
        self.compared += 1;
        if one != other {
            self.found.push(format!("{}: {what}: {one:?}, but {other:?}", self.input));
        }
    }
}

pub(super) fn items(answer: &Value) -> &[Value] {
    answer["items"].as_array().map_or(std::slice::from_ref(answer), Vec::as_slice)
}

fn names(list: &Value) -> Vec<String> {
    let of = |pod: &Value| format!("{}/{}", text(&pod["namespace"]), text(&pod["name"]));
    let mut names: Vec<String> = list.as_array().into_iter().flatten().map(of).collect();
    names.sort();
    names
}

pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Everything that is asked about one input.
fn contradictions(input: &Input, everywhere: bool) -> Vec<String> {
    let mut found = Contradictions { input: input.name.clone(), ..Contradictions::default() };
    let explained = input.ask(&["explain", "-A", "-o", "json"]);
    let pending = input.ask(&["pending", "-A", "-o", "json"]);
    if let (Some(explained), Some(pending)) = (explained.json(), pending.json()) {
        pending_and_explain(&pending, &explained, &mut found);
        who_acts_on_the_screen(input, &pending, &mut found);
        let suggested = input.ask(&["suggest", "-A", "-o", "json"]);
        if let Some(suggested) = suggested.json() {
            suggest_and_explain(&suggested, &explained, &mut found);
        }
        gate_and_explain(input, &explained, &mut found);
        verify_and_explain(input, &explained, &mut found);
        versions_and_explain(input, &mut found);
        manifest_and_explain(input, &explained, &mut found);
        groups(input, &pending, &mut found);
    }
    if let Some(risk) = input.ask(&["risk", "-A", "-o", "json"]).json() {
        risk_counts(input, &risk, &mut found);
        drain_and_node(input, &risk, &mut found);
    }
    evictions(input, &mut found);
    if everywhere {
        everywhere::contradictions(input, &mut found);
    }
    assert!(found.compared >= 10, "{}: only {} comparisons", input.name, found.compared);
    found.found
}

/// A row of `pending` is the head of `explain`.
fn pending_and_explain(pending: &Value, explained: &Value, found: &mut Contradictions) {
    for row in items(pending).iter().filter(|row| row["podGroup"].is_null()) {
        let is_row = |decision: &&Value| {
            decision["pod"]["name"] == row["name"]
                && decision["pod"]["namespace"] == row["namespace"]
        };
        let Some(decision) = items(explained).iter().find(is_row) else { continue };
        let name = text(&row["name"]);
        let verdict = match (text(&decision["outcome"]), text(&row["verdict"])) {
            ("Schedulable", "Blocked") if decision["holder"]["heldBy"] == "Quota" => "",
            ("Schedulable", "Fits")
            | ("Preempt", "Preempts")
            | ("Unschedulable", "Blocked" | "Waits")
            | ("Error", "Error")
            | ("NotInQueue", "Gated" | "NotInQueue") => "",
            _ => text(&decision["outcome"]),
        };
        found.same(&format!("{name}: verdict"), text(&row["verdict"]), {
            if verdict.is_empty() { text(&row["verdict"]) } else { verdict }
        });
        found.same(
            &format!("{name}: what autoscalers do"),
            &row["autoscaling"],
            &decision["autoscaling"]["verdict"],
        );
        found.same(&format!("{name}: who acts"), &row["whoActs"], &decision["whoActs"]);
        found.same(
            &format!("{name}: competitors"),
            names(&row["competitors"]),
            names(&decision["competitors"]),
        );
        let unsure = decision["selected"]["certainty"] == "Unsure";
        found.same(&format!("{name}: certainty"), row["unsure"] == true, unsure);
        let first_cause = &decision["nearest"];
        if !first_cause.is_null() && !text(&row["cause"]["plugin"]).is_empty() {
            let reason = row["cause"]["reasons"][0].clone();
            found.same(&format!("{name}: first cause"), &reason, &first_cause["reason"]);
        }
        let winner = &decision["preemption"]["winners"][0];
        for candidate in decision["preemption"]["nodes"].as_array().into_iter().flatten() {
            if row["verdict"] == "Preempts" && candidate["name"] == *winner {
                let victims = names(&candidate["victims"]);
                let mut told: Vec<String> = row["victims"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|name| text(name).to_owned())
                    .collect();
                told.sort();
                found.same(&format!("{name}: victims"), told, victims);
            }
        }
    }
}

/// The screen of a pod names in its heading whom WHO ACTS names, and no line says otherwise.
fn who_acts_on_the_screen(input: &Input, pending: &Value, found: &mut Contradictions) {
    let [row] = items(pending) else { return };
    let who = text(&row["whoActs"]);
    if who.is_empty() || !row["podGroup"].is_null() {
        return;
    }
    let screen = input.ask(&["explain", "-A"]).text;
    let Some(heading) = screen.lines().find_map(|line| line.strip_prefix("Who acts next: ")) else {
        return;
    };
    let first = heading.split([';', ',']).next().unwrap_or_default();
    let named = match first {
        "nobody" | "not known" => first.to_owned(),
        "kube-scheduler" => "scheduler".to_owned(),
        _ if !row["holder"].is_null() && who.ends_with(", autoscaler") => {
            format!("{first}, autoscaler")
        }
        _ if !row["holder"].is_null() => first.to_owned(),
        _ => "autoscaler".to_owned(),
    };
    found.same("WHO ACTS, and the heading of explain", who, &named);
    let says = |words: &str| screen.contains(words);
    found.same("nobody acts, and something is tried again", false, {
        who == "nobody" && (says("tries again") || says("a node is coming:"))
    });
    found.same("somebody acts, and nothing will happen", false, {
        who == "autoscaler" && (says("nothing will happen") || says("no node is coming"))
    });
}

/// A new node that `suggest` finds is a remedy of `explain`, and the other way round.
fn suggest_and_explain(suggested: &Value, explained: &Value, found: &mut Contradictions) {
    for item in suggested["items"].as_array().into_iter().flatten() {
        let is_pod = |decision: &&Value| {
            decision["pod"]["name"] == item["pod"]["name"]
                && decision["pod"]["namespace"] == item["pod"]["namespace"]
        };
        let Some(decision) = items(explained).iter().find(is_pod) else { continue };
        if decision["outcome"] != "Unschedulable" {
            continue;
        }
        let is_node = |remedy: &&Value| remedy["edits"][0]["op"] == "addNodeLike";
        let remedies = decision["remedies"].as_array();
        let like = remedies.and_then(|all| all.iter().find(is_node));
        // `explain` stops at three, which may all come before a node.
        if like.is_none() && remedies.is_some_and(|all| all.len() >= 3) {
            continue;
        }
        let like = like.map_or(Value::Null, |remedy| remedy["edits"][0]["node"].clone());
        found.same(
            &format!("{}: a node to add", text(&item["pod"]["name"])),
            &item["node"]["like"],
            &like,
        );
        found.same(
            &format!("{}: outcome", text(&item["pod"]["name"])),
            &item["outcome"],
            &decision["outcome"],
        );
    }
}

/// A gate about a pod that waits fails where `explain` says that it gets no node and none comes.
fn gate_and_explain(input: &Input, explained: &Value, found: &mut Contradictions) {
    let alone = |decision: &&Value| decision["group"].is_null() && !decision["pod"].is_null();
    let Some(decision) = items(explained).iter().find(alone) else { return };
    let (name, namespace) = (text(&decision["pod"]["name"]), text(&decision["pod"]["namespace"]));
    let asked = ["simulate", name, "-n", namespace, "--fail-on", "unschedulable,uncertain"];
    let gate = input.ask(&[&asked[..], &["-o", "json"]].concat());
    let Some(answer) = gate.json() else { return };
    let unsure = decision["selected"]["certainty"] == "Unsure";
    let comes = text(&decision["autoscaling"]["verdict"]);
    let wanted = match (text(&decision["outcome"]), comes) {
        _ if unsure => 3,
        ("Schedulable" | "Preempt", _) => 0,
        ("Unschedulable", _) if !decision["preemption"]["awaits"].is_null() => 0,
        ("Unschedulable", "coming" | "wouldCome" | "mayCome") => 0,
        // The rules of another scheduler are not known here.
        ("NotInQueue", _) if decision["hold"]["kind"] == "OtherScheduler" => 3,
        _ => 1,
    };
    // A pod that competes for the room is not certain of it.
    let is_contested = !decision["competitors"].is_null();
    if !is_contested {
        found.same(&format!("{name}: gate, and explain"), gate.code, wanted);
        found.same(&format!("{name}: gate fails"), answer["gate"]["fails"] == true, wanted != 0);
    }
}

/// `verify` and `explain` compare the same messages.
fn verify_and_explain(input: &Input, explained: &Value, found: &mut Contradictions) {
    let verified = input.ask(&["verify", "-A", "-o", "json"]);
    let Some(answer) = verified.json() else { return };
    for item in answer["items"].as_array().into_iter().flatten() {
        let is_pod = |decision: &&Value| {
            decision["pod"]["name"] == item["pod"]["name"]
                && decision["pod"]["namespace"] == item["pod"]["namespace"]
        };
        let Some(decision) = items(explained).iter().find(is_pod) else { continue };
        let relation = text(&decision["condition"]["relation"]);
        found.same(
            &format!("{}: its condition", text(&item["pod"]["name"])),
            text(&item["result"]).to_lowercase(),
            relation.to_lowercase(),
        );
    }
}

/// Versions that are compared decide as each alone does.
fn versions_and_explain(input: &Input, found: &mut Contradictions) {
    let compared = input.ask(&["explain", "-A", "--compare", "1.34,1.37", "-o", "json"]);
    let alone = ["1.34", "1.37"].map(|version| {
        input.ask(&["explain", "-A", "--scheduler-version", version, "-o", "json"]).json()
    });
    let (Some(compared), [Some(older), Some(newer)]) = (compared.json(), alone) else { return };
    for comparison in items(&compared) {
        let name = text(&comparison["pod"]["name"]).to_owned();
        let sides = comparison["items"].as_array().into_iter().flatten();
        for (side, alone) in sides.zip([&older, &newer]) {
            let is_pod = |decision: &&Value| decision["pod"]["uid"] == side["pod"]["uid"];
            let Some(alone) = items(alone).iter().find(is_pod) else { continue };
            for field in ["outcome", "message", "selected", "preemption"] {
                let what = format!("{name}: {field} among versions, and alone");
                found.same(&what, &side[field], &alone[field]);
            }
        }
    }
}

/// A pod that is the only one that waits has in a file, of which nobody knows yet, the end that it has in the cluster.
fn manifest_and_explain(input: &Input, explained: &Value, found: &mut Contradictions) {
    let [decision] = items(explained) else { return };
    let objects = std::fs::read_to_string(&input.file).unwrap();
    let Ok(Value::Object(list)) = serde_json::from_str::<Value>(&objects) else { return };
    let is_pod = |object: &&Value| {
        object["kind"] == "Pod" && object["metadata"]["name"] == decision["pod"]["name"]
    };
    let objects = list["items"].as_array().unwrap();
    let (pods, others): (Vec<&Value>, Vec<&Value>) = objects.iter().partition(is_pod);
    let waits = |pod: &&Value| pod["status"] == json!({"phase": "Pending"});
    let [pod] = pods[..] else { return };
    let decides = ["Schedulable", "Preempt", "Unschedulable"].contains(&text(&decision["outcome"]));
    if !waits(&pod) || !decides || !decision["autoscaling"].is_null() {
        return;
    }
    let without: Vec<Value> = others.into_iter().cloned().collect();
    let cluster = Input::of(&input.name, &without, input.flags);
    let manifest = cluster.folder.as_ref().unwrap().path().join("pod.json");
    std::fs::write(&manifest, pod.to_string()).unwrap();
    let file = manifest.to_str().unwrap();
    let asked = ["simulate", "-f", file, "--fail-on", "unschedulable", "-o", "json"];
    let Some(answer) = cluster.ask(&asked).json() else { return };
    let stays = decision["outcome"] == "Unschedulable";
    found.same("gate of a file, and explain", answer["gate"]["fails"] == true, stays);
}

/// Every eviction of the JSON stands on the page, and both end alike.
fn evictions(input: &Input, found: &mut Contradictions) {
    let page = input.ask(&["why-evicted", "-A"]);
    let json = input.ask(&["why-evicted", "-A", "-o", "json"]);
    found.same("evictions: exit of text, and of JSON", page.code, json.code);
    let Some(answer) = json.json() else { return };
    let named = |pod: &Value| page.text.contains(text(&pod["name"]));
    let pods = answer["items"].as_array().into_iter().flatten();
    let pods = pods.filter_map(|item| item.get("pod").or_else(|| item.get("victim")));
    let missing: Vec<&Value> = pods.filter(|pod| !named(pod)).collect();
    found.same("evictions: pods that the page lacks", missing.len(), 0);
    let none = answer["items"].as_array().is_some_and(Vec::is_empty);
    found.same("evictions: none", page.text.contains("No evictions found"), none);
}

/// What becomes of the pods of a group is the same for `pending`, `explain` and `simulate`.
fn groups(input: &Input, pending: &Value, found: &mut Contradictions) {
    for row in items(pending).iter().filter(|row| !row["podGroup"].is_null()) {
        let (name, namespace) = (text(&row["name"]), text(&row["namespace"]));
        let group = format!("podgroup/{name}");
        let explained = input.ask(&["explain", &group, "-n", namespace, "-o", "json"]);
        let simulated = input.ask(&["simulate", &group, "-n", namespace, "-o", "json"]);
        let (Some(explained), Some(simulated)) = (explained.json(), simulated.json()) else {
            continue;
        };
        let explained = &items(&explained)[0];
        let placed = |members: &Value| {
            let on_node = |member: &&Value| member["node"].is_string();
            members.as_array().into_iter().flatten().filter(on_node).count()
        };
        let later = explained["laterCycles"].as_array().into_iter().flatten();
        let (mut own, mut evicted) = (placed(&explained["members"]), 0);
        for cycle in later {
            own += cycle["placed"].as_array().map_or(0, Vec::len);
            evicted += cycle["victims"].as_array().map_or(0, Vec::len);
        }
        if explained["outcome"] == "Schedulable" {
            let totals = &simulated["totals"];
            found.same(&format!("{name}: pods with a node"), &totals["placed"], &json!(own));
            found.same(&format!("{name}: evicted"), &totals["evicted"], &json!(evicted));
            let counts = row["podGroup"]["verdicts"].as_array();
            let fits = counts.map_or_else(
                || row["podGroup"]["waiting"].as_array().map_or(0, Vec::len),
                |counts| {
                    let has_node =
                        |count: &&Value| ["Fits", "Preempts"].contains(&text(&count["verdict"]));
                    let pods = counts.iter().filter(has_node).map(|count| count["pods"].as_u64());
                    usize::try_from(pods.flatten().sum::<u64>()).unwrap()
                },
            );
            found.same(&format!("{name}: pods with a node, of pending"), fits, own);
        }
    }
}

/// Text, JSON and metrics of `risk` count alike.
fn risk_counts(input: &Input, json: &Value, found: &mut Contradictions) {
    let page = input.ask(&["risk", "-A"]);
    let metrics = input.ask(&["risk", "-A", "-o", "prometheus"]);
    let pods = || items(json).iter().filter_map(|item| item["pods"].as_array()).flatten();
    let count = |exposure: &str| pods().filter(|pod| pod["exposure"] == exposure).count();
    let evicted: u64 = items(json).iter().filter_map(|item| item["evictedNow"].as_u64()).sum();
    found.same("risk: evictedNow", evicted, u64::try_from(count("Victim")).unwrap());
    let by = pods().filter(|pod| pod["evictedBy"].is_string()).count();
    found.same("risk: evictedBy", by, count("Victim"));
    let counts = [
        ("about to be evicted", "Victim"),
        ("on runner-up nodes", "Candidate"),
        ("preemptible", "Exposed"),
        ("safe", "Safe"),
    ];
    for (words, exposure) in counts {
        let said = format!("{} {words}", count(exposure));
        let is_said = page.first_line().contains(&said);
        found.same(&format!("risk: {said} in {:?}", page.first_line()), is_said, true);
        let label = format!("exposure=\"{}\"", exposure.to_lowercase());
        let lines = metrics.text.lines().filter(|line| line.contains(&label));
        let sum: usize =
            lines.filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok()).sum();
        found.same(&format!("risk: metric of {exposure}"), sum, count(exposure));
    }
}

/// A drain has the verdict that `node` gives, with the same pods that stay.
fn drain_and_node(input: &Input, risk: &Value, found: &mut Contradictions) {
    let node = items(risk).iter().filter_map(|item| item["pods"].as_array()).flatten().next();
    let Some(node) = node.map(|pod| text(&pod["node"]).to_owned()) else { return };
    let removed = input.ask(&["node", &node, "-o", "json"]);
    let drained = input.ask(&["simulate", "--drain", &node, "-o", "json"]);
    let (Some(removal), Some(drain)) = (removed.json(), drained.json()) else {
        found.same(&format!("{node}: answers"), removed.code, drained.code);
        return;
    };
    let item = &removal["items"][0];
    found.same(&format!("{node}: exit"), removed.code, drained.code);
    let of_drain = &drain["drains"][0];
    found.same(&format!("{node}: verdict"), &item["verdict"], &of_drain["verdict"]);
    let pods = item["pods"].as_array().into_iter().flatten();
    let stay: Vec<Value> =
        pods.filter(|pod| ["Refused", "Stuck"].contains(&text(&pod["outcome"]))).cloned().collect();
    found.same(
        &format!("{node}: pods that stay"),
        names(&json!(stay)),
        names(&of_drain["refused"]),
    );
}

/// The clusters of the scenarios.
fn scenarios() -> Vec<Input> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().join("cluster.yaml"))
        .collect();
    files.sort();
    files.iter().map(|file| Input::of_file(file)).collect()
}

/// Clusters that once made two outlets contradict each other.
fn once_contradictory() -> Vec<Input> {
    let groups: &[&str] =
        &["--feature-gates", "GenericWorkload=true,TopologyAwareWorkloadScheduling=true"];
    let pool =
        |name: &str, cpu: &str| node(name).cpu(cpu).label("karpenter.sh/nodepool", "default");
    let node_pool = json!({"apiVersion": "karpenter.sh/v1", "kind": "NodePool",
        "metadata": {"name": "default"},
        "spec": {"template": {"spec": {"requirements": [],
            "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}}}},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]}});
    let member = |name: &str| {
        pod(name).cpu("2").priority(1000).with("/spec/schedulingGroup/podGroupName", "g")
    };
    vec![
        // `pending` asked no node like those of the pool whether it takes the pod.
        Input::of(
            "a node of the pool would take the pod",
            &objects![
                pool("n1", "2"),
                node_pool.clone(),
                pod("full").cpu("2").ready().on("n1"),
                pod("p").cpu("2").condition(
                    "Unschedulable",
                    "0/1 nodes are available: 1 Insufficient cpu.",
                    "2026-06-01T11:59:00Z"
                ),
            ],
            &[],
        ),
        // The gate took a pool that may grow for one that cannot.
        Input::of(
            "a pool without nodes may take the pod",
            &objects![
                node("n1").cpu("2"),
                node_pool,
                pod("full").cpu("2").ready().on("n1"),
                pod("p").cpu("2"),
            ],
            &[],
        ),
        // `suggest` knew that a node that leaves can be replaced.
        Input::of(
            "the only node leaves",
            &objects![
                node("n1").cpu("2").taint("karpenter.sh/disrupted", "", "NoSchedule"),
                pod("p").cpu("2"),
            ],
            &[],
        ),
        // JSON named the nodes' first cause by name, the screen that of most nodes.
        Input::of(
            "two causes that are equally near",
            &objects![
                node("gpu1").cpu("4").label("workload", "gpu").taint(
                    "workload",
                    "gpu",
                    "NoSchedule"
                ),
                node("w1").cpu("4"),
                node("w2").cpu("4"),
                pod("p").cpu("1").selects_nodes("workload", "gpu"),
            ],
            &[],
        ),
        // `pending` counted all pods of a group that fits.
        Input::of(
            "one of three pods of a group fits",
            &objects![
                node("n1").cpu("3"),
                node("n2").cpu("2"),
                pod("low").cpu("2").ready().on("n2"),
                pod_group("g").with("/spec/schedulingPolicy", json!({"basic": {}})),
                member("g-0"),
                member("g-1"),
                member("g-2"),
            ],
            groups,
        ),
        // Each pod alone may evict any of three; together they evict two.
        Input::of(
            "candidates for two pods",
            &objects![
                node("n1").cpu("2"),
                node("n2").cpu("2"),
                node("n3").cpu("2"),
                pod("a").cpu("2").replica_of("web").ready().on("n1"),
                pod("b").cpu("2").replica_of("web").ready().on("n2"),
                pod("c").cpu("2").replica_of("web").ready().on("n3"),
                pod("first").cpu("2").priority(1000),
                pod("second").cpu("2").priority(1000),
            ],
            &[],
        ),
        // Who evicted a pod that is gone.
        Input::of(
            "a pod was preempted",
            &objects![
                node("n1").cpu("2"),
                pod("high").cpu("2").priority(10).ready().on("n1"),
                json!({"apiVersion": "v1", "kind": "Event",
                    "metadata": {"name": "low.1", "namespace": "default"},
                    "involvedObject": {"kind": "Pod", "namespace": "default", "name": "low", "uid": "u"},
                    "source": {"component": "default-scheduler"}, "reason": "Preempted",
                    "message": "Preempted by pod uid-high on node n1",
                    "lastTimestamp": "2026-06-01T11:59:55Z"}),
                pod("p").cpu("2"),
            ],
            &[],
        ),
        // `node` left open what the order decides, and `simulate --drain` did not.
        Input::of(
            "a waiting pod may come before the cordon",
            &objects![
                node("n1").cpu("4").label("disk", "ssd"),
                node("n2").cpu("4"),
                pod("low").cpu("4").label("app", "web").replica_of("web").ready().on("n1"),
                pod("high").cpu("4").priority(10).selects_nodes("disk", "ssd"),
                budget("web").selects("app", "web").allowed(0).healthy(1, 1, 1),
            ],
            &[],
        ),
    ]
}

/// The name of a group of EKS.
const GROUP: &str = "eks-app-0ac3f1d2-1111-2222-3333-444455556666";

/// Clusters in which an autoscaler acts next, each in another way.
fn with_autoscalers() -> Vec<Input> {
    let marked = |name: &str, cpu: &str| {
        let text = "0/1 nodes are available: 1 Insufficient cpu.";
        pod(name).cpu(cpu).condition("Unschedulable", text, "2026-06-01T11:59:00Z")
    };
    let pool = |limit: &str| {
        json!({"apiVersion": "karpenter.sh/v1", "kind": "NodePool",
            "metadata": {"name": "default"}, "spec": {"limits": {"cpu": limit},
            "template": {"spec": {"requirements": [], "nodeClassRef":
                {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}}}},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]}})
    };
    let claim = |name: &str, node: &str, registered: &str, change: Value| {
        let mut claim = json!({"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
            "metadata": {"name": name, "labels": {"karpenter.sh/nodepool": "default"},
                "creationTimestamp": "2026-06-01T11:58:00Z"},
            "status": {"nodeName": node, "capacity": {"cpu": "4", "memory": "16Gi"},
                "allocatable": {"cpu": "4", "memory": "14Gi", "pods": "58"},
                "conditions": [
                    {"type": "Launched", "status": "True"},
                    {"type": "Registered", "status": registered},
                    {"type": "Initialized", "status": registered}]}});
        for (key, value) in change.as_object().into_iter().flatten() {
            claim["metadata"][key] = value.clone();
        }
        claim
    };
    let status_with = |target: u32, max: u32, scale_up: &str| {
        let text = format!(
            "time: 2026-06-01 11:59:55 +0000 UTC\nautoscalerStatus: Running\nnodeGroups:\n- name: \
             {GROUP}\n  health:\n    cloudProviderTarget: {target}\n    maxSize: {max}\n    \
             nodeCounts:\n      registered:\n        ready: 1\n{scale_up}"
        );
        json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"namespace": "kube-system", "name": "cluster-autoscaler-status"},
            "data": {"status": text}})
    };
    let status = |target: u32, max: u32| status_with(target, max, "");
    let backing_off = || {
        let scale_up =
            "  scaleUp:\n    status: Backoff\n    backoffInfo:\n      errorCode: QUOTA\n";
        status_with(1, 3, scale_up)
    };
    let grown = || {
        json!({"apiVersion": "v1", "kind": "Event",
            "metadata": {"name": "p.2", "namespace": "default"},
            "involvedObject": {"kind": "Pod", "namespace": "default", "name": "p", "uid": "uid-p"},
            "source": {"component": "cluster-autoscaler"}, "reason": "TriggeredScaleUp",
            "message": format!("pod triggered scale-up: [{{{GROUP} 1->2 (max: 3)}}]"),
            "firstTimestamp": "2026-06-01T11:59:30Z", "lastTimestamp": "2026-06-01T11:59:30Z"})
    };
    let of_app = || node("n1").cpu("4").label("eks.amazonaws.com/nodegroup", "app");
    let full = || pod("full").cpu("3").ready().on("n1");
    let pending = || marked("p", "2");
    let mut inputs = Vec::new();
    let mut add = |name: &str, objects: Vec<Value>| inputs.push(Input::of(name, &objects, &[]));
    let of_pool = || node("n1").cpu("4").label("karpenter.sh/nodepool", "default");
    let on_its_way = claim("default-a", "", "Unknown", json!({}));
    let leaving = claim("default-b", "n1", "True", json!({"deletionTimestamp": NOW}));
    add(
        "a claim is on its way",
        objects![node("n1").cpu("4"), full(), pool("4"), on_its_way, pending()],
    );
    add(
        "a claim is too small",
        objects![
            node("n1").cpu("4"),
            pool("4"),
            claim("default-a", "", "Unknown", json!({})),
            marked("p", "5"),
        ],
    );
    add("a node leaves", objects![of_pool(), full(), pool("4"), leaving, pending()]);
    add("a group grows", objects![of_app(), full(), status(2, 2), pending()]);
    add("a group is full", objects![of_app(), full(), status(1, 1), pending()]);
    add("a group may grow", objects![of_app(), full(), status(1, 3), pending()]);
    add("a group has no node", objects![node("n1").cpu("4"), full(), status(1, 3), pending()]);
    add("a pod is not marked", objects![of_app(), full(), status(1, 3), pod("p").cpu("2")]);
    // Whoever tried and failed tries again.
    let nominated = |claim: &str| {
        json!({"apiVersion": "v1", "kind": "Event",
            "metadata": {"name": "p.1", "namespace": "default"},
            "involvedObject": {"kind": "Pod", "namespace": "default", "name": "p", "uid": "uid-p"},
            "source": {"component": "karpenter"}, "reason": "Nominated",
            "message": format!("Pod should schedule on: {claim}"),
            "firstTimestamp": "2026-06-01T11:59:30Z", "lastTimestamp": "2026-06-01T11:59:30Z"})
    };
    let leaves = json!({"deletionTimestamp": NOW});
    add(
        "the claim is being deleted",
        objects![
            of_pool(),
            full(),
            pool("9"),
            claim("default-a", "", "Unknown", leaves),
            nominated("nodeclaim/default-a"),
            pending(),
        ],
    );
    let other = claim("default-z", "n1", "True", json!({}));
    add(
        "the claim is gone",
        objects![of_pool(), full(), pool("9"), other, nominated("nodeclaim/default-a"), pending()],
    );
    add(
        "a group waits after a failure",
        objects![of_app(), full(), backing_off(), grown(), pending()],
    );
    let ready = claim("default-a", "n1", "True", json!({}));
    add(
        "an autoscaler counts on a full node",
        objects![
            of_pool(),
            full(),
            pool("9"),
            ready,
            nominated("nodeclaim/default-a, node/n1"),
            pending(),
        ],
    );
    add(
        "another scheduler's pod may get a node",
        objects![of_pool(), full(), pool("9"), pending().with("/spec/schedulerName", "volcano")],
    );
    add("others are evicted", objects![of_pool(), full(), pool("9"), pending().priority(10)]);
    add(
        "a claim for a volume does not exist",
        objects![of_pool(), full(), pool("9"), pending().claim("data")],
    );
    inputs
}

/// Random clusters.
fn random(count: usize) -> Vec<Input> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = scenes(true);
    (0..count)
        .map(|at| {
            let scene = strategy.new_tree(&mut runner).unwrap().current();
            Input::of(&format!("random {at}"), &scene.objects(), &[])
        })
        .collect()
}

#[test]
fn outlets_say_the_same() {
    // Every outlet of every question is a hundred processes for an input.
    const ONE_IN: usize = 8;
    let mut inputs = once_contradictory();
    inputs.extend(with_autoscalers());
    let made = inputs.len();
    inputs.extend(random(share::of(1, 40)));
    if share::is_long() {
        inputs.extend(scenarios());
    }
    let found: Mutex<Vec<String>> = Mutex::default();
    inputs.par_iter().enumerate().for_each(|(at, input)| {
        found.lock().unwrap().extend(contradictions(input, at < made && at % ONE_IN == 0));
    });
    let mut found = found.into_inner().unwrap();
    found.sort();
    assert!(found.is_empty(), "{}\n", found.join("\n"));
}
