//! `-f`: objects that do not exist yet. They are read with all their fields, because pods are
//! created from them.

use super::files;
use crate::error::Error;
use crate::program;
use ::files::{FileError, FoundFile, Visitor};
use answers::new_pods::Manifest;
use engine::decode::{WholeObject, whole_objects};

/// The objects of files, and the files that cannot be read.
#[derive(Debug, Default)]
pub struct ReadManifests {
    pub objects: Vec<Manifest>,
    pub failures: Vec<FileError>,
}

impl ReadManifests {
    /// The objects of files, and the files that cannot be read; with `deep` also in subdirectories.
    ///
    /// # Errors
    /// [`Error::Usage`] for what is no file.
    pub fn of(sources: &[String], deep: bool) -> Result<Self, Error> {
        let mut manifests = Self::default();
        for source in sources {
            manifests.add(source, deep)?;
        }
        Ok(manifests)
    }

    /// The objects, if all files could be read.
    ///
    /// # Errors
    /// The first problem of a file.
    pub fn all(self) -> Result<Vec<Manifest>, Error> {
        match self.failures.into_iter().next() {
            Some(failure) => Err(failure.into()),
            None => Ok(self.objects),
        }
    }

    /// Adds the objects of a file, a directory (with `deep` also its subdirectories) or `-` for
    /// standard input: JSON or YAML, one or several documents, or lists.
    ///
    /// # Errors
    /// [`Error::Usage`] for what is no file.
    fn add(&mut self, source: &str, deep: bool) -> Result<(), Error> {
        if ["http://", "https://"].iter().any(|scheme| source.starts_with(scheme)) {
            return Err(Error::Usage {
                problem: format!(
                    "-f {source}: manifests are read from files, not from the network"
                ),
                hint: Some(format!(
                    "curl -sSfL '{source}' | {}",
                    program::command("simulate -f -")
                )),
            });
        }
        match files::each_file(source, deep, None, self) {
            Err(Error::Input { origin, problem }) => {
                self.failures.push(FileError::new(origin, problem));
                Ok(())
            }
            other => other,
        }
    }
}

/// A file that cannot be read does not end the reading of others.
impl Visitor for ReadManifests {
    fn file(&mut self, file: FoundFile<'_>) -> Result<(), FileError> {
        let text = match file.text() {
            Ok(text) => text,
            Err(error) => return self.unopened(error),
        };
        match whole_objects(text, file.origin) {
            Ok(objects) => {
                for WholeObject { object, line } in objects {
                    self.objects.push(Manifest { origin: file.origin.to_owned(), line, object });
                }
                Ok(())
            }
            Err(error) => self.unopened(error.into()),
        }
    }

    fn unopened(&mut self, error: FileError) -> Result<(), FileError> {
        self.failures.push(error);
        Ok(())
    }
}
