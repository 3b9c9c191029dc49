//! The explanations of pods in one format. Each is written as soon as it is made, where the format
//! allows it, so that a list of many pods does not keep what every one of them said of every node.

use super::super::flags::GlobalFlags;
use super::super::input::LoadedInput;
use super::super::printer::{self, DataFormat, ExplainFormat, PeopleFormat, ShareFormat};
use super::super::{deciding::CutShort, output};
use super::args::ExplainArgs;
use engine::decision::Explanation;
use render::name;
use render::origin::Origin;
use render::safe::Printable;
use render::screen::Answers;
use render::text;
use render::view_model::ViewModel;

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

/// The answer in one format, as far as it is written.
pub(super) struct Sheet<'w, 'v> {
    writing: Writing<'w>,
    written: Written<'w, 'v>,
}

/// What is kept of the explanations.
enum Written<'w, 'v> {
    Screen(Answers<'w>),
    Pages(Vec<Printable>),
    Items(&'w DataFormat, Vec<json::Decision>),
    /// A format that draws all of them together.
    Whole(ShareFormat, Vec<Explanation<'v>>),
}

impl<'w, 'v> Sheet<'w, 'v> {
    /// Nothing is written yet.
    pub(super) fn new(format: &'w ExplainFormat, writing: Writing<'w>) -> Self {
        let Writing { args, origin, pods, .. } = writing;
        let written = match format {
            ExplainFormat::People(PeopleFormat::Text) => {
                Written::Screen(Answers::new(pods, origin, args.nodes, output::lines()))
            }
            ExplainFormat::People(PeopleFormat::Wide) => Written::Pages(Vec::new()),
            ExplainFormat::Data(format) => Written::Items(format, Vec::new()),
            ExplainFormat::Share(format) => Written::Whole(*format, Vec::new()),
        };
        Self { writing, written }
    }

    /// Adds the explanation of a pod.
    pub(super) fn add(&mut self, explanation: &Explanation<'v>) {
        let Writing { args, global, input, origin, .. } = self.writing;
        match &mut self.written {
            Written::Screen(answers) => answers.add(explanation),
            Written::Pages(pages) => {
                let mut page = text::page(explanation, origin);
                if args.nodes {
                    page.append(text::nodes(explanation, input.now));
                }
                pages.push(page.print(output::wide_paper(global)));
            }
            Written::Items(_, items) => {
                let mut json = engine::json::explanation(explanation, input.source);
                if args.nodes {
                    engine::json::add_room(&mut json, explanation);
                }
                items.push(json);
            }
            Written::Whole(_, explanations) => explanations.push(explanation.clone()),
        }
    }

    /// The answer; `cut` says that not every pod is in it.
    ///
    /// # Errors
    /// When the format cannot be written.
    pub(super) fn finish(self, cut: Option<CutShort>) -> anyhow::Result<Printable> {
        let Writing { global, input, one, .. } = self.writing;
        let paper = output::paper(global);
        let mut first_line = cut.map(CutShort::page).unwrap_or_default();
        match self.written {
            Written::Screen(answers) => {
                first_line.append(answers.page());
                Ok(first_line.print(paper))
            }
            Written::Pages(mut pages) => {
                if cut.is_some() {
                    pages.insert(0, first_line.print(paper));
                }
                Ok(Printable::pages(&pages))
            }
            Written::Items(format, mut items) => {
                warn_of(cut, global);
                let asked_for_one = one && items.len() == 1;
                match items.pop() {
                    Some(one) if asked_for_one => printer::data(format, &one, global),
                    last => {
                        let items = items.into_iter().chain(last).collect();
                        printer::data(format, &engine::json::decision_list(items), global)
                    }
                }
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
                printer::share(format, &models, global)
            }
        }
    }
}

/// Says of an answer for programs that not every pod is in it.
fn warn_of(cut: Option<CutShort>, global: &GlobalFlags) {
    if let Some(cut) = cut {
        output::warn(global, &cut.sentence());
    }
}
