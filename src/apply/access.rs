//! Who the server takes the user for, and whether the user has the permissions that the plan needs.
//! [`requirement`] has the table of permissions; one `SelfSubjectAccessReview` is sent for each. (A
//! `SelfSubjectRulesReview` may be incomplete: its documentation says that it must not be used for
//! authorization decisions.)

use std::collections::BTreeSet;

use futures::StreamExt as _;
use k8s_openapi::apimachinery::pkg::version::Info;

use crate::api::client::Reader;
use crate::api::inquiry;
use crate::apply::executor::{Executor, StepResult, StopReason};
use crate::apply::journal::{JournalEvent, User};
use crate::apply::options::{ApplyOptions, Mode};
use crate::apply::server::pods::{self, ReadError};
use answers::doctor::access::{AccessDecision, Identity, Permission};
use answers::doctor::requirement::{self, Ability, Necessity};
use engine::simulation::plan::Plan;

/// The minor version that introduced evictions of `policy/v1`.
const POLICY_V1: u32 = 22;

/// Requests, records and prints the identity.
pub(in crate::apply) async fn identify(executor: &mut Executor<'_>) -> StepResult<()> {
    let reader = &executor.session.reader;
    let version = match executor.clock.run(pods::get(reader, "/version")).await? {
        Ok(body) => serde_json::from_str(&body.unwrap_or_default()).unwrap_or_default(),
        // Many servers deny this to some users. The next request shows whether the server responds.
        Err(ReadError::Denied(_)) => Info::default(),
        Err(ReadError::Temporary(text)) => return Err(StopReason::Unreadable(text)),
    };
    let user = match executor.clock.run(inquiry::who_am_i(reader)).await? {
        Identity::Known { user, uid, groups } => {
            Some(User { name: user, uid: Some(uid).filter(|uid| !uid.is_empty()), groups })
        }
        Identity::Unknown(_) => None,
    };
    // Some providers write `21+`.
    let minor = version.minor.trim_end_matches('+').parse::<u32>();
    executor.session.beta_evictions = minor.is_ok_and(|minor| minor < POLICY_V1);
    let version = Some(version.git_version).filter(|version| !version.is_empty());
    executor.record(JournalEvent::Identified { version, user });
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

/// Number of concurrent reviews.
const PARALLEL: usize = 4;

/// A permission that the plan needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Need {
    namespace: String,
    permission: Permission,
    purpose: Purpose,
}

/// The purpose of a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Purpose {
    /// The plan cannot be executed without it.
    Must,
    /// Watches instead of polling.
    Watch,
    /// For the condition on a victim.
    Condition,
    /// For the Event on a victim.
    Event,
}

impl Need {
    /// Example: `create pods/eviction in namespace a`.
    fn text(&self) -> String {
        format!("{} in namespace {}", self.permission, self.namespace)
    }
}

/// The permissions that `plan` needs, deduplicated.
fn needs(plan: &Plan, options: &ApplyOptions) -> BTreeSet<Need> {
    let preemptor = plan.preemptor.id.namespace();
    let victims: BTreeSet<&str> =
        plan.victims.iter().map(|victim| victim.pod.namespace.as_str()).collect();
    let removal = match options.mode {
        Mode::Evict => Ability::Evict,
        Mode::Delete => Ability::Delete,
    };
    let wanted = |ability: Ability| match ability {
        Ability::Evict | Ability::Delete => ability == removal,
        Ability::Record => options.record,
        Ability::Nominate => options.nominate,
        // The plan could not have been made without these.
        Ability::Read
        | Ability::SchedulerConfig
        | Ability::Watch
        | Ability::Events
        | Ability::WhoActs
        | Ability::AutoscalerStatus
        | Ability::Workloads
        | Ability::Leases
        | Ability::CheckManifests => false,
    };
    let mut needs = BTreeSet::new();
    for row in requirement::all().into_iter().filter(|row| wanted(row.ability)) {
        let purpose = match (row.ability, row.weight, row.permission.verb) {
            (Ability::Record, ..) => Purpose::Event,
            (_, Necessity::Essential, _) => Purpose::Must,
            (_, Necessity::Optional, "watch") => Purpose::Watch,
            (_, Necessity::Optional, _) => Purpose::Condition,
        };
        if purpose == Purpose::Watch && !options.wait {
            continue;
        }
        // The preemptor and the victims are read; only the nomination writes to the preemptor.
        let looks = matches!(row.permission.verb, "get" | "watch");
        let of_victims = victims.iter().copied().filter(|_| row.ability != Ability::Nominate);
        let own = (looks || row.ability == Ability::Nominate).then_some(preemptor);
        for namespace in of_victims.chain(own) {
            needs.insert(Need {
                namespace: namespace.to_owned(),
                permission: row.permission,
                purpose,
            });
        }
    }
    needs
}

/// Checks all permissions. A missing required one stops the run; a missing optional one disables
/// its feature.
pub(in crate::apply) async fn check(executor: &mut Executor<'_>) -> StepResult<()> {
    let options = &executor.session.options;
    executor.session.patches_conditions = options.mode == Mode::Delete;
    let needs = needs(&executor.plan, options);
    // All of them are asked about first, so that one message names all that is missing.
    let decisions = executor.clock.run(ask(&executor.session.reader, needs)).await?;
    let mut missing = Vec::new();
    for (need, decision) in decisions {
        match decision {
            AccessDecision::Allowed(_) => {}
            AccessDecision::Unknown(why) => {
                executor.warn(&format!(
                    "the server does not say whether you may {}: {why}",
                    need.text()
                ));
            }
            AccessDecision::Denied(_)
            | AccessDecision::Forbidden(_)
            | AccessDecision::NotServed => match need.purpose {
                Purpose::Must => missing.push(need.text()),
                Purpose::Watch | Purpose::Condition | Purpose::Event => do_without(executor, &need),
            },
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(StopReason::MissingPermissions(missing)) }
}

/// Warns that an optional permission is missing, and disables its feature.
fn do_without(executor: &mut Executor<'_>, need: &Need) {
    let session = &mut executor.session;
    let effect = match need.purpose {
        Purpose::Must => return,
        Purpose::Watch => format!("will look every {:?}", session.options.wait_times.poll),
        Purpose::Condition => {
            session.patches_conditions = false;
            "victims go without the condition DisruptionTarget, by which Jobs tell a preemption from a failure"
                .to_owned()
        }
        Purpose::Event => {
            session.writes_events = false;
            "no events are written".to_owned()
        }
    };
    executor.warn(&format!("may not {}: {effect}", need.text()));
}

/// Requests a review for each of `needs`.
async fn ask(reader: &Reader, needs: BTreeSet<Need>) -> Vec<(Need, AccessDecision)> {
    let reviews = needs.into_iter().map(|need| async {
        let decision = inquiry::may(reader, need.permission, Some(&need.namespace)).await;
        (need, decision)
    });
    futures::stream::iter(reviews).buffered(PARALLEL).collect().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::decision::competitors::Competitors;
    use engine::simulation::plan::{
        Afterwards, Placement, PlanPreemptor, PlannedVictim, PodId, PreemptorId,
    };

    fn pod(namespace: &str) -> PodId {
        PodId { namespace: namespace.to_owned(), name: "p".to_owned(), uid: "u".to_owned() }
    }

    /// The needs of a plan that evicts pods of namespaces `b` and `c` for one of `a`.
    fn needed(options: &ApplyOptions) -> Vec<(String, Purpose)> {
        let victim = |namespace: &str| PlannedVictim {
            pod: pod(namespace),
            resource_version: String::new(),
            node: "n".to_owned(),
            priority: 0,
            grace_seconds: 0,
            terminating_until: None,
            owners: Vec::new(),
            budgets: Vec::new(),
            hazards: Vec::new(),
            afterwards: Afterwards::Unknown,
        };
        let preemptor =
            PlanPreemptor { id: PreemptorId::Pod(pod("a")), priority: 1, scheduler: String::new() };
        let placed = vec![Placement { pod: pod("a"), node: "n".to_owned() }];
        let victims = vec![victim("b"), victim("b"), victim("c")];
        let plan = Plan {
            preemptor,
            placed,
            tied: Vec::new(),
            victims,
            competitors: Competitors::default(),
        };
        let text = |need: Need| (need.text().replace(" in namespace", ""), need.purpose);
        needs(&plan, options).into_iter().map(text).collect()
    }

    fn words(needed: &[(String, Purpose)], purpose: Purpose) -> Vec<&str> {
        let mut words: Vec<&str> =
            needed.iter().filter(|(_, p)| *p == purpose).map(|(text, _)| text.as_str()).collect();
        words.sort_unstable();
        words
    }

    #[test]
    fn evicting_needs_little_and_only_where_something_is_done() {
        let all = needed(&ApplyOptions { wait: false, ..ApplyOptions::default() });
        let must = [
            "create pods/eviction b",
            "create pods/eviction c",
            "get pods a",
            "get pods b",
            "get pods c",
        ];
        assert_eq!((words(&all, Purpose::Must), all.len()), (must.into(), 5));
        let waiting = needed(&ApplyOptions { wait: true, ..ApplyOptions::default() });
        assert_eq!(
            words(&waiting, Purpose::Watch),
            ["watch pods a", "watch pods b", "watch pods c"]
        );
    }

    #[test]
    fn deleting_nominating_and_recording_need_more() {
        let options = ApplyOptions {
            mode: Mode::Delete,
            nominate: true,
            record: true,
            wait: false,
            ..ApplyOptions::default()
        };
        let all = needed(&options);
        let must = [
            "delete pods b",
            "delete pods c",
            "get pods a",
            "get pods b",
            "get pods c",
            "patch pods/status a",
        ];
        assert_eq!(words(&all, Purpose::Must), must);
        assert_eq!(words(&all, Purpose::Condition), ["patch pods/status b", "patch pods/status c"]);
        let events = ["create events.events.k8s.io b", "create events.events.k8s.io c"];
        assert_eq!(words(&all, Purpose::Event), events);
    }
}
