//! What the scores of devices depend on.

use super::{DOC, FIT, NodeResourcesFit};
use crate::framework::doubts::{DoubtContext, Doubts};
use crate::framework::plugin::RuleDoc;
use model::cluster::NodeIx;
use model::notes::{Note, NoteDoc};

static REMEMBERED_DEVICES: NoteDoc = NoteDoc {
    code: "PRE-966",
    name: "devices that a scheduler may remember as they were",
    meaning: "NodeResourcesFit scores an extended resource by the devices that its DeviceClass selects. kube-scheduler keeps in mind which devices were selected and does not look at them again, even when their ResourceSlice changes.",
};

static NOTES: &[&NoteDoc] = &[&REMEMBERED_DEVICES];

impl Doubts for NodeResourcesFit {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn notes(&self) -> &'static [&'static NoteDoc] {
        NOTES
    }

    fn doubts(&self, context: &DoubtContext) -> Vec<Note> {
        let cycle = context.cycle;
        let scores = cycle.view.profile.plugins.score.iter().any(|(name, _)| *name == DOC.name);
        if !scores || !context.scores_decide() {
            return Vec::new();
        }
        let scored = FIT.scored(cycle);
        let feasible: Vec<NodeIx> = context.feasible().collect();
        let count = scored.may_remember_devices(&feasible);
        if count == 0 {
            return Vec::new();
        }
        let text = format!(
            "devices on {count} nodes are not of the class that provides an extended resource, and their ResourceSlices have \
             changed; a scheduler that saw them when they were of that class still counts them in scores"
        );
        vec![Note::error(&REMEMBERED_DEVICES, text).about(cycle.cluster().pod_subject(cycle.ix))]
    }
}

#[cfg(test)]
mod tests {
    use profile::args::WeightedResource;
    use serde_json::{Value, json};

    use crate::testing::{at, device_class, node, objects, pod};

    const GPU: &str = "example.com/gpu";

    /// Devices of a node with these models, in a pool of this generation.
    fn devices(node: &str, models: &[&str], generation: i64) -> Value {
        let of_model = |(index, model): (usize, &&str)| json!({"name": format!("d{index}"), "attributes": {"model": {"string": model}}});
        let devices: Vec<Value> = models.iter().enumerate().map(of_model).collect();
        json!({"kind": "ResourceSlice", "metadata": {"name": node}, "spec": {"driver": "d.example.com", "nodeName": node,
            "pool": {"name": node, "generation": generation, "resourceSliceCount": 1}, "devices": devices}})
    }

    #[test]
    fn devices_that_were_of_a_class_may_still_count() {
        let of_model_a = r#"device.attributes["d.example.com"].model == "a""#;
        let of_driver =
            r#"device.driver == "other.example.com" || device.driver == "d.example.com""#;
        let notes = |selector: &str, models: &[&str], generation: i64, scored: bool| {
            let mut class: Value = device_class("g", GPU).into();
            class["spec"]["selectors"] = json!([{"cel": {"expression": selector}}]);
            let at = at("1.37").with(if scored {
                |profile| {
                    profile
                        .args
                        .fit_scoring
                        .resources
                        .push(WeightedResource { name: GPU.to_owned(), weight: 1 });
                }
            } else {
                |_| {}
            });
            let objects = objects![
                class,
                node("n1").cpu("4"),
                node("n2").cpu("4"),
                devices("n1", models, generation),
                devices("n2", models, 1),
                pod("p").cpu("1").requests(GPU, "1")
            ];
            let answer = at.decide(objects, "p");
            answer
                .notes()
                .iter()
                .filter(|note| note.contains("still counts them"))
                .cloned()
                .collect::<Vec<_>>()
        };
        for (row, selector, models, generation, scored, want) in [
            ("one is not any more", of_model_a, &["a", "b"][..], 2, true, 1),
            ("all are", of_model_a, &["a", "a"], 2, true, 0),
            ("nothing has changed", of_model_a, &["a", "b"], 1, true, 0),
            ("all of its driver are", of_driver, &["a", "b"], 2, true, 0),
            ("it is not scored", of_model_a, &["a", "b"], 2, false, 0),
        ] {
            let notes = notes(selector, models, generation, scored);
            assert_eq!(notes.len(), want, "{row}: {notes:?}");
            assert!(notes.iter().all(|note| note.starts_with("error")), "{row}: {notes:?}");
        }
    }
}
