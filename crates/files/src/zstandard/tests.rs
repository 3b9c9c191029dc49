use std::io::{self, Read as _, Write as _};

use proptest::prelude::*;

use super::{pack, reader, unpack};

/// A frame without a checksum that holds `abc` and declares to be of `declared` bytes.
fn frame_of_abc(declared: u8) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x20, declared];
    frame.extend([3 << 3 | 1, 0, 0]);
    frame.extend(b"abc");
    frame
}

fn unpacked(packed: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader(packed).read_to_end(&mut bytes).map(|_| bytes)
}

fn error(packed: &[u8]) -> io::Error {
    unpacked(packed).expect_err("an error")
}

/// Lines that resemble each other, of about `length` bytes.
fn lines(length: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for number in (0_u64..).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15)) {
        if text.len() >= length {
            break;
        }
        let line =
            format!("{{\"name\":\"web-{:x}\",\"node\":\"n{}\"}}\n", number >> 20, number % 997);
        text.extend(line.into_bytes());
    }
    text.truncate(length);
    text
}

#[test]
fn frames_one_after_the_other_and_skippable_frames_are_read() {
    let (first, second) = (lines(300_000), lines(70));
    let mut packed = zstd::encode_all(&first[..], 3).unwrap();
    // A frame for other programs, of five bytes.
    packed.extend([0x53, 0x2a, 0x4d, 0x18, 5, 0, 0, 0, 1, 2, 3, 4, 5]);
    packed.extend(zstd::encode_all(&b""[..], 1).unwrap());
    packed.extend(zstd::encode_all(&second[..], 19).unwrap());
    assert_eq!(unpacked(&packed).unwrap(), [first, second].concat());
    assert_eq!(unpacked(&frame_of_abc(3)).unwrap(), b"abc");
    assert_eq!(unpacked(b"").unwrap(), b"");
}

#[test]
fn a_file_that_is_cut_off_is_an_error_wherever_it_ends() {
    let packed = [frame_of_abc(3), zstd::encode_all(&lines(3000)[..], 3).unwrap()].concat();
    for end in (1..packed.len()).filter(|end| *end != frame_of_abc(3).len()) {
        assert_eq!(error(&packed[..end]).to_string(), "it ends in the middle of a frame", "{end}");
    }
    let skippable = [0x53, 0x2a, 0x4d, 0x18, 5, 0, 0, 0, 1, 2];
    assert_eq!(error(&skippable).kind(), io::ErrorKind::UnexpectedEof);
}

#[test]
fn a_checksum_or_a_size_that_differs_is_an_error() {
    let mut packed = pack(&lines(3000)).unwrap();
    *packed.last_mut().unwrap() ^= 1;
    assert_eq!(error(&packed).to_string(), "the checksum is another one");
    assert!(zstd::decode_all(&packed[..]).is_err());
    assert_eq!(error(&frame_of_abc(4)).to_string(), "a frame of 4 bytes has 3");
    let garbage = [frame_of_abc(3), b"abcdefgh".to_vec()].concat();
    assert!(unpacked(&garbage).is_err());
}

#[test]
fn a_window_above_the_limit_and_a_dictionary_are_refused() {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(28).unwrap();
    encoder.write_all(b"abc").unwrap();
    let wide = error(&encoder.finish().unwrap());
    assert_eq!(
        wide.to_string(),
        "packed with a zstd window of 256 MiB, more than 128: pack it without --long"
    );
    let mut with_dictionary = frame_of_abc(3);
    with_dictionary[4] |= 1;
    with_dictionary.insert(5, 77);
    let refused = error(&with_dictionary);
    assert_eq!(
        refused.to_string(),
        "packed with a dictionary of zstd, which is not read: unpack it first"
    );
    let kind = io::ErrorKind::Unsupported;
    assert_eq!((wide.kind(), refused.kind()), (kind, kind));
}

#[test]
fn a_frame_that_is_larger_than_it_should_be_is_not_unpacked_whole() {
    let mut buffer = b"of another frame".to_vec();
    let packed = zstd::bulk::compress(&vec![b' '; 100_000], 1).unwrap();
    unpack(&packed, 1000, &mut buffer).unwrap();
    assert_eq!(buffer.len(), 1001);
}

#[test]
fn a_frame_with_a_larger_window_than_it_needs_is_not_unpacked() {
    let mut buffer = Vec::new();
    let packed = zstd::bulk::compress(&vec![b' '; 10 << 20], 1).unwrap();
    assert!(unpack(&packed, 1000, &mut buffer).is_err());
    assert_eq!(buffer, b"");
    unpack(&packed, 10 << 20, &mut buffer).unwrap();
    assert_eq!(buffer.len(), 10 << 20);
}

#[test]
fn packed_frame_has_a_checksum_and_no_larger_window_than_it_needs() {
    let text = lines(300_000);
    for length in [0, 1, 128 << 10, text.len()] {
        let packed = pack(&text[..length]).unwrap();
        assert_eq!(packed[4] & 4, 4, "the flag of a checksum");
        let mut buffer = Vec::new();
        unpack(&packed, length, &mut buffer).unwrap();
        assert!(buffer == text[..length], "{length}");
    }
}

/// Bytes of pieces that are random, equal, of few different ones, or were there before.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = (0_u8..5, any::<u64>(), 1_usize..3000);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| {
        let mut bytes: Vec<u8> = Vec::new();
        for (form, seed, length) in pieces {
            let random = (1..=length as u64)
                .map(|place| (seed | 1).wrapping_mul(place.wrapping_mul(place) + seed) >> 50);
            match form {
                0 => bytes.extend(random.map(|number| number as u8)),
                1 => bytes.extend(vec![seed as u8; length * 40]),
                2 => bytes.extend(random.map(|number| (number % (2 + seed % 5)) as u8)),
                // Copies of what is before, each behind a single byte.
                3 => {
                    for from in random.take(length / 8).map(|from| from as usize) {
                        let from = from % (bytes.len() + 1);
                        let copy = bytes.get(from..from + 6).unwrap_or_default().to_vec();
                        bytes.push(seed as u8);
                        bytes.extend(copy);
                    }
                }
                _ => {
                    let from = seed as usize % (bytes.len() + 1);
                    bytes.extend_from_within(from..(from + length).min(bytes.len()));
                }
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_the_same_after_packing_and_unpacking(
        bytes in bytes(),
        level in 1..12_i32,
    ) {
        let packed = zstd::encode_all(&bytes[..], level).unwrap();
        prop_assert!(unpacked(&packed).unwrap() == bytes);
        let mut buffer = Vec::new();
        let frame = zstd::bulk::compress(&bytes, level).unwrap();
        unpack(&frame, bytes.len(), &mut buffer).unwrap();
        prop_assert!(buffer == bytes);
    }
}
