//! What the user must be allowed to do for a plan, and whether the server says so. What is needed for what stands in
//! [`requirement`], the one table of it; a `SelfSubjectAccessReview` asks for each. (`SelfSubjectRulesReview` may be
//! incomplete, and says of itself not to decide by it.)

use std::collections::BTreeSet;

use futures::StreamExt as _;

use super::{ApplyOptions, Mode};
use crate::api::access::{AccessDecision, Permission};
use crate::api::client::Reader;
use crate::api::inquiry;
use crate::doctor::requirement::{self, Ability, Weight};
use engine::simulation::plan::Plan;

/// Reviews that are asked for at the same time.
const PARALLEL: usize = 4;

/// Something that one may be allowed to do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Need {
    /// Namespace.
    pub namespace: String,
    /// What must be allowed there.
    pub permission: Permission,
    /// What it is for.
    pub purpose: Purpose,
}

/// What a permission is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Purpose {
    /// Nothing goes without.
    Must,
    /// Waiting without looking again and again.
    Watch,
    /// The condition on a victim.
    Condition,
    /// The event on a victim.
    Event,
}

/// What the server says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Allowed {
    /// Yes.
    Yes,
    /// No.
    No,
    /// It does not say.
    Unknown(String),
}

impl Need {
    /// As kubectl says it: `create pods/eviction in namespace a`.
    pub(super) fn text(&self) -> String {
        format!("{} in namespace {}", self.permission, self.namespace)
    }
}

/// Everything that `plan` needs, each once.
pub(super) fn needs(plan: &Plan, options: &ApplyOptions) -> BTreeSet<Need> {
    let preemptor = plan.preemptor.pod.namespace.as_str();
    let victims: BTreeSet<&str> = plan.victims.iter().map(|victim| victim.pod.namespace.as_str()).collect();
    let removal = match options.mode {
        Mode::Evict => Ability::Evict,
        Mode::Delete => Ability::Delete,
    };
    let wanted = |ability: Ability| match ability {
        Ability::Evict | Ability::Delete => ability == removal,
        Ability::Record => options.record,
        Ability::Nominate => options.nominate,
        // The plan was made by reading.
        Ability::Read | Ability::SchedulerConfig | Ability::Watch => false,
    };
    let mut needs = BTreeSet::new();
    for row in requirement::all().into_iter().filter(|row| wanted(row.ability)) {
        let purpose = match (row.ability, row.weight, row.permission.verb) {
            (Ability::Record, ..) => Purpose::Event,
            (_, Weight::Essential, _) => Purpose::Must,
            (_, Weight::Optional, "watch") => Purpose::Watch,
            (_, Weight::Optional, _) => Purpose::Condition,
        };
        if purpose == Purpose::Watch && !options.wait {
            continue;
        }
        // Looked at are both; done is something to the victims alone, but that the room is kept for the preemptor.
        let looks = matches!(row.permission.verb, "get" | "watch");
        let of_victims = victims.iter().copied().filter(|_| row.ability != Ability::Nominate);
        let own = (looks || row.ability == Ability::Nominate).then_some(preemptor);
        for namespace in of_victims.chain(own) {
            needs.insert(Need { namespace: namespace.to_owned(), permission: row.permission, purpose });
        }
    }
    needs
}

/// Asks for all of `needs`.
pub(super) async fn ask(reader: &Reader, needs: BTreeSet<Need>) -> Vec<(Need, Allowed)> {
    let questions = needs.into_iter().map(|need| async {
        let allowed = match inquiry::may(reader, need.permission, Some(&need.namespace)).await {
            AccessDecision::Allowed(_) => Allowed::Yes,
            AccessDecision::Denied(_) | AccessDecision::Forbidden(_) | AccessDecision::NotServed => Allowed::No,
            AccessDecision::Unknown(why) => Allowed::Unknown(why),
        };
        (need, allowed)
    });
    futures::stream::iter(questions).buffered(PARALLEL).collect().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::simulation::plan::{Afterwards, PlannedVictim, PodId, Preemptor};

    fn pod(namespace: &str) -> PodId {
        PodId { namespace: namespace.to_owned(), name: "p".to_owned(), uid: "u".to_owned() }
    }

    /// What a plan needs that evicts a pod of each of namespaces `b` and `c` for one of `a`.
    fn needed(options: &ApplyOptions) -> Vec<(String, Purpose)> {
        let victim = |namespace: &str| PlannedVictim {
            pod: pod(namespace),
            resource_version: String::new(),
            priority: 0,
            grace_seconds: 0,
            terminating_until: None,
            owners: Vec::new(),
            budgets: Vec::new(),
            hazards: Vec::new(),
            afterwards: Afterwards::Unknown,
        };
        let preemptor = Preemptor { pod: pod("a"), priority: 1, scheduler: String::new(), nominated_node: None };
        let victims = vec![victim("b"), victim("b"), victim("c")];
        let plan = Plan { preemptor, node: "n".to_owned(), tied: Vec::new(), victims };
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
        let must = ["create pods/eviction b", "create pods/eviction c", "get pods a", "get pods b", "get pods c"];
        assert_eq!((words(&all, Purpose::Must), all.len()), (must.into(), 5));
        let waiting = needed(&ApplyOptions { wait: true, ..ApplyOptions::default() });
        assert_eq!(words(&waiting, Purpose::Watch), ["watch pods a", "watch pods b", "watch pods c"]);
    }

    #[test]
    fn deleting_nominating_and_recording_need_more() {
        let options =
            ApplyOptions { mode: Mode::Delete, nominate: true, record: true, wait: false, ..ApplyOptions::default() };
        let all = needed(&options);
        let must = ["delete pods b", "delete pods c", "get pods a", "get pods b", "get pods c", "patch pods/status a"];
        assert_eq!(words(&all, Purpose::Must), must);
        assert_eq!(words(&all, Purpose::Condition), ["patch pods/status b", "patch pods/status c"]);
        let events = ["create events.events.k8s.io b", "create events.events.k8s.io c"];
        assert_eq!(words(&all, Purpose::Event), events);
    }
}
