//! `-f`: objects that do not exist yet. They are read with all their fields, because pods are
//! created from them, and checked as the API server does.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::files;
use crate::error::Error;
use crate::program;
use ::files::{FileError, FoundFile, Visitor};
use answers::new_pods::Manifest;
use engine::decode::{TextPosition, WholeObject, whole_objects};

/// The objects of files, and the files that cannot be read.
#[derive(Debug, Default)]
pub struct ReadManifests {
    pub objects: Vec<Manifest>,
    pub failures: Vec<FileError>,
    /// The charts among the files.
    charts: Vec<PathBuf>,
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

    /// The objects of a text, whose place is called `origin`.
    pub fn of_text(text: &str, origin: &str) -> Self {
        let mut manifests = Self::default();
        manifests.read(text, origin);
        manifests
    }

    /// Adds the objects of a text.
    fn read(&mut self, text: &str, origin: &str) {
        let objects = match whole_objects(text, origin) {
            Ok(objects) => objects,
            Err(error) => {
                let mut failure: FileError = error.into();
                if is_values(origin) {
                    let render = "values of a Helm chart make no pods: render it with helm template CHART -f";
                    failure.problem = format!("{}; {render} '{origin}'", failure.problem);
                }
                self.failures.push(failure);
                return;
            }
        };
        for WholeObject { object, line } in objects {
            let (origin, line) = template_of(text, origin, line);
            // What the API server would not take creates no pods, and what it means is a guess.
            match manifests::check(&object) {
                Ok(()) => self.objects.push(Manifest { origin, line, object, refusal: None }),
                Err(problem) => {
                    let problem = format!("{} (line {line}): {problem}", name(&object));
                    let place = Some(TextPosition { line, column: 0 });
                    self.failures.push(FileError { origin, problem, place });
                }
            }
        }
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

/// The chart that a file belongs to: the nearest folder with a `Chart.yaml`.
fn chart_of(origin: &str) -> Option<&Path> {
    let folders = Path::new(origin).ancestors().skip(1);
    let mut folders =
        folders.map(|folder| if folder == Path::new("") { Path::new(".") } else { folder });
    folders.find(|folder| folder.join("Chart.yaml").is_file())
}

/// Whether the file has values of a chart, by its name: `values-prod.yaml`.
fn is_values(origin: &str) -> bool {
    let name = Path::new(origin).file_name().and_then(OsStr::to_str);
    name.is_some_and(|name| name.starts_with("values"))
}

/// That the templates of a chart are no manifests yet, and the command that renders them.
fn not_rendered(chart: &Path, values: Option<&str>) -> FileError {
    let origin = chart.display().to_string();
    let values = values.map_or_else(String::new, |values| format!(" -f '{values}'"));
    let rendered =
        format!("helm template '{origin}'{values} | {}", program::command("simulate -f -"));
    FileError::new(
        origin,
        format!("a Helm chart, whose templates must be rendered first: {rendered}"),
    )
}

/// Where an object of standard input stands: in the template that helm names above it, whose lines are
/// others.
fn template_of(text: &str, origin: &str, line: usize) -> (String, usize) {
    let here = (origin.to_owned(), line);
    if origin != files::STDIN {
        return here;
    }
    let above: Vec<&str> = text.lines().take(line.saturating_sub(1)).collect();
    let mut comments = above.iter().rev().take_while(|line| line.starts_with('#'));
    let source = comments.find_map(|line| line.strip_prefix("# Source: "));
    source.map_or(here, |source| (source.trim().to_owned(), 1))
}

/// `Deployment shop/web`.
fn name(object: &Value) -> String {
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
    let metadata = object.get("metadata").unwrap_or(&Value::Null);
    let name = metadata.get("name").or_else(|| metadata.get("generateName"));
    let Some(name) = name.and_then(Value::as_str) else { return kind.to_owned() };
    match metadata.get("namespace").and_then(Value::as_str) {
        Some(namespace) => format!("{kind} {namespace}/{name}"),
        None => format!("{kind} {name}"),
    }
}

/// A file that cannot be read does not end the reading of others.
impl Visitor for ReadManifests {
    fn file(&mut self, file: FoundFile<'_>) -> Result<(), FileError> {
        let origin = file.origin;
        // Of a chart, one line says how to render it; its files are templates and values.
        if let Some(chart) = chart_of(origin) {
            if !self.charts.iter().any(|known| known == chart) {
                self.charts.push(chart.to_owned());
                let is_values = !origin.ends_with("/values.yaml") && is_values(origin);
                self.failures.push(not_rendered(chart, is_values.then_some(origin)));
            }
            return Ok(());
        }
        match file.text() {
            Ok(text) => self.read(text, origin),
            Err(error) => self.failures.push(error),
        }
        Ok(())
    }

    fn unopened(&mut self, error: FileError) -> Result<(), FileError> {
        self.failures.push(error);
        Ok(())
    }
}
