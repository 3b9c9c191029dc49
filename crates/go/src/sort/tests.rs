use std::cell::{Cell, RefCell};

use proptest::prelude::*;

use super::sort_slice;

/// The position in the input of each item of the result, for `n` items with those keys.
fn order(n: usize, key: impl Fn(usize, usize) -> usize) -> Vec<usize> {
    let mut items: Vec<usize> = (0..n).collect();
    sort_slice(&mut items, |a, b| key(*a, n) < key(*b, n));
    items
}

fn digest(order: &[usize]) -> u64 {
    order.iter().fold(0, |d: u64, at| d.wrapping_mul(1_000_003).wrapping_add(*at as u64 + 1))
}

type Key = fn(usize, usize) -> usize;
const ASCENDING: Key = |i, _| i / 4;
const DESCENDING: Key = |i, n| (n - i) / 3;
const SAWTOOTH: Key = |i, _| i % 5;
const ORGAN_PIPE: Key = |i, n| if i < n / 2 { i / 2 } else { (n - i) / 2 };
const SCATTERED: Key = |i, _| i * 7919 % 31 % 4;
const ALMOST_SORTED: Key = |i, _| if i % 17 == 16 { i - 3 } else { i };

proptest! {
    #[test]
    fn distinct_keys_leave_no_choice(keys in prop::collection::hash_set(any::<u16>(), 0..300)) {
        let keys: Vec<u16> = keys.into_iter().collect();
        let (mut ours, mut stable) = (keys.clone(), keys);
        sort_slice(&mut ours, |a, b| a < b);
        stable.sort_unstable();
        prop_assert_eq!(ours, stable);
    }

    #[test]
    fn ties_end_up_together_and_nothing_is_lost(keys in prop::collection::vec(0u8..6, 0..300)) {
        let mut items: Vec<(u8, usize)> = keys.iter().copied().enumerate().map(|(i, k)| (k, i)).collect();
        sort_slice(&mut items, |a, b| a.0 < b.0);
        prop_assert!(items.is_sorted_by_key(|(key, _)| *key));
        items.sort_unstable_by_key(|(_, at)| *at);
        prop_assert_eq!(items.iter().map(|(key, _)| *key).collect::<Vec<_>>(), keys);
    }

    #[test]
    fn up_to_twelve_items_ties_keep_their_order(keys in prop::collection::vec(0u8..3, 0..=12)) {
        let mut items: Vec<(u8, usize)> = keys.iter().copied().enumerate().map(|(i, k)| (k, i)).collect();
        let mut stable = items.clone();
        sort_slice(&mut items, |a, b| a.0 < b.0);
        stable.sort_by_key(|(key, _)| *key);
        prop_assert_eq!(items, stable);
    }
}

/// Orders in which Go 1.26's `sort.Slice` leaves the items.
#[test]
fn thirteen_and_more_items_with_ties_end_up_as_in_go() {
    let recorded: &[(usize, Key, &[usize])] = &[
        (13, |_, _| 0, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        (13, DESCENDING, &[12, 11, 8, 10, 9, 6, 7, 5, 4, 3, 2, 0, 1]),
        (13, SAWTOOTH, &[10, 0, 5, 1, 6, 11, 2, 12, 7, 3, 8, 9, 4]),
        (13, ORGAN_PIPE, &[0, 1, 12, 2, 3, 11, 10, 9, 8, 5, 4, 7, 6]),
        (13, SCATTERED, &[2, 10, 5, 0, 7, 12, 4, 9, 6, 11, 1, 8, 3]),
        (20, DESCENDING, &[19, 18, 17, 16, 15, 12, 14, 13, 10, 9, 11, 8, 7, 6, 5, 4, 3, 0, 2, 1]),
        (20, SAWTOOTH, &[10, 5, 15, 0, 1, 16, 6, 11, 7, 12, 17, 2, 18, 8, 3, 13, 9, 14, 4, 19]),
        (20, ORGAN_PIPE, &[0, 1, 19, 2, 3, 18, 17, 15, 16, 5, 4, 13, 14, 7, 6, 8, 9, 11, 12, 10]),
        (20, SCATTERED, &[10, 2, 18, 5, 15, 0, 12, 4, 17, 7, 1, 11, 14, 9, 6, 19, 8, 13, 16, 3]),
        (
            20,
            ALMOST_SORTED,
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 14, 15, 17, 18, 19],
        ),
    ];
    for (n, key, want) in recorded {
        assert_eq!(order(*n, key), *want, "{n} items");
    }
}

/// Digests of orders that Go 1.26's `sort.Slice` leaves, by number of items: ascending, descending,
/// sawtooth, organ pipe, scattered, almost sorted.
const DIGESTS: [(usize, [u64; 6]); 6] = [
    (
        49,
        [
            0x04b0_6c9e_1dd3_b0d9,
            0xddcb_c3cb_446a_8f31,
            0x41c7_66ad_a461_71e3,
            0xa1a4_72aa_c46d_2cb3,
            0xb4bf_fccc_5aa7_fb7b,
            0x19c3_3c7e_3aaa_c341,
        ],
    ),
    (
        50,
        [
            0x1370_f079_beb6_3afd,
            0x46ee_0ef0_1408_686b,
            0xa3d5_4588_d12a_549b,
            0xc4bc_3efe_1117_c2f7,
            0xfe14_b49f_d715_9987,
            0x9f16_d02a_d1d6_dc35,
        ],
    ),
    (
        64,
        [
            0xe6a1_0f85_491b_b5a0,
            0xb408_9627_1624_a712,
            0xd7dc_e385_9cf9_cfb4,
            0x743d_d4f0_43c5_3970,
            0x91a4_3843_62d7_ae0a,
            0x9c25_4c6e_168b_3bb4,
        ],
    ),
    (
        200,
        [
            0x5675_f7a7_ae77_2114,
            0xd221_735b_29f3_f2a2,
            0x5e88_fef4_d73f_0d2a,
            0xf906_00e2_e6f8_3688,
            0xe864_9d8d_e89c_43ae,
            0x5e58_b3cd_4e13_0536,
        ],
    ),
    (
        1000,
        [
            0xbaa2_f29c_4bd4_9364,
            0xe40a_9f46_41d5_aec0,
            0x075d_d4e6_e858_0162,
            0x5607_5792_b448_11be,
            0x3b80_ad6a_5eac_e6ee,
            0x8af1_e55e_bb7d_5ede,
        ],
    ),
    (
        5000,
        [
            0x10cf_40a9_41c4_1ef4,
            0x086f_2f18_d1d3_50ec,
            0x8760_cf83_2307_dfba,
            0x086b_343d_0b59_982e,
            0xb27b_16d6_5aa4_e82e,
            0xfdb9_2278_bde7_06be,
        ],
    ),
];

#[test]
fn long_inputs_with_ties_end_up_as_in_go() {
    let keys = [ASCENDING, DESCENDING, SAWTOOTH, ORGAN_PIPE, SCATTERED, ALMOST_SORTED];
    for (n, want) in DIGESTS {
        assert_eq!(keys.map(|key| digest(&order(n, key))), want, "{n} items");
    }
}

// An adversary that determines the order only when items are compared (M. D. McIlroy, A Killer
// Adversary for Quicksort) makes every pivot a bad one, so items are scattered and heap sort
// finishes; the number of comparisons equals Go 1.26's, too.
#[test]
fn bad_pivots_are_met_as_in_go() {
    for (n, comparisons, want) in [
        (100, 941, 0x4fb9_2b71_0d0e_1770),
        (1000, 7202, 0x8ebd_7a2d_3a2d_a91e),
        (5000, 35280, 0x0b5a_e349_ebae_5dee),
    ] {
        let (values, solid, candidate, count) =
            (RefCell::new(vec![n; n]), Cell::new(0), Cell::new(0), Cell::new(0));
        let mut items: Vec<usize> = (0..n).collect();
        sort_slice(&mut items, |x, y| {
            count.set(count.get() + 1);
            let mut values = values.borrow_mut();
            if values[*x] == n && values[*y] == n {
                values[if *x == candidate.get() { *x } else { *y }] = solid.get();
                solid.set(solid.get() + 1);
            }
            if values[*x] == n {
                candidate.set(*x);
            } else if values[*y] == n {
                candidate.set(*y);
            }
            values[*x] < values[*y]
        });
        assert_eq!((count.get(), digest(&items)), (comparisons, want), "{n} items");
    }
}
