use super::enough;
use profile::{Profile, SchedulerVersion, VersionSource};

fn profile(version: &str, percent: Option<i64>) -> Profile {
    let version = SchedulerVersion::parse(version).expect("a version");
    Profile { percentage_of_nodes_to_score: percent, ..Profile::new(version, VersionSource::Flag) }
}

#[test]
fn percentage_and_cluster_size_decide_nodes_to_find() {
    for (version, percent, nodes, want) in [
        ("1.37", None, 0, 0),
        ("1.37", None, 99, 99),
        ("1.37", Some(1), 99, 99),
        ("1.37", None, 100, 100),
        ("1.37", Some(10), 120, 100),
        ("1.37", None, 250, 120),
        ("1.37", Some(0), 250, 120),
        ("1.37", Some(30), 1000, 300),
        ("1.37", Some(100), 1000, 1000),
        ("1.37", None, 5000, 500),
        ("1.37", None, 6000, 300),
        ("1.14", None, 250, 120),
        ("1.13", None, 250, 125),
        ("1.13", Some(0), 5000, 2500),
        ("1.12", Some(30), 1000, 300),
        ("1.12", None, 99, 99),
    ] {
        assert_eq!(
            enough(&profile(version, percent), nodes),
            want,
            "{version} {percent:?} {nodes}"
        );
    }
}

#[test]
fn without_scores_the_first_will_do() {
    for (version, nodes, want) in
        [("1.29", 7, 7), ("1.30", 7, 1), ("1.37", 5000, 1), ("1.37", 0, 0)]
    {
        let mut profile = profile(version, None);
        profile.plugins.score.clear();
        assert_eq!(enough(&profile, nodes), want, "{version} {nodes}");
    }
}
