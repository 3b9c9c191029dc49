//! The binary. Everything is in the library.

use std::process::ExitCode;

use kubectl_preempt::cli::{self, ending::Ending};
use kubectl_preempt::crash;

/// Objects are decoded on all threads and freed on one, which is slow with the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    crash::install();
    cli::main(std::env::args_os().collect(), Ending::Process).into()
}
