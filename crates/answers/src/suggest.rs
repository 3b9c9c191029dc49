//! The smallest changes with which pending pods fit, and the commands that make them.

use crate::remedies::shell_word;
use engine::notes::Note;
use engine::simulation::plan::PodId;
use engine::simulation::suggest::many::ForMany;
use engine::simulation::suggest::{Move, MovePlan, Proof, Suggestion};

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
        let (name, namespace) = (shell_word(&step.pod.name), shell_word(&step.pod.namespace));
        commands.push(format!("kubectl delete pod {name} -n {namespace}"));
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
