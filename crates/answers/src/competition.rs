//! Who may take the room that evictions make, in words.

use engine::decision::competitors::{
    Competitor, CompetitorCertainty, CompetitorReason, Competitors,
};

/// `but shop/king (priority 5000) comes first and takes that room`; `None` if nobody competes, or
/// only replicas that do the same work.
pub fn clause(competitors: &Competitors) -> Option<String> {
    let first = competitors.contested().next()?;
    let others = match others(competitors) {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    Some(format!("but {}{others} {}", who(first), what(first, &others)))
}

/// The same for a cell of a table.
pub fn in_short(competitors: &Competitors) -> Option<String> {
    let first = competitors.contested().next()?;
    let others = match others(competitors) {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    let does = match first.certainty {
        CompetitorCertainty::ComesFirst if others.is_empty() => "comes first",
        CompetitorCertainty::ComesFirst => "come first",
        CompetitorCertainty::MayTake => "may take the room",
    };
    Some(format!("{}{others} {does}", first.full_name()))
}

/// What a competitor does to the room on these nodes, as a sentence without a full stop.
pub fn sentence(competitor: &Competitor, nodes: &str) -> String {
    let does = match competitor.certainty {
        CompetitorCertainty::ComesFirst => "comes first and takes the room",
        CompetitorCertainty::MayTake => "may take the room",
    };
    format!("{} {does} on {nodes}", who(competitor))
}

/// How many competitors there are besides the one that is named.
fn others(competitors: &Competitors) -> usize {
    let replicas = competitors.named.len() - competitors.contested().count();
    competitors.total.saturating_sub(replicas + 1)
}

fn who(competitor: &Competitor) -> String {
    let name = competitor.full_name();
    match competitor.reason {
        CompetitorReason::OtherScheduler => {
            format!("{name} (of scheduler {}, whose queue is not known)", competitor.scheduler)
        }
        CompetitorReason::HigherPriority
        | CompetitorReason::EqualPriority
        | CompetitorReason::Replica
        | CompetitorReason::NothingHeld => {
            format!("{name} (priority {})", competitor.priority)
        }
    }
}

fn what(first: &Competitor, others: &str) -> &'static str {
    match first.certainty {
        CompetitorCertainty::ComesFirst if others.is_empty() => "comes first and takes that room",
        CompetitorCertainty::ComesFirst => "come first and take that room",
        CompetitorCertainty::MayTake => "may take that room",
    }
}
