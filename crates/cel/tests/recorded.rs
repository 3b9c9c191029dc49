//! What kube-scheduler said about random selectors (see `tests/oracle/cel`), and what this crate
//! says.

mod compare;

use std::fs::{File, read_dir};
use std::io::Read;

use flate2::read::GzDecoder;

#[test]
fn selectors_give_and_cost_what_they_do_in_kube_scheduler() {
    let mut recordings: Vec<_> =
        read_dir("tests/recorded").unwrap().map(|entry| entry.unwrap().path()).collect();
    recordings.sort();
    assert_eq!(recordings.len(), 10);
    for path in recordings {
        let mut text = String::new();
        GzDecoder::new(File::open(&path).unwrap()).read_to_string(&mut text).unwrap();
        let compared = compare::compare(text.lines());
        let name = path.display();
        assert!(compared.differences.is_empty(), "{name}:\n{}", compared.differences.join("\n"));
        assert!(compared.admitted * 2 > compared.selectors, "{name}: {compared:?}");
        // What differs from run to run in kube-scheduler, what its compiler panics at, and zones of
        // time are few.
        let passed_over = compared.left_out + compared.syntax + compared.unsupported.len();
        assert!(
            passed_over * 50 < compared.selectors,
            "{name}: {passed_over} of {}",
            compared.selectors
        );
    }
}
