//! The what-if flags of `simulate`: changes of pods and cluster that are assumed before anything is decided.

use crate::error::Error;
use engine::cluster::quantity::Quantity;
use engine::cluster::template::Effect;
use engine::simulation::what_if::WhatIf;
use engine::snapshot::pod::Toleration;

/// The flags as typed.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(next_help_heading = "What if")]
pub struct WhatIfFlags {
    /// The pods had this priority, or were of this priority class
    #[arg(long, value_name = "N|CLASS", allow_negative_numbers = true)]
    pub priority: Option<String>,

    /// The pods asked for this much in all, containers and overhead together
    #[arg(long, value_name = "RESOURCE=AMOUNT,...", value_delimiter = ',')]
    pub requests: Vec<String>,

    /// The pods tolerated this taint, too; without an effect any effect, without a value any value
    #[arg(long, value_name = "KEY[=VALUE][:EFFECT]")]
    pub toleration: Vec<String>,

    /// The pods asked for these labels on their node
    #[arg(long, value_name = "KEY=VALUE,...", value_delimiter = ',')]
    pub node_selector: Vec<String>,

    /// This node were in the cluster: objects of kind Node
    #[arg(long, value_name = "FILE|-")]
    pub add_node: Vec<String>,

    /// This pod were gone
    #[arg(long, value_name = "[NAMESPACE/]NAME")]
    pub remove_pod: Vec<String>,

    /// This node took no pods
    #[arg(long, value_name = "NODE")]
    pub cordon: Vec<String>,

    /// This PodDisruptionBudget allowed so many disruptions
    #[arg(long, value_name = "[NAMESPACE/]NAME=N")]
    pub pdb: Vec<String>,

    /// The pods were to go to this node, whichever the scheduler would pick
    #[arg(long, value_name = "NODE")]
    pub on: Option<String>,
}

impl WhatIfFlags {
    /// Whether nothing is changed. `--on` names a node and changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let lists = [
            &self.requests,
            &self.toleration,
            &self.node_selector,
            &self.add_node,
            &self.remove_pod,
            &self.cordon,
            &self.pdb,
        ];
        self.priority.is_none() && lists.iter().all(|list| list.is_empty())
    }

    /// The changes, except for the nodes of `--add-node`. `namespace` is that of objects named without one.
    ///
    /// # Errors
    /// [`Error::Usage`] for a value that makes no sense.
    pub fn read(&self, namespace: &str) -> Result<Vec<WhatIf>, Error> {
        let mut edits = Vec::new();
        if let Some(priority) = &self.priority {
            edits.push(read_priority(priority)?);
        }
        for request in &self.requests {
            edits.push(read_request(request)?);
        }
        for toleration in &self.toleration {
            edits.push(WhatIf::Toleration(read_toleration(toleration)?));
        }
        for label in &self.node_selector {
            let (key, value) = pair(label).ok_or_else(|| wrong("--node-selector", label, "KEY=VALUE"))?;
            edits.push(WhatIf::NodeSelector { key, value });
        }
        for pod in &self.remove_pod {
            let (namespace, name) =
                namespaced(pod, namespace).ok_or_else(|| wrong("--remove-pod", pod, "[NAMESPACE/]NAME"))?;
            edits.push(WhatIf::RemovePod { namespace, name });
        }
        edits.extend(self.cordon.iter().cloned().map(WhatIf::Cordon));
        for budget in &self.pdb {
            let parsed = pair(budget)
                .and_then(|(name, number)| Some((namespaced(&name, namespace)?, number.parse::<u32>().ok()?)));
            let ((namespace, name), allowed) = parsed.ok_or_else(|| wrong("--pdb", budget, "[NAMESPACE/]NAME=N"))?;
            edits.push(WhatIf::Budget { namespace, name, allowed: allowed.into() });
        }
        Ok(edits)
    }
}

fn wrong(flag: &str, value: &str, form: &str) -> Error {
    Error::usage(format!("{flag} `{value}`: use {form}"))
}

/// `KEY=VALUE`.
fn pair(text: &str) -> Option<(String, String)> {
    let (key, value) = text.split_once('=')?;
    (!key.is_empty()).then(|| (key.to_owned(), value.to_owned()))
}

/// `[NAMESPACE/]NAME`.
fn namespaced(text: &str, namespace: &str) -> Option<(String, String)> {
    let (namespace, name) = text.split_once('/').unwrap_or((namespace, text));
    let is_one = !namespace.is_empty() && !name.is_empty() && !name.contains('/');
    is_one.then(|| (namespace.to_owned(), name.to_owned()))
}

/// A number is a priority, anything else a class.
fn read_priority(text: &str) -> Result<WhatIf, Error> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    match text.parse() {
        Ok(number) => Ok(WhatIf::Priority(number)),
        Err(_) if is_number => {
            Err(Error::usage(format!("--priority `{text}`: a priority lies between {} and {}", i32::MIN, i32::MAX)))
        }
        Err(_) if text.is_empty() => Err(wrong("--priority", text, "a number or the name of a PriorityClass")),
        Err(_) => Ok(WhatIf::PriorityClass(text.to_owned())),
    }
}

fn read_request(text: &str) -> Result<WhatIf, Error> {
    let (resource, amount) =
        pair(text).ok_or_else(|| wrong("--requests", text, "RESOURCE=AMOUNT, such as cpu=500m"))?;
    let known = ["cpu", "memory", "ephemeral-storage"].contains(&resource.as_str())
        || resource.starts_with("hugepages-")
        || resource.contains('/');
    if !known {
        return Err(Error::Usage {
            problem: format!("--requests `{text}`: `{resource}` is no resource that a pod can ask for"),
            hint: Some(
                "use cpu, memory, ephemeral-storage, hugepages-SIZE or a full name such as nvidia.com/gpu".into(),
            ),
        });
    }
    let quantity = Quantity::parse(&amount).map_err(|e| Error::usage(format!("--requests `{text}`: {e}")))?;
    if quantity.is_negative() {
        return Err(Error::usage(format!("--requests `{text}`: a pod cannot ask for less than nothing")));
    }
    if resource.contains('/') && quantity.as_units().is_none() {
        return Err(Error::usage(format!("--requests `{text}`: there are whole ones only")));
    }
    Ok(WhatIf::Request { resource, amount })
}

/// As kubectl taint writes taints: `key=value:effect`, `key:effect`, `key=value`, `key`.
fn read_toleration(text: &str) -> Result<Toleration<'static>, Error> {
    let form = "KEY[=VALUE][:EFFECT], EFFECT being NoSchedule, PreferNoSchedule or NoExecute";
    let (taint, effect) = text.split_once(':').unwrap_or((text, ""));
    if matches!(Effect::read(effect), Some(Effect::Unknown)) || text.ends_with(':') {
        return Err(wrong("--toleration", text, form));
    }
    let (key, value) = taint.split_once('=').map_or((taint, None), |(key, value)| (key, Some(value)));
    if key.is_empty() {
        return Err(wrong("--toleration", text, form));
    }
    Ok(Toleration {
        key: key.to_owned().into(),
        operator: if value.is_some() { "Equal" } else { "Exists" }.into(),
        value: value.unwrap_or_default().to_owned().into(),
        effect: effect.to_owned().into(),
    })
}

#[cfg(test)]
mod tests;
