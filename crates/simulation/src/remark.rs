//! What is noteworthy about the pods of a manifest.

use model::notes::{Note, NoteDoc, SettledBy};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanRemark {
    /// A sentence without a full stop.
    pub text: String,
    /// What the user can specify to settle the remark.
    pub settled_by: Option<SettledBy>,
}

impl PlanRemark {
    /// A remark that `answer` settles.
    pub(crate) fn settled_by(text: String, answer: SettledBy) -> Self {
        Self { text, settled_by: Some(answer) }
    }

    /// The remark as a warning about the manifest at `origin`.
    #[must_use]
    pub fn warning(self, doc: &'static NoteDoc, origin: &str) -> Note {
        let note = Note::warning(doc, format!("{origin}: {}", self.text));
        Note { settled_by: self.settled_by, ..note }
    }
}

impl From<String> for PlanRemark {
    fn from(text: String) -> Self {
        Self { text, settled_by: None }
    }
}

#[cfg(test)]
pub(crate) fn texts(remarks: &[PlanRemark]) -> Vec<&str> {
    remarks.iter().map(|remark| remark.text.as_str()).collect()
}
