//! PreFilter: every plugin examines the pod and the whole cluster once, in order.
//!
//! Upstream: `pkg/scheduler/framework/runtime/framework.go` `RunPreFilterPlugins` (1.37).

use std::collections::BTreeSet;

use super::plugin::{Cycle, Filter, Plugin, Prepared};
use super::status::{Code, ReasonText, Rejection};
use crate::cluster::symbols::Sym;
use crate::profile::Features;

/// A filter that was not skipped, with the name of its plugin.
pub(crate) struct ActiveFilter<'c> {
    /// Plugin name.
    pub plugin: &'static str,
    /// The filter that PreFilter prepared.
    pub filter: Box<dyn Filter + 'c>,
}

/// The result of PreFilter for the whole cluster.
#[derive(Debug, Clone, PartialEq)]
pub enum PreFilter {
    /// Every node is filtered.
    AllNodes,
    /// Only the named nodes are filtered. The names of the plugins that restrict the nodes are sorted.
    SomeNodes {
        /// Node names; some of them may not exist.
        only: BTreeSet<Sym>,
        /// The plugins that restrict the nodes.
        by: Vec<&'static str>,
    },
    /// The pod is rejected on every node.
    Rejected {
        /// The plugin; empty if several plugins together left no node.
        plugin: &'static str,
        /// The rejection. Later plugins do not run. Since 1.30 they do run after a rejection that preemption may
        /// resolve, but no in-tree plugin returns one any more.
        rejection: Rejection,
    },
    /// A plugin failed with this error, which ends the cycle.
    Failed(String),
}

/// The result of PreFilter and the prepared filters.
pub struct Ran<'c> {
    /// Filters that were not skipped, in the order of PreFilter.
    pub prepared: Vec<ActiveFilter<'c>>,
    /// The result for the whole cluster.
    pub pre_filter: PreFilter,
    /// The error of AddPod and RemovePod, if PreFilter stopped before a plugin that needs its state there.
    pub missing_state: Option<String>,
}

/// Runs PreFilter of `plugins`.
pub(crate) fn run<'c>(plugins: &[&'static dyn Plugin], cycle: &Cycle<'c>) -> Ran<'c> {
    let features = cycle.features();
    let mut prepared: Vec<ActiveFilter<'c>> = Vec::with_capacity(plugins.len());
    let mut node_names: Option<(BTreeSet<Sym>, Vec<&'static str>)> = None;
    let mut stopped = None;
    for (index, plugin) in plugins.iter().enumerate() {
        let name = plugin.doc().name;
        let end = match plugin.prepare(cycle) {
            Prepared::Skip => None,
            Prepared::Failed(error) => Some(PreFilter::Failed(failure(name, &error, cycle))),
            Prepared::Reject(rejection) => Some(PreFilter::Rejected { plugin: name, rejection }),
            Prepared::Ready { only, filter } => {
                prepared.push(ActiveFilter { plugin: name, filter });
                node_names = match only {
                    Some(only) => Some(intersect(node_names, only, name)),
                    None => node_names,
                };
                let empty = node_names.as_ref().filter(|(left, _)| left.is_empty());
                empty.map(|(_, by)| no_node_left(by, features))
            }
        };
        if end.is_some() {
            stopped = end.map(|pre_filter| (index, pre_filter));
            break;
        }
    }
    if let Some((index, pre_filter)) = stopped {
        let missing_state = missing_state(plugins, index, &prepared, features);
        return Ran { prepared, pre_filter, missing_state };
    }
    let some_nodes = node_names.map(|(only, by)| PreFilter::SomeNodes { only, by });
    Ran { prepared, pre_filter: some_nodes.unwrap_or(PreFilter::AllNodes), missing_state: None }
}

/// The text of the error with which a failed PreFilter ends the cycle.
fn failure(plugin: &str, error: &str, cycle: &Cycle) -> String {
    let (features, pod) = (cycle.features(), &cycle.pod.name);
    if features.cycle.pre_filter_error_lost {
        // Parity: upstream formats the wrong variable.
        format!("running PreFilter plugin {plugin:?}: %!w(<nil>)")
    } else if features.cycle.plugin_errors_short {
        format!("running PreFilter plugin {plugin:?}: {error}")
    } else if features.cycle.pre_filter_refusal_is_no_fit {
        format!("prefilter plugin {plugin:?} failed for pod {pod:?}: {error}")
    } else {
        format!("error while running {plugin:?} prefilter plugin for pod {pod:?}: {error}")
    }
}

/// The error of the first plugin whose AddPod and RemovePod need a state that it did not write, since PreFilter stopped
/// at `index`.
fn missing_state(
    plugins: &[&'static dyn Plugin],
    index: usize,
    prepared: &[ActiveFilter],
    features: &Features,
) -> Option<String> {
    let states = plugins.iter().enumerate().filter_map(|(at, plugin)| {
        let name = plugin.doc().name;
        let skipped = at < index && !prepared.iter().any(|filter| filter.plugin == name);
        let has_state = at < index && !skipped || prepared.iter().any(|filter| filter.plugin == name);
        let error = plugin.error_without_extension_state(skipped, features).filter(|_| !has_state)?;
        Some(format!("running RemovePod on PreFilter plugin {name:?}: {error}"))
    });
    states.into_iter().next()
}

fn intersect(
    before: Option<(BTreeSet<Sym>, Vec<&'static str>)>,
    only: BTreeSet<Sym>,
    plugin: &'static str,
) -> (BTreeSet<Sym>, Vec<&'static str>) {
    match before {
        None => (only, vec![plugin]),
        Some((names, mut by)) => {
            by.push(plugin);
            by.sort_unstable();
            (names.intersection(&only).copied().collect(), by)
        }
    }
}

fn no_node_left(by: &[&'static str], features: &Features) -> PreFilter {
    let text = match by {
        [one] => format!("node(s) didn't satisfy plugin {one}"),
        several => format!("node(s) didn't satisfy plugin(s) [{}] simultaneously", several.join(" ")),
    };
    PreFilter::Rejected {
        plugin: if let [one] = by { one } else { "" },
        rejection: Rejection {
            code: if features.cycle.pre_filter_empty_unresolvable {
                Code::UnschedulableAndUnresolvable
            } else {
                Code::Unschedulable
            },
            ..Rejection::unresolvable(ReasonText::Owned(text.into()))
        },
    }
}
