use serde_json::json;

use super::PortInUse;
use crate::testing::{Pod, decide, node, objects, pod};
use model::cluster::template::HostPort;

const TAKEN: &str = "U NodePorts: node(s) didn't have free ports for the requested pod ports";

fn verdict(running: Pod, incoming: Pod) -> String {
    decide(objects![node("n"), running.on("n"), incoming], "p").node("n")
}

#[test]
fn ports_conflict_on_the_same_address_and_protocol() {
    type Port<'a> = (i64, &'a str, &'a str);
    let rows: &[(&str, Port, Port, &str)] = &[
        ("same port", (80, "TCP", ""), (80, "TCP", ""), TAKEN),
        ("another port", (80, "TCP", ""), (81, "TCP", ""), "fits"),
        ("another protocol", (80, "UDP", ""), (80, "TCP", ""), "fits"),
        ("no protocol means TCP", (80, "", ""), (80, "TCP", ""), TAKEN),
        ("no address means all", (80, "TCP", ""), (80, "TCP", "0.0.0.0"), TAKEN),
        ("all addresses against one", (80, "TCP", "127.0.0.1"), (80, "TCP", "0.0.0.0"), TAKEN),
        ("one address against all", (80, "TCP", "0.0.0.0"), (80, "TCP", "127.0.0.1"), TAKEN),
        (
            "one address against all, another protocol",
            (80, "TCP", "127.0.0.1"),
            (80, "UDP", "0.0.0.0"),
            "fits",
        ),
        ("same address", (80, "TCP", "127.0.0.1"), (80, "TCP", "127.0.0.1"), TAKEN),
        ("two addresses", (80, "TCP", "127.0.0.1"), (80, "TCP", "127.0.0.2"), "fits"),
        (
            "the IPv6 wildcard is an address like any",
            (80, "TCP", "::"),
            (80, "TCP", "127.0.0.1"),
            "fits",
        ),
        ("port 0 is no host port", (0, "TCP", ""), (0, "TCP", ""), "fits"),
    ];
    for (row, used, wanted, want) in rows {
        let (running, incoming) =
            (pod("v").port(used.0, used.1, used.2), pod("p").port(wanted.0, wanted.1, wanted.2));
        assert_eq!(verdict(running, incoming), *want, "{row}");
    }
}

#[test]
fn sidecars_hold_ports_and_init_containers_do_not() {
    let with_port = json!({"name": "i", "ports": [{"hostPort": 80}]});
    for (row, running, want) in [
        ("a sidecar", pod("v").sidecar(with_port.clone()), TAKEN),
        ("an init container", pod("v").init(with_port.clone()), "fits"),
        (
            "any container",
            pod("v").containers(vec![json!({"name": "a"}), with_port.clone()]),
            TAKEN,
        ),
    ] {
        assert_eq!(verdict(running, pod("p").port(80, "TCP", "")), want, "{row}");
    }
    assert_eq!(
        verdict(pod("v").port(80, "TCP", ""), pod("p").sidecar(with_port)),
        TAKEN,
        "the pod's own sidecar"
    );
}

#[test]
fn a_pod_may_ask_twice_for_a_port_and_finished_pods_hold_none() {
    assert_eq!(verdict(pod("v"), pod("p").port(80, "TCP", "").port(80, "TCP", "")), "fits");
    let finished = pod("v").port(80, "TCP", "").on("n").phase("Succeeded");
    assert_eq!(
        decide(objects![node("n"), finished, pod("p").port(80, "TCP", "")], "p").node("n"),
        "fits"
    );
}

#[test]
fn the_evidence_names_the_holder() {
    let answer = decide(
        objects![
            node("n"),
            pod("v").port(80, "TCP", "127.0.0.1").on("n"),
            pod("p").port(80, "TCP", "")
        ],
        "p",
    );
    let port = |ip: &str| HostPort { ip: answer.sym(ip), protocol: answer.sym("TCP"), port: 80 };
    let (wanted, used) = (port("0.0.0.0"), port("127.0.0.1"));
    let want = PortInUse { wanted, used, pod: answer.pod_ix("v") };
    assert_eq!(answer.evidence::<PortInUse>("n"), &want);
}

#[test]
fn evicting_the_holder_helps() {
    let holder = || pod("v").port(80, "TCP", "").on("n");
    let incoming = || pod("p").port(80, "TCP", "").priority(10);
    for (row, objects, want) in [
        (
            "a holder of lower priority",
            objects![holder(), pod("w").on("n"), incoming()],
            "victims v, violations 0, spared w",
        ),
        (
            "a holder of the same priority",
            objects![holder().priority(10), pod("w").on("n"), incoming()],
            "node(s) didn't have free ports for the requested pod ports",
        ),
        (
            // Ports are kept as a set, so the port is free once one of two holders is gone, and
            // taken once one is back.
            "two holders of one port",
            objects![holder(), pod("w").port(80, "TCP", "").on("n"), incoming()],
            "victims v w, violations 0",
        ),
        (
            "one of two holders is of the same priority: the set forgets it with the other",
            objects![holder(), pod("w").port(80, "TCP", "").on("n").priority(10), incoming()],
            "victims v, violations 0",
        ),
        (
            "and so it does when the one that stays comes first",
            objects![pod("a").port(80, "TCP", "").on("n").priority(10), holder(), incoming()],
            "victims v, violations 0",
        ),
    ] {
        let objects = [objects![node("n")], objects].concat();
        assert_eq!(decide(objects, "p").dry_run("n"), want, "{row}");
    }
}

#[test]
fn of_several_taken_ports_the_first_that_is_wanted_is_named() {
    let running =
        pod("v").port(82, "TCP", "10.0.0.1").port(81, "TCP", "10.0.0.1").port(80, "UDP", "");
    let incoming = pod("p").port(80, "TCP", "").port(81, "TCP", "").port(82, "TCP", "10.0.0.1");
    let answer = decide(objects![node("n"), running.on("n"), incoming], "p");
    let evidence: &PortInUse = answer.evidence("n");
    assert_eq!((evidence.wanted.port, evidence.used.port), (81, 81));
}
