//! Every row of the history table has a scenario that shows the difference:
//! `tests/versions/rows/<part>/<field>.yaml`, at whose end `expect` states the decisions of the two
//! schedulers. A row with several values has several: `<field>@<version>.yaml`. A few have the page
//! of `--compare` beside them, in `<field>.txt`: one of each kind.
//!
//! `just bless` writes what differs; `git diff` reviews it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use engine::decision::compare::{Aspect, Comparison, Difference, compare};
use engine::framework::cluster_view::ClusterView;
use engine::profile::history::{Features, HISTORY, HistoryRow};
use rayon::prelude::*;
use render::comparison;
use render::page::Paper;
use serde_json::{Map, Value};
use to_json::SourceKind;

use crate::golden;
use crate::values;

pub mod case;

use case::{Case, Loaded};

/// The width of what is written about a node.
const WIDTH: usize = 160;

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

/// A scenario as it stands in its file.
struct Written {
    text: String,
    /// What its `expect` states.
    expect: Value,
    loaded: Loaded,
}

/// Reads a scenario; `Err` says what it lacks.
fn read(scenario: &Path) -> Result<Written, String> {
    let text = fs::read_to_string(file(scenario, "yaml")).map_err(|e| e.to_string())?;
    if !text.starts_with("# ") {
        return Err("does not begin with a comment on what it shows".to_owned());
    }
    let mut case: Case = serde_saphyr::from_str(&text).map_err(|e| e.to_string())?;
    let expect = case.expect.take().unwrap_or_default();
    Ok(Written { text, expect, loaded: case.load()? })
}

/// What the two schedulers decide about the pod, what of it differs, and the rules behind that.
fn of_comparison(comparison: &Comparison, difference: &Difference) -> Value {
    let names = |aspects: &[Aspect]| aspects.iter().map(|a| a.name()).collect::<Vec<_>>();
    let rules = difference.causes.iter().map(|cause| {
        // One rule behind all that differs is the usual case.
        let about = if cause.aspects == difference.aspects {
            Value::from("all")
        } else {
            Value::from(names(&cause.aspects))
        };
        (cause.change.row.field.to_owned(), about)
    });
    let rules: Map<String, Value> = rules.collect();
    let both = [0, 1].map(|at| to_json::decision(&comparison.decisions[at], SourceKind::File));
    let mut decisions = both.each_ref().map(values::in_brief);
    // Details that only some rows are about.
    if difference.aspects.contains(&Aspect::Scores) {
        decisions[0]["scores"] = values::scores_unlike(&both[0], &both[1]);
        decisions[1]["scores"] = values::scores_unlike(&both[1], &both[0]);
    }
    if difference.aspects.contains(&Aspect::Waiting) {
        decisions[0]["waiting"] = values::waiting_unlike(&both[0], &both[1]);
        decisions[1]["waiting"] = values::waiting_unlike(&both[1], &both[0]);
    }
    serde_json::json!({
        "differs": names(&difference.aspects),
        "rules": rules,
        "before": decisions[0],
        "after": values::difference(&decisions[0], &decisions[1]),
    })
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

fn check(row: &HistoryRow, scenario: &Path, written: &Written) -> Result<(), String> {
    let loaded = &written.loaded;
    if let Some(fault) = loaded.fault(row) {
        return Err(fault.to_owned());
    }
    if loaded.cycle || loaded.group {
        let [before, after] = loaded.profiles.each_ref().map(|profile| loaded.lines(profile));
        let is = serde_json::json!({"before": before, "after": after});
        return check_values(scenario, written, &is);
    }

    let views: Vec<ClusterView> =
        loaded.profiles.iter().map(|profile| loaded.view(profile)).collect();
    let comparison = compare(&views.iter().collect::<Vec<_>>(), loaded.pod, loaded.now);
    let difference = &comparison.differences[0];
    let is = of_comparison(&comparison, difference);
    if is["rules"].get(row.field).is_none() {
        return Err(format!("the difference is put down to {}", is["rules"]));
    }
    if is["after"].as_object().is_none_or(Map::is_empty) {
        return Err(format!("the values of both decisions are the same: {}", is["differs"]));
    }
    check_values(scenario, written, &is)?;
    check_page(scenario, &comparison)
}

/// Checks what the row states, or writes it at the end of its file.
fn check_values(scenario: &Path, written: &Written, is: &Value) -> Result<(), String> {
    let faults = values::faults(&written.expect, is);
    if faults.is_empty() {
        return Ok(());
    }
    if !golden::blessing() {
        return Err(format!("`just bless` writes what differs\n  {}", faults.join("\n  ")));
    }
    let case = written.text.split("\nexpect:\n").next().unwrap_or_default().trim_end();
    let text = format!("{case}\nexpect:\n{}", values::written(is, 2, WIDTH));
    fs::write(file(scenario, "yaml"), text).map_err(|e| e.to_string())
}

/// Checks the page of `--compare`, if the scenario has one.
fn check_page(scenario: &Path, comparison: &Comparison) -> Result<(), String> {
    let golden = file(scenario, "txt");
    let Ok(expected) = fs::read_to_string(&golden) else { return Ok(()) };
    let page = without_other_rules(
        &comparison::page(comparison, false, &answers::node_name::NodeNames::default())
            .print(Paper::PLAIN),
    );
    if expected == page {
        return Ok(());
    }
    if golden::blessing() {
        return fs::write(&golden, &page).map_err(|e| e.to_string());
    }
    Err(format!(
        "{} differs, `just bless` writes it\n--- expected\n{expected}\n--- is\n{page}",
        golden.display()
    ))
}

/// What is wrong with the scenarios of a row.
fn faults(row: &HistoryRow, scenarios: &[PathBuf]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut shown: BTreeSet<String> = BTreeSet::new();
    for scenario in scenarios {
        let fault = read(scenario).and_then(|written| {
            let profiles = &written.loaded.profiles;
            shown.extend(profiles.iter().map(|profile| row.text(&profile.features)));
            check(row, scenario, &written)
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
