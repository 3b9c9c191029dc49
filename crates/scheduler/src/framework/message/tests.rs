use super::{FitError, Histogram};
use crate::framework::extender::WORDS_OF_EXTENDER;
use crate::testing::{cluster, features, objects};

fn message(
    total: usize,
    counts: &[(&'static str, usize)],
    pre_filter: Option<&str>,
    post_filter: Option<&str>,
) -> String {
    written_by("1.37", total, counts, pre_filter, post_filter)
}

fn written_by(
    version: &str,
    total: usize,
    counts: &[(&'static str, usize)],
    pre_filter: Option<&str>,
    post_filter: Option<&str>,
) -> String {
    let mut histogram = Histogram::default();
    for (reason, nodes) in counts {
        histogram.count_many(&WORDS_OF_EXTENDER.with([reason]), *nodes);
    }
    let error = FitError { total, pre_filter: pre_filter.map(Into::into), histogram };
    error.render(&cluster(objects![]), &features(version), post_filter)
}

#[test]
fn parts_of_a_message() {
    for (row, got, want) in [
        ("no reason", message(3, &[], None, None), "0/3 nodes are available:"),
        ("one reason", message(3, &[("a", 3)], None, None), "0/3 nodes are available: 3 a."),
        (
            "byte order, count first",
            message(12, &[("b", 2), ("z", 10)], None, None),
            "0/12 nodes are available: 10 z, 2 b.",
        ),
        (
            "capitals before small letters",
            message(2, &[("a", 1), ("B", 1)], None, None),
            "0/2 nodes are available: 1 B, 1 a.",
        ),
        (
            "nobody counts for nothing",
            message(2, &[("a", 0), ("b", 2)], None, None),
            "0/2 nodes are available: 2 b.",
        ),
        (
            "counts may exceed the nodes",
            message(1, &[("a", 1), ("b", 1)], None, None),
            "0/1 nodes are available: 1 a, 1 b.",
        ),
        (
            "what rejected the pod hides the reasons",
            message(2, &[("a", 2)], Some("why"), None),
            "0/2 nodes are available: why.",
        ),
        (
            "no full stop behind what follows",
            message(1, &[("a", 1)], None, Some("preemption: b")),
            "0/1 nodes are available: 1 a. preemption: b",
        ),
        (
            "nothing follows",
            message(1, &[("a", 1)], None, Some("")),
            "0/1 nodes are available: 1 a.",
        ),
        (
            "no reason, but something follows",
            message(1, &[], None, Some("not found")),
            "0/1 nodes are available: not found",
        ),
    ] {
        assert_eq!(got, want, "{row}");
    }
}

#[test]
fn equal_texts_are_one_reason_however_they_are_kept() {
    let mut histogram = Histogram::default();
    histogram.count(&WORDS_OF_EXTENDER.with([super::NO_NODES.text]));
    histogram.count(&super::NO_NODES.reason());
    let error = FitError { total: 2, pre_filter: None, histogram };
    assert_eq!(
        error.render(&cluster(objects![]), &features("1.37"), None),
        "0/2 nodes are available: 2 no nodes available to schedule pods."
    );
}

#[test]
fn punctuation_depends_on_the_release() {
    let of = |version, counts: &[_]| {
        written_by(version, 3, counts, None, Some("preemption: not eligible ... Never."))
    };
    for (version, with_reason, without) in [
        ("1.12", "0/3 nodes are available: 3 a.", "0/3 nodes are available: ."),
        ("1.23", "0/3 nodes are available: 3 a.", "0/3 nodes are available: ."),
        (
            "1.24",
            "0/3 nodes are available: 3 a. preemption: not eligible ... Never.",
            "0/3 nodes are available: . preemption: not eligible ... Never.",
        ),
        (
            "1.26",
            "0/3 nodes are available: 3 a. preemption: not eligible ... Never..",
            "0/3 nodes are available: preemption: not eligible ... Never..",
        ),
        (
            "1.29",
            "0/3 nodes are available: 3 a. preemption: not eligible ... Never.",
            "0/3 nodes are available: preemption: not eligible ... Never.",
        ),
    ] {
        assert_eq!(of(version, &[("a", 3)]), with_reason, "{version}");
        assert_eq!(of(version, &[]), without, "{version}");
    }
}
