//! Runs deeply nested expressions on a stack larger than the thread's.

use std::thread;

/// Stack size in bytes; the deepest expression that upstream accepts needs a fraction of it.
const STACK: usize = 128 << 20;

/// Runs a function on a large stack; `None` where threads cannot be started.
pub(crate) fn on_large_stack<T: Send>(run: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).ok()?;
        thread.join().ok()
    })
}
