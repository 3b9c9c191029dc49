//! `-f`: objects that do not exist yet. They are read with all their fields, because pods are
//! created from them.

use serde_json::Value;

use super::files;
use crate::error::Error;
use crate::program;
use ::files::FoundFile;
use engine::decode::{WholeObject, whole_objects};

/// An object and its origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// The file, or `standard input`.
    pub origin: String,
    /// The first line of its document, starting at 1.
    pub line: usize,
    pub object: Value,
}

/// Reads the objects of a file, a directory (with `deep` also its subdirectories) or `-` for
/// standard input: JSON or YAML, one or several documents, or lists.
///
/// # Errors
/// [`Error::Input`] names the file and what is wrong with it.
pub fn read(source: &str, deep: bool) -> Result<Vec<Manifest>, Error> {
    if ["http://", "https://"].iter().any(|scheme| source.starts_with(scheme)) {
        return Err(Error::Usage {
            problem: format!("-f {source}: manifests are read from files, not from the network"),
            hint: Some(format!("curl -sSfL '{source}' | {}", program::command("simulate -f -"))),
        });
    }
    let mut manifests = Vec::new();
    files::each_file(source, deep, None, &mut |file: FoundFile<'_>| {
        let objects = whole_objects(file.text()?, file.origin)?;
        manifests.extend(objects.into_iter().map(|WholeObject { object, line }| Manifest {
            origin: file.origin.to_owned(),
            line,
            object,
        }));
        Ok(())
    })?;
    Ok(manifests)
}
