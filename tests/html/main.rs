//! `-o html` in a real browser, headless Chromium: what it shows, what one can do in it, and that
//! it sends no request. Where there is no browser, one line says so;
//! `KUBECTL_PREEMPT_BROWSER` names one, or `off`, or `required`, with which a missing one fails.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::allow_attributes,
    missing_docs,
    reason = "tests may"
)]

#[cfg(unix)]
mod browser;
#[cfg(unix)]
mod checks;
#[cfg(unix)]
mod pages;

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    let wish = std::env::var("KUBECTL_PREEMPT_BROWSER").unwrap_or_default();
    let names: &[&str] = match wish.as_str() {
        "off" => &[],
        "" | "required" => &["chromium", "chromium-browser", "google-chrome"],
        name => &[name],
    };
    let Some(program) = names.iter().find(|name| browser::answers(name)) else {
        println!(
            "html: skipped: no browser (apt-get install chromium, or KUBECTL_PREEMPT_BROWSER=/path/to/chrome)"
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
    libtest_mimic::run(&arguments, checks::all(program)).exit_code()
}

/// The browser is spoken to through pipes that a shell sets up.
#[cfg(not(unix))]
fn main() -> ExitCode {
    println!("html: skipped: needs Unix");
    ExitCode::SUCCESS
}
