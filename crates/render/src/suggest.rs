//! Changes with which pending pods fit, as text.

use engine::decision::OutcomeKind;
use engine::simulation::plan::PodId;
use engine::simulation::suggest::many::ForMany;
use engine::simulation::suggest::{Move, MovePlan, NewNode, Proof, Suggestion};

use crate::notes;
use crate::page::{Column, Drawn, Page, Sign, Span, Tone};
use answers::extent::{ALL_SHOWS_IT, Extent};
use answers::questions::Basis;
use answers::questions::suggest::{SuggestReport, SuggestedChange, action_words, commands};
use answers::remedies::line;
use answers::words;

/// Maximum number of names in a sentence.
const NAMED: usize = 3;

/// The page; for several pods, what helps them together comes first.
impl Drawn for SuggestReport {
    fn page(&self, extent: Extent) -> Page {
        let mut page = Page::default();
        if let Some(many) = &self.many {
            for_many(&mut page, many, &self.basis, extent);
        }
        for (index, item) in self.items.iter().enumerate() {
            if index > 0 || self.many.is_some() {
                page.gap();
            }
            for_pod(&mut page, item, extent);
            if self.many.is_none() && index == 0 {
                page.based_on(2, &self.basis);
            }
            if item.suggestion.unknown.is_none() {
                body(&mut page, item, extent);
            }
        }
        if self.others > 0 {
            page.gap();
            let kinds = words::count(self.others, "more kind");
            let command = self.basis.flags.command(&["suggest", "POD"]);
            let command = Span::command(words::arguments(&command), Tone::Plain);
            page.line(0, vec![format!("{kinds} of pods: ").into(), command]);
        }
        notes::add(&mut page, &self.notes, extent.is_all());
        page
    }
}

fn for_pod(page: &mut Page, item: &SuggestedChange, extent: Extent) {
    let found = &item.suggestion;
    let sign = match found.helps() {
        _ if found.is_unsure() => (Sign::Unknown, Tone::Bad),
        true => (Sign::Yes, Tone::Good),
        false => (Sign::No, Tone::Bad),
    };
    let is_doubted = found.is_unsure() && found.unknown.is_none();
    let doubt = if is_doubted { " (not certain: see the notes)" } else { "" };
    let alike = match item.alike {
        0 | 1 => String::new(),
        several => format!(", {} more like it", several - 1),
    };
    let (name, priority) = (found.pod.full_name(), found.priority);
    let verdict = verdict(found, extent);
    page.verdict(sign, format!("{name} (priority {priority}{alike}): {verdict}.{doubt}"));
}

/// The suggestion for the pod, in one clause.
fn verdict(found: &Suggestion, extent: Extent) -> String {
    if let Some(why) = &found.unknown {
        return format!("nothing is suggested: {why}");
    }
    if found.outcome == OutcomeKind::Schedulable {
        return format!("fits already, on {}", words::list(&found.nodes, extent.named(NAMED)));
    }
    if let Some(plan) = &found.moves {
        let pods = words::count(plan.moves.len(), "pod");
        return format!("moving {pods} places it on {}, and no pod is lost", plan.node);
    }
    match (found.changes.first(), &found.node) {
        (Some(change), _) => {
            format!("moving pods does not help, but this does: {}", line(change))
        }
        (None, Some(node)) => format!("only one more node like {} places it", node.like),
        (None, None) => "no change was found that places it without losing a pod".to_owned(),
    }
}

fn body(page: &mut Page, item: &SuggestedChange, extent: Extent) {
    let found = &item.suggestion;
    if !found.victims.is_empty() {
        let names: Vec<String> = found.victims.iter().map(PodId::full_name).collect();
        let text =
            format!("Otherwise kube-scheduler evicts {}", words::list(&names, extent.named(NAMED)));
        page.line(2, vec![text.into()]);
    }
    if found.outcome == OutcomeKind::Schedulable {
        return;
    }
    match &found.moves {
        Some(plan) => moves(page, plan, &found.pod),
        None => page.line(2, vec![no_moves(found).into()]),
    }

    // What else helps: without what the first line says, and a new node once, even if it is among the
    // changes.
    let in_first_line = usize::from(found.moves.is_none());
    let mut others: Vec<String> = found.changes.iter().skip(in_first_line).map(line).collect();
    let is_in_first_line = found.moves.is_none() && found.changes.is_empty();
    if let Some(node) = &found.node
        && !is_in_first_line
        && !found.changes.iter().any(|change| change.edits == [node.edit()])
    {
        others.push(format!("add one more node like {}", described(node)));
    }
    if !others.is_empty() {
        page.section("What else would help (checked)");
        for other in others {
            page.item(2, vec![other.into()]);
        }
    }
}

/// `worker-1 (general, cpu=4,memory=16Gi)`.
fn described(node: &NewNode) -> String {
    format!("{} ({})", node.like, kind(node))
}

/// `general, cpu=4,memory=16Gi`.
fn kind(node: &NewNode) -> String {
    let pool = if node.pool.is_empty() { String::new() } else { format!("{}, ", node.pool) };
    format!("{pool}{}", node.shape)
}

fn no_moves(found: &Suggestion) -> String {
    let searched = found.searched;
    let plays = words::count(searched.plays, "set");
    match searched.complete_up_to {
        0 => format!("Searched: {plays} of moves, not all there are"),
        up_to => {
            format!("Searched: all sets of up to {}, some larger ones", words::count(up_to, "move"))
        }
    }
}

/// How certain it is that nothing smaller is enough.
fn proof(plan: &MovePlan) -> &'static str {
    match plan.proof {
        Proof::Smallest => "the smallest: every smaller set was ruled out",
        Proof::FewestMoves => {
            "the fewest: every set of fewer moves was ruled out, not every one of as many"
        }
        Proof::BestFound => "the best that was found; there may be a smaller one",
    }
}

fn moves(page: &mut Page, plan: &MovePlan, pod: &PodId) {
    page.section(format!("Moves (simulated; {})", proof(plan)));
    let mut rows = Vec::new();
    for (at, step) in plan.moves.iter().enumerate() {
        let to = format!("{}{}", step.to, if step.is_open { "*" } else { "" });
        // Without a budget there is nothing to allow; one that could not be read may allow nothing.
        let allows = match step.budget_allows {
            Some(allows) => allows.to_string(),
            None if plan.budgets_unknown => words::UNKNOWN.to_owned(),
            None => "-".to_owned(),
        };
        rows.push(vec![
            Span::from((at + 1).to_string()),
            step.pod.full_name().into(),
            step.priority.to_string().into(),
            step.from.as_str().into(),
            to.into(),
            restart(step).into(),
            allows.into(),
        ]);
    }
    let columns = [
        Column::new("#"),
        Column::new("POD").pods(20),
        Column::new("PRIORITY").dropped(2),
        Column::new("FROM").nodes(10),
        Column::new("TO").nodes(10),
        Column::new("RESTART").prose(10).dropped(3),
        Column::new("PDB ALLOWS").dropped(1),
    ];
    page.table_also(2, columns, rows, "-o wide");
    if plan.moves.iter().any(|step| step.is_open) {
        page.quiet(2, "* or another node");
    }
    page.section("Commands");
    let commands: Vec<String> =
        commands(plan, pod).into_iter().map(|command| format!("  {command}")).collect();
    page.verbatim(&commands.join("\n"));
}

/// The cost of restarting a pod, in a few words.
fn restart(step: &Move) -> String {
    let mut costs = vec![format!("{} to stop", words::age(step.restart.grace_seconds))];
    if step.restart.only_replica {
        costs.push("only replica".to_owned());
    }
    if step.restart.loses_work {
        costs.push("loses work or local data".to_owned());
    }
    costs.join(", ")
}

fn for_many(page: &mut Page, many: &ForMany, basis: &Basis, extent: Extent) {
    let helps = many.left.is_empty() || !many.actions.is_empty();
    let sign = if helps { (Sign::Yes, Tone::Good) } else { (Sign::No, Tone::Bad) };
    page.verdict(sign, line_of_many(many));
    page.based_on(2, basis);
    actions(page, many, extent);
    nodes(page, many, extent);
}

/// The single changes, each with the pods that it lets in.
fn actions(page: &mut Page, many: &ForMany, extent: Extent) {
    if many.actions.is_empty() {
        return;
    }
    let mut rows = Vec::new();
    for action in &many.actions {
        let names: Vec<String> = action.lets_in.iter().map(PodId::full_name).collect();
        let named = if extent.is_all() { names.len() } else { NAMED };
        rows.push(vec![
            Span::from(action_words(&action.edit)),
            words::group_digits(action.lets_in.len()).into(),
            words::list(&names, named).into(),
        ]);
    }
    let untried = match many.cordoned_not_tried {
        0 => String::new(),
        some => format!("; {} not tried", words::count(some, "more cordoned node")),
    };
    page.section(format!(
        "Single actions (checked, in the order of the queue and without evictions{untried})"
    ));
    let columns = [
        Column::new("ACTION").prose(24),
        Column::new("PLACES"),
        Column::new("PODS").prose(20).dropped(1),
    ];
    page.table(2, columns, rows);
}

/// How many nodes of each kind place all pods.
fn nodes(page: &mut Page, many: &ForMany, extent: Extent) {
    if many.nodes.is_empty() {
        return;
    }
    let shown = extent.shown(many.nodes.len());
    let mut rows = Vec::new();
    for needed in many.nodes.iter().take(shown) {
        rows.push(vec![
            Span::from(if needed.is_most {
                format!("{} or more", needed.number)
            } else {
                needed.number.to_string()
            }),
            needed.node.like.as_str().into(),
            kind(&needed.node).into(),
            words::group_digits(needed.places).into(),
            words::group_digits(needed.remain).into(),
        ]);
    }
    page.section("Nodes to add (checked)");
    let columns = [
        Column::new("NODES"),
        Column::new("LIKE").nodes(14),
        Column::new("SHAPE").prose(20).dropped(1),
        Column::new("PLACES"),
        Column::new("LEFT"),
    ];
    page.table(2, columns, rows);
    page.left_out_but(2, many.nodes.len() - shown, "kind", ALL_SHOWS_IT);
}

/// The first line about several pods: how many fit, the best single action, and what was not tried.
fn line_of_many(many: &ForMany) -> String {
    let left = many.left.len();
    let best = match many.actions.first() {
        None if left == 0 => String::new(),
        None => ", and no single change of nodes that was tried places more".to_owned(),
        Some(action) => {
            let more = words::group_digits(action.lets_in.len());
            format!("; {} places {more} more", action_words(&action.edit))
        }
    };

    // Pods of groups are placed together, so no change for one of them could be tried.
    let pods = words::count(many.not_tried, "pod");
    let doubt = match (many.not_tried, many.of_groups) {
        (0, _) => String::new(),
        (_, 0) => format!(" ({pods} not tried)"),
        (all, of_groups) if all == of_groups => {
            format!(" ({pods} of groups not tried: kube-scheduler places them together)")
        }
        (_, of_groups) => format!(" ({pods} not tried, {of_groups} of them in groups)"),
    };
    format!(
        "{}: {} fit without a change, {} do not{best}.{doubt}",
        words::count(many.pods, "pending pod"),
        words::group_digits(many.fit_now.len()),
        words::group_digits(left),
    )
}
