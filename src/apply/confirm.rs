//! Does the user want it? A plain plan takes a `y`; a dangerous one takes the name of the context.

use super::run::{Run, Step, stop, stop_with};
use super::{Mode, hazards};
use engine::simulation::plan::{BudgetUse, Plan};
use render::page::sanitize;

impl Run<'_> {
    /// Asks, unless `--yes` has answered. What was agreed to is kept.
    pub(super) async fn confirm(&mut self) -> Step<()> {
        self.ask_user().await?;
        self.agreed = Some(hazards::violated(&self.plan).into_iter().map(budget_name).collect());
        Ok(())
    }

    /// Whether the same victims, as a later reading shows them, are no worse than what was agreed to.
    pub(super) fn check_agreed(&self, plan: &Plan) -> Step<()> {
        let Some(agreed) = &self.agreed else { return Ok(()) };
        let mut worse = hazards::refusals(plan, &self.options);
        if self.options.mode == Mode::Delete {
            // Nobody else looks at budgets.
            let violated = hazards::violated(plan).into_iter().map(budget_name);
            let new = violated.filter(|budget| !agreed.contains(budget));
            worse.extend(new.map(|budget| format!("PodDisruptionBudget {budget} would be violated now")));
        }
        if worse.is_empty() {
            return Ok(());
        }
        stop_with(
            format!("the plan has changed: {}", worse.join("; ")),
            "look at the new plan: kubectl preempt simulate",
        )
    }

    /// Whether the user can agree at all: if not, nothing is even tried.
    pub(super) fn check_can_agree(&self) -> Step<()> {
        let violated = self.violated_by_us();
        if self.options.yes && !violated.is_empty() && !self.options.force {
            return stop_with(
                format!("--yes is not enough to violate PodDisruptionBudget {}", violated.join(", ")),
                "add --force, or use --mode=evict",
            );
        }
        if !self.options.yes && !self.ui.can_ask() {
            return stop_with(
                "nobody can be asked: standard input or standard error is no terminal",
                "say --yes if you are sure",
            );
        }
        Ok(())
    }

    /// The budgets that no server keeps.
    fn violated_by_us(&self) -> Vec<String> {
        match self.options.mode {
            Mode::Delete => hazards::violated(&self.plan).into_iter().map(budget_name).collect(),
            Mode::Evict => Vec::new(),
        }
    }

    async fn ask_user(&mut self) -> Step<()> {
        let dangers = hazards::dangers(&self.plan, &self.options);
        let violated = self.violated_by_us();
        self.announce(&dangers);
        if self.options.yes {
            return Ok(());
        }
        if !violated.is_empty() {
            let question =
                format!("This violates PodDisruptionBudget {}. Do you want that? (y/N): ", violated.join(", "));
            self.ask_for(&question, None).await?;
        }
        if dangers.is_empty() {
            return self.ask_for("Do you want to continue? (y/N): ", None).await;
        }
        let name = self.cluster_name();
        let question = format!("This is dangerous. Type {name} to continue: ");
        self.ask_for(&question, Some(&name)).await
    }

    /// The context, or the server where there is none.
    fn cluster_name(&self) -> String {
        let cluster = &self.result.cluster;
        cluster.context.clone().unwrap_or_else(|| self.reader.peer.server.clone())
    }

    /// What is going to happen, as kubectl delete --interactive lists it.
    fn announce(&mut self, dangers: &[String]) {
        let (doing, _) = self.options.mode.words();
        let verb = if doing == "evicting" { "evict" } else { "delete" };
        let victims = self.to_send();
        let mut lines = vec![format!(
            "You are about to {verb} the following {} pod(s) from node {} for pod {}:",
            victims.len(),
            self.plan.node,
            self.plan.preemptor.pod.full_name()
        )];
        lines.extend(victims.iter().map(|pod| format!("  pod/{} -n {}", pod.name, pod.namespace)));
        let leaving = self.plan.victims.iter().filter(|victim| victim.terminating_until.is_some());
        lines.extend(
            leaving.map(|victim| format!("  (pod/{} -n {} is going already)", victim.pod.name, victim.pod.namespace)),
        );
        lines.extend(dangers.iter().map(|danger| format!("Warning: {danger}")));
        lines.push("Nothing of this can be undone.".to_owned());
        for line in lines {
            self.ui.warn(&sanitize(&line));
        }
    }

    async fn ask_for(&mut self, question: &str, word: Option<&str>) -> Step<()> {
        let answer = self.ui.ask(&sanitize(question));
        let answer = self.guard().run(answer).await?.ok().flatten().unwrap_or_default();
        let answer = answer.trim();
        let agreed = match word {
            Some(word) => answer == word,
            None => answer.eq_ignore_ascii_case("y"),
        };
        // Whoever thought about it has seen an older cluster.
        self.checked = false;
        if agreed { Ok(()) } else { stop("cancelled") }
    }
}

fn budget_name(budget: &BudgetUse) -> String {
    format!("{}/{}", budget.namespace, budget.name)
}
