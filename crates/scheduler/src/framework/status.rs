//! The result of a filter for a node: the pod fits, or the reasons why it does not. Reasons are
//! values; their text equals upstream's exactly.

use std::collections::BTreeSet;
use std::sync::Arc;

use smallvec::SmallVec;

use super::evidence::{Evidence, Grounds, InsufficientResource};
use super::failure::StepFailure;
use super::reason::{Quote, ReasonText};
use model::cluster::Cluster;

/// Whether evicting pods may help. Upstream: `kube-scheduler/framework/interface.go` `Code` (1.37).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// Evicting pods may make the pod fit.
    Unschedulable,
    /// Evicting pods cannot help; preemption does not try the node.
    UnschedulableAndUnresolvable,
}

impl Code {
    /// The name of the code in upstream.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unschedulable => "Unschedulable",
            Self::UnschedulableAndUnresolvable => "UnschedulableAndUnresolvable",
        }
    }
}

/// The result of a filter for one node.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub enum FilterVerdict {
    /// This filter lets the pod pass.
    Fits,
    /// The filter rejects the node.
    Rejected(Rejection),
    /// The filter failed, which ends the cycle.
    Failed(StepFailure),
}

impl FilterVerdict {
    /// A rejection for one reason.
    pub fn reject(code: Code, text: ReasonText, evidence: Grounds) -> Self {
        Self::Rejected(Rejection::new(code, text, evidence))
    }

    pub fn fits(&self) -> bool {
        matches!(self, Self::Fits)
    }

    /// Its code, if it is a rejection.
    pub fn code(&self) -> Option<Code> {
        match self {
            Self::Rejected(rejection) => Some(rejection.code),
            Self::Fits | Self::Failed(_) => None,
        }
    }

    /// Combines two verdicts: all reasons and the worse code. The first failure replaces everything
    /// else.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (failed @ Self::Failed(_), _) | (_, failed @ Self::Failed(_)) => failed,
            (Self::Fits, verdict) | (verdict, Self::Fits) => verdict,
            (Self::Rejected(mut one), Self::Rejected(other)) => {
                one.code = one.code.max(other.code);
                one.reasons.extend(other.reasons);
                Self::Rejected(one)
            }
        }
    }
}

/// Why a node, or the pod on all nodes, is rejected.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejection {
    /// Whether preemption may help.
    pub code: Code,
    /// Reasons in upstream's order; each is counted in the message.
    pub reasons: SmallVec<[Reason; 1]>,
}

impl Rejection {
    pub fn new(code: Code, text: ReasonText, evidence: Grounds) -> Self {
        Self { code, reasons: SmallVec::from_buf([Reason { text, evidence }]) }
    }

    /// Whether evicting pods may remove its cause. Preemption tries no other nodes.
    pub fn is_resolvable(&self) -> bool {
        self.code == Code::Unschedulable
    }

    /// A rejection that no eviction can resolve, without evidence beyond its text.
    pub fn unresolvable(text: ReasonText) -> Self {
        Self::new(Code::UnschedulableAndUnresolvable, text, None)
    }

    /// The evidence of all reasons.
    pub fn evidence(&self) -> impl Iterator<Item = &Arc<dyn Evidence>> {
        self.reasons.iter().filter_map(|reason| reason.evidence.as_ref())
    }

    /// The reasons as the scheduler writes them, each with its message.
    pub fn quotes(&self, cluster: &Cluster) -> Vec<Quote> {
        self.reasons.iter().map(|reason| reason.text.quote(cluster)).collect()
    }

    /// The texts of the reasons.
    pub fn texts(&self, cluster: &Cluster) -> Vec<String> {
        self.reasons.iter().map(|r| r.text.render(cluster).into_owned()).collect()
    }
}

/// One reason: the text that upstream prints, and the values behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// Upstream's text.
    pub text: ReasonText,
    /// The numbers and names on which the rejection is based.
    pub evidence: Grounds,
}

impl Reason {
    /// The missing resource, if that is the reason.
    pub fn lack(&self) -> Option<&InsufficientResource> {
        self.evidence.as_deref()?.lack()
    }

    /// Alternatives from which kube-scheduler writes an arbitrary one; empty if the text is fixed.
    pub(crate) fn any_of(&self, cluster: &Cluster) -> BTreeSet<String> {
        let names = self.evidence.iter().flat_map(|evidence| evidence.any_of());
        names.map(|name| self.text.message().name(*name).render(cluster).into_owned()).collect()
    }
}
