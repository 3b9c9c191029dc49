//! What an answer to a write means: whether it was carried out, and what may be done next. Pure: bodies in, meaning out.
//!
//! Upstream: `pkg/registry/core/pod/storage/eviction.go`, `staging/src/k8s.io/apiserver/pkg/server/filters` (1.37).

use std::time::Duration;

use http::StatusCode;
use serde_json::Value;

use crate::api::writer::{Lost, Reply};

/// Longest piece of a server's answer that is kept.
const MAX_TEXT: usize = 600;

/// What became of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was carried out.
    Accepted,
    /// A budget forbids it for now: not carried out.
    Budget {
        /// What the server says.
        text: String,
        /// When to come back, if it says.
        retry_after: Option<Duration>,
    },
    /// Several budgets select the pod: never carried out.
    SeveralBudgets(String),
    /// The server has too much to do, and did not look at the request.
    Busy {
        /// What it says.
        text: String,
        /// When to come back, if it says.
        retry_after: Option<Duration>,
    },
    /// There is no such pod.
    NotFound(String),
    /// The pod of that name has another UID.
    Replaced(String),
    /// Somebody else wrote at the same time: not carried out.
    Conflict(String),
    /// The namespace is being deleted, and the pod with it.
    NamespaceTerminating(String),
    /// May not be done, or makes no sense to the server: not carried out.
    Refused {
        /// `Forbidden`, `Invalid`, …
        reason: String,
        /// What it says.
        text: String,
    },
    /// There was no connection: not carried out.
    NotSent(String),
    /// May have been carried out, may be yet.
    Unknown(String),
}

impl Outcome {
    /// Its name in JSON.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Accepted => "Accepted",
            Self::Budget { .. } => "BlockedByBudget",
            Self::SeveralBudgets(_) => "SeveralBudgets",
            Self::Busy { .. } => "Busy",
            Self::NotFound(_) => "NotFound",
            Self::Replaced(_) => "Replaced",
            Self::Conflict(_) => "Conflict",
            Self::NamespaceTerminating(_) => "NamespaceTerminating",
            Self::Refused { .. } => "Refused",
            Self::NotSent(_) => "NotSent",
            Self::Unknown(_) => "Unknown",
        }
    }

    /// What was said, if anything.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Accepted => "",
            Self::Budget { text, .. }
            | Self::Busy { text, .. }
            | Self::Refused { text, .. }
            | Self::SeveralBudgets(text)
            | Self::NotFound(text)
            | Self::Replaced(text)
            | Self::Conflict(text)
            | Self::NamespaceTerminating(text)
            | Self::NotSent(text)
            | Self::Unknown(text) => text,
        }
    }
}

/// `metav1.Status`, or an object of which only the kind matters.
#[derive(Debug, Default)]
struct Status {
    kind: String,
    /// `Success` or `Failure`; an object's status is something else.
    verdict: String,
    message: String,
    reason: String,
    causes: Vec<(String, String)>,
}

impl Status {
    fn read(body: &str) -> Self {
        let json: Value = serde_json::from_str(body).unwrap_or_default();
        let text = |json: &Value, field: &str| json.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let causes = json.pointer("/details/causes").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        Self {
            kind: text(&json, "kind"),
            verdict: text(&json, "status"),
            message: text(&json, "message"),
            reason: text(&json, "reason"),
            causes: causes.iter().map(|cause| (text(cause, "reason"), text(cause, "message"))).collect(),
        }
    }

    /// The message of the cause of that name.
    fn cause(&self, reason: &str) -> Option<&str> {
        self.causes.iter().find(|(name, _)| name == reason).map(|(_, message)| message.as_str())
    }
}

/// What `answer` to a write means.
pub(super) fn of(answer: &Result<Reply, Lost>) -> Outcome {
    match answer {
        Ok(reply) => of_reply(reply),
        Err(Lost::NotSent(text)) => Outcome::NotSent(shortened(text)),
        Err(Lost::NoAnswer(text)) => Outcome::Unknown(shortened(text)),
    }
}

fn of_reply(reply: &Reply) -> Outcome {
    let status = Status::read(&reply.body);
    let is_api = !status.kind.is_empty();
    let text = told(&status, &reply.body);
    match reply.status {
        code if code.is_success() => {
            // A login page says 200, too.
            let done = is_api && (status.kind != "Status" || status.verdict == "Success");
            if done {
                Outcome::Accepted
            } else {
                Outcome::Unknown(format!("answered {code} without saying what: {text}"))
            }
        }
        StatusCode::TOO_MANY_REQUESTS => match status.cause("DisruptionBudget") {
            Some(cause) => {
                let text = shortened(&format!("{} {}", status.message, cause));
                Outcome::Budget { text, retry_after: reply.retry_after }
            }
            None => Outcome::Busy { text, retry_after: reply.retry_after },
        },
        // Without these words, of the API itself, such an answer may be a proxy's about a request that went through.
        StatusCode::INTERNAL_SERVER_ERROR if is_api && text.contains("more than one PodDisruptionBudget") => {
            Outcome::SeveralBudgets(text)
        }
        StatusCode::NOT_FOUND if is_api => Outcome::NotFound(text),
        StatusCode::FORBIDDEN if status.cause("NamespaceTerminating").is_some() => Outcome::NamespaceTerminating(text),
        StatusCode::CONFLICT if is_api && text.contains("UID in") => Outcome::Replaced(text),
        StatusCode::CONFLICT if is_api => Outcome::Conflict(text),
        // The UID of a patch differs from the object's.
        StatusCode::UNPROCESSABLE_ENTITY if text.contains("metadata.uid") => Outcome::Replaced(text),
        code if code.is_client_error() && code != StatusCode::REQUEST_TIMEOUT => {
            let reason = if status.reason.is_empty() { code.to_string() } else { status.reason };
            Outcome::Refused { reason, text }
        }
        // 408, 5xx, redirections: whoever answered may have been told by somebody who did it.
        code => Outcome::Unknown(format!("answered {code}: {text}")),
    }
}

fn told(status: &Status, body: &str) -> String {
    let text = if status.message.is_empty() { body } else { &status.message };
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no message");
    shortened(line)
}

fn shortened(text: &str) -> String {
    text.trim().chars().take(MAX_TEXT).collect()
}

#[cfg(test)]
mod tests;
