//! PreFilter: every plugin examines the pod and the whole cluster once, in order.
//!
//! Upstream: `pkg/scheduler/framework/runtime/framework.go` `RunPreFilterPlugins` (1.37).

use std::collections::BTreeSet;
use std::sync::Arc;

use super::cluster_view::NodeInfo;
use super::evidence::Evidence;
use super::plugin::{Cycle, Filter, OnlyNodes, Plugin, Prepared};
use super::reason::{Message, Obstacle, ReasonText, When};
use super::selector_error::unparsed_terms;
use super::status::{Code, FilterVerdict, Rejection};
use model::cluster::Sym;
use profile::Features;
use profile::history::ExcludedNodes;

/// The remedy if plugins allow only the nodes that the pod names.
const NAMED_NODES: &str = "change what the plugins read: spec.nodeName, node affinity by metadata.name, volumes with one host";

static EXCLUDED_BY: Message = Message {
    code: "PRE-255",
    text: "node(s) didn't satisfy plugin(s) [{}]",
    meaning: "Before any node was looked at, these plugins left only some nodes (such as the one that a required node affinity names), and this is not one of them.",
    preemption: "Never: the plugins named the nodes.",
    remedy: NAMED_NODES,
    obstacle: Obstacle::Pod,
    when: When::Rows(&[|f| f.cycle.excluded_nodes == ExcludedNodes::Told]),
    source: "pkg/scheduler/framework/runtime/framework.go (1.37)",
};

static FILTERED_OUT: Message = Message {
    code: "PRE-256",
    text: "node is filtered out by the prefilter result",
    meaning: "Before any node was looked at, plugins left only some nodes (such as the one that a required node affinity names), and this is not one of them.",
    when: When::Rows(&[|f| f.cycle.excluded_nodes == ExcludedNodes::FilteredOut]),
    source: "pkg/scheduler/schedule_one.go (1.31)",
    ..EXCLUDED_BY
};

static NONE_OF_ONE: Message = Message {
    code: "PRE-257",
    text: "node(s) didn't satisfy plugin {}",
    meaning: "The nodes that this plugin would allow do not exist.",
    preemption: "Never: there is no such node.",
    remedy: "correct the node names in the pod",
    obstacle: Obstacle::Pod,
    when: When::Always,
    source: "pkg/scheduler/framework/runtime/framework.go (1.37)",
};

static NONE_OF_SEVERAL: Message = Message {
    code: "PRE-258",
    text: "node(s) didn't satisfy plugin(s) [{}] simultaneously",
    meaning: "Each of these plugins allows some nodes, and no node is allowed by all of them.",
    preemption: "Never: the plugins exclude each other.",
    remedy: NAMED_NODES,
    obstacle: Obstacle::Pod,
    when: When::Always,
    source: "pkg/scheduler/framework/runtime/framework.go (1.37)",
};

/// Messages that PreFilter itself writes.
pub static MESSAGES: &[&Message] = &[&EXCLUDED_BY, &FILTERED_OUT, &NONE_OF_ONE, &NONE_OF_SEVERAL];

/// A filter that was not skipped, with the name of its plugin.
pub(crate) struct ActiveFilter<'c> {
    /// Plugin name.
    pub plugin: &'static str,
    /// The filter that PreFilter prepared.
    pub filter: Box<dyn Filter + 'c>,
    /// See [`Filter::reads_pods`].
    pub reads_pods: bool,
}

impl<'c> ActiveFilter<'c> {
    pub(crate) fn new(plugin: &'static str, filter: Box<dyn Filter + 'c>) -> Self {
        let reads_pods = filter.reads_pods();
        Self { plugin, filter, reads_pods }
    }
}

/// The result of PreFilter for the whole cluster.
#[derive(Debug, Clone, PartialEq)]
pub enum PreFilter {
    AllNodes,
    /// Only the named nodes are filtered. The names of the plugins that restrict the nodes are
    /// sorted.
    SomeNodes {
        /// Node names; some of them may not exist.
        only: BTreeSet<Sym>,
        /// The plugins that restrict the nodes.
        by: Vec<&'static str>,
        /// Their evidence, where they give any.
        evidence: Vec<Arc<dyn Evidence>>,
    },
    /// The pod is rejected on every node.
    Rejected {
        /// The plugin; empty if the plugins together leave no node, which the status attributes to
        /// none of them.
        plugin: &'static str,
        /// The rejection. Later plugins do not run. Since 1.30 they do run after a rejection that
        /// preemption may resolve, but no in-tree plugin returns one any more.
        rejection: Rejection,
        /// The last plugin whose PreFilter ran.
        last: &'static str,
    },
    /// A plugin failed with this error, which ends the cycle.
    Failed(String),
}

impl PreFilter {
    /// The reason for the nodes that are not filtered; `None` if there are no such nodes, or the
    /// version gives no reason.
    pub(crate) fn exclusion(&self, features: &Features) -> Option<ReasonText> {
        let Self::SomeNodes { by, .. } = self else { return None };
        match features.cycle.excluded_nodes {
            ExcludedNodes::Told => Some(EXCLUDED_BY.with([&by.join(" ")])),
            ExcludedNodes::FilteredOut => Some(FILTERED_OUT.reason()),
            _ => None,
        }
    }
}

/// The result of PreFilter and the prepared filters.
pub(crate) struct Ran<'c> {
    /// Filters that were not skipped, in the order of PreFilter.
    pub(crate) prepared: Vec<ActiveFilter<'c>>,
    /// The result for the whole cluster.
    pub(crate) pre_filter: PreFilter,
    /// The error of AddPod and RemovePod, if PreFilter stopped before a plugin that needs its state
    /// there.
    pub missing_state: Option<String>,
}

/// Runs PreFilter of `plugins`.
pub(crate) fn run<'c>(plugins: &[&'static dyn Plugin], cycle: &Cycle<'c>) -> Ran<'c> {
    let features = cycle.features();
    // The pod is parsed before any plugin sees it.
    if features.cycle.unparsed_terms_end_cycle
        && let Some(errors) = unparsed_terms(cycle)
    {
        let pre_filter = PreFilter::Failed(errors);
        return Ran { prepared: Vec::new(), pre_filter, missing_state: None };
    }
    let mut prepared: Vec<ActiveFilter<'c>> = Vec::with_capacity(plugins.len());
    let mut narrowed: Option<Narrowed> = None;
    for (index, plugin) in plugins.iter().enumerate() {
        let name = plugin.doc().name;
        let end = match plugin.prepare(cycle) {
            Prepared::Skip => None,
            Prepared::Failed(error) => Some(PreFilter::Failed(failure(name, &error, cycle))),
            Prepared::Reject(rejection) => {
                Some(PreFilter::Rejected { plugin: name, rejection, last: name })
            }
            Prepared::Ready { only, filter } => {
                prepared.push(ActiveFilter::new(name, filter));
                if let Some(only) = only {
                    narrowed = Some(Narrowed::to(narrowed, only, name));
                }
                // An empty intersection counts as none left only if no single plugin already
                // allowed nothing.
                let empty = narrowed.as_ref().filter(|narrowed| narrowed.names.is_empty());
                empty.map(|narrowed| no_node_left(narrowed, name, features))
            }
        };
        // The plugins after the one that ends PreFilter do not run, so their state is missing.
        if let Some(pre_filter) = end {
            let missing_state = missing_state(plugins, index, &prepared, features);
            return Ran { prepared, pre_filter, missing_state };
        }
    }
    let pre_filter = match narrowed {
        Some(Narrowed { names, by, evidence }) => {
            PreFilter::SomeNodes { only: names, by, evidence }
        }
        None => PreFilter::AllNodes,
    };
    Ran { prepared, pre_filter, missing_state: None }
}

/// Prepares every plugin on its own, whatever the others return. A plugin whose PreFilter rejects
/// the pod rejects every node, and one whose PreFilter fails does so on every node.
pub(crate) fn each<'c>(
    plugins: &[&'static dyn Plugin],
    cycle: &Cycle<'c>,
) -> Vec<ActiveFilter<'c>> {
    plugins
        .iter()
        .filter_map(|plugin| {
            let filter: Box<dyn Filter + 'c> = match plugin.prepare(cycle) {
                Prepared::Skip => return None,
                Prepared::Failed(error) => {
                    Box::new(FixedVerdict(FilterVerdict::Failed(error.into())))
                }
                Prepared::Reject(rejection) => {
                    Box::new(FixedVerdict(FilterVerdict::Rejected(rejection)))
                }
                Prepared::Ready { filter, .. } => filter,
            };
            Some(ActiveFilter::new(plugin.doc().name, filter))
        })
        .collect()
}

/// A filter with the same verdict for every node.
pub(crate) struct FixedVerdict(pub FilterVerdict);

impl Filter for FixedVerdict {
    fn check(&self, _: &NodeInfo) -> FilterVerdict {
        self.0.clone()
    }

    fn reads_pods(&self) -> bool {
        false
    }
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

/// The error of the first plugin whose AddPod and RemovePod need state that it did not write
/// because PreFilter stopped at `index`. Plugins that PreFilter skipped earlier do not count,
/// unless the version loses track of them on a rejection.
fn missing_state(
    plugins: &[&'static dyn Plugin],
    index: usize,
    prepared: &[ActiveFilter],
    features: &Features,
) -> Option<String> {
    for (position, plugin) in plugins.iter().enumerate() {
        let name = plugin.doc().name;
        let has_state = prepared.iter().any(|filter| filter.plugin == name);
        let skipped = position < index && !has_state;
        if has_state || (skipped && !features.cycle.pre_filter_refusal_forgotten) {
            continue;
        }
        if let Some(error) = plugin.error_without_extension_state(skipped, features) {
            return Some(format!("running RemovePod on PreFilter plugin {name:?}: {error}"));
        }
    }
    None
}

/// The nodes that all plugins so far allow.
struct Narrowed {
    names: BTreeSet<Sym>,
    /// The plugins, by name.
    by: Vec<&'static str>,
    /// Their evidence, where they give any.
    evidence: Vec<Arc<dyn Evidence>>,
}

impl Narrowed {
    /// Intersects the nodes of `before` with those that `plugin` allows.
    fn to(before: Option<Self>, only: OnlyNodes, plugin: &'static str) -> Self {
        let OnlyNodes { names, evidence } = only;
        let Some(mut narrowed) = before else {
            return Self { names, by: vec![plugin], evidence: evidence.into_iter().collect() };
        };
        narrowed.names.retain(|name| names.contains(name));
        narrowed.by.push(plugin);
        narrowed.by.sort_unstable();
        narrowed.evidence.extend(evidence);
        narrowed
    }
}

fn no_node_left(narrowed: &Narrowed, last: &'static str, features: &Features) -> PreFilter {
    let text = match narrowed.by.as_slice() {
        [one] => NONE_OF_ONE.with([one]),
        several => NONE_OF_SEVERAL.with([&several.join(" ")]),
    };
    let code = if features.cycle.pre_filter_empty_unresolvable {
        Code::UnschedulableAndUnresolvable
    } else {
        Code::Unschedulable
    };
    let evidence = narrowed.evidence.first().cloned();
    PreFilter::Rejected { plugin: "", rejection: Rejection::new(code, text, evidence), last }
}
