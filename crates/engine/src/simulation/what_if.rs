//! What-if edits: what is changed in thought before anything is decided.

use super::admission::SYSTEM_CLASSES;
use crate::cluster::Cluster;
use crate::cluster::pod::PodIx;
use crate::snapshot::Kind;
use crate::snapshot::pod::Toleration;

/// A change in thought. The first group is about the pods that are asked about, the second about the cluster.
#[derive(Debug, Clone, PartialEq)]
pub enum WhatIf {
    /// Their priority is this number.
    Priority(i32),
    /// They are of this priority class.
    PriorityClass(String),
    /// They ask for this much of a resource in all.
    Request {
        /// Name of the resource.
        resource: String,
        /// A quantity.
        amount: String,
    },
    /// They tolerate this, too.
    Toleration(Toleration<'static>),
    /// They ask for this label on their node.
    NodeSelector {
        /// Its key.
        key: String,
        /// Its value.
        value: String,
    },
    /// This pod is gone.
    RemovePod {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
    /// This node takes no pods.
    Cordon(String),
    /// This budget allows so many disruptions.
    Budget {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
        /// `status.disruptionsAllowed`.
        allowed: i64,
    },
}

/// An edit that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It is about an object that is not there.
    NotFound {
        /// Plural resource.
        resource: &'static str,
        /// What was asked for.
        name: String,
    },
    /// It makes no sense.
    Value(String),
}

/// Makes the edits, those of the cluster first; `pods` are the ones asked about. None of them can be taken away.
///
/// # Errors
/// The first edit that cannot be made.
pub fn apply(cluster: &mut Cluster, pods: &[PodIx], edits: &[WhatIf]) -> Result<(), Refusal> {
    for edit in edits {
        edit.change_cluster(cluster)?;
        if let WhatIf::RemovePod { namespace, name } = edit
            && cluster.find_pod(namespace, name).is_some_and(|pod| pods.contains(&pod))
        {
            return Err(Refusal::Value(format!("pod {namespace}/{name} is asked about: it cannot be gone")));
        }
    }
    for edit in edits {
        for pod in pods {
            edit.change_pod(cluster, *pod)?;
        }
    }
    Ok(())
}

impl WhatIf {
    fn change_cluster(&self, cluster: &mut Cluster) -> Result<(), Refusal> {
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

    fn change_pod(&self, cluster: &mut Cluster, pod: PodIx) -> Result<(), Refusal> {
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
                .map_err(|e| Refusal::Value(format!("the amount `{amount}` of {resource} is {e}")))?,
            Self::Toleration(toleration) => cluster.add_toleration(pod, toleration),
            Self::NodeSelector { key, value } => cluster.add_node_selector(pod, key, value),
            Self::RemovePod { .. } | Self::Cordon(_) | Self::Budget { .. } => {}
        }
        Ok(())
    }
}

fn missing(kind: Kind, name: &str) -> Refusal {
    Refusal::NotFound { resource: kind.plural(), name: name.to_owned() }
}

#[cfg(test)]
mod tests;
