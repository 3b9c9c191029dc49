//! Metrics as text: Prometheus' format and, with an end mark, `OpenMetrics` 1.0. Only gauges are
//! written, so readers of either format accept them.

use std::collections::BTreeMap;
use std::fmt::Display;

use crate::escape::visible;
use crate::safe::Printable;

/// The media type of a text from `Exposition::end`.
pub const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// The label value for series that are counted together because there are too many. No cluster
/// object can have this name.
pub(crate) const FOLDED: &str = "_other";
/// Maximum length of a label value in characters: that of the longest name in Kubernetes.
const LONGEST_LABEL: usize = 253;

/// The metrics so far.
#[derive(Debug, Default)]
pub(crate) struct Exposition {
    text: String,
}

/// A gauge and its meaning. A name that ends with a unit is in that unit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gauge {
    pub name: &'static str,
    /// What it means, without quotes and backslashes, which the two formats escape differently.
    pub help: &'static str,
}

impl Exposition {
    /// Begins the samples of a gauge.
    pub(crate) fn begin(&mut self, Gauge { name, help }: Gauge) {
        self.text.push_str(&format!("# HELP {name} {help}\n# TYPE {name} gauge\n"));
        if name.ends_with("_seconds") {
            self.text.push_str(&format!("# UNIT {name} seconds\n"));
        }
    }

    /// Adds a sample of the current gauge. Label values that come from a cluster have gone through
    /// [`label`].
    pub(crate) fn sample(&mut self, gauge: Gauge, labels: &[(&str, &str)], value: impl Display) {
        let pairs: Vec<String> = labels
            .iter()
            .map(|(name, value)| {
                let value = value.replace('\\', "\\\\").replace('"', "\\\"");
                format!("{name}=\"{value}\"")
            })
            .collect();
        let labels =
            if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(",")) };
        self.text.push_str(&format!("{}{labels} {value}\n", gauge.name));
    }

    /// A gauge with one sample.
    pub(crate) fn single(&mut self, gauge: Gauge, value: impl Display) {
        self.begin(gauge);
        self.sample(gauge, &[], value);
    }

    /// The text in Prometheus' format.
    pub(crate) fn text(self) -> Printable {
        Printable::new(self.text)
    }

    /// The text as `OpenMetrics`: its last line proves that nothing was cut off.
    pub(crate) fn end(mut self) -> Printable {
        self.text.push_str("# EOF\n");
        self.text()
    }
}

/// A cluster text as a label value: characters that a terminal would interpret are visible, and it
/// is no longer than a name.
pub(crate) fn label(text: &str) -> String {
    visible(text).chars().take(LONGEST_LABEL).collect()
}

/// Counts by labels whose values are names from the cluster, so there may be any number of them.
#[derive(Debug)]
pub(crate) struct Counts<const LABELS: usize> {
    by_labels: BTreeMap<[String; LABELS], usize>,
}

/// The largest counts, and the sum of the others.
#[derive(Debug)]
pub(crate) struct Largest<const LABELS: usize> {
    /// The largest, in the order of their labels.
    pub counts: Vec<([String; LABELS], usize)>,
    /// How many series were counted together.
    pub folded: usize,
    /// Their sum.
    pub rest: usize,
}

impl<const LABELS: usize> Counts<LABELS> {
    pub(crate) const fn new() -> Self {
        Self { by_labels: BTreeMap::new() }
    }

    /// Adds `number` to the count with these labels.
    pub(crate) fn add(&mut self, labels: [&str; LABELS], number: usize) {
        *self.by_labels.entry(labels.map(label)).or_default() += number;
    }

    /// At most `limit` counts; the others are counted together.
    pub(crate) fn largest(self, limit: usize) -> Largest<LABELS> {
        let mut counts: Vec<([String; LABELS], usize)> = self.by_labels.into_iter().collect();
        // A real label value equal to [`FOLDED`] would duplicate that series.
        counts.sort_by_key(|(labels, number)| {
            let is_taken = labels.iter().any(|value| value == FOLDED);
            (is_taken, std::cmp::Reverse(*number))
        });
        let named = counts.iter().filter(|(labels, _)| labels.iter().all(|v| v != FOLDED)).count();
        let others = counts.split_off(named.min(limit));
        counts.sort();
        Largest { counts, folded: others.len(), rest: others.iter().map(|(_, n)| n).sum() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_beyond_the_limit_are_one_series() {
        let mut counts = Counts::new();
        for (name, number) in [("a", 1), ("b", 5), ("c", 3), ("a", 1)] {
            counts.add([name], number);
        }
        let largest = counts.largest(2);
        assert_eq!(largest.counts, [(["b".to_owned()], 5), (["c".to_owned()], 3)]);
        assert_eq!((largest.folded, largest.rest), (1, 2));
    }

    #[test]
    fn a_name_like_that_of_the_rest_is_counted_with_it() {
        let mut counts = Counts::new();
        counts.add([FOLDED], 9);
        counts.add(["a"], 1);
        let largest = counts.largest(5);
        assert_eq!(largest.counts, [(["a".to_owned()], 1)]);
        assert_eq!((largest.folded, largest.rest), (1, 9));
    }

    #[test]
    fn labels_escape_quotes_and_show_control_characters() {
        let gauge = Gauge { name: "g", help: "Help." };
        let mut out = Exposition::default();
        out.begin(gauge);
        out.sample(gauge, &[("a", &label("x\"\\\n\u{1b}"))], 1);
        let text = out.end().to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert!(lines[2].starts_with("g{a=\"x\\\"\\\\"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn a_label_is_not_longer_than_a_name() {
        assert_eq!(label(&"a".repeat(999)).len(), LONGEST_LABEL);
    }
}
