//! Edits of a cluster for simulations: pods are added, removed and bound, nodes are cordoned, added
//! and removed, budgets are changed.
//!
//! Indices of nodes, budgets and pods stay valid, except where a method says otherwise.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::Timestamp;

use super::Cluster;
use super::budget::{Budget, BudgetIx};
use super::node::{Node, NodeIx, Taint};
use super::pod::{DisruptionTarget, Phase, Pod, PodIx, RareFields, Readiness, ResourceVersion};
use super::quantity::{Quantity, QuantityError};
use super::resource_requests::{ResourceRequests, WrittenRequest};
use super::resources::ResourceKind;
use super::symbols::Sym;
use super::template::{Template, Toleration};

impl Cluster {
    /// Removes a pod. It is marked as finished, which the scheduler ignores, so that its index
    /// stays valid. A resource claim that was reserved only for this pod loses its devices, as the
    /// control plane would deallocate them.
    ///
    /// Upstream: `pkg/controller/resourceclaim/controller.go` `syncClaim` (1.37).
    pub fn remove_pod(&mut self, pod: PodIx) {
        self.unassign(pod);
        if !self.devices.claims.is_empty() {
            let user = self.claim_user(pod).into_owned();
            self.devices.release(&user);
        }
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            pod.phase = Phase::Succeeded;
        }
    }

    /// How `reserved_for` of a resource claim names a pod: by its UID, or, if it does not exist yet,
    /// by its namespace and name.
    pub fn claim_user(&self, pod: PodIx) -> Cow<'_, str> {
        match &*self.pod(pod).uid {
            "" => Cow::Owned(self.pod_name(pod)),
            uid => Cow::Borrowed(uid),
        }
    }

    pub fn bind(&mut self, pod: PodIx, node: NodeIx) {
        self.unassign(pod);
        let name = self.node(node).name;
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            pod.node_name = name;
            pod.nominated_node = Sym::EMPTY;
        }
        self.nominees.remove(&pod);
        if let Some(here) = self.pods_on.get_mut(node.0 as usize) {
            let mut pods = here.to_vec();
            pods.push(pod);
            pods.sort_unstable();
            *here = Arc::new(pods);
        }
    }

    /// Nominates a pod to a node, or to none.
    pub fn nominate(&mut self, pod: PodIx, node: Option<NodeIx>) {
        let name = node.map_or(Sym::EMPTY, |node| self.node(node).name);
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            pod.nominated_node = name;
        }
        if name.is_empty() {
            self.nominees.remove(&pod);
        } else {
            self.nominees.insert(pod);
        }
    }

    /// Sets whether a pod is Ready.
    pub fn set_readiness(&mut self, pod: PodIx, readiness: Readiness) {
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            pod.readiness = readiness;
        }
    }

    /// Deletes a pod as preemption does: it stays on its node until its grace period ends at `due`.
    pub fn preempt(&mut self, pod: PodIx, due: Timestamp) {
        self.renew_list_of(pod);
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            pod.deletion.get_or_insert(due);
            pod.disruption = Some(Box::new(DisruptionTarget {
                reason: DisruptionTarget::PREEMPTION.into(),
                message: Box::default(),
                since: None,
            }));
        }
    }

    /// Marks a pod as deleted: it keeps its node until it is gone, which it is `due` to be.
    pub fn terminate(&mut self, pod: PodIx, due: Timestamp) {
        self.renew_list_of(pod);
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            pod.deletion.get_or_insert(due);
        }
    }

    /// Adds pods, and assigns those with a node to it. Indices of pods change.
    pub fn insert(&mut self, pods: Vec<Pod>) {
        let sorted = self.pods.own();
        sorted.extend(pods);
        let symbols = &self.symbols;
        let key = |pod: &Pod| symbols.text(pod.namespace);
        sorted.sort_by(|a, b| key(a).cmp(key(b)).then_with(|| a.name.cmp(&b.name)));
        self.assign(|_, _| {});
    }

    /// Gives pods other names, by namespace and name. Indices of pods change.
    pub fn rename_pods(&mut self, names: &[(String, String, String)]) {
        for (namespace, old, new) in names {
            let Some(pod) = self.find_pod(namespace, old) else { continue };
            if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
                pod.name = new.as_str().into();
            }
            // The pods are looked up by name, so each name has to be at its place.
            self.insert(Vec::new());
        }
    }

    /// Appends pods, and assigns those with a node to it. Unlike with [`Self::insert`], indices
    /// stay valid.
    pub fn append(&mut self, pods: Vec<Pod>) {
        for pod in pods {
            let number = u32::try_from(self.pods.len()).unwrap_or(u32::MAX);
            let node = self.find_node(self.symbols.text(pod.node_name));
            let here = node.and_then(|node| self.pods_on.get_mut(node.0 as usize));
            if let Some(here) = here.filter(|_| pod.is_running()) {
                Arc::make_mut(here).push(PodIx(number));
            }
            if !pod.nominated_node.is_empty() {
                self.nominees.insert(PodIx(number));
            }
            self.pods.push(pod);
        }
    }

    /// Marks a node as unschedulable, or as schedulable again.
    pub fn cordon(&mut self, node: NodeIx, unschedulable: bool) {
        if let Some(node) = self.nodes.get_mut(node.0 as usize) {
            node.unschedulable = unschedulable;
        }
    }

    /// Sets a label of a node.
    pub fn label_node(&mut self, node: NodeIx, key: &str, value: &str) {
        let (key, value) = (self.symbols.intern(key), self.symbols.intern(value));
        let Some(node) = self.nodes.get_mut(node.0 as usize) else { return };
        let labels = self.label_sets.get(node.labels).map_or(&[][..], |labels| labels);
        let mut labels: Vec<(Sym, Sym)> =
            labels.iter().copied().filter(|(other, _)| *other != key).collect();
        labels.push((key, value));
        labels.sort_unstable();
        node.labels = self.label_sets.intern(labels.into()).0;
    }

    /// Keeps only the taints of a node that `keep` accepts.
    pub fn change_taints(&mut self, node: NodeIx, keep: impl Fn(&Taint) -> bool) {
        if let Some(node) = self.nodes.get_mut(node.0 as usize) {
            node.taints = node.taints.iter().filter(|taint| keep(taint)).cloned().collect();
        }
    }

    /// Frees an amount of a resource on a node, as if pods that request it left.
    pub fn free(&mut self, node: NodeIx, resource: &str, amount: Quantity) {
        let kind = ResourceKind::of(resource);
        let name = self.symbols.intern(resource);
        if let Some(node) = self.nodes.get_mut(node.0 as usize) {
            node.freed.add(kind, name, kind.count(amount));
            if kind == ResourceKind::Pods {
                node.freed_pods = node.freed_pods.saturating_add(kind.count(amount));
            }
        }
    }

    /// Adds an empty node. Indices of nodes change.
    pub fn insert_node(&mut self, node: Node) {
        let symbols = &self.symbols;
        let name = symbols.text(node.name);
        let nodes = self.nodes.own();
        let at = nodes.partition_point(|other| symbols.text(other.name) < name);
        nodes.insert(at, Arc::new(node));
        self.pods_on.insert(at.min(self.pods_on.len()), Arc::default());
    }

    /// Removes a node with the pods on it. Indices of nodes change.
    pub fn remove_node(&mut self, node: NodeIx) {
        for pod in self.pods_on(node).to_vec() {
            self.remove_pod(pod);
        }
        let at = node.0 as usize;
        if at < self.nodes.len().min(self.pods_on.len()) {
            self.nodes.own().remove(at);
            self.pods_on.remove(at);
        }
    }

    /// Sets how many disruptions a budget allows.
    pub fn set_disruptions_allowed(&mut self, budget: BudgetIx, disruptions: i64) {
        if let Some(budget) = self.budgets.get_mut(budget.0 as usize) {
            budget.allowed = disruptions;
        }
    }

    /// Changes a budget and what its controller has counted.
    pub fn change_budget(&mut self, budget: BudgetIx, change: impl FnOnce(&mut Budget)) {
        if let Some(budget) = self.budgets.get_mut(budget.0 as usize) {
            change(budget);
            budget.allowed = (budget.health.current - budget.health.desired).max(0);
        }
    }

    /// Sets a pod's priority, regardless of its priority class.
    pub fn set_priority(&mut self, pod: PodIx, priority: i32) {
        self.renew_list_of(pod);
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            pod.priority = priority;
        }
    }

    /// Changes a pod's constraints.
    pub fn change_template(
        &mut self,
        pod: PodIx,
        change: impl FnOnce(&mut Template, &mut super::Symbols),
    ) {
        let mut template = self.template(self.pod(pod)).clone();
        change(&mut template, &mut self.symbols);
        let (number, _) = self.templates.intern(template);
        self.renew_list_of(pod);
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            pod.template = number;
        }
    }

    pub fn add_toleration(&mut self, pod: PodIx, toleration: &crate::snapshot::pod::Toleration) {
        self.change_template(pod, |template, symbols| {
            let mut all = template.tolerations.to_vec();
            all.push(Toleration::read(toleration, symbols));
            template.tolerations = all.into();
        });
    }

    /// Adds a pair to a pod's `nodeSelector`, or replaces the value of the same key.
    pub fn add_node_selector(&mut self, pod: PodIx, key: &str, value: &str) {
        self.change_template(pod, |template, symbols| {
            let (key, value) = (symbols.intern(key), symbols.intern(value));
            let mut pairs: Vec<(Sym, Sym)> =
                template.node_selector.iter().flatten().copied().collect();
            pairs.retain(|(other, _)| *other != key);
            pairs.push((key, value));
            template.node_selector = Some(pairs.into());
        });
    }

    /// The request that determines how much of a resource a pod requests.
    pub fn deciding_request(&self, pod: PodIx, resource: Sym) -> Option<WrittenRequest> {
        let requests = self.resource_requests.get(self.pod(pod).resource_requests)?;
        Some(requests.deciding(resource, |text| self.quantity(text)))
    }

    /// Sets the request that determines how much of a resource an unscheduled pod requests, as if
    /// its manifest were edited: its overhead and its other containers stay as they are.
    ///
    /// # Errors
    /// If `amount` is not a quantity.
    pub fn set_request(
        &mut self,
        pod: PodIx,
        resource: &str,
        amount: &str,
    ) -> Result<(), QuantityError> {
        let quantity = Quantity::parse(amount)?;
        let (resource, amount) = (self.symbols.intern(resource), self.symbols.intern(amount));
        self.quantities.insert(amount, quantity);
        let number = self.pod(pod).resource_requests;
        let Some(mut resource_requests) = self.resource_requests.get(number).cloned() else {
            return Ok(());
        };
        let place = resource_requests.deciding(resource, |text| self.quantity(text)).place;
        resource_requests.write(place, resource, amount);
        let (number, _) = self.resource_requests.intern(resource_requests);
        self.renew_list_of(pod);
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            pod.resource_requests = number;
        }
        Ok(())
    }

    /// Replaces `pod` by a new one of the same name and spec, as its controller would.
    pub fn recreate(&mut self, pod: PodIx, now: Timestamp) {
        self.unassign(pod);
        let new = self.copy(pod, now);
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            *pod = new;
        }
        self.nominees.remove(&pod);
    }

    /// Takes a pod off its node and makes it pending, as if its controller had recreated it, with
    /// its own claims, which no longer hold devices.
    pub fn restart(&mut self, pod: PodIx, now: Timestamp) {
        let old = self.pod(pod);
        let (uid, claims) = (old.uid.clone(), old.resource_claims.clone());
        self.remove_pod(pod);
        self.recreate(pod, now);
        if let Some(pod) = self.pods.get_mut(pod.0 as usize) {
            pod.uid = uid;
            pod.resource_claims = claims;
        }
    }

    /// A pod with the same spec: unassigned, not started, and without a status.
    #[must_use]
    pub fn copy(&mut self, pod: PodIx, now: Timestamp) -> Pod {
        // What a status says about resources is about the pod that runs.
        let mut old = self.pod(pod).clone();
        let resource_requests =
            self.resource_requests.get(old.resource_requests).cloned().unwrap_or_default();
        let spec = ResourceRequests {
            statuses: Box::default(),
            pod_actuated: None,
            pod_allocated: None,
            resize_infeasible: false,
            ..resource_requests
        };
        let (resource_requests, _) = self.resource_requests.intern(spec);
        let rare = old.rare.take().and_then(|rare| {
            let RareFields { claims, annotations, .. } = *rare;
            RareFields { claims, annotations, ..RareFields::default() }.boxed()
        });
        Pod {
            uid: Box::default(),
            resource_version: ResourceVersion::default(),
            resource_requests,
            node_name: Sym::EMPTY,
            nominated_node: Sym::EMPTY,
            phase: Phase::Active,
            readiness: Readiness::Pending,
            start_time: None,
            created: Some(now),
            rare,
            ..old
        }
    }

    /// The claim of pod `new` that corresponds to `claim` of pod `old`, if that is named after the
    /// pod, as the claims of a StatefulSet are. If the cluster does not have it, it is added with
    /// the same spec.
    pub fn claim_like(&mut self, namespace: Sym, claim: Sym, old: &str, new: &str) -> Sym {
        let volume = self.text(claim).strip_suffix(old).filter(|volume| volume.ends_with('-'));
        let Some(name) = volume.map(|volume| format!("{volume}{new}")) else { return claim };
        let name = self.symbols.intern(&name);
        self.storage.add_claim_like(namespace, claim, name);
        name
    }

    /// Replaces the list of the pods on a pod's node, if it has one: who keeps the list has computed
    /// something from what the pod was.
    fn renew_list_of(&mut self, pod: PodIx) {
        let node = self.node_of(pod);
        if let Some(here) = node.and_then(|node| self.pods_on.get_mut(node.0 as usize)) {
            *here = Arc::new(here.to_vec());
        }
    }

    /// Removes a pod from the pods of its node.
    fn unassign(&mut self, pod: PodIx) {
        let node = self.find_node(self.text(self.pod(pod).node_name));
        if let Some(here) = node.and_then(|node| self.pods_on.get_mut(node.0 as usize)) {
            *here = Arc::new(here.iter().copied().filter(|other| *other != pod).collect());
        }
    }
}
