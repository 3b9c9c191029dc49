//! The page of `explain podgroup/NAME`, as text and for the browser: the answer, each pod of the
//! group, the victims, what kube-scheduler writes, and the notes.

mod tables;

use engine::cluster::Cluster;
use engine::cluster::owner::PodHindrance;
use engine::decision::group::GroupVerdict;
use engine::groups::answer::GroupAnswer;
use engine::groups::made::MadeOf;
use engine::groups::made::NotCreatedCause;
use engine::notes::{Note, Severity};

use crate::name::{self, NotAName};
use crate::notes;
use crate::page::{Drawn, Page, Sign, Span, Tone};
use crate::safe::Printable;
use answers::extent::Extent;
use answers::headline::rules_in_short;
use answers::origin::Origin;
use answers::pod_group::{self as words, tree_of, tree_sentence, tree_verdict};
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
    let all = workloads.iter();
    for made in all.filter(|made| made.groups.iter().all(|group| group.names.is_empty())) {
        page.verdict((Sign::Aside, Tone::Plain), format!("{}.", tables::nothing_made(made)));
    }
    for (at, answer) in answers.iter().enumerate() {
        if at > 0 {
            page.gap();
        }
        page.verdict(sign(answer, &answer.summary().verdict), head(answer));
        if at == 0 {
            page.based_on_rules(2, origin, &rules_in_short(answer.view().profile));
        }
        page.append(body(answer, wide));
    }
    workloads.iter().for_each(|workload| tables::made(&mut page, workload));
    page
}

/// The page about trees of groups, each from its root; the answers are those about their groups of
/// pods.
pub fn page_of_trees(answers: &[GroupAnswer], origin: &Origin, wide: bool) -> Page {
    let mut page = Page::default();
    for (at, of_tree) in answers.chunk_by(are_of_one_tree).enumerate() {
        let (Some(first), Some(tree)) = (of_tree.first(), of_tree.first().and_then(tree_of)) else {
            page.append(self::page(of_tree, &[], origin, wide));
            continue;
        };
        if at > 0 {
            page.gap();
        }
        let sentence = tree_sentence(tree, first);
        page.verdict(sign(first, tree_verdict(tree)), format!("{sentence}.{}", doubt(first)));
        if at == 0 {
            page.based_on_rules(2, origin, &rules_in_short(first.view().profile));
        }
        tables::tree(&mut page, tree, first);
        for answer in of_tree {
            why_absent(&mut page, answer);
            tables::members(&mut page, answer, wide);
        }
        // The root preempts for all its groups, so there is one list of victims.
        if let Some(decision) = first.decision() {
            tables::victims(&mut page, decision, wide);
        }
        for decision in of_tree.iter().filter_map(GroupAnswer::decision) {
            tables::domains(&mut page, decision);
            if wide {
                tables::rejections(&mut page, decision);
            }
        }
        for decision in of_tree.iter().filter_map(GroupAnswer::decision) {
            tables::written(&mut page, decision);
        }
        add_notes(&mut page, first, wide);
    }
    page
}

fn are_of_one_tree(a: &GroupAnswer, b: &GroupAnswer) -> bool {
    matches!((tree_of(a), tree_of(b)), (Some(one), Some(other)) if one.root == other.root)
}

/// The answer in one line.
fn head(answer: &GroupAnswer) -> String {
    format!("{}.{}", words::sentence_of(answer), doubt(answer))
}

fn doubt(answer: &GroupAnswer) -> &'static str {
    if answer.is_unsure() { " This is not certain: see the notes." } else { "" }
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
    // A group of a tree gets its nodes only with the tree, so the tree comes first.
    if let Some(tree) = tree_of(answer) {
        if !matches!(answer.summary().verdict, GroupVerdict::TreeTooSmall(_)) {
            page.line(2, vec![format!("{}.", tree_sentence(tree, answer)).into()]);
        }
        tables::tree(&mut page, tree, answer);
    }
    why_absent(&mut page, answer);
    remedy(&mut page, answer);
    tables::members(&mut page, answer, wide);
    if let Some(decision) = answer.decision() {
        tables::victims(&mut page, decision, wide);
        tables::possibilities(&mut page, answer, wide);
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
    let mut shown: Vec<Note> = answer.notes().to_vec();
    shown.retain(|note| wide || note.severity != Severity::Info);
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

    // Pods of another scheduler belong to the group and are no use to this one.
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
    let pods = answer.members().waiting.iter().map(|pod| cluster.template(cluster.pod(*pod)));
    let mut classes = pods.map(|template| cluster.text(template.priority_class));
    let which = match classes.find(|class| !class.is_empty()) {
        Some(class) => format!("{class}, that of its pods"),
        None => "that of its pods".to_owned(),
    };
    let text = format!("set spec.priorityClassName of the PodGroup to {which}");
    page.line(2, vec![Span::new("What helps: ", Tone::Strong), text.into()]);
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
