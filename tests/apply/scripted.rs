//! One situation per test: what is printed, what is sent, and how the run ends.

mod answers;
mod asking;
mod changes;
mod deadlines;
mod going_well;
mod groups;
mod interrupted;
mod room;
mod silent;
mod watched;

use engine::simulation::plan::PodId;

use super::model::{Budget, Model};
use super::rig::{Ran, Rig};
use super::server::{Answer, Fault, Request};

/// One node with two pods that both have to be removed for `web`: `low-a` before `low-b`.
pub fn two() -> Model {
    let mut model = Model { grace: 1, schedules: true, ..Model::default() };
    model.add_node("n1", 4000);
    model.add_pod("low-a", 1, 2000, Some("n1"), "a");
    model.add_pod("low-b", 2, 2000, Some("n1"), "b");
    model.add_pod("web", 100, 4000, None, "web");
    model
}

/// The rig for [`two`], without faults.
pub fn rig() -> Rig {
    Rig::new(two(), |_, _| None).unwrap()
}

/// The rig for [`two`]. The requests that remove `low-a` get these `faults` in turn; dry runs get
/// none.
pub fn with_faults(faults: Vec<Fault>) -> Rig {
    let mut faults = faults.into_iter();
    Rig::new(
        two(),
        move |request, _| if is_removal_of("low-a", request) { faults.next() } else { None },
    )
    .unwrap()
}

pub fn is_removal_of(name: &str, request: &Request) -> bool {
    request.is_removal() && !request.is_dry() && request.pod_name() == Some(name)
}

/// A budget for pods of `app`.
pub fn budget(app: &str, allowed: i64, desired: i64) -> Budget {
    Budget {
        name: format!("guard-{app}"),
        app: app.to_owned(),
        allowed,
        desired,
        expected: 4,
        version: 0,
    }
}

pub fn blocked(text: &str) -> Fault {
    let details = serde_json::json!({"causes": [{"reason": "DisruptionBudget", "message": text}]});
    let message = "Cannot evict pod as it would violate the pod's disruption budget.";
    Fault::Instead(Answer::with_details(429, "TooManyRequests", message, &details))
}

/// The writes that the server carried out, in order: label and name of the pod.
pub fn carried_out(rig: &Rig) -> Vec<String> {
    let writes = rig.writes();
    writes
        .iter()
        .filter(|w| w.accepted.is_some())
        .map(|w| format!("{} {}", w.label, w.name))
        .collect()
}

/// Asserts the exit code of a run, and the writes that the server carried out.
#[track_caller]
pub fn assert_run(ran: &Ran, rig: &Rig, code: u8, writes: &[&str]) {
    let problem = ran.problem();
    assert_eq!(carried_out(rig), writes, "{problem}: {:?}", ran.lines);
    assert_eq!(ran.code(), code, "{problem}: {:?}", ran.lines);
}

/// The writes that the server received, in order: label and name of the pod.
pub fn sent(rig: &Rig) -> Vec<String> {
    rig.writes().iter().map(|w| format!("{} {}", w.label, w.name)).collect()
}

pub fn uid(rig: &Rig, victim: usize) -> PodId {
    rig.plan.victims[victim].pod.clone()
}

/// Ends the time of the rig's run once it has read the nodes `times` times since `begun` held.
pub fn end_time_after(rig: &Rig, times: usize, begun: impl Fn(&Model) -> bool + Send + 'static) {
    let time_is_up = rig.time_is_up.clone();
    rig.view(|view| {
        let mut hook = std::mem::replace(&mut view.hook, Box::new(|_, _| None));
        let mut reads = 0;
        view.hook = Box::new(move |request, model| {
            let is_read = request.path == "/api/v1/nodes" && !request.has("watch=true");
            reads += usize::from(is_read && begun(model));
            if reads == times {
                time_is_up.send_replace(true);
            }
            hook(request, model)
        });
    });
}
