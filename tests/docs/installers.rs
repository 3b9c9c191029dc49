//! Programs that install releases find the archives that a release has.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use regex::Regex;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The archives that `text` names, without the version.
fn archives(text: &str) -> BTreeSet<String> {
    let name = Regex::new(r"/kubectl-preempt_[^_]*_([a-z]+_[a-z0-9]+\.(?:tar\.gz|zip))").unwrap();
    name.captures_iter(text).map(|found| found[1].to_owned()).collect()
}

#[test]
fn binstall_finds_the_archives_of_krew_for_every_target() {
    let manifest = read("Cargo.toml");
    let (_, binstall) = manifest.split_once("[package.metadata.binstall]").unwrap();
    let (binstall, _) = binstall.split_once("\n[lib]").unwrap();
    let krew = archives(&read(".krew.yaml"));
    assert_eq!((krew.len(), archives(binstall)), (5, krew.clone()));
    let target = Regex::new(
        r#"overrides\.(\S+)\]\npkg-url = "\{ repo \}/releases/download/v\{ version \}/\S+_v\{ version \}_(\S+)"\n(pkg-fmt = "zip")?"#,
    )
    .unwrap();
    let mut targets = 0;
    for found in target.captures_iter(binstall) {
        let (triple, archive) = (&found[1], &found[2]);
        let system = [("linux", "linux"), ("apple", "darwin"), ("windows", "windows")];
        let system = system.into_iter().find(|(part, _)| triple.contains(part)).unwrap().1;
        let processor = if triple.starts_with("x86_64") { "amd64" } else { "arm64" };
        let suffix = if system == "windows" { "zip" } else { "tar.gz" };
        assert_eq!(archive, format!("{system}_{processor}.{suffix}"), "{triple}");
        assert_eq!(found.get(3).is_some(), suffix == "zip", "{triple}");
        targets += 1;
    }
    assert_eq!(targets, binstall.matches("pkg-url").count());
}

#[test]
fn action_asks_for_archives_that_a_release_has() {
    let script = read("action/install");
    assert!(script.contains("archive=kubectl-preempt_${VERSION}_${os}_${arch}.$suffix"));
    let systems = Regex::new(r"os=(\w+)").unwrap();
    let systems: BTreeSet<String> =
        systems.captures_iter(&script).map(|found| found[1].to_owned()).collect();
    for archive in archives(&read(".krew.yaml")) {
        let system = archive.split('_').next().unwrap();
        assert!(systems.contains(system), "{archive}");
    }
}
