//! Values: equality, order, conversion, arithmetic, and the types that Kubernetes adds.
//!
//! Upstream: cel-go `common/types`, `apiserver/pkg/cel`.

mod address;
mod convert;
mod operators;
mod quantity;
mod semver;
mod time;
mod url;
mod value;

pub(crate) use address::{Cidr, Ip};
pub(crate) use convert::convert;
pub(crate) use operators::{add, arithmetic, compare, equal, equal_values, is_nan, negate};
pub(crate) use quantity::QuantityValue;
pub(crate) use semver::SemanticVersion;
pub use semver::is_version;
pub(crate) use time::{Time, parse_time};
pub(crate) use url::{Url, check_request_uri};
pub(crate) use value::{
    EvalResult, EvaluationStop, Holds, ListValue, Map, MapKind, NamedFormat, Value, fail, fixed,
    general, go_type, index_of, same_key, show, unhashable,
};
