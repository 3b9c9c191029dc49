//! Room for expressions that are nested more deeply than the stack of a thread allows.

use std::thread;

/// Bytes of stack. The deepest expression that upstream admits takes a few of them.
const STACK: usize = 128 << 20;

/// Runs a function on a large stack; nothing where there are no threads.
pub(crate) fn on_large_stack<T: Send>(run: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).ok()?;
        thread.join().ok()
    })
}
