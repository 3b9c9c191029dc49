//! The name by which the program is called: commands in answers begin with it.

use std::fmt;

/// How a user calls the program. It is passed to everything that writes a command, so that the same
/// answer can be written for another name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramName {
    /// The text before the name of a command.
    typed: &'static str,
    /// The file name, without the suffix that a system gives to programs.
    file: &'static str,
}

impl ProgramName {
    /// The plugin, which kubectl calls.
    pub const PLUGIN: Self = Self { typed: "kubectl preempt", file: "kubectl-preempt" };

    /// A program that is called as `typed` and whose file is named `file`.
    pub const fn new(typed: &'static str, file: &'static str) -> Self {
        Self { typed, file }
    }

    /// The text before the name of a command: `kubectl preempt`.
    pub const fn typed(self) -> &'static str {
        self.typed
    }

    /// Its file name: `kubectl-preempt`.
    pub const fn file(self) -> &'static str {
        self.file
    }

    /// The program that kubectl runs to complete the plugin, without a suffix:
    /// `kubectl_complete-preempt` (`kubectl/pkg/cmd/plugin_completion.go`).
    pub fn helper(self) -> String {
        format!("kubectl_complete-{}", self.file.strip_prefix("kubectl-").unwrap_or(self.file))
    }

    /// Replaces the plugin's name in a text of this program by the program's own. The text must not
    /// contain anything from a cluster.
    pub fn named(self, text: &str) -> String {
        let text = text.replace(Self::PLUGIN.typed, self.typed);
        let text = text.replace(&Self::PLUGIN.helper(), &self.helper());
        // Addresses contain the name of the project, which stays.
        let words = text.split_inclusive(char::is_whitespace).map(|word| {
            if word.contains("://") {
                word.to_owned()
            } else {
                word.replace(Self::PLUGIN.file, self.file)
            }
        });
        words.collect()
    }
}

impl fmt::Display for ProgramName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.typed)
    }
}

#[cfg(test)]
mod tests {
    use super::ProgramName;

    #[test]
    fn texts_have_the_name_of_the_file_and_of_the_command() {
        let other = ProgramName::new("kubectl podpreempt", "kubectl-podpreempt");
        let text = "run kubectl preempt x; kubectl-preempt x > _kubectl-preempt\nhttps://x/kubectl-preempt#readme";
        let named = "run kubectl podpreempt x; kubectl-podpreempt x > _kubectl-podpreempt\nhttps://x/kubectl-preempt#readme";
        assert_eq!(
            (other.named(text).as_str(), ProgramName::PLUGIN.named(text).as_str()),
            (named, text)
        );
    }
}
