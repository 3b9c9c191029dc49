//! Plurals, lists, numbers and ages in sentences.

/// `1 node`, `2 nodes`, `2 classes`.
pub fn count(number: usize, noun: &str) -> String {
    let grouped = group_digits(number);
    let ending = match number {
        1 => "",
        _ if noun.ends_with("ss") => "es",
        _ => "s",
    };
    format!("{grouped} {noun}{ending}")
}

/// How many of all, as the subject of a sentence: `no node`, `neither node`, `none of 3 nodes`,
/// `2 of 3 nodes`, `the node`, `both nodes`, `all 3 nodes`.
pub fn share(some: usize, all: usize, noun: &str) -> String {
    match (some, all) {
        (0, 0 | 1) => format!("no {noun}"),
        (0, 2) => format!("neither {noun}"),
        (0, _) => format!("none of {}", count(all, noun)),
        (1, 1) => format!("the {noun}"),
        (2, 2) => format!("both {noun}s"),
        _ if some == all => format!("all {}", count(all, noun)),
        _ => format!("{} of {}", group_digits(some), count(all, noun)),
    }
}

/// An amount as tables have it: `2.91` for `2910m` of cpu.
pub fn in_units(resource: &str, amount: &str) -> String {
    let thousandths = amount.strip_suffix('m').and_then(|amount| amount.parse::<i64>().ok());
    match thousandths.filter(|_| resource == "cpu") {
        Some(thousandths) => {
            let cores = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
            cores.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        None => amount.to_owned(),
    }
}

/// `12,345`.
pub fn group_digits(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `a`, `a and b`, `a, b and c`, `a, b, c and 4 more`.
pub fn list<S: AsRef<str>>(items: &[S], at_most: usize) -> String {
    let shown: Vec<&str> = items.iter().take(at_most).map(AsRef::as_ref).collect();
    let more = items.len() - shown.len();
    match (shown.as_slice(), more) {
        ([], 0) => "none".to_owned(),
        ([one], 0) => (*one).to_owned(),
        ([head @ .., last], 0) => format!("{} and {last}", head.join(", ")),
        (shown, more) => format!("{} and {} more", shown.join(", "), group_digits(more)),
    }
}

/// A text, or its beginning of `most` characters with `…` behind it.
pub fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A duration in seconds as kubectl writes ages: `45s`, `3m25s`, `2d3h`.
pub fn age(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let pair = |big: i64, unit: &str, small: i64, of: &str| {
        if small == 0 { format!("{big}{unit}") } else { format!("{big}{unit}{small}{of}") }
    };
    match seconds {
        0..120 => format!("{seconds}s"),
        120..600 => pair(minutes, "m", seconds % 60, "s"),
        600..10_800 => format!("{minutes}m"),
        10_800..28_800 => pair(hours, "h", minutes % 60, "m"),
        28_800..172_800 => format!("{hours}h"),
        172_800..691_200 => pair(days, "d", hours % 24, "h"),
        691_200..63_072_000 => format!("{days}d"),
        _ => pair(days / 365, "y", days % 365, "d"),
    }
}

/// The verb for this number: `1 pod has`, `2 pods have`.
pub const fn have(number: usize) -> &'static str {
    if number == 1 { "has" } else { "have" }
}

#[cfg(test)]
mod tests {
    use super::{in_units, share};

    #[test]
    fn a_share_is_a_subject_in_the_right_number() {
        for (some, all, words) in [
            (0, 1, "no node"),
            (0, 2, "neither node"),
            (0, 3, "none of 3 nodes"),
            (1, 1, "the node"),
            (2, 2, "both nodes"),
            (3, 3, "all 3 nodes"),
            (1, 2, "1 of 2 nodes"),
            (2, 1664, "2 of 1,664 nodes"),
        ] {
            assert_eq!(share(some, all, "node"), words);
        }
    }

    #[test]
    fn cpu_has_one_unit() {
        for (resource, amount, shown) in [
            ("cpu", "2910m", "2.91"),
            ("cpu", "90m", "0.09"),
            ("cpu", "2000m", "2"),
            ("cpu", "3", "3"),
            ("memory", "3Gi", "3Gi"),
        ] {
            assert_eq!(in_units(resource, amount), shown);
        }
    }
}
