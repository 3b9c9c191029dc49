//! Whatever stands in a cluster, nothing that a terminal would act on is printed.
//!
//! `just fuzz 300` runs this for five minutes, from the seeds in tests/laws/hostile/corpus.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/laws/hostile/outputs.rs"]
mod outputs;

fuzz_target!(|bytes: &[u8]| {
    let texts = outputs::texts(bytes);
    outputs::check_decisions(&texts);
    outputs::check_plans(&texts);
});
