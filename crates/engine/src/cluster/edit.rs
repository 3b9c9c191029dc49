//! A cluster that is changed in thought: pods that come, go and are placed, nodes and budgets that are set otherwise.
//!
//! Indices of nodes, budgets and pods stay what they are, [`Cluster::insert`] apart.

use jiff::Timestamp;

use super::Cluster;
use super::budget::BudgetIx;
use super::node::NodeIx;
use super::pod::{Phase, Pod, PodIx};
use super::quantity::{Quantity, QuantityError};
use super::shape::{Container, Requests, Shape};
use super::symbols::Sym;
use super::template::{Template, Toleration};

impl Cluster {
    /// Takes a pod away: as one that has finished it is nowhere, for nobody.
    pub fn retire(&mut self, pod: PodIx) {
        self.lift(pod);
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            pod.phase = Phase::Succeeded;
        }
    }

    /// Binds a pod to a node.
    pub fn place(&mut self, pod: PodIx, node: NodeIx) {
        self.lift(pod);
        let name = self.node(node).name;
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            pod.node_name = name;
            pod.nominated_node = Sym::EMPTY;
        }
        if let Some(here) = self.pods_on.get_mut(node.0 as usize) {
            here.push(pod);
            here.sort_unstable();
        }
    }

    /// Nominates a pod to a node, or to none.
    pub fn nominate(&mut self, pod: PodIx, node: Option<NodeIx>) {
        let name = node.map_or(Sym::EMPTY, |node| self.node(node).name);
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            pod.nominated_node = name;
        }
    }

    /// Deletes a pod as preemption does: it stays on its node until it is due to be gone.
    pub fn preempt(&mut self, pod: PodIx, due: Timestamp) {
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            pod.deletion.get_or_insert(due);
            pod.disrupted_by_scheduler = true;
        }
    }

    /// Adds pods, and ties those with a node to it. Indices of pods are others afterwards.
    pub fn insert(&mut self, pods: Vec<Pod>) {
        self.pods.extend(pods);
        let symbols = &self.symbols;
        let key = |pod: &Pod| symbols.text(pod.namespace);
        self.pods.sort_by(|a, b| key(a).cmp(key(b)).then_with(|| a.name.cmp(&b.name)));
        self.assign(|_, _| {});
    }

    /// Marks a node as unschedulable, or as schedulable again.
    pub fn cordon(&mut self, node: NodeIx, unschedulable: bool) {
        if let Some(node) = self.nodes.get_mut(node.0 as usize) {
            node.unschedulable = unschedulable;
        }
    }

    /// Sets how many disruptions a budget allows.
    pub fn allow(&mut self, budget: BudgetIx, disruptions: i64) {
        if let Some(budget) = self.budgets.get_mut(budget.0 as usize) {
            budget.allowed = disruptions;
        }
    }

    /// Sets a pod's priority, whatever its class.
    pub fn prioritize(&mut self, pod: PodIx, priority: i32) {
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            pod.priority = priority;
        }
    }

    /// Changes a pod's constraints.
    pub fn retemplate(&mut self, pod: PodIx, change: impl FnOnce(&mut Template, &mut super::Symbols)) {
        let mut template = self.template(self.pod(pod)).clone();
        change(&mut template, &mut self.symbols);
        let (number, _) = self.templates.intern(template);
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            pod.template = number;
        }
    }

    /// Adds a toleration to a pod's.
    pub fn tolerate(&mut self, pod: PodIx, toleration: &crate::snapshot::pod::Toleration) {
        self.retemplate(pod, |template, symbols| {
            let mut all = template.tolerations.to_vec();
            all.push(Toleration::read(toleration, symbols));
            template.tolerations = all.into();
        });
    }

    /// Adds a label to those that a pod asks of its node; a value that it asked for of the same key is replaced.
    pub fn select_nodes(&mut self, pod: PodIx, key: &str, value: &str) {
        self.retemplate(pod, |template, symbols| {
            let (key, value) = (symbols.intern(key), symbols.intern(value));
            let mut pairs: Vec<(Sym, Sym)> = template.node_selector.iter().flatten().copied().collect();
            pairs.retain(|(known, _)| *known != key);
            pairs.push((key, value));
            template.node_selector = Some(pairs.into());
        });
    }

    /// Lets a pod that is on no node ask for `amount` of a resource in all: its first container alone asks for it.
    ///
    /// # Errors
    /// When `amount` is no quantity.
    pub fn request(&mut self, pod: PodIx, resource: &str, amount: &str) -> Result<(), QuantityError> {
        let quantity = Quantity::parse(amount)?;
        let (resource, amount) = (self.symbols.intern(resource), self.symbols.intern(amount));
        self.quantities.insert(amount, quantity);
        let number = self.pod(pod).shape;
        let Some(mut shape) = self.shapes.get(number).cloned() else { return Ok(()) };
        ask(&mut shape, resource, amount);
        let (number, _) = self.shapes.intern(shape);
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            pod.shape = number;
        }
        Ok(())
    }

    /// Puts another pod of the same spec in the place of `pod`, as its owner makes it. It goes by the same name.
    pub fn renew(&mut self, pod: PodIx, now: Timestamp) {
        self.lift(pod);
        let new = self.copy(pod, now);
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            *pod = new;
        }
    }

    /// Another pod of the same spec: on no node, not started, with nothing in its status.
    #[must_use]
    pub fn copy(&mut self, pod: PodIx, now: Timestamp) -> Pod {
        let old = self.pod(pod).clone();
        let shape = self.shapes.get(old.shape).cloned().unwrap_or_default();
        let spec = Shape {
            statuses: Box::default(),
            pod_actuated: None,
            pod_allocated: None,
            resize_infeasible: false,
            ..shape
        };
        let (shape, _) = self.shapes.intern(spec);
        Pod {
            uid: Box::default(),
            resource_version: Box::default(),
            shape,
            node_name: Sym::EMPTY,
            nominated_node: Sym::EMPTY,
            phase: Phase::Active,
            start_time: None,
            created: Some(now),
            deletion: None,
            disrupted_by_scheduler: false,
            resource_claims: Box::default(),
            scheduled_condition: None,
            ..old
        }
    }

    /// The claim of pod `new` that stands for `claim` of pod `old`, if it is named after the pod: one that is there, or
    /// another like it.
    pub fn claim_like(&mut self, namespace: Sym, claim: Sym, old: &str, new: &str) -> Sym {
        let volume = self.text(claim).strip_suffix(old).filter(|volume| volume.ends_with('-'));
        let Some(name) = volume.map(|volume| format!("{volume}{new}")) else { return claim };
        let name = self.symbols.intern(&name);
        self.storage.add_claim_like(namespace, claim, name);
        name
    }

    /// Takes a pod off its node.
    fn lift(&mut self, pod: PodIx) {
        let node = self.find_node(self.text(self.pod(pod).node_name));
        if let Some(here) = node.and_then(|node| self.pods_on.get_mut(node.0 as usize)) {
            here.retain(|other| *other != pod);
        }
    }
}

/// Nobody asks for `resource` but the first container.
fn ask(shape: &mut Shape, resource: Sym, amount: Sym) {
    let without = |requests: &Requests| requests.iter().copied().filter(|(name, _)| *name != resource).collect();
    for container in shape.containers.iter_mut().chain(&mut shape.init_containers) {
        container.requests = without(&container.requests);
    }
    shape.overhead = without(&shape.overhead);
    if let Some(requests) = &mut shape.pod_level {
        *requests = without(requests);
    }
    if shape.containers.is_empty() {
        shape.containers = Box::new([Container { name: Sym::EMPTY, requests: Requests::default(), sidecar: false }]);
    }
    if let Some(first) = shape.containers.first_mut() {
        let mut requests = first.requests.to_vec();
        requests.push((resource, amount));
        requests.sort_unstable();
        first.requests = requests.into();
    }
}

#[cfg(test)]
mod tests;
