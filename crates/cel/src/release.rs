//! The differences between releases of kube-scheduler that affect CEL.

/// The evaluator of one release of kube-scheduler. Releases before 1.34 are treated as 1.34.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::struct_excessive_bools, reason = "each is a difference of its own")]
pub struct Release {
    /// Names in backquotes are fields (1.37).
    pub(crate) escaped_names: bool,
    /// A leading dot refers past a variable that shadows another name (1.37).
    pub(crate) tells_scopes_apart: bool,
    /// Selecting from an optional value keeps Kubernetes' own types (1.37).
    pub(crate) optionals_keep_types: bool,
    /// `or` and `orValue` of a value that is not optional are errors (1.37).
    pub(crate) only_optionals_have_alternatives: bool,
    /// The cost of `startsWith` and `endsWith` depends on the argument's length, and that of the
    /// global `matches` on both arguments (1.37).
    pub(crate) costs_of_arguments: bool,
    /// Searching for "" past the end of a text returns the end (1.37).
    pub(crate) finds_nothing_at_the_end: bool,
    /// `lists.range` limits the size of its result (1.37).
    pub(crate) range_is_limited: bool,
    /// The type values `list`, `map` and `optional_type` have dynamic parameters (1.37).
    pub(crate) types_are_parametrised: bool,
    /// Attributes may be lists.
    pub(crate) list_attributes: bool,
    /// The type of attributes is `dyn`, not `any`.
    pub(crate) dynamic_attributes: bool,
    /// `includes` (1.36).
    pub(crate) includes: bool,
    /// `includes` belongs to Kubernetes' list library and has a cost (1.37).
    pub(crate) includes_is_common: bool,
    /// A sum of quantities does not change its first operand (1.37).
    pub(crate) quantities_are_copied: bool,
    /// Errors about label keys and values have their own texts, which count bytes (1.35).
    pub(crate) labels_have_bytes: bool,
    /// Durations can be made from integers (before 1.37).
    pub(crate) durations_from_integers: bool,
    /// An attribute whose value is of no known type fails where it is read; before, every selector
    /// failed for its device (1.38).
    pub(crate) attributes_are_read_late: bool,
    /// A message about a name that is not declared suggests others (1.38).
    pub(crate) suggests_names: bool,
    /// `isMask` of a CIDR (1.38).
    pub(crate) cidrs_may_be_masks: bool,
    /// `distinct` of an error is the error; before, it panicked (1.38).
    pub(crate) distinct_passes_errors_on: bool,
    /// Types of types are compared by their parameters; before, all were alike (1.38).
    pub(crate) types_of_types_differ: bool,
    /// The types that hold lists and maps name those of their elements in messages (1.38).
    pub(crate) collections_are_generic: bool,
    /// Quantities of 19 digits are integers if they fit (1.38).
    pub(crate) quantities_have_all_digits: bool,
    /// Comparisons with NaN are false; before, they failed (1.38).
    pub(crate) nan_is_unordered: bool,
    /// A range of size 0 is not iterated over, whatever its type (1.38).
    pub(crate) nothing_is_iterated: bool,
    /// Each step adds its own cost, a call that is not made adds none, and arguments are evaluated
    /// up to the first error. Before, an observer of the evaluation looked its arguments up
    /// (1.38).
    pub(crate) steps_count_their_cost: bool,
}

impl Release {
    /// The release with this minor version. `list_attributes` is the gate `DRAListTypeAttributes`,
    /// which only 1.36 reads.
    pub const fn new(minor: u16, list_attributes: bool) -> Self {
        let (is_36, is_37, is_38) = (minor >= 36, minor >= 37, minor >= 38);
        let lists = is_37 || (is_36 && list_attributes);
        Self {
            escaped_names: is_37,
            tells_scopes_apart: is_37,
            optionals_keep_types: is_37,
            only_optionals_have_alternatives: is_37,
            costs_of_arguments: is_37,
            finds_nothing_at_the_end: is_37,
            range_is_limited: is_37,
            types_are_parametrised: is_37,
            list_attributes: lists,
            dynamic_attributes: lists,
            includes: is_36,
            includes_is_common: is_37,
            quantities_are_copied: is_37,
            labels_have_bytes: minor >= 35,
            durations_from_integers: !is_37,
            attributes_are_read_late: is_38,
            suggests_names: is_38,
            cidrs_may_be_masks: is_38,
            distinct_passes_errors_on: is_38,
            types_of_types_differ: is_38,
            collections_are_generic: is_38,
            quantities_have_all_digits: is_38,
            nan_is_unordered: is_38,
            nothing_is_iterated: is_38,
            steps_count_their_cost: is_38,
        }
    }
}
