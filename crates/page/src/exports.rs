//! How WebAssembly and the script of the page call each other.
//!
//! The script asks for a buffer (`reserve`), writes a question into it and calls `ask`; the answer
//! stands at the address that it returns, `answer_length` bytes long, until the next question.

#![expect(unsafe_code, reason = "functions of another language are called by names")]

use std::cell::RefCell;
use std::io;

use crate::host::Host;
use crate::session::PageSession;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Copies bytes of a file to an address; returns how many there were, or -1.
    #[link_name = "read"]
    fn page_read(file: u32, offset: f64, address: *mut u8, length: usize) -> i32;
    /// Receives the progress of reading a file.
    #[link_name = "progress"]
    safe fn page_progress(file: u32, read: f64);
}

/// What the page keeps between two calls.
#[derive(Default)]
struct Page {
    session: PageSession,
    question: Vec<u8>,
    answer: String,
}

thread_local! {
    static PAGE: RefCell<Page> = RefCell::default();
}

/// The files of the worker in which this runs.
struct Worker;

impl Host for Worker {
    #[expect(clippy::cast_precision_loss, reason = "the size of every file is exact as a float")]
    fn read(&self, file: u32, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        // SAFETY: the script writes `buffer.len()` bytes at most, from the buffer's address on.
        let read = unsafe { page_read(file, offset as f64, buffer.as_mut_ptr(), buffer.len()) };
        usize::try_from(read)
            .map_err(|_| io::Error::other("the browser cannot read it (was it changed meanwhile?)"))
    }

    #[expect(clippy::cast_precision_loss, reason = "the size of every file is exact as a float")]
    fn progress(&self, file: u32, read: u64) {
        page_progress(file, read as f64);
    }
}

/// The address of a buffer for a question of `length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> *mut u8 {
    PAGE.with_borrow_mut(|page| {
        page.question.clear();
        page.question.resize(length, 0);
        page.question.as_mut_ptr()
    })
}

/// Answers the question in the buffer. Returns the address of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> *const u8 {
    PAGE.with_borrow_mut(|page| {
        let question = String::from_utf8_lossy(&page.question);
        page.answer = page.session.ask(&question, &Worker);
        page.answer.as_ptr()
    })
}

/// How many bytes the answer has.
#[unsafe(no_mangle)]
pub extern "C" fn answer_length() -> usize {
    PAGE.with_borrow(|page| page.answer.len())
}
