//! `bayplan serve`: the page and its API.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use bayplan_formats::Input;
use bayplan_web::{Config, Given, Server, Token};
use clap::Args;
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};

use crate::args::InputArgs;
use crate::failure::Verdict;
use crate::files;

/// Where to serve, and the bounds.
#[derive(Args)]
#[command(next_help_heading = "Server")]
pub struct Serve {
    #[command(flatten)]
    input: InputArgs,
    /// Where to listen; beyond loopback a token is needed.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8080")]
    address: String,
    /// A further name by which browsers may call this server.
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// The secret every request must show. Others on this machine may see it: prefer --token-file.
    #[arg(long, value_name = "SECRET", conflicts_with = "token_file")]
    token: Option<String>,
    /// A file with that secret in its first line; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    token_file: Option<String>,
    /// Keep inputs and finished runs in this file; without it they are gone with the server.
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Runs that may wait; one is at work at a time.
    #[arg(long, value_name = "N", default_value_t = 16)]
    queue: usize,
    /// The largest input, as sent and when decompressed.
    #[arg(long, value_name = "BYTES", default_value_t = 128 << 20)]
    max_input: u64,
    /// Threads of a run; 0 means all cores.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Open the page in a browser.
    #[arg(long)]
    open: bool,
}

impl Serve {
    /// Serves until Ctrl-C.
    pub fn run(self) -> Result<Verdict> {
        // A live cluster has no name; the flag stands where the file would in commands.
        let live = self.input.live.cluster.then(|| "--cluster".to_string());
        let given = match self.input.input.clone().or(live) {
            Some(name) => Some(self.given(name, self.input.read()?)),
            None => None,
        };
        let config = self.config()?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .context("cannot start the server's threads")?;
        runtime.block_on(serve(config, given, self.open))?;
        // What still hangs on a connection must not keep the program.
        runtime.shutdown_background();
        Ok(Verdict::Holds)
    }

    /// Whatever read the input, this is how the server takes it.
    fn given(&self, name: String, input: Input) -> Given {
        let tables = &self.input.tables;
        let mut words = Vec::new();
        let mut put = |flag: &str, value: Option<String>| {
            words.extend(
                value
                    .into_iter()
                    .flat_map(|value| [flag.to_string(), value]),
            );
        };
        let node = (!tables.node.is_empty()).then(|| tables.node.join(","));
        put("--format", tables.format.clone());
        put("--node", node);
        put("--capacity", tables.capacity.clone());
        put("--cpu", tables.cpu.clone());
        put("--memory", tables.memory.clone());
        put("--machines", tables.machines.map(|count| count.to_string()));
        put("--layout", tables.layout.clone());
        put("--limits", tables.limits.clone());
        put("--nodes", tables.nodes.clone());
        put("--traffic", tables.traffic.clone());
        put("--node-types", tables.node_types.clone());
        let live = &self.input.live;
        let kubeconfig = live.connection.kubeconfig.as_ref();
        let namespaces = (!live.namespace.is_empty()).then(|| live.namespace.join(","));
        put("--context", live.connection.context.clone());
        put(
            "--kubeconfig",
            kubeconfig.map(|path| path.display().to_string()),
        );
        put("--namespace", namespaces);
        put("--labels", live.labels.clone());
        if live.move_stateful {
            words.push("--move-stateful".into());
        }
        Given { name, words, input }
    }

    fn config(&self) -> Result<Config> {
        ensure!(self.queue > 0, "--queue: at least 1");
        let token = match (&self.token, &self.token_file) {
            (Some(text), _) => Some(text.clone()),
            (None, Some(path)) => {
                let text = String::from_utf8(files::read(path)?);
                let text = text.with_context(|| format!("--token-file: {path} is not text"))?;
                Some(text.lines().next().unwrap_or("").to_string())
            }
            (None, None) => None,
        };
        Ok(Config {
            address: self.address()?,
            hosts: self.host.clone(),
            token: token.map(|text| Token::new(&text)).transpose()?,
            store: self.store.clone(),
            queue: self.queue,
            max_input: self.max_input,
            threads: self.threads,
            ..Config::default()
        })
    }

    fn address(&self) -> Result<SocketAddr> {
        let found = self.address.to_socket_addrs().ok();
        let first = found.and_then(|mut all| all.next());
        first.with_context(|| {
            format!(
                "--address: {:?} is not HOST:PORT, such as 127.0.0.1:8080",
                self.address
            )
        })
    }
}

async fn serve(config: Config, given: Option<Given>, open: bool) -> Result<()> {
    let (secret, stored) = (config.token.is_some(), config.store.is_some());
    let server = Server::start(config, given).await?;
    let page = format!("http://{}/", server.address());
    eprintln!("bayplan serves {page} (Ctrl-C ends it)");
    if secret {
        eprintln!("it asks for the token; scripts send it as `Authorization: Bearer TOKEN`");
    }
    if !stored {
        eprintln!("inputs and runs are kept in memory; --store FILE keeps them over a restart");
    }
    if open {
        open_browser(&page);
    }
    let end = async {
        asked_to_end().await;
        eprintln!("ending; the run at work keeps its best answer so far");
    };
    Ok(server.run(end).await?)
}

/// Ctrl-C, or what a service manager sends. Without a handler either ends the
/// program at once, which loses the run at work.
async fn asked_to_end() {
    let interrupt = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    #[cfg(unix)]
    let terminate = async {
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => {
                terminate.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}

/// Never with the token: other users of the machine see command lines.
fn open_browser(page: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    if let Err(error) = std::process::Command::new(program).arg(page).spawn() {
        eprintln!("--open: cannot start {program}: {error}");
    }
}
