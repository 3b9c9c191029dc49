//! What is written beside the program: documents, help, completion, permissions, the rulebook.

mod completion;
mod deploy;
pub mod documents;
mod installers;
mod man;
mod rbac;
mod rules;
mod words;
