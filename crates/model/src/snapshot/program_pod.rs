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
    pub(super) image: Option<String>,
    command: Option<L>,
    args: Option<L>,
}

impl<L> ProgramPod<L> {
    pub(super) fn name(&self) -> &str {
        &self.metadata.name
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

/// How a program writes its flags, and which of them are kept.
pub(super) struct Syntax {
    /// What flags begin with; of two that fit, the longer one comes first.
    pub(super) dashes: &'static [&'static str],
    /// Their names without dashes.
    pub(super) kept: &'static [&'static str],
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
        let is_flag = |word: &&str| self.dashes.iter().any(|dashes| word.starts_with(dashes));
        // A shell gets the whole command line as one word.
        let mut words = line.iter().flat_map(|word| word.split_whitespace()).peekable();
        let mut flags = Vec::new();
        while let Some(word) = words.next() {
            let Some(flag) = self.dashes.iter().find_map(|dashes| word.strip_prefix(dashes)) else {
                other(word);
                continue;
            };
            let (name, value) = flag
                .split_once('=')
                .unwrap_or_else(|| (flag, words.next_if(|next| !is_flag(next)).unwrap_or("true")));
            if self.kept.contains(&name) {
                flags.push((name.to_owned(), value.trim_matches(['\'', '"']).to_owned()));
            }
        }
        Ok(flags)
    }
}
