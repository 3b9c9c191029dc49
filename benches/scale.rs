//! How long a decision takes and what it holds in memory, over the size of the cluster: one table.
//!
//! `cargo bench --bench scale` measures three sizes, `-- --quick` only the smallest. Every row is
//! measured in processes of its own, pinned to as many processors as the row has threads where
//! `taskset` exists. Times are the least of several runs; next to each stands the processor time,
//! which a busy machine distorts less.

#![allow(
    clippy::pedantic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::enum_variant_names,
    clippy::allow_attributes,
    reason = "a program of the developers, not a part of the product"
)]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use answers::node_name::NodeNames;
use answers::origin::{InputOrigin, Origin};
use answers::pod_report::PodReport;
use anyhow::{Context, Result, bail};
use engine::cluster::build::Builder;
use engine::decision::sampling::Starts;
use engine::decision::{self, Explanation, OutcomeKind};
use engine::framework::cluster_view::ClusterView;
use engine::profile::{Profile, SchedulerVersion, VersionSource};
use jiff::Timestamp;
use kubectl_preempt::capture::files;
use render::page::Paper;
use render::screen;
use render::text;
use serde::{Deserialize, Serialize};

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[path = "scale/generate.rs"]
mod generate;

const SIZES: [usize; 3] = [1_000, 2_500, 5_000];
const PODS_PER_NODE: usize = 30;
const BUDGETS: usize = 500;
const THREADS: [usize; 2] = [1, 2];
/// Processes per row; each loads the cluster once.
const PROCESSES: usize = 2;
/// Decisions per process.
const DECISIONS: usize = 7;
/// Set in the processes that measure, to what they measure.
const TASK: &str = "SCALE_BENCH_TASK";

/// A kind of cluster.
struct Variant {
    name: &'static str,
    budgets: usize,
    constrained: bool,
}

const VARIANTS: [Variant; 3] = [
    Variant { name: "plain", budgets: BUDGETS, constrained: false },
    Variant { name: "without PDBs", budgets: 0, constrained: false },
    Variant { name: "affinity+spread", budgets: BUDGETS, constrained: true },
];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match (std::env::var(TASK).as_deref(), arguments.as_slice()) {
        (Ok("explain"), [file]) => answer(&explain(file)?),
        (Ok("peer"), [file]) => answer(&peer(file)?),
        _ => report(arguments.iter().any(|a| a == "--quick")),
    }
}

fn answer(measured: &impl Serialize) -> Result<()> {
    println!("{}", serde_json::to_string(measured)?);
    Ok(())
}

/// Wall clock and processor time, in milliseconds.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Cost {
    wall: f64,
    processor: f64,
}

impl Cost {
    /// Runs `work` once.
    fn of<T>(work: impl FnOnce() -> T) -> (T, Self) {
        let (processor, wall) = (processor_time(), Instant::now());
        let result = work();
        (
            result,
            Self {
                wall: millis(wall.elapsed()),
                processor: millis(processor_time().saturating_sub(processor)),
            },
        )
    }

    fn min(self, other: Self) -> Self {
        Self { wall: self.wall.min(other.wall), processor: self.processor.min(other.processor) }
    }
}

/// One process's figures; memory in megabytes (10^6).
#[derive(Debug, Serialize, Deserialize)]
struct Measured {
    load: Cost,
    view: Cost,
    decide: Cost,
    /// The part of `decide` that the odds of the candidates take.
    odds: Cost,
    /// The filters after the first rejection of every node.
    other_filters: Cost,
    /// What helps, each remedy tried.
    remedies: Cost,
    /// How many were tried of how many.
    remedies_tried: String,
    /// The answer as text, as on a terminal.
    text: Cost,
    /// The same with `--nodes -o wide`.
    every_node: Cost,
    /// Lines of the answer.
    lines: usize,
    /// Most that was resident while loading, file buffer included.
    load_peak: f64,
    /// Resident with the cluster loaded and the file buffer gone.
    loaded: f64,
    /// Most that was resident while deciding: the working set.
    working_set: f64,
    dry_runs: usize,
    victims: usize,
}

fn explain(file: &str) -> Result<Measured> {
    let (cluster, load) = Cost::of(|| {
        let mut builder = Builder::new();
        files::read(file, &mut builder).map(|_| builder.finish())
    });
    let cluster = cluster.context("cannot load")?;
    let load_peak = memory("VmHWM")?;
    let loaded = memory("VmRSS")?;
    fs::write("/proc/self/clear_refs", "5").context("cannot reset the peak of memory")?;
    let version = SchedulerVersion::parse("1.37").context("unknown version")?;
    let profile = Profile::new(version, VersionSource::Flag);
    let (namespace, name) = generate::PREEMPTOR;
    let pod = cluster.find_pod(namespace, name).context("no preemptor")?;
    let now = generate::NOW.parse()?;
    let (view, mut world_cost) = Cost::of(|| ClusterView::new(&cluster, &profile));
    for _ in 1..DECISIONS {
        world_cost = world_cost.min(Cost::of(|| ClusterView::new(&cluster, &profile)).1);
    }
    let (decision, mut decide) = Cost::of(|| decision::decide(&view, pod, now));
    // One processor tick is 10 ms: take the mean of several decisions.
    let (_, several) = Cost::of(|| {
        for _ in 1..DECISIONS {
            decide.wall = decide.wall.min(Cost::of(|| decision::decide(&view, pod, now)).1.wall);
        }
    });
    decide.processor = several.processor / (DECISIONS - 1) as f64;
    if decision.kind() != OutcomeKind::Preempt {
        bail!("the decision is {:?}, which measures something else", decision.kind());
    }
    let mut again = Explanation::from(decision.clone());
    let (_, mut odds) = Cost::of(|| {
        for _ in 0..DECISIONS {
            again.enumerate(Starts::All);
        }
    });
    odds =
        Cost { wall: odds.wall / DECISIONS as f64, processor: odds.processor / DECISIONS as f64 };
    if again.sampling.is_none_or(|found| !found.sampled) {
        bail!("the scheduler looks at every candidate, which measures something else");
    }
    let mut other_filters: Option<Cost> = None;
    for _ in 0..DECISIONS {
        let mut again = Explanation::from(decision.clone());
        let (_, cost) = Cost::of(|| again.run_other_filters());
        other_filters = Some(other_filters.map_or(cost, |least| least.min(cost)));
    }
    let mut remedies: Option<Cost> = None;
    let mut remedies_tried = String::new();
    for _ in 0..DECISIONS {
        let mut again = Explanation::from(decision.clone());
        let (_, cost) = Cost::of(|| again.seek_remedies());
        remedies = Some(remedies.map_or(cost, |least| least.min(cost)));
        let found = again.remedies.context("no remedies")?;
        remedies_tried = format!("{} of {}", found.tried, found.proposed);
        if found.found.is_empty() {
            bail!("none of {} of {} remedies helps", found.tried, found.proposed);
        }
    }
    let report = PodReport::from(decision);
    let (text, lines) = render(&report, now, false);
    let (every_node, _) = render(&report, now, true);
    let decision = report.explanation.decision;
    let preemption = decision.preemption().context("no preemption")?;
    let victims = preemption.candidates().map(|c| c.victims.len()).sum();
    let working_set = memory("VmHWM")?;
    let dry_runs = preemption.dry_runs.len();
    Ok(Measured {
        load,
        view: world_cost,
        decide,
        odds,
        other_filters: other_filters.context("no filters")?,
        remedies: remedies.context("no remedies")?,
        remedies_tried,
        text,
        every_node,
        lines,
        load_peak,
        loaded,
        working_set,
        dry_runs,
        victims,
    })
}

/// What it costs to write the answer down, and how many lines it has.
fn render(decision: &PodReport, now: Timestamp, all: bool) -> (Cost, usize) {
    let paper = Paper { color: true, width: Some(120), drawing: true, ..Paper::PLAIN };
    let nodes = NodeNames::default();
    let origin = Origin { place: InputOrigin::Cluster("bench".to_owned()), as_of: now, nodes };
    let print = || {
        let page = if all {
            text::page(decision, &origin)
        } else {
            screen::page(std::slice::from_ref(decision), &origin, false, 24)
        };
        page.print(paper)
    };
    let (printed, mut cost) = Cost::of(print);
    for _ in 1..DECISIONS {
        cost = cost.min(Cost::of(print).1);
    }
    (cost, printed.lines().count())
}

/// What a tool costs that reads the same file into a generic JSON value.
#[derive(Debug, Serialize, Deserialize)]
struct Peer {
    load: Cost,
    load_peak: f64,
}

fn peer(file: &str) -> Result<Peer> {
    let (value, load) =
        Cost::of(|| -> Result<serde_json::Value> { Ok(serde_json::from_slice(&fs::read(file)?)?) });
    let load_peak = memory("VmHWM")?;
    value.map(|_| Peer { load, load_peak })
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// User and system time of this process so far.
fn processor_time() -> Duration {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field is the name, in brackets; ticks are hundredths of a second.
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = fields.split_whitespace().skip(11).take(2).filter_map(|f| f.parse::<u64>().ok());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

/// A line of `/proc/self/status`, in megabytes.
fn memory(field: &str) -> Result<f64> {
    let status =
        fs::read_to_string("/proc/self/status").context("memory is only measured on Linux")?;
    let line = status.lines().find_map(|l| l.strip_prefix(field)?.strip_prefix(':'));
    let kib: f64 =
        line.and_then(|l| l.trim().strip_suffix(" kB")).context("no such field")?.trim().parse()?;
    Ok(kib * 1024.0 / 1e6)
}

fn report(quick: bool) -> Result<()> {
    let sizes = if quick { &SIZES[..1] } else { &SIZES[..] };
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let mut table = Table::default();
    for nodes in sizes {
        for variant in &VARIANTS {
            let file = directory.path().join("cluster.json");
            let megabytes = write_cluster(&file, *nodes, variant)?;
            let peer = if variant.name == "plain" {
                Some(measure::<Peer>("peer", &file, 1, 1)?.remove(0))
            } else {
                None
            };
            for threads in THREADS {
                let runs: Vec<Measured> = measure("explain", &file, threads, PROCESSES)?;
                table.add(*nodes, variant, threads, megabytes, &runs, peer.as_ref());
            }
            fs::remove_file(&file)?;
        }
    }
    table.print();
    Ok(())
}

/// Writes a cluster and returns its size in megabytes.
fn write_cluster(file: &Path, nodes: usize, variant: &Variant) -> Result<f64> {
    let (affinity, spread) = (variant.constrained, variant.constrained);
    let options = generate::Options {
        nodes,
        pods_per_node: PODS_PER_NODE,
        budgets: variant.budgets,
        affinity,
        spread,
        ..generate::Options::default()
    };
    let mut out = BufWriter::with_capacity(1 << 20, File::create(file)?);
    generate::write(&options, &mut out)?;
    out.flush()?;
    Ok(fs::metadata(file)?.len() as f64 / 1e6)
}

fn measure<T: for<'de> Deserialize<'de>>(
    task: &str,
    file: &Path,
    threads: usize,
    processes: usize,
) -> Result<Vec<T>> {
    let own = std::env::current_exe()?;
    let mut command = match pinning() {
        Some(taskset) => {
            let mut command = Command::new(taskset);
            command.arg("--cpu-list").arg(format!("0-{}", threads - 1)).arg(own);
            command
        }
        None => Command::new(own),
    };
    command
        .arg(file)
        .env(TASK, task)
        .env("RAYON_NUM_THREADS", threads.to_string())
        .stderr(Stdio::inherit());
    (0..processes)
        .map(|_| {
            let output = command.output()?;
            serde_json::from_slice(&output.stdout)
                .with_context(|| format!("measuring {task} ended with {}", output.status))
        })
        .collect()
}

fn pinning() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|directory| directory.join("taskset"))
        .find(|file| file.exists())
}

const COLUMNS: [(&str, &str); 22] = [
    ("nodes/pods", ""),
    ("variant", ""),
    ("threads", ""),
    ("file", "MB"),
    ("load", "ms (cpu)"),
    ("rate", "MB/s"),
    ("Value", "x load"),
    ("view", "ms"),
    ("decide", "ms (cpu)"),
    ("of it odds", "ms (cpu)"),
    ("all filters", "ms"),
    ("remedies", "ms, tried"),
    ("render text", "ms, lines"),
    ("--nodes", "ms"),
    ("dry", "runs"),
    ("victims", "/node"),
    ("load", "us/node"),
    ("decide", "us/node"),
    ("decide", "linear"),
    ("loaded", "MB"),
    ("working", "set MB"),
    ("load peak", "- file, x ws"),
];

#[derive(Default)]
struct Table {
    rows: Vec<Vec<String>>,
    /// Decision time per node at the smallest size, by variant and threads.
    smallest: Vec<(&'static str, usize, f64)>,
}

impl Table {
    fn add(
        &mut self,
        nodes: usize,
        variant: &Variant,
        threads: usize,
        megabytes: f64,
        runs: &[Measured],
        peer: Option<&Peer>,
    ) {
        let least = |of: fn(&Measured) -> Cost| runs.iter().map(of).reduce(Cost::min);
        let largest = |of: fn(&Measured) -> f64| runs.iter().map(of).fold(0.0, f64::max);
        let costs = (least(|m| m.load), least(|m| m.view), least(|m| m.decide));
        let ((Some(load), Some(view), Some(decide)), Some(first)) = (costs, runs.first()) else {
            return;
        };
        let (Some(text), Some(every_node)) = (least(|m| m.text), least(|m| m.every_node)) else {
            return;
        };
        let (Some(odds), Some(others)) = (least(|m| m.odds), least(|m| m.other_filters)) else {
            return;
        };
        let Some(remedies) = least(|m| m.remedies) else { return };
        let per_node = decide.wall * 1e3 / nodes as f64;
        let known = self
            .smallest
            .iter()
            .find(|(v, t, _)| *v == variant.name && *t == threads)
            .map(|(.., p)| *p);
        let base = known.unwrap_or(per_node);
        if known.is_none() {
            self.smallest.push((variant.name, threads, per_node));
        }
        let working_set = largest(|m| m.working_set);
        self.rows.push(vec![
            format!("{nodes}/{}", nodes * PODS_PER_NODE),
            variant.name.to_owned(),
            threads.to_string(),
            format!("{megabytes:.0}"),
            format!("{:.0} ({:.0})", load.wall, load.processor),
            format!("{:.0}", megabytes * 1e3 / load.wall),
            peer.map_or_else(String::new, |p| {
                format!("{:.1} ({:.0} MB)", p.load.wall / load.wall, p.load_peak)
            }),
            format!("{:.1}", view.wall),
            format!("{:.1} ({:.0})", decide.wall, decide.processor),
            format!("{:.1} ({:.0})", odds.wall, odds.processor),
            format!("{:.1}", others.wall),
            format!("{:.1}, {}", remedies.wall, first.remedies_tried),
            format!("{:.1}, {}", text.wall, first.lines),
            format!("{:.1}", every_node.wall),
            first.dry_runs.to_string(),
            format!("{:.1}", first.victims as f64 / nodes as f64),
            format!("{:.0}", load.wall * 1e3 / nodes as f64),
            format!("{per_node:.1}"),
            format!("{:.2}", per_node / base),
            format!("{:.0}", largest(|m| m.loaded)),
            format!("{working_set:.0}"),
            format!("{:.2}", (largest(|m| m.load_peak) - megabytes) / working_set),
        ]);
    }

    fn print(&self) {
        let header = [
            COLUMNS.map(|(name, _)| name.to_owned()).to_vec(),
            COLUMNS.map(|(_, unit)| unit.to_owned()).to_vec(),
        ];
        let lines: Vec<&Vec<String>> = header.iter().chain(&self.rows).collect();
        let widths: Vec<usize> = (0..COLUMNS.len())
            .map(|c| lines.iter().filter_map(|l| l.get(c)).map(String::len).max().unwrap_or(0))
            .collect();
        for line in lines {
            let cells: Vec<String> =
                line.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
            println!("{}", cells.join("  ").trim_end());
        }
        println!(
            "linear: time per node against the smallest size. Value: the same bytes into a serde_json::Value."
        );
        println!(
            "working set: peak while deciding. load peak: without the file buffer, in working sets."
        );
        if pinning().is_none() {
            println!(
                "taskset is missing: the thread that reads the file is not counted among the threads."
            );
        }
    }
}
