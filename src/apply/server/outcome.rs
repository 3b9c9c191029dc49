//! The meaning of a response to a write: whether the server executed it, and whether it may be
//! retried. Pure functions from bodies to outcomes.
//!
//! Upstream: `pkg/registry/core/pod/storage/eviction.go`,
//! `staging/src/k8s.io/apiserver/pkg/server/filters` (1.37).

use std::time::Duration;

use http::StatusCode;
use k8s_openapi::Resource as _;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Status};
use serde::Deserialize;

use crate::api::writer::{Lost, Reply};
use engine::object_only;
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

/// What the body of a response is.
enum Body {
    Status(Status),
    /// Another object of the API.
    Object(ObjectHead),
    /// None of the API, such as the page of a proxy.
    Foreign,
}

/// What is read of an object that is no Status.
#[derive(Deserialize)]
#[serde(remote = "Self")]
struct ObjectHead {
    kind: String,
    #[serde(default)]
    metadata: ObjectMeta,
}

object_only!(decode ObjectHead);

impl Body {
    fn decode(body: &str) -> Self {
        // A Status without a kind would be any object.
        match serde_json::from_str::<ObjectHead>(body) {
            Ok(head) if head.kind == Status::KIND => {
                serde_json::from_str(body).map_or(Self::Foreign, Self::Status)
            }
            Ok(head) if !head.kind.is_empty() => Self::Object(head),
            Ok(_) | Err(_) => Self::Foreign,
        }
    }

    /// The UID of the pod that it is about, if it says so. An Event's own UID is ignored.
    fn uid(&self) -> Option<&str> {
        let uid = match self {
            Self::Status(status) => status.details.as_ref()?.uid.as_deref(),
            Self::Object(head) if ["Pod", "Eviction"].contains(&head.kind.as_str()) => {
                head.metadata.uid.as_deref()
            }
            Self::Object(_) | Self::Foreign => None,
        };
        uid.filter(|uid| !uid.is_empty())
    }
}

/// The message of the cause with this reason.
fn cause<'s>(status: &'s Status, reason: &str) -> Option<&'s str> {
    let causes = status.details.as_ref()?.causes.as_ref()?;
    let cause = causes.iter().find(|cause| cause.reason.as_deref() == Some(reason))?;
    Some(cause.message.as_deref().unwrap_or_default())
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
            if Body::decode(&reply.body).uid().is_some_and(|uid| uid != pod.uid) =>
        {
            WriteOutcome::Unknown(format!("answered {} about a pod with another UID", reply.status))
        }
        (outcome, _) => outcome,
    }
}

fn of_reply(reply: &Reply) -> WriteOutcome {
    let (is_api, is_other_object, status) = match Body::decode(&reply.body) {
        Body::Status(status) => (true, false, status),
        Body::Object(_) => (true, true, Status::default()),
        Body::Foreign => (false, false, Status::default()),
    };
    let text = message(&status, &reply.body);
    match reply.status {
        code if code.is_success() => {
            // The login page of a proxy also has status 200.
            if is_other_object || status.status.as_deref() == Some("Success") {
                WriteOutcome::Accepted
            } else {
                WriteOutcome::Unknown(format!("answered {code} without saying what: {text}"))
            }
        }
        StatusCode::TOO_MANY_REQUESTS => match cause(&status, "DisruptionBudget") {
            Some(cause) => {
                let message = status.message.as_deref().unwrap_or_default();
                let text = shortened(&format!("{message} {cause}"));
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
        StatusCode::NOT_FOUND if is_api => {
            let name = status.details.and_then(|details| details.name);
            if name.is_some_and(|name| !name.is_empty()) {
                WriteOutcome::NotFound(text)
            } else {
                WriteOutcome::NoSuchApi(text)
            }
        }
        StatusCode::FORBIDDEN if cause(&status, "NamespaceTerminating").is_some() => {
            WriteOutcome::NamespaceTerminating(text)
        }
        StatusCode::CONFLICT if is_api && text.contains("UID in") => WriteOutcome::Replaced(text),
        StatusCode::CONFLICT if is_api => WriteOutcome::Conflict(text),
        // The UID in a patch differs from that of the pod.
        StatusCode::UNPROCESSABLE_ENTITY if text.contains("metadata.uid") => {
            WriteOutcome::Replaced(text)
        }
        code if code.is_client_error() && code != StatusCode::REQUEST_TIMEOUT => {
            let reason = status.reason.filter(|reason| !reason.is_empty());
            WriteOutcome::Refused { reason: reason.unwrap_or_else(|| code.to_string()), text }
        }
        // 408, 5xx, redirects: the server may have executed the request before this response.
        code => WriteOutcome::Unknown(format!("answered {code}: {text}")),
    }
}

fn message(status: &Status, body: &str) -> String {
    let text = status.message.as_deref().filter(|text| !text.is_empty()).unwrap_or(body);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no message");
    shortened(line)
}

fn shortened(text: &str) -> String {
    text.trim().chars().take(MAX_TEXT).collect()
}

#[cfg(test)]
mod tests;
