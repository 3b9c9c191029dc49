//! The priority of a pod, which admission writes into its spec. A pod that names a class and has
//! priority 0 may have bypassed admission.

use crate::framework::doubts::Reliance;
use crate::framework::plugin::Cycle;
use model::cluster::Kind;
use model::notes::{Note, NoteDoc, Severity};

/// What a note about the priority means.
pub static NOT_THAT_OF_ITS_CLASS: NoteDoc = NoteDoc {
    code: "PRE-921",
    name: "a priority that is not that of its class",
    meaning: "The pod names a priority class, but its spec.priority is 0 or absent: kube-scheduler counts 0.",
};

fn is_suspect(cycle: &Cycle) -> bool {
    cycle.pod.priority == 0 && !cycle.template.priority_class.is_empty()
}

/// The note about a pod whose priority differs from that of its class.
pub(super) fn doubts(cycle: &Cycle) -> Option<Note> {
    let cluster = cycle.cluster();
    let class =
        cluster.priority_classes.iter().find(|c| c.name == cycle.template.priority_class)?;
    let text = format!(
        "names priority class {} ({}) but its spec.priority is 0 or absent: the scheduler counts 0",
        cluster.text(class.name),
        class.value
    );
    let odd = is_suspect(cycle) && class.value != 0;
    odd.then(|| Note::warning(&NOT_THAT_OF_ITS_CLASS, text).about(cluster.pod_subject(cycle.ix)))
}

/// How the priority depends on a kind of object.
pub(super) fn relies_on(kind: Kind, cycle: &Cycle) -> Option<Reliance> {
    let effect = "whether the priority 0 is that of the pod's class is not known";
    let reliance = Reliance::partial(Severity::Warning, effect);
    (kind == Kind::PriorityClass && is_suspect(cycle)).then_some(reliance)
}

#[cfg(test)]
mod tests {
    use crate::testing::{node, objects, pod, without};

    #[test]
    fn a_priority_class_matters_where_the_priority_may_be_missing() {
        let named = |priority| pod("p").priority(priority).with("/spec/priorityClassName", "high");
        for (objects, expected) in [
            (objects![node("n"), pod("p")], "info"),
            (objects![node("n"), named(7)], "info"),
            (objects![node("n"), named(0)], "warning"),
        ] {
            assert_eq!(without("1.37", "priorityclasses", objects), expected);
        }
    }
}
