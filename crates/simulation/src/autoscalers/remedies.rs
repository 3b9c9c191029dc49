//! What would let a group or pool grow for a pod: only where one thing stands in the way, and tried
//! on a copy with the node that would come wherever a node like it is there.

use std::collections::BTreeSet;

use super::Autoscalers;
use super::karpenter::PreparedPool;
use super::outlook::{AutoscalingOutlook, Can, GrowthObstacle, PoolAnswer, PoolRemedy, total_flag};
use super::trial::{NodeTrialResult, NodeTrials};
use model::cluster::{PodIx, Quantity};
use model::edits::TaintPattern;

/// The most remedies that are kept.
const MOST: usize = 4;

/// What would help, the pools in the order in which they are tried.
pub(super) fn of(
    outlook: &AutoscalingOutlook,
    of: &Autoscalers,
    pod: PodIx,
    trials: &mut NodeTrials,
) -> Vec<PoolRemedy> {
    // While one can grow, nothing has to be changed.
    if outlook.pools.iter().any(|pool| matches!(pool.can, Can::Would)) {
        return Vec::new();
    }
    let mut remedies: Vec<PoolRemedy> = Vec::new();
    for answer in &outlook.pools {
        if remedies.len() == MOST {
            break;
        }
        let [cause] = answer.causes.as_slice() else { continue };
        let pool = of.pools.iter().find(|pool| pool.name == answer.name && pool.of == answer.of);
        let remedy = match (cause, pool) {
            (GrowthObstacle::Full { max, .. }, _) => {
                let group = answer.of.pool_text(&answer.name);
                group_grows(
                    answer,
                    format!("{group} is at its maximum {max}: raise it"),
                    of,
                    trials,
                )
            }
            (GrowthObstacle::MaxNodes(max), _) => {
                group_grows(answer, format!("raise --max-nodes-total from {max}"), of, trials)
            }
            (GrowthObstacle::Quota { name, resource, limit, .. }, _) => {
                let raise =
                    format!("raise CapacityQuota {name}'s limit of {resource} from {limit}");
                group_grows(answer, raise, of, trials)
            }
            (GrowthObstacle::Total { resource, limit, .. }, _) => {
                let flag = total_flag(resource);
                let raise = format!("raise --{flag} above {limit}");
                group_grows(answer, raise, of, trials)
            }
            (cause, Some(pool)) => of_pool(answer, cause, pool, of, pod, trials),
            _ => None,
        };
        if let Some(remedy) = remedy
            && remedies.iter().all(|other| other.summary != remedy.summary)
        {
            remedies.push(remedy);
        }
    }
    if remedies.is_empty() {
        remedies.extend(in_common(outlook));
    }
    remedies
}

/// A group that would grow if a limit were raised.
fn group_grows(
    answer: &PoolAnswer,
    summary: String,
    of: &Autoscalers,
    trials: &mut NodeTrials,
) -> Option<PoolRemedy> {
    let group = of.groups.iter().find(|group| group.name == answer.name)?;
    let model = of.model_of(group);
    let is_tried = match model.map(|model| {
        let taints = of.settings.taints_of_new(of.cluster.node(model), of.cluster);
        trials.node_like(model, Some(&taints), None)
    }) {
        Some(NodeTrialResult::Takes(_)) => true,
        // More nodes of a kind that rejects the pod do not help.
        Some(NodeTrialResult::Rejects { .. }) => return None,
        Some(NodeTrialResult::No) | None => false,
    };
    Some(PoolRemedy { pool: answer.name.clone(), summary, is_tried })
}

fn of_pool(
    answer: &PoolAnswer,
    cause: &GrowthObstacle,
    pool: &PreparedPool,
    of: &Autoscalers,
    pod: PodIx,
    trials: &mut NodeTrials,
) -> Option<PoolRemedy> {
    let name = &answer.name;
    let (summary, tolerated) = match cause {
        GrowthObstacle::UsedUp { resource, limit, used } => (
            format!("raise NodePool {name}'s {resource} limit from {limit} to more than {used}"),
            None,
        ),
        GrowthObstacle::TooLittleLeft { resource, limit, used, smallest } => {
            let least = sum(used, smallest)?;
            let summary = format!(
                "raise NodePool {name}'s {resource} limit from {limit} to at least {least}"
            );
            (summary, None)
        }
        GrowthObstacle::NodesLimit { limit } => {
            (format!("raise NodePool {name}'s limit of {limit} nodes"), None)
        }
        GrowthObstacle::Taint(taint) => {
            let cluster = of.cluster;
            let template = cluster.template(cluster.pod(pod));
            let pattern = template
                .untolerated(&pool.facts.taints, &cluster.symbols, true)
                .map(|taint| TaintPattern::of(taint, cluster));
            (format!("NodePool {name} has taint {taint}: tolerate it"), pattern)
        }
        _ => return None,
    };
    let models = of.shapes(pool);
    let mut is_tried = false;
    for model in &models {
        match trials.node_like(*model, Some(&pool.facts.taints), tolerated.as_ref()) {
            NodeTrialResult::Takes(_) => {
                is_tried = true;
                break;
            }
            NodeTrialResult::Rejects { .. } => {}
            NodeTrialResult::No => break,
        }
    }
    Some(PoolRemedy { pool: name.clone(), summary, is_tried })
}

/// The sum of two quantities, as a quantity.
fn sum(a: &str, b: &str) -> Option<String> {
    Some((Quantity::parse(a).ok()? + Quantity::parse(b).ok()?).to_string())
}

/// A label that the pod wants and no pool gives.
fn in_common(outlook: &AutoscalingOutlook) -> Option<PoolRemedy> {
    let pools: Vec<&PoolAnswer> =
        outlook.pools.iter().filter(|pool| pool.of.pool_noun() == "NodePool").collect();
    let shared = pools
        .iter()
        .map(|pool| -> BTreeSet<String> {
            let wanted = pool.causes.iter().filter_map(|cause| match cause {
                GrowthObstacle::Requirement { key, pod, .. } => Some(format!("{key}={pod}")),
                GrowthObstacle::NoSuchLabel(key) => Some(key.clone()),
                _ => None,
            });
            wanted.collect()
        })
        .reduce(|a, b| a.intersection(&b).cloned().collect())?;
    let label = shared.into_iter().next()?;
    Some(PoolRemedy {
        pool: String::new(),
        summary: format!("no NodePool allows {label}"),
        is_tried: false,
    })
}
