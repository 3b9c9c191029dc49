//! Which domain has the fewest matching pods, and why it counts although the pod may not be able to
//! go there. This is the question when every other domain is rejected.

use super::{Changes, Counted};
use crate::framework::operands::{ClosedBy, ClosedNode, EmptiestDomain, Fewest};
use crate::framework::plugin::Cycle;
use model::cluster::{NodeIx, Sym};

/// Where the minimum comes from; `None` if changes leave open which domain has it.
pub(super) fn fewest(counted: &Counted, changes: &Changes, cycle: &Cycle) -> Option<Fewest> {
    if !counted.has_enough_domains(changes) {
        let (domains, min_domains) = (counted.domains(changes), counted.constraint.min_domains);
        return Some(Fewest::TooFewDomains { domains, min_domains });
    }
    let before = (*counted.emptiest.get_or_init(|| emptiest(counted, cycle)))?;
    if changes.by.is_empty() || counted.count(before.domain, changes) == counted.minimum(changes) {
        return Some(Fewest::Domain(before));
    }
    None
}

/// The domain with the fewest matching pods before anything changes.
fn emptiest(counted: &Counted, cycle: &Cycle) -> Option<EmptiestDomain> {
    let least = *counted.counts.values().min()?;
    let mut domains =
        counted.counts.iter().filter(|(_, count)| **count == least).map(|(domain, _)| *domain);
    let domain = domains.next()?;
    Some(EmptiestDomain { domain, others: domains.count(), closed: closed(domain, counted, cycle) })
}

/// The first node of a domain and what keeps the pod off it, if the pod can go to no node that
/// makes the domain count.
fn closed(domain: Sym, counted: &Counted, cycle: &Cycle) -> Option<ClosedNode> {
    let constraint = &counted.constraint;
    let mut first = None;
    for info in cycle.view.infos() {
        let is_of_domain =
            cycle.view.node_label(info.node, constraint.topology_key) == Some(domain);
        if is_of_domain && constraint.includes(cycle, info.node) {
            let by = closed_by(info.node, cycle)?;
            first.get_or_insert(ClosedNode { node: info.node, by });
        }
    }
    first
}

/// What keeps the pod off a node, as far as labels and taints do.
fn closed_by(node: NodeIx, cycle: &Cycle) -> Option<ClosedBy> {
    let cluster = cycle.cluster();
    let (node, template) = (cluster.node(node), cycle.template);
    if !template.selects(cluster.node_facts(node), &cluster.symbols) {
        return Some(ClosedBy::Labels);
    }
    let comparison = cycle.features().tolerations.toleration_comparison;
    let taint = template.untolerated(&node.taints, &cluster.symbols, comparison);
    let by_taint = taint.map(|taint| ClosedBy::Taint {
        key: taint.key,
        value: taint.value,
        effect: taint.effect,
    });
    by_taint
        .or_else(|| (node.unschedulable && !cycle.tolerates_cordons()).then_some(ClosedBy::Cordon))
}
