//! The questions that are answered by one page, as their commands answer them.

use answers::AnswerError;
use answers::extent::Extent;
use answers::input::LoadedInput;
use answers::questions::audit::{AuditRequest, audit};
use answers::questions::headroom::{HeadroomRequest, ModelPod, headroom};
use answers::questions::node::{self, NodeRequest};
use answers::questions::risk::{RiskRequest, RiskSubject, risk};
use answers::questions::rules::{RulesRequest, rules};
use answers::questions::suggest::{SuggestRequest, suggest};
use answers::target;
use render::json;
use render::page::Drawn;
use serde::Serialize;
use to_json::ToJson;

use crate::question::OtherQuestion;

/// A page as markup, and the documented JSON.
pub(crate) struct DrawnReport {
    pub(crate) html: String,
    pub(crate) json: String,
}

impl DrawnReport {
    fn new<R: Drawn + ToJson<Json: Serialize>>(report: &R) -> Result<Self, AnswerError> {
        let json =
            json::text(&report.json()).map_err(|e| AnswerError::input("output", e.to_string()))?;
        Ok(Self { html: report.page(Extent::All).html(), json })
    }
}

/// The answer about a cluster.
///
/// # Errors
/// What its command would refuse.
pub(crate) fn answer(
    input: &LoadedInput,
    question: OtherQuestion,
    about: &str,
) -> Result<DrawnReport, AnswerError> {
    let words: Vec<String> = about.split_whitespace().map(str::to_owned).collect();
    let all_namespaces = words.is_empty();
    match question {
        OtherQuestion::Node if words.is_empty() => Err(AnswerError::usage("name a node")),
        OtherQuestion::Node => {
            let request = NodeRequest { nodes: node::parse(&words)?, surge: 0 };
            DrawnReport::new(&node::node(input, &request)?)
        }
        OtherQuestion::Suggest => {
            let request = SuggestRequest { targets: target::parse(&words)?, all_namespaces };
            DrawnReport::new(&suggest(input, &request)?)
        }
        OtherQuestion::Headroom => {
            let request = HeadroomRequest { pod: ModelPod::parse(&words)?, edits: Vec::new() };
            DrawnReport::new(&headroom(input, &request)?)
        }
        OtherQuestion::Risk => {
            let subject = RiskSubject::parse(&words)?;
            let request = RiskRequest { subject, all_namespaces, ..RiskRequest::default() };
            DrawnReport::new(&risk(input, &request)?)
        }
        OtherQuestion::Audit => DrawnReport::new(&audit(input, &AuditRequest::default())?),
        OtherQuestion::Rules => {
            DrawnReport::new(&rules(&RulesRequest { query: about.to_owned() })?)
        }
    }
}
