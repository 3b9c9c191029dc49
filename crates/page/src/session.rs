//! A page's session: the files read last, and the questions about them.

use jiff::Timestamp;

use crate::host::{Host, HostFile};
use crate::other::{self, DrawnReport};
use crate::question::{
    DroppedFile, OtherQuestion, PageAnswer, PageOptions, PageQuestion, PodRow, ReadKind,
};
use answers::AnswerError;
use answers::headline::rules_in_short;
use answers::input::{InputFlags, LoadedInput, Wishes, read_time};
use answers::origin::InputOrigin;
use answers::questions::explain::{ExplainRequest, explain_pod};
use answers::questions::pending::{PendingRequest, PendingRow, pending};
use answers::scheduler::{SchedulerChoice, read_version};
use answers::what_if::{self, WhatIf};
use answers::{notes, words};
use engine::cluster::Cluster;
use engine::cluster::build::Builder;
use engine::cluster::pod::PodIx;
use engine::edits::{Edit, EditError};
use engine::snapshot::meta::LabelSelector;
use engine::snapshot::{Kind, autoscaler, scheduler};
use files::{FileDecoder, FileError, is_object_file};
use render::program::ProgramName;
use render::safe::Safe;
use render::{html, json};
use to_json::ToJson as _;

/// Maximum number of the nodes of a pod that its page asks further about.
const NODES_LINKED: usize = 3;
/// The most names of nodes that the script proposes.
const NAMES_PROPOSED: usize = 5_000;

/// The namespace of objects that are named without one, as for the plugin with `--from`.
const NAMESPACE: &str = "default";

/// One page, and what was read last.
#[derive(Default)]
pub struct PageSession {
    read: Option<ReadFiles>,
}

/// The objects of the dropped files.
struct ReadFiles {
    /// The files or the directory, or the cluster whose lists they are.
    place: InputOrigin,
    cluster: Cluster,
    /// When they were dropped.
    present: Timestamp,
}

/// The cluster to decide on: as read, or with the assumptions applied.
struct Assumed {
    input: LoadedInput,
    pods: Vec<PodIx>,
    /// What is assumed, in words.
    words: Vec<String>,
    /// Whether the cluster is a changed copy of what was read, and not that itself.
    is_copy: bool,
}

impl PageSession {
    /// The answer to a question in JSON, as JSON. The bytes of files come from `host`.
    pub fn ask(&mut self, question: &str, host: &dyn Host) -> String {
        let answer = serde_json::from_str(question)
            .map_err(|e| format!("the question is not understood: {e}"))
            .and_then(|question| self.answer(question, host));
        let answer = answer.unwrap_or_else(|problem| PageAnswer::Error {
            problem: Safe::from(problem).as_str().to_owned(),
        });
        serde_json::to_string(&answer).unwrap_or_default()
    }

    fn answer(&mut self, question: PageQuestion, host: &dyn Host) -> Result<PageAnswer, String> {
        match question {
            PageQuestion::Kinds => Ok(kinds()),
            PageQuestion::Read { name, is_directory, files, present, cluster } => {
                // Frees the memory of the previous files before the new ones are read.
                self.read = None;
                let answer = self.read(name, is_directory, &files, &present, host)?;
                if let (Some(read), Some(cluster)) = (&mut self.read, cluster) {
                    read.place = InputOrigin::Cluster(cluster);
                }
                Ok(answer)
            }
            PageQuestion::Queue { options } => self.queue(&options),
            PageQuestion::Pod { namespace, name, options } => self.pod(&namespace, &name, &options),
            PageQuestion::Other { question, about, namespace, options } => {
                self.other(question, about.trim(), &namespace, &options)
            }
        }
    }

    fn read(
        &mut self,
        name: String,
        is_directory: bool,
        files: &[DroppedFile],
        present: &str,
        host: &dyn Host,
    ) -> Result<PageAnswer, String> {
        let present = read_time("the present", present).map_err(line)?;
        let mut builder = Builder::new();
        let warnings = read_files(&name, is_directory, files, host, &mut builder)
            .map_err(|error| error.to_string())?;
        if builder.objects() == 0 {
            return Err(AnswerError::no_objects(&name, &builder).to_string());
        }
        let names = if is_directory {
            vec![name]
        } else {
            files.iter().map(|file| file.path.clone()).collect()
        };
        let cluster = builder.finish();
        let node_names = cluster.nodes.iter().map(|node| cluster.text(node.name).to_owned());
        let answer = PageAnswer::Read {
            warnings: warnings.into_iter().map(safe).collect(),
            nodes: cluster.nodes.len(),
            pods: cluster.pods.len(),
            node_names: node_names.take(NAMES_PROPOSED).collect(),
        };
        self.read = Some(ReadFiles { place: InputOrigin::Files(names), cluster, present });
        Ok(answer)
    }

    fn queue(&mut self, options: &PageOptions) -> Result<PageAnswer, String> {
        let assumed = self.assume(options, None)?;
        let answer = queue_of(&assumed);
        self.give_back(assumed);
        answer
    }

    fn pod(
        &mut self,
        namespace: &str,
        name: &str,
        options: &PageOptions,
    ) -> Result<PageAnswer, String> {
        let assumed = self.assume(options, Some((namespace, name)))?;
        let answer = pod_of(&assumed);
        self.give_back(assumed);
        answer
    }

    fn other(
        &mut self,
        question: OtherQuestion,
        about: &str,
        namespace: &str,
        options: &PageOptions,
    ) -> Result<PageAnswer, String> {
        let mut assumed = self.assume(options, None)?;
        if let Some(namespace) = given(Some(namespace)) {
            namespace.clone_into(&mut assumed.input.namespace);
        }
        let drawn = other::answer(&assumed.input, question, about).map_err(line);
        let words = assumed.words.clone();
        self.give_back(assumed);
        let DrawnReport { html, json } = drawn?;
        Ok(PageAnswer::Other { html, assumed: words, json })
    }

    /// What is decided about: what was read, changed as `options` say. `pod` is the one that the
    /// assumptions about pods mean.
    fn assume(
        &mut self,
        options: &PageOptions,
        pod: Option<(&str, &str)>,
    ) -> Result<Assumed, String> {
        let flags = self.flags(options);
        let read = self.read.as_mut().ok_or("no file has been read")?;
        let version = given(options.scheduler_version.as_deref());
        let version = version.map(|text| read_version("the version", text).map_err(line));
        let scheduler =
            SchedulerChoice { version: version.transpose()?, ..SchedulerChoice::default() };
        let now = given(options.now.as_deref());
        let now = now.map(|text| read_time("the time", text).map_err(line));
        let wishes = Wishes {
            scheduler: &scheduler,
            now: now.transpose()?,
            present: read.present,
            selector: &LabelSelector::default(),
            flags: &flags,
        };
        let mut pods = Vec::new();
        if let Some((namespace, name)) = pod {
            let found = read.cluster.find_pod(namespace, name);
            pods.push(found.ok_or_else(|| format!("there is no pod {namespace}/{name}"))?);
        }
        let edits = read_edits(options, pod.map_or(NAMESPACE, |(namespace, _)| namespace))?;

        // The version is that of the cluster as it is. Without a pod, what is assumed of pods means
        // none of them.
        let (place, namespace) = (read.place.clone(), NAMESPACE.to_owned());
        let is_copy = !edits.is_empty();
        let mut copy = is_copy.then(|| read.cluster.clone());
        let cluster = copy.as_mut().unwrap_or(&mut read.cluster);
        let input = LoadedInput::of_cluster(cluster, None, place, namespace, &wishes);
        let mut input = input.map_err(line)?;
        if is_copy {
            engine::edits::apply(&mut input.cluster, &pods, &edits).map_err(refusal)?;
        }
        let words = edits.iter().map(|edit| safe(edit.words())).collect();
        Ok(Assumed { input, pods, words, is_copy })
    }

    /// Keeps the cluster for the next question.
    fn give_back(&mut self, assumed: Assumed) {
        if let Some(read) = self.read.as_mut().filter(|_| !assumed.is_copy) {
            read.cluster = assumed.input.cluster;
        }
    }

    /// The flags with which the plugin gives the same answer.
    fn flags(&self, options: &PageOptions) -> InputFlags {
        let mut flags = InputFlags::default();
        if let Some(InputOrigin::Files(names)) = self.read.as_ref().map(|read| &read.place) {
            for name in names {
                flags.push("--from", Some(name.clone()));
            }
        }
        flags.push("--now", given(options.now.as_deref()).map(str::to_owned));
        let version = given(options.scheduler_version.as_deref());
        flags.push("--scheduler-version", version.map(str::to_owned));
        for (flag, value) in &options.what_if {
            flags.push(flag, Some(value.clone()));
        }
        flags
    }
}

/// What is read of a cluster, as the plugin reads it. Events are not: they record the past.
fn kinds() -> PageAnswer {
    let read = Kind::ALL.into_iter().filter(|kind| *kind != Kind::Event);
    let kinds = read.map(|kind| ReadKind {
        resource: kind.resource(),
        paths: kind.versions().iter().map(|version| kind.list_path(version)).collect(),
        is_namespaced: kind.is_namespaced(),
        may_be_absent: kind.may_be_absent(),
        is_custom: kind.is_custom(),
    });
    let (namespace, status) = autoscaler::STATUS;
    let leases = scheduler::NAMESPACE;
    PageAnswer::Kinds {
        kinds: kinds.collect(),
        programs: vec![
            format!("/api/v1/namespaces/{namespace}/configmaps/{status}"),
            format!("/apis/coordination.k8s.io/v1/namespaces/{leases}/leases"),
        ],
    }
}

/// The pending pods of what is assumed.
fn queue_of(assumed: &Assumed) -> Result<PageAnswer, String> {
    let Assumed { input, words, .. } = assumed;
    input.check_nodes().map_err(line)?;
    let request = PendingRequest { all_namespaces: true, ..PendingRequest::default() };
    let pods = request.pods(input).map_err(line)?;
    let report = pending(input, &input.views(None), &pods, request, &mut || true);
    let list = report.json();
    let pending = &report.pending;
    Ok(PageAnswer::Queue {
        summary: safe(pending.summary()),
        rules: safe(rules_in_short(&input.profile)),
        as_of: input.now.to_string(),
        assumed: words.clone(),
        lacks: input.cluster.notes_on_lists().map(|note| safe(notes::sentence(note))).collect(),
        notes: pending.notes.iter().map(|note| safe(notes::sentence(note))).collect(),
        rows: pending.rows.iter().map(|row| queue_row(row, input.now)).collect(),
        json: json::text(&list).map_err(|e| e.to_string())?,
    })
}

/// The decision about the pod that the assumptions mean.
fn pod_of(assumed: &Assumed) -> Result<PageAnswer, String> {
    let Assumed { input, pods, words, .. } = assumed;
    input.check_nodes().map_err(line)?;
    let views = input.views(None);
    let request = ExplainRequest { remedies: true, ..ExplainRequest::default() };
    let pod = pods.first().ok_or("there is no pod")?;
    let report = explain_pod(input, &views, *pod, &request);
    let report = report.ok_or("there is no decision about the pod")?;
    let section = html::section(&report, ProgramName::PLUGIN)?;
    let decision = to_json::pod_report(&report, input.source);
    let nodes =
        report.selected().iter().take(NODES_LINKED).map(|node| report.node(*node).to_owned());
    Ok(PageAnswer::Pod {
        html: section.html,
        data: section.data,
        nodes: nodes.collect(),
        assumed: words.clone(),
        json: json::text(&decision).map_err(|e| e.to_string())?,
    })
}

/// A displayed row of the queue.
fn queue_row(row: &PendingRow, now: Timestamp) -> PodRow {
    let [verdict, cause, node, victims] = row.answer().map(safe);
    let age = row.created.map(|created| words::age(now.as_second() - created.as_second()));
    PodRow {
        namespace: row.namespace.clone(),
        name: row.name.clone(),
        members: row.group.as_ref().map(|group| group.waiting.clone()).unwrap_or_default(),
        shown: safe(format!("{}/{}", row.namespace, row.name)),
        cause,
        priority: row.priority,
        age: age.unwrap_or_default(),
        verdict,
        node,
        victims,
    }
}

/// Reads the objects of files, and returns what was passed over.
fn read_files(
    name: &str,
    is_directory: bool,
    dropped: &[DroppedFile],
    host: &dyn Host,
    builder: &mut Builder,
) -> Result<Vec<String>, FileError> {
    let mut objects = FileDecoder::new(builder);
    let mut open: Vec<(&DroppedFile, HostFile<'_>)> = Vec::with_capacity(dropped.len());
    for (file, index) in dropped.iter().zip(0_u32..) {
        open.push((file, HostFile { host, index, length: file.size, position: 0 }));
    }
    if !is_directory {
        for (dropped, file) in &mut open {
            let index = file.index;
            let seen = |read| host.progress(index, read);
            files::each_of_file(file, &dropped.path, Some(&seen), &mut objects)?;
        }
        return Ok(objects.warnings());
    }

    // As with a directory on disk, other files are not opened, and paths are sorted.
    open.retain(|(file, _)| is_object_file(&file.path));
    open.sort_by(|(a, _), (b, _)| a.path.split('/').cmp(b.path.split('/')));
    if open.is_empty() {
        return Err(files::empty_directory(name));
    }
    for (dropped, file) in &mut open {
        let index = file.index;
        let seen = |read| host.progress(index, read);
        let origin = format!("{name}/{}", dropped.path);
        files::member_of_directory(file, &origin, &dropped.path, Some(&seen), &mut objects)?;
    }
    Ok(objects.warnings())
}

fn read_edits(options: &PageOptions, namespace: &str) -> Result<Vec<Edit>, String> {
    let mut edits = Vec::new();
    // In the order in which `simulate` applies them, not that of the fields.
    for known in WhatIf::ALL {
        let given = options.what_if.iter().filter(|(flag, _)| flag == known.flag());
        for (_, value) in given {
            let values: Vec<&str> =
                if known.takes_a_list() { value.split(',').collect() } else { vec![value] };
            for value in values {
                edits.push(what_if::read(known, value.trim(), namespace).map_err(line)?);
            }
        }
    }
    for (flag, _) in &options.what_if {
        if !WhatIf::ALL.iter().any(|known| known.flag() == flag) {
            return Err(format!("`{flag}` is nothing that can be assumed"));
        }
    }
    Ok(edits)
}

/// What was typed into a field; `None` if it was left empty.
fn given(field: Option<&str>) -> Option<&str> {
    field.filter(|text| !text.is_empty())
}

/// An error in one line, with what to do.
fn line(error: AnswerError) -> String {
    let (problem, hint) = match error {
        AnswerError::Usage { problem, hint } => (problem, hint),
        AnswerError::NotFound { resource, name, hint } => (not_found(&resource, &name), hint),
        error @ AnswerError::Input { .. } => (error.to_string(), None),
    };
    match hint.map(|hint| hint.text(ProgramName::PLUGIN.typed())) {
        Some(hint) => format!("{problem}; {hint}"),
        None => problem,
    }
}

fn refusal(refusal: EditError) -> String {
    match refusal {
        EditError::NotFound { resource, name } => not_found(resource, &name),
        EditError::Value(problem) => problem,
    }
}

fn not_found(resource: &str, name: &str) -> String {
    format!("{resource} \"{name}\" not found")
}

fn safe(text: String) -> String {
    Safe::from(text).as_str().to_owned()
}

#[cfg(test)]
mod tests;
