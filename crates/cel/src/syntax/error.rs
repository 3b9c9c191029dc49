//! Why parsing stops.

/// Why a text cannot be parsed at all.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SyntaxError {
    /// A syntax error at this offset.
    At(usize),
    /// Nested deeper than the caller's limit.
    Nested,
    /// Nested deeper than upstream allows; the text is upstream's error.
    Deep(&'static str),
    /// Nested so deeply that upstream's answer is not known.
    Unclear,
    /// Its macros expand to more expressions than the limit.
    Large,
}

/// Maximum recursion of a rule in upstream's grammar.
pub(super) const GRAMMAR: SyntaxError =
    SyntaxError::Deep("expression recursion limit exceeded: 250");
/// Maximum nesting of operators, selections, indices, methods and conditions in upstream's visitor.
pub(super) const WALK: SyntaxError = SyntaxError::Deep("max recursion depth exceeded");
