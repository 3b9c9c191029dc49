//! An audit as SARIF 2.1.0, which code scanning reads: a rule per check, a result per finding.

use engine::audit::{Audit, Check, Finding};
use engine::notes::Severity;
use serde::Serialize;

use super::words;
use crate::notes;
use crate::origin::Place;

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
    results: Vec<Outcome>,
}

#[derive(Debug, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Debug, Serialize)]
struct Driver {
    name: &'static str,
    version: String,
    rules: Vec<Rule>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    /// Whether everything could be looked at.
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Debug, Serialize)]
struct Notification {
    level: &'static str,
    message: Text,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Text,
    full_description: Text,
    help: Text,
    default_configuration: Configuration,
}

#[derive(Debug, Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Debug, Serialize)]
struct Text {
    text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Text,
    locations: [Location; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    /// The file, where one was read: code scanning shows no result without.
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<PhysicalLocation>,
    logical_locations: [LogicalLocation; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
}

#[derive(Debug, Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    name: String,
    fully_qualified_name: String,
    kind: &'static str,
}

impl Sarif {
    /// The file about an audit of `place` by this `version` of the program.
    #[must_use]
    pub fn new(audit: &Audit, place: &Place, version: &str) -> Self {
        let notifications = audit.gaps.iter().map(|gap| Notification {
            level: if gap.left_out.is_empty() { "note" } else { "warning" },
            message: text(words::gap(gap)),
        });
        let noted = audit.notes.iter().map(|note| Notification {
            level: level(note.severity),
            message: text(format!("{} [{}]", notes::sentence(note), note.doc.code)),
        });
        let driver = Driver {
            name: "kubectl-preempt",
            version: version.to_owned(),
            rules: Check::all().map(rule).collect(),
        };
        Self {
            schema: SCHEMA,
            version: "2.1.0",
            runs: [Run {
                tool: Tool { driver },
                invocations: [Invocation {
                    execution_successful: !audit.is_unsure(),
                    tool_execution_notifications: notifications.chain(noted).collect(),
                }],
                results: audit.findings.iter().map(|found| outcome(found, place)).collect(),
            }],
        }
    }
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn text(text: impl Into<String>) -> Text {
    Text { text: text.into() }
}

fn rule(check: &Check) -> Rule {
    Rule {
        id: check.code,
        short_description: text(check.title),
        full_description: text(check.meaning),
        help: text(format!("To fix it: {}.", check.fix)),
        default_configuration: Configuration { level: level(check.severity) },
    }
}

fn outcome(finding: &Finding, place: &Place) -> Outcome {
    let check = finding.check;
    let object = &finding.object;
    let qualified = [object.kind.as_str(), &object.namespace, &object.name];
    let qualified: Vec<&str> = qualified.into_iter().filter(|part| !part.is_empty()).collect();
    let physical_location = match place {
        Place::Cluster(_) => None,
        Place::File(file) => Some(PhysicalLocation {
            artifact_location: ArtifactLocation { uri: percent_encoded(file) },
        }),
    };
    Outcome {
        rule_id: check.code,
        rule_index: Check::all().position(|known| known == check).unwrap_or_default(),
        level: level(check.severity),
        message: text(words::sentence(finding)),
        locations: [Location {
            physical_location,
            logical_locations: [LogicalLocation {
                name: object.name.clone(),
                fully_qualified_name: qualified.join("/"),
                kind: "resource",
            }],
        }],
    }
}

/// A path as a URI reference.
fn percent_encoded(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}
