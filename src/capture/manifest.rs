//! `-f`: objects that do not exist yet, with all their fields.

use serde_json::Value;

use super::files;
use crate::error::Error;
use engine::decode::whole_objects;

/// A manifest, and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// The file, or `standard input`.
    pub origin: String,
    /// The object.
    pub object: Value,
}

/// Reads the manifests of a file, of a directory (`deep`: and of those in it) or of `-`, standard input: JSON or YAML,
/// several documents, lists.
///
/// # Errors
/// [`Error::Input`] names the file and what is wrong with it.
pub fn read(source: &str, deep: bool) -> Result<Vec<Manifest>, Error> {
    if ["http://", "https://"].iter().any(|scheme| source.starts_with(scheme)) {
        return Err(Error::Usage {
            problem: format!("-f {source}: manifests are read from files, not from the network"),
            hint: Some(format!("curl -sSfL '{source}' | kubectl preempt simulate -f -")),
        });
    }
    let mut manifests = Vec::new();
    files::texts(source, deep, &mut |text, origin| {
        let objects = whole_objects(text, origin)?;
        manifests.extend(objects.into_iter().map(|object| Manifest { origin: origin.to_owned(), object }));
        Ok(())
    })?;
    Ok(manifests)
}
