//! Looks among recorded cases for scenarios of rows of the history table that have none, and makes
//! them small: `cargo run --release -p kubectl-preempt-tools --bin rows --
//! tests/recorded/parity/*/*.gz`. tests/versions/rows/README.md says what a scenario is.

#![allow(
    clippy::pedantic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::allow_attributes,
    reason = "a program of the developers, not a part of the product"
)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use clap::Parser;
use engine::decision::compare::compare;
use engine::framework::cluster_view::ClusterView;
use engine::profile::history::{HISTORY, HistoryRow};
use engine::profile::{Profile, SchedulerVersion};
use flate2::read::MultiGzDecoder;
use rayon::prelude::*;
use serde_json::{Value, json};

#[path = "../../../../../tests/versions/rows/case.rs"]
mod case;
#[path = "../parity/shrink.rs"]
mod shrink;

use case::{Case, Loaded, flipped, scheduler};

/// Cases that are read at a time.
const BATCH: usize = 200;

#[derive(Parser)]
struct Args {
    /// Recorded cases, packed by gzip, one a line.
    cases: Vec<PathBuf>,
    /// One row only, whether or not it has a scenario.
    #[arg(long)]
    row: Option<String>,
    /// Feature gates of both schedulers, for rows that need them: `SomeGate=true Other=false`.
    #[arg(long, default_value = "")]
    gates: String,
    /// Takes away objects only, not fields of those that stay: for cases that are easy to read
    /// already.
    #[arg(long)]
    whole: bool,
    /// Where scenarios are.
    #[arg(long, default_value = "tests/versions/rows")]
    folder: PathBuf,
}

/// A row without a scenario, and schedulers that it sets apart: without and with it.
struct Wanted {
    row: &'static HistoryRow,
    pairs: Vec<[String; 2]>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let mut wanted: Vec<Wanted> =
        HISTORY.iter().filter(|row| is_wanted(row, &args)).map(|row| want(row, &args)).collect();
    // The cases are many and large: they are read in batches until each row has a scenario.
    for file in &args.cases {
        let reader = BufReader::new(MultiGzDecoder::new(File::open(file)?));
        let mut lines = reader.lines();
        while !wanted.is_empty() {
            let batch: Vec<String> = lines.by_ref().take(BATCH).collect::<std::io::Result<_>>()?;
            if batch.is_empty() {
                break;
            }
            let found: Vec<(&HistoryRow, Case)> = batch
                .par_iter()
                .map(|line| look(line, &wanted))
                .collect::<Result<Vec<_>>>()?
                .into_iter()
                .flatten()
                .collect();
            for (row, case) in found {
                // Several cases of a batch may show the same row; the first is taken.
                if wanted.iter().any(|w| w.row.field == row.field) {
                    wanted.retain(|w| w.row.field != row.field);
                    write(row, case, &args)?;
                    println!("{}: {}", row.field, file.display());
                }
            }
        }
    }
    for row in wanted {
        println!("{}: nothing found, tried {:?}", row.row.field, row.pairs);
    }
    Ok(())
}

fn is_wanted(row: &HistoryRow, args: &Args) -> bool {
    match &args.row {
        Some(field) => row.field == field,
        None => !has_scenario(row, &args.folder),
    }
}

/// Whether a scenario of the row is in the folder, or in one of those in it.
fn has_scenario(row: &HistoryRow, folder: &Path) -> bool {
    let of_row = format!("{}.yaml", row.field);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .any(|path| if path.is_dir() { has_scenario(row, &path) } else { path.ends_with(&of_row) })
}

/// Where a new scenario goes; whoever keeps it moves it to those of its plugin.
fn path(row: &HistoryRow, folder: &Path) -> PathBuf {
    folder.join(format!("{}.yaml", row.field))
}

/// The versions around each change of a row, then each version with its gate set either way.
fn want(row: &'static HistoryRow, args: &Args) -> Wanted {
    let mut pairs = Vec::new();
    for change in row.changes {
        let since = change.since;
        let before = match since.patch {
            0 => format!("1.{}", since.minor - 1),
            patch => format!("1.{}.{}", since.minor, patch - 1),
        };
        pairs.push([before, since.release_text()].map(|version| named(&version, "", args)));
    }
    if let Some(gate) = row.gate {
        let minors = SchedulerVersion::OLDEST.minor..=SchedulerVersion::NEWEST.minor;
        for minor in minors.rev() {
            let version = format!("1.{minor}");
            pairs.push(["false", "true"].map(|on| named(&version, &format!("{gate}={on}"), args)));
        }
    }
    // A gate that a version lacks, or that makes no difference there, sets nothing apart.
    pairs.retain(|[before, after]| match (supported(before), supported(after)) {
        (Some(before), Some(after)) => !row.same(&before.features, &after.features),
        _ => false,
    });
    Wanted { row, pairs }
}

/// A scheduler of this version with this gate and those of the command line.
fn named(version: &str, gate: &str, args: &Args) -> String {
    [version, gate, &args.gates].join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn supported(who: &str) -> Option<Profile> {
    scheduler(who).ok().filter(|p| p.version.nearest_supported() == p.version)
}

/// Rows that a recorded case shows.
fn look(line: &str, wanted: &[Wanted]) -> Result<Vec<(&'static HistoryRow, Case)>> {
    let recorded: Value = serde_json::from_str(line).context("not a case")?;
    let mut found = Vec::new();
    // What each scheduler decides is asked once, not once per row.
    let mut asked: BTreeMap<&String, Option<(Loaded, Value)>> = BTreeMap::new();
    for Wanted { row, pairs } in wanted {
        let shown = pairs.iter().find_map(|pair| {
            let [before, after] = pair;
            let known = asked.entry(before).or_insert_with(|| {
                let loaded = case(&recorded, &[before.clone(), before.clone()]).load().ok()?;
                let answer = loaded.answer(&loaded.profiles[0]);
                Some((loaded, answer))
            });
            let (loaded, answer) = known.as_ref()?;
            let after = scheduler(after).ok()?;
            let differs = loaded.answer(&flipped(&loaded.profiles[0], row, &after)) != *answer;
            Some(case(&recorded, pair)).filter(|case| differs && shows(case, row))
        });
        found.extend(shown.map(|case| (*row, case)));
    }
    Ok(found)
}

fn case(recorded: &Value, [before, after]: &[String; 2]) -> Case {
    let config = &recorded["scheduler"]["config"];
    Case {
        before: before.clone(),
        after: after.clone(),
        pod: recorded["pod"].as_str().unwrap_or_default().to_owned(),
        now: recorded["now"].as_str().unwrap_or_default().to_owned(),
        config: (!config.is_null()).then(|| config.clone()),
        extenders: Vec::new(),
        cycle: false,
        group: false,
        objects: objects_of(recorded),
        copies: 0,
        expect: None,
    }
}

/// Whether the case shows the row, in a way that `--compare` tells.
fn shows(case: &Case, row: &HistoryRow) -> bool {
    let Ok(loaded) = case.load() else { return false };
    loaded.fault(row).is_none() && tells(&loaded, row)
}

fn tells(loaded: &Loaded, row: &HistoryRow) -> bool {
    let [before, after] = &loaded.profiles;
    differ_by(loaded, before, &flipped(before, row, after), row)
        && differ_by(loaded, before, after, row)
}

/// Whether a comparison of two schedulers names the row as a cause.
fn differ_by(loaded: &Loaded, one: &Profile, other: &Profile, row: &HistoryRow) -> bool {
    let views = [ClusterView::new(&loaded.cluster, one), ClusterView::new(&loaded.cluster, other)];
    let comparison = compare(&[&views[0], &views[1]], loaded.pod, loaded.now);
    let mut causes = comparison.differences.iter().flat_map(|difference| &difference.causes);
    causes.any(|cause| cause.change.row.field == row.field)
}

fn objects_of(case: &Value) -> Vec<Value> {
    case["cluster"]["items"].as_array().cloned().unwrap_or_default()
}

/// Makes the case small and writes it.
fn write(row: &HistoryRow, mut case: Case, args: &Args) -> Result<()> {
    let without = Case { config: None, ..case.clone() };
    if shows(&without, row) {
        case = without;
    }
    let mut small = json!({"pod": case.pod, "cluster": {"items": case.objects}});
    let how = if args.whole { shrink::objects } else { shrink::shrink };
    how(&mut small, &mut |smaller| {
        Ok(shows(&Case { objects: objects_of(smaller), ..case.clone() }, row))
    })?;
    case.objects = objects_of(&small);
    let yaml = serde_saphyr::to_string(&case).map_err(|e| anyhow!("{e}"))?;
    let comment = format!("# {}\n", row.summary.trim());
    fs::write(path(row, &args.folder), comment + &yaml)?;
    Ok(())
}
