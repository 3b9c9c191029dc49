//! Which running pods can be preempted, and by which pods?

pub mod rows;

use std::borrow::Cow;
use std::collections::BTreeSet;

use engine::cluster::build::Builder;
use engine::cluster::eviction_guard::EvictionGuard;
use engine::cluster::{Cluster, PodIx};
use engine::decode::decode;
use engine::edits::{self, Edit};
use engine::framework::cluster_view::ClusterView;
use engine::matrix::{self, MatrixKey, PreemptionMatrix};
use engine::risk::{self, Exposure, ExposureCounts, Risk};
use serde_json::json;

use super::{Basis, Beside, Report, Verdict, in_order};
use crate::error::{AnswerError, CommandHint};
use crate::extent::Extent;
use crate::in_part::PartialSubject;
use crate::input::LoadedInput;
use crate::new_pods;
use crate::node_name;
use crate::target::{self, Target};
use crate::what_if::{self, WhatIf};
use crate::words;

/// Name of a pod that is described by its priority and requests.
const NAME: &str = "preemptor";
/// Maximum number of names in a sentence.
const NAMED: usize = 5;
/// Maximum number of annotations in a sentence.
const ANNOTATIONS: usize = 3;

/// The running pods in question, and who may preempt them.
#[derive(Debug, Clone, Default)]
pub struct RiskRequest {
    pub subject: RiskSubject,
    /// Whether pods of every namespace are meant if none is named.
    pub all_namespaces: bool,
    pub preemptor: PreemptorRequest,
    /// Whether whole classes, namespaces or subjects are asked about instead of workloads.
    pub by: Option<MatrixKey>,
}

impl RiskRequest {
    /// What it is about, for an answer in part.
    pub fn in_part(&self) -> PartialSubject<'_> {
        match &self.subject {
            RiskSubject::Targets(targets) => {
                PartialSubject::Running { targets, all_namespaces: self.all_namespaces }
            }
            RiskSubject::Nodes(nodes) => PartialSubject::OnNodes(nodes),
        }
    }

    /// The pods and owners that are named, with that of the preemptor.
    pub fn named(&self) -> Vec<Target> {
        self.subject.targets().iter().chain(&self.preemptor.target).cloned().collect()
    }
}

/// Which running pods.
#[derive(Debug, Clone)]
pub enum RiskSubject {
    /// Pods and owners of pods; without any, all running pods.
    Targets(Vec<Target>),
    /// Those on these nodes.
    Nodes(Vec<String>),
}

impl Default for RiskSubject {
    fn default() -> Self {
        Self::Targets(Vec::new())
    }
}

fn is_node(word: &str) -> bool {
    ["node", "nodes", "no"].contains(&word.to_lowercase().as_str())
}

impl RiskSubject {
    /// The pods of `node/NAME …`, `node NAME …`, or what [`target::parse`] accepts.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] for other words, and for nodes beside pods.
    pub fn parse(words: &[String]) -> Result<Self, AnswerError> {
        if let [kind, names @ ..] = words
            && is_node(kind)
            && !names.is_empty()
        {
            return Ok(Self::Nodes(split(names)));
        }
        let mut nodes: Vec<String> = Vec::new();
        for word in words {
            match word.split_once('/') {
                Some((kind, name)) if is_node(kind) && !name.is_empty() => {
                    nodes.push(name.to_owned());
                }
                _ => {}
            }
        }
        match nodes.len() {
            0 => Ok(Self::Targets(target::parse(words)?)),
            all if all == words.len() => Ok(Self::Nodes(split(&nodes))),
            _ => Err(AnswerError::usage("name either nodes or pods and their owners, not both")),
        }
    }

    /// The pods and owners that are named.
    pub fn targets(&self) -> &[Target] {
        match self {
            Self::Targets(targets) => targets,
            Self::Nodes(_) => &[],
        }
    }
}

/// Splits names at commas.
fn split(names: &[String]) -> Vec<String> {
    let names = names.iter().flat_map(|names| names.split(','));
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The preemptor that is named; by default pods of every priority class, and the pending pods.
#[derive(Debug, Clone, Default)]
pub struct PreemptorRequest {
    /// A pod, or one more pod of an owner.
    pub target: Option<Target>,
    /// What it is assumed to be.
    pub edits: Vec<Edit>,
}

impl PreemptorRequest {
    /// The preemptor with this name, priority and requests, as people write them.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] for an invalid value, and for a described pod without a priority.
    pub fn parse(
        name: Option<&str>,
        priority: Option<&str>,
        requests: &[String],
    ) -> Result<Self, AnswerError> {
        let target = match name {
            None => None,
            Some(name) => target::parse(&[name.to_owned()])?.into_iter().next(),
        };
        if target.is_none() && !requests.is_empty() && priority.is_none() {
            let problem = "--requests describes a pod without a priority";
            let hint = "--priority gives it, as a number or a class";
            return Err(AnswerError::usage_hint(problem, hint));
        }
        let mut edits = Vec::new();
        if let Some(text) = priority {
            edits.push(what_if::read(WhatIf::Priority, text, "default")?);
        }
        for text in requests {
            edits.push(what_if::read(WhatIf::Requests, text, "default")?);
        }
        Ok(Self { target, edits })
    }
}

/// How exposed the running pods are.
#[derive(Debug, Clone)]
pub struct RiskReport {
    pub basis: Basis,
    pub risk: Risk,
    pub order: RowOrder,
    /// Who may evict whom, if that was asked.
    pub matrix: Option<PreemptionMatrix>,
}

impl RiskReport {
    /// `54 running pods: 14 about to be evicted, 4 on runner-up nodes, 36 preemptible, 0 safe`.
    pub fn sentence(&self) -> String {
        let ExposureCounts { running, evicted, elsewhere, exposed, safe } = self.risk.counts();
        let counts = [
            (evicted, Exposure::Victim),
            (elsewhere, Exposure::Candidate),
            (exposed, Exposure::Exposed),
            (safe, Exposure::Safe),
        ];
        let counts = counts.map(|(number, exposure)| {
            format!("{} {}", words::group_digits(number), rows::exposure_words(exposure))
        });
        format!("{}: {}", words::count(running, "running pod"), counts.join(", "))
    }

    /// That pods which can be preempted have annotations that seem to protect them.
    pub fn unprotected(&self, extent: Extent) -> Option<String> {
        let mut annotations: BTreeSet<EvictionGuard> = BTreeSet::new();
        let mut guarded = 0;
        for pod in self.risk.pods().filter(|pod| pod.exposure != Exposure::Safe) {
            guarded += usize::from(!pod.guards.is_empty());
            annotations.extend(&pod.guards);
        }
        let names: Vec<&str> = annotations.iter().map(|guard| guard.annotation()).collect();
        let asks = if guarded == 1 { "asks" } else { "ask" };
        (guarded > 0).then(|| {
            format!(
                "{} that can be preempted {asks} not to be evicted: {}. That does not protect from preemption; a higher priority does.",
                words::count(guarded, "pod"),
                words::list(&names, extent.named(ANNOTATIONS))
            )
        })
    }

    /// What the matrix leaves open, in sentences without a full stop.
    pub fn open_questions(&self) -> Vec<String> {
        let Some(matrix) = &self.matrix else { return Vec::new() };
        let mut open = Vec::new();
        if matrix.key != MatrixKey::Subject {
            return open;
        }
        if !matrix.access_is_read {
            open.push(
                "The input has no RBAC roles and bindings: kubectl get clusterroles,roles,clusterrolebindings,rolebindings -A -o yaml adds them".to_owned(),
            );
        }
        if !matrix.unread.is_empty() {
            open.push(format!("Not read: {}", words::list(&matrix.unread, NAMED)));
        }
        if !matrix.policies.is_empty() {
            let names = words::list(&matrix.policies, NAMED);
            open.push(format!("Not judged: what ValidatingAdmissionPolicies refuse ({names})"));
        }
        open.push(
            "Assumed: RBAC alone authorizes, the API server's admission configuration limits no class \
             to namespaces with a quota (limitedResources), and webhooks and MutatingAdmissionPolicies \
             neither change nor refuse classes: the API does not show it, or it is not read"
                .to_owned(),
        );
        open
    }
}

/// The order of the rows about workloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOrder {
    /// Those with the most evicted pods first, then the most exposed ones, then by name.
    MostExposed,
    /// That of the workloads.
    AsGiven,
}

impl Report for RiskReport {
    fn verdict(&self) -> Verdict {
        let is_open = self.matrix.as_ref().is_some_and(|matrix| {
            let is_known = matrix.access_is_read && matrix.unread.is_empty();
            matrix.key == MatrixKey::Subject && !is_known
        });
        Verdict::new(true, self.risk.is_unsure() || is_open)
    }

    fn reorder(&mut self, order: &[usize]) {
        self.risk.workloads = in_order(&self.risk.workloads, order);
        self.order = RowOrder::AsGiven;
    }

    fn beside(&self) -> Beside {
        let is_empty = self.risk.workloads.is_empty();
        let nothing = is_empty.then(|| "No running pods are meant.".to_owned());
        Beside { remark: nothing, warnings: Vec::new() }
    }
}

/// Decides about the preemptors.
///
/// # Errors
/// Pods, owners, nodes or a preemptor that there are not, and files that lack the nodes.
pub fn risk(input: &LoadedInput, request: &RiskRequest) -> Result<RiskReport, AnswerError> {
    input.check_nodes()?;
    let mut cluster = Cow::Borrowed(&input.cluster);
    let preemptors = add_preemptor(&request.preemptor, &mut cluster, input)?;
    let pods = running(request, &cluster, input)?;
    let views: Vec<ClusterView> =
        input.profiles().map(|profile| ClusterView::new(&cluster, profile)).collect();
    let view_of = |pod| input.view_in(&cluster, pod);
    let risk = risk::assess(&views, &view_of, &pods, &preemptors, input.now);
    Ok(RiskReport {
        basis: Basis::of(input),
        matrix: request.by.map(|key| matrix::of(key, &risk, &cluster)),
        risk,
        order: RowOrder::MostExposed,
    })
}

/// The running pods in question.
fn running(
    request: &RiskRequest,
    cluster: &Cluster,
    input: &LoadedInput,
) -> Result<Vec<PodIx>, AnswerError> {
    let mut pods = Vec::new();
    match &request.subject {
        RiskSubject::Targets(targets) if targets.is_empty() => {
            return Ok(target::running(input.pod_filter(request.all_namespaces), cluster));
        }
        RiskSubject::Targets(targets) => {
            for target in targets {
                let all = target::all(target, &input.namespace, cluster)?;
                let on_nodes: Vec<PodIx> =
                    all.into_iter().filter(|pod| cluster.pod(*pod).is_running()).collect();
                if on_nodes.is_empty() {
                    return Err(nothing_runs(target));
                }
                pods.extend(on_nodes);
            }
        }
        RiskSubject::Nodes(names) => {
            for name in names {
                let node = node_name::find(name, cluster)?;
                pods.extend(cluster.pods_on(node));
            }
        }
    }
    pods.sort_unstable();
    pods.dedup();
    Ok(pods)
}

fn nothing_runs(target: &Target) -> AnswerError {
    let kind = target.kind.to_lowercase();
    let name = &target.name;
    AnswerError::usage_hint(
        format!("no pod of {kind}/{name} runs on a node: only running pods are preempted"),
        vec![CommandHint::new(&["explain"], "says why a pod waits")],
    )
}

/// Adds the named preemptor to the cluster, and returns it; none if the question names none.
fn add_preemptor(
    request: &PreemptorRequest,
    cluster: &mut Cow<'_, Cluster>,
    input: &LoadedInput,
) -> Result<Vec<PodIx>, AnswerError> {
    let pods = match &request.target {
        Some(target) => existing(target, cluster, input)?,
        None if request.edits.is_empty() => return Ok(Vec::new()),
        None => described(cluster, input)?,
    };
    if !request.edits.is_empty() {
        edits::apply(cluster.to_mut(), &pods, &request.edits)
            .map_err(|refusal| node_name::impossible(refusal, cluster))?;
    }
    Ok(pods)
}

/// The first pending pod of the target, or a copy of its running pods.
fn existing(
    target: &Target,
    cluster: &mut Cow<'_, Cluster>,
    input: &LoadedInput,
) -> Result<Vec<PodIx>, AnswerError> {
    let found = target::find(target, &input.namespace, cluster)?;
    let Some(first) = found.first().copied() else { return Ok(Vec::new()) };
    if cluster.pod(first).is_waiting() {
        return Ok(vec![first]);
    }
    let added = new_pods::add_one_like(first, &target.name, cluster.to_mut(), input.now);
    Ok(added.into_iter().collect())
}

/// A pod of which only the priority and the requests are given, as edits.
fn described(
    cluster: &mut Cow<'_, Cluster>,
    input: &LoadedInput,
) -> Result<Vec<PodIx>, AnswerError> {
    let namespace = &input.namespace;
    let taken = |name: &String| cluster.find_pod(namespace, name).is_some();
    let mut names =
        std::iter::once(NAME.to_owned()).chain((0u64..).map(|index| format!("{NAME}-{index}")));
    let name = names.find(|name| !taken(name)).unwrap_or_default();
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [{"name": "main"}]}, "status": {"phase": "Pending"}});
    let mut builder = Builder::reopen(std::mem::take(cluster.to_mut()));
    decode(&pod.to_string(), "--requests", &mut builder)
        .map_err(|error| AnswerError::input(error.origin, error.problem))?;
    let added = builder.finish();
    let pods = added.find_pod(namespace, &name).into_iter().collect();
    *cluster = Cow::Owned(added);
    Ok(pods)
}
