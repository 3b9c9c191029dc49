//! The page for browsers: its script's questions to the engine, and the answers.
//!
//! [`PageSession`] is one page with the files that were dropped on it. It reads and decides exactly as
//! the plugin does ([`files`], [`answers`]); only where bytes come from ([`Host`]) and where answers
//! go differs. Questions and answers are JSON, so that the script needs no other glue; `exports` has
//! the few functions by which WebAssembly and the script call each other.

#[cfg(target_arch = "wasm32")]
mod exports;
mod host;
mod other;
mod question;
mod session;

pub use host::Host;
pub use question::{
    DroppedFile, OtherQuestion, PageAnswer, PageOptions, PageQuestion, PodRow, ReadKind,
};
pub use session::PageSession;
