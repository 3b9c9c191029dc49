//! The faults of a seeded run. The cluster changes at defined moments, so that it is certain what
//! the program could know: before a decision, during a question, before a read of a victim or of a
//! pod that gets room (only a pod that gets room, which is read after the victim), and, between the
//! last reads and a request, only in ways from which the UID in the request protects.

use std::time::Duration;

use fastrand::Rng;
use serde_json::json;

use super::model::{Budget, Model, NAMESPACE, Pod};
use super::server::{Answer, Fault, Request};

/// Probabilities of faults in thousandths per request.
#[derive(Debug, Clone, Copy)]
pub struct Badness {
    pub reads: u32,
    pub writes: u32,
    pub changes: u32,
}

/// The hook that runs before each request.
pub fn hook(
    mut rng: Rng,
    badness: Badness,
    victims: Vec<String>,
) -> impl FnMut(&Request, &mut Model) -> Option<Fault> {
    let (mut stale_before, mut lags) = (false, false);
    move |request, model| {
        // The last look before a removal is at a victim that stays, and then at the pods that get
        // room.
        let read = request.pod_name().and_then(|name| model.now.named(name)).cloned();
        if let Some(read) = read
            .filter(|pod| request.method == "GET" && (pod.node.is_none() || pod.leaving.is_none()))
            && chance(&mut rng, badness.changes / 3)
        {
            let is_meant =
                |pod: &&Pod| pod.app == "web" && (read.app != "web" || pod.uid == read.uid);
            let meant = model.now.pods.iter().find(is_meant).cloned();
            meant.iter().for_each(|web| change_preemptor(&mut rng, model, web));
        }
        if request.begins_reading {
            lags = chance(&mut rng, badness.changes);
            if lags {
                change(&mut rng, model, &victims);
            }
        }
        // A replica that lags behind the change answers, sometimes where it matters.
        let lists = ["/api/v1/pods", "/api/v1/nodes"].contains(&request.path.as_str())
            && !shows_how_new(request);
        if lists && lags && rng.u32(0..3) == 0 {
            (lags, stale_before) = (false, true);
            return Some(Fault::Stale(rng.usize(1..4)));
        }
        if request.is_write() {
            if request.is_removal() && !request.is_dry() && chance(&mut rng, badness.changes / 4) {
                slip_away(&mut rng, model, request);
            }
            return chance(&mut rng, badness.writes).then(|| write_fault(&mut rng, request));
        }
        if !chance(&mut rng, badness.reads) {
            stale_before = false;
            return None;
        }
        let fault = read_fault(&mut rng, request, !stale_before);
        stale_before = matches!(fault, Fault::Stale(_));
        Some(fault)
    }
}

/// The probes before a decision, or the lists with which watched ones are compared: one replica
/// lags, not all of them.
fn shows_how_new(request: &Request) -> bool {
    request.has("limit=1") || request.lists_watched || request.has("watch=true")
}

fn chance(rng: &mut Rng, thousandths: u32) -> bool {
    rng.u32(0..1000) < thousandths
}

/// Errors after which it is not known whether the request was carried out.
fn error(rng: &mut Rng) -> Answer {
    match rng.u32(0..5) {
        0 => Answer::status(
            500,
            "InternalError",
            "Internal error occurred: etcdserver: leader changed",
        ),
        1 => Answer::status(
            503,
            "ServiceUnavailable",
            "the server is currently unable to handle the request",
        ),
        2 => Answer::status(
            504,
            "Timeout",
            "Timeout: request did not complete within the allotted timeout",
        ),
        3 => Answer::text(502, "<html>Bad Gateway</html>"),
        _ => Answer::status(500, "", "rpc error: code = Unavailable desc = transport is closing"),
    }
}

fn busy(rng: &mut Rng) -> Answer {
    let retry_after = rng.bool().then_some(0);
    Answer { retry_after, ..Answer::text(429, "Too many requests, please try again later.\n") }
}

fn read_fault(rng: &mut Rng, request: &Request, may_be_stale: bool) -> Fault {
    if request.has("watch=true") {
        return match rng.u32(0..5) {
            0 => {
                Fault::Instead(Answer::status(403, "Forbidden", "pods is forbidden: cannot watch"))
            }
            1 => Fault::Instead(error(rng)),
            2 => Fault::CutBefore,
            _ => Fault::Short(rng.u32(0..4)),
        };
    }
    // A read of a single pod is answered by the store itself.
    let single = request.pod_name().is_some() || request.path.ends_with("reviews");
    let may_be_stale = may_be_stale && !shows_how_new(request) && !single;
    match rng.u32(0..10) {
        0 | 1 => Fault::Instead(error(rng)),
        2 => Fault::Instead(busy(rng)),
        3 | 4 => Fault::CutBefore,
        5..=7 if may_be_stale => Fault::Stale(rng.usize(1..4)),
        8 if rng.u32(0..10) == 0 => {
            Fault::Instead(Answer::status(403, "Forbidden", "forbidden: not any more"))
        }
        _ => Fault::Delay(Duration::from_millis(rng.u64(1..4))),
    }
}

fn write_fault(rng: &mut Rng, request: &Request) -> Fault {
    let name = request.pod_name().unwrap_or_default().to_owned();
    match rng.u32(0..16) {
        0 | 1 => Fault::Instead(error(rng)),
        2 | 3 => Fault::After(error(rng)),
        4 | 5 => Fault::CutBefore,
        6 | 7 => Fault::CutAfter,
        8 if !request.is_dry() => Fault::Late(Duration::from_millis(rng.u64(1..15))),
        9 => Fault::Instead(busy(rng)),
        10 => {
            let text = format!(
                "Operation cannot be fulfilled on pods {name:?}: the object has been modified"
            );
            Fault::Instead(Answer::status(409, "Conflict", &text))
        }
        11 => Fault::Instead(Answer::status(
            403,
            "Forbidden",
            "admission webhook \"w\" denied the request: no",
        )),
        12 => Fault::Instead(Answer::status(
            404,
            "NotFound",
            "the server could not find the requested resource",
        )),
        13 if request.path.ends_with("/eviction") => {
            let details = json!({"causes": [{"reason": "DisruptionBudget",
                "message": "The disruption budget late is still being processed by the server."}]});
            let text = "Cannot evict pod as it would violate the pod's disruption budget.";
            let answer = Answer::with_details(429, "TooManyRequests", text, &details);
            Fault::Instead(Answer { retry_after: Some(0), ..answer })
        }
        14 => Fault::After(Answer::text(200, "<html>log in</html>")),
        _ => Fault::Delay(Duration::from_millis(rng.u64(1..4))),
    }
}

/// The pod of a request leaves or is replaced just before the request arrives.
fn slip_away(rng: &mut Rng, model: &mut Model, request: &Request) {
    let Some(uid) = request.pod_name().and_then(|name| Some(model.now.named(name)?.uid.clone()))
    else {
        return;
    };
    if rng.bool() { model.replace_pod(&uid) } else { model.remove_pod(&uid) }
}

/// Another client changes the cluster.
pub fn change(rng: &mut Rng, model: &mut Model, victims: &[String]) {
    let pods: Vec<Pod> = model.now.pods.clone();
    let (preemptors, others): (Vec<&Pod>, Vec<&Pod>) =
        pods.iter().partition(|pod| pod.app == "web");
    let Some(web) = preemptors.get(rng.usize(0..preemptors.len().max(1))) else { return };
    let any = others.get(rng.usize(0..others.len().max(1))).copied();
    let victim =
        victims.get(rng.usize(0..victims.len().max(1))).and_then(|uid| model.now.pod(uid)).cloned();
    let nodes: Vec<String> = model.now.nodes.iter().map(|node| node.name.clone()).collect();
    let node = nodes[rng.usize(0..nodes.len())].clone();
    match rng.u32(0..21) {
        0 => drop(model.add_pod(
            &format!("new-{}", rng.u16(..)),
            rng.i32(0..4),
            200,
            Some(&node),
            "new",
        )),
        1 => drop(model.add_pod(&format!("new-{}", rng.u16(..)), rng.i32(0..4), 200, None, "a")),
        2 => any.into_iter().for_each(|pod| model.remove_pod(&pod.uid.clone())),
        3 | 4 => victim.iter().for_each(|pod| model.remove_pod(&pod.uid)),
        5 | 6 => victim.iter().for_each(|pod| model.replace_pod(&pod.uid)),
        7 => victim.iter().for_each(|pod| model.delete(&pod.uid, false)),
        8..=10 => change_preemptor(rng, model, web),
        11 => model.change_node(&node, |node| node.cpu += 2000),
        12 => model.change_node(&node, |node| node.cordoned = true),
        13 if web.nominated.is_none() && web.node.is_none() => {
            model.change_pod(&web.uid.clone(), |pod| {
                pod.nominated = Some((node, "kube-scheduler".to_owned()));
            });
        }
        14 => model.add_node(&format!("new-{}", rng.u16(..)), 4000),
        15 | 16 => {
            others
                .iter()
                .filter(|pod| pod.node.as_ref() == Some(&node))
                .for_each(|pod| model.remove_pod(&pod.uid));
        }
        17 | 18 => budget(rng, model, victim.as_ref().or(any)),
        // A change without effect on the plan.
        _ => victim.iter().for_each(|pod| {
            model.change_pod(&pod.uid, |pod| {
                pod.conditions =
                    vec![json!({"type": "Ready", "status": "False", "namespace": NAMESPACE})];
            });
        }),
    }
}

/// A pod that waits for room needs none any more: it is deleted, terminates, is replaced, or is
/// bound to any node.
fn change_preemptor(rng: &mut Rng, model: &mut Model, web: &Pod) {
    if web.node.is_some() {
        return;
    }
    let nodes: Vec<String> = model.now.nodes.iter().map(|node| node.name.clone()).collect();
    let node = nodes[rng.usize(0..nodes.len())].clone();
    match rng.u32(0..4) {
        0 => model.remove_pod(&web.uid),
        1 => model.delete(&web.uid, false),
        2 => model.replace_pod(&web.uid),
        _ if web.leaving.is_none() => model.change_pod(&web.uid, |pod| {
            pod.node = Some(node);
            pod.nominated = None;
        }),
        _ => {}
    }
}

fn budget(rng: &mut Rng, model: &mut Model, pod: Option<&Pod>) {
    let Some(pod) = pod else { return };
    let allowed = rng.i64(0..3);
    // A budget that requires all pods healthy never allows an eviction.
    let desired = if rng.bool() { 4 } else { 3 };
    let name = format!("{}-{}", pod.app, rng.u8(0..2));
    model.set_budget(Budget {
        name,
        app: pod.app.clone(),
        allowed,
        desired,
        expected: 4,
        version: 0,
    });
}
