//! Links in archives: which file of the archive a link means.
//!
//! A link is followed by its text alone, within the archive. What a path outside of it, or an absolute one,
//! means on this machine is no matter of the archive.

use std::collections::BTreeMap;

/// Maximum number of links that are followed on the way to one file, as in Linux.
const MAX_FOLLOWED: usize = 40;
/// Maximum number of parts of all paths on that way, and of bytes of one: an archive that wants
/// more is an attack.
const MAX_PARTS: usize = 256;
const MAX_PATH: usize = 4 << 10;
/// Maximum number of links that are followed in an archive.
const MAX_LINKS: usize = 10_000;

/// What a link names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LinkTarget {
    /// A symbolic link: a path relative to the folder of the link.
    Symbolic(String),
    /// A hard link: the path of an entry of the archive.
    Hard(String),
}

impl LinkTarget {
    /// Its text, for messages.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Symbolic(target) | Self::Hard(target) => target,
        }
    }
}

/// The links of an archive.
#[derive(Debug, Default)]
pub(super) struct ArchiveLinks {
    /// By their place in the archive.
    targets: BTreeMap<String, LinkTarget>,
    /// The paths of the links that may be read as files, as the archive has them.
    wanted: Vec<String>,
    /// The paths of other links that may be folders: their names have no ending.
    folders: Vec<String>,
}

/// A link that is to be read: its path, as the archive has it, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WantedLink {
    pub path: String,
    pub text: String,
}

/// The files that links mean.
#[derive(Debug, Default)]
pub(super) struct LinkedFiles {
    /// By the place of the file in the archive; the first of the links to it.
    pub by_place: BTreeMap<String, WantedLink>,
    /// Links that lead out of the archive, or in a circle, or are too many.
    pub lost: Vec<WantedLink>,
}

impl LinkedFiles {
    /// Takes the link to an entry of the archive; also one to a folder that the entry is in.
    pub(super) fn take(&mut self, place: &str) -> Option<WantedLink> {
        let mut folder = place;
        while let Some((above, _)) = folder.rsplit_once('/') {
            // What a folder has is read by its own name.
            self.by_place.remove(above);
            folder = above;
        }
        self.by_place.remove(place)
    }

    /// The links to which the archive has no entry.
    pub(super) fn into_lost(self) -> impl Iterator<Item = WantedLink> {
        self.lost.into_iter().chain(self.by_place.into_values())
    }
}

impl ArchiveLinks {
    /// Adds a link. One that is `wanted` may be a file of objects.
    pub(super) fn add(&mut self, path: String, target: LinkTarget, wanted: bool) {
        if let Some(place) = place_of(&path) {
            self.targets.insert(place, target);
            let has_ending = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
            if wanted {
                self.wanted.push(path);
            } else if !has_ending {
                self.folders.push(path);
            }
        }
    }

    /// The files that the wanted links mean. Whether the archive has them is not known here.
    pub(super) fn resolve(&self) -> LinkedFiles {
        let mut files = LinkedFiles::default();
        for (index, path) in self.wanted.iter().enumerate() {
            let link = self.link_at(path);
            let place = if index < MAX_LINKS { self.follow(path) } else { None };
            match place {
                Some(place) => {
                    files.by_place.entry(place).or_insert(link);
                }
                None => files.lost.push(link),
            }
        }
        // A folder in the archive is read by its own name.
        for path in self.folders.iter().take(MAX_LINKS) {
            if self.follow(path).is_none() {
                files.lost.push(self.link_at(path));
            }
        }
        files
    }

    fn link_at(&self, path: &str) -> WantedLink {
        let target = place_of(path).and_then(|place| self.targets.get(&place));
        let text = target.map(LinkTarget::text).unwrap_or_default().to_owned();
        WantedLink { path: path.to_owned(), text }
    }

    /// The place that a path means when all links on the way are followed; `None` outside of the
    /// archive, and for a circle.
    fn follow(&self, path: &str) -> Option<String> {
        let (mut followed, mut parts) = (0, 0);
        let mut place = String::new();
        let mut todo: Vec<&str> = parts_reversed(path);
        while let Some(part) = todo.pop() {
            parts += 1;
            if parts > MAX_PARTS || place.len() + part.len() > MAX_PATH {
                return None;
            }
            if part == ".." {
                if place.is_empty() {
                    return None;
                }
                to_folder(&mut place);
                continue;
            }
            if !place.is_empty() {
                place.push('/');
            }
            place.push_str(part);
            let Some(target) = self.targets.get(&place) else { continue };
            followed += 1;
            if followed > MAX_FOLLOWED {
                return None;
            }
            match target {
                LinkTarget::Symbolic(target) if target.starts_with('/') => return None,
                LinkTarget::Symbolic(_) => to_folder(&mut place),
                LinkTarget::Hard(_) => place.clear(),
            }
            todo.extend(parts_reversed(target.text()));
        }
        Some(place)
    }
}

/// Removes the last part of a place.
fn to_folder(place: &mut String) {
    place.truncate(place.rfind('/').unwrap_or_default());
}

/// The parts of a path that lead somewhere, the last one first.
fn parts_reversed(path: &str) -> Vec<&str> {
    path.rsplit('/').filter(|part| !part.is_empty() && *part != ".").collect()
}

/// The place in the archive that an entry's path means; `None` outside of it.
pub(super) fn place_of(path: &str) -> Option<String> {
    ArchiveLinks::default().follow(path)
}

#[cfg(test)]
mod tests {
    use super::{ArchiveLinks, LinkTarget};

    #[test]
    fn links_are_followed_within_the_archive() {
        let symbolic = |target: &str| LinkTarget::Symbolic(target.to_owned());
        let hard = |target: &str| LinkTarget::Hard(target.to_owned());
        let links: [(&str, LinkTarget, Option<&str>); 12] = [
            ("d/sibling", symbolic("data.bin"), Some("d/data.bin")),
            ("./d/parent", symbolic("../e/./data.bin"), Some("e/data.bin")),
            ("chain", symbolic("d/parent"), Some("e/data.bin")),
            ("current", symbolic("v2"), Some("v2")),
            ("through", symbolic("current/pods"), Some("v2/pods")),
            ("d/hard", hard("e/data.bin"), Some("e/data.bin")),
            ("hard-to-link", hard("chain"), Some("e/data.bin")),
            ("outside", symbolic("../data.bin"), None),
            ("absolute", symbolic("/etc/pods.json"), None),
            ("self", symbolic("self"), None),
            ("a", symbolic("b"), None),
            ("b", symbolic("a/c"), None),
        ];
        let mut all = ArchiveLinks::default();
        for (path, target, _) in &links {
            all.add((*path).to_owned(), target.clone(), true);
        }
        for (path, _, place) in &links {
            assert_eq!(all.follow(path).as_deref(), *place, "{path}");
        }
        let files = all.resolve();
        assert_eq!(files.by_place["e/data.bin"].path, "./d/parent");
        assert_eq!(files.lost.len(), 5);
    }
}
