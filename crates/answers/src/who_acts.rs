//! Who acts next for a pod or group: a value that every question fills in and every outlet names.

use engine::autoscalers::NextActor;
use engine::decision::handlers::Handler;

/// Who acts next for a pod or group, as tables, JSON and headings say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhoActs {
    Scheduler,
    /// The program that holds it.
    Handler(Handler),
    /// The program that holds it, and an autoscaler adds or may add a node meanwhile.
    HandlerAndAutoscaler(Handler),
    Step(NextActor),
}

impl WhoActs {
    /// In the words of tables and JSON.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Scheduler => "scheduler".to_owned(),
            Self::Handler(handler) => handler.name().to_owned(),
            Self::HandlerAndAutoscaler(handler) => format!("{}, autoscaler", handler.name()),
            Self::Step(actor) => actor.name().to_owned(),
        }
    }
}
