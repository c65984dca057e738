//! A client for the cluster of a kubeconfig, a context, or the pod we run in.

use std::path::PathBuf;
use std::time::Duration;

use http::HeaderValue;
use http::header::USER_AGENT;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

use crate::Error;
use crate::error::causes;

/// Which cluster; the default is what kubectl would talk to.
#[derive(Clone, Debug, Default)]
pub struct Connection {
    /// A kubeconfig file instead of $KUBECONFIG and ~/.kube/config.
    pub kubeconfig: Option<PathBuf>,
    /// A context of the kubeconfig instead of its current one.
    pub context: Option<String>,
}

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(15);

/// A client for the cluster. Nothing is asked of the server yet.
pub async fn connect(connection: &Connection) -> Result<Client, Error> {
    let mut config = config(connection).await?;
    config.connect_timeout = Some(CONNECT);
    // A disruption budget's refusal is a 429, and means wait, not again at once.
    config.default_retry = false;
    let agent = concat!("bayplan/", env!("CARGO_PKG_VERSION"));
    config
        .headers
        .push((USER_AGENT, HeaderValue::from_static(agent)));
    Client::try_from(config).map_err(|error| Error::Config(causes(&error)))
}

async fn config(connection: &Connection) -> Result<Config, Error> {
    let options = KubeConfigOptions {
        context: connection.context.clone(),
        ..KubeConfigOptions::default()
    };
    let wrong = |error: &dyn std::error::Error| Error::Config(causes(error));
    if let Some(path) = &connection.kubeconfig {
        let file = Kubeconfig::read_from(path).map_err(|error| wrong(&error))?;
        let config = Config::from_custom_kubeconfig(file, &options).await;
        return config.map_err(|error| wrong(&error));
    }
    if connection.context.is_some() {
        let config = Config::from_kubeconfig(&options).await;
        return config.map_err(|error| wrong(&error));
    }
    Config::infer().await.map_err(|error| wrong(&error))
}
