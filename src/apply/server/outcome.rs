//! The meaning of a response to a write: whether the server executed it, and whether it may be
//! retried. Pure functions from bodies to outcomes.
//!
//! Upstream: `pkg/registry/core/pod/storage/eviction.go`,
//! `staging/src/k8s.io/apiserver/pkg/server/filters` (1.37).

use std::time::Duration;

use http::StatusCode;
use serde_json::Value;

use crate::api::writer::{Lost, Reply};
use engine::simulation::plan::PodId;

/// Maximum length of a stored message, in characters.
const MAX_TEXT: usize = 600;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteOutcome {
    /// The server executed it.
    Accepted,
    /// A PodDisruptionBudget blocks it for now: not executed.
    Budget {
        text: String,
        /// When to retry, if the server specifies it.
        retry_after: Option<Duration>,
    },
    /// Several disruption budgets select the pod: the eviction API never evicts it.
    SeveralBudgets(String),
    /// The server is overloaded: not executed.
    Busy {
        text: String,
        /// When to retry, if the server specifies it.
        retry_after: Option<Duration>,
    },
    /// There is no such pod.
    NotFound(String),
    /// The path does not exist, and the response names no object: a server without this API, or no
    /// such pod.
    NoSuchApi(String),
    /// The pod with that name has another UID.
    Replaced(String),
    /// Another client changed the pod concurrently: not executed.
    Conflict(String),
    /// The namespace is terminating, and the pod with it.
    NamespaceTerminating(String),
    /// The server rejected it as forbidden or invalid: not executed.
    Refused {
        /// `Forbidden`, `Invalid`, …
        reason: String,
        text: String,
    },
    /// There was no connection: not executed.
    NotSent(String),
    /// It may have been executed, or may still be.
    Unknown(String),
}

impl WriteOutcome {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Accepted => "Accepted",
            Self::Budget { .. } => "BlockedByBudget",
            Self::SeveralBudgets(_) => "SeveralBudgets",
            Self::Busy { .. } => "Busy",
            Self::NotFound(_) | Self::NoSuchApi(_) => "NotFound",
            Self::Replaced(_) => "Replaced",
            Self::Conflict(_) => "Conflict",
            Self::NamespaceTerminating(_) => "NamespaceTerminating",
            Self::Refused { .. } => "Refused",
            Self::NotSent(_) => "NotSent",
            Self::Unknown(_) => "Unknown",
        }
    }

    /// The message; empty if there is none.
    pub(in crate::apply) fn text(&self) -> &str {
        match self {
            Self::Accepted => "",
            Self::Budget { text, .. }
            | Self::Busy { text, .. }
            | Self::Refused { text, .. }
            | Self::SeveralBudgets(text)
            | Self::NotFound(text)
            | Self::NoSuchApi(text)
            | Self::Replaced(text)
            | Self::Conflict(text)
            | Self::NamespaceTerminating(text)
            | Self::NotSent(text)
            | Self::Unknown(text) => text,
        }
    }
}

/// `metav1.Status`, or another object: only its kind.
#[derive(Debug, Default)]
struct Status {
    kind: String,
    /// `Success` or `Failure`; empty for other objects, whose `status` is no string.
    result: String,
    message: String,
    reason: String,
    /// Whether `details` identify an object.
    names_object: bool,
    causes: Vec<(String, String)>,
}

impl Status {
    fn decode(body: &str) -> Self {
        let json: Value = serde_json::from_str(body).unwrap_or_default();
        let text = |json: &Value, field: &str| {
            json.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let causes = json
            .pointer("/details/causes")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        Self {
            kind: text(&json, "kind"),
            result: text(&json, "status"),
            message: text(&json, "message"),
            reason: text(&json, "reason"),
            names_object: json
                .pointer("/details/name")
                .and_then(Value::as_str)
                .is_some_and(|name| !name.is_empty()),
            causes: causes
                .iter()
                .map(|cause| (text(cause, "reason"), text(cause, "message")))
                .collect(),
        }
    }

    /// The message of the cause with this reason.
    fn cause(&self, reason: &str) -> Option<&str> {
        self.causes.iter().find(|(name, _)| name == reason).map(|(_, message)| message.as_str())
    }
}

/// The outcome of a write with this response.
pub(in crate::apply) fn of(answer: &Result<Reply, Lost>) -> WriteOutcome {
    match answer {
        Ok(reply) => of_reply(reply),
        Err(Lost::NotSent(text)) => WriteOutcome::NotSent(shortened(text)),
        Err(Lost::NoAnswer(text)) => WriteOutcome::Unknown(shortened(text)),
    }
}

/// The outcome of a write about `pod` with this response. A success about another pod does not
/// count.
pub(in crate::apply) fn about(pod: &PodId, answer: &Result<Reply, Lost>) -> WriteOutcome {
    match (of(answer), answer) {
        (WriteOutcome::Accepted, Ok(reply))
            if uid_in(&reply.body).is_some_and(|uid| uid != pod.uid) =>
        {
            WriteOutcome::Unknown(format!("answered {} about a pod with another UID", reply.status))
        }
        (outcome, _) => outcome,
    }
}

/// The UID of the pod that a body is about, if present. An Event's own UID is ignored.
fn uid_in(body: &str) -> Option<String> {
    let json: Value = serde_json::from_str(body).ok()?;
    let field = match json.get("kind")?.as_str()? {
        "Pod" | "Eviction" => "/metadata/uid",
        "Status" => "/details/uid",
        _ => return None,
    };
    json.pointer(field)?.as_str().filter(|uid| !uid.is_empty()).map(str::to_owned)
}

fn of_reply(reply: &Reply) -> WriteOutcome {
    let status = Status::decode(&reply.body);
    let is_api = !status.kind.is_empty();
    let text = message(&status, &reply.body);
    match reply.status {
        code if code.is_success() => {
            // The login page of a proxy also has status 200.
            let done = is_api && (status.kind != "Status" || status.result == "Success");
            if done {
                WriteOutcome::Accepted
            } else {
                WriteOutcome::Unknown(format!("answered {code} without saying what: {text}"))
            }
        }
        StatusCode::TOO_MANY_REQUESTS => match status.cause("DisruptionBudget") {
            Some(cause) => {
                let text = shortened(&format!("{} {}", status.message, cause));
                WriteOutcome::Budget { text, retry_after: reply.retry_after }
            }
            None => WriteOutcome::Busy { text, retry_after: reply.retry_after },
        },
        // Any other 500 may come from a proxy although the server executed the request.
        StatusCode::INTERNAL_SERVER_ERROR
            if is_api && text.contains("more than one PodDisruptionBudget") =>
        {
            WriteOutcome::SeveralBudgets(text)
        }
        StatusCode::NOT_FOUND if is_api && status.names_object => WriteOutcome::NotFound(text),
        StatusCode::NOT_FOUND if is_api => WriteOutcome::NoSuchApi(text),
        StatusCode::FORBIDDEN if status.cause("NamespaceTerminating").is_some() => {
            WriteOutcome::NamespaceTerminating(text)
        }
        StatusCode::CONFLICT if is_api && text.contains("UID in") => WriteOutcome::Replaced(text),
        StatusCode::CONFLICT if is_api => WriteOutcome::Conflict(text),
        // The UID in a patch differs from that of the pod.
        StatusCode::UNPROCESSABLE_ENTITY if text.contains("metadata.uid") => {
            WriteOutcome::Replaced(text)
        }
        code if code.is_client_error() && code != StatusCode::REQUEST_TIMEOUT => {
            let reason = if status.reason.is_empty() { code.to_string() } else { status.reason };
            WriteOutcome::Refused { reason, text }
        }
        // 408, 5xx, redirects: the server may have executed the request before this response.
        code => WriteOutcome::Unknown(format!("answered {code}: {text}")),
    }
}

fn message(status: &Status, body: &str) -> String {
    let text = if status.message.is_empty() { body } else { &status.message };
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no message");
    shortened(line)
}

fn shortened(text: &str) -> String {
    text.trim().chars().take(MAX_TEXT).collect()
}

#[cfg(test)]
mod tests;
