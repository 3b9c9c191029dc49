//! The answer of a tool, and its delivery while the input still exists: the process then ends, because
//! freeing a large cluster takes longer than deciding.

use super::steps::{self, ToolCall};
use crate::cli::flags::GlobalFlags;
use crate::cli::output;
use crate::cli::printing::Printed;
use crate::exit::Exit;
use answers::extent::Extent;
use render::page::Page;
use render::safe::Printable;

/// The argument that shows what the text leaves out.
const ELSEWHERE: &str = "detail full";

/// What a tool has found out.
#[derive(Debug)]
pub(super) struct ToolAnswer {
    pub json: Printable,
    /// The text, which names calls of tools where the command's names commands.
    pub screen: Printable,
    /// The calls that it suggests, the most useful first.
    pub next: Vec<ToolCall>,
    pub exit: Exit,
}

/// Receives the answer while the input still exists.
pub(super) type Deliver<'d> = &'d mut dyn FnMut(ToolAnswer) -> anyhow::Result<Exit>;

/// The answer that has this report.
///
/// # Errors
/// Never for the reports of this program.
pub(super) fn of_report(report: &impl Printed, global: &GlobalFlags) -> anyhow::Result<ToolAnswer> {
    let mut next: Vec<ToolCall> = Vec::new();
    // What a command says beside its answer is all that some answers are.
    let beside = report.beside();
    let mut page = Page::default();
    for line in beside.remark.iter().chain(&beside.warnings) {
        page.line(0, vec![line.as_str().into()]);
    }
    page.append(report.page(Extent::Top));
    let page = page.with_calls(ELSEWHERE, &mut |command| {
        let call = ToolCall::of(&steps::unquoted(command))?;
        let text = call.text();
        if !next.contains(&call) {
            next.push(call);
        }
        Some(text)
    });
    let screen = page.print(output::paper(global));
    let json = output::json(&report.json())?;
    Ok(ToolAnswer { json, screen, next, exit: report.verdict().into() })
}
