//! The header of a snapshot file, what could not be decoded, and [`Sink`], which receives objects.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::autoscaler::{AutoscalerPart, ClusterAutoscaler};
use super::pod_table::{PodTable, Unusable};
use super::programs::{ProgramPart, Programs};
use super::scheduler::{Scheduler, SchedulerPart};
use super::{Kind, Object};

/// The origin of the objects: the header of a snapshot file.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Header {
    /// When the last list was read, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captured_at: Option<String>,
    /// The API server's `gitVersion`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_version: Option<String>,
    /// Plural kind to the resourceVersion of its list.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub resource_versions: BTreeMap<String, String>,
    /// What could not be read, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<Unreadable>,
    /// What the cluster shows of its scheduler; `None` if that was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<Scheduler>,
    /// What the cluster shows of its cluster-autoscaler; `None` if that was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub autoscaler: Option<ClusterAutoscaler>,
    /// Whether the programs that act on pods run; `None` if that was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub programs: Option<Programs>,
}

/// A kind that could not be read.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Unreadable {
    /// Plural kind.
    pub resource: String,
    /// The server's answer.
    pub reason: String,
}

/// Receives the objects of a source: the builder of a cluster, or the writer of a snapshot file.
/// Both get the same objects in the same order.
pub trait Sink {
    /// One decoded object.
    fn object(&mut self, object: Object<'_>);

    /// The pods of a compact snapshot, in its order. A sink that does not know such tables gets them
    /// one by one.
    ///
    /// # Errors
    /// [`Unusable`]; some of the pods may have been taken.
    fn pods(&mut self, pods: &PodTable<'_>) -> Result<(), Unusable> {
        for row in pods.blocks().iter().flat_map(|rows| pods.rows(rows)) {
            self.object(Object::Pod(pods.pod(&row?)));
        }
        Ok(())
    }

    /// Something that could not be used.
    fn issue(&mut self, issue: DecodeIssue);

    /// Where the objects came from. Called after the objects, once for each source that has a
    /// header.
    fn header(&mut self, header: Header);

    /// A list of that kind, even if it is empty. Called before or after its objects.
    fn list(&mut self, _kind: Kind) {}

    /// What an object shows of kube-scheduler. The object is passed on, too.
    fn scheduler(&mut self, _part: SchedulerPart) {}

    /// What an object shows of cluster-autoscaler. The object is passed on, too.
    fn autoscaler(&mut self, _part: AutoscalerPart) {}

    /// What an object shows of the programs that act on pods. The object is passed on, too.
    fn program(&mut self, _part: ProgramPart) {}

    /// What the user should know of the input, although no answer depends on it.
    fn remark(&mut self, _text: String) {}

    /// Whether it needs whole objects, and so [`Self::text`]. They are read as JSON then.
    fn wants_text(&mut self) -> bool {
        false
    }

    /// The text from which the next objects are decoded, of one kind or of any.
    fn text(&mut self, _kind: Option<Kind>, _text: &str) {}
}

/// A sink in front of another one. It delegates everything that it does not handle itself.
pub trait Layer {
    /// The sink that it delegates to.
    fn behind(&mut self) -> &mut dyn Sink;

    /// [`Sink::object`]
    fn object(&mut self, object: Object<'_>) {
        self.behind().object(object);
    }

    /// [`Sink::pods`]. A layer that looks at objects has to look at these, too.
    ///
    /// # Errors
    /// [`Unusable`].
    fn pods(&mut self, pods: &PodTable<'_>) -> Result<(), Unusable> {
        self.behind().pods(pods)
    }

    /// [`Sink::issue`]
    fn issue(&mut self, issue: DecodeIssue) {
        self.behind().issue(issue);
    }

    /// [`Sink::header`]
    fn header(&mut self, header: Header) {
        self.behind().header(header);
    }

    /// [`Sink::list`]
    fn list(&mut self, kind: Kind) {
        self.behind().list(kind);
    }

    /// [`Sink::scheduler`]
    fn scheduler(&mut self, part: SchedulerPart) {
        self.behind().scheduler(part);
    }

    /// [`Sink::autoscaler`]
    fn autoscaler(&mut self, part: AutoscalerPart) {
        self.behind().autoscaler(part);
    }

    /// [`Sink::program`]
    fn program(&mut self, part: ProgramPart) {
        self.behind().program(part);
    }

    /// [`Sink::remark`]
    fn remark(&mut self, text: String) {
        self.behind().remark(text);
    }

    /// [`Sink::wants_text`]
    fn wants_text(&mut self) -> bool {
        self.behind().wants_text()
    }

    /// [`Sink::text`]
    fn text(&mut self, kind: Option<Kind>, text: &str) {
        self.behind().text(kind, text);
    }
}

impl<L: Layer> Sink for L {
    fn object(&mut self, object: Object<'_>) {
        Layer::object(self, object);
    }

    fn pods(&mut self, pods: &PodTable<'_>) -> Result<(), Unusable> {
        Layer::pods(self, pods)
    }

    fn issue(&mut self, issue: DecodeIssue) {
        Layer::issue(self, issue);
    }

    fn header(&mut self, header: Header) {
        Layer::header(self, header);
    }

    fn list(&mut self, kind: Kind) {
        Layer::list(self, kind);
    }

    fn scheduler(&mut self, part: SchedulerPart) {
        Layer::scheduler(self, part);
    }

    fn autoscaler(&mut self, part: AutoscalerPart) {
        Layer::autoscaler(self, part);
    }

    fn program(&mut self, part: ProgramPart) {
        Layer::program(self, part);
    }

    fn remark(&mut self, text: String) {
        Layer::remark(self, text);
    }

    fn wants_text(&mut self) -> bool {
        Layer::wants_text(self)
    }

    fn text(&mut self, kind: Option<Kind>, text: &str) {
        Layer::text(self, kind, text);
    }
}

/// A decode issue: a part of the input that could not be decoded. Snapshots keep them, so that an
/// answer from the file has the same notes as one from the cluster.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DecodeIssue {
    /// What it affects.
    pub kind: DecodeIssueKind,
    /// The object; `None` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<DecodeIssueObject>,
    /// The subject, if it is not an object.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// JSON path inside the object; empty unless the issue is that of a field.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub problem: String,
}

/// What a decode issue affects.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DecodeIssueKind {
    /// A field, which is read as absent.
    #[default]
    Field,
    /// An object, which is dropped.
    LeftOut,
    /// A list, which changed while it was read.
    Expired,
    /// A field that the input does not show, and that is read as absent.
    Hidden,
}

#[derive(Debug, Default, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DecodeIssueObject {
    pub kind: String,
    /// Its namespace; empty for a kind that has none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    pub name: String,
}

impl fmt::Display for DecodeIssueObject {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.namespace.as_str(), self.name.as_str()) {
            (_, "") => f.write_str(&self.kind),
            ("", name) => write!(f, "{} {name}", self.kind),
            (namespace, name) => write!(f, "{} {namespace}/{name}", self.kind),
        }
    }
}

impl DecodeIssue {
    /// A dropped object that is not known by name.
    pub(crate) fn left_out(subject: impl Into<String>) -> Self {
        Self { kind: DecodeIssueKind::LeftOut, subject: subject.into(), ..Self::default() }
    }
}

impl Unreadable {
    /// The kind; `None` if no kind that is read has this plural.
    pub fn kind(&self) -> Option<Kind> {
        Kind::find_resource(&self.resource)
    }
}
