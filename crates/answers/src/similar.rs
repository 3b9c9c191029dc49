//! The names that a mistyped one may have meant.

/// Minimum Jaro-Winkler similarity of a suggested name, 0 to 1.
const SIMILAR: f64 = 0.9;
/// How much less similar than the best name a suggested one may be. Next to a nearly equal name,
/// one that only shares its beginning does not help.
const BEHIND_BEST: f64 = 0.1;
/// Fewer letters are part of too many names to mean those that contain them.
const MIN_PART: usize = 3;
/// Maximum number of suggested names.
pub const SUGGESTED: usize = 3;

/// The names of `names` that `typed` may have meant, the most similar first, without regard to
/// case. A name that contains what was typed counts as the most similar.
pub fn similar_names<N: AsRef<str>>(typed: &str, names: impl IntoIterator<Item = N>) -> Vec<N> {
    let part = typed.to_lowercase();
    let is_part = part.chars().count() >= MIN_PART;
    let mut scored: Vec<(f64, N)> = Vec::new();
    for name in names {
        let contains = is_part && name.as_ref().to_lowercase().contains(&part);
        let score = if contains { 1.0 } else { similarity(typed, name.as_ref()) };
        if score > SIMILAR {
            scored.push((score, name));
        }
    }
    scored.sort_by(|(score, name), (other, behind)| {
        other.total_cmp(score).then_with(|| name.as_ref().cmp(behind.as_ref()))
    });
    scored.dedup_by(|(_, name), (_, before)| name.as_ref() == before.as_ref());
    let best = scored.first().map_or(0.0, |(score, _)| *score);
    scored.retain(|(score, _)| *score > best - BEHIND_BEST);
    scored.truncate(SUGGESTED);
    scored.into_iter().map(|(_, name)| name).collect()
}

/// The name that `typed` misspells.
pub fn misspelt_name<'n>(typed: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let scored = names.map(|name| (similarity(typed, name), name));
    let best = scored.max_by(|(score, _), (other, _)| score.total_cmp(other));
    best.filter(|(score, _)| *score > SIMILAR).map(|(_, name)| name)
}

fn similarity(typed: &str, name: &str) -> f64 {
    strsim::jaro_winkler(&typed.to_lowercase(), &name.to_lowercase())
}

/// The hint that proposes `names`; `None` without any.
pub fn did_you_mean(names: &[impl AsRef<str>]) -> Option<String> {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [] => None,
        [one] => Some(format!("did you mean {one}?")),
        several => Some(format!("did you mean one of {}?", several.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, misspelt_name, similar_names};

    #[test]
    fn similar_names_of_a_mistyped_one_begin_with_the_closest() {
        let nodes = ["worker-2", "worker-1", "control-plane-1", "worker-10"];
        assert_eq!(similar_names("worker-01", nodes), ["worker-1", "worker-10", "worker-2"]);
        assert_eq!(similar_names("PLANE", nodes), ["control-plane-1"]);
        assert_eq!(similar_names("pl", nodes), [""; 0]);
        assert_eq!(similar_names("database", nodes), [""; 0]);
    }

    #[test]
    fn misspelt_name_is_not_a_part_of_a_name() {
        let types = ["deployment", "job", "workload"];
        assert_eq!(misspelt_name("deployement", types.into_iter()), Some("deployment"));
        assert_eq!(misspelt_name("load", types.into_iter()), None);
        assert_eq!(misspelt_name("job-runner", types.into_iter()), None);
    }

    #[test]
    fn did_you_mean_without_names_is_no_hint() {
        assert_eq!(did_you_mean(&[""; 0]), None);
        assert_eq!(did_you_mean(&["a"]).as_deref(), Some("did you mean a?"));
        assert_eq!(did_you_mean(&["a", "b"]).as_deref(), Some("did you mean one of a, b?"));
    }
}
