//! Pods of programs whose command lines say how they decide: their names, images and the flags that
//! are kept. Every other word of a command line is dropped while it is decoded.

use serde::{Deserialize, Deserializer};

/// A pod as far as it shows how a program is started; `L` is what is kept of a command line.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, bound = "L: Default + Deserialize<'de>")]
pub(super) struct ProgramPod<L> {
    metadata: Name,
    spec: Spec<L>,
}

/// The name of an object, and nothing else of its metadata.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub(super) struct Name {
    pub(super) namespace: String,
    pub(super) name: String,
}

#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, bound = "L: Default + Deserialize<'de>")]
struct Spec<L> {
    containers: Vec<Container<L>>,
}

/// A container of such a pod.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, bound = "L: Default + Deserialize<'de>")]
pub(super) struct Container<L> {
    pub(super) name: String,
    pub(super) image: Option<String>,
    command: Option<L>,
    args: Option<L>,
}

impl<L> ProgramPod<L> {
    pub(super) fn name(&self) -> &str {
        &self.metadata.name
    }

    pub(super) fn namespace(&self) -> &str {
        &self.metadata.namespace
    }

    /// Its namespace and name, with a slash between them.
    pub(super) fn full_name(&self) -> String {
        format!("{}/{}", self.metadata.namespace, self.metadata.name)
    }

    pub(super) fn containers(&self) -> &[Container<L>] {
        &self.spec.containers
    }

    /// What is kept of all command lines, in order: of each container its command, then its
    /// arguments.
    pub(super) fn lines(&self) -> impl Iterator<Item = &L> {
        self.spec.containers.iter().flat_map(Container::lines)
    }

    /// The tag of the first image whose name holds one of `names`.
    pub(super) fn tag_of(&self, names: &[&str]) -> Option<&str> {
        self.spec.containers.iter().find_map(|container| {
            let image = container.image.as_deref()?.split('@').next()?;
            let (name, tag) = image.rsplit('/').next()?.split_once(':')?;
            names.iter().any(|part| name.contains(part)).then_some(tag)
        })
    }
}

impl<L> Container<L> {
    /// What is kept of its command, then of its arguments.
    pub(super) fn lines(&self) -> impl Iterator<Item = &L> {
        self.command.iter().chain(&self.args)
    }
}

/// Which flags of a program are kept, and how they are written: as `github.com/spf13/pflag` reads
/// them.
pub(super) struct Syntax {
    /// The names of those that are kept and have a value, without dashes.
    pub(super) kept: &'static [&'static str],
    /// The names of those that are kept and are on or off.
    pub(super) switches: &'static [&'static str],
}

impl Syntax {
    /// The flags of a command line that are kept, with their values. `other` gets each word that is
    /// neither a flag nor the value of one.
    pub(super) fn read<'de, D: Deserializer<'de>>(
        &self,
        input: D,
        mut other: impl FnMut(&str),
    ) -> Result<Vec<(String, String)>, D::Error> {
        let line = Vec::<String>::deserialize(input)?;
        // A shell gets the whole command line as one word.
        let mut words = line.iter().flat_map(|word| word.split_whitespace()).peekable();
        let mut flags = Vec::new();
        while let Some(word) = words.next() {
            // What starts another program may have this between its own words and that program's.
            if word == "--" {
                continue;
            }
            let Some(flag) = word.strip_prefix("--") else {
                // A short flag such as `-v` is never kept. Whether it takes the next word does not
                // matter: that is no flag, and no name of a program.
                if !word.starts_with('-') {
                    other(word);
                }
                continue;
            };
            let (written, value) = match flag.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (flag, None),
            };
            // Both programs take either separator between the words of a name.
            let name = written.replace('_', "-");
            let is_kept = self.kept.contains(&name.as_str());
            let is_switch = self.switches.contains(&name.as_str());
            let value = match value {
                Some(value) => value,
                None if is_switch => "true",
                // The next word is the value, even if it begins with a dash.
                None if is_kept => words.next().unwrap_or_default(),
                // Whether an unknown flag has a value is not known; what looks like a flag is none.
                None => words.next_if(|next| !next.starts_with('-')).unwrap_or_default(),
            };
            if is_kept || is_switch {
                flags.push((name, value.trim_matches(['\'', '"']).to_owned()));
            }
        }
        Ok(flags)
    }
}
