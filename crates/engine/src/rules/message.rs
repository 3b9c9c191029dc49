//! A text that the scheduler writes, and how it is known again.

use super::{Kind, Rule};
use crate::profile::Features;
use crate::profile::span::Span;

/// What stands for a part that differs from case to case.
pub const BLANK: &str = "{}";

/// A text that the scheduler writes, and what it means. The code is stable: it never gets another meaning, and is never
/// used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// Stable code, `PRE-nnn`.
    pub code: &'static str,
    /// The text, byte for byte, with `{}` for each part that differs from case to case.
    pub text: &'static str,
    /// Who says it: a plugin, or the extension point.
    pub by: &'static str,
    /// What it means, one sentence, in plain words.
    pub meaning: &'static str,
    /// Whether evicting pods can help, and when.
    pub preemption: &'static str,
    /// What would help: lower case, imperative, no full stop.
    pub remedy: &'static str,
    /// What has to hold for the text to be written, as rows of the history table say.
    pub(super) when: &'static [fn(&Features) -> bool],
    /// Upstream path and version.
    pub source: &'static str,
}

impl Message {
    pub(super) fn rule(&self) -> Rule {
        Rule {
            code: self.code,
            kind: Kind::Message,
            name: self.text,
            also: vec![self.by],
            meaning: self.meaning,
            preemption: self.preemption,
            remedy: Some(self.remedy),
            span: if self.when.is_empty() { Span::ALWAYS } else { Span::of_rows(self.when) },
            source: self.source,
        }
    }

    /// Whether it is `text`, with anything in its blanks.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        let mut parts = self.text.split(BLANK);
        let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
        let parts: Vec<&str> = parts.collect();
        let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
        for part in middle {
            let Some((_, behind)) = rest.split_once(part) else { return false };
            rest = behind;
        }
        rest.ends_with(last)
    }
}

/// The message that `text` is, if it is one that the scheduler writes.
#[must_use]
pub fn find(text: &str) -> Option<&'static Message> {
    super::MESSAGES.iter().find(|message| message.is(text))
}
