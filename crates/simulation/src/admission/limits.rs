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
            if let Some(why) = bounded.iter().find_map(|found| breach(bound, found, cluster)) {
                return Some(format!("LimitRange {}: {why}", cluster.text(range.name)));
            }
        }
    }
    None
}

/// How the amounts exceed a bound.
fn breach(bound: &Bound, found: &Requirements, cluster: &Cluster) -> Option<String> {
    let (resource, text) = (cluster.text(bound.resource), cluster.text(bound.amount));
    let amount = Quantity::parse(text).ok()?;
    let of = match bound.of {
        BoundOf::Container => "Container",
        BoundOf::Pod => "Pod",
    };
    let (request, limit) = (found.requests.get(resource), found.limits.get(resource));
    let beyond =
        |given: Option<&Quantity>, what: &str, is_beyond: fn(Quantity, Quantity) -> bool| {
            given.filter(|given| is_beyond(**given, amount)).map(|_| what.to_owned())
        };
    match bound.kind {
        BoundKind::Min => {
            let head = format!("minimum {resource} usage per {of} is {text}");
            let less = |given: Quantity, least: Quantity| given.amount_cmp(least).is_lt();
            match request {
                None => Some(format!("{head}, and no request is specified")),
                Some(_) => beyond(request, "request", less)
                    .or(beyond(limit, "limit", less))
                    .map(|what| format!("{head}, and the {what} is less")),
            }
        }
        BoundKind::Max => {
            let head = format!("maximum {resource} usage per {of} is {text}");
            let more = |given: Quantity, most: Quantity| given.amount_cmp(most).is_gt();
            match limit {
                None => Some(format!("{head}, and no limit is specified")),
                Some(_) => beyond(limit, "limit", more)
                    .or(beyond(request, "request", more))
                    .map(|what| format!("{head}, and the {what} is more")),
            }
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
