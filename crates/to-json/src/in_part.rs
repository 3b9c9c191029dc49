//! What is known of pods without the nodes, as JSON.

use crate::ToJson;
use crate::decision as parts;
use crate::workload::missing_pods;
use answers::in_part::{PartialPod, PartialReport};
use json::in_part::{PartialList, PartialPart, PartialPod as JsonPartialPod};
use json::{ApiVersion, kind};

/// The JSON of what is known of pods without the nodes.
impl ToJson for PartialReport {
    type Json = PartialList;

    fn json(&self) -> PartialList {
        PartialList {
            api_version: ApiVersion::default(),
            kind: kind::PartialList::default(),
            source: parts::source(&self.basis.header, self.basis.source),
            items: self.pods.iter().map(pod).collect(),
            workloads: self.workloads.iter().map(missing_pods).collect(),
            needed: self.grants(),
        }
    }
}

fn pod(pod: &PartialPod) -> JsonPartialPod {
    let mut parts = Vec::with_capacity(pod.parts.len());
    for part in &pod.parts {
        let rule = part.rule.as_ref();
        parts.push(PartialPart {
            text: part.text.clone(),
            nodes: part.nodes,
            code: rule.map(|rule| rule.code.into()),
            meaning: rule.map(|rule| rule.meaning.into()),
            remedy: rule.and_then(|rule| rule.remedy).map(Into::into),
        });
    }
    JsonPartialPod {
        namespace: pod.namespace.clone(),
        name: pod.name.clone(),
        priority: pod.priority,
        state: pod.state.clone(),
        message: pod.said.clone(),
        parts,
        facts: pod.facts.clone(),
    }
}
