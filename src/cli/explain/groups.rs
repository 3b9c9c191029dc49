//! `explain podgroup/NAME`: how the answer about groups is written.

use crate::cli::printer::ShareFormat;
use crate::cli::printing::Format;
use crate::error::Error;
use answers::questions::explain::GroupReport;
use render::pod_group;
use render::safe::Printable;

/// The error for a format that shows no groups.
pub(super) fn shows_no_groups(format: &Format<ShareFormat>) -> Error {
    let hint = "text, wide, json, yaml, name, html and jsonpath do";
    Error::usage_hint(format!("-o {} does not show groups", format.name()), hint)
}

/// The answer in a format of `explain` alone.
///
/// # Errors
/// A format that shows no groups, and names that cannot be written.
pub(super) fn own(report: &GroupReport<'_>, format: ShareFormat) -> anyhow::Result<Printable> {
    match format {
        ShareFormat::Name => Ok(pod_group::names(&report.groups).map_err(Error::from)?),
        ShareFormat::Csv | ShareFormat::Markdown | ShareFormat::Dot => {
            Err(shows_no_groups(&Format::Own(format)).into())
        }
    }
}
