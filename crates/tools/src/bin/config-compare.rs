//! Compares a recording that comes in with what the crate `profile` says, and shows what differs.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a tool for developers")]

#[path = "../../../profile/tests/compare/mod.rs"]
mod compare;

use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("a recording");
    let compared = compare::compare(text.lines());
    for difference in &compared.differences {
        println!("{difference}");
    }
    let compare::Compared { configurations, accepted, left_out, differences } = compared;
    println!(
        "{configurations} configurations, {accepted} accepted, {left_out} left out: {} differences",
        differences.len()
    );
    std::process::exit(i32::from(!differences.is_empty()));
}
