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
