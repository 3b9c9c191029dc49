//! A control plane of one release on loopback: etcd, kube-apiserver with RBAC,
//! kube-controller-manager, kube-scheduler; and the kubelets, which the test plays.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::http::Api;
use crate::kubelets::Kubelets;
use crate::program::{Program, free_address};

/// Users and their groups. Each one's token is its name.
const USERS: [(&str, &str); 8] = [
    ("admin", "system:masters"),
    ("system:kube-controller-manager", ""),
    ("system:kube-scheduler", ""),
    ("reader", ""),
    ("groupless", ""),
    ("evictor", ""),
    ("applier", ""),
    ("nobody", ""),
];

/// What runs beside the scheduler. Without node lifecycle, as there are no kubelets; without the
/// garbage collector of pods, so that only the one under test removes any.
const CONTROLLERS: &str = "serviceaccount-controller,namespace-controller,disruption-controller,replicaset-controller,\
                           deployment-controller,job-controller,statefulset-controller,daemonset-controller,\
                           garbage-collector-controller,taint-eviction-controller";

/// Which optional parts of the release run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Features {
    Default,
    /// PodGroups, which no release has on by default.
    Groups,
    /// The kinds of Karpenter, which its test defines.
    Karpenter,
}

impl Features {
    /// What the API server gets for it. Every gate of groups is on there, so that no field is
    /// dropped.
    const fn of_apiserver(self) -> &'static [&'static str] {
        match self {
            Self::Default | Self::Karpenter => &[],
            Self::Groups => &[
                "--feature-gates=GenericWorkload=true,TopologyAwareWorkloadScheduling=true,PodGroupPreemptionPolicy=true",
                "--runtime-config=scheduling.k8s.io/v1beta1=true",
            ],
        }
    }

    const fn of_controllers(self) -> &'static [&'static str] {
        match self {
            Self::Default | Self::Karpenter => &["--controllers", CONTROLLERS],
            // The controller of PodGroups lets those go that are deleted.
            Self::Groups => &[
                "--feature-gates=GenericWorkload=true",
                "--controllers",
                "podgroup-protection-controller",
                "--controllers",
                CONTROLLERS,
            ],
        }
    }

    /// The gates with which the scheduler is started, as our flag takes them.
    pub const fn gates(self) -> &'static str {
        match self {
            Self::Default | Self::Karpenter => "",
            Self::Groups => "GenericWorkload=true",
        }
    }
}

/// How long anything may take. Only a broken test waits so long.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What a control plane is made of.
#[derive(Debug, Clone)]
pub struct Release {
    /// The scheduler's.
    pub version: &'static str,
    pub scheduler: PathBuf,
    /// The program that is everything else: the same one, or that of an older release where no API
    /// server of this one can be built.
    pub others: PathBuf,
}

impl Release {
    /// Whether the scheduler's release is not out yet.
    pub fn is_next(&self) -> bool {
        self.scheduler != self.others
    }

    /// How the program is told the scheduler's release where the API server has another.
    pub fn flags(&self) -> Vec<&str> {
        if self.is_next() { vec!["--scheduler-version", self.version] } else { Vec::new() }
    }
}

/// A running control plane. Dropping it stops everything.
pub struct Plane {
    pub release: Release,
    pub features: Features,
    pub kubelets: Kubelets,
    pub scheduler: Program,
    /// The scheduler's feature gates.
    pub gates: &'static str,
    _controllers: Program,
    apiserver: Option<Program>,
    /// Whether the API server has been away.
    was_interrupted: bool,
    etcd: Program,
    etcd_address: SocketAddr,
    address: SocketAddr,
    tls: Arc<ClientConfig>,
    folder: TempDir,
}

impl Plane {
    /// Starts all of it, and waits until it serves.
    pub fn start(release: &Release, features: Features) -> Self {
        // A port that was free a moment ago may be taken by now.
        for _ in 0..2 {
            match Self::try_start(release, features) {
                Ok(plane) => return plane,
                Err(why) => println!("once more, as {why}"),
            }
        }
        Self::try_start(release, features).unwrap_or_else(|why| panic!("{why}"))
    }

    fn try_start(release: &Release, features: Features) -> Result<Self, String> {
        let binary = &release.others;
        let folder = tempfile::tempdir().expect("a folder");
        let tls = write_credentials(folder.path());
        let (etcd_address, address) = (free_address(), free_address());
        let mut etcd = start_etcd(binary, folder.path(), etcd_address);
        let mut apiserver =
            start_apiserver(binary, folder.path(), features, [etcd_address, address]);
        let admin = Api { address, tls: tls.clone(), token: "admin" };
        wait_until_ready(&admin, &mut [&mut etcd, &mut apiserver])?;
        for (user, _) in USERS {
            std::fs::write(folder.path().join(user), kubeconfig(folder.path(), user, address))
                .expect("a file");
        }
        let scheduler = start_scheduler(&release.scheduler, folder.path(), features.gates());
        let controllers = [
            // Without it the disruption controller may not write what it finds.
            "--use-service-account-credentials=true",
            "--service-account-private-key-file=accounts.key",
            "--concurrent-gc-syncs=2",
        ];
        let controllers = [&controllers, features.of_controllers()].concat();
        let controllers =
            start_client(binary, folder.path(), "kube-controller-manager", &controllers);
        let plane = Self {
            release: release.clone(),
            features,
            kubelets: Kubelets::start(admin),
            scheduler,
            gates: features.gates(),
            _controllers: controllers,
            apiserver: Some(apiserver),
            was_interrupted: false,
            etcd,
            etcd_address,
            address,
            tls,
            folder,
        };
        plane.grant();
        // Pods of a namespace can be made once it has its account.
        wait_for("the account of namespace default", || {
            plane.admin().serves("/api/v1/namespaces/default/serviceaccounts/default")
        });
        Ok(plane)
    }

    /// The API server, as `user` sees it.
    pub fn api(&self, user: &'static str) -> Api {
        Api { address: self.address, tls: self.tls.clone(), token: user }
    }

    pub fn admin(&self) -> Api {
        self.api("admin")
    }

    /// `user`'s kubeconfig.
    pub fn kubeconfig(&self, user: &str) -> PathBuf {
        self.folder.path().join(user)
    }

    /// A folder for what the test writes.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Kills the API server, as a crash would.
    pub fn stop_apiserver(&mut self) {
        self.apiserver = None;
        self.was_interrupted = true;
    }

    /// Stops the API server in its tracks: its connections stay open, and nothing answers.
    pub fn pause_apiserver(&mut self) {
        self.apiserver.iter().for_each(Program::pause);
        self.was_interrupted = true;
    }

    /// Wakes it.
    pub fn resume_apiserver(&self) {
        self.apiserver.iter().for_each(Program::go_on);
    }

    /// Whether the API server has been away since the control plane was started.
    pub const fn was_interrupted(&self) -> bool {
        self.was_interrupted
    }

    /// Starts it again, on the same port and with the same etcd.
    pub fn start_apiserver(&mut self) {
        let addresses = [self.etcd_address, self.address];
        let mut apiserver =
            start_apiserver(&self.release.others, self.folder.path(), self.features, addresses);
        let ready = wait_until_ready(&self.admin(), &mut [&mut self.etcd, &mut apiserver]);
        ready.unwrap_or_else(|why| panic!("{why}"));
        self.apiserver = Some(apiserver);
    }

    /// Replaces the scheduler by one with these feature gates.
    pub fn replace_scheduler(&mut self, gates: &'static str) {
        self.scheduler = start_scheduler(&self.release.scheduler, self.folder.path(), gates);
        self.gates = gates;
    }

    /// Creates the roles that users are asked to install, and a binding for each.
    fn grant(&self) {
        let admin = self.admin();
        let manifest = include_str!("../../deploy/rbac.yaml");
        let roles: Vec<Value> = serde_saphyr::from_multiple(manifest).expect("YAML");
        for role in roles {
            admin.create("/apis/rbac.authorization.k8s.io/v1/clusterroles", &role);
            if role["metadata"]["name"] == "kubectl-preempt-reader" {
                admin.create(
                    "/apis/rbac.authorization.k8s.io/v1/clusterroles",
                    &without_groups(role),
                );
            }
        }
        for (user, role) in [
            ("reader", "kubectl-preempt-reader"),
            ("groupless", "groupless"),
            ("evictor", "kubectl-preempt-reader"),
            ("evictor", "kubectl-preempt-applier"),
            ("applier", "kubectl-preempt-reader"),
            ("applier", "kubectl-preempt-applier"),
            ("applier", "kubectl-preempt-applier-extra"),
        ] {
            let binding = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
                "metadata": {"name": format!("{user}-{role}")},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}]});
            admin.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", &binding);
        }
    }
}

/// The same role for everything but PodGroups.
fn without_groups(mut role: Value) -> Value {
    role["metadata"]["name"] = json!("groupless");
    for rule in role["rules"].as_array_mut().into_iter().flatten() {
        rule["resources"]
            .as_array_mut()
            .expect("resources")
            .retain(|resource| resource != "podgroups");
    }
    role
}

/// Waits for something that must come.
#[track_caller]
pub fn wait_for(what: &str, mut there: impl FnMut() -> bool) {
    let start = Instant::now();
    while !there() {
        assert!(start.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn wait_until_ready(admin: &Api, programs: &mut [&mut Program]) -> Result<(), String> {
    let start = Instant::now();
    // What is ready serves the roles that come with it, too.
    while !admin.serves("/readyz") {
        if let Some(why) = programs.iter_mut().find_map(|program| program.ended()) {
            return Err(why);
        }
        if start.elapsed() > PATIENCE {
            let words: Vec<String> = programs.iter().map(|program| program.last_words()).collect();
            return Err(format!("the API server does not get ready\n{}", words.join("\n")));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

fn strings(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|&argument| argument.to_owned()).collect()
}

fn start_etcd(binary: &Path, folder: &Path, address: SocketAddr) -> Program {
    let (client, peer) = (format!("http://{address}"), format!("http://{}", free_address()));
    let arguments = [
        "--data-dir=etcd".to_owned(),
        "--unsafe-no-fsync".to_owned(),
        "--log-level=warn".to_owned(),
        format!("--listen-client-urls={client}"),
        format!("--advertise-client-urls={client}"),
        format!("--listen-peer-urls={peer}"),
        format!("--initial-advertise-peer-urls={peer}"),
        format!("--initial-cluster=default={peer}"),
    ];
    Program::start(binary, "etcd", &arguments, folder)
}

fn start_scheduler(binary: &Path, folder: &Path, gates: &str) -> Program {
    start_client(binary, folder, "kube-scheduler", &[&format!("--feature-gates={gates}")])
}

/// A program that uses the API server as the user of its name.
fn start_client(binary: &Path, folder: &Path, name: &'static str, more: &[&str]) -> Program {
    let user = format!("system:{name}");
    let own = ["--kubeconfig", &user, "--leader-elect=false", "--secure-port=0"];
    Program::start(binary, name, &strings(&[&own, more].concat()), folder)
}

fn start_apiserver(
    binary: &Path,
    folder: &Path,
    features: Features,
    [etcd, address]: [SocketAddr; 2],
) -> Program {
    let mut arguments = strings(&[
        "--bind-address=127.0.0.1",
        "--tls-cert-file=server.crt",
        "--tls-private-key-file=server.key",
        "--cert-dir=.",
        "--token-auth-file=tokens",
        "--authorization-mode=RBAC",
        "--anonymous-auth=false",
        "--service-account-issuer=https://kubernetes.default.svc",
        "--service-account-key-file=accounts.pub",
        "--service-account-signing-key-file=accounts.key",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--endpoint-reconciler-type=none",
        // Its finalizer would keep claims until a controller that does not run takes it away.
        "--disable-admission-plugins=StorageObjectInUseProtection",
    ]);
    arguments.push(format!("--etcd-servers=http://{etcd}"));
    arguments.push(format!("--secure-port={}", address.port()));
    arguments.extend(strings(features.of_apiserver()));
    Program::start(binary, "kube-apiserver", &arguments, folder)
}

/// Writes certificates, keys and tokens into `folder`. Returns how a client trusts them.
fn write_credentials(folder: &Path) -> Arc<ClientConfig> {
    let write = |name: &str, text: String| std::fs::write(folder.join(name), text).expect("a file");
    let mut params = CertificateParams::new(Vec::new()).expect("parameters");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let ca_key = KeyPair::generate().expect("a key");
    let ca = params.self_signed(&ca_key).expect("a certificate");
    let names = ["127.0.0.1", "localhost", "kubernetes.default.svc"].map(str::to_owned);
    let server = CertificateParams::new(names).expect("parameters");
    let key = KeyPair::generate().expect("a key");
    let certificate =
        server.signed_by(&key, &Issuer::from_params(&params, &ca_key)).expect("a certificate");
    write("ca.crt", ca.pem());
    write("server.crt", certificate.pem());
    write("server.key", key.serialize_pem());
    let accounts = KeyPair::generate().expect("a key");
    write("accounts.key", accounts.serialize_pem());
    write("accounts.pub", accounts.public_key_pem());
    write(
        "tokens",
        USERS.map(|(user, group)| format!("{user},{user},{user},\"{group}\"\n")).concat(),
    );
    let mut roots = RootCertStore::empty();
    roots.add(ca.der().clone()).expect("a root");
    Arc::new(ClientConfig::builder().with_root_certificates(roots).with_no_client_auth())
}

fn kubeconfig(folder: &Path, user: &str, address: SocketAddr) -> String {
    let ca = folder.join("ca.crt");
    config(user, &format!("https://{address}"), Some(&ca))
}

/// A kubeconfig: `user` at `server`, in context `e2e`.
pub fn config(user: &str, server: &str, ca: Option<&Path>) -> String {
    let mut cluster = json!({"server": server});
    if let Some(ca) = ca {
        cluster["certificate-authority"] = json!(ca);
    }
    json!({"apiVersion": "v1", "kind": "Config", "current-context": "e2e",
        "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": user, "namespace": "default"}}],
        "clusters": [{"name": "e2e", "cluster": cluster}],
        "users": [{"name": user, "user": {"token": user}}]})
    .to_string()
}
