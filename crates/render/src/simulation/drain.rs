//! Lines about nodes that go, which several pages have.

use crate::page::{Page, Span, Tone};
use answers::questions::node::changes::{commands, text, undo};
use answers::words;
use engine::simulation::hazard::Hazard;
use engine::simulation::plan::PlannedVictim;
use engine::simulation::sequence::DrainChange;

/// What an administrator may change, with the commands that do and undo it.
pub(crate) fn changes(page: &mut Page, changes: &[DrainChange], drained: &[&str], then: &str) {
    if changes.is_empty() {
        return;
    }
    let texts: Vec<String> = changes.iter().map(text).collect();
    page.line(2, vec![format!("{}: {then} (simulated)", texts.join(", and ")).into()]);
    for command in changes.iter().flat_map(|change| commands(change, drained)) {
        page.line(4, vec![Span::new(command, Tone::Strong)]);
    }
    for command in changes.iter().filter_map(undo) {
        page.line(4, vec![Span::new(format!("{command}  # afterwards"), Tone::Quiet)]);
    }
}

/// A hazard of an eviction, and what is said of one pod and of several.
pub(crate) type HazardWords = (Hazard, &'static str, &'static str);

pub(crate) const EMPTY_DIR: HazardWords = (
    Hazard::EmptyDir,
    "loses the data of its emptyDir volumes",
    "lose the data of their emptyDir volumes",
);

/// A warning for each of these hazards that a victim has, naming at most `named` of them.
pub(crate) fn hazards(
    page: &mut Page,
    victims: &[&PlannedVictim],
    words_of: &[HazardWords],
    named: usize,
) {
    for (hazard, one, several) in words_of {
        let with_it = victims.iter().filter(|victim| victim.hazards.contains(hazard));
        let names: Vec<String> = with_it.map(|victim| victim.pod.full_name()).collect();
        match names.as_slice() {
            [] => {}
            [name] => page.warning(format!("{name} {one}")),
            names => page.warning(format!("{} {several}", words::list(names, named))),
        }
    }
}

/// A warning about pods that may take the room of the replacements.
pub(crate) fn competing(page: &mut Page, pods: &[String], named: usize) {
    if pods.is_empty() {
        return;
    }
    let are = if pods.len() == 1 { "is" } else { "are" };
    // More than a few are counted: `pending` lists them.
    let which =
        if pods.len() > named { words::count(pods.len(), "pod") } else { words::list(pods, named) };
    page.warning(format!("{which} {are} already Pending and may take that room first"));
}

/// `2 DaemonSet or static pods stay`.
pub(crate) fn staying(pods: usize) -> Option<String> {
    let stay = if pods == 1 { "stays" } else { "stay" };
    (pods > 0).then(|| format!("{} {stay}", words::count(pods, "DaemonSet or static pod")))
}
