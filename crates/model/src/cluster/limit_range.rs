//! A LimitRange: the requests and limits that the API server gives to new containers of a
//! namespace.

use super::reader::Reader;
use super::selector::Labels;
use super::symbols::Sym;
use crate::snapshot::{Map, others as wire};

/// A LimitRange.
#[derive(Debug, Clone)]
pub struct LimitRange {
    /// Namespace.
    pub namespace: Sym,
    /// Name.
    pub name: Sym,
    /// Default limits by resource.
    pub limits: Labels,
    /// Default requests by resource.
    pub requests: Labels,
}

impl LimitRange {
    /// Reads the limits of type `Container`. The API server stores the defaults that follow from
    /// the other fields; a manifest does not have them, so they are worked out here.
    ///
    /// Upstream: `pkg/apis/core/v1/defaults.go` `SetDefaults_LimitRangeItem` (1.37): where none is
    /// given, the maximum is the default limit, and the default limit, or else the minimum, is the
    /// default request.
    pub(super) fn read(wire: &wire::LimitRange, reader: &mut Reader) -> Self {
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
        }
    }
}
