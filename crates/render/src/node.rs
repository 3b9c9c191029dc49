//! Whether nodes can be removed, as text: the answer in a line, the obstacles, and where each pod
//! goes.

use super::notes;
use super::page::{Column, Drawn, Page, Sign, Span, Tone};
use answers::extent::{ALL_SHOWS_IT, Extent};
use answers::headline::doubt;
use answers::questions::node::{NodeReport, reason};
use answers::words;
use engine::simulation::hazard::Hazard;
use engine::simulation::plan::{Afterwards, PodId};
use engine::simulation::planning::Proposal;
use engine::simulation::removal::holds::HoldReason;
use engine::simulation::removal::outcomes::{DrainObstacle, DrainOutcome, Holds};
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

/// The page about nodes.
impl Drawn for NodeReport {
    fn page(&self, extent: Extent) -> Page {
        let removal = &self.removal;
        let mut page = Page::default();
        let doubt = doubt(removal.notes.iter());
        let below = self.basis.line();
        let several = removal.nodes.len() > 1;
        if several {
            overview(&mut page, removal, &doubt);
            page.line(2, vec![Span::new(below.clone(), Tone::Quiet)]);
            for command in &self.commands {
                page.line(2, vec![Span::new(command.as_str(), Tone::Strong)]);
            }
        }
        for node in &removal.nodes {
            if several {
                page.gap();
            }
            let doubt = if several { "" } else { &*doubt };
            verdict(&mut page, node, removal, doubt);
            if !several {
                page.line(2, vec![Span::new(below.clone(), Tone::Quiet)]);
                for command in &self.commands {
                    page.line(2, vec![Span::new(command.as_str(), Tone::Strong)]);
                }
            }
            section(&mut page, node, removal, self.basis.now(), extent);
        }
        notes::add(&mut page, &removal.notes, true);
        page
    }
}

/// The line about all of them.
fn overview(page: &mut Page, removal: &NodesRemoval, doubt: &str) {
    let can: Vec<&str> = (removal.nodes.iter().filter(|node| node.verdict == RemovalVerdict::Can))
        .map(|node| node.node.as_str())
        .collect();
    let all = removal.nodes.len();
    let fresh = match removal.surge {
        0 => String::new(),
        1 => " with 1 fresh node".to_owned(),
        fresh => format!(" with {fresh} fresh nodes"),
    };
    let text = match can.len() {
        0 => format!("none of {all} nodes can be drained{fresh}"),
        1 => format!("1 of {all} nodes can be drained{fresh}: {}", can.join("")),
        some if some == all => {
            format!("all {all} nodes can be drained{fresh} in this order: {}", can.join(", "))
        }
        some => {
            format!("{some} of {all} nodes can be drained{fresh} in this order: {}", can.join(", "))
        }
    };
    let left = if removal.orders_left { "; more orders were not tried" } else { "" };
    let (sign, tone) = if removal.is_unsure() {
        (Sign::Unknown, Tone::Bad)
    } else if removal.all_can() {
        (Sign::Yes, Tone::Good)
    } else {
        (Sign::No, Tone::Bad)
    };
    let text = format!("{text}{left}.{doubt}");
    page.line(0, vec![Span::signed(sign, "", tone), Span::new(text, Tone::Strong)]);
}

fn verdict(page: &mut Page, node: &NodeRemoval, removal: &NodesRemoval, doubt: &str) {
    let (sign, tone) = match node.verdict {
        _ if !doubt.is_empty() => (Sign::Unknown, Tone::Bad),
        RemovalVerdict::Can => (Sign::Yes, Tone::Good),
        RemovalVerdict::Cannot => (Sign::No, Tone::Bad),
        RemovalVerdict::DependsOnTiming
        | RemovalVerdict::DependsOnReadiness
        | RemovalVerdict::Unsure => (Sign::Unknown, Tone::Bad),
    };
    let text = format!("{}.{doubt}", sentence(node, removal));
    page.line(0, vec![Span::signed(sign, "", tone), Span::new(text, Tone::Strong)]);
}

/// `n1 can be drained: 14 pods move, 2 budgets make it wait`. What no rule shows for every order is
/// said of the orders that were tried.
fn sentence(node: &NodeRemoval, removal: &NodesRemoval) -> String {
    let name = &node.node;
    let tried = removal.timings;
    let (always, sometimes) = obstacles(node);
    let all = || [always.as_slice(), sometimes.as_slice()].concat();
    match node.verdict {
        RemovalVerdict::Can if removal.every_order || tried == 1 => {
            format!("{name} can be drained: {}", moves(node))
        }
        RemovalVerdict::Can => {
            format!("{name} can be drained in all {tried} orders tried: {}", moves(node))
        }
        RemovalVerdict::Cannot => {
            let is_proven = tried == 1
                || node.obstacles.iter().any(|obstacle| obstacle.holds == Holds::EveryOrder);
            let orders =
                if is_proven { String::new() } else { format!(" in any of {tried} orders tried") };
            let mut parts = Vec::new();
            if !always.is_empty() || sometimes.is_empty() {
                parts.push(in_the_way(&always).join(", "));
            }
            if !sometimes.is_empty() {
                let some = in_the_way_for(&sometimes, "up to ").join(", ");
                parts.push(format!("depending on timing, {some}"));
            }
            format!("{name} cannot be drained{orders}: {}", parts.join("; "))
        }
        RemovalVerdict::DependsOnTiming => format!(
            "{name} can perhaps be drained: it depends on timing ({} of {tried} orders tried work). It may be that {}",
            node.timings_done,
            in_the_way(&all()).join(", ")
        ),
        RemovalVerdict::DependsOnReadiness => format!(
            "{name} can perhaps be drained: only if the replacement of {} becomes Ready; else {}",
            words::list(&node.play.unready.iter().map(PodId::full_name).collect::<Vec<_>>(), NAMED),
            in_the_way(&all()).join(", ")
        ),
        RemovalVerdict::Unsure => {
            format!("whether {name} can be drained is not known: {}", in_the_way(&all()).join(", "))
        }
    }
}

/// What is in the way in all orders, and what only in some.
fn obstacles(node: &NodeRemoval) -> (Vec<RemovalObstacle>, Vec<RemovalObstacle>) {
    let (some, all): (Vec<_>, Vec<_>) =
        node.obstacles.iter().partition(|obstacle| obstacle.holds == Holds::SomeOrders);
    let reasons = |list: Vec<&DrainObstacle>| {
        list.into_iter().map(|obstacle| obstacle.reason.clone()).collect()
    };
    (reasons(all), reasons(some))
}

/// `14 pods move, 1 is lost, 2 budgets make it wait`.
fn moves(node: &NodeRemoval) -> String {
    let play = &node.play;
    let lost = removal::lost(play).len();
    let moving = play.pods.len() - lost;
    let mut parts = Vec::new();
    match moving {
        0 => {}
        1 => parts.push("1 pod moves".to_owned()),
        many => parts.push(format!("{} move", words::count(many, "pod"))),
    }
    match (lost, moving) {
        (0, _) => {}
        (1, 0) => parts.push("1 pod is lost for good".to_owned()),
        (1, _) => parts.push("1 is lost for good".to_owned()),
        (many, 0) => parts.push(format!("{} are lost for good", words::count(many, "pod"))),
        (many, _) => parts.push(format!("{many} are lost for good")),
    }
    match play.waits().len() {
        0 => {}
        1 => parts.push("1 budget makes it wait".to_owned()),
        many => parts.push(format!("{many} budgets make it wait")),
    }
    let preempted: usize = play.steps.iter().map(victims_of).sum();
    match preempted {
        0 => {}
        1 => parts.push("1 pod elsewhere is evicted for them".to_owned()),
        many => parts.push(format!("{many} pods elsewhere are evicted for them")),
    }
    if parts.is_empty() { "no pod has to leave".to_owned() } else { parts.join(", ") }
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
fn in_the_way(reasons: &[RemovalObstacle]) -> Vec<String> {
    in_the_way_for(reasons, "")
}

/// The same, with words before the number of several pods, such as `up to `.
fn in_the_way_for(reasons: &[RemovalObstacle], number: &str) -> Vec<String> {
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
    match own {
        0 => {}
        1 => parts.push("1 pod fits nowhere".to_owned()),
        many => parts.push(format!("{number}{many} pods fit nowhere")),
    }
    match preempted {
        0 => {}
        1 => parts.push("1 pod that is evicted for them fits nowhere".to_owned()),
        many => parts.push(format!("{number}{many} pods that are evicted for them fit nowhere")),
    }
    // A few budgets are named, more of them counted.
    let are_named = closed <= NAMED;
    if !are_named {
        parts.push(format!("{closed} PDBs allow none"));
    }
    let rest = reasons.iter().filter(|reason| are_named || !is_closed_budget(reason));
    parts.extend(rest.filter_map(reason::in_short));
    match unknown {
        0 => {}
        1 => parts.push("where 1 pod goes".to_owned()),
        many => parts.push(format!("where {many} pods go")),
    }
    if parts.is_empty() {
        parts.push("see the notes".to_owned());
    }
    parts
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
    for obstacle in &node.obstacles {
        let when = match obstacle.holds {
            Holds::SomeOrders => "depending on timing: ",
            Holds::EveryOrder | Holds::OrdersTried => "",
        };
        let text = format!("{when}{}", reason::text(&obstacle.reason, extent));
        page.line(2, vec![Span::new("! ", Tone::Bad), text.into()]);
    }
    remarks(page, node, removal, extent);
    holds(page, node, now, extent);

    let play = &node.play;
    if play.pods.is_empty() {
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
    if shown < play.pods.len() {
        page.left_out_but(2, words::count(play.pods.len() - shown, "more pod"), ALL_SHOWS_IT);
    }
    preempted(page, node, extent);
}

/// Further remarks about the drain.
fn remarks(page: &mut Page, node: &NodeRemoval, removal: &NodesRemoval, extent: Extent) {
    for warning in warnings(node, extent) {
        page.line(2, vec![Span::new("! ", Tone::Bad), warning.into()]);
    }
    for aside in asides(node, removal, extent) {
        page.line(2, vec![Span::new(aside, Tone::Quiet)]);
    }
}

/// What a drain may lose, or wait for.
fn warnings(node: &NodeRemoval, extent: Extent) -> Vec<String> {
    let play = &node.play;
    let mut warnings = Vec::new();
    if node.is_silent {
        let text =
            "its kubelet does not report: pods that are evicted end only once the node is removed";
        warnings.push(text.to_owned());
    }
    for budget in play.waits() {
        let allows = match budget.allowed {
            0 => "none".to_owned(),
            some => some.to_string(),
        };
        warnings.push(format!(
            "PodDisruptionBudget {} allows {allows} at that moment ({}): the drain waits until replacements are Ready",
            budget.full_name(),
            reason::counts(budget)
        ));
    }
    for (hazard, one, several) in [
        (Hazard::Bare, "has no controller: it is lost", "have no controller: they are lost"),
        (
            Hazard::EmptyDir,
            "loses the data of its emptyDir volumes",
            "lose the data of their emptyDir volumes",
        ),
    ] {
        let found = play.pods.iter().filter(|pod| pod.victim.hazards.contains(&hazard));
        let names: Vec<String> = found.map(|pod| pod.victim.pod.full_name()).collect();
        match names.as_slice() {
            [] => {}
            [name] => warnings.push(format!("{name} {one}")),
            names => {
                warnings.push(format!("{} {several}", words::list(names, extent.named(NAMED))));
            }
        }
    }
    let unknown = play.pods.iter().filter(|pod| pod.victim.afterwards == Afterwards::Unknown);
    let unknown: Vec<String> = unknown.map(|pod| pod.victim.pod.full_name()).collect();
    if !unknown.is_empty() {
        let names = words::list(&unknown, extent.named(NAMED));
        warnings.push(format!("it is assumed that the owner of {names} makes a pod like it again"));
    }
    if !node.pending.is_empty() {
        let names: Vec<&String> = node.pending.iter().collect();
        let (wait, want) = if names.len() == 1 { ("waits", "wants") } else { ("wait", "want") };
        warnings.push(format!(
            "{} {wait} already and {want} the same room: they may take it first",
            words::list(&names, extent.named(NAMED))
        ));
    }
    warnings
}

/// How the table is to be read, and which pods are not in it.
fn asides(node: &NodeRemoval, removal: &NodesRemoval, extent: Extent) -> Vec<String> {
    let mut asides = Vec::new();
    let open = node.places.values().any(|places| places.nodes.len() > 1);
    let also = node.places.values().any(|places| !places.also_possible.is_empty());
    if open || also {
        let star =
            if also { "; * if another pod comes first, it may go elsewhere, too" } else { "" };
        asides.push(format!(
            "of several nodes the first is the usual one ({} tried){star}",
            words::count(removal.timings, "order")
        ));
    }
    if !node.fresh.is_empty() {
        let fresh = words::list(&node.fresh, extent.named(PLACES));
        asides.push(format!("fresh nodes at that time: {fresh}"));
    }
    let staying = node.play.staying.len();
    if staying > 0 {
        let stay = if staying == 1 { "stays" } else { "stay" };
        asides.push(format!("{} of DaemonSets or static {stay}", words::count(staying, "pod")));
    }
    asides
}

/// What stops autoscalers, and their Events.
fn holds(page: &mut Page, node: &NodeRemoval, now: Timestamp, extent: Extent) {
    let mut said: Vec<(String, Vec<String>)> = Vec::new();
    for hold in &node.holds {
        let why = match hold.why {
            HoldReason::Annotation(key) => format!("annotation {key}"),
            HoldReason::Bare => "by default: no controller".to_owned(),
            HoldReason::LocalStorage => "by default: emptyDir".to_owned(),
            HoldReason::SystemPod => "by default: kube-system without a PDB".to_owned(),
        };
        let what = format!("{} leaves the node alone ({why})", hold.by.name());
        let pod = hold.pod.as_ref().map_or_else(|| "the node".to_owned(), PodId::full_name);
        match said.iter_mut().find(|(known, _)| *known == what) {
            Some((_, pods)) => pods.push(pod),
            None => said.push((what, vec![pod])),
        }
    }
    for (what, pods) in said {
        let text = format!("{what}: {}", words::list(&pods, extent.named(NAMED)));
        page.line(2, vec![text.into()]);
    }
    for event in node.said.iter().take(extent.named(MOST_EVENTS)) {
        let age = event.time.map_or_else(String::new, |time| {
            format!(" {} ago", words::age(now.as_second() - time.as_second()))
        });
        let text = format!("{}{age}: {}: {}", event.component, event.reason, event.message);
        page.line(2, vec![Span::new(text, Tone::Quiet)]);
    }
}

fn row(pod: &DrainedPod, node: &NodeRemoval, extent: Extent) -> Vec<Span> {
    let name = pod.victim.pod.full_name();
    let places = node.places.get(&name);
    let step = removal::step_of(&node.play, &pod.victim.pod);
    let (mut goes, mut tone) = match (&pod.end, places, step) {
        (DrainEnd::Refused(_) | DrainEnd::Stuck, ..) => ("stays".to_owned(), Tone::Bad),
        (_, _, Some(step)) if matches!(step.proposal, Proposal::Unknown(_)) => {
            ("not known".to_owned(), Tone::Bad)
        }
        (_, _, Some(step)) if !step.is_placed() => ("nowhere".to_owned(), Tone::Bad),
        (_, Some(places), _) if !places.nodes.is_empty() => {
            let star = if places.also_possible.is_empty() { "" } else { "*" };
            let most = extent.named(PLACES);
            let more = places.nodes.len().saturating_sub(most);
            let shown: Vec<&str> = places.nodes.iter().take(most).map(String::as_str).collect();
            let more = if more == 0 { String::new() } else { format!(" +{more}") };
            (format!("{}{more}{star}", shown.join(" or ")), Tone::Plain)
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
    let refused = match &pod.end {
        DrainEnd::Refused(refused) => Some(refused),
        DrainEnd::Evicted { .. } | DrainEnd::Stuck => pod.refused.as_ref(),
    };
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
        Some(Proposal::Impossible(why)) => return reason::message(why, extent).to_owned(),
        Some(Proposal::Unknown(why)) => return why.clone(),
        Some(Proposal::Evict(plan)) if !plan.victims.is_empty() => {
            let names: Vec<String> = plan.victims.iter().map(|v| v.pod.full_name()).collect();
            return format!("evicts {}", words::list(&names, extent.named(NAMED)));
        }
        _ => {}
    }
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
mod tests;
