//! A file that anybody may have sent is read and decided, or refused.
//!
//! `just fuzz 300 inputs` runs this for five minutes, from the seeds in tests/laws/hostile/inputs.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/laws/hostile/inputs.rs"]
mod inputs;

fuzz_target!(|bytes: &[u8]| {
    inputs::check(bytes);
});
