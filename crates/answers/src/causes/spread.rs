//! The counts in the domains of a spread constraint: `w1 has 2 matching pods, the emptiest domain,
//! cp, has 0`.

use indexmap::IndexMap;

use crate::words;
use engine::cluster::{Cluster, Sym};
use engine::framework::operands::{ClosedBy, ClosedNode, EmptiestDomain, Fewest};

/// Maximum number of domains that are named.
const DOMAINS_NAMED: usize = 3;

/// The domains of the nodes with the number of matching pods in each, the fullest first.
pub(super) fn counts(matching: &IndexMap<Sym, i64>, cluster: &Cluster) -> String {
    let mut domains: Vec<(&str, i64)> =
        matching.iter().map(|(domain, pods)| (cluster.text(*domain), *pods)).collect();
    domains.sort_by(|(one, few), (other, many)| many.cmp(few).then_with(|| one.cmp(other)));
    let mut parts: Vec<String> = Vec::new();
    for (domain, pods) in domains.iter().take(DOMAINS_NAMED) {
        parts.push(if parts.is_empty() {
            format!(
                "{domain} has {}",
                words::count(usize::try_from(*pods).unwrap_or(0), "matching pod")
            )
        } else {
            format!("{domain} has {pods}")
        });
    }
    let more = domains.len().saturating_sub(DOMAINS_NAMED);
    if more > 0 {
        parts.push(format!("{} have as many or fewer", words::count(more, "more domain")));
    }
    parts.join(", ")
}

/// Where the fewest matching pods are, and why a domain counts that the pod cannot go to.
pub(super) fn fewest(fewest: Option<Fewest>, minimum: i64, cluster: &Cluster) -> String {
    match fewest {
        None => format!("the emptiest domain has {minimum}"),
        Some(Fewest::TooFewDomains { domains, min_domains }) => format!(
            "the emptiest domain counts as 0, since there {} {} and minDomains is {min_domains}",
            if domains == 1 { "is" } else { "are" },
            words::count(domains, "domain"),
        ),
        Some(Fewest::Domain(EmptiestDomain { domain, others, closed })) => {
            let like = match others {
                0 => String::new(),
                _ => format!(", as {} more", words::group_digits(others)),
            };
            let why = closed
                .map(|closed| format!(" ({})", counts_though(closed, cluster)))
                .unwrap_or_default();
            format!("the emptiest domain, {}, has {minimum}{like}{why}", cluster.text(domain))
        }
    }
}

/// Why a node counts that the pod cannot go to.
fn counts_though(closed: ClosedNode, cluster: &Cluster) -> String {
    let node = cluster.node_name(closed.node);
    match closed.by {
        ClosedBy::Taint { key, value, effect } => format!(
            "{node} has taint {}, which the pod does not tolerate; it counts because of nodeTaintsPolicy: Ignore",
            effect.taint(key, value, cluster)
        ),
        ClosedBy::Labels => {
            format!(
                "the pod does not select {node}; it counts because of nodeAffinityPolicy: Ignore"
            )
        }
        ClosedBy::Cordon => format!("{node} is cordoned, but counts"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::causes;
    use testing::{Pod, at, cluster, node, objects, pod};

    fn web(name: &str) -> Pod {
        pod(name).label("app", "web")
    }

    fn spread(min_domains: usize) -> Pod {
        web("p").constraint(json!({"topologyKey": "zone", "maxSkew": 1, "minDomains": min_domains,
            "labelSelector": {"matchLabels": {"app": "web"}}}))
    }

    /// What is said of the nodes that pod `p` cannot be spread to.
    fn cause(objects: Vec<Value>) -> String {
        at("1.37").look(&cluster(objects), "p", |decision| {
            let causes = causes::first_causes(decision).1;
            let spread = causes.iter().find(|cause| cause.group.plugin == "PodTopologySpread");
            spread.map(|cause| cause.group.details.join("; ")).unwrap_or_default()
        })
    }

    #[test]
    fn domains_are_said_with_their_counts_and_the_emptiest() {
        let head = "spread over zone: one pod more would exceed maxSkew 1; ";
        let full = || objects![node("a").zone("a").cpu("4"), web("v").on("a"), web("w").on("a")];
        for (row, want, objects) in [
            (
                "a tainted node that counts",
                "a has 2 matching pods, the emptiest domain, cp, has 0 (cp has taint k:NoSchedule, which the pod does not tolerate; it \
                 counts because of nodeTaintsPolicy: Ignore)",
                objects![node("cp").zone("cp").taint("k", "", "NoSchedule"), spread(1)],
            ),
            (
                "two full domains and several empty ones",
                "a has 2 matching pods, b has 1, the emptiest domain, c, has 0, as 1 more",
                objects![
                    node("b").zone("b").cpu("4"),
                    node("c").zone("c").cpu("0"),
                    node("d").zone("d").cpu("0"),
                    web("x").on("b"),
                    spread(1).cpu("1")
                ],
            ),
            (
                "too few domains",
                "a has 2 matching pods, the emptiest domain counts as 0, since there is 1 domain and minDomains is 2",
                objects![spread(2)],
            ),
        ] {
            assert_eq!(cause([full(), objects].concat()), format!("{head}{want}"), "{row}");
        }
    }
}
