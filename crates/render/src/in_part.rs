//! What is known of pods without the nodes, as text.

use super::page::{Drawn, Page, Sign, Span, Tone};
use super::workload;
use answers::extent::Extent;
use answers::in_part::{PartialPod, PartialReport};
use answers::words;

/// A section for each pod, and what would have to be granted for a decision.
impl Drawn for PartialReport {
    fn page(&self, _extent: Extent) -> Page {
        let mut page = Page::default();
        if self.pods.is_empty() && self.workloads.is_empty() {
            page.line(0, vec![self.nothing.into()]);
        }
        for (at, pod) in self.pods.iter().enumerate() {
            if at > 0 {
                page.gap();
            }
            let sentence = format!("{}: {}", pod.title(), pod.state);
            page.verdict((Sign::Unknown, Tone::Bad), sentence);
            if at == 0 {
                page.based_on(2, &self.basis);
            }
            section(&mut page, pod);
        }
        workload::table(&mut page, &self.workloads);
        page.section(if self.is_refused() {
            "Not decided: this takes what you may not read"
        } else {
            "Not decided: this takes what the input does not have"
        });
        for (resource, reason) in &self.unread {
            page.line(2, vec![format!("{resource}: {reason}").into()]);
        }
        let grants = self.grants().join(", ");
        if grants.is_empty() {
            return page;
        }
        page.line(2, vec![format!("An administrator would have to grant: {grants}").into()]);
        page.line(2, vec![Span::command("doctor --rbac".to_owned(), Tone::Strong)]);
        page
    }
}

fn section(page: &mut Page, pod: &PartialPod) {
    if let Some(said) = &pod.said {
        page.section("The scheduler says");
        page.quiet(2, format!("\"{said}\""));
    }
    for part in &pod.parts {
        let Some(rule) = &part.rule else { continue };
        let nodes =
            part.nodes.map_or_else(String::new, |n| format!("{}: ", words::count(n, "node")));
        page.line(2, vec![Span::new(format!("{nodes}{}", part.text), Tone::Strong)]);
        page.line(4, vec![rule.code.into(), ": ".into(), rule.meaning.into()]);
        if let Some(remedy) = rule.remedy {
            page.line(4, vec![remedy.into()]);
        }
    }
    if !pod.facts.is_empty() {
        page.section("Besides");
    }
    for fact in &pod.facts {
        page.line(2, vec![fact.as_str().into()]);
    }
}
