//! The parts of a decision in words.

use answers::words;
use engine::decision::compare::Aspect;

/// Names of aspects as text; the condition is named only if the message itself does not differ.
pub(super) fn aspects(aspects: &[Aspect]) -> String {
    let shown = |aspect: &&Aspect| {
        **aspect != Aspect::ConditionMessage || !aspects.contains(&Aspect::Message)
    };
    let words: Vec<&str> =
        aspects.iter().filter(shown).map(|aspect| aspect_words(*aspect)).collect();
    words::list(&words, usize::MAX)
}

/// Whether only the scheduler's texts differ.
pub(super) fn only_texts(aspects: &[Aspect]) -> bool {
    !aspects.is_empty()
        && aspects.iter().all(|aspect| matches!(aspect, Aspect::Message | Aspect::ConditionMessage))
}

const fn aspect_words(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::Outcome => "the outcome",
        Aspect::PreFilter => "why no node is looked at",
        Aspect::Filtered => "why nodes reject it",
        Aspect::Scores => "scores",
        Aspect::Eligible => "whether it may preempt",
        Aspect::Candidates => "which pods it would evict where",
        Aspect::Rejected => "where no eviction helps",
        Aspect::Selected => "the node",
        Aspect::Message => "the message",
        Aspect::ConditionMessage => "what the condition says",
        Aspect::Waiting => "when it is retried",
        Aspect::Doubts => "what is not certain",
    }
}
