//! Asks a scheduler about a list of objects.

use serde_json::Value;

use super::answer::Answer;
use builders::{NOW, cluster, find};
use model::cluster::Cluster;
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

/// Runs `look` on the prepared cycle of `pod`.
pub fn with_cycle<T>(objects: Vec<Value>, pod: &str, look: impl FnOnce(&PreparedCycle) -> T) -> T {
    at("1.37").with_cycle(objects, pod, look)
}

/// Verifies the condition of `pod` against the newest scheduler's rules.
pub fn verify(objects: Vec<Value>, pod: &str) -> Verification {
    at("1.37").verify(objects, pod)
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
        let pod = find(cluster, pod);
        let now = NOW.parse().expect("a time");
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
        let pod = find(&cluster, pod);
        let now = NOW.parse().expect("a time");
        look(&PreparedCycle::new(&view, pod, now, &plugins::filters(&profile.plugins)))
    }
}
