//! `-o html`: one self-contained page that needs only a browser. It shows the decision without
//! JavaScript; with JavaScript, every node can be explored.
//!
//! The Content-Security-Policy allows only the built-in style and script, by their hashes: markup
//! from a cluster could do nothing even if [`escape`] failed.

mod data;
pub(crate) mod inline;
mod queue;
mod room;
mod section;
mod table;

use self::inline::Inline;
use super::escape;
use super::program::ProgramName;
use answers::pod_report::PodReport;

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
        queue::write(&mut out, decisions);
    }
    if decisions.is_empty() {
        out.push_str("<section class=\"pod\"><h1>No pods wait for a node.</h1></section>\n");
    }
    for (index, model) in decisions.iter().enumerate() {
        section::write(&mut out, model, index, program);
    }
    out.push_str("</main>\n<script type=\"application/json\" id=\"data\">");
    out.push_str(&escape::script_json(&data::json(decisions)?));
    out.push_str("</script>\n");
    Ok(document(&title, inline::DECISIONS, Some(inline::EXPLORER), &out))
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
        escape::html(title),
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
        let (outcome, pod) = (model.outcome.name(), escape::html(&model.pod()));
        out.push_str(&format!(
            "<li><a href=\"#pod-{index}\">{pod}</a> <span>{outcome}</span></li>\n"
        ));
    }
    out.push_str("</ol>\n</nav>\n");
}

#[cfg(test)]
mod tests;
