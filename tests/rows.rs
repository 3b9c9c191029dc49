//! Every row of the history table has a scenario that shows the difference: `tests/rows/<field>.yaml`, and what the two
//! schedulers make of it side by side in `<field>.txt`.
//!
//! `BLESS=1 cargo test --test rows` rewrites the answers; `git diff` reviews them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kubectl_preempt::decision::compare::compare;
use kubectl_preempt::framework::world::World;
use kubectl_preempt::profile::history::{HISTORY, Row};
use kubectl_preempt::render::comparison;
use kubectl_preempt::render::page::Paper;
use rayon::prelude::*;

#[path = "rows/case.rs"]
mod case;

use case::{Case, Loaded};

/// Rows that no scenario shows yet. One that gets a scenario leaves the list.
const NOT_SHOWN: &[&str] = &[
    "absent_nomination_preempts",
    "message_in_sentences",
    "message_tells_preemption_error",
    "node_affinity_pre_filter",
    "node_name_first",
    "node_name_narrows",
    "node_name_text",
    "nobody_evicted_is_error",
    "nobody_evicted_is_no_candidate",
    "nominated_pods_in_own_terms",
    "pre_filter_empty_unresolvable",
    "pre_filter_goes_on",
    "pre_score_skips",
    "preemption_plugin",
    "readded_by_term",
    "spread_skips",
    "spread_update_checks_node",
    "spread_update_panics",
    "volume_restrictions_pre_filter",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rows")
}

/// The scenario of a row; `Err` says what it lacks.
fn load(row: &Row) -> Result<Loaded, String> {
    let text = fs::read_to_string(folder().join(format!("{}.yaml", row.field))).map_err(|e| e.to_string())?;
    if !text.starts_with("# ") {
        return Err("does not begin with a comment on what it shows".to_owned());
    }
    let case: Case = serde_saphyr::from_str(&text).map_err(|e| e.to_string())?;
    case.load()
}

/// What `--compare` makes of a scenario: the rules behind the difference, and the page.
fn compared(loaded: &Loaded) -> (Vec<&'static str>, String) {
    let worlds: Vec<World> = loaded.profiles.iter().map(|profile| World::new(&loaded.cluster, profile)).collect();
    let comparison = compare(&worlds.iter().collect::<Vec<_>>(), loaded.pod, loaded.now);
    let causes = comparison.differences.iter().flat_map(|difference| &difference.causes);
    let causes = causes.map(|cause| cause.change.row.field).collect();
    (causes, comparison::page(&comparison).print(Paper { color: false, width: None }))
}

/// What is wrong with the scenario of a row, if anything is.
fn fault(row: &Row) -> Result<(), String> {
    let loaded = load(row)?;
    if let Some(fault) = loaded.fault(row) {
        return Err(fault.to_owned());
    }
    let (causes, answer) = compared(&loaded);
    if !causes.contains(&row.field) {
        return Err(format!("the difference is put down to {causes:?}"));
    }
    let golden = folder().join(format!("{}.txt", row.field));
    if std::env::var_os("BLESS").is_some() {
        fs::write(&golden, &answer).map_err(|e| e.to_string())?;
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    if expected == answer {
        return Ok(());
    }
    Err(format!("{} differs, BLESS=1 rewrites it\n--- expected\n{expected}\n--- is\n{answer}", golden.display()))
}

#[test]
fn every_row_has_a_scenario_that_shows_it() {
    let faults = HISTORY.par_iter().filter_map(|row| match (fault(row), NOT_SHOWN.contains(&row.field)) {
        (Ok(()), false) | (Err(_), true) => None,
        (Ok(()), true) => Some(format!("{} is shown: it has no place among NOT_SHOWN", row.field)),
        (Err(fault), false) => Some(format!("tests/rows/{}.yaml: {fault}", row.field)),
    });
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "of {} rows {} are not shown:\n{}", HISTORY.len(), faults.len(), faults.join("\n"));
}

#[test]
fn every_scenario_is_about_a_row() {
    let fields: BTreeSet<String> = HISTORY.iter().map(|row| row.field.to_owned()).collect();
    for entry in fs::read_dir(folder()).unwrap_or_else(|e| panic!("{}: {e}", folder().display())) {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "yaml" || e == "txt") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            assert!(fields.contains(&name), "{}: there is no such row", path.display());
        }
    }
}
