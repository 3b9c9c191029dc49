//! Oracles as child processes: `tests/oracle/main.go` documents their input and output.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};

/// Which clusters are generated.
pub struct Range<'a> {
    /// Another seed makes other clusters.
    pub seed: u64,
    /// Index of the first.
    pub start: usize,
    /// How many.
    pub count: usize,
    /// Of one kind only.
    pub family: Option<&'a str>,
}

/// The names of the families about pod groups that this oracle makes.
pub fn group_families(oracle: &Path) -> Result<Vec<String>> {
    let output = Command::new(oracle).args(["families", "-groups"]).output()?;
    Ok(String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect())
}

/// One or two oracles in a row, with their input or output left to us.
pub struct Stage {
    children: Vec<Child>,
    input: Option<ChildStdin>,
    output: ChildStdout,
}

impl Stage {
    /// Decided cases of generated clusters, each decided by so many schedulers.
    pub fn generated(oracle: &Path, range: &Range, runs: usize) -> Result<Self> {
        let mut generate = Command::new(oracle);
        generate.args(["generate", &format!("-seed={}", range.seed)]);
        generate.args([format!("-start={}", range.start), format!("-count={}", range.count)]);
        generate.args(range.family.map(|family| format!("-family={family}")));
        let mut generate = generate
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {}", oracle.display()))?;
        let cases = generate.stdout.take().context("no output")?;
        let mut decide = Command::new(oracle);
        decide.args(["decide", &format!("-runs={runs}")]).stdin(cases).stdout(Stdio::piped());
        let mut decide = decide.spawn()?;
        let output = decide.stdout.take().context("no output")?;
        Ok(Self { children: vec![generate, decide], input: None, output })
    }

    /// Decided cases of clusters from elsewhere, all by one program: a file with one case per line,
    /// or `-`.
    pub fn decided(oracle: &Path, cases: &Path, runs: usize) -> Result<Self> {
        let input = if cases == Path::new("-") {
            Stdio::inherit()
        } else {
            File::open(cases).with_context(|| format!("cannot open {}", cases.display()))?.into()
        };
        let mut decide = Command::new(oracle);
        decide.args(["decide", &format!("-runs={runs}")]).stdin(input).stdout(Stdio::piped());
        let mut decide =
            decide.spawn().with_context(|| format!("cannot run {}", oracle.display()))?;
        let output = decide.stdout.take().context("no output")?;
        Ok(Self { children: vec![decide], input: None, output })
    }

    /// What decided cases exercise.
    pub fn coverage(oracle: &Path) -> Result<Self> {
        let mut child = Command::new(oracle)
            .arg("coverage")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().context("no output")?;
        Ok(Self { input: child.stdin.take(), children: vec![child], output })
    }

    /// One line of input.
    pub fn say(&mut self, line: &str) -> Result<()> {
        let input = self.input.as_mut().context("no input")?;
        Ok(writeln!(input, "{line}")?)
    }

    /// Ends the input; gives back what was put out, and whether it ended well.
    pub fn end(mut self) -> Result<(String, bool)> {
        drop(self.input.take());
        let mut text = String::new();
        self.output.read_to_string(&mut text)?;
        let mut good = true;
        for mut child in self.children {
            good &= child.wait()?.success();
        }
        Ok((text, good))
    }
}

impl Read for Stage {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.output.read(buffer)
    }
}

/// An oracle that decides one case at a time, and is restarted if a case crashes it.
pub struct Oracle {
    command: std::path::PathBuf,
    arguments: Vec<String>,
    talk: Option<(Child, ChildStdin, BufReader<ChildStdout>)>,
}

impl Oracle {
    /// An oracle that asks so many schedulers about each case.
    pub fn new(command: &Path, runs: usize) -> Self {
        let arguments = vec!["decide".to_owned(), "-j=1".to_owned(), format!("-runs={runs}")];
        Self { command: command.to_owned(), arguments, talk: None }
    }

    /// One that decides no case with objects that the API server refuses.
    pub fn strict(command: &Path, runs: usize) -> Self {
        let mut oracle = Self::new(command, runs);
        oracle.arguments.push("-admit".to_owned());
        oracle
    }

    fn talk(&mut self) -> Result<&mut (Child, ChildStdin, BufReader<ChildStdout>)> {
        if self.talk.is_none() {
            let mut command = Command::new(&self.command);
            let mut child = command
                .args(&self.arguments)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()?;
            let (input, output) = (
                child.stdin.take().context("no input")?,
                child.stdout.take().context("no output")?,
            );
            self.talk = Some((child, input, BufReader::new(output)));
        }
        self.talk.as_mut().context("no oracle")
    }

    /// The decided case; an error means that it crashed the oracle.
    pub fn ask(&mut self, case: &str) -> Result<String> {
        let (_, input, output) = self.talk()?;
        let mut answer = String::new();
        let asked = writeln!(input, "{case}")
            .and_then(|()| input.flush())
            .and_then(|()| output.read_line(&mut answer));
        if asked.is_err() || answer.is_empty() {
            if let Some((mut child, ..)) = self.talk.take() {
                child.kill().ok();
                child.wait()?;
            }
            bail!("the oracle ended");
        }
        Ok(answer)
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        if let Some((mut child, input, output)) = self.talk.take() {
            drop((input, output));
            child.wait().ok();
        }
    }
}
