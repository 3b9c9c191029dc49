//! What-if changes, which are applied in memory before a decision.

use super::admission::SYSTEM_CLASSES;
use crate::cluster::Cluster;
use crate::cluster::pod::PodIx;
use crate::snapshot::Kind;
use crate::snapshot::pod::Toleration;

/// A hypothetical change. The first group changes the pods in question, the second one the cluster.
#[derive(Debug, Clone, PartialEq)]
pub enum WhatIf {
    /// Sets their priority.
    Priority(i32),
    /// Sets their priority class.
    PriorityClass(String),
    /// Sets how much of a resource they request in total.
    Request {
        /// Name of the resource.
        resource: String,
        /// A quantity.
        amount: String,
    },
    /// Adds a toleration.
    Toleration(Toleration<'static>),
    /// Adds a label to their node selector.
    NodeSelector {
        /// Its key.
        key: String,
        /// Its value.
        value: String,
    },
    /// Removes a pod.
    RemovePod {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
    /// Cordons a node.
    Cordon(String),
    /// Sets the disruptions that a budget allows.
    Budget {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
        /// `status.disruptionsAllowed`.
        allowed: i64,
    },
}

/// Why a change cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhatIfError {
    /// The object does not exist.
    NotFound {
        /// Plural resource.
        resource: &'static str,
        /// The name that was given.
        name: String,
    },
    /// The value is invalid.
    Value(String),
}

/// Applies the changes, those of the cluster first; `pods` are the pods in question. None of them can be removed.
///
/// # Errors
/// The first change that cannot be applied.
pub fn apply(cluster: &mut Cluster, pods: &[PodIx], what_ifs: &[WhatIf]) -> Result<(), WhatIfError> {
    for edit in what_ifs {
        edit.change_cluster(cluster)?;
        if let WhatIf::RemovePod { namespace, name } = edit
            && cluster.find_pod(namespace, name).is_some_and(|pod| pods.contains(&pod))
        {
            return Err(WhatIfError::Value(format!("pod {namespace}/{name} is asked about: it cannot be gone")));
        }
    }
    for edit in what_ifs {
        for pod in pods {
            edit.change_pod(cluster, *pod)?;
        }
    }
    Ok(())
}

impl WhatIf {
    fn change_cluster(&self, cluster: &mut Cluster) -> Result<(), WhatIfError> {
        match self {
            Self::RemovePod { namespace, name } => {
                let found = cluster.find_pod(namespace, name).filter(|pod| cluster.pod(*pod).is_active());
                let pod = found.ok_or_else(|| missing(Kind::Pod, &format!("{namespace}/{name}")))?;
                cluster.remove_pod(pod);
            }
            Self::Cordon(name) => {
                let node = cluster.find_node(name).ok_or_else(|| missing(Kind::Node, name))?;
                cluster.cordon(node, true);
            }
            Self::Budget { namespace, name, allowed } => {
                let is_it = |b: &crate::cluster::budget::BudgetIx| {
                    let budget = cluster.budget(*b);
                    *budget.name == **name && cluster.text(budget.namespace) == namespace
                };
                let found = cluster.budget_indices().find(is_it);
                let full_name = || format!("{namespace}/{name}");
                let budget = found.ok_or_else(|| missing(Kind::PodDisruptionBudget, &full_name()))?;
                cluster.set_disruptions_allowed(budget, *allowed);
            }
            Self::Priority(_)
            | Self::PriorityClass(_)
            | Self::Request { .. }
            | Self::Toleration(_)
            | Self::NodeSelector { .. } => {}
        }
        Ok(())
    }

    fn change_pod(&self, cluster: &mut Cluster, pod: PodIx) -> Result<(), WhatIfError> {
        match self {
            Self::Priority(priority) => cluster.set_priority(pod, *priority),
            Self::PriorityClass(name) => {
                let known = cluster.priority_classes.iter().find(|class| cluster.text(class.name) == name);
                let of_system =
                    SYSTEM_CLASSES.iter().find(|(system, _)| system == name).map(|(_, value)| (*value, false));
                let found = known.map(|class| (class.value, class.never_preempts)).or(of_system);
                let (value, never) = found.ok_or_else(|| missing(Kind::PriorityClass, name))?;
                cluster.set_priority(pod, i32::try_from(value).unwrap_or(i32::MAX));
                cluster.change_template(pod, |template, symbols| {
                    template.priority_class = symbols.intern(name);
                    template.never_preempts = never;
                });
            }
            Self::Request { resource, amount } => cluster
                .set_request(pod, resource, amount)
                .map_err(|e| WhatIfError::Value(format!("the amount `{amount}` of {resource} is {e}")))?,
            Self::Toleration(toleration) => cluster.add_toleration(pod, toleration),
            Self::NodeSelector { key, value } => cluster.add_node_selector(pod, key, value),
            Self::RemovePod { .. } | Self::Cordon(_) | Self::Budget { .. } => {}
        }
        Ok(())
    }
}

fn missing(kind: Kind, name: &str) -> WhatIfError {
    WhatIfError::NotFound { resource: kind.plural(), name: name.to_owned() }
}

#[cfg(test)]
mod tests;
