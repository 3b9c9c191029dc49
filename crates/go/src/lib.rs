//! Functions of Go's standard library whose exact results show in kube-scheduler's decisions and
//! messages, and the suffixes of Kubernetes' quantities.
//!
//! ```
//! use kubectl_preempt_go::{parse_duration, quoted};
//!
//! assert_eq!(quoted("a\tb"), r#""a\tb""#);
//! assert_eq!(parse_duration("1m30s"), Some(90_000_000_000));
//! ```

mod encoding;
mod formats;
mod quantity;
mod quotes;
mod sort;
mod values;

pub use encoding::{decode_base64, encode_base64};
pub use formats::formatted_without_operands;
pub use quantity::QuantitySuffix;
pub use quotes::{quoted, quoted_with};
pub use sort::sort_slice;
pub use values::{duration_text, parse_bool, parse_duration};
