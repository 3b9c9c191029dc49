use super::{EvictionCounts, VictimChoices};
use model::cluster::PodIx;

fn choices(classes: &[&[u32]], alternatives: &[&[usize]]) -> VictimChoices {
    VictimChoices::new(
        classes.iter().map(|pods| pods.iter().copied().map(PodIx).collect()).collect(),
        alternatives
            .iter()
            .map(|evicted| EvictionCounts {
                violating: vec![0; evicted.len()],
                others: evicted.to_vec(),
            })
            .collect(),
        true,
    )
}

fn numbers(pods: &[PodIx]) -> Vec<u32> {
    pods.iter().map(|pod| pod.0).collect()
}

#[test]
fn victim_choices_of_several_alternatives_have_counts_and_sets() {
    // One of 1, 2, 3 and 4 besides; or two of 1, 2, 3; 5 always; 6 never.
    let found = choices(&[&[1, 2, 3], &[4], &[5], &[6]], &[&[1, 1, 1, 0], &[2, 0, 1, 0]]);
    assert_eq!(
        (found.count().fewest, found.count().most, numbers(&found.always())),
        (3, 3, vec![5])
    );
    assert_eq!(numbers(&found.open()), [1, 2, 3, 4]);
    let sets: Vec<Vec<u32>> = found.sets(6).unwrap().iter().map(|set| numbers(set)).collect();
    assert_eq!(sets, [[1, 4, 5], [2, 4, 5], [3, 4, 5], [1, 2, 5], [1, 3, 5], [2, 3, 5]]);
    assert_eq!(found.sets(5), None, "too many");
}

#[test]
fn huge_numbers_of_sets_are_not_listed() {
    let pods: Vec<u32> = (0..200).collect();
    let found = choices(&[&pods], &[&[100]]);
    assert_eq!(found.sets(1000), None);
    assert_eq!((found.count().fewest, found.count().most, found.open().len()), (100, 100, 200));
}

#[test]
fn a_single_set_is_settled() {
    assert!(choices(&[&[1, 2], &[3]], &[&[2, 0]]).is_settled());
    assert!(!choices(&[&[1, 2], &[3]], &[&[1, 0]]).is_settled());
    let open = VictimChoices { complete: false, ..choices(&[&[1]], &[&[1]]) };
    assert!(!open.is_settled(), "there may be others");
}
