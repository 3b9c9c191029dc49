use super::*;

#[test]
fn the_largest_score_becomes_100() {
    for (raw, plain, reversed) in [
        (vec![0, 1, 3], vec![0, 33, 100], vec![100, 67, 0]),
        (vec![0, 0], vec![0, 0], vec![100, 100]),
        (vec![7], vec![100], vec![0]),
        (vec![], vec![], vec![]),
    ] {
        assert_eq!(normalize_by_max(&raw, 100, false), plain, "{raw:?}");
        assert_eq!(normalize_by_max(&raw, 100, true), reversed, "{raw:?} reversed");
    }
}

#[test]
fn a_score_out_of_range_ends_the_cycle() {
    let scores = |normalized: Vec<i64>| PluginScores { plugin: "P", weight: 1, raw: normalized.clone(), normalized };
    assert_eq!(scores(vec![0, 100]).check_range(), Ok(()));
    let error = scores(vec![3, 101]).check_range().expect_err("above the range");
    assert!(error.contains("plugin \"P\" returns an invalid score 101"), "{error}");
    assert!(scores(vec![-1]).check_range().is_err());
}
