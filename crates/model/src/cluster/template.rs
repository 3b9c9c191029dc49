//! The scheduling constraints of a pod, without its resource requests. Pods of one workload share
//! one template.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::node_selector::{NodeRequirement, NodeSelector, NodeTerm, read_term};
use super::pod_volume::TemplateVolume;
use super::selector::Selector;
use super::selector::issues::SelectorIssues;
use super::symbols::{Sym, Symbols};
use super::{Cluster, gang_workload};
use crate::snapshot::{Map, pod as wire};

/// Everything in a pod's spec that plugins read, without resource requests.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Template {
    /// `spec.schedulerName`, defaulted.
    pub scheduler_name: Sym,
    /// `spec.priorityClassName`.
    pub priority_class: Sym,
    /// `preemptionPolicy: Never`.
    pub never_preempts: bool,
    /// `spec.schedulingGates`, names in order.
    pub gates: Box<[Sym]>,
    /// `spec.nodeSelector`; `None` is Go's nil.
    pub node_selector: Option<Box<[(Sym, Sym)]>>,
    /// Required node affinity.
    pub node_affinity: Option<NodeSelector>,
    /// `spec.tolerations`.
    pub tolerations: Box<[Toleration]>,
    /// Host ports of containers.
    pub host_ports: Box<[HostPort]>,
    pub sidecar_ports: Box<[HostPort]>,
    /// `spec.topologySpreadConstraints`.
    pub spread: Box<[SpreadConstraint]>,
    /// Required pod affinity, or why its selectors cannot be parsed.
    pub affinity: Result<Box<[AffinityTerm]>, SelectorIssues>,
    /// Required pod anti-affinity, or why its selectors cannot be parsed.
    pub anti_affinity: Result<Box<[AffinityTerm]>, SelectorIssues>,
    /// Preferred pod affinity, or why its selectors cannot be parsed, for which the pod is also
    /// rejected.
    pub preferred_affinity: Result<Box<[Weighted<AffinityTerm>]>, SelectorIssues>,
    /// Preferred pod anti-affinity, or why its selectors cannot be parsed.
    pub preferred_anti_affinity: Result<Box<[Weighted<AffinityTerm>]>, SelectorIssues>,
    /// Preferred node affinity.
    pub preferred_nodes: Box<[Weighted<NodeTerm>]>,
    /// Images of init containers, with their tag.
    pub init_images: Box<[Sym]>,
    /// Images of containers, with their tag.
    pub images: Box<[Sym]>,
    /// Images mounted as volumes, with their tag.
    pub image_volumes: Box<[Sym]>,
    /// Volumes that the scheduler has rules for, in order.
    pub volumes: Box<[TemplateVolume]>,
    /// `spec.resourceClaims`, in order.
    pub claims: Box<[PodResourceClaim]>,
    /// `spec.schedulingGroup` or `spec.workloadRef`: the pod belongs to a gang.
    pub group: Sym,
    /// Declared features of a node that its spec requires.
    pub needs: Needs,
    /// The names of its `emptyDir` volumes, whose data are deleted with the pod.
    pub empty_dirs: Box<[Sym]>,
}

/// `spec.resourceClaims[]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PodResourceClaim {
    /// Its name in the pod.
    pub name: Sym,
    /// The source of the claim.
    pub source: ClaimSource,
}

/// The source of a pod's claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClaimSource {
    /// The claim of that name.
    Claim(Sym),
    /// A claim that is created from a template; the pod's status names it.
    Template,
    /// A source that is not known.
    Unknown,
}

/// A term that is preferred, not required.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Weighted<T> {
    /// 1 to 100.
    pub weight: i64,
    pub term: T,
}

/// Features in a spec that only nodes declaring them can run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Needs {
    /// A restart rule with action `RestartAllContainers`.
    pub restart_all_containers: bool,
    /// `hostNetwork: true` with `hostUsers: false`.
    pub user_namespace_on_host_network: bool,
    /// A volume mount with `bindMountOptions`.
    pub bind_mount_options: bool,
}

/// `spec.tolerations[]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Toleration {
    /// Empty: any key.
    pub key: Sym,
    /// How values compare.
    pub operator: TolerationOperator,
    /// Compared by `Equal`.
    pub value: Sym,
    /// `None`: any effect.
    pub effect: Option<TaintEffect>,
    /// For how long a `NoExecute` taint is tolerated; `None`: for ever.
    pub seconds: Option<i64>,
}

/// `tolerations[].operator`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TolerationOperator {
    /// The values are equal; also the meaning of an absent operator.
    Equal,
    /// Any value.
    Exists,
    /// The taint's value is a smaller integer (gate `TaintTolerationComparisonOperators`).
    Lt,
    /// The taint's value is a larger integer (gate `TaintTolerationComparisonOperators`).
    Gt,
    /// Tolerates nothing.
    Unknown,
}

/// Effect of a taint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaintEffect {
    /// Rejects pods that do not tolerate the taint.
    NoSchedule,
    /// Lowers the score of the node for pods that do not tolerate the taint.
    PreferNoSchedule,
    /// Rejects pods that do not tolerate the taint, and evicts them.
    NoExecute,
    /// An effect that the scheduler does not know.
    Unknown,
}

impl PodResourceClaim {
    fn read(wire: &wire::PodResourceClaim, symbols: &mut Symbols) -> Self {
        let source = match (&wire.resource_claim_name, &wire.resource_claim_template_name) {
            (Some(name), _) => ClaimSource::Claim(symbols.intern(name)),
            (None, Some(_)) => ClaimSource::Template,
            (None, None) => ClaimSource::Unknown,
        };
        Self { name: symbols.intern(&wire.name), source }
    }
}

impl TaintEffect {
    /// A taint with this effect as kubectl writes it: `key=value:Effect`, or `key:Effect` without a
    /// value.
    pub fn taint(self, key: Sym, value: Sym, cluster: &Cluster) -> String {
        let (key, value, effect) = (cluster.text(key), cluster.text(value), self.name());
        if value.is_empty() { format!("{key}:{effect}") } else { format!("{key}={value}:{effect}") }
    }

    /// Reads an effect; empty is `None`.
    pub fn read(text: &str) -> Option<Self> {
        Some(match text {
            "" => return None,
            "NoSchedule" => Self::NoSchedule,
            "PreferNoSchedule" => Self::PreferNoSchedule,
            "NoExecute" => Self::NoExecute,
            _ => Self::Unknown,
        })
    }

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoSchedule => "NoSchedule",
            Self::PreferNoSchedule => "PreferNoSchedule",
            Self::NoExecute => "NoExecute",
            Self::Unknown => "(unknown)",
        }
    }
}

/// A host port, defaults applied: ip `0.0.0.0`, protocol `TCP`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostPort {
    /// Address; plain text comparison.
    pub ip: Sym,
    pub protocol: Sym,
    /// Port number.
    pub port: i64,
}

impl HostPort {
    /// `8080/TCP`, or `10.0.0.1:8080/TCP` on one address.
    pub fn text(self, cluster: &Cluster) -> String {
        let (ip, protocol) = (cluster.text(self.ip), cluster.text(self.protocol));
        if ip == "0.0.0.0" {
            format!("{}/{protocol}", self.port)
        } else {
            format!("{ip}:{}/{protocol}", self.port)
        }
    }
}

/// A topology spread constraint.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SpreadConstraint {
    /// Node label that defines the domains.
    pub topology_key: Sym,
    /// `DoNotSchedule`; otherwise it only scores.
    pub hard: bool,
    /// Largest allowed difference between domains, in pods.
    pub max_skew: i64,
    /// With fewer domains than this, the global minimum is 0.
    pub min_domains: i64,
    /// Selects the pods that are counted, or why it cannot be parsed.
    pub selector: Result<Selector, SelectorIssues>,
    /// Keys whose value on the incoming pod narrows the selector.
    pub match_label_keys: Box<[Sym]>,
    /// `nodeAffinityPolicy` is Honor.
    pub honors_affinity: bool,
    /// `nodeTaintsPolicy` is Honor.
    pub honors_taints: bool,
}

/// A term of pod affinity or anti-affinity.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AffinityTerm {
    /// Node label that defines the domains.
    pub topology_key: Sym,
    /// Selects the other pods.
    pub selector: Selector,
    /// Namespaces by name; with no namespace selector either, the namespace of the pod that has the
    /// term.
    pub namespaces: Box<[Sym]>,
    /// Namespaces by label; `Nothing` when absent.
    pub namespace_selector: Selector,
    /// Whether the term applies to the pod's own namespace, because it names and selects none.
    pub own_namespace: bool,
}

impl Template {
    /// Reads the template of a pod.
    pub fn read(spec: &wire::PodSpec, symbols: &mut Symbols) -> Self {
        let affinity = spec.affinity.as_ref();
        let nodes = affinity.and_then(|affinity| affinity.node_affinity.as_ref());
        let pods = affinity.and_then(|affinity| affinity.pod_affinity.as_ref());
        let anti = affinity.and_then(|affinity| affinity.pod_anti_affinity.as_ref());
        let scheduler =
            if spec.scheduler_name.is_empty() { "default-scheduler" } else { &spec.scheduler_name };
        // Other init containers have ended when the containers start, and free their ports.
        let sidecars =
            spec.init_containers.iter().filter(|init| init.restart_policy.as_str() == "Always");
        Self {
            scheduler_name: symbols.intern(scheduler),
            priority_class: symbols.intern(&spec.priority_class_name),
            never_preempts: spec.preemption_policy.as_str() == "Never",
            gates: read_all(&spec.scheduling_gates, symbols, |gate, symbols| {
                symbols.intern(&gate.name)
            }),
            node_selector: spec.node_selector.as_ref().map(|labels| read_labels(labels, symbols)),
            node_affinity: nodes
                .and_then(|nodes| nodes.required.as_ref())
                .map(|required| read_all(&required.node_selector_terms, symbols, read_term)),
            tolerations: read_all(&spec.tolerations, symbols, Toleration::read),
            host_ports: host_ports(spec.containers.iter(), symbols),
            sidecar_ports: host_ports(sidecars, symbols),
            spread: read_all(&spec.topology_spread_constraints, symbols, SpreadConstraint::read),
            affinity: read_terms(pods.map_or(&[], |pods| &pods.required), symbols),
            anti_affinity: read_terms(anti.map_or(&[], |anti| &anti.required), symbols),
            preferred_affinity: read_preferred(pods.map_or(&[], |pods| &pods.preferred), symbols),
            preferred_anti_affinity: read_preferred(
                anti.map_or(&[], |anti| &anti.preferred),
                symbols,
            ),
            preferred_nodes: read_all(
                nodes.map_or(&[], |nodes| &nodes.preferred),
                symbols,
                |preferred, symbols| Weighted {
                    weight: preferred.weight,
                    term: read_term(&preferred.preference, symbols),
                },
            ),
            init_images: images(&spec.init_containers, symbols),
            images: images(&spec.containers, symbols),
            image_volumes: image_volumes(&spec.volumes, symbols),
            volumes: spec
                .volumes
                .iter()
                .filter_map(|volume| TemplateVolume::read(volume, symbols))
                .collect(),
            claims: read_all(&spec.resource_claims, symbols, PodResourceClaim::read),
            group: symbols.intern(&gang_workload::group_name(spec)),
            needs: Needs::read(spec),
            empty_dirs: spec
                .volumes
                .iter()
                .filter(|volume| volume.empty_dir.is_some())
                .map(|volume| symbols.intern(&volume.name))
                .collect(),
        }
    }
}

/// Reads each item of a list.
fn read_all<W, T>(
    items: &[W],
    symbols: &mut Symbols,
    read: impl Fn(&W, &mut Symbols) -> T,
) -> Box<[T]> {
    items.iter().map(|item| read(item, symbols)).collect()
}

/// The labels of a node selector.
fn read_labels(labels: &Map, symbols: &mut Symbols) -> Box<[(Sym, Sym)]> {
    labels
        .iter()
        .map(|(key, value)| (symbols.intern_label_key(key), symbols.intern(value)))
        .collect()
}

fn images(containers: &[wire::Container], symbols: &mut Symbols) -> Box<[Sym]> {
    read_all(containers, symbols, |container, symbols| {
        symbols.intern(&image_name(&container.image))
    })
}

fn image_volumes(volumes: &[wire::Volume], symbols: &mut Symbols) -> Box<[Sym]> {
    let images = volumes.iter().filter_map(|volume| volume.image.as_ref());
    images.map(|image| symbols.intern(&image_name(&image.reference))).collect()
}

/// Upstream: `pkg/scheduler/util/utils.go` `GetHostPorts` (1.37).
fn host_ports<'w>(
    containers: impl Iterator<Item = &'w wire::Container<'w>>,
    symbols: &mut Symbols,
) -> Box<[HostPort]> {
    containers
        .flat_map(|c| &c.ports)
        .filter(|p| p.host_port > 0)
        .map(|p| HostPort {
            ip: symbols.intern(if p.host_ip.is_empty() { "0.0.0.0" } else { &p.host_ip }),
            protocol: symbols.intern(if p.protocol.is_empty() { "TCP" } else { &p.protocol }),
            port: p.host_port,
        })
        .collect()
}

impl Needs {
    /// Upstream: `component-helpers/nodedeclaredfeatures/features` (1.37).
    fn read(spec: &wire::PodSpec) -> Self {
        let all = || spec.containers.iter().chain(&spec.init_containers);
        Self {
            restart_all_containers: all().any(|c| {
                c.restart_policy_rules.iter().any(|r| r.action.as_str() == "RestartAllContainers")
            }),
            user_namespace_on_host_network: spec.host_network && spec.host_users == Some(false),
            bind_mount_options: all()
                .chain(spec.ephemeral_containers.iter().map(|container| &container.0))
                .any(|c| c.volume_mounts.iter().any(|m| !m.bind_mount_options.is_empty())),
        }
    }
}

impl Toleration {
    pub(super) fn read(wire: &wire::Toleration, symbols: &mut Symbols) -> Self {
        Self {
            key: symbols.intern(&wire.key),
            operator: match wire.operator.as_str() {
                "" | "Equal" => TolerationOperator::Equal,
                "Exists" => TolerationOperator::Exists,
                "Lt" => TolerationOperator::Lt,
                "Gt" => TolerationOperator::Gt,
                _ => TolerationOperator::Unknown,
            },
            value: symbols.intern(&wire.value),
            effect: TaintEffect::read(&wire.effect),
            seconds: wire.toleration_seconds,
        }
    }
}

impl SpreadConstraint {
    fn read(wire: &wire::SpreadConstraint, symbols: &mut Symbols) -> Self {
        Self {
            topology_key: symbols.intern_label_key(&wire.topology_key),
            hard: wire.when_unsatisfiable.as_str() == "DoNotSchedule",
            max_skew: wire.max_skew,
            min_domains: wire.min_domains.unwrap_or(1),
            selector: Selector::read(wire.label_selector.as_ref(), symbols),
            match_label_keys: read_all(&wire.match_label_keys, symbols, |key, symbols| {
                symbols.intern_label_key(key)
            }),
            honors_affinity: wire.node_affinity_policy.as_str() != "Ignore",
            honors_taints: wire.node_taints_policy.as_str() == "Honor",
        }
    }
}

impl AffinityTerm {
    fn read(wire: &wire::PodAffinityTerm, symbols: &mut Symbols) -> Result<Self, SelectorIssues> {
        Ok(Self {
            topology_key: symbols.intern_label_key(&wire.topology_key),
            selector: Selector::read(wire.label_selector.as_ref(), symbols)?,
            namespaces: wire.namespaces.iter().map(|n| symbols.intern(n)).collect(),
            namespace_selector: Selector::read(wire.namespace_selector.as_ref(), symbols)?,
            own_namespace: wire.namespaces.is_empty() && wire.namespace_selector.is_none(),
        })
    }
}

fn read_terms(
    wire: &[wire::PodAffinityTerm],
    symbols: &mut Symbols,
) -> Result<Box<[AffinityTerm]>, SelectorIssues> {
    wire.iter().map(|t| AffinityTerm::read(t, symbols)).collect()
}

fn read_preferred(
    wire: &[wire::WeightedPodAffinityTerm],
    symbols: &mut Symbols,
) -> Result<Box<[Weighted<AffinityTerm>]>, SelectorIssues> {
    let mut terms = Vec::with_capacity(wire.len());
    for preferred in wire {
        let term = AffinityTerm::read(&preferred.pod_affinity_term, symbols)?;
        terms.push(Weighted { weight: preferred.weight, term });
    }
    Ok(terms.into())
}

/// An image name with its tag: without one, `latest`.
///
/// Upstream: `pkg/scheduler/framework/plugins/imagelocality/image_locality.go`
/// `normalizedImageName` (1.37).
fn image_name(name: &str) -> Cow<'_, str> {
    if name.rfind(':') > name.rfind('/') { name.into() } else { format!("{name}:latest").into() }
}

impl Template {
    /// The keys of the labels by which it requires nodes.
    pub fn selected_labels(&self) -> BTreeSet<Sym> {
        let mut keys: BTreeSet<Sym> = BTreeSet::new();
        keys.extend(self.node_selector.iter().flatten().map(|(key, _)| *key));
        for term in self.node_affinity.iter().flat_map(|terms| terms.iter()) {
            for requirement in term.label_requirements() {
                keys.insert(match requirement {
                    NodeRequirement::Label(requirement) => requirement.key,
                    NodeRequirement::Gt(key, _) | NodeRequirement::Lt(key, _) => *key,
                });
            }
        }
        keys
    }

    /// Whether it has terms of pod affinity or anti-affinity, required or preferred.
    pub fn has_affinity(&self) -> bool {
        let any = |terms: &Result<Box<[AffinityTerm]>, SelectorIssues>| {
            terms.as_ref().is_ok_and(|terms| !terms.is_empty())
        };
        let preferred = [&self.preferred_affinity, &self.preferred_anti_affinity];
        any(&self.affinity)
            || any(&self.anti_affinity)
            || preferred.iter().any(|t| t.as_ref().is_ok_and(|t| !t.is_empty()))
    }

    /// Whether it has such terms, or some that cannot be parsed.
    pub fn may_have_affinity(&self) -> bool {
        let required = [&self.affinity, &self.anti_affinity];
        let preferred = [&self.preferred_affinity, &self.preferred_anti_affinity];
        required.iter().any(|terms| terms.as_ref().map_or(true, |terms| !terms.is_empty()))
            || preferred.iter().any(|terms| terms.as_ref().map_or(true, |terms| !terms.is_empty()))
    }

    pub fn requires_anti_affinity(&self) -> bool {
        self.anti_affinity.as_ref().is_ok_and(|terms| !terms.is_empty())
    }
}
