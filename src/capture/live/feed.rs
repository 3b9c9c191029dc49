//! Hands one kind's pages to the sink. A list that expired on the server halfway is read again from its start; what the
//! sink already has is then passed over.

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;
use indexmap::IndexSet;
use tokio::sync::mpsc::Receiver;

use super::Progress;
use super::list::Part;
use crate::api::failure::{self, Peer};
use crate::capture::{Flaw, Sink};
use crate::error::Error;
use engine::decode::{self, DecodeError};
use engine::snapshot::{Header, Kind, Object, Unreadable};

/// Receives all of one kind's list.
pub(super) fn drain(
    kind: Kind,
    mut parts: Receiver<Part>,
    sink: &mut dyn Sink,
    header: &mut Header,
    peer: &Peer,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), Error> {
    let mut feed = Feed { sink, now: IndexSet::default(), before: None, flaws: Vec::new(), objects: 0, again: 0 };
    while let Some(part) = parts.blocking_recv() {
        match part {
            Part::Page { body, path } => {
                feed.sink.text(Some(kind), &body);
                let meta = decode::decode_page(&body, kind, &path, &mut feed).map_err(|e| bad_page(&path, &e, peer))?;
                if !meta.resource_version.is_empty() {
                    header.resource_versions.insert(kind.plural().to_owned(), meta.resource_version);
                }
                progress(Progress { kind, objects: feed.objects, complete: false });
            }
            Part::Again => feed.start_again(),
            Part::Unreadable(reason) => {
                header.unreadable.push(Unreadable { resource: kind.plural().to_owned(), reason });
            }
            Part::Failed(error) => return Err(error),
        }
    }
    feed.report_vanished(kind);
    tracing::debug!("read {} {}", feed.objects, kind.plural());
    progress(Progress { kind, objects: feed.objects, complete: true });
    Ok(())
}

fn bad_page(path: &str, error: &DecodeError, peer: &Peer) -> Error {
    let problem = error.problem.split(": the file").next().unwrap_or_default();
    failure::not_kubernetes(peer, &format!("GET {path}: {problem}"))
}

type Keys = IndexSet<u64, FixedState>;

struct Feed<'s> {
    sink: &'s mut dyn Sink,
    /// Objects of this reading.
    now: Keys,
    /// Objects of the reading that was broken off.
    before: Option<Keys>,
    flaws: Vec<Flaw>,
    /// Objects handed on.
    objects: usize,
    /// Objects met in both readings.
    again: usize,
}

impl Feed<'_> {
    fn start_again(&mut self) {
        self.before = Some(std::mem::take(&mut self.now));
    }

    /// Objects that the first reading brought and that were gone in the second cannot be taken back.
    fn report_vanished(&mut self, kind: Kind) {
        let vanished = self.before.as_ref().map_or(0, |before| before.len().saturating_sub(self.again));
        if vanished > 0 {
            self.sink.flaw(Flaw {
                subject: kind.plural().to_owned(),
                field: String::new(),
                problem: format!(
                    "the list expired while it was read; {vanished} of the objects counted were gone the second time"
                ),
            });
        }
    }
}

impl Sink for Feed<'_> {
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

    fn flaw(&mut self, flaw: Flaw) {
        if self.before.is_some() && self.flaws.contains(&flaw) {
            return;
        }
        self.flaws.push(flaw.clone());
        self.sink.flaw(flaw);
    }

    fn header(&mut self, header: Header) {
        self.sink.header(header);
    }
}
