//! Every row of the history table has a scenario that shows the difference: `tests/rows/<field>.yaml`, and what the two
//! schedulers make of it side by side in `<field>.txt`.
//!
//! `BLESS=1 cargo test --test suite rows::` rewrites the answers; `git diff` reviews them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use engine::decision::compare::compare;
use engine::framework::cluster_view::ClusterView;
use engine::profile::history::{HISTORY, Row};
use rayon::prelude::*;
use render::comparison;
use render::page::Paper;

mod case;

use case::{Case, Loaded};

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
    let views: Vec<ClusterView> = loaded.profiles.iter().map(|profile| loaded.view(profile)).collect();
    let comparison = compare(&views.iter().collect::<Vec<_>>(), loaded.pod, loaded.now);
    let causes = comparison.differences.iter().flat_map(|difference| &difference.causes);
    let causes = causes.map(|cause| cause.change.row.field).collect();
    (causes, comparison::page(&comparison).print(Paper::PLAIN).to_string())
}

/// What is wrong with the scenario of a row, if anything is.
fn fault(row: &Row) -> Result<(), String> {
    let loaded = load(row)?;
    if let Some(fault) = loaded.fault(row) {
        return Err(fault.to_owned());
    }
    let answer = if loaded.cycle {
        let each = loaded.profiles.iter().map(|profile| format!("{}\n{}", profile.version, loaded.cycle(profile)));
        each.collect::<Vec<_>>().concat()
    } else {
        let (causes, answer) = compared(&loaded);
        if !causes.contains(&row.field) {
            return Err(format!("the difference is put down to {causes:?}"));
        }
        answer
    };
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
    let faults = HISTORY.par_iter().filter_map(|row| {
        let fault = fault(row).err()?;
        Some(format!("tests/rows/{}.yaml: {fault}", row.field))
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
