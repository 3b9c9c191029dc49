//! CSI migration: volumes of in-tree plugins are translated to those of their CSI drivers.
//!
//! Upstream: `csi-translation-lib/translate.go`, `csi-translation-lib/plugins/*.go` (1.37).
//! azure-file and vSphere are left out where the scheduler never treats them as migrated.

use std::collections::BTreeSet;

use super::symbols::{Sym, Symbols};
use crate::snapshot::Map;
use crate::snapshot::meta::Expression;
use crate::snapshot::pod::{AwsDisk, AzureDisk, GceDisk, NodeSelectorTerm, VolumeId};

/// The in-tree plugin of EBS volumes.
pub const AWS_PLUGIN: &str = "kubernetes.io/aws-ebs";
/// The in-tree plugin of GCE disks.
pub const GCE_PLUGIN: &str = "kubernetes.io/gce-pd";
pub const AZURE_PLUGIN: &str = "kubernetes.io/azure-disk";
/// The in-tree plugin of Cinder volumes.
pub const CINDER_PLUGIN: &str = "kubernetes.io/cinder";
pub const PORTWORX_PLUGIN: &str = "kubernetes.io/portworx-volume";
const ZONE: &str = "topology.kubernetes.io/zone";
const REGION: &str = "topology.kubernetes.io/region";
const BETA_ZONE: &str = "failure-domain.beta.kubernetes.io/zone";
const BETA_REGION: &str = "failure-domain.beta.kubernetes.io/region";
/// Separator of zones in the label of a volume that is in several.
const ZONES_DELIMITER: &str = "__";

/// In-tree plugin, its CSI driver, and the driver's topology key if it has one.
struct Migration {
    plugin: &'static str,
    driver: &'static str,
    topology_key: Option<&'static str>,
}

const GCE: Migration = Migration {
    plugin: GCE_PLUGIN,
    driver: "pd.csi.storage.gke.io",
    topology_key: Some("topology.gke.io/zone"),
};
const AWS: Migration = Migration {
    plugin: AWS_PLUGIN,
    driver: "ebs.csi.aws.com",
    topology_key: Some("topology.ebs.csi.aws.com/zone"),
};
const AZURE: Migration =
    Migration { plugin: AZURE_PLUGIN, driver: "disk.csi.azure.com", topology_key: None };
const CINDER: Migration = Migration {
    plugin: CINDER_PLUGIN,
    driver: "cinder.csi.openstack.org",
    topology_key: Some("topology.cinder.csi.openstack.org/zone"),
};
const PORTWORX: Migration =
    Migration { plugin: PORTWORX_PLUGIN, driver: "pxd.portworx.com", topology_key: None };

/// Plugins that have a translation but are never on: their volumes are not counted.
const NEVER_MIGRATED: [&str; 2] = ["kubernetes.io/azure-file", "kubernetes.io/vsphere-volume"];

/// The provisioner of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provisioner {
    /// A CSI driver of that name, or anything else that the scheduler treats as one; empty for
    /// none.
    Driver(Sym),
    /// An in-tree plugin, which may be migrated to a CSI driver.
    InTree { plugin: Sym, driver: Sym },
    /// An in-tree plugin whose volumes are not counted.
    Uncounted,
}

impl Provisioner {
    /// Reads `provisioner` of a class.
    #[must_use]
    pub fn read(name: &str, symbols: &mut Symbols) -> Self {
        if NEVER_MIGRATED.contains(&name) {
            return Self::Uncounted;
        }
        match [GCE, AWS, AZURE, CINDER, PORTWORX].iter().find(|m| m.plugin == name) {
            Some(m) => {
                Self::InTree { plugin: symbols.intern(m.plugin), driver: symbols.intern(m.driver) }
            }
            None => Self::Driver(symbols.intern(name)),
        }
    }
}

/// A volume of an in-tree plugin.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InTreeVolume {
    pub plugin: Sym,
    /// The plugin's name for the volume.
    pub id: Sym,
    /// The CSI driver to which the plugin is migrated.
    pub driver: Sym,
    /// The driver's name for the volume, or why there is none.
    pub handle: Result<Sym, Box<str>>,
}

impl InTreeVolume {
    fn new(
        migration: &Migration,
        id: &str,
        handle: Result<&str, String>,
        symbols: &mut Symbols,
    ) -> Self {
        Self {
            plugin: symbols.intern(migration.plugin),
            id: symbols.intern(id),
            driver: symbols.intern(migration.driver),
            handle: handle.map(|h| symbols.intern(h)).map_err(Into::into),
        }
    }
}

/// The in-tree source of a volume or of a pod; at most one is set.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Sources<'w> {
    pub(super) gce: Option<&'w GceDisk<'w>>,
    pub(super) aws: Option<&'w AwsDisk<'w>>,
    pub(super) azure: Option<&'w AzureDisk<'w>>,
    pub(super) cinder: Option<&'w VolumeId<'w>>,
    pub(super) portworx: Option<&'w VolumeId<'w>>,
}

impl Sources<'_> {
    /// The translated volume. `labels` are those of the volume; a pod's own volume has none.
    pub(super) fn translate(&self, labels: &Map, symbols: &mut Symbols) -> Option<InTreeVolume> {
        let owned;
        let (migration, id, handle) = if let Some(disk) = self.gce {
            owned = gce_handle(&disk.pd_name, labels);
            (&GCE, disk.pd_name.as_str(), owned.as_deref().map_err(Clone::clone))
        } else if let Some(disk) = self.aws {
            owned = aws_handle(&disk.volume_id);
            (&AWS, disk.volume_id.as_str(), owned.as_deref().map_err(Clone::clone))
        } else if let Some(disk) = self.azure {
            let other = disk.kind.as_ref().filter(|k| !k.eq_ignore_ascii_case("Managed"));
            let refusal =
                other.map(|k| format!("kind({}) is not supported in csi migration", k.as_str()));
            (&AZURE, disk.disk_name.as_str(), refusal.map_or(Ok(disk.disk_uri.as_str()), Err))
        } else if let Some(volume) = self.cinder {
            (&CINDER, volume.volume_id.as_str(), Ok(volume.volume_id.as_str()))
        } else if let Some(volume) = self.portworx {
            (&PORTWORX, volume.volume_id.as_str(), Ok(volume.volume_id.as_str()))
        } else {
            return None;
        };
        Some(InTreeVolume::new(migration, id, handle, symbols))
    }

    /// The translated node affinity of the volume: zones get the driver's own topology key.
    pub(super) fn translate_affinity<'t>(
        &self,
        labels: &Map,
        terms: Option<Vec<NodeSelectorTerm<'t>>>,
    ) -> Option<Vec<NodeSelectorTerm<'t>>> {
        let migrations =
            [(self.gce.is_some(), GCE), (self.aws.is_some(), AWS), (self.cinder.is_some(), CINDER)];
        match migrations.into_iter().find(|(set, _)| *set).and_then(|(_, m)| m.topology_key) {
            Some(key) => translate_topology(labels, terms, key),
            None => terms,
        }
    }
}

/// The handle includes project and zone, which the in-tree volume does not have. A label with
/// several zones means that it is regional.
fn gce_handle(disk: &str, labels: &Map) -> Result<String, String> {
    let zones = labels
        .get(BETA_ZONE)
        .filter(|z| !z.is_empty())
        .or_else(|| labels.get(ZONE))
        .unwrap_or_default();
    let zones: Vec<&str> = zones.split(ZONES_DELIMITER).collect();
    match zones.as_slice() {
        [""] | [] => Ok(format!("projects/UNSPECIFIED/zones/UNSPECIFIED/disks/{disk}")),
        [zone] => Ok(format!("projects/UNSPECIFIED/zones/{zone}/disks/{disk}")),
        several => gce_region(several)
            .map(|region| format!("projects/UNSPECIFIED/regions/{region}/disks/{disk}"))
            .map_err(|e| format!("failed to get region from zones: {e}")),
    }
}

fn gce_region(zones: &[&str]) -> Result<String, String> {
    let mut regions = BTreeSet::new();
    for zone in zones {
        match zone.split('-').collect::<Vec<_>>().as_slice() {
            [locale, region, _] => regions.insert(format!("{locale}-{region}")),
            _ => {
                return Err(format!(
                    "zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}}, got: {zone}"
                ));
            }
        };
    }
    if regions.len() == 1 {
        return Ok(regions.into_iter().collect());
    }
    let list: Vec<String> = regions.iter().map(|r| format!("{r}:{{}}")).collect();
    Err(format!("multiple or no regions gotten from zones, got: map[{}]", list.join(" ")))
}

/// `aws://<zone>/<id>`, `aws:///<id>` or a bare id.
fn aws_handle(volume_id: &str) -> Result<String, String> {
    let Some(rest) = volume_id.strip_prefix("aws://") else { return Ok(volume_id.to_owned()) };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let path = rest.find('/').and_then(|slash| rest.get(slash..)).unwrap_or_default();
    let id = path.trim_matches('/');
    if id.starts_with("vol-") && !id.contains('/') {
        Ok(id.to_owned())
    } else {
        Err(format!(
            "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({volume_id})"
        ))
    }
}

fn has_key(terms: &[NodeSelectorTerm], key: &str) -> bool {
    terms.iter().flat_map(|t| &t.match_expressions).any(|e| e.key.as_str() == key)
}

fn has_values(terms: &[NodeSelectorTerm], key: &str) -> bool {
    terms
        .iter()
        .flat_map(|t| &t.match_expressions)
        .any(|e| e.key.as_str() == key && !e.values.is_empty())
}

fn replace_key(terms: &mut [NodeSelectorTerm<'_>], old: &str, new: &'static str) {
    let expressions = terms.iter_mut().flat_map(|t| &mut t.match_expressions);
    expressions.filter(|e| e.key.as_str() == old).for_each(|e| e.key = new.into());
}

/// Which spelling of the topology labels the volume uses: that of its affinity, else of its labels,
/// else the newer one.
fn uses_beta_labels(labels: &Map, terms: &[NodeSelectorTerm]) -> bool {
    if has_key(terms, ZONE) {
        false
    } else {
        has_key(terms, BETA_ZONE) || (labels.get(ZONE).is_none() && labels.get(BETA_ZONE).is_some())
    }
}

fn translate_topology<'t>(
    labels: &Map,
    terms: Option<Vec<NodeSelectorTerm<'t>>>,
    key: &'static str,
) -> Option<Vec<NodeSelectorTerm<'t>>> {
    let had_none = terms.is_none();
    let mut terms = terms.unwrap_or_default();
    let beta = uses_beta_labels(labels, &terms);
    let zone_label = if beta { BETA_ZONE } else { ZONE };
    let mut touched = false;
    if has_values(&terms, zone_label) {
        replace_key(&mut terms, zone_label, key);
    } else if let Some(zones) = labels.get(zone_label) {
        let zones: BTreeSet<&str> =
            zones.split(ZONES_DELIMITER).map(str::trim).filter(|z| !z.is_empty()).collect();
        if !zones.is_empty() {
            add_zones(&mut terms, key, &zones);
            touched = true;
        }
    }
    if beta && has_values(&terms, BETA_REGION) {
        replace_key(&mut terms, BETA_REGION, REGION);
    }
    (!had_none || touched).then_some(terms)
}

fn add_zones(terms: &mut Vec<NodeSelectorTerm<'_>>, key: &'static str, zones: &BTreeSet<&str>) {
    if terms.is_empty() {
        terms.push(NodeSelectorTerm::default());
    }
    let values: Vec<_> = zones.iter().map(|z| (*z).to_owned().into()).collect();
    for term in terms {
        let values = values.clone();
        term.match_expressions.push(Expression { key: key.into(), operator: "In".into(), values });
    }
}

#[cfg(test)]
mod tests;
