//! Feature gates of kube-scheduler: which exist in a version, how they are set, and what
//! `--feature-gates` may change.
//!
//! Upstream: `pkg/features/kube_features.go` (1.12 to 1.38.0-beta.0),
//! `component-base/featuregate/feature_gate.go` (1.37).

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::history::{HISTORY, Overrides};
use super::version::SchedulerVersion;

/// The table, as `scripts/gates` writes it.
const TABLE: &str = include_str!("gates.txt");
/// The minor of the table's first column.
const FIRST: u16 = 12;
/// The newest minor in the table; later versions use its column.
const LAST: u16 = 38;
/// Since this minor a gate cannot be on while one that it needs is off.
const DEPENDENCIES_SINCE: u16 = 35;

/// How far a gate has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateStage {
    /// Alpha: `AllAlpha` sets it.
    Alpha,
    /// Beta: `AllBeta` sets it.
    Beta,
    /// Generally available.
    Stable,
    /// To be removed.
    Deprecated,
}

/// A feature gate of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureGate {
    pub name: &'static str,
    pub stage: GateStage,
    /// Its value if no flag sets it.
    pub default: bool,
    /// Whether it is locked to its default.
    pub locked: bool,
    /// Gates that must be on for it to be on.
    pub needs: Vec<&'static str>,
}

/// The gates of a scheduler, by name.
pub type Gates = BTreeMap<&'static str, FeatureGate>;

/// The gates of the scheduler of `version`. Each column of the table is parsed once.
pub fn known(version: SchedulerVersion) -> &'static Gates {
    static COLUMNS: [OnceLock<Gates>; (LAST - FIRST) as usize + 1] = [const { OnceLock::new() }; _];
    static NONE: Gates = Gates::new();
    let column = usize::from(version.nearest_supported().minor.clamp(FIRST, LAST) - FIRST);
    COLUMNS.get(column).map_or(&NONE, |cell| {
        cell.get_or_init(|| {
            let rows = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1);
            rows.filter_map(|row| gate(row, column)).map(|gate| (gate.name, gate)).collect()
        })
    })
}

fn gate(row: &'static str, column: usize) -> Option<FeatureGate> {
    let mut words = row.split(' ');
    let name = words.next()?;
    let cell = words.clone().nth(column)?;
    let stage = match cell.chars().next()? {
        'a' => GateStage::Alpha,
        'b' => GateStage::Beta,
        'g' => GateStage::Stable,
        'd' => GateStage::Deprecated,
        _ => return None,
    };
    let needs = words.skip(usize::from(LAST - FIRST) + 1).collect();
    Some(FeatureGate {
        name,
        stage,
        default: cell.contains('+'),
        locked: cell.ends_with('!'),
        needs,
    })
}

/// Gates for which more than the default shows whether they are on; a user's setting counts, even
/// if it is the default.
const UNSETTLED: [&str; 5] = [
    "CompositePodGroup",
    "DynamicResourceAllocation",
    "GenericWorkload",
    "PodGroupPreemptionPolicy",
    "TopologyAwareWorkloadScheduling",
];

/// Reads `Name=true,Other=false`, possibly several, as the scheduler of `version` does; the last
/// value of a gate counts.
///
/// # Errors
/// The scheduler's own words: an unknown gate, a locked one, an invalid value, a gate that needs
/// another.
pub fn read(flags: &[String], version: SchedulerVersion) -> Result<Overrides, String> {
    let all = known(version);
    let mut asked: BTreeMap<&str, bool> = BTreeMap::new();
    for pair in flags.iter().flat_map(|flag| flag.split(',')).filter(|pair| !pair.is_empty()) {
        // Since 1.33 components may be named; the scheduler belongs to `kube`.
        let pair = pair.strip_prefix("kube:").unwrap_or(pair);
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = name.trim();
        if !pair.contains('=') {
            return Err(format!("missing bool value for {name}"));
        }
        let on = go::parse_bool(value.trim()).ok_or_else(|| {
            let value = value.trim();
            format!("invalid value of {name}={value}, err: strconv.ParseBool: parsing {value:?}: invalid syntax")
        })?;
        asked.insert(name, on);
    }
    let mut set: Overrides = BTreeMap::new();
    for (name, on) in asked.iter().map(|(name, on)| (*name, *on)) {
        if let Some(stage) = special(name) {
            // A gate that is named explicitly keeps its own value.
            let of_stage = all.values().filter(|g| g.stage == stage && !asked.contains_key(g.name));
            set.extend(of_stage.map(|gate| (gate.name, on)));
            continue;
        }
        let gate = all.get(name).ok_or_else(|| format!("unrecognized feature gate: {name}"))?;
        if gate.locked && gate.default != on {
            return Err(format!(
                "cannot set feature gate {name} to {on}, feature is locked to {}",
                gate.default
            ));
        }
        set.insert(gate.name, on);
    }
    check_needs(all, &set, version)?;
    set.retain(|name, on| {
        UNSETTLED.contains(name) || all.get(name).is_some_and(|gate| gate.default != *on)
    });
    Ok(set)
}

fn check_needs(
    all: &BTreeMap<&str, FeatureGate>,
    set: &Overrides,
    version: SchedulerVersion,
) -> Result<(), String> {
    if version.minor < DEPENDENCIES_SINCE {
        return Ok(());
    }
    let is_on = |name: &str| set.get(name).copied().or(all.get(name).map(|g| g.default));
    for gate in all.values().filter(|gate| is_on(gate.name) == Some(true)) {
        let off: Vec<&str> =
            gate.needs.iter().copied().filter(|name| is_on(name) == Some(false)).collect();
        if !off.is_empty() {
            let off = off.join(" ");
            return Err(format!(
                "{} is enabled, but depends on features that are disabled: [{off}]",
                gate.name
            ));
        }
    }
    Ok(())
}

/// Whether kube-scheduler of `version` or a newer one has this gate.
pub fn exists_since(name: &str, version: SchedulerVersion) -> bool {
    let newer = version.nearest_supported().minor..=LAST;
    special(name).is_some()
        || known(version).contains_key(name)
        || newer.into_iter().any(|minor| known(SchedulerVersion::new(minor, 0)).contains_key(name))
}

/// The stage whose gates `AllAlpha` or `AllBeta` sets.
fn special(name: &str) -> Option<GateStage> {
    match name {
        "AllAlpha" => Some(GateStage::Alpha),
        "AllBeta" => Some(GateStage::Beta),
        _ => None,
    }
}

/// Gates that change what the scheduler decides without being modelled here, and which decisions
/// they affect.
const DECIDES: &[(&str, Reach)] = &[
    ("BalanceAttachedNodeVolumes", Reach::Scores),
    ("DRANodeAllocatableResources", Reach::NodeAllocatable),
    ("InPlacePodVerticalScalingSchedulerPreemption", Reach::Any),
    ("LocalStorageCapacityIsolation", Reach::Any),
    ("NominatedNodeNameForExpectation", Reach::Any),
    ("PodDisruptionConditions", Reach::Any),
    ("PodPriority", Reach::Any),
    ("ResourceLimitsPriorityFunction", Reach::Scores),
    ("StorageCapacityScoring", Reach::Scores),
    ("TaintNodesByCondition", Reach::Any),
    ("VolumeAttributesClass", Reach::Any),
    ("VolumeCapacityPriority", Reach::Scores),
    ("VolumeLimitScaling", Reach::Any),
];

/// Which decisions a gate affects that is not modelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Any,
    /// Those about pods with resource claims.
    Claims,
    /// Those in clusters with devices that provide resources of nodes.
    NodeAllocatable,
    /// Those in which scores choose between several nodes.
    Scores,
}

/// How setting a gate affects the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateEffect {
    /// A rule reads it.
    Modelled,
    /// The scheduler decides differently, and that is not modelled.
    NotModelled(Reach),
    /// Does not affect scheduling decisions.
    None,
}

/// How setting the gate `name` affects the answer of `version`.
pub fn effect(name: &str, version: SchedulerVersion) -> GateEffect {
    let mut rows = HISTORY.iter().filter(|row| row.gate == Some(name)).peekable();
    if rows.peek().is_some() {
        // Before a row begins, its gate may exist with a different meaning than later.
        let is_modelled = rows.any(|row| row.knows(version));
        let reach = if name == "DynamicResourceAllocation" { Reach::Claims } else { Reach::Any };
        if is_modelled { GateEffect::Modelled } else { GateEffect::NotModelled(reach) }
    } else if let Some((_, reach)) = DECIDES.iter().find(|(gate, _)| *gate == name) {
        GateEffect::NotModelled(*reach)
    } else if name.starts_with("DRA") {
        GateEffect::NotModelled(Reach::Claims)
    } else {
        GateEffect::None
    }
}

#[cfg(test)]
mod tests;
