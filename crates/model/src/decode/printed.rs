//! What kubectl prints for people: the dump of a cluster on standard output, with logs between its
//! lists, and descriptions.

use super::error::DecodeError;

const START: &str = "==== START logs for container ";
const END: &str = "==== END logs for container ";
const CLOSE: &str = " ====";

/// The output of `kubectl cluster-info dump` with the logs of containers blanked out line by line;
/// `None` for a text without such logs.
///
/// # Errors
/// If the text ends in the middle of a log.
pub(super) fn without_logs(text: &str, origin: &str) -> Option<Result<String, DecodeError>> {
    find_start(text)?;
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = find_start(rest) {
        let (before, log) = rest.split_at(start);
        let name = log.strip_prefix(START).and_then(|log| log.lines().next()).unwrap_or_default();
        let end = format!("{END}{name}");
        let Some(length) = log.find(&end).map(|at| at + end.len()) else {
            let of = name.trim_end_matches(CLOSE);
            return Some(Err(DecodeError::new(
                origin,
                format!(
                    "the dump ends in the middle of the logs of container {of}: the file is truncated; write it again"
                ),
            )));
        };
        let (log, behind) = log.split_at(length);
        kept.push_str(before);
        kept.extend(log.matches('\n'));
        rest = behind;
    }
    kept.push_str(rest);
    Some(Ok(kept))
}

/// Where the next log begins, at the start of a line.
fn find_start(text: &str) -> Option<usize> {
    let is_start = |at: usize| at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n');
    text.match_indices(START).map(|(at, _)| at).find(|at| is_start(*at))
}

/// The problem with the output of `kubectl describe`, and how its message can be explained; `None`
/// for any other text.
pub(super) fn description(text: &str) -> Option<String> {
    let is_description = text.starts_with("Name:")
        && has_field(text, "Name:")
        && (has_field(text, "Labels:") || has_field(text, "Namespace:"));
    if !is_description {
        return None;
    }

    // The columns of an Event are its type, reason, age, source and message; the last one about
    // scheduling has the scheduler's current message.
    let event = text.lines().rev().find(|line| line.contains("FailedScheduling"));
    let message = event.and_then(|line| {
        let columns = line.split("  ").map(str::trim).filter(|column| !column.is_empty());
        columns.skip_while(|column| *column != "FailedScheduling").nth(3)
    });
    let (message, whose) = match message {
        Some(message) => (message.replace('\'', r"'\''"), "its"),
        None => ("MESSAGE".to_owned(), "a"),
    };
    Some(format!(
        "it is the text of `kubectl describe`, not objects: save them with `kubectl get -o json`; the command `rules \
         '{message}'` of this program explains {whose} message"
    ))
}

/// Whether white space follows the first field of this name.
fn has_field(text: &str, name: &str) -> bool {
    let value = text.lines().find_map(|line| line.strip_prefix(name));
    value.is_some_and(|value| value.starts_with([' ', '\t']))
}

#[cfg(test)]
mod tests;
