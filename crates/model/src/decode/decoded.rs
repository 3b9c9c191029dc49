//! The result of decoding an item of a list or a series.

use crate::snapshot::autoscaler::AutoscalerPart;
use crate::snapshot::programs::ProgramPart;
use crate::snapshot::scheduler::SchedulerPart;
use crate::snapshot::{DecodeIssue, Kind, Object, Sink};

/// A decoded item: the object, if any, and its decode issues.
#[derive(Debug)]
pub(super) struct Decoded<'a> {
    pub found: Option<DecodedItem<'a>>,
    /// What it shows about kube-scheduler.
    pub scheduler: Option<Box<SchedulerPart>>,
    /// What it shows about cluster-autoscaler.
    pub autoscaler: Option<Box<AutoscalerPart>>,
    /// What it shows about a program that acts on pods.
    pub program: Option<Box<ProgramPart>>,
    pub issues: Vec<DecodeIssue>,
}

/// What an item contained.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all are objects")]
pub(super) enum DecodedItem<'a> {
    /// An object whose fields could all be read.
    Object(Object<'a>),
    /// A list among the items; as for kubectl, each of its items counts.
    List {
        /// The kind of its items, if its own kind implies it.
        of: Option<Kind>,
        items: Vec<Decoded<'a>>,
    },
    /// The JSON of an object without the fields that could not be read. It is decoded when it is
    /// passed to the sink, because the object borrows from it.
    Mended(Kind, String),
}

impl<'a> Decoded<'a> {
    /// An object without decode issues.
    pub(super) fn object(object: Object<'a>) -> Self {
        Self {
            found: Some(DecodedItem::Object(object)),
            scheduler: None,
            autoscaler: None,
            program: None,
            issues: Vec::new(),
        }
    }

    /// An object without decode issues, with its whole JSON.
    pub(super) fn whole(object: Object<'a>, json: &str) -> Self {
        Self {
            scheduler: SchedulerPart::of(&object, json).map(Box::new),
            autoscaler: AutoscalerPart::of(&object, json).map(Box::new),
            program: ProgramPart::of(&object, json).map(Box::new),
            ..Self::object(object)
        }
    }

    /// A list among the items.
    pub(super) fn list(of: Option<Kind>, items: Vec<Self>) -> Self {
        let found = Some(DecodedItem::List { of, items });
        Self { found, scheduler: None, autoscaler: None, program: None, issues: Vec::new() }
    }

    /// An item that is left out.
    pub(super) fn nothing(issues: Vec<DecodeIssue>) -> Self {
        Self { found: None, scheduler: None, autoscaler: None, program: None, issues }
    }
}

/// Passes an item to the sink.
pub(super) fn accept(decoded: Decoded<'_>, sink: &mut dyn Sink) {
    decoded.issues.into_iter().for_each(|issue| sink.issue(issue));
    if let Some(part) = decoded.scheduler {
        sink.scheduler(*part);
    }
    if let Some(part) = decoded.autoscaler {
        sink.autoscaler(*part);
    }
    if let Some(part) = decoded.program {
        sink.program(*part);
    }
    match decoded.found {
        Some(DecodedItem::Object(object)) => sink.object(object),
        Some(DecodedItem::List { of, items }) => {
            if let Some(kind) = of {
                sink.list(kind);
            }
            items.into_iter().for_each(|item| accept(item, sink));
        }
        Some(DecodedItem::Mended(kind, text)) => {
            // Only text that can be decoded is repaired.
            if let Ok(object) = kind.decode_json(&text) {
                if let Some(part) = SchedulerPart::of(&object, &text) {
                    sink.scheduler(part);
                }
                if let Some(part) = AutoscalerPart::of(&object, &text) {
                    sink.autoscaler(part);
                }
                if let Some(part) = ProgramPart::of(&object, &text) {
                    sink.program(part);
                }
                sink.object(object);
            }
        }
        None => {}
    }
}
