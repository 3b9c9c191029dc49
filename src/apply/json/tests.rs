//! The JSON of a journal is complete after any events: it conforms to its schema and has everything
//! that was recorded.

use std::sync::LazyLock;

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::apply::journal::tests::{journal, plan};
use crate::apply::journal::{
    ApplyOutcome, Journal, JournalEvent, NominationEvent, NominationReason, PreemptorEvent,
    RequestAttempt, RequestKind, User, VictimEvent, VictimReason,
};
use crate::apply::server::outcome::WriteOutcome;
use crate::apply::signals::Signal;

const VICTIMS: usize = 3;

fn message() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-z\"\\\\]{1,8}"]
}

fn outcome() -> impl Strategy<Value = WriteOutcome> {
    message().prop_flat_map(|text| {
        prop::sample::select(vec![
            WriteOutcome::Accepted,
            WriteOutcome::Budget { text: text.clone(), retry_after: None },
            WriteOutcome::SeveralBudgets(text.clone()),
            WriteOutcome::Busy { text: text.clone(), retry_after: None },
            WriteOutcome::NotFound(text.clone()),
            WriteOutcome::NoSuchApi(text.clone()),
            WriteOutcome::Replaced(text.clone()),
            WriteOutcome::Conflict(text.clone()),
            WriteOutcome::NamespaceTerminating(text.clone()),
            WriteOutcome::Refused { reason: "Forbidden".to_owned(), text: text.clone() },
            WriteOutcome::NotSent(text.clone()),
            WriteOutcome::Unknown(text),
        ])
    })
}

fn attempt() -> impl Strategy<Value = RequestAttempt> {
    let kinds =
        vec![RequestKind::Evict, RequestKind::Delete, RequestKind::Condition, RequestKind::Event];
    let status = prop::option::of(200_u16..600);
    (prop::sample::select(kinds), any::<bool>(), status, outcome()).prop_map(
        |(request, dry_run, status, outcome)| RequestAttempt {
            request,
            dry_run,
            sent_at: Timestamp::UNIX_EPOCH,
            status,
            outcome,
        },
    )
}

fn victim_event() -> impl Strategy<Value = VictimEvent> {
    prop_oneof![
        4 => attempt().prop_map(VictimEvent::Answered),
        1 => message().prop_map(|text| VictimEvent::DryRunRefused(VictimReason::Blocked(text))),
        1 => message().prop_map(|text| VictimEvent::Refused(VictimReason::NotServed { request: RequestKind::Evict, message: text })),
        1 => Just(VictimEvent::SeenTerminating),
        1 => Just(VictimEvent::SeenGone),
    ]
}

fn nomination_event() -> impl Strategy<Value = NominationEvent> {
    prop_oneof![
        Just(NominationEvent::FoundSet),
        message().prop_map(NominationEvent::Unanswered),
        Just(NominationEvent::Set),
        Just(NominationEvent::Failed(NominationReason::OutOfAttempts)),
        Just(NominationEvent::Cleared),
        Just(NominationEvent::ClearingUnknown),
        message().prop_map(NominationEvent::NotCleared),
    ]
}

fn preemptor_event() -> impl Strategy<Value = PreemptorEvent> {
    prop_oneof![
        2 => nomination_event().prop_map(PreemptorEvent::Nomination),
        1 => Just(PreemptorEvent::Awaited),
        1 => Just(PreemptorEvent::Bound("n1".to_owned())),
        1 => Just(PreemptorEvent::Gone),
        1 => Just(PreemptorEvent::Hidden),
    ]
}

fn ending() -> impl Strategy<Value = JournalEvent> {
    let outcomes = vec![
        ApplyOutcome::Applied,
        ApplyOutcome::NotNeeded,
        ApplyOutcome::DryRun,
        ApplyOutcome::Refused,
        ApplyOutcome::Stopped,
        ApplyOutcome::Interrupted(Signal::Terminate),
    ];
    (prop::sample::select(outcomes), prop::option::of(message()))
        .prop_map(|(outcome, problem)| JournalEvent::Ended { outcome, problem })
}

fn event() -> impl Strategy<Value = JournalEvent> {
    let user = User { name: "jane".to_owned(), uid: None, groups: vec!["devs".to_owned()] };
    let victim = |(n, event): (usize, VictimEvent)| {
        JournalEvent::Victim(plan(VICTIMS).victims[n].pod.clone(), event)
    };
    let preemptor = |event| JournalEvent::Preemptor(plan(VICTIMS).placed.remove(0).pod, event);
    prop_oneof![
        1 => Just(JournalEvent::Identified { version: Some("v1.37.1".to_owned()), user: Some(user) }),
        1 => message().prop_map(JournalEvent::Warned),
        1 => Just(JournalEvent::Confirmed { violated_budgets: ["shop/guard".to_owned()].into() }),
        8 => (0..VICTIMS, victim_event()).prop_map(victim),
        6 => preemptor_event().prop_map(preemptor),
        1 => ending(),
    ]
}

fn json(journal: &Journal) -> Value {
    serde_json::to_value(apply_result(journal)).unwrap()
}

/// What the JSON has to say whatever happened.
fn check(journal: &Journal, events: &[JournalEvent]) {
    let json = json(journal);
    assert_eq!(json["victims"].as_array().unwrap().len(), VICTIMS);
    for (n, victim) in plan(VICTIMS).victims.iter().enumerate() {
        let sent: Vec<&RequestAttempt> = events
            .iter()
            .filter_map(|event| match event {
                JournalEvent::Victim(pod, VictimEvent::Answered(attempt)) if *pod == victim.pod => {
                    Some(attempt)
                }
                _ => None,
            })
            .collect();
        let shown = &json["victims"][n];
        assert_eq!(shown["uid"], victim.pod.uid, "victims are in the order of the plan");
        let attempts = shown["attempts"].as_array().unwrap();
        assert_eq!(attempts.len(), sent.len());
        for (shown, sent) in attempts.iter().zip(sent) {
            assert_eq!(
                (&shown["request"], &shown["outcome"]),
                (&sent.request.name().into(), &sent.outcome.name().into())
            );
            assert_eq!(shown["status"], sent.status.map_or(Value::Null, Value::from));
        }
        let gone = ["Gone", "GoneByItself"].contains(&shown["state"].as_str().unwrap());
        assert!(!gone || shown["goneAt"].is_string());
    }
    let ended = events.iter().any(|event| matches!(event, JournalEvent::Ended { .. }));
    assert_eq!(json["outcome"] != "Running", ended);
    assert_eq!(json["finishedAt"].is_string(), ended);
    assert_eq!(json["landing"]["state"] == "Bound", json["landing"]["node"].is_string());
}

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let mut schema: Value =
        serde_json::from_str(include_str!("../../../docs/schema.json")).unwrap();
    schema["anyOf"] = serde_json::json!([{"$ref": "#/$defs/ApplyResult"}]);
    jsonschema::validator_for(&schema).unwrap()
});

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_json_is_complete_after_any_events(events in prop::collection::vec(event(), 0..24)) {
        let mut journal = journal(&plan(VICTIMS));
        for (n, event) in events.iter().enumerate() {
            check(&journal, &events[..n]);
            journal.record(Timestamp::UNIX_EPOCH, event.clone());
            let json = json(&journal);
            SCHEMA.validate(&json).unwrap();
            prop_assert_eq!(serde_json::from_value::<ApplyResult>(json).unwrap(), apply_result(&journal));
        }
        check(&journal, &events);
    }
}
