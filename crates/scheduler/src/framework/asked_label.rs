//! What a pod asks of node labels, and what one node has instead.

use super::operands::MissingPair;
use json::evidence::{Expression, UnmetExpression};
use model::cluster::node_selector::NodeRequirement;
use model::cluster::node_selector::unmet::{ConditionComparison, Unmet};
use model::cluster::{Cluster, Sym};
use model::words;

/// Maximum number of values of an expression that are named.
const VALUES_NAMED: usize = 3;

/// One condition of the pod on nodes that this node does not meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedLabel {
    /// The condition: `kubernetes.io/arch In [arm64]`.
    pub text: String,
    /// The label; `None` for a field of the node.
    pub key: Option<Sym>,
    /// The values that the node may have; empty if any value is allowed or none is named.
    pub any_of: Vec<Sym>,
    /// Whether the label's presence would be enough.
    pub presence: bool,
    /// What the node has; `None` without the label.
    pub found: Option<Sym>,
}

impl AskedLabel {
    /// A pair of `nodeSelector`.
    pub fn of_pair(pair: MissingPair, cluster: &Cluster) -> Self {
        let MissingPair { key, value, found } = pair;
        let text = format!("nodeSelector {}={}", cluster.text(key), cluster.text(value));
        Self { text, key: Some(key), any_of: vec![value], presence: false, found }
    }

    pub fn of_expression(unmet: &Unmet, cluster: &Cluster) -> Self {
        Self {
            text: expression(unmet, cluster),
            key: unmet.label(),
            any_of: unmet.any_of().to_vec(),
            presence: unmet.comparison() == ConditionComparison::Exists,
            found: unmet.found(),
        }
    }
}

/// An expression as written in a pod: `disktype In [nvme]`, `gpu Exists`, `cores Gt 8`.
pub fn expression(unmet: &Unmet, cluster: &Cluster) -> String {
    compared(unmet.key(cluster), unmet.comparison(), &unmet.values(cluster))
}

/// A condition on a label: `zone=a`, or an expression.
pub fn condition(requirement: &NodeRequirement, cluster: &Cluster) -> String {
    let key = cluster.text(requirement.key());
    match requirement.any_of() {
        [value] => format!("{key}={}", cluster.text(*value)),
        _ => compared(key, requirement.comparison(), &requirement.values(cluster)),
    }
}

fn compared(key: &str, comparison: ConditionComparison, values: &[String]) -> String {
    let operator = comparison.name();
    match comparison {
        ConditionComparison::Exists | ConditionComparison::DoesNotExist => {
            format!("{key} {operator}")
        }
        ConditionComparison::Gt | ConditionComparison::Lt => {
            format!("{key} {operator} {}", values.join(", "))
        }
        ConditionComparison::In | ConditionComparison::NotIn => {
            let more = values.len().saturating_sub(VALUES_NAMED);
            let mut listed =
                values.iter().take(VALUES_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
            if more > 0 {
                listed.push_str(&format!(" and {} more", words::group_digits(more)));
            }
            format!("{key} {operator} [{listed}]")
        }
    }
}

/// A value of a label; an empty one is made visible.
pub fn shown(value: Sym, cluster: &Cluster) -> &str {
    match cluster.text(value) {
        "" => "\"\"",
        text => text,
    }
}

pub fn unmet_json(unmet: &[Unmet], cluster: &Cluster) -> Vec<UnmetExpression> {
    unmet
        .iter()
        .map(|unmet| UnmetExpression {
            key: unmet.key(cluster).to_owned(),
            operator: unmet.comparison().name().into(),
            values: unmet.values(cluster),
            found: unmet.found().map(|found| cluster.text(found).to_owned()),
        })
        .collect()
}

pub fn condition_json(requirement: &NodeRequirement, cluster: &Cluster) -> Expression {
    Expression {
        key: cluster.text(requirement.key()).to_owned(),
        operator: requirement.comparison().name().into(),
        values: requirement.values(cluster),
    }
}
