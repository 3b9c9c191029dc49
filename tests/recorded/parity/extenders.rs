//! Extenders that answer what a case says, as those of `tests/oracle/extender` do when the
//! scheduler asks them.

use std::collections::{BTreeMap, BTreeSet};

use engine::cluster::{Cluster, NodeIx, PodIx};
use engine::framework::extender_client::{
    ExtenderClient, ExtenderFilterResult, ExtenderVictims, NodeVictims,
};
use engine::profile::config::Extender;
use serde::Deserialize;

/// What the extenders of a case answer, by their `urlPrefix`.
pub type Scripts = BTreeMap<String, Script>;

/// What one extender answers.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    filter: Filter,
    prioritize: Prioritize,
    preempt: Preempt,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Filter {
    status: u16,
    error: String,
    /// Nodes that are left out of the answer.
    drop: BTreeSet<String>,
    /// Nodes at the end of the answer, whether they were asked about or not.
    add: Vec<String>,
    /// `names`, `nodes` or `none`; the form of the question if it is empty.
    form: String,
    failed: BTreeMap<String, String>,
    unresolvable: BTreeMap<String, String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Prioritize {
    status: u16,
    scores: Vec<Score>,
}

#[derive(Debug, Deserialize)]
struct Score {
    host: String,
    score: i64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Preempt {
    status: u16,
    /// Nodes that are left out of the answer.
    drop: BTreeSet<String>,
    /// How many of the victims of a node are named, if not all.
    first: BTreeMap<String, usize>,
    /// Victims that are in the answer as they are.
    victims: BTreeMap<String, Named>,
}

/// The victims of a node, by their UIDs.
#[derive(Debug, Deserialize)]
struct Named {
    uids: Vec<String>,
    violations: i64,
}

/// The extenders of a case, asked about its cluster.
#[derive(Debug)]
pub struct Scripted<'c> {
    /// The cluster that the questions are about.
    pub cluster: &'c Cluster,
    /// What they answer.
    pub scripts: &'c Scripts,
}

impl<'c> Scripted<'c> {
    fn name(&self, node: NodeIx) -> &'c str {
        self.cluster.text(self.cluster.node(node).name)
    }

    fn script(&self, extender: &Extender) -> Result<&'c Script, String> {
        self.scripts
            .get(&extender.url)
            .ok_or_else(|| format!("the case has no extender {}", extender.url))
    }
}

/// The error of an HTTP answer with this status, if it is one.
fn answered(extender: &Extender, verb: &str, status: u16) -> Result<(), String> {
    let url = extender.url.trim_end_matches('/');
    match status {
        0 | 200 => Ok(()),
        code => Err(format!("failed {verb} with extender at URL {url}/{verb}, code {code}")),
    }
}

impl ExtenderClient for Scripted<'_> {
    fn filter(
        &self,
        extender: &Extender,
        _: PodIx,
        nodes: &[NodeIx],
    ) -> Result<ExtenderFilterResult, String> {
        let script = &self.script(extender)?.filter;
        answered(extender, &extender.filter_verb, script.status)?;
        let asked = nodes.iter().map(|node| self.name(*node).to_owned());
        let kept: Vec<String> = asked
            .filter(|name| !script.drop.contains(name))
            .chain(script.add.iter().cloned())
            .collect();
        let (names, nodes) = match script.form.as_str() {
            "none" => (None, None),
            "names" => (Some(kept), None),
            "" if extender.node_cache_capable => (Some(kept), None),
            _ => (None, Some(kept)),
        };
        Ok(ExtenderFilterResult {
            error: script.error.clone(),
            names,
            nodes,
            failed: script.failed.clone(),
            unresolvable: script.unresolvable.clone(),
        })
    }

    fn prioritize(
        &self,
        extender: &Extender,
        _: PodIx,
        _: &[NodeIx],
    ) -> Result<Vec<(String, i64)>, String> {
        let script = &self.script(extender)?.prioritize;
        answered(extender, &extender.prioritize_verb, script.status)?;
        Ok(script.scores.iter().map(|score| (score.host.clone(), score.score)).collect())
    }

    fn preempt(
        &self,
        extender: &Extender,
        _: PodIx,
        proposed: &[NodeVictims],
    ) -> Result<Vec<ExtenderVictims>, String> {
        let script = &self.script(extender)?.preempt;
        answered(extender, &extender.preempt_verb, script.status)?;
        let mut named = BTreeMap::new();
        for proposal in proposed {
            let node = self.name(proposal.node).to_owned();
            if script.drop.contains(&node) {
                continue;
            }
            let first = script.first.get(&node).copied().unwrap_or(proposal.victims.len());
            let uids = proposal
                .victims
                .iter()
                .take(first)
                .map(|pod| self.cluster.pod(*pod).uid.to_string());
            let victims = ExtenderVictims {
                node: node.clone(),
                victims: Some(uids.collect()),
                violations: proposal.violations,
            };
            named.insert(node, victims);
        }
        for (node, Named { uids, violations }) in &script.victims {
            let victims = ExtenderVictims {
                node: node.clone(),
                victims: Some(uids.clone()),
                violations: *violations,
            };
            named.insert(node.clone(), victims);
        }
        Ok(named.into_values().collect())
    }
}
