//! Actions that must happen despite a panic.
//!
//! The released program is built with `panic = "abort"`: the tables and the code for unwinding are
//! a fifth of its size. Then a panic runs no destructor and no other thread notices it, so these
//! actions are in the panic hook, for every build alike.

use std::panic;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use tokio::sync::Notify;

/// The exit code of a panic, the same as that of Rust's runtime.
const EXIT_CODE: i32 = 101;

/// The thread that waits for another one in [`unless_panicked`].
static WAITING: Mutex<Option<ThreadId>> = Mutex::new(None);

/// Notifies that thread.
static PANICKED: Notify = Notify::const_new();

/// What tells of changes of the cluster if the process panics, and returns its exit code.
type LastWords = Box<dyn Fn() -> u8 + Send>;

static LAST_WORDS: Mutex<Option<LastWords>> = Mutex::new(None);

/// Sets what is to be told if the process panics from now on; `None`: nothing.
pub(crate) fn set_last_words(words: Option<LastWords>) {
    *LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner) = words;
}

/// Tells of changes of the cluster, once, and returns the exit code of the process.
fn say_last_words() -> i32 {
    // Where they are just being set, or panic themselves, nothing waits for them.
    let words = LAST_WORDS.try_lock().ok().and_then(|mut words| words.take());
    words.map_or(EXIT_CODE, |words| words().into())
}

/// Installs the hook: a panic prints its message and ends the process, unless a thread is waiting
/// that still has to report its changes of the cluster.
pub fn install() {
    let print_message = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        print_message(info);
        let waiting = *waiting();
        if waiting.is_none_or(|waiting| waiting == thread::current().id()) {
            std::process::exit(say_last_words());
        }
        PANICKED.notify_one();
        // Returning would abort the process before the report is written. The waiting thread ends
        // it.
        loop {
            thread::park();
        }
    }));
}

/// The output of `work`, which another thread computes, or `None` after any other thread has
/// panicked.
pub(crate) async fn unless_panicked<T>(work: impl Future<Output = T>) -> Option<T> {
    /// Unregisters the waiting thread, also when the future is dropped because of a signal.
    struct Forget;
    impl Drop for Forget {
        fn drop(&mut self) {
            *waiting() = None;
        }
    }

    *waiting() = Some(thread::current().id());
    let _forget = Forget;
    tokio::select! {
        output = work => Some(output),
        () = PANICKED.notified() => None,
    }
}

fn waiting() -> MutexGuard<'static, Option<ThreadId>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::process::{Command, Output};
    use std::sync::mpsc;
    use std::thread;

    use super::{EXIT_CODE, install, set_last_words, unless_panicked};
    use crate::api::runtime;

    /// Runs `test` of this module in a separate process, because a hook applies to a whole process.
    fn in_a_process(test: &str) -> Output {
        let name = format!("crash::tests::{test}");
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", &name, "--ignored", "--nocapture"]).output().unwrap()
    }

    #[test]
    fn panic_while_a_thread_waits_lets_it_write_its_report() {
        let ended = in_a_process("child_waits_for_a_thread_that_panics");
        let (out, err) =
            (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
        assert!(out.contains("the report") && err.contains("in the planner"), "{out}{err}");
        assert_eq!(ended.status.code(), Some(4), "{out}{err}");
    }

    #[test]
    fn panic_without_waiting_thread_ends_the_process() {
        let ended = in_a_process("child_panics_on_a_thread_of_its_own");
        assert_eq!(ended.status.code(), Some(EXIT_CODE));
        assert!(String::from_utf8_lossy(&ended.stderr).contains("on its own"));
    }

    #[test]
    #[ignore = "ends the process: another test starts it"]
    fn child_waits_for_a_thread_that_panics() {
        install();
        let (sender, answer) = tokio::sync::oneshot::channel::<()>();
        thread::spawn(move || {
            // What the thread owns is not dropped, as in a build that aborts.
            let _sender = sender;
            panic!("in the planner");
        });
        let answer = runtime::start("test").unwrap().block_on(unless_panicked(answer));
        assert!(answer.is_none());
        println!("the report");
        std::process::exit(4);
    }

    #[test]
    fn panic_after_a_change_tells_of_it_and_has_its_exit_code() {
        let ended = in_a_process("child_panics_after_a_change");
        assert_eq!(ended.status.code(), Some(4));
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(said.matches("low-a was evicted").count(), 1, "{said}");
    }

    #[test]
    #[ignore = "ends the process: another test starts it"]
    fn child_panics_after_a_change() {
        install();
        set_last_words(Some(Box::new(|| {
            eprintln!("low-a was evicted");
            4
        })));
        panic!("after it");
    }

    #[test]
    #[ignore = "ends the process: another test starts it"]
    fn child_panics_on_a_thread_of_its_own() {
        install();
        let (_sender, never) = mpsc::channel::<()>();
        thread::spawn(|| panic!("on its own"));
        let _ = never.recv();
    }
}
