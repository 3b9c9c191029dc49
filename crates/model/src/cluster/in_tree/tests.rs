use crate::cluster::in_tree::Sources;
use crate::cluster::symbols::Symbols;
use crate::snapshot::Map;
use crate::snapshot::meta::Expression;
use crate::snapshot::pod::{AwsDisk, AzureDisk, GceDisk, NodeSelectorTerm, VolumeId};

const ZONE: &str = "topology.kubernetes.io/zone";
const BETA_ZONE: &str = "failure-domain.beta.kubernetes.io/zone";
const REGION: &str = "topology.kubernetes.io/region";
const BETA_REGION: &str = "failure-domain.beta.kubernetes.io/region";
const GCE_ZONE: &str = "topology.gke.io/zone";

fn labels(pairs: &[(&'static str, &'static str)]) -> Map<'static> {
    Map(pairs.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect())
}

/// Driver and handle, or what is wrong.
fn translate(
    sources: Sources,
    zones: &[(&'static str, &'static str)],
) -> Result<(String, String), String> {
    let mut symbols = Symbols::default();
    let volume = sources.translate(&labels(zones), &mut symbols).expect("an in-tree volume");
    let text = |sym| symbols.text(sym).to_owned();
    volume.handle.map(|handle| (text(volume.driver), text(handle))).map_err(Into::into)
}

#[test]
fn drivers_know_volumes_by_a_handle() {
    let gce = GceDisk { pd_name: "d".into(), read_only: false };
    let gce = || Sources { gce: Some(&gce), ..Sources::default() };
    let handle = |zones: &[_]| translate(gce(), zones).map(|(_, handle)| handle);
    for (row, zones, want) in [
        ("GCE without a zone", &[][..], Ok("projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d")),
        ("in a zone", &[(ZONE, "us-a-1")], Ok("projects/UNSPECIFIED/zones/us-a-1/disks/d")),
        (
            "the old label first",
            &[(ZONE, "x"), (BETA_ZONE, "y")],
            Ok("projects/UNSPECIFIED/zones/y/disks/d"),
        ),
        (
            "in two zones",
            &[(ZONE, "us-a-1__us-a-2")],
            Ok("projects/UNSPECIFIED/regions/us-a/disks/d"),
        ),
        (
            "in zones of two regions",
            &[(ZONE, "us-b-1__us-a-2")],
            Err(
                "failed to get region from zones: multiple or no regions gotten from zones, got: map[us-a:{} us-b:{}]",
            ),
        ),
        (
            "in zones that are none",
            &[(ZONE, "a__b")],
            Err(
                "failed to get region from zones: zone in unexpected format, expected: {locale}-{region}-{zone}, got: a",
            ),
        ),
    ] {
        assert_eq!(handle(zones), want.map(str::to_owned).map_err(str::to_owned), "{row}");
    }
    for (id, want) in [
        ("vol-1", Some("vol-1")),
        ("aws://zone/vol-1", Some("vol-1")),
        ("aws:///vol-1", Some("vol-1")),
        ("anything", Some("anything")),
        ("aws://zone/anything", None),
        ("aws://vol-1", None),
        ("aws://zone/vol-1/2", None),
    ] {
        let disk = AwsDisk { volume_id: id.into() };
        let found = translate(Sources { aws: Some(&disk), ..Sources::default() }, &[]).ok();
        assert_eq!(found, want.map(|id| ("ebs.csi.aws.com".into(), id.into())), "{id}");
    }
    for (kind, want) in [(None, true), (Some("managed"), true), (Some("Shared"), false)] {
        let disk =
            AzureDisk { disk_name: "d".into(), disk_uri: "/d".into(), kind: kind.map(Into::into) };
        let found = translate(Sources { azure: Some(&disk), ..Sources::default() }, &[]);
        assert_eq!(found.is_ok(), want, "{kind:?}: {found:?}");
    }
    let volume = VolumeId { volume_id: "v".into() };
    let cinder = translate(Sources { cinder: Some(&volume), ..Sources::default() }, &[]);
    assert_eq!(cinder, Ok(("cinder.csi.openstack.org".into(), "v".into())));
    let portworx = translate(Sources { portworx: Some(&volume), ..Sources::default() }, &[]);
    assert_eq!(portworx, Ok(("pxd.portworx.com".into(), "v".into())));
}

type Terms<'t> = &'t [&'t [(&'static str, &'static [&'static str])]];

fn terms(terms: Terms) -> Vec<NodeSelectorTerm<'static>> {
    let expression = |(key, values): &(&'static str, &'static [&'static str])| Expression {
        key: (*key).into(),
        operator: if values.is_empty() { "Exists" } else { "In" }.into(),
        values: values.iter().map(|v| (*v).into()).collect(),
    };
    let term = |t: &&[_]| NodeSelectorTerm {
        match_expressions: t.iter().map(expression).collect(),
        ..Default::default()
    };
    terms.iter().map(term).collect()
}

#[test]
fn zones_of_the_affinity_get_the_drivers_key() {
    type Row<'r> =
        (&'r str, &'r [(&'static str, &'static str)], Option<Terms<'r>>, Option<Terms<'r>>);
    let rows: &[Row] = &[
        ("nothing at all", &[], None, None),
        ("no terms stay no terms", &[], Some(&[]), Some(&[])),
        ("another label", &[], Some(&[&[("x", &["1"])]]), Some(&[&[("x", &["1"])]])),
        ("a zone", &[], Some(&[&[(ZONE, &["a"])]]), Some(&[&[(GCE_ZONE, &["a"])]])),
        ("an old zone", &[], Some(&[&[(BETA_ZONE, &["a"])]]), Some(&[&[(GCE_ZONE, &["a"])]])),
        (
            "an old region with it",
            &[],
            Some(&[&[(BETA_ZONE, &["a"]), (BETA_REGION, &["r"])]]),
            Some(&[&[(GCE_ZONE, &["a"]), (REGION, &["r"])]]),
        ),
        (
            "an old region alone",
            &[],
            Some(&[&[(BETA_REGION, &["r"])]]),
            Some(&[&[(BETA_REGION, &["r"])]]),
        ),
        ("zones of the label", &[(ZONE, "b__a__")], None, Some(&[&[(GCE_ZONE, &["a", "b"])]])),
        (
            "in every term",
            &[(ZONE, "a")],
            Some(&[&[("x", &["1"])], &[("y", &["2"])]]),
            Some(&[&[("x", &["1"]), (GCE_ZONE, &["a"])], &[("y", &["2"]), (GCE_ZONE, &["a"])]]),
        ),
        ("a term for no terms", &[(ZONE, "a")], Some(&[]), Some(&[&[(GCE_ZONE, &["a"])]])),
        (
            "the affinity goes before the label",
            &[(ZONE, "a")],
            Some(&[&[(ZONE, &["b"])]]),
            Some(&[&[(GCE_ZONE, &["b"])]]),
        ),
        (
            "a zone without values leaves it to the label",
            &[(ZONE, "a")],
            Some(&[&[(ZONE, &[])]]),
            Some(&[&[(ZONE, &[]), (GCE_ZONE, &["a"])]]),
        ),
    ];
    let disk = GceDisk { pd_name: "d".into(), read_only: false };
    let gce = Sources { gce: Some(&disk), ..Sources::default() };
    for (row, zones, before, after) in rows {
        assert_eq!(
            gce.translate_affinity(&labels(zones), before.map(terms)),
            after.map(terms),
            "{row}"
        );
    }
    let volume = VolumeId { volume_id: "v".into() };
    let portworx = Sources { portworx: Some(&volume), ..Sources::default() };
    let zone = || Some(terms(&[&[(ZONE, &["a"])]]));
    assert_eq!(
        portworx.translate_affinity(&labels(&[]), zone()),
        zone(),
        "a driver without a key of its own"
    );
}
