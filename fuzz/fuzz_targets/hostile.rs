//! Whatever stands in a cluster, nothing that a terminal would act on is printed.
//!
//! `just fuzz 300` runs this for five minutes, from the seeds in tests/hostile/corpus.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/hostile/outputs.rs"]
mod outputs;

fuzz_target!(|bytes: &[u8]| {
    outputs::check(&outputs::texts(bytes));
});
