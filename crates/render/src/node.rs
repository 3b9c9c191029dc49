//! Whether nodes can be removed, as text: the answer in a line, the obstacles, and where each pod
//! goes.

use super::notes;
use super::page::{Column, Drawn, Page, Sign, Span, Tone};
use super::simulation::drain;
use answers::extent::{ALL_SHOWS_IT, Extent};
use answers::headline::doubt;
use answers::questions::node::fates::{self, Fate, FateOfPods, Outlook};
use answers::questions::node::{NodeReport, reason};
use answers::words;
use answers::words::reasons_in_short as short;
use engine::simulation::hazard::Hazard;
use engine::simulation::plan::{Afterwards, PlannedVictim, PodId};
use engine::simulation::planning::Proposal;
use engine::simulation::removal::holds::HoldReason;
use engine::simulation::removal::outcomes::{DrainOutcome, Holds};
use engine::simulation::removal::reasons::RemovalObstacle;
use engine::simulation::removal::{self, NodeRemoval, NodesRemoval, RemovalVerdict};
use engine::simulation::sequence::play::{DrainEnd, DrainedPod};
use jiff::Timestamp;

/// Maximum number of names in a line.
const NAMED: usize = 3;
/// Maximum number of nodes in a cell.
const PLACES: usize = 4;
/// Maximum number of Events about a node.
const MOST_EVENTS: usize = 3;
/// The cells of the bar of all pods that move.
const CELLS: usize = 20;

/// The page about nodes.
impl Drawn for NodeReport {
    fn page(&self, extent: Extent) -> Page {
        let removal = &self.removal;
        let mut page = Page::default();
        let doubt = doubt(removal.notes.iter());
        let several = removal.nodes.len() > 1;
        // Of several nodes the line about all of them comes first: which can go, in which order.
        if several {
            overview(&mut page, removal, &doubt, extent);
            basis(&mut page, self);
        }
        // Of several nodes a row each is enough, unless everything is asked for.
        if several && !extent.is_all() {
            rows_of_nodes(&mut page, self, extent);
        }
        let in_full = if several && !extent.is_all() { &[][..] } else { &removal.nodes };
        for node in in_full {
            if several {
                page.gap();
            }
            verdict(&mut page, node, self, if several { "" } else { &doubt });
            if !several {
                basis(&mut page, self);
                warnings_of_nodes(&mut page, self);
            }
            section(&mut page, node, removal, self.basis.now(), extent);
        }
        if several {
            warnings_of_nodes(&mut page, self);
        }
        notes::add(&mut page, &removal.notes, true);
        page
    }
}

/// Why pods stay on nodes whose kubelet is silent, and who has to respond to requests for eviction.
fn warnings_of_nodes(page: &mut Page, report: &NodeReport) {
    for why in report.not_evicting.iter().chain(&report.eviction_requests) {
        page.warning(why.as_str());
    }
}

/// What the answer is based on, and the commands that carry it out.
fn basis(page: &mut Page, report: &NodeReport) {
    page.based_on(2, &report.basis);
    for command in &report.commands {
        page.line(2, vec![Span::new(command.as_str(), Tone::Strong)]);
    }
    let drained: Vec<&str> = report.removal.nodes.iter().map(|node| &*node.node).collect();
    drain::changes(page, &report.removal.changes, &drained, "then the drain ends");
}

/// The line about all of them.
fn overview(page: &mut Page, removal: &NodesRemoval, doubt: &str, extent: Extent) {
    let can: Vec<&str> = (removal.nodes.iter().filter(|node| node.verdict == RemovalVerdict::Can))
        .map(|node| node.node.as_str())
        .collect();
    let all = removal.nodes.len();
    let fresh = match removal.surge {
        0 => String::new(),
        1 => " with 1 fresh node".to_owned(),
        fresh => format!(" with {fresh} fresh nodes"),
    };
    let which = match can.len() {
        0 => String::new(),
        1 => format!(": {}", can.join("")),
        _ => format!(" in this order: {}", places_in_order(&can, extent)),
    };
    let number = match can.len() {
        0 => format!("none of {all}"),
        some if some == all => format!("all {all}"),
        some => format!("{some} of {all}"),
    };
    // A larger set may exist if not every order was tried.
    let left = if removal.orders_left { "; more orders were not tried" } else { "" };
    let sign = if removal.is_unsure() {
        (Sign::Unknown, Tone::Bad)
    } else if removal.all_can() {
        (Sign::Yes, Tone::Good)
    } else {
        (Sign::No, Tone::Bad)
    };
    let rest = others(removal);
    page.verdict(sign, format!("{number} nodes can be drained{fresh}{which}{left}{rest}.{doubt}"));
}

/// The first nodes of an order, and how many follow.
fn places_in_order(nodes: &[&str], extent: Extent) -> String {
    let shown = nodes.get(..extent.named(PLACES)).unwrap_or(nodes);
    match nodes.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// What becomes of the nodes that cannot be drained for certain: `; 2 drain and leave pods Pending, 1
/// is blocked`.
fn others(removal: &NodesRemoval) -> String {
    let (mut leave, mut open, mut blocked, mut unknown) = (0, 0, 0, 0);
    for node in &removal.nodes {
        match node.verdict {
            RemovalVerdict::Can => {}
            RemovalVerdict::Cannot if Outlook::of(node).drains() => leave += 1,
            RemovalVerdict::Cannot => blocked += 1,
            RemovalVerdict::DependsOnTiming | RemovalVerdict::DependsOnReadiness => open += 1,
            RemovalVerdict::Unsure => unknown += 1,
        }
    }
    let mut parts = Vec::new();
    let several = format!("{leave} drain and leave pods Pending");
    add(&mut parts, leave, "1 drains and leaves pods Pending", &several);
    add(&mut parts, blocked, "1 is blocked", &format!("{blocked} are blocked"));
    add(&mut parts, open, "1 depends on timing", &format!("{open} depend on timing"));
    add(&mut parts, unknown, "1 is not known", &format!("{unknown} are not known"));
    if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", ")) }
}

/// A row for each of several nodes, those that go first on top.
fn rows_of_nodes(page: &mut Page, report: &NodeReport, extent: Extent) {
    let nodes = &report.removal.nodes;
    let shown = extent.shown(nodes.len());
    let mut rows = Vec::with_capacity(shown);
    for (index, node) in nodes.iter().take(shown).enumerate() {
        let pods = fates::of(node);
        let moves: usize =
            pods.iter().filter(|row| row.fate <= Fate::Preempts).map(|row| row.pods.len()).sum();
        let goes = index < report.removal.in_order;
        let order = if goes { (index + 1).to_string() } else { "-".to_owned() };
        let tone = if node.verdict == RemovalVerdict::Can { Tone::Plain } else { Tone::Bad };
        let outlook = Outlook::of(node);
        let most = outlook.pending + outlook.pending_by_timing;
        let pending = match outlook.pending {
            always if always == most => always.to_string(),
            always => format!("{always}-{most}"),
        };
        rows.push(vec![
            order.into(),
            node.node.as_str().into(),
            moves.to_string().into(),
            Span::new(pending, if most == 0 { Tone::Plain } else { Tone::Bad }),
            Span::new(clause(node, report), tone),
            Span::new(in_a_word(node, &outlook, report.removal.timings), tone),
        ]);
    }
    let columns = [
        Column::new("ORDER"),
        Column::new("NODE").nodes(16),
        Column::new("MOVES"),
        Column::new("PENDING"),
        Column::new("ANSWER").prose(24).in_full(),
        Column::new("ANSWER").prose(36).in_short(),
    ];
    page.table(2, columns, rows);
    page.left_out_but(2, nodes.len() - shown, "node", ALL_SHOWS_IT);
    page.quiet(2, "--all shows the pods of each");
}

/// What becomes of a node, without the numbers that its row has.
fn in_a_word(node: &NodeRemoval, outlook: &Outlook<'_>, tried: usize) -> String {
    match node.verdict {
        RemovalVerdict::Can => "can be drained".to_owned(),
        RemovalVerdict::Cannot if outlook.drains() => "drains".to_owned(),
        RemovalVerdict::Cannot => in_the_way(&outlook.blockers),
        RemovalVerdict::DependsOnTiming => format!("{} of {tried} orders work", node.timings_done),
        RemovalVerdict::DependsOnReadiness => "if a replacement becomes Ready".to_owned(),
        RemovalVerdict::Unsure => "not known".to_owned(),
    }
}

fn verdict(page: &mut Page, node: &NodeRemoval, report: &NodeReport, doubt: &str) {
    let sign = match node.verdict {
        _ if !doubt.is_empty() => (Sign::Unknown, Tone::Bad),
        RemovalVerdict::Can => (Sign::Yes, Tone::Good),
        RemovalVerdict::Cannot => (Sign::No, Tone::Bad),
        RemovalVerdict::DependsOnTiming
        | RemovalVerdict::DependsOnReadiness
        | RemovalVerdict::Unsure => (Sign::Unknown, Tone::Bad),
    };
    let sentence = sentence(node, report);
    page.verdict(sign, format!("{sentence}.{doubt}"));
}

/// `n1 can be drained: 14 pods move, 2 budgets make it wait`.
fn sentence(node: &NodeRemoval, report: &NodeReport) -> String {
    let (name, clause) = (&node.node, clause(node, report));
    match node.verdict {
        RemovalVerdict::Unsure => format!("whether {name} can be drained is {clause}"),
        _ => format!("{name} {clause}"),
    }
}

/// The same without the node. What no rule shows for every order is said of the orders that were
/// tried.
fn clause(node: &NodeRemoval, report: &NodeReport) -> String {
    let removal = &report.removal;
    let tried = removal.timings;
    let reasons: Vec<&RemovalObstacle> = node.obstacles.iter().map(|one| &one.reason).collect();
    let any = in_the_way(&reasons);
    let outlook = Outlook::of(node);
    let pending = stays_pending(&outlook);
    match node.verdict {
        RemovalVerdict::Can if removal.every_order || tried == 1 => {
            format!("can be drained: {}", moves(node))
        }
        RemovalVerdict::Can => {
            format!("can be drained in all {tried} orders tried: {}", moves(node))
        }
        RemovalVerdict::Cannot => {
            let is_proven = tried == 1
                || node.obstacles.iter().any(|obstacle| obstacle.holds == Holds::EveryOrder);
            let in_orders = |of: &str| {
                if is_proven { String::new() } else { format!(" in {of} {tried} orders tried") }
            };
            if outlook.drains() {
                let budgets =
                    if report.budgets_unknown { "PDBs are unknown" } else { "no PDB blocks it" };
                let orders = in_orders("all");
                return format!("drains, but {pending}{orders}; {budgets}");
            }
            let (orders, blocked) = (in_orders("any of"), in_the_way(&outlook.blockers));
            let pending = if pending.is_empty() { pending } else { format!("; {pending}") };
            format!("cannot be drained{orders}: {blocked}{pending}")
        }
        RemovalVerdict::DependsOnTiming if outlook.drains() => format!(
            "drains; in {} of {tried} orders tried every pod gets a node, else {pending}",
            node.timings_done,
        ),
        RemovalVerdict::DependsOnTiming => format!(
            "may or may not drain: {} of {tried} orders tried work; else {any}",
            node.timings_done,
        ),
        RemovalVerdict::DependsOnReadiness => format!(
            "may or may not drain: only if the replacement of {} becomes Ready; else {any}",
            words::list(&node.play.unready.iter().map(PodId::full_name).collect::<Vec<_>>(), NAMED),
        ),
        RemovalVerdict::Unsure => format!("not known: {any}"),
    }
}

/// `1 pod stays Pending (up to 24 by timing)`; empty if none does.
fn stays_pending(outlook: &Outlook) -> String {
    let most = outlook.pending + outlook.pending_by_timing;
    match (outlook.pending, outlook.pending_by_timing) {
        (0, 0) => String::new(),
        (0, 1) | (1, 0) => "1 pod stays Pending".to_owned(),
        (0, _) => format!("up to {most} pods stay Pending"),
        (1, _) => format!("1 pod stays Pending (up to {most} by timing)"),
        (always, 0) => format!("{always} pods stay Pending"),
        (always, _) => format!("{always} pods stay Pending (up to {most} by timing)"),
    }
}

/// `14 pods move, 1 is lost, 2 budgets make it wait`.
fn moves(node: &NodeRemoval) -> String {
    let play = &node.play;
    let lost = removal::lost(play).len();
    let moving = play.pods.len() - lost;
    let preempted: usize = play.steps.iter().map(victims_of).sum();
    let mut parts = Vec::new();
    let moves = format!("{} move", words::count(moving, "pod"));
    add(&mut parts, moving, "1 pod moves", &moves);
    // The noun is said once.
    if moving == 0 {
        let pods = format!("{} are lost for good", words::count(lost, "pod"));
        add(&mut parts, lost, "1 pod is lost for good", &pods);
    } else {
        add(&mut parts, lost, "1 is lost for good", &format!("{lost} are lost for good"));
    }
    let waits = play.waits().len();
    add(&mut parts, waits, "1 budget makes it wait", &format!("{waits} budgets make it wait"));
    let evicted = format!("{preempted} pods elsewhere are evicted for them");
    add(&mut parts, preempted, "1 pod elsewhere is evicted for them", &evicted);
    if parts.is_empty() { "nothing to drain".to_owned() } else { parts.join(", ") }
}

/// Adds what is said of one, or of several; nothing if there are none.
fn add(parts: &mut Vec<String>, number: usize, one: &str, several: &str) {
    match number {
        0 => {}
        1 => parts.push(one.to_owned()),
        _ => parts.push(several.to_owned()),
    }
}

/// How many pods a step preempts.
fn victims_of(step: &engine::simulation::sequence::Step) -> usize {
    match &step.proposal {
        Proposal::Evict(plan) => plan.victims.len(),
        _ => 0,
    }
}

/// What keeps a node from being removed, in short: `3 pods fit nowhere`, `PDB data/kafka allows
/// none`.
fn in_the_way(reasons: &[&RemovalObstacle]) -> String {
    // Pods are counted by what happens to them, and budgets that never open up together.
    let (mut own, mut preempted, mut unknown, mut closed) = (0, 0, 0, 0);
    for reason in reasons {
        match reason {
            RemovalObstacle::NoNode { is_preempted: false, .. } => own += 1,
            RemovalObstacle::NoNode { is_preempted: true, .. } => preempted += 1,
            RemovalObstacle::Unknown { .. } => unknown += 1,
            reason if is_closed_budget(reason) => closed += 1,
            _ => {}
        }
    }
    let mut parts = Vec::new();
    add(&mut parts, own, "1 pod fits nowhere", &format!("{own} pods fit nowhere"));
    let one = "1 pod that is evicted for them fits nowhere";
    let several = format!("{preempted} pods that are evicted for them fit nowhere");
    add(&mut parts, preempted, one, &several);
    // A few budgets are named, more of them counted.
    let are_named = closed <= NAMED;
    if !are_named {
        parts.push(format!("{closed} PDBs allow none"));
    }
    let rest = reasons.iter().filter(|reason| are_named || !is_closed_budget(reason));
    parts.extend(rest.filter_map(|reason| reason::in_short(reason)));
    add(&mut parts, unknown, "where 1 pod goes", &format!("where {unknown} pods go"));
    if parts.is_empty() { "see the notes".to_owned() } else { parts.join(", ") }
}

/// Whether a budget allows no eviction even after waiting.
fn is_closed_budget(reason: &RemovalObstacle) -> bool {
    matches!(reason, RemovalObstacle::Budget { waits_for, .. } if waits_for.is_empty())
}

/// Everything about one node below its first line.
fn section(
    page: &mut Page,
    node: &NodeRemoval,
    removal: &NodesRemoval,
    now: Timestamp,
    extent: Extent,
) {
    // Where the pods go comes first, and by owner, unless everything is asked for.
    let play = &node.play;
    let in_short = !extent.is_all();
    if in_short && !play.pods.is_empty() {
        fates_of_pods(page, node, extent);
    }
    obstacles(page, node, extent);
    warnings(page, node, extent);
    for aside in asides(node, removal, extent) {
        page.quiet(2, aside);
    }
    holds(page, node, now, extent);
    if in_short || play.pods.is_empty() {
        return;
    }
    let shown = extent.shown(play.pods.len());
    let rows = play.pods.iter().take(shown).map(|pod| row(pod, node, extent));
    let columns = [
        Column::new("POD").pods(28),
        Column::new("GOES TO").nodes(16).essential(),
        Column::new("ROUND").dropped(2),
        Column::new("WAITS FOR PDB").names(16).dropped(1),
        Column::new("REMARK").prose(20),
    ];
    page.table(2, columns, rows.collect());
    page.left_out_but(2, play.pods.len() - shown, "pod", ALL_SHOWS_IT);
    preempted(page, node, extent);
}

/// What is in the way. In short, pods of the node that fit nowhere have a row of their own, and those
/// that are evicted for them share a line.
fn obstacles(page: &mut Page, node: &NodeRemoval, extent: Extent) {
    let [mut always, mut by_timing]: [Vec<(String, String)>; 2] = Default::default();
    for obstacle in &node.obstacles {
        let is_by_timing = obstacle.holds == Holds::SomeOrders;
        match (&obstacle.reason, reason::nowhere(&obstacle.reason, extent)) {
            (RemovalObstacle::NoNode { is_preempted: false, .. }, _) if !extent.is_all() => {}
            (_, Some(pod)) if !extent.is_all() => {
                if is_by_timing { &mut by_timing } else { &mut always }.push(pod);
            }
            (reason, _) => {
                let when = if is_by_timing { "depending on timing: " } else { "" };
                page.warning(format!("{when}{}", reason::text(reason, extent)));
            }
        }
    }
    if let [(_, why), ..] = always.as_slice() {
        let stay = if always.len() == 1 { "stays" } else { "stay" };
        let pods = words::count(always.len(), "preempted pod");
        page.warning(format!("{pods} {stay} Pending ({}): {}", names(&always), short(why)));
    }
    if let [(_, why), ..] = by_timing.as_slice() {
        let pods = words::count(by_timing.len(), "preempted pod");
        let names = names(&by_timing);
        page.warning(format!("by timing, {pods} may stay Pending ({names}): {}", short(why)));
    }
}

/// The first of these pods by name.
fn names(pods: &[(String, String)]) -> String {
    let names: Vec<&str> = pods.iter().map(|(pod, _)| pod.as_str()).collect();
    words::list(&names, NAMED)
}

/// How many pods go which way, and a row for each owner.
fn fates_of_pods(page: &mut Page, node: &NodeRemoval, extent: Extent) {
    let rows = fates::of(node);
    let all: usize = rows.iter().map(|row| row.pods.len()).sum();
    let mut spans: Vec<Span> = Vec::new();
    for fate in Fate::ALL {
        let pods: usize =
            rows.iter().filter(|row| row.fate == fate).map(|row| row.pods.len()).sum();
        if pods == 0 {
            continue;
        }
        let (word, tone) = fate_words(fate);
        // Every fate has a cell, however few its pods are.
        let cells = (pods * CELLS / all.max(1)).max(1);
        let gap = if spans.is_empty() { "" } else { "   " };
        spans.push(format!("{gap}{word} {pods} ").into());
        spans.push(Span::bar(cells, tone));
    }
    page.line(2, spans);

    let shown = extent.shown(rows.len());
    let table = rows.iter().take(shown).map(|row| row_of_pods(row, extent)).collect();
    let columns = [
        Column::new("WORKLOAD").pods(20),
        Column::new("PODS"),
        Column::new("GOES TO").nodes(16).essential().in_full(),
        Column::new("GOES TO").nodes(16).essential().in_short(),
        Column::new("PDB").names(12).dropped(1),
        Column::new("THEN").prose(20).in_full(),
        Column::new("THEN").in_short(),
    ];
    page.table(2, columns, table);
    page.left_out_but(2, rows.len() - shown, "workload", ALL_SHOWS_IT);
}

/// What a fate is called in a bar.
fn fate_words(fate: Fate) -> (&'static str, Tone) {
    match fate {
        Fate::Fits => ("fits", Tone::Good),
        Fate::Preempts => ("preempts", Tone::Plain),
        Fate::Pending => ("Pending", Tone::Bad),
        Fate::Stays => ("stays", Tone::Bad),
        Fate::Lost => ("lost", Tone::Bad),
        Fate::Unknown => ("not known", Tone::Bad),
        Fate::Ends => ("ends already", Tone::Quiet),
    }
}

/// Where the pods go, naming at most so many nodes.
fn goes_to(row: &FateOfPods, most: usize) -> String {
    match row.fate {
        Fate::Fits | Fate::Preempts if !row.nodes.is_empty() => {
            let between = if row.pods.len() == 1 { " or " } else { ", " };
            places_in_short(&row.nodes, between, row.elsewhere, most)
        }
        Fate::Pending => "nowhere".to_owned(),
        fate => fate_words(fate).0.to_owned(),
    }
}

fn row_of_pods(row: &FateOfPods, extent: Extent) -> Vec<Span> {
    let (_, tone) = fate_words(row.fate);
    let mut otherwise = String::new();
    for other in row.otherwise.iter().filter_map(|other| goes_instead(*other)) {
        otherwise.push_str(" or ");
        otherwise.push_str(other);
    }
    let is_well = matches!(row.fate, Fate::Fits | Fate::Preempts) && otherwise.is_empty();
    let tone = if is_well { Tone::Plain } else { tone };
    let names: Vec<&str> = row.budgets.iter().map(String::as_str).collect();
    let budgets = match names.join(" + ") {
        none if none.is_empty() => "-".to_owned(),
        names if row.fate == Fate::Stays => names,
        names => format!("{names} (waits)"),
    };
    let [then, then_in_short] = match (&row.why, row.evicts.as_slice()) {
        (Some(why), _) => [reason::message(why, extent).to_owned(), short(why)],
        (None, []) => ["-".to_owned(), "-".to_owned()],
        (None, evicts) => [
            format!("evicts {}", words::list(evicts, extent.named(NAMED))),
            format!("evicts {}", words::count(evicts.len(), "pod")),
        ],
    };
    vec![
        row.name.as_str().into(),
        row.pods.len().to_string().into(),
        Span::new(goes_to(row, extent.named(PLACES)) + &otherwise, tone),
        Span::new(goes_to(row, 1) + &otherwise, tone),
        Span::new(budgets, if row.fate == Fate::Stays { Tone::Bad } else { Tone::Plain }),
        then.into(),
        then_in_short.into(),
    ]
}

/// What a drain may lose, or wait for.
fn warnings(page: &mut Page, node: &NodeRemoval, extent: Extent) {
    let (play, named) = (&node.play, extent.named(NAMED));
    if node.is_silent {
        page.warning(
            "its kubelet does not report: pods that are evicted end only once the node is removed",
        );
    }
    for budget in play.waits() {
        let allows = match budget.allowed {
            0 => "none".to_owned(),
            some => some.to_string(),
        };
        page.warning(format!(
            "PDB {} allows {allows} then ({}): the drain pauses until a replacement is Ready",
            budget.full_name(),
            reason::counts(budget)
        ));
    }
    let victims: Vec<&PlannedVictim> = play.pods.iter().map(|pod| &pod.victim).collect();
    drain::hazards(page, &victims, &LOSSES, named);
    // Replacements are assumed where nothing says that the owner makes none.
    let unknown = play.pods.iter().filter(|pod| pod.victim.afterwards == Afterwards::Unknown);
    let unknown: Vec<String> = unknown.map(|pod| pod.victim.pod.full_name()).collect();
    if !unknown.is_empty() {
        let names = words::list(&unknown, named);
        page.warning(format!("assumes that the owner of {names} recreates it"));
    }
    let pending: Vec<String> = node.pending.iter().cloned().collect();
    drain::competing(page, &pending, named);
}

/// What a drain loses.
const LOSSES: [drain::HazardWords; 2] = [
    (Hazard::Bare, "has no controller: it is lost", "have no controller: they are lost"),
    drain::EMPTY_DIR,
];

/// How the table is to be read, and which pods are not in it.
fn asides(node: &NodeRemoval, removal: &NodesRemoval, extent: Extent) -> Vec<String> {
    let mut asides = Vec::new();
    let open = node.places.values().any(|places| places.nodes.len() > 1);
    let also = node.places.values().any(|places| !places.also_possible.is_empty());
    if open || also {
        let star = if also { "; * others, if another pod comes first" } else { "" };
        asides.push(format!(
            "of several nodes the first is that of the usual order ({} tried){star}",
            words::count(removal.timings, "order")
        ));
    }
    if !node.fresh.is_empty() {
        let fresh = words::list(&node.fresh, extent.named(PLACES));
        asides.push(format!("fresh nodes at that time: {fresh}"));
    }
    asides.extend(drain::staying(node.play.staying.len()));
    asides
}

/// What stops autoscalers, and their Events.
fn holds(page: &mut Page, node: &NodeRemoval, now: Timestamp, extent: Extent) {
    // What holds back an autoscaler for the same reason shares a line.
    let mut said: Vec<(String, String, Vec<String>)> = Vec::new();
    for hold in &node.holds {
        let why = match hold.why {
            HoldReason::Annotation(key) => format!("annotation {key}"),
            HoldReason::Bare => "by default: no controller".to_owned(),
            HoldReason::LocalStorage => "by default: emptyDir".to_owned(),
            HoldReason::SystemPod => "by default: kube-system without a PDB".to_owned(),
        };
        let what = format!("{} leaves the node alone ({why})", hold.by.name());
        let pod = hold.pod.as_ref().map_or_else(|| "the node".to_owned(), PodId::full_name);
        let lift = hold.lifted_by();
        match said.iter_mut().find(|(known, by, _)| *known == what && *by == lift) {
            Some((.., pods)) => pods.push(pod),
            None => said.push((what, lift, vec![pod])),
        }
    }
    for (what, lift, pods) in said {
        let text = format!("{what}: {}", words::list(&pods, extent.named(NAMED)));
        page.line(2, vec![text.into()]);
        page.quiet(4, format!("to lift that: {lift}"));
    }
    for event in node.said.iter().take(extent.named(MOST_EVENTS)) {
        let age = event.time.map_or_else(String::new, |time| {
            format!(" {} ago", words::age(now.as_second() - time.as_second()))
        });
        let text = format!("{}{age}: {}: {}", event.component, event.reason, event.message);
        page.quiet(2, text);
    }
}

fn row(pod: &DrainedPod, node: &NodeRemoval, extent: Extent) -> Vec<Span> {
    let name = pod.victim.pod.full_name();
    let places = node.places.get(&name);
    let step = removal::step_of(&node.play, &pod.victim.pod);
    // The usual order first, then where other orders lead.
    let (mut goes, mut tone) = match (&pod.end, places, step) {
        (DrainEnd::Refused(_) | DrainEnd::Stuck, ..) => ("stays".to_owned(), Tone::Bad),
        (_, _, Some(step)) if matches!(step.proposal, Proposal::Unknown(_)) => {
            ("not known".to_owned(), Tone::Bad)
        }
        (_, _, Some(step)) if !step.is_placed() => ("nowhere".to_owned(), Tone::Bad),
        (_, Some(places), _) if !places.nodes.is_empty() => {
            let elsewhere = !places.also_possible.is_empty();
            let most = extent.named(PLACES);
            (places_in_short(&places.nodes, " or ", elsewhere, most), Tone::Plain)
        }
        _ if pod.victim.afterwards == Afterwards::Gone => ("lost".to_owned(), Tone::Bad),
        _ => ("-".to_owned(), Tone::Plain),
    };
    for other in node.other_outcomes.get(&name).into_iter().flatten() {
        if let Some(other) = goes_instead(*other) {
            goes = format!("{goes} or {other}");
            tone = Tone::Bad;
        }
    }
    let round = match pod.end {
        DrainEnd::Evicted { round } => round.to_string(),
        DrainEnd::Refused(_) | DrainEnd::Stuck => "-".to_owned(),
    };

    // The budget that the eviction waits for, or is refused for in the end.
    let refused = pod.refusal();
    let budgets = refused.map_or_else(
        || "-".to_owned(),
        |refused| {
            let names = refused.budgets.iter().map(|budget| budget.name.as_str());
            names.collect::<Vec<_>>().join(" + ")
        },
    );
    let stays = matches!(pod.end, DrainEnd::Refused(_));
    vec![
        name.into(),
        Span::new(goes, tone),
        round.into(),
        Span::new(budgets, if stays { Tone::Bad } else { Tone::Plain }),
        remark(pod, step, extent).into(),
    ]
}

/// `n1 or n2 +3*`: the first of the nodes that pods may get; a star if others accept them, too.
fn places_in_short(nodes: &[String], between: &str, elsewhere: bool, most: usize) -> String {
    let shown: Vec<&str> = nodes.iter().take(most).map(String::as_str).collect();
    let more = match nodes.len().saturating_sub(most) {
        0 => String::new(),
        more => format!(" +{more}"),
    };
    format!("{}{more}{}", shown.join(between), if elsewhere { "*" } else { "" })
}

/// Where a pod goes in another order than the reported one, if that says more than its nodes.
const fn goes_instead(outcome: DrainOutcome) -> Option<&'static str> {
    match outcome {
        DrainOutcome::NoNode => Some("nowhere"),
        DrainOutcome::Refused => Some("stays"),
        DrainOutcome::Moves => Some("elsewhere"),
        DrainOutcome::ComesBack => Some("back"),
        DrainOutcome::NotRecreated => Some("lost"),
        DrainOutcome::Unknown | DrainOutcome::Stuck | DrainOutcome::Ends => None,
    }
}

fn remark(
    pod: &DrainedPod,
    step: Option<&engine::simulation::sequence::Step>,
    extent: Extent,
) -> String {
    match step.map(|step| &step.proposal) {
        Some(Proposal::Impossible(why)) => {
            let pinned = match &pod.victim.afterwards {
                Afterwards::Pinned(by) => reason::on_node_alone(by),
                _ => None,
            };
            return pinned.unwrap_or_else(|| reason::message(why, extent).to_owned());
        }
        Some(Proposal::Unknown(why)) => return why.clone(),
        Some(Proposal::Evict(plan)) if !plan.victims.is_empty() => {
            let names: Vec<String> = plan.victims.iter().map(|v| v.pod.full_name()).collect();
            return format!("evicts {}", words::list(&names, extent.named(NAMED)));
        }
        _ => {}
    }
    // Without a decision about a replacement, the remark is about the pod itself.
    if pod.end == DrainEnd::Stuck {
        return "is being deleted and does not end".to_owned();
    }
    if pod.victim.terminating_until.is_some() {
        return "is being deleted already".to_owned();
    }
    let kinds: Vec<&str> = (pod.victim.hazards.iter())
        .filter_map(|hazard| match hazard {
            Hazard::Bare => Some("no controller"),
            Hazard::EmptyDir => Some("emptyDir data is lost"),
            _ => None,
        })
        .collect();
    if kinds.is_empty() { "-".to_owned() } else { kinds.join(", ") }
}

/// The pods elsewhere that moved pods preempt, and where their replacements go.
fn preempted(page: &mut Page, node: &NodeRemoval, extent: Extent) {
    for step in node.play.steps.iter().filter(|step| step.depth > 1) {
        let name = step.id.full_name();
        let text = match &step.proposal {
            Proposal::Impossible(why) => {
                format!(
                    "{name} is evicted for them and fits nowhere: {}",
                    reason::message(why, extent)
                )
            }
            Proposal::Unknown(why) => format!("{name} is evicted for them; then: {why}"),
            _ => {
                let to = node.places.get(&name).map(|places| places.nodes.join(" or "));
                format!("{name} is evicted for them and goes to {}", to.unwrap_or_default())
            }
        };
        page.item(2, vec![text.into()]);
    }
}

#[cfg(test)]
mod tests {
    use engine::profile::SchedulerVersion;
    use engine::snapshot::meta::LabelSelector;
    use testing::{NOW, budget, cluster, node, objects, pod};
    use textwrap::core::display_width;

    use crate::page::{Drawn as _, Paper};
    use answers::extent::Extent;
    use answers::input::{InputFlags, LoadedInput, Wishes};
    use answers::origin::InputOrigin;
    use answers::questions::node::{NodeRequest, node as ask};
    use answers::scheduler::SchedulerChoice;

    /// A removal with long names, a pod that fits nowhere, budgets that wait and refuse, and an
    /// autoscaler that leaves the node alone.
    fn printed(width: Option<u16>) -> String {
        let long = "ip-10-0-0-43.eu-central-1.compute.internal";
        let web = |name: &str, app: &str| {
            pod(name).cpu("1").label("app", app).replica_of(app).ready().on(long)
        };
        let list = objects![
            node(long).cpu("16"),
            node("ip-10-0-0-44.eu-central-1.compute.internal").cpu("6"),
            node("ip-10-0-0-45.eu-central-1.compute.internal").cpu("6"),
            web("frontend-7d4b9c6f5d-x8k2p", "frontend"),
            web("frontend-7d4b9c6f5d-z9q4r", "frontend"),
            web("kafka-0", "kafka"),
            web("huge-6c5b8d7f9c-abcde", "huge").cpu("9"),
            pod("debug").ready().on(long),
            budget("frontend").selects("app", "frontend").allowed(1).healthy(2, 1, 2),
            budget("kafka").selects("app", "kafka").allowed(0).healthy(1, 1, 1),
            budget("kafka-old").selects("app", "kafka").allowed(0).healthy(1, 1, 1),
        ];
        let scheduler = SchedulerChoice {
            version: SchedulerVersion::parse("1.37"),
            ..SchedulerChoice::default()
        };
        let (now, selector) = (NOW.parse().expect("a time"), &LabelSelector::default());
        let flags = &InputFlags::default();
        let wishes =
            Wishes { scheduler: &scheduler, now: Some(now), present: now, selector, flags };
        let (place, namespace) =
            (InputOrigin::Files(vec!["cluster.json".to_owned()]), String::new());
        let input = LoadedInput::of_cluster(&mut cluster(list), None, place, namespace, &wishes);
        let input = input.expect("a scheduler");
        let request = NodeRequest { nodes: vec![long.to_owned()], surge: 0 };
        let report = ask(&input, &request).expect("the node");
        let text = report.page(Extent::Top).print(Paper { width, ..Paper::PLAIN });
        text.to_string()
    }

    #[test]
    fn page_of_a_drain_fits_terminals_of_any_width() {
        for width in [80, 120, 200] {
            let text = printed(Some(width));
            let widest = text.lines().map(display_width).max().unwrap_or_default();
            assert!(widest <= usize::from(width), "{width}:\n{text}");
            for want in ["cannot be drained", "frontend", "kafka", "nowhere", "stays"] {
                assert!(text.contains(want), "{want}, {width}:\n{text}");
            }
        }
    }

    #[test]
    fn page_of_a_drain_says_all_in_a_pipe() {
        let text = printed(None);
        for want in [
            "✗ ip-10-0-0-43 cannot be drained: default/kafka-0 has several PDBs; 1 pod stays Pending.",
            "default/kafka-0 is selected by PDBs default/kafka and default/kafka-old: the server always refuses its eviction",
            "default/debug has no controller: it is lost",
            "   Nodes: *.eu-central-1.compute.internal",
            "cluster-autoscaler leaves the node alone (by default: no controller): default/debug",
        ] {
            assert!(text.contains(want), "{want}:\n{text}");
        }
    }
}
