//! SARIF 2.1.0, the format of code scanning: the parts that answers use.

use engine::notes::{Note, Severity};
use serde::Serialize;

use answers::notes;

/// The schema of the format.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The whole file.
#[derive(Debug, Serialize)]
pub struct Sarif {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    invocations: [Invocation; 1],
    results: Vec<SarifResult>,
}

#[derive(Debug, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    information_uri: &'static str,
    version: String,
    rules: Vec<SarifRule>,
}

/// How the program ran.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invocation {
    /// Whether everything could be examined.
    pub execution_successful: bool,
    /// Remarks besides the results.
    pub tool_execution_notifications: Vec<Notification>,
}

/// A remark besides the results.
#[derive(Debug, Serialize)]
pub(crate) struct Notification {
    level: &'static str,
    message: SarifText,
}

/// The rule for results with one code.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SarifRule {
    /// The code.
    pub id: &'static str,
    /// Its name, in a few words.
    pub short_description: SarifText,
    /// Its meaning.
    pub full_description: SarifText,
    /// What to do about it.
    pub help: SarifText,
    /// Where it is documented.
    pub help_uri: &'static str,
    /// How severe it is.
    pub default_configuration: SarifConfiguration,
}

/// How severe the results of a rule are.
#[derive(Debug, Serialize)]
pub(crate) struct SarifConfiguration {
    /// `error`, `warning` or `note`.
    pub level: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct SarifText {
    text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SarifResult {
    /// The code of its rule.
    pub rule_id: &'static str,
    pub rule_index: usize,
    /// `error`, `warning` or `note`.
    pub level: &'static str,
    /// What was found.
    pub message: SarifText,
    /// Where.
    pub locations: Vec<Location>,
}

/// A position in a file, and the object there.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Location {
    /// The file, if one was read: code scanning shows no result without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical_location: Option<PhysicalLocation>,
    /// The object.
    pub logical_locations: [LogicalLocation; 1],
}

/// A position in a file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Debug, Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<usize>,
}

/// An object.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogicalLocation {
    name: String,
    fully_qualified_name: String,
    kind: &'static str,
}

impl Sarif {
    /// The file of this `version` of the program, with these rules and results.
    pub(crate) fn new(
        version: &str,
        rules: Vec<SarifRule>,
        invocation: Invocation,
        results: Vec<SarifResult>,
    ) -> Self {
        let driver = Driver {
            name: "kubectl-preempt",
            information_uri: "https://github.com/kubectl-preempt/kubectl-preempt",
            version: version.to_owned(),
            rules,
        };
        Self {
            schema: SCHEMA,
            version: "2.1.0",
            runs: [Run { tool: Tool { driver }, invocations: [invocation], results }],
        }
    }
}

impl Notification {
    pub(crate) fn new(level: &'static str, message: impl Into<String>) -> Self {
        Self { level, message: text(message) }
    }

    /// What a note says.
    pub(crate) fn of(note: &Note) -> Self {
        let message = format!("{} [{}]", notes::sentence(note), note.doc.code);
        Self::new(level(note.severity), message)
    }
}

impl PhysicalLocation {
    /// A position in the file with this path; `None` for the whole file.
    pub(crate) fn new(path: &str, line: Option<usize>) -> Self {
        Self {
            artifact_location: ArtifactLocation { uri: percent_encoded(path) },
            region: line.map(|line| Region { start_line: line.max(1), start_column: None }),
        }
    }

    /// The same line, from this column on.
    pub(crate) fn at(mut self, column: Option<usize>) -> Self {
        if let Some(region) = &mut self.region {
            region.start_column = column;
        }
        self
    }
}

impl LogicalLocation {
    /// An object. Its namespace is empty if its kind is not namespaced.
    pub(crate) fn new(kind: &str, namespace: &str, name: &str) -> Self {
        let qualified: Vec<&str> =
            [kind, namespace, name].into_iter().filter(|part| !part.is_empty()).collect();
        Self { name: name.to_owned(), fully_qualified_name: qualified.join("/"), kind: "resource" }
    }
}

pub(crate) const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// A text of the format.
pub(crate) fn text(text: impl Into<String>) -> SarifText {
    SarifText { text: text.into() }
}

/// A path as a URI reference.
fn percent_encoded(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.strip_prefix("./").unwrap_or(path).bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}
