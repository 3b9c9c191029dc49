//! `kubectl preempt verify`: compares the scheduler's messages with the decisions of this program.

use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::{InputArgs, InputOfCommand as _, LoadedInput};
use super::listing::{self, ListArgs, ListFormat};
use super::printer::DetailedFormat;
use super::{output, pager};
use crate::api::flags::ConnectionFlags;
use crate::exit::Exit;
use answers::headline::rules_in_short;
use answers::other_versions::try_other_versions;
use answers::target;
use engine::decision::verify::{Verification, VerificationResult, verify};
use engine::groups::member::Decider;
use engine::notes::{self, Note, Severity};
use engine::profile::doubts::is_about_scheduler;
use json::verification::VerificationList;
use render::verification;

const EXAMPLES: &str = "\
Examples:
  # Does kube-scheduler's own message agree with this program, for every pending pod?
  kubectl preempt verify -A

  # Does it for pod web-1, if the scheduler is of another version?
  kubectl preempt verify web-1 --scheduler-version 1.35";

/// Compare kube-scheduler's messages about pending pods with what its rules give
///
/// Recomputes the message of each pending pod and compares it, byte for byte, with the message in
/// the pod's PodScheduled condition. `equal`: both are the same. `stale`: they differ, and a change
/// of the cluster since then explains the difference. `different`: nothing visible explains it. `no
/// message`: the scheduler has not rejected the pod yet.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "What to verify")]
pub struct VerifyArgs {
    /// Pods, or owners of pods (default: all pending pods)
    #[arg(value_name = "POD | TYPE/NAME", display_order = 0)]
    pub pods: Vec<String>,

    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// text, wide, json, yaml, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = listing::formats::<DetailedFormat>(), default_value = "text",
          help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: ListFormat<DetailedFormat>,

    /// The order of the items, and their headings.
    #[command(flatten)]
    pub list: ListArgs,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,
}

/// Reads, decides, compares and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to compare.
pub fn run(
    args: &VerifyArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    ending: Ending,
) -> anyhow::Result<Exit> {
    let targets = target::parse(&args.pods)?;
    target::check_all_namespaces(&targets, args.all_namespaces)?;
    let options = args.input.check()?;
    let input = options.read(&targets, global, connection)?;
    let pods = input.pods(&targets, args.all_namespaces, global)?;

    let callers = input.callers()?;
    let views = input.views(callers.as_deref());
    let mut deciders: Vec<Decider> =
        views.iter().map(|view| Decider::new(view, input.now)).collect();
    let mut found = Vec::new();
    let mut unknown = Vec::new();
    for pod in pods {
        let Some(decider) = deciders.get_mut(input.view_of(pod)) else { continue };
        let decision = decider.decide(pod);
        // What is not known of the scheduler concerns every pod, so it is said once, for all.
        for note in &decision.notes {
            if note.severity == Severity::Error && is_about_scheduler(note) {
                notes::add(&mut unknown, note.clone());
            }
        }
        found.push(verify(&decision));
    }
    try_other_versions(&mut found.iter_mut().collect::<Vec<_>>(), &input);

    args.list.sort(&mut found, |found| output::to_value(&json(found, &unknown, &input)))?;
    let text = match &args.output {
        ListFormat::Own(DetailedFormat::Text | DetailedFormat::Wide) => {
            let extent = args.output.extent(false);
            let rules = rules_in_short(&input.profile);
            verification::page(&found, &input.cluster, &unknown, &input.origin(), &rules, extent)
                .print(output::paper_for(extent, global))
        }
        ListFormat::Own(format) => format.encode(&json(&found, &unknown, &input))?,
        ListFormat::Kubectl(format) => {
            let items = json(&found, &unknown, &input);
            format.text(&items, !args.list.no_headers, output::paper(global))?
        }
    };
    pager::print(&text, global)?;
    Ok(ending.end(input.exit(&targets, exit(&found, &unknown))))
}

fn json(found: &[Verification], unknown: &[Note], input: &LoadedInput) -> VerificationList {
    let (cluster, profile) = (&input.cluster, &input.profile);
    to_json::verification_list(found, cluster, unknown, profile, input.source)
}

/// The exit code. Messages that match by `unknown` rules are not a certain answer.
fn exit(found: &[Verification], unknown: &[Note]) -> Exit {
    let mut exit = if unknown.is_empty() { Exit::Answered } else { Exit::Partial };
    for verification in found {
        if verification.verdict == VerificationResult::Different {
            if !verification.unsure {
                return Exit::No;
            }
            exit = Exit::Partial;
        }
    }
    exit
}
