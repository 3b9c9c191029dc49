//! Functions of Go's standard library whose exact results show in kube-scheduler's decisions and
//! messages.
//!
//! ```
//! use kubectl_preempt_go::{parse_duration, quoted};
//!
//! assert_eq!(quoted("a\tb"), r#""a\tb""#);
//! assert_eq!(parse_duration("1m30s"), Some(90_000_000_000));
//! ```

mod booleans;
mod durations;
mod encoding;
mod formats;
mod quotes;
mod sort;

pub use booleans::parse_bool;
pub use durations::{duration_text, parse_duration};
pub use encoding::{decode_base64, encode_base64};
pub use formats::formatted_without_operands;
pub use quotes::{quoted, quoted_with};
pub use sort::sort_slice;
