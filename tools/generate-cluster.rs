//! Writes a synthetic cluster to standard output: `cargo run --release --example generate-cluster
//! -- --nodes 5000 --pods-per-node 30 --budgets 500 > cluster.json`

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

use std::io::{self, BufWriter, Write};

use clap::Parser;

#[path = "../benches/scale/generate.rs"]
mod generate;

/// Writes a synthetic cluster, as one JSON List, to standard output.
#[derive(Parser)]
struct Args {
    /// Number of nodes.
    #[arg(long, default_value_t = 1_000)]
    nodes: usize,
    /// Pods on each node.
    #[arg(long, default_value_t = 30)]
    pods_per_node: usize,
    /// Number of PodDisruptionBudgets.
    #[arg(long, default_value_t = 500)]
    budgets: usize,
    /// Namespaces that pods and budgets are spread over.
    #[arg(long, default_value_t = generate::NAMESPACES, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1000))]
    namespaces: usize,
    /// Required anti-affinity on a tenth of the workloads and on the preemptor.
    #[arg(long)]
    affinity: bool,
    /// `DoNotSchedule` spread on a tenth of the workloads and on the preemptor.
    #[arg(long)]
    spread: bool,
    /// Another seed is another cluster of the same kind.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> io::Result<()> {
    let Args { nodes, pods_per_node, budgets, namespaces, affinity, spread, seed } = Args::parse();
    let options =
        generate::Options { nodes, pods_per_node, budgets, namespaces, affinity, spread, seed };
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    generate::write(&options, &mut out)?;
    out.flush()?;
    let (namespace, name) = generate::PREEMPTOR;
    eprintln!(
        "the pending pod is {namespace}/{name}; an instant after all others is {}",
        generate::NOW
    );
    Ok(())
}
