//! Requests the server's version and health, the user's identity, and access reviews.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use http::StatusCode;
use k8s_openapi::Resource as _;
use k8s_openapi::api::authentication::v1::{SelfSubjectReview, SelfSubjectReviewStatus, UserInfo};
use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec,
    SubjectAccessReviewStatus,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResourceList;
use k8s_openapi::apimachinery::pkg::version::Info;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::client::{HttpAnswer, Reader};
use super::failure;
use crate::error::Error;
use answers::doctor::access::{AccessDecision, Identity, Permission, ServerHealth};
use engine::snapshot::Kind;

/// Number of concurrent requests; each uses a connection.
const PARALLEL: usize = 4;
const ACCESS_REVIEW: &str = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
/// The versions of `SelfSubjectReview`, newest first: served since 1.28, 1.27 and 1.26.
const WHO_AM_I: [&str; 3] = ["v1", "v1beta1", "v1alpha1"];
/// The paths of the health check: since 1.16, and before.
const HEALTH: [&str; 2] = ["/readyz", "/healthz"];

/// The server's version; `None` if the response has none. As the first request, it reports
/// connection errors.
///
/// # Errors
/// When the server cannot be reached or rejects the credentials.
pub(crate) async fn version(reader: &Reader) -> Result<Option<String>, Error> {
    let answer = reader.get("/version").await?;
    match answer.status {
        StatusCode::UNAUTHORIZED => Err(failure::from_answer(&answer, None, &reader.peer)),
        StatusCode::OK => {
            let info: Info = serde_json::from_str(&answer.body).unwrap_or_default();
            Ok(Some(info.git_version).filter(|version| !version.is_empty()))
        }
        _ => Ok(None),
    }
}

/// Whether the server is ready, and the latency of its response.
pub(crate) async fn health(reader: &Reader) -> (ServerHealth, Duration) {
    let mut last = (ServerHealth::Unknown("it has no /readyz".to_owned()), Duration::ZERO);
    for path in HEALTH {
        let since = Instant::now();
        let answer = reader.get(path).await;
        let health = match answer {
            Ok(answer) if answer.status == StatusCode::NOT_FOUND => continue,
            Ok(answer) => state(&answer),
            Err(e) => ServerHealth::Unknown(e.to_string()),
        };
        last = (health, since.elapsed());
        break;
    }
    last
}

fn state(answer: &HttpAnswer) -> ServerHealth {
    match answer.status {
        StatusCode::OK => ServerHealth::Ready,
        StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED => {
            ServerHealth::Unknown(failure::server_message(answer))
        }
        _ => {
            // `[-]etcd failed: reason withheld`
            let failing = answer.body.lines().filter_map(|line| line.strip_prefix("[-]"));
            let failing: Vec<String> =
                failing.map(|line| line.trim().chars().take(200).collect()).collect();
            if failing.is_empty() {
                ServerHealth::NotReady(vec![format!(
                    "{}: {}",
                    answer.status,
                    failure::server_message(answer)
                )])
            } else {
                ServerHealth::NotReady(failing)
            }
        }
    }
}

/// A review with its answer. The versions of a review have the same status.
#[derive(Deserialize)]
struct Reviewed<S> {
    status: Option<S>,
}

fn status<S: DeserializeOwned>(body: &str) -> Option<S> {
    serde_json::from_str::<Reviewed<S>>(body).ok()?.status
}

/// The user as whom the server authenticates this client.
pub(crate) async fn who_am_i(reader: &Reader) -> Identity {
    for version in WHO_AM_I {
        let group = format!("authentication.k8s.io/{version}");
        let review = json!({"apiVersion": group, "kind": SelfSubjectReview::KIND}).to_string();
        let answer =
            match reader.review(&format!("/apis/{group}/selfsubjectreviews"), &review).await {
                Ok(answer) if answer.status == StatusCode::NOT_FOUND => continue,
                Ok(answer) => answer,
                Err(e) => return Identity::Unknown(e.to_string()),
            };
        // Only a version that the server lacks is a reason to try an older one.
        if !answer.status.is_success() {
            return Identity::Unknown(failure::server_message(&answer));
        }
        let info = status::<SelfSubjectReviewStatus>(&answer.body).and_then(|s| s.user_info);
        let UserInfo { username, uid, groups, .. } = info.unwrap_or_default();
        return match username.filter(|name| !name.is_empty()) {
            Some(user) => Identity::Known {
                user,
                uid: uid.unwrap_or_default(),
                groups: groups.unwrap_or_default(),
            },
            None => Identity::Unknown("the answer names no user".to_owned()),
        };
    }
    Identity::Unknown("servers before 1.26 do not say".to_owned())
}

/// Whether this user has `permission` in `namespace`, or in all namespaces.
pub(crate) async fn may(
    reader: &Reader,
    permission: Permission,
    namespace: Option<&str>,
) -> AccessDecision {
    let Permission { verb, group, resource, subresource } = permission;
    may_on(reader, [verb, group, resource, subresource], namespace).await
}

/// The same for a permission on a resource that only the server knows: verb, group, resource and
/// subresource.
pub(crate) async fn may_on(
    reader: &Reader,
    [verb, group, resource, subresource]: [&str; 4],
    namespace: Option<&str>,
) -> AccessDecision {
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let attributes = ResourceAttributes {
        verb: text(verb),
        group: Some(group.to_owned()),
        resource: text(resource),
        subresource: text(subresource),
        namespace: namespace.and_then(text),
        ..ResourceAttributes::default()
    };
    let review = SelfSubjectAccessReview {
        spec: SelfSubjectAccessReviewSpec {
            resource_attributes: Some(attributes),
            ..SelfSubjectAccessReviewSpec::default()
        },
        ..SelfSubjectAccessReview::default()
    };
    // It has nothing but texts.
    let review = serde_json::to_string(&review).unwrap_or_default();
    match reader.review(ACCESS_REVIEW, &review).await {
        Ok(answer) if answer.status.is_success() => judge(&answer.body),
        Ok(answer) => AccessDecision::Unknown(failure::server_message(&answer)),
        Err(e) => AccessDecision::Unknown(e.to_string()),
    }
}

fn judge(body: &str) -> AccessDecision {
    let Some(status) = status::<SubjectAccessReviewStatus>(body) else {
        return AccessDecision::Unknown("the answer is no access review".to_owned());
    };
    let reason = status.reason.unwrap_or_default();
    match (status.allowed, status.denied) {
        (true, _) => AccessDecision::Allowed(reason),
        (false, Some(true)) => AccessDecision::Forbidden(reason),
        // An authorizer that failed might have allowed it.
        (false, Some(false) | None) => match status.evaluation_error {
            Some(error) if !error.is_empty() => AccessDecision::Unknown(error),
            Some(_) | None => AccessDecision::Denied(reason),
        },
    }
}

/// The decision for each permission, in order. Resources that are not served are not reviewed:
/// authorizers do not know which are.
pub(crate) async fn answers(
    reader: &Reader,
    questions: &[(Permission, Option<String>)],
) -> Vec<(Permission, AccessDecision)> {
    let served = Served::find(reader, questions).await;
    let answers = questions.iter().map(|(permission, namespace)| async {
        let answer = if served.lacks(*permission) {
            AccessDecision::NotServed
        } else {
            may(reader, *permission, namespace.as_deref()).await
        };
        (*permission, answer)
    });
    futures::stream::iter(answers).buffered(PARALLEL).collect().await
}

/// The resources of each version of an API group; `None` where discovery failed.
struct Served(BTreeMap<(&'static str, &'static str), Option<Vec<String>>>);

/// The versions of its group under which a resource is used, newest first.
fn versions(permission: Permission) -> &'static [&'static str] {
    let kind = Kind::ALL
        .into_iter()
        .find(|k| k.group() == permission.group && k.plural() == permission.resource);
    kind.map_or(&["v1"], Kind::versions)
}

impl Served {
    async fn find(reader: &Reader, questions: &[(Permission, Option<String>)]) -> Self {
        let mut wanted: Vec<(&str, &str)> = questions
            .iter()
            .flat_map(|(p, _)| versions(*p).iter().map(|version| (p.group, *version)))
            .collect();
        wanted.sort_unstable();
        wanted.dedup();
        let lists = wanted.into_iter().map(|(group, version)| async move {
            ((group, version), resources(reader, group, version).await)
        });
        Self(futures::stream::iter(lists).buffered(PARALLEL).collect().await)
    }

    /// Whether discovery shows that no usable version serves the resource.
    fn lacks(&self, permission: Permission) -> bool {
        let name = permission.rule_resource();
        versions(permission).iter().all(|version| {
            let list = self.0.get(&(permission.group, *version)).and_then(Option::as_ref);
            list.is_some_and(|names| !names.contains(&name))
        })
    }
}

async fn resources(reader: &Reader, group: &str, version: &str) -> Option<Vec<String>> {
    let path = if group.is_empty() {
        format!("/api/{version}")
    } else {
        format!("/apis/{group}/{version}")
    };
    let answer = reader.get(&path).await.ok()?;
    match answer.status {
        StatusCode::NOT_FOUND => Some(Vec::new()),
        StatusCode::OK => {
            let list: APIResourceList = serde_json::from_str(&answer.body).ok()?;
            Some(list.resources.into_iter().map(|resource| resource.name).collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reviews_are_read_as_authorizers_mean_them() {
        for (body, answer) in [
            (
                r#"{"status":{"allowed":true,"reason":"RBAC: allowed"}}"#,
                AccessDecision::Allowed("RBAC: allowed".to_owned()),
            ),
            (r#"{"status":{"allowed":false}}"#, AccessDecision::Denied(String::new())),
            (
                r#"{"status":{"allowed":false,"denied":true,"reason":"x"}}"#,
                AccessDecision::Forbidden("x".to_owned()),
            ),
            (
                r#"{"status":{"allowed":false,"evaluationError":"e"}}"#,
                AccessDecision::Unknown("e".to_owned()),
            ),
            ("<html>", AccessDecision::Unknown("the answer is no access review".to_owned())),
            ("{}", AccessDecision::Unknown("the answer is no access review".to_owned())),
        ] {
            assert_eq!(judge(body), answer, "{body}");
        }
    }

    #[test]
    fn checks_that_fail_are_named() {
        let answer = |status, body: &str| state(&HttpAnswer { status, body: body.to_owned() });
        assert_eq!(answer(StatusCode::OK, "ok"), ServerHealth::Ready);
        let body = "[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n";
        let failing = ServerHealth::NotReady(vec!["etcd failed: reason withheld".to_owned()]);
        assert_eq!(answer(StatusCode::INTERNAL_SERVER_ERROR, body), failing);
        assert!(matches!(answer(StatusCode::FORBIDDEN, "no"), ServerHealth::Unknown(_)));
    }

    #[test]
    fn resource_is_missing_only_if_no_served_version_has_it() {
        let rules = Permission {
            verb: "list",
            group: "resource.k8s.io",
            resource: "devicetaintrules",
            subresource: "",
        };
        let served = |v1: Option<&[&str]>, beta: Option<&[&str]>| {
            let names =
                |list: Option<&[&str]>| list.map(|l| l.iter().map(|n| (*n).to_owned()).collect());
            Served(
                [
                    (("resource.k8s.io", "v1"), names(v1)),
                    (("resource.k8s.io", "v1beta2"), names(beta)),
                ]
                .into(),
            )
        };
        assert!(served(Some(&[]), Some(&["deviceclasses"])).lacks(rules));
        assert!(!served(Some(&[]), Some(&["devicetaintrules"])).lacks(rules));
        assert!(!served(Some(&[]), None).lacks(rules));
    }
}
