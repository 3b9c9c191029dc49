use super::*;
use crate::{SchedulerVersion, VersionSource};

fn started(version: &str, flags: &[(&str, &str)]) -> Profile {
    let version = SchedulerVersion::parse(version).expect("a version");
    let mut profile = Profile::new(version, VersionSource::Server);
    let flags = flags.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    apply(&flags, "kube-system/s", &mut profile);
    profile
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let profile = started("1.37", &[("config", "/etc/s.yaml"), ("feature-gates", "A=true")]);
    let [remark] = profile.remarks.as_slice() else { panic!("{:?}", profile.remarks) };
    assert!(remark.decides && remark.text.contains("--config=/etc/s.yaml"), "{remark:?}");
    assert!(started("1.37", &[]).remarks.is_empty());
    // These flags are gone; a scheduler that has them does not start.
    assert!(
        started("1.37", &[("policy-config-file", "/p"), ("algorithm-provider", "X")])
            .remarks
            .is_empty()
    );
}

#[test]
fn flags_of_old_schedulers_decide_without_a_configuration() {
    let flags = [
        ("scheduler-name", "mine"),
        ("hard-pod-affinity-symmetric-weight", "7"),
        ("algorithm-provider", "ClusterAutoscalerProvider"),
    ];
    for (version, most) in
        [("1.16", "MostRequestedPriority"), ("1.21", "NodeResourcesMostAllocated")]
    {
        let profile = started(version, &flags);
        assert_eq!(
            (profile.scheduler_name.as_str(), profile.args.hard_pod_affinity_weight),
            ("mine", 7)
        );
        assert!(
            profile.plugins.score.iter().any(|(name, _)| *name == most),
            "{version} {:?}",
            profile.plugins.score
        );
    }
    assert_eq!(started("1.22", &flags).scheduler_name, "default-scheduler");
    let with_file = started("1.16", &[("scheduler-name", "mine"), ("config", "/c")]);
    assert_eq!(
        (with_file.scheduler_name.as_str(), with_file.remarks.len()),
        ("default-scheduler", 1)
    );
    let policy = started("1.20", &[("policy-config-file", "/p")]);
    assert!(policy.remarks[0].text.contains("--policy-config-file=/p"), "{:?}", policy.remarks);
    assert!(started("1.20", &[("algorithm-provider", "X")]).remarks[0].decides);
}
