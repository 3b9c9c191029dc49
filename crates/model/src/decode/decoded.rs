//! What an item of a list or a series turned out to be.

use crate::snapshot::autoscaler::AutoscalerPart;
use crate::snapshot::scheduler::SchedulerPart;
use crate::snapshot::{Flaw, Kind, Object, Sink};

/// A decoded item: the object, if any, and what was wrong with it.
#[derive(Debug)]
pub(super) struct Decoded<'a> {
    pub found: Option<Found<'a>>,
    /// What it shows of kube-scheduler.
    pub scheduler: Option<Box<SchedulerPart>>,
    /// What it shows of cluster-autoscaler.
    pub autoscaler: Option<Box<AutoscalerPart>>,
    pub flaws: Vec<Flaw>,
}

/// What an item turned out to be.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all are objects")]
pub(super) enum Found<'a> {
    /// An object of which every field could be read.
    Object(Object<'a>),
    /// The JSON of an object without the fields that could not be read. It is decoded when it is
    /// passed to the sink, because the object borrows from it.
    Mended(Kind, String),
}

impl<'a> Decoded<'a> {
    /// An object with which nothing is wrong.
    pub(super) fn object(object: Object<'a>) -> Self {
        Self {
            found: Some(Found::Object(object)),
            scheduler: None,
            autoscaler: None,
            flaws: Vec::new(),
        }
    }

    /// An object with which nothing is wrong, and its whole JSON.
    pub(super) fn whole(object: Object<'a>, json: &str) -> Self {
        Self {
            scheduler: SchedulerPart::of(&object, json).map(Box::new),
            autoscaler: AutoscalerPart::of(&object, json).map(Box::new),
            ..Self::object(object)
        }
    }

    /// An item that is left out.
    pub(super) fn nothing(flaws: Vec<Flaw>) -> Self {
        Self { found: None, scheduler: None, autoscaler: None, flaws }
    }
}

/// Passes an item to the sink.
pub(super) fn accept(decoded: Decoded<'_>, sink: &mut dyn Sink) {
    decoded.flaws.into_iter().for_each(|flaw| sink.flaw(flaw));
    if let Some(part) = decoded.scheduler {
        sink.scheduler(*part);
    }
    if let Some(part) = decoded.autoscaler {
        sink.autoscaler(*part);
    }
    match decoded.found {
        Some(Found::Object(object)) => sink.object(object),
        Some(Found::Mended(kind, text)) => {
            // Only text that can be decoded is mended.
            if let Ok(object) = kind.decode_json(&text) {
                if let Some(part) = SchedulerPart::of(&object, &text) {
                    sink.scheduler(part);
                }
                if let Some(part) = AutoscalerPart::of(&object, &text) {
                    sink.autoscaler(part);
                }
                sink.object(object);
            }
        }
        None => {}
    }
}
