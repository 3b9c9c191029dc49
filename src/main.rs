use kubectl_preempt::*;
fn main() {
    // temporary: agree.py's command line
    let args: Vec<String> = std::env::args().collect();
    let get = |f: &str| args.iter().position(|a| a == f).and_then(|i| args.get(i + 1)).cloned();
    let mut b = cluster::build::Builder::new();
    capture::files::read(&get("--from").unwrap(), &mut b).unwrap();
    let cluster = b.finish();
    let v = profile::SchedulerVersion::parse(&get("--scheduler-version").unwrap_or("1.37".into())).unwrap();
    let p = profile::Profile::new(v, profile::VersionSource::Flag);
    let w = framework::world::World::new(&cluster, &p);
    let pod = cluster.find_pod(&get("-n").unwrap(), &args[2]).unwrap();
    let d = decision::decide(&w, pod, get("--now").map(|n| n.parse().unwrap()).unwrap_or(jiff::Timestamp::now()));
    println!("{}", serde_json::to_string(&render::json::JsonDecision::new(&d, render::json::SourceKind::File)).unwrap());
}
