//! What every command that decides is given: where objects come from, and which scheduler decides when.

use jiff::Timestamp;

use super::GlobalFlags;
use super::scheduler::{SchedulerArgs, Setup};
use super::selector::Selector;
use super::target::{self, Target};
use crate::api::flags::ConnectionFlags;
use crate::capture::originals::{Keeping, Originals};
use crate::capture::{Sink, files};
use crate::error::Error;
use engine::cluster::Cluster;
use engine::cluster::build::Builder;
use engine::cluster::pod::PodIx;
use engine::framework::cluster_view::ClusterView;
use engine::framework::extender_client::ExtenderClient;
use engine::json::SourceKind;
use engine::profile::config::Remark;
use engine::profile::{Profile, SchedulerVersion, VersionSource};

/// kubectl's page size.
const PAGE: usize = 500;

/// Flags of every command that decides.
#[derive(Debug, Default, Clone, clap::Args)]
pub struct InputArgs {
    /// Read objects from a file, a directory or - (standard input) instead of the cluster: what kubectl get -o json|yaml
    /// or kubectl cluster-info dump wrote, or a snapshot; .gz and .zst are unpacked
    #[arg(long, value_name = "FILE|DIR|-")]
    pub from: Option<String>,

    /// Without names: only pods with these labels, as kubectl selects them (e.g. app=web,tier!=front)
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    pub selector: Option<String>,

    /// Return large lists in chunks rather than all at once. Pass 0 to disable
    #[arg(long, value_name = "N", default_value_t = PAGE, hide_short_help = true)]
    pub chunk_size: usize,

    /// Which scheduler decides.
    #[command(flatten)]
    pub scheduler: SchedulerArgs,

    /// Decide as at this instant, RFC 3339 (default: when the snapshot was taken, else now)
    #[arg(long, value_name = "TIME")]
    pub now: Option<String>,
}

/// What was asked for, checked.
#[derive(Debug)]
pub struct Request<'a> {
    args: &'a InputArgs,
    setup: Setup<'a>,
    now: Option<Timestamp>,
    selector: Selector,
    /// Whether pods are asked about that do not exist yet.
    new_pods: bool,
}

/// What was read, and who decides about it.
#[derive(Debug)]
pub struct Question {
    /// The facts.
    pub cluster: Cluster,
    /// Where they came from.
    pub source: SourceKind,
    /// The scheduler, by its first profile.
    pub profile: Profile,
    /// Its other profiles, each for another `schedulerName`.
    pub more_profiles: Vec<Profile>,
    /// Nodes and pods as they came, where extenders are asked.
    pub originals: Option<Originals>,
    /// The instant of the decision.
    pub now: Timestamp,
    /// The namespace that is meant where none is named.
    pub namespace: String,
    /// Which pods are meant where none is named.
    pub selector: Selector,
}

impl InputArgs {
    /// Reads the values of the flags.
    ///
    /// # Errors
    /// [`Error::Usage`] for a value that makes no sense.
    pub fn check(&self) -> Result<Request<'_>, Error> {
        let now = self.now.as_deref().map(|text| {
            text.parse::<Timestamp>().map_err(|_| Error::Usage {
                problem: format!("--now `{text}` is not an RFC 3339 time"),
                hint: Some("write it as 2026-01-31T12:00:00Z".to_owned()),
            })
        });
        let selector = Selector::parse(self.selector.as_deref().unwrap_or_default())?;
        Ok(Request { args: self, setup: self.scheduler.check()?, now: now.transpose()?, selector, new_pods: false })
    }
}

impl Request<'_> {
    /// Reads what the API server gives to new pods, too.
    pub fn for_new_pods(&mut self) {
        self.new_pods = true;
    }

    /// Asks for the scheduler of `version`, whatever the cluster's is.
    ///
    /// # Errors
    /// What its flags refuse.
    pub fn decide_as(&mut self, version: SchedulerVersion) -> Result<(), Error> {
        self.setup.version = Some(version);
        self.setup.check(version)
    }

    /// The profiles of the scheduler of `version`, at least one, once the cluster is read.
    ///
    /// # Errors
    /// When the scheduler of that version refuses its feature gates or configuration.
    pub fn profiles(&self, version: SchedulerVersion, cluster: &Cluster) -> Result<Vec<Profile>, Error> {
        self.setup.profiles(version, VersionSource::Flag, &cluster.header)
    }

    /// Reads the cluster or the files.
    ///
    /// # Errors
    /// When there is nothing to decide on, or the scheduler of that version has no such feature gates.
    pub fn read(
        &self,
        targets: &[Target],
        global: &GlobalFlags,
        connection: &ConnectionFlags,
    ) -> Result<Question, Error> {
        if !targets.is_empty() && !self.selector.is_empty() {
            return Err(Error::usage("a pod cannot be named together with a label selector (-l)"));
        }
        // What is wrong for a named version needs no cluster to be told.
        if let Some(version) = self.setup.version {
            self.setup.check(version)?;
        }
        let mut builder = Builder::new();
        let mut originals = Originals::default();
        let call = self.args.scheduler.call_extenders;
        let mut keeping = Keeping { sink: &mut builder, originals: &mut originals };
        let (namespace, source) = match &self.args.from {
            None if call => (read_live(&mut keeping, targets, self, global, connection)?, SourceKind::Live),
            None => (read_live(&mut builder, targets, self, global, connection)?, SourceKind::Live),
            Some(from) => {
                let _told = super::progress::Progress::of(global.quiet, &format!("reading {from}"));
                if call {
                    files::read(from, &mut keeping)?;
                } else {
                    files::read(from, &mut builder)?;
                }
                if builder.objects() == 0 {
                    let origin = if from == "-" { files::STDIN } else { from };
                    return Err(Error::input(origin, "no Kubernetes object in it"));
                }
                ("default".to_owned(), SourceKind::File)
            }
        };
        let cluster = builder.finish();
        let captured = cluster.header.captured_at.as_deref().and_then(|t| t.parse().ok());
        let server = cluster.header.server_version.as_deref().and_then(SchedulerVersion::parse);
        let (version, from) = match (self.setup.version, server) {
            (Some(version), _) => (version, VersionSource::Flag),
            (None, Some(version)) if source == SourceKind::Live => (version, VersionSource::Server),
            (None, Some(version)) => (version, VersionSource::Snapshot),
            (None, None) => (SchedulerVersion::NEWEST, VersionSource::Default),
        };
        let mut profiles = self.setup.profiles(version, from, &cluster.header)?.into_iter();
        let mut profile = profiles.next().unwrap_or_else(|| Profile::new(version, from));
        let mut more_profiles: Vec<Profile> = profiles.collect();
        if call && originals.narrowed {
            let text = "a snapshot has no whole pods and nodes: extenders were sent the fields that it has";
            let told = std::iter::once(&mut profile).chain(&mut more_profiles);
            told.for_each(|profile| profile.remarks.push(Remark::deciding(text)));
        }
        Ok(Question {
            source,
            profile,
            more_profiles,
            originals: call.then_some(originals),
            now: self.now.or(captured).unwrap_or_else(Timestamp::now),
            namespace: global.namespace.clone().unwrap_or(namespace),
            selector: self.selector.clone(),
            cluster,
        })
    }
}

impl Question {
    fn profiles(&self) -> impl Iterator<Item = &Profile> {
        std::iter::once(&self.profile).chain(&self.more_profiles)
    }

    /// The cluster as each profile sees it, with extenders that are asked if `ask` does so.
    #[must_use]
    pub fn views<'q>(&'q self, ask: Option<&'q dyn ExtenderClient>) -> Vec<ClusterView<'q>> {
        self.profiles().map(|profile| ClusterView::new(&self.cluster, profile).with_extender_client(ask)).collect()
    }

    /// Who asks the extenders, with `--call-extenders`.
    ///
    /// # Errors
    /// Addresses or certificates of the configuration that cannot be used.
    pub fn callers(&self) -> Result<Option<Box<dyn ExtenderClient + '_>>, Error> {
        let Some(originals) = &self.originals else { return Ok(None) };
        let callers = super::extenders::Callers::new(&self.cluster, originals, &self.profile.extenders)?;
        Ok(Some(Box::new(callers)))
    }

    /// Which of [`Self::worlds`] a pod lives in: that of its `schedulerName`, or the first if no profile has it.
    #[must_use]
    pub fn view_of(&self, pod: PodIx) -> usize {
        let name = self.cluster.text(self.cluster.template(self.cluster.pod(pod)).scheduler_name);
        self.profiles().position(|p| p.scheduler_name == name).unwrap_or(0)
    }

    /// The pods that `targets` mean, in order; without targets, those that wait for a node: of the namespace, or
    /// `everywhere`.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a target that is not there.
    pub fn pods(&self, targets: &[Target], everywhere: bool, global: &GlobalFlags) -> Result<Vec<PodIx>, Error> {
        target::choose(targets, everywhere, self, &self.cluster, global)
    }
}

/// Reads the cluster; returns the namespace of the context.
fn read_live(
    sink: &mut dyn Sink,
    targets: &[Target],
    request: &Request,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
) -> Result<String, Error> {
    use super::progress::Progress;
    use crate::capture::live::{self, Scope};
    use engine::snapshot::Kind;

    let unread = |kind: &Kind| match kind {
        Kind::Job => !target::needs_jobs(targets),
        Kind::LimitRange => !request.new_pods,
        _ => false,
    };
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| !unread(kind)).collect();
    let chunk = request.args.chunk_size;
    let scope = Scope { config_map: request.setup.config_map.clone(), chunk, ..Scope::of(&kinds) };
    let mut progress = Progress::new(global.quiet);
    let info = live::capture(connection, &scope, sink, &mut |read| progress.saw(read));
    drop(progress);
    let info = info?;
    for warning in &info.warnings {
        super::output::warn(global, warning);
    }
    Ok(info.namespace)
}
