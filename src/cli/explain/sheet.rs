//! The explanations of pods in one format. Each is written as soon as it is made, where the format
//! allows it, so that a list of many pods does not keep what every one of them said of every node.

use std::ops::ControlFlow;

use super::super::decision_list::{DecisionListWriter, ListOutput};
use super::super::flags::GlobalFlags;
use super::super::input::LoadedInput;
use super::super::kubectl_format::KubectlFormat;
use super::super::pager::AnswerOutput;
use super::super::printer::{self, DataFormat, Encoding, ExplainFormat, PeopleFormat, ShareFormat};
use super::super::{deciding::CutShort, output};
use super::args::ExplainArgs;
use engine::decision::Explanation;
use render::name;
use render::origin::Origin;
use render::safe::Printable;
use render::screen::Answers;
use render::text;
use render::view_model::ViewModel;

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
    pub(super) destination: Destination,
}

/// Where an answer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Destination {
    /// To whoever reads the output of the program, as far as the format allows it item by item.
    Output,
    /// To the caller, as a whole.
    Caller,
}

impl Destination {
    /// Whether the answer about several pods is written while they are decided.
    pub(super) fn streams(self, format: &ExplainFormat) -> bool {
        self == Self::Output && matches!(format, ExplainFormat::Data(DataFormat::Encoded(_)))
    }
}

/// Why no further pod is explained.
pub(super) enum WriteEnd {
    NobodyReads,
    Failed(anyhow::Error),
}

/// The answer in one format, as far as it is written.
pub(super) struct Sheet<'w, 'v> {
    writing: Writing<'w>,
    written: Written<'w, 'v>,
}

/// What is kept of the explanations.
enum Written<'w, 'v> {
    Screen(Answers<'w>),
    Pages(Vec<Printable>),
    /// The answer about a single pod, which is no list.
    Single(Encoding, Option<Box<json::Decision>>),
    /// The list, and the explanations that are not encoded yet.
    List(DecisionListWriter<'w>, Vec<Explanation<'v>>),
    /// What templates are applied to.
    Items(&'w KubectlFormat, Vec<json::Decision>),
    /// A format that draws all of them together.
    Whole(ShareFormat, Vec<Explanation<'v>>),
}

impl<'w, 'v> Sheet<'w, 'v> {
    /// Nothing is written yet.
    pub(super) fn new(format: &'w ExplainFormat, writing: Writing<'w>) -> Self {
        let Writing { args, origin, pods, global, one, destination, .. } = writing;
        let written = match format {
            ExplainFormat::People(PeopleFormat::Text) => {
                Written::Screen(Answers::new(pods, origin, args.nodes, output::lines()))
            }
            ExplainFormat::People(PeopleFormat::Wide) => Written::Pages(Vec::new()),
            ExplainFormat::Data(DataFormat::Encoded(encoding)) if one && pods == 1 => {
                Written::Single(*encoding, None)
            }
            ExplainFormat::Data(DataFormat::Encoded(encoding)) => {
                let output = match destination {
                    Destination::Output => ListOutput::Streamed(AnswerOutput::new(global)),
                    Destination::Caller => ListOutput::Collected(Printable::default()),
                };
                Written::List(DecisionListWriter::new(*encoding, output), Vec::new())
            }
            ExplainFormat::Data(DataFormat::Kubectl(format)) => Written::Items(format, Vec::new()),
            ExplainFormat::Share(format) => Written::Whole(*format, Vec::new()),
        };
        Self { writing, written }
    }

    /// Adds the explanation of a pod. Breaks if it is of no use to explain further ones.
    pub(super) fn add(&mut self, explanation: &Explanation<'v>) -> ControlFlow<WriteEnd> {
        let Writing { args, global, origin, .. } = self.writing;
        match &mut self.written {
            Written::Screen(answers) => answers.add(explanation),
            Written::Pages(pages) => {
                let mut page = text::page(explanation, origin);
                if args.nodes {
                    page.append(text::nodes(explanation, self.writing.input.now));
                }
                pages.push(page.print(output::wide_paper(global)));
            }
            Written::Single(_, single) => *single = Some(Box::new(self.writing.json(explanation))),
            Written::List(list, waiting) => {
                if list.is_read() {
                    waiting.push(explanation.clone());
                }
                if waiting.len() >= self.writing.encoded_at_once()
                    && let Err(error) = self.writing.add_to(list, waiting)
                {
                    return ControlFlow::Break(WriteEnd::Failed(error));
                }
                // With --exit-code the rest decides, read or not.
                if !list.is_read() && !args.exit_code {
                    return ControlFlow::Break(WriteEnd::NobodyReads);
                }
            }
            Written::Items(_, items) => items.push(self.writing.json(explanation)),
            Written::Whole(_, explanations) => explanations.push(explanation.clone()),
        }
        ControlFlow::Continue(())
    }

    /// The answer, unless it is written already; `cut` says that not every pod is in it.
    ///
    /// # Errors
    /// When the format cannot be written.
    pub(super) fn finish(self, cut: Option<CutShort>) -> anyhow::Result<Option<Printable>> {
        let Writing { global, input, one, .. } = self.writing;
        let paper = output::paper(global);
        let mut first_line = cut.map(CutShort::page).unwrap_or_default();
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
                encoding.write(&engine::json::decision_list(Vec::new())).map(Some)
            }
            Written::List(mut list, mut waiting) => {
                self.writing.add_to(&mut list, &mut waiting)?;
                // The list may be written to a pager, which ends before the warning is shown.
                let text = list.finish()?;
                warn_of(cut, global);
                Ok(text)
            }
            Written::Items(format, mut items) => {
                warn_of(cut, global);
                let asked_for_one = one && items.len() == 1;
                match items.pop() {
                    Some(one) if asked_for_one => format.text(&one, true, paper),
                    last => {
                        let items = items.into_iter().chain(last).collect();
                        format.text(&engine::json::decision_list(items), true, paper)
                    }
                }
                .map(Some)
            }
            Written::Whole(format, explanations) => {
                warn_of(cut, global);
                let model = |explanation| ViewModel::new(explanation, input.now);
                let models: Vec<ViewModel> = explanations.iter().map(model).collect();
                if format == ShareFormat::Name {
                    // A list of names cannot say that only some of them are meant.
                    let remarks = explanations.iter().filter_map(|one| name::remark(one));
                    remarks.for_each(|remark| output::warn(global, &remark));
                }
                printer::share(format, &models, global).map(Some)
            }
        }
    }
}

impl Writing<'_> {
    /// How many items are encoded at once.
    fn encoded_at_once(&self) -> usize {
        let affordable = NODES_ENCODED / self.input.cluster.nodes.len().max(1);
        rayon::current_num_threads().min(affordable).max(1)
    }

    /// Writes the explanations that wait for it.
    fn add_to(
        &self,
        list: &mut DecisionListWriter,
        waiting: &mut Vec<Explanation>,
    ) -> anyhow::Result<()> {
        list.add_all(waiting, |explanation| self.json(explanation))?;
        waiting.clear();
        Ok(())
    }

    fn json(&self, explanation: &Explanation) -> json::Decision {
        let mut json = engine::json::explanation(explanation, self.input.source);
        if self.args.nodes {
            engine::json::add_room(&mut json, explanation);
        }
        json
    }
}

/// Says of an answer for programs that not every pod is in it.
fn warn_of(cut: Option<CutShort>, global: &GlobalFlags) {
    if let Some(cut) = cut {
        output::warn(global, &cut.sentence());
    }
}
