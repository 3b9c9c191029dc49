//! Decoders' errors in the words of JSON and YAML: `expected a list, found an object`.

use serde_json::error::Category;
use serde_saphyr::granit_parser::ErrorKind;
use serde_saphyr::localizer::ExternalMessageSource;

/// The length of `\u` with its four digits.
const ESCAPE: usize = 6;
/// Maximum length of the quoted part of a wrong value, in characters.
const MAX_QUOTED: usize = 60;

/// A JSON error without its position: of text that is not JSON in the decoder's words, of wrong
/// types in those of JSON.
pub(crate) fn plain_json(e: &serde_json::Error) -> String {
    if e.classify() == Category::Eof {
        return "it ends in the middle".to_owned();
    }
    let message = e.to_string();
    let place = format!(" at line {} column {}", e.line(), e.column());
    plain_type(message.strip_suffix(&place).unwrap_or(&message))
}

/// A message about a value of a wrong type in the words of JSON; any other as it is.
pub(crate) fn plain_type(message: &str) -> String {
    let body =
        message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    match body.and_then(|body| body.rsplit_once(", expected ")) {
        Some((found, expected)) => {
            format!("expected {}, found {}", plain_expected(expected), plain_found(found))
        }
        None => message.to_owned(),
    }
}

/// The problem with an object's JSON `text` and, if it is half of a surrogate pair, its position in
/// the object.
pub(crate) fn json_problem_in(text: &str, e: &serde_json::Error) -> String {
    let line = text.lines().nth(e.line().saturating_sub(1)).unwrap_or_default();
    let before = line.get(..e.column()).unwrap_or(line);
    // The decoder stops at most one escape behind the half.
    let mut escapes = before
        .rmatch_indices("\\u")
        .take_while(|(at, _)| before.len() - at <= 2 * ESCAPE)
        .filter_map(|(at, _)| Some((at, line.get(at..at + ESCAPE)?)));
    match escapes.find(|(_, escape)| is_half(escape)) {
        Some((at, escape)) => format!(
            "line {}, column {} of the object: `{escape}` is half of a surrogate pair; write the other half, too, or the \
             character itself",
            e.line(),
            at + 1
        ),
        None => plain_json(e),
    }
}

/// Whether a JSON escape is half of a surrogate pair.
fn is_half(escape: &str) -> bool {
    let unit = escape.strip_prefix("\\u").and_then(|digits| u32::from_str_radix(digits, 16).ok());
    unit.is_some_and(|unit| char::from_u32(unit).is_none())
}

/// The problem with a JSON text, and its position: `line 2, column 1: trailing comma`.
pub fn json_problem(e: &serde_json::Error) -> String {
    match (e.line(), plain_json(e)) {
        (0, problem) => problem,
        (line, problem) => format!("line {line}, column {}: {problem}", e.column()),
    }
}

fn plain_expected(expected: &str) -> &str {
    match expected {
        "a string" => "text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        "i32" => "a whole number of 32 bits",
        "i64" => "a whole number of 64 bits",
        other if other.starts_with("struct ") => "an object",
        other => other,
    }
}

fn plain_found(unexpected: &str) -> String {
    match unexpected {
        "sequence" => "a list".to_owned(),
        "map" => "an object".to_owned(),
        "unit value" | "null" | "Option value" => "null".to_owned(),
        other => {
            let kinds = ["boolean ", "integer ", "floating point ", "string "];
            let literal = kinds
                .iter()
                .find_map(|kind| other.strip_prefix(kind))
                .unwrap_or(other)
                .trim_matches('`');
            let cut: String = literal.chars().take(MAX_QUOTED).collect();
            if cut.len() < literal.len() { format!("{cut}…") } else { cut }
        }
    }
}

/// The problem with a text that exceeds the limits of depth and aliases.
pub(crate) const TOO_MUCH: &str =
    "nested too deeply, holds too many values, or multiplies itself by aliases";

/// The problem with a YAML text, and its position, in the words of YAML: `line 2, column 1: the key
/// "kind" stands there twice`.
pub fn yaml_problem(e: &serde_saphyr::Error) -> String {
    use serde_saphyr::Error;
    let e = e.without_snippet();
    let problem = match e {
        _ if is_too_much(e) => TOO_MUCH.to_owned(),
        Error::DuplicateMappingKey { key: Some(key), .. } => twice(key),
        Error::DuplicateMappingKey { key: None, .. } => "a key stands there twice".to_owned(),
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            "an alias refers to what it stands in".to_owned()
        }
        Error::UnknownAnchor { .. } => {
            "an alias refers to an anchor that does not exist".to_owned()
        }
        Error::MultipleDocuments { .. } => "another document begins there".to_owned(),
        Error::ExternalMessage { source, .. } => match source.as_ref() {
            ExternalMessageSource::Parser(e) => plain_yaml_syntax(e.kind()).to_owned(),
            _ => NOT_YAML.to_owned(),
        },
        Error::Message { msg, .. } => plain_type(msg),
        Error::Eof { .. } => "it ends in the middle".to_owned(),
        Error::InvalidUtf8Input => "it is not UTF-8".to_owned(),
        Error::NullIntoString { .. } => "expected text, found null".to_owned(),
        Error::Unexpected { expected: "string scalar", .. } => "expected text".to_owned(),
        Error::Unexpected { expected: "scalar", .. } => "expected a single value".to_owned(),
        Error::Unexpected { expected: "sequence start", .. } => "expected a list".to_owned(),
        Error::Unexpected { expected: "mapping start", .. } => "expected an object".to_owned(),
        // The actual value may be a password.
        Error::SerdeInvalidType { expected, .. } | Error::SerdeInvalidValue { expected, .. } => {
            format!("expected {}", plain_expected(expected))
        }
        Error::SerdeMissingField { field, .. } => format!("the field {field:?} is missing"),
        _ => "its tags, keys or values are none of JSON".to_owned(),
    };
    match e.location().filter(|place| place.line() > 0) {
        Some(place) => format!("line {}, column {}: {problem}", place.line(), place.column()),
        None => problem,
    }
}

/// The position of a repeated key in a YAML object: `line 2, column 1: the key "kind" stands there
/// twice`.
pub(crate) fn repeated_key(key: &str, (line, column): (usize, i64)) -> String {
    format!("line {line}, column {column}: {}", twice(key))
}

fn twice(key: &str) -> String {
    format!("the key {key:?} stands there twice")
}

const NOT_YAML: &str = "it is not YAML there";

/// The problem that the YAML scanner reports about text that is not YAML. Its other kinds are about
/// rare parts of YAML.
fn plain_yaml_syntax(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::TabInPlainScalar
        | ErrorKind::TabInIndentation
        | ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabAtBlockScalarStart => "a tab stands where YAML wants spaces",
        ErrorKind::UnclosedQuotedScalar => "a quotation mark is missing",
        ErrorKind::MisplacedFlowCollectionEnd => {
            "a closing bracket stands there without an opening one"
        }
        ErrorKind::ExpectedFlowMappingSeparator => "a comma or } is missing",
        ErrorKind::ExpectedFlowSequenceSeparator => "a comma or ] is missing",
        ErrorKind::SimpleKeyExpected
        | ErrorKind::InvalidSimpleKey
        | ErrorKind::ExpectedBlockMappingKey => "a key with a colon is missing",
        ErrorKind::ExpectedBlockSequenceEntry => "a - is missing before an item of a list",
        ErrorKind::InvalidIndentation
        | ErrorKind::InvalidFlowScalarIndent
        | ErrorKind::InvalidQuotedScalarIndent
        | ErrorKind::InvalidBlockScalarIndent => "the line is indented too little or too much",
        ErrorKind::MappingValueNotAllowed => {
            "a colon stands there, but no key can; quote the text, or indent it"
        }
        ErrorKind::BlockSequenceEntryNotAllowed => "an item of a list stands where none can",
        ErrorKind::UnknownQuotedScalarEscape => {
            "a backslash stands before a character that needs none"
        }
        ErrorKind::MismatchedFlowCollectionEnd { .. } => {
            "a bracket is closed by one of another kind"
        }
        ErrorKind::UnclosedFlowCollection { .. } => "a bracket is not closed",
        ErrorKind::UnexpectedEofFlowSequence
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofImplicitFlowMapping
        | ErrorKind::UnexpectedEofBlockSequence
        | ErrorKind::UnexpectedEofBlockMapping
        | ErrorKind::UnexpectedEof => "it ends in the middle",
        ErrorKind::UnexpectedCharacter { .. } => "a character stands there that starts no value",
        ErrorKind::InvalidTrailingSingleQuotedScalar
        | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            "something stands behind a quotation mark"
        }
        _ => NOT_YAML,
    }
}

/// The field whose value is wrong in a YAML text, if its name is right before the value: `token` in
/// `token: [a]`.
pub fn yaml_field<'text>(text: &'text str, e: &serde_saphyr::Error) -> Option<&'text str> {
    let place = e.without_snippet().location().filter(|place| place.line() > 0)?;
    let (line, column) =
        (usize::try_from(place.line()).ok()?, usize::try_from(place.column()).ok()?);
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let rest = text.get(start..)?;
    let end = rest.char_indices().nth(column.checked_sub(1)?).map_or(rest.len(), |(at, _)| at);
    let before = text.get(..start + end)?.trim_end().strip_suffix(':')?;
    let name = before.get(
        before
            .trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_')
            .len()..,
    )?;
    (!name.is_empty()).then_some(name)
}

/// Whether a text exceeds the limits of depth and aliases.
pub(crate) fn is_too_much(e: &serde_saphyr::Error) -> bool {
    use serde_saphyr::Error;
    match e {
        Error::Budget { .. }
        | Error::AliasReplayCounterOverflow { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => true,
        Error::AliasError { error, .. } => is_too_much(error),
        Error::ExternalMessage { source, .. } => matches!(
            source.as_ref(),
            ExternalMessageSource::Parser(e) if *e.kind() == ErrorKind::RecursionLimitExceeded
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::plain_type;

    #[test]
    fn decoders_messages_in_plain_words() {
        for (message, expected) in [
            ("invalid type: map, expected a sequence", "expected a list, found an object"),
            (
                "invalid type: string \"x\", expected struct PodSpec",
                "expected an object, found \"x\"",
            ),
            (
                "invalid type: string \", expected y\", expected i64",
                "expected a whole number of 64 bits, found \", expected y\"",
            ),
            ("invalid type: boolean `true`, expected a string", "expected text, found true"),
            (
                "invalid value: integer `99999999999`, expected i32",
                "expected a whole number of 32 bits, found 99999999999",
            ),
            ("invalid type: null, expected struct Container", "expected an object, found null"),
            ("missing field `name`", "missing field `name`"),
        ] {
            assert_eq!(plain_type(message), expected);
        }
    }

    #[test]
    fn broken_json_is_described_with_its_place() {
        for (text, expected) in [
            ("[1,]", "line 1, column 4: trailing comma"),
            ("{\n\"a\": }", "line 2, column 6: expected value"),
            ("{} {}", "line 1, column 4: trailing characters"),
            ("[", "line 1, column 1: it ends in the middle"),
        ] {
            let error = serde_json::from_str::<serde_json::Value>(text).unwrap_err();
            assert_eq!(super::json_problem(&error), expected, "{text}");
        }
    }

    #[test]
    fn broken_yaml_is_described_in_our_own_words() {
        for (text, expected) in [
            ("a:\n\tb: 1\n", "a tab stands where YAML wants spaces"),
            ("a: {b: 1", "a bracket is not closed"),
            ("a: [1, 2", "a bracket is not closed"),
            ("a: [1}", "a bracket is closed by one of another kind"),
            ("a: 'b", "a quotation mark is missing"),
            ("a: b: c", "a colon stands there, but no key can; quote the text, or indent it"),
            ("a: \"\\q\"", "a backslash stands before a character that needs none"),
            ("a: 1\nb\n", "a key with a colon is missing"),
            ("a: @b", "a character stands there that starts no value"),
            ("a: \"b\" c", "something stands behind a quotation mark"),
            ("%YAML 9.9.9.9\n---\na: 1", "it is not YAML there"),
        ] {
            let error = serde_saphyr::from_str::<serde_json::Value>(text).unwrap_err();
            let problem = super::yaml_problem(&error);
            assert!(
                problem.starts_with("line ") && problem.ends_with(expected),
                "{text}: {problem}"
            );
        }
    }

    #[test]
    fn a_wrong_type_in_yaml_names_the_field_and_never_the_value() {
        type Users = std::collections::BTreeMap<String, String>;
        for (text, field) in [
            ("token: [s3cret]", Some("token")),
            ("a: ü\nclient-key: {s3cret: 1}", Some("client-key")),
            ("token:\n- s3cret", None),
        ] {
            let error = serde_saphyr::from_str::<Users>(text).unwrap_err();
            assert!(
                super::yaml_problem(&error).ends_with("expected text"),
                "{}",
                super::yaml_problem(&error)
            );
            assert_eq!(super::yaml_field(text, &error), field, "{text}");
        }
    }
}
