//! Events: the rows below a description, and the table of `kubectl get events`; and the times that
//! kubectl prints as ages.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// The kinds that Events are about and that are read, as their objects and as tables name them.
const KINDS: [&str; 9] = [
    "Pod",
    "Node",
    "ReplicaSet",
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "Job",
    "PersistentVolumeClaim",
    "NodeClaim",
];

/// When the text was printed, as far as it shows.
pub(super) struct Times {
    /// The newest time in it.
    printed: Option<Timestamp>,
}

impl Times {
    /// Looks for the newest time of a text: nodes show when they were heard of last.
    pub(super) fn of(lines: &[&str]) -> Self {
        let times = lines.iter().filter_map(|line| line.split("  ").filter_map(time).max());
        Self { printed: times.max() }
    }

    /// The time so long before; `None` if it is not known.
    pub(super) fn before(&self, age: &str) -> Option<String> {
        Some(self.printed?.checked_sub(duration(age)?).ok()?.to_string())
    }
}

/// A time as kubectl prints it: `Fri, 14 Nov 2025 15:31:54 +0800`.
pub(super) fn time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let text = text.split_once(":  ").map_or(text, |(_, value)| value.trim());
    let is_date = text.len() > 20 && text.as_bytes().get(3) == Some(&b',');
    is_date.then(|| jiff::fmt::rfc2822::parse(text).ok().map(|time| time.timestamp()))?
}

/// The same as the API writes it.
pub(super) fn rfc3339(text: &str) -> Option<String> {
    time(text).map(|time| time.to_string())
}

/// How long an age is: `70s`, `5m30s`, `3h`, `23d`, `2y40d`.
pub(super) fn duration(age: &str) -> Option<SignedDuration> {
    let (mut seconds, mut digits) = (0_i64, String::new());
    for c in age.chars() {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        let unit = match c {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            'y' => 365 * 86_400,
            _ => return None,
        };
        seconds = seconds.checked_add(digits.parse::<i64>().ok()?.checked_mul(unit)?)?;
        digits.clear();
    }
    digits.is_empty().then(|| SignedDuration::from_secs(seconds))
}

/// One Event of a table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EventRow<'t> {
    pub severity: &'t str,
    pub reason: &'t str,
    /// When it was seen last.
    pub age: &'t str,
    /// Its source; empty where the table does not show it.
    pub from: &'t str,
    pub message: &'t str,
}

/// The columns of a row, which at least two spaces part; the last one may have such spaces.
fn columns(row: &str, count: usize) -> Option<Vec<&str>> {
    let (mut columns, mut rest) = (Vec::new(), row.trim());
    while columns.len() + 1 < count {
        let (column, behind) = rest.split_once("  ")?;
        columns.push(column.trim());
        rest = behind.trim_start();
    }
    columns.push(rest);
    Some(columns)
}

/// The columns of a row in which single spaces part them: the age alone may have some.
fn words(row: &str) -> Option<Vec<&str>> {
    let (severity, rest) = row.trim().split_once(' ')?;
    let (reason, rest) = rest.split_once(' ')?;
    let age = match rest.split_once(") ") {
        Some((age, _)) if age.contains(" (x") && !age.contains(": ") => age.len() + 1,
        _ => rest.find(' ')?,
    };
    let (age, rest) = rest.split_at_checked(age)?;
    let (from, message) = rest.trim_start().split_once(' ')?;
    Some(vec![severity, reason, age, from, message.trim_start()])
}

/// The Event of a row below a description; `None` for the heading.
pub(super) fn of_row(row: &str) -> Option<EventRow<'_>> {
    let parted = columns(row, 5).or_else(|| words(row));
    let [severity, reason, age, from, message] = parted?[..] else { return None };
    let is_event = ["Normal", "Warning"].contains(&severity);
    is_event.then_some(EventRow { severity, reason, age, from, message })
}

impl EventRow<'_> {
    /// The Event about that object.
    pub(super) fn object(&self, kind: &str, namespace: &str, name: &str, times: &Times) -> Value {
        // `10s (x9 over 118s)` has the last time, the number, and the time from the first on.
        let age = self.age.split_whitespace().next().unwrap_or_default();
        let mut words = self.age.split(|c: char| c.is_whitespace() || "()".contains(c));
        let count = words.find_map(|word| word.strip_prefix('x')?.parse::<u32>().ok());
        let last = times.before(age);
        json!({
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": format!("{name}.{}", self.reason), "namespace": namespace},
            "involvedObject": {"kind": kind, "namespace": namespace, "name": name},
            "type": self.severity,
            "reason": self.reason,
            "message": self.message,
            "source": {"component": self.from.split(',').next().unwrap_or_default()},
            "count": count.unwrap_or(1),
            "lastTimestamp": last,
        })
    }
}

/// Whether a line is the heading of a table of Events.
pub(super) fn is_header(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    line.contains("LAST SEEN")
        && ["TYPE", "REASON", "OBJECT"].iter().all(|name| words.contains(name))
}

/// The Events of a table, which begins with its heading and ends with the first line that is no row.
pub(super) fn of_table(lines: &[&str], times: &Times) -> Vec<Value> {
    let Some((header, rows)) = lines.split_first() else { return Vec::new() };
    let mut events = Vec::new();
    for row in rows {
        let (Some(age), Some(severity)) =
            (cell(header, row, "LAST SEEN"), cell(header, row, "TYPE"))
        else {
            break;
        };
        if !["Normal", "Warning"].contains(&severity) {
            break;
        }
        let object = cell(header, row, "OBJECT").unwrap_or_default();
        let Some((resource, name)) = object.split_once('/') else { continue };
        let Some(kind) = KINDS.into_iter().find(|kind| kind.eq_ignore_ascii_case(resource)) else {
            continue;
        };
        let event = EventRow {
            severity,
            reason: cell(header, row, "REASON").unwrap_or_default(),
            age,
            from: cell(header, row, "SOURCE").unwrap_or_default(),
            message: cell(header, row, "MESSAGE").unwrap_or_default(),
        };
        let namespace = cell(header, row, "NAMESPACE").unwrap_or("default");
        events.push(event.object(kind, namespace, name, times));
    }
    events
}

/// The columns of a table of Events; `kubectl get events -o wide` has more than without.
const COLUMNS: [&str; 11] = [
    "NAMESPACE",
    "LAST SEEN",
    "TYPE",
    "REASON",
    "OBJECT",
    "SUBOBJECT",
    "SOURCE",
    "MESSAGE",
    "FIRST SEEN",
    "COUNT",
    "NAME ",
];

/// What a row has in a column: each begins below its name in the header.
fn cell<'r>(header: &str, row: &'r str, column: &str) -> Option<&'r str> {
    let start = header.find(column)?;
    let others = COLUMNS.iter().filter_map(|name| header.find(name));
    let end = others.filter(|at| *at > start).min().unwrap_or(row.len());
    row.get(start..end.min(row.len())).map(str::trim)
}
