//! `schema`: the JSON Schema of everything that `-o json` prints.

pub const EXAMPLES: &str = "\
Examples:
  # Save the schema
  kubectl preempt schema > preempt.schema.json

  # Which kinds of answers are there?
  kubectl preempt schema | jq '.\"$defs\" | keys'";

/// The JSON Schema of everything that `-o json` prints: `just schema` writes it from the types.
pub const SCHEMA: &str = include_str!("../../docs/schema.json");
