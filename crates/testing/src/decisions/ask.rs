//! Asks a scheduler about a list of objects.

use serde_json::{Value, json};

use super::answer::Answer;
use model::cluster::Cluster;
use model::cluster::build::Builder;
use model::cluster::pod::PodIx;
use model::decode::decode;
use profile::{Features, Profile, SchedulerVersion, VersionSource};
use scheduler::decision::sampling::Starts;
use scheduler::decision::{self, Explanation, verify::Verification};
use scheduler::framework::cluster_view::ClusterView;
use scheduler::framework::cycle::PreparedCycle;
use scheduler::plugins;

/// The scheduler that decides.
#[derive(Debug, Clone, Copy)]
pub struct At<'a> {
    version: &'a str,
    gates: &'a str,
    adjust: fn(&mut Profile),
    starts: Option<Starts>,
}

/// The scheduler of a version.
pub fn at(version: &str) -> At<'_> {
    At { version, gates: "", adjust: |_| {}, starts: None }
}

/// The features of the scheduler of a version.
pub fn features(version: &str) -> Features {
    Features::of(SchedulerVersion::parse(version).expect("a version"))
}

/// The newest scheduler's decision about `pod`, a name or `namespace/name`.
pub fn decide(objects: Vec<Value>, pod: &str) -> Answer {
    at("1.37").decide(objects, pod)
}

/// The cluster of a list of objects.
pub fn cluster(objects: Vec<Value>) -> Cluster {
    let mut list = json!({"apiVersion": "v1", "kind": "List"});
    list["items"] = objects.into();
    cluster_of(&list)
}

/// The cluster of a JSON list.
pub fn cluster_of(list: &Value) -> Cluster {
    let mut builder = Builder::new();
    decode(&list.to_string(), "test", &mut builder).expect("a readable list");
    builder.finish()
}

/// Runs `look` on the prepared cycle of `pod`.
pub fn with_cycle<T>(objects: Vec<Value>, pod: &str, look: impl FnOnce(&PreparedCycle) -> T) -> T {
    at("1.37").with_cycle(objects, pod, look)
}

/// Verifies the condition of `pod` against the newest scheduler's rules.
pub fn verify(objects: Vec<Value>, pod: &str) -> Verification {
    at("1.37").verify(objects, pod)
}

fn full_name(pod: &str) -> (&str, &str) {
    pod.split_once('/').unwrap_or(("default", pod))
}

impl<'a> At<'a> {
    /// The same with `--feature-gates`.
    pub fn gates(self, gates: &'a str) -> Self {
        Self { gates, ..self }
    }

    /// The same with another configuration.
    pub fn with(self, adjust: fn(&mut Profile)) -> Self {
        Self { adjust, ..self }
    }

    /// The same with `--as-scheduled`.
    pub fn as_scheduled(self, starts: Starts) -> Self {
        Self { starts: Some(starts), ..self }
    }

    /// Its profile.
    pub fn profile(self) -> Profile {
        let version = SchedulerVersion::parse(self.version).expect("a version");
        let mut profile = Profile::new(version, VersionSource::Flag)
            .with_gates(&[self.gates.to_owned()])
            .expect("gates");
        (self.adjust)(&mut profile);
        profile
    }

    /// The decision about `pod`.
    pub fn decide(self, objects: Vec<Value>, pod: &str) -> Answer {
        self.decide_in(&cluster(objects), pod)
    }

    /// The decision about `pod` with its whole explanation.
    pub fn explain(self, objects: Vec<Value>, pod: &str) -> Answer {
        self.look(&cluster(objects), pod, |decision| {
            decision.run_other_filters();
            Answer::new(decision)
        })
    }

    /// The decision about `pod` in a cluster.
    pub fn decide_in(self, cluster: &Cluster, pod: &str) -> Answer {
        self.look(cluster, pod, |decision| Answer::new(decision))
    }

    /// Verifies the condition of `pod` against its rules.
    pub fn verify(self, objects: Vec<Value>, pod: &str) -> Verification {
        self.look(&cluster(objects), pod, |decision| decision::verify::verify(decision))
    }

    /// Runs `look` on the decision about `pod` in a cluster.
    pub fn look<T>(
        self,
        cluster: &Cluster,
        pod: &str,
        look: impl FnOnce(&mut Explanation) -> T,
    ) -> T {
        let profile = decision::pod_groups::settle(self.profile(), cluster);
        let view = ClusterView::new(cluster, &profile);
        let (namespace, name) = full_name(pod);
        let pod = cluster.find_pod(namespace, name).expect("the pod is among the objects");
        let now = super::NOW.parse().expect("a time");
        let mut decision = Explanation::from(decision::decide(&view, pod, now));
        if let Some(starts) = self.starts {
            decision.enumerate(starts);
        }
        look(&mut decision)
    }

    /// Runs `look` on the prepared cycle of `pod`.
    pub fn with_cycle<T>(
        self,
        objects: Vec<Value>,
        pod: &str,
        look: impl FnOnce(&PreparedCycle) -> T,
    ) -> T {
        let (cluster, profile) = (cluster(objects), self.profile());
        let view = ClusterView::new(&cluster, &profile);
        let (namespace, name) = full_name(pod);
        let pod = cluster.find_pod(namespace, name).expect("the pod is among the objects");
        look(&PreparedCycle::new(
            &view,
            pod,
            super::NOW.parse().expect("a time"),
            &plugins::filters(&profile.plugins),
        ))
    }
}

/// The pod of that name, or `namespace/name`.
pub fn find(cluster: &Cluster, pod: &str) -> PodIx {
    let (namespace, name) = full_name(pod);
    cluster.find_pod(namespace, name).expect("the pod is among the objects")
}
