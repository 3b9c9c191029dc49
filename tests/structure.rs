//! The layout's promises that no compiler keeps: who may know whom within a crate, what the core must
//! not touch, and that rules, their docs and the table of versions stay complete.

mod circles;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use engine::framework::plugin::Preparation;
use engine::plugins;
use engine::profile::history::HISTORY;
use engine::profile::{Profile, SchedulerVersion, VersionSource};
use flate2::read::MultiGzDecoder;
use serde_json::Value;

/// The crates, as their sources are called here, and where they stand. A file is
/// `model/cluster/pod.rs` or `plugin/cli.rs`. Which crate knows which is in their manifests.
const CRATES: &[(&str, &str)] = &[
    ("go", "crates/go/src"),
    ("cel", "crates/cel/src"),
    ("manifests", "crates/manifests/src"),
    ("model", "crates/model/src"),
    ("profile", "crates/profile/src"),
    ("dra", "crates/dra/src"),
    ("scheduler", "crates/scheduler/src"),
    ("simulation", "crates/simulation/src"),
    ("reports", "crates/reports/src"),
    ("json", "crates/json/src"),
    ("engine", "crates/engine/src"),
    ("files", "crates/files/src"),
    ("answers", "crates/answers/src"),
    ("to_json", "crates/to-json/src"),
    ("render", "crates/render/src"),
    ("page", "crates/page/src"),
    ("plugin", "src"),
];

/// Words that stand only in some crates or files: what is impure, and what compares versions. What the
/// compiler or clippy refuses everywhere else is not repeated here.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("std::fs", &["plugin"]),
    ("std::env", &["plugin"]),
    ("std::net", &["plugin"]),
    ("std::process", &["plugin"]),
    // Those that read bytes which they are handed know what can be read.
    ("std::io", &["plugin", "files", "page"]),
    ("SystemTime", &["plugin"]),
    ("Instant::now", &["plugin"]),
    ("Timestamp::now", &["plugin"]),
    ("Zoned::now", &["plugin"]),
    (
        "SchedulerVersion",
        &[
            "profile",
            "engine/lib.rs",
            "answers/scheduler.rs",
            "answers/questions/compare.rs",
            "answers/questions/verify.rs",
            "plugin/cli",
        ],
    ),
];

/// The folders of a crate, each knowing only those before it.
const ORDER: &[(&str, &[&str])] = &[
    ("model", &["snapshot", "notes", "cluster", "decode", "edits"]),
    ("scheduler", &["framework", "plugins", "preemption", "decision", "groups"]),
    ("reports", &["risk", "disruption", "audit", "rules"]),
    ("plugin", &["api", "capture", "apply", "cli"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// All files below `folder` with that extension, by path.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn is_test(path: &str) -> bool {
    Path::new(path).file_name().is_some_and(|name| name == "tests.rs")
}

/// Source files of all crates, tests apart: path as [`CRATES`] says, and text.
fn sources() -> Vec<(String, String)> {
    let mut sources = Vec::new();
    for (name, place) in CRATES {
        let src = root().join(place);
        for path in files(&src, "rs") {
            let below =
                path.strip_prefix(&src).expect("below src").to_string_lossy().replace('\\', "/");
            sources.push((format!("{name}/{below}"), fs::read_to_string(&path).expect("text")));
        }
    }
    sources.retain(|(name, _)| !is_test(name));
    assert!(sources.len() > 200, "the sources were not found");
    sources
}

/// The code of a file: without comments, and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("\nmod tests {").next().unwrap_or_default();
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Whether a file stands in that crate or folder, or is it.
fn is_in(path: &str, place: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn plugin_names() -> Vec<&'static str> {
    plugins::ALL.iter().map(|p| p.doc().name).collect()
}

fn score_names() -> Vec<&'static str> {
    plugins::SCORES.iter().map(|p| p.doc().name).collect()
}

#[test]
fn all_plugins_stand_in_the_order_of_the_newest_scheduler() {
    let newest = Profile::new(SchedulerVersion::NEWEST, VersionSource::Default);
    assert!(
        plugin_names().starts_with(&newest.plugins.filter),
        "those of older schedulers come last"
    );
    let scores: Vec<&str> = newest.plugins.score.iter().map(|(name, _)| *name).collect();
    assert!(score_names().starts_with(&scores), "those of older schedulers come last");
}

#[test]
fn every_version_runs_plugins_that_exist_and_each_once() {
    for minor in SchedulerVersion::OLDEST.minor..=SchedulerVersion::NEWEST.minor {
        let set = Profile::new(SchedulerVersion::new(minor, 0), VersionSource::Default).plugins;
        let filters = plugins::filters(&set);
        assert_eq!(
            filters.filter.iter().map(|slot| slot.name).collect::<Vec<_>>(),
            set.filter,
            "1.{minor}"
        );
        assert_eq!(
            filters.pre_filter.len(),
            set.pre_filter.len(),
            "1.{minor}: {:?}",
            set.pre_filter
        );
        assert!(
            filters.filter.iter().all(|slot| slot.pre_filter != Preparation::Disabled),
            "1.{minor}"
        );
        assert_eq!(set.filter.iter().collect::<BTreeSet<_>>().len(), set.filter.len(), "1.{minor}");
        assert_eq!(
            plugins::scores(&set).score.len(),
            set.score.len(),
            "1.{minor}: {:?}",
            set.score
        );
    }
}

#[test]
fn every_plugin_says_what_it_checks_and_where_upstream_does() {
    let docs = plugins::ALL.iter().map(|p| p.doc()).chain(plugins::SCORES.iter().map(|p| p.doc()));
    for doc in docs {
        for (field, text) in [("summary", doc.summary), ("preemption", doc.preemption)] {
            assert!(text.len() > 10 && text.ends_with('.'), "{}: {field} is a sentence", doc.name);
        }
        let (path, version) = doc
            .source
            .rsplit_once(" (1.")
            .unwrap_or_else(|| panic!("{}: {}", doc.name, doc.source));
        assert!(
            path.starts_with("pkg/scheduler/framework/plugins/")
                && path.split_once('.').is_some_and(|(_, e)| e == "go"),
            "{}: {path}",
            doc.name
        );
        assert!(version.trim_end_matches(')').parse::<u16>().is_ok(), "{}: {version}", doc.name);
    }
}

/// In how many recorded cases each plugin refuses a node or the pod.
fn recorded_refusals() -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for path in files(&root().join("tests/recorded/parity/1.37"), "gz") {
        let mut text = String::new();
        MultiGzDecoder::new(fs::File::open(&path).expect("a file"))
            .read_to_string(&mut text)
            .expect("text");
        for line in text.lines() {
            // The expectation alone: the cluster, which comes first, is most of the line.
            let expect =
                line.rfind("\"expect\":").map_or("", |at| line[at + 9..].trim_end_matches('}'));
            let plugins: BTreeSet<&str> = expect
                .split("\"plugin\":\"")
                .skip(1)
                .filter_map(|rest| rest.split_once('"').map(|(name, _)| name))
                .collect();
            for plugin in plugins {
                *counts.entry(plugin.to_owned()).or_default() += 1;
            }
        }
    }
    assert!(counts.len() > 4, "the recordings were not read: {counts:?}");
    counts
}

#[test]
fn every_plugin_refuses_something_in_a_recording_or_in_tests_of_its_own() {
    let recorded = recorded_refusals();
    let plugins = files(&root().join("crates/scheduler/src/plugins"), "rs");
    let texts: Vec<String> =
        plugins.iter().map(|path| fs::read_to_string(path).expect("text")).collect();
    for name in plugin_names() {
        let told = format!("{name}: ");
        assert!(
            recorded.contains_key(name) || texts.iter().any(|text| text.contains(&told)),
            "{name} refuses nothing anywhere"
        );
    }
}

#[test]
fn words_stand_only_where_they_may() {
    for (path, text) in sources() {
        let code = code(&text);
        for (word, places) in ONLY_IN {
            let may = places.iter().any(|place| is_in(&path, place));
            assert!(may || !code.contains(word), "{path} mentions {word}");
        }
    }
}

#[test]
fn folders_know_only_those_before_them() {
    for (name, order) in ORDER {
        let at =
            |module: &[String]| order.iter().position(|f| module.first().is_some_and(|m| m == f));
        let uses = circles::uses(name);
        let placed: BTreeSet<usize> = uses.keys().filter_map(|module| at(module)).collect();
        assert_eq!(placed.len(), order.len(), "{name}: every folder of the list exists");
        for (module, others) in &uses {
            let is_folder = module.len() > 1;
            assert!(!is_folder || at(module).is_some(), "{module:?} has no place in the order");
            for other in others {
                let is_before = at(module) >= at(other);
                assert!(at(module).is_none() || is_before, "{name}: {module:?} knows {other:?}");
            }
        }
    }
}

#[test]
fn plugins_do_not_know_each_other() {
    let is_of = |module: &[String], plugin: &str| module.get(1).is_some_and(|part| part == plugin);
    for (module, others) in circles::uses("scheduler") {
        let [folder, plugin, ..] = module.as_slice() else { continue };
        if folder == "plugins" && !is_of(&module, "before_1_31") {
            let mut plugins = others.iter().filter(|other| other.first() == Some(folder));
            let other = plugins.find(|other| other.len() > 1 && !is_of(other, plugin));
            assert_eq!(other, None, "{module:?}");
        }
    }
}

#[test]
fn files_say_what_they_are_for_and_belong_to_a_module() {
    let sources = sources();
    for (path, text) in &sources {
        assert!(
            text.starts_with("//!") || text.starts_with("/*!"),
            "{path} does not begin with what it is"
        );
    }
    for file in CRATES.iter().flat_map(|(_, place)| files(&root().join(place), "rs")) {
        let (name, folder) = (file.file_stem().expect("a name"), file.parent().expect("a folder"));
        let owners = match name.to_str().expect("text") {
            "lib" | "main" => continue,
            _ => ["lib.rs", "main.rs"].map(|owner| folder.join(owner)),
        };
        let declares = format!("mod {};", name.display());
        let owners = owners.into_iter().chain([folder.with_extension("rs")]);
        let texts = owners.filter_map(|owner| fs::read_to_string(owner).ok());
        assert!(texts.into_iter().any(|text| text.contains(&declares)), "{}", file.display());
    }
}

#[test]
fn every_difference_between_versions_has_a_source() {
    assert!(!HISTORY.is_empty());
    for row in HISTORY.iter() {
        let field = row.field;
        assert!(
            row.summary.trim().len() > 10 && row.summary.trim_end().ends_with('.'),
            "{field}: {:?}",
            row.summary
        );
        for change in row.changes {
            let (summary, source) = (change.summary.trim(), change.source);
            assert!(summary.len() > 10 && summary.ends_with('.'), "{field}: {summary:?}");
            assert!(source.contains('/'), "{field}: {source:?} is no path and no issue");
        }
        let versions: BTreeSet<SchedulerVersion> =
            row.changes.iter().map(|change| change.since).collect();
        assert!(
            !versions.is_empty() && versions.len() == row.changes.len(),
            "{field}: {:?}",
            row.changes
        );
    }
    let fields: BTreeSet<&str> = HISTORY.iter().map(|row| row.field).collect();
    assert_eq!(fields.len(), HISTORY.len(), "each field has one row");
}

#[test]
fn gates_that_are_off_everywhere_are_said_to_be_off() {
    for row in HISTORY.iter().filter(|row| row.changes.iter().all(|change| !change.begins)) {
        assert!(row.gate.is_some(), "{}: a behaviour that no version has", row.field);
    }
}

#[test]
fn recordings_are_what_their_folder_says() {
    let folder = root().join("tests/recorded/parity");
    let recorded =
        (SchedulerVersion::OLDEST.minor..=SchedulerVersion::NEWEST.minor).map(|m| format!("1.{m}"));
    let recorded: Vec<String> = recorded.filter(|minor| folder.join(minor).is_dir()).collect();
    assert!(recorded.len() >= 10, "recordings of {recorded:?}");
    for minor in recorded {
        let files = files(&root().join("tests/recorded/parity").join(&minor), "gz");
        assert!(files.len() >= 9, "{minor}: {} families", files.len());
        for path in files {
            let mut text = String::new();
            MultiGzDecoder::new(fs::File::open(&path).expect("a file"))
                .read_to_string(&mut text)
                .expect("text");
            let first: Value =
                serde_json::from_str(text.lines().next().unwrap_or_default()).expect("a case");
            let version = first["scheduler"]["version"].as_str().unwrap_or_default();
            assert!(version.starts_with(&format!("{minor}.")), "{}: {version}", path.display());
        }
    }
}

#[test]
fn pull_requests_come_for_every_lock() {
    let text = fs::read_to_string(root().join(".github/dependabot.yml")).unwrap();
    let kept: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
    let folders: Vec<&str> = kept["updates"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|update| {
            let several = update["directories"].as_array().into_iter().flatten();
            several.chain(update.get("directory")).filter_map(serde_json::Value::as_str)
        })
        .collect();
    let tests = files(&root().join("tests"), "mod");
    let modules: Vec<&Path> = tests
        .iter()
        .filter(|file| file.ends_with("go.mod"))
        .filter_map(|file| file.parent())
        .collect();
    assert!(modules.len() >= 6, "{modules:?}");
    for module in modules {
        let path = format!("/{}", module.strip_prefix(root()).unwrap().display());
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        let is_kept = |folder: &&str| **folder == path || folder.strip_suffix("/*") == Some(parent);
        assert!(folders.iter().any(is_kept), "{path} is not in .github/dependabot.yml");
    }
}
