use super::{FIRST, GateEffect, GateStage, LAST, Reach, TABLE, effect, known, read};
use crate::history::HISTORY;
use crate::{Profile, SchedulerVersion, VersionSource};

const COLUMNS: usize = (LAST - FIRST + 1) as usize;

fn version(text: &str) -> SchedulerVersion {
    SchedulerVersion::parse(text).expect("a version")
}

fn set(at: &str, flags: &[&str]) -> Result<Vec<String>, String> {
    let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
    read(&flags, version(at))
        .map(|set| set.iter().map(|(name, on)| format!("{name}={on}")).collect())
}

#[test]
fn the_history_has_the_defaults_of_the_gates() {
    for minor in FIRST..=LAST {
        let at = SchedulerVersion::new(minor, u16::MAX);
        let known = known(at);
        for (row, gate) in HISTORY.iter().filter_map(|row| Some((row, known.get(row.gate?)?))) {
            assert_eq!(row.at(at), Some(gate.default), "{} in 1.{minor}", gate.name);
        }
    }
    for gate in HISTORY.iter().filter_map(|row| row.gate) {
        let exists =
            (FIRST..=LAST).any(|minor| known(SchedulerVersion::new(minor, 0)).contains_key(gate));
        assert!(exists, "{gate} is no gate");
    }
}

#[test]
fn the_table_is_whole() {
    let rows: Vec<&str> = TABLE.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(
        rows[0],
        format!("gate {}", (FIRST..=LAST).map(|m| m.to_string()).collect::<Vec<_>>().join(" "))
    );
    assert!(rows[1..].is_sorted());
    for row in &rows[1..] {
        let cells: Vec<&str> = row.split(' ').skip(1).take(COLUMNS).collect();
        let plain = |cell: &&str| {
            *cell == "."
                || matches!(
                    cell.trim_end_matches('!'),
                    "a-" | "b-" | "b+" | "g-" | "g+" | "d-" | "d+" | "a+"
                )
        };
        assert!(cells.len() == COLUMNS && cells.iter().all(plain), "{row}");
        assert!(cells.iter().any(|cell| *cell != "."), "{row}");
    }
    // As many as the binaries of 1.33.13 to 1.38.0-beta.0 have, AllAlpha and AllBeta apart.
    let counts: Vec<usize> =
        (33..=38).map(|minor| known(SchedulerVersion::new(minor, 0)).len()).collect();
    assert_eq!(counts, [189, 206, 216, 239, 251, 240]);
    let gate = known(version("1.37")).get("DRAExtendedResource").expect("a gate");
    assert_eq!((gate.stage, gate.default, gate.locked), (GateStage::Stable, true, true));
}

#[test]
fn given_gates_set_only_those_that_differ_from_the_defaults() {
    for (at, flags, want) in [
        ("1.37", &[][..], ""),
        (
            "1.37",
            &["TaintTolerationComparisonOperators=true"],
            "TaintTolerationComparisonOperators=true",
        ),
        ("1.36", &["NodeDeclaredFeatures=true"], ""),
        (
            "1.33",
            &["PodLevelResources=true, AllAlpha=false", "DRAAdminAccess=T,"],
            "DRAAdminAccess=true PodLevelResources=true",
        ),
        ("1.37", &["kube:VolumeLimitScaling=0"], "VolumeLimitScaling=false"),
        ("1.37", &["VolumeLimitScaling=false", "VolumeLimitScaling=true"], ""),
        ("1.34", &["PodLevelResources=true"], ""),
        ("1.33", &["DynamicResourceAllocation=false"], "DynamicResourceAllocation=false"),
        (
            "1.36",
            &["GenericWorkload=true,GangScheduling=true"],
            "GangScheduling=true GenericWorkload=true",
        ),
    ] {
        assert_eq!(set(at, flags).map(|set| set.join(" ")).as_deref(), Ok(want), "{at} {flags:?}");
    }
}

#[test]
fn gate_stages_are_set_together() {
    let alpha = set("1.33", &["AllAlpha=true"]).expect("possible before dependencies were checked");
    assert!(alpha.contains(&"HPAScaleToZero=true".to_owned()) && alpha.len() > 30, "{alpha:?}");
    assert!(alpha.iter().all(|gate| gate.ends_with("=true")), "{alpha:?}");
    let but_one = set("1.33", &["HPAScaleToZero=false,AllAlpha=true"]).expect("possible");
    assert_eq!(but_one.len(), alpha.len() - 1);
    let no_beta = set("1.33", &["AllBeta=false"]).expect("possible");
    assert!(no_beta.contains(&"InPlacePodVerticalScaling=false".to_owned()), "{no_beta:?}");
    assert!(!no_beta.contains(&"PodLevelResources=false".to_owned()), "alpha in 1.33: {no_beta:?}");
}

#[test]
fn unknown_and_locked_gates_are_rejected_with_upstream_text() {
    for (at, flag, want) in [
        ("1.37", "GangScheduling=true", "unrecognized feature gate: GangScheduling"),
        (
            "1.38",
            "DynamicResourceAllocation=true",
            "unrecognized feature gate: DynamicResourceAllocation",
        ),
        (
            "1.38",
            "DRADeviceTaints=false",
            "cannot set feature gate DRADeviceTaints to false, feature is locked to true",
        ),
        ("1.34", "NodeDeclaredFeatures=true", "unrecognized feature gate: NodeDeclaredFeatures"),
        (
            "1.37",
            "NodeDeclaredFeatures=false",
            "cannot set feature gate NodeDeclaredFeatures to false, feature is locked to true",
        ),
        ("1.37", "PodLevelResources", "missing bool value for PodLevelResources"),
        (
            "1.37",
            "PodLevelResources=yes",
            "invalid value of PodLevelResources=yes, err: strconv.ParseBool: parsing \"yes\": invalid syntax",
        ),
        (
            "1.36",
            "GangScheduling=true",
            "GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]",
        ),
    ] {
        assert_eq!(set(at, &[flag]), Err(want.to_owned()), "{at} {flag}");
    }
}

#[test]
fn a_gate_decides_its_feature() {
    let profile = |at: &str, flags: &[&str]| {
        let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
        Profile::new(version(at), VersionSource::Flag).with_gates(&flags).expect("gates").features
    };
    assert!(
        profile("1.35", &["TaintTolerationComparisonOperators=true"])
            .tolerations
            .toleration_comparison
    );
    assert!(
        !profile(
            "1.36",
            &["PodLevelResources=false,InPlacePodLevelResourcesVerticalScaling=false,PodLevelResourceManagers=false"]
        )
        .requests
        .pod_level_resources
    );
    assert_eq!(profile("1.36", &[]), Profile::new(version("1.36"), VersionSource::Flag).features);
}

#[test]
fn effect_of_gate_depends_on_the_release() {
    let newest = SchedulerVersion::NEWEST;
    let alpha = SchedulerVersion::new(32, 0);
    assert_eq!(effect("InPlacePodVerticalScaling", newest), GateEffect::Modelled);
    assert_eq!(
        effect("InPlacePodVerticalScaling", alpha),
        GateEffect::NotModelled(Reach::Any),
        "what it meant then is not known here"
    );
    assert_eq!(effect("PodLevelResources", newest), GateEffect::Modelled);
    assert_eq!(effect("GangScheduling", newest), GateEffect::Modelled);
    assert_eq!(
        effect("InPlacePodVerticalScalingSchedulerPreemption", newest),
        GateEffect::NotModelled(Reach::Any)
    );
    assert_eq!(effect("DRAListTypeAttributes", newest), GateEffect::Modelled);
    assert_eq!(effect("DRASchedulerFilterTimeout", newest), GateEffect::NotModelled(Reach::Claims));
    assert_eq!(effect("DynamicResourceAllocation", alpha), GateEffect::NotModelled(Reach::Claims));
    assert_eq!(effect("VolumeCapacityPriority", alpha), GateEffect::NotModelled(Reach::Scores));
    assert_eq!(effect("APIServerIdentity", newest), GateEffect::None);
    for name in super::DECIDES.iter().map(|(name, _)| name) {
        let exists =
            (FIRST..=LAST).any(|minor| known(SchedulerVersion::new(minor, 0)).contains_key(name));
        assert!(exists, "{name} is no gate");
    }
}
