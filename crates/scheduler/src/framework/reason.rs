//! The texts with which kube-scheduler rejects a pod, as values. Each [`Message`] is defined once,
//! beside the rule that writes it. A reason in a decision is a [`ReasonText`]: a reference to the
//! message plus its operands.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use model::cluster::{Cluster, Sym};
use profile::Features;
use profile::span::VersionSpan;

/// The placeholder for a variable part of a text.
pub const BLANK: &str = "{}";

/// A text that kube-scheduler writes, with its meaning. Its code is stable: it never changes its
/// meaning and is never reused.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    /// Stable code, `PRE-nnn`.
    pub code: &'static str,
    /// The exact text, with [`BLANK`] for each variable part.
    pub text: &'static str,
    /// Its meaning in one sentence.
    pub meaning: &'static str,
    /// Whether evicting pods can help, and when.
    pub preemption: &'static str,
    /// What the user can do: lower case, imperative, no full stop.
    pub remedy: &'static str,
    /// What would have to change.
    pub obstacle: Obstacle,
    /// The versions that write it.
    pub when: When,
    /// Upstream path and version.
    pub source: &'static str,
}

/// What a message says is against the pod, and therefore what would have to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Obstacle {
    /// A countable resource of the node: resources, host ports, the number of pods or of volumes.
    Room,
    /// The pod's tolerations, or the node's taints.
    Toleration,
    /// The node is cordoned.
    Cordon,
    /// The node's labels, or what the pod or the profile asks of them.
    NodeLabels,
    /// A claim, a volume, its storage class or its driver.
    Volume,
    /// How pods are spread over the domains.
    Spread,
    /// Affinity and anti-affinity between pods, or where these pods run.
    PodAffinity,
    /// Devices and claims for them.
    Devices,
    /// The scheduler or a controller is working on it; it only takes time.
    Wait,
    /// Another field of the pod.
    Pod,
    /// None of these.
    None,
}

impl Obstacle {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Room => "Room",
            Self::Toleration => "Toleration",
            Self::Cordon => "Cordon",
            Self::NodeLabels => "NodeLabels",
            Self::Volume => "Volume",
            Self::Spread => "Spread",
            Self::PodAffinity => "PodAffinity",
            Self::Devices => "Devices",
            Self::Wait => "Wait",
            Self::Pod => "Pod",
            Self::None => "None",
        }
    }
}

/// The versions that write a message.
#[derive(Debug, Clone, Copy)]
pub enum When {
    /// All known versions.
    Always,
    /// Versions with all of these features, as in the rows of the history table.
    Rows(&'static [fn(&Features) -> bool]),
    /// These releases. For texts that no decision depends on, and that therefore have no row.
    Releases(VersionSpan),
}

/// A code identifies a message.
impl PartialEq for Message {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for Message {}

impl Hash for Message {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.code.hash(state);
    }
}

impl PartialOrd for Message {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Message {
    fn cmp(&self, other: &Self) -> Ordering {
        self.code.cmp(other.code)
    }
}

impl When {
    /// The versions as a range.
    pub fn span(&self) -> VersionSpan {
        match self {
            Self::Always => VersionSpan::ALWAYS,
            Self::Rows(conditions) => VersionSpan::of_rows(conditions),
            Self::Releases(span) => *span,
        }
    }
}

impl Message {
    /// The text of a message without blanks.
    pub const fn reason(&'static self) -> ReasonText {
        ReasonText { message: self, operands: Operands::None }
    }

    /// The text with a name in its only blank.
    pub const fn name(&'static self, name: Sym) -> ReasonText {
        ReasonText { message: self, operands: Operands::Names([name, Sym::EMPTY]) }
    }

    /// The text with a name in each of its two blanks.
    pub const fn names(&'static self, names: [Sym; 2]) -> ReasonText {
        ReasonText { message: self, operands: Operands::Names(names) }
    }

    /// The text with these texts in its blanks, in order.
    pub fn with<const N: usize>(&'static self, texts: [&str; N]) -> ReasonText {
        ReasonText {
            message: self,
            operands: Operands::Texts(texts.into_iter().map(Box::from).collect()),
        }
    }

    /// Number of bytes of the text outside its blanks.
    pub fn own_text(&self) -> usize {
        self.text.split(BLANK).map(str::len).sum()
    }

    /// Whether `text` matches the message, with any text in place of the blanks. A message that is
    /// a single blank matches nothing.
    pub fn is(&self, text: &str) -> bool {
        let mut parts = self.text.split(BLANK);
        let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else {
            return false;
        };
        let parts: Vec<&str> = parts.collect();
        let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
        for part in middle {
            let Some((_, behind)) = rest.split_once(part) else { return false };
            rest = behind;
        }
        self.text != BLANK && rest.ends_with(last)
    }
}

/// A text as Go's `%q` writes it, without the quotation marks, which are part of the message.
pub fn quoted(text: &str) -> String {
    let quoted = go::quoted(text);
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(&quoted).to_owned()
}

/// The operands that fill the blanks of a message.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Operands {
    /// There are no blanks.
    None,
    /// Names of objects; unused ones are empty.
    Names([Sym; 2]),
    /// Texts that were built when the reason arose.
    Texts(Box<[Box<str>]>),
}

/// The text of a reason. It is built only when printed, since most reasons never are.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReasonText {
    message: &'static Message,
    operands: Operands,
}

impl ReasonText {
    pub const fn message(&self) -> &'static Message {
        self.message
    }

    /// The text as upstream prints it.
    pub fn render<'a>(&'a self, cluster: &'a Cluster) -> Cow<'a, str> {
        match &self.operands {
            Operands::None => Cow::Borrowed(self.message.text),
            Operands::Names(names) => {
                Cow::Owned(self.fill(names.iter().map(|name| cluster.text(*name))))
            }
            Operands::Texts(texts) => Cow::Owned(self.fill(texts.iter().map(|text| &**text))),
        }
    }

    /// The text without the name of the node, which some releases include: equal on nodes that
    /// differ only in name.
    pub fn on_any_node(&self, node: &str, cluster: &Cluster) -> String {
        let mut named = false;
        let mut without = |operand: &str| {
            let is_node = !named && operand == node;
            named |= is_node;
            if is_node { BLANK.to_owned() } else { operand.to_owned() }
        };
        let operands: Vec<String> = match &self.operands {
            Operands::None => Vec::new(),
            Operands::Names(names) => {
                names.iter().map(|name| without(cluster.text(*name))).collect()
            }
            Operands::Texts(texts) => texts.iter().map(|text| without(text)).collect(),
        };
        self.fill(operands.iter().map(String::as_str))
    }

    fn fill<'o>(&self, mut operands: impl Iterator<Item = &'o str>) -> String {
        let mut text = String::with_capacity(self.message.text.len() + 32);
        for (index, part) in self.message.text.split(BLANK).enumerate() {
            if index > 0 {
                text.push_str(operands.next().unwrap_or_default());
            }
            text.push_str(part);
        }
        text
    }

    /// The text together with its message.
    pub fn quote(&self, cluster: &Cluster) -> Quote {
        Quote { text: self.render(cluster).into_owned(), message: Some(self.message) }
    }
}

/// A text that the scheduler writes, and its message.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Quote {
    /// The exact text.
    pub text: String,
    /// The message; `None` for an error, or for a text of this program.
    pub message: Option<&'static Message>,
}

impl Quote {
    /// A text without a known message.
    pub const fn unknown(text: String) -> Self {
        Self { text, message: None }
    }

    /// The code of the message.
    pub fn code(&self) -> Option<&'static str> {
        self.message.map(|message| message.code)
    }
}

#[cfg(test)]
mod tests {
    use super::{Message, Obstacle, When, quoted};
    use crate::testing::{cluster, node, objects};
    use model::cluster::Sym;

    const fn message(text: &'static str) -> Message {
        Message {
            code: text,
            text,
            meaning: "",
            preemption: "",
            remedy: "",
            obstacle: Obstacle::None,
            when: When::Always,
            source: "",
        }
    }

    static FIXED: Message = message("Too many pods");
    static NAMED: Message = message("Insufficient {}");
    static BRACES: Message = message("taint {{}: {}}");
    static TEXTS: Message = message("pod {} on \"{}\".");
    static ANYTHING: Message = message("{}");
    static AT_THE_START: Message = message("{}: preempting");

    #[test]
    fn blanks_are_filled_in_order() {
        let cluster = cluster(objects![node("n")]);
        let name = cluster.symbols.get("n").expect("a name");
        for (got, want) in [
            (FIXED.reason(), "Too many pods"),
            (NAMED.name(name), "Insufficient n"),
            (BRACES.names([name, Sym::EMPTY]), "taint {n: }"),
            (TEXTS.with(["a", "{}"]), "pod a on \"{}\"."),
            (ANYTHING.with(["0 of 1"]), "0 of 1"),
        ] {
            assert_eq!(got.render(&cluster), want);
            assert_eq!(got.quote(&cluster).text, want);
        }
    }

    #[test]
    fn a_reason_is_its_message_and_its_operands() {
        assert_eq!(TEXTS.with(["a", "b"]), TEXTS.with(["a", "b"]));
        assert_ne!(TEXTS.with(["a", "b"]), TEXTS.with(["a", "c"]));
        assert_ne!(FIXED.reason(), NAMED.reason());
        assert_ne!(ANYTHING.with(["Too many pods"]), FIXED.reason());
    }

    #[test]
    fn texts_are_recognized() {
        for (message, text, matches) in [
            (&FIXED, "Too many pods", true),
            (&FIXED, "Too many pods!", false),
            (&NAMED, "Insufficient cpu", true),
            (&NAMED, "insufficient cpu", false),
            (&BRACES, "taint {a: b}", true),
            (&BRACES, "taint {a}", false),
            (&TEXTS, "pod a on \"b\".", true),
            (&TEXTS, "pod a on \"b\"", false),
            (&AT_THE_START, "default-scheduler: preempting", true),
            (&ANYTHING, "whatever", false),
        ] {
            assert_eq!(message.is(text), matches, "{} and {text}", message.text);
        }
    }

    #[test]
    fn names_are_quoted_as_upstream_does() {
        assert_eq!(quoted("data"), "data");
        assert_eq!(quoted("a\"b\n"), "a\\\"b\\n");
        assert_eq!(quoted("it's"), "it's");
        assert_eq!(quoted("\u{1b}\u{200b}a\u{301}"), "\\x1b\\u200ba\u{301}");
    }
}
