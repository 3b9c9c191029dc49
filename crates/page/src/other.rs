//! The questions that are answered by one page, as their commands answer them.

use answers::AnswerError;
use answers::extent::Extent;
use answers::input::LoadedInput;
use answers::questions::audit::{AuditRequest, audit};
use answers::questions::compare::{CompareRequest, ComparedSide, compare_sides};
use answers::questions::evictions::{EvictionsRequest, evictions};
use answers::questions::headroom::{HeadroomRequest, ModelPod, headroom};
use answers::questions::loss::{LossRequest, loss};
use answers::questions::node::{self, NodeRequest};
use answers::questions::risk::{RiskRequest, RiskSubject, risk};
use answers::questions::rules::{RulesRequest, rules};
use answers::questions::simulate::growth::nodes_needed;
use answers::questions::simulate::{GENERATIONS, SimulateRequest, simulate};
use answers::questions::suggest::{self, SuggestRequest, suggest};
use answers::questions::verify::{VerifyRequest, verify};
use answers::scheduler::SchedulerChoice;
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
        Ok(Self { html: report.page(Extent::All).html() + &report.picture(), json })
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
        OtherQuestion::Node => can_go(input, &words),
        OtherQuestion::Suggest if suggest::is_about_nodes(&words) => can_go(input, &words),
        OtherQuestion::Loss => DrawnReport::new(&loss(input, &LossRequest::read(&words)?)?),
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
        OtherQuestion::Simulate | OtherQuestion::NodesNeeded => {
            let targets = target::parse(&words)?;
            let request = SimulateRequest {
                targets,
                all_namespaces,
                depth: GENERATIONS,
                ..SimulateRequest::default()
            };
            if question == OtherQuestion::NodesNeeded {
                return DrawnReport::new(&nodes_needed(input, &request)?);
            }
            // A simulation changes the cluster, and the page asks further questions about it.
            DrawnReport::new(&simulate(input.clone(), &request, &|_| true)?)
        }
        OtherQuestion::Verify => {
            let request = VerifyRequest { targets: target::parse(&words)?, all_namespaces };
            DrawnReport::new(&verify(input, &request, None)?)
        }
        OtherQuestion::Evictions => {
            let request = EvictionsRequest::new(&words, all_namespaces, None)?;
            DrawnReport::new(&evictions(input, &request)?)
        }
        OtherQuestion::Compare => compared(input, &words),
        OtherQuestion::Rules => {
            DrawnReport::new(&rules(&RulesRequest { query: about.to_owned() })?)
        }
    }
}

fn can_go(input: &LoadedInput, nodes: &[String]) -> Result<DrawnReport, AnswerError> {
    let request = NodeRequest { nodes: node::parse(nodes)?, surge: 0 };
    DrawnReport::new(&node::node(input, &request)?)
}

/// The versions and gates are the first of the words, with commas between them; pods may follow.
fn compared(input: &LoadedInput, words: &[String]) -> Result<DrawnReport, AnswerError> {
    let (names, pods) = words.split_first().unzip();
    let names: Vec<String> =
        names.iter().flat_map(|names| names.split(',')).map(str::to_owned).collect();
    let sides = ComparedSide::named(&names, &SchedulerChoice::default(), |_, name| {
        Err(AnswerError::usage_hint(
            format!("`{name}` is not a version of kube-scheduler, a gate or `now`"),
            "write versions as 1.37 and gates as NAME=true, and commas between them",
        ))
    })?;
    let targets = target::parse(pods.unwrap_or_default())?;
    let all_namespaces = targets.is_empty();
    let request = CompareRequest { all_namespaces, targets, ..CompareRequest::default() };
    compare_sides(input, &sides, &request, |report| DrawnReport::new(&report))?
}
