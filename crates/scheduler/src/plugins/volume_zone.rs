//! `VolumeZone`: the node is in the zone and region of the pod's volumes.

use crate::framework::asked_label::AskedLabel;
use crate::framework::claims;
use crate::framework::cluster_view::NodeInfo;
use crate::framework::doubts::{DoubtContext, Doubts, Reliance};
use crate::framework::evidence::{Evidence, Fact, Nearness, Obstruction, RejectedOn};
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::reason::{Message, Obstacle, ReasonText, When, quoted};
use crate::framework::status::{Code, FilterVerdict, Rejection};
use json::evidence::Evidence as JsonEvidence;
use model::cluster::storage::{BindingMode, PersistentVolume, VolumeClaim};
use model::cluster::{Cluster, Kind, Pod, Sym};
use profile::history::{self, ZoneLabels};

/// Labels that count, in upstream's order, each with the newer label that nodes may have instead.
const LABELS: [(&str, &str); 4] = [
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("topology.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("topology.kubernetes.io/region", "topology.kubernetes.io/region"),
];
/// Separates the zones of a volume with several.
const DELIMITER: &str = "__";

pub struct VolumeZone;

static DOC: RuleDoc = RuleDoc {
    name: "VolumeZone",
    code: "PRE-110",
    summary: "The node's zone and region are among those that the labels of the pod's volumes name.",
    preemption: "Never helps: no eviction changes labels.",
    scores: None,
    messages: ALL,
    retried_on: Some(
        "a claim, volume or StorageClass changes, a node is added or its labels change",
    ),
    source: "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.37)",
};

impl Signer for VolumeZone {
    fn sees_alike(&self, cycle: &Cycle, other: &Pod) -> bool {
        cycle.has_volumes_of(other)
    }
}

impl Plugin for VolumeZone {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let (cluster, features, mut places) =
            (cycle.cluster(), &cycle.features().volume_zone, Vec::new());
        let mut problem = None;
        for used in cluster.claims_of(cycle.pod).filter(|used| !used.ephemeral) {
            let volume = match used.claim {
                None if used.name.is_empty() => Err(CLAIM_WITHOUT_NAME.reason()),
                None => Err(claims::CLAIM_NOT_FOUND.with([&quoted(&used.name)])),
                Some(claim) => volume(cycle, claim),
            };
            match volume {
                Ok(volume) => {
                    places.extend(volume.into_iter().flat_map(|volume| labelled(cycle, volume)));
                }
                Err(text) if features.volume_zone_pre_filter => {
                    return Prepared::Reject(Rejection::unresolvable(text));
                }
                Err(text) => {
                    problem = Some(text);
                    break;
                }
            }
        }
        if places.is_empty() && problem.is_none() {
            return Prepared::Skip;
        }
        let keys = labels(features).filter_map(|(key, _)| cluster.symbols.get(key)).collect();
        Prepared::ready(Zones { cycle: *cycle, places, keys, problem })
    }
}

/// The labels that this version knows.
fn labels(
    features: &history::VolumeZone,
) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    let stable = features.zone_labels != ZoneLabels::Beta;
    LABELS.iter().filter(move |(key, newer)| stable || key != newer)
}

/// The volume of a claim; none while the claim waits for a pod.
fn volume<'c>(
    cycle: &Cycle<'c>,
    claim: &VolumeClaim,
) -> Result<Option<&'c PersistentVolume>, ReasonText> {
    let cluster = cycle.cluster();
    if !claim.volume_name.is_empty() {
        return cluster
            .storage
            .volume(claim.volume_name)
            .ok_or_else(|| VOLUME_NOT_FOUND.with([&quoted(cluster.text(claim.volume_name))]))
            .map(Some);
    }
    if claim.class.is_empty() {
        return Err(NO_VOLUME_NO_CLASS.reason());
    }
    let name = || quoted(cluster.text(claim.class));
    match cluster.storage.class(claim.class).map(|class| class.mode) {
        None => Err(CLASS_NOT_FOUND.with([&name()])),
        Some(BindingMode::Unset) => Err(MODE_NOT_SET.with([&name()])),
        Some(BindingMode::WaitForFirstConsumer) => Ok(None),
        Some(BindingMode::Immediate) => Err(NO_VOLUME.reason()),
    }
}

/// Where a volume can be used, according to one of its labels.
struct Place {
    volume: Sym,
    key: Sym,
    /// The label that counts if a node lacks `key`.
    newer_key: Option<Sym>,
    /// The volume's value of `key`.
    value: Sym,
    /// Names of zones or regions, without those that no object mentions.
    values: Vec<Sym>,
}

/// The places that a volume's labels name. A label with an empty part is ignored.
fn labelled(cycle: &Cycle, volume: &PersistentVolume) -> Vec<Place> {
    let (symbols, features) = (&cycle.cluster().symbols, &cycle.features().volume_zone);
    let mut places = Vec::new();
    for (key, newer) in labels(features) {
        let Some(key) = symbols.get(key) else { continue };
        let Some(value) = model::cluster::selector::label(&volume.labels, key) else { continue };
        let parts: Vec<&str> = symbols.text(value).split(DELIMITER).map(str::trim).collect();
        if parts.contains(&"") {
            continue;
        }
        let values = parts.iter().filter_map(|part| symbols.get(part)).collect();
        let newer_key =
            symbols.get(newer).filter(|_| features.zone_labels == ZoneLabels::StableForBeta);
        places.push(Place { volume: volume.name, key, newer_key, value, values });
    }
    places
}

/// The node is not in a zone or region of a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherZone {
    volume: Sym,
    /// The label with the zone or region.
    key: Sym,
    /// The volume's value: a zone or region, or several.
    place: Sym,
    /// The node's value.
    found: Option<Sym>,
}

impl Evidence for OtherZone {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::OtherPool
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Fixed
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        vec![JsonEvidence::VolumeZone {
            volume: cluster.text(self.volume).to_owned(),
            label: cluster.text(self.key).to_owned(),
            volume_value: Some(cluster.text(self.place).to_owned()),
            found: self.found.map(|found| cluster.text(found).to_owned()),
        }]
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        let (volume, key) = (cluster.text(self.volume), cluster.text(self.key));
        let place = cluster.text(self.place);
        vec![Fact::Label(AskedLabel {
            text: format!("volume {volume} is in {key}={place}"),
            key: Some(self.key),
            // Several zones are one text.
            any_of: if place.contains(DELIMITER) { Vec::new() } else { vec![self.place] },
            presence: false,
            found: self.found,
        })]
    }
}

struct Zones<'c> {
    cycle: Cycle<'c>,
    places: Vec<Place>,
    /// Labels that count.
    keys: Vec<Sym>,
    /// The problem with the claim after those that the places belong to.
    problem: Option<ReasonText>,
}

impl Filter for Zones<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        let label = |key: Sym| self.cycle.view.node_label(node.node, key);
        // A node without any of the labels is in a cluster with a single zone.
        if !self.keys.iter().any(|key| label(*key).is_some()) {
            return FilterVerdict::Fits;
        }
        for Place { volume, key, newer_key, value, values } in &self.places {
            let found = label(*key).or_else(|| newer_key.and_then(label));
            if !found.is_some_and(|value| values.contains(&value)) {
                let evidence = OtherZone { volume: *volume, key: *key, place: *value, found };
                return FilterVerdict::reject(
                    Code::UnschedulableAndUnresolvable,
                    NO_ZONE.reason(),
                    evidence.grounds(),
                );
            }
        }
        match &self.problem {
            None => FilterVerdict::Fits,
            Some(text) if self.cycle.features().volume_zone.zone_lookups_refuse => {
                FilterVerdict::Rejected(Rejection::unresolvable(text.clone()))
            }
            Some(error) => {
                FilterVerdict::Failed(error.render(self.cycle.cluster()).into_owned().into())
            }
        }
    }

    fn reads_pods(&self) -> bool {
        false
    }
}

/// All of them.
static ALL: &[&Message] = &[
    &NO_ZONE,
    &CLAIM_WITHOUT_NAME,
    &VOLUME_NOT_FOUND,
    &NO_VOLUME_NO_CLASS,
    &CLASS_NOT_FOUND,
    &MODE_NOT_SET,
    &NO_VOLUME,
    &claims::CLAIM_NOT_FOUND,
];

static NO_ZONE: Message = Message {
    code: "PRE-244",
    text: "node(s) had no available volume zone",
    meaning: "A volume of the pod is labelled with a zone or region that is not the node's.",
    preemption: "Never: no eviction moves a volume or a node.",
    remedy: "make room on nodes in the zone of the volume",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.37)",
};

static CLAIM_WITHOUT_NAME: Message = Message {
    code: "PRE-264",
    text: "PersistentVolumeClaim had no name",
    meaning: "A volume of the pod names no PersistentVolumeClaim.",
    preemption: "Never: evicting pods does not change the pod.",
    remedy: "name the claim in the pod",
    obstacle: Obstacle::Pod,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.37)",
};

static VOLUME_NOT_FOUND: Message = Message {
    code: "PRE-265",
    text: "persistentvolume \"{}\" not found",
    meaning: "A claim of the pod is bound to a PersistentVolume that does not exist.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "restore the PersistentVolume, or create the claim again",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.37)",
};

static NO_VOLUME_NO_CLASS: Message = Message {
    code: "PRE-266",
    text: "PersistentVolumeClaim had no pv name and storageClass name",
    meaning: "A claim of the pod is not bound and names no StorageClass, so its zone is unknown.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "give the claim a StorageClass, or bind it to a volume",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.37)",
};

static CLASS_NOT_FOUND: Message = Message {
    code: "PRE-267",
    text: "storageclass.storage.k8s.io \"{}\" not found",
    meaning: "A claim of the pod names a StorageClass that does not exist.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "create the StorageClass, or name another in the claim",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.37)",
};

static MODE_NOT_SET: Message = Message {
    code: "PRE-268",
    text: "VolumeBindingMode not set for StorageClass \"{}\"",
    meaning: "The StorageClass of a claim has no volumeBindingMode.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "set volumeBindingMode of the StorageClass",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.37)",
};

static NO_VOLUME: Message = Message {
    code: "PRE-269",
    text: "PersistentVolume had no name",
    meaning: "A claim of the pod is not bound yet, and its StorageClass binds at once: the scheduler waits for the provisioner.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "see kubectl describe pvc: does its provisioner run",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.37)",
};

impl Doubts for VolumeZone {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn relies_on(&self, kind: Kind, context: &DoubtContext) -> Option<Reliance> {
        let read = matches!(
            kind,
            Kind::PersistentVolumeClaim | Kind::PersistentVolume | Kind::StorageClass
        );
        if read { context.reliance_of_volumes(kind) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::OtherZone;
    use super::VolumeZone;
    use crate::framework::plugin::{Plugin, Prepared};
    use crate::framework::status::FilterVerdict;
    use crate::testing::{Node, Volume, at, claim, class, decide, node, objects, pod, volume};

    const ELSEWHERE: &str = "UU VolumeZone: node(s) had no available volume zone";
    const ZONE: &str = "topology.kubernetes.io/zone";
    const REGION: &str = "topology.kubernetes.io/region";
    const BETA_ZONE: &str = "failure-domain.beta.kubernetes.io/zone";

    fn verdict(node: Node, volume: Volume) -> String {
        decide(objects![node, volume, claim("c", "").bound("pv"), pod("p").claim("c")], "p")
            .node("n")
    }

    #[test]
    fn the_node_is_where_the_volume_is() {
        let labelled = |key: &str, value: &str| volume("pv", "").label(key, value);
        let at = |key: &str, value: &str| node("n").label(key, value);
        for (row, node, volume, want) in [
            ("the same zone", at(ZONE, "a"), labelled(ZONE, "a"), "fits"),
            ("another zone", at(ZONE, "b"), labelled(ZONE, "a"), ELSEWHERE),
            ("one of several zones", at(ZONE, "b"), labelled(ZONE, "a__b"), "fits"),
            ("none of several zones", at(ZONE, "c"), labelled(ZONE, "a__b"), ELSEWHERE),
            (
                "a list with an empty part is passed over",
                at(ZONE, "c"),
                labelled(ZONE, "a__"),
                "fits",
            ),
            ("a node without any such label", node("n"), labelled(ZONE, "a"), "fits"),
            ("a node with another of the labels", at(REGION, "r"), labelled(ZONE, "a"), ELSEWHERE),
            (
                "an old label on the volume, a new one on the node",
                at(ZONE, "a"),
                labelled(BETA_ZONE, "a"),
                "fits",
            ),
            (
                "an old label on the volume, another new one",
                at(ZONE, "b"),
                labelled(BETA_ZONE, "a"),
                ELSEWHERE,
            ),
            (
                "a new label on the volume, an old one on the node",
                at(BETA_ZONE, "a"),
                labelled(ZONE, "a"),
                ELSEWHERE,
            ),
            ("an unlabelled volume", at(ZONE, "a"), volume("pv", ""), "fits"),
            (
                "zone and region must both hold",
                at(ZONE, "a").label(REGION, "r"),
                labelled(ZONE, "a").label(REGION, "s"),
                ELSEWHERE,
            ),
        ] {
            assert_eq!(verdict(node, volume), want, "{row}");
        }
        let objects = objects![
            node("n").label(ZONE, "b"),
            volume("pv", "").label(ZONE, "a"),
            claim("c", "").bound("pv"),
            pod("p").claim("c")
        ];
        let answer = decide(objects, "p");
        let (volume, key, place, found) =
            (answer.sym("pv"), answer.sym(ZONE), answer.sym("a"), Some(answer.sym("b")));
        assert_eq!(answer.evidence::<OtherZone>("n"), &OtherZone { volume, key, place, found });
    }

    #[test]
    fn a_volume_that_is_not_there_rejects_the_pod() {
        let answer =
            decide(objects![node("n"), claim("c", "").bound("pv"), pod("p").claim("c")], "p");
        assert_eq!(answer.pre_filter(), "UU VolumeZone: persistentvolume \"pv\" not found");
    }

    #[test]
    fn a_claim_that_waits_for_a_pod_is_nowhere_yet() {
        let objects = objects![
            node("n").label(ZONE, "a"),
            class("fast", "d"),
            claim("c", "fast"),
            pod("p").claim("c")
        ];
        assert_eq!(decide(objects, "p").node("n"), "fits");
    }

    #[test]
    fn stable_labels_count_since_1_19_and_stand_in_for_old_ones_since_1_29() {
        let verdict = |version: &str, of_node: &str, of_volume: &str| {
            let (node, volume) = (
                node("n").label(of_node, "a").label(REGION, "r"),
                volume("pv", "").label(of_volume, "b"),
            );
            at(version)
                .decide(
                    objects![node, volume, claim("c", "").bound("pv"), pod("p").claim("c")],
                    "p",
                )
                .node("n")
        };
        assert_eq!(verdict("1.18", ZONE, ZONE), "fits");
        assert_eq!(verdict("1.19", ZONE, ZONE), ELSEWHERE);
        assert_eq!(verdict("1.18", BETA_ZONE, BETA_ZONE), ELSEWHERE);
        assert_eq!(
            verdict("1.16", BETA_ZONE, BETA_ZONE),
            "UU NoVolumeZoneConflict: node(s) had no available volume zone"
        );
        let stands_in = |version: &str| {
            let (node, volume) =
                (node("n").label(ZONE, "a"), volume("pv", "").label(BETA_ZONE, "a"));
            at(version)
                .decide(
                    objects![node, volume, claim("c", "").bound("pv"), pod("p").claim("c")],
                    "p",
                )
                .node("n")
        };
        assert_eq!(
            (stands_in("1.28"), stands_in("1.29")),
            (ELSEWHERE.to_owned(), "fits".to_owned())
        );
    }

    #[test]
    fn claims_were_looked_up_for_each_labelled_node_before_1_27() {
        // VolumeBinding rejects such a pod before this plugin is asked.
        let ask = |version: &str, node: Node| {
            let objects = objects![node, claim("c", "").bound("pv"), pod("p").claim("c")];
            at(version).with_cycle(objects, "p", |prepared| {
                match VolumeZone.prepare(&prepared.cycle) {
                    Prepared::Ready { filter, .. } => {
                        match filter.check(&prepared.cycle.view.infos()[0]) {
                            FilterVerdict::Fits => "fits".to_owned(),
                            FilterVerdict::Failed(failure) => format!("E {}", failure.text()),
                            FilterVerdict::Rejected(r) => {
                                format!(
                                    "{} {}",
                                    r.code.name(),
                                    r.texts(prepared.cycle.cluster()).join(", ")
                                )
                            }
                        }
                    }
                    Prepared::Reject(_) => "rejected everywhere".to_owned(),
                    Prepared::Skip | Prepared::Failed(_) => "neither".to_owned(),
                }
            })
        };
        let text = "persistentvolume \"pv\" not found";
        let rejected = format!("UnschedulableAndUnresolvable {text}");
        let labelled = || node("n").label(BETA_ZONE, "a");
        for version in ["1.18", "1.20.7", "1.21.1"] {
            assert_eq!(ask(version, labelled()), format!("E {text}"), "{version}");
        }
        for version in ["1.19.12", "1.20.8", "1.21.2", "1.22", "1.26"] {
            assert_eq!(ask(version, labelled()), rejected, "{version}");
        }
        assert_eq!(ask("1.26", node("n")), "fits");
        assert_eq!(ask("1.27", node("n")), "rejected everywhere");
    }
}
