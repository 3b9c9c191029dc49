//! The explanations of pods in one format. Each is written as soon as it is made, where the format
//! allows it, so that a list of many pods does not keep what every one of them said of every node.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::super::decision_list::{DecisionListWriter, ItemText};
use super::super::flags::GlobalFlags;
use super::super::input::LoadedInput;
use super::super::kubectl_format::KubectlFormat;
use super::super::output;
use super::super::pager::AnswerOutput;
use super::super::printer::{self, Encoding, ShareFormat};
use super::super::printing::{self, Format};
use super::args::ExplainArgs;
use crate::error::Error;
use crate::program::program;
use answers::origin::Origin;
use answers::pod_report::PodReport;
use answers::questions::Cut;
use render::page::{Paper, page_of};
use render::safe::Printable;
use render::screen::{AnswerDrawer, Answers, BarsWanted, DrawnAnswer};
use render::text;
use render::{html, name};

/// How many nodes the items have together that are encoded at once. Each takes some 100 kB while it
/// is encoded, where its pods could be evicted.
const NODES_ENCODED: usize = 10_000;

/// What was asked, and how it is written.
#[derive(Clone, Copy)]
pub(super) struct Writing<'w> {
    pub(super) args: &'w ExplainArgs,
    pub(super) global: &'w GlobalFlags,
    pub(super) input: &'w LoadedInput,
    pub(super) origin: &'w Origin,
    /// How many pods are explained.
    pub(super) pods: usize,
    /// Whether a pod was named, and not a list of them.
    pub(super) one: bool,
}

/// Why no further pod is explained.
pub(super) enum WriteEnd {
    NobodyReads,
    Failed(anyhow::Error),
}

/// Draws explanations for a sheet, each from itself alone.
pub(super) struct SheetDrawer<'w> {
    writing: Writing<'w>,
    form: Form<'w>,
    reader: SheetReader,
}

/// What an explanation becomes.
#[derive(Clone, Copy)]
enum Form<'w> {
    Answer(AnswerDrawer<'w>),
    Page(Paper),
    Decision,
    Item(Encoding),
    Report,
}

/// A report for a sheet.
pub(super) enum DrawnPart<'v> {
    Answer(Box<DrawnAnswer>),
    Page(Printable),
    Decision(Box<json::Decision>),
    Item(anyhow::Result<ItemText>),
    Report(Box<PodReport<'v>>),
    /// The reader has left.
    Nothing,
}

/// Whether somebody reads what is written, for those who draw it.
#[derive(Clone, Default)]
struct SheetReader(Arc<AtomicBool>);

impl SheetReader {
    fn leaves(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn has_left(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The answer in one format, as far as it is written.
pub(super) struct Sheet<'w, 'v> {
    writing: Writing<'w>,
    written: Written<'w, 'v>,
    reader: SheetReader,
}

/// What is kept of the explanations.
enum Written<'w, 'v> {
    Screen(Answers),
    Pages(Vec<Printable>),
    /// The answer about a single pod, which is no list.
    Single(Encoding, Option<Box<json::Decision>>),
    List(DecisionListWriter<'w>),
    /// What templates are applied to.
    Items(&'w KubectlFormat, Vec<json::Decision>),
    /// A page for the browser with all of them.
    Html(Vec<PodReport<'v>>),
    /// Another format that draws all of them together.
    Whole(ShareFormat, Vec<PodReport<'v>>),
}

impl SheetDrawer<'_> {
    pub(super) fn draw<'v>(&self, report: &PodReport<'v>) -> DrawnPart<'v> {
        let Writing { args, origin, .. } = self.writing;
        match self.form {
            Form::Answer(drawer) => DrawnPart::Answer(Box::new(drawer.draw(report))),
            Form::Page(paper) => {
                let mut page = text::page(report, origin);
                if args.nodes {
                    page.append(text::nodes(report));
                }
                DrawnPart::Page(page.print(paper))
            }
            Form::Decision => DrawnPart::Decision(Box::new(self.writing.json(report))),
            Form::Item(_) if self.reader.has_left() => DrawnPart::Nothing,
            Form::Item(encoding) => {
                DrawnPart::Item(ItemText::new(encoding, self.writing.json(report)))
            }
            Form::Report => DrawnPart::Report(Box::new(report.clone())),
        }
    }

    /// How many explanations may be drawn before they are added.
    pub(super) fn most(&self) -> usize {
        match self.form {
            Form::Item(_) => NODES_ENCODED / self.writing.input.cluster.nodes.len().max(1),
            Form::Answer(_) | Form::Page(_) | Form::Decision | Form::Report => usize::MAX,
        }
    }
}

impl<'w, 'v> Sheet<'w, 'v> {
    /// Nothing is written yet. Returns also what draws for it.
    pub(super) fn new(
        format: &'w Format<ShareFormat>,
        writing: Writing<'w>,
    ) -> (Self, SheetDrawer<'w>) {
        let Writing { args, origin, pods, global, one, .. } = writing;
        // A single pod is no list. The items of a list are written while the next ones are decided.
        let encoded = |encoding: Encoding| {
            if one && pods == 1 {
                return (Written::Single(encoding, None), Form::Decision);
            }
            let mut output = AnswerOutput::new(global);
            let list = DecisionListWriter::new(encoding, move |part| output.write(part));
            (Written::List(list), Form::Item(encoding))
        };
        let (written, form) = match format {
            Format::Text => {
                let lines = output::lines();
                let bars = match lines {
                    // Nothing scrolls away: the prompt has a line of its own, too.
                    1.. if pods == 1 => {
                        BarsWanted::Fitted { paper: output::paper(global), lines: lines - 1 }
                    }
                    _ if args.bars => BarsWanted::Yes,
                    _ => BarsWanted::No,
                };
                let drawer = AnswerDrawer::new(pods, origin, args.nodes, lines).with_bars(bars);
                (Written::Screen(Answers::default()), Form::Answer(drawer))
            }
            Format::Wide => (Written::Pages(Vec::new()), Form::Page(output::wide_paper(global))),
            Format::Json => encoded(Encoding::Json),
            Format::Yaml => encoded(Encoding::Yaml),
            Format::Html => (Written::Html(Vec::new()), Form::Report),
            Format::Kubectl(format) => (Written::Items(format, Vec::new()), Form::Decision),
            Format::Own(format) => (Written::Whole(*format, Vec::new()), Form::Report),
        };
        let reader = SheetReader::default();
        let drawer = SheetDrawer { writing, form, reader: reader.clone() };
        (Self { writing, written, reader }, drawer)
    }

    /// Adds the explanation of a pod, which its drawer has drawn. Breaks if it is of no use to
    /// explain further ones.
    pub(super) fn add(&mut self, part: DrawnPart<'v>) -> ControlFlow<WriteEnd> {
        match (&mut self.written, part) {
            (Written::Screen(answers), DrawnPart::Answer(answer)) => answers.add(*answer),
            (Written::Pages(pages), DrawnPart::Page(page)) => pages.push(page),
            (Written::Single(_, single), DrawnPart::Decision(decision)) => {
                *single = Some(decision);
            }
            (Written::Items(_, items), DrawnPart::Decision(decision)) => items.push(*decision),
            (Written::Html(reports) | Written::Whole(_, reports), DrawnPart::Report(report)) => {
                reports.push(*report);
            }
            (Written::List(list), DrawnPart::Item(item)) => {
                if let Err(error) = item.and_then(|item| list.add(item)) {
                    return ControlFlow::Break(WriteEnd::Failed(error));
                }
                if !list.is_read() {
                    self.reader.leaves();
                    // With --exit-code the rest decides, read or not.
                    if !self.writing.args.exit_code {
                        return ControlFlow::Break(WriteEnd::NobodyReads);
                    }
                }
            }
            // A sheet gets what its own drawer has drawn.
            (_, _) => {}
        }
        ControlFlow::Continue(())
    }

    /// The answer, unless it is written already; `cut` says that not every pod is in it.
    ///
    /// # Errors
    /// When the format cannot be written.
    pub(super) fn finish(self, cut: Option<Cut>) -> anyhow::Result<Option<Printable>> {
        let Writing { global, one, .. } = self.writing;
        let paper = output::paper(global);
        let mut first_line = cut.map(page_of).unwrap_or_default();
        match self.written {
            Written::Screen(answers) => {
                first_line.append(answers.page());
                Ok(Some(first_line.print(paper)))
            }
            Written::Pages(mut pages) => {
                if cut.is_some() {
                    pages.insert(0, first_line.print(paper));
                }
                Ok(Some(Printable::pages(&pages)))
            }
            Written::Single(encoding, Some(decision)) => encoding.write(&decision).map(Some),
            Written::Single(encoding, None) => {
                encoding.write(&to_json::decision_list(Vec::new())).map(Some)
            }
            Written::List(list) => {
                // The list may be written to a pager, which ends before the warning is shown.
                list.finish()?;
                warn_of(cut, global);
                Ok(None)
            }
            Written::Items(format, mut items) => {
                warn_of(cut, global);
                let asked_for_one = one && items.len() == 1;
                match items.pop() {
                    Some(one) if asked_for_one => format.text(&one, true, paper),
                    last => {
                        let items = items.into_iter().chain(last).collect();
                        format.text(&to_json::decision_list(items), true, paper)
                    }
                }
                .map(Some)
            }
            Written::Html(reports) => {
                warn_of(cut, global);
                printing::say_to_open(global);
                let page = html::page(&reports, program());
                Ok(Some(Printable::new(page.map_err(|e| Error::input("output", e))?)))
            }
            Written::Whole(format, reports) => {
                warn_of(cut, global);
                if format == ShareFormat::Name {
                    // A list of names cannot say that only some of them are meant.
                    let remarks = reports.iter().filter_map(|one| name::remark(one));
                    remarks.for_each(|remark| output::warn(global, &remark));
                }
                printer::share(format, &reports).map(Some)
            }
        }
    }
}

impl Writing<'_> {
    fn json(&self, report: &PodReport) -> json::Decision {
        let mut json = to_json::pod_report(report, self.input.source);
        if self.args.nodes {
            to_json::add_room(&mut json, report);
        }
        if self.args.bars {
            json.bars = to_json::bars(report).map(Box::new);
        }
        json
    }
}

/// Says of an answer for programs that not every pod is in it.
fn warn_of(cut: Option<Cut>, global: &GlobalFlags) {
    if let Some(cut) = cut {
        output::warn(global, &cut.sentence());
    }
}
