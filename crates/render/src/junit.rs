//! JUnit reports, which CI systems show.

use crate::escape::html as xml;
use crate::safe::Printable;

/// A suite of tests. Its texts are escaped when they are written.
pub(crate) struct Suite {
    pub name: &'static str,
    pub cases: Vec<Case>,
    /// What is said about the suite as a whole.
    pub remarks: Vec<String>,
}

#[derive(Default)]
pub(crate) struct Case {
    pub class: String,
    pub name: String,
    /// The file and the line that the test is about.
    pub place: Option<(String, usize)>,
    pub result: CaseResult,
    /// The lines of its output.
    pub output: Vec<String>,
}

#[derive(Default)]
pub(crate) enum CaseResult {
    #[default]
    Passes,
    /// Readers show only the first failure of a test, so it has one.
    Fails {
        kind: &'static str,
        message: String,
        /// The lines of its description.
        text: Vec<String>,
    },
    /// Why it was left out.
    IsSkipped(String),
}

impl Suite {
    pub(crate) fn report(&self) -> Printable {
        let (mut failures, mut skipped) = (0, 0);
        let mut cases = String::new();
        for case in &self.cases {
            match case.result {
                CaseResult::Passes => {}
                CaseResult::Fails { .. } => failures += 1,
                CaseResult::IsSkipped(_) => skipped += 1,
            }
            case.write(&mut cases);
        }
        if !self.remarks.is_empty() {
            let remarks = escaped(&self.remarks, "; ");
            cases.push_str(&format!("    <system-err>{remarks}</system-err>\n"));
        }
        let counts = format!(
            "tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\"",
            self.cases.len()
        );
        Printable::new(format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite \
             name=\"{}\" {counts}>\n{cases}  </testsuite>\n</testsuites>\n",
            self.name
        ))
    }
}

impl Case {
    fn write(&self, out: &mut String) {
        let (class, name) = (xml(&self.class), xml(&self.name));
        out.push_str(&format!("    <testcase classname=\"{class}\" name=\"{name}\""));
        if let Some((file, line)) = &self.place {
            out.push_str(&format!(" file=\"{}\" line=\"{line}\"", xml(file)));
        }

        let mut inner = match &self.result {
            CaseResult::Passes => String::new(),
            CaseResult::Fails { kind, message, text } => format!(
                "<failure type=\"{kind}\" message=\"{}\">{}</failure>",
                xml(message),
                escaped(text, "\n")
            ),
            CaseResult::IsSkipped(why) => format!("<skipped message=\"{}\"/>", xml(why)),
        };
        if !self.output.is_empty() {
            inner.push_str(&format!("<system-out>{}</system-out>", escaped(&self.output, "\n")));
        }
        out.push_str(&if inner.is_empty() {
            "/>\n".to_owned()
        } else {
            format!(">{inner}</testcase>\n")
        });
    }
}

/// Lines, each of them escaped: that would also replace what separates them.
fn escaped(lines: &[String], separator: &str) -> String {
    let lines: Vec<String> = lines.iter().map(|line| xml(line)).collect();
    lines.join(separator)
}
