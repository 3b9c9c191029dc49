//! `Policy`, which schedulers up to 1.22 read instead of profiles: predicates and priorities by
//! their old names.
//!
//! Upstream: `kube-scheduler/config/v1/types.go`,
//! `pkg/scheduler/framework/plugins/legacy_registry.go`, `pkg/scheduler/factory.go`
//! `createFromPolicy` (1.22).

use serde_json::Value;

use crate::Profile;
use crate::args::{FitScoring, PluginArgs};
use crate::config::api::{self, Api};
use crate::config::configuration::Configuration;
use crate::config::error::{ConfigError, Problems, remove, strict, unknown_field};
use crate::config::settings::{ConfigRemark, ProfileSettings};
use crate::config::wire::{self, strict};
use crate::config::{args, extender};
use crate::plugins::{PluginSettings, PointSettings};

strict! {
    struct Policy {
        api_version: String,
        kind: String,
        predicates: Option<Vec<Predicate>>,
        priorities: Option<Vec<Priority>>,
        extenders: Vec<wire::Extender>,
        hard_pod_affinity_symmetric_weight: i64,
        always_check_all_predicates: bool,
    }

    struct Predicate {
        name: String,
        argument: Option<PredicateArgument>,
    }

    struct PredicateArgument {
        service_affinity: Option<Custom>,
        labels_presence: Option<Custom>,
    }

    struct Priority {
        name: String,
        weight: i64,
        argument: Option<PriorityArgument>,
    }

    struct PriorityArgument {
        service_anti_affinity: Option<Custom>,
        label_preference: Option<Custom>,
        requested_to_capacity_ratio_arguments: Option<args::Ratio>,
    }

    struct Custom {
        labels: Vec<String>,
        label: String,
        presence: bool,
    }
}

/// A predicate that exists in some versions: the plugins that implement it, and since which minor
/// they examine the pod before the nodes, if ever.
struct PredicateRow {
    name: &'static str,
    plugins: &'static [(&'static str, Option<u16>)],
}

const fn row(name: &'static str, plugins: &'static [(&'static str, Option<u16>)]) -> PredicateRow {
    PredicateRow { name, plugins }
}

/// The first minor in which plugins have PreFilter.
const PRE: Option<u16> = Some(18);
/// NodeAffinity has no PreFilter before this minor.
const AFFINITY: (&str, Option<u16>) = ("NodeAffinity", Some(21));

/// Predicates in the order in which they run.
const PREDICATES: &[PredicateRow] = &[
    row("CheckNodeUnschedulable", &[("NodeUnschedulable", None)]),
    row(
        "GeneralPredicates",
        &[("NodeResourcesFit", PRE), ("NodeName", None), ("NodePorts", PRE), AFFINITY],
    ),
    row("HostName", &[("NodeName", None)]),
    row("PodFitsHostPorts", &[("NodePorts", PRE)]),
    row("MatchNodeSelector", &[AFFINITY]),
    row("PodFitsResources", &[("NodeResourcesFit", PRE)]),
    row("NoDiskConflict", &[("VolumeRestrictions", None)]),
    row("PodToleratesNodeTaints", &[("TaintToleration", None)]),
    row("CheckNodeLabelPresence", &[("NodeLabel", None)]),
    row("CheckServiceAffinity", &[("ServiceAffinity", PRE)]),
    row("MaxEBSVolumeCount", &[("EBSLimits", None)]),
    row("MaxGCEPDVolumeCount", &[("GCEPDLimits", None)]),
    row("MaxCSIVolumeCountPred", &[("NodeVolumeLimits", None)]),
    row("MaxAzureDiskVolumeCount", &[("AzureDiskLimits", None)]),
    row("MaxCinderVolumeCount", &[("CinderLimits", None)]),
    row("CheckVolumeBinding", &[("VolumeBinding", Some(19))]),
    row("NoVolumeZoneConflict", &[("VolumeZone", None)]),
    row("EvenPodsSpread", &[("PodTopologySpread", PRE)]),
    row("MatchInterPodAffinity", &[("InterPodAffinity", PRE)]),
];

/// Predicates that always run, even if the file omits them.
const MANDATORY: [&str; 2] = ["CheckNodeUnschedulable", "PodToleratesNodeTaints"];
/// Predicates of a file without a list of them.
const DEFAULT_PREDICATES: [&str; 12] = [
    "NoVolumeZoneConflict",
    "MaxEBSVolumeCount",
    "MaxGCEPDVolumeCount",
    "MaxAzureDiskVolumeCount",
    "MaxCSIVolumeCountPred",
    "MatchInterPodAffinity",
    "NoDiskConflict",
    "GeneralPredicates",
    "PodToleratesNodeTaints",
    "CheckVolumeBinding",
    "CheckNodeUnschedulable",
    "EvenPodsSpread",
];

/// A priority, the plugin that implements it, since which minor it has a PreScore, and its weight
/// in a file without a list of priorities.
const PRIORITIES: &[(&str, &str, Option<u16>, Option<i64>)] = &[
    ("SelectorSpreadPriority", "SelectorSpread", PRE, Some(1)),
    ("InterPodAffinityPriority", "InterPodAffinity", PRE, Some(1)),
    ("LeastRequestedPriority", "NodeResourcesLeastAllocated", None, Some(1)),
    ("BalancedResourceAllocation", "NodeResourcesBalancedAllocation", None, Some(1)),
    ("NodePreferAvoidPodsPriority", "NodePreferAvoidPods", None, Some(10000)),
    ("NodeAffinityPriority", "NodeAffinity", Some(21), Some(1)),
    ("TaintTolerationPriority", "TaintToleration", PRE, Some(1)),
    ("ImageLocalityPriority", "ImageLocality", None, Some(1)),
    // Its default weight was 1 in 1.18.
    ("EvenPodsSpreadPriority", "PodTopologySpread", PRE, Some(2)),
    ("MostRequestedPriority", "NodeResourcesMostAllocated", None, None),
    ("RequestedToCapacityRatio", "RequestedToCapacityRatio", None, None),
    ("ResourceLimitsPriority", "NodeResourceLimits", PRE, None),
    ("NodeLabel", "NodeLabel", None, None),
    ("ServiceAffinity", "ServiceAffinity", None, None),
];

/// Old names, and what they are read as.
const RENAMED: [(&str, &str); 3] = [
    ("PodFitsPorts", "PodFitsHostPorts"),
    ("ServiceSpreadingPriority", "SelectorSpreadPriority"),
    ("RequestedToCapacityRatioPriority", "RequestedToCapacityRatio"),
];

/// The priority that a curve defines.
const RATIO: &str = "RequestedToCapacityRatio";
/// Scores every node equally.
const EQUAL: &str = "EqualPriority";
/// The first minor in which plugins implement predicates and priorities, and the first whose Policy
/// has its own defaults.
const PLUGINS_SINCE: u16 = 17;
const DEFAULTS_SINCE: u16 = 18;

/// The patch of 1.19 since which a Policy has DefaultPreemption.
const PREEMPTS_SINCE_PATCH: u16 = 5;

/// Predicates and priorities by name; `None` if the file has no list and the defaults apply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicySettings {
    /// Predicates, mandatory ones included, in the order in which they run.
    pub predicates: Option<Vec<&'static str>>,
    /// Priorities with their weights.
    pub priorities: Option<Vec<(&'static str, i64)>>,
}

pub(in crate::config) fn read(value: &Value, base: &Profile) -> Result<Configuration, ConfigError> {
    let minor = base.version.nearest_supported().minor;
    let mut remarks = Vec::new();
    let raw = decode(value, base, &mut remarks)?;
    let mut settings = ProfileSettings::new();
    let policy = PolicySettings {
        predicates: raw.predicates.as_deref().map(read_predicates).transpose()?,
        priorities: raw
            .priorities
            .as_deref()
            .map(|list| read_priorities(list, &mut settings.args))
            .transpose()?,
    };
    if !(0..=100).contains(&raw.hard_pod_affinity_symmetric_weight) {
        let path = "hardPodAffinitySymmetricWeight";
        let value = raw.hard_pod_affinity_symmetric_weight;
        return Err(ConfigError::invalid(path, value, "not in valid range [0-100]"));
    }
    if raw.hard_pod_affinity_symmetric_weight != 0 {
        settings.args.hard_pod_affinity_weight = raw.hard_pod_affinity_symmetric_weight;
    }
    if raw.always_check_all_predicates {
        let text = "alwaysCheckAllPredicates is not modelled: only the first predicate that rejects a node counts";
        remarks.push(ConfigRemark::deciding(text));
    }
    if !base.features.pod_topology_spread.pods_spread
        && policy.predicates.iter().flatten().any(|name| *name == "EvenPodsSpread")
    {
        let problem = "predicate type not found for \"EvenPodsSpread\": the feature gate EvenPodsSpread is off";
        return Err(ConfigError::new("predicates", problem));
    }
    settings.plugins = policy.plugins(minor);
    if minor == 19 && base.version.nearest_supported().patch < PREEMPTS_SINCE_PATCH {
        settings.plugins.post_filter.disabled.push("*".to_owned());
        remarks.push(ConfigRemark::harmless(
            "a Policy leaves this patch of 1.19 without DefaultPreemption: nothing preempts",
        ));
    }
    if minor >= 20
        && settings.plugins.score.enabled.iter().any(|(name, _)| name == "SelectorSpread")
    {
        // Otherwise there would be two kinds of default spreading.
        settings.args.default_constraints.get_or_insert_default();
    }
    let mut profiles = vec![settings];
    let mut problems = Problems::default();
    let extenders = extender::read(&raw.extenders, Api::Policy, &mut problems);
    problems.first()?;
    extender::ignore_managed_resources(&raw.extenders, &mut profiles);
    Ok(Configuration { api: Api::Policy, profiles, extenders, remarks })
}

/// Decodes the file; schedulers before 1.17 ignore unknown fields.
fn decode(
    value: &Value,
    base: &Profile,
    remarks: &mut Vec<ConfigRemark>,
) -> Result<Policy, ConfigError> {
    let mut value = value.clone();
    loop {
        let error = match api::foreign_field(&value, Api::Policy, base.version) {
            Some(path) => unknown_field(&path),
            None => match strict(&value, "") {
                Ok(raw) => return Ok(raw),
                Err(error) => error,
            },
        };
        let is_field = error.problem == unknown_field(&error.path).problem;
        if Api::Policy.is_strict(base.version) || !is_field || !remove(&mut value, &error.path) {
            return Err(error);
        }
        remarks.push(ConfigRemark::harmless(format!(
            "field {} does not exist in a Policy and is ignored",
            error.path
        )));
    }
}

fn current(name: &str) -> &str {
    RENAMED.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| *new)
}

fn read_predicates(list: &[Predicate]) -> Result<Vec<&'static str>, ConfigError> {
    let mut named: Vec<&str> = MANDATORY.to_vec();
    for (index, Predicate { name, argument }) in list.iter().enumerate() {
        let path = format!("predicates[{index}]");
        let custom = match argument {
            None => None,
            Some(PredicateArgument { service_affinity: Some(_), labels_presence: None }) => {
                Some("CheckServiceAffinity")
            }
            Some(PredicateArgument { service_affinity: None, labels_presence: Some(_) }) => {
                Some("CheckNodeLabelPresence")
            }
            Some(_) => {
                let problem =
                    format!("exactly 1 predicate argument is required, predicate {name:?}");
                return Err(ConfigError::new(format!("{path}.argument"), problem));
            }
        };
        let Some(row) = PREDICATES.iter().find(|row| row.name == custom.unwrap_or(current(name)))
        else {
            let problem = format!("predicate type not found for {name:?}");
            return Err(ConfigError::new(format!("{path}.name"), problem));
        };
        named.push(row.name);
    }

    // Whatever their order in the file, the scheduler checks predicates in its own.
    Ok(PREDICATES.iter().map(|row| row.name).filter(|name| named.contains(name)).collect())
}

fn read_priorities(
    list: &[Priority],
    args: &mut PluginArgs,
) -> Result<Vec<(&'static str, i64)>, ConfigError> {
    let mut named: Vec<(&'static str, i64)> = Vec::new();
    for (index, Priority { name, weight, argument }) in list.iter().enumerate() {
        let path = format!("priorities[{index}]");
        if *weight <= 0 {
            let problem = format!(
                "priority {name} should have a positive weight applied to it or it has overflown"
            );
            return Err(ConfigError::new(format!("{path}.weight"), problem));
        }
        if name == EQUAL {
            continue;
        }
        let custom = match argument {
            None => current(name),
            Some(argument) => custom_priority(argument, name, &path, args)?,
        };
        let Some((priority, ..)) = PRIORITIES.iter().find(|(priority, ..)| *priority == custom)
        else {
            let problem = format!("priority type not found for {name:?}");
            return Err(ConfigError::new(format!("{path}.name"), problem));
        };
        if custom == RATIO && named.iter().any(|(name, _)| *name == RATIO) {
            let problem = format!("priority {name:?} redeclares custom priority {RATIO:?}");
            return Err(ConfigError::new(path, problem));
        }
        // The last entry for a priority counts.
        named.retain(|(earlier, _)| earlier != priority);
        named.push((priority, *weight));
    }
    Ok(named)
}

/// A custom priority, by the name of its kind.
fn custom_priority(
    argument: &PriorityArgument,
    name: &str,
    path: &str,
    args: &mut PluginArgs,
) -> Result<&'static str, ConfigError> {
    match argument {
        PriorityArgument {
            service_anti_affinity: Some(_),
            label_preference: None,
            requested_to_capacity_ratio_arguments: None,
        } => Ok("ServiceAffinity"),
        PriorityArgument {
            service_anti_affinity: None,
            label_preference: Some(_),
            requested_to_capacity_ratio_arguments: None,
        } => Ok("NodeLabel"),
        PriorityArgument {
            service_anti_affinity: None,
            label_preference: None,
            requested_to_capacity_ratio_arguments: Some(ratio),
        } => {
            let path = format!("{path}.argument.requestedToCapacityRatioArguments");
            let scoring: FitScoring = args::read_curve(&ratio.shape, &ratio.resources, &path)?;
            args.capacity_ratio = scoring;
            Ok(RATIO)
        }
        _ => {
            let problem = format!("exactly 1 priority argument is required, priority {name:?}");
            Err(ConfigError::new(format!("{path}.argument"), problem))
        }
    }
}

impl PolicySettings {
    /// The plugins that implement them in a scheduler of that minor, each point in order.
    pub fn plugins(&self, minor: u16) -> PluginSettings {
        let listed = minor >= DEFAULTS_SINCE;
        let predicates = self.predicates.clone().or_else(|| listed.then(default_predicates));
        let priorities =
            self.priorities.clone().or_else(|| listed.then(|| default_priorities(minor)));
        let mut settings = PluginSettings::default();
        if let Some(predicates) = predicates {
            (settings.pre_filter, settings.filter) = (only(), only());
            for row in PREDICATES.iter().filter(|row| predicates.contains(&row.name)) {
                if minor < PLUGINS_SINCE {
                    add(&mut settings.filter, row.name, 0);
                    continue;
                }
                for (plugin, pre) in row.plugins {
                    add(&mut settings.filter, plugin, 0);
                    if pre.is_some_and(|since| minor >= since) {
                        add(&mut settings.pre_filter, plugin, 0);
                    }
                }
            }
        }
        if let Some(priorities) = priorities {
            (settings.pre_score, settings.score) = (only(), only());
            for (name, weight) in priorities {
                let Some((_, plugin, pre, _)) =
                    PRIORITIES.iter().find(|(priority, ..)| *priority == name)
                else {
                    continue;
                };
                let plugin = match *plugin {
                    _ if minor < PLUGINS_SINCE => name,
                    // It was renamed in 1.19.
                    "SelectorSpread" if minor < 19 => "DefaultPodTopologySpread",
                    plugin => plugin,
                };
                add(&mut settings.score, plugin, weight);
                if pre.is_some_and(|since| minor >= since) {
                    add(&mut settings.pre_score, plugin, 0);
                }
            }
        }
        settings
    }
}

fn default_predicates() -> Vec<&'static str> {
    PREDICATES.iter().map(|row| row.name).filter(|name| DEFAULT_PREDICATES.contains(name)).collect()
}

fn default_priorities(minor: u16) -> Vec<(&'static str, i64)> {
    let weight = |name: &str, weight: i64| {
        if name == "EvenPodsSpreadPriority" && minor == 18 { 1 } else { weight }
    };
    PRIORITIES
        .iter()
        .filter_map(|(name, _, _, default)| Some((*name, weight(name, (*default)?))))
        .collect()
}

/// Disables all defaults.
fn only() -> PointSettings {
    PointSettings { disabled: vec!["*".to_owned()], ..PointSettings::default() }
}

fn add(point: &mut PointSettings, plugin: &str, weight: i64) {
    if !point.enabled.iter().any(|(name, _)| name == plugin) {
        point.enabled.push((plugin.to_owned(), weight));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The names at a point.
    fn names(point: &PointSettings) -> Vec<&str> {
        point.enabled.iter().map(|(name, _)| name.as_str()).collect()
    }

    fn policy(value: &Value) -> (PolicySettings, PluginArgs) {
        let raw: Policy = strict(value, "").expect("a policy");
        let mut args = PluginArgs::default();
        let predicates =
            raw.predicates.as_deref().map(read_predicates).transpose().expect("predicates");
        let priorities =
            raw.priorities.as_deref().map(|list| read_priorities(list, &mut args)).transpose();
        (PolicySettings { predicates, priorities: priorities.expect("priorities") }, args)
    }

    #[test]
    fn predicates_run_in_their_own_order_and_some_always() {
        let (settings, _) = policy(
            &json!({"predicates": [{"name": "MatchInterPodAffinity"}, {"name": "PodFitsPorts"},
            {"name": "PodFitsResources"}]}),
        );
        let expected = [
            "CheckNodeUnschedulable",
            "PodFitsHostPorts",
            "PodFitsResources",
            "PodToleratesNodeTaints",
            "MatchInterPodAffinity",
        ];
        assert_eq!(settings.predicates.as_deref(), Some(expected.as_slice()));
        let plugins = settings.plugins(20);
        assert_eq!(
            names(&plugins.filter),
            [
                "NodeUnschedulable",
                "NodePorts",
                "NodeResourcesFit",
                "TaintToleration",
                "InterPodAffinity"
            ]
        );
        assert_eq!(
            names(&plugins.pre_filter),
            ["NodePorts", "NodeResourcesFit", "InterPodAffinity"]
        );
        assert_eq!(plugins.filter.disabled, ["*"]);
        let old = settings.plugins(16);
        assert_eq!(names(&old.filter), expected);
        assert!(names(&old.pre_filter).is_empty());
    }

    #[test]
    fn several_predicates_may_be_one_plugin() {
        let (settings, _) =
            policy(&json!({"predicates": [{"name": "GeneralPredicates"}, {"name": "HostName"},
            {"name": "MatchNodeSelector"}]}));
        let before = settings.plugins(20);
        let expected = [
            "NodeUnschedulable",
            "NodeResourcesFit",
            "NodeName",
            "NodePorts",
            "NodeAffinity",
            "TaintToleration",
        ];
        assert_eq!(names(&before.filter), expected);
        assert_eq!(names(&before.pre_filter), ["NodeResourcesFit", "NodePorts"]);
        assert_eq!(
            names(&settings.plugins(21).pre_filter),
            ["NodeResourcesFit", "NodePorts", "NodeAffinity"]
        );
    }

    #[test]
    fn missing_list_in_a_policy_selects_its_defaults() {
        let (settings, _) = policy(&json!({"predicates": [{"name": "HostName"}]}));
        assert_eq!(settings.plugins(17).score, PointSettings::default());
        for (minor, spread) in [(18, 1), (19, 2)] {
            let score = settings.plugins(minor).score.enabled;
            assert!(
                score.contains(&("PodTopologySpread".to_owned(), spread)),
                "1.{minor}: {score:?}"
            );
            assert!(
                score.contains(&("NodePreferAvoidPods".to_owned(), 10000)),
                "1.{minor}: {score:?}"
            );
        }
        let (none, _) = policy(&json!({}));
        assert_eq!(names(&none.plugins(22).filter).len(), 15);
        assert_eq!(none.plugins(16), PluginSettings::default());
    }

    #[test]
    fn priorities_keep_weights_and_the_last_duplicate_wins() {
        let shape = json!([{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]);
        let ratio = json!({"requestedToCapacityRatioArguments": {"shape": shape, "resources": [{"name": "a.io/x", "weight": 300}]}});
        let (settings, args) = policy(
            &json!({"priorities": [{"name": "EqualPriority", "weight": 1},
            {"name": "ServiceSpreadingPriority", "weight": 3}, {"name": "LeastRequestedPriority", "weight": 1},
            {"name": "LeastRequestedPriority", "weight": 4}, {"name": "Mine", "weight": 5, "argument": ratio},
            {"name": "Zone", "weight": 2, "argument": {"serviceAntiAffinity": {"label": "zone"}}}]}),
        );
        let expected = [
            ("SelectorSpreadPriority", 3),
            ("LeastRequestedPriority", 4),
            ("RequestedToCapacityRatio", 5),
            ("ServiceAffinity", 2),
        ];
        assert_eq!(settings.priorities.as_deref(), Some(expected.as_slice()));
        assert_eq!(names(&settings.plugins(20).pre_score), ["SelectorSpread"]);
        let names_of = |minor| {
            settings
                .plugins(minor)
                .score
                .enabled
                .into_iter()
                .map(|(name, _)| name)
                .collect::<Vec<_>>()
        };
        assert_eq!(names_of(18)[..2], ["DefaultPodTopologySpread", "NodeResourcesLeastAllocated"]);
        assert_eq!(names_of(16)[..2], ["SelectorSpreadPriority", "LeastRequestedPriority"]);
        assert_eq!(args.capacity_ratio.resources[0].weight, 300);
    }

    #[test]
    fn invalid_policy_fields_are_rejected_with_their_path() {
        let two = json!({"serviceAffinity": {"labels": ["a"]}, "labelsPresence": {"labels": ["b"], "presence": true}});
        for (body, want) in [
            (
                json!({"predicates": [{"name": "Nonsense"}]}),
                "predicates[0].name: predicate type not found for \"Nonsense\"",
            ),
            (
                json!({"predicates": [{"name": "A", "argument": two}]}),
                "predicates[0].argument: exactly 1 predicate argument",
            ),
            (
                json!({"priorities": [{"name": "X", "weight": 1}]}),
                "priorities[0].name: priority type not found for \"X\"",
            ),
            (
                json!({"priorities": [{"name": "LeastRequestedPriority"}]}),
                "priorities[0].weight: priority LeastRequestedPriority should have a positive weight",
            ),
            (
                json!({"priorities": [{"name": "X", "weight": 1, "argument": {}}]}),
                "priorities[0].argument: exactly 1 priority",
            ),
        ] {
            let raw: Policy = strict(&body, "").expect("a policy");
            let predicates = raw.predicates.as_deref().map(read_predicates).transpose();
            let mut args = PluginArgs::default();
            let priorities =
                raw.priorities.as_deref().map(|list| read_priorities(list, &mut args)).transpose();
            let said = predicates.err().or(priorities.err()).expect("a refusal").to_string();
            assert!(said.starts_with(want), "{body}\n  {said}");
        }
    }
}
