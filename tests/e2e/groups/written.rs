//! What the scheduler writes about groups, as it happens.

use std::io::{BufRead as _, BufReader, ErrorKind};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::http::Tls;
use crate::objects::NAMESPACE;
use crate::plane::{PATIENCE, Plane};

/// A watch of all PodGroups.
pub struct Written {
    events: BufReader<Tls>,
    line: Vec<u8>,
}

/// Where they are.
pub fn path() -> String {
    format!("/apis/scheduling.k8s.io/v1beta1/namespaces/{NAMESPACE}/podgroups")
}

/// The condition of a group, in the shape of our answer; null if it has none.
pub fn condition(group: &Value) -> Value {
    let all = group["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let found = all.iter().find(|condition| condition["type"] == "PodGroupInitiallyScheduled");
    found.map_or(Value::Null, |found| {
        let message = found["message"].as_str().unwrap_or_default();
        json!({"status": found["status"] == "True", "reason": found["reason"], "message": message})
    })
}

impl Written {
    /// Of everything from now on.
    pub fn start(plane: &Plane) -> Self {
        let admin = plane.admin();
        let now = admin.get(&path())["metadata"]["resourceVersion"]
            .as_str()
            .expect("a version")
            .to_owned();
        let watch = format!("{}?watch=1&resourceVersion={now}", path());
        let events = admin.watch(&watch, Duration::from_millis(50)).expect("a watch");
        Self { events, line: Vec::new() }
    }

    /// The next condition of this group that is as wanted.
    #[track_caller]
    pub fn next(&mut self, group: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            match self.events.read_until(b'\n', &mut self.line) {
                Ok(0) => panic!("the watch has ended"),
                Ok(_) => {
                    let event: Value = serde_json::from_slice(&self.line).expect("an event");
                    self.line.clear();
                    let found = condition(&event["object"]);
                    if event["object"]["metadata"]["name"] == group
                        && !found.is_null()
                        && wanted(&found)
                    {
                        return found;
                    }
                }
                // No event was complete; `line` keeps its beginning.
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) => panic!("{error}"),
            }
        }
        panic!("waited in vain for the condition of {group}")
    }
}
