//! Random clusters: situations in which the scheduler's decision and ours are compared, and plans
//! that are carried out while the cluster changes. A seed always gives the same cluster and the
//! same changes.

mod changes;
pub mod cluster;
pub mod situations;
pub mod watched;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The first seed, unless `KUBECTL_PREEMPT_E2E_SEED` says otherwise.
const SEED: u64 = 1;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

/// Runs `one` with one seed after the other, `usual` times unless `KUBECTL_PREEMPT_E2E_RANDOM` says
/// otherwise. It says what happened in one line, and panics if that is wrong; the other seeds run
/// in any case. Returns how often what happened, and the number of seeds.
pub fn many(
    what: &str,
    usual: u64,
    mut one: impl FnMut(u64) -> Vec<String>,
) -> (BTreeMap<String, u64>, u64) {
    let (count, first) =
        (number("KUBECTL_PREEMPT_E2E_RANDOM", usual), number("KUBECTL_PREEMPT_E2E_SEED", SEED));
    let mut outcomes = BTreeMap::<String, u64>::new();
    let mut wrong = Vec::new();
    for seed in first..first + count {
        if let Ok(lines) = catch_unwind(AssertUnwindSafe(|| one(seed))) {
            lines.into_iter().for_each(|line| *outcomes.entry(line).or_default() += 1);
        } else {
            println!("e2e: {what}: seed {seed} is wrong");
            wrong.push(seed);
        }
    }
    println!("e2e: {what}: {count} from seed {first}, {} wrong", wrong.len());
    for (outcome, times) in &outcomes {
        println!("e2e:   {times:5}  {outcome}");
    }
    assert!(wrong.is_empty(), "{what}: seeds {wrong:?}");
    (outcomes, count)
}
