//! The device selectors of a cluster, each compiled once and evaluated once per device, and the
//! budget of work that devices may cost.
//!
//! Whoever may create a claim controls how long kube-scheduler searches for its devices.
//! kube-scheduler stops the search on a node after ten seconds
//! (`pkg/scheduler/apis/config/types_pluginargs.go` `DynamicResourcesFilterTimeoutDefault`, 1.34 to
//! 1.37), and the evaluation of a selector at a cost of 1,000,000 (`api/resource/v1/types.go`
//! `CELSelectorExpressionMaxCost`), each time anew. Here the work of a whole run is bounded
//! instead, and counted in steps, so that the answer does not depend on the machine. The budget of
//! each search and evaluation follows from the cluster alone, so the order in which threads reach
//! them does not matter.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cel::{EvaluationError, Release, SelectorLimits};

use super::cel::{CompileError, Expression, devices, release, unknown};
use super::pools::PoolDevice;
use model::cluster::devices::{Ask, CLASS_RESOURCE_PREFIX, Device, Devices, Slice};
use model::cluster::resources::is_extended;
use model::cluster::symbols::Symbols;
use model::cluster::{Cluster, Sym};
use profile::history::DynamicResources;

/// Steps of all device searches in a run, if each waiting pod is decided once.
const SEARCH_STEPS_OF_RUN: u64 = 50_000_000;
/// Minimum number of steps for a pod, over all nodes.
const FEWEST_SEARCH_STEPS: u64 = 50_000;
/// Maximum number of steps for a pod.
const MOST_SEARCH_STEPS: u64 = 4_000_000;
/// Steps of all selector evaluations in a run.
const SELECTOR_STEPS_OF_RUN: u64 = 40_000_000;
/// Minimum number of steps of an evaluation. Selectors that compare attributes take a few dozen.
const FEWEST_SELECTOR_STEPS: u64 = 1_000;
/// Maximum number of expressions that the macros of all selectors may expand to.
const EXPRESSIONS_OF_RUN: usize = 2_000_000;
/// Minimum number of expressions of a selector. The longest text that the API admits has no more.
const FEWEST_EXPRESSIONS: usize = 12_000;
/// Maximum number of cached results.
const MOST_REMEMBERED: usize = 8_000_000;
/// A trial of a remedy gets this fraction of a pod's steps.
const SHARE_OF_TRIAL: u64 = 16;

/// The device selectors of a cluster. Clones share cached results.
#[derive(Debug, Clone)]
pub struct DeviceSelectors {
    known: Arc<KnownSelectors>,
    /// Steps of the device search for a pod, over all nodes.
    search_steps: u64,
}

#[derive(Debug)]
struct KnownSelectors {
    limits: SelectorLimits,
    /// How many devices the cluster has.
    devices: usize,
    /// Whether results are cached.
    remembers: bool,
    selectors: Mutex<BTreeMap<(Sym, Release), Arc<CompiledSelector>>>,
    derivations: Mutex<BTreeMap<(Sym, Release), Arc<Derivation>>>,
}

impl DeviceSelectors {
    /// The selectors of the device classes and of the claims that wait for devices.
    pub fn of(cluster: &Cluster) -> Self {
        let devices = count(&cluster.devices);
        let selectors = if devices == 0 { 0 } else { texts(&cluster.devices).len() };
        let evaluations = selectors.saturating_mul(devices);
        let share = SELECTOR_STEPS_OF_RUN / (evaluations.max(1) as u64);
        let expressions = EXPRESSIONS_OF_RUN / selectors.max(1);
        let limits = SelectorLimits {
            expressions: expressions.clamp(FEWEST_EXPRESSIONS, SelectorLimits::LARGEST.expressions),
            steps: share.clamp(FEWEST_SELECTOR_STEPS, SelectorLimits::LARGEST.steps),
        };
        let pods = if devices == 0 { 0 } else { waiting_pods(cluster) };
        let known = KnownSelectors {
            limits,
            devices,
            remembers: evaluations <= MOST_REMEMBERED,
            selectors: Mutex::default(),
            derivations: Mutex::default(),
        };
        let search_steps =
            (SEARCH_STEPS_OF_RUN / pods.max(1)).clamp(FEWEST_SEARCH_STEPS, MOST_SEARCH_STEPS);
        Self { known: Arc::new(known), search_steps }
    }

    /// The same, if `cluster` is a copy with unchanged devices.
    #[must_use]
    pub fn for_copy(&self, cluster: &Cluster) -> Self {
        if self.known.devices == count(&cluster.devices) { self.clone() } else { Self::of(cluster) }
    }

    /// The same for a trial of a decision, which gets a fraction of its steps.
    #[must_use]
    pub fn for_trial(&self) -> Self {
        Self { known: Arc::clone(&self.known), search_steps: self.search_steps / SHARE_OF_TRIAL }
    }

    /// Steps of the device search for a pod, over all nodes.
    pub(super) fn search_steps(&self) -> u64 {
        self.search_steps
    }

    /// A selector, compiled.
    pub(super) fn selector(
        &self,
        text: Sym,
        cluster: &Cluster,
        features: &DynamicResources,
    ) -> Arc<CompiledSelector> {
        let mut selectors = self.known.selectors.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(selectors.entry((text, release(features))).or_insert_with(|| {
            let expression = Expression::compile(cluster.text(text), features, self.known.limits);
            let (results, unknown) = (self.results(), OnceLock::new());
            Arc::new(CompiledSelector {
                expression,
                results,
                unknown,
                depends_on_map_order: OnceLock::new(),
            })
        }))
    }

    /// The expression of a derived attribute, compiled.
    pub(super) fn derivation(
        &self,
        text: Sym,
        cluster: &Cluster,
        features: &DynamicResources,
    ) -> Arc<Derivation> {
        let mut derivations = self.known.derivations.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(derivations.entry((text, release(features))).or_insert_with(|| {
            let expression =
                Expression::derivation(cluster.text(text), features, self.known.limits);
            Arc::new(Derivation { expression, results: self.results(), unknown: OnceLock::new() })
        }))
    }

    fn results<T>(&self) -> Results<T> {
        Results {
            devices: if self.known.remembers { self.known.devices } else { 0 },
            of_devices: OnceLock::new(),
        }
    }
}

/// The results of an expression, by device number.
#[derive(Debug)]
struct Results<T> {
    /// How many devices have cached results.
    devices: usize,
    of_devices: OnceLock<Box<[OnceLock<T>]>>,
}

impl<T: Clone> Results<T> {
    fn get(&self, number: usize, evaluate: impl FnOnce() -> T) -> T {
        let of_devices =
            self.of_devices.get_or_init(|| (0..self.devices).map(|_| OnceLock::new()).collect());
        match of_devices.get(number) {
            Some(result) => result.get_or_init(evaluate).clone(),
            None => evaluate(),
        }
    }
}

/// A compiled selector with its cached results.
#[derive(Debug)]
pub struct CompiledSelector {
    pub(super) expression: Result<Expression, CompileError>,
    results: Results<Result<bool, Arc<EvaluationError>>>,
    unknown: OnceLock<Option<String>>,
    depends_on_map_order: OnceLock<bool>,
}

impl CompiledSelector {
    /// Whether the selector, compiled from `expression`, selects a device.
    pub(super) fn matches(
        &self,
        expression: &Expression,
        slice: &Slice,
        index: usize,
        device: &Device,
        symbols: &Symbols,
    ) -> Result<bool, Arc<EvaluationError>> {
        self.results.get(slice.devices_before + index, || {
            expression.matches(device, slice.driver, symbols).map_err(Arc::new)
        })
    }

    /// Why the selector does not compile.
    pub fn compile_error(&self) -> Option<&CompileError> {
        self.expression.as_ref().err()
    }

    /// What is unknown about its result for a device of the cluster, if anything.
    pub fn unknown_result(&self, cluster: &Cluster) -> Option<String> {
        let expression =
            self.expression.as_ref().ok().filter(|expression| expression.may_be_unknown())?;
        self.unknown
            .get_or_init(|| {
                devices(cluster).find_map(|(slice, index, device)| {
                    let result = self.matches(expression, slice, index, device, &cluster.symbols);
                    result.err().and_then(|error| unknown(&error))
                })
            })
            .clone()
    }

    /// Whether the result for any device depends on the iteration order of a map, which
    /// kube-scheduler does not define.
    pub fn depends_on_map_order(&self, cluster: &Cluster) -> bool {
        let Ok(expression) = &self.expression else { return false };
        *self.depends_on_map_order.get_or_init(|| {
            devices(cluster).any(|(slice, _, device)| {
                expression.depends_on_map_order(device, slice.driver, &cluster.symbols)
            })
        })
    }
}

/// A compiled derived attribute with its cached results.
#[derive(Debug)]
pub struct Derivation {
    /// The compiled expression.
    pub(super) expression: Result<Expression, CompileError>,
    results: Results<Result<cel::Attribute, EvaluationError>>,
    unknown: OnceLock<Option<String>>,
}

impl Derivation {
    /// The attribute that the derivation, compiled from `expression`, gives for a device.
    pub(super) fn attribute(
        &self,
        expression: &Expression,
        place: &PoolDevice,
        symbols: &Symbols,
    ) -> Result<cel::Attribute, EvaluationError> {
        self.results.get(place.slice.devices_before + place.index, || {
            expression.attribute(place.device, place.slice.driver, symbols)
        })
    }

    /// Why the expression does not compile.
    pub fn compile_error(&self) -> Option<&CompileError> {
        self.expression.as_ref().err()
    }

    /// What is unknown about its attribute for a device of the cluster, if anything.
    pub fn unknown_attribute(&self, cluster: &Cluster) -> Option<String> {
        let expression = self.expression.as_ref().ok()?;
        self.unknown
            .get_or_init(|| {
                devices(cluster).find_map(|(slice, index, device)| {
                    self.results
                        .get(slice.devices_before + index, || {
                            expression.attribute(device, slice.driver, &cluster.symbols)
                        })
                        .err()
                        .and_then(|error| unknown(&error))
                })
            })
            .clone()
    }
}

fn count(devices: &Devices) -> usize {
    devices.slices.iter().map(|slice| slice.devices.len()).sum()
}

/// The texts of all selectors and derived attributes that may be evaluated.
fn texts(devices: &Devices) -> BTreeSet<Sym> {
    let mut texts: BTreeSet<Sym> =
        devices.classes.iter().flat_map(|class| &class.selectors).copied().flatten().collect();
    for request in devices
        .claims
        .iter()
        .filter(|claim| claim.allocation.is_none())
        .flat_map(|claim| &claim.requests)
    {
        let wants = match &request.ask {
            Ask::Exactly(want) => std::slice::from_ref(want),
            Ask::FirstAvailable(wants) => wants,
            Ask::Unknown => &[],
        };
        for want in wants {
            texts.extend(want.selectors.iter().copied().flatten());
            texts.extend(want.derived_attributes.iter().map(|(_, text)| *text));
        }
    }
    texts
}

/// How many waiting pods may need devices: those with claims, and those that request extended
/// resources.
fn waiting_pods(cluster: &Cluster) -> u64 {
    let mut count = 0;
    for ix in cluster.pod_indices() {
        let pod = cluster.pod(ix);
        if !pod.is_waiting() {
            continue;
        }
        let requests = cluster.resource_requests.get(pod.resource_requests);
        let containers = requests
            .into_iter()
            .flat_map(|requests| requests.init_containers.iter().chain(&requests.containers));
        let mut named = containers.flat_map(|container| &container.requests).map(|(name, _)| *name);
        count += u64::from(
            !cluster.template(pod).claims.is_empty()
                || named.any(|name| {
                    let text = cluster.text(name);
                    is_extended(text) || text.starts_with(CLASS_RESOURCE_PREFIX)
                }),
        );
    }
    count
}
