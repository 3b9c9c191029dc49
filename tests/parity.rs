//! Decides recorded cases of the real kube-scheduler again, in this process, and compares field by field.
//! `tests/parity/README.md` says what a case holds.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use rayon::prelude::*;

mod compare;
mod groups;
pub mod remedies;
mod risk;

use compare::{Case, Difference, Verdict};

/// Disagreements that are printed in full, per minor.
const SHOWN: usize = 3;

fn family_files(minor: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parity").join(minor);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "gz"));
    files.sort();
    assert!(!files.is_empty(), "{} holds no recordings", folder.display());
    files
}

fn lines(path: &Path) -> Vec<String> {
    let file = fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    BufReader::new(MultiGzDecoder::new(file)).lines().map(|line| line.expect("text")).collect()
}

/// What the recording says and we do not; a case that proves nothing has no business in a recording.
fn differences(line: &str, path: &Path) -> (String, Vec<Difference>) {
    let case = Case::read(line).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    match case.compare() {
        Verdict::Agrees | Verdict::Unsure => (case.id, Vec::new()),
        Verdict::Differs(differences) => (case.id, differences),
        Verdict::Skipped(why) => panic!("{}: {}: {why}", path.display(), case.id),
    }
}

fn show(id: &str, differences: &[Difference]) {
    println!("--- {id}");
    for (field, want, got) in differences {
        println!("  {field}\n    scheduler: {want}\n    ours:      {got}");
    }
}

/// Decides every case of one minor; `at_least` guards against recordings that got lost.
fn agrees(minor: &str, at_least: usize) {
    let (mut total, mut good, mut shown) = (0, 0, 0);
    for path in family_files(minor) {
        let family = path.file_name().unwrap_or_default().to_string_lossy().replace(".ndjson.gz", "");
        let results: Vec<_> = lines(&path).par_iter().map(|line| differences(line, &path)).collect();
        assert!(!results.is_empty(), "{} holds no case", path.display());
        let agreeing = results.iter().filter(|(_, d)| d.is_empty()).count();
        println!("{minor} {family}: {agreeing}/{} agree", results.len());
        for (id, differences) in results.iter().filter(|(_, d)| !d.is_empty()) {
            if shown < SHOWN {
                show(id, differences);
            }
            shown += 1;
        }
        total += results.len();
        good += agreeing;
    }
    println!("{minor}: {good}/{total} agree");
    assert_eq!(good, total, "{minor}: disagreements with the recorded scheduler, see above");
    assert!(total >= at_least, "{minor}: {total} cases, {at_least} were recorded");
}

/// The releases that have recordings, by folder.
fn releases() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parity");
    let folders = fs::read_dir(folder).expect("recordings").map(|e| e.expect("an entry").path());
    let names = folders.filter(|path| path.is_dir()).map(|path| path.file_name().unwrap_or_default().to_owned());
    let mut releases: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    releases.retain(|name| name != "found" && name != "groups");
    releases.sort();
    releases
}

/// One of so many recorded cases, other ones in each release, as most clusters are recorded for several. With
/// `KUBECTL_PREEMPT_PARITY=all` it is every case.
fn sample(lines: &[String], release: usize, of: usize) -> Vec<&String> {
    let all = std::env::var("KUBECTL_PREEMPT_PARITY").is_ok_and(|wish| wish == "all");
    lines.iter().enumerate().filter(|(at, _)| all || at % of == release % of).map(|(_, line)| line).collect()
}

#[test]
fn every_remedy_holds() {
    let mut wrong = Vec::new();
    let (mut asking, mut helped, mut kinds) = (0, 0, BTreeMap::<&str, usize>::new());
    for (nth, release) in releases().iter().enumerate() {
        for path in family_files(release) {
            let found = |line: &String| {
                let case = Case::read(line).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                let found = remedies::of(&case).unwrap_or_else(|e| panic!("{}: {}: {e}", path.display(), case.id));
                (case.id, found)
            };
            for (id, found) in sample(&lines(&path), nth, 3).into_par_iter().map(found).collect::<Vec<_>>() {
                asking += usize::from(found.asks);
                helped += usize::from(found.remedies > 0);
                found.kinds.iter().for_each(|kind| *kinds.entry(kind).or_default() += 1);
                wrong.extend(found.wrong.into_iter().map(|why| format!("{id}: {why}")));
            }
        }
    }
    println!("{helped} of {asking} decisions have remedies: {kinds:?}");
    assert_eq!(wrong, Vec::<String>::new());
    assert!(helped * 2 > asking, "{helped} of {asking} decisions have remedies");
}

#[test]
fn every_recorded_victim_is_at_risk() {
    let (mut preemptions, mut safe, mut wrong) = (0, 0, Vec::new());
    for (nth, release) in releases().iter().enumerate() {
        for path in family_files(release) {
            let look = |line: &String| {
                let case = Case::read(line).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                (!risk::victims(&case).is_empty()).then(|| {
                    (
                        case.id.clone(),
                        risk::of(&case).unwrap_or_else(|e| panic!("{}: {}: {e}", path.display(), case.id)),
                    )
                })
            };
            for (id, found) in sample(&lines(&path), nth, 20).into_par_iter().filter_map(look).collect::<Vec<_>>() {
                preemptions += 1;
                safe += found.safe;
                wrong.extend(found.wrong.into_iter().map(|why| format!("{id}: {why}")));
            }
        }
    }
    println!("{preemptions} recorded clusters with victims; {safe} running pods called safe");
    assert_eq!(wrong, Vec::<String>::new());
    assert!(preemptions >= 200 && safe >= 1000, "{preemptions} clusters, {safe} safe pods");
}

/// What a search found once, made small, stays found.
#[test]
fn agrees_with_what_was_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parity/found");
    let mut wrong = 0;
    for entry in fs::read_dir(&folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "json") {
            let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let (id, differences) = differences(&text, &path);
            if !differences.is_empty() {
                show(&id, &differences);
                wrong += 1;
            }
        }
    }
    assert_eq!(wrong, 0, "disagreements with the scheduler in {}, see above", folder.display());
}

/// A test for each folder of recordings, a minor or what another patch of one decides otherwise, and how many there are at
/// least.
macro_rules! recorded {
    ($($test:ident $minor:literal $at_least:literal;)+) => { $(
        #[test]
        fn $test() {
            agrees($minor, $at_least);
        }
    )+ };
}

recorded! {
    agrees_with_1_12 "1.12" 540;
    agrees_with_1_16 "1.16" 540;
    agrees_with_1_19 "1.19" 540;
    agrees_with_1_20 "1.20" 262;
    agrees_with_1_21 "1.21" 262;
    agrees_with_1_22 "1.22" 540;
    agrees_with_1_23 "1.23" 262;
    agrees_with_1_24 "1.24" 262;
    agrees_with_1_25 "1.25" 262;
    agrees_with_1_26 "1.26" 262;
    agrees_with_1_27 "1.27" 262;
    agrees_with_1_28 "1.28" 600;
    agrees_with_1_29 "1.29" 2414;
    agrees_with_1_29_15 "1.29.15" 68;
    agrees_with_1_30 "1.30" 2412;
    agrees_with_1_30_14 "1.30.14" 126;
    agrees_with_1_31 "1.31" 2414;
    agrees_with_1_31_14 "1.31.14" 68;
    agrees_with_1_32 "1.32" 2415;
    agrees_with_1_33 "1.33" 720;
    agrees_with_1_34 "1.34" 780;
    agrees_with_1_35 "1.35" 780;
    agrees_with_1_36 "1.36" 820;
    agrees_with_1_37 "1.37" 6131;
    agrees_with_groups_of_1_35 "groups/1.35" 800;
    agrees_with_groups_of_1_36 "groups/1.36" 930;
    agrees_with_groups_of_1_37 "groups/1.37" 1350;
}
