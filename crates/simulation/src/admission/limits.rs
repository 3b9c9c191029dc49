//! The bounds of LimitRanges, which new pods must keep to.
//!
//! Upstream: `PodValidateLimitFunc` of `plugin/pkg/admission/limitranger/admission.go` (1.37).

use serde_json::{Map, Value};

use super::amounts::{AmountKind, Amounts, containers, of_pod, own};
use model::cluster::limit_range::{Bound, BoundKind, BoundOf};
use model::cluster::{Cluster, Quantity};

/// Requests and limits of a container or a pod.
struct Requirements {
    requests: Amounts,
    limits: Amounts,
}

/// Why the LimitRanges of a namespace reject a pod with this spec, after applying their defaults;
/// `None` if they do not.
pub(super) fn refusal(
    spec: &Map<String, Value>,
    namespace: &str,
    cluster: &Cluster,
) -> Option<String> {
    let each: Vec<Requirements> = ["containers", "initContainers"]
        .into_iter()
        .flat_map(|list| containers(spec, list))
        .map(|container| Requirements {
            requests: own(container, AmountKind::Requests),
            limits: own(container, AmountKind::Limits),
        })
        .collect();
    let whole = [Requirements {
        requests: of_pod(spec, AmountKind::Requests),
        limits: of_pod(spec, AmountKind::Limits),
    }];
    for range in &cluster.limit_ranges {
        if cluster.text(range.namespace) != namespace {
            continue;
        }
        for bound in &range.bounds {
            let bounded = match bound.of {
                BoundOf::Container => each.as_slice(),
                BoundOf::Pod => whole.as_slice(),
            };
            if let Some(why) =
                bounded.iter().find_map(|requirements| breach(bound, requirements, cluster))
            {
                return Some(format!("LimitRange {}: {why}", cluster.text(range.name)));
            }
        }
    }
    None
}

/// How the amounts exceed a bound.
fn breach(bound: &Bound, requirements: &Requirements, cluster: &Cluster) -> Option<String> {
    let (resource, text) = (cluster.text(bound.resource), cluster.text(bound.amount));
    let amount = Quantity::parse(text).ok()?;
    let of = match bound.of {
        BoundOf::Container => "Container",
        BoundOf::Pod => "Pod",
    };
    let (request, limit) = (requirements.requests.get(resource), requirements.limits.get(resource));
    match bound.kind {
        BoundKind::Min => {
            let problem = match (request, limit) {
                (None, _) => "no request is specified",
                (Some(request), _) if request.amount_cmp(amount).is_lt() => "the request is less",
                (_, Some(limit)) if limit.amount_cmp(amount).is_lt() => "the limit is less",
                _ => return None,
            };
            Some(format!("minimum {resource} usage per {of} is {text}, and {problem}"))
        }
        BoundKind::Max => {
            let problem = match (limit, request) {
                (None, _) => "no limit is specified",
                (Some(limit), _) if limit.amount_cmp(amount).is_gt() => "the limit is more",
                (_, Some(request)) if request.amount_cmp(amount).is_gt() => "the request is more",
                _ => return None,
            };
            Some(format!("maximum {resource} usage per {of} is {text}, and {problem}"))
        }
        BoundKind::Ratio => {
            let head = format!("{resource} may be limited to {text} times its request per {of}");
            match (request, limit) {
                (Some(request), Some(limit))
                    if *request != Quantity::ZERO && *limit != Quantity::ZERO =>
                {
                    let ratio = limit.times(*request);
                    (ratio > amount.approximate()).then(|| format!("{head}, and here to {ratio}"))
                }
                _ => Some(format!("{head}, and it has no request or no limit")),
            }
        }
    }
}
