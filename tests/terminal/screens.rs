//! What a person reads on clusters of realistic sizes and names:
//! `tests/terminal/screens/<case>@<columns>.txt`. An answer about one pod is one screen whatever
//! the cluster, no cell of a table wraps, and no name is broken: these rules are checked at every
//! width. A golden is kept at the narrowest width and in a pipe; what appears only at other widths
//! are values of the tests.
//!
//! `just bless` writes the answers again; `git diff` reviews them.

#![cfg(unix)]

#[path = "screens/cluster.rs"]
mod cluster;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use answers::commands::add_checks;
use answers::origin::{InputOrigin, Origin};
use engine::cluster::build::Builder;
use engine::decision;
use engine::decision::sampling::Starts;
use engine::decode::decode;
use engine::framework::cluster_view::ClusterView;
use engine::profile::{Profile, SchedulerVersion, VersionGap, VersionSource};
use render::page::Paper;
use render::screen;

use crate::golden;
use crate::terminal::text::on_terminal;

const WIDTHS: [u16; 4] = [80, 100, 120, 200];
/// The height of the smallest terminal in use.
const SCREEN: usize = 24;

fn is(case: &str, width: Option<u16>, answer: &str) {
    let columns = width.map_or("pipe".to_owned(), |width| width.to_string());
    golden::check(format!("tests/terminal/screens/{case}@{columns}.txt"), answer);
}

/// Compares the answers with their goldens.
fn are(case: &str, whole: &str, answers: &[(u16, String)]) {
    is(case, None, whole);
    let (width, narrowest) = &answers[0];
    is(case, Some(*width), narrowest);
}

/// The words of short columns that the sentence does not have.
const IN_SHORT: [&str; 12] = [
    "NEEDS",
    "HAVE",
    "Nodes:",
    "node",
    "not",
    "gate",
    "gated",
    "held",
    "other",
    "room",
    "toleration",
    "uncordon",
];

/// Checks the answers on terminals against `whole`, that of a pipe. Only prose wraps, and between
/// words: every word is one of the whole answer or visibly shortened, and no line continues a cell.
fn whole_words(case: &str, whole: &str, answers: &[(u16, String)]) {
    let words: BTreeSet<&str> = whole.split_whitespace().collect();
    for (width, answer) in answers {
        // Where a sentence would be cut, two columns of short values stand for it.
        let has_short_columns = answer.contains("NEEDS");
        let is_short = |word: &str| {
            let bare = word.trim_matches(['*', '?']);
            has_short_columns
                && (IN_SHORT.contains(&word)
                    || bare.trim_start_matches('+').parse::<f64>().is_ok()
                    || whole.contains(bare))
        };
        for line in answer.lines().filter(|line| !line.starts_with("Hidden: ")) {
            let indent = line.len() - line.trim_start().len();
            assert!(indent <= 6, "{case}@{width}: a cell continues on {line:?}");
            let columns = line.chars().count();
            assert!(
                columns <= usize::from(*width) || !line.trim().contains(' '),
                "{case}@{width}: {line:?}"
            );
            for word in line.split_whitespace() {
                // An owner may have the short name of its kind.
                let long =
                    word.replacen("rs/", "ReplicaSet/", 1).replacen("sts/", "StatefulSet/", 1);
                let known = words.contains(word) || words.contains(long.as_str());
                assert!(
                    known || word.contains('…') || is_short(word),
                    "{case}@{width}: {word:?} is broken in {line:?}"
                );
            }
        }
    }
}

/// The answers about one pod of a cluster of `nodes` nodes, on terminals of every width and in a
/// pipe; with what the scheduler itself may pick if it is found out (`as_scheduled`).
fn one_pod(case: &str, nodes: usize, as_scheduled: bool) -> [(u16, String); 4] {
    let mut builder = Builder::new();
    decode(&cluster::list(nodes), "list", &mut builder).unwrap();
    let cluster = builder.finish();
    let version = SchedulerVersion::parse("1.35").unwrap();
    let mut profile = Profile::new(version, VersionSource::Kubelets);
    profile.version_gap = Some(VersionGap::NotInInput);
    let view = ClusterView::new(&cluster, &profile);
    let name = "payments-api-7f9c6d5b8d-q9th5";
    let now = cluster::NOW.parse().unwrap();
    let pod = cluster.find_pod("payments", name).unwrap();
    let mut decision = decision::Explanation::from(decision::decide(&view, pod, now));
    decision.run_other_filters();
    decision.compare_condition();
    if as_scheduled {
        decision.enumerate(Starts::All);
    }
    decision.seek_remedies();
    add_checks(&mut decision, &["simulate", name, "-n", "payments"].map(str::to_owned));
    let origin = Origin {
        place: InputOrigin::Cluster("prod-eu".to_owned()),
        as_of: now,
        nodes: answers::node_name::NodeNames::default(),
    };
    let page = screen::page(&[decision.into()], &origin, false, 0);
    let print =
        |width| page.print(Paper { width, drawing: width.is_some(), ..Paper::PLAIN }).to_string();
    let whole = print(None);
    let answers = WIDTHS.map(|width| (width, print(Some(width))));
    are(case, &whole, &answers);
    whole_words(case, &whole, &answers);
    for (width, answer) in &answers {
        let most = if *width < 100 { SCREEN + 4 } else { SCREEN };
        assert!(answer.lines().count() <= most, "{case}@{width}: {} lines", answer.lines().count());
    }
    answers
}

#[test]
fn one_pod_on_5_nodes() {
    one_pod("explain-5", 5, false);
}

#[test]
fn one_pod_on_40_nodes() {
    one_pod("explain-40", 40, false);
}

#[test]
fn one_pod_on_1000_nodes() {
    let answers = one_pod("explain-1000", 1000, false);
    // Owners of victims get a column where it fits, and so do more of the commands that go on.
    for ((width, answer), (owners, last)) in answers.iter().zip([
        (false, "rules PRE-201"),
        (true, "rules PRE-201"),
        (true, "suggest payments-api-7f9c6d5b8d-q9th5 -n payments"),
        (
            true,
            "simulate payments-api-7f9c6d5b8d-q9th5 -n payments --add-node-like \
             ip-10-0-0-105.eu-central-1.compute.internal",
        ),
    ]) {
        assert_eq!(answer.contains("  Job/build-29144  "), owners, "@{width}: {answer}");
        assert!(
            answer.trim_end().ends_with(&format!("kubectl preempt {last}")),
            "@{width}: {answer}"
        );
    }
}

#[test]
fn one_pod_on_2500_nodes() {
    one_pod("explain-2500", 2500, false);
}

#[test]
fn explain_as_scheduled_fits_the_screen() {
    one_pod("explain-as-scheduled", 1000, true);
}

/// The answers of the program to `arguments` about 40 nodes; `most` are the lines at 100 columns
/// and more.
fn program(case: &str, arguments: &[&str], most: usize) -> [(u16, String); 4] {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cluster.json"), cluster::list(40)).unwrap();
    let ask = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
        crate::terminal::text::VARIABLES.iter().for_each(|name| {
            command.env_remove(name);
        });
        command
            .args(arguments)
            .args(["--from", "cluster.json", "--now", cluster::NOW])
            .current_dir(folder.path());
        command.envs([("LANG", "C.UTF-8"), ("TERM", "xterm-256color"), ("NO_COLOR", "1")]);
        command
    };
    let whole = String::from_utf8(ask().output().unwrap().stdout).unwrap();
    let answers = WIDTHS.map(|width| (width, on_terminal(ask(), width)));
    are(case, &whole, &answers);
    whole_words(case, &whole, &answers);
    for (width, answer) in answers.iter().filter(|(width, _)| *width >= 100) {
        assert!(answer.lines().count() <= most, "{case}@{width}: {} lines", answer.lines().count());
    }
    answers
}

#[test]
fn a_deployment_with_identical_replicas() {
    program("explain-deploy", &["explain", "deploy/payments-api", "-n", "payments"], SCREEN + 2);
}

/// Nine pods in seven answers.
#[test]
fn every_pending_pod() {
    program("explain-A", &["explain", "-A"], 7 * SCREEN);
}

#[test]
fn the_list_of_pending_pods() {
    let answers = program("pending-A", &["pending", "-A"], SCREEN);
    for (width, answer) in &answers {
        let head = answer.lines().find(|line| line.starts_with("NAMESPACE")).unwrap();
        let columns = head.split_whitespace().collect::<Vec<_>>().join(" ");
        // Either the sentence is whole, or short values stand for it.
        let forms = ["VERDICT CAUSE NODE VICTIMS", "VERDICT NEEDS HAVE NODE VICTIMS"];
        assert!(forms.iter().any(|form| columns.contains(form)), "@{width}: {columns}");
        assert!(*width > 80 || columns.ends_with(forms[1]), "@{width}: {columns}");
    }
}

#[test]
fn a_simulation() {
    program("simulate", &["simulate", "payments-api-7f9c6d5b8d-q9th5", "-n", "payments"], SCREEN);
}
