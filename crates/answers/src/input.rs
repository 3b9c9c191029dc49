//! What was read, and the scheduler that decides about it.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;

use crate::error::{AnswerError, Hint};
pub use crate::input_flags::InputFlags;
use crate::node_name::NodeNames;
use crate::nodeless;
use crate::origin::{InputOrigin, Origin, SourceKind};
use crate::scheduler::SchedulerChoice;
use crate::similar::{did_you_mean, similar_names};
use crate::target::{self, PodFilter, Target};
use engine::cluster::Cluster;
use engine::cluster::build::Builder;
use engine::cluster::pod::PodIx;
use engine::cluster::selector::Selector;
use engine::decode::Originals;
use engine::framework::cluster_view::ClusterView;
use engine::framework::extender_client::ExtenderClient;
use engine::profile::Profile;
use engine::profile::config::ConfigRemark;
use engine::snapshot::Kind;
use engine::snapshot::meta::LabelSelector;

/// Objects before the scheduler that decides about them is known.
#[derive(Debug)]
pub struct ReadObjects {
    /// The objects.
    pub builder: Builder,
    /// Whole nodes and pods to send to extenders; `None` without `--call-extenders`.
    pub originals: Option<Originals>,
    /// The cluster or the files.
    pub place: InputOrigin,
    /// The namespace of pods that are named without one.
    pub namespace: String,
}

/// The user's choices for an answer.
#[derive(Debug)]
pub struct Wishes<'w> {
    /// Who decides.
    pub scheduler: &'w SchedulerChoice,
    /// The time of the decision (`--now`); by default that of the snapshot, else the present.
    pub now: Option<Timestamp>,
    /// The present.
    pub present: Timestamp,
    /// Which pods are meant where none is named (`-l`).
    pub selector: &'w LabelSelector<'w>,
    /// How a command asks about the same input.
    pub flags: &'w InputFlags,
}

/// Parses the time in `flag`.
///
/// # Errors
/// [`AnswerError::Usage`] for anything but a time as in RFC 3339.
pub fn read_time(flag: &str, text: &str) -> Result<Timestamp, AnswerError> {
    text.parse().map_err(|_| {
        let problem = format!("{flag} `{text}` is not an RFC 3339 time");
        AnswerError::usage_hint(problem, "write it as 2026-01-31T12:00:00Z")
    })
}

/// The objects, with the scheduler that decides about them.
#[derive(Debug, Clone)]
pub struct LoadedInput {
    /// The objects.
    pub cluster: Cluster,
    /// Whether they came from a cluster or from files.
    pub source: SourceKind,
    /// The cluster or the files.
    pub place: InputOrigin,
    /// The first profile of the scheduler.
    pub profile: Profile,
    /// Its other profiles, each for another `schedulerName`.
    pub more_profiles: Vec<Profile>,
    /// Whole nodes and pods to send to extenders; `None` without `--call-extenders`.
    pub originals: Option<Originals>,
    /// The time of the decision.
    pub now: Timestamp,
    /// Whether that time was given or read with the objects. Files without it may be of any age.
    pub is_dated: bool,
    /// The namespace of pods that are named without one.
    pub namespace: String,
    /// Selects pods by label if no pod is named (`-l`).
    pub selector: Selector,
    /// How a command asks about the same input.
    pub flags: Arc<InputFlags>,
}

impl LoadedInput {
    /// Finds the scheduler that decides about `read`.
    ///
    /// # Errors
    /// For files without an object, and when the scheduler refuses its feature gates or
    /// configuration.
    pub fn new(read: ReadObjects, wishes: &Wishes<'_>) -> Result<Self, AnswerError> {
        let ReadObjects { builder, originals, place, namespace } = read;
        if let Some(files) = place.files()
            && builder.objects() == 0
        {
            return Err(AnswerError::no_objects(&files, &builder));
        }
        Self::of_cluster(&mut builder.finish(), originals, place, namespace, wishes)
    }

    /// Whether anything has the namespace of the question. Where no namespaces were read, `default` is
    /// one all the same; where they could not be read, any may be.
    ///
    /// # Errors
    /// [`AnswerError::NotFound`] with the namespaces that may have been meant.
    pub fn check_namespace(&self) -> Result<(), AnswerError> {
        let cluster = &self.cluster;
        if cluster.unread(Kind::Namespace).is_some() {
            return Ok(());
        }
        let mut known: BTreeSet<&str> =
            cluster.namespaces.keys().map(|namespace| cluster.text(*namespace)).collect();
        if known.is_empty() {
            known.insert("default");
        }
        let pods = cluster.pod_indices().map(|pod| cluster.text(cluster.pod(pod).namespace));
        known.extend(pods);
        if cluster.pods.is_empty() || known.contains(self.namespace.as_str()) {
            return Ok(());
        }
        Err(AnswerError::NotFound {
            resource: "namespaces".to_owned(),
            name: self.namespace.clone(),
            hint: did_you_mean(&similar_names(&self.namespace, known)).map(Hint::from),
        })
    }

    /// Finds the scheduler that decides about a cluster, which has been read at `place`. Takes
    /// `cluster`, but leaves it in place if there is an error.
    ///
    /// # Errors
    /// When the scheduler rejects its feature gates or configuration.
    pub fn of_cluster(
        cluster: &mut Cluster,
        originals: Option<Originals>,
        place: InputOrigin,
        namespace: String,
        wishes: &Wishes<'_>,
    ) -> Result<Self, AnswerError> {
        let source = match &place {
            InputOrigin::Cluster(_) => SourceKind::Live,
            InputOrigin::Files(_) => SourceKind::File,
        };
        let captured = cluster.header.captured_at.as_deref().and_then(|t| t.parse().ok());

        // Remarks for every profile: an assumed version, and extenders that get less than the
        // scheduler would send them.
        let deciding = wishes.scheduler.version(cluster, source);
        let mut profiles = wishes.scheduler.profiles(deciding.version, deciding.from, cluster)?;
        let in_part = originals.as_ref().is_some_and(|originals| originals.from_snapshot);
        for profile in &mut profiles {
            profile.version_gap.clone_from(&deciding.gap);
            if in_part {
                let text = "a snapshot has no whole pods and nodes: extenders were sent the fields that it has";
                profile.remarks.push(ConfigRemark::deciding(text));
            }
        }
        let mut profiles = profiles.into_iter();
        Ok(Self {
            source,
            place,
            profile: profiles
                .next()
                .unwrap_or_else(|| Profile::new(deciding.version, deciding.from)),
            more_profiles: profiles.collect(),
            originals,
            now: wishes.now.or(captured).unwrap_or(wishes.present),
            is_dated: wishes.now.or(captured).is_some(),
            namespace,
            flags: Arc::new(wishes.flags.clone()),
            selector: Selector::read(Some(wishes.selector), &mut cluster.symbols)
                .map_err(|issues| AnswerError::usage(issues.to_string()))?,
            cluster: std::mem::take(cluster),
        })
    }

    /// The profiles of the scheduler, at least one.
    pub fn profiles(&self) -> impl Iterator<Item = &Profile> {
        std::iter::once(&self.profile).chain(&self.more_profiles)
    }

    /// The cluster as each profile sees it. Extenders are called with `ask`, or ignored without it.
    pub fn views<'q>(&'q self, ask: Option<&'q dyn ExtenderClient>) -> Vec<ClusterView<'q>> {
        self.profiles()
            .map(|profile| ClusterView::new(&self.cluster, profile).with_extender_client(ask))
            .collect()
    }

    /// The source of an answer, for pages.
    pub fn origin(&self) -> Origin {
        let nodes = NodeNames::of(&self.cluster);
        Origin { place: self.place.clone(), as_of: self.now, nodes }
    }

    /// The index in [`Self::views`] of the profile for a pod: that of its `schedulerName`, or the
    /// first if no profile has this name.
    pub fn view_of(&self, pod: PodIx) -> usize {
        self.view_in(&self.cluster, pod)
    }

    /// The same for a pod of a changed copy of the cluster.
    pub(crate) fn view_in(&self, cluster: &Cluster, pod: PodIx) -> usize {
        let name = cluster.text(cluster.template(cluster.pod(pod)).scheduler_name);
        self.profiles().position(|p| p.scheduler_name == name).unwrap_or(0)
    }

    /// The profile for a pod of the cluster, or of a changed copy of it.
    pub fn profile_in(&self, cluster: &Cluster, pod: PodIx) -> &Profile {
        self.profiles().nth(self.view_in(cluster, pod)).unwrap_or(&self.profile)
    }

    /// The pods meant if none is named: those of the namespace, or of all namespaces, with the
    /// labels that were asked for.
    pub fn pod_filter(&self, all_namespaces: bool) -> PodFilter<'_> {
        PodFilter { namespace: &self.namespace, all_namespaces, selector: &self.selector }
    }

    /// The pods that `targets` name, in order; without targets, the pending pods.
    ///
    /// # Errors
    /// [`AnswerError::NotFound`] for a target that is not in the cluster, [`AnswerError::Input`]
    /// for files that lack the nodes.
    pub fn choose(
        &self,
        targets: &[Target],
        all_namespaces: bool,
    ) -> Result<Vec<PodIx>, AnswerError> {
        self.check_nodes()?;
        target::choose(targets, self.pod_filter(all_namespaces), &self.cluster)
            .map_err(|error| error.about(&self.flags))
    }

    /// The pods of a target: the named pod, or the owner's pending pods (all of its pods if none is
    /// pending).
    ///
    /// # Errors
    /// [`AnswerError::NotFound`] for a target that is not in the cluster.
    pub fn find(&self, target: &Target) -> Result<Vec<PodIx>, AnswerError> {
        target::find(target, &self.namespace, &self.cluster)
            .map_err(|error| error.about(&self.flags))
    }

    /// Whether a list of all pods may lack some, because they could not be read.
    pub fn may_lack_pods(&self) -> bool {
        self.cluster.notes_on_lists().next().is_some()
    }

    /// Rejects files that lack the nodes.
    ///
    /// # Errors
    /// [`AnswerError::Input`] explains how to add them.
    pub fn check_nodes(&self) -> Result<(), AnswerError> {
        if let Some(files) = self.place.files() {
            nodeless::check(&self.cluster, &files)
        } else {
            Ok(())
        }
    }
}
