//! Compares our decisions with those of a running kube-scheduler, on generated clusters, and makes
//! every disagreement small: `just oracle 1.37.1`, then `cargo run --release -p
//! kubectl-preempt-tools --bin parity -- --oracle target/oracle/1.37.1/oracle --count 10000 --seed
//! 7`. Decided cases from elsewhere: `--decided cases.ndjson.gz`. benches/FIDELITY.md tells how to
//! read what it prints.

#![allow(
    clippy::pedantic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::allow_attributes,
    reason = "a program of the developers, not a part of the product"
)]

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;
use flate2::read::MultiGzDecoder;
use rayon::prelude::*;

#[expect(dead_code, reason = "the tests of recordings use more of it")]
#[path = "../../../../../tests/recorded/parity/compare.rs"]
mod compare;
mod disagreement;
#[path = "../../../../../tests/recorded/parity/extenders.rs"]
mod extenders;
#[path = "../../../../../tests/recorded/parity/groups.rs"]
mod groups;
mod oracle;
mod shrink;
mod tally;

use compare::{Case, Verdict};
use oracle::{Oracle, Range, Stage};
use tally::Tally;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Cases that are compared at a time.
const BATCH: usize = 512;

/// Number of schedulers that decide again about a pod, and about a group while its case is shrunk.
const AGAIN: [usize; 2] = [4, 30];

/// Number of schedulers that decide about a group before it counts as a disagreement: seven of
/// eight walks of a small map begin with the same key, and an answer may need several that do not.
const MANY: usize = 400;

/// Compares our decisions with the scheduler's; ends with 1 when they disagree.
#[derive(Parser)]
struct Args {
    /// The oracle of the version that decides.
    #[arg(long, required_unless_present = "decided")]
    oracle: Option<PathBuf>,
    /// Decided cases to compare instead of generated ones: a file, plain or .gz, or `-`.
    #[arg(long)]
    decided: Vec<PathBuf>,
    /// Cases to decide instead of generated ones, one per line, all by one program: a file, or `-`.
    #[arg(long, requires = "oracle")]
    cases: Vec<PathBuf>,
    /// Clusters to generate.
    #[arg(long, default_value_t = 1_000)]
    count: usize,
    /// Another seed makes other clusters.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Index of the first cluster.
    #[arg(long, default_value_t = 0)]
    start: usize,
    /// One kind of cluster only.
    #[arg(long)]
    family: Option<String>,
    /// Clusters about pod groups, of each kind as many.
    #[arg(long, conflicts_with = "family")]
    groups: bool,
    /// Schedulers that decide each case, to find the orders that they leave open.
    #[arg(long, default_value_t = 2)]
    runs: usize,
    /// Where shrunk disagreements are written; without it nothing is shrunk.
    #[arg(long)]
    found: Option<PathBuf>,
    /// Number of disagreements of one kind that are shrunk; the others are only counted.
    #[arg(long, default_value_t = 3)]
    each: usize,
    /// Reports what the decided cases exercise, and fails when something is never exercised.
    #[arg(long)]
    coverage: bool,
    /// Deciding a batch over and over for so many seconds, to tell how fast we are.
    #[arg(long)]
    time: Option<u64>,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    // A panic of ours is reported as a disagreement.
    std::panic::set_hook(Box::new(|_| ()));
    let mut run = Run::new(&args)?;
    if args.decided.is_empty() && args.cases.is_empty() {
        let oracle = args.oracle.as_ref().context("no oracle")?;
        let families = if args.groups { oracle::group_families(oracle)? } else { Vec::new() };
        let families = if families.is_empty() {
            vec![args.family.as_deref()]
        } else {
            families.iter().map(|f| Some(f.as_str())).collect()
        };
        for family in &families {
            let range = Range {
                seed: args.seed,
                start: args.start,
                count: args.count / families.len(),
                family: *family,
            };
            run.all(BufReader::new(Stage::generated(oracle, &range, args.runs)?))?;
        }
    }
    for (file, oracle) in args.cases.iter().zip(args.oracle.iter().cycle()) {
        run.all(BufReader::new(Stage::decided(oracle, file, args.runs)?))?;
    }
    for file in &args.decided {
        run.all(BufReader::new(open(file)?))?;
    }
    run.finish()
}

/// The kind of trouble that was put into a case.
fn family<'a>(case: &'a Case) -> &'a str {
    case.id.split('/').nth(1).unwrap_or_default()
}

fn open(path: &Path) -> Result<Box<dyn Read>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let packed = path.extension().is_some_and(|e| e == "gz");
    Ok(if packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
}

/// Oracles that decide again.
struct Again {
    /// About pods.
    pods: Oracle,
    /// About pods in clusters with objects that the API server refuses.
    unchecked: Oracle,
    /// About groups.
    groups: Oracle,
}

struct Run<'a> {
    args: &'a Args,
    tally: Tally,
    /// Asked over and over to make disagreements small.
    again: Option<Again>,
    /// Asked whether a group has other answers.
    many: Option<Oracle>,
    coverage: Option<Stage>,
    started: Instant,
    comparing: Duration,
}

impl<'a> Run<'a> {
    fn new(args: &'a Args) -> Result<Self> {
        // Each of these is a process of its own, so it is started only where it will be asked.
        let again = match (&args.oracle, &args.found) {
            (Some(oracle), Some(_)) => {
                let [pods, groups] = AGAIN;
                Some(Again {
                    pods: Oracle::strict(oracle, pods),
                    unchecked: Oracle::new(oracle, pods),
                    groups: Oracle::strict(oracle, groups),
                })
            }
            _ => None,
        };
        let many = args.oracle.as_ref().map(|oracle| Oracle::new(oracle, MANY));
        let coverage = match &args.oracle {
            Some(oracle) if args.coverage => Some(Stage::coverage(oracle)?),
            _ => None,
        };
        Ok(Self {
            args,
            tally: Tally::default(),
            again,
            many,
            coverage,
            started: Instant::now(),
            comparing: Duration::ZERO,
        })
    }

    fn all(&mut self, decided: impl BufRead) -> Result<()> {
        let mut lines = decided.lines();
        loop {
            let batch: Vec<String> = lines.by_ref().take(BATCH).collect::<io::Result<_>>()?;
            if batch.is_empty() {
                return Ok(());
            }
            if let Some(seconds) = self.args.time {
                return time(&batch, Duration::from_secs(seconds));
            }
            self.batch(&batch)?;
            let seconds = self.started.elapsed().as_secs_f64();
            eprintln!("{} in {seconds:.0} s", self.tally.progress());
        }
    }

    fn batch(&mut self, lines: &[String]) -> Result<()> {
        let started = Instant::now();
        let verdicts: Vec<(String, Verdict)> = lines
            .par_iter()
            .map(|line| {
                let case = Case::read(line).with_context(|| format!("not a case: {line:.200}"))?;
                Ok((family(&case).to_owned(), case.compare()))
            })
            .collect::<Result<_>>()?;
        self.comparing += started.elapsed();
        for (line, (family, verdict)) in lines.iter().zip(verdicts) {
            if let Some(coverage) = &mut self.coverage {
                coverage.say(line)?;
            }
            let (line, verdict) = self.asked_often(line, verdict)?;
            let first_of_kind = self.tally.count(&family, &verdict, self.args.each);
            if let (Verdict::Differs(differences), true) = (verdict, first_of_kind) {
                self.found(&line, &differences)?;
            }
        }
        Ok(())
    }

    /// The verdict about a group after many schedulers were asked, if it differs; with the decided
    /// case.
    fn asked_often<'l>(
        &mut self,
        line: &'l str,
        verdict: Verdict,
    ) -> Result<(Cow<'l, str>, Verdict)> {
        // That there are several answers is known already.
        let is_open =
            |fields: &[compare::Difference]| fields.iter().any(|(field, ..)| *field != "certainty");
        let is_open = matches!(&verdict, Verdict::Differs(fields) if is_open(fields))
            && !Case::read(line)?.group.is_empty();
        let Some(many) = self.many.as_mut().filter(|_| is_open) else {
            return Ok((line.into(), verdict));
        };
        let Ok(answer) = many.ask(line) else { return Ok((line.into(), verdict)) };
        let verdict = Case::read(&answer)?.compare();
        Ok((answer.into(), verdict))
    }

    fn found(&mut self, line: &str, differences: &[compare::Difference]) -> Result<()> {
        let case = Case::read(line)?;
        println!("--- {}", case.id);
        for (field, want, got) in differences {
            println!("  {field}\n    scheduler: {want:.2000}\n    ours:      {got:.2000}");
        }
        let (Some(again), Some(folder)) = (&mut self.again, &self.args.found) else {
            return Ok(());
        };
        // A case that the API server would refuse can only be made small without its checks.
        let oracle = if !case.group.is_empty() {
            &mut again.groups
        } else if disagreement::is_refused(&mut again.pods, line)? {
            &mut again.unchecked
        } else {
            &mut again.pods
        };
        match disagreement::make_small(oracle, line, differences)? {
            None => {
                println!(
                    "  asked again, the scheduler decides otherwise: an order that it leaves open"
                );
                self.tally.withdraw(family(&case), differences);
            }
            Some(small) => {
                fs::create_dir_all(folder)?;
                let name = case.id.trim_start_matches('v').replace('/', "-");
                let path = folder.join(format!("{name}.json"));
                fs::write(&path, small)?;
                println!("  made small: {}", path.display());
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<ExitCode> {
        println!("{}", self.tally.report());
        println!(
            "{:.1} s in all, {:.1} s of it for our part: {:.0} cases/s",
            self.started.elapsed().as_secs_f64(),
            self.comparing.as_secs_f64(),
            self.tally.cases() as f64 / self.comparing.as_secs_f64()
        );
        let covered = match self.coverage {
            Some(coverage) => {
                let (text, complete) = coverage.end()?;
                print!("{text}");
                complete
            }
            None => true,
        };
        if !covered {
            println!("something is never exercised, see above");
        }
        io::stdout().flush()?;
        Ok(if covered && self.tally.agrees() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// User and system time of this process so far.
fn processor_time() -> Duration {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field is the name, in brackets; ticks are hundredths of a second.
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = fields.split_whitespace().skip(11).take(2).filter_map(|f| f.parse::<u64>().ok());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

/// Decides a batch over and over, part by part, and reports the cases per second of wall time and
/// of processor time.
fn time(lines: &[String], how_long: Duration) -> Result<()> {
    type Part = fn(&Case) -> bool;
    let parts: [(&str, Part); 3] = [
        ("read", |_| true),
        ("read and decide", |case| case.load().and_then(|cluster| case.decide(&cluster)).is_ok()),
        ("read, decide and compare", |case| matches!(case.compare(), Verdict::Agrees)),
    ];
    for (name, part) in parts {
        let (started, processor, mut cases) = (Instant::now(), processor_time(), 0);
        while started.elapsed() < how_long {
            let good = lines
                .par_iter()
                .filter(|line| Case::read(line).is_ok_and(|case| part(&case)))
                .count();
            cases += lines.len();
            if good == 0 {
                bail!("no case can be used: {name}");
            }
        }
        let (wall, busy) =
            (started.elapsed().as_secs_f64(), (processor_time() - processor).as_secs_f64());
        println!(
            "{name}: {:.0} cases/s, {:.0} per second of one processor",
            cases as f64 / wall,
            cases as f64 / busy
        );
    }
    Ok(())
}
