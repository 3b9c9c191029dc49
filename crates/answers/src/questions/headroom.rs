//! How many more pods of one kind fit?

use std::borrow::Cow;

use engine::cluster::pod::PodIx;
use engine::cluster::{Cluster, Quantity};
use engine::edits::{self, Edit};
use engine::notes::Note;
use engine::simulation::MANIFEST;
use engine::simulation::headroom::{self, Amount, Count, Headroom, HeadroomSettings, PiecesState};
use jiff::Timestamp;
use serde_json::json;

use super::{Basis, Report, Verdict};
use crate::error::AnswerError;
use crate::in_part::PartialSubject;
use crate::input::LoadedInput;
use crate::new_pods::{self, Added, AppliedTo, Manifest};
use crate::node_name;
use crate::scale::in_short;
use crate::target::{self, Target};
use crate::words;

/// Name of a pod that is described by its requests.
const NAME: &str = "new-pod";

/// The pod of which more are counted.
#[derive(Debug, Clone)]
pub struct HeadroomRequest {
    pub pod: ModelPod,
    /// What is assumed of it.
    pub edits: Vec<Edit>,
}

impl HeadroomRequest {
    /// What it is about, for an answer in part.
    pub fn in_part(&self) -> PartialSubject<'_> {
        match &self.pod {
            ModelPod::Existing(target) => PartialSubject::Waiting {
                targets: std::slice::from_ref(target),
                all_namespaces: false,
            },
            ModelPod::New(_) => PartialSubject::Nothing,
        }
    }
}

/// Where the pod comes from.
#[derive(Debug, Clone)]
pub enum ModelPod {
    /// A pod of the cluster, or one more of an owner.
    Existing(Target),
    /// The pod, or the workload with pods, of manifests.
    New(Vec<Manifest>),
}

impl ModelPod {
    /// The pod of `POD`, `TYPE/NAME` or `RESOURCE=AMOUNT,...`.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] for what is neither, and for several pods.
    pub fn parse(words: &[String]) -> Result<Self, AnswerError> {
        match words {
            [first, ..] if !first.contains('=') => match target::parse(words)?.as_slice() {
                [target] => Ok(Self::Existing(target.clone())),
                _ => Err(AnswerError::usage("headroom looks at one pod or owner: name one")),
            },
            [requests] => Ok(Self::New(vec![described(requests)?])),
            [_, second, ..] => Err(AnswerError::usage_hint(
                format!("`{second}` stands beside what a pod requests"),
                "write the requests with commas: cpu=4,memory=8Gi",
            )),
            [] => Err(AnswerError::usage_hint(
                "headroom of what? no pod is named",
                "name a pod, an owner such as deploy/web, what a pod requests such as cpu=1,memory=2Gi, or a manifest with -f",
            )),
        }
    }
}

/// How many more fit.
#[derive(Debug, Clone)]
pub struct HeadroomReport {
    /// With the profile of the pod.
    pub basis: Basis,
    pub room: Headroom,
}

impl Report for HeadroomReport {
    fn verdict(&self) -> Verdict {
        Verdict::new(self.room.has_room(), self.room.is_unsure() || self.room.is_cut_short())
    }
}

impl HeadroomReport {
    /// `shop/web: 12 more fit now (priority 0, cpu=1,memory=2Gi each), 15 with preemption`.
    pub fn sentence(&self) -> String {
        let room = &self.room;
        let name = room.pod.full_name();
        if let Some(why) = &room.unknown {
            return format!("How many more pods like {name} fit is not known: {why}.");
        }
        let Some(own) = room.own() else { return format!("Nothing is known about {name}.") };

        // The number of today comes first; preemption is worth a word only where it adds to it.
        let number = own.without_preemption;
        let fit = match number.number {
            1 if number.is_complete => format!("{name}: 1 more fits now"),
            several => {
                let least = if number.is_complete { "" } else { "at least " };
                format!("{name}: {least}{} more fit now", words::group_digits(several))
            }
        };
        let with = match &own.with_preemption {
            None => String::new(),
            Some(with) if with.number == number.number && with.is_complete => {
                ", and no more with preemption".to_owned()
            }
            Some(with) => format!(", {} with preemption", counted(*with)),
        };

        let each = requests(&room.requests);
        let each = if each.is_empty() { String::new() } else { format!(", {each} each") };
        let mut doubts: Vec<&str> = Vec::new();
        if room.is_cut_short() {
            doubts.push("counting stopped after as many steps as a cluster of this size gets");
        }
        if room.is_unsure() {
            doubts.push("not certain: see the notes");
        }
        let doubt =
            if doubts.is_empty() { String::new() } else { format!(" ({})", doubts.join("; ")) };
        format!("{fit} (priority {}{each}){with}.{doubt}", own.priority)
    }

    /// Whether the nodes are full, or the free resources are fragmented.
    pub fn in_pieces(&self) -> String {
        let room = &self.room;
        let pieces = &room.pieces;
        let placed = room.own().map_or(0, |own| own.without_preemption.number);
        let nodes = words::count(pieces.nodes, "node");
        let scarcest = pieces.scarcest.as_deref().unwrap_or("pods");

        // What is free in all and on one node shows whether moving pods could help.
        let mut largest: Vec<String> = Vec::new();
        for free in &pieces.resources {
            let resource = &free.resource;
            let [all, one] = [&free.free, &free.largest].map(|amount| in_short(resource, amount));
            largest.push(format!("{resource} {all} free, at most {one} on one"));
        }
        let largest =
            if largest.is_empty() { String::new() } else { format!(" ({})", largest.join("; ")) };
        match (pieces.state, pieces.in_sum) {
            (PiecesState::Fragmented, Some(in_sum)) => format!(
                "Fragmented: on the {nodes} that may take one, what is free adds up to {}, and single nodes have room for \
                 {}{largest}.",
                words::group_digits(in_sum),
                words::group_digits(placed),
            ),
            (PiecesState::Full, _) if pieces.nodes == 0 => {
                "Full: no node takes one, not even without the pods that may run elsewhere."
                    .to_owned()
            }
            (PiecesState::Full, _) => format!(
                "Full: on the {nodes} that may take one, {scarcest} is not enough for one more, even taken together{largest}."
            ),
            (PiecesState::Room | PiecesState::Fragmented, _) => {
                format!("Not fragmented: {scarcest} runs out first{largest}.")
            }
        }
    }

    /// What moving pods gains, if that was tried.
    pub fn defragmentation(&self) -> Option<String> {
        let found = self.room.defragmentation?;
        Some(match found.gains {
            0 => "No rebalancing found that makes room for another.".to_owned(),
            gains => {
                let least = if found.may_go_on { "at least " } else { "" };
                format!(
                    "Moving {} makes room for {least}{} more (simulated); `suggest` names the pods for a pending one.",
                    words::count(found.moves, "pod"),
                    words::group_digits(gains),
                )
            }
        })
    }
}

/// A number, or a lower bound.
pub fn counted(count: Count) -> String {
    let number = words::group_digits(count.number);
    if count.is_complete { number } else { format!("at least {number}") }
}

/// `cpu=1,memory=2Gi`.
pub fn requests(amounts: &[Amount]) -> String {
    let pairs = amounts.iter().map(|Amount { resource, amount, .. }| {
        format!("{resource}={}", words::in_units(resource, amount))
    });
    pairs.collect::<Vec<_>>().join(",")
}

/// Counts how many more fit.
///
/// # Errors
/// A pod that there is not, manifests of no pod or of several, and files that lack the nodes.
pub fn headroom(
    input: &LoadedInput,
    request: &HeadroomRequest,
) -> Result<HeadroomReport, AnswerError> {
    let mut model = match &request.pod {
        ModelPod::Existing(target) => Model::existing(target, input)?,
        ModelPod::New(manifests) => Model::new(manifests, input)?,
    };
    model.edit(&request.edits, input.now)?;
    let profile = input.profile_in(&model.cluster, model.pod);
    let settings = HeadroomSettings { profile, now: input.now };
    let mut room = headroom::assess(&model.cluster, model.pod, settings);
    room.notes.splice(0..0, model.notes);
    Ok(HeadroomReport { basis: Basis { profile: profile.clone(), ..Basis::of(input) }, room })
}

/// The manifest of a pod that requests `RESOURCE=AMOUNT,...`.
fn described(text: &str) -> Result<Manifest, AnswerError> {
    let mut requests = serde_json::Map::new();
    for pair in text.split(',').filter(|pair| !pair.is_empty()) {
        let (resource, amount) = pair.split_once('=').unwrap_or((pair, ""));
        if resource.is_empty() || amount.is_empty() {
            let problem = format!("`{pair}` is not RESOURCE=AMOUNT");
            return Err(AnswerError::usage_hint(problem, "write it as cpu=4,memory=8Gi"));
        }
        Quantity::parse(amount).map_err(|e| {
            AnswerError::usage(format!("the amount `{amount}` of {resource} is {e}"))
        })?;
        requests.insert(resource.to_owned(), amount.into());
    }
    let object = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": NAME},
        "spec": {"containers": [{"name": "main", "resources": {"requests": requests}}]}});
    Ok(Manifest { origin: text.to_owned(), object, line: 1, refusal: None })
}

/// The pod that is copied, and the cluster that it is in.
struct Model<'i> {
    cluster: Cow<'i, Cluster>,
    pod: PodIx,
    /// Notes about its manifest.
    notes: Vec<Note>,
}

impl<'i> Model<'i> {
    fn existing(target: &Target, input: &'i LoadedInput) -> Result<Self, AnswerError> {
        input.check_nodes()?;
        let found = target::find(target, &input.namespace, &input.cluster)?;
        let pod = found.first().copied();
        let pod = pod.ok_or_else(|| target::not_found(target, &input.namespace, &input.cluster))?;
        Ok(Self { cluster: Cow::Borrowed(&input.cluster), pod, notes: Vec::new() })
    }

    fn new(manifests: &[Manifest], input: &LoadedInput) -> Result<Self, AnswerError> {
        let (namespace, place) = (&input.namespace, &input.place);
        let Added { cluster, pods, refused, remarks, open, unusable, .. } = new_pods::add(
            input.cluster.clone(),
            manifests,
            namespace,
            Some(1),
            place,
            AppliedTo::Nothing,
        )?;

        // One pod is looked at, and it must be one that the API server would create.
        if let Some(first) = unusable.into_iter().next() {
            return Err(first.error(manifests));
        }
        if let Some(refused) = refused.first() {
            let name = refused.pod.full_name();
            return Err(wrong_manifests(format!(
                "the API server would refuse {name}: {}",
                refused.why
            )));
        }
        let named = match pods.as_slice() {
            [named] => named,
            [] => return Err(wrong_manifests(new_pods::without_pods(&remarks))),
            several => {
                let number = several.len();
                let problem = format!("{number} pods or workloads in it: headroom looks at one");
                return Err(wrong_manifests(problem));
            }
        };
        let (namespace, name) = new_pods::name_in_manifest(&named.object);
        let pod = cluster.find_pod(&namespace, &name).ok_or_else(|| {
            wrong_manifests("its pod cannot be read, see the warnings".to_owned())
        })?;

        let origin = manifests.first().map_or(new_pods::OF_MANIFESTS, |m| m.origin.as_str());
        let unsure =
            open.into_iter().map(|text| Note::error(&MANIFEST, format!("{origin}: {text}")));
        let remarks = remarks.into_iter().map(|remark| remark.warning(&MANIFEST, origin));
        Ok(Self { cluster: Cow::Owned(cluster), pod, notes: unsure.chain(remarks).collect() })
    }

    /// Edits the pod, or a copy of it if it is running: running pods stay unchanged.
    fn edit(&mut self, edits: &[Edit], now: Timestamp) -> Result<(), AnswerError> {
        if edits.is_empty() {
            return Ok(());
        }
        let cluster = self.cluster.to_mut();
        if !cluster.pod(self.pod).is_waiting() {
            let name = cluster.pod(self.pod).name.to_string();
            let found = new_pods::add_one_like(self.pod, &name, cluster, now);
            self.pod = found.unwrap_or(self.pod);
        }
        edits::apply(cluster, &[self.pod], edits)
            .map_err(|refusal| node_name::impossible(refusal, cluster))
    }
}

fn wrong_manifests(problem: String) -> AnswerError {
    AnswerError::input(new_pods::OF_MANIFESTS, problem)
}
