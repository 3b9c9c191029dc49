//! `--for`, `--requests` and `--priority`: the preemptor of a question.

use serde_json::json;

use crate::cli::input::LoadedInput;
use crate::cli::simulate::what_if_flags::WhatIfFlags;
use crate::error::Error;
use answers::target::{self, Target};
use engine::cluster::PodIx;
use engine::cluster::build::Builder;
use engine::decode::decode;
use engine::edits::{self, Edit};
use engine::simulation::hypothetical_pods;

/// Name of a pod that is described by flags.
const NAME: &str = "preemptor";

/// The flags.
#[derive(Debug, Default, Clone, clap::Args)]
pub struct PreemptorArgs {
    /// By this pod, or by one more pod of this owner
    #[arg(long = "for", value_name = "POD | TYPE/NAME")]
    pub preemptor: Option<String>,

    /// By a pod of this priority or priority class; with --for, instead of its own
    #[arg(long, value_name = "NUMBER | CLASS")]
    pub priority: Option<String>,

    /// By a pod that requests this (e.g. cpu=4,memory=8Gi); with --for, instead of its own
    #[arg(long, value_name = "RESOURCE=AMOUNT", value_delimiter = ',')]
    pub requests: Vec<String>,
}

/// The preemptor with validated values.
pub(super) struct NamedPreemptor {
    target: Option<Target>,
    edits: Vec<Edit>,
}

impl PreemptorArgs {
    /// Validates the values.
    ///
    /// # Errors
    /// [`Error::Usage`] for an invalid value.
    pub(super) fn check(&self) -> Result<NamedPreemptor, Error> {
        let target = match &self.preemptor {
            None => None,
            Some(name) => target::parse(std::slice::from_ref(name))?.into_iter().next(),
        };
        if target.is_none() && !self.requests.is_empty() && self.priority.is_none() {
            let problem = "--requests describes a pod without a priority";
            return Err(Error::usage_hint(problem, "--priority gives it, as a number or a class"));
        }
        let (priority, requests) = (self.priority.clone(), self.requests.clone());
        let edits = WhatIfFlags { priority, requests, ..WhatIfFlags::default() }.read("default")?;
        Ok(NamedPreemptor { target, edits })
    }
}

impl NamedPreemptor {
    /// The pod or owner of `--for`.
    pub(super) fn target(&self) -> Option<&Target> {
        self.target.as_ref()
    }

    /// Adds the preemptor to the cluster and returns it; none if the question names no preemptor.
    ///
    /// # Errors
    /// When the target of `--for` or `--priority` does not exist.
    pub(super) fn add_to(&self, input: &mut LoadedInput) -> Result<Vec<PodIx>, Error> {
        let pods = match &self.target {
            Some(target) => existing(target, input)?,
            None if self.edits.is_empty() => return Ok(Vec::new()),
            None => described(input)?,
        };
        edits::apply(&mut input.cluster, &pods, &self.edits)?;
        Ok(pods)
    }
}

/// The first pending pod of the target, or a copy of its running pods.
fn existing(target: &Target, input: &mut LoadedInput) -> Result<Vec<PodIx>, Error> {
    let found = target::find(target, &input.namespace, &input.cluster)?;
    let Some(first) = found.first().copied() else { return Ok(Vec::new()) };
    if input.cluster.pod(first).is_waiting() {
        return Ok(vec![first]);
    }
    let namespace = input.cluster.text(input.cluster.pod(first).namespace).to_owned();
    let more =
        hypothetical_pods::replicas_of(first, &target.name, 1, &mut input.cluster, input.now);
    let names: Vec<String> = more.iter().map(|pod| pod.name.to_string()).collect();
    input.cluster.insert(more);
    Ok(names.iter().filter_map(|name| input.cluster.find_pod(&namespace, name)).collect())
}

/// A pod described only by flags.
fn described(input: &mut LoadedInput) -> Result<Vec<PodIx>, Error> {
    let namespace = input.namespace.clone();
    let taken = |name: &String| input.cluster.find_pod(&namespace, name).is_some();
    let names =
        std::iter::once(NAME.to_owned()).chain((0u64..).map(|index| format!("{NAME}-{index}")));
    let name = names.into_iter().find(|name| !taken(name)).unwrap_or_default();
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [{"name": "main"}]}, "status": {"phase": "Pending"}});
    let mut builder = Builder::reopen(std::mem::take(&mut input.cluster));
    decode(&pod.to_string(), "--requests", &mut builder)?;
    input.cluster = builder.finish();
    Ok(input.cluster.find_pod(&namespace, &name).into_iter().collect())
}
