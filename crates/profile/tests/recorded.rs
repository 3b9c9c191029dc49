//! What kube-scheduler said about changed configurations (see `tests/oracle/config`), and what this
//! crate says.

mod compare;

use std::fs::{File, read_dir};
use std::io::Read;

use flate2::read::GzDecoder;

#[test]
fn changed_configurations_are_read_and_refused_as_by_kube_scheduler() {
    let mut recordings: Vec<_> =
        read_dir("tests/recorded").unwrap().map(|entry| entry.unwrap().path()).collect();
    recordings.sort();
    assert_eq!(recordings.len(), 6);
    for path in recordings {
        let mut text = String::new();
        GzDecoder::new(File::open(&path).unwrap()).read_to_string(&mut text).unwrap();
        let compared = compare::compare(text.lines());
        let name = path.display();
        assert!(compared.differences.is_empty(), "{name}:\n{}", compared.differences.join("\n"));
        // Both verdicts are common.
        let refused = compared.configurations - compared.accepted;
        assert!(
            compared.accepted * 5 > compared.configurations
                && refused * 5 > compared.configurations,
            "{name}"
        );
        assert!(compared.left_out * 50 < compared.configurations, "{name}: {}", compared.left_out);
    }
}
