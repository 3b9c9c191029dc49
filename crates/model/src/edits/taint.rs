//! Patterns of taints: `KEY[=VALUE][:EFFECT]`, as `kubectl taint` writes them.

use std::fmt;

use crate::cluster::Cluster;
use crate::cluster::node::Taint;
use crate::cluster::template::TaintEffect;
use crate::snapshot::pod::Toleration;

/// Matches taints with a key, with any value or a given one, and any effect or a given one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaintPattern {
    pub key: String,
    /// The value; absent: any.
    pub value: Option<String>,
    /// The effect; absent: any.
    pub effect: Option<TaintEffect>,
}

impl TaintPattern {
    /// Reads `KEY[=VALUE][:EFFECT]`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (taint, effect) = text.split_once(':').unwrap_or((text, ""));
        let effect = TaintEffect::read(effect);
        if effect == Some(TaintEffect::Unknown) || text.ends_with(':') {
            return None;
        }
        let (key, value) = taint
            .split_once('=')
            .map_or((taint, None), |(key, value)| (key, Some(value.to_owned())));
        (!key.is_empty()).then(|| Self { key: key.to_owned(), value, effect })
    }

    /// The pattern of a node's taint.
    pub fn of(taint: &Taint, cluster: &Cluster) -> Self {
        let value = cluster.text(taint.value);
        Self {
            key: cluster.text(taint.key).to_owned(),
            value: (!value.is_empty()).then(|| value.to_owned()),
            effect: (taint.effect != TaintEffect::Unknown).then_some(taint.effect),
        }
    }

    /// Whether the pattern matches `taint`.
    pub(super) fn matches(&self, taint: &Taint, cluster: &Cluster) -> bool {
        cluster.text(taint.key) == self.key
            && self.value.as_ref().is_none_or(|value| cluster.text(taint.value) == value)
            && self.effect.is_none_or(|effect| effect == taint.effect)
    }

    /// The toleration for these taints.
    pub(super) fn toleration(&self) -> Toleration<'static> {
        Toleration {
            key: self.key.clone().into(),
            operator: if self.value.is_some() { "Equal" } else { "Exists" }.into(),
            value: self.value.clone().unwrap_or_default().into(),
            effect: self.effect.map_or("", TaintEffect::name).into(),
        }
    }
}

impl fmt::Display for TaintPattern {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.key)?;
        if let Some(value) = &self.value {
            write!(f, "={value}")?;
        }
        self.effect.map_or(Ok(()), |effect| write!(f, ":{}", effect.name()))
    }
}
