//! What a pod requires of node labels, and what the nodes have instead: `disktype=SSD: no node has
//! it, 1 has ssd`.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use indexmap::IndexMap;

use crate::words;
use engine::cluster::selector::label;
use engine::cluster::{Cluster, Sym};
use engine::framework::asked_label::{AskedLabel, shown};

/// Maximum number of values of a label that are named.
const VALUES_NAMED: usize = 3;
/// Minimum number of characters of a prefix, or of a differently spelled text, to count as similar.
const SIMILAR_FROM: usize = 3;
/// Minimum number of characters of a text in which two typos still leave it similar.
const LONG_FROM: usize = 8;

/// The requirement, and what one node has.
pub(super) fn on_node(asked: &AskedLabel, cluster: &Cluster) -> String {
    match asked.found {
        Some(found) => format!("{}: the node has {}", asked.text, shown(found, cluster)),
        None => format!("{}: the node lacks the label", asked.text),
    }
}

/// The requirement, and what these nodes have, by how many have it. If no node of the cluster
/// satisfies it, similar labels are named.
pub(super) fn on_nodes(
    asked: &AskedLabel,
    found: &IndexMap<Option<Sym>, usize>,
    cluster: &Cluster,
) -> String {
    let text = &asked.text;
    let Some(key) = asked.key.filter(|_| asked.presence || !asked.any_of.is_empty()) else {
        return format!("{text}: {}", have(found, true, cluster));
    };
    let labels = || cluster.nodes.iter().map(|node| cluster.labels(node.labels));
    let mut values: BTreeMap<Sym, usize> = BTreeMap::new();
    for value in labels().filter_map(|labels| label(labels, key)) {
        *values.entry(value).or_default() += 1;
    }
    if values.is_empty() {
        let similar = similar_keys(key, labels(), cluster);
        return format!("{text}: no node has the label{similar}");
    }
    // Every other node has a name of its own, which is not informative.
    let exists = asked.any_of.iter().any(|value| values.contains_key(value));
    if key == Sym::HOSTNAME && exists && found.len() > 1 {
        return format!("{text}: {} are others", words::count(found.values().sum(), "node"));
    }
    if asked.presence || exists {
        return format!("{text}: {}", have(found, true, cluster));
    }
    if key == Sym::HOSTNAME && asked.any_of.len() == 1 {
        return format!("{text}: no node has that hostname");
    }
    let any = if asked.any_of.len() == 1 { "it" } else { "any of them" };
    let is_near = |value: &Sym| {
        asked.any_of.iter().any(|wanted| is_similar(cluster.text(*wanted), cluster.text(*value)))
    };
    let near: IndexMap<Option<Sym>, usize> = values
        .iter()
        .filter(|(value, _)| is_near(value))
        .map(|(value, nodes)| (Some(*value), *nodes))
        .collect();
    let instead = if near.is_empty() { found } else { &near };
    format!("{text}: no node has {any}, {}", have(instead, false, cluster))
}

/// Labels of nodes with a name similar to the one that no node has.
fn similar_keys<'l>(
    wanted: Sym,
    labels: impl Iterator<Item = &'l [(Sym, Sym)]>,
    cluster: &Cluster,
) -> String {
    let wanted = cluster.text(wanted);
    let mut similar: BTreeMap<&str, usize> = BTreeMap::new();
    for (key, _) in labels.flatten() {
        let key = cluster.text(*key);
        if is_similar(name_part(wanted), name_part(key)) {
            *similar.entry(key).or_default() += 1;
        }
    }
    let mut similar: Vec<(&str, usize)> = similar.into_iter().collect();
    similar.sort_by_key(|(_, nodes)| std::cmp::Reverse(*nodes));
    match similar.first() {
        Some((key, nodes)) => format!(", {} {key}", number(*nodes, false)),
        None => String::new(),
    }
}

/// Extended resources of nodes with a name similar to the one that no node has, or else of the same
/// vendor: `, 3 nodes have nvidia.com/gpu`.
pub(super) fn similar_resources(wanted: &str, cluster: &Cluster) -> String {
    let mut nodes: BTreeMap<&str, usize> = BTreeMap::new();
    for node in &cluster.nodes {
        for (name, amount) in &node.allocatable.scalars {
            if *amount > 0 {
                *nodes.entry(cluster.text(*name)).or_default() += 1;
            }
        }
    }
    let vendor = |name: &str| name.split_once('/').map(|(vendor, _)| vendor.to_owned());
    let is_near = |name: &str| is_similar(name_part(wanted), name_part(name));
    let is_of_vendor = |name: &str| vendor(name).is_some() && vendor(name) == vendor(wanted);
    let most = |is_meant: &dyn Fn(&str) -> bool| {
        let meant = nodes.iter().filter(|(name, _)| is_meant(name));
        meant.max_by_key(|(name, nodes)| (**nodes, std::cmp::Reverse(**name)))
    };
    match most(&is_near).or_else(|| most(&is_of_vendor)) {
        Some((name, nodes)) => format!(", {} {name}", number(*nodes, true)),
        None => String::new(),
    }
}

/// `26 nodes have amd64, 1 has s390x, 2 lack the label`; with `nouns` the first number has a noun.
fn have(found: &IndexMap<Option<Sym>, usize>, nouns: bool, cluster: &Cluster) -> String {
    let mut values: Vec<(&str, usize)> = found
        .iter()
        .filter_map(|(value, nodes)| Some((shown((*value)?, cluster), *nodes)))
        .collect();
    values.sort_by(|(one, many), (other, more)| more.cmp(many).then_with(|| one.cmp(other)));

    // Many different values, such as host names, say more as a number than as a list.
    let mut parts: Vec<String> = Vec::new();
    if values.len() > VALUES_NAMED {
        let nodes: usize = values.iter().map(|(_, nodes)| nodes).sum();
        let names: Vec<&str> = values.iter().take(VALUES_NAMED).map(|(value, _)| *value).collect();
        parts.push(format!(
            "{} other values, such as {}",
            number(nodes, nouns),
            words::list(&names, VALUES_NAMED)
        ));
    } else {
        for (value, nodes) in values {
            parts.push(format!("{} {value}", number(nodes, nouns && parts.is_empty())));
        }
    }
    if let Some(nodes) = found.get(&None) {
        let count = if nouns && parts.is_empty() {
            words::count(*nodes, "node")
        } else {
            words::group_digits(*nodes)
        };
        let lack = if *nodes == 1 { "lacks" } else { "lack" };
        parts.push(format!("{count} {lack} the label"));
    }
    parts.join(", ")
}

/// `1 has`, `26 nodes have`.
fn number(nodes: usize, noun: bool) -> String {
    let count = if noun { words::count(nodes, "node") } else { words::group_digits(nodes) };
    if nodes == 1 { format!("{count} has") } else { format!("{count} have") }
}

/// A label's key without the prefix before the slash.
fn name_part(key: &str) -> &str {
    key.rsplit_once('/').map_or(key, |(_, name)| name)
}

/// Whether one text was probably a typo of the other: they differ in case, in separators, in a
/// prefix, in one character (two in a longer text), or in two adjacent ones that are swapped.
fn is_similar(one: &str, other: &str) -> bool {
    let letters = |text: &str| text.to_lowercase().replace(['-', '_', '.'], "");
    let (one, other) = (letters(one), letters(other));
    let shortest = one.chars().count().min(other.chars().count());
    let typos = if shortest >= LONG_FROM { 2 } else { 1 };
    one == other
        || (shortest >= SIMILAR_FROM
            && (one.starts_with(&other)
                || other.starts_with(&one)
                || strsim::osa_distance(&one, &other) <= typos))
}
