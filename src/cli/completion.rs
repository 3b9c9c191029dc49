//! `kubectl preempt completion`: scripts for shells, and the helper program through which kubectl
//! completes a plugin.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use super::flags::GlobalFlags;
use super::output;
use crate::error::Error;
use crate::program::program;
use crate::small_file::{self, NamedBy};
use render::program::ProgramName;
use render::safe::Printable;

/// The file name of a plugin's helper, which kubectl looks up on the PATH.
pub fn helper(program: ProgramName) -> String {
    format!("{}{}", program.helper(), if cfg!(windows) { ".bat" } else { "" })
}

/// The content of the helper.
pub fn shim(program: ProgramName) -> String {
    let (typed, file) = (program.typed(), program.file());
    let made =
        format!("kubectl runs this to complete {typed}; made by: {typed} completion --install");
    if cfg!(windows) {
        format!("@rem {made}\r\n@{file} __complete %*\r\n")
    } else {
        format!("#!/bin/sh\n# {made}\nexec {file} __complete \"$@\"\n")
    }
}

/// A file that contains one of these was written by some version of this program.
const OURS: [&str; 2] = [" completion --install", "kubectl-preempt __complete"];

const EXAMPLES: &str = "\
Examples:
  # Make kubectl complete this plugin (kubectl 1.26 or newer)
  kubectl preempt completion --install

  # Complete kubectl-preempt in bash: in this session, and in every new one
  source <(kubectl-preempt completion bash)
  kubectl-preempt completion bash > ~/.local/share/bash-completion/completions/kubectl-preempt";

const MORE: &str = "\
kubectl completes `kubectl preempt` itself, in every shell that kubectl's own
completion is loaded in, once it finds the program kubectl_complete-preempt on
the PATH. --install writes it. The scripts are for calling kubectl-preempt by
that name:

  # zsh: a folder of $fpath, before compinit
  kubectl-preempt completion zsh > \"${fpath[1]}/_kubectl-preempt\"

  # fish
  kubectl-preempt completion fish > ~/.config/fish/completions/kubectl-preempt.fish

  # PowerShell: in $PROFILE
  kubectl-preempt completion powershell | Out-String | Invoke-Expression";

/// Print a completion script for a shell, or make kubectl complete this plugin
#[derive(Debug, Clone, clap::Args)]
#[command(before_help = EXAMPLES, after_long_help = MORE)]
pub struct CompletionArgs {
    /// bash, zsh, fish or powershell
    #[arg(value_name = "SHELL", value_enum, required_unless_present_any = ["install", "dir", "force"], hide_possible_values = true)]
    pub shell: Option<Language>,

    /// Write kubectl_complete-preempt, which makes kubectl complete this plugin
    #[arg(long, conflicts_with = "shell")]
    pub install: bool,

    /// With --install: write it to this folder (default: that of kubectl-preempt)
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// With --install: overwrite a file of that name that is not ours
    #[arg(long)]
    pub force: bool,
}

/// A shell that has a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    /// Bash.
    Bash,
    /// Zsh.
    Zsh,
    /// Fish.
    Fish,
    /// PowerShell.
    #[value(name = "powershell")]
    PowerShell,
}

impl Language {
    /// All shells, with the file names of their scripts.
    pub const ALL: [(Self, &str); 4] = [
        (Self::Bash, "kubectl-preempt.bash"),
        (Self::Zsh, "_kubectl-preempt"),
        (Self::Fish, "kubectl-preempt.fish"),
        (Self::PowerShell, "_kubectl-preempt.ps1"),
    ];

    /// The script that completes `program` under its file name. It asks the program for each word,
    /// so that names of the cluster are offered, too.
    pub fn script(self, program: ProgramName) -> String {
        let template = match self {
            Self::Bash => BASH,
            Self::Zsh => ZSH,
            Self::Fish => FISH,
            Self::PowerShell => POWERSHELL,
        };
        let function = program.file().replace(['-', '.'], "_");
        template.replace("FUNCTION", &function).replace("PROGRAM", program.file())
    }
}

// Each hands the words to `PROGRAM __complete` and reads its answer: a candidate per line, with a
// description after a tab, and last the directive, `:0` for files and `:16` for folders.

const BASH: &str = include_str!("completion/script.bash");
const ZSH: &str = include_str!("completion/script.zsh");
const FISH: &str = include_str!("completion/script.fish");
const POWERSHELL: &str = include_str!("completion/script.ps1");

/// Prints a script, or installs the helper.
///
/// # Errors
/// When the helper cannot be written, or another program's file has its name.
pub fn run(args: &CompletionArgs, global: &GlobalFlags) -> anyhow::Result<()> {
    if !args.install && (args.force || args.dir.is_some()) {
        return Err(Error::usage("--dir and --force need --install").into());
    }
    if let Some(shell) = args.shell {
        return output::print(&Printable::new(shell.script(program())));
    }
    let folder = args.dir.clone().map_or_else(program_folder, Ok)?;
    let (path, is_new) = install(&folder, args.force)?;
    let done = if is_new { "wrote" } else { "is there already:" };
    output::say(global, &format!("{done} {}", path.display()));
    if !on_path(&folder) {
        output::say(
            global,
            &format!("{} is not on the PATH: kubectl will not find it there", folder.display()),
        );
    }
    Ok(())
}

fn is_ours(text: &str) -> bool {
    OURS.iter().any(|words| text.contains(words))
}

/// Writes the helper into `folder`. Returns its path, and whether it was changed.
fn install(folder: &Path, force: bool) -> Result<(PathBuf, bool), Error> {
    let (path, shim) = (folder.join(helper(program())), shim(program()));
    let failed = |e: &std::io::Error| Error::io(&path, "cannot be written", e);
    match small_file::read(&path, NamedBy::File) {
        Ok(found) if found == shim.as_bytes() => return Ok((path, false)),
        Ok(found) if !force && !is_ours(&String::from_utf8_lossy(&found)) => {
            return Err(Error::Usage {
                problem: format!(
                    "{}: a file of that name is there, and it is not ours",
                    path.display()
                ),
                hint: Some("--force overwrites it, --dir names another folder".to_owned()),
            });
        }
        Err(e) if e.kind() != std::io::ErrorKind::NotFound && !force => return Err(failed(&e)),
        Ok(_) | Err(_) => {}
    }
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|e| failed(&e))?;
    file.write_all(shim.as_bytes()).map_err(|e| failed(&e))?;
    make_executable(file.as_file()).map_err(|e| failed(&e))?;
    file.persist(&path).map_err(|e| failed(&e.error))?;
    Ok((path, true))
}

#[cfg(unix)]
fn make_executable(file: &fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &fs::File) -> std::io::Result<()> {
    Ok(())
}

/// The folder on the PATH that contains this program. krew installs the program elsewhere and a
/// link to it on the PATH.
fn program_folder() -> Result<PathBuf, Error> {
    let name = format!("{}{}", program().file(), env::consts::EXE_SUFFIX);
    if let Some(folder) = path_folders().into_iter().find(|folder| folder.join(&name).is_file()) {
        return Ok(folder);
    }
    let program = env::current_exe().ok().and_then(|program| program.parent().map(Path::to_owned));
    program.ok_or_else(|| Error::Usage {
        problem: "cannot find out where this program is".to_owned(),
        hint: Some("name a folder of the PATH with --dir".to_owned()),
    })
}

fn path_folders() -> Vec<PathBuf> {
    env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default()
}

fn on_path(folder: &Path) -> bool {
    let whole = fs::canonicalize(folder).ok();
    path_folders()
        .iter()
        .any(|known| known == folder || whole.is_some() && fs::canonicalize(known).ok() == whole)
}
