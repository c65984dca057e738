//! Flags that name a live cluster, and what is read beside it.

use std::path::PathBuf;

use anyhow::{Context, Result};
use bayplan_formats::{Input, ReadOptions};
use bayplan_kube::{Connection, Snapshot, SnapshotOptions, connect, snapshot};
use clap::Args;

/// The live cluster.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Kubernetes")]
pub struct ClusterArgs {
    /// Read the live cluster that kubectl talks to, instead of a file; nothing is changed there.
    #[arg(long)]
    pub cluster: bool,
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// Plan only the pods of these namespaces; all others stay where they are.
    #[arg(short, long, value_name = "NAMES", value_delimiter = ',')]
    pub namespace: Vec<String>,
    /// Plan only the pods with these labels, such as `app=web,tier!=db`; all others stay.
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    pub labels: Option<String>,
    /// Let pods of stateful sets move too.
    #[arg(long)]
    pub move_stateful: bool,
}

/// Where a cluster is.
#[derive(Args, Clone, Default)]
pub struct ConnectionArgs {
    /// The context of the kubeconfig to use, instead of the current one.
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
    /// The kubeconfig to use, instead of $KUBECONFIG and ~/.kube/config.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
}

impl ConnectionArgs {
    /// The connection for the client.
    pub fn connection(&self) -> Connection {
        Connection {
            kubeconfig: self.kubeconfig.clone(),
            context: self.context.clone(),
        }
    }

    /// Takes a snapshot of the cluster.
    pub fn snapshot(&self, read: ReadOptions) -> Result<Snapshot> {
        let options = SnapshotOptions {
            read,
            ..SnapshotOptions::default()
        };
        block_on(async {
            let client = connect(&self.connection()).await?;
            Ok(snapshot(&client, &options).await?)
        })
    }
}

impl ClusterArgs {
    /// The problem of the live cluster.
    pub fn read(&self, options: ReadOptions) -> Result<Input> {
        Ok(self.connection.snapshot(options)?.input)
    }
}

/// Runs a conversation with a server to its end.
pub fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("the network runtime cannot start")?;
    runtime.block_on(work)
}
