//! Groups of pods that kube-scheduler schedules as a whole: small clusters and the answers of the
//! program. The first line of `tests/terminal/groups/NAME.yaml` is the question. `NAME.values` is
//! the decision, without any sentence of a page. A few worlds that show the screen have `NAME.txt`
//! instead: the page, and behind a line of `---` that of `-o wide` where that says more.
//!
//! `just bless` writes the answers again; `git diff` reviews them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use testing::{assert_begins, assert_has};

use crate::golden;
use crate::values;

/// The worlds, by file name.
pub fn worlds() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/terminal/groups");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut worlds: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == "yaml")).collect();
    worlds.sort();
    assert!(worlds.len() > 12, "the worlds were not found");
    worlds
}

fn world(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/terminal/groups/{name}.yaml"))
}

/// The question of a world, as the arguments of the program.
pub fn question(world: &Path) -> Vec<String> {
    let text = fs::read_to_string(world).unwrap();
    let question =
        text.lines().next().and_then(|line| line.strip_prefix("# kubectl preempt ")).unwrap();
    let file = format!("tests/terminal/groups/{}", world.file_name().unwrap().to_str().unwrap());
    let rest = ["--from".to_owned(), file, "--now".to_owned(), "2026-06-01T12:00:00Z".to_owned()];
    question.split_whitespace().map(str::to_owned).chain(rest).collect()
}

/// What the program answers: standard output, standard error, exit code.
fn run(arguments: &[String]) -> (String, String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .args(["--color", "never"])
        .env("LC_ALL", "C.UTF-8");
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

fn ask(world: &Path, more: &[&str]) -> (String, String, i32) {
    run(&question(world)
        .into_iter()
        .chain(more.iter().map(|word| (*word).to_owned()))
        .collect::<Vec<String>>())
}

/// Another question about a world.
fn ask_instead(world: &Path, words: &[&str]) -> (String, String, i32) {
    let rest = question(world).into_iter().skip_while(|word| !word.starts_with("--"));
    run(&words.iter().map(|word| (*word).to_owned()).chain(rest).collect::<Vec<String>>())
}

/// The pages of a world: the text, and what `-o wide` shows if that is more.
fn page(world: &Path) -> String {
    let (text, errors, code) = ask(world, &[]);
    let name = world.display();
    assert_eq!(errors, "", "{name}");
    assert_eq!(code, if text.contains("\n  error: ") { 3 } else { 0 }, "{name}\n{text}");
    let wide = ask(world, &["-o", "wide"]).0;
    if wide == text { text } else { format!("{text}---\n{wide}") }
}

/// The decision of a world, as values.
fn decision(world: &Path) -> String {
    let (text, errors, code) = ask(world, &["-o", "json"]);
    let name = world.display();
    assert_eq!(errors, "", "{name}");
    let answer: Value = serde_json::from_str(&text).unwrap();
    let of_answer = values::of_answer(answer);
    let is_uncertain = of_answer.to_string().contains("\"error PRE-");
    assert_eq!(code, if is_uncertain { 3 } else { 0 }, "{name}\n{text}");
    values::written(&of_answer, 0, 100)
}

#[test]
fn every_world_gets_its_answer() {
    for world in worlds() {
        let shows_page = world.with_extension("txt").exists();
        let (file, answer) = if shows_page {
            (world.with_extension("txt"), page(&world))
        } else {
            (world.with_extension("values"), decision(&world))
        };
        golden::check(file, &answer);
    }
}

#[test]
fn the_json_says_what_the_text_says() {
    let json = |name: &str| -> Value {
        serde_json::from_str(&ask(&world(name), &["-o", "json"]).0).unwrap()
    };
    let preempts = json("preempts");
    assert_eq!(preempts["kind"], "GroupDecision");
    assert_eq!(preempts["outcome"], "Preempt");
    let victims = preempts["preemption"]["victims"].as_array().unwrap();
    let names: Vec<&str> = victims.iter().map(|victim| victim["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["batch-0", "web-0", "batch-1"]);
    assert_eq!(victims[1]["pdbViolations"], serde_json::json!(["default/web"]));
    assert_eq!(victims[1]["blocksPod"], "default/train-0");
    assert_eq!(preempts["preemption"]["numPDBViolations"], 1);
    let cannot = json("cannot");
    let members = cannot["members"].as_array().unwrap();
    let results: Vec<&str> =
        members.iter().map(|member| member["result"].as_str().unwrap()).collect();
    assert_eq!(results, ["Placed", "Rejected", "Rejected", "NotTried"]);
    assert_eq!(members[1]["rejectedBy"][0]["plugin"], "NodeResourcesFit");
    assert_eq!(
        members[3]["condition"]["message"],
        "minCount (3) cannot be satisfied: 1 scheduled, 1 remaining"
    );
    assert_eq!(json("gated")["hold"]["kind"], "TooFewPods");
    assert_eq!(json("gated")["notMade"][0]["by"], "Job/train");
    assert_eq!(json("missing")["hold"]["kind"], "MissingPodGroup");
    assert_eq!(json("missing")["group"]["exists"], false);
    assert_eq!(
        json("held")["hold"]["hold"]["schedulingGates"],
        serde_json::json!(["example.com/quota"])
    );
    assert_eq!(json("victim_group")["preemption"]["victims"][0]["togetherWith"], "default/batch");
    assert_eq!(json("domains")["placements"][0]["chosen"], true);
    assert_eq!(json("workload")["kind"], "GroupDecisionList");
    let member = json("member");
    assert_eq!(
        (&member["kind"], &member["group"]["name"]),
        (&Value::from("Decision"), &Value::from("train"))
    );
    assert_eq!(
        (&member["group"]["result"], &member["outcome"]),
        (&Value::from("Rejected"), &Value::from("Unschedulable"))
    );
}

#[test]
fn names_and_pages_of_groups() {
    assert_eq!(ask(&world("preempts"), &["-o", "name"]).0, "pod/batch-0\npod/web-0\npod/batch-1\n");
    assert_eq!(ask(&world("fits"), &["-o", "name"]).0, "node/n1\nnode/n2\n");
    let (page, _, _) = ask(&world("preempts"), &["-o", "html"]);
    assert_begins(&page, "<!doctype html>");
    assert_has(&page, "PodGroup default/train fits after");
    assert_has(&page, "><span class=\"name\">default/batch-0</span></td>");
    let path = "jsonpath={.preemption.victims[*].name}";
    assert_eq!(ask(&world("preempts"), &["-o", path]).0, "batch-0 web-0 batch-1");
}

#[test]
fn nodes_that_are_nearest_to_taking_a_pod_of_a_group_come_first() {
    let (text, ..) = ask(&world("nearest"), &["-o", "wide"]);
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
    assert!(place("\n  w1: NodeResourcesFit") < place("\n  cp1, cp2 and cp3: TaintToleration"));
}

#[test]
fn row_of_a_group_says_who_acts_where_an_autoscaler_is_found() {
    let taint = "taints: [{key: gpu, effect: NoSchedule}], ";
    for (name, spec, who) in [
        ("cannot", "", "autoscaler"),
        ("cannot", taint, "nobody"),
        ("preempts", "", "scheduler"),
        ("gated", "", "nobody"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::copy(world(name), folder.path().join("world.yaml")).unwrap();
        let pool = format!(
            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: general}}\nspec: {{template: \
             {{spec: {{{spec}nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: d}}}}}}}}\n\
             status: {{conditions: [{{type: Ready, status: 'True'}}]}}\n"
        );
        fs::write(folder.path().join("pool.yaml"), pool).unwrap();
        let from = folder.path().to_str().unwrap();
        let ask = ["pending", "-o", "json", "--now", "2026-06-01T12:00:00Z", "--from", from];
        let (out, err, _) = run(&ask.map(str::to_owned));
        let list: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
        let groups = list["items"].as_array().unwrap();
        let group = groups.iter().find(|item| !item["podGroup"].is_null()).unwrap();
        assert_eq!(group["whoActs"], who, "{name} {spec}: {out}");
    }
}

#[test]
fn a_group_is_one_row_of_the_pending_pods() {
    let pending = |name: &str, more: &[&str]| {
        ask_instead(&world(name), &[&["pending", "-o"], more].concat()).0
    };
    let rows = |name: &str| ask_instead(&world(name), &["pending", "--no-headers"]).0;
    assert_begins(&rows("cannot"), "podgroup/train (4 pods)  100  60m  blocked ");
    assert_begins(&rows("partly_running"), "podgroup/train (1 pod, 2 on nodes)  0 ");
    assert_has(&rows("gated"), "not-queued  2 of 3 pods exist  -  -  more pods");
    assert_eq!(pending("cannot", &["name"]), "podgroup/train\n");
    assert_eq!(pending("cannot", &["wide"]).matches("\ntrain-").count(), 4);
    let list: Value = serde_json::from_str(&pending("cannot", &["json"])).unwrap();
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    assert_eq!(list["items"][0]["podGroup"]["waiting"].as_array().unwrap().len(), 4);
    assert_eq!(list["summary"]["Blocked"], 4);
}

#[test]
fn arguments_for_single_pods_are_rejected_with_groups() {
    for (words, problem) in [
        (
            &["explain", "podgroup/train", "pod/train-0"][..],
            "groups and pods are explained by separate commands",
        ),
        (&["explain", "podgroup/train", "--nodes"], "--nodes shows decisions about single pods"),
        (
            &["explain", "podgroup/train", "--compare", "1.36,1.37"],
            "--compare shows decisions about single pods",
        ),
        (&["explain", "podgroup/train", "-o", "csv"], "-o csv does not show groups"),
        (&["explain", "podgroup/other"], "podgroups.scheduling.k8s.io \"other\" not found"),
        (&["explain", "workload/other"], "workloads.scheduling.k8s.io \"other\" not found"),
        (&["simulate", "podgroup/train", "--on", "n1"], "--on chooses the node of one pod"),
        (&["simulate", "train-0", "--on", "n1"], "--on chooses the node of one pod"),
    ] {
        let (_, errors, code) = ask_instead(&world("cannot"), words);
        assert!(errors.contains(problem) && code != 0, "{words:?}: {errors}");
    }
}

#[test]
fn the_plan_of_a_group_is_simulated() {
    let simulated = |name: &str, more: &[&str]| {
        let words = [&["simulate", "podgroup/train"], more].concat();
        ask_instead(&world(name), &words)
    };
    for (name, first, code) in [
        ("preempts", "evicting 3 pods makes room for 2 pods on n1 and n2.", 0),
        ("fits", "3 pods fit without evictions on n1 and n2.", 0),
        ("gated", "its pods get no nodes.", 1),
    ] {
        let (text, errors, exit) = simulated(name, &[]);
        let head = text.lines().next().unwrap();
        assert!(
            head.starts_with(['✓', '✗', '!']) && head.ends_with(first),
            "{name}: {text}{errors}"
        );
        assert_eq!(exit, code, "{name}");
    }
    let (text, _, _) = simulated("preempts", &[]);
    assert_has(&text, "  2  default/web-0    n1    0 ");
    let (text, _, _) = simulated("gated", &["--replicas", "1"]);
    assert_has(&text, "3 pods fit without evictions on n1.");
    // Whichever of its pods is meant, the group is one step.
    let (json, _, _) = ask_instead(&world("preempts"), &["simulate", "train-1", "-o", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let [step] = json["steps"].as_array().unwrap().as_slice() else { panic!("{json}") };
    assert_eq!(
        (&step["group"]["name"], &step["pod"], &step["outcome"]),
        (&"train".into(), &Value::Null, &"Evict".into())
    );
    let placed =
        step["placements"].as_array().unwrap().iter().map(|pod| (&pod["name"], &pod["node"]));
    assert_eq!(
        placed.collect::<Vec<_>>(),
        [(&"train-0".into(), &"n1".into()), (&"train-1".into(), &"n2".into())]
    );
    assert_eq!(step["plan"]["victims"][1]["node"], "n1");
    let (json, _, _) = ask_instead(&world("missing"), &["simulate", "-o", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_has(
        json["steps"][0]["why"].as_str().unwrap(),
        "does not exist; kube-scheduler holds its 2 pods",
    );
}

#[test]
fn group_without_the_gate_is_decided_pod_by_pod() {
    let (text, errors, _) = ask(&world("cannot"), &["--feature-gates", "GenericWorkload=false"]);
    assert_has(&errors, "the gate GenericWorkload is off");
    assert_has(&text, "it fits on the only node");
    let (verify, _, _) = ask_instead(&world("member"), &["verify", "podgroup/train"]);
    assert_eq!(verify.matches("no message").count(), 4, "{verify}");
}
