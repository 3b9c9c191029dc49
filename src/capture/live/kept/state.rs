//! The local state of a cluster, shared by the threads that change it and the one that reads it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::objects::{self, ChangedKeys, KeptCopies, KeptObjects, ListedObjects};
use super::{KeptEvent, Notify};
use crate::error::Error;
use answers::questions::pending::earlier::Changes;
use engine::decode::Originals;
use engine::snapshot::programs::Programs;
use engine::snapshot::{DecodeIssue, Header, Kind};

/// Synchronization state of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SyncState {
    /// Its watch is starting, for the first time or again.
    Starting,
    /// A watch delivers its changes.
    Watched,
    /// Watching, or even listing, is not permitted. It must be listed repeatedly.
    NotWatched,
}

#[derive(Default)]
pub(super) struct Contents {
    pub kinds: BTreeMap<Kind, KeptObjects>,
    /// The synchronization state of each kind that the server serves.
    pub sync: BTreeMap<Kind, SyncState>,
    /// Complete nodes and pods, for extenders.
    pub originals: Option<Originals>,
    header: Header,
    issues: Vec<DecodeIssue>,
    /// Kinds whose watch has failed and is retried.
    failing: BTreeSet<Kind>,
    /// Whether a change was reported and not read yet.
    reported: bool,
}

/// The contents, and the callback for events.
pub(super) struct KeptState {
    contents: Mutex<Contents>,
    changed: Condvar,
    notify: Notify,
}

impl KeptState {
    pub(super) fn new(contents: Contents, notify: Notify) -> Self {
        Self { contents: Mutex::new(contents), changed: Condvar::new(), notify }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `is_done`, which is evaluated after every change, or until the time. Returns
    /// whether it is done.
    pub(super) fn wait(&self, until: Instant, mut is_done: impl FnMut(&Contents) -> bool) -> bool {
        let mut contents = self.lock();
        loop {
            if is_done(&contents) {
                return true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            contents =
                self.changed.wait_timeout(contents, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Changes the contents. `change` returns whether that changes something that a decision reads;
    /// then it is reported, once until the contents are read.
    pub(super) fn change(&self, change: impl FnOnce(&mut Contents) -> bool) {
        let mut contents = self.lock();
        let report = change(&mut contents) && !std::mem::replace(&mut contents.reported, true);
        drop(contents);
        self.changed.notify_all();
        if report {
            (self.notify)(KeptEvent::Changed);
        }
    }

    /// Records that a watch of `kind` is running.
    pub(super) fn watching(&self, kind: Kind) {
        self.set(kind, SyncState::Watched, |failing| failing.retain(|other| *other != kind));
    }

    /// Records that the watch of `kind` has ended and another one is starting.
    pub(super) fn watch_ended(&self, kind: Kind) {
        self.set(kind, SyncState::Starting, |_| {});
    }

    /// Records that a watch of `kind` failed and is retried. Reported unless another watch is
    /// already failing.
    pub(super) fn failed(&self, kind: Kind, error: &str) {
        let was_well = self.lock().failing.is_empty();
        self.set(kind, SyncState::Starting, |failing| failing.extend([kind]));
        if was_well {
            (self.notify)(KeptEvent::Disconnected(error.to_owned()));
        }
    }

    /// Records that watching `kind` is not permitted.
    pub(super) fn not_watched(&self, kind: Kind, why: String) {
        (self.notify)(KeptEvent::NotWatched(kind, why));
        self.set(kind, SyncState::NotWatched, |failing| failing.retain(|other| *other != kind));
    }

    fn set(&self, kind: Kind, sync: SyncState, change: impl FnOnce(&mut BTreeSet<Kind>)) {
        let mut contents = self.lock();
        let was_well = contents.failing.is_empty();
        change(&mut contents.failing);
        contents.sync.insert(kind, sync);
        let is_well_again = !was_well && contents.failing.is_empty();
        drop(contents);
        self.changed.notify_all();
        if is_well_again {
            (self.notify)(KeptEvent::Connected);
        }
    }

    /// Replaces `kinds` by what was listed, unless their watches have come further meanwhile, and the
    /// kinds `of_extensions`, which have no watch.
    ///
    /// # Errors
    /// When a lagging server sent a list that is older than the local state.
    pub(super) fn replace(
        &self,
        kinds: &[Kind],
        of_extensions: &[Kind],
        listing: ListedObjects,
        originals: Option<Originals>,
    ) -> Result<(), Error> {
        let mut older = Vec::new();
        self.change(|contents| {
            let newer = contents.newer_than(kinds, &listing);
            let kinds: Vec<Kind> =
                kinds.iter().filter(|kind| !newer.contains(kind)).copied().collect();
            older = newer;
            older.retain(|kind| contents.sync.get(kind) != Some(&SyncState::Watched));
            contents.replace(&kinds, of_extensions, listing, originals)
        });
        if older.is_empty() {
            return Ok(());
        }
        Err(older_state(&older))
    }
}

/// The error for a list of these kinds from a lagging server.
pub(super) fn older_state(kinds: &[Kind]) -> Error {
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.plural()).collect();
    Error::Cluster {
        problem: format!("the server showed an older state of {} than before", kinds.join(", ")),
        hint: None,
    }
}

impl Contents {
    /// The contents after the first reading of `kinds`.
    pub(super) fn new(
        kinds: &[Kind],
        of_extensions: &[Kind],
        listing: ListedObjects,
        originals: Option<Originals>,
    ) -> Self {
        let mut contents = Self::default();
        contents.replace(kinds, of_extensions, listing, originals);
        contents
    }

    /// The kinds whose local state is newer than the list.
    fn newer_than(&self, kinds: &[Kind], listing: &ListedObjects) -> Vec<Kind> {
        let is_newer = |kind: &&Kind| match (self.kinds.get(kind), listing.kinds.get(kind)) {
            (Some(kept), Some(listed)) => kept.is_newer_than(&listed.version),
            (None, _) | (_, None) => false,
        };
        kinds.iter().filter(is_newer).copied().collect()
    }

    fn replace(
        &mut self,
        kinds: &[Kind],
        of_extensions: &[Kind],
        mut listing: ListedObjects,
        originals: Option<Originals>,
    ) -> bool {
        let mut changed = self.header.scheduler != listing.header.scheduler
            || self.header.server_version != listing.header.server_version;
        for kind in kinds {
            let mut new = listing.kinds.remove(kind).unwrap_or_default();
            let old = self.kinds.get(kind);
            match old.filter(|old| old.reads_as(&new)) {
                Some(same) => new.are_unchanged_since(same),
                None => changed = true,
            }
            // Events of a running watch before and after this list are distinguished by version, if
            // it is a number.
            new.listed =
                old.map_or(0, |old| old.listed + u64::from(!new.has_come_to(&old.version)));
            let refused = listing.header.unreadable.iter().any(|u| u.kind() == Some(*kind));
            match (refused, new.version.is_empty()) {
                (true, _) => drop(self.sync.insert(*kind, SyncState::NotWatched)),
                // A watch requires a start version.
                (false, true) => drop(self.sync.remove(kind)),
                (false, false) => drop(self.sync.entry(*kind).or_insert(SyncState::Starting)),
            }
            self.kinds.insert(*kind, new);
        }
        // They have no watch, so nothing else has to be known of them than what was listed.
        for kind in of_extensions {
            let mut new = listing.kinds.remove(kind).unwrap_or_default();
            match self.kinds.get(kind).filter(|old| old.reads_as(&new)) {
                Some(same) => new.are_unchanged_since(same),
                None => changed = true,
            }
            self.kinds.insert(*kind, new);
        }
        let mut header = listing.header;
        let before = std::mem::take(&mut self.header);
        // Everything outside this list stays unchanged.
        if of_extensions.is_empty() {
            (header.autoscaler, header.programs) = (before.autoscaler, before.programs);
        } else {
            let read_at = header.captured_at.as_deref().and_then(|at| at.parse().ok());
            if let Some(shown) = &mut header.autoscaler {
                shown.read_at = read_at;
            }
            if let Some(shown) = &mut header.programs {
                shown.read_at = read_at;
            }
        }
        let is_listed = |kind: Kind| kinds.contains(&kind) || of_extensions.contains(&kind);
        let others = before.unreadable.into_iter().filter(|u| !u.kind().is_some_and(is_listed));
        header.unreadable.extend(others);
        self.header = header;
        match (&mut self.originals, originals) {
            (Some(kept), Some(new)) => kept.extend(new),
            (kept, new) => *kept = new,
        }
        self.issues.extend(listing.issues);
        self.issues.dedup();
        changed
    }

    /// Gives `programs` the workloads that were listed before.
    pub(super) fn keep_workloads(&self, programs: &mut Programs) {
        if let Some(before) = &self.header.programs {
            programs.controllers.clone_from(&before.controllers);
            programs.unread_controllers.clone_from(&before.unread_controllers);
        }
    }

    /// Kinds with a running watch.
    pub(super) fn watched(&self) -> Vec<Kind> {
        self.sync
            .iter()
            .filter(|(_, sync)| **sync == SyncState::Watched)
            .map(|(kind, _)| *kind)
            .collect()
    }

    /// Kinds that must be listed to learn their changes: those without a running watch.
    pub(super) fn unwatched(&self) -> Vec<Kind> {
        self.sync
            .iter()
            .filter(|(_, sync)| **sync != SyncState::Watched)
            .map(|(kind, _)| *kind)
            .collect()
    }

    /// Kinds that were listed and may not be watched.
    pub(super) fn not_watched(&self) -> Vec<Kind> {
        let not_watched = self
            .sync
            .iter()
            .filter(|(_, sync)| **sync == SyncState::NotWatched)
            .map(|(kind, _)| *kind);
        not_watched
            .filter(|kind| self.kinds.get(kind).is_some_and(|kept| !kept.version.is_empty()))
            .collect()
    }

    /// Kinds whose watch is starting and has not failed.
    pub(super) fn starting(&self) -> Vec<Kind> {
        let starting = self
            .sync
            .iter()
            .filter(|(kind, sync)| **sync == SyncState::Starting && !self.failing.contains(kind));
        starting.map(|(kind, _)| *kind).collect()
    }

    /// What has changed since this was asked before.
    pub(super) fn take_changes(&mut self) -> Changes {
        let mut pods = BTreeSet::new();
        let mut only_pods = true;
        // Every kind is asked, so that all of them count from now on.
        for (kind, objects) in &mut self.kinds {
            match objects.take_changes() {
                ChangedKeys::Of(keys) if *kind == Kind::Pod => pods = keys,
                ChangedKeys::Of(keys) if keys.is_empty() => {}
                ChangedKeys::Any | ChangedKeys::Of(_) => only_pods = false,
            }
        }
        if !only_pods {
            return Changes::Unknown;
        }
        let named: Option<_> = pods.iter().map(|key| objects::pod_with(key)).collect();
        named.map_or(Changes::Unknown, Changes::Pods)
    }

    /// The complete current contents. From here on changes are reported again.
    pub(super) fn read(&mut self) -> (Vec<(Kind, KeptCopies)>, Header, Vec<DecodeIssue>) {
        self.reported = false;
        let kinds = Kind::ALL
            .into_iter()
            .filter_map(|kind| Some((kind, self.kinds.get(&kind)?.copies())))
            .collect();
        let mut header = self.header.clone();
        let versions = self.kinds.iter().filter(|(_, objects)| !objects.version.is_empty());
        header.resource_versions = versions
            .map(|(kind, objects)| (kind.resource().to_owned(), objects.version.clone()))
            .collect();
        header.captured_at =
            Some(jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
        (kinds, header, self.issues.clone())
    }
}

#[cfg(test)]
mod tests {
    use answers::questions::pending::earlier::PodName;
    use engine::decode::decode_list;
    use engine::snapshot::Sink as _;

    use super::*;

    fn listing(version: &str) -> ListedObjects {
        let mut listing = ListedObjects::default();
        let resource_versions = [("pods".to_owned(), version.to_owned())].into();
        listing.header(Header { resource_versions, ..Header::default() });
        listing
    }

    #[test]
    fn only_a_list_whose_version_cannot_be_compared_ends_the_running_watch() {
        for (first, second, listed) in
            [("7", "9", 0), ("7", "7", 0), ("7", "x", 1), ("x", "9", 1), ("x", "y", 1)]
        {
            let mut contents = Contents::new(&[Kind::Pod], &[], listing(first), None);
            contents.replace(&[Kind::Pod], &[], listing(second), None);
            assert_eq!(contents.kinds[&Kind::Pod].listed, listed, "{first} {second}");
        }
    }

    /// Objects of a kind, as a list or an event of this version brings them.
    fn objects(kind: Kind, names: &[&str], version: &str) -> KeptObjects {
        let item = |name: &&str| format!(r#"{{"metadata":{{"namespace":"a","name":"{name}"}}}}"#);
        let items: Vec<String> = names.iter().map(item).collect();
        let page = format!(r#"{{"metadata":{{}},"items":[{}]}}"#, items.join(","));
        let mut listing = ListedObjects::default();
        decode_list(&page, kind, "a test", &mut listing).unwrap();
        let mut objects = listing.kinds.remove(&kind).unwrap_or_default();
        version.clone_into(&mut objects.version);
        objects
    }

    fn pods(names: &[&str]) -> Changes {
        let named = |name: &&str| PodName { namespace: "a".to_owned(), name: (*name).to_owned() };
        Changes::Pods(names.iter().map(named).collect())
    }

    #[test]
    fn changes_are_the_pods_that_events_brought_since_they_were_taken() {
        let listing = |names: &[&str], version: &str| {
            let kinds = BTreeMap::from([(Kind::Pod, objects(Kind::Pod, names, version))]);
            ListedObjects { kinds, ..ListedObjects::default() }
        };
        let mut contents = Contents::new(&[Kind::Pod], &[], listing(&["x", "y"], "1"), None);
        contents.kinds.insert(Kind::Node, objects(Kind::Node, &["n"], "1"));
        assert_eq!(contents.take_changes(), Changes::Unknown, "all of them are new");
        assert_eq!(contents.take_changes(), pods(&[]));

        let mut event = |kind: Kind, change: &dyn Fn(&mut KeptObjects) -> bool| {
            let changed = change(contents.kinds.get_mut(&kind).unwrap());
            (changed, contents.take_changes())
        };
        let pod = |names: &[&str], version: &str| objects(Kind::Pod, names, version);
        assert_eq!(event(Kind::Pod, &|kept| kept.put(pod(&["z"], "2"))), (true, pods(&["z"])));
        assert_eq!(event(Kind::Pod, &|kept| kept.put(pod(&["z"], "3"))), (false, pods(&[])));
        assert_eq!(event(Kind::Pod, &|kept| kept.remove(pod(&["z"], "4"))), (true, pods(&["z"])));
        let node = |version: &str| objects(Kind::Node, &["m"], version);
        assert_eq!(event(Kind::Node, &|kept| kept.put(node("2"))), (true, Changes::Unknown));
        assert_eq!(event(Kind::Node, &|kept| kept.put(node("3"))), (false, pods(&[])));

        // A list that shows the same leaves what an event has changed before it.
        contents.kinds.get_mut(&Kind::Pod).unwrap().put(pod(&["z"], "5"));
        contents.replace(&[Kind::Pod], &[], listing(&["x", "y", "z"], "6"), None);
        assert_eq!(contents.take_changes(), pods(&["z"]));
        contents.replace(&[Kind::Pod], &[], listing(&["x"], "7"), None);
        assert_eq!(contents.take_changes(), Changes::Unknown);
    }
}
