//! The smallest changes with which pending pods fit, and the commands that make them.

use crate::remedies::shell_word;
use engine::notes::Note;
use engine::simulation::plan::PodId;
use engine::simulation::suggest::many::ForMany;
use engine::simulation::suggest::{Move, MovePlan, Proof, Suggestion};
use serde_json::json;

/// How much longer than its grace period is waited for the end of a pod.
const SPARE_SECONDS: i64 = 60;

/// The answer to one question.
#[derive(Debug, Clone, Default)]
pub struct SuggestAnswer {
    /// For single pods.
    pub items: Vec<Item>,
    /// For all of them together, if there are several.
    pub many: Option<ForMany>,
    /// How many kinds of pods were not examined because there are too many.
    pub others: usize,
}

/// A suggestion for a pod, and how many of the pods in question are like it.
#[derive(Debug, Clone)]
pub struct Item {
    pub suggestion: Suggestion,
    /// How many pods it represents, including itself.
    pub alike: usize,
}

impl SuggestAnswer {
    /// What makes it uncertain.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        let many = self.many.iter().flat_map(|many| &many.notes);
        many.chain(self.items.iter().flat_map(|item| &item.suggestion.notes))
    }

    /// Whether something that it depends on is unknown or was not tried.
    pub fn is_unsure(&self) -> bool {
        self.many.as_ref().is_some_and(ForMany::is_unsure)
            || self.items.iter().any(|item| item.suggestion.is_unsure())
    }

    /// Whether there is a suggestion for every pod that was examined.
    pub fn helps(&self) -> bool {
        self.items.iter().all(|item| item.suggestion.helps())
    }
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
    let node = |verb: &str, node: &str| format!("kubectl {verb} {}", shell_word(node));
    let mut commands = vec![node("cordon", &plan.freed)];
    for step in &plan.moves {
        if step.from != plan.freed {
            commands.push(node("cordon", &step.from));
        }
        commands.extend(evict(step));
        commands.push(wait(step));
        if step.from != plan.freed {
            commands.push(node("uncordon", &step.from));
        }
    }
    commands.push(node("uncordon", &plan.freed));
    commands.push(format!(
        "kubectl wait --for=condition=PodScheduled pod/{} -n {}",
        shell_word(&pod.name),
        shell_word(&pod.namespace)
    ));
    commands
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
