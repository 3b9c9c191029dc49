//! What the commands may do on a cluster and what they need for it: the one table of permissions
//! (`requirement`), what the server's decisions about them mean for each ability (`report`,
//! `availability`), the roles that are missing (`role`), what to do next (`advice`), and the report
//! as text and as JSON. Sends no requests: `api::inquiry` asks the server.

mod advice;
pub(crate) mod availability;
pub(crate) mod json;
pub(crate) mod report;
pub mod requirement;
pub mod role;
pub(crate) mod text;

#[cfg(test)]
mod tests;
