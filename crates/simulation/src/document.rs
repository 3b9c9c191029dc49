//! The documents of manifests: the position of each, and which of the pods in question it creates.

use std::collections::BTreeMap;

use super::plan::{PodId, PreemptorId};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManifestDocument {
    /// The file, or `standard input`.
    pub file: String,
    /// The line on which it begins, or where it cannot be read, from 1.
    pub line: usize,
    /// The kind of its object; empty if the file cannot be read.
    pub kind: String,
    /// The namespace of its object; empty for a kind that has none.
    pub namespace: String,
    /// The name of its object.
    pub name: String,
    /// The codes of findings that its annotation accepts, and the reason.
    pub accepts: Option<(Vec<String>, String)>,
    /// Whether it is a CronJob that is suspended: it makes no pods until somebody changes it.
    pub is_suspended: bool,
}

impl ManifestDocument {
    /// `Deployment shop/web`.
    pub fn object(&self) -> String {
        if self.kind.is_empty() {
            return "unreadable manifest".to_owned();
        }
        let slash = if self.namespace.is_empty() { "" } else { "/" };
        format!("{} {}{slash}{}", self.kind, self.namespace, self.name)
    }

    /// `web.yaml:12`.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

/// A pod of a manifest that the API server would reject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedPod {
    pub pod: PodId,
    /// The index of its document in [`ManifestDocuments::list`].
    pub document: usize,
    /// Why it would be refused.
    pub why: String,
}

/// A manifest that cannot be read, or of which no pods can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadManifest {
    /// The index of its document in [`ManifestDocuments::list`].
    pub document: usize,
    /// The column where it cannot be read, from 1.
    pub column: Option<usize>,
    pub problem: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManifestDocuments {
    /// The documents, in the order in which they were read.
    pub list: Vec<ManifestDocument>,
    /// The index in `list` of the document of a pod or group, by [`key`].
    makers: BTreeMap<String, usize>,
}

/// Identifies a pod or a group among all others.
fn key(resource: &str, namespace: &str, name: &str) -> String {
    format!("{resource} {namespace}/{name}")
}

impl ManifestDocuments {
    /// Documents whose pods are not known yet.
    pub fn new(list: Vec<ManifestDocument>) -> Self {
        Self { list, makers: BTreeMap::new() }
    }

    /// Adds the place where a file cannot be read, and returns its index.
    pub fn add_unread(&mut self, file: String, line: usize) -> usize {
        self.list.push(ManifestDocument { file, line, ..ManifestDocument::default() });
        self.list.len() - 1
    }

    /// Records which document creates a pod, and its group, if it has one.
    pub fn add_pod(&mut self, namespace: &str, name: &str, group: Option<&str>, document: usize) {
        self.makers.insert(key("pod", namespace, name), document);
        if let Some(group) = group {
            self.makers.entry(key("podgroup", namespace, group)).or_insert(document);
        }
    }

    /// The index of the document that creates a pod, or the first pod of a group.
    pub fn of(&self, id: &PreemptorId) -> Option<usize> {
        self.makers.get(&key(id.resource(), id.namespace(), id.name())).copied()
    }
}
