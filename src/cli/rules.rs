//! `kubectl preempt rules`: what the scheduler's plugins, steps and messages mean. It reads no
//! cluster.

use super::flags::GlobalFlags;
use super::listing::{self, ListArgs, ListFormat};
use super::printer::DetailedFormat;
use super::{output, pager};
use crate::error::Error;
use crate::exit::Exit;
use crate::program;
use answers::similar::{did_you_mean, similar_names};
use engine::rules::{self, LookupResult, RuleKind, RulebookEntry};
use json::RuleList;
use render::page::Page;
use render::rules as drawn;
use to_json::{rule_list, rules_of_message};

const EXAMPLES: &str = "\
Examples:
  # Which rules decide about pods?
  kubectl preempt rules

  # What does this plugin check, and what does this code mean?
  kubectl preempt rules TaintToleration
  kubectl preempt rules PRE-302

  # What does the scheduler mean by this message?
  kubectl preempt rules 'No preemption victims found for incoming pod'";

/// Explain a plugin, a preemption step or a message of kube-scheduler
///
/// Without NAME, it lists all of them. A message of a pod's condition or of an event is explained
/// part by part. Codes never change their meaning.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES)]
pub struct RulesArgs {
    /// A plugin, a step, a code such as PRE-302, or a message
    #[arg(value_name = "NAME | CODE | MESSAGE", help_heading = "What to explain")]
    pub name: Vec<String>,

    /// text, wide, json, yaml, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = listing::formats::<DetailedFormat>(), default_value = "text",
          help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: ListFormat<DetailedFormat>,

    /// The order of the items, and their headings.
    #[command(flatten)]
    pub list: ListArgs,
}

/// Prints the requested rules.
///
/// # Errors
/// [`Error::Usage`] if there is no such rule.
pub fn run(args: &RulesArgs, global: &GlobalFlags) -> anyhow::Result<Exit> {
    let mut all = rules::all();
    let sort = |rules: &mut Vec<RulebookEntry>| {
        args.list.sort(rules, |rules| output::to_value(&rule_list(rules)))
    };
    // An unquoted message arrives as several words.
    let query = args.name.join(" ");
    let paper = || output::paper(global);
    let (list, page): (RuleList, Page) = match rules::lookup(&query, &all) {
        _ if query.trim().is_empty() => {
            sort(&mut all)?;
            let page = if args.output == ListFormat::Own(DetailedFormat::Text) {
                drawn::index(&all)
            } else {
                drawn::page(&all)
            };
            (rule_list(&all), page)
        }
        LookupResult::Nothing => return Err(unknown(&query, &similar(&query, &all)).into()),
        LookupResult::Rules(mut some) => {
            sort(&mut some)?;
            (rule_list(&some), drawn::page(&some))
        }
        LookupResult::Message(parts) => (rules_of_message(&parts), drawn::message(&parts)),
    };
    let text = match &args.output {
        ListFormat::Own(DetailedFormat::Text | DetailedFormat::Wide) => page.print(paper()),
        ListFormat::Own(format) => format.encode(&list)?,
        ListFormat::Kubectl(format) => format.text(&list, !args.list.no_headers, paper())?,
    };
    pager::print(&text, global)?;
    Ok(Exit::Answered)
}

/// The names that are similar to `query`, the most similar first.
fn similar(query: &str, rules: &[RulebookEntry]) -> Vec<&'static str> {
    let named = rules.iter().filter(|rule| rule.kind != RuleKind::Message);
    similar_names(query, named.map(|rule| rule.name))
}

fn unknown(query: &str, similar: &[&str]) -> Error {
    if rules::is_state(query) {
        let explain = program::command("explain POD says why a pod waits");
        return Error::usage_hint(
            format!("`{query}` is a state of pods or containers, not a rule"),
            format!("{explain}, and why-evicted POD how one ended"),
        );
    }
    let all = program::command("rules lists all");
    let hint = match did_you_mean(similar) {
        Some(question) => format!("{question} {all}"),
        None => all,
    };
    Error::Usage {
        problem: format!("no plugin, step, code or message is called `{query}`"),
        hint: Some(hint),
    }
}

#[cfg(test)]
mod tests {
    use super::similar;

    #[test]
    fn similar_names_are_suggested() {
        assert_eq!(similar("TaintTolerration", &engine::rules::all()), ["TaintToleration"]);
    }
}
