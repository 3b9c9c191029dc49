//! The extension points of plugins.

/// An extension point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// Before the active queue.
    PreEnqueue,
    /// Once per cycle.
    PreFilter,
    /// Once per node.
    Filter,
    /// If no node takes the pod.
    PostFilter,
    /// If too few pods of a group fit.
    PodGroupPostFilter,
    /// Once per cycle, before scoring.
    PreScore,
    /// Once per feasible node.
    Score,
    /// How the queue is sorted. This and the following points do not affect decisions.
    QueueSort,
    /// Once the node is chosen.
    Reserve,
    /// Before the pod is bound: it may have to wait.
    Permit,
    /// Once the pod may be bound.
    PreBind,
    /// Binds the pod.
    Bind,
    /// Once the pod is bound.
    PostBind,
    /// Which placements of a group are tried.
    PlacementGenerate,
    /// Which placement of a group is the best.
    PlacementScore,
    /// Whether a placement of a group is good enough.
    PlacementFeasible,
}

/// Each with its name in the configuration.
const NAMES: [(&str, Point); 16] = [
    ("preEnqueue", Point::PreEnqueue),
    ("queueSort", Point::QueueSort),
    ("preFilter", Point::PreFilter),
    ("filter", Point::Filter),
    ("postFilter", Point::PostFilter),
    ("podGroupPostFilter", Point::PodGroupPostFilter),
    ("preScore", Point::PreScore),
    ("score", Point::Score),
    ("reserve", Point::Reserve),
    ("permit", Point::Permit),
    ("preBind", Point::PreBind),
    ("bind", Point::Bind),
    ("postBind", Point::PostBind),
    ("placementGenerate", Point::PlacementGenerate),
    ("placementScore", Point::PlacementScore),
    ("placementFeasible", Point::PlacementFeasible),
];

impl Point {
    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, point)| *point == self).map_or("", |(name, _)| name)
    }

    /// The point of that name in the configuration.
    pub fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|(own, _)| *own == name).map(|(_, point)| *point)
    }
}
