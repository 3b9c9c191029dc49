//! Renders decisions, plans and comparisons in the output formats. It makes no decisions.

pub mod audit;
pub mod comparison;
pub mod csv;
pub mod custom_columns;
pub mod disruption;
pub mod dot;
pub mod escape;
pub mod facts;
pub mod groups;
pub mod headline;
pub mod html;
pub mod json;
pub mod jsonpath;
pub mod link;
pub mod markdown;
pub mod name;
pub mod notes;
pub mod origin;
pub mod page;
pub mod pending;
pub mod pod_group;
mod remedies;
pub mod risk;
pub mod rules;
pub mod safe;
pub mod screen;
pub mod simulation;
pub mod text;
mod ties;
pub mod verification;
pub mod words;

#[cfg(test)]
#[expect(dead_code, unused_imports, reason = "not every builder is needed here")]
#[path = "../../engine/src/testing/mod.rs"]
mod testing;
