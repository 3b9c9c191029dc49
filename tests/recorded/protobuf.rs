//! Lists of random objects, recorded as Kubernetes' own encoders write them in JSON and in
//! protobuf: whichever a server answers with, the same is read. `just protobuf-record 1` records
//! them again.

mod probe;

use std::fs::File;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use engine::decode::WireEncoding;
use engine::snapshot::Kind;
use flate2::read::GzDecoder;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::laws::hostile::pages::Read;

/// A list in both formats.
#[derive(Deserialize)]
struct Recorded {
    kind: String,
    json: Box<RawValue>,
    protobuf: String,
}

impl Recorded {
    fn all() -> Vec<Self> {
        let file = File::open("tests/recorded/protobuf/1.37.ndjson.gz").unwrap();
        let lines = serde_json::Deserializer::from_reader(GzDecoder::new(file)).into_iter();
        lines.collect::<Result<_, _>>().unwrap()
    }

    fn kind(&self) -> Kind {
        Kind::find_resource(&self.kind)
            .or_else(|| Kind::find(None, self.kind.strip_suffix("List")?))
            .unwrap()
    }

    fn read_json(&self) -> Read {
        Read::of(self.kind(), WireEncoding::Json, self.json.get().as_bytes(), usize::MAX).unwrap()
    }

    fn protobuf(&self) -> Vec<u8> {
        BASE64_STANDARD.decode(&self.protobuf).unwrap()
    }
}

#[test]
fn protobuf_and_json_are_read_as_the_same_objects() {
    for recorded in Recorded::all() {
        let (from_json, kind) = (recorded.read_json(), recorded.kind());
        let from_protobuf =
            Read::of(kind, WireEncoding::Protobuf, &recorded.protobuf(), usize::MAX).unwrap();
        for (protobuf, json) in from_protobuf.objects.iter().zip(&from_json.objects) {
            assert_eq!(protobuf, json, "{kind:?}");
        }
        assert!(
            from_json.objects.len() > 4 && from_json.issues.is_empty(),
            "{kind:?}: {:?}",
            from_json.issues
        );
        assert_eq!(from_protobuf, from_json, "{kind:?}");
    }
}

#[test]
fn every_kind_that_has_protobuf_is_recorded() {
    let mut recorded: Vec<Kind> = Recorded::all().iter().map(Recorded::kind).collect();
    recorded.sort_unstable();
    let with_protobuf: Vec<Kind> =
        Kind::ALL.into_iter().filter(|kind| kind.has_protobuf()).collect();
    assert_eq!(recorded, with_protobuf);
}

#[test]
fn every_field_that_is_read_is_recorded() {
    for recorded in Recorded::all() {
        let kind = recorded.kind();
        let every = kind.decode(probe::Everything).unwrap().to_json().unwrap();
        let every: Value = serde_json::from_str(&every).unwrap();
        let whole = recorded.read_json().objects.swap_remove(0);
        let mut missing = probe::missing(&every, &whole);
        // Of 1.35 alone.
        missing.retain(|path| kind != Kind::Pod || path != ".spec.workloadRef");
        assert_eq!(missing, [""; 0], "{kind:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Damage is an error or an issue, or it changes a value; nothing panics, and no object comes
    /// from nowhere.
    #[test]
    fn damaged_protobuf_does_no_harm(which in 0usize..19, at in any::<prop::sample::Index>(), with in any::<u8>(), cut in any::<bool>()) {
        static RECORDED: LazyLock<Vec<Recorded>> = LazyLock::new(Recorded::all);
        let recorded = &RECORDED[which];
        let mut bytes = recorded.protobuf();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] = with }
        if let Ok(read) = Read::of(recorded.kind(), WireEncoding::Protobuf, &bytes, usize::MAX) {
            prop_assert!(read.objects.len() + read.issues.len() <= bytes.len());
        }
    }
}
