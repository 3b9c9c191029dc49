//! Changes with which pending pods fit, as JSON.

use crate::{ToJson, decision as parts};
use answers::questions::suggest::{SuggestReport, SuggestedChange, commands, proof_name};
use engine::simulation::plan::PodId;
use engine::simulation::suggest::many::ForMany;
use engine::simulation::suggest::{Move, MovePlan, NewNode};
use json::common::PodId as JsonPodId;
use json::suggestion::{
    Action, ForMany as JsonForMany, Move as JsonMove, MovePlan as JsonMovePlan,
    NewNode as JsonNewNode, NodesNeeded, Searched, Suggestion as JsonSuggestion, SuggestionList,
};
use json::{ApiVersion, kind};

use super::simulation::pod_id;

/// The JSON of suggestions.
impl ToJson for SuggestReport {
    type Json = SuggestionList;

    fn json(&self) -> SuggestionList {
        SuggestionList {
            api_version: ApiVersion::default(),
            kind: kind::SuggestionList::default(),
            scheduler: parts::scheduler(&self.basis.profile),
            source: parts::source(&self.basis.header, self.basis.source),
            items: self.items.iter().map(suggestion).collect(),
            many: self.many.as_ref().map(for_many),
            notes: self.notes.iter().map(parts::note).collect(),
        }
    }
}

fn suggestion(item: &SuggestedChange) -> JsonSuggestion {
    let found = &item.suggestion;
    JsonSuggestion {
        pod: pod_id(&found.pod),
        priority: found.priority,
        alike: item.alike,
        outcome: found.outcome.name().into(),
        nodes: found.nodes.clone(),
        victims: pods(&found.victims),
        moves: found.moves.as_ref().map(|plan| move_plan(plan, found)),
        searched: Searched {
            plays: found.searched.plays,
            complete_up_to: found.searched.complete_up_to,
        },
        changes: found.changes.iter().map(parts::remedy).collect(),
        node: found.node.as_ref().map(new_node),
        unknown: found.unknown.clone(),
    }
}

fn pods(pods: &[PodId]) -> Vec<JsonPodId> {
    pods.iter().map(pod_id).collect()
}

fn move_plan(plan: &MovePlan, found: &engine::simulation::suggest::Suggestion) -> JsonMovePlan {
    JsonMovePlan {
        proof: proof_name(plan.proof).into(),
        moves: plan.moves.iter().map(one_move).collect(),
        pdbs_unknown: plan.budgets_unknown,
        freed: plan.freed.clone(),
        node: plan.node.clone(),
        commands: commands(plan, &found.pod),
    }
}

fn one_move(step: &Move) -> JsonMove {
    JsonMove {
        pod: pod_id(&step.pod),
        priority: step.priority,
        from: step.from.clone(),
        to: step.to.clone(),
        open: step.is_open,
        loses_work: step.restart.loses_work,
        only_replica: step.restart.only_replica,
        grace_seconds: step.restart.grace_seconds,
        budget_allows: step.budget_allows,
    }
}

pub(crate) fn new_node(node: &NewNode) -> JsonNewNode {
    JsonNewNode { like: node.like.clone(), pool: node.pool.clone(), shape: node.shape.clone() }
}

fn for_many(many: &ForMany) -> JsonForMany {
    let actions = many
        .actions
        .iter()
        .map(|action| Action { edit: parts::edit(&action.edit), lets_in: pods(&action.lets_in) });
    let nodes = many.nodes.iter().map(|needed| NodesNeeded {
        node: new_node(&needed.node),
        number: needed.number,
        places: needed.places,
        remain: needed.remain,
    });
    JsonForMany {
        pods: many.pods,
        fit_now: pods(&many.fit_now),
        left: pods(&many.left),
        not_tried: many.not_tried,
        actions: actions.collect(),
        nodes: nodes.collect(),
    }
}
