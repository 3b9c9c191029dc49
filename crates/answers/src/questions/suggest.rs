//! The smallest changes with which pending pods fit and none is lost, and the commands that make them.

use engine::cluster::{Cluster, PodIx};
use engine::edits::Edit;
use engine::notes::{self, Note};
use engine::simulation::plan::PodId;
use engine::simulation::sequence::queue_order;
use engine::simulation::suggest::many::{ForMany, for_many};
use engine::simulation::suggest::{Move, MovePlan, Proof, SuggestSettings, Suggestion, for_pod};
use serde_json::json;

use super::{Basis, Beside, ListRemarks, Report, Verdict, in_order};
use crate::error::{AnswerError, CommandHint};
use crate::in_part::PartialSubject;
use crate::input::LoadedInput;
use crate::target::Target;
use crate::words::{self, shell_word};

/// The most kinds of pods for which a way is looked for one by one.
const MOST_KINDS: usize = 3;
/// How much longer than its grace period is waited for the end of a pod.
const SPARE_SECONDS: i64 = 60;

/// The pods in question.
#[derive(Debug, Clone, Default)]
pub struct SuggestRequest {
    /// Pending pods or owners of pods; empty for all pending pods.
    pub targets: Vec<Target>,
    /// Whether pods of every namespace are meant if none is named.
    pub all_namespaces: bool,
}

impl SuggestRequest {
    /// What it is about, for an answer in part.
    pub fn in_part(&self) -> PartialSubject<'_> {
        PartialSubject::Waiting { targets: &self.targets, all_namespaces: self.all_namespaces }
    }
}

/// Whether the words name nodes (`node/NAME`): what lets a node go is a part of the answer about the
/// node.
pub fn is_about_nodes(words: &[String]) -> bool {
    words.iter().any(|word| word.starts_with("node/"))
}

/// What lets them in.
#[derive(Debug, Clone)]
pub struct SuggestReport {
    pub basis: Basis,
    /// For single pods.
    pub items: Vec<SuggestedChange>,
    /// For all of them together, if there are several.
    pub many: Option<ForMany>,
    /// How many kinds of pods were not examined because there are too many.
    pub others: usize,
    /// What makes it uncertain, each once.
    pub notes: Vec<Note>,
    pub remarks: ListRemarks,
}

impl SuggestReport {
    /// The single change with which the most of several pods fit, and the nodes that place more of
    /// them, in one line. `None` for a single pod, and if all fit as the nodes are.
    pub fn in_short(&self) -> Option<String> {
        let many = self.many.as_ref().filter(|many| !many.left.is_empty())?;
        let mut limits = Vec::new();
        if many.not_tried > 0 {
            limits.push(format!("{} not tried", words::count(many.not_tried, "more pod")));
        }
        if many.cordoned_not_tried > 0 {
            let number = words::count(many.cordoned_not_tried, "cordoned node");
            limits.push(format!("{number} not tried"));
        }
        if !self.notes.is_empty() {
            limits.push("not certain".to_owned());
        }
        let untried =
            if limits.is_empty() { String::new() } else { format!(" ({})", limits.join(", ")) };
        let Some(best) = many.actions.first() else {
            return Some(format!("No single action tried places a pod that does not fit{untried}"));
        };
        let mut text = format!(
            "One action: {} places {} of {} that do not fit{untried}",
            action_words(&best.edit),
            words::group_digits(best.lets_in.len()),
            words::group_digits(many.left.len()),
        );
        if let Some(nodes) = many.nodes.iter().find(|nodes| nodes.places > best.lets_in.len()) {
            let (number, like) = (words::count(nodes.number, "more node"), &nodes.node.like);
            let verb = if nodes.number == 1 { "places" } else { "place" };
            let places = words::group_digits(nodes.places);
            text.push_str(&format!("; {number} like {like} {verb} {places}"));
        }
        Some(text)
    }
}

/// A change of nodes, as what it is that helps.
pub fn action_words(edit: &Edit) -> String {
    match edit {
        Edit::Uncordon { node } => format!("uncordoning {node}"),
        Edit::AddNodeLike { node } => format!("one more node like {node}"),
        other => other.words(),
    }
}

/// A suggestion for a pod, and how many of the pods in question are like it.
#[derive(Debug, Clone)]
pub struct SuggestedChange {
    pub suggestion: Suggestion,
    /// How many pods it represents, including itself.
    pub alike: usize,
}

impl Report for SuggestReport {
    /// Whether there is a suggestion for every pod that was examined. It is uncertain if something
    /// that it depends on is unknown or was not tried.
    fn verdict(&self) -> Verdict {
        let is_unsure = self.many.as_ref().is_some_and(ForMany::is_unsure)
            || self.items.iter().any(|item| item.suggestion.is_unsure());
        let all_help = self.items.iter().all(|item| item.suggestion.helps());
        self.remarks.limit(Verdict::new(all_help, is_unsure))
    }

    fn reorder(&mut self, order: &[usize]) {
        self.items = in_order(&self.items, order);
    }

    fn beside(&self) -> Beside {
        self.remarks.beside()
    }
}

/// Looks for the smallest changes.
///
/// # Errors
/// A target that there is not or that runs already, and files that lack the nodes.
pub fn suggest(
    input: &LoadedInput,
    request: &SuggestRequest,
) -> Result<SuggestReport, AnswerError> {
    let SuggestRequest { targets, all_namespaces } = request;
    let cluster = &input.cluster;
    let chosen = input.choose(targets, *all_namespaces)?;
    let remarks = ListRemarks::of(&chosen, targets, *all_namespaces, input);
    let pods = waiting(&chosen, cluster)?;
    let settings =
        |pod| SuggestSettings { profile: input.profile_in(cluster, pod), now: input.now };

    // What helps several pods together comes first. Those of them that fit already need no
    // suggestion of their own.
    let mut asked: Vec<PodIx> = queue_order(&pods, cluster);
    let mut many = None;
    if let ([_, _, ..], Some(first)) = (pods.as_slice(), asked.first().copied()) {
        let together = for_many(cluster, &pods, settings(first));
        asked.retain(|pod| {
            let pod = cluster.pod(*pod);
            let namespace = cluster.text(pod.namespace);
            !together.fit_now.iter().any(|id| id.namespace == namespace && *id.name == *pod.name)
        });
        many = Some(together);
    }

    // Similar pods get the same suggestion, so one represents all of them.
    let mut kinds: Vec<(PodIx, usize)> = Vec::new();
    for pod in asked {
        match kinds.iter_mut().find(|(known, _)| is_like(*known, pod, cluster)) {
            Some((_, alike)) => *alike += 1,
            None => kinds.push((pod, 1)),
        }
    }
    let others = kinds.len().saturating_sub(MOST_KINDS);
    let mut items = Vec::new();
    for (pod, alike) in kinds.into_iter().take(MOST_KINDS) {
        items.push(SuggestedChange { suggestion: for_pod(cluster, pod, settings(pod)), alike });
    }

    let mut found = Vec::new();
    let of_many = many.iter().flat_map(|many: &ForMany| &many.notes);
    for note in of_many.chain(items.iter().flat_map(|item| &item.suggestion.notes)) {
        notes::add(&mut found, note.clone());
    }
    Ok(SuggestReport { basis: Basis::of(input), items, many, others, notes: found, remarks })
}

/// Those of the pods that wait; if there are pods, but none of them waits, there is nothing to let in.
fn waiting(pods: &[PodIx], cluster: &Cluster) -> Result<Vec<PodIx>, AnswerError> {
    let waiting: Vec<PodIx> =
        pods.iter().copied().filter(|pod| cluster.pod(*pod).is_waiting()).collect();
    let Some(first) = pods.first().copied().filter(|_| waiting.is_empty()) else {
        return Ok(waiting);
    };
    let name = cluster.pod_name(first);
    let state = if cluster.pod(first).is_active() {
        format!("is on node {} already", cluster.text(cluster.pod(first).node_name))
    } else {
        "has finished".to_owned()
    };
    Err(AnswerError::usage_hint(
        format!("pod {name} {state}: there is nothing to let in"),
        vec![CommandHint::new(&["headroom"], "says how many more of it fit")],
    ))
}

fn is_like(one: PodIx, other: PodIx, cluster: &Cluster) -> bool {
    let (one, other) = (cluster.pod(one), cluster.pod(other));
    one.is_scheduled_like(other) && one.nominated_node == other.nominated_node
}

/// The name of a proof in JSON.
pub const fn proof_name(proof: Proof) -> &'static str {
    match proof {
        Proof::Smallest => "Smallest",
        Proof::FewestMoves => "FewestMoves",
        Proof::BestFound => "BestFound",
    }
}

/// The shell commands that make the moves. Each node is cordoned while its pod moves, so that the
/// pod does not return.
pub fn commands(plan: &MovePlan, pod: &PodId) -> Vec<String> {
    let mut commands = vec![on_node("cordon", &plan.freed)];
    for step in &plan.moves {
        if step.from != plan.freed {
            commands.push(on_node("cordon", &step.from));
        }
        commands.extend(evict(step));
        commands.push(wait(step));
        if step.from != plan.freed {
            commands.push(on_node("uncordon", &step.from));
        }
    }
    commands.push(on_node("uncordon", &plan.freed));
    commands.push(format!(
        "kubectl wait --for=condition=PodScheduled pod/{} -n {}",
        shell_word(&pod.name),
        shell_word(&pod.namespace)
    ));
    commands
}

fn on_node(verb: &str, node: &str) -> String {
    format!("kubectl {verb} {}", shell_word(node))
}

/// Evicts one pod through the eviction API, which budgets may refuse, and waits until it is gone.
/// kubectl has no command for that, and `kubectl drain --pod-selector` would also take other replicas
/// on the node: they have the same labels.
fn evict(step: &Move) -> [String; 2] {
    let PodId { namespace, name, .. } = &step.pod;
    let eviction = json!({
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": name, "namespace": namespace},
    });
    let path = format!("/api/v1/namespaces/{namespace}/pods/{name}/eviction");
    let (eviction, path) = (shell_word(&eviction.to_string()), shell_word(&path));
    let timeout = step.restart.grace_seconds.saturating_add(SPARE_SECONDS);
    let (namespace, name) = (shell_word(namespace), shell_word(&format!("pod/{name}")));
    [
        format!("printf %s {eviction} | kubectl create --raw {path} -f -"),
        format!("kubectl wait --for=delete {name} -n {namespace} --timeout={timeout}s"),
    ]
}

/// Waits until the replacement runs.
fn wait(step: &Move) -> String {
    let namespace = shell_word(&step.pod.namespace);
    let owner = step.owners.last();
    let kind = owner.map(|owner| owner.kind.as_str());
    match (owner, kind) {
        (Some(owner), Some("Deployment" | "StatefulSet")) => format!(
            "kubectl rollout status {}/{} -n {namespace}",
            owner.kind.to_lowercase(),
            shell_word(&owner.name)
        ),
        _ => format!("kubectl get pods -n {namespace} --watch  # until its replacement runs"),
    }
}
