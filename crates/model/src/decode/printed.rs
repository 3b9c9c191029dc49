//! What kubectl prints between objects: the logs in the dump of a cluster on standard output, and what
//! a terminal shows before the objects.

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
    text.match_indices(START)
        .map(|(at, _)| at)
        .find(|at| *at == 0 || text.as_bytes().get(*at - 1) == Some(&b'\n'))
}

/// Headings with which the tables of `kubectl get`, `top` and `events` begin.
const TABLE_HEADS: [&str; 4] = ["NAME", "NAMESPACE", "LAST", "POD"];

/// Whether it is a table, as `kubectl get` prints one for people: its first line has several
/// headings, all in capitals.
pub(super) fn is_table(text: &str) -> bool {
    let mut heads = text.trim_start().lines().next().unwrap_or_default().split_whitespace();
    heads.next().is_some_and(|first| TABLE_HEADS.contains(&first))
        && heads.clone().next().is_some()
        && heads.all(|word| {
            word.bytes().all(|byte| byte.is_ascii_uppercase() || b"-_()%".contains(&byte))
        })
}

/// Marks that end a shell prompt.
const PROMPTS: [&str; 5] = ["$ ", "# ", "% ", "> ", "\u{276f} "];
/// Maximum length of a terminal's line, in bytes: a document may be a single long line.
const LONGEST_LINE: usize = 4 << 10;
/// Programs that print objects.
const PRINTERS: [&str; 3] = ["kubectl", "oc", "k3s"];

/// What a terminal shows before the objects.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TerminalLines<'t> {
    /// How many lines they are.
    pub number: usize,
    /// The first of them.
    pub first: &'t str,
    /// What follows them: `None` unless it begins as objects do.
    pub objects: Option<&'t str>,
}

/// The command lines and warnings at the beginning of a text; `None` if it does not begin with
/// one.
pub(super) fn terminal_lines(text: &str) -> Option<TerminalLines<'_>> {
    let text = text.trim_start_matches('\u{feff}');
    let (mut number, mut first, mut rest) = (0, "", text);
    while let Some(line) = short_line(rest) {
        let is_blank = line.trim().is_empty();
        if !is_blank && !is_of_terminal(line) {
            break;
        }
        if !is_blank && first.is_empty() {
            first = line.trim();
        }
        number += 1;
        rest = rest.get(line.len() + 1..).unwrap_or_default();
    }
    if first.is_empty() {
        return None;
    }
    // A comment of YAML that looks like a command line is left to YAML.
    let is_json = rest.starts_with(['{', '[']);
    let is_yaml = ["apiVersion:", "kind:", "items:", "---"].iter().any(|key| rest.starts_with(key));
    if is_yaml && first.starts_with('#') {
        return None;
    }
    Some(TerminalLines { number, first, objects: (is_json || is_yaml).then_some(rest) })
}

/// The first line of a text without its end; `None` if there is none, or it is longer than what a
/// terminal shows as one.
fn short_line(text: &str) -> Option<&str> {
    if text.is_empty() {
        return None;
    }
    let head = text.as_bytes().get(..LONGEST_LINE).unwrap_or(text.as_bytes());
    match head.iter().position(|byte| *byte == b'\n') {
        Some(end) => text.get(..end),
        None => (head.len() == text.len()).then_some(text),
    }
}

/// Whether a line is a warning that kubectl or its client library writes to standard error, or a
/// prompt with a command.
pub(super) fn is_of_terminal(line: &str) -> bool {
    if line.starts_with("Warning: ") || is_log(line) {
        return true;
    }
    // Texts in objects may quote a command.
    let command = PROMPTS.iter().filter_map(|mark| line.split_once(mark));
    let command = command.filter(|(prompt, _)| !prompt.contains('"') && !prompt.contains(": "));
    command.chain([("", line)]).any(|(prompt, command)| {
        let is_printer = PRINTERS.contains(&command.split_whitespace().next().unwrap_or_default());
        let has_objects = command.contains(" -o") || command.contains(" --output");
        is_printer && has_objects || prompt.is_empty() && (line.starts_with("$ ") || line == "$")
    })
}

/// Whether a line is one of klog, which begins with the severity and the date: `E0102 15:04:05`.
fn is_log(line: &str) -> bool {
    let rest = line.strip_prefix(['I', 'W', 'E', 'F']);
    let date = rest.and_then(|rest| rest.split_once(' ')).map(|(date, _)| date);
    date.is_some_and(|date| date.len() == 4 && date.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_of_a_dump_are_left_out_and_lines_keep_their_numbers() {
        let log = |name: &str, text: &str| {
            format!(
                "==== START logs for container {name} ====\n{text}==== END logs for container {name} ====\n"
            )
        };
        // A log may have no end of line, and may have objects and the marks of other logs in it.
        let logs = [
            log(
                "dns of pod kube-system/dns-1",
                "{\"kind\":\"Pod\"}\n==== END logs for container x of pod a/b ====\n",
            ),
            log("c of pod a/p", "no end"),
            log("d of pod a/p", ""),
        ];
        let text = format!(
            "{{\"kind\":\"NodeList\"}}\n{}{}{{\"kind\":\"PodList\"}}\n{}",
            logs[0], logs[1], logs[2]
        );
        let kept = without_logs(&text, "dump.txt").expect("a dump").expect("whole");
        assert_eq!(
            kept.split_whitespace().collect::<Vec<_>>(),
            ["{\"kind\":\"NodeList\"}", "{\"kind\":\"PodList\"}"]
        );
        assert_eq!(kept.lines().count(), text.lines().count());
        assert_eq!(
            without_logs("{\"a\":\"==== START logs for container c of pod a/p ====\"}", "x"),
            None
        );
        let cut =
            without_logs(&text[..text.len() - 10], "dump.txt").expect("a dump").expect_err("cut");
        assert!(
            cut.problem.contains("in the middle of the logs of container d of pod a/p: "),
            "{cut}"
        );
    }

    #[test]
    fn lines_of_a_terminal_are_recognised_before_objects() {
        let object = "{\"kind\": \"Pod\"}\n";
        for (lines, number) in [
            ("$ kubectl get pods -o json\n", 1),
            ("$ cat pods.json\n", 1),
            ("me@host:~/work$ kubectl get pods -A -ojson\n", 1),
            ("[root@host ~]# oc get pods --output=json\n", 1),
            ("PS C:\\> kubectl get pods -o json\n", 1),
            ("kubectl get pods -o json\n\n", 2),
            ("Warning: v1 ComponentStatus is deprecated in v1.19+\n", 1),
            (
                "\u{feff}$ kubectl get all -o json\r\nE0102 15:04:05.000000   12 memcache.go:265] couldn't get\r\n",
                2,
            ),
        ] {
            let text = format!("{lines}{object}");
            let found = terminal_lines(&text).unwrap_or_else(|| panic!("{lines}"));
            assert_eq!((found.number, found.objects), (number, Some(object)), "{lines}");
        }
        let yaml = terminal_lines("$ kubectl get pods -o yaml\napiVersion: v1\n").expect("YAML");
        assert_eq!(yaml.objects, Some("apiVersion: v1\n"));
        let table = terminal_lines("$ kubectl get pods -o wide\nNAME   READY\n").expect("a table");
        assert_eq!((table.first, table.objects), ("$ kubectl get pods -o wide", None));
        for text in [
            object,
            "",
            "apiVersion: v1\n",
            "# kubectl get pods -o yaml\napiVersion: v1\n",
            "# of 2026\nkind: Pod\n",
            "name: x # kubectl\nkind: Pod\n",
            "E0102: x\n",
            "{\"note\": \"$ kubectl get pods -o json\"}\n{}\n",
            "[\"a\", \"> kubectl get pods -o json\"]\n{}\n",
            "note: run $ kubectl get pods -o yaml\nkind: Pod\n",
        ] {
            assert_eq!(terminal_lines(text), None, "{text}");
        }
    }
}
