//! What the user must be allowed to do for a plan, and whether the server says so: a `SelfSubjectAccessReview` for each
//! verb. (`SelfSubjectRulesReview` may be incomplete, and says of itself not to decide by it.)

use std::collections::BTreeSet;

use futures::StreamExt as _;
use serde::Deserialize;
use serde_json::json;

use super::{ApplyOptions, Mode};
use crate::api::client::Reader;
use crate::simulation::plan::Plan;

const REVIEWS: &str = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
/// Reviews that are asked for at the same time.
const PARALLEL: usize = 4;

/// Something that one may be allowed to do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Need {
    /// Namespace.
    pub namespace: String,
    /// Verb.
    pub verb: &'static str,
    /// API group.
    pub group: &'static str,
    /// Plural resource.
    pub resource: &'static str,
    /// Subresource, or nothing.
    pub subresource: &'static str,
    /// What it is for.
    pub purpose: Purpose,
}

/// What a permission is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Purpose {
    /// Nothing goes without.
    Must,
    /// Waiting without looking again and again.
    Watch,
    /// The condition on a victim.
    Condition,
    /// The event on a victim.
    Event,
}

/// What the server says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Allowed {
    /// Yes.
    Yes,
    /// No.
    No,
    /// It does not say.
    Unknown(String),
}

impl Need {
    /// As kubectl says it: `create pods/eviction in namespace a`.
    pub(super) fn text(&self) -> String {
        let slash = if self.subresource.is_empty() { "" } else { "/" };
        let group = if self.group.is_empty() { String::new() } else { format!(".{}", self.group) };
        let Self { verb, resource, subresource, namespace, .. } = self;
        format!("{verb} {resource}{group}{slash}{subresource} in namespace {namespace}")
    }

    fn review(&self) -> String {
        json!({
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {
                "namespace": self.namespace, "verb": self.verb, "group": self.group,
                "resource": self.resource, "subresource": self.subresource,
            }},
        })
        .to_string()
    }
}

/// Everything that `plan` needs, each once.
pub(super) fn needs(plan: &Plan, options: &ApplyOptions) -> BTreeSet<Need> {
    let mut needs = BTreeSet::new();
    let mut add = |namespace: &str, verb, group, resource, subresource, purpose| {
        needs.insert(Need { namespace: namespace.to_owned(), verb, group, resource, subresource, purpose });
    };
    let preemptor = plan.preemptor.pod.namespace.as_str();
    let victims: BTreeSet<&str> = plan.victims.iter().map(|victim| victim.pod.namespace.as_str()).collect();
    for namespace in victims.iter().copied().chain([preemptor]) {
        add(namespace, "get", "", "pods", "", Purpose::Must);
        if options.wait {
            add(namespace, "watch", "", "pods", "", Purpose::Watch);
        }
    }
    for namespace in victims {
        match options.mode {
            Mode::Evict => add(namespace, "create", "", "pods", "eviction", Purpose::Must),
            Mode::Delete => {
                add(namespace, "delete", "", "pods", "", Purpose::Must);
                add(namespace, "patch", "", "pods", "status", Purpose::Condition);
            }
        }
        if options.record {
            add(namespace, "create", "events.k8s.io", "events", "", Purpose::Event);
        }
    }
    if options.nominate {
        add(preemptor, "patch", "", "pods", "status", Purpose::Must);
    }
    needs
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Review {
    status: ReviewStatus,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ReviewStatus {
    allowed: Option<bool>,
    evaluation_error: String,
}

fn read(status: http::StatusCode, body: &str) -> Allowed {
    let review: Review = serde_json::from_str(body).unwrap_or_default();
    match review.status.allowed {
        Some(true) if status.is_success() => Allowed::Yes,
        Some(false) if status.is_success() && review.status.evaluation_error.is_empty() => Allowed::No,
        Some(_) | None if review.status.evaluation_error.is_empty() => Allowed::Unknown(format!("it answers {status}")),
        Some(_) | None => Allowed::Unknown(review.status.evaluation_error),
    }
}

/// Asks for all of `needs`.
pub(super) async fn ask(reader: &Reader, needs: BTreeSet<Need>) -> Vec<(Need, Allowed)> {
    let questions = needs.into_iter().map(|need| async {
        let allowed = match reader.review(REVIEWS, &need.review()).await {
            Ok(answer) => read(answer.status, &answer.body),
            Err(error) => Allowed::Unknown(error.to_string()),
        };
        (need, allowed)
    });
    futures::stream::iter(questions).buffered(PARALLEL).collect().await
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;

    #[test]
    fn answers_of_a_real_server() {
        let allowed = r#"{"kind":"SelfSubjectAccessReview","status":{"allowed":true,"reason":"RBAC: allowed by"}}"#;
        let denied = r#"{"kind":"SelfSubjectAccessReview","status":{"allowed":false}}"#;
        let unsure = r#"{"status":{"allowed":false,"evaluationError":"the webhook does not answer"}}"#;
        assert_eq!(read(StatusCode::CREATED, allowed), Allowed::Yes);
        assert_eq!(read(StatusCode::CREATED, denied), Allowed::No);
        assert_eq!(read(StatusCode::CREATED, unsure), Allowed::Unknown("the webhook does not answer".to_owned()));
        assert_eq!(read(StatusCode::FORBIDDEN, "{}"), Allowed::Unknown("it answers 403 Forbidden".to_owned()));
        assert_eq!(read(StatusCode::OK, "<html>"), Allowed::Unknown("it answers 200 OK".to_owned()));
    }
}
