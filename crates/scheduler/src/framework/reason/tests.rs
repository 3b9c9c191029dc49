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
