//! The messages of kube-scheduler, collected from the rules that write them.

use std::collections::BTreeMap;

use super::{RuleKind, RulebookEntry};
use scheduler::decision::queue;
use scheduler::framework::reason::Message;
use scheduler::framework::{extender, message, pre_filter};
use scheduler::plugins::node_resources_fit::INSUFFICIENT;
use scheduler::{groups, plugins, preemption};

/// The plugin that preemption's texts belong to.
const PREEMPTION: &str = "DefaultPreemption";

/// The messages that no filter plugin writes, by author.
static OTHERS: &[(&str, &[&Message])] = &[
    ("PreFilter", pre_filter::MESSAGES),
    (
        "Extender",
        &[
            &extender::WORDS_OF_EXTENDER,
            &preemption::extenders::REMOVED_BY_EXTENDER,
            &preemption::extenders::NO_VICTIMS_OF_EXTENDER,
        ],
    ),
    ("scheduler", &[&message::NO_NODES, &queue::DELETED]),
    ("SchedulingGates", &[&queue::GATED]),
    (PREEMPTION, preemption::MESSAGES),
    (PREEMPTION, preemption::eviction::MESSAGES),
    ("pod groups", groups::messages::MESSAGES),
];

/// Every message with the plugin, or the part of the scheduler, that writes it.
fn written() -> impl Iterator<Item = (&'static str, &'static Message)> {
    let of_plugins = plugins::ALL.iter().map(|plugin| (plugin.doc().name, plugin.doc().messages));
    of_plugins
        .chain(OTHERS.iter().copied())
        .flat_map(|(by, messages)| messages.iter().map(move |one| (by, *one)))
}

/// All messages as rules, by code.
pub(super) fn rules() -> impl Iterator<Item = RulebookEntry> {
    let mut rules: BTreeMap<&'static str, RulebookEntry> = BTreeMap::new();
    for (by, message) in written() {
        rules.entry(message.code).or_insert_with(|| rule(message)).also.push(by);
    }
    rules.into_values()
}

fn rule(message: &'static Message) -> RulebookEntry {
    RulebookEntry {
        code: message.code,
        kind: RuleKind::Message,
        name: message.text,
        also: Vec::new(),
        meaning: message.meaning,
        preemption: message.preemption,
        remedy: Some(message.remedy),
        obstacle: Some(message.obstacle),
        span: message.when.span(),
        source: message.source,
    }
}

/// The message that `text` matches, for texts that do not come from a decision: pasted by a user,
/// or from a recorded condition. If several match, it is the one with the most literal text.
pub fn find(text: &str) -> Option<&'static Message> {
    let matching = written().map(|(_, message)| message).filter(|message| {
        message.is(text) && (message.code != INSUFFICIENT.code || names_resource(text))
    });
    matching.max_by_key(|message| (message.own_text(), std::cmp::Reverse(message.code)))
}

/// Whether what is insufficient may be a resource. Plugins of other schedulers write that word, too,
/// about their quotas.
///
/// Upstream: `IsScalarResourceName` of `pkg/apis/core/v1/helper/helpers.go` (1.37): its names have a
/// domain, or one of these prefixes.
fn names_resource(text: &str) -> bool {
    let name = text.rsplit_once("Insufficient ").map_or(text, |(_, name)| name);
    let is_one_word = !name.contains(char::is_whitespace);
    is_one_word
        && (name.contains('/')
            || ["hugepages-", "attachable-volumes-"].iter().any(|begins| name.starts_with(begins)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{find, plugins, written};

    #[test]
    fn a_code_has_one_message() {
        let mut texts: BTreeMap<&str, &str> = BTreeMap::new();
        for (by, message) in written() {
            let text = texts.entry(message.code).or_insert(message.text);
            assert_eq!(*text, message.text, "{} of {by}", message.code);
        }
    }

    #[test]
    fn every_plugin_that_filters_writes_something() {
        for plugin in plugins::ALL {
            assert!(!plugin.doc().messages.is_empty(), "{}", plugin.doc().name);
        }
    }

    #[test]
    fn of_several_messages_the_text_is_the_one_that_says_most_of_it() {
        let code = |text| find(text).map(|message| message.code);
        assert_eq!(code("Insufficient cpu"), Some("PRE-201"));
        assert_eq!(code("Insufficient example.com/gpu"), Some("PRE-207"));
        assert_eq!(code("a text of an extender"), None);
        assert_eq!(code("Insufficient hugepages-2Mi"), Some("PRE-207"));
        assert_eq!(code("Insufficient quotas [[cpu]]"), None);
        assert_eq!(code("Insufficient quotas"), None);
    }
}
