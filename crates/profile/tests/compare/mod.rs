//! Compares with what kube-scheduler said of configurations (see `tests/oracle/config`).

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a recording that cannot be read fails the test"
)]

use profile::config::{ConfigError, ConfigFile, ConfigStage, Configuration};
use profile::{Profile, SchedulerVersion, VersionSource};
use serde_json::Value;

/// What was compared.
#[derive(Debug, Default)]
pub struct Compared {
    pub configurations: usize,
    /// Those that the scheduler starts with.
    pub accepted: usize,
    /// Those at which it panics, or which depend on the files of its machine.
    pub left_out: usize,
    /// What differs.
    pub differences: Vec<String>,
}

/// Compares all lines of a recording; the first says the release.
pub fn compare<'l>(lines: impl IntoIterator<Item = &'l str>) -> Compared {
    let mut lines =
        lines.into_iter().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    let header = lines.next().expect("a header");
    let version = SchedulerVersion::parse(header["version"].as_str().expect("a version"))
        .expect("a known version");
    let base = Profile::new(version, VersionSource::Flag);
    let mut compared = Compared::default();
    for line in lines {
        compared.configurations += 1;
        one(&line, &base, &mut compared);
    }
    compared
}

fn one(line: &Value, base: &Profile, into: &mut Compared) {
    let text = line["c"].as_str().expect("a configuration");
    let theirs: Vec<Problem> = line["e"].as_array().into_iter().flatten().map(problem).collect();
    if line["stage"] == "files" || theirs.iter().any(|theirs| theirs.message.starts_with("PANIC "))
    {
        into.left_out += 1;
        return;
    }
    let stage = line["stage"].as_str().unwrap_or_default();
    let ours = read(text, base).err();
    let told: Vec<&str> = theirs.iter().map(|theirs| theirs.message).collect();
    let told = told.join("\n          ");
    let differences = &mut into.differences;
    let mut differs = |what: &str, ours: &str| {
        differences.push(format!("{what}\n  {text}\n  ours:   {ours}\n  theirs: {told}"));
    };
    match (ours, theirs.is_empty()) {
        (None, true) => into.accepted += 1,
        // A plugin that is not known here may be the one that is missing.
        (None, false) if told.contains("bind plugin is needed") && has_strangers(text, base) => {
            into.left_out += 1;
        }
        (None, false)
            if told.contains("queue sort plugin required") && has_strangers(text, base) =>
        {
            into.left_out += 1;
        }
        (None, false) => differs("only the scheduler refuses it", ""),
        (Some(ours), true) => differs("only we refuse it", &ours.to_string()),
        (Some(ours), false) if !theirs.iter().any(|theirs| agrees(&ours, theirs, stage)) => {
            differs("another error", &ours.to_string());
        }
        (Some(_), false) => {}
    }
}

/// Whether a profile enables plugins for all points that are not the scheduler's own.
fn has_strangers(text: &str, base: &Profile) -> bool {
    let profiles = read(text, base).expect("a configuration that is read").profiles(base);
    let mut strangers = profiles.iter().flat_map(|profile| &profile.plugins.out_of_tree);
    strangers.any(|stranger| stranger.points.contains(&"multiPoint"))
}

/// An error of the scheduler.
struct Problem<'l> {
    /// The fields that it names; those of a value of the wrong type have no indices.
    paths: Vec<&'l str>,
    message: &'l str,
}

fn problem(value: &Value) -> Problem<'_> {
    let paths = value["paths"].as_array().into_iter().flatten();
    Problem {
        paths: paths.map(|path| path.as_str().expect("a path")).collect(),
        message: value["m"].as_str().expect("a message"),
    }
}

/// Reads a configuration, which the generator writes as JSON.
fn read(text: &str, base: &Profile) -> Result<Configuration, ConfigError> {
    let file = ConfigFile::from_json(text).map_err(|error| ConfigError {
        path: String::new(),
        problem: error.to_string(),
        stage: ConfigStage::Fields,
    })?;
    Configuration::read_file(&file, base)
}

/// Whether both mean the same: a field that both name. Where the scheduler names none, it is
/// compared by its words, as far as it has found them itself: those of its decoder are Go's.
fn agrees(ours: &ConfigError, theirs: &Problem, stage: &str) -> bool {
    if theirs.paths.is_empty() {
        let is_told = ours
            .path
            .split_once(".args.")
            .is_some_and(|(_, field)| theirs.message.contains(&format!("{field}: ")));
        return stage == "load" || is_told || theirs.message.contains(&ours.problem);
    }
    // A file of another kind is decoded as that.
    if stage == "load" && ours.path == "apiVersion" {
        return true;
    }
    if stage != "load" || ours.path.is_empty() {
        return ours.path.is_empty() || theirs.paths.contains(&ours.path.as_str());
    }
    // Of arguments that it cannot decode, the decoder may name no field.
    let whole = ours.path.find(".args").map(|at| &ours.path[..at + ".args".len()]);
    theirs
        .paths
        .iter()
        .any(|path| Some(*path) == whole || without_indices(path) == without_indices(&ours.path))
}

fn without_indices(path: &str) -> String {
    let mut inside = false;
    path.chars()
        .filter(|letter| {
            inside = *letter == '[' || (inside && *letter != ']');
            !inside && *letter != ']'
        })
        .collect()
}
