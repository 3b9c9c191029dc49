use std::collections::{BTreeMap, BTreeSet};

use engine::notes::Note;
use engine::profile::{Profile, SchedulerVersion, VersionSource};
use engine::simulation::MANIFEST;
use engine::simulation::document::{
    ManifestDocument, ManifestDocuments, RefusedPod, UnreadManifest,
};
use engine::simulation::gate::{FailCondition, Policy, PolicyGate, judge};
use engine::simulation::plan::PodId;
use engine::simulation::sequence::Simulation;
use serde_json::Value;

use super::*;
use answers::origin::{InputOrigin, Origin};
use testing::{NOW, budget, node, objects, outside_code, pod, simulate};

/// Texts that would be commands, markup or controls in one of the formats.
const HOSTILE: [&str; 8] = [
    "a\n::error file=x::injected",
    "##[error]injected",
    "]]></failure><failure>",
    "\u{1b}[31mred\u{7}\u{0}",
    "| cell | <img src=x onerror=alert(1)> @everyone #1 [a](http://x)",
    "100%0A::warning::x%25",
    "\u{202e}desrever\u{feff}\u{fffe}",
    "` `` **bold** <!-- --> ```",
];

/// A simulation of a pod that evicts one with a budget, one that gets no node, and one that is
/// refused; `text` stands in every text that a cluster or a manifest has.
fn simulation(text: &str) -> Simulation {
    let objects = objects![
        node("n1").cpu("2"),
        pod("old").cpu("2").on("n1").replica_of("old").label("app", "old"),
        budget("b").selects("app", "old").allowed(0),
        pod("a").cpu("2").priority(10),
        pod("b").cpu("2").priority(10),
    ];
    let mut simulation = simulate(objects, &["a", "b"]).0;
    let document = |line: usize, name: &str| ManifestDocument {
        file: format!("m {text}.yaml"),
        line,
        kind: "Deployment".to_owned(),
        namespace: "default".to_owned(),
        name: format!("{name}{text}"),
        accepts: None,
        is_suspended: false,
    };
    let mut documents =
        ManifestDocuments::new(vec![document(3, "a"), document(9, "b"), document(27, "c")]);
    documents.add_pod("default", "a", None, 0);
    documents.add_pod("default", "b", None, 1);
    let id = PodId { namespace: "default".to_owned(), name: text.to_owned(), uid: String::new() };
    let document = documents.add_unread(format!("u {text}.yaml"), 4);
    let unread = UnreadManifest { document, column: Some(7), problem: format!("problem {text}") };
    let refused = RefusedPod { pod: id, document: 2, why: format!("why {text}") };
    simulation.add_documents(documents, vec![refused], vec![unread]);
    simulation.notes.push(Note::error(&MANIFEST, format!("note {text}")));
    simulation
}

/// Something that is made of a report.
fn with_report<T>(text: &str, make: impl FnOnce(GateReport) -> T) -> T {
    let simulation = simulation(text);
    let policy = Policy {
        fail_on: BTreeSet::from(FailCondition::ALL),
        max_victims: None,
        protected: BTreeMap::from([("default/old".to_owned(), text.to_owned())]),
        protected_by: vec![text.to_owned()],
        report_only: false,
        ignored: Vec::new(),
    };
    let verdict = judge(&simulation, &policy);
    let gate = PolicyGate { policy, verdict };
    let profile = Profile::new(SchedulerVersion::NEWEST, VersionSource::Flag);
    let origin = Origin {
        place: InputOrigin::Files(vec![format!("f {text}")]),
        as_of: NOW.parse().expect("a time"),
        nodes: answers::node_name::NodeNames::default(),
    };
    make(GateReport { simulation: &simulation, gate: &gate, profile: &profile, origin: &origin })
}

#[test]
fn github_annotations_are_one_command_a_line_at_the_line_of_the_document() {
    let out = with_report("", |report| annotations(report).to_string());
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        lines[..2],
        [
            "::error file=u .yaml,line=4,col=7,title=PRE-990 unreadable manifest::cannot be read and is left out: problem ",
            "::error file=m .yaml,line=3,title=PRE-984 Deployment default/a::evicts 1 pod (default/old)"
        ]
    );
    assert!(lines.iter().any(|line| line.starts_with("::error file=m .yaml,line=9,title=PRE-")));
    assert!(
        lines[lines.len() - 1].starts_with("::error title=kubectl preempt::1 of 3 pods placed"),
        "{out}"
    );
}

#[test]
fn github_annotations_of_hostile_texts_are_still_commands() {
    for text in HOSTILE {
        let out = with_report(text, |report| annotations(report).to_string());
        for line in out.lines() {
            let rest = line.strip_prefix("::").expect("a command");
            let (head, message) = rest.split_once("::").expect("a message");
            let (level, properties) = head.split_once(' ').expect("properties");
            assert!(["error", "warning", "notice"].contains(&level), "{line:?}");
            for property in properties.split(',') {
                let (name, value) = property.split_once('=').expect("a value");
                assert!(["file", "line", "col", "title"].contains(&name), "{line:?}");
                assert!(!value.contains(':'), "{line:?}");
            }
            // A percent sign is one of an escape that GitHub decodes.
            for escape in message.split('%').skip(1) {
                assert!(["25", "0A", "0D"].contains(&&escape[..2]), "{line:?}");
            }
            assert!(!line.chars().any(crate::safe::is_hostile), "{line:?}");
        }
    }
}

#[test]
fn sarif_results_name_their_rules_and_the_lines_of_their_documents() {
    for text in HOSTILE.into_iter().chain([""]) {
        let value =
            with_report(text, |report| serde_json::to_value(sarif(report, "1.0.0"))).expect("JSON");
        let run = &value["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
        let results = run["results"].as_array().expect("results");
        assert!(results.len() >= 4, "{value}");
        for result in results {
            let index = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(rules[index]["id"], result["ruleId"]);
            assert!(result["ruleId"].as_str().is_some_and(|id| id.starts_with("PRE-")));
            let place = &result["locations"][0]["physicalLocation"];
            let line = place["region"]["startLine"].as_u64();
            assert!([3, 4, 9, 27].contains(&line.expect("a line")), "{result}");
            let uri = place["artifactLocation"]["uri"].as_str().expect("a URI");
            let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~/%".contains(c);
            assert!(uri.chars().all(allowed), "{uri}");
        }
        assert_eq!(run["invocations"][0]["executionSuccessful"], Value::Bool(false));
    }
}

#[test]
fn comment_fits_one_screen_and_has_no_markup_of_the_cluster() {
    for text in HOSTILE.into_iter().chain([""]) {
        let out = with_report(text, comment);
        assert!(out.starts_with(markdown::MARKER), "{out}");
        assert!(out.lines().count() <= 40, "{out}");
        // A bracket behind a backslash begins no link.
        let prose = outside_code(&out).replace("\\](", "");
        for markup in ["<img", "@everyone", "\n::", "](http", "**bold**"] {
            assert!(!prose.contains(markup), "{markup}: {out}");
        }
        assert_eq!(out.matches("<!-- kubectl-preempt").count(), 1, "{out}");
        assert!(!out.chars().any(|c| c != '\n' && crate::safe::is_hostile(c)), "{out:?}");
    }
}

#[test]
fn comment_of_many_manifests_fits_one_screen() {
    let mut pods = objects![node("n1").cpu("1")];
    let names: Vec<String> = (0..60).map(|index| format!("p{index}")).collect();
    pods.extend(names.iter().map(|name| Value::from(pod(name).cpu("100m"))));
    let asked: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut simulation = simulate(pods, &asked).0;
    let list = names
        .iter()
        .map(|name| ManifestDocument { name: name.clone(), ..ManifestDocument::default() });
    let mut documents = ManifestDocuments::new(list.collect());
    for (index, name) in names.iter().enumerate() {
        documents.add_pod("default", name, None, index);
    }
    simulation.add_documents(documents, Vec::new(), Vec::new());
    let policy = Policy {
        fail_on: BTreeSet::from([FailCondition::Unschedulable]),
        max_victims: None,
        protected: BTreeMap::new(),
        protected_by: Vec::new(),
        report_only: false,
        ignored: Vec::new(),
    };
    let gate = PolicyGate { verdict: judge(&simulation, &policy), policy };
    let profile = Profile::new(SchedulerVersion::NEWEST, VersionSource::Flag);
    let origin = Origin {
        place: InputOrigin::Files(vec!["f".to_owned()]),
        as_of: NOW.parse().expect("a time"),
        nodes: answers::node_name::NodeNames::default(),
    };
    let out = comment(GateReport {
        simulation: &simulation,
        gate: &gate,
        profile: &profile,
        origin: &origin,
    });
    assert!(out.lines().count() <= 40, "{out}");
    assert!(out.contains("\nand 50 more manifests\n") && out.contains("- and 45 more\n"), "{out}");
}
