//! Whatever an API server writes in protobuf is read and decided, or refused, in whichever pieces
//! it arrives.
//!
//! `just fuzz 300 pages` runs this for five minutes, from the seeds in tests/laws/hostile/pages.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/laws/hostile/inputs.rs"]
mod inputs;
#[path = "../../tests/laws/hostile/pages.rs"]
mod pages;

fuzz_target!(|bytes: &[u8]| {
    pages::check(bytes);
});
