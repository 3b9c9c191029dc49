//! Compares a recording that comes in with what the crate `cel` says, and shows what differs.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a tool for developers")]

#[path = "../../../cel/tests/compare/mod.rs"]
mod compare;

use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("a recording");
    let compared = compare::compare(text.lines());
    for difference in &compared.differences {
        println!("{difference}");
    }
    if std::env::args().any(|arg| arg == "--unsupported") {
        compared.unsupported.iter().for_each(|unsupported| println!("{unsupported}"));
    }
    let compare::Compared { selectors, admitted, unsupported, syntax, left_out, differences } =
        compared;
    println!(
        "{selectors} selectors, {admitted} admitted, {} unsupported, {syntax} syntax errors, {left_out} left out: {} differences",
        unsupported.len(),
        differences.len()
    );
    std::process::exit(i32::from(!differences.is_empty()));
}
