//! Workloads whose pods are missing, as JSON.

use crate::ToJson;
use crate::decision as parts;
use answers::workload::{MissingCause, MissingPods, WorkloadReport};
use json::workload::{MissingPods as JsonMissingPods, WorkloadList};
use json::{ApiVersion, kind};

/// The JSON of workloads that have no pods.
impl ToJson for WorkloadReport {
    type Json = WorkloadList;

    fn json(&self) -> WorkloadList {
        WorkloadList {
            api_version: ApiVersion::default(),
            kind: kind::WorkloadList::default(),
            source: parts::source(&self.basis.header, self.basis.source),
            items: self.workloads.iter().map(missing_pods).collect(),
        }
    }
}

/// The JSON of one of them.
pub(crate) fn missing_pods(missing: &MissingPods) -> JsonMissingPods {
    let refusal = match &missing.cause {
        MissingCause::Refused(refusal) => Some(refusal),
        _ => None,
    };
    JsonMissingPods {
        kind: missing.kind.clone(),
        namespace: missing.namespace.clone(),
        name: missing.name.clone(),
        wanted: missing.wanted,
        existing: missing.exist,
        cause: missing.cause.name().into(),
        refused_by: refusal.map(|refusal| refusal.kind.name().into()),
        refused_by_name: refusal
            .map(|refusal| refusal.name.clone())
            .filter(|name| !name.is_empty()),
        why: missing.why.clone(),
        message: missing.said.as_ref().map(|(_, message)| message.clone()),
        said_by: missing.said.as_ref().map(|(by, _)| by.clone()),
        facts: missing.facts.clone(),
        next: missing.next.clone(),
    }
}
