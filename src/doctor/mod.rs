//! The permissions that the commands need and whether the user has them: the single table of
//! permissions (`requirement`), the effect of the server's decisions on each ability (`report`,
//! `availability`), the missing roles (`role`), the next actions (`advice`), and the report as text
//! and as JSON. Sends no requests: `api::inquiry` does.

mod advice;
pub(crate) mod availability;
pub(crate) mod json;
pub(crate) mod report;
pub mod requirement;
pub mod role;
pub(crate) mod text;

#[cfg(test)]
mod tests;
