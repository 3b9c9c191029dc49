//! Every kind of answer of a server or a proxy. Bodies marked as real were recorded from a 1.37.1
//! server.

use super::*;

fn reply(status: u16, retry_after: Option<u64>, body: &str) -> WriteOutcome {
    of(&Ok(Reply {
        status: StatusCode::from_u16(status).unwrap(),
        retry_after: retry_after.map(Duration::from_secs),
        body: body.to_owned(),
    }))
}

/// Body of a refusal, as the API writes it.
fn status(code: u16, reason: &str, message: &str, details: &str) -> String {
    let message = serde_json::to_string(message).unwrap();
    format!(
        r#"{{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","message":{message},
            "reason":"{reason}","details":{details},"code":{code}}}"#
    )
}

#[test]
fn accepted_writes() {
    // Real: 36-evict-right-uid.
    let success =
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}"#;
    assert_eq!(reply(201, None, success), WriteOutcome::Accepted);
    // Real: 52-delete-right-uid, shortened. The status of a pod is no text.
    let pod = r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"low-2-1","uid":"a3d65242",
        "deletionTimestamp":"2026-11-21T14:32:54Z"},"status":{"phase":"Running","message":null,"details":7}}"#;
    assert_eq!(reply(200, None, pod), WriteOutcome::Accepted);
    assert_eq!(reply(202, None, pod), WriteOutcome::Accepted);
}

#[test]
fn a_success_about_another_pod_is_unknown() {
    let pod = PodId { namespace: "a".to_owned(), name: "b".to_owned(), uid: "u-1".to_owned() };
    for (body, name) in [
        (r#"{"kind":"Pod","metadata":{"uid":"u-1"}}"#, "Accepted"),
        (r#"{"kind":"Pod","metadata":{"uid":"u-2"}}"#, "Unknown"),
        (r#"{"kind":"Eviction","metadata":{"uid":"u-2"}}"#, "Unknown"),
        (r#"{"kind":"Status","status":"Success","details":{"uid":"u-1"}}"#, "Accepted"),
        (r#"{"kind":"Status","status":"Success","details":{"uid":"u-2"}}"#, "Unknown"),
        (r#"{"kind":"Status","status":"Success"}"#, "Accepted"),
        (r#"{"kind":"Event","metadata":{"uid":"e-1"}}"#, "Accepted"),
    ] {
        let answer =
            Ok(Reply { status: StatusCode::CREATED, retry_after: None, body: body.to_owned() });
        assert_eq!(about(&pod, &answer).name(), name, "{body}");
    }
}

#[test]
fn a_success_that_is_not_the_api_servers_is_unknown() {
    for body in [
        "<html>log in</html>",
        "",
        "{}",
        r#"{"kind":"Status","status":"Failure"}"#,
        r#"{"ok":true}"#,
    ] {
        assert_eq!(reply(200, None, body).name(), "Unknown", "{body}");
    }
}

#[test]
fn a_429_is_a_budgets_or_an_overloaded_servers() {
    // Real: 31-evict-pdb-blocked.
    let blocked = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Cannot evict pod as it would violate the pod's disruption budget.","reason":"TooManyRequests","details":{"causes":[{"reason":"DisruptionBudget","message":"The disruption budget guard needs 2 healthy pods and has 2 currently"}]},"code":429}"#;
    let text = "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget guard needs 2 \
                healthy pods and has 2 currently";
    assert_eq!(
        reply(429, None, blocked),
        WriteOutcome::Budget { text: text.to_owned(), retry_after: None }
    );
    let ten = Some(Duration::from_secs(10));
    assert!(
        matches!(reply(429, Some(10), blocked), WriteOutcome::Budget { retry_after, .. } if retry_after == ten)
    );
    let busy = "Too many requests, please try again later.";
    assert_eq!(
        reply(429, Some(1), &format!("{busy}\n")),
        WriteOutcome::Busy { text: busy.to_owned(), retry_after: Some(Duration::from_secs(1)) }
    );
    // Other causes, and a Status without any.
    for details in [
        "null",
        "{}",
        r#"{"causes":null}"#,
        r#"{"causes":[{"reason":"Other"}],"retryAfterSeconds":1}"#,
    ] {
        assert_eq!(
            reply(429, None, &status(429, "TooManyRequests", busy, details)).name(),
            "Busy",
            "{details}"
        );
    }
}

#[test]
fn rejections_by_the_state_of_the_pod() {
    for (code, reason, message, details, expected) in [
        // Real: 54-evict-two-pdbs, without a reason.
        (
            500,
            "",
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
            "null",
            "SeveralBudgets",
        ),
        // Real: 37-evict-already-terminating.
        (
            404,
            "NotFound",
            "pods \"low-1-1\" not found",
            r#"{"name":"low-1-1","kind":"pods"}"#,
            "NotFound",
        ),
        // Real: 35-evict-wrong-uid.
        (
            409,
            "Conflict",
            "Operation cannot be fulfilled on Pod \"low-1-1\": the UID in the precondition (0) does not match the UID in record (c17). The object might have been deleted and then recreated",
            "{}",
            "Replaced",
        ),
        // Real: 38-evict-stale-resourceversion.
        (
            409,
            "Conflict",
            "Operation cannot be fulfilled on Pod \"low-2-0\": the ResourceVersion in the precondition (344) does not match the ResourceVersion in record (458). The object might have been modified",
            "{}",
            "Conflict",
        ),
        (
            409,
            "Conflict",
            "Operation cannot be fulfilled on pods \"b\": Precondition failed: UID in precondition: x, UID in object meta: y",
            "{}",
            "Replaced",
        ),
        (
            422,
            "Invalid",
            "Pod \"b\" is invalid: metadata.uid: Invalid value: \"x\": field is immutable",
            "{}",
            "Replaced",
        ),
        (422, "Invalid", "Pod \"b\" is invalid: spec.x: Forbidden", "{}", "Refused"),
    ] {
        check(code, reason, message, details, expected);
    }
}

fn check(code: u16, reason: &str, message: &str, details: &str, expected: &str) {
    let outcome = reply(code, None, &status(code, reason, message, details));
    assert_eq!(outcome.name(), expected, "{code} {message}");
    assert!(outcome.text().contains(message), "{outcome:?}");
}

#[test]
fn rejections_and_answers_that_settle_nothing() {
    for (code, reason, message, details, expected) in [
        // Real: 61-evict-forbidden.
        (
            403,
            "Forbidden",
            "pods \"low-2-2\" is forbidden: User \"reader\" cannot create resource \"pods/eviction\" in API group \"\" in the namespace \"default\"",
            r#"{"name":"low-2-2","kind":"pods"}"#,
            "Refused",
        ),
        (
            403,
            "Forbidden",
            "unable to create new content in namespace a because it is being terminated",
            r#"{"causes":[{"reason":"NamespaceTerminating","message":"namespace a is being terminated","field":"metadata.namespace"}]}"#,
            "NamespaceTerminating",
        ),
        (401, "Unauthorized", "Unauthorized", "{}", "Refused"),
        (400, "BadRequest", "name in URL does not match name in Eviction object", "{}", "Refused"),
        (
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
            "{}",
            "Refused",
        ),
        (410, "Expired", "too old", "{}", "Refused"),
        (413, "RequestEntityTooLarge", "limit is 3145728", "{}", "Refused"),
        (408, "Timeout", "request timed out", "{}", "Unknown"),
        (500, "InternalError", "Internal error occurred: failed calling webhook", "{}", "Unknown"),
        (502, "", "bad gateway", "{}", "Unknown"),
        (
            503,
            "ServiceUnavailable",
            "the server is currently unable to handle the request",
            "{}",
            "Unknown",
        ),
        (
            504,
            "Timeout",
            "Timeout: request did not complete within the allotted timeout",
            "{}",
            "Unknown",
        ),
        (302, "", "elsewhere", "{}", "Unknown"),
    ] {
        check(code, reason, message, details, expected);
    }
}

#[test]
fn an_answer_that_is_not_the_api_servers_settles_nothing() {
    for (code, body, expected) in [
        (404, "default backend - 404", "Refused"),
        (409, "the UID in the precondition", "Refused"),
        (500, "more than one PodDisruptionBudget", "Unknown"),
        (502, "<html>Bad Gateway</html>", "Unknown"),
        (403, "<html>blocked by policy</html>", "Refused"),
        (429, "", "Busy"),
    ] {
        assert_eq!(reply(code, None, body).name(), expected, "{code} {body}");
    }
    assert_eq!(
        reply(502, None, "\n <b>x</b> \nmore"),
        WriteOutcome::Unknown("answered 502 Bad Gateway: <b>x</b>".to_owned())
    );
}

#[test]
fn a_write_is_certainly_not_carried_out_only_without_a_connection() {
    assert_eq!(
        of(&Err(Lost::NotSent("refused".to_owned()))),
        WriteOutcome::NotSent("refused".to_owned())
    );
    assert_eq!(
        of(&Err(Lost::NoAnswer("closed".to_owned()))),
        WriteOutcome::Unknown("closed".to_owned())
    );
}

#[test]
fn messages_are_shortened() {
    assert_eq!(
        reply(500, None, &"x".repeat(5000)).text().chars().count(),
        MAX_TEXT + "answered 500 Internal Server Error: ".len()
    );
}
