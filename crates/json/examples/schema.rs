//! Prints docs/schema.json; `just schema` writes it.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    let mut output = io::stdout().lock();
    serde_json::to_writer_pretty(&mut output, &json::schema())?;
    writeln!(output)
}
