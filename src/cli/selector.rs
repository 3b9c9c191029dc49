//! `-l`: label selectors as kubectl takes them. Upstream: `apimachinery/pkg/labels/selector.go` `Parse` (1.37), without the
//! comparisons of numbers.

use crate::error::Error;
use engine::cluster::Cluster;
use engine::cluster::pod::Pod;

/// What pods must have; nothing is asked of none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selector(Vec<Requirement>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Requirement {
    key: String,
    asks: Asks,
}

/// What is asked of one label.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Asks {
    Exists,
    DoesNotExist,
    In(Vec<String>),
    NotIn(Vec<String>),
}

impl Selector {
    /// Reads `a=b,c!=d,e in (f,g),h notin (i),j,!k`.
    ///
    /// # Errors
    /// [`Error::Usage`] names what is no requirement.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let requirements = split(text).into_iter().filter(|part| !part.is_empty() || text.contains(','));
        let parsed = requirements.map(|part| {
            requirement(part).ok_or_else(|| Error::Usage {
                problem: format!("-l `{text}`: `{part}` is not a requirement of a label selector"),
                hint: Some("write it as key=value, key!=value, key in (a,b), key notin (a,b), key or !key".to_owned()),
            })
        });
        parsed.collect::<Result<_, _>>().map(Self)
    }

    /// Whether nothing is asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `pod` has what is asked.
    #[must_use]
    pub fn selects(&self, pod: &Pod, cluster: &Cluster) -> bool {
        let labels = cluster.labels(pod.labels);
        self.0.iter().all(|Requirement { key, asks }| {
            let label = labels.iter().find(|(name, _)| cluster.text(*name) == key);
            let value = label.map(|(_, value)| cluster.text(*value));
            match asks {
                Asks::Exists => value.is_some(),
                Asks::DoesNotExist => value.is_none(),
                Asks::In(values) => value.is_some_and(|v| values.iter().any(|known| known == v)),
                Asks::NotIn(values) => value.is_none_or(|v| values.iter().all(|known| known != v)),
            }
        })
    }
}

/// At commas outside of parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut open = false;
    let parts = text.split(|c| {
        open = (open || c == '(') && c != ')';
        c == ',' && !open
    });
    parts.map(str::trim).collect()
}

fn requirement(text: &str) -> Option<Requirement> {
    let of = |key: &str, asks| is_key(key).then(|| Requirement { key: key.to_owned(), asks });
    let one = |value: &str| is_value(value).then(|| vec![value.to_owned()]);
    if let Some(key) = text.strip_prefix('!') {
        return of(key.trim(), Asks::DoesNotExist);
    }
    if let Some((key, value)) = text.split_once("!=") {
        return of(key.trim(), Asks::NotIn(one(value.trim())?));
    }
    if let Some((key, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
        return of(key.trim(), Asks::In(one(value.trim())?));
    }
    let Some((key, rest)) = text.split_once(char::is_whitespace) else { return of(text, Asks::Exists) };
    let (operator, list) = rest.split_once('(')?;
    let values = list.strip_suffix(')')?.split(',').map(|value| one(value.trim()));
    let values: Vec<String> = values.collect::<Option<Vec<_>>>()?.concat();
    match operator.trim() {
        "in" => of(key, Asks::In(values)),
        "notin" => of(key, Asks::NotIn(values)),
        _ => None,
    }
}

/// Whether a label can be called so, but for lengths.
fn is_key(text: &str) -> bool {
    let (prefix, name) = text.rsplit_once('/').unwrap_or(("x", text));
    !prefix.is_empty() && !prefix.contains('/') && is_value(prefix) && !name.is_empty() && is_value(name)
}

fn is_value(text: &str) -> bool {
    let ends = |c: Option<char>| c.is_none_or(|c| c.is_ascii_alphanumeric());
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    text.chars().all(inside) && ends(text.chars().next()) && ends(text.chars().last())
}

#[cfg(test)]
mod tests {
    use super::Selector;
    use crate::testing::{cluster, node, objects, pod};

    #[test]
    fn pods_are_selected_as_kubectl_selects_them() {
        let cluster = cluster(objects![
            node("n"),
            pod("a").label("app", "web").label("tier", "front"),
            pod("b").label("app", "db"),
            pod("c").label("example.com/x", "")
        ]);
        for (selector, expected) in [
            ("", "abc"),
            ("app", "ab"),
            ("!app", "c"),
            ("app=web", "a"),
            ("app == web", "a"),
            ("app!=web", "bc"),
            ("app in (web, db),tier", "a"),
            ("app notin (web)", "bc"),
            ("app=web,tier!=front", ""),
            ("example.com/x=", "c"),
            (" app = db ", "b"),
        ] {
            let parsed = Selector::parse(selector).unwrap();
            let selected = cluster.pods.iter().filter(|pod| parsed.selects(pod, &cluster));
            assert_eq!(selected.map(|pod| &*pod.name).collect::<String>(), expected, "{selector}");
        }
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        for text in ["a=b c", "=b", "a in b", "a in (b", "a like (b)", "a,,b", "a/b/c", "a=-", "!", "a>1", "a=\u{1b}"] {
            assert!(Selector::parse(text).is_err(), "{text}");
        }
    }
}
