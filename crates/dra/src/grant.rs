//! What a claim is allocated on a node, before that is written: its devices, and the nodes on which
//! these can be used.
//!
//! Upstream: `incubating/allocator_incubating.go` `Allocate`, `createNodeSelector` (1.35 to 1.37).

use super::AllocationError;
use super::search_state::Pick;
use model::cluster::devices::{Allocated, Allocation, DeviceId};
use model::cluster::node_selector::{FieldRequirement, NodeRequirement, NodeSelector, NodeTerm};
use model::cluster::symbols::Symbols;
use model::cluster::{Cluster, NodeIx, Quantity, Sym};
use profile::history::DynamicResources;

/// What a claim is allocated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    pub devices: Vec<AllocatedDevice>,
    /// The nodes on which they can be used; `None`: all.
    pub nodes: Option<NodeSelector>,
}

/// A device allocated to a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllocatedDevice {
    /// Name of the request.
    pub request: Sym,
    /// Name of the alternative, for a request with alternatives.
    pub alternative: Option<Sym>,
    pub device: DeviceId,
    /// Whether it stays available for other claims.
    pub admin_access: bool,
    /// The consumed capacity of a device that claims share; `None` for a whole device.
    pub consumed: Option<Box<[(Sym, Quantity)]>>,
    /// Whether the node must be able to skip operations on it.
    pub skips_node_operations: bool,
}

impl Grant {
    /// Combines the picked devices into the allocation of the claim of this name on a node.
    ///
    /// # Errors
    /// If the nodes on which they can be used cannot be described.
    pub(super) fn of(
        picks: &[Pick],
        claim: &str,
        node: NodeIx,
        cluster: &Cluster,
        features: &DynamicResources,
    ) -> Result<Self, AllocationError> {
        let nodes = nodes(picks, claim, node, cluster, features)?;
        Ok(Self {
            devices: picks
                .iter()
                .map(|pick| AllocatedDevice {
                    request: pick.requester.0,
                    alternative: pick.requester.1,
                    device: pick.found.place.id,
                    admin_access: pick.admin_access,
                    consumed: pick.shared.as_ref().map(|share| share.amounts.as_slice().into()),
                    skips_node_operations: pick.found.place.slice.skips_node_operations,
                })
                .collect(),
            nodes,
        })
    }

    /// The allocation as it is written into the status of the claim.
    pub fn allocation(&self, symbols: &mut Symbols) -> Allocation {
        let mut results = Vec::with_capacity(self.devices.len());
        for device in &self.devices {
            let request = match device.alternative {
                Some(alternative) => {
                    let (request, alternative) =
                        (symbols.text(device.request), symbols.text(alternative));
                    let name = format!("{request}/{alternative}");
                    symbols.intern(&name)
                }
                None => device.request,
            };
            results.push(Allocated {
                request,
                device: device.device,
                admin_access: device.admin_access,
                shared: device.consumed.is_some(),
                consumed: device.consumed.clone(),
                binding_conditions: Box::default(),
                binding_failure_conditions: Box::default(),
                skips_node_operations: device.skips_node_operations,
            });
        }
        Allocation { nodes: self.nodes.clone(), results: results.into(), at: None }
    }
}

/// A device of one node restricts all of them to that node; the selectors of the others hold
/// together.
fn nodes(
    picks: &[Pick],
    claim: &str,
    node: NodeIx,
    cluster: &Cluster,
    features: &DynamicResources,
) -> Result<Option<NodeSelector>, AllocationError> {
    let (mut labels, mut fields) = (Vec::new(), Vec::new());
    for pick in picks {
        let (slice, device) = (pick.found.place.slice, pick.found.place.device);
        let nodes = if slice.per_device == Some(true) { &device.nodes } else { &slice.nodes };
        if !nodes.name.is_empty() || (features.dra_binding_conditions && device.binds_to_node) {
            let only =
                FieldRequirement { is_name: true, is_in: true, value: cluster.node(node).name };
            return Ok(Some(selector(Vec::new(), vec![only])));
        }
        match nodes.selector.as_deref() {
            None | Some([]) => {}
            Some([term]) => {
                // A selector that cannot be parsed is an error of the search.
                let parsed = term.parsed.as_ref().ok();
                labels.extend(parsed.iter().flat_map(|(labels, _)| labels).cloned());
                fields.extend(parsed.iter().flat_map(|(_, fields)| fields).cloned());
            }
            Some(terms) => {
                let count = terms.len();
                return Err(AllocationError::Cycle(format!(
                    "create NodeSelector for claim {claim}: unsupported ResourceSlice.NodeSelector with {count} terms"
                )));
            }
        }
    }
    Ok((!labels.is_empty() || !fields.is_empty()).then(|| selector(labels, fields)))
}

fn selector(labels: Vec<NodeRequirement>, fields: Vec<FieldRequirement>) -> NodeSelector {
    Box::new([NodeTerm { parsed: Ok((labels.into(), fields.into())), names: Box::default() }])
}
