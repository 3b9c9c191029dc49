//! The texts that the scheduler writes, and how they are recognized.

use super::{Rule, RuleKind};
use crate::profile::Features;
use crate::profile::span::VersionSpan;

/// The placeholder for a variable part of a text.
pub const BLANK: &str = "{}";

/// A text that the scheduler writes, with its meaning. Its code is stable: it never changes its meaning and is never
/// reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// Stable code, `PRE-nnn`.
    pub code: &'static str,
    /// The text byte for byte, with `{}` for each variable part.
    pub text: &'static str,
    /// The plugin or the extension point that writes it.
    pub by: &'static str,
    /// Its meaning in one sentence.
    pub meaning: &'static str,
    /// Whether evicting pods can help, and when.
    pub preemption: &'static str,
    /// What the user can do: lower case, imperative, no full stop.
    pub remedy: &'static str,
    /// What must hold for the text to be written, as the rows of the history table say.
    pub(super) when: &'static [fn(&Features) -> bool],
    /// Upstream path and version.
    pub source: &'static str,
}

impl Message {
    pub(super) fn rule(&self) -> Rule {
        Rule {
            code: self.code,
            kind: RuleKind::Message,
            name: self.text,
            also: vec![self.by],
            meaning: self.meaning,
            preemption: self.preemption,
            remedy: Some(self.remedy),
            span: if self.when.is_empty() { VersionSpan::ALWAYS } else { VersionSpan::of_rows(self.when) },
            source: self.source,
        }
    }

    /// Whether `text` matches it, with any text in place of the placeholders.
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

/// The message that matches `text`, if the scheduler writes such a text.
#[must_use]
pub fn find(text: &str) -> Option<&'static Message> {
    super::MESSAGES.iter().find(|message| message.is(text))
}
