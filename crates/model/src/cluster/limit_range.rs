//! A LimitRange: the requests and limits that the API server gives to new containers of a
//! namespace, and the bounds that it enforces.

use super::reader::ReadContext;
use super::selector::Labels;
use super::symbols::Sym;
use crate::snapshot::{Map, others as wire};

/// A LimitRange.
#[derive(Debug, Clone)]
pub struct LimitRange {
    pub namespace: Sym,
    pub name: Sym,
    /// Default limits by resource.
    pub limits: Labels,
    /// Default requests by resource.
    pub requests: Labels,
    /// Bounds for new pods, in the order of the input.
    pub bounds: Vec<Bound>,
}

/// A bound on the amounts of a resource.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    /// What it applies to.
    pub of: BoundOf,
    /// How the amounts are compared.
    pub kind: BoundKind,
    pub resource: Sym,
    /// The amount, or the ratio, as text.
    pub amount: Sym,
}

/// What a bound applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundOf {
    /// Each container and each init container.
    Container,
    /// The sum of the pod.
    Pod,
}

/// How amounts are compared with a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundKind {
    /// Request and limit are at least the amount.
    Min,
    /// Request and limit are at most the amount.
    Max,
    /// The limit is at most this many times the request.
    Ratio,
}

impl LimitRange {
    /// Reads the limits of type `Container`, and the bounds of type `Pod`. The API server stores
    /// the defaults that follow from the other fields; a manifest does not have them, so they are
    /// computed here.
    ///
    /// Upstream: `pkg/apis/core/v1/defaults.go` `SetDefaults_LimitRangeItem` (1.37): if not given,
    /// the default limit is the maximum, and the default request is the default limit, or else the
    /// minimum.
    pub(super) fn read(wire: &wire::LimitRange, reader: &mut ReadContext) -> Self {
        let (mut limits, mut requests) = (Map::default(), Map::default());
        for item in wire.spec.limits.iter().filter(|item| item.kind.as_str() == "Container") {
            for list in [&item.max, &item.default] {
                list.0
                    .0
                    .iter()
                    .for_each(|(resource, amount)| limits.insert(resource.clone(), amount.clone()));
            }
            for list in [&item.min, &item.max, &item.default, &item.default_request] {
                list.0.0.iter().for_each(|(resource, amount)| {
                    requests.insert(resource.clone(), amount.clone());
                });
            }
        }
        Self {
            namespace: reader.namespace(&wire.metadata.namespace),
            name: reader.intern(&wire.metadata.name),
            limits: reader.pairs(&limits),
            requests: reader.pairs(&requests),
            bounds: bounds(wire, reader),
        }
    }
}

/// The bounds for new pods.
fn bounds(wire: &wire::LimitRange, reader: &mut ReadContext) -> Vec<Bound> {
    let mut bounds = Vec::new();
    for item in &wire.spec.limits {
        let of = match item.kind.as_str() {
            "Container" => BoundOf::Container,
            "Pod" => BoundOf::Pod,
            _ => continue,
        };
        let lists = [
            (BoundKind::Min, &item.min),
            (BoundKind::Max, &item.max),
            (BoundKind::Ratio, &item.max_limit_request_ratio),
        ];
        for (kind, list) in lists {
            for (resource, amount) in &list.0.0 {
                let (resource, amount) = (reader.intern(resource), reader.intern(amount));
                bounds.push(Bound { of, kind, resource, amount });
            }
        }
    }
    bounds
}
