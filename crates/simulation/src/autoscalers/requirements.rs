//! Karpenter's algebra of requirements: which values a label may have.
//!
//! Upstream: `sigs.k8s.io/karpenter` `pkg/scheduling/requirement.go`, `requirements.go` (1.14.1).

use std::collections::{BTreeMap, BTreeSet};

use model::cluster::autoscaling::karpenter::{KarpenterOperator, KarpenterRequirement, POOL_LABEL};
use model::cluster::node_selector::{NodeRequirement, NodeTerm};
use model::cluster::symbols::Symbols;
use model::cluster::{Sym, selector};

/// Labels that every provider gives to its nodes, so that a pool need not name them.
const WELL_KNOWN: [&str; 8] = [
    POOL_LABEL,
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "node.kubernetes.io/instance-type",
    "kubernetes.io/arch",
    "kubernetes.io/os",
    "karpenter.sh/capacity-type",
    "node.kubernetes.io/windows-build",
];

/// Deprecated labels and their replacements.
const OLD_SPELLINGS: [(&str, &str); 5] = [
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("beta.kubernetes.io/arch", "kubernetes.io/arch"),
    ("beta.kubernetes.io/os", "kubernetes.io/os"),
    ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
];

/// Labels that the nodes of a provider have without the pool naming them.
struct ProviderLabels {
    /// The API group of its node classes.
    class_group: &'static str,
    /// Its labels, and the beginnings of others, which end with `*`.
    labels: &'static [&'static str],
}

/// The providers of which all such labels are known.
///
/// Upstream: `karpenter-provider-aws` `pkg/apis/v1/labels.go` (1.8), the documents of EKS Auto Mode,
/// `karpenter-provider-azure` `pkg/apis/v1beta1/labels.go` (1.6).
const PROVIDERS: [ProviderLabels; 3] = [
    ProviderLabels {
        class_group: "karpenter.k8s.aws",
        labels: &[
            "karpenter.k8s.aws/*",
            "topology.k8s.aws/zone-id",
            "topology.ebs.csi.aws.com/zone",
        ],
    },
    ProviderLabels {
        class_group: "eks.amazonaws.com",
        labels: &[
            "eks.amazonaws.com/instance-*",
            "eks.amazonaws.com/capacity-*",
            "eks.amazonaws.com/compute-type",
            "topology.k8s.aws/zone-id",
        ],
    },
    ProviderLabels {
        class_group: "karpenter.azure.com",
        labels: &[
            "karpenter.azure.com/*",
            "kubernetes.azure.com/mode",
            "kubernetes.azure.com/scalesetpriority",
            "kubernetes.azure.com/os-sku*",
            "kubernetes.azure.com/cluster",
            "kubernetes.azure.com/fips_enabled",
            "kubernetes.azure.com/ebpf-dataplane",
            "kubernetes.azure.com/network-*",
            "kubernetes.azure.com/podnetwork-*",
            "kubernetes.azure.com/kubelet-identity-client-id",
            "kubernetes.azure.com/artifactstreaming-enabled",
            "kubernetes.azure.com/localdns-state",
            "kubernetes.azure.com/sku-cpu",
            "kubernetes.azure.com/sku-memory",
        ],
    },
];

/// Domains of labels that the other providers may give.
const DOMAINS: [&str; 4] = ["kubernetes.io", "k8s.io", "karpenter.sh", "google.com"];

/// The label with a node's name. Each new node has a new one.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// The values that a label may have: some, or all but some, within bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LabelValues<'t> {
    /// Whether the listed values are those that it may not have.
    all_but: bool,
    listed: BTreeSet<&'t str>,
    at_least: Option<i64>,
    at_most: Option<i64>,
    /// How many values must be left.
    fewest: Option<i64>,
}

/// How a wish for a label is met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Conflict<'t> {
    /// Both name the label, and no value suits both.
    Values {
        /// The label.
        key: &'t str,
        /// What the pod wants.
        wanted: String,
        /// What the pool gives.
        given: String,
    },
    /// The pool does not give the label, and no provider does.
    Undefined(&'t str),
}

/// What is in doubt although nothing conflicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Doubt<'t> {
    /// The provider may give this label.
    Provider(&'t str),
    /// Fewer values are left of this label than the pool wants.
    MinValues(&'t str),
    /// The pool wants several values of this label among the instance types.
    MinValuesOfTypes(&'t str),
}

/// Requirements by label.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Requirements<'t> {
    by_key: BTreeMap<&'t str, LabelValues<'t>>,
    /// A label whose requirement has an operator that is not known.
    pub(super) unknown: Option<&'t str>,
}

/// A label in the spelling that is compared.
fn normal(key: &str) -> &str {
    OLD_SPELLINGS.iter().find(|(old, _)| *old == key).map_or(key, |(_, new)| new)
}

impl<'t> LabelValues<'t> {
    fn any() -> Self {
        Self { all_but: true, listed: BTreeSet::new(), at_least: None, at_most: None, fewest: None }
    }

    fn none() -> Self {
        Self { all_but: false, ..Self::any() }
    }

    /// The values that a requirement allows; `None` for an operator that is not known, and for a
    /// bound that is no number, which the API server refuses.
    fn of(
        operator: KarpenterOperator,
        values: impl Iterator<Item = &'t str> + Clone,
    ) -> Option<Self> {
        let bound = || values.clone().next()?.parse::<i64>().ok();
        Some(match operator {
            KarpenterOperator::In => {
                Self { all_but: false, listed: values.collect(), ..Self::any() }
            }
            KarpenterOperator::NotIn => Self { listed: values.collect(), ..Self::any() },
            KarpenterOperator::Exists => Self::any(),
            KarpenterOperator::DoesNotExist => Self::none(),
            KarpenterOperator::Gt => above(bound()?),
            KarpenterOperator::Lt => below(bound()?),
            KarpenterOperator::Gte => Self { at_least: Some(bound()?), ..Self::any() },
            KarpenterOperator::Lte => Self { at_most: Some(bound()?), ..Self::any() },
            KarpenterOperator::Unknown => return None,
        })
    }

    /// The values that both allow.
    fn and(&self, other: &Self) -> Self {
        let at_least = self.at_least.max(other.at_least);
        let at_most = match (self.at_most, other.at_most) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let fewest = self.fewest.max(other.fewest);
        if at_least.is_some_and(|least| at_most.is_some_and(|most| least > most)) {
            return Self { fewest, ..Self::none() };
        }
        let mut listed: BTreeSet<&'t str> = match (self.all_but, other.all_but) {
            (true, true) => self.listed.iter().chain(&other.listed).copied().collect(),
            (true, false) => other.listed.difference(&self.listed).copied().collect(),
            (false, true) => self.listed.difference(&other.listed).copied().collect(),
            (false, false) => self.listed.intersection(&other.listed).copied().collect(),
        };
        listed.retain(|value| within(value, at_least, at_most));
        let all_but = self.all_but && other.all_but;
        // Parity: a list of values is within the bounds already, and forgets them.
        let (at_least, at_most) = if all_but { (at_least, at_most) } else { (None, None) };
        Self { all_but, listed, at_least, at_most, fewest }
    }

    /// Whether both allow a value.
    fn meets(&self, other: &Self) -> bool {
        let at_least = self.at_least.max(other.at_least);
        let at_most = match (self.at_most, other.at_most) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        if at_least.is_some_and(|least| at_most.is_some_and(|most| least > most)) {
            return false;
        }
        // Parity: of two sets of all values but some, a common one is not looked for.
        if self.all_but && other.all_but {
            return true;
        }
        let both = self.and(other);
        !both.listed.is_empty()
    }

    /// Whether it is `NotIn` or `DoesNotExist`, which a missing label meets.
    fn is_met_by_absence(&self) -> bool {
        if self.all_but { !self.listed.is_empty() } else { self.listed.is_empty() }
    }

    /// Whether it allows no label at all.
    pub(super) fn is_absence(&self) -> bool {
        !self.all_but && self.listed.is_empty()
    }

    /// It as a few words.
    fn text(&self) -> String {
        let mut shown: Vec<&str> = self.listed.iter().copied().take(SHOWN).collect();
        if self.listed.len() > SHOWN {
            shown.push("…");
        }
        let list = shown.join(" or ");
        let mut text = match (self.all_but, self.listed.is_empty()) {
            (true, true) if self.at_least.or(self.at_most).is_some() => String::new(),
            (true, true) => "any value".to_owned(),
            (true, false) => format!("not {list}"),
            (false, true) => "no such label".to_owned(),
            (false, false) => list,
        };
        for (sign, bound) in [(">=", self.at_least), ("<=", self.at_most)] {
            if let Some(bound) = bound {
                let space = if text.is_empty() { "" } else { " " };
                text.push_str(&format!("{space}{sign}{bound}"));
            }
        }
        text
    }
}

/// The most values that are shown.
const SHOWN: usize = 3;

/// Whether a value is within bounds: with any, it must be a number.
fn within(value: &str, at_least: Option<i64>, at_most: Option<i64>) -> bool {
    if at_least.is_none() && at_most.is_none() {
        return true;
    }
    value.parse::<i64>().is_ok_and(|number| {
        at_least.is_none_or(|least| number >= least) && at_most.is_none_or(|most| number <= most)
    })
}

impl<'t> Requirements<'t> {
    /// Narrows a label to values.
    fn add(&mut self, key: &'t str, values: LabelValues<'t>) {
        let key = normal(key);
        let narrowed = match self.by_key.get(key) {
            Some(earlier) => values.and(earlier),
            None => values,
        };
        self.by_key.insert(key, narrowed);
    }

    /// Those of a pool: its requirements, the labels of its nodes, and its name. A claim of it gets
    /// a name of its own, so that no pod can choose one by the host's label.
    pub(super) fn of_pool(
        name: &'t str,
        labels: &[(Sym, Sym)],
        requirements: &[KarpenterRequirement],
        symbols: &'t Symbols,
    ) -> Self {
        let mut all = Self::default();
        for requirement in requirements {
            let key = symbols.text(requirement.key);
            let values = requirement.values.iter().map(|value| symbols.text(*value));
            match LabelValues::of(requirement.operator, values) {
                Some(values) => {
                    all.add(key, LabelValues { fewest: requirement.min_values, ..values });
                }
                None => all.unknown = all.unknown.or(Some(key)),
            }
        }
        for (key, value) in labels {
            all.add_value(symbols.text(*key), symbols.text(*value));
        }
        all.add_value(POOL_LABEL, name);
        all
    }

    /// Those of a pod: its node selector and one of the alternatives of its required node affinity.
    /// `None` if the alternative has conditions on fields or cannot be read: Karpenter refuses it.
    pub(super) fn of_pod(
        selector: &[(Sym, Sym)],
        term: Option<&NodeTerm>,
        symbols: &'t Symbols,
    ) -> Option<Self> {
        let mut all = Self::default();
        for (key, value) in selector {
            all.add_value(symbols.text(*key), symbols.text(*value));
        }
        let Some(term) = term else { return Some(all) };
        let (labels, fields) = term.parsed.as_ref().ok()?;
        if !fields.is_empty() {
            return None;
        }
        for requirement in labels {
            let (key, values) = match requirement {
                NodeRequirement::Label(requirement) => {
                    let operator = match requirement.operator {
                        selector::Operator::In => KarpenterOperator::In,
                        selector::Operator::NotIn => KarpenterOperator::NotIn,
                        selector::Operator::Exists => KarpenterOperator::Exists,
                        selector::Operator::DoesNotExist => KarpenterOperator::DoesNotExist,
                    };
                    let values = requirement.values.iter().map(|value| symbols.text(*value));
                    (requirement.key, LabelValues::of(operator, values)?)
                }
                NodeRequirement::Gt(key, bound) => (*key, above(*bound)),
                NodeRequirement::Lt(key, bound) => (*key, below(*bound)),
            };
            all.add(symbols.text(key), values);
        }
        Some(all)
    }

    fn add_value(&mut self, key: &'t str, value: &'t str) {
        let listed = std::iter::once(value).collect();
        self.add(key, LabelValues { all_but: false, listed, ..LabelValues::any() });
    }

    /// Whether a label may have this value.
    pub(super) fn allow(&self, key: &str, value: &str) -> bool {
        self.get(key).is_none_or(|values| {
            values.all_but != values.listed.contains(value)
                && within(value, values.at_least, values.at_most)
        })
    }

    /// What a label may have; `None` if nothing is required of it.
    pub(super) fn get(&self, key: &str) -> Option<&LabelValues<'t>> {
        self.by_key.get(normal(key))
    }

    /// How a pod's wishes conflict with these requirements of a pool whose node class is of
    /// `class_group`, and what is in doubt if they do not.
    pub(super) fn compare(
        &self,
        wanted: &Self,
        class_group: &str,
    ) -> (Vec<Conflict<'t>>, Vec<Doubt<'t>>) {
        let (mut conflicts, mut doubts) = (Vec::new(), Vec::new());
        for (key, wish) in &wanted.by_key {
            if *key == HOSTNAME && !wish.all_but {
                let (wanted, given) = (wish.text(), "a new name".to_owned());
                conflicts.push(Conflict::Values { key, wanted, given });
                continue;
            }
            let Some(given) = self.by_key.get(key) else {
                if WELL_KNOWN.contains(key) || *key == HOSTNAME || wish.is_met_by_absence() {
                    continue;
                }
                if may_be_of_provider(key, class_group) {
                    doubts.push(Doubt::Provider(key));
                } else {
                    conflicts.push(Conflict::Undefined(key));
                }
                continue;
            };
            if !given.meets(wish) {
                // A missing label meets both.
                if given.is_met_by_absence() && wish.is_met_by_absence() {
                    continue;
                }
                let (wanted, given) = (wish.text(), given.text());
                conflicts.push(Conflict::Values { key, wanted, given });
                continue;
            }
            let both = given.and(wish);
            let left = i64::try_from(both.listed.len()).unwrap_or(i64::MAX);
            if !both.all_but && given.fewest.is_some_and(|least| left < least) {
                doubts.push(Doubt::MinValues(key));
            }
        }
        // Which values the remaining instance types have, the cloud alone knows.
        let open = self.by_key.iter().filter(|(_, values)| values.fewest.is_some_and(|n| n > 1));
        for (key, _) in open {
            if !doubts.contains(&Doubt::MinValues(key)) {
                doubts.push(Doubt::MinValuesOfTypes(key));
            }
        }
        (conflicts, doubts)
    }
}

fn above<'t>(bound: i64) -> LabelValues<'t> {
    match bound.checked_add(1) {
        Some(least) => LabelValues { at_least: Some(least), ..LabelValues::any() },
        None => LabelValues::none(),
    }
}

fn below<'t>(bound: i64) -> LabelValues<'t> {
    // Parity: below the smallest number the bound wraps, so that every number is allowed.
    LabelValues { at_most: Some(bound.wrapping_sub(1)), ..LabelValues::any() }
}

/// Whether a provider may give a label to its nodes although the pool does not name it: it is one
/// of the provider's, or if these are not known, in the provider's own domain or a general one.
fn may_be_of_provider(key: &str, class_group: &str) -> bool {
    if let Some(provider) = PROVIDERS.iter().find(|one| one.class_group == class_group) {
        return provider.labels.iter().any(|label| match label.strip_suffix('*') {
            Some(begins) => key.starts_with(begins),
            None => key == *label,
        });
    }
    let Some((domain, _)) = key.split_once('/') else { return false };
    is_within(domain, class_group) || DOMAINS.iter().any(|of| is_within(domain, of))
}

/// Whether it is the domain `of`, or one below it.
fn is_within(domain: &str, of: &str) -> bool {
    !of.is_empty()
        && domain.strip_suffix(of).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests;
