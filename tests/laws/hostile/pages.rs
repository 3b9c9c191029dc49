//! Pages of lists as an API server writes them in protobuf, damaged in any way: they are read and
//! decided, or refused, and it does not matter in which pieces they arrive. Included by
//! `tests/laws/hostile.rs` and by the fuzz target `pages`.

use engine::cluster::build::Builder;
use engine::decode::{ListMeta, ListPage, WireEncoding};
use engine::snapshot::{DecodeIssue, Header, Kind, Object, Sink};
use serde_json::Value;

use super::inputs;

/// What is read of a list: the fields that are not empty, which is all that the decoded objects
/// have.
#[derive(Debug, Default, PartialEq)]
pub struct Read {
    pub objects: Vec<Value>,
    pub issues: Vec<DecodeIssue>,
    pub meta: ListMeta,
}

impl Read {
    /// Of a page that arrives in pieces of this many bytes.
    pub fn of(
        kind: Kind,
        encoding: WireEncoding,
        bytes: &[u8],
        step: usize,
    ) -> Result<Self, String> {
        let mut read = Self::default();
        read.meta = read_into(&mut read, kind, encoding, bytes, step)?;
        Ok(read)
    }
}

impl Sink for Read {
    fn object(&mut self, object: Object<'_>) {
        let json = object.to_json().expect("JSON");
        self.objects.push(serde_json::from_str(&json).expect("JSON"));
    }
    fn issue(&mut self, issue: DecodeIssue) {
        self.issues.push(issue);
    }
    fn header(&mut self, _header: Header) {}
}

fn read_into(
    sink: &mut dyn Sink,
    kind: Kind,
    encoding: WireEncoding,
    bytes: &[u8],
    step: usize,
) -> Result<ListMeta, String> {
    let mut page = ListPage::new(kind, encoding, "here");
    for piece in bytes.chunks(step.max(1)) {
        if let Some(items) = page.push(piece).map_err(|error| error.to_string())? {
            items.decode(sink).map_err(|error| error.to_string())?;
        }
    }
    let (items, meta) = page.finish().map_err(|error| error.to_string())?;
    items.decode(sink).map_err(|error| error.to_string())?;
    Ok(meta)
}

/// Reads one page after the other, and decides on what they hold. Before each stand its kind, the
/// length of the pieces in which it arrives, and its own length in two bytes. Returns the number of
/// objects.
///
/// # Panics
/// When a page is read otherwise in pieces than as a whole.
pub fn check(bytes: &[u8]) -> usize {
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| kind.has_protobuf()).collect();
    let mut builder = Builder::new();
    let mut rest = bytes;
    while let Some(([kind, step, low, high], behind)) = rest.split_first_chunk() {
        let length = usize::from(u16::from_le_bytes([*low, *high]));
        let (page, next) = behind.split_at_checked(length).unwrap_or((behind, &[]));
        let kind = kinds[usize::from(*kind) % kinds.len()];
        let whole = Read::of(kind, WireEncoding::Protobuf, page, page.len());
        assert_eq!(
            Read::of(kind, WireEncoding::Protobuf, page, usize::from(*step)),
            whole,
            "{kind:?}"
        );
        // What is read before an error stays, as it would of a server.
        drop(read_into(&mut builder, kind, WireEncoding::Protobuf, page, page.len()));
        rest = next;
    }
    let objects = builder.objects();
    inputs::decided(&builder.finish());
    objects
}
