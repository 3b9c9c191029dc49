//! Which pods are alike for all plugins of a profile, so that they share scores.
//!
//! Upstream: `pkg/scheduler/framework/runtime/framework.go` `SignPod` and that of the plugins,
//! `k8s.io/kube-scheduler/framework/signers.go` (1.37).

use std::collections::BTreeSet;

use crate::framework::plugin::Cycle;
use crate::plugins::node_resources_fit;
use model::cluster::pod::PodIx;
use model::cluster::symbols::Sym;
use model::cluster::template::Template;
use profile::Profile;

/// Whether a pod can share scores at all. By default it cannot, since it has topology spread
/// constraints of the profile.
pub(in crate::groups) fn is_signed(cycle: &Cycle) -> bool {
    let (profile, template) = (cycle.view.profile, cycle.template);
    let is_spread = || profile.args.default_constraints.as_ref().is_none_or(|all| !all.is_empty());
    let has_affinity = || {
        template.affinity.as_ref().map_or(true, |terms| !terms.is_empty())
            || template.anti_affinity.as_ref().map_or(true, |terms| !terms.is_empty())
            || template.preferred_affinity.as_ref().map_or(true, |terms| !terms.is_empty())
            || template.preferred_anti_affinity.as_ref().map_or(true, |terms| !terms.is_empty())
    };
    let prevents = |plugins: &[&str], prevents: bool| prevents && runs(plugins, profile);
    profile.extenders.is_empty()
        && profile.plugins.out_of_tree.is_empty()
        && !prevents(&["PodTopologySpread"], is_spread() || !template.spread.is_empty())
        && !prevents(&["InterPodAffinity"], has_affinity())
        && !prevents(&["DynamicResources"], !template.claims.is_empty())
        && !prevents(&RESOURCES, node_resources_fit::leaves_to_devices(cycle))
}

/// Whether the pod of a cycle is like another one, which can share scores.
pub(super) fn is_like(other: PodIx, cycle: &Cycle) -> bool {
    let (view, profile, own) = (cycle.view, cycle.view.profile, cycle.template);
    let pod = view.cluster.pod(other);
    let template = view.cluster.template(pod);
    let same = |plugins: &[&str], same: bool| same || !runs(plugins, profile);
    let images = |template: &Template| -> BTreeSet<Sym> {
        template.images.iter().chain(&template.init_images).copied().collect()
    };
    is_signed(cycle)
        && own.scheduler_name == template.scheduler_name
        && same(&RESOURCES, view.incoming(cycle.pod) == view.incoming(pod))
        && same(&["TaintToleration", "NodeUnschedulable"], own.tolerations == template.tolerations)
        && same(&["NodePorts"], own.host_ports == template.host_ports)
        && same(&["NodePorts"], own.sidecar_ports == template.sidecar_ports)
        && same(&["NodeAffinity"], own.node_selector == template.node_selector)
        && same(&["NodeAffinity"], own.node_affinity == template.node_affinity)
        && same(&["NodeAffinity"], own.preferred_nodes == template.preferred_nodes)
        && same(&["ImageLocality"], images(own) == images(template))
        && (profile.args.ignore_preferred_terms_of_existing_pods
            || same(&["InterPodAffinity"], cycle.pod.labels == pod.labels))
        && same(&VOLUMES, own.volumes == template.volumes)
        && same(&VOLUMES, own.image_volumes == template.image_volumes)
        && same(&VOLUMES, own.empty_dir == template.empty_dir)
        && same(&VOLUMES, cycle.pod.claims == pod.claims)
        && same(&["NodeDeclaredFeatures"], own.needs == template.needs)
}

/// The plugins that compare what pods request.
const RESOURCES: [&str; 2] = ["NodeResourcesFit", "NodeResourcesBalancedAllocation"];

/// The plugins that compare volumes.
const VOLUMES: [&str; 4] =
    ["VolumeBinding", "VolumeRestrictions", "VolumeZone", "NodeVolumeLimits"];

/// Whether one of these plugins has a say about pods of the profile.
fn runs(plugins: &[&str], profile: &Profile) -> bool {
    let set = &profile.plugins;
    let mut points = set.pre_filter.iter().chain(&set.filter).chain(&set.pre_score);
    points.any(|name| plugins.contains(name))
        || set.score.iter().any(|(name, _)| plugins.contains(name))
}
