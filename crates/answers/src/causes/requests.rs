//! The origin of a pod's requests: `3500m = 500m + 3 of overhead (RuntimeClass kata)`.

use crate::words;
use engine::cluster::Cluster;
use engine::framework::operands::{RequestOrigin, RequestPart, ResourceId};

/// A pod's request, with its origin.
pub(super) fn requested(
    resource: ResourceId,
    requested: i64,
    parts: Option<&[RequestPart]>,
    cluster: &Cluster,
) -> String {
    let sum = resource.amount(requested, cluster);
    let texts: Vec<String> = parts
        .unwrap_or_default()
        .iter()
        .map(|part| {
            format!("{}{}", resource.amount(part.amount, cluster), origin(&part.origin, cluster))
        })
        .collect();
    match texts.as_slice() {
        [] => sum,
        // A single part is the whole request, so its amount is given once.
        [only] => only.clone(),
        parts => format!("{sum} = {}", parts.join(" + ")),
    }
}

fn origin(origin: &RequestOrigin, cluster: &Cluster) -> String {
    match origin {
        RequestOrigin::Containers => String::new(),
        RequestOrigin::Sidecars { names } => {
            let sidecar = if names.len() == 1 { "sidecar" } else { "sidecars" };
            let names: Vec<&str> = names.iter().map(|name| cluster.text(*name)).collect();
            format!(" of {sidecar} {}", words::list(&names, 3))
        }
        RequestOrigin::InitContainer { name } => {
            format!(" of init container {}", cluster.text(*name))
        }
        RequestOrigin::PodLevel => " of pod-level resources".to_owned(),
        RequestOrigin::Overhead { runtime_class } if runtime_class.is_empty() => {
            " of overhead".to_owned()
        }
        RequestOrigin::Overhead { runtime_class } => {
            format!(" of overhead (RuntimeClass {})", cluster.text(*runtime_class))
        }
    }
}
