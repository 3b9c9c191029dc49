//! Which fields of objects a decision reads.

use crate::framework::doubts::DoubtContext;
use crate::framework::plugin::Plugin as _;
use crate::framework::score::ScorePlugin as _;
use crate::plugins;
use crate::plugins::before_1_31::node_prefer_avoid_pods::NodePreferAvoidPods;
use crate::plugins::image_locality::ImageLocality;
use crate::plugins::node_declared_features::NodeDeclaredFeatures;
use model::notes::{MissingInput, ObjectPart};
use profile::PluginArgs;

/// Parts of label keys that plugins read unasked: zones, regions, hosts.
const READ_ANYWAY: [&str; 2] = ["kubernetes.io/", "k8s.io/"];

/// Whether the decision reads this field of objects of a kind that it reads. `is_own`: the object
/// may be the pod in question.
pub(super) fn is_read(lack: &MissingInput, is_own: bool, context: &DoubtContext) -> bool {
    let profile = context.cycle.view.profile;
    let runs = |plugin: &str| plugins::runs(&profile.plugins, plugin);
    let cluster = context.cycle.cluster();
    match &lack.part {
        ObjectPart::Object | ObjectPart::Identity | ObjectPart::Field | ObjectPart::Labels => true,
        ObjectPart::Label(key) => {
            READ_ANYWAY.iter().any(|known| key.contains(known))
                || cluster.symbols.is_label_key(key)
                || asks_for(&profile.args, key)
        }
        ObjectPart::Images => context.scores_decide() && runs(ImageLocality.doc().name),
        ObjectPart::AvoidedPods => context.scores_decide() && runs(NodePreferAvoidPods.doc().name),
        ObjectPart::DeclaredFeatures => runs(NodeDeclaredFeatures.doc().name),
        ObjectPart::OfVictims => {
            is_own || !context.fits || cluster.pods.iter().any(|pod| !pod.nominated_node.is_empty())
        }
        ObjectPart::Shown => false,
    }
}

/// Whether the profile itself selects nodes by labels with this key.
fn asks_for(args: &PluginArgs, key: &str) -> bool {
    let preferred = args.added_affinity.preferred.iter().map(|(_, term)| term);
    let mut terms = args.added_affinity.required.iter().flatten().chain(preferred);
    terms.any(|term| term.expressions.iter().any(|expression| expression.key == key))
        || args
            .default_constraints
            .iter()
            .flatten()
            .any(|constraint| constraint.topology_key == key)
}
