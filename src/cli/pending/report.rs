//! How the list of pods that wait for a node is written.

use jiff::Timestamp;

use super::args::{PendingArgs, PendingFormat};
use crate::cli::printing::Format;
use crate::error::Error;
use answers::questions::pending::PendingReport;
use render::html;
use render::page::{Paper, page_of};
use render::pending::{self, Layout, ReadState};
use render::safe::Printable;
use to_json::ToJson as _;

/// The whole list in the format of `-o`.
pub(super) fn text(
    report: &PendingReport,
    args: &PendingArgs,
    paper: Paper,
) -> anyhow::Result<Printable> {
    if let Some(data) = args.output.data(|| report.json(), !args.no_headers, paper)? {
        return Ok(data);
    }
    if let Format::Own(format) = args.output {
        return match format {
            PendingFormat::Name => Ok(pending::names(&report.pending.rows).map_err(Error::from)?),
            PendingFormat::Openmetrics => Ok(metrics(report, None)),
        };
    }
    if args.output == Format::Html {
        return Ok(html::report(report));
    }
    let layout = layout(report, args, report.basis.now());
    let mut page = report.cut.map(page_of).unwrap_or_default();
    page.append(pending::page(&report.pending, layout, &report.basis.origin));
    page.append(pending::starting(report, layout));
    Ok(page.print(Paper { whole: layout.wide, ..paper }))
}

/// The columns and headings that the flags and the pods ask for, with ages as of `now`.
pub(super) fn layout(report: &PendingReport, args: &PendingArgs, now: Timestamp) -> Layout {
    Layout {
        namespaces: args.all_namespaces,
        wide: args.output == Format::Wide,
        headers: !args.no_headers,
        actors: report.pending.names_actors(),
        answered: false,
        now,
    }
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
