//! The page of `explain podgroup/NAME`: the answer, each pod of the group, the victims, what
//! kube-scheduler writes, and the notes.

mod html;
mod made;
mod tables;
mod tree;

use engine::cluster::Cluster;
use engine::cluster::owner::PodHindrance;
use engine::decision::group::GroupVerdict;
use engine::groups::answer::GroupAnswer;
use engine::groups::made::MadeOf;
use engine::groups::not_made::NotCreatedCause;
use engine::notes::{Note, Severity};
pub use html::page as html;

use crate::name::{self, NotAName};
use crate::notes;
use crate::page::{Drawn, Page, Sign, Span, Tone};
use crate::safe::Printable;
use answers::extent::Extent;
use answers::headline::rules_in_short;
use answers::origin::Origin;
use answers::pod_group as words;
use answers::questions::explain::GroupReport;

impl Drawn for GroupReport<'_> {
    fn page(&self, extent: Extent) -> Page {
        let (origin, wide) = (&self.basis.origin, extent.is_whole());
        if self.of_trees {
            page_of_trees(&self.groups, origin, wide)
        } else {
            page(&self.groups, &self.workloads, origin, wide)
        }
    }
}

/// The page about groups, and about the Workloads that were requested; in full if `wide`.
pub fn page(answers: &[GroupAnswer], workloads: &[MadeOf], origin: &Origin, wide: bool) -> Page {
    let mut page = Page::default();
    for workload in workloads
        .iter()
        .filter(|workload| workload.groups.iter().all(|group| group.names.is_empty()))
    {
        page.line(
            0,
            vec![
                Span::signed(Sign::Aside, "", Tone::Plain),
                Span::new(format!("{}.", made::sentence(workload)), Tone::Strong),
            ],
        );
    }
    for (at, answer) in answers.iter().enumerate() {
        if at > 0 {
            page.gap();
        }
        page.line(0, head(answer));
        if at == 0 {
            let rules = rules_in_short(answer.view().profile);
            page.line(2, vec![Span::new(origin.line(&rules), Tone::Quiet)]);
        }
        page.append(body(answer, wide));
    }
    workloads.iter().for_each(|workload| made::add(&mut page, workload));
    page
}

/// The page about trees of groups, each from its root; the answers are those about their groups of
/// pods.
pub fn page_of_trees(answers: &[GroupAnswer], origin: &Origin, wide: bool) -> Page {
    let mut page = Page::default();
    let same = |a: &GroupAnswer, b: &GroupAnswer| {
        tree::of(a).is_some_and(|tree| tree::of(b).is_some_and(|other| other.root == tree.root))
    };
    for (at, of_tree) in answers.chunk_by(same).enumerate() {
        let (Some(first), Some(tree)) = (of_tree.first(), of_tree.first().and_then(tree::of))
        else {
            page.append(self::page(of_tree, &[], origin, wide));
            continue;
        };
        if at > 0 {
            page.gap();
        }
        let (sign, tone) = sign(first, tree::verdict(tree));
        page.line(0, head_line(sign, tone, &tree::sentence(tree, first), first));
        if at == 0 {
            let rules = rules_in_short(first.view().profile);
            page.line(2, vec![Span::new(origin.line(&rules), Tone::Quiet)]);
        }
        tree::table(&mut page, tree, first);
        for answer in of_tree {
            why_absent(&mut page, answer);
            tables::members(&mut page, answer, wide);
        }
        if let Some(decision) = first.decision() {
            tables::victims(&mut page, decision, wide);
        }
        for decision in of_tree.iter().filter_map(GroupAnswer::decision) {
            tables::domains(&mut page, decision);
            if wide {
                tables::rejections(&mut page, decision);
            }
        }
        of_tree
            .iter()
            .filter_map(GroupAnswer::decision)
            .for_each(|decision| tables::written(&mut page, decision));
        add_notes(&mut page, first, wide);
    }
    page
}

/// The first line.
fn head(answer: &GroupAnswer) -> Vec<Span> {
    let (sign, tone) = sign(answer, &answer.summary().verdict);
    head_line(sign, tone, &words::sentence_of(answer), answer)
}

fn head_line(sign: Sign, tone: Tone, sentence: &str, answer: &GroupAnswer) -> Vec<Span> {
    let doubt = if answer.is_unsure() { " This is not certain: see the notes." } else { "" };
    vec![Span::signed(sign, "", tone), Span::new(format!("{sentence}.{doubt}"), Tone::Strong)]
}

fn sign(answer: &GroupAnswer, verdict: &GroupVerdict) -> (Sign, Tone) {
    match verdict {
        _ if answer.is_unsure() => (Sign::Unknown, Tone::Bad),
        GroupVerdict::Fits => (Sign::Yes, Tone::Good),
        GroupVerdict::Preempts => (Sign::Costs, Tone::Bad),
        GroupVerdict::Cannot(_) | GroupVerdict::Error(_) | GroupVerdict::NoPriority(..) => {
            (Sign::No, Tone::Bad)
        }
        GroupVerdict::Missing { .. }
        | GroupVerdict::NothingWaits
        | GroupVerdict::TooFewPods
        | GroupVerdict::NoParent(_)
        | GroupVerdict::TreeTooSmall(_)
        | GroupVerdict::Held(..)
        | GroupVerdict::Deleting
        | GroupVerdict::Awaits => (Sign::Aside, Tone::Plain),
    }
}

/// Everything below the first lines.
fn body(answer: &GroupAnswer, wide: bool) -> Page {
    let mut page = Page::default();
    if let Some(tree) = tree::of(answer) {
        if !matches!(answer.summary().verdict, GroupVerdict::TreeTooSmall(_)) {
            page.line(2, vec![format!("{}.", tree::sentence(tree, answer)).into()]);
        }
        tree::table(&mut page, tree, answer);
    }
    why_absent(&mut page, answer);
    remedy(&mut page, answer);
    tables::members(&mut page, answer, wide);
    if let Some(decision) = answer.decision() {
        tables::victims(&mut page, decision, wide);
        if wide {
            tables::spared(&mut page, decision);
        }
        tables::domains(&mut page, decision);
        if wide {
            tables::rejections(&mut page, decision);
        }
        tables::written(&mut page, decision);
    }
    add_notes(&mut page, answer, wide);
    page
}

fn add_notes(page: &mut Page, answer: &GroupAnswer, wide: bool) {
    let shown: Vec<Note> = answer
        .notes()
        .iter()
        .filter(|note| wide || note.severity != Severity::Info)
        .cloned()
        .collect();
    notes::add(page, &shown, wide);
}

/// Why pods of the group are missing, or do not count.
fn why_absent(page: &mut Page, answer: &GroupAnswer) {
    let cluster = answer.view().cluster;
    for found in answer.not_made() {
        let (does, message) = match found.cause {
            NotCreatedCause::Event(event) => ("could not create a pod: ", &*event.message),
            NotCreatedCause::Status(PodHindrance::ReplicaFailure(_, message)) => {
                ("could not create a pod: ", &**message)
            }
            NotCreatedCause::Status(PodHindrance::JobFailed(_, message)) => {
                ("has failed, so it creates no more pods: ", &**message)
            }
            NotCreatedCause::Status(PodHindrance::Suspended) => {
                ("is suspended, so it creates no pods", "")
            }
        };
        let head = format!("{}/{} {does}", found.kind, found.name);
        page.line(2, vec![Span::new(head, Tone::Bad), Span::new(message, Tone::Quiet)]);
    }
    let others = &answer.members().of_other_schedulers;
    if !others.is_empty() {
        let names: Vec<String> = others.iter().map(|pod| scheduler(*pod, cluster)).collect();
        let text = format!(
            "Not counted, since they wait for another scheduler: {}",
            answers::words::list(&names, 3)
        );
        page.line(2, vec![text.into()]);
    }
}

fn scheduler(pod: engine::cluster::pod::PodIx, cluster: &Cluster) -> String {
    let name = cluster.text(cluster.template(cluster.pod(pod)).scheduler_name);
    format!("{} (\"{name}\")", cluster.pod_name(pod))
}

/// What helps against a known trap.
fn remedy(page: &mut Page, answer: &GroupAnswer) {
    let GroupVerdict::NoPriority(..) = answer.summary().verdict else { return };
    let cluster = answer.view().cluster;
    let classes = answer
        .members()
        .waiting
        .iter()
        .map(|pod| cluster.template(cluster.pod(*pod)).priority_class);
    let class = classes.map(|class| cluster.text(class)).find(|class| !class.is_empty());
    let which = class.map_or_else(
        || "that of its pods".to_owned(),
        |class| format!("{class}, that of its pods"),
    );
    page.line(
        2,
        vec![
            Span::new("What helps: ", Tone::Strong),
            format!("set spec.priorityClassName of the PodGroup to {which}").into(),
        ],
    );
}

/// The victims as `pod/NAME`, one per line, or the nodes that the pods get if none is evicted.
///
/// # Errors
/// [`NotAName`].
pub fn names(answers: &[GroupAnswer]) -> Result<Printable, NotAName> {
    let mut text = String::new();
    for decision in answers.iter().filter_map(GroupAnswer::decision) {
        let cluster = decision.view.cluster;
        let own = cluster.text(decision.pod_group().namespace);
        let mut lines: Vec<String> = Vec::new();
        let victims = decision.victims();
        let apart =
            victims.iter().any(|victim| cluster.text(cluster.pod(victim.pod).namespace) != own);
        for victim in &victims {
            lines.push(name::line(cluster, victim.pod, apart)?);
        }
        if victims.is_empty() {
            let nodes = decision.members.waiting.iter().filter_map(|pod| decision.node_of(*pod));
            for node in nodes {
                lines.push(NotAName::check("node", cluster.node_name(node))?);
            }
            lines.dedup();
        }
        lines.iter().for_each(|line| text.push_str(&format!("{line}\n")));
    }
    Ok(Printable::new(text))
}
