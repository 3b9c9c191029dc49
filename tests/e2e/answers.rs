//! What an API server answers when it does not do what it is asked: bodies as real ones have
//! written them.

use serde_json::{Value, json};

use crate::proxy::Fault;

/// A `Status` of failure.
pub fn status(code: u16, reason: &str, message: &str) -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message,
        "reason": reason, "code": code})
}

/// An answer with such a body.
pub fn failure(code: u16, reason: &str, message: &str) -> Fault {
    Fault::Answer {
        code,
        headers: &[("Content-Type", "application/json")],
        body: status(code, reason, message),
    }
}

/// An eviction that a budget forbids, as the eviction API says it.
pub fn blocked() -> Fault {
    let mut body = status(
        429,
        "TooManyRequests",
        "Cannot evict pod as it would violate the pod's disruption budget.",
    );
    body["details"] = json!({"causes": [{"reason": "DisruptionBudget",
        "message": "The disruption budget guard needs 2 healthy pods and has 2 currently"}]});
    Fault::Answer { code: 429, headers: &[("Content-Type", "application/json")], body }
}

/// Too many requests, said by priority and fairness: plain text.
pub fn overloaded() -> Fault {
    let headers: &[_] = &[("Content-Type", "text/plain; charset=utf-8"), ("Retry-After", "1")];
    Fault::Answer {
        code: 429,
        headers,
        body: json!("Too many requests, please try again later.\n"),
    }
}
