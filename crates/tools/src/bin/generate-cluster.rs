//! Writes a synthetic cluster to standard output: `cargo run --release -p kubectl-preempt-tools
//! --bin generate-cluster -- --nodes 5000 --pods-per-node 30 --budgets 500 > cluster.json`

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

#[path = "../../../../benches/scale/generate.rs"]
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
    /// Pending pods besides the preemptor.
    #[arg(long, default_value_t = 0)]
    pending: usize,
    /// How many different ones they are.
    #[arg(long, default_value_t = 1)]
    pending_kinds: usize,
    /// A line per value, indented as `kubectl get -o json` prints it.
    #[arg(long)]
    indent: bool,
    /// Another seed is another cluster of the same kind.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    let options = generate::Options {
        nodes: args.nodes,
        pods_per_node: args.pods_per_node,
        budgets: args.budgets,
        namespaces: args.namespaces,
        affinity: args.affinity,
        spread: args.spread,
        pending: args.pending,
        pending_kinds: args.pending_kinds,
        seed: args.seed,
    };
    let out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let mut out = Indented { out, wanted: args.indent, depth: 0, last: 0, text: Text::Outside };
    generate::write(&options, &mut out)?;
    out.flush()?;
    let (namespace, name) = generate::PREEMPTOR;
    eprintln!(
        "the pending pod is {namespace}/{name}; an instant after all others is {}",
        generate::NOW
    );
    Ok(())
}

/// Writes compact JSON with a line per value, indented by four blanks.
struct Indented<W> {
    out: W,
    /// Otherwise it is written as it comes.
    wanted: bool,
    depth: usize,
    /// The last byte that was written.
    last: u8,
    text: Text,
}

/// The state of the next byte within a quoted string.
enum Text {
    Outside,
    Inside,
    /// After a backslash.
    Escaped,
}

impl<W: Write> Indented<W> {
    fn new_line(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| self.out.write_all(b"    "))
    }

    fn byte(&mut self, byte: u8) -> io::Result<()> {
        let is_empty = matches!((self.last, byte), (b'{', b'}') | (b'[', b']'));
        if matches!(byte, b'}' | b']') {
            self.depth -= 1;
            if !is_empty {
                self.new_line()?;
            }
        } else if matches!(self.last, b'{' | b'[' | b',') {
            self.new_line()?;
        } else if self.last == b':' {
            self.out.write_all(b" ")?;
        }
        self.depth += usize::from(matches!(byte, b'{' | b'['));
        self.last = byte;
        self.out.write_all(&[byte])
    }
}

impl<W: Write> Write for Indented<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.wanted {
            return self.out.write(bytes);
        }
        for byte in bytes {
            match (&self.text, byte) {
                (Text::Outside, b'"') => {
                    self.byte(b'"')?;
                    self.text = Text::Inside;
                }
                (Text::Outside, b'\n') => self.out.write_all(b"\n")?,
                (Text::Outside, _)
                    if self.last == b'"'
                        || !matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'.' | b'+' | b'E') =>
                {
                    self.byte(*byte)?
                }
                // A number or a word goes on, unless it begins here.
                (Text::Outside, _) if matches!(self.last, b'{' | b'[' | b',' | b':') => {
                    self.byte(*byte)?
                }
                (state, _) => {
                    self.text = match (state, byte) {
                        (Text::Outside, _) => Text::Outside,
                        (Text::Inside, b'"') => Text::Outside,
                        (Text::Inside, b'\\') => Text::Escaped,
                        (Text::Inside | Text::Escaped, _) => Text::Inside,
                    };
                    self.last = *byte;
                    self.out.write_all(&[*byte])?;
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
