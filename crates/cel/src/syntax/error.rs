//! Why the parser stops.

/// Why a text cannot be parsed at all.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SyntaxError {
    /// The grammar does not allow it at this offset.
    At(usize),
    /// It is nested deeper than was asked for.
    Nested,
    /// It is nested deeper than upstream allows; the text says so.
    Deep(&'static str),
    /// Whether upstream allows so deep a nesting is not known.
    Unclear,
    /// Its macros expand to more than is parsed here.
    Large,
}

/// Upstream's grammar counts how often each of its rules is in itself.
pub(super) const GRAMMAR: SyntaxError =
    SyntaxError::Deep("expression recursion limit exceeded: 250");
/// Upstream's walk counts operators, selections, indices, methods and conditions that are in each
/// other.
pub(super) const WALK: SyntaxError = SyntaxError::Deep("max recursion depth exceeded");
