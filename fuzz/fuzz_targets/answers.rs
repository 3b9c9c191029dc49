//! Whatever an API server answers is read and decided, or refused.
//!
//! `just fuzz 300 answers` runs this for five minutes, from the seeds in
//! tests/laws/hostile/answers.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/laws/hostile/answers.rs"]
mod answers;
#[path = "../../tests/laws/hostile/inputs.rs"]
mod inputs;

fuzz_target!(|bytes: &[u8]| {
    answers::check(bytes);
});
