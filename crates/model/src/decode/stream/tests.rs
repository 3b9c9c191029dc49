use super::*;
use crate::decode::decode;
use crate::snapshot::scheduler::SchedulerPart;
use crate::snapshot::{DecodeIssue, Header, Kind, Object};

/// All that a sink gets.
#[derive(Default, Debug, PartialEq)]
struct Seen(Vec<String>);

impl Sink for Seen {
    fn object(&mut self, object: Object<'_>) {
        self.0.push(format!("{object:?}"));
    }
    fn issue(&mut self, issue: DecodeIssue) {
        self.0.push(format!("{issue:?}"));
    }
    fn header(&mut self, header: Header) {
        self.0.push(format!("{header:?}"));
    }
    fn list(&mut self, kind: Kind) {
        self.0.push(format!("list of {kind:?}"));
    }
    fn scheduler(&mut self, part: SchedulerPart) {
        self.0.push(format!("{part:?}"));
    }
}

/// A text that is read from memory.
struct Bytes<'t>(&'t [u8]);

impl ByteSource for Bytes<'_> {
    fn read(&mut self, buffer: &mut Vec<u8>, most: usize) -> Result<(), String> {
        let (next, rest) = self.0.split_at(most.min(self.0.len()));
        buffer.extend_from_slice(next);
        self.0 = rest;
        Ok(())
    }
}

type Outcome = (Seen, Result<(), DecodeError>);

fn whole(text: &str) -> Outcome {
    let mut seen = Seen::default();
    let decoded = decode(text, "test", &mut seen);
    (seen, decoded)
}

fn streamed(text: &str, round: usize) -> Option<Outcome> {
    let mut seen = Seen::default();
    let sizes = Sizes { round, chunk: round / 4 + 1 };
    let decoded = decode_in_rounds(&mut Bytes(text.as_bytes()), "test", sizes, &mut seen);
    match decoded {
        Ok(Streamed::Untouched(bytes)) => {
            assert!(text.as_bytes().starts_with(&bytes) && seen == Seen::default());
            None
        }
        Ok(Streamed::Decoded) => Some((seen, Ok(()))),
        Err(problem) => Some((seen, Err(problem))),
    }
}

/// Decodes a text in rounds of many sizes, and compares with decoding it as a whole.
fn check(text: &str) {
    let small = (1..80).step_by(3);
    check_rounds(text, small.chain((80..text.len()).step_by(text.len() / 20 + 1)));
}

/// The same with all small sizes, and more of the others.
fn check_each(text: &str) {
    check_rounds(text, (1..80).chain((80..text.len()).step_by(text.len() / 60 + 1)));
}

fn check_rounds(text: &str, rounds: impl Iterator<Item = usize>) {
    let expected = whole(text);
    let mut count = 0;
    for round in rounds {
        let Some((seen, decoded)) = streamed(text, round) else { continue };
        count += 1;
        assert_eq!(decoded, expected.1, "rounds of {round} bytes: {text}");
        if decoded.is_ok() {
            assert_eq!(seen, expected.0, "rounds of {round} bytes: {text}");
        }
    }
    assert!(count > 3, "too few of the rounds had the beginning of a list: {text}");
}

fn pod(index: usize, more: &str) -> String {
    format!(
        "{{\"apiVersion\": \"v1\",\n \"kind\": \"Pod\", \"metadata\": {{\"name\": \"pod-{index}\", \
         \"ownerReferences\": [{{\"apiVersion\":\"a\",\"kind\":\"b\"}}, {{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}}], \
         \"annotations\": {{\"a\": \"}},{{\\\"apiVersion\\\" é ü\"}}{more}}}}}"
    )
}

fn pods(more: &str) -> Vec<String> {
    (0..12).map(|i| pod(i, if i % 5 == 3 { more } else { "" })).collect()
}

fn list(items: &[String]) -> String {
    format!(
        "{{\n\"apiVersion\": \"v1\",\n\"items\": [\n{}\n],\n\"kind\": \"List\", \"metadata\": {{}}}}\n",
        items.join(",\n")
    )
}

fn typed(items: &[String]) -> String {
    let items = items.join(",").replace("\"apiVersion\": \"v1\",\n \"kind\": \"Pod\", ", "");
    format!("{{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[{items}],\"metadata\":{{}}}}")
}

#[test]
fn lists_in_rounds_of_any_size_give_what_they_give_as_a_whole() {
    for more in ["", r#","labels":7"#] {
        check_each(&list(&pods(more)));
        check_each(&typed(&pods(more)));
        check(&format!("\u{feff} \n{}", list(&pods(more))));
    }
}

#[test]
fn several_documents_give_what_they_give_as_a_whole() {
    let (list, typed) = (list(&pods("")), typed(&pods("")));
    for text in [
        format!("{list}{typed}{list}"),
        format!("{list}\n{}\n{list}", pod(77, "")),
        format!("{list}[{}]", pod(77, "")),
        format!("{list} x"),
        format!("{list}{}", typed.replace("PodList", "SecretList")),
        format!("{list}---\nkind: Pod"),
    ] {
        check(&text);
    }
}

#[test]
fn snapshots_keep_their_header_and_issues() {
    let text = list(&pods("")).replace("\"kind\": \"List\", \"metadata\": {}", "");
    let text = text.trim_end().trim_end_matches('}').trim_end().trim_end_matches(',').to_owned();
    let text = text.replacen(
        "\"apiVersion\": \"v1\",",
        "\"apiVersion\": \"kubectl-preempt.github.io/v1\", \"kind\": \"Snapshot\",",
        1,
    );
    check(&format!(
        "{text}, \"flaws\": [{{\"kind\":\"LeftOut\",\"subject\":\"x\"}}], \"snapshot\": {{\"capturedAt\":\"2026-01-01T00:00:00Z\"}}}}"
    ));
    check(&format!("{}}}", text.replace("v1alpha2", "v9")));
}

#[test]
fn broken_texts_have_the_error_of_the_whole_with_its_place() {
    let whole = list(&pods(""));
    for (nth, at) in (200..whole.len()).step_by(239).enumerate() {
        let at = (at..whole.len()).find(|at| whole.is_char_boundary(*at)).unwrap_or(whole.len());
        let (before, behind) = whole.split_at(at);
        for text in [before, &format!("{before}\u{1}{behind}"), &format!("{before}]{behind}")] {
            // A fifth of the sizes at each place: five places after one another have all of them.
            let small = (1 + nth % 5..80).step_by(5);
            let step = 5 * (text.len() / 60 + 1);
            check_rounds(text, small.chain((80 + nth % 5 * step / 5..text.len()).step_by(step)));
        }
    }
    check(&whole.replace("\n],\n", ",\n],\n"));
    check(&whole.replace("\n],\n", "\n],,\n"));
    check(&whole.replace("},\n{", "}\n{"));
}

#[test]
fn items_that_are_no_objects_are_named_as_in_the_whole() {
    for (index, item) in [(0, "12"), (5, "12"), (5, "null"), (11, "\"x\""), (7, "{}"), (0, "{}")] {
        let mut items = pods("");
        items[index] = item.to_owned();
        let text = list(&items);
        if index > 0 {
            check(&text);
        }
        check(&typed(&items).replace("[12,", "[{\"a\":12},"));
    }
}

#[test]
fn bytes_that_are_no_text_are_named_by_their_place() {
    let text = list(&pods(""));
    let mut bytes = text.into_bytes();
    let at = bytes.len() - 40;
    bytes[at] = 0xff;
    let mut seen = Seen::default();
    let sizes = Sizes { round: 500, chunk: 100 };
    let problem = decode_in_rounds(&mut Bytes(&bytes), "test", sizes, &mut seen).unwrap_err();
    assert_eq!(problem.problem, format!("not text: byte {at} is not UTF-8"));
}
