//! `explain podgroup/NAME`: how the answer about groups is written.

use crate::cli::flags::GlobalFlags;
use crate::cli::output;
use crate::cli::printer::{self, ExplainFormat, PeopleFormat, ShareFormat};
use crate::error::Error;
use answers::questions::explain::GroupReport;
use render::pod_group;
use render::safe::Printable;
use to_json::{group_decision, group_decision_list};

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
            let wide = *format == PeopleFormat::Wide;
            let page = if report.of_trees {
                pod_group::page_of_trees(groups, &basis.origin, wide)
            } else {
                pod_group::page(groups, workloads, &basis.origin, wide)
            };
            Ok(page.print(if wide { output::wide_paper(global) } else { output::paper(global) }))
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
        ExplainFormat::Data(format) => {
            let mut items: Vec<_> =
                groups.iter().map(|group| group_decision(group, basis.source)).collect();
            match items.pop() {
                Some(one) if report.one => printer::data(format, &one, global),
                last => printer::data(
                    format,
                    &group_decision_list(items.into_iter().chain(last).collect(), workloads),
                    global,
                ),
            }
        }
    }
}
