//! The part of the page that needs no JavaScript: the decision about one pod. It opens with the
//! answer that a terminal shows ([`crate::screen`]); everything else is collapsed.

use super::super::escape::{html, html_names};
use super::super::program::ProgramName;
use super::super::screen;
use super::{HtmlRow, folded, number, picture, room, table, text};
use answers::headline::{headline, rules_in_short};
use answers::pod_report::{PodReport, REPORT, REPORTED, RejectionCause};
use answers::timeline::Timeline;
use answers::{notes as note_text, remedies, words};
use engine::decision::OutcomeKind;
use engine::decision::blockers::Blockers;
use engine::preemption::dry_run::{Candidate, Victim};

/// Maximum number of nodes named per cause.
const NODES_NAMED: usize = 5;
/// Maximum number of candidates in the tie-break table.
const COMPARED: usize = 5;
/// Maximum number of tied nodes that are shown in full.
const WINNERS_SHOWN: usize = 5;

/// Appends the section of a pod.
pub(crate) fn write(out: &mut String, model: &PodReport, index: usize, program: ProgramName) {
    let (class, sign, outcome) = match model.kind() {
        OutcomeKind::Schedulable => ("good", "✓", "fits"),
        OutcomeKind::Preempt => ("bad", "!", "preempts"),
        OutcomeKind::Unschedulable if !model.stuck_victims().is_empty() => ("bad", "!", "stuck"),
        OutcomeKind::Unschedulable if model.awaited().is_some() => {
            ("good", "✓", "waits for its victims")
        }
        OutcomeKind::Unschedulable => ("bad", "✗", "stays pending"),
        OutcomeKind::Error(_) => ("bad", "✗", "ends with an error"),
        OutcomeKind::NotInQueue => ("plain", "–", "not in the queue"),
    };
    let (class, sign, doubt) =
        if model.is_unsure() { ("bad", "?", ", not certain") } else { (class, sign, "") };
    let headline = html_names(&headline(model));
    out.push_str(&format!(
        "<section class=\"pod\" id=\"pod-{index}\" aria-labelledby=\"head-{index}\">\n<div class=\"answer\">\n\
         <p class=\"badge {class}\">{sign} {outcome}{doubt}</p>\n<h1 id=\"head-{index}\">{headline}</h1>\n"
    ));

    // What a terminal shows is open; what it leaves out can be unfolded.
    about(out, model);
    out.push_str(&screen::body(model, screen::SCREEN).html());
    out.push_str("</div>\n");
    picture::write(out, model);
    timeline(out, model);
    if !model.nodes().is_empty() {
        out.push_str(&format!(
            "<details open class=\"nodes\">\n<summary><h2>Every node</h2></summary>\n\
             <div class=\"explorer\" data-pod=\"{index}\"></div>\n<noscript><p class=\"quiet\">With JavaScript, every node \
             can be looked at here; -o csv and --nodes list them, too.</p></noscript>\n</details>\n"
        ));
    }
    room::sections(out, model);
    tie_break(out, model);
    winners(out, model);
    folded(out, "Every cause, with its nodes", &causes(model.causes(), model));
    folded(out, "Where preemption does not help", &causes(model.preemption_failures(), model));
    remedies(out, model, program);
    messages(out, model);
    waiting(out, model);
    notes(out, model);
    out.push_str("</section>\n");
}

/// What Events and pods that are ending say about the time.
fn timeline(out: &mut String, model: &PodReport) {
    let timeline = Timeline::of(model);
    if timeline.is_telling() {
        let content = crate::timeline::page(&timeline).html();
        out.push_str(&format!(
            "<section class=\"answer\">\n<h2><strong>So far</strong></h2>\n{content}</section>\n"
        ));
    }
}

fn remedies(out: &mut String, model: &PodReport, program: ProgramName) {
    let Some(section) = remedies::section(model).filter(|section| !section.lines.is_empty()) else {
        return;
    };
    let found = model.remedies.iter().flat_map(|remedies| &remedies.found);
    let items = section.lines.iter().zip(found).map(|(line, remedy)| {
        let command = match remedy.check.as_slice() {
            [] => String::new(),
            check => {
                let command = format!("{program} {}", words::arguments(check));
                format!("<br><code class=\"copy\">{}</code>", html(&command))
            }
        };
        format!("<li>{}{command}</li>", html_names(line))
    });
    folded(
        out,
        &section.head,
        &format!("<ul class=\"remedies\">{}</ul>\n", items.collect::<String>()),
    );
}

fn about(out: &mut String, model: &PodReport) {
    let (profile, header) = (model.profile(), &model.cluster().header);
    let mut parts = vec![
        format!("rules: kube-scheduler {}", html(&rules_in_short(profile))),
        format!("as of {}", model.now.strftime("%Y-%m-%d %H:%M:%S UTC")),
    ];
    if let Some(captured) = &header.captured_at {
        parts.push(format!("snapshot of {}", html(captured)));
    }
    out.push_str(&format!("<p class=\"quiet\">{}</p>\n", parts.join(" · ")));
}

fn causes(causes: &[RejectionCause], model: &PodReport) -> String {
    if causes.is_empty() {
        return String::new();
    }
    let total = model.cluster().nodes.len().max(1);
    let mut rows = Vec::new();
    for cause in causes {
        let names: Vec<&str> = cause.nodes.iter().map(|node| model.node(*node)).collect();
        let names = html_names(&words::list(&names, NODES_NAMED));
        let reasons: Vec<String> =
            cause.reasons.iter().map(|r| format!("<code>{}</code>", html(&r.text))).collect();
        let mut text = reasons.join(", ");
        for detail in &cause.details {
            text.push_str(&format!("<br>{}", html(detail)));
        }
        text.push_str(&format!("<br><span class=\"quiet\">{names}</span>"));
        let nodes = words::group_digits(cause.nodes.len());
        let percent = cause.nodes.len() * 100 / total;
        let bar = "<svg class=\"bar\" aria-hidden=\"true\"><rect";
        rows.push(HtmlRow::new([
            format!("{nodes}{bar} width=\"{percent}%\" height=\"100%\"/></svg>"),
            html(&cause.plugin),
            text,
        ]));
    }
    table("causes", &[number("Nodes"), text("Plugin"), text("Cause")], rows)
}

fn winners(out: &mut String, model: &PodReport) {
    let winners: Vec<&Candidate> = model.winners().collect();
    // Why there are several is said once, with the first of them.
    let mut tied = match winners.len() {
        0 | 1 => String::new(),
        tied => format!("<p>{}</p>\n", html(&model.why_several(tied))),
    };
    for candidate in winners.into_iter().take(WINNERS_SHOWN) {
        let (node, victims) =
            (model.node(candidate.node), words::count(candidate.victims.len(), "pod"));
        let mut content = std::mem::take(&mut tied);
        if !candidate.victims.is_empty() {
            let heads = [
                text("Victim"),
                number("Priority"),
                text("Age"),
                text("Owner"),
                text("Violates PDB"),
            ];
            content.push_str(&table(
                "named",
                &heads,
                candidate.victims.iter().map(|victim| victim_row(victim, model)),
            ));
        }
        reprieve(&mut content, candidate, model);
        folded(out, &format!("Evicted on {node}: {victims}"), &content);
    }
}

fn victim_row(victim: &Victim, model: &PodReport) -> HtmlRow {
    let pod = model.pod_summary(victim.pod);
    let budgets = model.budgets(victim);
    let violates = html(&words::violated(&budgets, "–", model.cluster()));
    let violates =
        if violates == "–" { violates } else { format!("<strong>! {violates}</strong>") };
    let mut name =
        format!("{}{}", html_names(&pod.name), if pod.terminating { " (terminating)" } else { "" });
    if let Some(unprotected) = model.unprotected(victim.pod) {
        name.push_str(&format!("<br><strong>! {}</strong>", html(&unprotected)));
    }
    HtmlRow::new([name, pod.priority.to_string(), html(&pod.age), html_names(&pod.owner), violates])
}

/// The order in which pods were added back, and which of them are victims.
fn reprieve(out: &mut String, candidate: &Candidate, model: &PodReport) {
    if candidate.reprieve_order.is_empty() {
        return;
    }
    let tried = words::count(candidate.reprieve_order.len(), "pod");
    out.push_str(&format!(
        "<p class=\"quiet\">Reprieve: {tried} are put back in this order; each stays if there is room.</p>\n\
         <ol class=\"timeline\">\n"
    ));
    let mut blocks = model.blocks(candidate, &Blockers::new(model));
    for tried in candidate.reprieve_order.iter() {
        let pod = model.pod_summary(tried.pod);
        let victim = candidate.victims.iter().find(|victim| victim.pod == tried.pod);
        let (class, mark) =
            if victim.is_some() { ("bad", "✗ evicted") } else { ("good", "✓ reprieved") };
        // A victim is explained by what would reject the preemptor if it stayed.
        let why = blocks.remove(&tried.pod).unwrap_or_default();
        let protected =
            if tried.violates_pdb { " · would violate a PDB, so tried first" } else { "" };
        out.push_str(&format!(
            "<li><span class=\"{class}\">{mark}</span> {} <span class=\"quiet\">priority {}{protected}</span> {}</li>\n",
            html_names(&pod.name),
            pod.priority,
            if why.is_empty() { String::new() } else { format!("<code>{}</code>", html(&why)) },
        ));
    }
    out.push_str("</ol>\n");
}

fn tie_break(out: &mut String, model: &PodReport) {
    let ranked = model.ranked();
    let nodes: Vec<_> = ranked.iter().take(COMPARED).map(|candidate| candidate.node).collect();
    let steps = model.tie_break(&nodes);
    if steps.is_empty() {
        return;
    }
    let heads = [text("Step")]
        .into_iter()
        .chain(nodes.iter().map(|node| number(model.node(*node))))
        .chain([number("Left")]);
    let rows = steps.into_iter().map(|step| {
        let name = format!("{}{}", html(step.name), if step.decides { " ← decides" } else { "" });
        let values = step.values.iter().map(|value| html(value));
        let cells =
            std::iter::once(name).chain(values).chain([words::group_digits(step.left)]).collect();
        HtmlRow { cells, decides: step.decides }
    });
    let title = format!("What decides between {}", words::count(ranked.len(), "candidate"));
    folded(out, &title, &table("named ladder", &heads.collect::<Vec<_>>(), rows));
}

fn messages(out: &mut String, model: &PodReport) {
    let messages = model.messages();
    let other = model.other_condition();
    if model.scheduler_message().is_none() && messages.is_empty() && other.is_none() {
        return;
    }
    let head =
        if model.scheduler_message().is_none() && other.is_some() { REPORTED } else { REPORT };
    let mut content = String::new();
    if let Some(message) = model.scheduler_message() {
        content.push_str(&format!("<blockquote><code>{}</code></blockquote>\n", html(message)));
    }
    if let Some(other) = other {
        content.push_str(&format!(
            "<p>{}</p>\n<blockquote><code>{}</code></blockquote>\n",
            html(&other.why),
            html(other.message)
        ));
    }

    // Each part of the message, with its meaning.
    let meanings = messages.iter().map(|(text, message)| {
        let (text, meaning) = (html(text), html(message.meaning));
        format!(
            "<dt><code>{text}</code> <span class=\"quiet\">{}</span></dt><dd>{meaning}</dd>\n",
            message.code
        )
    });
    content.push_str(&format!("<dl>\n{}</dl>\n", meanings.collect::<String>()));
    folded(out, head, &content);
}

fn waiting(out: &mut String, model: &PodReport) {
    let Some(waiting) = model.waiting() else { return };
    let mut items: Vec<String> = waiting.kept_by.iter().map(|reason| html(reason)).collect();
    let retried = waiting.retried_on.iter();
    items.extend(
        retried.map(|(plugin, when)| format!("<strong>{}</strong>: {}", html(plugin), html(when))),
    );
    let (first, longest) = (waiting.first_backoff, waiting.longest_backoff);
    items.push(format!("between attempts {first} s, doubling up to {longest} s"));
    folded(
        out,
        "When it is retried",
        &format!("<ul>\n<li>{}</li>\n</ul>\n", items.join("</li>\n<li>")),
    );
}

fn notes(out: &mut String, model: &PodReport) {
    let notes: String = model.notes.iter().fold(String::new(), |notes, note| {
        let (name, code, text) =
            (note.severity.name(), note.doc.code, html(&note_text::sentence(note)));
        notes + &format!("<li class=\"{name}\"><strong>{name}</strong> {text} [{code}]</li>\n")
    });
    if !notes.is_empty() {
        folded(out, "All notes", &format!("<ul>\n{notes}</ul>\n"));
    }
}
