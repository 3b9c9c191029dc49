//! What PostFilter of the plugins comes to for a pod that fits on no node.
//!
//! Upstream: `pkg/scheduler/framework/runtime/framework.go` `RunPostFilterPlugins` (1.37).

/// What PostFilter of a plugin says that nominates no node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PostFilterStatus {
    /// This, if anything; the next plugin runs.
    Rejects(Option<String>),
    /// This ends PostFilter, and nothing is left of what plugins said before: an error, or that
    /// nothing else can help.
    Ends(String),
}

/// What the plugins that ran so far have said.
#[derive(Debug, Default)]
pub(crate) struct PostFilterTexts {
    texts: Vec<String>,
    ended: bool,
}

impl PostFilterTexts {
    /// Takes note of what the next plugin says.
    pub(crate) fn add(&mut self, status: PostFilterStatus) {
        match status {
            PostFilterStatus::Rejects(text) => self.texts.extend(text),
            PostFilterStatus::Ends(text) => {
                self.texts = vec![text];
                self.ended = true;
            }
        }
    }

    /// Whether no other plugin runs.
    pub(crate) const fn ended(&self) -> bool {
        self.ended
    }

    /// The text of PostFilter in the message.
    pub(crate) fn text(&self) -> String {
        self.texts.join(", ")
    }
}
