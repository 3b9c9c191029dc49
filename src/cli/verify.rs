//! `kubectl preempt verify`: the scheduler's own messages against its rules, recomputed here.

use std::mem::ManuallyDrop;

use super::printer::{self, Basic};
use super::question::{InputArgs, Question};
use super::target;
use super::{GlobalFlags, output};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use engine::decision;
use engine::decision::verify::{Verification, VerificationResult, verify};
use engine::framework::cluster_view::ClusterView;
use engine::profile::{Profile, SchedulerVersion, VersionSource};
use render::json::JsonVerificationList;
use render::verification;

/// Compare what kube-scheduler wrote about pending pods with what its rules give
///
/// Recomputes the message of each pod that waits for a node and compares it, byte for byte, with the one in the pod's
/// `PodScheduled` condition. `equal`: it says the same. `stale`: it says something else, and what has changed in the
/// cluster since explains that. `different`: nothing that can be seen explains it. `no message`: the scheduler has not
/// refused the pod yet.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(after_help = Exit::help())]
pub struct VerifyArgs {
    /// Pods, or owners of pods; without any, every pod of the namespace that waits for a node
    #[arg(value_name = "POD | TYPE/NAME")]
    pub pods: Vec<String>,

    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// Output format
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printer::words::<Basic>(), default_value = "text")]
    pub output: Basic,
}

/// Reads, decides, compares and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to compare.
pub fn run(args: &VerifyArgs, global: &GlobalFlags, connection: &ConnectionFlags) -> Result<Exit, Error> {
    let targets = target::parse(&args.pods)?;
    if args.all_namespaces && !targets.is_empty() {
        return Err(Error::usage("a pod cannot be named together with --all-namespaces; -n names its namespace"));
    }
    let request = args.input.check()?;
    // Freeing a large cluster takes longer than deciding on it, and the process ends anyway.
    let question = ManuallyDrop::new(request.read(&targets, global, connection)?);
    let pods = question.pods(&targets, args.all_namespaces, global)?;
    let callers = ManuallyDrop::new(question.callers()?);
    let views = ManuallyDrop::new(question.views(callers.as_deref()));
    let verify = |pod| Some(verify(&decision::decide(views.get(question.view_of(pod))?, pod, question.now)));
    let mut found: Vec<Verification> = pods.into_iter().filter_map(verify).collect();
    ask_other_versions(&mut found, &question);
    let text = match args.output {
        Basic::Text => verification::page(&found, &question.cluster).print(output::paper(global)),
        format => {
            let list = JsonVerificationList::new(&found, &question.cluster, &question.profile, question.source);
            format.encode(&list)?
        }
    };
    output::print(&text)?;
    Ok(exit(&found))
}

/// A scheduler of another version than its API server's is told by its words.
fn ask_other_versions(found: &mut [Verification], question: &Question) {
    if !found.iter().any(|f| f.verdict == VerificationResult::Different) {
        return;
    }
    let minors = (SchedulerVersion::OLDEST.minor..=SchedulerVersion::NEWEST.minor).rev();
    for minor in minors.filter(|minor| *minor != question.profile.version.minor) {
        let version = SchedulerVersion::new(minor, u16::MAX);
        let profile = Profile::new(version, VersionSource::Default);
        let view = ClusterView::new(&question.cluster, &profile);
        for one in found.iter_mut().filter(|f| f.verdict == VerificationResult::Different && f.written_by.is_none()) {
            if one.is_what_writes(&decision::decide(&view, one.pod, question.now)) {
                one.written_by = Some(version.to_string());
            }
        }
    }
}

fn exit(found: &[Verification]) -> Exit {
    let different =
        |unsure: bool| found.iter().any(|f| f.verdict == VerificationResult::Different && f.unsure == unsure);
    if different(false) {
        Exit::No
    } else if different(true) {
        Exit::Partial
    } else {
        Exit::Answered
    }
}
