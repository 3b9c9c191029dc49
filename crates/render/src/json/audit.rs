//! An audit as JSON.

use engine::audit::{Audit, Check, ClassDifference, Evidence, Finding, Gap, GapCause, ObjectName};
use engine::json::{self as parts, SourceKind};
use engine::notes::Severity;
use engine::snapshot::Header;
use json::audit::{
    Audit as JsonAudit, Check as JsonCheck, ClassDifference as JsonClassDifference,
    Evidence as JsonEvidence, Finding as JsonFinding, Gap as JsonGap, Object, Summary,
};
use json::{ApiVersion, kind};

use crate::audit::{number, words};

/// The JSON of an audit of the cluster with this header.
#[must_use]
pub fn audit(audit: &Audit, header: &Header, source: SourceKind) -> JsonAudit {
    JsonAudit {
        api_version: ApiVersion::default(),
        kind: kind::Audit::default(),
        source: parts::source(header, source),
        summary: Summary {
            error: number(audit, Severity::Error),
            warning: number(audit, Severity::Warning),
            info: number(audit, Severity::Info),
        },
        items: audit.findings.iter().map(item).collect(),
        not_checked: audit.gaps.iter().map(gap).collect(),
        notes: audit.notes.iter().map(parts::note).collect(),
    }
}

fn item(finding: &Finding) -> JsonFinding {
    let check = finding.check();
    JsonFinding {
        code: check.code().into(),
        check: self::check(check),
        severity: check.severity().name().into(),
        object: object(&finding.object),
        evidence: evidence(finding.evidence.clone()),
        text: words::sentence(finding),
        meaning: words::meaning(check).into(),
        fix: words::fix(check).into(),
    }
}

fn gap(gap: &Gap) -> JsonGap {
    let objects = match &gap.cause {
        GapCause::Unread(note) | GapCause::UnreadThere(note) => note.objects.as_slice(),
        GapCause::Absent | GapCause::Refused(_) => &[],
    };
    JsonGap {
        resource: gap.kind.map(|kind| kind.plural().into()),
        objects: objects.iter().map(ToString::to_string).collect(),
        codes: gap.left_out.iter().map(|check| check.code().into()).collect(),
        text: words::gap(gap),
    }
}

fn object(object: &ObjectName) -> Object {
    Object {
        kind: object.kind.clone(),
        namespace: object.namespace.clone(),
        name: object.name.clone(),
    }
}

fn evidence(evidence: Evidence) -> JsonEvidence {
    match evidence {
        Evidence::SeveralBudgets { budgets, pods } => {
            JsonEvidence::SeveralBudgets { budgets, pods }
        }
        Evidence::BudgetNeverAllows { expected_pods, desired_healthy } => {
            JsonEvidence::BudgetNeverAllows { expected_pods, desired_healthy }
        }
        Evidence::BudgetSelectsAll { pods, workloads } => {
            JsonEvidence::BudgetSelectsAll { pods, workloads }
        }
        Evidence::BudgetSelectsNothing { without_selector } => {
            JsonEvidence::BudgetSelectsNothing { without_selector }
        }
        Evidence::SeveralGlobalDefaults { others, used } => {
            JsonEvidence::SeveralGlobalDefaults { others, used }
        }
        Evidence::OlderThanGlobalDefault { pods, class, value, priority } => {
            JsonEvidence::OlderThanGlobalDefault { pods, class, value, priority }
        }
        Evidence::GlobalDefaultAboveClass { default, default_value, value } => {
            JsonEvidence::GlobalDefaultAboveClass { default, default_value, value }
        }
        Evidence::UnusedClass { value } => JsonEvidence::UnusedClass { value },
        Evidence::ClassDiffers { difference } => {
            JsonEvidence::ClassDiffers { difference: class_difference(&difference) }
        }
        Evidence::PriorityNotOfClass { pods, priority, class, value } => {
            JsonEvidence::PriorityNotOfClass { pods, priority, class, value }
        }
        Evidence::MissingClass { pods, class, priority } => {
            JsonEvidence::MissingClass { pods, class, priority }
        }
        Evidence::AddOnPreemptible { pods, priority, preemptors } => {
            JsonEvidence::AddOnPreemptible { pods, priority, preemptors }
        }
        Evidence::NeverPreempts { pods, priority, node, victims } => {
            JsonEvidence::NeverPreempts { pods, priority, node, victims }
        }
        Evidence::BarePod { priority, preemptors } => {
            JsonEvidence::BarePod { priority, preemptors }
        }
        Evidence::DaemonSetComesBack { pods, priority, preemptors } => {
            JsonEvidence::DaemonSetComesBack { pods, priority, preemptors }
        }
        Evidence::NoRequests { pods, priority } => JsonEvidence::NoRequests { pods, priority },
        Evidence::StaleNomination { pod, priority, node, node_exists, reserves, taken_by } => {
            JsonEvidence::StaleNomination { pod, priority, node, node_exists, reserves, taken_by }
        }
        Evidence::StuckVictim {
            pod,
            node,
            overdue_seconds,
            grace_seconds,
            kept_by,
            finalizers,
            waiting,
        } => JsonEvidence::StuckVictim {
            pod,
            node,
            overdue_seconds,
            grace_seconds,
            kept_by,
            finalizers,
            waiting,
        },
        Evidence::SpreadWithoutDomains { topology_key, nodes } => {
            JsonEvidence::SpreadWithoutDomains { topology_key, nodes }
        }
        Evidence::SpreadTooFewDomains { topology_key, domains, min_domains, max_skew, pods } => {
            JsonEvidence::SpreadTooFewDomains { topology_key, domains, min_domains, max_skew, pods }
        }
    }
}

fn class_difference(difference: &ClassDifference) -> JsonClassDifference {
    match *difference {
        ClassDifference::OnlyHere { value } => JsonClassDifference::OnlyHere { value },
        ClassDifference::OnlyThere { value } => JsonClassDifference::OnlyThere { value },
        ClassDifference::Value { here, there } => JsonClassDifference::Value { here, there },
        ClassDifference::PreemptionPolicy { preempts_here } => {
            JsonClassDifference::PreemptionPolicy { preempts_here }
        }
        ClassDifference::GlobalDefault { default_here } => {
            JsonClassDifference::GlobalDefault { default_here }
        }
    }
}

fn check(check: Check) -> JsonCheck {
    match check {
        Check::SeveralBudgets => JsonCheck::SeveralBudgets,
        Check::BudgetNeverAllows => JsonCheck::BudgetNeverAllows,
        Check::BudgetSelectsAll => JsonCheck::BudgetSelectsAll,
        Check::BudgetSelectsNothing => JsonCheck::BudgetSelectsNothing,
        Check::SeveralGlobalDefaults => JsonCheck::SeveralGlobalDefaults,
        Check::OlderThanGlobalDefault => JsonCheck::OlderThanGlobalDefault,
        Check::GlobalDefaultAboveClass => JsonCheck::GlobalDefaultAboveClass,
        Check::UnusedClass => JsonCheck::UnusedClass,
        Check::ClassDiffers => JsonCheck::ClassDiffers,
        Check::PriorityNotOfClass => JsonCheck::PriorityNotOfClass,
        Check::MissingClass => JsonCheck::MissingClass,
        Check::AddOnPreemptible => JsonCheck::AddOnPreemptible,
        Check::NeverPreempts => JsonCheck::NeverPreempts,
        Check::BarePod => JsonCheck::BarePod,
        Check::DaemonSetComesBack => JsonCheck::DaemonSetComesBack,
        Check::NoRequests => JsonCheck::NoRequests,
        Check::StaleNomination => JsonCheck::StaleNomination,
        Check::StuckVictim => JsonCheck::StuckVictim,
        Check::SpreadWithoutDomains => JsonCheck::SpreadWithoutDomains,
        Check::SpreadTooFewDomains => JsonCheck::SpreadTooFewDomains,
    }
}
