//! Explains pods one after the other. Pods that are alike get the explanation that was made for the
//! first of them.

use std::collections::VecDeque;

use super::super::input::LoadedInput;
use super::args::ExplainArgs;
use super::check;
use crate::api::flags::ConnectionFlags;
use engine::autoscalers::{Autoscalers, Trying};
use engine::cluster::pod::PodIx;
use engine::decision::Explanation;
use engine::decision::sampling::Starts;
use engine::groups::member::Decider;
use render::commands::add_checks;

/// The explanations that are kept for pods that are alike. Each has a verdict about every node.
const MOST_ALIKE: usize = 32;

/// What it takes to explain a pod.
pub(super) struct Explainer<'e, 'v> {
    pub(super) args: &'e ExplainArgs,
    pub(super) connection: &'e ConnectionFlags,
    pub(super) input: &'e LoadedInput,
    /// One per profile.
    pub(super) deciders: Vec<Decider<'v>>,
    pub(super) autoscalers: Option<&'e Autoscalers<'e>>,
    /// With `--as-scheduled`.
    pub(super) starts: Option<Starts>,
    /// Whether it is said what would help.
    pub(super) remedies: bool,
    /// What was explained about pods of which there may be more.
    known: VecDeque<Explanation<'v>>,
}

impl<'e, 'v> Explainer<'e, 'v> {
    /// Nothing is explained yet.
    pub(super) fn new(
        args: &'e ExplainArgs,
        connection: &'e ConnectionFlags,
        input: &'e LoadedInput,
        deciders: Vec<Decider<'v>>,
        autoscalers: Option<&'e Autoscalers<'e>>,
    ) -> Self {
        let known = VecDeque::new();
        Self {
            args,
            connection,
            input,
            deciders,
            autoscalers,
            starts: None,
            remedies: false,
            known,
        }
    }

    /// The explanation of a pod, which may have been made for one that is alike.
    pub(super) fn explained(&mut self, pod: PodIx) -> Option<&Explanation<'v>> {
        let like = self.known.iter_mut().position(|known| known.decision.passes_on_to(pod));
        let at = if let Some(at) = like {
            // What other programs wrote about a pod is about that one alone, and so is a command
            // that names it.
            let mut known = self.known.remove(at)?;
            known.compare_condition();
            self.add_own(&mut known);
            self.known.insert(at, known);
            at
        } else {
            let explanation = self.explain(pod)?;
            self.known.push_front(explanation);
            self.known.truncate(MOST_ALIKE);
            0
        };
        self.known.get(at)
    }

    /// Decides about a pod and explains that.
    pub(super) fn explain(&mut self, pod: PodIx) -> Option<Explanation<'v>> {
        let mut explanation = super::decide(self.input, &mut self.deciders, pod)?;
        if explanation.membership.is_some() {
            return Some(explanation);
        }
        if let Some(starts) = self.starts {
            explanation.enumerate(starts);
        }
        if self.remedies {
            explanation.seek_remedies();
        }
        self.add_own(&mut explanation);
        Some(explanation)
    }

    /// Adds what is about this pod alone.
    fn add_own(&self, explanation: &mut Explanation) {
        let pod = explanation.pod;
        let told = self.autoscalers.and_then(|all| all.about(explanation, Trying::On));
        explanation.autoscaling = told.map(Box::new);
        if explanation.remedies.is_some() {
            let Self { args, connection, input, .. } = self;
            let command = check::command(&args.input, connection, &input.cluster, pod);
            add_checks(explanation, &command);
        }
    }
}
