//! Files of a directory or an archive, which may hold things other than Kubernetes objects: answers
//! of other programs, settings, metadata of the tool that wrote the dump. Such a file is skipped.
//! It makes an answer uncertain only if it seems to hold objects that decisions read.

use foldhash::fast::FixedState;
use indexmap::IndexMap;
use std::collections::BTreeSet;

use super::error::DecodeError;
use super::format::TextFormat;
use super::stream::{ByteSource, Streamed, decode_stream};
use super::{decode, unnamed, yaml};
use crate::snapshot::{DecodeIssue, DecodeIssueKind, Header, Kind, Layer, Object, Sink};

/// Maximum number of values of a YAML text without objects that are examined: there is memory for
/// them alone, however large the text is.
const MOST_VALUES_EXAMINED: usize = 100_000;

/// The result for a file of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// It has objects, or an empty list.
    Read,
    /// It has no objects, and nothing suggests that it should.
    Foreign,
    /// Its name or content suggests that it has objects that decisions read, but they cannot be
    /// read. A decode issue names it.
    Lacking,
}

/// Decodes a file of a directory. `path` is its path there, and `origin` names it in decode issues.
pub fn decode_among(text: &str, origin: &str, path: &str, sink: &mut dyn Sink) -> Among {
    let mut watched = Watched { sink, has_objects: false, nameless: IndexMap::default() };
    let decoded = decode(text, origin, &mut watched);
    let Watched { has_objects, nameless, .. } = watched;
    if has_objects || decoded.is_ok() && nameless.is_empty() {
        pass_on(nameless, sink);
    } else if decoded.is_ok() {
        return lacking(
            said_by_name(path).chain(held_without_kind(text)),
            origin,
            "no Kubernetes object in it",
            sink,
        );
    }
    match decoded {
        Ok(()) => Among::Read,
        Err(error) => unread_among(text, &error.problem, origin, path, sink),
    }
}

/// Decodes a file of a directory while it is read, if it is a long list. `None` if it is not, and
/// has to be decoded as a whole.
///
/// # Errors
/// [`DecodeError`] when it cannot be read to its end. [`unread_among`] says what that means.
pub fn decode_among_stream(
    source: &mut dyn ByteSource,
    origin: &str,
    sink: &mut dyn Sink,
) -> Result<Option<Among>, DecodeError> {
    let mut watched = Watched { sink, has_objects: false, nameless: IndexMap::default() };
    let decoded = decode_stream(source, origin, &mut watched);
    let Watched { has_objects, nameless, .. } = watched;
    let is_read = has_objects || decoded == Ok(Streamed::Decoded) && nameless.is_empty();
    if is_read {
        pass_on(nameless, sink);
    }
    Ok(match decoded? {
        // A file that seems to hold no object is examined as a whole.
        Streamed::Decoded => is_read.then_some(Among::Read),
        Streamed::Untouched(_) => None,
    })
}

/// The result for a file of a directory of which `text` could not be decoded to its end.
pub fn unread_among(
    text: &str,
    problem: &str,
    origin: &str,
    path: &str,
    sink: &mut dyn Sink,
) -> Among {
    lacking(said_by_name(path).chain(said_in(text)), origin, problem, sink)
}

/// The result for a file of a directory that is not text.
pub fn unreadable_among(problem: &str, origin: &str, path: &str, sink: &mut dyn Sink) -> Among {
    lacking(said_by_name(path), origin, problem, sink)
}

/// Adds a decode issue for each of these kinds, whose objects the file may contain.
fn lacking(
    kinds: impl Iterator<Item = Kind>,
    origin: &str,
    problem: &str,
    sink: &mut dyn Sink,
) -> Among {
    let kinds: BTreeSet<Kind> = kinds.filter(|kind| kind.decides()).collect();
    for kind in &kinds {
        sink.issue(DecodeIssue {
            kind: DecodeIssueKind::LeftOut,
            subject: kind.resource().to_owned(),
            problem: format!("{origin}: {problem}"),
            ..DecodeIssue::default()
        });
    }
    if kinds.is_empty() { Among::Foreign } else { Among::Lacking }
}

/// Names of kinds in dumps that differ from those of the API.
const SHORT_NAMES: [(&str, Kind); 3] = [
    ("pvcs", Kind::PersistentVolumeClaim),
    ("pvs", Kind::PersistentVolume),
    ("pdbs", Kind::PodDisruptionBudget),
];

/// The kinds that the name of a file suggests, as dumps name them: `pods.json`,
/// `core_v1_pods.json`, `pods/shop.json`, `node/n1.json`, `pod-disruption-budgets-errors.json`.
fn said_by_name(path: &str) -> impl Iterator<Item = Kind> {
    let mut names = path.rsplit(['/', '\\']);
    let file = names.next().unwrap_or_default().to_lowercase();
    let folder = names.next().unwrap_or_default().to_lowercase();
    let words: Vec<String> = file
        .split('.')
        .next()
        .unwrap_or_default()
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_owned)
        .collect();
    // `pod-disruption-budgets` is a single name.
    let joined = words.concat();
    let whole = [joined.trim_end_matches("errors").to_owned(), folder.replace(['-', '_'], "")];
    Kind::ALL.into_iter().filter(move |kind| {
        let (singular, plural) = (kind.name().to_lowercase(), kind.plural());
        let short = SHORT_NAMES.iter().find(|(_, of)| of == kind).map(|(name, _)| *name);
        let is_plural = |name: &String| name == plural || short.is_some_and(|short| name == short);
        words.iter().any(is_plural) || whole.iter().any(|name| is_plural(name) || *name == singular)
    })
}

/// The kinds named in a text that cannot be read as a whole: `"kind": "Pod"`, `kind: PodList`.
fn said_in(text: &str) -> impl Iterator<Item = Kind> {
    text.match_indices("kind").filter_map(|(at, key)| {
        let value = text
            .get(at + key.len()..)?
            .trim_start_matches(['"', '\''])
            .trim_start()
            .strip_prefix(':')?;
        let value = value.trim_start_matches([' ', '"', '\'']);
        let end = value.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(value.len());
        let name = value.get(..end)?;
        Kind::find(None, name.strip_suffix("List").unwrap_or(name))
    })
}

/// The kinds of what looks like an object although no kind is given.
fn held_without_kind(text: &str) -> BTreeSet<Kind> {
    // Without one of these words nothing in it is taken for an object.
    if !unnamed::MARKS.iter().any(|mark| text.contains(mark)) {
        return BTreeSet::new();
    }
    match TextFormat::of(text) {
        TextFormat::Empty => BTreeSet::new(),
        TextFormat::Json(body) => unnamed::kinds(body),
        TextFormat::Yaml(body) => {
            let documents = yaml::documents(body, MOST_VALUES_EXAMINED).unwrap_or_default();
            let documents = documents.into_values().into_iter();
            documents.flat_map(|document| unnamed::kinds(&document.to_string())).collect()
        }
    }
}

/// Passes objects on, and holds back decode issues about non-objects until it is known whether the
/// file has objects.
struct Watched<'s> {
    sink: &'s mut dyn Sink,
    has_objects: bool,
    /// How often there was each: a file may have millions that are equal.
    nameless: IndexMap<DecodeIssue, usize, FixedState>,
}

/// Passes on the decode issues that were held back.
fn pass_on(nameless: IndexMap<DecodeIssue, usize, FixedState>, sink: &mut dyn Sink) {
    for (issue, count) in nameless {
        std::iter::repeat_n(issue, count).for_each(|issue| sink.issue(issue));
    }
}

impl Layer for Watched<'_> {
    fn behind(&mut self) -> &mut dyn Sink {
        self.sink
    }

    fn object(&mut self, object: Object<'_>) {
        self.has_objects = true;
        self.sink.object(object);
    }

    fn issue(&mut self, issue: DecodeIssue) {
        if issue.kind == DecodeIssueKind::LeftOut && issue.object.is_none() {
            *self.nameless.entry(issue).or_default() += 1;
        } else {
            self.has_objects = true;
            self.sink.issue(issue);
        }
    }

    fn header(&mut self, header: Header) {
        self.has_objects = true;
        self.sink.header(header);
    }

    fn list(&mut self, kind: Kind) {
        self.has_objects = true;
        self.sink.list(kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::build::Builder;
    use crate::cluster::notes::LEFT_OUT;

    /// How a file with this path and text is decoded, and its notes.
    fn read(path: &str, text: &str) -> (Among, Vec<String>) {
        let mut builder = Builder::new();
        let among = decode_among(text, &format!("dump/{path}"), path, &mut builder);
        let notes = builder.finish().notes;
        let left_out = notes.iter().filter(|note| *note.doc == LEFT_OUT);
        (among, left_out.map(|note| format!("{:?}: {}", note.objects, note.text)).collect())
    }

    #[test]
    fn foreign_files_of_a_directory_are_passed_over_without_an_issue() {
        for (path, text) in [
            ("mode.json", "\"local\""),
            ("count.json", "7"),
            ("none.json", "null"),
            ("empty.yaml", ""),
            ("comments.yaml", "---\n# nothing\n"),
            ("object.json", "{}"),
            ("rules.json", r#"{"status":"success","data":{"groups":[{"labels":{"kind":"Pod"}}]}}"#),
            ("groups.json", r#"[{"name":"apps","versions":[]}]"#),
            ("names.json", r#"["a", 7]"#),
            ("values.yaml", "replicas: 3\nimage: x\n"),
            ("deployment.yaml", "kind: Deployment\nmetadata: {name: {{ .Values.name }}\n"),
            ("cut.json", r#"{"version": "1.2", "bui"#),
            ("web.log.json", "{\"level\":\"info\"}\n{\"level\":\"warn\"}\n"),
            ("events.json", r#"{"kind":"EventList","items":[{"meta"#),
            ("items.json", r#"{"items":"x"}"#),
            ("podsecurity.json", r#"{"defaults":{}}"#),
            ("pod-network-connectivity.json", "[7]"),
        ] {
            assert_eq!(read(path, text), (Among::Foreign, Vec::new()), "{path}");
        }
    }

    #[test]
    fn lists_and_objects_of_a_directory_are_read() {
        for (path, text) in [
            ("pods.json", r#"{"kind":"PodList","apiVersion":"v1","items":[]}"#),
            ("all.json", r#"{"kind":"List","apiVersion":"v1","items":[]}"#),
            ("array.json", "[]"),
            ("node.yaml", "kind: Node\nmetadata: {name: n1}\n"),
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n",
            ),
        ] {
            assert_eq!(read(path, text), (Among::Read, Vec::new()), "{path}");
        }
    }

    #[test]
    fn unreadable_objects_of_a_directory_make_answers_about_their_kind_unsure() {
        for (path, text, plurals) in [
            ("default/pods.json", r#"{"apiVersion":"v1","items":[{"metada"#, &["pods"][..]),
            ("core_v1_nodes.json", "", &["nodes"]),
            ("pods-errors.json", r#"["pods is forbidden"]"#, &["pods"]),
            ("pods/shop.json", r#"[{"name":"x"}]"#, &["pods"]),
            (
                "pod-disruption-budgets-errors.json",
                r#"{"shop":"is forbidden"}"#,
                &["poddisruptionbudgets"],
            ),
            ("storage-classes.json", "", &["storageclasses"]),
            ("pvcs/shop.json", "[{", &["persistentvolumeclaims"]),
            ("node/n1.json", "{", &["nodes"]),
            ("all.json", r#"{"items":[{"kind":"ConfigMap"},{"kind":"Pod","meta"#, &["pods"]),
            ("pod.yaml.tpl.yaml", "kind: Pod\nmetadata: {name: {{ .Values.name }}\n", &["pods"]),
            ("a.json", r#"[{"metadata":{"name":"p"},"spec":{"containers":[]}}]"#, &["pods"]),
            (
                "b.json",
                r#"{"items":[{"metadata":{"name":"n"},"status":{"nodeInfo":{}}}]}"#,
                &["nodes"],
            ),
            ("c.json", r#"{"jobs":[{"metadata":{"name":"j"}}],"x":[]}"#, &["jobs"]),
            ("pods.json", r#"{"kind":"Status","message":"pods is forbidden"}"#, &["pods"]),
        ] {
            let (among, notes) = read(path, text);
            assert_eq!((among, notes.len()), (Among::Lacking, plurals.len()), "{path}: {notes:?}");
            assert!(
                notes.iter().all(|note| note.contains(&format!("left out: dump/{path}: "))),
                "{notes:?}"
            );
        }
    }

    #[test]
    fn objects_without_kind_beside_others_are_named() {
        let (among, notes) = read(
            "x.json",
            "{\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"}}\n{\"metadata\":{\"name\":\"x\"}}",
        );
        assert_eq!(
            (among, notes),
            (Among::Read, vec!["[]: an object without kind (x): left out".to_owned()])
        );
    }
}
