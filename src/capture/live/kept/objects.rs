//! The stored objects of one kind: the fields that a decision reads, encoded as in a snapshot file,
//! which takes one allocation per object. Objects with equal encodings are equal for every
//! decision.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use answers::questions::pending::earlier::PodName;
use engine::snapshot::{DecodeIssue, Header, Kind, Object, Sink};

/// Limits of what watches bring.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Maximum number of objects of a kind.
    objects: usize,
    /// Maximum memory for what the watches of all kinds brought, in bytes.
    memory: usize,
}

impl Bounds {
    /// More than twice the size of the largest clusters.
    pub(super) const LARGEST: Self = Self { objects: 1_000_000, memory: 1 << 30 };
}

/// Memory that an object takes besides its fields, here and in the cluster that is decided on, as
/// measured.
const OBJECT_MEMORY: usize = 600;

/// Memory that an object takes in total. Its fields are stored here as text, and once more decoded
/// in the cluster that is decided on, where they take half as much again.
fn memory(key_length: usize, fields: &str) -> usize {
    (key_length + fields.len()).saturating_mul(5) / 2 + OBJECT_MEMORY
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeptObject {
    /// `metadata.resourceVersion` of a node or a pod, which changes with heartbeats and so is not
    /// part of the fields.
    version: String,
    /// The fields, as JSON.
    fields: Arc<str>,
}

/// The objects of one kind, and their decoding problems.
#[derive(Debug, Default, Clone)]
pub(super) struct KeptObjects {
    /// `resourceVersion` of the list or the last event: the objects include every change up to it.
    pub version: String,
    /// Number of lists without comparable versions, after which events of an earlier watch must be
    /// ignored.
    pub listed: u64,
    by_key: BTreeMap<String, KeptObject>,
    issues: BTreeMap<String, Vec<DecodeIssue>>,
    /// Issues of the list itself.
    of_list: Vec<DecodeIssue>,
    /// Memory for what its watch brought, in bytes.
    brought: usize,
    /// What has changed since the objects were last passed on.
    changed: ChangedKeys,
}

#[derive(Debug, Clone, Default)]
pub(super) enum ChangedKeys {
    /// Perhaps all: a list has replaced them, or one could not be decoded.
    #[default]
    Any,
    /// Those with these keys, which may be gone.
    Of(BTreeSet<String>),
}

/// The most keys of changed objects that are remembered.
const MOST_CHANGED: usize = 10_000;

impl ChangedKeys {
    fn add(&mut self, key: &str) {
        let Self::Of(keys) = self else { return };
        if keys.len() == MOST_CHANGED {
            *self = Self::Any;
            return;
        }
        keys.insert(key.to_owned());
    }
}

impl KeptObjects {
    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Compares the version with another one; `None` if one of them is not a number.
    fn compared_to(&self, version: &str) -> Option<Ordering> {
        let number = |version: &str| version.parse::<u64>().ok();
        Some(number(&self.version)?.cmp(&number(version)?))
    }

    /// Whether the objects include every change up to `version`, as far as versions are comparable.
    pub(super) fn has_come_to(&self, version: &str) -> bool {
        self.compared_to(version).is_some_and(Ordering::is_ge)
    }

    /// Replaces the objects in `news`. Returns whether that changes anything that a decision reads.
    pub(super) fn put(&mut self, news: Self) -> bool {
        if self.has_come_to(&news.version) {
            return false;
        }
        let mut changed = self.came_to(news.version);
        let faulty = news.issues.keys().filter(|key| !news.by_key.contains_key(*key));
        for key in faulty {
            if self.by_key.remove(key).is_some() {
                changed = true;
                self.changed = ChangedKeys::Any;
            }
        }
        for (key, object) in news.by_key {
            let key_length = key.len();
            self.brought += memory(key_length, &object.fields);
            if !news.issues.contains_key(&key) && self.issues.remove(&key).is_some() {
                changed = true;
                self.changed = ChangedKeys::Any;
            }
            let before = self.by_key.get(&key);
            if let Some(before) = before {
                self.brought = self.brought.saturating_sub(memory(key_length, &before.fields));
            }
            if before.is_none_or(|before| before.fields != object.fields) {
                changed = true;
                self.changed.add(&key);
            }
            self.by_key.insert(key, object);
        }
        for (key, issues) in news.issues {
            let before = self.issues.insert(key, issues.clone());
            if before != Some(issues) {
                changed = true;
                self.changed = ChangedKeys::Any;
            }
        }
        changed
    }

    /// Whether there are more than a kind may have: a list ends, but a watch may not.
    pub(super) fn are_too_many(&self, bounds: Bounds) -> bool {
        self.by_key.len() + self.issues.len() > bounds.objects
    }

    /// Removes the objects in `gone`. Returns whether there was one.
    pub(super) fn remove(&mut self, gone: Self) -> bool {
        if self.has_come_to(&gone.version) {
            return false;
        }
        let mut changed = self.came_to(gone.version);
        for key in gone.by_key.keys().chain(gone.issues.keys()) {
            if let Some(object) = self.by_key.remove(key) {
                self.brought = self.brought.saturating_sub(memory(key.len(), &object.fields));
                changed = true;
                self.changed.add(key);
            }
            if self.issues.remove(key).is_some() {
                changed = true;
                self.changed = ChangedKeys::Any;
            }
        }
        changed
    }

    /// Advances the version. That changes nothing that a decision reads.
    pub(super) fn came_to(&mut self, version: String) -> bool {
        if !version.is_empty() && !self.has_come_to(&version) {
            self.version = version;
        }
        false
    }

    /// Whether both are equal for every decision.
    pub(super) fn reads_as(&self, other: &Self) -> bool {
        let fields = |objects: &Self| -> Vec<Arc<str>> {
            objects.by_key.values().map(|o| o.fields.clone()).collect()
        };
        self.issues == other.issues
            && self.of_list == other.of_list
            && fields(self) == fields(other)
    }

    /// Says that these objects are equal to `before`, in whose place they are listed.
    pub(super) fn are_unchanged_since(&mut self, before: &Self) {
        self.changed = before.changed.clone();
    }

    /// What has changed since this was asked before.
    pub(super) fn take_changes(&mut self) -> ChangedKeys {
        std::mem::replace(&mut self.changed, ChangedKeys::Of(BTreeSet::new()))
    }

    /// Whether this is newer than a list of this version that was read later: a lagging server sent
    /// it.
    pub(super) fn is_newer_than(&self, version: &str) -> bool {
        self.compared_to(version) == Some(Ordering::Greater)
    }

    /// Whether changes up to `version` are missing.
    pub(super) fn is_older_than(&self, version: &str) -> bool {
        self.compared_to(version) == Some(Ordering::Less)
    }

    /// Cheap copies, for decoding by [`pass_on`].
    pub(super) fn copies(&self) -> KeptCopies {
        let issues = self.issues.values().flatten().chain(&self.of_list).cloned().collect();
        let objects = self.by_key.values().map(|o| (o.version.clone(), o.fields.clone())).collect();
        KeptCopies { objects, issues }
    }
}

/// The kind whose watch has brought the most, if all watches together brought more than they may.
pub(super) fn too_large(kinds: &BTreeMap<Kind, KeptObjects>, bounds: Bounds) -> Option<Kind> {
    let total = kinds.values().fold(0_usize, |sum, kept| sum.saturating_add(kept.brought));
    let largest = kinds.iter().max_by_key(|(_, kept)| kept.brought);
    largest.filter(|_| total > bounds.memory).map(|(kind, _)| *kind)
}

/// The objects of a kind at one moment.
pub(super) struct KeptCopies {
    objects: Vec<(String, Arc<str>)>,
    issues: Vec<DecodeIssue>,
}

/// Decodes the objects into `sink`.
pub(super) fn pass_on(kind: Kind, copies: KeptCopies, sink: &mut dyn Sink) {
    for (version, fields) in &copies.objects {
        // The objects were encoded by this program, so decoding succeeds.
        let Ok(mut object) = kind.decode_json(fields) else { continue };
        match &mut object {
            Object::Pod(pod) => pod.metadata.resource_version = version.as_str().into(),
            Object::Node(node) => node.metadata.resource_version = version.as_str().into(),
            _ => {}
        }
        sink.object(object);
    }
    copies.issues.into_iter().for_each(|issue| sink.issue(issue));
}

/// Objects of several kinds, from a list or an event.
#[derive(Debug, Default)]
pub(super) struct ListedObjects {
    pub kinds: BTreeMap<Kind, KeptObjects>,
    pub header: Header,
    /// Issues that cannot be attributed to a kind.
    pub issues: Vec<DecodeIssue>,
}

impl Sink for ListedObjects {
    fn object(&mut self, mut object: Object<'_>) {
        let Some(kind) = object.kind() else { return };
        let version = match &mut object {
            Object::Pod(pod) => std::mem::take(&mut pod.metadata.resource_version).to_string(),
            Object::Node(node) => std::mem::take(&mut node.metadata.resource_version).to_string(),
            _ => String::new(),
        };
        let Some(key) = object.namespace_and_name().map(|(namespace, name)| key(namespace, name))
        else {
            return;
        };
        // Encoding fails only for an object of a kind that is not read.
        let Ok(fields) = object.to_json() else { return };
        self.kinds
            .entry(kind)
            .or_default()
            .by_key
            .insert(key, KeptObject { version, fields: fields.into() });
    }

    fn issue(&mut self, issue: DecodeIssue) {
        let of_kind = Kind::find_resource(&issue.subject);
        let object = issue.object.as_ref();
        let of_object =
            object.and_then(|o| Some((Kind::find(None, &o.kind)?, key(&o.namespace, &o.name))));
        match (of_object, of_kind) {
            (Some((kind, key)), _) => {
                self.kinds.entry(kind).or_default().issues.entry(key).or_default().push(issue);
            }
            (None, Some(kind)) => self.kinds.entry(kind).or_default().of_list.push(issue),
            (None, None) => self.issues.push(issue),
        }
    }

    fn header(&mut self, header: Header) {
        for (plural, version) in &header.resource_versions {
            if let Some(kind) = Kind::find_resource(plural) {
                self.kinds.entry(kind).or_default().version.clone_from(version);
            }
        }
        self.header = header;
    }
}

fn key(namespace: &str, name: &str) -> String {
    format!("{namespace}/{name}")
}

pub(super) fn pod_with(key: &str) -> Option<PodName> {
    let (namespace, name) = key.split_once('/')?;
    Some(PodName { namespace: namespace.to_owned(), name: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use engine::decode::decode_list;

    use super::*;

    fn pod(name: &str) -> KeptObjects {
        let page = format!(r#"{{"metadata":{{}},"items":[{{"metadata":{{"name":"{name}"}}}}]}}"#);
        let mut listing = ListedObjects::default();
        decode_list(&page, Kind::Pod, "a watch", &mut listing).unwrap();
        listing.kinds.remove(&Kind::Pod).unwrap()
    }

    #[test]
    fn watch_without_end_exceeds_the_bounds_of_its_kind() {
        let mut kept = KeptObjects::default();
        let few = Bounds { objects: 10, ..Bounds::LARGEST };
        for number in 0..10 {
            kept.put(pod(&format!("p{number}")));
        }
        assert!(!kept.are_too_many(few));
        // Changed and deleted objects are not counted twice.
        for number in 0..10 {
            kept.put(pod(&format!("p{number}")));
        }
        let (objects, memory) = (kept.by_key.len(), kept.brought);
        kept.put(pod("another"));
        assert!(kept.are_too_many(few));
        kept.remove(pod("another"));
        assert_eq!((kept.by_key.len(), kept.brought), (objects, memory));
        assert!(!kept.are_too_many(few));
    }

    #[test]
    fn watches_of_several_kinds_have_one_bound_of_memory() {
        let (mut pods, mut nodes) = (KeptObjects::default(), KeptObjects::default());
        for number in 0..10 {
            pods.put(pod(&format!("p{number}")));
        }
        nodes.put(pod("n"));
        let (of_pods, of_nodes) = (pods.brought, nodes.brought);
        assert!(of_pods >= 10 * OBJECT_MEMORY, "{of_pods}");
        let kinds = BTreeMap::from([(Kind::Pod, pods), (Kind::Node, nodes)]);
        let large = |memory| too_large(&kinds, Bounds { memory, ..Bounds::LARGEST });
        assert_eq!(large(of_pods + of_nodes), None);
        assert_eq!(large(of_pods + of_nodes - 1), Some(Kind::Pod), "the one that brought the most");
    }
}
