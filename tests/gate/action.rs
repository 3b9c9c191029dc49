//! The GitHub Action by its parts: the scripts of its steps run as a runner runs them, with `gh`
//! played by a script and the program itself; and `action.yml` names what they need.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::{cluster, deployment, folder};
use crate::scripts;

/// gh, as far as the scripts use it: it notes what it is called with, downloads a given archive,
/// and finds an attestation, a release or a comment where the test says so.
const GH: &str = r#"#!/bin/sh
echo "gh $*" >>"$NOTED"
case "$1 $2" in
"release download")
    while [ $# -gt 0 ]; do
        case $1 in --pattern) pattern=$2 ;; --dir) dir=$2 ;; esac
        shift
    done
    cp "$ARCHIVE" "$dir/$pattern" ;;
"attestation verify") [ -n "$ATTESTED" ] || { echo "no attestation" >&2; exit 1; } ;;
"api --paginate") [ -z "$KNOWN" ] || echo "$KNOWN" ;;
"api --silent") ;;
*) exit 97 ;;
esac
"#;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The machine on which a step runs.
struct Runner {
    folder: TempDir,
}

/// How a step ended.
struct Step {
    code: i32,
    out: String,
    outputs: BTreeMap<String, String>,
    /// What gh was called with.
    noted: Vec<String>,
}

impl Runner {
    /// A runner with the cluster and these manifests in its working folder.
    fn new(manifests: &str) -> Self {
        let runner = Self { folder: folder(&cluster(), manifests) };
        fs::create_dir(runner.path("bin")).unwrap();
        scripts::write(&runner.path("bin/gh"), GH);
        runner
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a script of the action with these inputs; those that are not given are empty.
    fn run(&self, script: &str, inputs: &[(&str, &str)]) -> Step {
        let path = std::env::var("PATH").unwrap_or_default();
        let [outputs, noted, summary] = ["outputs", "noted", "summary"].map(|name| {
            fs::write(self.path(name), "").unwrap();
            self.path(name)
        });
        let mut command = Command::new(root().join("action").join(script));
        command
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .env("HOME", self.folder.path())
            .env("LANG", "C.UTF-8")
            .env("RUNNER_TEMP", self.path("temp"))
            .env("RUNNER_OS", "Linux")
            .env("RUNNER_ARCH", "X64")
            .env("GITHUB_OUTPUT", &outputs)
            .env("GITHUB_STEP_SUMMARY", &summary)
            .env("GITHUB_REPOSITORY", "shop/charts")
            .env("NOTED", &noted);
        for name in inputs_of(script) {
            command.env(name, "");
        }
        let output = command.envs(inputs.iter().copied()).output().unwrap();
        let text = |path: PathBuf| fs::read_to_string(path).unwrap();
        let pair = |line: &str| {
            let (name, value) = line.split_once('=').unwrap();
            (name.to_owned(), value.to_owned())
        };
        let out = [output.stdout, output.stderr].concat();
        Step {
            code: output.status.code().unwrap(),
            out: String::from_utf8(out).unwrap(),
            outputs: text(outputs).lines().map(pair).collect(),
            noted: text(noted).lines().map(str::to_owned).collect(),
        }
    }

    /// Judges the manifests, as the action does by default but for these inputs.
    fn simulate(&self, inputs: &[(&str, &str)]) -> Step {
        let program = env!("CARGO_BIN_EXE_kubectl-preempt");
        let usual = [
            ("PROGRAM", program),
            ("MANIFESTS", "m.yaml"),
            ("FROM", "cluster.json"),
            ("FAIL_ON", "unschedulable,uncertain"),
            ("NO_FAIL", "false"),
            ("ANNOTATE", "true"),
        ];
        self.run("simulate", &[&usual, inputs].concat())
    }
}

/// The action as data.
fn action() -> Value {
    serde_saphyr::from_str(&fs::read_to_string(root().join("action.yml")).unwrap()).unwrap()
}

/// The variables that `action.yml` hands to a script.
fn inputs_of(script: &str) -> Vec<String> {
    let action = action();
    let steps = action["runs"]["steps"].as_array().unwrap();
    let runs = |step: &&Value| {
        step["run"].as_str().is_some_and(|run| run.ends_with(&format!("/action/{script}\"")))
    };
    let step = steps.iter().find(runs).unwrap();
    step["env"].as_object().unwrap().keys().cloned().collect()
}

#[test]
fn action_passes_inputs_by_environment_alone_and_pins_what_it_uses() {
    let action = action();
    let pinned = regex::Regex::new("^[a-z-]+/[a-z-]+/[a-z-]+@[0-9a-f]{40}$").unwrap();
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    for step in action["runs"]["steps"].as_array().unwrap() {
        // An expression in a script would run whatever an input says.
        assert!(!step["run"].as_str().unwrap_or_default().contains("${{"), "{step}");
        if let Some(uses) = step["uses"].as_str() {
            assert!(pinned.is_match(uses), "{uses}");
        }
    }
    let inputs = action["inputs"].as_object().unwrap();
    for (name, input) in inputs {
        assert!(input["description"].as_str().is_some_and(|text| !text.is_empty()), "{name}");
        assert!(text.contains(&format!("inputs.{name}")), "{name} is used");
    }
    let used = regex::Regex::new(r"inputs\.([a-z-]+)").unwrap();
    for found in used.captures_iter(&text) {
        assert!(inputs.contains_key(&found[1]), "{} is an input", &found[1]);
    }
}

#[test]
fn install_takes_a_release_only_with_an_attestation_of_the_release_workflow() {
    let runner = Runner::new("");
    let archive = runner.path("archive.tar.gz");
    scripts::write(&runner.path("kubectl-preempt"), "#!/bin/sh\n");
    let packed = Command::new("tar")
        .args(["-czf", archive.to_str().unwrap(), "kubectl-preempt"])
        .current_dir(runner.folder.path())
        .status()
        .unwrap();
    assert!(packed.success());
    let archive = archive.to_str().unwrap();
    let inputs = [("VERSION", "v0.1.0"), ("ARCHIVE", archive), ("ATTESTED", "yes")];
    let step = runner.run("install", &inputs);
    assert_eq!(step.code, 0, "{}", step.out);
    let program = step.outputs.get("program").unwrap();
    assert!(Path::new(program).is_file(), "{program}");
    let [download, verify] = step.noted.as_slice() else { panic!("{:?}", step.noted) };
    assert!(download.contains("--pattern kubectl-preempt_v0.1.0_linux_amd64.tar.gz"), "{download}");
    for part in [
        "--repo kubectl-preempt/kubectl-preempt",
        "--signer-workflow kubectl-preempt/kubectl-preempt/.github/workflows/release.yml",
        "--source-ref refs/tags/v0.1.0",
    ] {
        assert!(verify.contains(part), "{verify}");
    }
    // Without an attestation nothing is unpacked or handed on.
    fs::remove_file(program).unwrap();
    let step = runner.run("install", &[("VERSION", "v0.1.0"), ("ARCHIVE", archive)]);
    assert_eq!((step.code, step.outputs.len()), (1, 0), "{}", step.out);
    assert!(!Path::new(program).exists());
}

#[test]
fn install_refuses_what_is_no_release() {
    let runner = Runner::new("");
    for version in ["", "main", "v1", "v0.1.0; rm -rf /", "../v0.1.0"] {
        let step = runner.run("install", &[("VERSION", version)]);
        assert_eq!((step.code, step.noted.len()), (2, 0), "{version}: {}", step.out);
        assert!(step.out.starts_with("::error title=kubectl preempt::"), "{}", step.out);
    }
    let step = runner.run("install", &[("VERSION", "v0.1.0"), ("RUNNER_ARCH", "RISCV")]);
    assert_eq!((step.code, step.noted.len()), (2, 0), "{}", step.out);
    let step = runner.run("install", &[("PROGRAM", env!("CARGO_BIN_EXE_kubectl-preempt"))]);
    assert_eq!((step.code, step.noted.len()), (0, 0), "{}", step.out);
}

#[test]
fn simulate_writes_every_format_and_leaves_the_exit_code_to_the_last_step() {
    let manifests = deployment("waits", "low", 1) + &deployment("evicts", "high", 1);
    let runner = Runner::new(&manifests);
    let step = runner.simulate(&[("PROTECT", "shop\n\n  \napp=none")]);
    assert_eq!(step.code, 0, "{}", step.out);
    assert_eq!(step.outputs["exit-code"], "1", "{}", step.out);
    assert!(step.out.contains("::error file=m.yaml,line=3,title=PRE-201"), "{}", step.out);
    assert!(step.out.contains("protected by shop"), "{}", step.out);
    let read = |name: &str| fs::read_to_string(&step.outputs[name]).unwrap();
    let comment = read("markdown");
    let marker = format!("<!-- kubectl-preempt: simulate {} -->\n### ", step.outputs["name"]);
    assert!(comment.starts_with(&marker), "{comment}");
    assert!(serde_json::from_str::<Value>(&read("sarif")).unwrap()["runs"].is_array());
    assert!(roxmltree::Document::parse(&read("junit")).is_ok());
    assert_eq!(fs::read_to_string(runner.path("summary")).unwrap(), read("markdown"));
    let quiet = runner.simulate(&[("ANNOTATE", "false"), ("NO_FAIL", "true")]);
    assert_eq!((quiet.out.as_str(), quiet.outputs["exit-code"].as_str()), ("", "0"));
}

#[test]
fn simulate_ends_with_an_error_of_the_program_and_takes_no_flags_from_names() {
    let runner = Runner::new(&deployment("evicts", "high", 1));
    let step = runner.simulate(&[("MANIFESTS", " \n")]);
    assert_eq!(step.code, 2, "{}", step.out);
    // A name that looks like a flag is a name.
    for absent in ["absent.yaml", "--no-fail"] {
        let step = runner.simulate(&[("MANIFESTS", absent), ("FAIL_ON", "victims")]);
        assert_eq!((step.code, step.outputs["exit-code"].as_str()), (0, "2"), "{}", step.out);
        let annotated = format!("::error file={absent},line=1,title=PRE-990");
        assert!(step.out.contains(&annotated), "{}", step.out);
    }
    let step = runner.simulate(&[("ARGUMENTS", "--max-victims=0\n--replicas=1")]);
    assert_eq!((step.code, step.outputs["exit-code"].as_str()), (0, "1"), "{}", step.out);
}

#[test]
fn simulate_reports_unreadable_manifests_beside_the_others_in_every_format() {
    let runner = Runner::new(&deployment("evicts", "high", 1));
    fs::write(runner.path("bad.yaml"), "apiVersion: v1\nkind: Pod\nmetadata: {name: [}\n").unwrap();
    fs::write(
        runner.path("no-template.yaml"),
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n",
    )
    .unwrap();
    let manifests = "bad.yaml\nm.yaml\nno-template.yaml";
    let step =
        runner.simulate(&[("MANIFESTS", manifests), ("PROTECT", "shop"), ("NO_FAIL", "true")]);
    assert_eq!((step.code, step.outputs["exit-code"].as_str()), (0, "2"), "{}", step.out);
    assert!(step.out.contains("::error file=bad.yaml,line=3,col="), "{}", step.out);
    assert!(
        step.out.contains("::error file=no-template.yaml,line=1,title=PRE-990"),
        "{}",
        step.out
    );
    assert!(step.out.contains("file=m.yaml,line="), "the others are judged: {}", step.out);
    let read = |name: &str| fs::read_to_string(&step.outputs[name]).unwrap();
    let comment = read("markdown");
    assert!(
        comment.contains("`unreadable manifest` (bad.yaml:<!-- -->3): cannot be read"),
        "{comment}"
    );
    let sarif: Value = serde_json::from_str(&read("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let of_bad = |result: &&Value| {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "bad.yaml"
    };
    let result = results.iter().find(of_bad).unwrap();
    assert_eq!(result["ruleId"], "PRE-990");
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 3);
    let junit = read("junit");
    let case =
        "classname=\"bad.yaml\" name=\"unreadable manifest\" file=\"bad.yaml\" line=\"3\"><failure";
    assert!(junit.contains(case), "{junit}");
}

#[test]
fn simulate_makes_an_error_of_the_program_an_annotation_and_the_comment() {
    let runner = Runner::new(&deployment("evicts", "high", 1));
    fs::write(runner.path("damaged.json"), "{\"kind\": \"List\", @everyone").unwrap();
    let step = runner.simulate(&[("FROM", "damaged.json")]);
    assert_eq!((step.code, step.outputs["exit-code"].as_str()), (0, "2"), "{}", step.out);
    assert!(step.out.contains("::error title=kubectl preempt::"), "{}", step.out);
    assert!(!step.outputs.contains_key("sarif"));
    let comment = fs::read_to_string(&step.outputs["markdown"]).unwrap();
    let marker = format!("<!-- kubectl-preempt: simulate {} -->", step.outputs["name"]);
    assert!(comment.starts_with(&marker), "{comment}");
    assert!(comment.contains("\n    error: damaged.json: "), "{comment}");
}

#[test]
fn action_is_used_twice_in_a_job_with_a_comment_and_a_category_for_each() {
    let runner = Runner::new(&deployment("evicts", "high", 1));
    // The program as it is with a live cluster, of which `snapshot` writes to a new file.
    let (program, cluster) = (runner.path("bin/program"), runner.path("cluster.json"));
    let real = env!("CARGO_BIN_EXE_kubectl-preempt");
    let script = format!(
        "#!/bin/sh\nif [ $1 = snapshot ]; then\n  [ ! -e $3 ] || exit 2\n  exec cp {} $3\nfi\nexec {real} \"$@\"\n",
        cluster.display()
    );
    scripts::write(&program, &script);
    let uses = |inputs: &[(&str, &str)]| {
        let usual = [("PROGRAM", program.to_str().unwrap()), ("FROM", "")];
        let step = runner.simulate(&[&usual[..], inputs].concat());
        assert!(inputs.contains(&("NAME", "--> x")) || step.code == 0, "{}", step.out);
        step
    };
    let first = uses(&[("KUBECONFIG", "one")]);
    let again = uses(&[("KUBECONFIG", "one")]);
    let second = uses(&[("KUBECONFIG", "two")]);
    let named = uses(&[("KUBECONFIG", "two"), ("NAME", "prod.eu-1")]);
    assert_eq!(first.outputs["name"], again.outputs["name"]);
    assert_ne!(first.outputs["name"], second.outputs["name"]);
    assert_ne!(first.outputs["markdown"], again.outputs["markdown"]);
    assert_eq!(named.outputs["name"], "prod.eu-1");
    let comment = fs::read_to_string(&named.outputs["markdown"]).unwrap();
    assert!(
        comment.starts_with("<!-- kubectl-preempt: simulate prod.eu-1 -->\n**prod.eu-1**\n\n### "),
        "{comment}"
    );
    let refused = uses(&[("NAME", "--> x")]);
    assert_eq!(refused.code, 2, "{}", refused.out);
}

#[test]
fn comment_replaces_the_one_of_an_earlier_run() {
    let runner = Runner::new("");
    fs::write(runner.path("comment.md"), "<!-- kubectl-preempt: simulate -->\n### x\n").unwrap();
    let inputs = [("PULL_REQUEST", "7"), ("COMMENT", "comment.md")];
    let step = runner.run("comment", &inputs);
    assert_eq!(step.code, 0, "{}", step.out);
    let comments = "repos/shop/charts/issues/7/comments";
    assert_eq!(
        step.noted.last().unwrap(),
        &format!("gh api --silent --method POST {comments} --field body=@comment.md")
    );
    let step = runner.run("comment", &[&inputs[..], &[("KNOWN", "41")]].concat());
    assert_eq!(
        step.noted.last().unwrap(),
        "gh api --silent --method PATCH repos/shop/charts/issues/comments/41 --field body=@comment.md"
    );
}
