//! The words for findings.

use engine::rules::{self, LookupResult};
use engine::simulation::gate::{GateEvidence, PolicyFinding};
use engine::simulation::plan::PodId;

use crate::notes;
use crate::words;

/// Maximum number of pods that a sentence names.
const NAMED: usize = 3;

/// The finding, without the object whose manifest it concerns.
pub fn sentence(finding: &PolicyFinding) -> String {
    let number = words::count(finding.pods.len(), "pod");
    let pods = format!("{number} ({})", words::list(&finding.pods, NAMED));
    let (get, have, wait) =
        if finding.pods.len() == 1 { ("gets", "has", "waits") } else { ("get", "have", "wait") };
    match &finding.evidence {
        GateEvidence::Refused(why) => format!("the API server refuses {pods}: {why}"),
        GateEvidence::NoNode(why) => format!("{pods} {get} no node: {}", in_short(why)),
        GateEvidence::Gated(gates) => {
            let noun = if gates.len() == 1 { "gate" } else { "gates" };
            format!("{pods} {have} the scheduling {noun} {}", words::list(gates, NAMED))
        }
        GateEvidence::NeedsNewNode(pool) => format!("{pods} {wait} for a new node: {pool}"),
        GateEvidence::MayGetNewNode(pool) => format!(
            "{pods} {get} no node now, and {pool} may add one: its cloud alone knows the sizes"
        ),
        GateEvidence::NotKnown(why) => format!("not known for {pods}: {why}"),
        GateEvidence::Evicts(victims) => format!("evicts {}", victims_of(victims)),
        GateEvidence::TooManyVictims { evicted, most } => format!(
            "{} evicted for all manifests, and --max-victims allows {most}",
            if *evicted == 1 { "1 pod is".to_owned() } else { format!("{evicted} pods are") }
        ),
        GateEvidence::ViolatesBudget { budget, victims } => {
            format!("violates PodDisruptionBudget {budget}: evicts {}", victims_of(victims))
        }
        GateEvidence::Protected { by, victims } => {
            format!("evicts {}, protected by {by}", victims_of(victims))
        }
        GateEvidence::Unread { problem, .. } => {
            format!("cannot be read and is left out: {problem}")
        }
        GateEvidence::Doubt(note) => format!("not certain: {}", notes::sentence(note)),
    }
}

/// `2 pods (shop/a and shop/b)`.
fn victims_of(victims: &[PodId]) -> String {
    let names: Vec<String> = victims.iter().map(PodId::full_name).collect();
    format!("{} ({})", words::count(names.len(), "pod"), words::list(&names, NAMED))
}

/// The code of a finding; for pods without a node, that of the most frequent reason, if it is
/// known.
pub fn code(finding: &PolicyFinding) -> &'static str {
    let GateEvidence::NoNode(why) = &finding.evidence else { return finding.evidence.doc().code };
    cause(why).unwrap_or(finding.evidence.doc().code)
}

fn cause(why: &str) -> Option<&'static str> {
    let LookupResult::Message(parts) = rules::lookup(why, &rules::all()) else { return None };
    let mut most: Option<(usize, &'static str)> = None;
    for part in parts.iter().filter(|part| !part.preemption) {
        let (Some(nodes), Some(rule)) = (part.nodes, &part.rule) else { continue };
        // On a tie, the first reason counts.
        if most.is_none_or(|(known, _)| nodes > known) {
            most = Some((nodes, rule.code));
        }
    }
    most.map(|(_, code)| code)
}

/// The scheduler's message without preemption's part.
pub fn in_short(message: &str) -> &str {
    let nodes = message.split_once(" preemption: ").map_or(message, |(nodes, _)| nodes);
    nodes.strip_suffix(" no new claims to deallocate,").unwrap_or(nodes)
}
