//! The rows of the table of workloads: one per workload, and one for the Jobs of one schedule.

use std::collections::{BTreeMap, BTreeSet};

use engine::cluster::priority_class::SYSTEM_CLASSES;
use engine::risk::{BudgetOfPods, Exposure, WorkloadRisk};

use super::{RiskReport, RowOrder};
use crate::extent::Extent;
use crate::words;

/// A workload, or several Jobs of one schedule.
#[derive(Debug, Clone)]
pub struct RiskRow {
    /// `Deployment shop/web`, `Job data/report-* (12 Jobs)`.
    pub name: String,
    /// How many of its pods are in question, and how many run.
    asked: usize,
    running: usize,
    /// The lowest priority of its pods.
    pub priority: i32,
    evicted: usize,
    candidates: usize,
    exposed: usize,
    /// The node on which one preemptor can take all of its pods at once.
    pub all_at_once: Option<String>,
    pub budgets: BTreeSet<BudgetOfPods>,
    /// The lowest priority of a pod that can preempt one of its pods.
    lowest_preemptor: Option<i64>,
}

/// The rows, the most exposed first. In full each Job has its own.
pub fn of(report: &RiskReport, extent: Extent) -> Vec<RiskRow> {
    if report.order == RowOrder::AsGiven {
        return report.risk.workloads.iter().map(RiskRow::of_workload).collect();
    }
    let mut of_schedule: BTreeMap<(&str, &str), Vec<&WorkloadRisk>> = BTreeMap::new();
    let mut rows = Vec::new();
    for workload in &report.risk.workloads {
        let owner = &workload.workload;
        let is_job = owner.kind == "Job" && !extent.is_whole();
        match words::schedule_of_job(&owner.name).filter(|_| is_job) {
            Some(stem) => of_schedule.entry((&owner.namespace, stem)).or_default().push(workload),
            None => rows.push(RiskRow::of_workload(workload)),
        }
    }
    for ((namespace, stem), jobs) in of_schedule {
        let name = match jobs.as_slice() {
            [job] => format!("Job {namespace}/{}", job.workload.name),
            jobs => format!("Job {namespace}/{stem}-* ({} Jobs)", words::group_digits(jobs.len())),
        };
        rows.push(RiskRow::new(name, &jobs));
    }
    rows.sort_by(|a, b| b.rank().cmp(&a.rank()).then_with(|| a.name.cmp(&b.name)));
    rows
}

/// What pods are that are exposed like this.
pub(super) const fn exposure_words(exposure: Exposure) -> &'static str {
    match exposure {
        Exposure::Victim => "about to be evicted",
        Exposure::Candidate => "on runner-up nodes",
        Exposure::Exposed => "preemptible",
        Exposure::Safe => "safe",
    }
}

impl RiskRow {
    fn of_workload(workload: &WorkloadRisk) -> Self {
        let owner = &workload.workload;
        Self::new(format!("{} {}/{}", owner.kind, owner.namespace, owner.name), &[workload])
    }

    fn new(name: String, workloads: &[&WorkloadRisk]) -> Self {
        // What holds of a whole workload cannot be said of several together.
        let only = if let [workload] = workloads { Some(*workload) } else { None };
        let mut row = Self {
            name,
            asked: 0,
            running: 0,
            priority: workloads.iter().map(|workload| workload.priority).min().unwrap_or_default(),
            evicted: 0,
            candidates: 0,
            exposed: 0,
            all_at_once: only
                .filter(|workload| workload.all_at_once)
                .and_then(|workload| workload.all_on.clone()),
            budgets: BTreeSet::new(),
            lowest_preemptor: None,
        };
        for workload in workloads {
            row.asked += workload.pods.len();
            row.running += workload.running;
            row.evicted += workload.evicted();
            row.candidates += workload.count(Exposure::Candidate);
            row.exposed += workload.count(Exposure::Exposed);
            row.budgets.extend(workload.budgets.iter().cloned());
            for (priority, _) in &workload.preemptors {
                let lowest = row.lowest_preemptor.unwrap_or(*priority);
                row.lowest_preemptor = Some(lowest.min(*priority));
            }
        }
        row
    }

    /// The sort key in the table.
    fn rank(&self) -> (usize, usize, bool) {
        (self.evicted, self.candidates, self.exposed > 0)
    }

    /// `3`, or `2 of 3` if not all of its running pods are in question.
    pub fn pods(&self) -> String {
        if self.asked == self.running {
            words::group_digits(self.asked)
        } else {
            format!("{} of {}", words::group_digits(self.asked), words::group_digits(self.running))
        }
    }

    /// That of its most exposed pod.
    pub fn exposure(&self) -> Exposure {
        match (self.evicted, self.candidates, self.exposed) {
            (1.., _, _) => Exposure::Victim,
            (0, 1.., _) => Exposure::Candidate,
            (0, 0, 1..) => Exposure::Exposed,
            (0, 0, 0) => Exposure::Safe,
        }
    }

    /// `about to be evicted (2 of 3)`, `on runner-up nodes`, `preemptible`, `safe`.
    pub fn exposure_text(&self) -> String {
        let exposure = self.exposure();
        let what = exposure_words(exposure);
        let count = match exposure {
            Exposure::Victim => self.evicted,
            Exposure::Candidate => self.candidates,
            Exposure::Exposed => self.exposed,
            Exposure::Safe => self.asked,
        };
        if count == self.asked {
            what.to_owned()
        } else {
            let [count, asked] = [count, self.asked].map(words::group_digits);
            format!("{what} ({count} of {asked})")
        }
    }

    /// `anything above 100`: who can preempt its pods, if that is more than the system classes; `None`
    /// if nobody.
    pub fn preemptors(&self) -> Option<String> {
        let lowest = self.lowest_preemptor?;
        Some(if lowest >= SYSTEM_CLASSES[0].1 {
            "only system classes".to_owned()
        } else {
            format!("anything above {}", self.priority)
        })
    }
}
