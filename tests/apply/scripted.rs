//! Each thing that can happen, by itself: what is said, what is sent, how it ends.

mod answers;
mod asking;
mod changes;
mod going_well;
mod interrupted;

use engine::simulation::plan::PodId;

use super::model::{Budget, Model};
use super::rig::Rig;
use super::server::{Answer, Fault, Request};

/// One node, full of two pods that both have to go for `web`: `low-a` before `low-b`.
pub fn two() -> Model {
    let mut model = Model { grace: 1, schedules: true, ..Model::default() };
    model.add_node("n1", 4000);
    model.add_pod("low-a", 1, 2000, Some("n1"), "a");
    model.add_pod("low-b", 2, 2000, Some("n1"), "b");
    model.add_pod("web", 100, 4000, None, "web");
    model
}

/// The rig for [`two`], with nothing wrong.
pub fn rig() -> Rig {
    Rig::new(two(), |_, _| None).unwrap()
}

/// The rig for [`two`]; to the removal of `low-a`, dry runs apart, `faults` happen in turn.
pub fn with_faults(faults: Vec<Fault>) -> Rig {
    let mut faults = faults.into_iter();
    Rig::new(two(), move |request, _| if is_removal_of("low-a", request) { faults.next() } else { None }).unwrap()
}

pub fn is_removal_of(name: &str, request: &Request) -> bool {
    request.is_removal() && !request.is_dry() && request.pod_name() == Some(name)
}

/// A budget for pods of `app`.
pub fn budget(app: &str, allowed: i64, desired: i64) -> Budget {
    Budget { name: format!("guard-{app}"), app: app.to_owned(), allowed, desired, expected: 4, version: 0 }
}

pub fn blocked(text: &str) -> Fault {
    let details = serde_json::json!({"causes": [{"reason": "DisruptionBudget", "message": text}]});
    let message = "Cannot evict pod as it would violate the pod's disruption budget.";
    Fault::Instead(Answer::with_details(429, "TooManyRequests", message, &details))
}

/// The labels of what was carried out, in order, each with the name of its pod.
pub fn carried_out(rig: &Rig) -> Vec<String> {
    let writes = rig.writes();
    writes.iter().filter(|w| w.accepted.is_some()).map(|w| format!("{} {}", w.label, w.name)).collect()
}

/// The labels of what arrived, in order, each with the name of its pod.
pub fn sent(rig: &Rig) -> Vec<String> {
    rig.writes().iter().map(|w| format!("{} {}", w.label, w.name)).collect()
}

pub fn uid(rig: &Rig, victim: usize) -> PodId {
    rig.plan.victims[victim].pod.clone()
}
