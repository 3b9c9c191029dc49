//! What the scheduler's messages mean. The codes are stable: a code never gets another meaning, and is never used again.

/// A text that the scheduler writes, and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// Stable code, `PRE-nnn`.
    pub code: &'static str,
    /// The text, byte for byte; of texts that end in a name, the part before it.
    pub text: &'static str,
    /// Whether a name follows [`Self::text`].
    pub named: bool,
    /// Who says it: a plugin, or the extension point.
    pub by: &'static str,
    /// What it means, one sentence, in plain words.
    pub meaning: &'static str,
    /// What would help, one sentence in the imperative, lower case, no full stop; to be read after "what would help: ".
    pub remedy: &'static str,
}

/// Every message.
pub static MESSAGES: &[Message] = &[Message {
    code: "PRE-301",
    text: "Preemption is not helpful for scheduling",
    named: false,
    by: "DefaultPreemption",
    meaning: "the node refuses the pod for a cause that stays when pods are evicted, so preemption never tried it",
    remedy: "remove the cause that the filters name; priority changes nothing here",
}];

/// The message that `text` is, if it is one that the scheduler writes.
#[must_use]
pub fn find(text: &str) -> Option<&'static Message> {
    MESSAGES.iter().find(|m| {
        let rest = text.strip_prefix(m.text);
        rest.is_some_and(|rest| if m.named { rest.starts_with(' ') } else { rest.is_empty() })
    })
}
