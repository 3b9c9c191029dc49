//! What makes the rules of a profile uncertain: its version, its gates, and parts of its
//! configuration.

use super::gates::{self, GateEffect, Reach};
use super::plugins::OutOfTreePlugin;
use super::{Profile, SchedulerVersion, VersionGap};
use model::notes::{Note, NoteDoc, Severity};

static VERSION: NoteDoc = NoteDoc {
    code: "PRE-911",
    name: "a version out of range",
    meaning: "The rules of this version of kube-scheduler are not known; those of the nearest one are used.",
};
static GATE_DECIDES: NoteDoc = NoteDoc {
    code: "PRE-913",
    name: "a feature gate that is not modelled",
    meaning: "kube-scheduler may decide otherwise with this feature gate set; its rules are not known here. With severity info, it does not matter for this pod.",
};
static GATE_DECIDES_NOTHING: NoteDoc = NoteDoc {
    code: "PRE-914",
    name: "a feature gate that decides nothing",
    meaning: "No rule depends on this feature gate.",
};
static CONFIGURATION: NoteDoc = NoteDoc {
    code: "PRE-915",
    name: "the scheduler's configuration",
    meaning: "Something in the configuration is ignored; with severity error it may change the answer.",
};
static OUT_OF_TREE: NoteDoc = NoteDoc {
    code: "PRE-916",
    name: "a plugin that is not known",
    meaning: "The configuration enables a plugin that is not part of kube-scheduler; what it does is not known.",
};

/// What notes about a profile mean.
pub static DOCS: &[&NoteDoc] =
    &[&VERSION, &GATE_DECIDES, &GATE_DECIDES_NOTHING, &CONFIGURATION, &OUT_OF_TREE];

/// Whether rules of the scheduler are unknown: those of its version, or of a gate.
pub fn is_about_scheduler(note: &Note) -> bool {
    [&VERSION, &GATE_DECIDES].contains(&note.doc)
}

/// What an out-of-tree plugin may do, by extension point.
///
/// Upstream: `kube-scheduler/framework/interface.go` (1.37).
const EFFECTS_BY_POINT: &[(&str, &str)] = &[
    ("multiPoint", "do anything"),
    ("preEnqueue", "keep pods out of the queue"),
    ("queueSort", "change the order in which pods are tried"),
    ("preFilter", "refuse pods and nodes"),
    ("filter", "refuse nodes"),
    ("postFilter", "evict pods"),
    ("podGroupPostFilter", "evict pods"),
    ("preScore", "stop the cycle"),
    ("score", "prefer nodes"),
    ("reserve", "give pods back to the queue"),
    ("permit", "make pods wait"),
    ("preBind", "fail binding"),
    ("bind", "bind pods its own way"),
    ("placementGenerate", "choose where groups of pods go"),
    ("placementScore", "choose where groups of pods go"),
    ("placementFeasible", "choose where groups of pods go"),
];

/// Extension points that run after the decision.
const AFTER: [&str; 6] = ["reserve", "permit", "preBind", "bind", "postBind", "unreserve"];

impl Profile {
    /// What makes its rules uncertain in a decision; `concerns` says which feature gates may affect
    /// it.
    pub fn doubts(&self, concerns: impl Fn(Reach) -> bool) -> Vec<Note> {
        let mut notes = Vec::from_iter(version(self.version));
        if let Some(VersionGap::NotKnown(said)) = &self.version_gap {
            let text = format!(
                "rules of version `{said}` are not known; those of {} were used",
                self.version
            );
            notes.push(Note::error(&VERSION, text));
        }
        notes.extend(
            self.gates.iter().filter_map(|(name, on)| gate(name, *on, self.version, &concerns)),
        );
        for remark in &self.remarks {
            let severity = if remark.decides { Severity::Error } else { Severity::Info };
            notes.push(Note::new(
                &CONFIGURATION,
                severity,
                format!("scheduler configuration: {}", remark.text),
            ));
        }
        if !self.plugins.scored_twice.is_empty() && concerns(Reach::Scores) {
            let names = self.plugins.scored_twice.join(", ");
            let text = format!(
                "scheduler configuration: kube-scheduler {} scores twice with {names}, as the configuration enables it for \
                 scores and for all points; what the scores come to is not modelled",
                self.version
            );
            notes.push(Note::error(&CONFIGURATION, text));
        }
        notes.extend(self.plugins.out_of_tree.iter().map(out_of_tree_plugin));
        notes
    }
}

fn version(asked: SchedulerVersion) -> Option<Note> {
    let used = asked.nearest_supported();
    let known = SchedulerVersion::known_text();
    let text = format!(
        "rules are known for kube-scheduler {known}; those of {} were used for {asked}",
        used.minor_text()
    );
    (used != asked).then(|| Note::error(&VERSION, text))
}

fn gate(
    name: &str,
    on: bool,
    version: SchedulerVersion,
    concerns: &impl Fn(Reach) -> bool,
) -> Option<Note> {
    if gates::known(version).get(name).is_some_and(|gate| gate.default == on) {
        return None;
    }
    let about = format!("feature gate {name}={on}");
    match gates::effect(name, version) {
        GateEffect::Modelled => None,
        GateEffect::NotModelled(reach) if concerns(reach) => {
            let why = match reach {
                Reach::NodeAllocatable => {
                    "with it, devices count as cpu, memory or huge pages of nodes and pods"
                }
                Reach::Any | Reach::Claims | Reach::Scores => {
                    "the scheduler may decide otherwise with it"
                }
            };
            let text = format!("{about}: {why}; that is not modelled");
            Some(Note::error(&GATE_DECIDES, text))
        }
        GateEffect::NotModelled(_) => {
            let text = format!("{about}: not modelled: it decides nothing about this pod");
            Some(Note::info(&GATE_DECIDES, text))
        }
        GateEffect::None => {
            let text = format!("{about}: not modelled: no rule here depends on it");
            Some(Note::info(&GATE_DECIDES_NOTHING, text))
        }
    }
}

fn out_of_tree_plugin(plugin: &OutOfTreePlugin) -> Note {
    let mut effects: Vec<&str> = Vec::new();
    for (_, effect) in EFFECTS_BY_POINT.iter().filter(|(point, _)| plugin.points.contains(point)) {
        if !effects.contains(effect) {
            effects.push(effect);
        }
    }
    let can =
        if effects.is_empty() { String::new() } else { format!(" and may {}", effects.join(", ")) };
    let text = format!(
        "plugin {} is not known here; it is enabled at {}{can}",
        plugin.name,
        plugin.points.join(", ")
    );
    let harmless = plugin.points.iter().all(|point| AFTER.contains(point));
    Note::new(&OUT_OF_TREE, if harmless { Severity::Warning } else { Severity::Error }, text)
}
