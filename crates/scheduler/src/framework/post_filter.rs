//! The combined PostFilter result of the plugins for a pod that fits on no node.
//!
//! Upstream: `pkg/scheduler/framework/runtime/framework.go` `RunPostFilterPlugins` (1.37).

/// The PostFilter status of a plugin that nominates no node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PostFilterStatus {
    /// Its text, if any; the next plugin runs.
    Rejects(Option<String>),
    /// Ends PostFilter with this text and drops what earlier plugins said: an error, or a statement
    /// that nothing else can help.
    Ends(String),
}

/// The texts of the plugins that ran so far.
#[derive(Debug, Default)]
pub(crate) struct PostFilterTexts {
    texts: Vec<String>,
    ended: bool,
}

impl PostFilterTexts {
    /// Adds the status of the next plugin.
    pub(crate) fn add(&mut self, status: PostFilterStatus) {
        match status {
            PostFilterStatus::Rejects(text) => self.texts.extend(text),
            PostFilterStatus::Ends(text) => {
                self.texts = vec![text];
                self.ended = true;
            }
        }
    }

    /// Whether no further plugin runs.
    pub(crate) const fn ended(&self) -> bool {
        self.ended
    }

    /// The text of PostFilter in the message.
    pub(crate) fn text(&self) -> String {
        self.texts.join(", ")
    }
}
