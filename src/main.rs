//! The binary. Everything is in the library.

use std::process::ExitCode;

/// Objects are decoded on all threads and freed on one, which the system's allocator is slow at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    kubectl_preempt::cli::main().into()
}
