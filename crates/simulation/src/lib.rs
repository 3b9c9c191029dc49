//! Simulation: hypothetical pods, the plan of evictions that follows from a decision, and its
//! consequences. Nothing here changes a real cluster; the plugin's `apply` carries out a plan.

pub mod admission;
pub mod afterwards;
pub mod autoscalers;
pub mod change;
pub mod competitors;
pub mod daemon;
pub mod document;
pub mod entry;
pub mod eviction;
pub mod gate;
mod group_planning;
pub mod growth;
pub mod hazard;
pub mod headroom;
pub mod hypothetical_pods;
mod movable;
pub mod plan;
pub mod planning;
mod remaining;
pub mod remark;
pub mod removal;
pub mod replay;
pub mod rollout;
pub mod sequence;
pub mod suggest;
mod victims;
pub mod workload;

use model::notes::NoteDoc;

/// What admission does to a pod of a manifest is not known in full.
pub static MANIFEST: NoteDoc = NoteDoc {
    code: "PRE-961",
    name: "what admission does to a manifest",
    meaning: "How the API server's admission changes a pod of a manifest is not known in full. With severity error, it may be \
              another pod.",
};

/// The order of pods with the same priority and creation time is unknown.
pub static ORDER: NoteDoc = NoteDoc {
    code: "PRE-962",
    name: "pods of the same age",
    meaning: "Pods have the same priority and creation time: in which order kube-scheduler tries them is not in the API.",
};

/// What a controller does with the pods of a changed workload depends on what is not read.
pub static CHANGE: NoteDoc = NoteDoc {
    code: "PRE-970",
    name: "pods of a changed workload",
    meaning: "How the controller of a changed workload replaces its pods depends on something that is \
              not read, such as when they became Ready.",
};

/// What notes about simulations mean.
pub static NOTES: &[&NoteDoc] = &[&MANIFEST, &ORDER, &CHANGE];
