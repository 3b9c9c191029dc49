//! What the scores of devices depend on.

use super::{DOC, FIT, NodeResourcesFit};
use crate::framework::doubts::{DoubtContext, Doubts};
use crate::framework::plugin::RuleDoc;
use model::cluster::NodeIx;
use model::notes::{Note, NoteDoc};

static REMEMBERED_DEVICES: NoteDoc = NoteDoc {
    code: "PRE-966",
    name: "devices that a scheduler may remember as they were",
    meaning: "NodeResourcesFit scores an extended resource by the devices that its DeviceClass selects. kube-scheduler keeps in mind which devices were selected and does not look at them again, even when their ResourceSlice changes.",
};

static NOTES: &[&NoteDoc] = &[&REMEMBERED_DEVICES];

impl Doubts for NodeResourcesFit {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn notes(&self) -> &'static [&'static NoteDoc] {
        NOTES
    }

    fn doubts(&self, context: &DoubtContext) -> Vec<Note> {
        let cycle = context.cycle;
        let scores = cycle.view.profile.plugins.score.iter().any(|(name, _)| *name == DOC.name);
        if !scores || !context.scores_decide() {
            return Vec::new();
        }
        let scored = FIT.scored(cycle);
        let feasible: Vec<NodeIx> = context.feasible().collect();
        let count = scored.may_remember_devices(&feasible);
        if count == 0 {
            return Vec::new();
        }
        let text = format!(
            "devices on {count} nodes are not of the class that provides an extended resource, and their ResourceSlices have \
             changed; a scheduler that saw them when they were of that class still counts them in scores"
        );
        vec![Note::error(&REMEMBERED_DEVICES, text).about(cycle.cluster().pod_subject(cycle.ix))]
    }
}

#[cfg(test)]
mod tests;
