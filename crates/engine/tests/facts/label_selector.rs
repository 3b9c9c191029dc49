use model::cluster::selector::Selector;
use model::cluster::selector::text::parse;
use testing::{cluster, node, objects, pod};

#[test]
fn pods_are_selected_as_kubectl_selects_them() {
    let mut cluster = cluster(objects![
        node("n"),
        pod("a").label("app", "web").label("tier", "front"),
        pod("b").label("app", "db"),
        pod("c").label("example.com/x", "")
    ]);
    for (text, expected) in [
        ("", "abc"),
        ("app", "ab"),
        ("!app", "c"),
        ("app=web", "a"),
        ("app == web", "a"),
        ("app!=web", "bc"),
        ("app in (web, db),tier", "a"),
        ("app notin (web)", "bc"),
        ("app=web,tier!=front", ""),
        ("example.com/x=", "c"),
        (" app = db ", "b"),
    ] {
        let selector = Selector::read(Some(&parse(text).unwrap()), &mut cluster.symbols).unwrap();
        let selected =
            cluster.pods.iter().filter(|pod| selector.matches(cluster.labels(pod.labels)));
        assert_eq!(selected.map(|pod| &*pod.name).collect::<String>(), expected, "{text}");
    }
}
