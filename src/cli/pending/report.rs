//! How the list of pods that wait for a node is written.

use jiff::Timestamp;

use super::args::{PendingArgs, PendingFormat};
use crate::cli::{deciding, kubectl_format, output};
use crate::error::Error;
use answers::questions::pending::PendingReport;
use render::custom_columns;
use render::jsonpath::PathTemplate;
use render::page::Paper;
use render::pending::{self, Layout, ReadState};
use render::safe::Printable;

/// The whole list in one of the formats of `-o`.
pub(super) fn text(
    report: &PendingReport,
    args: &PendingArgs,
    format: &PendingFormat,
    paper: Paper,
) -> anyhow::Result<Printable> {
    match format {
        PendingFormat::Text | PendingFormat::Wide => {
            let layout = layout(report, args, report.basis.now());
            let mut page = report.cut.map(deciding::page_of).unwrap_or_default();
            page.append(pending::page(&report.pending, layout, &report.basis.origin));
            Ok(page.print(Paper { whole: layout.wide, ..paper }))
        }
        PendingFormat::Name => Ok(pending::names(&report.pending.rows).map_err(Error::from)?),
        PendingFormat::Openmetrics => Ok(metrics(report, None)),
        PendingFormat::Json => output::json(&to_json::pending_list(report)),
        PendingFormat::Yaml => output::yaml(&to_json::pending_list(report)),
        PendingFormat::Kubectl(format) => {
            format.text(&to_json::pending_list(report), !args.no_headers, paper)
        }
    }
}

/// The columns and headings that the flags and the pods ask for, with ages as of `now`.
pub(super) fn layout(report: &PendingReport, args: &PendingArgs, now: Timestamp) -> Layout {
    Layout {
        namespaces: args.all_namespaces,
        wide: args.output == PendingFormat::Wide,
        headers: !args.no_headers,
        actors: report.pending.names_actors(),
        now,
    }
}

/// Sorts the pods by what stands at `path` in their JSON.
///
/// # Errors
/// [`Error::Usage`] for a path that no pod has.
pub(super) fn sort(report: &mut PendingReport, path: &PathTemplate) -> anyhow::Result<()> {
    let root = output::to_value(&to_json::pending_list(report))?;
    kubectl_format::check("--sort-by", std::iter::once(path), &root)?;
    let order = custom_columns::order(&kubectl_format::items(&root), path);
    let rows = &report.pending.rows;
    report.pending.rows = order.into_iter().filter_map(|index| rows.get(index).cloned()).collect();
    Ok(())
}

/// The list as metrics; `connected` is whether the cluster can be read still.
pub(super) fn metrics(report: &PendingReport, connected: Option<bool>) -> Printable {
    let read = ReadState {
        decided: report.basis.now(),
        complete: report.is_complete(),
        rules_assumed: report.basis.profile.version_gap.is_some(),
        connected,
    };
    pending::openmetrics(&report.pending, read)
}
