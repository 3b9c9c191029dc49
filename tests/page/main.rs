//! The page for browsers, in headless Chromium: what it answers is what the program prints, byte for
//! byte; it sends no request; and it can be used by keyboard, on a phone, and with a screen
//! reader.
//!
//! `KUBECTL_PREEMPT_PAGE` names the page (`just page-test` builds it), `KUBECTL_PREEMPT_BROWSER` the
//! browser, or `off`, or `required`, with which a missing one fails. Without a page or a browser one
//! line says so.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::allow_attributes,
    missing_docs,
    dead_code,
    reason = "tests may; the browser has more than is needed here"
)]

#[cfg(unix)]
#[path = "../html/browser.rs"]
mod browser;
#[cfg(unix)]
mod checks;

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    let wish = std::env::var("KUBECTL_PREEMPT_BROWSER").unwrap_or_default();
    let Ok(page) = std::env::var("KUBECTL_PREEMPT_PAGE") else {
        println!("page: skipped: no page (just page-test builds one)");
        return ExitCode::SUCCESS;
    };
    let names: &[&str] = match wish.as_str() {
        "off" => &[],
        "" | "required" => &["chromium", "chromium-browser", "google-chrome"],
        name => &[name],
    };
    let Some(program) = names.iter().find(|name| browser::answers(name)) else {
        println!(
            "page: skipped: no browser (apt-get install chromium, or KUBECTL_PREEMPT_BROWSER=/path/to/chrome)"
        );
        return if ["", "off"].contains(&wish.as_str()) {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
    };
    let mut arguments = libtest_mimic::Arguments::from_args();
    // One browser is enough for a small machine.
    arguments.test_threads = Some(1);
    libtest_mimic::run(&arguments, checks::all(program, &page)).exit_code()
}

/// The browser is spoken to through pipes that a shell sets up.
#[cfg(not(unix))]
fn main() -> ExitCode {
    println!("page: skipped: needs Unix");
    ExitCode::SUCCESS
}
