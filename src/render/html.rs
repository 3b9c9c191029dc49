//! x
use super::facts::Facts;
/// x
pub fn page(_: &[Facts]) -> Result<String, String> {
    Ok(String::new())
}
