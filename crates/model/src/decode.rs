//! Bytes to objects: a `List`, a typed list, a snapshot, single objects, concatenated JSON, YAML
//! documents.
//!
//! The sink gets the items in the order of the input, however they are decoded:
//!
//! - A long list of objects of known kinds is decoded while it is read (`stream`), in chunks by all
//!   threads (`parallel_list`).
//! - Any other list is split into its items by one thread, which are then decoded by all
//!   (`pipeline`).
//! - A page of a live cluster is split into its items while it arrives (`page`).
//! - A file of a directory or an archive may hold things other than objects (`among`), and objects
//!   that do not name their kind (`unnamed`).
//! - What kubectl describes for people becomes the objects that it shows (`described`).
//! - An item with a field of the wrong type is decoded without this field, which is reported
//!   (`lenient`).

mod among;
mod decoded;
mod described;
mod error;
mod format;
mod item;
mod json;
mod lenient;
mod list;
mod manifest;
mod originals;
mod page;
mod parallel_list;
mod parts;
mod pipeline;
mod printed;
mod stream;
mod unnamed;
mod yaml;

pub use among::{Among, decode_among, decode_among_stream, unread_among, unreadable_among};
pub use error::{DecodeError, TOO_MANY_OBJECTS, TextPosition};
pub use manifest::{WholeObject, whole_objects};
pub use originals::{Originals, WantedWorkload, WithOriginals};
pub use page::{Items, ListMeta, ListPage, WireEncoding, decode_list};
pub use stream::{ByteSource, Streamed, decode_stream};
pub use yaml::{yaml_documents, yaml_value};

use crate::cluster::Cluster;
use crate::cluster::build::Builder;
use crate::snapshot::Sink;
use format::TextFormat;
use printed::TerminalLines;

/// The most characters of a line of a terminal that messages quote.
const SHOWN_OF_LINE: usize = 60;
/// Minimum number of items that several threads decode.
const LEAST_ITEMS: usize = 16;
/// The most objects of a file, thirty times those of the largest clusters. An empty one takes three
/// bytes, and a hundred once it is decoded, so a limit in bytes does not suffice.
pub const MOST_OBJECTS: usize = 5_000_000;

/// Reads a cluster from text: JSON (one document, several, or one per line) or YAML documents, as
/// `kubectl get -o json`, `-o yaml` and `kubectl cluster-info dump` write them. `origin` names the
/// source in errors. An object that cannot be read, or of which a field cannot, is named in
/// [`Cluster::notes`].
///
/// # Errors
/// When the text is neither JSON nor YAML, or holds no Kubernetes objects.
pub fn read_cluster(text: &str, origin: &str) -> Result<Cluster, DecodeError> {
    let mut builder = Builder::new();
    decode(text, origin, &mut builder)?;
    Ok(builder.finish())
}

/// Decodes everything in `text`: JSON (one document, several, or one per line), YAML documents, or the
/// text of `kubectl describe`.
/// `origin` names the source in errors.
///
/// # Errors
/// [`DecodeError`] when the text is neither; it names the place.
pub fn decode(text: &str, origin: &str, sink: &mut dyn Sink) -> Result<(), DecodeError> {
    if let Some(kept) = printed::without_logs(text, origin) {
        return decode(&kept?, origin, sink);
    }
    if let Some(described) = described::read(text) {
        return described.pass_on(origin, sink);
    }
    if let Some(lines) = printed::terminal_lines(text) {
        return decode_after_terminal_lines(&lines, origin, sink);
    }
    if printed::is_table(text) {
        return Err(DecodeError::new(
            origin,
            "it is a table for people, without what decides: save the objects with \
             `kubectl get nodes,pods,namespaces,services,rc,rs,sts,pdb,priorityclasses -A -o json > FILE`",
        ));
    }
    match TextFormat::of(text) {
        TextFormat::Empty => Err(DecodeError::new(origin, "the file is empty")),
        TextFormat::Json(body) => json::decode(body, origin, sink),
        TextFormat::Yaml(body) => yaml::decode(body, origin, sink),
    }
}

/// Decodes what follows the lines of a terminal, with a warning that they were passed over.
fn decode_after_terminal_lines(
    lines: &TerminalLines<'_>,
    origin: &str,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    let first: String = lines.first.chars().take(SHOWN_OF_LINE).collect();
    let more = if first.len() < lines.first.len() { "..." } else { "" };
    let Some(objects) = lines.objects else {
        return Err(DecodeError::new(
            origin,
            format!(
                "it begins with a line of a terminal (`{first}{more}`), and no JSON or YAML follows: save the objects \
                 with `kubectl get -o json > FILE`"
            ),
        ));
    };
    // Positions in messages are those in the whole text.
    let text = "\n".repeat(lines.number) + objects;
    match TextFormat::of(&text) {
        TextFormat::Json(_) => json::decode(&text, origin, sink)?,
        TextFormat::Yaml(_) | TextFormat::Empty => yaml::decode(&text, origin, sink)?,
    }
    let passed_over = match lines.number {
        1 => "the first line is".to_owned(),
        several => format!("the first {several} lines are"),
    };
    sink.remark(format!("{origin}: {passed_over} of a terminal, and passed over: `{first}{more}`"));
    Ok(())
}
