//! Links between documents lead somewhere.

use std::fs;

use crate::docs::documents::root;

#[test]
fn files_that_documents_name_are_there() {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|f| f.unwrap().path());
    let top = fs::read_dir(root()).unwrap().map(|f| f.unwrap().path());
    let mut links = 0;
    for path in docs.chain(top).filter(|p| p.extension().is_some_and(|e| e == "md")) {
        let text = fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") || link.starts_with('#') {
                continue;
            }
            let file = link.split('#').next().unwrap_or(link);
            let target = path.parent().unwrap().join(file);
            assert!(target.exists(), "{} links to {link}, which is not there", path.display());
            links += 1;
        }
    }
    assert!(links > 20, "the links were not found");
}
