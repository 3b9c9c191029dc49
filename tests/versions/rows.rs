//! Every row of the history table has a scenario that shows the difference:
//! `tests/versions/rows/<part>/<field>.yaml`, and the decisions of the two schedulers side by side
//! in `<field>.txt`. A row with several values has several: `<field>@<version>.yaml`.
//!
//! `BLESS=1 cargo test --test suite rows::` rewrites the answers; `git diff` reviews them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use engine::decision::compare::compare;
use engine::framework::cluster_view::ClusterView;
use engine::profile::history::{Features, HISTORY, HistoryRow};
use rayon::prelude::*;
use render::comparison;
use render::page::Paper;

pub mod case;

use case::{Case, Loaded};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/versions/rows")
}

/// The files of all scenarios, in the folders of the plugins and steps whose rows they show.
pub fn files(extension: &str) -> Vec<PathBuf> {
    let mut folders = vec![folder()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for entry in entries {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The scenarios of all rows, by the row's field and without their extension.
fn scenarios_by_field() -> BTreeMap<String, Vec<PathBuf>> {
    let mut by_field: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in files("yaml") {
        by_field.entry(field_of(&path)).or_default().push(path.with_extension(""));
    }
    by_field
}

/// The row that a scenario is about.
fn field_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".yaml").or(name.strip_suffix(".txt")).unwrap_or(&name);
    stem.split('@').next().unwrap_or_default().to_owned()
}

/// A file next to a scenario; what follows the last dot of its name is a patch version, no
/// extension.
fn file(scenario: &Path, extension: &str) -> PathBuf {
    PathBuf::from(format!("{}.{extension}", scenario.display()))
}

/// Reads a scenario; `Err` says what it lacks.
fn load(scenario: &Path) -> Result<Loaded, String> {
    let text = fs::read_to_string(file(scenario, "yaml")).map_err(|e| e.to_string())?;
    if !text.starts_with("# ") {
        return Err("does not begin with a comment on what it shows".to_owned());
    }
    let case: Case = serde_saphyr::from_str(&text).map_err(|e| e.to_string())?;
    case.load()
}

/// What `--compare` makes of a scenario: the rules behind the difference, and the page.
fn compared(loaded: &Loaded) -> (Vec<&'static str>, String) {
    let views: Vec<ClusterView> =
        loaded.profiles.iter().map(|profile| loaded.view(profile)).collect();
    let comparison = compare(&views.iter().collect::<Vec<_>>(), loaded.pod, loaded.now);
    let causes = comparison.differences.iter().flat_map(|difference| &difference.causes);
    let causes = causes.map(|cause| cause.change.row.field).collect();
    (causes, without_other_rules(&comparison::page(&comparison).print(Paper::PLAIN)))
}

/// A page without the number of all rules that differ: a new row would change every page otherwise.
fn without_other_rules(page: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in page.lines() {
        let changed = line.split_once(" changed, ").filter(|(head, _)| head.contains(" -> "));
        lines.push(
            match changed.and_then(|(head, here)| Some((head.rsplit_once(": ")?.0, here))) {
                Some((versions, here)) => format!("{versions}: of what changed, {here}"),
                None => line.to_owned(),
            },
        );
    }
    lines.join("\n") + "\n"
}

/// Checks one scenario of a row.
fn check(row: &HistoryRow, scenario: &Path, loaded: &Loaded) -> Result<(), String> {
    if let Some(fault) = loaded.fault(row) {
        return Err(fault.to_owned());
    }
    let answer = if loaded.cycle || loaded.group {
        let of = |profile| if loaded.group { loaded.group(profile) } else { loaded.cycle(profile) };
        let each =
            loaded.profiles.iter().map(|profile| format!("{}\n{}", profile.version, of(profile)));
        each.collect::<Vec<_>>().concat()
    } else {
        let (causes, answer) = compared(loaded);
        if !causes.contains(&row.field) {
            return Err(format!("the difference is put down to {causes:?}"));
        }
        answer
    };
    let golden = file(scenario, "txt");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&golden, &answer).map_err(|e| e.to_string())?;
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    if expected == answer {
        return Ok(());
    }
    Err(format!(
        "{} differs, BLESS=1 rewrites it\n--- expected\n{expected}\n--- is\n{answer}",
        golden.display()
    ))
}

/// What is wrong with the scenarios of a row.
fn faults(row: &HistoryRow, scenarios: &[PathBuf]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut shown: BTreeSet<String> = BTreeSet::new();
    for scenario in scenarios {
        let fault = load(scenario).and_then(|loaded| {
            shown.extend(loaded.profiles.iter().map(|profile| row.text(&profile.features)));
            check(row, scenario, &loaded)
        });
        faults.extend(
            fault.err().map(|fault| format!("{}: {fault}", file(scenario, "yaml").display())),
        );
    }
    if scenarios.is_empty() {
        faults.push(format!("{}: has no scenario", row.field));
    }
    // A flag may be off in every version, and its scenario sets the gate.
    let values: BTreeSet<String> =
        row.changes.iter().map(|change| row.text(&Features::of(change.since))).collect();
    faults.extend(
        values.difference(&shown).map(|value| format!("{}: no scenario shows {value}", row.field)),
    );
    faults
}

#[test]
fn every_row_has_scenarios_that_show_its_values() {
    let scenarios = scenarios_by_field();
    let of_row = |row: &HistoryRow| scenarios.get(row.field).map_or(&[][..], Vec::as_slice);
    let faults: Vec<String> = HISTORY.par_iter().flat_map(|row| faults(row, of_row(row))).collect();
    assert!(
        faults.is_empty(),
        "of {} rows, these are not shown:\n{}",
        HISTORY.len(),
        faults.join("\n")
    );
}

#[test]
fn every_scenario_is_about_a_row() {
    let fields: BTreeSet<String> = HISTORY.iter().map(|row| row.field.to_owned()).collect();
    for path in files("yaml").into_iter().chain(files("txt")) {
        assert!(fields.contains(&field_of(&path)), "{}: there is no such row", path.display());
    }
}
