//! `simulate --nodes-needed`: how many new nodes pending or new pods need, of the kinds that are
//! there, without evictions and with them, and which constraint asks for them.

use std::collections::BTreeSet;

use engine::cluster::{Cluster, PodIx};
use engine::edits::name_of_copy;
use engine::notes::{self, Note, Severity};
use engine::plugins::dynamic_resources;
use engine::profile::Profile;
use engine::simulation::growth::bounds::{self, Bound, BoundReason, Demand};
use engine::simulation::growth::{Explained, Growth, GrowthProof, Trial, Unplaced, search};
use engine::simulation::sequence::{Causes, SimulationSettings};
use engine::simulation::suggest::{NewNode, kinds};

use super::{Basis, Report, SimulateRequest, Verdict, WhatIfCluster, gate, play};
use crate::error::AnswerError;
use crate::input::LoadedInput;
use crate::words;

/// The budget of all plays, in pods in question times nodes.
const WORK: usize = 30_000_000;
/// Minimum and maximum number of combinations of nodes that are played.
const PLAYS: (usize, usize) = (60, 3_000);

/// How many new nodes are needed.
#[derive(Debug, Clone)]
pub struct NodesNeededReport {
    pub basis: Basis,
    /// How many pods are asked about.
    pub pods: usize,
    /// How many of them no new node helps.
    pub not_helped: usize,
    /// Of how many it is not known whether they get a node.
    pub not_known: usize,
    /// If no pod is evicted.
    pub without_evictions: Growth,
    /// If pods are evicted where kube-scheduler preempts; `None` if no running pod has a lower
    /// priority.
    pub with_evictions: Option<Growth>,
    /// How many of those that no new node helps get one if pods are evicted.
    pub evictions_help: usize,
    pub nothing_waits: Option<String>,
    /// What makes it uncertain, each once.
    pub notes: Vec<Note>,
}

impl Report for NodesNeededReport {
    /// Whether every pod gets a node without evictions and without a new node.
    fn verdict(&self) -> Verdict {
        let growth = &self.without_evictions;
        let fits = growth.number() == 0 && growth.left.is_empty();
        let is_unsure = self.notes.iter().any(|note| note.severity == Severity::Error);
        Verdict::new(fits, is_unsure || !growth.unknown.is_empty())
    }
}

impl NodesNeededReport {
    /// `12 pods need 3 new nodes: fewer are not enough, wherever pods go; evictions save 1 of them`.
    pub fn sentence(&self) -> String {
        if let Some(nothing) = &self.nothing_waits {
            return nothing.trim_end_matches('.').to_owned();
        }
        let growth = &self.without_evictions;
        let helped = self.pods.saturating_sub(self.not_helped + self.not_known);
        let mut sentence = match (helped, growth.number()) {
            (0, _) if self.not_helped == 0 => {
                let pods = words::count(self.not_known, "pod");
                return format!("It is not known whether new nodes help {pods}");
            }
            (0, _) => {
                format!("No new node helps {}{}", words::count(self.pods, "pod"), up_to(growth))
            }
            (pods, 0) => {
                let verb = if pods == 1 { "fits" } else { "fit" };
                format!("{} {verb} without a new node", words::count(pods, "pod"))
            }
            (pods, _) => {
                let verb = if pods == 1 { "needs" } else { "need" };
                format!("{} {verb} {}", words::count(pods, "pod"), needed(growth))
            }
        };
        if helped > 0 && self.not_helped > 0 {
            let others = words::count(self.not_helped, "more pod");
            sentence.push_str(&format!("; no new node helps {others}{}", up_to(growth)));
        }
        if self.not_known > 0 {
            let others = words::count(self.not_known, "more pod");
            sentence.push_str(&format!("; it is not known whether one helps {others}"));
        }
        sentence.push_str(&self.about_evictions().unwrap_or_default());
        sentence
    }

    /// How many nodes evictions save at least, if all evicted pods get a node again and no pod loses
    /// one.
    pub fn saved_by_evictions(&self) -> Option<usize> {
        let (without, with) = (&self.without_evictions, self.with_evictions.as_ref()?);
        let none_is_lost = with.left.keys().all(|one| without.left.contains_key(one));
        none_is_lost.then(|| without.number().saturating_sub(with.number()))
    }

    /// The end of the sentence, if evictions make a difference or could.
    fn about_evictions(&self) -> Option<String> {
        let (without, with) = (&self.without_evictions, self.with_evictions.as_ref()?);
        let saved = self.saved_by_evictions()?;
        let evicting = format!("evicting {}", words::count(with.evicted, "pod"));
        let nodes = words::count(with.number(), "new node");
        let open = |growth: &Growth| growth.proof == GrowthProof::BestFound;
        Some(match saved {
            _ if self.evictions_help > 0 => {
                let with = if with.number() > 0 {
                    format!(", with {nodes} in all")
                } else {
                    String::new()
                };
                format!("; {evicting} helps {} of these{with}", self.evictions_help)
            }
            _ if without.number() == 0 => return None,
            0 if open(with) => {
                format!("; with evictions {nodes} were enough, and fewer are not ruled out")
            }
            0 => "; evictions save no node".to_owned(),
            _ if open(without) => format!("; {evicting} makes {nodes} enough"),
            saved => format!("; {evicting} saves {saved} of them"),
        })
    }
}

/// How many new nodes were tried for those that none helps.
fn up_to(growth: &Growth) -> String {
    match growth.most_tried {
        0 => String::new(),
        most => format!(" (up to {} tried)", words::group_digits(most)),
    }
}

/// `3 new nodes: fewer are not enough, wherever pods go`, or `between 2 and 3 new nodes: 2 were not
/// ruled out`.
pub fn needed(growth: &Growth) -> String {
    let number = growth.number();
    let nodes = words::count(number, "new node");
    let in_order = if growth.is_open { " in the order that was played" } else { "" };
    match growth.proof {
        _ if number == 0 => "no new node is needed".to_owned(),
        GrowthProof::Bound => format!("{nodes}: fewer are not enough, wherever pods go"),
        GrowthProof::Tried if number == 1 => {
            format!("{nodes}: without it not all of them fit{in_order}")
        }
        GrowthProof::Tried if growth.is_open => {
            format!("{nodes}: no smaller combination was enough{in_order}")
        }
        GrowthProof::Tried => {
            format!("{nodes}: every smaller combination leaves a pod without a node")
        }
        GrowthProof::BestFound => {
            let fewer = match number - growth.at_least {
                1 => format!("{} was", growth.at_least),
                _ => format!("{} to {} were", growth.at_least, number - 1),
            };
            format!("between {} and {nodes}: {fewer} not ruled out", growth.at_least)
        }
    }
}

/// Where a limit comes from: `at least 3: cpu: 30 requested, 12 free where they fit, 8 on a new
/// node`.
pub fn bound_sentence(bound: &Bound) -> String {
    let Bound { at_least, constraint, why, .. } = bound;
    let why = match why {
        BoundReason::Sum { requested, free, per_node } => format!(
            "{requested} requested, {free} free where the pods fit, {per_node} on a new node"
        ),
        BoundReason::Large { pods, request, room, per_node } => format!(
            "{pods} pods request {request} or more each, the nodes have room for {room} of them where \
             they fit, and a new node takes {per_node}"
        ),
        BoundReason::Alike { pods: 1, first, .. } => format!("{first} fits on no node"),
        BoundReason::Alike { pods, first, per_node } => {
            format!("{pods} pods like {first} have no room, and a new node takes {per_node}")
        }
        BoundReason::Apart { pods, first, key, per_node } => {
            format!("{pods} pods like {first} keep apart by {key}, and a new node takes {per_node}")
        }
        BoundReason::Spread { pods, first, key, max_skew, per_node } => format!(
            "{pods} pods like {first} spread over {key} (maxSkew {max_skew}), and a new node takes \
             {per_node}"
        ),
    };
    let constraint = if constraint.is_empty() { String::new() } else { format!("{constraint}: ") };
    format!("at least {}: {constraint}{why}", words::group_digits(*at_least))
}

/// The name of a proof in JSON.
pub const fn proof_name(proof: GrowthProof) -> &'static str {
    match proof {
        GrowthProof::Bound => "Bound",
        GrowthProof::Tried => "Tried",
        GrowthProof::BestFound => "BestFound",
    }
}

/// Looks for the fewest new nodes with which every pod of `request` gets a node.
///
/// # Errors
/// What is wrong with a manifest, and names of objects that are not in the cluster.
pub fn nodes_needed(
    input: &LoadedInput,
    request: &SimulateRequest,
) -> Result<NodesNeededReport, AnswerError> {
    let base = WhatIfCluster::build(request, input.clone(), &[])?;
    let kinds = kinds(&base.cluster);
    let preempting: Vec<Profile> = input.profiles().cloned().collect();
    let mut never = preempting.clone();
    for profile in &mut never {
        // A claim that no pod uses is given up without evictions.
        profile.plugins.post_filter.retain(|plugin| *plugin == dynamic_resources::NAME);
        profile.plugins.pod_group_post_filter.clear();
    }
    let needs = Needs { input, request, base: &base, kinds: &kinds };
    let without_evictions = needs.of(&never)?;
    let with_evictions = if can_evict(&base) { Some(needs.of(&preempting)?) } else { None };

    let mut all = base.notes.clone();
    for growth in std::iter::once(&without_evictions).chain(&with_evictions) {
        for note in growth.notes.iter().cloned() {
            notes::add(&mut all, note);
        }
    }
    for note in base.cluster.notes_on_lists().cloned().map(Note::raised) {
        notes::add(&mut all, note);
    }
    let pods = pods_in_question(&base, &base.cluster);
    let left = left_of(&pods, &base.cluster, &without_evictions);
    let is_undecided = |pod: &&PodIx| {
        names_of(**pod, &base.cluster).any(|one| without_evictions.unknown.contains(&one))
    };
    let not_known = left.iter().filter(is_undecided).count();
    let helped = |with: &Growth| left.difference(&left_of(&pods, &base.cluster, with)).count();
    let evictions_help = with_evictions.as_ref().map(helped).unwrap_or_default();
    Ok(NodesNeededReport {
        basis: Basis::of(input),
        pods: pods.len() + base.refused.len(),
        not_helped: left.len() - not_known + base.refused.len(),
        not_known,
        without_evictions,
        with_evictions,
        evictions_help,
        nothing_waits: base.nothing_waits,
        notes: all,
    })
}

/// The pods that are left, on their own or with their whole group.
fn left_of(pods: &[PodIx], cluster: &Cluster, growth: &Growth) -> BTreeSet<PodIx> {
    let is_left = |pod: &PodIx| names_of(*pod, cluster).any(|one| growth.left.contains_key(&one));
    pods.iter().copied().filter(is_left).collect()
}

/// A pod by itself, and as a part of its group.
fn names_of(pod: PodIx, cluster: &Cluster) -> impl Iterator<Item = Unplaced> {
    let group = group_name(pod, cluster).map(Unplaced::Group);
    std::iter::once(Unplaced::Pod(cluster.pod_name(pod))).chain(group)
}

/// The group of a pod, `namespace/name`.
fn group_name(pod: PodIx, cluster: &Cluster) -> Option<String> {
    let (namespace, name) = cluster.named_group(pod)?;
    Some(format!("{}/{}", cluster.text(namespace), cluster.text(name)))
}

/// Whether a running pod has a lower priority than one of those in question.
fn can_evict(what_if: &WhatIfCluster) -> bool {
    let cluster = &what_if.cluster;
    let pods = pods_in_question(what_if, cluster);
    let highest = pods.iter().map(|pod| cluster.pod(*pod).priority).max();
    let mut running = cluster.pods.iter().filter(|pod| pod.is_running());
    highest.is_some_and(|highest| running.any(|pod| pod.priority < highest))
}

/// The pods that are decided at once, and those that rollouts make later.
fn pods_in_question(what_if: &WhatIfCluster, cluster: &Cluster) -> Vec<PodIx> {
    let later = what_if.rollouts.iter().flat_map(|rollout| &rollout.new);
    let later = later.filter_map(|(namespace, name)| cluster.find_pod(namespace, name));
    let mut pods: Vec<PodIx> = what_if.pods.iter().copied().chain(later).collect();
    pods.sort_unstable();
    pods.dedup();
    pods
}

struct Needs<'n> {
    input: &'n LoadedInput,
    request: &'n SimulateRequest,
    /// Without new nodes.
    base: &'n WhatIfCluster,
    kinds: &'n [NewNode],
}

impl Needs<'_> {
    /// What is needed if these profiles decide.
    fn of(&self, profiles: &[Profile]) -> Result<Growth, AnswerError> {
        let cluster = &self.base.cluster;
        let pods = pods_in_question(self.base, cluster).len() + 1;
        let (fewest, most) = PLAYS;
        let most = (WORK / (pods * (cluster.nodes.len() + 20))).clamp(fewest, most);
        let play = |counts: &[usize], explained| self.play(counts, profiles, explained);
        let members = |group: &str| {
            let names = cluster.pod_indices().filter_map(|pod| group_name(pod, cluster));
            names.filter(|name| name == group).count()
        };
        search(self.kinds, most, &play, &members, |helpless| self.bounds(profiles, helpless))
    }

    /// Plays the simulation with so many new nodes of each kind. They are there before the objects
    /// of manifests, whose DaemonSets have pods on them.
    fn play(
        &self,
        counts: &[usize],
        profiles: &[Profile],
        explained: Explained,
    ) -> Result<Trial, AnswerError> {
        let new = self.kinds.iter().zip(counts);
        let new = new.flat_map(|(kind, number)| std::iter::repeat_n(kind.edit(), *number));
        let mut what_if =
            WhatIfCluster::build(self.request, self.input.clone(), &new.collect::<Vec<_>>())?;
        let mut settings =
            SimulationSettings::new(profiles, self.input.now).following(self.request.depth);
        if explained == Explained::Yes {
            settings = settings.with_causes(Causes(&gate::causes));
        }
        let (mut simulation, _) = play(std::mem::take(&mut what_if.cluster), &what_if, settings);
        simulation.refused = what_if.refused;
        Ok(Trial::of(&simulation))
    }

    /// How many nodes all pods but the helpless ones need at least.
    fn bounds(
        &self,
        profiles: &[Profile],
        helpless: &BTreeSet<&Unplaced>,
    ) -> Result<Vec<Bound>, AnswerError> {
        let one_each: Vec<_> = self.kinds.iter().map(NewNode::edit).collect();
        let what_if = WhatIfCluster::build(self.request, self.input.clone(), &one_each)?;
        let cluster = &what_if.cluster;
        let name = |kind: &NewNode| name_of_copy(&self.base.cluster, &kind.like);
        let fresh = self.kinds.iter().map(|kind| cluster.find_node(&name(kind)));
        let Some(fresh) = fresh.collect::<Option<Vec<_>>>() else { return Ok(Vec::new()) };

        // Pods that no node helps have no part in it, and the room of victims that are lost is free.
        // Of a group, a rollout or more replacements than are followed not every pod has a name.
        let is_helpless = |pod: &PodIx| helpless.contains(&Unplaced::Pod(cluster.pod_name(*pod)));
        let lost: BTreeSet<PodIx> = cluster.pod_indices().filter(is_helpless).collect();
        let refused = what_if.refused.iter().map(|one| Unplaced::Pod(one.pod.full_name()));
        let refused = refused.filter(|one| helpless.contains(one)).count();
        let stops = !what_if.rollouts.is_empty() && !helpless.is_empty();
        if stops || lost.len() + refused < helpless.len() {
            return Ok(Vec::new());
        }
        let mut pods = pods_in_question(&what_if, cluster);
        pods.retain(|pod| !lost.contains(pod));
        let old = what_if.rollouts.iter().flat_map(|rollout| &rollout.old);
        let old = old.filter_map(|(namespace, name)| cluster.find_pod(namespace, name));
        let leaving: BTreeSet<PodIx> = old.chain(lost).collect();
        let evictions = profiles.iter().any(|profile| profile.plugins.preempts());
        Ok(bounds::of(&Demand {
            cluster,
            fresh: &fresh,
            pods: &pods,
            leaving: &leaving,
            evictions,
            profiles,
            now: self.input.now,
        }))
    }
}
