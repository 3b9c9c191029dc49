//! How a command ends after its answer was printed.

use std::io::Write as _;

use crate::exit::Exit;

/// What happens after a command has printed its answer. The binary chooses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The process ends at once: freeing a large cluster takes longer than deciding on it.
    Process,
    /// The command returns and frees its input, for callers in the same process.
    Return,
}

impl Ending {
    /// Ends a command that holds a cluster and has printed its answer. With [`Ending::Process`] no
    /// destructor of the caller runs, so everything important must be complete by then:
    ///
    /// * `super::pager::print` has written the answer and waited for the pager.
    /// * `Progress` removed its line from the terminal when the cluster was read.
    /// * Requests to extenders are complete, because a decision waits for them.
    /// * The screen of `pending --watch`, the requests of `simulate --apply`, and the temporary
    ///   files of `snapshot` and `completion` belong to commands that do not end here: those drop
    ///   what they own, and return.
    #[must_use]
    pub fn end(self, exit: Exit) -> Exit {
        match self {
            Self::Process => {
                // An error here means that standard output is closed. Standard error has no buffer.
                let _ = std::io::stdout().flush();
                std::process::exit(exit.code().into())
            }
            Self::Return => exit,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::Ending;
    use crate::cli;
    use crate::exit::Exit;

    /// The exit code is not that of success: a process that ended here would fail its tests.
    #[test]
    fn a_caller_in_the_process_gets_the_exit_code_and_can_run_again() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let list = r#"{"kind": "List", "apiVersion": "v1", "items": [
            {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "1", "pods": "9"}}},
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "web", "namespace": "default", "uid": "u"},
             "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "4"}}}]}}]}"#;
        file.write_all(list.as_bytes()).unwrap();
        let file = file.path().to_str().unwrap();
        let line = [
            "kubectl-preempt",
            "explain",
            "web",
            "--from",
            file,
            "--exit-code",
            "-q",
            "-o",
            "jsonpath={.none}",
        ];
        for _ in 0..2 {
            let arguments = line.iter().map(Into::into).collect();
            assert_eq!(cli::main(arguments, Ending::Return), Exit::No);
        }
    }
}
