//! A real control plane on loopback: etcd, API server, scheduler and controller
//! manager, with kwok in place of the nodes. Gone when dropped.

mod access;
mod process;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use kube::Client;
use process::Process;

/// How long a start may take on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(180);

/// The cluster and where its files are.
pub struct ControlPlane {
    binaries: PathBuf,
    folder: PathBuf,
    port: u16,
    etcd_port: u16,
    api: Option<Process>,
    // Dropped in this order: who asks before who answers.
    others: Vec<Process>,
    etcd: Option<Process>,
}

impl ControlPlane {
    /// The folder of the built programs, or `None` where there is none.
    pub fn binaries() -> Option<PathBuf> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/control-plane.sh");
        let output = Command::new(script)
            .arg("path")
            .stderr(Stdio::inherit())
            .output()
            .ok()?;
        let path = String::from_utf8(output.stdout).ok()?;
        output
            .status
            .success()
            .then(|| PathBuf::from(path.trim_end()))
    }

    /// Starts everything in `folder`, which must be empty, and waits until it serves.
    pub async fn start(binaries: PathBuf, folder: PathBuf) -> Self {
        access::write(&folder);
        let [port, etcd_port, peer] = free_ports();
        let mut plane = Self {
            binaries,
            folder,
            port,
            etcd_port,
            api: None,
            others: Vec::new(),
            etcd: None,
        };
        access::kubeconfig(&plane.path("kubeconfig"), &plane.server(), "admin");
        plane.etcd = Some(plane.spawn(
            "etcd",
            &[
                format!("--data-dir={}", plane.path("etcd").display()),
                format!("--listen-client-urls=http://127.0.0.1:{etcd_port}"),
                format!("--advertise-client-urls=http://127.0.0.1:{etcd_port}"),
                format!("--listen-peer-urls=http://127.0.0.1:{peer}"),
                "--unsafe-no-fsync".into(),
            ],
        ));
        plane.start_api().await;
        let admin = format!("--kubeconfig={}", plane.path("kubeconfig").display());
        let quick = [
            "--kube-api-qps=1000".to_string(),
            "--kube-api-burst=2000".into(),
        ];
        let alone = ["--leader-elect=false".to_string(), "--secure-port=0".into()];
        let scheduler = [std::slice::from_ref(&admin), &alone, &quick].concat();
        let manager = [
            &scheduler[..],
            &[
                format!(
                    "--service-account-private-key-file={}",
                    plane.path("sa.key").display()
                ),
                // A busy machine must not look like dead nodes.
                "--node-monitor-grace-period=300s".into(),
            ],
        ]
        .concat();
        let stages = plane.path("stages.yaml");
        std::fs::write(&stages, include_str!("stages.yaml")).unwrap();
        let kwok = [
            admin,
            "--manage-all-nodes=true".into(),
            format!("--config={}", stages.display()),
            "--node-lease-duration-seconds=120".into(),
        ];
        for (program, arguments) in [
            ("kube-scheduler", &scheduler[..]),
            ("kube-controller-manager", &manager[..]),
            ("kwok", &kwok[..]),
        ] {
            let process = plane.spawn(program, arguments);
            plane.others.push(process);
        }
        plane
    }

    /// The address of the API server.
    pub fn server(&self) -> String {
        format!("https://127.0.0.1:{}", self.port)
    }

    /// A file in the cluster's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A client of the user `user`, one of [`access::USERS`].
    pub async fn client(&self, user: &str) -> Client {
        self.client_at(user, &self.server()).await
    }

    /// The same, calling at another address. Like all clients here it tries once only.
    pub async fn client_at(&self, user: &str, server: &str) -> Client {
        access::client(
            &self.kubeconfig(&format!("client-{user}"), server, user),
            true,
        )
        .await
    }

    /// A client that brings no token of its own.
    pub async fn forwarder(&self) -> Client {
        access::client(&self.path("kubeconfig"), false).await
    }

    /// A kubeconfig of `user` that leads to `server`, in the file `name`.
    pub fn kubeconfig(&self, name: &str, server: &str, user: &str) -> PathBuf {
        let path = self.path(name);
        access::kubeconfig(&path, server, user);
        path
    }

    /// Kills the API server as a crash would.
    pub fn kill_api(&mut self) {
        self.api = None;
    }

    /// Starts the API server, where it was, and waits until it is ready.
    pub async fn start_api(&mut self) {
        self.api = Some(self.spawn(
            "kube-apiserver",
            &[
                format!("--etcd-servers=http://127.0.0.1:{}", self.etcd_port),
                "--bind-address=127.0.0.1".into(),
                "--advertise-address=127.0.0.1".into(),
                format!("--secure-port={}", self.port),
                format!("--cert-dir={}", self.path("certificates").display()),
                "--service-cluster-ip-range=10.96.0.0/16".into(),
                "--service-account-issuer=https://kubernetes.default.svc".into(),
                format!(
                    "--service-account-key-file={}",
                    self.path("sa.pub").display()
                ),
                format!(
                    "--service-account-signing-key-file={}",
                    self.path("sa.key").display()
                ),
                format!("--token-auth-file={}", self.path("tokens.csv").display()),
                "--authorization-mode=RBAC".into(),
                "--anonymous-auth=false".into(),
                "--disable-admission-plugins=ServiceAccount".into(),
                "--endpoint-reconciler-type=none".into(),
            ],
        ));
        let begin = Instant::now();
        loop {
            // The certificate is written at the first start: before that no client can be made.
            let ready = self.path("certificates/apiserver.crt").exists()
                && access::ready(&self.client("admin").await).await;
            if ready {
                return;
            }
            assert!(begin.elapsed() < PATIENCE, "no API server\n{}", self.logs());
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// The ends of all logs.
    pub fn logs(&self) -> String {
        let all = self.etcd.iter().chain(&self.api).chain(&self.others);
        all.map(|process| process.tail(3000)).collect()
    }

    fn spawn(&self, program: &str, arguments: &[String]) -> Process {
        Process::start(&self.folder, &self.binaries.join(program), arguments)
            .unwrap_or_else(|error| panic!("{program} does not start: {error}"))
    }
}

impl Drop for ControlPlane {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.logs());
        }
        self.others.clear();
        self.api = None;
        self.etcd = None;
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Three ports nobody listens on, held together so that they differ.
fn free_ports() -> [u16; 3] {
    let sockets = [0; 3].map(|_| TcpListener::bind(("127.0.0.1", 0)).unwrap());
    sockets.map(|socket| socket.local_addr().unwrap().port())
}
