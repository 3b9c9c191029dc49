//! Which evictions the eviction API permits, and how a budget's count changes while pods leave and
//! their replacements become Ready.
//!
//! Upstream: `pkg/registry/core/pod/storage/eviction.go` `Create`, `checkAndDecrement`,
//! `pkg/controller/disruption/disruption.go` `countHealthyPods`, `updatePdbStatus` (1.37).

use std::collections::BTreeSet;
use std::sync::Arc;

use super::victims;
use model::cluster::budget::UnhealthyPods;
use model::cluster::pod::Readiness;
use model::cluster::{Budget, BudgetIx, Cluster, PodIx};
use profile::Features;
use scheduler::preemption::budgets::{BudgetIndex, Budgets};

/// Why the eviction API refuses an eviction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EvictionRefusal {
    /// The budget allows no disruption.
    Exhausted,
    /// The budget's controller has not seen the latest change of the budget yet.
    NotObserved,
    /// Several budgets select the pod, which the API does not support.
    SeveralBudgets,
}

/// A refused eviction, with the budgets that refuse it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedEviction {
    pub why: EvictionRefusal,
    /// The budgets: one, or all that select the pod.
    pub budgets: Vec<BudgetState>,
}

/// A budget at one moment of a drain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetState {
    /// Its index.
    pub budget: BudgetIx,
    pub namespace: String,
    pub name: String,
    /// How many more disruptions it allows.
    pub allowed: i64,
    /// How many of its pods are Ready.
    pub healthy: i64,
    /// How many must be Ready.
    pub desired: i64,
    /// How many pods it counts.
    pub expected: i64,
    /// Its `unhealthyPodEvictionPolicy`.
    pub unhealthy_pods: UnhealthyPods,
    /// Why its controller cannot count its pods, if it cannot.
    pub sync_error: Option<String>,
}

impl BudgetState {
    /// `ns/name`.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
}

/// The running count of one budget.
#[derive(Debug, Clone, Copy)]
struct Count {
    /// How many disruptions it allows; negative if that many pods are missing before it allows any.
    margin: i64,
    healthy: i64,
    /// Evictions of pods that are not Ready; they count until the controller next looks.
    passing: i64,
}

impl Count {
    fn of(budget: &Budget) -> Self {
        let health = budget.health;
        let missing = (health.current - health.desired).min(0);
        // The status takes precedence even if it does not follow from its other numbers.
        let margin = if budget.allowed > 0 { budget.allowed } else { missing };
        Self { margin, healthy: health.current, passing: 0 }
    }

    fn allowed(self) -> i64 {
        (self.margin - self.passing).max(0)
    }
}

/// The budgets of a cluster while pods are evicted.
#[derive(Debug, Clone)]
pub struct Evictions {
    index: Arc<BudgetIndex>,
    counts: Vec<Count>,
    /// The UIDs of pods that were already terminating, which no budget counts.
    ending: BTreeSet<Box<str>>,
}

impl Evictions {
    /// Starts from the status of the cluster's budgets.
    pub fn new(cluster: &Cluster, features: &Features) -> Self {
        let counts = cluster.budgets.iter().map(Count::of).collect();
        let ending = cluster.pods.iter().filter(|pod| pod.is_terminating());
        let ending = ending.map(|pod| pod.uid.clone()).collect();
        Self { index: Arc::new(victims::protecting(cluster, features)), counts, ending }
    }

    /// The budgets that select a pod.
    pub fn of(&self, pod: PodIx, cluster: &Cluster) -> Budgets {
        self.index.of(cluster.pod(pod), cluster)
    }

    /// The current state of a budget.
    pub fn state(&self, budget: BudgetIx, cluster: &Cluster) -> BudgetState {
        let facts = cluster.budget(budget);
        let count = self.count(budget);
        BudgetState {
            budget,
            namespace: cluster.text(facts.namespace).to_owned(),
            name: facts.name.to_string(),
            allowed: count.allowed(),
            healthy: count.healthy,
            desired: facts.health.desired,
            expected: facts.health.expected,
            unhealthy_pods: facts.unhealthy_pods,
            sync_error: facts.sync_error.as_deref().map(str::to_owned),
        }
    }

    fn count(&self, budget: BudgetIx) -> Count {
        let unknown = Count { margin: 0, healthy: 0, passing: 0 };
        self.counts.get(budget.0 as usize).copied().unwrap_or(unknown)
    }

    fn change(&mut self, budget: BudgetIx, change: impl FnOnce(&mut Count)) {
        if let Some(count) = self.counts.get_mut(budget.0 as usize) {
            change(count);
        }
    }

    /// Evicts a pod through the API, if that permits it. The pod counts as gone from then on.
    ///
    /// # Errors
    /// Why it is refused, and by which budgets.
    pub fn evict(&mut self, pod: PodIx, cluster: &Cluster) -> Result<(), RefusedEviction> {
        // A pod that has not started or is already terminating is deleted without asking any
        // budget.
        let facts = cluster.pod(pod);
        if facts.readiness == Readiness::Pending || facts.is_terminating() || !facts.is_active() {
            return Ok(());
        }

        let budgets = self.of(pod, cluster);
        let refused = |why, this: &Self| RefusedEviction {
            why,
            budgets: budgets.iter().map(|budget| this.state(*budget, cluster)).collect(),
        };
        let budget = match budgets.as_slice() {
            [] => return Ok(()),
            [budget] => *budget,
            _ => return Err(refused(EvictionRefusal::SeveralBudgets, self)),
        };

        // A pod that is not Ready does not count as healthy, so evicting it does no harm if the
        // budget has the pods that it needs.
        let (rules, count) = (cluster.budget(budget), self.count(budget));
        let is_ready = facts.readiness == Readiness::Ready;
        if !is_ready {
            let desired = rules.health.desired;
            let has_enough = desired > 0 && count.healthy >= desired;
            if rules.unhealthy_pods == UnhealthyPods::AlwaysAllow || has_enough {
                return Ok(());
            }
        }

        if !rules.health.is_observed {
            return Err(refused(EvictionRefusal::NotObserved, self));
        }
        if count.allowed() == 0 {
            return Err(refused(EvictionRefusal::Exhausted, self));
        }
        if is_ready {
            self.leave(pod, cluster);
        } else {
            self.change(budget, |count| count.passing += 1);
        }
        Ok(())
    }

    /// Counts a preempted pod as gone.
    pub fn preempted(&mut self, pod: PodIx, cluster: &Cluster) {
        let facts = cluster.pod(pod);
        if facts.readiness == Readiness::Ready && !self.ending.contains(&facts.uid) {
            self.leave(pod, cluster);
        }
    }

    fn leave(&mut self, pod: PodIx, cluster: &Cluster) {
        for budget in self.of(pod, cluster) {
            self.change(budget, |count| {
                count.margin -= 1;
                count.healthy -= 1;
            });
        }
    }

    /// Counts a pod that became Ready.
    pub fn ready(&mut self, pod: PodIx, cluster: &Cluster) {
        for budget in self.of(pod, cluster) {
            self.change(budget, |count| {
                count.margin += 1;
                count.healthy += 1;
            });
        }
    }

    /// The disruption controller has updated the budgets: those of `cluster`, which preemption
    /// reads, now allow what they currently should.
    pub fn settle(&mut self, cluster: &mut Cluster) {
        for (budget, count) in cluster.budget_indices().zip(&mut self.counts) {
            count.passing = 0;
            cluster.set_disruptions_allowed(budget, count.allowed());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use testing::{Budget, Pod, budget, cluster, features, node, objects, pod};

    use super::*;

    fn web(name: &str) -> Pod {
        pod(name).label("app", "web").on("n1")
    }

    fn ready(name: &str) -> Pod {
        web(name).ready()
    }

    /// The result of evicting these pods one after the other: `yes`, or why not.
    fn evicted(budgets: &[Budget], pods: &[Pod]) -> Vec<String> {
        let mut list = objects![node("n1").cpu("4")];
        list.extend(budgets.iter().map(|budget| budget.0.clone()));
        list.extend(pods.iter().map(|pod| pod.0.clone()));
        let cluster = cluster(list);
        let mut evictions = Evictions::new(&cluster, &features("1.37"));
        let answer = |pod: &Pod| {
            let name = pod.0["metadata"]["name"].as_str().expect("a name");
            let ix = cluster.find_pod("default", name).expect("the pod");
            match evictions.evict(ix, &cluster) {
                Ok(()) => "yes".to_owned(),
                Err(refused) => format!("{:?} {}", refused.why, refused.budgets[0].name),
            }
        };
        pods.iter().map(answer).collect()
    }

    fn counted(healthy: i64, desired: i64) -> Budget {
        let allowed = (healthy - desired).max(0);
        budget("b").selects("app", "web").allowed(allowed).healthy(healthy, desired, 3)
    }

    #[test]
    fn ready_pods_use_up_the_budget() {
        let two = [ready("a"), ready("c")];
        assert_eq!(evicted(&[], &two), ["yes", "yes"]);
        assert_eq!(evicted(&[counted(3, 2)], &two), ["yes", "Exhausted b"]);
        assert_eq!(evicted(&[counted(3, 1)], &two), ["yes", "yes"]);
        assert_eq!(evicted(&[counted(2, 2)], &two), ["Exhausted b", "Exhausted b"]);
        assert_eq!(evicted(&[counted(3, 2).selects("app", "db")], &two), ["yes", "yes"]);
    }

    #[test]
    fn pods_that_are_not_ready_go_by_the_policy_of_the_budget() {
        let always = "AlwaysAllow";
        let policy = |budget: Budget| budget.with("/spec/unhealthyPodEvictionPolicy", always);
        let two = [web("a"), web("c")];
        assert_eq!(evicted(&[counted(2, 2)], &two), ["yes", "yes"], "the budget has enough");
        assert_eq!(evicted(&[counted(1, 2)], &two), ["Exhausted b", "Exhausted b"]);
        assert_eq!(evicted(&[policy(counted(1, 2))], &two), ["yes", "yes"]);
        assert_eq!(evicted(&[counted(0, 0)], &two), ["Exhausted b", "Exhausted b"]);
        assert_eq!(evicted(&[counted(1, 0)], &two), ["yes", "Exhausted b"], "counted in passing");
    }

    #[test]
    fn pods_that_have_not_started_or_are_ending_need_no_budget() {
        let none = [counted(0, 2), counted(0, 2).with("/metadata/name", "c")];
        let starting = web("a").phase("Pending");
        assert_eq!(evicted(&none, &[starting, ready("c").terminating()]), ["yes", "yes"]);
    }

    #[test]
    fn pod_with_several_budgets_is_never_evicted() {
        let second = counted(3, 1).with("/metadata/name", "c");
        let always = second.clone().with("/spec/unhealthyPodEvictionPolicy", "AlwaysAllow");
        assert_eq!(evicted(&[counted(3, 1), second], &[ready("a")]), ["SeveralBudgets b"]);
        assert_eq!(evicted(&[counted(3, 1), always], &[web("a")]), ["SeveralBudgets b"]);
    }

    #[test]
    fn budget_that_its_controller_has_not_seen_refuses() {
        let changed = counted(3, 1).with("/metadata/generation", 2);
        let seen = changed.clone().with("/status/observedGeneration", 2);
        assert_eq!(evicted(&[changed], &[ready("a")]), ["NotObserved b"]);
        assert_eq!(evicted(&[seen], &[ready("a")]), ["yes"]);
    }

    #[test]
    fn replacements_that_become_ready_give_back_what_an_eviction_took() {
        let list = objects![
            node("n1").cpu("4"),
            counted(1, 2),
            ready("a"),
            budget("other").with("/spec/selector", json!(null))
        ];
        let cluster = cluster(list);
        let mut evictions = Evictions::new(&cluster, &features("1.37"));
        let pod = cluster.find_pod("default", "a").expect("the pod");
        assert!(evictions.evict(pod, &cluster).is_err());
        evictions.ready(pod, &cluster);
        assert!(evictions.evict(pod, &cluster).is_err(), "two are Ready, and two are needed");
        evictions.ready(pod, &cluster);
        assert!(evictions.evict(pod, &cluster).is_ok());
        assert!(evictions.evict(pod, &cluster).is_err());
    }
}
