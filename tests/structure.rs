//! The layout's promises, checked: who may know whom, what the core must not touch, and that rules,
//! their docs and the table of versions stay complete.

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
/// `model/cluster/pod.rs` or `plugin/cli/mod.rs`. Which crate knows which is in their manifests.
const CRATES: &[(&str, &str)] = &[
    ("go", "crates/go/src"),
    ("cel", "crates/cel/src"),
    ("manifests", "crates/manifests/src"),
    ("model", "crates/model/src"),
    ("profile", "crates/profile/src"),
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

/// The crate that does input and output. All others compute and do nothing else.
const SHELL: &str = "plugin";

/// Those that read bytes which they are handed, and so know what can be read: files of a disk for the
/// plugin, of a browser for the page.
const READERS_OF_BYTES: &[&str] = &["files", "page"];

/// What no pure crate may mention: files, environment, network, clocks, output, async, unordered
/// maps, chance.
const IMPURE: &[&str] = &[
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "std::io",
    "SystemTime",
    "Instant::now",
    "Timestamp::now",
    "Zoned::now",
    "println!",
    "eprintln!",
    "print!(",
    "dbg!(",
    "tokio",
    "kube::",
    "async fn",
    "HashMap",
    "HashSet",
    "rand::",
];

/// The folders of a crate, each knowing only those before it.
const ORDER: &[(&str, &[&str])] = &[
    ("model", &["snapshot", "notes", "cluster", "decode", "edits"]),
    ("scheduler", &["dra", "framework", "plugins", "preemption", "decision", "groups"]),
    ("reports", &["risk", "disruption", "audit", "rules"]),
    ("plugin", &["api", "capture", "apply", "cli"]),
];

/// What some of them must not know, either: plugins are known by contract, wire types by the
/// cluster alone, and who reads a cluster does not know what is done with it.
const NEITHER: &[(&str, &[&str])] = &[
    ("profile", &["snapshot", "cluster", "decode", "edits"]),
    ("scheduler/dra", &["snapshot", "decode", "edits"]),
    ("scheduler/framework", &["snapshot", "decode", "edits"]),
    ("scheduler/plugins", &["snapshot", "decode", "edits"]),
    ("scheduler/preemption", &["snapshot", "decode", "plugins"]),
    ("scheduler/decision", &["snapshot", "decode"]),
    ("simulation", &["plugins"]),
    ("to_json", &["plugins", "decode"]),
    ("render", &["plugins", "decode"]),
    (
        "plugin/api",
        &[
            "cluster",
            "decode",
            "profile",
            "framework",
            "plugins",
            "preemption",
            "decision",
            "simulation",
            "render",
        ],
    ),
    (
        "plugin/capture",
        &["profile", "framework", "plugins", "preemption", "decision", "simulation", "render"],
    ),
    ("plugin/apply", &["plugins", "framework", "preemption", "dra"]),
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

/// The code of a file: without comments, and without what is compiled for tests only.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Whether `word` stands in `code` as a whole path segment, as in `crate::word`, `super::word` or
/// `use word`.
fn mentions_module(code: &str, word: &str) -> bool {
    let whole = |at: usize| {
        let before = code[..at].trim_end();
        let behind = &code[at + word.len()..];
        let ends = !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        // `crate::{a, b}` names modules, too.
        let in_crate_list = before.ends_with(['{', ','])
            && before.rfind("crate::{").is_some_and(|open| !before[open..].contains(['}', ';']));
        let crates = CRATES.iter().map(|(name, _)| *name).chain(["crate"]);
        let of_crate = crates
            .into_iter()
            .any(|name| before.strip_suffix("::").is_some_and(|b| b.ends_with(name)));
        ends && (of_crate || in_crate_list)
    };
    code.match_indices(word).any(|(at, _)| whole(at))
}

/// Whether `word` stands in `code`, and not as the end of a longer one.
fn mentions(code: &str, word: &str) -> bool {
    code.match_indices(word)
        .any(|(at, _)| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

#[test]
fn module_names_are_found_where_they_stand() {
    assert!(mentions("let x = rand::random();", "rand::") && !mentions("Operand::Text", "rand::"));
    for (code, found) in [
        ("use crate::plugins::ALL;", true),
        ("let x = crate::plugins;", true),
        ("use crate::{decision, plugins};", true),
        ("use crate::{plugins, profile};", true),
        ("use crate::{\n    plugins,\n};", true),
        ("let plugins = profile.filters();", false),
        ("use crate::plugins_of;", false),
        ("use crate::{profile}; let (a, plugins) = x;", false),
        ("// crate::plugins", true),
    ] {
        assert_eq!(mentions_module(code, "plugins"), found, "{code}");
    }
    assert!(
        !code("use a; // crate::plugins\n#[cfg(test)]\nuse crate::plugins;").contains("plugins")
    );
}

/// The crate of a file, and its folder there: `model` and `cluster` of `model/cluster/pod.rs`.
fn place(path: &str) -> (&str, &str) {
    let (name, rest) = path.split_once('/').unwrap_or((path, ""));
    (name, rest.split_once('/').map_or("", |(folder, _)| folder))
}

/// Whether a file stands in that crate and folder.
fn is_in(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// Plugins that are one rule, and the file that they share.
const SHARED: &[(&str, &str)] = &[
    ("EBSLimits", "cloud_disk_limits"),
    ("GCEPDLimits", "cloud_disk_limits"),
    ("AzureDiskLimits", "cloud_disk_limits"),
];

/// The file of a plugin, without its ending.
fn file_of(plugin: &str) -> String {
    let shared = SHARED.iter().find(|(name, _)| *name == plugin);
    shared.map_or_else(|| snake_case(plugin), |(_, file)| (*file).to_owned())
}

fn plugin_names() -> Vec<&'static str> {
    plugins::ALL.iter().map(|p| p.doc().name).collect()
}

fn score_names() -> Vec<&'static str> {
    plugins::SCORES.iter().map(|p| p.doc().name).collect()
}

#[test]
fn every_plugin_has_its_file_and_every_file_its_plugin() {
    let files: BTreeSet<String> = sources()
        .iter()
        .filter(|(path, _)| is_in(path, "scheduler/plugins") && path != "scheduler/plugins/mod.rs")
        .map(|(path, _)| path.trim_start_matches("scheduler/plugins/").trim_end_matches(".rs"))
        // Plugins that today's scheduler no longer has stand in a folder of their own.
        .map(|path| path.trim_start_matches("before_1_31/"))
        .filter(|path| !["mod", "names"].contains(path))
        // Parts of a plugin stand in the folder of its name.
        .map(|path| path.split_once('/').map_or(path, |(plugin, _)| plugin).to_owned())
        .collect();
    let plugins: BTreeSet<String> =
        plugin_names().into_iter().chain(score_names()).map(file_of).collect();
    assert_eq!(files, plugins);
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
    for name in plugin_names() {
        let plugins = root().join("crates/scheduler/src/plugins");
        let places = [plugins.join(file_of(name)), plugins.join("before_1_31").join(file_of(name))];
        let tests = places.map(|place| place.join("tests.rs"));
        let tests = tests.iter().find(|tests| tests.exists()).unwrap_or(&tests[0]);
        let text = fs::read_to_string(tests).unwrap_or_default();
        assert!(text.contains("#[test]"), "{name}: no tests in {}", tests.display());
        let own = text.contains(&format!("{name}: "));
        assert!(
            own || recorded.get(name).is_some_and(|n| *n > 0),
            "{name} refuses nothing anywhere"
        );
    }
}

#[test]
fn versions_are_compared_in_the_profile_only() {
    for (path, text) in sources() {
        let chooses = ["answers/scheduler.rs", "answers/questions/verify.rs"].contains(&&*path);
        let knows = place(&path) == ("plugin", "cli")
            || is_in(&path, "profile")
            || path == "engine/lib.rs"
            || chooses;
        assert!(
            knows || !code(&text).contains("SchedulerVersion"),
            "{path} names SchedulerVersion"
        );
    }
}

#[test]
fn the_engine_and_the_renderers_touch_nothing_outside() {
    for (path, text) in sources().iter().filter(|(path, _)| place(path).0 != SHELL) {
        let code = code(text);
        let reads_bytes = READERS_OF_BYTES.contains(&place(path).0);
        for word in IMPURE.iter().filter(|word| **word != "std::io" || !reads_bytes) {
            assert!(!mentions(&code, word), "{path} mentions {word}");
        }
    }
}

#[test]
fn folders_know_only_what_is_below_them() {
    let sources = sources();
    for (name, order) in ORDER {
        let mut seen = BTreeSet::new();
        for (path, text) in &sources {
            let (of, folder) = place(path);
            let Some(at) = order.iter().position(|f| *f == folder).filter(|_| of == *name) else {
                continue;
            };
            seen.insert(folder.to_owned());
            for module in &order[at + 1..] {
                assert!(!mentions_module(&code(text), module), "{path} knows {module}");
            }
        }
        assert_eq!(seen.len(), order.len(), "every folder of the list exists: {seen:?}");
    }
    for (folder, others) in NEITHER {
        let mut files = 0;
        for (path, text) in sources.iter().filter(|(path, _)| is_in(path, folder)) {
            files += 1;
            for module in *others {
                assert!(!mentions_module(&code(text), module), "{path} knows {module}");
            }
        }
        assert!(files > 0, "{folder} has no file");
    }
}

#[test]
fn every_folder_of_a_crate_has_its_place_in_the_order() {
    for (name, order) in ORDER {
        let (_, place) = CRATES.iter().find(|(of, _)| of == name).expect("a crate");
        for entry in fs::read_dir(root().join(place)).expect("a folder") {
            let entry = entry.expect("an entry");
            let folder = entry.file_name().to_string_lossy().into_owned();
            let known = order.contains(&folder.as_str());
            assert!(!entry.path().is_dir() || known, "{place}/{folder} has no place in the order");
        }
    }
}

#[test]
fn plugins_do_not_know_each_other() {
    for (path, text) in sources()
        .iter()
        .filter(|(path, _)| is_in(path, "scheduler/plugins") && path != "scheduler/plugins/mod.rs")
    {
        let code = code(text);
        for other in plugin_names() {
            let file =
                path.trim_start_matches("scheduler/plugins/").trim_start_matches("before_1_31/");
            let own = file == format!("{}.rs", file_of(other)) || file == "names.rs";
            let (snake, quoted) = (format!("{}::", file_of(other)), format!("\"{other}\""));
            assert!(
                own || !(code.contains(&snake) || code.contains(&quoted)),
                "{path} knows {other}"
            );
        }
    }
}

#[test]
fn the_runner_and_preemption_know_no_plugin_by_name() {
    let knows_no_plugin =
        |path: &str| is_in(path, "scheduler/framework") || is_in(path, "scheduler/preemption");
    for (path, text) in sources().iter().filter(|(path, _)| knows_no_plugin(path)) {
        for plugin in plugin_names().into_iter().chain(["DynamicResources", "VolumeBinding"]) {
            assert!(!code(text).contains(&format!("\"{plugin}\"")), "{path} names {plugin}");
        }
    }
}

/// Comparisons with a text that stand for a value: the outcome of a step, an omitted object, a
/// note, a reason.
const RECOGNISED_BY_TEXT: &[&str] = &[
    "contains(PANIC",
    "contains(TIMED_OUT",
    "contains(messages::",
    "TIMED_OUT)",
    "\"left out: \"",
    "error.contains(",
    "text.contains(\"",
    "text.starts_with(\"",
    "note.text ==",
    "message.contains(",
    "message.starts_with(",
];

/// What is read there comes from outside as text: the answers of servers, of other libraries, and
/// what users typed.
const READERS_OF_TEXT: &[&str] = &[
    "scheduler/decision/fit_error.rs",
    "scheduler/decision/handlers/koordinator.rs",
    "scheduler/decision/pod_groups.rs",
    "scheduler/dra/requests.rs",
    "model/plain.rs",
    "model/decode/printed.rs",
    "profile/config/error.rs",
    "simulation/autoscalers/status.rs",
    "reports/disruption/programs.rs",
    "reports/rules/lookup.rs",
    "model/wrong_value.rs",
    "plugin/api/failure.rs",
    "plugin/apply/server/outcome.rs",
    "answers/nodeless.rs",
];

#[test]
fn nothing_is_recognised_by_its_text() {
    for (path, text) in
        sources().iter().filter(|(path, _)| !READERS_OF_TEXT.contains(&path.as_str()))
    {
        for pattern in RECOGNISED_BY_TEXT {
            assert!(!code(text).contains(pattern), "{path}: {pattern}: make it a value");
        }
    }
}

#[test]
fn files_say_what_they_are_for() {
    for (path, text) in sources() {
        // A stand-in until there is something to say.
        let empty = text.trim().is_empty();
        assert!(
            empty || text.starts_with("//!") || text.starts_with("/*!"),
            "{path} does not open with a module comment"
        );
    }
}

#[test]
fn tests_are_attached() {
    let all = CRATES.iter().flat_map(|(_, place)| files(&root().join(place), "rs"));
    for path in all.filter(|p| p.ends_with("tests.rs")) {
        let folder = path.parent().expect("a folder");
        let owner = [folder.with_extension("rs"), folder.join("mod.rs"), folder.join("lib.rs")]
            .into_iter()
            .find(|p| p.exists());
        let owner = owner.unwrap_or_else(|| panic!("{} belongs to no module", path.display()));
        let text = fs::read_to_string(&owner).expect("text");
        assert!(
            text.contains("mod tests;"),
            "{} does not attach {}",
            owner.display(),
            path.display()
        );
    }
}

/// The names in `code` by which a field of the history table may be read: behind a dot and, in the
/// table of default plugins, behind `if` and `unless`.
fn fields_read(code: &str) -> BTreeSet<&str> {
    let mut read = BTreeSet::new();
    for (at, _) in code.match_indices(['.', ' ']) {
        let (before, behind) = code.split_at(at + 1);
        if before.ends_with('.') || before.ends_with(" if ") || before.ends_with(" unless ") {
            let end = behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            read.insert(&behind[..end.unwrap_or(behind.len())]);
        }
    }
    read
}

#[test]
fn every_difference_between_versions_has_a_source_and_is_read_by_a_rule() {
    assert!(!HISTORY.is_empty());
    let sources = sources();
    let rules: Vec<String> = sources
        .iter()
        .filter(|(path, _)| !is_in(path, "profile/history") && path != "profile/history.rs")
        .map(|(_, text)| code(text))
        .collect();
    let read: BTreeSet<&str> = rules.iter().flat_map(|code| fields_read(code)).collect();
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
        assert!(read.contains(field), "{field} is read by no rule");
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
