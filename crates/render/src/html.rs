//! `-o html`: one self-contained page that needs only a browser. It shows the answer without
//! JavaScript; with JavaScript, every node of a decision can be explored.
//!
//! The Content-Security-Policy allows only the built-in style and script, by their hashes: markup
//! from a cluster could do nothing even if [`crate::escape`] failed.

mod data;
mod picture;
mod room;
mod section;

use super::escape::{html, html_names, script_json};
use super::page::Drawn;
use super::program::ProgramName;
use super::safe::Printable;
use answers::commands;
use answers::extent::Extent;
use answers::input::InputFlags;
use answers::pod_report::PodReport;
use answers::questions::pending::Pending;
use answers::words;

/// The decision about one pod as a part of a page, whose style and script are those of [`page`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HtmlSection {
    /// The markup.
    pub html: String,
    /// What the script needs to show every node, as JSON.
    pub data: String,
}

/// The decision about one pod.
///
/// # Errors
/// None in practice: the data of this crate can be written as JSON.
pub fn section(model: &PodReport, program: ProgramName) -> Result<HtmlSection, String> {
    let mut html = String::new();
    section::write(&mut html, model, 0, program);
    Ok(HtmlSection { html, data: data::json(std::slice::from_ref(model))? })
}

/// The page.
///
/// # Errors
/// None in practice: the data of this crate can be written as JSON.
pub fn page(decisions: &[PodReport], program: ProgramName) -> Result<String, String> {
    let title = match decisions {
        [one] => format!("{}: {}", one.decision.outcome.name(), one.pod()),
        several => format!("{} pending pods", several.len()),
    };
    let mut out = String::new();
    navigation(&mut out, decisions);
    out.push_str("<main>\n");
    if decisions.len() > 1 {
        queue(&mut out, decisions, program);
    }
    if decisions.is_empty() {
        out.push_str("<section class=\"pod\"><h1>No pods wait for a node.</h1></section>\n");
    }
    for (index, model) in decisions.iter().enumerate() {
        section::write(&mut out, model, index, program);
    }
    out.push_str("</main>\n<script type=\"application/json\" id=\"data\">");
    out.push_str(&script_json(&data::json(decisions)?));
    out.push_str("</script>\n");
    Ok(document(&title, EXPLORER, &out))
}

/// The page of any report, with every row of its lists.
pub fn report(report: &impl Drawn) -> Printable {
    let (title, body) = report.page(Extent::All).titled();
    let picture = report.picture();
    let body = format!("<main class=\"report\">\n{body}{picture}</main>\n");
    Printable::new(document(&title, REPORT, &body))
}

/// A page with its script, and nothing loaded from elsewhere.
pub(crate) fn document(title: &str, script: Inline, body: &str) -> String {
    let (allowed, script) = (script.hash, script.text);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '{}'; \
         script-src '{allowed}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{body}<script>{script}</script>\n</body>\n</html>\n",
        STYLE.hash,
        html(title),
        STYLE.text,
    )
}

/// The selection of the pod, if there are several.
fn navigation(out: &mut String, decisions: &[PodReport]) {
    if decisions.len() < 2 {
        return;
    }
    out.push_str("<nav aria-label=\"Pods\">\n<ol id=\"pods\">\n");
    for (index, model) in decisions.iter().enumerate() {
        let (outcome, pod) = (model.outcome.name(), html(&model.pod()));
        out.push_str(&format!(
            "<li><a href=\"#pod-{index}\">{pod}</a> <span>{outcome}</span></li>\n"
        ));
    }
    out.push_str("</ol>\n</nav>\n");
}

/// Appends the queue. Pods of one owner that get the same answer share a row, which links to the
/// first of them.
fn queue(out: &mut String, decisions: &[PodReport], program: ProgramName) {
    let mut pending = Pending::default();
    for model in decisions {
        pending.add(model);
    }

    // Each row leads to the section of its pod.
    let now = decisions.first().map(|model| model.now).unwrap_or_default();
    let mut rows = Vec::new();
    for (index, row, name) in pending.shared_rows() {
        let age = row.created.map(|created| words::age(now.as_second() - created.as_second()));
        let [verdict, cause, node, victims] = row.answer();
        rows.push(HtmlRow::new([
            format!(
                "<a href=\"#pod-{index}\">{}</a><br><span class=\"quiet\">{}</span>",
                html_names(&format!("{}/{name}", row.namespace)),
                html_names(&cause)
            ),
            row.priority.to_string(),
            html(&age.unwrap_or_default()),
            html_names(&verdict),
            html_names(&node),
            html(&victims),
        ]));
    }
    let heads = [
        text("Pod"),
        number("Priority"),
        number("Pending"),
        text("Verdict"),
        text("Node"),
        text("Victims"),
    ];
    out.push_str(&format!(
        "<section class=\"queue\" id=\"queue\">\n<h1>{}</h1>\n{}{}</section>\n",
        html(&pending.summary()),
        table("named", &heads, rows),
        decisions
            .first()
            .map(|model| other_pages(&model.flags, &pending, program))
            .unwrap_or_default()
    ));
}

/// How the other pages about the same input are made; nothing if no pod waits.
pub(crate) fn other_pages(flags: &InputFlags, pending: &Pending, program: ProgramName) -> String {
    if pending.rows.is_empty() {
        return String::new();
    }
    let alone = pending.rows.iter().find(|row| row.group.is_none());
    let mut items = String::new();
    for page in commands::other_pages(flags, alone.map(|row| (&*row.namespace, &*row.name))) {
        let command = html(&format!("{program} {}", words::arguments(&page.command)));
        let shows = html(&page.shows);
        items.push_str(&format!("<li>{shows}<br><code class=\"copy\">{command}</code></li>\n"));
    }
    format!("<h2>More pages</h2>\n<ul class=\"remedies\">\n{items}</ul>\n")
}

/// A column of a table.
struct Head<'t> {
    title: &'t str,
    is_number: bool,
}

impl Head<'_> {
    fn class(&self) -> &'static str {
        if self.is_number { " class=\"number\"" } else { "" }
    }
}

fn text(title: &str) -> Head<'_> {
    Head { title, is_number: false }
}

fn number(title: &str) -> Head<'_> {
    Head { title, is_number: true }
}

struct HtmlRow {
    cells: Vec<String>,
    decides: bool,
}

impl HtmlRow {
    fn new(cells: impl IntoIterator<Item = String>) -> Self {
        Self { cells: cells.into_iter().collect(), decides: false }
    }
}

/// A table. Each cell repeats the title of its column, which is shown next to it where there is no
/// space for columns.
fn table(class: &str, heads: &[Head], rows: impl IntoIterator<Item = HtmlRow>) -> String {
    let mut out = format!("<table class=\"{class}\">\n<thead><tr>");
    for head in heads {
        out.push_str(&format!("<th{}>{}</th>", head.class(), html(head.title)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str(if row.decides { "<tr class=\"decides\">" } else { "<tr>" });
        for (head, cell) in heads.iter().zip(row.cells) {
            out.push_str(&format!(
                "<td{} data-label=\"{}\">{cell}</td>",
                head.class(),
                html(head.title)
            ));
        }
        out.push_str("</tr>\n");
    }
    out + "</tbody></table>\n"
}

/// An initially collapsed part of the page; omitted if it is empty.
fn folded(out: &mut String, title: &str, content: &str) {
    if !content.is_empty() {
        out.push_str(&format!(
            "<details>\n<summary><h2>{}</h2></summary>\n{content}</details>\n",
            html(title)
        ));
    }
}

// The styles and scripts in the pages, each with the hash by which the page's
// Content-Security-Policy allows it. They are known in advance, so nothing is hashed when a page is
// written; the test says what to write here when one has changed.

/// A style or a script.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inline {
    pub text: &'static str,
    /// `sha256-` and the hash in Base64, as browsers compute it.
    pub hash: &'static str,
}

/// The style of every page.
pub(crate) const STYLE: Inline = Inline {
    text: include_str!("html/page.css"),
    hash: "sha256-KlA4yPwjo81aoqhIygcRAHWa+Bv7ApLVyUKI/nXWfeQ=",
};

/// The script of the page of decisions.
pub(crate) const EXPLORER: Inline = Inline {
    text: concat!(include_str!("html/explorer.js"), include_str!("html/page.js")),
    hash: "sha256-Re8hzjZfY+lfYex/ZF/a2cCYSH+iPkN76lh37yOiDqs=",
};

/// The script of the pages of other reports.
pub(crate) const REPORT: Inline = Inline {
    text: concat!(include_str!("html/explorer.js"), include_str!("html/report.js")),
    hash: "sha256-9aCo0InpXTQvy7NZvT/N9PSrSixt+9yNp94vUmW9G5U=",
};

#[cfg(test)]
mod tests {
    //! What can be checked on the page without a browser; `tests/html` opens it in one.

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest as _, Sha256};

    use super::{EXPLORER, REPORT, STYLE, page};
    use crate::program::ProgramName;
    use answers::pod_report::PodReport;
    use engine::decision::decide;
    use engine::framework::cluster_view::ClusterView;
    use testing::{NOW, assert_has, at, cluster, node, objects, pod};

    /// Two pods that may preempt on either of two nodes alike.
    fn tied() -> Vec<serde_json::Value> {
        let busy = |name: &str, node: &str| pod(name).cpu("2").on(node).started(NOW);
        objects![
            node("node-1").cpu("2"),
            node("node-2").cpu("2"),
            busy("old-1", "node-1"),
            busy("old-2", "node-2"),
            pod("web-1").cpu("2").priority(5),
            pod("web-2").cpu("2").priority(5),
        ]
    }

    fn with_models<R>(
        objects: Vec<serde_json::Value>,
        pods: &[&str],
        then: impl FnOnce(&[PodReport]) -> R,
    ) -> R {
        let (cluster, profile, now) =
            (cluster(objects), at("1.37").profile(), NOW.parse().expect("a time"));
        let view = ClusterView::new(&cluster, &profile);
        let decide = |name: &&str| {
            PodReport::from(decide(&view, cluster.find_pod("default", name).expect("the pod"), now))
        };
        let models: Vec<PodReport> = pods.iter().map(decide).collect();
        then(&models)
    }

    #[test]
    fn several_pods_begin_with_the_queue() {
        let html = with_models(tied(), &["web-1", "web-2"], |models| {
            page(models, ProgramName::PLUGIN).expect("a page")
        });
        let queue = html.find("<section class=\"queue\"").expect("the queue");
        assert!(queue < html.find("<section class=\"pod\"").expect("a pod"), "{html}");
        assert_has(&html, "<a href=\"#pod-1\"><span class=\"name\">default/web-2</span></a>");
        let one = with_models(tied(), &["web-1"], |models| {
            page(models, ProgramName::PLUGIN).expect("a page")
        });
        assert!(!one.contains("<section class=\"queue\""));
    }

    #[test]
    fn a_node_that_ties_may_win() {
        let graph = with_models(tied(), &["web-1"], crate::dot::graph);
        assert!(graph.contains("may win") && !graph.contains("\"wins\""), "{graph}");
        let mut alone = tied();
        alone.remove(1);
        let graph = with_models(alone, &["web-1"], crate::dot::graph);
        assert!(graph.contains("wins") && !graph.contains("may win"), "{graph}");
    }

    #[test]
    fn hashes_are_what_browsers_compute() {
        for inline in [STYLE, EXPLORER, REPORT] {
            let hash = format!("sha256-{}", STANDARD.encode(Sha256::digest(inline.text)));
            let start: String = inline.text.chars().take(60).collect();
            assert_eq!(inline.hash, hash, "of what begins with {start:?}");
        }
    }
}
