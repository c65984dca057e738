//! Start, serve, end.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::net::TcpListener;

use crate::app::App;
use crate::connections::Bounded;
use crate::inputs::{Given, take_given};
use crate::routes::router;
use crate::{Config, ConfigError, runs};

/// How long open answers and the run at work may take to end.
const GRACE: Duration = Duration::from_secs(10);

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The configuration is unsafe.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The address is taken or not ours.
    #[error("cannot listen on {0}: {1}; choose another with --address [W011]")]
    Listen(SocketAddr, std::io::Error),
    /// The store cannot be opened.
    #[error(
        "{0}; another server may have it open, or it is no store of bayplan: choose another with --store [W011]"
    )]
    Store(String),
    /// The input given does not fit into the bounds.
    #[error("the input cannot be kept: {0}")]
    Input(String),
    /// The system refuses a thread.
    #[error("cannot start the worker: {0}")]
    Worker(std::io::Error),
}

/// A server that listens.
pub struct Server {
    app: Arc<App>,
    listener: TcpListener,
    worker: JoinHandle<()>,
}

impl Server {
    /// Checks the configuration, opens the store, takes the first input in and
    /// listens.
    pub async fn start(config: Config, first: Option<Given>) -> Result<Self, StartError> {
        config.check()?;
        let address = config.address;
        let app = App::open(config).map_err(|error| StartError::Store(error.to_string()))?;
        let app = Arc::new(app);
        if let Some(given) = first {
            let taken = take_given(&app, given);
            taken.map_err(|fault| {
                let errors = fault.into_errors();
                StartError::Input(errors.iter().map(|e| e.what.clone()).collect())
            })?;
        }
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|error| StartError::Listen(address, error))?;
        let shared = app.clone();
        let worker = std::thread::Builder::new().name("worker".into());
        let worker = worker
            .spawn(move || runs::work(&shared))
            .map_err(StartError::Worker)?;
        Ok(Self {
            app,
            listener,
            worker,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener
            .local_addr()
            .unwrap_or(self.app.config.address)
    }

    /// Serves until `end` is ready; then the run at work ends with its best
    /// answer, which is stored.
    pub async fn run(self, end: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        let app = self.app.clone();
        let closed = async move {
            end.await;
            app.queue.close();
            app.closing.send_replace(true);
        };
        let listener = Bounded::new(self.listener, self.app.config.connections);
        let mut closing = self.app.closing.subscribe();
        let serving =
            axum::serve(listener, router(self.app.clone())).with_graceful_shutdown(closed);
        let too_long = async move {
            let _ = closing.wait_for(|closing| *closing).await;
            tokio::time::sleep(GRACE).await;
        };
        let served = tokio::select! {
            served = serving => served,
            () = too_long => Ok(()),
        };
        let worker = tokio::task::spawn_blocking(move || self.worker.join());
        // A run that does not end in time is lost, as with a kill.
        let _ = tokio::time::timeout(GRACE, worker).await;
        served
    }
}
