//! The flags that turn `simulate` into a gate: the conditions that fail, and the exit code.

use std::collections::{BTreeMap, BTreeSet};

use clap::ValueEnum;

use crate::error::Error;
use crate::exit::Exit;
use engine::cluster::Cluster;
use engine::cluster::selector::{Selector, text};
use engine::simulation::gate::{FailCondition, Policy, PolicyGate, judge};
use engine::simulation::sequence::Simulation;

/// The flags.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(next_help_heading = "Gate")]
pub struct GateFlags {
    /// What fails: unschedulable, victims, pdb, uncertain (default: unschedulable,uncertain)
    ///
    /// unschedulable: a pod gets no node, or the API server refuses it. victims: a pod is evicted.
    /// pdb: an eviction violates a PodDisruptionBudget. uncertain: the answer may be another one
    /// (exit code 3, the others: 1). What is not named is reported and does not fail.
    #[arg(
        long,
        value_name = "CONDITION",
        value_enum,
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub fail_on: Vec<GateFailOn>,

    /// Fail if more than N pods are evicted, also for the replacements of others
    ///
    /// Takes the place of victims in --fail-on.
    #[arg(long, value_name = "N")]
    pub max_victims: Option<usize>,

    /// Fail if a pod of this namespace or with these labels is evicted
    ///
    /// What has an operator, such as app=db, tier!=web or 'app in (a,b)', is a selector. May be
    /// repeated.
    #[arg(long, value_name = "NAMESPACE|SELECTOR")]
    pub protect: Vec<String>,

    /// Report alone: exit with 0 whatever is found
    #[arg(long)]
    pub no_fail: bool,
}

/// `--fail-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GateFailOn {
    /// A pod gets no node, or is refused.
    Unschedulable,
    /// A pod is evicted.
    Victims,
    /// A budget is violated.
    Pdb,
    /// The answer may be another one.
    Uncertain,
}

impl GateFailOn {
    const fn condition(self) -> FailCondition {
        match self {
            Self::Unschedulable => FailCondition::Unschedulable,
            Self::Victims => FailCondition::Victims,
            Self::Pdb => FailCondition::Pdb,
            Self::Uncertain => FailCondition::Uncertain,
        }
    }
}

/// The default of `--fail-on`: conditions with their own exit code.
const BY_DEFAULT: [GateFailOn; 2] = [GateFailOn::Unschedulable, GateFailOn::Uncertain];

impl GateFlags {
    /// Whether any of the flags is given.
    pub(super) fn is_given(&self) -> bool {
        !self.fail_on.is_empty()
            || self.max_victims.is_some()
            || !self.protect.is_empty()
            || self.no_fail
    }

    /// Validates the values before the cluster is read.
    ///
    /// # Errors
    /// [`Error::Usage`] for an invalid selector.
    pub(super) fn check(&self) -> Result<(), Error> {
        for protect in &self.protect {
            if protect.trim().is_empty() {
                return Err(Error::usage("--protect names no namespace and no labels"));
            }
            if is_selector(protect) {
                text::parse(protect).map_err(|part| not_a_selector(protect, part))?;
            }
        }
        Ok(())
    }

    /// The policy of the flags for the pods of this cluster.
    ///
    /// # Errors
    /// [`Error::Usage`] for an invalid selector.
    pub(super) fn policy(&self, cluster: &mut Cluster) -> Result<Policy, Error> {
        let fail_on: &[GateFailOn] =
            if self.fail_on.is_empty() { &BY_DEFAULT } else { &self.fail_on };
        let fail_on: BTreeSet<FailCondition> = fail_on.iter().map(|one| one.condition()).collect();
        let mut protected = BTreeMap::new();
        for protect in &self.protect {
            let selector = if is_selector(protect) {
                let wire = text::parse(protect).map_err(|part| not_a_selector(protect, part))?;
                let selector = Selector::read(Some(&wire), &mut cluster.symbols);
                Some(
                    selector.map_err(|issues| {
                        Error::usage(format!("--protect `{protect}`: {issues}"))
                    })?,
                )
            } else {
                None
            };
            for index in cluster.pod_indices() {
                let pod = cluster.pod(index);
                let is_meant = match &selector {
                    Some(selector) => selector.matches(cluster.labels(pod.labels)),
                    None => cluster.text(pod.namespace) == protect,
                };
                if is_meant {
                    protected.entry(cluster.pod_name(index)).or_insert_with(|| protect.clone());
                }
            }
        }
        Ok(Policy {
            fail_on,
            max_victims: self.max_victims,
            protected,
            protected_by: self.protect.clone(),
            report_only: self.no_fail,
        })
    }
}

/// Whether a text is a selector rather than a namespace: it has an operator.
fn is_selector(text: &str) -> bool {
    text.contains(['=', '!', ',', '(', ' '])
}

fn not_a_selector(protect: &str, part: &str) -> Error {
    let problem =
        format!("--protect `{protect}`: `{part}` is not a requirement of a label selector");
    Error::usage_hint(problem, "use e.g. app=db or app in (db,cache), or the name of a namespace")
}

/// Applies the policy to a simulation.
pub(super) fn gate(simulation: &Simulation, policy: Policy) -> PolicyGate {
    let verdict = judge(simulation, &policy);
    PolicyGate { policy, verdict }
}

/// The exit code. If an uncertain answer fails, it is 3, even if other conditions fail as well.
pub(super) fn exit(gate: &PolicyGate) -> Exit {
    let verdict = &gate.verdict;
    match (verdict.fails_as_uncertain(), verdict.fails()) {
        (true, _) => Exit::Partial,
        (false, true) => Exit::No,
        (false, false) => Exit::Answered,
    }
}
