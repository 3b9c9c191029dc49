//! What one read of the cluster shows: every pod that waits for a node, and the decision about it.

use jiff::Timestamp;

use super::args::{PendingArgs, PendingFormat};
use crate::cli::deciding::{CutShort, Deciding};
use crate::cli::input::{InputOfCommand as _, LoadedInput};
use crate::cli::{kubectl_format, output};
use crate::error::Error;
use crate::exit::Exit;
use answers::earlier::{EarlierList, KnownRows};
use answers::origin::Origin;
use answers::origin::SourceKind;
use answers::pending::GroupRows;
use answers::pending::{DecisionSequence, Pending, PendingRow};
use engine::cluster::PodIx;
use engine::profile::Profile;
use engine::snapshot::Header;
use json::PendingList;
use render::custom_columns;
use render::jsonpath::PathTemplate;
use render::page::Paper;
use render::pending::{self, Layout, ReadState};
use render::safe::Printable;

/// The waiting pods of one read of the cluster.
#[derive(Debug)]
pub(super) struct PendingReport {
    /// One row per pod or group, in the order of the scheduler's queue.
    pub(super) pending: Pending,
    header: Header,
    profile: Profile,
    source: SourceKind,
    /// What the decisions are based on.
    pub(super) origin: Origin,
    /// The time of the decisions.
    pub(super) now: Timestamp,
    /// Whether every pod could be read.
    complete: bool,
    /// That not every pod was decided.
    pub(super) cut: Option<CutShort>,
    /// The rows that the next list may take over.
    pub(super) known: KnownRows,
}

impl PendingReport {
    /// Decides about `pods`, as far as rows of an earlier list do not hold still.
    ///
    /// # Errors
    /// Extenders that cannot be called.
    pub(super) fn new(
        input: &LoadedInput,
        pods: &[PodIx],
        args: &PendingArgs,
        mut deciding: Deciding,
        earlier: Option<EarlierList<'_>>,
    ) -> Result<Self, Error> {
        let goes_on = &mut || deciding.goes_on();
        let (pending, known) = match args.sequence() {
            DecisionSequence::Alone => {
                let callers = input.callers()?;
                let views = input.views(callers.as_deref());
                let groups = if args.output == PendingFormat::Wide {
                    GroupRows::Apart
                } else {
                    GroupRows::Together
                };
                if args.watch {
                    answers::pending::alone_since(earlier, input, &views, pods, groups, goes_on)
                } else {
                    let pending = answers::pending::alone(input, &views, pods, groups, goes_on);
                    (pending, KnownRows::default())
                }
            }
            DecisionSequence::InOrder => {
                (answers::pending::in_order(input, pods, goes_on), KnownRows::default())
            }
        };
        let cut = deciding.end();
        Ok(Self {
            pending,
            header: input.cluster.header.clone(),
            profile: input.profile.clone(),
            source: input.source,
            origin: input.origin(),
            now: input.now,
            complete: cut.is_none() && input.cluster.notes_on_lists().next().is_none(),
            cut,
            known,
        })
    }

    /// The whole list in one of the formats of `-o`.
    pub(super) fn text(
        &self,
        args: &PendingArgs,
        format: &PendingFormat,
        paper: Paper,
    ) -> anyhow::Result<Printable> {
        match format {
            PendingFormat::Text | PendingFormat::Wide => {
                let layout = self.layout(args, self.now);
                let mut page = self.cut.map(CutShort::page).unwrap_or_default();
                page.append(pending::page(&self.pending, layout, &self.origin));
                Ok(page.print(Paper { whole: layout.wide, ..paper }))
            }
            PendingFormat::Name => Ok(pending::names(&self.pending.rows).map_err(Error::from)?),
            PendingFormat::Openmetrics => Ok(self.metrics(None)),
            PendingFormat::Json => output::json(&self.list()),
            PendingFormat::Yaml => output::yaml(&self.list()),
            PendingFormat::Kubectl(format) => format.text(&self.list(), !args.no_headers, paper),
        }
    }

    /// The columns and headings that the flags and the pods ask for, with ages as of `now`.
    pub(super) fn layout(&self, args: &PendingArgs, now: Timestamp) -> Layout {
        Layout {
            namespaces: args.all_namespaces,
            wide: args.output == PendingFormat::Wide,
            headers: !args.no_headers,
            actors: self.pending.names_actors(),
            now,
        }
    }

    /// Sorts the pods by what stands at `path` in their JSON.
    ///
    /// # Errors
    /// [`Error::Usage`] for a path that no pod has.
    pub(super) fn sort(&mut self, path: &PathTemplate) -> anyhow::Result<()> {
        let root = output::to_value(&self.list())?;
        kubectl_format::check("--sort-by", std::iter::once(path), &root)?;
        let order = custom_columns::order(&kubectl_format::items(&root), path);
        self.pending.rows =
            order.into_iter().filter_map(|index| self.pending.rows.get(index).cloned()).collect();
        Ok(())
    }

    /// The list as metrics; `connected` is whether the cluster can be read still.
    pub(super) fn metrics(&self, connected: Option<bool>) -> Printable {
        let read = ReadState {
            decided: self.now,
            complete: self.complete,
            rules_assumed: self.profile.version_gap.is_some(),
            connected,
        };
        pending::openmetrics(&self.pending, read)
    }

    fn list(&self) -> PendingList {
        to_json::pending_list(&self.pending, &self.header, &self.profile, self.source)
    }

    /// The exit code after this list.
    pub(super) fn exit(&self) -> Exit {
        let loses_room = |row: &PendingRow| row.competitors.is_certain();
        if self.pending.rows.iter().any(|row| row.is_unsure() || loses_room(row)) {
            Exit::Partial
        } else {
            Exit::Answered
        }
    }
}
