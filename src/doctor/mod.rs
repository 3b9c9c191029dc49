//! What the commands may do on a cluster and what they need for it: the one table of permissions, what the server's answers
//! to it mean for each command, and the roles that are missing. Asking the server is the shell's part.

pub mod ability;
mod advice;
pub mod json;
pub mod permission;
pub mod report;
pub mod requirement;
pub mod role;
pub mod text;

#[cfg(test)]
mod tests;
