//! Identifies the server and the authenticated user, and prints both as the first line of output.

use serde::Deserialize;

use crate::api::inquiry;
use crate::api::server_info::Identity;
use crate::apply::executor::{Executor, StepResult, StopReason};
use crate::apply::journal::{JournalEvent, User};
use crate::apply::server::pods::{self, ReadError};

/// The minor version that introduced evictions of `policy/v1`.
const POLICY_V1: u32 = 22;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Version {
    git_version: Option<String>,
    minor: String,
}

/// Requests, records and prints the identity.
pub(in crate::apply) async fn identify(executor: &mut Executor<'_>) -> StepResult<()> {
    let reader = &executor.session.reader;
    let version = match executor.clock.run(pods::get(reader, "/version")).await? {
        Ok(body) => serde_json::from_str::<Version>(&body.unwrap_or_default()).unwrap_or_default(),
        // Many servers deny this to some users. The next request shows whether the server responds.
        Err(ReadError::Denied(_)) => Version::default(),
        Err(ReadError::Temporary(text)) => return Err(StopReason::Unreadable(text)),
    };
    let user = match executor.clock.run(inquiry::who_am_i(reader)).await? {
        Identity::Known { user, uid, groups } => {
            Some(User { name: user, uid: Some(uid).filter(|uid| !uid.is_empty()), groups })
        }
        Identity::Unknown(_) => None,
    };
    let minor = version.minor.trim_end_matches('+').parse::<u32>();
    executor.session.beta_evictions = minor.is_ok_and(|minor| minor < POLICY_V1);
    executor.record(JournalEvent::Identified { version: version.git_version, user });
    print(executor);
    Ok(())
}

fn print(executor: &mut Executor<'_>) {
    let journal = executor.journal();
    let header = journal.header();
    let context =
        header.context.as_ref().map_or_else(String::new, |context| format!("context {context}, "));
    let version = journal.version().map_or_else(String::new, |version| format!(" ({version})"));
    let user = executor.user_name().unwrap_or_else(|| "unknown".to_owned());
    let line = format!("{context}server {}{version}, as user {user}", header.server);
    executor.say_always(&line);
}
