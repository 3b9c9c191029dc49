//! `NodePorts`: the host ports that the pod wants are free.

use crate::cluster::pod::PodIx;
use crate::cluster::symbols::Sym;
use crate::cluster::template::{HostPort, Template};
use crate::framework::cluster_view::NodeInfo;
use crate::framework::plugin::{Cycle, ExtensionState, Filter, Plugin, Prepared, RuleDoc};
use crate::framework::reason::{Message, Obstacle, When};
use crate::framework::status::{Code, Evidence, Verdict};

static NO_FREE_PORTS: Message = Message {
    code: "PRE-220",
    text: "node(s) didn't have free ports for the requested pod ports",
    meaning: "A pod on the node holds a host port that this pod wants, on the same address and protocol.",
    preemption: "Helps: evicting the pod that holds the port frees it.",
    remedy: "give the pod another hostPort or none, or add a node",
    obstacle: Obstacle::Room,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/nodeports/node_ports.go (1.37)",
};

/// The address that stands for all.
const ANY_ADDRESS: &str = "0.0.0.0";

/// The plugin.
pub struct NodePorts;

static DOC: RuleDoc = RuleDoc {
    name: "NodePorts",
    code: "PRE-105",
    summary: "No pod on the node uses a host port that the pod wants, on the same address and protocol.",
    preemption: "Helps: evicting the pod that holds the port frees it.",
    scores: None,
    messages: &[&NO_FREE_PORTS],
    retried_on: Some("a node is added, a pod leaves one"),
    source: "pkg/scheduler/framework/plugins/nodeports/node_ports.go (1.37)",
};

impl Plugin for NodePorts {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let any = cycle.cluster().symbols.get(ANY_ADDRESS).unwrap_or_default();
        let rule = FreePorts { cycle: *cycle, any };
        if rule.ports_of(cycle.template).next().is_none() { Prepared::Skip } else { Prepared::ready(rule) }
    }

    fn error_without_pre_filter(&self) -> Option<&'static str> {
        Some(r#"reading "PreFilterNodePorts" from cycleState: not found"#)
    }
}

struct FreePorts<'c> {
    cycle: Cycle<'c>,
    any: Sym,
}

impl FreePorts<'_> {
    fn ports(&self, pod: PodIx) -> impl Iterator<Item = &HostPort> + Clone {
        let cluster = self.cycle.cluster();
        self.ports_of(cluster.template(cluster.pod(pod)))
    }

    fn ports_of<'t>(&self, template: &'t Template) -> impl Iterator<Item = &'t HostPort> + Clone + use<'t> {
        let sidecars = if self.cycle.features().node_ports.sidecar_ports { &*template.sidecar_ports } else { &[] };
        template.host_ports.iter().chain(sidecars)
    }

    fn conflict(&self, a: HostPort, b: HostPort) -> bool {
        a.port == b.port && a.protocol == b.protocol && (a.ip == b.ip || a.ip == self.any || b.ip == self.any)
    }

    fn check_against(&self, used: &(impl Iterator<Item = (HostPort, PodIx)> + Clone)) -> Verdict {
        let taken = self.ports_of(self.cycle.template).find_map(|wanted| {
            used.clone().find(|(port, _)| self.conflict(*wanted, *port)).map(|(port, pod)| (*wanted, port, pod))
        });
        taken.map_or(Verdict::Fits, |(wanted, used, pod)| {
            let evidence = Evidence::Port { wanted, used, pod: Some(pod) };
            Verdict::reject(Code::Unschedulable, NO_FREE_PORTS.reason(), evidence)
        })
    }
}

impl Filter for FreePorts<'_> {
    fn check(&self, node: &NodeInfo) -> Verdict {
        let used = node.pods.iter().flat_map(|pod| self.ports(*pod).map(|port| (*port, *pod)));
        self.check_against(&used)
    }

    fn extension_state<'f>(&'f self, node: &NodeInfo) -> Option<Box<dyn ExtensionState + 'f>> {
        let mut state = Used { rule: self, used: Vec::new() };
        node.pods.iter().for_each(|pod| state.add_pod(*pod));
        Some(Box::new(state))
    }
}

/// Ports in use. Parity: upstream keeps a set, not a count, so evicting one of two holders of a port frees it.
struct Used<'f, 'c> {
    rule: &'f FreePorts<'c>,
    used: Vec<(HostPort, PodIx)>,
}

impl ExtensionState for Used<'_, '_> {
    fn add_pod(&mut self, pod: PodIx) {
        for port in self.rule.ports(pod) {
            if !self.used.iter().any(|(used, _)| used == port) {
                self.used.push((*port, pod));
            }
        }
    }

    fn remove_pod(&mut self, pod: PodIx) {
        let ports = self.rule.ports(pod);
        self.used.retain(|(used, _)| !ports.clone().any(|port| port == used));
    }

    fn check(&self, _: &NodeInfo) -> Verdict {
        self.rule.check_against(&self.used.iter().copied())
    }

    fn fork<'t>(&self) -> Box<dyn ExtensionState + 't>
    where
        Self: 't,
    {
        Box::new(Self { rule: self.rule, used: self.used.clone() })
    }
}

#[cfg(test)]
mod tests;
