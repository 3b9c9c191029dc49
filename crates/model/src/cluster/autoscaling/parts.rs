//! What custom objects have in common: conditions, and amounts of resources.

use jiff::Timestamp;

use crate::cluster::notes::QUANTITY;
use crate::cluster::quantity::Quantity;
use crate::cluster::reader::ReadContext;
use crate::cluster::symbols::{Sym, Symbols};
use crate::notes::{Note, Subject};
use crate::snapshot::{Amounts as WireAmounts, autoscalers as wire};

/// Amounts of resources by name, in the order of the input. Invalid ones are noted and dropped.
pub type Amounts = Box<[(Sym, Quantity)]>;

/// A condition of a custom object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectCondition {
    /// Its type.
    pub kind: Sym,
    /// `True`, `False` or `Unknown`.
    pub status: Sym,
    /// Why.
    pub reason: Sym,
    pub message: Box<str>,
    /// Since when.
    pub since: Option<Timestamp>,
}

impl ObjectCondition {
    /// The condition of the type `kind`.
    pub fn find<'c>(conditions: &'c [Self], kind: &str, symbols: &Symbols) -> Option<&'c Self> {
        let kind = symbols.get(kind)?;
        conditions.iter().find(|condition| condition.kind == kind)
    }

    pub(super) fn read(wire: &wire::Condition, reader: &mut ReadContext) -> Self {
        Self {
            kind: reader.intern(&wire.kind),
            status: reader.intern(&wire.status),
            reason: reader.intern(&wire.reason),
            message: Box::from(wire.message.as_str()),
            since: wire.last_transition_time.parse().ok(),
        }
    }

    pub(in crate::cluster) fn read_all(
        wire: &[wire::Condition],
        reader: &mut ReadContext,
    ) -> Box<[Self]> {
        wire.iter().map(|condition| Self::read(condition, reader)).collect()
    }
}

/// Amounts of the object `of` in its field `field`.
pub(in crate::cluster) fn amounts(
    wire: &WireAmounts,
    of: &Subject,
    field: &str,
    reader: &mut ReadContext,
) -> Amounts {
    let mut amounts = Vec::new();
    for (name, text) in wire.iter() {
        let text = reader.intern(text);
        match reader.quantity(text) {
            Ok(quantity) => amounts.push((reader.intern(name), quantity)),
            Err(error) => {
                let problem =
                    format!("{field}[{name}] `{}` is not read: {error}", reader.symbols.text(text));
                reader.note(of.clone(), Note::warning(&QUANTITY, problem));
            }
        }
    }
    amounts.into()
}
