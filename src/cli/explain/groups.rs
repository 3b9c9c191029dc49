//! `explain podgroup/NAME`: how the answer about groups is written.

use crate::cli::flags::GlobalFlags;
use crate::cli::output;
use crate::cli::printer::{self, ExplainFormat, ShareFormat};
use crate::error::Error;
use answers::questions::explain::GroupReport;
use render::page::Drawn as _;
use render::pod_group;
use render::safe::Printable;
use to_json::ToJson as _;

/// The error for a format that shows no groups.
pub(super) fn shows_no_groups(format: &ExplainFormat) -> Error {
    let hint = "text, wide, json, yaml, name, html and jsonpath do";
    Error::usage_hint(format!("-o {} does not show groups", format.name()), hint)
}

/// The answer in a format.
///
/// # Errors
/// A format that shows no groups, and one that cannot be written.
pub(super) fn text(
    format: &ExplainFormat,
    report: &GroupReport<'_>,
    global: &GlobalFlags,
) -> anyhow::Result<Printable> {
    let GroupReport { basis, groups, workloads, .. } = report;
    match format {
        ExplainFormat::People(format) => {
            let extent = format.extent();
            Ok(report.page(extent).print(output::paper_for(extent, global)))
        }
        ExplainFormat::Share(ShareFormat::Html) => {
            Ok(pod_group::html(groups, workloads, &basis.origin))
        }
        ExplainFormat::Share(ShareFormat::Name) => {
            Ok(pod_group::names(groups).map_err(Error::from)?)
        }
        ExplainFormat::Share(ShareFormat::Csv | ShareFormat::Markdown | ShareFormat::Dot) => {
            Err(shows_no_groups(format).into())
        }
        ExplainFormat::Data(format) => printer::data(format, &report.json(), global),
    }
}
