//! The exit codes of the program.

use std::process::ExitCode;

use answers::questions::Verdict;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Answered,
    /// No node accepts the pod, with `--exit-code`; or `node` finds a node that cannot be drained;
    /// or `suggest` finds nothing that helps; or `headroom` counts no more pod; or `verify` finds a difference; or `audit` has
    /// findings of `--fail-on`; or `doctor` finds that the cluster may not be read.
    No,
    /// Wrong flags, unreadable input, or an unreachable cluster.
    Failed,
    /// The question was answered, but something that the decision depends on is not modelled or
    /// could not be read.
    Partial,
    /// `--apply` executed only a part of the plan.
    Stopped,
    /// SIGHUP.
    HungUp,
    /// SIGINT.
    Interrupted,
    /// SIGTERM.
    Terminated,
}

impl Exit {
    /// All codes in order.
    pub const ALL: [Self; 8] = [
        Self::Answered,
        Self::No,
        Self::Failed,
        Self::Partial,
        Self::Stopped,
        Self::HungUp,
        Self::Interrupted,
        Self::Terminated,
    ];

    /// The code where no is an answer like any other, as for `explain` without `--exit-code`.
    #[must_use]
    pub fn as_answer(self) -> Self {
        if self == Self::No { Self::Answered } else { self }
    }

    /// The code of an answer with parts that would end with either: the larger one.
    #[must_use]
    pub fn or_worse(self, other: Self) -> Self {
        if self.code() < other.code() { other } else { self }
    }

    /// The list of codes in the help text of a command. `None` for a command that only answers or
    /// fails.
    pub fn help(command: &str) -> Option<String> {
        let line =
            |exit: Self| Some(format!("\n  {:<3}  {}", exit.code(), exit.meaning_for(command)?));
        let lines: Vec<String> = Self::ALL.into_iter().filter_map(line).collect();
        (lines.len() > 2).then(|| format!("Exit codes:{}", lines.concat()))
    }

    /// The meaning for one command; `None` if the command never exits with it.
    fn meaning_for(self, command: &str) -> Option<&'static str> {
        match self {
            Self::Answered if command == "simulate" => Some(
                "every pod gets a node, or nothing that --fail-on names was found; --apply: done",
            ),
            Self::Answered => Some(self.meaning()),
            Self::No => meaning_of_no(command),
            Self::Failed if command == "simulate" => Some(self.meaning()),
            Self::Failed => Some("wrong flags, unreadable input, cluster out of reach"),
            Self::Partial => match command {
                "explain" | "pending" | "simulate" | "verify" | "audit" | "risk" | "headroom"
                | "suggest" => Some(self.meaning()),
                "node" => Some("it depends on timing, or on what could not be read"),
                "doctor" => Some("read commands work only in part"),
                "why-evicted" => Some("something that was asked cannot be known"),
                _ => None,
            },
            Self::Stopped => (command == "simulate").then(|| self.meaning()),
            Self::HungUp => self.of_signal(command, "SIGHUP", "SIGHUP, with --watch"),
            // Ctrl-C ends every command; these still print what they have, or what was done.
            Self::Interrupted => match command {
                "explain" | "pending" => {
                    Some("SIGINT; the pods that are decided by then are printed")
                }
                "simulate" => Some("SIGINT; --apply says what was done"),
                _ => self.of_signal(command, "SIGINT", "SIGINT, with --watch"),
            },
            Self::Terminated => self.of_signal(command, "SIGTERM", "SIGTERM, with --watch"),
        }
    }

    /// The meaning of a signal, which only long-running commands handle.
    fn of_signal(
        self,
        command: &str,
        name: &'static str,
        watching: &'static str,
    ) -> Option<&'static str> {
        match command {
            "simulate" => Some(self.meaning()),
            "mcp" => Some(name),
            "pending" => Some(watching),
            _ => None,
        }
    }

    pub const fn code(self) -> u8 {
        match self {
            Self::Answered => 0,
            Self::No => 1,
            Self::Failed => 2,
            Self::Partial => 3,
            Self::Stopped => 4,
            Self::HungUp => 129,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }

    /// The meaning, for help texts and documentation.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Answered => "the question was answered (whatever the answer)",
            Self::No => {
                "a pod gets no node (explain: --exit-code); node, --fail: cannot go; suggest: nothing helps; headroom: none fits; verify, audit: found; doctor: may not read"
            }
            Self::Failed => {
                "wrong flags, unreadable input, cluster out of reach; --apply: nothing was done"
            }
            Self::Partial => {
                "answered, but part of what decides is not modelled or could not be read; see the notes"
            }
            Self::Stopped => {
                "--apply stopped half-way, or its result was not written; see standard error and -o json"
            }
            Self::HungUp => "SIGHUP; --apply says what was done",
            Self::Interrupted => {
                "SIGINT; explain and pending print what is decided by then, --apply says what was done"
            }
            Self::Terminated => "SIGTERM; --apply says what was done",
        }
    }
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Yes => Self::Answered,
            Verdict::No => Self::No,
            Verdict::Uncertain => Self::Partial,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

// What 1 means for commands whose questions agents ask, too.
pub const NODE_STAYS: &str = "a node cannot be drained, or a pod of it fits nowhere";
pub const NO_CHANGE: &str = "no change was found that places a pod without losing one";
pub const NO_ROOM: &str = "no more pod fits without preemption";
pub const OTHER_MESSAGE: &str = "a message is not what the rules give";

/// What 1 means for a command; `None` if the command never exits with it.
fn meaning_of_no(command: &str) -> Option<&'static str> {
    match command {
        "explain" => Some("with --exit-code: no node takes the pod"),
        "simulate" => Some("a pod gets no node; with --fail-on and its like: something fails"),
        "node" => Some(NODE_STAYS),
        "suggest" => Some(NO_CHANGE),
        "headroom" => Some(NO_ROOM),
        "verify" => Some(OTHER_MESSAGE),
        "audit" => Some("with --fail-on: something of this severity was found"),
        "doctor" => Some("the cluster may not be read"),
        _ => None,
    }
}
