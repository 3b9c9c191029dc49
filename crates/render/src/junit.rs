//! JUnit reports, which CI systems show: tests with their failures and their output.

use crate::escape::html as xml;
use crate::safe::Printable;

/// A report while its tests are added.
#[derive(Debug, Default)]
pub(crate) struct JunitReport {
    cases: String,
    tests: usize,
    failures: usize,
    skipped: usize,
}

/// A test.
#[derive(Debug, Default)]
pub(crate) struct JunitCase<'c> {
    pub class: &'c str,
    pub name: String,
    /// The file that it is about, and the line there.
    pub place: Option<(&'c str, usize)>,
    /// Why it did not run.
    pub skipped: Option<String>,
    pub failure: Option<JunitFailure>,
    /// The lines of its output.
    pub output: Vec<String>,
}

/// Why a test failed. Readers show only the first failure of a test, so there is one.
#[derive(Debug)]
pub(crate) struct JunitFailure {
    pub kind: &'static str,
    pub message: String,
    pub lines: Vec<String>,
}

impl JunitReport {
    pub(crate) fn add(&mut self, case: JunitCase) {
        let JunitCase { class, name, place, skipped, failure, output } = case;
        let mut content = String::new();
        if let Some(why) = &skipped {
            content.push_str(&format!("<skipped message=\"{}\"/>", xml(why)));
        }
        if let Some(JunitFailure { kind, message, lines }) = &failure {
            let (message, text) = (xml(message), escaped(lines));
            content.push_str(&format!(
                "<failure type=\"{kind}\" message=\"{message}\">{text}</failure>"
            ));
        }
        if !output.is_empty() {
            content.push_str(&format!("<system-out>{}</system-out>", escaped(&output)));
        }
        self.tests += 1;
        self.failures += usize::from(failure.is_some());
        self.skipped += usize::from(skipped.is_some());

        let mut attributes = format!("classname=\"{}\" name=\"{}\"", xml(class), xml(&name));
        if let Some((file, line)) = place {
            attributes.push_str(&format!(" file=\"{}\" line=\"{line}\"", xml(file)));
        }
        self.cases.push_str(&if content.is_empty() {
            format!("    <testcase {attributes}/>\n")
        } else {
            format!("    <testcase {attributes}>{content}</testcase>\n")
        });
    }

    /// The report as the suite of this name, with remarks about all tests.
    pub(crate) fn finish(self, suite: &str, remarks: &[String]) -> Printable {
        let Self { mut cases, tests, failures, skipped } = self;
        if !remarks.is_empty() {
            let remarks: Vec<String> = remarks.iter().map(|remark| xml(remark)).collect();
            cases.push_str(&format!("    <system-err>{}</system-err>\n", remarks.join("; ")));
        }
        let counts =
            format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\"");
        Printable::new(format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite \
             name=\"{suite}\" {counts}>\n{cases}  </testsuite>\n</testsuites>\n"
        ))
    }
}

fn escaped(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| xml(line)).collect();
    lines.join("\n")
}
