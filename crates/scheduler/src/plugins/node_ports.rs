//! `NodePorts`: the host ports that the pod requests are free.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};
use json::evidence::Evidence as JsonEvidence;

use crate::framework::cluster_view::NodeInfo;
use crate::framework::evidence::{
    Contended, Evidence, Fact, InUse, Nearness, Obstruction, RejectedOn,
};
use crate::framework::plugin::{Cycle, ExtensionState, Filter, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::reason::{Message, Obstacle, When};
use crate::framework::status::{Code, FilterVerdict};
use model::cluster::template::HostPort;
use model::cluster::{Cluster, NodeIx, Pod, PodIx, Sym, Template};

static NO_FREE_PORTS: Message = Message {
    code: "PRE-220",
    text: "node(s) didn't have free ports for the requested pod ports",
    meaning: "A pod on the node uses a host port that this pod requests, on the same address and protocol.",
    preemption: "Helps: evicting the pod that uses the port frees it.",
    remedy: "give the pod another hostPort or none, or add a node",
    obstacle: Obstacle::Room,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/nodeports/node_ports.go (1.37)",
};

/// The wildcard address.
const ANY_ADDRESS: &str = "0.0.0.0";

pub struct NodePorts;

static DOC: RuleDoc = RuleDoc {
    name: "NodePorts",
    code: "PRE-105",
    summary: "No pod on the node uses a host port that the pod requests, on the same address and protocol.",
    preemption: "Helps: evicting the pod that uses the port frees it.",
    scores: None,
    messages: &[&NO_FREE_PORTS],
    retried_on: Some("a node is added, a pod is deleted"),
    source: "pkg/scheduler/framework/plugins/nodeports/node_ports.go (1.37)",
};

impl Signer for NodePorts {
    fn sees_alike(&self, cycle: &Cycle, other: &Pod) -> bool {
        let (own, template) = (cycle.template, cycle.cluster().template(other));
        own.host_ports == template.host_ports && own.sidecar_ports == template.sidecar_ports
    }
}

impl Plugin for NodePorts {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let any = cycle.cluster().symbols.get(ANY_ADDRESS).unwrap_or_default();
        let mut rule = FreePorts { cycle: *cycle, any, wanted: BTreeMap::new() };
        let wanted: Vec<HostPort> = rule.ports_of(cycle.template).copied().collect();
        for (index, port) in wanted.iter().enumerate() {
            rule.wanted.entry((port.port, port.protocol, Some(port.ip))).or_insert((index, *port));
            rule.wanted.entry((port.port, port.protocol, None)).or_insert((index, *port));
        }
        if wanted.is_empty() { Prepared::Skip } else { Prepared::ready(rule) }
    }

    fn error_without_pre_filter(&self) -> Option<&'static str> {
        Some(r#"reading "PreFilterNodePorts" from cycleState: not found"#)
    }
}

/// Host ports are taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortsInUse {
    /// The ports, in the order in which the pod requests them.
    taken: Box<[TakenPort]>,
    /// The pods that use them.
    pods: Box<[PodIx]>,
}

/// A host port that the pod requests and another one uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TakenPort {
    wanted: HostPort,
    used: HostPort,
    pod: PodIx,
}

impl Evidence for PortsInUse {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::Full
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Pods(&self.pods)
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let mut ports = Vec::with_capacity(self.taken.len());
        for taken in &self.taken {
            ports.push(JsonEvidence::Port {
                host_port: taken.wanted.text(cluster),
                used_by: Some(cluster.pod_name(taken.pod)),
                used_port: taken.used.text(cluster),
            });
        }
        ports
    }

    fn facts<'e>(&'e self, _: &Cluster) -> Vec<Fact<'e>> {
        let mut facts = Vec::with_capacity(self.taken.len());
        for taken in &self.taken {
            facts.push(Fact::InUse(InUse {
                what: Contended::Port(taken.wanted),
                pod: Some(taken.pod),
                port: Some(taken.used),
            }));
        }
        facts
    }
}

struct FreePorts<'c> {
    cycle: Cycle<'c>,
    any: Sym,
    /// The first requested port and its index, by port, protocol and address; without an address,
    /// the first of all.
    wanted: BTreeMap<(i64, Sym, Option<Sym>), (usize, HostPort)>,
}

impl FreePorts<'_> {
    fn ports(&self, pod: PodIx) -> impl Iterator<Item = &HostPort> + Clone {
        let cluster = self.cycle.cluster();
        self.ports_of(cluster.template(cluster.pod(pod)))
    }

    fn ports_of<'t>(
        &self,
        template: &'t Template,
    ) -> impl Iterator<Item = &'t HostPort> + Clone + use<'t> {
        let sidecars = if self.cycle.features().node_ports.sidecar_ports {
            &*template.sidecar_ports
        } else {
            &[]
        };
        template.host_ports.iter().chain(sidecars)
    }

    /// The first requested port, with its index, that conflicts with `used`.
    fn conflict(&self, used: HostPort) -> Option<(usize, HostPort)> {
        let of = |ip: Option<Sym>| self.wanted.get(&(used.port, used.protocol, ip)).copied();
        if used.ip == self.any {
            return of(None);
        }
        of(Some(used.ip)).into_iter().chain(of(Some(self.any))).min_by_key(|(index, _)| *index)
    }

    fn check_against(&self, used: impl Iterator<Item = (HostPort, PodIx)>) -> FilterVerdict {
        let mut conflicts: BTreeMap<usize, TakenPort> = BTreeMap::new();
        for (used, pod) in used {
            if let Some((index, wanted)) = self.conflict(used) {
                conflicts.entry(index).or_insert(TakenPort { wanted, used, pod });
            }
        }
        if conflicts.is_empty() {
            return FilterVerdict::Fits;
        }
        let taken: Box<[TakenPort]> = conflicts.into_values().collect();
        let mut pods: Vec<PodIx> = taken.iter().map(|taken| taken.pod).collect();
        pods.sort_unstable();
        pods.dedup();
        let evidence = PortsInUse { taken, pods: pods.into() };
        FilterVerdict::reject(Code::Unschedulable, NO_FREE_PORTS.reason(), evidence.grounds())
    }
}

impl Filter for FreePorts<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        let used = node.pods.iter().flat_map(|pod| self.ports(*pod).map(|port| (*port, *pod)));
        self.check_against(used)
    }

    fn reads_node_alone(&self) -> bool {
        true
    }

    fn extension_state<'f>(&'f self, node: &NodeInfo) -> Option<Box<dyn ExtensionState + 'f>> {
        let mut state = Used { rule: self, node: node.node, ports: IndexMap::default() };
        node.pods.iter().for_each(|pod| state.add_pod(*pod, node.node));
        Some(Box::new(state))
    }
}

/// Ports in use. Parity: upstream keeps a set, not a count, so evicting one of two holders of a
/// port frees it.
struct Used<'f, 'c> {
    rule: &'f FreePorts<'c>,
    node: NodeIx,
    ports: IndexMap<HostPort, PodIx, foldhash::fast::RandomState>,
}

impl ExtensionState for Used<'_, '_> {
    fn add_pod(&mut self, pod: PodIx, node: NodeIx) {
        if node != self.node {
            return;
        }
        for port in self.rule.ports(pod) {
            self.ports.entry(*port).or_insert(pod);
        }
    }

    fn remove_pod(&mut self, pod: PodIx, node: NodeIx) {
        if node != self.node {
            return;
        }
        let ports: IndexSet<&HostPort, foldhash::fast::RandomState> =
            self.rule.ports(pod).collect();
        self.ports.retain(|used, _| !ports.contains(used));
    }

    fn looks_elsewhere(&self) -> bool {
        false
    }

    fn depends_on(&self, _: PodIx, _: NodeIx) -> bool {
        false
    }

    fn check(&self, _: &NodeInfo) -> FilterVerdict {
        self.rule.check_against(self.ports.iter().map(|(port, pod)| (*port, *pod)))
    }

    fn fork<'t>(&self) -> Box<dyn ExtensionState + 't>
    where
        Self: 't,
    {
        Box::new(Self { rule: self.rule, node: self.node, ports: self.ports.clone() })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{PortsInUse, TakenPort};
    use crate::testing::{Pod, decide, node, objects, pod};
    use model::cluster::template::HostPort;

    const TAKEN: &str = "U NodePorts: node(s) didn't have free ports for the requested pod ports";

    fn verdict(running: Pod, incoming: Pod) -> String {
        decide(objects![node("n"), running.on("n"), incoming], "p").node("n")
    }

    #[test]
    fn ports_conflict_on_the_same_address_and_protocol() {
        type Port<'a> = (i64, &'a str, &'a str);
        let rows: &[(&str, Port, Port, &str)] = &[
            ("same port", (80, "TCP", ""), (80, "TCP", ""), TAKEN),
            ("another port", (80, "TCP", ""), (81, "TCP", ""), "fits"),
            ("another protocol", (80, "UDP", ""), (80, "TCP", ""), "fits"),
            ("no protocol means TCP", (80, "", ""), (80, "TCP", ""), TAKEN),
            ("no address means all", (80, "TCP", ""), (80, "TCP", "0.0.0.0"), TAKEN),
            ("all addresses against one", (80, "TCP", "127.0.0.1"), (80, "TCP", "0.0.0.0"), TAKEN),
            ("one address against all", (80, "TCP", "0.0.0.0"), (80, "TCP", "127.0.0.1"), TAKEN),
            (
                "one address against all, another protocol",
                (80, "TCP", "127.0.0.1"),
                (80, "UDP", "0.0.0.0"),
                "fits",
            ),
            ("same address", (80, "TCP", "127.0.0.1"), (80, "TCP", "127.0.0.1"), TAKEN),
            ("two addresses", (80, "TCP", "127.0.0.1"), (80, "TCP", "127.0.0.2"), "fits"),
            (
                "the IPv6 wildcard is an address like any",
                (80, "TCP", "::"),
                (80, "TCP", "127.0.0.1"),
                "fits",
            ),
            ("port 0 is no host port", (0, "TCP", ""), (0, "TCP", ""), "fits"),
        ];
        for (row, used, wanted, want) in rows {
            let (running, incoming) = (
                pod("v").port(used.0, used.1, used.2),
                pod("p").port(wanted.0, wanted.1, wanted.2),
            );
            assert_eq!(verdict(running, incoming), *want, "{row}");
        }
    }

    #[test]
    fn sidecars_hold_ports_and_init_containers_do_not() {
        let with_port = json!({"name": "i", "ports": [{"hostPort": 80}]});
        for (row, running, want) in [
            ("a sidecar", pod("v").sidecar(with_port.clone()), TAKEN),
            ("an init container", pod("v").init(with_port.clone()), "fits"),
            (
                "any container",
                pod("v").containers(vec![json!({"name": "a"}), with_port.clone()]),
                TAKEN,
            ),
        ] {
            assert_eq!(verdict(running, pod("p").port(80, "TCP", "")), want, "{row}");
        }
        assert_eq!(
            verdict(pod("v").port(80, "TCP", ""), pod("p").sidecar(with_port)),
            TAKEN,
            "the pod's own sidecar"
        );
    }

    #[test]
    fn a_pod_may_ask_twice_for_a_port_and_finished_pods_hold_none() {
        assert_eq!(verdict(pod("v"), pod("p").port(80, "TCP", "").port(80, "TCP", "")), "fits");
        let finished = pod("v").port(80, "TCP", "").on("n").phase("Succeeded");
        assert_eq!(
            decide(objects![node("n"), finished, pod("p").port(80, "TCP", "")], "p").node("n"),
            "fits"
        );
    }

    #[test]
    fn evidence_names_the_holder_of_every_taken_port() {
        let answer = decide(
            objects![
                node("n"),
                pod("v").port(80, "TCP", "127.0.0.1").on("n"),
                pod("w").port(443, "TCP", "").on("n"),
                pod("p").port(443, "TCP", "").port(80, "TCP", "").port(8080, "TCP", "")
            ],
            "p",
        );
        let port = |ip: &str, port: i64| HostPort {
            ip: answer.sym(ip),
            protocol: answer.sym("TCP"),
            port,
        };
        let any = "0.0.0.0";
        let (v, w) = (answer.pod_ix("v"), answer.pod_ix("w"));
        let taken = |wanted, used, pod| TakenPort { wanted, used, pod };
        let want = [
            taken(port(any, 443), port(any, 443), w),
            taken(port(any, 80), port("127.0.0.1", 80), v),
        ];
        let evidence = answer.evidence::<PortsInUse>("n");
        assert_eq!((&*evidence.taken, &*evidence.pods), (&want[..], &[v, w][..]));
    }

    #[test]
    fn evicting_the_holder_helps() {
        let holder = || pod("v").port(80, "TCP", "").on("n");
        let incoming = || pod("p").port(80, "TCP", "").priority(10);
        for (row, objects, want) in [
            (
                "a holder of lower priority",
                objects![holder(), pod("w").on("n"), incoming()],
                "victims v, violations 0, spared w",
            ),
            (
                "a holder of the same priority",
                objects![holder().priority(10), pod("w").on("n"), incoming()],
                "node(s) didn't have free ports for the requested pod ports",
            ),
            (
                // Ports are kept as a set, so the port is free once one of two holders is gone, and
                // taken once one is back.
                "two holders of one port",
                objects![holder(), pod("w").port(80, "TCP", "").on("n"), incoming()],
                "victims v w, violations 0",
            ),
            (
                "one of two holders is of the same priority: the set forgets it with the other",
                objects![holder(), pod("w").port(80, "TCP", "").on("n").priority(10), incoming()],
                "victims v, violations 0",
            ),
            (
                "and so it does when the one that stays comes first",
                objects![pod("a").port(80, "TCP", "").on("n").priority(10), holder(), incoming()],
                "victims v, violations 0",
            ),
        ] {
            let objects = [objects![node("n")], objects].concat();
            assert_eq!(decide(objects, "p").dry_run("n"), want, "{row}");
        }
    }

    #[test]
    fn every_taken_port_is_named() {
        let running =
            pod("v").port(82, "TCP", "10.0.0.1").port(81, "TCP", "10.0.0.1").port(80, "UDP", "");
        let incoming = pod("p").port(80, "TCP", "").port(81, "TCP", "").port(82, "TCP", "10.0.0.1");
        let answer = decide(objects![node("n"), running.on("n"), incoming], "p");
        let ports: Vec<_> = (answer.evidence::<PortsInUse>("n").taken.iter())
            .map(|taken| (taken.wanted.port, taken.used.port))
            .collect();
        assert_eq!(ports, [(81, 81), (82, 82)]);
    }
}
