//! What the loss of nodes costs, as text: the answer in a line, then a row for each workload, or for
//! each of several losses.

use super::notes;
use super::page::{Column, Drawn, Page, Sign, Span, Tone};
use super::simulation::drain;
use answers::extent::{ALL_SHOWS_IT, Extent};
use answers::headline::doubt;
use answers::questions::Report as _;
use answers::questions::loss::{DomainLoss, LossReport, pending_anyway};
use answers::questions::node::changes::uncordon;
use answers::words;
use engine::simulation::sequence::loss::WorkloadLoss;
use engine::simulation::sequence::orders::Range;

/// Maximum number of names in a line.
const NAMED: usize = 3;

impl Drawn for LossReport {
    fn page(&self, extent: Extent) -> Page {
        let mut page = Page::default();
        let doubt = doubt(self.items.iter().flat_map(|item| &item.loss.notes));
        let sentence = format!("{}.{doubt}", self.sentence());
        page.verdict(Sign::of(self.verdict().into()), sentence);
        page.based_on(2, &self.basis);
        match self.items.as_slice() {
            [only] if self.each.is_none() => {
                one(&mut page, only, extent);
            }
            all => {
                rows(&mut page, all, extent);
                let orders = all.iter().map(|item| item.loss.orders).max().unwrap_or(0);
                if orders > 1 {
                    let orders = words::count(orders, "order");
                    page.quiet(2, format!("at most {orders} of replacements each were simulated; --fail tries more"));
                }
                page.quiet(2, "simulate --fail with one of them shows its workloads");
            }
        }
        if self.budgets_unknown {
            page.warning("PDBs are unknown: which pods kube-scheduler spares is not certain");
        }
        if self.outside > 0 {
            let noun = self.each.map_or("domain", |domain| domain.noun());
            let are = if self.outside == 1 { "is" } else { "are" };
            let nodes = words::count(self.outside, "node");
            page.warning(format!("{nodes} without the label of a {noun} {are} not looked at"));
        }
        let mut all = Vec::new();
        for note in self.items.iter().flat_map(|item| &item.loss.notes) {
            if !all.contains(note) {
                all.push(note.clone());
            }
        }
        notes::add(&mut page, &all, true);
        page
    }
}

/// A row for each loss.
fn rows(page: &mut Page, items: &[DomainLoss], extent: Extent) {
    let shown = extent.shown(items.len());
    let row = |item: &DomainLoss| {
        let loss = &item.loss;
        vec![
            item.name.as_str().into(),
            loss.nodes.len().to_string().into(),
            words::group_digits(loss.lost()).into(),
            number(loss.pending),
            number(loss.preempted),
            count(loss.gone()),
            count(loss.down()),
            count(loss.budgets.len()),
        ]
    };
    let columns = [
        Column::new("LOST").nodes(16),
        Column::new("NODES").dropped(1),
        Column::new("PODS"),
        Column::new("PENDING"),
        Column::new("PREEMPTED"),
        Column::new("GONE"),
        Column::new("DOWN"),
        Column::new("BELOW PDB"),
    ];
    page.table(2, columns, items.iter().take(shown).map(row).collect());
    page.left_out_but(2, items.len() - shown, "loss", ALL_SHOWS_IT);
}

fn number(Range { fewest, most }: Range) -> Span {
    match (fewest, most) {
        (_, 0) => "-".into(),
        (fewest, most) if fewest == most => Span::new(words::group_digits(most), Tone::Bad),
        (fewest, most) => Span::new(format!("{fewest}-{most}"), Tone::Bad),
    }
}

fn count(number: usize) -> Span {
    self::number(Range { fewest: number, most: number })
}

/// The workloads of one loss, and what else it does.
fn one(page: &mut Page, item: &DomainLoss, extent: Extent) {
    let loss = &item.loss;
    let named = extent.named(NAMED);
    let mut aside = Vec::new();
    match loss.of_nodes {
        0 => {}
        1 => aside.push("1 DaemonSet or static pod goes with its node".to_owned()),
        pods => aside.push(format!("{pods} DaemonSet or static pods go with their nodes")),
    }
    if loss.orders > 1 {
        aside
            .push(format!("{} of replacements were simulated", words::count(loss.orders, "order")));
    }
    if !aside.is_empty() {
        page.quiet(2, aside.join("; "));
    }
    if loss.not_followed > 0 {
        let pods = words::count(loss.not_followed, "replacement");
        page.warning(format!("{pods} of preempted pods are not followed: there are too many"));
    }

    if !item.changes.is_empty() {
        let to_cordon: Vec<&str> = item.to_cordon.iter().map(String::as_str).collect();
        drain::changes(page, &item.changes, &to_cordon, "then a Ready pod of each is left");
        if let Some(command) = uncordon(&item.to_cordon) {
            let command = format!("{command}  # once the new pods are Ready");
            page.line(4, vec![Span::new(command, Tone::Quiet)]);
        }
    }
    let shown = extent.shown(loss.workloads.len());
    let table = loss.workloads.iter().take(shown).map(|workload| row(workload, extent)).collect();
    let columns = [
        Column::new("WORKLOAD").pods(20),
        Column::new("READY"),
        Column::new("LOST"),
        Column::new("PENDING"),
        Column::new("PREEMPTED").dropped(2),
        Column::new("THEN").prose(24).in_full(),
        Column::new("THEN").in_short(),
    ];
    page.table(2, columns, table);
    page.left_out_but(2, loss.workloads.len() - shown, "workload", ALL_SHOWS_IT);

    for budget in loss.budgets.iter().take(named) {
        page.warning(format!(
            "PDB {}: {} of {} Ready pods are left, it asks for {}",
            budget.full_name(),
            budget.healthy,
            budget.expected,
            budget.desired
        ));
    }
    page.left_out_but(2, loss.budgets.len().saturating_sub(named), "PDB", ALL_SHOWS_IT);
    let later: Vec<String> =
        loss.workloads.iter().filter(|one| one.until_deleted > 0).map(name).collect();
    if !later.is_empty() {
        page.warning(format!(
            "{}: replaced only once the Node object is deleted, or its taint \
             node.kubernetes.io/out-of-service is set",
            words::list(&later, named)
        ));
    }
}

fn name(workload: &WorkloadLoss) -> String {
    format!("{}/{}", workload.namespace, workload.name)
}

fn row(workload: &WorkloadLoss, extent: Extent) -> Vec<Span> {
    let ready = match (workload.ready, workload.left) {
        (0, 0) => "-".into(),
        (ready, 0) => Span::new(format!("{} to 0", words::group_digits(ready)), Tone::Bad),
        (ready, left) => {
            format!("{} to {}", words::group_digits(ready), words::group_digits(left)).into()
        }
    };
    vec![
        name(workload).into(),
        ready,
        workload.lost.to_string().into(),
        number(workload.pending),
        number(workload.preempted),
        then(workload, extent).into(),
        then_in_short(workload).into(),
    ]
}

/// The same in a few words.
fn then_in_short(workload: &WorkloadLoss) -> String {
    match (workload.gone, workload.volumes.len(), workload.why.as_slice()) {
        (1.., ..) => "lost: no controller".to_owned(),
        (_, 1.., _) => "waits for a lost volume".to_owned(),
        (.., [why]) => words::reasons_in_short(why),
        (.., [why, others @ ..]) => {
            format!("{} +{}", words::reasons_in_short(why), others.len())
        }
        _ => match workload.places.keys().next() {
            None => "-".to_owned(),
            Some(node) if workload.places.len() == 1 => format!("to {node}"),
            Some(node) => format!("to {node} +{}", workload.places.len() - 1),
        },
    }
}

/// Why pods stay Pending, or where the replacements go.
fn then(workload: &WorkloadLoss, extent: Extent) -> String {
    let named = extent.named(NAMED);
    let mut parts = Vec::new();
    if workload.gone > 0 {
        parts.push("lost: it has no controller".to_owned());
    }
    for claim in &workload.volumes {
        parts.push(format!("the volume of claim {claim} is on the lost nodes: waits for ever"));
    }
    if parts.is_empty() {
        parts.extend(workload.why.iter().take(named).cloned());
    }
    if !workload.places.is_empty() {
        let places = workload.places.iter().map(|(node, pods)| match pods {
            1 => node.clone(),
            pods => format!("{node} ({pods})"),
        });
        let places: Vec<String> = places.collect();
        parts.push(format!("to {}", words::list(&places, named)));
    }
    parts.extend(pending_anyway(workload.pending_anyway, workload.is_anyway_open));
    if parts.is_empty() { "-".to_owned() } else { parts.join("; ") }
}
