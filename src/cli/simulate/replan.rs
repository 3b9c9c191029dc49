//! The planner of `--apply`: makes new decisions on a cluster that is kept up to date.

use crate::apply::{PlanResult, Planner, PreemptorStatus};
use crate::cli::input::{InputArgs, KeptInput, LoadedInput};
use crate::error::Error;
use answers::questions::simulate::Replanning;
use engine::simulation::competitors::Residents;
use engine::simulation::plan::{Plan, PodId, PreemptorId};

/// Makes the decisions of a run.
pub struct Replanner {
    /// The input flags.
    pub input: InputArgs,
    pub kept: KeptInput,
    pub decisions: Replanning,
    /// The pods on the nodes of the first plan.
    pub residents: Residents,
}

impl Planner for Replanner {
    fn plan(&mut self, preemptor: &PreemptorId) -> Result<PlanResult, Error> {
        let mut input = self.read()?;
        let status = self.decisions.status(&mut input, preemptor, None)?;
        if let (PreemptorStatus::NeedsEviction(plan), true) = (&status, self.residents.is_empty()) {
            self.residents = Residents::of(plan, &input.cluster);
        }
        Ok(self.result(status, input))
    }

    fn remaining(&mut self, plan: &Plan, leaving: &[PodId]) -> Result<PlanResult, Error> {
        let mut input = self.read()?;
        let status = self.decisions.remaining(&mut input, plan, leaving)?;
        Ok(self.result(status, input))
    }
}

impl Replanner {
    /// The current cluster: nothing that a decision reads is older than this call.
    fn read(&self) -> Result<LoadedInput, Error> {
        self.kept.cluster.catch_up()?;
        self.input.check()?.read_kept(&self.kept)
    }

    /// A decision with what it is based on, and who has come to the nodes of the plan.
    fn result(&self, status: PreemptorStatus, input: LoadedInput) -> PlanResult {
        let newcomers = self.residents.newcomers(&input.cluster);
        PlanResult { status, versions: input.cluster.header.resource_versions, newcomers }
    }
}
