use super::{FitErrorReasons, ParsedFitError, PreemptionText};

fn counts(reasons: &[(&str, usize)]) -> std::collections::BTreeMap<String, usize> {
    reasons.iter().map(|(reason, count)| ((*reason).to_owned(), *count)).collect()
}

fn nodes(reasons: &[(&str, usize)]) -> FitErrorReasons {
    FitErrorReasons::Nodes(counts(reasons))
}

fn nowhere(total: usize, reasons: &[(&str, usize)]) -> PreemptionText {
    PreemptionText::Nowhere { total, reasons: counts(reasons) }
}

#[track_caller]
fn check(rows: Vec<(&str, usize, FitErrorReasons, &str, Option<PreemptionText>)>) {
    for (message, total, rejection, others, preemption) in rows {
        let want = ParsedFitError { total, rejection, others: others.to_owned(), preemption };
        assert_eq!(ParsedFitError::parse(message), Some(want), "{message}");
    }
}

#[test]
fn messages_with_reasons_by_node() {
    check(vec![
        (
            "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {k: v}.",
            3,
            nodes(&[("Insufficient cpu", 1), ("node(s) had untolerated taint {k: v}", 2)]),
            "",
            None,
        ),
        (
            "0/4 nodes are available: 1 Too many pods, 3 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims to \
             deallocate, preemption: 0/4 nodes are available: 1 No preemption victims found for incoming pod, 3 \
             Preemption is not helpful for scheduling.",
            4,
            nodes(&[("Too many pods", 1), ("node(s) didn't satisfy plugin(s) [NodeAffinity]", 3)]),
            "no new claims to deallocate",
            Some(nowhere(
                4,
                &[
                    ("No preemption victims found for incoming pod", 1),
                    ("Preemption is not helpful for scheduling", 3),
                ],
            )),
        ),
        (
            "0/3 nodes are available: 3 Insufficient cpu. preemption: found a potential placement for pod on node \
             deux-noeuds-m02, preempting 1 victims",
            3,
            nodes(&[("Insufficient cpu", 3)]),
            "",
            Some(PreemptionText::Found { node: "deux-noeuds-m02".into(), victims: 1 }),
        ),
        (
            "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.",
            1,
            nodes(&[("Insufficient cpu", 1)]),
            "",
            Some(PreemptionText::Text("not eligible due to preemptionPolicy=Never.".into())),
        ),
        (
            "0/9 nodes are available: 9 asks for x, which is not there.",
            9,
            nodes(&[("asks for x, which is not there", 9)]),
            "",
            None,
        ),
    ]);
}

#[test]
fn messages_about_the_pod_as_a_whole() {
    check(vec![
        (
            "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
            1,
            FitErrorReasons::Pod("pod has unbound immediate PersistentVolumeClaims".into()),
            "not found",
            None,
        ),
        (
            "0/2 nodes are available: persistentvolumeclaim \"a. b, c\" not found. preemption: 0/2 nodes are available: 2 \
             Preemption is not helpful for scheduling.",
            2,
            FitErrorReasons::Pod("persistentvolumeclaim \"a. b, c\" not found".into()),
            "",
            Some(nowhere(2, &[("Preemption is not helpful for scheduling", 2)])),
        ),
        ("0/2 nodes are available:", 2, FitErrorReasons::Pod(String::new()), "", None),
    ]);
}

#[test]
fn text_of_another_form_is_no_fit_error() {
    for message in [
        "",
        "no nodes available to schedule pods",
        "running PreFilter plugin \"X\": boom",
        "0/x nodes are available: 1 y.",
        "0/99999999999999999999 nodes are available: 1 y.",
        "1/3 nodes are available: 1 y.",
    ] {
        assert_eq!(ParsedFitError::parse(message), None, "{message}");
    }
}
