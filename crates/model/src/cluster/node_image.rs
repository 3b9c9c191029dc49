//! Images of nodes.

use super::symbols::Sym;

/// A name of an image on a node, and its size in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodeImage {
    pub name: Sym,
    pub size: i64,
}
