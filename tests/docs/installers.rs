//! Programs that install releases find the archives that a release has.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use regex::Regex;
use serde_json::{Value, json};

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
    assert_eq!((krew.len(), archives(binstall)), (6, krew.clone()));
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

#[test]
fn packages_name_archives_that_a_release_has() {
    let archives = archives(&read(".krew.yaml"));
    let named = Regex::new(r"@(url|sha256) (\w+)@").unwrap();
    let known: BTreeSet<String> =
        archives.iter().map(|archive| archive.split('.').next().unwrap().to_owned()).collect();
    for (file, systems) in [
        ("kubectl-preempt.rb", &["linux", "darwin"][..]),
        ("PKGBUILD", &["linux"]),
        ("kubectl-preempt.json", &["windows"]),
        ("flake.nix", &["linux", "darwin"]),
    ] {
        let text = read(&format!("deploy/packages/{file}"));
        let of = |what: &str| -> BTreeSet<String> {
            let found = named.captures_iter(&text).filter(|found| &found[1] == what);
            found.map(|found| found[2].to_owned()).collect()
        };
        let has_system = |platform: &&String| systems.iter().any(|one| platform.starts_with(one));
        let wanted: BTreeSet<String> = known.iter().filter(has_system).cloned().collect();
        assert_eq!((of("url"), of("sha256")), (wanted.clone(), wanted), "{file}");
    }
}

/// What other programs rely on, in a folder, after `change`; and what is then said to be gone.
fn gone_after(change: impl FnOnce(&Path)) -> (bool, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    for part in ["docs", "man"] {
        fs::create_dir(folder.path().join(part)).unwrap();
    }
    let pages = fs::read_dir(root.join("man")).unwrap().map(|entry| entry.unwrap().file_name());
    let pages = pages.map(|page| Path::new("man").join(page));
    for file in pages.chain(["docs/schema.json".into(), "docs/EXIT-CODES.md".into()]) {
        fs::copy(root.join(&file), folder.path().join(&file)).unwrap();
    }
    change(folder.path());
    let output = Command::new("python3")
        .arg(root.join("scripts/stable"))
        .arg(folder.path())
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn field_flag_or_code_that_is_gone_is_named() {
    // Descriptions may change.
    let (same, said) = gone_after(|before| {
        let schema = before.join("docs/schema.json");
        let text = fs::read_to_string(&schema).unwrap();
        // In an alternative of several.
        let said = "How many running pods have a lower priority.";
        assert!(text.contains(said));
        fs::write(&schema, text.replace(said, "Other words.")).unwrap();
    });
    assert!(same, "{said}");
    let (same, said) = gone_after(|before| {
        let schema = before.join("docs/schema.json");
        let mut parts: Value = serde_json::from_slice(&fs::read(&schema).unwrap()).unwrap();
        let decision = &mut parts["$defs"]["Decision"];
        decision["properties"]["lost"] = json!({"type": "string"});
        decision["properties"]["message"]["type"] = json!("boolean");
        decision["required"].as_array_mut().unwrap().push(json!("hold"));
        fs::write(&schema, parts.to_string()).unwrap();
        let codes = before.join("docs/EXIT-CODES.md");
        let text = fs::read_to_string(&codes).unwrap();
        fs::write(&codes, text.replace("| 143 |", "| 99 | x |\n| 143 |")).unwrap();
        let page = before.join("man/kubectl-preempt-node.1");
        let text = fs::read_to_string(&page).unwrap();
        fs::write(&page, text + "\\-\\-lost\\-flag").unwrap();
    });
    assert!(!same);
    for gone in [
        "properties: lost is gone",
        "message/type: was \"boolean\"",
        "hold need not be there",
        "--lost-flag is gone",
        "EXIT-CODES.md: 99 is gone",
    ] {
        assert!(said.contains(gone), "{gone}: {said}");
    }
    assert_eq!(said.lines().count(), 5, "{said}");
}
