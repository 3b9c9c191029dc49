use super::*;
use crate::profile::{SchedulerVersion, VersionSource};

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
    assert!(started("1.37", &[("policy-config-file", "/p"), ("algorithm-provider", "X")]).remarks.is_empty());
}
