//! `kubectl preempt snapshot`: saves the input of decisions about a cluster in one file.

use crate::api::Env;
use crate::api::flags::ConnectionFlags;
use crate::capture::files;
use crate::capture::live::{self, LiveInfo, ReadScope};
use crate::capture::store::{SnapshotTarget, SnapshotWriter, Written};
use crate::cli::flags::GlobalFlags;
use crate::cli::input;
use crate::cli::output;
use crate::cli::progress::ProgressLine;
use crate::cli::scheduler;
use crate::error::Error;
use crate::program;
use engine::snapshot::Kind;
use render::escape::visible_json_lines;
use render::page::Page;

const EXAMPLES: &str = "\
Examples:
  # Save what decides about pods, and explain a pod offline
  kubectl preempt snapshot -o cluster.snap
  kubectl preempt explain web-1 --from cluster.snap

  # To standard output, without environment variables, arguments and secrets
  kubectl preempt snapshot -o - | less

  # A snapshot as JSON, for people and other programs
  kubectl preempt snapshot --from cluster.snap -o cluster.json";

/// Save the cluster's scheduling state to a file for --from
///
/// Every command reads the file with --from. It has only the fields that decide about pods.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "Output")]
pub struct SnapshotArgs {
    /// File to write: .snap is compact and open at once, anything else JSON
    ///
    /// JSON is compressed for .zst and .gz; - is JSON on standard output. Default:
    /// preempt-snapshot-TIME.snap in this folder.
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<String>,

    /// Write this snapshot in another form, instead of reading the cluster
    #[arg(long, value_name = "FILE", conflicts_with = "scheduler_configmap", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub from: Vec<String>,

    /// Also save the scheduler's configuration in this ConfigMap
    #[arg(long, value_name = "NAMESPACE/NAME", help_heading = "Scheduler")]
    pub scheduler_configmap: Option<String>,

    /// Overwrite the file if it exists
    #[arg(long)]
    pub force: bool,
}

/// Writes the snapshot and reports its content on standard error; with `--quiet`, only missing
/// objects and the server's warnings.
///
/// # Errors
/// When the cluster or the snapshot cannot be read, or the file cannot be written; then no file is
/// left.
pub fn run(
    args: &SnapshotArgs,
    flags: &ConnectionFlags,
    global: &GlobalFlags,
) -> anyhow::Result<()> {
    if args.from.len() > 1 {
        return Err(Error::usage_hint(
            "snapshot --from writes one snapshot in another form, and several are named",
            "every other command reads several files as one cluster",
        )
        .into());
    }
    let file = args.output.clone().unwrap_or_else(default_name);
    let mut writer =
        SnapshotWriter::create(SnapshotTarget::new(&file), args.force)?.escaped(visible_json_lines);
    let info = match args.from.first() {
        Some(from) => {
            read_snapshot(from, &mut writer, global)?;
            LiveInfo { server: from.clone(), ..LiveInfo::default() }
        }
        None => capture(args, flags, &mut writer, global)?,
    };
    let written = writer.finish()?;
    output::say_lines(
        &report(&file, &info, &written, global.quiet).print(output::plain_paper(global)),
    );
    Ok(())
}

/// Reads the cluster.
fn capture(
    args: &SnapshotArgs,
    flags: &ConnectionFlags,
    writer: &mut SnapshotWriter,
    global: &GlobalFlags,
) -> Result<LiveInfo, Error> {
    let config_map = scheduler::config_map_name(args.scheduler_configmap.as_deref())?;
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| kind.decides()).collect();
    let scope = ReadScope { config_map, extensions: true, ..ReadScope::of(&kinds) };
    let mut progress = ProgressLine::new(global.quiet);
    live::capture(&Env::process(), flags, &scope, writer, &mut |read| progress.saw(read))
}

/// Reads a snapshot. Other files are refused: a snapshot also says which kinds were read, and of
/// what else a file shows it keeps nothing.
fn read_snapshot(
    from: &str,
    writer: &mut SnapshotWriter,
    global: &GlobalFlags,
) -> Result<(), Error> {
    input::read_files(from, writer, global)?;
    if writer.has_header() {
        return Ok(());
    }
    let origin = if from == "-" { files::STDIN } else { from };
    Err(Error::input(origin, "not a snapshot: give --from what kubectl preempt snapshot wrote"))
}

fn default_name() -> String {
    format!("preempt-snapshot-{}.snap", jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ"))
}

/// The report about a written snapshot.
fn report(output: &str, info: &LiveInfo, written: &Written, quiet: bool) -> Page {
    let mut text = Page::default();
    for warning in &info.warnings {
        line(&mut text, &format!("Warning: {warning}"));
    }
    for gap in &written.header.unreadable {
        line(&mut text, &format!("Warning: {} could not be read: {}", gap.resource, gap.reason));
    }
    if written.issues > 0 {
        line(
            &mut text,
            &format!(
                "Warning: {} fields or objects could not be decoded; the snapshot names them",
                written.issues
            ),
        );
    }
    // --quiet leaves out what went well, but not what the snapshot lacks.
    if quiet {
        return text;
    }
    let context = info.context.as_ref().map_or_else(String::new, |c| format!(", context {c}"));
    let version = written.header.server_version.as_deref().unwrap_or("unknown version");
    line(&mut text, &format!("read {} (Kubernetes {version}{context})", info.server));
    for (kind, count) in Kind::ALL.into_iter().filter_map(|k| Some((k, written.objects.get(&k)?))) {
        line(&mut text, &format!("  {count:>7} {}", kind.resource()));
    }
    if output == "-" {
        line(&mut text, "wrote the snapshot to standard output");
    } else {
        line(&mut text, &format!("wrote {output} ({})", size(written.bytes)));
        let ask = program::command("explain POD --from");
        line(&mut text, &format!("ask it: {ask} {output}"));
    }
    text
}

fn line(text: &mut Page, content: &str) {
    text.line(0, vec![content.into()]);
}

fn size(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match units.into_iter().find(|(_, shift)| bytes >> shift > 0) {
        Some((unit, shift)) => {
            let tenths = (u128::from(bytes) * 10) >> shift;
            format!("{}.{} {unit}", tenths / 10, tenths % 10)
        }
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::snapshot::{Header, Unreadable};
    use render::page::Paper;

    fn written() -> Written {
        Written {
            objects: [(Kind::Pod, 12), (Kind::Node, 3)].into(),
            issues: 1,
            bytes: 1_600_000,
            header: Header {
                server_version: Some("v1.37.1".to_owned()),
                unreadable: vec![Unreadable {
                    resource: "jobs".to_owned(),
                    reason: "no\u{1b}[31m".to_owned(),
                }],
                ..Header::default()
            },
        }
    }

    #[test]
    fn the_report_names_what_was_written_and_what_is_missing() {
        let info = LiveInfo {
            context: Some("main".to_owned()),
            server: "https://a/".to_owned(),
            ..LiveInfo::default()
        };
        let text = report("s.snap", &info, &written(), false).print(Paper::PLAIN);
        let expected = [
            r"Warning: jobs could not be read: no\u{1b}[31m",
            "Warning: 1 fields or objects could not be decoded; the snapshot names them",
            "read https://a/ (Kubernetes v1.37.1, context main)",
            "        3 nodes",
            "       12 pods",
            "wrote s.snap (1.5 MiB)",
            "ask it: kubectl preempt explain POD --from s.snap",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
        assert_eq!(report("-", &info, &written(), true).print(Paper::PLAIN).lines().count(), 2);
    }

    #[test]
    fn sizes_are_short() {
        for (bytes, text) in [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1 << 30, "1.0 GiB")]
        {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn default_name_contains_the_time() {
        let name = default_name();
        assert!(name.starts_with("preempt-snapshot-2") && name.ends_with("Z.snap"), "{name}");
    }
}
