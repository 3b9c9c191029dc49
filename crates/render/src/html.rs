//! `-o html`: one self-contained page that needs only a browser. It shows the decision without
//! JavaScript; with JavaScript, every node can be explored.
//!
//! The Content-Security-Policy allows only the built-in style and script, by their hashes: markup
//! from a cluster could do nothing even if [`crate::escape`] failed.

mod data;
mod room;
mod section;

use super::escape::{html, html_names, script_json};
use super::program::ProgramName;
use answers::pod_report::PodReport;
use answers::questions::pending::Pending;
use answers::words;
use engine::notes::Note;

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
        queue(&mut out, decisions);
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
    Ok(document(&title, DECISIONS, Some(EXPLORER), &out))
}

/// A page with its own style and script, and nothing loaded from elsewhere.
pub(crate) fn document(title: &str, style: Inline, script: Option<Inline>, body: &str) -> String {
    let allowed =
        script.map(|script| format!("script-src '{}'; ", script.hash)).unwrap_or_default();
    let script =
        script.map(|script| format!("<script>{}</script>\n", script.text)).unwrap_or_default();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '{}'; {allowed}\
         base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{body}{script}</body>\n</html>\n",
        style.hash,
        html(title),
        style.text,
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
fn queue(out: &mut String, decisions: &[PodReport]) {
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
        "<section class=\"queue\" id=\"queue\">\n<h1>{}</h1>\n{}</section>\n",
        html(&pending.summary()),
        table("named", &heads, rows)
    ));
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

/// A table of the pages without scripts. Cells are escaped here.
pub(crate) fn plain_table(caption: &str, heads: &[&str], rows: &[Vec<String>]) -> String {
    let mut out = format!("<table>\n<caption>{}</caption>\n<thead><tr>", html(caption));
    for head in heads {
        out.push_str(&format!("<th scope=\"col\">{head}</th>"));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for cell in row {
            out.push_str(&format!("<td>{}</td>", html(cell)));
        }
        out.push_str("</tr>\n");
    }
    out + "</tbody>\n</table>\n"
}

/// The notes of a page without scripts; nothing if there are none.
pub(crate) fn plain_notes(notes: &[Note]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let mut out = "<h2>Notes</h2>\n<ul>\n".to_owned();
    for note in notes {
        let text = html(&answers::notes::sentence(note));
        out.push_str(&format!("<li>{}: {text}</li>\n", note.severity.name()));
    }
    out + "</ul>\n"
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

/// The style of the page of decisions.
pub(crate) const DECISIONS: Inline = Inline {
    text: include_str!("html/page.css"),
    hash: "sha256-AT0czEThZg5z+Cv1kn6lZ29Y7g5oareCm5yYeFJFldk=",
};

/// The script of the page of decisions.
pub(crate) const EXPLORER: Inline = Inline {
    text: concat!(include_str!("html/explorer.js"), include_str!("html/page.js")),
    hash: "sha256-q7+F2AJ6qKPk8+LRIy+TpxPCFWXMsoe/Mr+tNFXI91o=",
};

/// The style of the page of headroom.
pub(crate) const HEADROOM: Inline = Inline {
    text: "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}\
table{border-collapse:collapse;margin:1rem 0}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8885}\
th{font-weight:600}caption{text-align:left;padding:.5rem 0;font-weight:600}\
.map{display:flex;flex-wrap:wrap;gap:2px;margin:1rem 0;padding:0;list-style:none}\
.map li{min-width:2.2rem;padding:.1rem .3rem;text-align:center;border:1px solid #8888;font-size:.75rem}\
.h0{background:repeating-linear-gradient(45deg,#8883 0 2px,transparent 2px 6px)}\
.h1{background:#0087d733}.h2{background:#0087d766}.h3{background:#0087d799}.h4{background:#0087d7cc}.h5{background:#0087d7;color:#fff}",
    hash: "sha256-DzW+IwW/MN/sERGbwW5FKRFM3IXjlIbQOqF84xQykrg=",
};

/// The style of the page of pod groups.
pub(crate) const POD_GROUPS: Inline = Inline {
    text: "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8885}\
th{font-weight:600}h1{font-size:1.3rem}.bad{font-weight:600}.quiet{opacity:.8}",
    hash: "sha256-S7RAXmHwhmjS60RM4UuTH0gCcn8m9wSDJdHH+nIvlpI=",
};

/// The style of the page of running pods at risk.
pub(crate) const RISK: Inline = Inline {
    text: "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8885}\
th{font-weight:600}caption{text-align:left;padding:.5rem 0}",
    hash: "sha256-eIM+pfqVYwCdvp7Eg4awa2/GbQhhZBJaFez2hKuguD8=",
};

#[cfg(test)]
mod tests {
    //! What can be checked on the page without a browser; `tests/html` opens it in one.

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest as _, Sha256};

    use super::{DECISIONS, EXPLORER, HEADROOM, POD_GROUPS, RISK, page};
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
        for inline in [DECISIONS, EXPLORER, HEADROOM, POD_GROUPS, RISK] {
            let hash = format!("sha256-{}", STANDARD.encode(Sha256::digest(inline.text)));
            let start: String = inline.text.chars().take(60).collect();
            assert_eq!(inline.hash, hash, "of what begins with {start:?}");
        }
    }
}
