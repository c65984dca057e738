//! Connections, at most so many, and none that only sits there.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

/// A connection on which nothing was read or written for so long is closed.
/// Events keep theirs alive by writing every 15 seconds.
const IDLE: Duration = Duration::from_secs(90);

/// A listener with a bound; more connections wait to be accepted.
pub struct Bounded {
    listener: TcpListener,
    slots: Arc<Semaphore>,
}

impl Bounded {
    /// At most `most` at the same time.
    pub fn new(listener: TcpListener, most: usize) -> Self {
        let slots = Arc::new(Semaphore::new(most.max(1)));
        Self { listener, slots }
    }
}

impl Listener for Bounded {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let slot = self.slots.clone().acquire_owned().await.ok();
        // TcpListener's own accept logs nothing and tries again after errors.
        let (stream, address) = Listener::accept(&mut self.listener).await;
        let _ = stream.set_nodelay(true);
        let connection = Connection {
            stream,
            idle: Box::pin(sleep(IDLE)),
            _slot: slot,
        };
        (connection, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that holds its place until it ends.
pub struct Connection {
    stream: TcpStream,
    idle: Pin<Box<Sleep>>,
    _slot: Option<OwnedSemaphorePermit>,
}

impl Connection {
    fn woke(&mut self) {
        self.idle.as_mut().reset(Instant::now() + IDLE);
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if read.is_ready() {
            self.woke();
            return read;
        }
        match self.idle.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if written.is_ready() {
            self.woke();
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
