//! Parses a message of the scheduler: the number of nodes, the count of each reason, and the text
//! of preemption.
//!
//! Upstream: `pkg/scheduler/framework/types.go` `FitError.Error` and the PostFilter texts appended
//! to it (1.29 to 1.37).

use std::collections::{BTreeMap, BTreeSet};

/// The first words of PostFilter texts. Reasons may contain full stops, so these words mark where
/// the reasons end.
const POST_FILTER: &[&str] = &[
    PREEMPTION,
    "no new claims to deallocate",
    "not found",
    "still not schedulable",
    "plugin disabled",
    "deallocation of ",
    "deletion of ",
    "running ",
];
const PREEMPTION: &str = "preemption: ";

/// A message of the form `0/5 nodes are available: …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParsedFitError {
    /// Nodes in the cluster.
    pub total: usize,
    /// Why the pod does not fit.
    pub rejection: FitErrorReasons,
    /// The text of PostFilter plugins other than DefaultPreemption.
    pub others: String,
    /// The text of DefaultPreemption.
    pub preemption: Option<PreemptionText>,
}

/// Why the pod does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FitErrorReasons {
    /// The number of nodes by reason.
    Nodes(BTreeMap<String, usize>),
    /// One reason of PreFilter for the pod as a whole.
    Pod(String),
}

impl FitErrorReasons {
    /// The same message, with the nodes of each group of reasons counted under the group's first
    /// reason.
    pub(super) fn as_one(&self, groups: &[BTreeSet<String>]) -> Self {
        let Self::Nodes(counts) = self else { return self.clone() };
        let mut merged = BTreeMap::new();
        for (reason, count) in counts {
            let group = groups.iter().find(|group| group.contains(reason));
            let reason = group.and_then(BTreeSet::first).unwrap_or(reason);
            *merged.entry(reason.clone()).or_default() += count;
        }
        Self::Nodes(merged)
    }
}

/// The text of DefaultPreemption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PreemptionText {
    /// Preemption found a node.
    Found {
        node: String,
        /// The number of victims.
        victims: usize,
    },
    /// Preemption helps on no node: the number of nodes by reason.
    Nowhere {
        /// Nodes in the cluster.
        total: usize,
        /// The number of nodes by reason.
        reasons: BTreeMap<String, usize>,
    },
    /// Any other text, such as why the pod may not preempt.
    Text(String),
}

impl ParsedFitError {
    /// Parses a message; `None` if it has another form, such as an error.
    pub fn parse(message: &str) -> Option<Self> {
        let Sections { total, body, others, preemption } = sections(message)?;
        let rejection = reasons(body).map_or_else(
            || FitErrorReasons::Pod(body.to_owned()),
            |reasons: Vec<(String, usize)>| FitErrorReasons::Nodes(reasons.into_iter().collect()),
        );
        let preemption = preemption.map(PreemptionText::parse);
        Some(Self { total, rejection, others: others.to_owned(), preemption })
    }
}

impl PreemptionText {
    fn parse(text: &str) -> Self {
        let found =
            text.strip_prefix("found a potential placement for pod on node ").and_then(|rest| {
                let (node, rest) = rest.split_once(", preempting ")?;
                Some(Self::Found {
                    node: node.to_owned(),
                    victims: rest.strip_suffix(" victims")?.parse().ok()?,
                })
            });
        found
            .or_else(|| {
                let (total, rest) = head(text)?;
                Some(Self::Nowhere {
                    total,
                    reasons: reasons(rest.strip_suffix('.')?)?.into_iter().collect(),
                })
            })
            .unwrap_or_else(|| Self::Text(text.to_owned()))
    }
}

/// A message of the form `0/5 nodes are available: …`, cut into its sections.
pub struct Sections<'t> {
    /// Nodes in the cluster.
    pub total: usize,
    /// Why the pod does not fit, without the full stop.
    pub body: &'t str,
    /// The text of PostFilter plugins other than DefaultPreemption.
    pub others: &'t str,
    /// The text of DefaultPreemption, without its prefix.
    pub preemption: Option<&'t str>,
}

/// Cuts a message into its sections; `None` if it has another form, such as an error.
pub fn sections(message: &str) -> Option<Sections<'_>> {
    let (total, rest) = head(message)?;
    let (body, post) = split(rest);
    // 1.26 to 1.28 append a full stop to the text.
    let once = |text: &'_ str| text.len() - usize::from(text.ends_with(".."));
    let (others, preemption) = match post.split_once(PREEMPTION) {
        Some((others, text)) => (others.trim_end_matches([',', ' ']), text.get(..once(text))),
        None => (post, None),
    };
    Some(Sections { total, body, others, preemption })
}

/// Splits off `0/5 nodes are available:`. Returns the number of nodes and the rest, without the
/// space between.
fn head(text: &str) -> Option<(usize, &str)> {
    let (total, rest) = text.strip_prefix("0/")?.split_once(" nodes are available:")?;
    Some((total.parse().ok()?, rest.strip_prefix(' ').unwrap_or(rest)))
}

/// Splits the reasons, without their full stop, from the PostFilter texts.
fn split(rest: &str) -> (&str, &str) {
    let stops = rest.match_indices(". ");
    let post = stops.filter_map(|(at, stop)| rest.split_at_checked(at + stop.len()));
    let post_filter =
        post.filter(|(_, post)| POST_FILTER.iter().any(|start| post.starts_with(start)));
    let (body, post) =
        post_filter.map(|(body, post)| (body.trim_end(), post)).next().unwrap_or((rest, ""));
    (body.strip_suffix('.').unwrap_or(body), post)
}

/// Parses `2 Insufficient cpu, 1 Too many pods`: the reasons in this order, each with its number of
/// nodes. A comma may be part of a reason. `None` if the text has another form.
pub fn reasons(text: &str) -> Option<Vec<(String, usize)>> {
    let mut reasons: Vec<(String, usize)> = Vec::new();
    for piece in text.split(", ") {
        let counted =
            piece.split_once(' ').and_then(|(count, reason)| Some((reason, count.parse().ok()?)));
        match (counted, reasons.last_mut()) {
            (Some((reason, count)), _) => reasons.push((reason.to_owned(), count)),
            (None, Some((reason, _))) => {
                reason.push_str(", ");
                reason.push_str(piece);
            }
            (None, None) => return None,
        }
    }
    Some(reasons)
}

#[cfg(test)]
mod tests {
    use super::{FitErrorReasons, ParsedFitError, PreemptionText};

    fn counts(reasons: &[(&str, usize)]) -> std::collections::BTreeMap<String, usize> {
        reasons.iter().map(|(reason, count)| ((*reason).to_owned(), *count)).collect()
    }

    fn nodes(reasons: &[(&str, usize)]) -> FitErrorReasons {
        FitErrorReasons::Nodes(counts(reasons))
    }

    fn nowhere(total: usize, reasons: &[(&str, usize)]) -> PreemptionText {
        PreemptionText::Nowhere { total, reasons: counts(reasons) }
    }

    #[track_caller]
    fn check(rows: Vec<(&str, usize, FitErrorReasons, &str, Option<PreemptionText>)>) {
        for (message, total, rejection, others, preemption) in rows {
            let want = ParsedFitError { total, rejection, others: others.to_owned(), preemption };
            assert_eq!(ParsedFitError::parse(message), Some(want), "{message}");
        }
    }

    #[test]
    fn messages_with_reasons_by_node() {
        check(vec![
            (
                "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {k: v}.",
                3,
                nodes(&[("Insufficient cpu", 1), ("node(s) had untolerated taint {k: v}", 2)]),
                "",
                None,
            ),
            (
                "0/4 nodes are available: 1 Too many pods, 3 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims to \
                 deallocate, preemption: 0/4 nodes are available: 1 No preemption victims found for incoming pod, 3 \
                 Preemption is not helpful for scheduling.",
                4,
                nodes(&[
                    ("Too many pods", 1),
                    ("node(s) didn't satisfy plugin(s) [NodeAffinity]", 3),
                ]),
                "no new claims to deallocate",
                Some(nowhere(
                    4,
                    &[
                        ("No preemption victims found for incoming pod", 1),
                        ("Preemption is not helpful for scheduling", 3),
                    ],
                )),
            ),
            (
                "0/3 nodes are available: 3 Insufficient cpu. preemption: found a potential placement for pod on node \
                 deux-noeuds-m02, preempting 1 victims",
                3,
                nodes(&[("Insufficient cpu", 3)]),
                "",
                Some(PreemptionText::Found { node: "deux-noeuds-m02".into(), victims: 1 }),
            ),
            (
                "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.",
                1,
                nodes(&[("Insufficient cpu", 1)]),
                "",
                Some(PreemptionText::Text("not eligible due to preemptionPolicy=Never.".into())),
            ),
            (
                "0/9 nodes are available: 9 asks for x, which is not there.",
                9,
                nodes(&[("asks for x, which is not there", 9)]),
                "",
                None,
            ),
        ]);
    }

    #[test]
    fn messages_about_the_pod_as_a_whole() {
        check(vec![
            (
                "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
                1,
                FitErrorReasons::Pod("pod has unbound immediate PersistentVolumeClaims".into()),
                "not found",
                None,
            ),
            (
                "0/2 nodes are available: persistentvolumeclaim \"a. b, c\" not found. preemption: 0/2 nodes are available: 2 \
                 Preemption is not helpful for scheduling.",
                2,
                FitErrorReasons::Pod("persistentvolumeclaim \"a. b, c\" not found".into()),
                "",
                Some(nowhere(2, &[("Preemption is not helpful for scheduling", 2)])),
            ),
            ("0/2 nodes are available:", 2, FitErrorReasons::Pod(String::new()), "", None),
        ]);
    }

    #[test]
    fn text_of_another_form_is_no_fit_error() {
        for message in [
            "",
            "no nodes available to schedule pods",
            "running PreFilter plugin \"X\": boom",
            "0/x nodes are available: 1 y.",
            "0/99999999999999999999 nodes are available: 1 y.",
            "1/3 nodes are available: 1 y.",
        ] {
            assert_eq!(ParsedFitError::parse(message), None, "{message}");
        }
    }
}
