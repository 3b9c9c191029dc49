//! The device selectors of `ResourceClaims` and `DeviceClasses` as kube-scheduler compiles and
//! evaluates them: CEL with the libraries and costs of Kubernetes, and with the texts of its
//! errors.
//!
//! ```
//! use kubectl_preempt_cel::{Attribute, Device, Program, Release};
//!
//! let selector = r#"device.attributes["example.com"].model == "a100""#;
//! let program = Program::compile(selector, Release::new(37, false)).expect("a selector that compiles");
//! let device = Device::new("example.com").attribute("model", Attribute::Text("a100".into()));
//! assert_eq!(program.evaluate(&device).result, Ok(true));
//! ```

#![expect(
    clippy::unnecessary_wraps,
    reason = "functions of a table have one signature, and some of them cannot fail"
)]
#![expect(clippy::match_same_arms, reason = "each type of values has its row")]
#![expect(clippy::single_match_else, reason = "both cases weigh the same")]

mod check;
mod device;
mod library;
mod outcome;
mod program;
mod release;
mod run;
mod syntax;
mod types;
mod values;

pub use device::{Attribute, Device};
pub use outcome::EvaluationError;
pub use program::{CompileError, Evaluated, Program, SelectorLimits};
pub use release::Release;
pub use values::is_version;
