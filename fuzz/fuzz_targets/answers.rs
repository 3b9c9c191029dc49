//! Whatever an API server answers is read and decided, or refused.
//!
//! `just fuzz 300 answers` runs this for five minutes, from the seeds in tests/hostile/answers.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/hostile/answers.rs"]
mod answers;
#[path = "../../tests/hostile/inputs.rs"]
mod inputs;

fuzz_target!(|bytes: &[u8]| {
    answers::check(bytes);
});
