//! Whether kube-scheduler's plan of evictions is the best one, in words.

use engine::cluster::{Cluster, NodeIx};
use engine::preemption::proof::{
    MOST_NODES, NotSearched, NotTried, OtherPlan, PlanCertificate, PlanCost, PlanProof,
};

use crate::pod_report::PodReport;
use crate::words;

/// Maximum number of names in a sentence.
const NAMED: usize = 3;

/// That no plan is better by [`PlanCost`].
fn cheapest_of_all(report: &PodReport) -> &'static str {
    if report.cluster().are_budgets_unknown() {
        "PDBs aside, which are unknown, no other plan is better by priorities and number of victims"
    } else {
        "No other plan is better by PDB violations, priorities and number of victims"
    }
}

/// What is known of the plan, in sentences without a full stop; nothing for a pod that does not
/// preempt.
#[must_use]
pub fn sentences(report: &PodReport) -> Vec<String> {
    let Some(certificate) = &report.certificate else { return Vec::new() };
    let PlanCertificate { cheapest, fewest, cost, .. } = certificate;
    match (cheapest, fewest) {
        (PlanProof::Proven, PlanProof::Proven) => {
            vec![format!("{}, and none evicts fewer pods (proven)", cheapest_of_all(report))]
        }
        (PlanProof::NotProven(nodes), PlanProof::NotProven(_)) => {
            vec![not_proven("a better plan", nodes, report)]
        }
        (PlanProof::NotTried(why), _) => {
            vec![format!("Whether a better plan exists is not proven: {}", no_search(*why))]
        }
        _ => {
            let by_criteria = better(report).unwrap_or_else(|| match cheapest {
                PlanProof::NotProven(nodes) => not_proven("a better plan", nodes, report),
                _ => format!("{} (proven)", cheapest_of_all(report)),
            });
            // A plan that is better because it evicts fewer pods is told once.
            let told = matches!((cheapest, fewest), (PlanProof::Better(a), PlanProof::Better(b)) if a == b);
            let by_number = match fewest {
                PlanProof::Better(plan) if !told => Some(format!(
                    "Evicting {} instead of {} also makes room: {}",
                    words::count(plan.cost.victims, "pod"),
                    cost.victims,
                    named(plan, report)
                )),
                PlanProof::Better(_) | PlanProof::NotTried(_) => None,
                PlanProof::Proven => Some("No plan evicts fewer pods (proven)".to_owned()),
                PlanProof::NotProven(nodes) => {
                    Some(not_proven("a plan with fewer victims", nodes, report))
                }
            };
            std::iter::once(by_criteria).chain(by_number).collect()
        }
    }
}

/// The better plan in a sentence, if there is one.
#[must_use]
pub fn better(report: &PodReport) -> Option<String> {
    let certificate = report.certificate.as_ref()?;
    let PlanProof::Better(plan) = &certificate.cheapest else { return None };
    let why = why(plan.cost, certificate.cost);
    Some(format!("A better plan exists: evict {} ({why})", named(plan, report)))
}

/// The first criterion by which a cost is lower than another one.
#[must_use]
pub fn why(cost: PlanCost, than: PlanCost) -> String {
    if cost.violations != than.violations {
        return format!(
            "{} beyond what PDBs allow instead of {}",
            words::count(usize::try_from(cost.violations).unwrap_or_default(), "eviction"),
            than.violations
        );
    }
    if cost.highest != than.highest {
        return format!("highest priority {} instead of {}", cost.highest, than.highest);
    }
    if cost.victims != than.victims {
        return format!("{} instead of {}", words::count(cost.victims, "victim"), than.victims);
    }
    "lower priorities in sum".to_owned()
}

fn named(plan: &OtherPlan, report: &PodReport) -> String {
    let names: Vec<String> =
        plan.victims.iter().map(|pod| report.cluster().pod_name(*pod)).collect();
    format!("{} on {}", words::list(&names, NAMED), report.node(plan.node))
}

fn not_proven(what: &str, nodes: &[(NodeIx, NotSearched)], report: &PodReport) -> String {
    let names: Vec<&str> = nodes.iter().map(|(node, _)| report.node(*node)).collect();
    let mut reasons: Vec<&str> = nodes.iter().map(|(_, why)| reason(*why)).collect();
    reasons.sort_unstable();
    reasons.dedup();
    format!(
        "Whether {what} exists is not proven: {} not searched to the end ({})",
        words::list(&names, NAMED),
        reasons.join("; ")
    )
}

/// Why a node was not searched to the end.
#[must_use]
pub const fn reason(why: NotSearched) -> &'static str {
    match why {
        NotSearched::TooMany => "too many sets of pods",
        NotSearched::Groups => "pods of groups",
        NotSearched::Order => "an order that the API does not show decides",
        NotSearched::Failed => "its dry run failed",
    }
}

/// Why no node was searched.
#[must_use]
pub fn no_search(why: NotTried) -> String {
    match why {
        NotTried::TooManyNodes => format!("more than {} nodes", words::group_digits(MOST_NODES)),
        NotTried::Extenders => "extenders decide, too".to_owned(),
    }
}

/// The verdict about a plan, as JSON has it.
#[must_use]
pub const fn verdict(proof: &PlanProof) -> &'static str {
    match proof {
        PlanProof::Proven => "Proven",
        PlanProof::Better(_) => "Better",
        PlanProof::NotProven(_) | PlanProof::NotTried(_) => "NotProven",
    }
}

/// The pods of a plan, `ns/name`.
#[must_use]
pub fn victims(plan: &OtherPlan, cluster: &Cluster) -> Vec<String> {
    plan.victims.iter().map(|pod| cluster.pod_name(*pod)).collect()
}
