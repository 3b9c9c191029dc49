//! What a pod of a manifest requests, and its limits, as the API server's admission sums them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use model::cluster::Quantity;

/// Amounts by resource.
pub(super) type Amounts = BTreeMap<String, Quantity>;

/// Requests or limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AmountKind {
    Requests,
    Limits,
}

impl AmountKind {
    const fn field(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Limits => "limits",
        }
    }
}

/// The amounts in `resources` of a container or a pod. Invalid quantities are left out: the API
/// server rejects them anyway, and a note names them.
pub(super) fn own(holder: &Value, side: AmountKind) -> Amounts {
    let list = holder.get("resources").and_then(|resources| resources.get(side.field()));
    let mut amounts = Amounts::new();
    for (resource, amount) in list.and_then(Value::as_object).into_iter().flatten() {
        let text = match amount {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if let Ok(quantity) = Quantity::parse(&text) {
            amounts.insert(resource.clone(), quantity);
        }
    }
    amounts
}

/// The containers in a list of a pod's spec.
pub(super) fn containers<'s>(spec: &'s Map<String, Value>, list: &str) -> &'s [Value] {
    spec.get(list).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The amounts of a whole pod: the sum of its containers, or what an init container needs while it
/// runs, if that is more. Amounts of the pod itself replace them.
///
/// Upstream: `podRequests` and `podLimits` of `plugin/pkg/admission/limitranger/admission.go`
/// (1.37).
pub(super) fn of_pod(spec: &Map<String, Value>, side: AmountKind) -> Amounts {
    let mut sum = Amounts::new();
    for container in containers(spec, "containers") {
        add(&mut sum, &own(container, side));
    }

    // Sidecars keep running, so they count with the containers and with everything that starts
    // later.
    let (mut sidecars, mut most) = (Amounts::new(), Amounts::new());
    for container in containers(spec, "initContainers") {
        let own = own(container, side);
        let mut at_once = sidecars.clone();
        add(&mut at_once, &own);
        let restart = container.get("restartPolicy").and_then(Value::as_str);
        if restart == Some("Always") {
            add(&mut sum, &own);
            add(&mut sidecars, &own);
        }
        raise(&mut most, &at_once);
    }
    raise(&mut sum, &most);

    let of_pod = own(&Value::Object(spec.clone()), side);
    let replaced =
        of_pod.into_iter().filter(|(resource, _)| ["cpu", "memory"].contains(&resource.as_str()));
    sum.extend(replaced);
    sum
}

fn add(sum: &mut Amounts, more: &Amounts) {
    for (resource, amount) in more {
        *sum.entry(resource.clone()).or_insert(Quantity::ZERO) += *amount;
    }
}

/// Raises each amount to that of `other`, if that is more.
fn raise(most: &mut Amounts, other: &Amounts) {
    for (resource, amount) in other {
        let highest = most.entry(resource.clone()).or_insert(*amount);
        if amount.amount_cmp(*highest).is_gt() {
            *highest = *amount;
        }
    }
}
