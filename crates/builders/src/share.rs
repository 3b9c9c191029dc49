//! How much of a long search runs with every change, and how much where there is time: `just
//! test-long`, which is part of `.ci/extended`, sets `KUBECTL_PREEMPT_TESTS=long`. The two differ
//! in how many cases are tried, never in what is asserted of each.

/// Whether everything is tried.
#[must_use]
pub fn is_long() -> bool {
    std::env::var("KUBECTL_PREEMPT_TESTS").is_ok_and(|wish| wish == "long")
}

/// `quick` with every change, `long` where there is time.
pub fn of<T>(quick: T, long: T) -> T {
    if is_long() { long } else { quick }
}
