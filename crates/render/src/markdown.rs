//! `-o markdown`: the decision for a ticket or an issue, in GitHub's dialect.

use super::escape::{markdown, markdown_code};
use super::program::ProgramName;
use answers::headline::{headline, rules_in_short};
use answers::pod_report::{PodReport, REPORT, REPORTED, RejectionCause};
use answers::questions::explain;
use answers::why_not::WhyNot;
use answers::{remedies, words};
use engine::decision::blockers::Blockers;

/// Maximum number of nodes named per cause.
const NODES_NAMED: usize = 3;
/// Maximum number of tied nodes that are shown in full.
const WINNERS_SHOWN: usize = 5;
/// Maximum number of candidates in the tie-break table.
const COMPARED: usize = 5;

/// The document, with a heading for every decision.
pub fn page(decisions: &[PodReport], program: ProgramName) -> String {
    decisions.iter().map(|model| section(model, program)).collect::<Vec<_>>().join("\n---\n\n")
}

/// Who acts next, if an autoscaler was found.
fn next_steps(out: &mut String, model: &PodReport) {
    let Some(lines) = explain::next_steps(model, false) else { return };
    out.push_str(&format!("\n{}:\n\n", markdown(&lines.head)));
    for line in lines.lines {
        out.push_str(&format!("* {}\n", markdown(&line)));
    }
}

fn section(model: &PodReport, program: ProgramName) -> String {
    let mut out = format!("### {}\n", markdown(&headline(model)));
    let profile = model.profile();
    out.push_str(&format!("\nRules: kube-scheduler {}.\n", markdown(&rules_in_short(profile))));
    remedies(&mut out, model, program);
    if let Some(why) = WhyNot::of(model) {
        let (node, sentence) = (markdown(&why.node), why.sentence());
        out.push_str(&format!("\nWhy not {node}: {}.\n", markdown(&sentence)));
    }
    next_steps(&mut out, model);
    causes(&mut out, "Why no node fits", model.causes(), model);
    if let Some(reason) = model.untried() {
        out.push_str(&format!("\n{}.\n", markdown(&reason)));
    }
    causes(&mut out, "Where preemption does not help", model.preemption_failures(), model);
    victims(&mut out, model);
    tie_break(&mut out, model);
    messages(&mut out, model);
    if !model.notes.is_empty() {
        heading(&mut out, "Notes");
        for note in &model.notes {
            let text = markdown(&answers::notes::sentence(note));
            out.push_str(&format!("- {}: {text} ({})\n", note.severity.name(), note.doc.code));
        }
    }
    out
}

fn remedies(out: &mut String, model: &PodReport, program: ProgramName) {
    let Some(section) = remedies::section(model) else { return };
    heading(out, &section.head);
    for line in &section.lines {
        out.push_str(&format!("- {}\n", markdown_code(line)));
    }
    if !section.check.is_empty() {
        let command = format!("{program} {}", section.check);
        out.push_str(&format!("\nThe first: {}\n", markdown_code(&command)));
    }
}

fn heading(out: &mut String, title: &str) {
    out.push_str(&format!("\n#### {title}\n\n"));
}

fn row(out: &mut String, cells: &[String]) {
    out.push_str(&format!("| {} |\n", cells.join(" | ")));
}

fn header(out: &mut String, titles: &[&str]) {
    row(out, &titles.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>());
    row(out, &titles.iter().map(|_| "---".to_owned()).collect::<Vec<_>>());
}

fn causes(out: &mut String, title: &str, causes: &[RejectionCause], model: &PodReport) {
    if causes.is_empty() {
        return;
    }
    heading(out, title);
    header(out, &["Nodes", "Plugin", "The scheduler says", "Details", "Such as"]);
    for cause in causes {
        let reasons: Vec<String> = cause.reasons.iter().map(|r| markdown_code(&r.text)).collect();
        let names: Vec<String> =
            cause.nodes.iter().map(|node| markdown_code(model.node(*node))).collect();
        row(
            out,
            &[
                words::group_digits(cause.nodes.len()),
                markdown(&cause.plugin),
                reasons.join(", "),
                codes(&cause.details),
                words::list(&names, NODES_NAMED),
            ],
        );
    }
}

/// Texts with names of labels, taints and objects, verbatim.
fn codes(texts: &[String]) -> String {
    texts.iter().map(|text| markdown_code(text)).collect::<Vec<_>>().join("; ")
}

fn victims(out: &mut String, model: &PodReport) {
    let winners: Vec<_> = model.winners().collect();
    if winners.len() > 1 {
        out.push_str(&format!("\n{}\n", model.why_several(winners.len())));
    }
    let blockers = Blockers::new(model);
    for candidate in winners.into_iter().take(WINNERS_SHOWN) {
        let count = words::count(candidate.victims.len(), "pod");
        heading(
            out,
            &format!("Evicted on node {}: {count}", markdown_code(model.node(candidate.node))),
        );
        if candidate.victims.is_empty() {
            out.push_str("Nothing else needs evicting.\n");
            continue;
        }
        header(out, &["Victim", "Priority", "Age", "Owner", "Violates PDB", "If it stayed"]);

        // A victim has a row with all that may speak against its eviction.
        let mut blocks = model.blocks(candidate, &blockers);
        for victim in &candidate.victims {
            let pod = model.pod_summary(victim.pod);
            let budgets = words::violated(&model.budgets(victim), "–", model.cluster());
            let mut gone =
                if pod.terminating { " (terminating)".to_owned() } else { String::new() };
            if let Some(unprotected) = model.unprotected(victim.pod) {
                gone.push_str(&format!(" ({})", markdown(&unprotected)));
            }
            row(
                out,
                &[
                    markdown_code(&pod.name) + &gone,
                    pod.priority.to_string(),
                    pod.age,
                    markdown_code(&pod.owner),
                    markdown(&budgets),
                    markdown(&blocks.remove(&victim.pod).unwrap_or_default()),
                ],
            );
        }
        if !candidate.reprieved.is_empty() {
            let spared = words::count(candidate.reprieved.len(), "pod");
            out.push_str(&format!("\n{spared} of lower priority are reprieved.\n"));
        }
    }
}

fn tie_break(out: &mut String, model: &PodReport) {
    let ranked = model.ranked();
    let nodes: Vec<_> = ranked.iter().take(COMPARED).map(|c| c.node).collect();
    let steps = model.tie_break(&nodes);
    if steps.is_empty() {
        return;
    }
    heading(out, &format!("What decides between {}", words::count(ranked.len(), "candidate")));
    let names: Vec<String> = nodes.iter().map(|node| markdown_code(model.node(*node))).collect();
    let titles: Vec<&str> =
        ["Step"].into_iter().chain(names.iter().map(String::as_str)).chain(["Left"]).collect();
    header(out, &titles);
    for step in steps {
        let mut cells = vec![step.name.to_owned()];
        if step.decides {
            cells = vec![format!("**{}** (decides)", step.name)];
        }
        cells.extend(step.values.iter().cloned());
        cells.push(step.left.to_string());
        row(out, &cells);
    }
}

fn messages(out: &mut String, model: &PodReport) {
    let other = model.other_condition();
    if let Some(message) = model.scheduler_message() {
        heading(out, REPORT);
        out.push_str(&format!("> {}\n", markdown_code(message)));
    } else if other.is_some() {
        heading(out, REPORTED);
    } else {
        return;
    }
    if let Some(other) = other {
        let (why, message) = (markdown(&other.why), markdown_code(other.message));
        out.push_str(&format!("\n{why}\n\n> {message}\n"));
    }

    // Each part of the message, with its meaning.
    let known = model.messages();
    if !known.is_empty() {
        out.push('\n');
    }
    for (text, message) in known {
        out.push_str(&format!(
            "- {} ({}): {}\n",
            markdown_code(&text),
            message.code,
            markdown(message.meaning)
        ));
    }
}
