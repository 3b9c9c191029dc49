//! Rows of an earlier list of pending pods that are taken over are those that deciding anew gives.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::SignedDuration;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

use super::{Quirks, Small, SomePod, law, node_name, small, some_pod};
use answers::input::LoadedInput;
use answers::origin::{InputOrigin, SourceKind};
use answers::questions::pending::earlier::{Changes, EarlierList, KnownRows, PodName};
use answers::questions::pending::{Pending, PendingRequest, pending, pending_since};
use engine::Timestamp;
use engine::cluster::PodIx;
use engine::cluster::selector::Selector;
use engine::decision::pod_groups::settle;
use testing::{NOW, at, cluster, pod, share};

/// What else a waiting pod has.
#[derive(Debug, Clone, Copy)]
enum Trait {
    Nothing,
    Gated,
    OfOtherScheduler,
    WithClaim,
    InGroup,
    Refused,
}

/// Something that happens to a cluster between two lists.
#[derive(Debug, Clone)]
enum Event {
    /// A pod that waits is new.
    Queued(SomePod, Trait),
    /// One of the pods that waited is gone, has another spec, a condition, a nomination or a node.
    Gone(Index),
    Replaced(Index, SomePod),
    Refused(Index),
    Nominated(Index, Index),
    Bound(Index, Index),
    /// A pod on a node has ended, or is new.
    Ended(Index),
    Started(SomePod),
    Cordoned(Index),
}

fn some_trait() -> impl Strategy<Value = Trait> {
    use Trait::{Gated, InGroup, Nothing, OfOtherScheduler, Refused, WithClaim};
    prop_oneof![
        12 => Just(Nothing), 1 => Just(Gated), 1 => Just(OfOtherScheduler), 1 => Just(WithClaim),
        1 => Just(InGroup), 3 => Just(Refused),
    ]
}

fn some_event() -> impl Strategy<Value = Event> {
    let index = any::<Index>;
    prop_oneof![
        8 => (some_pod(), some_trait()).prop_map(|(pod, own)| Event::Queued(pod, own)),
        6 => index().prop_map(Event::Gone),
        4 => (index(), some_pod()).prop_map(|(at, pod)| Event::Replaced(at, pod)),
        6 => index().prop_map(Event::Refused),
        1 => (index(), index()).prop_map(|(at, node)| Event::Nominated(at, node)),
        1 => (index(), index()).prop_map(|(at, node)| Event::Bound(at, node)),
        1 => index().prop_map(Event::Ended),
        1 => some_pod().prop_map(Event::Started),
        1 => index().prop_map(Event::Cordoned),
    ]
}

impl Trait {
    fn give(self, pod: testing::Pod) -> testing::Pod {
        match self {
            Self::Nothing => pod,
            Self::Gated => pod.gated("wait"),
            Self::OfOtherScheduler => pod.scheduler("mine"),
            Self::WithClaim => pod.claim("data"),
            Self::InGroup => pod.with("/spec/schedulingGroup/podGroupName", "train"),
            Self::Refused => pod.refused("0/9 nodes are available: 9 Insufficient cpu."),
        }
    }
}

/// Pods by name, which are unique without their namespace.
type Pods = BTreeMap<String, testing::Pod>;

/// A cluster that changes.
#[derive(Debug, Clone)]
struct Scene {
    rest: Vec<Value>,
    running: Pods,
    waiting: Pods,
    version: &'static str,
    /// How many pods were added.
    added: usize,
}

impl Scene {
    fn new(small: &Small, waiting: &[(SomePod, Trait)]) -> Self {
        let is_pod = |object: &Value| object["kind"] == "Pod";
        let mut rest = small.objects(&BTreeSet::new());
        rest.retain(|object| !is_pod(object) || object["spec"]["nodeName"].is_null());
        let running = small.pods().into_iter();
        let running = running.map(|(name, node, pod)| {
            let built = pod.build(&name).on(&node_name(node));
            (name, built)
        });
        let mut scene = Self {
            running: running.collect(),
            rest,
            waiting: Pods::new(),
            version: small.version,
            added: 0,
        };
        waiting.iter().for_each(|(pod, own)| scene.queue(pod, *own));
        scene
    }

    fn queue(&mut self, pod: &SomePod, own: Trait) {
        self.added += 1;
        let name = format!("q{:02}", self.added);
        // A priority above that of others makes preemption likely.
        let pod = SomePod { priority: pod.priority + 2, terminating: false, ..pod.clone() };
        self.waiting.insert(name.clone(), own.give(pod.build(&name)));
    }

    fn waiting_at(&self, at: Index) -> Option<String> {
        let names: Vec<&String> = self.waiting.keys().collect();
        (!names.is_empty()).then(|| (*at.get(&names)).clone())
    }

    fn change(&mut self, event: &Event, nodes: usize) {
        match event {
            Event::Queued(pod, own) => self.queue(pod, *own),
            Event::Gone(at) => {
                if let Some(name) = self.waiting_at(*at) {
                    self.waiting.remove(&name);
                }
            }
            Event::Replaced(at, pod) => {
                if let Some(name) = self.waiting_at(*at) {
                    self.waiting.insert(name.clone(), pod.build(&name));
                }
            }
            Event::Refused(at) => {
                self.turn(*at, |pod| pod.refused("0/9 nodes are available: 9 Too many pods."));
            }
            Event::Nominated(at, node) => {
                self.turn(*at, |pod| pod.nominated(&node_name(node.index(nodes))));
            }
            Event::Bound(at, node) => {
                let Some(name) = self.waiting_at(*at) else { return };
                let bound = self.waiting.remove(&name).map(|pod| {
                    // A pod that was just bound has not started.
                    pod.with("/spec/nodeName", node_name(node.index(nodes)))
                });
                self.running.extend(bound.map(|pod| (name, pod)));
            }
            Event::Ended(at) => {
                let names: Vec<String> = self.running.keys().cloned().collect();
                if !names.is_empty() {
                    self.running.remove(at.get(&names));
                }
            }
            Event::Started(new) => {
                self.added += 1;
                let name = format!("r{:02}", self.added);
                let built = new.build(&name).on(&node_name(new.node.index(nodes)));
                self.running.insert(name, built);
            }
            Event::Cordoned(at) => {
                let mut nodes: Vec<&mut Value> =
                    self.rest.iter_mut().filter(|object| object["kind"] == "Node").collect();
                let at = at.index(nodes.len());
                nodes[at]["spec"]["unschedulable"] = true.into();
            }
        }
    }

    /// Changes a pod that waits.
    fn turn(&mut self, at: Index, change: impl FnOnce(testing::Pod) -> testing::Pod) {
        let Some(name) = self.waiting_at(at) else { return };
        let turned = self.waiting.remove(&name).map(change);
        self.waiting.extend(turned.map(|pod| (name, pod)));
    }

    fn pods(&self) -> BTreeMap<PodName, Value> {
        let pods = self.running.values().chain(self.waiting.values()).cloned().map(Value::from);
        pods.map(|pod| {
            let text = |key: &str| pod["metadata"][key].as_str().unwrap_or_default().to_owned();
            (PodName { namespace: text("namespace"), name: text("name") }, pod)
        })
        .collect()
    }

    fn load(&self, now: Timestamp) -> LoadedInput {
        let mut objects = self.rest.clone();
        objects.extend(self.pods().into_values());
        let cluster = cluster(objects);
        LoadedInput {
            profile: settle(at(self.version).profile(), &cluster),
            cluster,
            source: SourceKind::Live,
            place: InputOrigin::Cluster("c".to_owned()),
            more_profiles: Vec::new(),
            originals: None,
            now,
            is_dated: true,
            namespace: "default".to_owned(),
            flags: Arc::default(),
            selector: Selector::All(Box::default()),
        }
    }

    /// What a watch shows of the changes since `before`.
    fn changes_since(&self, before: &Self) -> Changes {
        if self.rest != before.rest {
            return Changes::Unknown;
        }
        let (old, new) = (before.pods(), self.pods());
        let names = old.keys().chain(new.keys());
        let changed = names.filter(|name| old.get(name) != new.get(name));
        Changes::Pods(changed.cloned().collect())
    }
}

fn waiting(input: &LoadedInput) -> Vec<PodIx> {
    let cluster = &input.cluster;
    cluster.pod_indices().filter(|pod| cluster.pod(*pod).is_waiting()).collect()
}

fn decide(input: &LoadedInput, earlier: Option<EarlierList<'_>>) -> (Pending, KnownRows) {
    let views = input.views(None);
    let request = PendingRequest::default();
    let (report, rows) =
        pending_since(earlier, input, &views, &waiting(input), request, &mut || true);
    (report.pending, rows)
}

#[test]
fn rows_taken_over_from_an_earlier_list_are_those_of_deciding_anew() {
    let waits = prop::collection::vec((some_pod(), some_trait()), 1..=4);
    let step = || (prop::collection::vec(some_event(), 0..=2), 0i64..=50);
    let inputs = (small(Quirks::All, 1..=4), waits, prop::collection::vec(step(), 1..=3));
    let cases = share::of(120, 4_000);
    law(cases, cases as usize, inputs, |(small, waits, steps)| {
        let nodes = small.nodes.len();
        let mut scene = Scene::new(&small, &waits);
        let mut now: Timestamp = NOW.parse().expect("a time");
        let mut input = scene.load(now);
        let (_, mut rows) = decide(&input, None);
        let mut held = 0;
        for (events, seconds) in steps {
            let before = scene.clone();
            events.iter().for_each(|event| scene.change(event, nodes));
            now = now.checked_add(SignedDuration::from_secs(seconds)).expect("a time");
            let (next, changes) = (scene.load(now), scene.changes_since(&before));
            let earlier = EarlierList { input: &input, rows: &rows, changes: &changes };
            held += earlier.rows_that_hold(&next).len();
            let (list, known) = decide(&next, Some(earlier));
            let (views, request) = (next.views(None), PendingRequest::default());
            let anew = pending(&next, &views, &waiting(&next), request, &mut || true).pending;
            prop_assert_eq!(list, anew, "{:?}", events);
            prop_assert_eq!(&known, &decide(&next, None).1);
            drop(views);
            (input, rows) = (next, known);
        }
        Ok(held)
    });
}

#[test]
fn pod_that_merely_waits_leaves_the_others_rows_and_one_on_a_node_does_not() {
    let small = |pods: Vec<testing::Pod>| -> LoadedInput {
        let mut objects: Vec<Value> = vec![testing::node("n").cpu("2").into()];
        objects.extend(pods.into_iter().map(Value::from));
        let scene = Scene {
            rest: objects,
            running: Pods::new(),
            waiting: Pods::new(),
            version: "1.37.1",
            added: 0,
        };
        scene.load(NOW.parse().expect("a time"))
    };
    let before = small(vec![pod("a").cpu("1"), pod("b").cpu("4")]);
    let (_, rows) = decide(&before, None);
    let named = |name: &str| PodName { namespace: "default".to_owned(), name: name.to_owned() };
    let held = |third: testing::Pod, changed: &[&str]| {
        let after = small(vec![pod("a").cpu("1"), pod("b").cpu("4"), third]);
        let changes = Changes::Pods(changed.iter().map(|name| named(name)).collect());
        EarlierList { input: &before, rows: &rows, changes: &changes }.rows_that_hold(&after).len()
    };
    assert_eq!(held(pod("c").cpu("1"), &["c"]), 2);
    assert_eq!(held(pod("c").cpu("1"), &["a", "c"]), 1, "one that has changed is decided anew");
    assert_eq!(held(pod("c").cpu("1").on("n"), &["c"]), 0);
    assert_eq!(held(pod("c").cpu("1").nominated("n"), &["c"]), 0);
    assert_eq!(held(pod("c").cpu("1").away("host", "app", "web"), &["c"]), 0);
    assert_eq!(held(pod("c").claim("data"), &["c"]), 0);
    let unknown = EarlierList { input: &before, rows: &rows, changes: &Changes::Unknown };
    assert!(unknown.rows_that_hold(&before).is_empty());
}
