//! The pods of a compact snapshot.
//!
//! One pod of each shape is read as any pod is. Every other is a copy of it with the columns of its
//! row filled in, which all threads do at once. That is the same only if reading the pod has nothing
//! to say about it, as it has of nearly all pods; the others are read one by one.

use super::{Builder, known_values};
use crate::cluster::pod::{Pod, ResourceVersion};
use crate::cluster::symbols::{PoolIx, Sym};
use crate::parallel;
use crate::snapshot::Object;
use crate::snapshot::Sink as _;
use crate::snapshot::pod_table::{PodTable, Row, Rows, Shape, Unusable, Version, When};

/// What the rows of a table refer to, in the words of the cluster.
struct Known {
    texts: Vec<Sym>,
    labels: Vec<PoolIx>,
    /// A pod of each shape; `None` if its pods are read one by one.
    models: Vec<Option<Pod>>,
}

/// The pods of a block, without those that are read one by one.
#[derive(Default)]
struct Copied<'a> {
    pods: Vec<Pod>,
    /// Where, among the rows, pods have to be read one by one.
    others: Vec<(usize, Row<'a>)>,
    /// Which of the pods are not complete yet.
    unfinished: Vec<(usize, Row<'a>)>,
}

impl Builder {
    pub(super) fn add_pods(&mut self, table: &PodTable<'_>) -> Result<(), Unusable> {
        let known = self.known(table);
        // Blocks are decoded by all threads, and taken in their order.
        let blocks: Result<Vec<Copied<'_>>, Unusable> =
            parallel::map(table.blocks(), 2, |rows| copy_rows(table, rows, &known));
        for mut block in blocks? {
            for (at, row) in block.unfinished {
                if let (Some(pod), Some(shape)) =
                    (block.pods.get_mut(at), table.shapes().get(row.shape))
                {
                    self.complete(pod, shape, &row);
                }
            }
            self.objects += block.pods.len();
            if block.others.is_empty() {
                self.pods.push_all(block.pods);
                continue;
            }
            // The order counts: of two pods with one name, the later one is used.
            let (mut pods, mut taken) = (block.pods.into_iter(), 0);
            for (at, row) in block.others {
                pods.by_ref().take(at - taken).for_each(|pod| self.pods.push(pod));
                self.object(Object::Pod(table.pod(&row)));
                taken = at + 1;
            }
            pods.for_each(|pod| self.pods.push(pod));
        }
        Ok(())
    }

    /// Interns what the table has, and reads a pod of each shape.
    fn known(&mut self, table: &PodTable<'_>) -> Known {
        let texts: Vec<Sym> = table.texts().iter().map(|text| self.reader.intern(text)).collect();
        let text = |number: u32| texts.get(number as usize).copied().unwrap_or_default();
        let mut labels = Vec::new();
        for pairs in table.label_sets() {
            let mut pairs: Vec<(Sym, Sym)> =
                pairs.iter().map(|(key, value)| (text(*key), text(*value))).collect();
            pairs.sort_unstable();
            labels.push(self.reader.label_sets.intern(pairs.into_boxed_slice()).0);
        }
        let models = table.shapes().iter().map(|shape| self.model(table, shape)).collect();
        Known { texts, labels, models }
    }

    /// Reads a pod of a shape; `None` if there is something to say about it.
    fn model<'a>(&mut self, table: &PodTable<'a>, shape: &Shape<'a>) -> Option<Pod> {
        let mut wire = table.model(shape);
        // The name, which no other pod has, is not among what is copied.
        wire.metadata.name = "-".into();
        self.cluster.devices.node_allocatable |=
            !wire.status.node_allocatable_resource_claim_statuses.is_empty();
        let notes = std::mem::take(&mut self.reader.notes);
        let object = Object::Pod(wire);
        known_values::check(&object, &mut self.reader.notes);
        let pod = match &object {
            Object::Pod(wire) => self.pod_reader.read(wire, &mut self.reader),
            _ => None,
        };
        let said = std::mem::replace(&mut self.reader.notes, notes);
        let template = self.pod_reader.templates.get(pod.as_ref()?.template)?;
        // What is wrong with a term may name the node of the pod.
        let is_sound = template.node_affinity.iter().flatten().all(|term| term.parsed.is_ok());
        // Nor its name, which each copy would allocate although it gets another.
        let pod = pod.map(|pod| Pod { name: Box::default(), ..pod });
        pod.filter(|_| said.is_empty() && (is_sound || !shape.is_pinned()))
    }

    /// Interns what [`Self::add_pods`] interns, in the order of the rows.
    #[cfg(test)]
    pub(crate) fn intern_all(&mut self, table: &PodTable<'_>) {
        let _ = self.known(table);
        for row in table.blocks().iter().flat_map(|rows| table.rows(rows)).flatten() {
            for claim in row.claims() {
                self.reader.intern(claim);
            }
        }
    }

    /// Fills in what needs symbols or a template of its own.
    fn complete(&mut self, pod: &mut Pod, shape: &Shape<'_>, row: &Row<'_>) {
        if shape.has_claims() {
            pod.claims = row.claims().map(|claim| self.reader.intern(claim)).collect();
        }
        if shape.is_pinned()
            && let Some(template) = self.pod_reader.templates.get(pod.template)
        {
            let mut template = template.clone();
            for term in template.node_affinity.iter_mut().flatten() {
                term.rename(pod.node_name);
            }
            pod.template = self.pod_reader.templates.intern(template).0;
        }
    }
}

/// Copies the model of each row's shape, and fills in the row.
fn copy_rows<'a>(
    table: &PodTable<'a>,
    rows: &Rows<'a>,
    known: &Known,
) -> Result<Copied<'a>, Unusable> {
    let mut copied = Copied { pods: Vec::with_capacity(rows.len()), ..Copied::default() };
    for (at, row) in table.rows(rows).enumerate() {
        let row = row?;
        let Some(pod) = copy(&row, known) else {
            copied.others.push((at, row));
            continue;
        };
        let shape = table.shapes().get(row.shape);
        if shape.is_some_and(|shape| shape.is_pinned() || shape.has_claims()) {
            copied.unfinished.push((copied.pods.len(), row));
        }
        copied.pods.push(pod);
    }
    Ok(copied)
}

/// The pod of a row; `None` if it has to be read by itself.
fn copy(row: &Row<'_>, known: &Known) -> Option<Pod> {
    let model = known.models.get(row.shape)?.as_ref()?;
    // A pod without a name, and a time that may be none, are worth a note.
    if row.name.is_empty() {
        return None;
    }
    let time = |when| match when {
        When::Never => Some(None),
        When::At(time) => Some(Some(time)),
        When::Text(_) => None,
    };
    Some(Pod {
        name: Box::from(row.name),
        uid: row.uid.text(),
        resource_version: match row.version {
            Version::Number(number) => ResourceVersion::Number(number),
            Version::Text(text) => ResourceVersion::from(text),
        },
        labels: *known.labels.get(row.labels)?,
        node_name: row.node.map_or(Some(Sym::EMPTY), |node| known.texts.get(node).copied())?,
        created: time(row.created)?,
        start_time: time(row.started)?,
        ..model.clone()
    })
}
