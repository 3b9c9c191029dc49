//! `NodeVolumeLimits`: the node stays within the volume limits of its CSI drivers.

use std::collections::BTreeMap;

use sha1_smol::Sha1;

use crate::framework::cluster_view::NodeInfo;
use crate::framework::cycle::rejections_of;
use crate::framework::doubts::{DoubtContext, Doubts, Reliance};
use crate::framework::evidence::{Evidence, Fact, Nearness, Obstruction, RejectedOn};
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::reason::{Message, Obstacle, When};
use crate::framework::status::{Code, FilterVerdict};
use crate::framework::storage_evidence::{VolumeDriver, VolumeLimit};
use crate::framework::volume_limits::{
    self, Handle, LOOKUP_FAILED, TOO_MANY, VolumeCountProblem, counts_as_csi,
};
use json::evidence::Evidence as JsonEvidence;
use model::cluster::in_tree::{InTreeVolume, Provisioner};
use model::cluster::pod_volume::{Inline, PodVolumeClaim, TemplateVolume};
use model::cluster::storage::{CsiNode, VolumeClaim, VolumeSource};
use model::cluster::{Cluster, Kind, NodeIx, Pod, PodIx, Sym};
use model::notes::{Note, NoteDoc, Severity};
use model::words;
use profile::history::{CsiLimits, UnmadeVolumes};

/// The prefix of allocatable resources that limit volumes.
const ATTACHABLE: &str = "attachable-volumes-";
/// From this length on, the name of such a resource does not contain the driver's full name.
const LONGEST_RESOURCE: usize = 63;

/// Maximum number of drivers that a sentence names.
const DRIVERS_NAMED: usize = 3;

static MISSING_DRIVER: Message = Message {
    code: "PRE-232",
    text: "{} CSI driver is not installed on the node",
    meaning: "The CSI driver of one of the pod's volumes does not run on the node.",
    preemption: "Never: an eviction installs no driver.",
    remedy: "install the CSI driver on the node",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.37)",
};

pub struct NodeVolumeLimits;

static DOC: RuleDoc = RuleDoc {
    name: "NodeVolumeLimits",
    code: "PRE-108",
    summary: "With the pod's volumes, no CSI driver has more volumes on the node than its CSINode allows.",
    preemption: "Helps only where the evicted pod's volume has no VolumeAttachment: attached volumes count until they \
                 are detached.",
    scores: None,
    messages: &[&TOO_MANY, &MISSING_DRIVER, &LOOKUP_FAILED],
    retried_on: Some("a CSINode changes, a claim is added, a pod or VolumeAttachment is deleted"),
    source: "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.37)",
};

impl Signer for NodeVolumeLimits {
    fn sees_alike(&self, cycle: &Cycle, other: &Pod) -> bool {
        cycle.has_volumes_of(other)
    }
}

impl Plugin for NodeVolumeLimits {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let features = cycle.features();
        if features.volume_limits.attach_limits
            && cycle.template.volumes.iter().any(|volume| match volume {
                TemplateVolume::Claim => true,
                TemplateVolume::Ephemeral { .. } => features.volume_limits.limits_count_ephemeral,
                TemplateVolume::Inline(inline) => {
                    inline.in_tree.is_some() && features.node_volume_limits.csi_limits_count_inline
                }
            })
        {
            Prepared::ready(Limits { cycle: *cycle })
        } else {
            Prepared::Skip
        }
    }
}

/// The node lacks several CSI drivers; kube-scheduler names an arbitrary one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingDrivers {
    /// The drivers, by name.
    drivers: Box<[Sym]>,
}

impl Evidence for MissingDrivers {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::OtherPool
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Fixed
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let names = self.drivers.iter().map(|driver| cluster.text(*driver).to_owned());
        vec![JsonEvidence::MissingDrivers { missing_drivers: names.collect() }]
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        let names: Vec<&str> = self.drivers.iter().map(|driver| cluster.text(*driver)).collect();
        let driver = if names.len() == 1 { "CSI driver" } else { "CSI drivers" };
        let names = words::list(&names, DRIVERS_NAMED);
        vec![Fact::Words(format!("the node does not run {driver} {names}"))]
    }

    fn any_of(&self) -> &[Sym] {
        if self.drivers.len() > 1 { &self.drivers } else { &[] }
    }
}

/// The identity of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct VolumeId {
    /// The driver that the handle belongs to; empty where handles of different drivers are
    /// compared.
    scope: Sym,
    handle: Handle,
}

/// Volumes, and their drivers.
type Volumes = BTreeMap<VolumeId, Sym>;

struct Limits<'c> {
    cycle: Cycle<'c>,
}

impl Filter for Limits<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        let name = self.cycle.view.node(node.node).name;
        let csi_node = self.cycle.cluster().storage.csi_node(name);
        let mut new = match self.volumes(self.cycle.pod, csi_node, true) {
            Ok(new) => new,
            Err(problem) => {
                return match problem.into_rejection(&self.cycle) {
                    Ok(rejection) => FilterVerdict::Rejected(rejection),
                    Err(error) => FilterVerdict::Failed(error.into()),
                };
            }
        };
        let drivers = self.missing_drivers(&new, csi_node);
        if let Some(driver) = drivers.first() {
            let named = MISSING_DRIVER.name(*driver);
            let grounds = MissingDrivers { drivers }.grounds();
            return FilterVerdict::reject(Code::Unschedulable, named, grounds);
        }
        if new.is_empty() || !self.is_limited(node, csi_node) {
            return FilterVerdict::Fits;
        }

        // A volume that another pod uses on the node is attached only once. Volumes of pods that
        // are gone count until they are detached.
        let mut attached = Volumes::new();
        for pod in &node.pods {
            match self.volumes(self.cycle.cluster().pod(*pod), csi_node, false) {
                Ok(volumes) => attached.extend(volumes),
                Err(problem) => {
                    return FilterVerdict::Failed(problem.into_error(&self.cycle).into());
                }
            }
        }
        new.retain(|volume, _| !attached.contains_key(volume));
        attached.extend(self.still_attached(name));

        for driver in self.by_name(&new) {
            let Some(limit) = self.limit(driver, node, csi_node) else { continue };
            let (attached, wanted) = (count(&attached, driver), count(&new, driver));
            if attached + wanted > limit {
                let driver = VolumeDriver::Csi(driver);
                let grounds = VolumeLimit { driver, limit, attached, wanted }.grounds();
                return FilterVerdict::reject(Code::Unschedulable, TOO_MANY.reason(), grounds);
            }
        }
        FilterVerdict::Fits
    }
}

/// How many volumes of each CSI driver pods without a node have that no pod on a node uses.
pub fn new_volumes(cycle: &Cycle, pods: &[PodIx]) -> BTreeMap<Sym, usize> {
    let limits = Limits { cycle: *cycle };
    let of = |pod: &PodIx| {
        let volumes = limits.volumes(cycle.cluster().pod(*pod), None, false);
        volumes.unwrap_or_default()
    };
    let mut new: Volumes = pods.iter().flat_map(of).collect();
    for pod in cycle.view.infos().iter().flat_map(|info| &info.pods) {
        let used = of(pod);
        new.retain(|volume, _| !used.contains_key(volume));
    }
    let mut by_driver: BTreeMap<Sym, usize> = BTreeMap::new();
    for driver in new.into_values() {
        *by_driver.entry(driver).or_default() += 1;
    }
    by_driver
}

/// How many more volumes of a driver a node may attach, once those are detached that none of its pods
/// uses; `None` for any number.
pub fn free_attachments(cycle: &Cycle, node: NodeIx, driver: Sym) -> Option<i64> {
    let limits = Limits { cycle: *cycle };
    let csi_node = cycle.cluster().storage.csi_node(cycle.cluster().node(node).name);
    let info = cycle.view.info(node);
    let limit = limits.limit(driver, info, csi_node)?;
    let mut used = Volumes::new();
    for pod in &info.pods {
        used.extend(limits.volumes(cycle.cluster().pod(*pod), csi_node, false).ok()?);
    }
    Some((limit - count(&used, driver)).max(0))
}

/// How many of the volumes are of a driver.
fn count(volumes: &Volumes, driver: Sym) -> i64 {
    volumes.values().map(|of| i64::from(*of == driver)).sum()
}

/// The allocatable resource that limits the volumes of a driver.
///
/// Upstream: `pkg/volume/util/attach_limit.go` `GetCSIAttachLimitKey` (1.31).
fn resource(driver: &str) -> String {
    let whole = format!("{ATTACHABLE}csi-{driver}");
    match driver.split_at_checked(23) {
        Some((start, _)) if whole.len() >= LONGEST_RESOURCE => {
            let digest = Sha1::from(driver).digest().to_string();
            format!("{ATTACHABLE}csi-{start}{}", digest.get(..16).unwrap_or_default())
        }
        _ => whole,
    }
}

impl Limits<'_> {
    /// Maximum number of a driver's volumes on the node; `None` for no limit.
    fn limit(&self, driver: Sym, node: &NodeInfo, csi_node: Option<&CsiNode>) -> Option<i64> {
        let from = self.cycle.features().node_volume_limits.csi_limits_from;
        // If a driver is listed twice, the later entry counts.
        let listed = |n: &CsiNode| {
            n.drivers.iter().rev().find_map(|(d, limit)| limit.filter(|_| *d == driver))
        };
        let of_csi_node = csi_node.filter(|_| from != CsiLimits::Node).and_then(listed);
        of_csi_node.or_else(|| {
            let cluster = self.cycle.cluster();
            let name = (from != CsiLimits::CsiNode).then(|| resource(cluster.text(driver)))?;
            self.cycle.view.node(node.node).allocatable.scalar(cluster.symbols.get(&name)?)
        })
    }

    /// Whether the node has any volume limit.
    fn is_limited(&self, node: &NodeInfo, csi_node: Option<&CsiNode>) -> bool {
        let (from, cluster) =
            (self.cycle.features().node_volume_limits.csi_limits_from, self.cycle.cluster());
        let mut scalars = self.cycle.view.node(node.node).allocatable.scalars.iter();
        from != CsiLimits::Node
            && csi_node.is_some_and(|n| n.drivers.iter().any(|(_, limit)| limit.is_some()))
            || from != CsiLimits::CsiNode
                && scalars.any(|(name, _)| cluster.text(*name).starts_with(ATTACHABLE))
    }

    /// The volumes of a pod that CSI drivers attach. Claims of other pods that do not exist do not
    /// count.
    fn volumes(
        &self,
        pod: &Pod,
        csi_node: Option<&CsiNode>,
        incoming: bool,
    ) -> Result<Volumes, VolumeCountProblem> {
        let count_inline = self.cycle.features().node_volume_limits.csi_limits_count_inline;
        volume_limits::volumes(
            pod,
            &self.cycle,
            incoming,
            |volume: &Inline| if count_inline { self.inline(volume, csi_node) } else { Ok(None) },
            |claim: Result<&VolumeClaim, &PodVolumeClaim>| self.of_claim(claim.ok()?, csi_node),
        )
    }

    fn volume(&self, driver: Sym, handle: Handle) -> (VolumeId, Sym) {
        let scope = if self.cycle.features().node_volume_limits.csi_limits_by_driver {
            driver
        } else {
            Sym::EMPTY
        };
        (VolumeId { scope, handle }, driver)
    }

    fn inline(
        &self,
        inline: &Inline,
        csi_node: Option<&CsiNode>,
    ) -> Result<Option<(VolumeId, Sym)>, VolumeCountProblem> {
        let Some(in_tree) =
            inline.in_tree.as_ref().filter(|v| self.is_migrated(v.plugin, csi_node))
        else {
            return Ok(None);
        };
        match &in_tree.handle {
            Ok(handle) => Ok(Some(self.volume(in_tree.driver, Handle::Known(*handle)))),
            Err(e) => {
                let name = self.cycle.cluster().text(inline.name);
                Err(VolumeCountProblem::Failed(format!(
                    "converting volume({name}) from inline to csi: {e}"
                )))
            }
        }
    }

    fn of_claim(&self, claim: &VolumeClaim, csi_node: Option<&CsiNode>) -> Option<(VolumeId, Sym)> {
        let storage = &self.cycle.cluster().storage;
        let Some(volume) =
            Some(claim.volume_name).filter(|n| !n.is_empty()).and_then(|n| storage.volume(n))
        else {
            return self.to_be_made(claim, csi_node);
        };
        let (driver, handle) = match &volume.source {
            VolumeSource::Csi { driver, handle } => (*driver, *handle),
            VolumeSource::InTree {
                volume: InTreeVolume { plugin, driver, handle: Ok(handle), .. },
                ..
            } if self.is_migrated(*plugin, csi_node) => (*driver, *handle),
            VolumeSource::InTree { .. } | VolumeSource::Other => return None,
        };
        let nameless = driver.is_empty() || handle.is_empty();
        (!nameless).then(|| self.volume(driver, Handle::Known(handle)))
    }

    fn to_be_made(
        &self,
        claim: &VolumeClaim,
        csi_node: Option<&CsiNode>,
    ) -> Option<(VolumeId, Sym)> {
        let class = match self.cycle.features().node_volume_limits.csi_limits_unmade {
            UnmadeVolumes::NotCounted => return None,
            UnmadeVolumes::BySpec => claim.spec_class.unwrap_or_default(),
            UnmadeVolumes::ByAnnotation => claim.class,
        };
        let class = self.cycle.cluster().storage.class(class)?;
        let driver = match class.provisioner {
            Provisioner::Driver(driver) => Some(driver).filter(|d| !d.is_empty()),
            Provisioner::InTree { plugin, driver } => {
                self.is_migrated(plugin, csi_node).then_some(driver)
            }
            Provisioner::Uncounted => None,
        }?;
        Some(self.volume(driver, Handle::OfClaim(claim.namespace, claim.name)))
    }

    fn is_migrated(&self, plugin: Sym, csi_node: Option<&CsiNode>) -> bool {
        counts_as_csi(self.cycle.cluster().text(plugin), csi_node, &self.cycle)
    }

    /// The drivers of `volumes` that the node lacks. Parity: kube-scheduler names the first of a
    /// map.
    fn missing_drivers(&self, volumes: &Volumes, csi_node: Option<&CsiNode>) -> Box<[Sym]> {
        let (features, storage) = (self.cycle.features(), &self.cycle.cluster().storage);
        if !features.node_volume_limits.volume_limit_scaling {
            return Box::default();
        }
        let is_opt_in = features.node_volume_limits.missing_driver_is_opt_in;
        let there = csi_node.map(|node| &*node.drivers).unwrap_or_default();
        let mut missing = Vec::new();
        for driver in self.by_name(volumes) {
            let csi_driver = storage.driver(driver);
            let must_be_there = csi_driver.is_some_and(|d| d.prevents_if_missing || !is_opt_in);
            if must_be_there && !there.iter().any(|(listed, _)| *listed == driver) {
                missing.push(driver);
            }
        }
        missing.into()
    }

    /// Volumes that are attached to the node, whether or not a pod uses them. Parity: an in-tree
    /// volume does not count.
    fn still_attached(&self, node: Sym) -> impl Iterator<Item = (VolumeId, Sym)> {
        let storage = &self.cycle.cluster().storage;
        let counts = self.cycle.features().node_volume_limits.csi_limits_count_attached;
        let attachments = if counts { storage.attachments(node) } else { &[] };
        attachments.iter().filter_map(|attachment| {
            match storage.volume(attachment.volume)?.source {
                VolumeSource::Csi { handle, .. } => {
                    Some(self.volume(attachment.attacher, Handle::Known(handle)))
                }
                VolumeSource::InTree { .. } | VolumeSource::Other => None,
            }
        })
    }

    /// The drivers of `volumes`, by name.
    fn by_name(&self, volumes: &Volumes) -> Vec<Sym> {
        let mut drivers: Vec<Sym> = volumes.values().copied().collect();
        drivers.sort_by_key(|driver| self.cycle.cluster().text(*driver));
        drivers.dedup();
        drivers
    }
}

static SEVERAL_DRIVERS: NoteDoc = NoteDoc {
    code: "PRE-965",
    name: "several missing CSI drivers",
    meaning: "A node lacks several CSI drivers of the pod's volumes, and kube-scheduler names one of them: which one is not in the API.",
};

static NOTES: &[&NoteDoc] = &[&SEVERAL_DRIVERS];

impl Doubts for NodeVolumeLimits {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn notes(&self) -> &'static [&'static NoteDoc] {
        NOTES
    }

    fn doubts(&self, context: &DoubtContext) -> Vec<Note> {
        let cluster = context.cycle.cluster();
        for (node, _, rejection) in rejections_of(context.verdicts, cluster) {
            let evidence = rejection.reasons.first().and_then(|first| first.evidence.as_ref());
            let missing = evidence.and_then(|evidence| evidence.get::<MissingDrivers>());
            let drivers = missing.map(|missing| &*missing.drivers).unwrap_or_default();
            if drivers.len() < 2 {
                continue;
            }
            let names: Vec<&str> = drivers.iter().map(|driver| cluster.text(*driver)).collect();
            let text = format!(
                "node {} lacks the CSI drivers {}: which of them kube-scheduler names differs from time to time",
                cluster.node_name(node),
                names.join(", ")
            );
            let pod = cluster.pod_subject(context.cycle.ix);
            return vec![Note::warning(&SEVERAL_DRIVERS, text).about(pod)];
        }
        Vec::new()
    }

    fn relies_on(&self, kind: Kind, context: &DoubtContext) -> Option<Reliance> {
        let features = &context.cycle.features().node_volume_limits;
        let reliance = context.reliance_of_volumes(kind)?;
        // A node that reports no limits takes any number of volumes; almost every cluster has some
        // of these objects.
        let odd = |is: bool| Some(Reliance { absent: is.then_some(Severity::Warning), ..reliance });
        match kind {
            Kind::PersistentVolumeClaim
            | Kind::PersistentVolume
            | Kind::StorageClass
            | Kind::CsiDriver => Some(reliance),
            Kind::CsiNode => odd(features.csi_limits_from != CsiLimits::Node),
            Kind::VolumeAttachment => {
                odd(features.csi_limits_count_attached
                    && context.cycle.cluster().storage.has_limits())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
