use std::io::{self, Cursor, Write as _};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{Archive, ArchiveEntry, Packing, read};

type Entries = Vec<(String, Result<String, String>)>;

/// What is read of a zip archive that may unpack to `limit` bytes.
fn entries(archive: &[u8], limit: u64) -> io::Result<Entries> {
    entries_of(Archive::Zip, archive, limit)
}

fn entries_of(format: Archive, archive: &[u8], limit: u64) -> io::Result<Entries> {
    let mut entries = Entries::new();
    let wanted = |path: &str| Path::new(path).extension().is_some_and(|end| end == "json");
    let each = &mut |entry: ArchiveEntry| {
        let text = entry.bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        entries.push((entry.path, text));
        Ok::<_, io::Error>(())
    };
    read(format, Cursor::new(archive), limit, wanted, each)?;
    Ok(entries)
}

fn only(archive: &[u8]) -> Result<String, String> {
    let mut entries = entries(archive, 1000).unwrap();
    assert_eq!(entries.len(), 1, "{entries:?}");
    entries.remove(0).1
}

fn problem(archive: &[u8], limit: u64) -> String {
    entries(archive, limit).unwrap_err().to_string()
}

/// An archive of one entry that is stored as it is.
fn stored(text: &str) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    zip.start_file("a.json", options).unwrap();
    zip.write_all(text.as_bytes()).unwrap();
    zip.finish().unwrap().into_inner()
}

/// Changes two bytes of an entry in its own header and in that of the central directory, which
/// begin with `PK` and have their fields at different places.
fn patched(mut archive: Vec<u8>, at: [usize; 2], value: u16) -> Vec<u8> {
    for (signature, at) in [b"PK\x03\x04", b"PK\x01\x02"].into_iter().zip(at) {
        let header = archive.windows(4).position(|bytes| bytes == signature).unwrap();
        archive[header + at..][..2].copy_from_slice(&value.to_le_bytes());
    }
    archive
}

const FLAGS: [usize; 2] = [6, 8];
const METHOD: [usize; 2] = [8, 10];

#[test]
fn zip_entries_are_read_in_order_without_directories_and_other_files() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let packed = SimpleFileOptions::default();
    let plain = packed.compression_method(CompressionMethod::Stored);
    zip.add_directory("dump/", packed).unwrap();
    for (name, text, options) in [
        ("dump/a.json", "first ".repeat(3000), packed),
        ("dump/b.txt", "other".to_owned(), packed),
        ("dump/c.json", "second".to_owned(), plain),
        // Sizes of 64 bits.
        ("dump/d.json", "third ".repeat(3000), packed.large_file(true)),
        ("dump/é.json", String::new(), packed),
    ] {
        zip.start_file(name, options).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.add_symlink("dump/e.json", "../a.json", packed).unwrap();
    let archive = zip.finish().unwrap().into_inner();
    // What is before an archive, such as a program that unpacks it, does not matter.
    for archive in [archive.clone(), [b"#!/bin/sh\n".to_vec(), archive].concat()] {
        let expected = [
            ("dump/a.json", "first ".repeat(3000)),
            ("dump/c.json", "second".to_owned()),
            ("dump/d.json", "third ".repeat(3000)),
            ("dump/é.json", String::new()),
        ];
        let mut expected = expected.map(|(name, text)| (name.to_owned(), Ok(text))).to_vec();
        let lost = "it is a link to ../a.json, which is not in the archive".to_owned();
        expected.push(("dump/e.json".to_owned(), Err(lost)));
        assert_eq!(entries(&archive, 1 << 20).unwrap(), expected);
    }
}

#[test]
fn zip_entries_whose_sizes_are_behind_them_are_read() {
    let mut zip = ZipWriter::new_stream(Vec::new());
    zip.start_file("a.json", SimpleFileOptions::default()).unwrap();
    zip.write_all("text ".repeat(100).as_bytes()).unwrap();
    let archive = zip.finish().unwrap().into_inner();
    assert_eq!(archive[6] & 8, 8, "the flag of sizes behind an entry");
    assert_eq!(only(&archive).unwrap(), "text ".repeat(100));
}

#[test]
fn zip_entry_that_is_damaged_is_an_error_of_its_own() {
    let mut archive = stored("a text");
    let text = archive.windows(6).position(|bytes| bytes == b"a text").unwrap();
    archive[text] ^= 1;
    assert!(only(&archive).unwrap_err().starts_with("Invalid checksum: "));
}

#[test]
fn zip_entries_that_are_encrypted_or_packed_otherwise_are_refused() {
    let encrypted = patched(stored("a text"), FLAGS, 1);
    assert_eq!(only(&encrypted).unwrap_err(), "it is encrypted: decrypt it first");
    let bzip2 = patched(stored("a text"), METHOD, 12);
    assert_eq!(
        only(&bzip2).unwrap_err(),
        "it is packed by method 12 of zip, which is not read: unpack it first"
    );
}

#[test]
fn zip_archive_that_ends_early_or_has_fewer_entries_than_it_says_is_an_error() {
    let archive = stored("a text");
    for end in 1..archive.len() {
        assert!(entries(&archive[..end], 1000).is_err(), "{end}");
    }
    let mut fewer = archive.clone();
    let end = archive.len() - 22;
    fewer[end + 10] = 2;
    assert_eq!(problem(&fewer, 1000), "it has 1 entries, and says that it has 2");
}

#[test]
fn zip_entries_that_share_their_bytes_are_read_until_the_archive_is_used_up() {
    let archive = stored("a text");
    let directory = archive.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    let end = archive.len() - 22;
    // The bytes before the directory, 42, are those of seven entries of six.
    let entry = &archive[directory..end];
    let mut shared = archive[..directory].to_vec();
    shared.extend(entry.repeat(9));
    shared.extend(&archive[end..]);
    let end = shared.len() - 22;
    shared[end + 8] = 9;
    shared[end + 10] = 9;
    shared[end + 12..end + 16].copy_from_slice(&(9 * entry.len() as u32).to_le_bytes());
    let entries = entries(&shared, 1000).unwrap();
    let (read, refused) = entries.split_at(directory / 6);
    assert!(read.iter().all(|(_, text)| text.as_deref() == Ok("a text")), "{read:?}");
    let problem = Err("its bytes are also those of other entries".to_owned());
    assert!(!refused.is_empty() && refused.iter().all(|(_, text)| *text == problem), "{refused:?}");
}

#[test]
fn zip_archive_has_a_limit_over_all_entries() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for name in ["a.json", "b.json"] {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    let archive = zip.finish().unwrap().into_inner();
    assert_eq!(problem(&archive, 2 << 20), "it unpacks to more than 2 MiB, as no dump does");
    assert_eq!(entries(&archive, 3 << 20).unwrap().len(), 2);
}

/// An entry of a tar archive: type, path, what it links to, content.
type TarEntry<'t> = (tar::EntryType, &'t str, &'t str, &'t str);

fn tar_of(entries: &[TarEntry<'_>]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (kind, path, link, text) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(*kind);
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        if link.is_empty() {
            archive.append_data(&mut header, path, text.as_bytes()).unwrap();
        } else {
            archive.append_link(&mut header, path, link).unwrap();
        }
    }
    archive.into_inner().unwrap()
}

/// Each entry as `path: text` or `path! problem`.
fn lines(entries: Entries) -> Vec<String> {
    let line = |(path, text): (String, Result<String, String>)| match text {
        Ok(text) => format!("{path}: {text}"),
        Err(problem) => format!("{path}! {problem}"),
    };
    entries.into_iter().map(line).collect()
}

fn tar_lines(archive: &[u8]) -> Vec<String> {
    lines(entries_of(Archive::Tar(Packing::None), archive, 1 << 20).unwrap())
}

#[test]
fn tar_links_to_files_of_the_archive_are_read_once_each_and_others_are_named() {
    use tar::EntryType::{Continuous, Directory, Fifo, Link, Regular, Symlink};
    let long = "n".repeat(120) + "/pods.json";
    let archive = tar_of(&[
        (Symlink, "d/first.json", "x/data.bin", ""),
        (Directory, "d/x/", "", ""),
        (Regular, "d/x/data.bin", "", "pods"),
        (Symlink, "d/again.json", "./x/../x/data.bin", ""),
        (Regular, "d/nodes.json", "", "nodes"),
        (Symlink, "d/by-own-name.json", "nodes.json", ""),
        (Regular, "hard.bin", "", "hard"),
        (Link, "d/hard.json", "hard.bin", ""),
        (Symlink, &long, "../d/far.bin", ""),
        (Regular, "d/far.bin", "", "far"),
        (Symlink, "folder.json", "d/x", ""),
        (Symlink, "out.json", "/etc/pods.json", ""),
        (Symlink, "absent.json", "d/none.bin", ""),
        (Symlink, "shop", "../other/shop", ""),
        (Symlink, "log.txt", "/var/log/x", ""),
        (Continuous, "whole.json", "", "contiguous"),
        (Fifo, "pipe.json", "", ""),
    ]);
    assert_eq!(
        tar_lines(&archive),
        [
            "d/nodes.json: nodes".to_owned(),
            "whole.json: contiguous".to_owned(),
            "pipe.json! it is no regular file, but an entry of type 6 of tar".to_owned(),
            "d/first.json: pods".to_owned(),
            "d/hard.json: hard".to_owned(),
            format!("{long}: far"),
            "out.json! it is a link to /etc/pods.json, which is not in the archive".to_owned(),
            "shop! it is a link to ../other/shop, which is not in the archive".to_owned(),
            "absent.json! it is a link to d/none.bin, which is not in the archive".to_owned(),
        ]
    );
}

#[test]
fn tar_files_that_are_stored_as_sparse_are_named() {
    let mut archive = tar::Builder::new(Vec::new());
    let fields: [(&str, &[u8]); 2] =
        [("GNU.sparse.major", b"1"), ("GNU.sparse.name", b"d/pods.json")];
    archive.append_pax_extensions(fields).unwrap();
    let mut header = tar::Header::new_ustar();
    header.set_size(3);
    archive.append_data(&mut header, "d/GNUSparseFile.0/pods.json", &b"map"[..]).unwrap();
    assert_eq!(
        tar_lines(&archive.into_inner().unwrap()),
        ["d/pods.json! it is stored as a sparse file, which is not read: pack it without --sparse"]
    );
}

#[test]
fn zip_links_to_files_of_the_archive_are_read() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    zip.add_symlink("d/pods.json", "x/data.bin", options).unwrap();
    zip.start_file("d/x/data.bin", options).unwrap();
    zip.write_all(b"pods").unwrap();
    zip.add_symlink("d/circle.json", "circle.json", options).unwrap();
    let archive = zip.finish().unwrap().into_inner();
    assert_eq!(
        lines(entries(&archive, 1000).unwrap()),
        [
            "d/pods.json: pods",
            "d/circle.json! it is a link to circle.json, which is not in the archive",
        ]
    );
}
