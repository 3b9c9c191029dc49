//! Where the pod is placed: the victims and why this node was chosen, or the scores, and why a pod
//! that fits may still be pending.

use indexmap::IndexMap;

use super::section::{ScreenSection, SectionRow};
use crate::page::{Column, Span, Tone};
use crate::text::scores;
use answers::certificate;
use answers::pod_report::{PodReport, ScoredNode};
use answers::ties;
use answers::why_not::WhyNot;
use answers::words;
use engine::decision::OutcomeKind;
use engine::preemption::dry_run::{Candidate, Victim};
use engine::simulation::afterwards;
use engine::simulation::plan::{Afterwards, PinnedBy};

/// Maximum number of victims with a row each.
const ONE_BY_ONE: usize = 4;
/// Maximum number of nodes whose scores are shown.
const SCORES_SHOWN: usize = 3;

/// The victims on the node that kube-scheduler most likely picks; `None` if there are none.
pub(super) fn evicts(model: &PodReport) -> Option<ScreenSection> {
    let decision = model;
    if decision.kind() != OutcomeKind::Preempt {
        return None;
    }
    let candidate = decision.likely_candidate()?;
    let place = Span::new(format!("Evicts on {}", model.node(candidate.node)), Tone::Strong);
    let mut foot: Vec<Span> = Vec::new();
    foot.extend(ties::others(model, candidate).map(Span::from));
    foot.extend(chosen(model).map(Span::from));
    foot.extend(certificate::better(model).map(Span::from));
    Some(ScreenSection {
        head: vec![place, format!(" ({})", rank(model, candidate)).into()],
        columns: vec![
            Column::default().names(40),
            Column::default().names(16).dropped(2),
            Column::default(),
            Column::default().dropped(1),
            Column::default().prose(20),
        ],
        rows: rows(model, candidate),
        noun: "pod",
        foot,
        ..ScreenSection::default()
    })
}

/// How the candidate compares with the others, and what it costs.
fn rank(model: &PodReport, candidate: &Candidate) -> String {
    let candidates = model.candidates().count();
    let violations = words::violations(candidate.violations, model.cluster());
    let winners = model.candidates().filter(|candidate| model.wins(candidate.node)).count();
    let place = match winners {
        _ if candidates == 1 => "the only candidate".to_owned(),
        1 => format!("best of {}", words::count(candidates, "candidate")),
        _ if model.odds().is_some() => {
            format!("one of {}", words::count(candidates, "candidate"))
        }
        tied => format!(
            "{} of {} tied",
            words::group_digits(tied),
            words::count(candidates, "candidate")
        ),
    };
    format!("{place}; {violations}")
}

/// A row per victim if there are few, else a row per owner.
fn rows(model: &PodReport, candidate: &Candidate) -> Vec<SectionRow> {
    if candidate.victims.len() <= ONE_BY_ONE {
        return candidate.victims.iter().map(|victim| row(model, candidate, &[victim])).collect();
    }
    let mut owners: IndexMap<_, Vec<&Victim>> = IndexMap::new();
    for victim in &candidate.victims {
        let pod = model.cluster().pod(victim.pod);
        let owner = pod.controller.map(|owner| owner.uid).ok_or(victim.pod);
        owners.entry((owner, pod.priority, victim.violates.clone())).or_default().push(victim);
    }
    owners.values().map(|victims| row(model, candidate, victims)).collect()
}

/// The row of victims of one owner and priority.
fn row(model: &PodReport, candidate: &Candidate, victims: &[&Victim]) -> SectionRow {
    let pods: Vec<_> = victims.iter().map(|victim| model.pod_summary(victim.pod)).collect();
    let [first, others @ ..] = pods.as_slice() else {
        return SectionRow { cells: Vec::new(), weight: 0 };
    };
    let name = if others.is_empty() {
        first.name.clone()
    } else {
        format!("{} and {} more", first.name, others.len())
    };
    let remarks =
        victims.first().map(|victim| remarks(model, candidate, victim)).unwrap_or_default();
    SectionRow {
        cells: vec![
            name.into(),
            first.owner.as_str().into(),
            format!("priority {}", first.priority).into(),
            up(model, victims).into(),
            Span::new(remarks.join("; "), Tone::Bad),
        ],
        weight: pods.len(),
    }
}

/// For how long the victims have been running.
fn up(model: &PodReport, victims: &[&Victim]) -> String {
    let starts = victims.iter().filter_map(|victim| model.cluster().pod(victim.pod).start_time);
    let ages = starts.map(|start| model.now.as_second() - start.as_second());
    match (ages.clone().min().map(words::age), ages.max().map(words::age)) {
        (Some(least), Some(most)) if least != most => format!("up {least} to {most}"),
        (Some(age), _) => format!("up {age}"),
        (None, _) => "not started".to_owned(),
    }
}

/// What to know before a victim is evicted.
fn remarks(model: &PodReport, candidate: &Candidate, victim: &Victim) -> Vec<String> {
    let mut remarks = Vec::new();
    if model.cluster().pod(victim.pod).is_terminating() {
        remarks.push("terminating".to_owned());
    }
    let budgets = model.budgets(victim);
    if !budgets.is_empty() {
        remarks.push(format!("violates PDB {}", budgets.join(", ")));
    }
    match afterwards::of(victim.pod, candidate.node, model.cluster()) {
        Afterwards::Gone => remarks.push("not recreated".to_owned()),
        Afterwards::Static => remarks.push("restarted by its kubelet".to_owned()),
        Afterwards::Pinned(PinnedBy::DaemonSet | PinnedBy::NodeSelector | PinnedBy::Volume(_)) => {
            remarks.push("recreated on this node".to_owned());
        }
        Afterwards::Replaced | Afterwards::Retried | Afterwards::Unknown => {}
    }
    remarks.extend(model.unprotected(victim.pod));
    remarks
}

/// Why the node was chosen; `None` if there was no choice.
fn chosen(model: &PodReport) -> Option<String> {
    let decision = model;
    let report = decision.preemption()?;
    if decision.odds().is_some() {
        return decision
            .sampling
            .is_none()
            .then(|| "kube-scheduler only samples candidates: see --as-scheduled".to_owned());
    }
    if report.winners.len() > 1 {
        return Some("kube-scheduler picks one of the tied nodes at random".to_owned());
    }
    let deciding = model.deciding_step()?;
    let over = match deciding.among.saturating_sub(1) {
        0 => String::new(),
        others if deciding.among == deciding.all => {
            format!(" over {}", words::count(others, "other node"))
        }
        others => format!(" over {}", words::count(others, "tied node")),
    };
    Some(format!("Chosen{over}: {}", deciding.because))
}

/// Why the scheduler picks the node; `None` if no node was scored.
pub(super) fn scores(model: &PodReport) -> Option<ScreenSection> {
    let table = model.scores()?;
    let ranked = model.ranked_scores();
    let best = table.best();
    let mut rows = Vec::new();
    for ScoredNode { node, total, .. } in ranked.iter().take(SCORES_SHOWN) {
        let tone = if best.contains(node) { Tone::Good } else { Tone::Plain };
        let cells = vec![Span::new(model.node(*node), tone), total.to_string().into()];
        rows.push(SectionRow { cells, weight: 1 });
    }
    let tied = match best.len() {
        1 => String::new(),
        several => format!(" ({} tied)", words::count(several, "node")),
    };
    Some(ScreenSection {
        columns: vec![Column::default().names(24), Column::default()],
        rows,
        noun: "node",
        ..ScreenSection::new(format!("Highest scores{tied}"))
    })
}

/// What a scheduler that samples nodes may pick; `None` if that was not computed.
pub(super) fn as_scheduled(model: &PodReport) -> Option<ScreenSection> {
    let found = model.sampling.as_ref()?;
    let nodes = found.nodes.iter().filter(|_| found.sampled);
    let rows =
        nodes.map(|share| SectionRow { cells: scores::cells(model, found, share), weight: 1 });
    Some(ScreenSection {
        columns: vec![Column::default().names(24), Column::default(), Column::default().prose(20)],
        rows: rows.collect(),
        noun: "node",
        foot: vec![scores::summary(found).into()],
        ..ScreenSection::new("What the scheduler itself may pick")
    })
}

/// What decides against the node that was asked about.
pub(super) fn why_not(model: &PodReport) -> Option<ScreenSection> {
    let why = WhyNot::of(model)?;
    Some(ScreenSection {
        foot: vec![why.sentence().into()],
        ..ScreenSection::new(format!("Why not {}", why.node))
    })
}

/// Why a pod that fits may still be pending; `None` for other pods.
pub(super) fn still_pending(model: &PodReport) -> Option<ScreenSection> {
    let waiting = model.waiting().filter(|_| model.fits() && model.silence.is_none())?;
    let mut rows = Vec::new();
    for text in &waiting.kept_by {
        rows.push(SectionRow { cells: vec![text.as_str().into()], weight: 1 });
    }
    Some(ScreenSection {
        columns: vec![Column::default().prose(30)],
        rows,
        noun: "reason",
        ..ScreenSection::new("Why it may still be pending")
    })
}
