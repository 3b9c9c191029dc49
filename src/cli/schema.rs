//! `schema`: the JSON Schema of all `-o json` output.

pub const EXAMPLES: &str = "\
Examples:
  # Save the schema
  kubectl preempt schema > preempt.schema.json

  # Which kinds of answers are there?
  kubectl preempt schema | jq '.\"$defs\" | keys'";

/// The JSON Schema of all `-o json` output, generated from the types by `just schema`.
pub const SCHEMA: &str = include_str!("../../docs/schema.json");
