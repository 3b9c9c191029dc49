//! `-o dot`: the decision as a Graphviz graph: the pod, the nodes by reason, the candidates and
//! their victims.

use super::escape::dot;
use answers::headline::{headline, rules_in_short};
use answers::pod_report::PodReport;
use answers::words;
use engine::preemption::dry_run::Candidate;

/// Maximum number of candidates that are drawn; larger graphs are unreadable.
const CANDIDATES_DRAWN: usize = 12;
/// Maximum number of victims that are drawn per candidate.
const VICTIMS_DRAWN: usize = 24;

/// The graph, with a subgraph for every decision.
pub fn graph(decisions: &[PodReport]) -> String {
    let mut out = String::from(
        "digraph preemption {\n  rankdir=LR;\n  fontname=\"Helvetica\";\n  node [shape=box, style=rounded, fontname=\"Helvetica\"];\n  edge [fontname=\"Helvetica\"];\n",
    );
    for (index, model) in decisions.iter().enumerate() {
        let mut drawing = Drawing { out: &mut out, model, index };
        drawing.draw();
    }
    out.push_str("}\n");
    out
}

struct Drawing<'a> {
    out: &'a mut String,
    model: &'a PodReport<'a>,
    index: usize,
}

impl Drawing<'_> {
    fn draw(&mut self) {
        self.out.push_str(&format!(
            "  subgraph cluster_{} {{\n    label=\"{}\";\n",
            self.index,
            dot(&format!(
                "{} Rules: kube-scheduler {}.",
                headline(self.model),
                rules_in_short(self.model.profile())
            ))
        ));

        // The pod stands on the left, what rejects it and what would take it on the right.
        let priority = self.model.cluster().pod(self.model.pod).priority;
        self.node(
            "pod",
            &[self.model.pod(), format!("priority {priority}")],
            "penwidth=2, shape=ellipse",
        );
        for (number, cause) in self.model.causes().iter().enumerate() {
            let lines = [words::count(cause.nodes.len(), "node"), cause.plugin.clone()];
            let lines: Vec<String> = lines
                .into_iter()
                .chain(cause.reasons.iter().map(|quote| quote.text.clone()))
                .chain(cause.details.clone())
                .collect();
            self.node(&format!("cause_{number}"), &lines, "style=\"rounded,dashed\"");
            self.edge("pod", &format!("cause_{number}"), "does not fit", "style=dashed");
        }
        let ranked = self.model.ranked();
        for candidate in ranked.iter().take(CANDIDATES_DRAWN) {
            self.candidate(candidate);
        }
        if ranked.len() > CANDIDATES_DRAWN {
            let more = words::count(ranked.len() - CANDIDATES_DRAWN, "more candidate");
            self.node("more", &[more], "shape=plaintext");
            self.edge("pod", "more", "", "style=dotted");
        }
        // Without candidates no pod is evicted, and the pod may be placed nevertheless.
        if ranked.is_empty() {
            for node in self.model.selected() {
                let id = format!("node_{}", node.0);
                self.node(
                    &id,
                    &[self.model.node(*node).to_owned()],
                    "style=\"rounded,bold\", penwidth=3",
                );
                self.edge("pod", &id, "is placed on", "penwidth=3");
            }
        }
        self.out.push_str("  }\n");
    }

    fn candidate(&mut self, candidate: &Candidate) {
        let wins = self.model.wins(candidate.node);
        let id = format!("node_{}", candidate.node.0);
        let mut lines = vec![self.model.node(candidate.node).to_owned()];
        lines.push(format!("evicts {}", words::count(candidate.victims.len(), "pod")));
        if candidate.violations > 0 {
            lines.push(words::count(candidate.violations, "PDB violation"));
        }
        if !candidate.reprieved.is_empty() {
            lines.push(format!("reprieves {}", candidate.reprieved.len()));
        }

        // Bold lines lead from the pod to what kube-scheduler may do.
        let (style, line) = if wins {
            ("style=\"rounded,bold\", penwidth=3", "penwidth=3")
        } else {
            ("penwidth=1", "")
        };
        self.node(&id, &lines, style);
        let label = match (wins, self.model.is_tied()) {
            (false, _) => "candidate",
            (true, false) => "wins",
            (true, true) => "may win",
        };
        self.edge("pod", &id, label, line);
        for victim in candidate.victims.iter().take(VICTIMS_DRAWN) {
            let pod = self.model.pod_summary(victim.pod);
            let mut lines = vec![pod.name, format!("priority {}", pod.priority), pod.owner];
            lines.extend(
                self.model.budgets(victim).into_iter().map(|budget| format!("violates {budget}")),
            );
            let victim_id = format!("pod_{}", victim.pod.0);
            self.node(&victim_id, &lines, "shape=note, style=solid");
            self.edge(&id, &victim_id, "evicts", line);
        }
        if candidate.victims.len() > VICTIMS_DRAWN {
            let more_id = format!("{id}_more");
            let more = words::count(candidate.victims.len() - VICTIMS_DRAWN, "more victim");
            self.node(&more_id, &[more], "shape=plaintext");
            self.edge(&id, &more_id, "evicts", line);
        }
    }

    fn node(&mut self, id: &str, lines: &[String], attributes: &str) {
        let lines: Vec<String> =
            lines.iter().filter(|line| !line.is_empty()).map(|line| dot(line)).collect();
        let (index, label) = (self.index, lines.join("\\n"));
        self.out.push_str(&format!("    d{index}_{id} [label=\"{label}\", {attributes}];\n"));
    }

    fn edge(&mut self, from: &str, to: &str, text: &str, attributes: &str) {
        let index = self.index;
        let separator = if attributes.is_empty() { "" } else { ", " };
        let label = dot(text);
        self.out.push_str(&format!(
            "    d{index}_{from} -> d{index}_{to} [label=\"{label}\"{separator}{attributes}];\n"
        ));
    }
}
