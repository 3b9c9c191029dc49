//! Decides recorded cases of the real kube-scheduler again, in this process, and compares field by
//! field. `tests/recorded/parity/README.md` says what a case holds.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use rayon::prelude::*;
use testing::share;

mod compare;
mod extenders;
mod groups;
mod pairs;
pub mod remedies;
mod risk;

use compare::{Case, Difference, Verdict};

/// Disagreements that are printed in full, per release.
const SHOWN: usize = 3;

/// The share of recorded clusters that a quick run decides. `just test-recorded` decides all; it
/// runs with every change, too, but not on the way to the first green test of a newcomer.
const QUICK_PART: usize = 12;
/// The share of the files of a release from which a quick run takes cases for remedies and risk.
const QUICK_FILES: usize = 4;

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded/parity")
}

fn family_files(release: &str) -> Vec<PathBuf> {
    let folder = recordings().join(release);
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

/// Cases of one cluster, and the place of each one's release in the list that is decided. Most
/// clusters are recorded for several releases, and reading one takes longer than deciding about a
/// pod in it.
#[derive(Default)]
struct SameCluster<'l> {
    releases: Vec<usize>,
    cases: Vec<Case<'l>>,
}

impl SameCluster<'_> {
    fn compare(&self) -> Vec<Verdict> {
        let Some(first) = self.cases.first() else { return Vec::new() };
        let cluster = first.read_cluster();
        self.cases.iter().map(|case| case.compare_with(&cluster)).collect()
    }
}

/// Whether a quick run decides the cases of the line's cluster. The lines of a cluster have the same
/// text of it, of which a few bytes tell; to read nine of ten lines in vain would take longer than
/// deciding the tenth.
fn is_in_quick_part(line: &str) -> bool {
    let begin = line.find("\"cluster\":").expect("a cluster");
    let end = line.rfind("\"expect\":").filter(|end| *end > begin).unwrap_or(line.len());
    let cluster = &line.as_bytes()[begin..end];
    let step = cluster.len() / 64 + 1;
    let sum = cluster
        .iter()
        .step_by(step)
        .fold(cluster.len(), |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
    sum.is_multiple_of(QUICK_PART)
}

/// What the recordings of one release say and we do not.
#[derive(Default)]
struct Tally {
    recorded: usize,
    decided: usize,
    wrong: Vec<(String, Vec<Difference>)>,
}

/// A case that proves nothing has no business in a recording.
fn differences(id: &str, verdict: Verdict) -> Vec<Difference> {
    match verdict {
        Verdict::Agrees | Verdict::Unsure => Vec::new(),
        Verdict::Differs(differences) => differences,
        Verdict::Skipped(why) => panic!("{id}: {why}"),
    }
}

fn show(id: &str, differences: &[Difference]) {
    println!("--- {id}");
    for (field, want, got) in differences {
        println!("  {field}\n    scheduler: {want}\n    ours:      {got}");
    }
}

/// Decides the cases of a family that are recorded for any of `releases`: of one in [`QUICK_PART`]
/// clusters in a quick run, of all in the long one.
fn decide_family(family: &OsStr, releases: &[(&str, usize)], tallies: &mut [Tally]) {
    let texts: Vec<(usize, Vec<String>)> = releases
        .iter()
        .enumerate()
        .map(|(nth, (release, _))| (nth, recordings().join(release).join(family)))
        .filter(|(_, path)| path.exists())
        .map(|(nth, path)| (nth, lines(&path)))
        .collect();
    let mut by_cluster: BTreeMap<&str, SameCluster> = BTreeMap::new();
    for (nth, lines) in &texts {
        let release = releases[*nth].0;
        assert!(!lines.is_empty(), "{release}: {} holds no case", family.display());
        tallies[*nth].recorded += lines.len();
        // A part has clusters, and not cases, so that each is read once for all its releases.
        let decided = lines.par_iter().filter(|line| share::is_long() || is_in_quick_part(line));
        let cases: Result<Vec<Case>, _> = decided.map(|line| Case::read(line)).collect();
        for case in cases.unwrap_or_else(|e| panic!("{release}/{}: {e}", family.display())) {
            let same = by_cluster.entry(case.cluster.get()).or_default();
            same.releases.push(*nth);
            same.cases.push(case);
        }
    }
    let clusters: Vec<SameCluster> = by_cluster.into_values().collect();
    let verdicts: Vec<Vec<Verdict>> = clusters.par_iter().map(SameCluster::compare).collect();
    for (same, verdicts) in clusters.iter().zip(verdicts) {
        for ((nth, case), verdict) in same.releases.iter().zip(&same.cases).zip(verdicts) {
            let differences = differences(&case.id, verdict);
            tallies[*nth].decided += 1;
            if !differences.is_empty() {
                tallies[*nth].wrong.push((case.id.clone(), differences));
            }
        }
    }
}

/// Decides the cases of some releases; the number that stands with each guards against recordings
/// that got lost.
fn agrees(releases: &[(&str, usize)]) {
    let files = releases.iter().flat_map(|(release, _)| family_files(release));
    let families: BTreeSet<OsString> =
        files.map(|path| path.file_name().expect("a name").to_owned()).collect();
    let mut tallies: Vec<Tally> = releases.iter().map(|_| Tally::default()).collect();
    for family in &families {
        decide_family(family, releases, &mut tallies);
    }
    for ((release, _), tally) in releases.iter().zip(&tallies) {
        println!("{release}: {}/{} agree", tally.decided - tally.wrong.len(), tally.decided);
        tally.wrong.iter().take(SHOWN).for_each(|(id, differences)| show(id, differences));
    }
    for ((release, at_least), tally) in releases.iter().zip(&tallies) {
        assert_eq!(
            tally.wrong.len(),
            0,
            "{release}: disagreements with the recorded scheduler, see above"
        );
        assert!(
            tally.recorded >= *at_least,
            "{release}: {} cases, {at_least} were recorded",
            tally.recorded
        );
        assert!(
            tally.decided * QUICK_PART * 3 >= tally.recorded,
            "{release}: {} of {} cases were decided",
            tally.decided,
            tally.recorded
        );
    }
}

/// The releases that have recordings, by folder.
fn releases() -> Vec<String> {
    let folders =
        fs::read_dir(recordings()).expect("recordings").map(|e| e.expect("an entry").path());
    let names = folders
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().unwrap_or_default().to_owned());
    let mut releases: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    releases.retain(|name| name != "found" && name != "groups");
    releases.sort();
    releases
}

/// The files of a release: in a quick run some of them, different ones in each release.
fn files_in_turn(release: &str, nth: usize) -> Vec<PathBuf> {
    let part = share::of(QUICK_FILES, 1);
    let files = family_files(release).into_iter().enumerate();
    files.filter(|(at, _)| at % part == nth % part).map(|(_, path)| path).collect()
}

/// A share of the recorded cases, different ones in each release, as most clusters are recorded for
/// several.
fn sample(lines: &[String], release: usize, of: usize) -> Vec<&String> {
    lines
        .iter()
        .enumerate()
        .filter(|(at, _)| at % of == release % of)
        .map(|(_, line)| line)
        .collect()
}

/// Every remedy of one in 48 recorded decisions with every change, of every one in the long run.
#[test]
fn every_remedy_holds() {
    let mut wrong = Vec::new();
    let (mut asking, mut helped, mut kinds) = (0, 0, BTreeMap::<&str, usize>::new());
    for (nth, release) in releases().iter().enumerate() {
        for path in files_in_turn(release, nth) {
            let found = |line: &String| {
                let case = Case::read(line).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                let found = remedies::of(&case)
                    .unwrap_or_else(|e| panic!("{}: {}: {e}", path.display(), case.id));
                (case.id, found)
            };
            for (id, found) in sample(&lines(&path), nth, share::of(12, 1))
                .into_par_iter()
                .map(found)
                .collect::<Vec<_>>()
            {
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

/// In one of 40 recorded decisions with every change, in all of them in the long run.
#[test]
fn every_recorded_victim_is_at_risk() {
    let (mut preemptions, mut safe, mut wrong) = (0, 0, Vec::new());
    for (nth, release) in releases().iter().enumerate() {
        for path in files_in_turn(release, nth) {
            let look = |line: &String| {
                let case = Case::read(line).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                (!risk::victims(&case).is_empty()).then(|| {
                    (
                        case.id.clone(),
                        risk::of(&case)
                            .unwrap_or_else(|e| panic!("{}: {}: {e}", path.display(), case.id)),
                    )
                })
            };
            for (id, found) in sample(&lines(&path), nth, share::of(10, 1))
                .into_par_iter()
                .filter_map(look)
                .collect::<Vec<_>>()
            {
                preemptions += 1;
                safe += found.safe;
                wrong.extend(found.wrong.into_iter().map(|why| format!("{id}: {why}")));
            }
        }
    }
    println!("{preemptions} recorded clusters with victims; {safe} running pods called safe");
    assert_eq!(wrong, Vec::<String>::new());
    assert!(preemptions >= 120 && safe >= 600, "{preemptions} clusters, {safe} safe pods");
}

fn read(line: &str) -> Case<'_> {
    Case::read(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// Neighbouring releases with the same cluster and their own configurations or gates, and one release
/// with two configurations, compared: each side is the recorded decision. A few hundred pairs with
/// every change, all in the long run.
#[test]
fn each_side_of_a_comparison_is_what_its_scheduler_decided() {
    let (mut pairs, mut wrong) = (0, Vec::new());
    for family in ["config.ndjson.gz", "gates.ndjson.gz", "pairs.ndjson.gz"] {
        let files = releases().into_iter().map(|one| recordings().join(one).join(family));
        let texts: Vec<String> =
            files.filter(|path| path.exists()).flat_map(|path| lines(&path)).collect();
        let mut by_cluster: BTreeMap<String, Vec<&String>> = BTreeMap::new();
        for line in &texts {
            let case = read(line);
            let about = format!("{} {}", case.pod, case.cluster.get());
            by_cluster.entry(about).or_default().push(line);
        }
        let all: Vec<[&String; 2]> = by_cluster
            .values()
            .flat_map(|same| same.windows(2))
            .filter_map(|pair| <[&String; 2]>::try_from(pair).ok())
            .collect();
        let part: Vec<[Case; 2]> = all
            .iter()
            .step_by(share::of(5, 1))
            .map(|pair| pair.map(|line| read(line)))
            .filter(|[one, other]| pairs::are_comparable(one, other))
            .collect();
        pairs += part.len();
        let compared = part.par_iter().map(|[one, other]| {
            let differences =
                pairs::compare(one, other).unwrap_or_else(|error| panic!("{}: {error}", one.id));
            (format!("{} and {}", one.id, other.id), differences)
        });
        wrong.extend(compared.filter(|(_, wrong)| !wrong.is_empty()).collect::<Vec<_>>());
    }
    println!("{pairs} pairs, {} wrong", wrong.len());
    wrong.iter().take(SHOWN).for_each(|(id, differences)| show(id, differences));
    assert!(wrong.is_empty(), "{} of {pairs} comparisons are wrong, see above", wrong.len());
    assert!(pairs >= share::of(350, 1_800), "{pairs} pairs");
}

/// What a search found once, made small, stays found.
#[test]
fn agrees_with_what_was_found() {
    let folder = recordings().join("found");
    let mut wrong = 0;
    for entry in fs::read_dir(&folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "json") {
            let text =
                fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let case = Case::read(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let (id, differences) = (&case.id, differences(&case.id, case.compare()));
            if !differences.is_empty() {
                show(id, &differences);
                wrong += 1;
            }
        }
    }
    assert_eq!(wrong, 0, "disagreements with the scheduler in {}, see above", folder.display());
}

/// A test for folders of recordings, a minor or what another patch of one decides otherwise, and
/// how many cases there are in each at least. In one test are releases that are recorded with the
/// same clusters.
macro_rules! recorded {
    ($($test:ident { $($release:literal $at_least:literal;)+ })+) => {
        $(
            #[test]
            fn $test() {
                agrees(&[$(($release, $at_least)),+]);
            }
        )+

        #[test]
        fn every_release_is_decided_again() {
            let mut known = vec![$($($release),+),+];
            known.retain(|release| !release.contains('/'));
            known.sort_unstable();
            assert_eq!(releases(), known);
        }
    };
}

recorded! {
    agrees_with_1_12_to_1_28 {
        "1.12" 540;
        "1.16" 540;
        "1.19" 540;
        "1.20" 262;
        "1.21" 262;
        "1.22" 540;
        "1.23" 262;
        "1.24" 262;
        "1.25" 262;
        "1.26" 262;
        "1.27" 262;
        "1.28" 600;
    }
    agrees_with_1_29_to_1_32 {
        "1.29" 2414;
        "1.29.15" 68;
        "1.30" 2412;
        "1.30.14" 126;
        "1.31" 2414;
        "1.31.14" 68;
        "1.32" 2415;
    }
    agrees_with_1_33_to_1_38 {
        "1.33" 720;
        "1.34" 780;
        "1.35" 780;
        "1.36" 820;
        "1.37" 7113;
        "1.38" 1041;
    }
    agrees_with_groups_of_1_35 { "groups/1.35" 800; }
    agrees_with_groups_of_1_36 { "groups/1.36" 930; }
    agrees_with_groups_of_1_37 { "groups/1.37" 1350; }
}
