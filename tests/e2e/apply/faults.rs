//! When requests go wrong. The server's own answers are those of a real one; what the network does
//! is the proxy's.

use std::time::Duration;

use serde_json::json;

use super::{APPLIED, EVICTION, Expected, Scene};
use crate::answers::{blocked, failure, overloaded};
use crate::plane::Plane;
use crate::proxy::{ALWAYS, Fault};

/// What a fault at the first eviction comes to, and how many evictions are sent in all.
type Row = (&'static str, fn() -> Fault, Expected<'static>, usize);

const UNDONE: Expected<'static> =
    Expected { code: 2, outcome: "Refused", victims: ["Refused", "DryRunPassed"] };

/// Every fault at the first eviction. Whatever was not carried out is sent once more after another
/// look, whatever was is not.
pub const AT_THE_FIRST: &[Row] = &[
    ("429 of a busy server", overloaded, APPLIED, 3),
    ("429 of a budget", blocked, APPLIED, 3),
    ("403", || failure(403, "Forbidden", "pods \"web\" is forbidden: no"), UNDONE, 1),
    (
        "404 of a pod that is there",
        || failure(404, "NotFound", "the server could not find the requested resource"),
        UNDONE,
        1,
    ),
    (
        "409 of somebody who writes, too",
        || failure(409, "Conflict", "the object has been modified"),
        APPLIED,
        3,
    ),
    ("500", || failure(500, "InternalError", "etcd is on fire"), APPLIED, 3),
    ("503", || failure(503, "ServiceUnavailable", "shutting down"), APPLIED, 3),
    (
        "504",
        || failure(504, "Timeout", "request did not complete within the allotted timeout"),
        APPLIED,
        3,
    ),
    (
        "502 of somebody between",
        || Fault::Answer { code: 502, headers: &[], body: json!("<html>Bad Gateway</html>") },
        APPLIED,
        3,
    ),
    ("cut off before", || Fault::CutBefore, APPLIED, 3),
    ("cut off after it was done", || Fault::CutAfter, APPLIED, 2),
    ("an answer that comes too late", || Fault::Late(Duration::from_secs(4)), APPLIED, 2),
];

/// One of them.
pub fn at_the_first(plane: &Plane, row: &'static Row) {
    let (_, fault, expected, sent) = row;
    let scene = Scene::new(plane);
    scene.proxy.fault("POST", EVICTION, fault());
    let run = scene.apply(plane, &["--request-timeout=2s"]);
    scene.expect(&run, expected);
    assert_eq!(scene.proxy.count("POST", EVICTION), *sent, "{run:?}");
}

/// The same in the other mode: the deletion is lost on its way back.
pub fn delete_cut_off(plane: &Plane) {
    let mut scene = Scene::new(plane);
    scene.user = "applier";
    scene.proxy.fault("DELETE", "/pods/", Fault::CutAfter);
    let run = scene.apply(plane, &["--mode=delete"]);
    scene.expect(&run, &APPLIED);
    assert_eq!(scene.proxy.count("DELETE", "/pods/"), 2, "{run:?}");
}

/// One victim is gone, and then evicting is forbidden: the answer lists what was done.
pub fn half_way(plane: &Plane) {
    let scene = Scene::new(plane);
    scene.proxy.fault_at(
        "POST",
        EVICTION,
        1,
        1,
        failure(403, "Forbidden", "pods is forbidden: not any more"),
    );
    let run = scene.apply(plane, &[]);
    scene.expect(
        &run,
        &Expected { code: 4, outcome: "Stopped", victims: ["Terminating", "Refused"] },
    );
    assert!(run.err.contains("not any more"), "{run:?}");
}

/// Nobody answers evictions any more: it does not try for ever, and says that it does not know.
pub fn never_answered(plane: &Plane) {
    let scene = Scene::new(plane);
    scene.proxy.fault_at("POST", EVICTION, 0, 2, Fault::CutBefore);
    let run = scene.apply(plane, &[]);
    assert_eq!((run.code, scene.proxy.count("POST", EVICTION)), (Some(4), 2), "{run:?}");
    scene.expect(
        &run,
        &Expected { code: 4, outcome: "Stopped", victims: ["Unknown", "DryRunPassed"] },
    );
}

/// Waiting works without watching.
pub fn no_watch(plane: &Plane) {
    let scene = Scene::new(plane);
    let forbidden = failure(
        403,
        "Forbidden",
        "pods is forbidden: User \"applier\" cannot watch resource \"pods\"",
    );
    scene.proxy.fault_at("GET", "watch=", 0, ALWAYS, forbidden);
    let run = scene.apply(plane, &[]);
    let result = run.json();
    // It reads only at intervals, so the pod may be bound before the victims' ends are seen.
    assert_eq!(
        (run.code, &result["outcome"], &result["landing"]["node"]),
        (Some(0), &json!("Applied"), &json!("n1")),
        "{run:?}"
    );
}

/// Reads fail at times during the run.
pub fn reads(plane: &Plane) {
    let scene = Scene::new(plane);
    scene.proxy.fault_at("GET", "/api/v1/pods", 4, 1, Fault::CutBefore);
    scene.proxy.fault_at(
        "GET",
        "/api/v1/nodes",
        3,
        1,
        failure(503, "ServiceUnavailable", "not now"),
    );
    scene.expect(&scene.apply(plane, &[]), &APPLIED);
}
