//! docs/VERSIONS.md, written from the history table and the recordings: what changes in which
//! version, and which versions are proven how. `just bless` writes it again.

pub mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use engine::profile::change;
use engine::profile::history::{Features, HISTORY, HistoryRow, POINT_ENTRIES, VersionChange};
use engine::profile::{Profile, SchedulerVersion, VersionSource};
use flate2::read::MultiGzDecoder;
use serde::Deserialize;

use crate::golden;

const HEAD: &str = "\
# Versions of kube-scheduler

<!-- Written by `just bless` from crates/profile/src/history and tests/recorded/parity; a test fails when it is not fresh. -->

`--scheduler-version` takes every minor below. A version differs from the one before it by the rules listed under it and by
nothing else; `kubectl preempt explain --compare 1.36,1.37` shows which of them matter to a pod, and the scenario of each
rule (`tests/versions/rows/<part>/<rule>.yaml`, or `<rule>@<version>.yaml` of each change) shows what it does in a small cluster.

A rule that **begins** holds from that version on, one that **ends** no longer does. A rule with a feature gate follows
`--feature-gates` where the gate can be set; *off* says that the gate is there and is off by default. A rule with a value
behind its name has had others before, or gets others later.

At the end: what each patch release changed that can be downloaded, and which plugins a configuration may name where.
";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Releases that decided the cases of a minor, and how many cases that are. What another patch
/// decides otherwise is in a folder of its own, `<minor>.<patch>`.
fn recorded(minor: &str) -> (BTreeSet<String>, usize) {
    let (mut releases, mut cases) = (BTreeSet::new(), 0);
    let folders = fs::read_dir(root().join("tests/recorded/parity"))
        .into_iter()
        .flatten()
        .map(|e| e.expect("an entry").path());
    let patch = format!("{minor}.");
    let of_minor = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name == minor || name.starts_with(&patch)
    };
    for entry in
        folders.filter(of_minor).flat_map(|folder| fs::read_dir(folder).into_iter().flatten())
    {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "gz") {
            continue;
        }
        let mut text = String::new();
        let file = fs::File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        MultiGzDecoder::new(file)
            .read_to_string(&mut text)
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for line in text.lines() {
            let version = line
                .split_once("\"scheduler\":{\"version\":\"")
                .and_then(|(_, rest)| rest.split_once('"'));
            let (version, _) =
                version.unwrap_or_else(|| panic!("{}: a case without a version", path.display()));
            releases.insert(version.to_owned());
            cases += 1;
        }
    }
    (releases, cases)
}

fn minors() -> impl DoubleEndedIterator<Item = u16> {
    SchedulerVersion::OLDEST.minor..=SchedulerVersion::UNRELEASED.minor
}

fn proof(out: &mut String) {
    out.push_str("\n## How each minor is known\n\n| minor | decisions of the real scheduler that are met | rules |\n");
    out.push_str("| --- | --- | --- |\n");
    for minor in minors().rev() {
        let name = format!("1.{minor}");
        let (releases, cases) = recorded(&name);
        let releases: Vec<String> = releases.into_iter().collect();
        let proof = match cases {
            0 => "none recorded: from its sources alone".to_owned(),
            _ => format!("{cases} of {}", releases.join(", ")),
        };
        let changed =
            match minor.checked_sub(1).filter(|older| *older >= SchedulerVersion::OLDEST.minor) {
                Some(older) => format!("{} changed", changes(older, minor)),
                None => "the oldest".to_owned(),
            };
        let _ = writeln!(out, "| {name} | {proof} | {changed} |");
    }
    out.push_str(UNRELEASED);
}

/// Where the rules of the minor come from that is not released.
const UNRELEASED: &str = "
1.38 is not released. Its decisions are as recorded from 1.38.0-beta.0, the newest of its pre-releases that the Go module proxy
has; its rules come from the sources of that one. Groups of pods stay off by default there. Where they are on, preemption and
placements follow rules that are not modelled yet, and an answer about such a pod says so.

Rules of patch releases that are newer than those recorded come from the sources of their modules.
";

/// Rules that two minors do not share.
fn changes(older: u16, newer: u16) -> usize {
    let [older, newer] = [older, newer]
        .map(|m| Profile::new(SchedulerVersion::new(m, u16::MAX), VersionSource::Default));
    change::between(&older, &newer).len()
}

/// A change of a row, with a word on what happens.
type Told = (&'static str, &'static HistoryRow, &'static VersionChange);

/// What the table says of each version in which anything changes.
fn by_version() -> BTreeMap<SchedulerVersion, Vec<Told>> {
    let mut versions: BTreeMap<SchedulerVersion, Vec<Told>> = BTreeMap::new();
    for row in HISTORY.iter() {
        let mut was = false;
        for change in row.changes {
            let since = change.since;
            let word = match (was, change.begins) {
                (_, true)
                    if since.nearest_supported() != since || since <= SchedulerVersion::OLDEST =>
                {
                    "holds"
                }
                (_, true) => "begins",
                (true, false) => "ends",
                (false, false) => "off",
            };
            versions.entry(since).or_default().push((word, row, change));
            was = change.begins;
        }
    }
    versions
}

fn rules(out: &mut String) {
    for (version, changes) in by_version().into_iter().rev() {
        let oldest = if version <= SchedulerVersion::OLDEST { ", or earlier" } else { "" };
        let _ = writeln!(out, "\n## {}{oldest}\n", version.release_text());
        out.push_str(
            "| | what | part | rule | gate | source |\n| --- | --- | --- | --- | --- | --- |\n",
        );
        for (word, row, change) in changes {
            let gate = row.gate.map(|gate| format!("`{gate}`")).unwrap_or_default();
            let source = change.source;
            let link = change::link(source).unwrap_or_else(|| panic!("{}: {source}", row.field));
            let summary = change.summary.trim().replace('|', "\\|");
            let value = match row.at(version) {
                Some(_) => String::new(),
                None => format!(": {}", row.text(&Features::of(version))),
            };
            let (part, field) = (row.plugin, row.field);
            let _ = writeln!(
                out,
                "| {word} | {summary} | {part} | `{field}`{value} | {gate} | [{source}]({link}) |"
            );
        }
    }
}

const PATCHES: &str = "
## Patch releases

Each two neighbouring patch releases of 1.29 to 1.37 that the Go module proxy has were compared, in the code that kube-scheduler
decides with: its own folder, the allocator of devices, and the helpers of components. These are all differences, without those
in tests and comments: the rule that one decides, or why it decides nothing. `tests/oracle/patches/compare` shows what a newer
release adds.

| release | what changed | decides |
| --- | --- | --- |
";

/// A difference between neighbouring patch releases that somebody has looked at.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Judged {
    /// The first releases with it that can be downloaded, one of each minor.
    releases: Vec<String>,
    what: String,
    /// Fields of the rows that it is.
    #[serde(default)]
    rules: Vec<String>,
    /// Why it is none.
    why: Option<String>,
    /// Files, and hashes of what changed in each.
    files: Vec<(String, String)>,
}

fn judged() -> Vec<Judged> {
    let path = root().join("tests/oracle/patches/judged.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn patches(out: &mut String) {
    out.push_str(PATCHES);
    for Judged { releases, what, rules, why, .. } in judged() {
        let decides = match why {
            Some(why) => format!("nothing: {why}"),
            None => rules.iter().map(|rule| format!("`{rule}`")).collect::<Vec<_>>().join(", "),
        };
        let _ = writeln!(out, "| {} | {what} | {decides} |", releases.join(", "));
    }
}

#[test]
fn differences_of_patch_releases_are_rows_or_have_a_reason() {
    let all = judged();
    assert!(all.len() >= 20, "{} differences", all.len());
    for Judged { releases, what, rules, why, files } in all {
        assert!(what.ends_with('.') && !files.is_empty() && !releases.is_empty(), "{what}");
        assert_eq!(rules.is_empty(), why.is_some_and(|why| why.ends_with('.')), "{what}");
        for release in &releases {
            let release = SchedulerVersion::parse(release).expect("a release");
            let changes = |rule: &String| {
                let row = HISTORY
                    .iter()
                    .find(|row| row.field == rule)
                    .unwrap_or_else(|| panic!("there is no row {rule}"));
                let mut since = row.changes.iter().map(|change| change.since);
                // Of a release that cannot be downloaded the next one shows what changed.
                since.any(|since| {
                    since.minor == release.minor && (1..=release.patch).contains(&since.patch)
                })
            };
            assert!(rules.is_empty() || rules.iter().any(changes), "{what} {release}");
        }
    }
}

const POINTS: &str = "
## Plugins in configurations

A configuration names plugins at extension points. From 1.23 on, these plugins and points of plugins are not in every version;
where a point decides about pods, the rules above say so. kube-scheduler does not start with a configuration that names
another.

| plugin | extension point | since | before | source |
| --- | --- | --- | --- | --- |
";

fn points(out: &mut String) {
    out.push_str(POINTS);
    for entry in POINT_ENTRIES {
        let link = change::link(entry.source)
            .unwrap_or_else(|| panic!("{}: {}", entry.plugin, entry.source));
        let point = entry.point.map_or("all", |point| point.name());
        let [since, until] = [entry.since, entry.until]
            .map(|v| v.map(SchedulerVersion::release_text).unwrap_or_default());
        let source = entry.source;
        let _ = writeln!(
            out,
            "| {} | {point} | {since} | {until} | [{source}]({link}) |",
            entry.plugin
        );
    }
}

#[test]
fn the_document_is_fresh() {
    let mut text = HEAD.to_owned();
    proof(&mut text);
    rules(&mut text);
    patches(&mut text);
    points(&mut text);
    for row in HISTORY.iter() {
        assert!(text.contains(&format!("| `{}`", row.field)), "{} is left out", row.field);
    }
    assert!(
        minors().filter(|minor| recorded(&format!("1.{minor}")).1 > 0).count() >= 5,
        "the recordings were not found"
    );
    golden::check("docs/VERSIONS.md", &text);
}
