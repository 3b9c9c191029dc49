//! Markdown, as tests read it.

/// A document without its code spans, in which Markdown has no meaning.
pub fn outside_code(document: &str) -> String {
    let mut out = String::new();
    let mut rest = document;
    while let Some(start) = rest.find('`') {
        let fence = rest[start..].len() - rest[start..].trim_start_matches('`').len();
        let inside = &rest[start + fence..];
        // The span ends at the next run of as many backticks.
        let mut at = 0;
        let end = loop {
            let Some(next) = inside[at..].find('`').map(|next| at + next) else { break None };
            let run = inside[next..].len() - inside[next..].trim_start_matches('`').len();
            if run == fence {
                break Some(next + run);
            }
            at = next + run;
        };
        out.push_str(&rest[..start]);
        rest = end.map_or("", |end| &inside[end..]);
    }
    out + rest
}
