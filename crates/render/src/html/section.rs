//! The part of the page that needs no JavaScript: the decision about one pod.

use super::super::escape::html;
use super::super::facts::{Facts, REPORT, REPORTED, RejectionCause};
use super::super::headline::{headline, rules_in_short};
use super::super::{notes as note_text, remedies, words};
use engine::decision::Outcome;
use engine::preemption::dry_run::{Candidate, Victim};

/// The most nodes of a cause that are named.
const NODES_NAMED: usize = 5;
/// The most candidates in the tie-break table.
const COMPARED: usize = 5;
/// The most nodes of a tie that are shown in full.
const WINNERS_SHOWN: usize = 5;

/// Appends the section of a pod.
pub(crate) fn write(out: &mut String, facts: &Facts, index: usize) {
    let (class, sign, outcome) = match &facts.decision.outcome {
        Outcome::Schedulable => ("good", "✓", "fits"),
        Outcome::Preempt => ("bad", "!", "preempts"),
        Outcome::Unschedulable => ("bad", "✗", "stays pending"),
        Outcome::Error(_) => ("bad", "✗", "ends with an error"),
        Outcome::NotInQueue(_) => ("plain", "–", "not in the queue"),
    };
    let (class, sign, doubt) =
        if facts.decision.is_unsure() { ("bad", "?", ", not certain") } else { (class, sign, "") };
    let headline = html(&headline(facts.decision));
    out.push_str(&format!(
        "<section class=\"pod\" id=\"pod-{index}\" aria-labelledby=\"head-{index}\">\n\
         <p class=\"badge {class}\">{sign} {outcome}{doubt}</p>\n<h1 id=\"head-{index}\">{headline}</h1>\n"
    ));
    about(out, facts);
    remedies(out, facts);
    causes(out, "What blocks it", facts.causes(), facts);
    if let Some(reason) = facts.untried() {
        out.push_str(&format!("<h2>Preemption</h2>\n<p>Not tried: {}.</p>\n", html(&reason)));
    }
    winners(out, facts);
    tie_break(out, facts);
    causes(out, "Where preemption does not help", facts.preemption_failures(), facts);
    if !facts.decision.nodes.is_empty() {
        out.push_str(&format!(
            "<div class=\"explorer\" data-pod=\"{index}\"></div>\n<noscript><p class=\"quiet\">With JavaScript, every node \
             can be looked at here; -o csv and --nodes list them, too.</p></noscript>\n"
        ));
    }
    messages(out, facts);
    waiting(out, facts);
    notes(out, facts);
    out.push_str("</section>\n");
}

fn remedies(out: &mut String, facts: &Facts) {
    let Some(section) = remedies::section(facts.decision) else { return };
    out.push_str(&format!("<h2>{}</h2>\n", html(&section.head)));
    if section.lines.is_empty() {
        return;
    }
    let items: Vec<String> = section.lines.iter().map(|line| format!("<li>{}</li>", html(line))).collect();
    out.push_str(&format!("<ul>{}</ul>\n<p>The first: <code>{}</code></p>\n", items.join(""), html(&section.check)));
}

fn about(out: &mut String, facts: &Facts) {
    let (profile, header) = (facts.decision.profile(), &facts.cluster().header);
    let mut parts = vec![
        format!("rules: kube-scheduler {}", html(&rules_in_short(profile))),
        format!("as of {}", html(&facts.now.to_string())),
    ];
    if let Some(captured) = &header.captured_at {
        parts.push(format!("snapshot of {}", html(captured)));
    }
    out.push_str(&format!("<p class=\"quiet\">{}</p>\n", parts.join(" · ")));
}

fn causes(out: &mut String, title: &str, causes: &[RejectionCause], facts: &Facts) {
    if causes.is_empty() {
        return;
    }
    let total = facts.cluster().nodes.len().max(1);
    out.push_str(&format!(
        "<h2>{title}</h2>\n<div class=\"scroll\"><table class=\"causes\">\n<thead><tr><th class=\"number\">Nodes</th>\
         <th>Plugin</th><th>Cause</th></tr></thead>\n<tbody>\n"
    ));
    for cause in causes {
        let names: Vec<&str> = cause.nodes.iter().map(|node| facts.node(*node)).collect();
        let reasons: Vec<String> = cause.reasons.iter().map(|r| format!("<code>{}</code>", html(&r.text))).collect();
        let details = cause.details.iter().map(|detail| format!("<br>{}", html(detail)));
        out.push_str(&format!(
            "<tr><td class=\"number\">{}<svg class=\"bar\" aria-hidden=\"true\"><rect width=\"{}%\" height=\"100%\"/></svg>\
             </td><td>{}</td><td>{}{}<br><span class=\"quiet\">{}</span></td></tr>\n",
            words::group_digits(cause.nodes.len()),
            cause.nodes.len() * 100 / total,
            html(&cause.plugin),
            reasons.join(", "),
            details.collect::<String>(),
            html(&words::list(&names, NODES_NAMED)),
        ));
    }
    out.push_str("</tbody></table></div>\n");
}

fn winners(out: &mut String, facts: &Facts) {
    let winners: Vec<&Candidate> = facts.winners().collect();
    if winners.len() > 1 {
        out.push_str(&format!("<p>{}</p>\n", facts.why_several(winners.len())));
    }
    for candidate in winners.into_iter().take(WINNERS_SHOWN) {
        let (node, victims) = (html(facts.node(candidate.node)), words::count(candidate.victims.len(), "pod"));
        out.push_str(&format!("<h2>Evicted on {node}: {victims}</h2>\n"));
        if !candidate.victims.is_empty() {
            out.push_str(
                "<div class=\"scroll\"><table>\n<thead><tr><th>Victim</th><th class=\"number\">Priority</th><th>Age</th>\
                 <th>Owner</th><th>Violates PDB</th></tr></thead>\n<tbody>\n",
            );
            candidate.victims.iter().for_each(|victim| victim_row(out, victim, facts));
            out.push_str("</tbody></table></div>\n");
        }
        timeline(out, candidate, facts);
    }
}

fn victim_row(out: &mut String, victim: &Victim, facts: &Facts) {
    let pod = facts.pod_summary(victim.pod);
    let budgets = facts.budgets(victim);
    let violates =
        if budgets.is_empty() { "–".to_owned() } else { format!("<strong>! {}</strong>", html(&budgets.join(", "))) };
    out.push_str(&format!(
        "<tr><td>{}{}</td><td class=\"number\">{}</td><td>{}</td><td>{}</td><td>{violates}</td></tr>\n",
        html(&pod.name),
        if pod.terminating { " (terminating)" } else { "" },
        pod.priority,
        html(&pod.age),
        html(&pod.owner),
    ));
}

/// The order in which pods were added back, and which of them are victims.
fn timeline(out: &mut String, candidate: &Candidate, facts: &Facts) {
    if candidate.reprieve_order.is_empty() {
        return;
    }
    let tried = words::count(candidate.reprieve_order.len(), "pod");
    out.push_str(&format!(
        "<details open class=\"reprieve\"><summary>Reprieve: {tried} are put back in this order; each stays if there is room\
         </summary>\n<ol class=\"timeline\">\n"
    ));
    for tried in &candidate.reprieve_order {
        let pod = facts.pod_summary(tried.pod);
        let victim = candidate.victims.iter().find(|victim| victim.pod == tried.pod);
        let (class, mark) = if victim.is_some() { ("bad", "✗ evicted") } else { ("good", "✓ reprieved") };
        let why = victim.and_then(|victim| facts.blocks(victim)).unwrap_or_default();
        let protected = if tried.violates_pdb { " · would violate a PDB, so tried first" } else { "" };
        out.push_str(&format!(
            "<li><span class=\"{class}\">{mark}</span> {} <span class=\"quiet\">priority {}{protected}</span> {}</li>\n",
            html(&pod.name),
            pod.priority,
            if why.is_empty() { String::new() } else { format!("<code>{}</code>", html(&why)) },
        ));
    }
    out.push_str("</ol></details>\n");
}

fn tie_break(out: &mut String, facts: &Facts) {
    let ranked = facts.ranked();
    let nodes: Vec<_> = ranked.iter().take(COMPARED).map(|candidate| candidate.node).collect();
    let steps = facts.tie_break(&nodes);
    if steps.is_empty() {
        return;
    }
    let names = nodes.iter().map(|node| format!("<th class=\"number\">{}</th>", html(facts.node(*node))));
    out.push_str(&format!(
        "<h2>What decides between {}</h2>\n<div class=\"scroll\"><table class=\"ladder\">\n<thead><tr><th>Step</th>{}\
         <th class=\"number\">Left</th></tr></thead>\n<tbody>\n",
        words::count(ranked.len(), "candidate"),
        names.collect::<String>(),
    ));
    for step in steps {
        let cells = step.values.iter().map(|value| format!("<td class=\"number\">{}</td>", html(value)));
        let (class, decides) = if step.decides { (" class=\"decides\"", " ← decides") } else { ("", "") };
        out.push_str(&format!(
            "<tr{class}><td>{}{decides}</td>{}<td class=\"number\">{}</td></tr>\n",
            html(step.name),
            cells.collect::<String>(),
            words::group_digits(step.left),
        ));
    }
    out.push_str("</tbody></table></div>\n");
}

fn messages(out: &mut String, facts: &Facts) {
    let messages = facts.messages();
    let other = facts.other_condition();
    if facts.message().is_none() && messages.is_empty() && other.is_none() {
        return;
    }
    let head = if facts.message().is_none() && other.is_some() { REPORTED } else { REPORT };
    out.push_str(&format!("<h2>{head}</h2>\n"));
    if let Some(message) = facts.message() {
        out.push_str(&format!("<blockquote><code>{}</code></blockquote>\n", html(message)));
    }
    if let Some((why, written)) = other {
        out.push_str(&format!("<p>{}</p>\n<blockquote><code>{}</code></blockquote>\n", html(&why), html(written)));
    }
    if messages.is_empty() {
        return;
    }
    out.push_str("<dl>\n");
    for (text, message) in &messages {
        out.push_str(&format!(
            "<dt><code>{}</code> <span class=\"quiet\">{}</span></dt><dd>{}</dd>\n",
            html(text),
            message.code,
            html(message.meaning),
        ));
    }
    out.push_str("</dl>\n");
}

fn waiting(out: &mut String, facts: &Facts) {
    let Some(waiting) = &facts.decision.waiting else { return };
    out.push_str("<h2>When it is retried</h2>\n<ul>\n");
    waiting.kept_by.iter().for_each(|reason| out.push_str(&format!("<li>{}</li>\n", html(reason))));
    for (plugin, when) in &waiting.retried_on {
        out.push_str(&format!("<li><strong>{}</strong>: {}</li>\n", html(plugin), html(when)));
    }
    let (first, longest) = (waiting.first_backoff, waiting.longest_backoff);
    out.push_str(&format!("<li>between attempts {first} s, doubling up to {longest} s</li>\n</ul>\n"));
}

fn notes(out: &mut String, facts: &Facts) {
    if facts.decision.notes.is_empty() {
        return;
    }
    out.push_str("<h2>Notes</h2>\n<ul>\n");
    for note in &facts.decision.notes {
        let (name, code, text) = (note.severity.name(), note.doc.code, html(&note_text::sentence(note)));
        out.push_str(&format!("<li class=\"{name}\"><strong>{name}</strong> {text} [{code}]</li>\n"));
    }
    out.push_str("</ul>\n");
}
