//! Decodes one kind's list into the sink, batch by batch. A list that expires on the server during
//! pagination is read again from its start; objects that the sink already has are then skipped.

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;
use indexmap::IndexSet;
use tokio::sync::mpsc::UnboundedReceiver;

use super::channel::ListEvent;
use super::list::bad_page;
use super::scope::ListProgress;
use crate::api::failure::Peer;
use crate::error::Error;
use engine::snapshot::autoscaler::AutoscalerPart;
use engine::snapshot::programs::ProgramPart;
use engine::snapshot::scheduler::SchedulerPart;
use engine::snapshot::{
    DecodeIssue, DecodeIssueKind, Header, Kind, Layer, Object, Sink, Unreadable,
};

/// Receives the whole list of one kind.
pub(super) fn drain(
    kind: Kind,
    mut events: UnboundedReceiver<ListEvent>,
    sink: &mut dyn Sink,
    header: &mut Header,
    peer: &Peer,
    progress: &mut dyn FnMut(ListProgress),
) -> Result<(), Error> {
    let mut feed = Feed {
        sink,
        now: IndexSet::default(),
        before: None,
        issues: IndexSet::default(),
        objects: 0,
        again: 0,
    };
    while let Some(event) = events.blocking_recv() {
        match event {
            ListEvent::Items(items, _room) => {
                items.decode(&mut feed).map_err(|e| bad_page(&e, peer))?;
                progress(ListProgress { kind, objects: feed.objects, complete: false });
            }
            ListEvent::PageEnd { resource_version } if resource_version.is_empty() => {}
            ListEvent::PageEnd { resource_version } => {
                header.resource_versions.insert(kind.resource().to_owned(), resource_version);
            }
            ListEvent::Restarted => feed.restart(),
            ListEvent::Unreadable(reason) => {
                header.unreadable.push(Unreadable { resource: kind.resource().to_owned(), reason });
            }
            ListEvent::Failed(error) => return Err(error),
        }
    }
    feed.report_vanished(kind);
    log::debug!("read {} {}", feed.objects, kind.resource());
    progress(ListProgress { kind, objects: feed.objects, complete: true });
    Ok(())
}

type Keys = IndexSet<u64, FixedState>;

struct Feed<'s> {
    sink: &'s mut dyn Sink,
    /// Objects of the current read of the list.
    now: Keys,
    /// Objects of the previous read, whose list expired.
    before: Option<Keys>,
    issues: IndexSet<DecodeIssue, FixedState>,
    /// Objects passed to the sink.
    objects: usize,
    /// Objects that both reads contained.
    again: usize,
}

impl Feed<'_> {
    fn restart(&mut self) {
        self.before = Some(std::mem::take(&mut self.now));
    }

    /// Reports objects in the sink that the second read no longer contained.
    fn report_vanished(&mut self, kind: Kind) {
        let vanished =
            self.before.as_ref().map_or(0, |before| before.len().saturating_sub(self.again));
        if vanished > 0 {
            self.sink.issue(DecodeIssue {
                kind: DecodeIssueKind::Expired,
                subject: kind.resource().to_owned(),
                problem: format!(
                    "the list expired while it was read; {vanished} of the objects counted had gone the second time"
                ),
                ..DecodeIssue::default()
            });
        }
    }
}

impl Layer for Feed<'_> {
    fn behind(&mut self) -> &mut dyn Sink {
        self.sink
    }

    fn object(&mut self, object: Object<'_>) {
        let key = object.namespace_and_name().map(|names| FixedState::default().hash_one(names));
        if let Some(key) = key {
            self.now.insert(key);
            if self.before.as_ref().is_some_and(|before| before.contains(&key)) {
                self.again += 1;
                return;
            }
        }
        self.objects += 1;
        self.sink.object(object);
    }

    fn issue(&mut self, issue: DecodeIssue) {
        let new = self.issues.insert(issue.clone());
        if new || self.before.is_none() {
            self.sink.issue(issue);
        }
    }

    fn scheduler(&mut self, _part: SchedulerPart) {
        // The scheduler of a live cluster is read separately.
    }

    fn autoscaler(&mut self, _part: AutoscalerPart) {
        // So is its cluster-autoscaler.
    }

    fn program(&mut self, _part: ProgramPart) {
        // So are the programs that act on pods.
    }
}
