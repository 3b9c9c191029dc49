//! The common input of every command that decides: the source of the objects, the scheduler, and
//! the time.
//!
//! [`InputArgs`] are the flags as given, [`InputOptions`] the flags with validated values, and
//! [`LoadedInput`] the result of reading: the cluster and the profiles of its scheduler.

mod kept;

use jiff::Timestamp;

use super::extenders::Callers;
use super::flags::GlobalFlags;
use super::output;
use super::progress::ProgressLine;
use super::scheduler::SchedulerArgs;
use crate::api::Env;
use crate::api::flags::ConnectionFlags;
use crate::capture::files;
use crate::capture::live::{self, AlsoRead, ControllerScope, LiveInfo, NamedController, ReadScope};
use crate::error::Error;
use answers::AnswerError;
use answers::input::{InputFlags, ReadObjects, Wishes, read_time};
use answers::origin::InputOrigin;
use answers::scheduler::SchedulerChoice;
use answers::target::{self, Target};
use engine::cluster::build::Builder;
use engine::cluster::selector::text;
use engine::cluster::{Cluster, PodIx};
use engine::decode::{Originals, WantedWorkload, WithOriginals};
use engine::framework::extender_client::ExtenderClient;
use engine::profile::SchedulerVersion;
use engine::snapshot::meta::LabelSelector;
use engine::snapshot::{Kind, Sink};

pub use answers::input::LoadedInput;
pub use kept::KeptInput;

/// A larger file of YAML is worth a hint: it is read several times as slowly as JSON.
const LARGE_YAML: u64 = 50 << 20;

/// Flags of every command that decides.
#[derive(Debug, Default, Clone, clap::Args)]
pub struct InputArgs {
    /// Only pods with these labels, e.g. app=web,tier!=front
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    pub selector: Option<String>,

    /// Read the cluster from files; - is standard input; may be repeated
    ///
    /// FILE is what `kubectl get -o json` or `-o yaml`, `kubectl describe` or `kubectl preempt
    /// snapshot` wrote, DIR what `kubectl cluster-info dump` wrote. Files may be compressed with gzip or
    /// zstd; archives (tar, zip) are read as directories. Several are read as one cluster; an object
    /// that is in two of them is that of the later one.
    #[arg(long, value_name = "FILE|DIR|-", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub from: Vec<String>,

    /// Decide as of this time (default: that of the snapshot, else now)
    ///
    /// Written as in RFC 3339, e.g. 2026-01-31T12:00:00Z.
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    pub now: Option<String>,

    /// Read large lists in chunks of this size; 0 reads them at once
    #[arg(long, value_name = "N", default_value_t = live::PAGE, hide_short_help = true)]
    pub chunk_size: usize,

    /// Which scheduler decides. Its heading holds for what follows.
    #[command(flatten)]
    pub scheduler: SchedulerArgs,

    /// Whether commands in answers leave out these flags, because whoever asks cannot give them.
    #[arg(skip)]
    pub is_unnamed: bool,
}

/// The flags with validated values.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Debug)]
pub struct InputOptions<'a> {
    args: &'a InputArgs,
    scheduler: SchedulerChoice,
    now: Option<Timestamp>,
    selector: LabelSelector<'static>,
    /// Whether the command decides about pods that do not exist yet.
    new_pods: bool,
    /// Whether the command reports on the past: Events and finished pods are read as well.
    events: bool,
    /// Whether Events are read in addition.
    also_events: bool,
    /// Whether an answer without nodes is one.
    in_part: bool,
    /// Whether workloads are read that lack pods.
    missing_pods: bool,
    /// What few questions need.
    also: AlsoRead,
    /// The workloads that manifests change, of which every field is read.
    workloads: Vec<WantedWorkload>,
}

impl InputArgs {
    /// Whether the cluster is read from standard input.
    pub(super) fn reads_stdin(&self) -> bool {
        self.from.iter().any(|from| from == "-")
    }

    /// Validates the values of the flags.
    ///
    /// # Errors
    /// [`Error::Usage`] for an invalid value, [`Error::Input`] for an unreadable configuration
    /// file.
    pub fn check(&self) -> Result<InputOptions<'_>, Error> {
        let now = self.now.as_deref().map(|text| read_time("--now", text));
        let selector = parse_selector(self.selector.as_deref().unwrap_or_default())?;
        let scheduler = self.scheduler.check()?;
        check_sources(&self.from)?;
        Ok(InputOptions {
            args: self,
            scheduler,
            now: now.transpose()?,
            selector,
            new_pods: false,
            events: false,
            also_events: false,
            in_part: false,
            missing_pods: false,
            also: AlsoRead::default(),
            workloads: Vec::new(),
        })
    }
}

/// Rejects files of `--from` that cannot be read together.
fn check_sources(sources: &[String]) -> Result<(), Error> {
    for (index, source) in sources.iter().enumerate() {
        let earlier = sources.get(..index).unwrap_or_default();
        if earlier.contains(source) {
            let what = if source == "-" { "standard input" } else { source };
            return Err(Error::usage(format!("--from: {what} is named twice")));
        }
    }
    Ok(())
}

/// The cluster in a file or directory.
///
/// # Errors
/// [`Error::Input`] for unreadable input, and for files without an object.
pub fn read_file(file: &str, global: &GlobalFlags) -> Result<Cluster, Error> {
    let mut builder = Builder::new();
    read_files(file, &mut builder, global)?;
    if builder.objects() == 0 {
        return Err(answers::AnswerError::no_objects(file, &builder).into());
    }
    Ok(builder.finish())
}

/// Whether a file that begins with `head` is YAML as kubectl writes it, and not JSON or packed.
fn looks_like_yaml(head: &[u8]) -> bool {
    let begins = [&b"apiVersion:"[..], b"items:", b"kind:", b"metadata:", b"---", b"- ", b"#"];
    begins.iter().any(|begin| head.starts_with(begin))
}

/// Reads the objects of files, and warns of what was passed over.
pub(super) fn read_files(
    source: &str,
    sink: &mut dyn Sink,
    global: &GlobalFlags,
) -> Result<(), Error> {
    let progress = ProgressLine::of(global.quiet, &format!("reading {source}"));
    let size = std::fs::metadata(source).ok().filter(std::fs::Metadata::is_file);
    if let Some(meta) = size.as_ref().filter(|meta| meta.len() > LARGE_YAML)
        && files::head(source).is_some_and(|head| looks_like_yaml(&head))
    {
        let mebibytes = meta.len() >> 20;
        output::say(
            global,
            &format!(
                "hint: {source} has {mebibytes} MiB of YAML, which takes much longer to read than JSON (kubectl get -o json)"
            ),
        );
    }
    let seen = size.map(|meta| progress.of_file(source, meta.len()));
    let seen = seen.as_ref().map(|seen| seen as &files::Seen<'_>);
    let warnings = files::read_and_tell(source, sink, seen);
    drop(progress);
    for warning in warnings? {
        output::warn(global, &warning);
    }
    Ok(())
}

/// Parses `-l`.
fn parse_selector(selector: &str) -> Result<LabelSelector<'static>, Error> {
    text::parse(selector).map_err(|part| Error::Usage {
        problem: format!("-l `{selector}`: `{part}` is not a requirement of a label selector"),
        hint: Some(
            "write it as key=value, key!=value, key in (a,b), key notin (a,b), key or !key"
                .to_owned(),
        ),
    })
}

impl InputOptions<'_> {
    /// Includes the objects that admission in the API server uses for new pods.
    pub fn for_new_pods(&mut self) {
        self.new_pods = true;
    }

    /// Reads every field of these workloads.
    pub fn with_workloads(&mut self, workloads: Vec<WantedWorkload>) {
        self.workloads = workloads;
    }

    /// Limits the input to facts about the past: Events and pods, including finished ones, and no
    /// kind that only affects decisions.
    pub fn for_the_past(&mut self) {
        self.events = true;
    }

    /// Reads what may be read where nodes or other namespaces are forbidden.
    pub fn in_part(&mut self) {
        self.in_part = true;
    }

    /// Reads the workloads that are named, or all that lack pods, and who could not create them.
    pub fn with_missing_pods(&mut self) {
        self.missing_pods = true;
    }

    /// Reads who changed nodes last, and when.
    pub fn with_node_changes(&mut self) {
        self.also.node_changes = true;
    }

    /// Reads who may create what.
    pub fn with_access(&mut self) {
        self.also.access = true;
    }

    /// Includes Events.
    pub fn with_events(&mut self) {
        self.also_events = true;
    }

    /// Decides with the scheduler of `version`, whatever version the cluster has.
    ///
    /// # Errors
    /// Feature gates or a configuration that the scheduler of that version rejects.
    pub fn decide_as(&mut self, version: SchedulerVersion) -> Result<(), AnswerError> {
        self.scheduler.version = Some(version);
        self.scheduler.check(version)
    }

    /// Decides with this version, or with that of the cluster.
    pub fn decide_by(&mut self, version: Option<SchedulerVersion>) {
        self.scheduler.version = version;
    }

    /// The scheduler that the flags name.
    pub fn scheduler(&self) -> &SchedulerChoice {
        &self.scheduler
    }

    /// Reads the cluster or the files.
    ///
    /// # Errors
    /// When there is nothing to decide on, or the scheduler rejects its feature gates or
    /// configuration.
    pub fn read(
        &self,
        targets: &[Target],
        global: &GlobalFlags,
        connection: &ConnectionFlags,
    ) -> Result<LoadedInput, Error> {
        if !targets.is_empty() && !self.selector.match_expressions.is_empty() {
            let problem = "a pod cannot be named together with a label selector (-l)";
            return Err(Error::usage_hint(problem, "leave one of them out"));
        }
        if let Some(namespace) = &global.namespace {
            target::check_namespace(targets, namespace)?;
        }
        self.check_version()?;
        let mut builder = Builder::new();
        let mut originals = self.args.scheduler.call_extenders.then(Originals::default);
        // Of a live cluster they are read one by one.
        let is_live = self.args.from.is_empty();
        if !self.workloads.is_empty() && !is_live {
            let namespace = global.namespace.as_deref().unwrap_or("default");
            originals = Some(Originals::of_workloads(in_namespace(&self.workloads, namespace)));
        }
        let (namespace, place) = match &mut originals {
            Some(originals) => {
                let mut sink = WithOriginals { sink: &mut builder, originals };
                self.read_into(&mut sink, targets, global, connection)?
            }
            None => self.read_into(&mut builder, targets, global, connection)?,
        };
        let namespace = global.namespace.clone().unwrap_or(namespace);
        if !self.workloads.is_empty() && is_live {
            let env = Env::process();
            let wanted = in_namespace(&self.workloads, &namespace);
            let stored = live::workloads::read(&env, connection, &wanted)?;
            let mut whole = Originals::default();
            whole.workloads = stored;
            originals = Some(whole);
        }
        let read = ReadObjects { builder, originals, place, namespace };
        self.load(read, &self.flags(connection))
    }

    /// The flags with which a command asks about the same input.
    fn flags(&self, connection: &ConnectionFlags) -> InputFlags {
        let mut flags = InputFlags::default();
        if self.args.is_unnamed {
            return flags;
        }
        for from in &self.args.from {
            flags.push("--from", Some(from.clone()));
        }
        flags.push("--now", self.args.now.clone());
        let scheduler = &self.args.scheduler;
        flags.push("--scheduler-version", scheduler.scheduler_version.clone());
        flags.push("--scheduler-config", scheduler.scheduler_config.clone());
        flags.push("--scheduler-configmap", scheduler.scheduler_configmap.clone());
        for gates in &scheduler.feature_gates {
            flags.push("--feature-gates", Some(gates.clone()));
        }
        let kubeconfig = connection.kubeconfig.as_ref().map(|path| path.display().to_string());
        flags.push("--kubeconfig", kubeconfig);
        flags.push("--context", connection.context.clone());
        flags
    }

    /// Validates, for a version given by flag, everything that does not depend on the cluster.
    fn check_version(&self) -> Result<(), Error> {
        self.scheduler.version.map_or(Ok(()), |version| Ok(self.scheduler.check(version)?))
    }

    /// What is decided on: the objects that were read, and the scheduler.
    fn load(&self, read: ReadObjects, flags: &InputFlags) -> Result<LoadedInput, Error> {
        let wishes = Wishes {
            flags,
            scheduler: &self.scheduler,
            now: self.now,
            present: Timestamp::now(),
            selector: &self.selector,
        };
        Ok(LoadedInput::new(read, &wishes)?)
    }

    /// Reads the files of `--from`, or the cluster. Returns the default namespace and the source.
    fn read_into(
        &self,
        sink: &mut dyn Sink,
        targets: &[Target],
        global: &GlobalFlags,
        connection: &ConnectionFlags,
    ) -> Result<(String, InputOrigin), Error> {
        if self.args.from.is_empty() {
            return self.read_cluster(sink, targets, global, connection);
        }
        let mut names = Vec::with_capacity(self.args.from.len());
        for from in &self.args.from {
            read_files(from, sink, global)?;
            names.push(if from == "-" { files::STDIN.to_owned() } else { from.clone() });
        }
        Ok(("default".to_owned(), InputOrigin::Files(names)))
    }

    /// Reads the cluster. Returns the namespace of the kubeconfig context, and the cluster.
    fn read_cluster(
        &self,
        sink: &mut dyn Sink,
        targets: &[Target],
        global: &GlobalFlags,
        connection: &ConnectionFlags,
    ) -> Result<(String, InputOrigin), Error> {
        let mut scope = self.scope(targets, global.namespace.as_deref());
        scope.in_part = self.in_part.then(|| global.namespace.clone().unwrap_or_default());
        scope.also = self.also;
        let mut progress = ProgressLine::new(global.quiet);
        let info = live::capture(&Env::process(), connection, &scope, sink, &mut |read| {
            progress.saw(read);
        });
        drop(progress);
        let info = info?;
        for warning in &info.warnings {
            output::warn(global, warning);
        }
        let place = place(&info);
        Ok((info.namespace, place))
    }

    /// The kinds to read from a cluster for `targets`, in `namespace` if they name none.
    fn scope(&self, targets: &[Target], namespace: Option<&str>) -> ReadScope {
        let kinds = Kind::ALL.into_iter().filter(|kind| match kind {
            // They also explain missing pods of a group.
            Kind::Job => target::needs_jobs(targets) || target::name_groups(targets),
            Kind::LimitRange | Kind::ResourceQuota => self.new_pods,
            // They explain missing pods of a group.
            Kind::Event => self.events || self.also_events || target::name_groups(targets),
            Kind::Node | Kind::Pod | Kind::PriorityClass => true,
            // Kueue identifies a Workload only by its UID; the others say who has to respond.
            Kind::KueueWorkload | Kind::EvictionRequest | Kind::Eviction => self.events,
            _ => !self.events && !kind.is_custom(),
        });
        let kinds: Vec<Kind> = kinds.collect();
        let config_map = self.scheduler.config_map.clone();
        let (chunk, finished_pods) = (self.args.chunk_size, self.events);
        let extensions = !self.events;
        let controllers = if self.missing_pods {
            controllers_of(targets, namespace)
        } else {
            ControllerScope::None
        };
        // Who lacks pods, and what the API server refuses them for.
        let mut beside = Vec::new();
        if controllers == ControllerScope::Incomplete {
            beside.push(Kind::Job);
        }
        if controllers != ControllerScope::None {
            beside.extend([Kind::LimitRange, Kind::ResourceQuota]);
        }
        ReadScope {
            config_map,
            extensions,
            controllers,
            beside,
            chunk,
            finished_pods,
            ..ReadScope::of(&kinds)
        }
    }
}

/// The workloads among `targets`, or all that lack pods if nothing is named.
fn controllers_of(targets: &[Target], namespace: Option<&str>) -> ControllerScope {
    if targets.is_empty() {
        return ControllerScope::Incomplete;
    }
    let mut named = Vec::new();
    for target in targets.iter().filter(|target| target.kind != "Pod" && !target.is_group()) {
        named.push(NamedController {
            kind: target.kind,
            namespace: target.namespace.clone().or_else(|| namespace.map(str::to_owned)),
            name: target.name.clone(),
        });
    }
    if named.is_empty() { ControllerScope::None } else { ControllerScope::Named(named) }
}

/// The workloads, those without a namespace in this one.
fn in_namespace(workloads: &[WantedWorkload], namespace: &str) -> Vec<WantedWorkload> {
    let mut wanted = workloads.to_vec();
    for one in wanted.iter_mut().filter(|one| one.namespace.is_empty()) {
        namespace.clone_into(&mut one.namespace);
    }
    wanted
}

fn place(info: &LiveInfo) -> InputOrigin {
    InputOrigin::Cluster(info.context.clone().unwrap_or_else(|| info.server.clone()))
}

/// What commands do with what was read, besides deciding.
pub trait InputOfCommand {
    /// The client for extenders; `None` without `--call-extenders`.
    ///
    /// # Errors
    /// Invalid addresses or certificates in the configuration.
    fn callers(&self) -> Result<Option<Box<dyn ExtenderClient + '_>>, Error>;

    /// The pods that `targets` name, in order; without targets, the pending pods. Says so if there
    /// are none.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a target that is not in the cluster, [`Error::Input`] for files that
    /// lack the nodes.
    fn pods(
        &self,
        targets: &[Target],
        all_namespaces: bool,
        global: &GlobalFlags,
    ) -> Result<Vec<PodIx>, Error>;

    /// Says that no pod waits, as far as is known. Decisions have notes about lists that could not
    /// be read instead.
    fn say_nothing_waits(&self, all_namespaces: bool, global: &GlobalFlags);
}

impl InputOfCommand for LoadedInput {
    fn callers(&self) -> Result<Option<Box<dyn ExtenderClient + '_>>, Error> {
        let Some(originals) = &self.originals else { return Ok(None) };
        let callers = Callers::new(&self.cluster, originals, &self.profile.extenders)?;
        Ok(Some(Box::new(callers)))
    }

    fn pods(
        &self,
        targets: &[Target],
        all_namespaces: bool,
        global: &GlobalFlags,
    ) -> Result<Vec<PodIx>, Error> {
        let pods = self.choose(targets, all_namespaces)?;
        if targets.is_empty() && pods.is_empty() {
            self.say_nothing_waits(all_namespaces, global);
        }
        Ok(pods)
    }

    fn say_nothing_waits(&self, all_namespaces: bool, global: &GlobalFlags) {
        output::say(global, &self.pod_filter(all_namespaces).nothing_waits());
        for note in self.cluster.notes_on_lists() {
            output::warn(
                global,
                &format!("the list may lack a pod: {}", answers::notes::sentence(note)),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::looks_like_yaml;

    #[test]
    fn yaml_is_recognized_by_its_first_bytes() {
        for yaml in ["apiVersion: v1\nitems:", "---\napiVersion: v1", "- apiVersion: v1", "# all"] {
            assert!(looks_like_yaml(yaml.as_bytes()), "{yaml}");
        }
        for other in ["{\"apiVersion\": \"v1\"}", "", "\u{1f}\u{8b}", "cluster-dump/nodes.json"] {
            assert!(!looks_like_yaml(other.as_bytes()), "{other}");
        }
    }
}
