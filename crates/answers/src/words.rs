//! Formats plurals, lists, numbers and ages.

pub use engine::words::{age, beginning, count, list};

pub use engine::words::{group_digits, in_units, share};

use std::cmp::Reverse;

use engine::cluster::Cluster;
use engine::decision::fit_error;

/// What is said of budgets that could not be read.
pub const BUDGETS_UNKNOWN: &str = "PDBs unknown";

/// How many evictions violate a budget; unknown if the budgets were not read.
pub fn violations(number: usize, cluster: &Cluster) -> String {
    match number {
        _ if cluster.are_budgets_unknown() => BUDGETS_UNKNOWN.to_owned(),
        0 => "no PDB violated".to_owned(),
        number => count(number, "PDB violation"),
    }
}

/// The budgets that an eviction violates, or what stands for none.
pub fn violated(budgets: &[String], none: &str, cluster: &Cluster) -> String {
    match budgets {
        _ if cluster.are_budgets_unknown() => BUDGETS_UNKNOWN.to_owned(),
        [] => none.to_owned(),
        budgets => budgets.join(", "),
    }
}

/// What a cell says of a pod without budgets.
pub fn no_budget(cluster: &Cluster) -> &'static str {
    no_budget_if(cluster.are_budgets_unknown())
}

/// The same where it is known whether the budgets were read.
pub const fn no_budget_if(are_unknown: bool) -> &'static str {
    if are_unknown { UNKNOWN } else { "-" }
}

/// What a cell says if what it shows could not be read.
pub const UNKNOWN: &str = "unknown";

/// A probability as `13.7 %`; below one percent with two digits.
pub fn percent(probability: f64) -> String {
    let percent = probability * 100.0;
    match percent {
        // A node with a chance, however small, is not one without.
        _ if percent > 0.0 && percent < 0.005 => "less than 0.01 %".to_owned(),
        _ if percent < 1.0 => format!("{percent:.2} %"),
        _ => format!("{percent:.1} %"),
    }
}

/// The prefix of the names of a CronJob's Jobs, to which it appends the scheduled time in minutes.
/// `None` for any other Job.
pub fn schedule_of_job(name: &str) -> Option<&str> {
    let (stem, minutes) = name.rsplit_once('-')?;
    let is_time = minutes.len() >= 8 && minutes.bytes().all(|byte| byte.is_ascii_digit());
    (is_time && !stem.is_empty()).then_some(stem)
}

/// The arguments of a command, quoted for a shell.
pub fn arguments(arguments: &[String]) -> String {
    let arguments: Vec<String> = arguments.iter().map(|argument| shell_word(argument)).collect();
    arguments.join(" ")
}

/// A command of kubectl, quoted for a shell.
pub fn kubectl(words: &[&str]) -> String {
    let words = ["kubectl"].iter().chain(words).map(|word| shell_word(word));
    words.collect::<Vec<_>>().join(" ")
}

/// A word quoted for a POSIX shell.
pub fn shell_word(word: &str) -> String {
    let mut chars = word.chars();
    if !word.is_empty() && chars.all(|c| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c)) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The scheduler's message without preemption's part.
pub fn without_preemption(message: &str) -> &str {
    let nodes = message.split_once(" preemption: ").map_or(message, |(nodes, _)| nodes);
    nodes.strip_suffix(" no new claims to deallocate,").unwrap_or(nodes)
}

/// Why a pod fits nowhere, most frequent reason first, without what everybody knows of the message:
/// `28 Insufficient cpu, 11 untolerated taint(s)`.
pub fn reasons_of(message: &str) -> String {
    let Some(reasons) = by_frequency(message) else { return message.to_owned() };
    let texts: Vec<String> = reasons.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
    texts.join(", ")
}

/// The reasons of the scheduler's message with their numbers of nodes, the most frequent first.
fn by_frequency(message: &str) -> Option<Vec<(String, usize)>> {
    let mut reasons = fit_error::reasons(fit_error::sections(message)?.body)?;
    reasons.sort_by_key(|(_, nodes)| Reverse(*nodes));
    for (reason, _) in &mut reasons {
        let bare = ["node(s) had ", "node(s) were ", "node(s) "];
        let bare = bare.iter().find_map(|prefix| reason.strip_prefix(prefix));
        *reason = bare.unwrap_or(reason).to_owned();
    }
    Some(reasons)
}

/// Why a pod fits nowhere, in a cell: the most frequent reason of the scheduler's message, and how many
/// others there are: `28 Insufficient cpu +2`. Of another text its first clause.
pub fn reasons_in_short(message: &str) -> String {
    let reasons = by_frequency(message).unwrap_or_default();
    match reasons.as_slice() {
        [(reason, nodes)] => format!("{nodes} {reason}"),
        [(reason, nodes), others @ ..] => format!("{nodes} {reason} +{}", others.len()),
        [] => {
            let body = fit_error::sections(message).map_or(message, |sections| sections.body);
            body.split([',', ';', '(']).next().unwrap_or(body).trim_end().to_owned()
        }
    }
}

/// The same as part of a sentence: `28 Insufficient cpu and 2 other reasons`.
pub fn first_reason(message: &str) -> String {
    let reasons = by_frequency(message).unwrap_or_default();
    match reasons.as_slice() {
        [(reason, nodes), others @ ..] if !others.is_empty() => {
            format!("{nodes} {reason} and {}", count(others.len(), "other reason"))
        }
        _ => reasons_in_short(message),
    }
}

#[cfg(test)]
mod tests {
    use super::{first_reason, reasons_in_short, schedule_of_job};

    #[test]
    fn a_message_in_short_has_its_most_frequent_reason() {
        for (message, short) in [
            (
                "0/40 nodes are available: 2 node(s) were unschedulable, 30 Insufficient cpu, 8 node(s) had untolerated \
                 taint(s). preemption: 0/40 nodes are available: 40 Preemption is not helpful for scheduling.",
                "30 Insufficient cpu +2",
            ),
            ("0/2 nodes are available: 2 node(s) were unschedulable.", "2 unschedulable"),
            ("0/2 nodes are available: pod has unbound claims, wait.", "pod has unbound claims"),
            ("on 30 nodes: cpu: requests 1, at most 0.79 free", "on 30 nodes: cpu: requests 1"),
            ("it waits", "it waits"),
        ] {
            assert_eq!(reasons_in_short(message), short);
            let others =
                short.strip_suffix("+2").map(|first| format!("{first}and 2 other reasons"));
            assert_eq!(first_reason(message), others.unwrap_or_else(|| short.to_owned()));
        }
    }

    #[test]
    fn jobs_of_a_schedule_share_the_name_before_its_time() {
        for (name, stem) in [
            ("report-29670480", Some("report")),
            ("nightly-report-29670480", Some("nightly-report")),
            ("report-1", None),
            ("report-2967048a", None),
            ("29670480", None),
        ] {
            assert_eq!(schedule_of_job(name), stem, "{name}");
        }
    }
}
