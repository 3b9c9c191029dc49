//! Shell scripts that tests write and then run.

#![cfg(unix)]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes an executable script. A process of its own writes it: were the file open for writing
/// here, a child that another test forks at that moment would keep it open, and running it would
/// fail with "Text file busy".
pub fn write(path: &Path, text: &str) {
    let mut writer = Command::new("sh")
        .args(["-c", r#"cat > "$0" && chmod 700 "$0""#])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    writer.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(writer.wait().unwrap().success(), "{} cannot be written", path.display());
}
