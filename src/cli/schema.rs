//! `schema`: the JSON Schema of everything that `-o json` prints.

use engine::json::{JsonDecision, JsonDecisionList, JsonGroupDecision, JsonGroupDecisionList};
use render::audit::JsonAudit;
use render::json::{
    JsonComparison, JsonComparisonList, JsonDisruptionList, JsonPendingList, JsonRules, JsonSimulation,
    JsonVerificationList,
};
use render::risk::JsonRiskList;
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};

use super::version::JsonVersion;
use crate::apply::json::JsonApplyResult;
use crate::doctor::json::JsonDoctor;

pub const EXAMPLES: &str = "\
Examples:
  # Save the schema
  kubectl preempt schema > preempt.schema.json

  # Which kinds of answers are there?
  kubectl preempt schema | jq '.\"$defs\" | keys'";

/// The JSON Schema of everything that `-o json` prints.
#[must_use]
pub fn schema() -> Schema {
    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[schemars(rename = "Explanation")]
    #[expect(dead_code, reason = "only its schema is of use")]
    enum Explanation {
        One(Box<JsonDecision>),
        Several(JsonDecisionList),
        OfGroup(Box<JsonGroupDecision>),
        OfGroups(JsonGroupDecisionList),
        Compared(Box<JsonComparison>),
        SeveralCompared(JsonComparisonList),
        Verified(Box<JsonVerificationList>),
        Audited(Box<JsonAudit>),
        AtRisk(Box<JsonRiskList>),
        WhyEvicted(Box<JsonDisruptionList>),
        Applied(Box<JsonApplyResult>),
        Examined(Box<JsonDoctor>),
        Simulated(Box<JsonSimulation>),
        Pending(Box<JsonPendingList>),
        Rules(JsonRules),
        Version(JsonVersion),
    }
    let generator: SchemaGenerator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<Explanation>()
}
