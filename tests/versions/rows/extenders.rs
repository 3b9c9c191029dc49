//! Extenders of a scenario: what they answer is written down, whatever they are asked about.

use std::collections::BTreeMap;

use engine::cluster::{NodeIx, PodIx};
use engine::framework::extender_client::{
    ExtenderClient, ExtenderFilterResult, ExtenderVictims, NodeVictims,
};
use engine::profile::config::Extender;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Scripted {
    /// What it is called.
    url: String,
    #[serde(default)]
    ignorable: bool,
    /// Its answer to `filter`; without one it is not asked.
    #[serde(default)]
    filter: Option<Left>,
    /// Its answer to `preempt`, likewise.
    #[serde(default)]
    preempt: Option<Vec<Victims>>,
}

/// An answer to `filter`.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Left {
    #[serde(default)]
    node_names: Vec<String>,
    /// Names of nodes that it returns as objects, instead of names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nodes: Option<Vec<String>>,
    #[serde(default)]
    failed_nodes: BTreeMap<String, String>,
    #[serde(default)]
    failed_and_unresolvable_nodes: BTreeMap<String, String>,
    #[serde(default)]
    error: String,
}

/// What an answer to `preempt` says of one node.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Victims {
    node: String,
    /// UIDs.
    pods: Vec<String>,
    #[serde(default)]
    violations: i64,
}

impl Scripted {
    /// What a configuration would say of it.
    pub fn configured(&self) -> Extender {
        let verb = |name: &str, asked: bool| if asked { name.to_owned() } else { String::new() };
        Extender {
            url: self.url.clone(),
            filter_verb: verb("filter", self.filter.is_some()),
            preempt_verb: verb("preempt", self.preempt.is_some()),
            ignorable: self.ignorable,
            node_cache_capable: true,
            ..Extender::default()
        }
    }
}

/// All of them.
#[derive(Debug)]
pub struct Script(pub Vec<Scripted>);

impl Script {
    fn find(&self, extender: &Extender) -> Result<&Scripted, String> {
        self.0
            .iter()
            .find(|scripted| scripted.url == extender.url)
            .ok_or_else(|| "has no script".to_owned())
    }
}

impl ExtenderClient for Script {
    fn filter(
        &self,
        extender: &Extender,
        _: PodIx,
        _: &[NodeIx],
    ) -> Result<ExtenderFilterResult, String> {
        let left = self.find(extender)?.filter.clone().ok_or("has no answer to filter")?;
        Ok(ExtenderFilterResult {
            names: Some(left.node_names).filter(|_| left.nodes.is_none()),
            nodes: left.nodes,
            failed: left.failed_nodes,
            unresolvable: left.failed_and_unresolvable_nodes,
            error: left.error,
        })
    }

    fn prioritize(
        &self,
        _: &Extender,
        _: PodIx,
        _: &[NodeIx],
    ) -> Result<Vec<(String, i64)>, String> {
        Err("has no answer to prioritize".to_owned())
    }

    fn preempt(
        &self,
        extender: &Extender,
        _: PodIx,
        _: &[NodeVictims],
    ) -> Result<Vec<ExtenderVictims>, String> {
        let answer = self.find(extender)?.preempt.clone().ok_or("has no answer to preempt")?;
        let answered = |Victims { node, pods, violations }| ExtenderVictims {
            node,
            victims: Some(pods),
            violations,
        };
        Ok(answer.into_iter().map(answered).collect())
    }
}
