//! Connections: accepted up to a number, cut off when the head of a request comes too slowly or nothing moves for too
//! long, and finished in peace when the server stops.

use std::convert::Infallible;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use poem::Endpoint;
use poem::endpoint::BoxEndpoint;
use poem::http::uri::Scheme;
use poem::web::{LocalAddr, RemoteAddr};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, Sleep, sleep, sleep_until, timeout};

use crate::config::Server;

/// How long running requests may take once the server stops: longer than any answer (30 seconds).
const LAST_REQUESTS: Duration = Duration::from_secs(35);
/// How long accepting pauses after the system refused a connection, so that a lack of file handles does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

pub(super) async fn serve(
    listener: TcpListener,
    endpoint: BoxEndpoint<'static>,
    settings: &Server,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let endpoint = Arc::new(endpoint);
    let connections = Arc::new(Semaphore::new(settings.max_connections));
    let graceful = GracefulShutdown::new();
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(Duration::from_secs(settings.header_timeout_seconds));
    let idle = Duration::from_secs(settings.idle_timeout_seconds);
    let local = listener.local_addr()?;
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &connections) => accepted,
            () = &mut shutdown => break,
        };
        let (stream, permit) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let Ok(peer) = stream.peer_addr() else { continue };
        // Answers are whole when they are written; waiting for more only delays an event stream.
        let _ = stream.set_nodelay(true);
        let endpoint = Arc::clone(&endpoint);
        let service = service_fn(move |request: poem::http::Request<Incoming>| {
            let endpoint = Arc::clone(&endpoint);
            async move {
                let request = (request, LocalAddr(local.into()), RemoteAddr(peer.into()), Scheme::HTTP).into();
                Ok::<_, Infallible>(hyper::Response::from(endpoint.get_response(request).await))
            }
        });
        let connection = builder.serve_connection(TokioIo::new(Watched::new(stream, idle)), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A client that goes away, or is cut off, is nobody's failure.
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(permit);
        });
    }
    drop(listener);
    if timeout(LAST_REQUESTS, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests were still running when the server stopped");
    }
    Ok(())
}

async fn accept(
    listener: &TcpListener,
    connections: &Arc<Semaphore>,
) -> io::Result<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    // Above the cap new connections wait in the system's own queue.
    let permit = Arc::clone(connections).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, permit))
}

/// A stream that ends with an error once nothing was read or written for a while.
struct Watched {
    stream: TcpStream,
    idle: Duration,
    deadline: Pin<Box<Sleep>>,
}

impl Watched {
    fn new(stream: TcpStream, idle: Duration) -> Self {
        Self { stream, idle, deadline: Box::pin(sleep_until(Instant::now() + idle)) }
    }

    fn moved(&mut self) {
        self.deadline.as_mut().reset(Instant::now() + self.idle);
    }

    fn expired(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        self.deadline.as_mut().poll(context).map(|()| io::ErrorKind::TimedOut.into())
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Ready(result) => {
                if buffer.filled().len() > before {
                    self.moved();
                }
                Poll::Ready(result)
            }
            Poll::Pending => self.expired(context).map(Err),
        }
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Ready(result) => {
                self.moved();
                Poll::Ready(result)
            }
            Poll::Pending => self.expired(context).map(Err),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write_vectored(context, bytes) {
            Poll::Ready(result) => {
                self.moved();
                Poll::Ready(result)
            }
            Poll::Pending => self.expired(context).map(Err),
        }
    }
}

/// Ends when the operator or the system asks the process to stop. Listens from the call on, not from the first poll:
/// whoever is told that the server is ready may ask it to stop at once.
pub fn asked_to_stop() -> impl Future<Output = ()> + Send {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    async move {
        let (Ok(mut terminate), Ok(mut interrupt)) = signals else {
            tracing::error!("signals cannot be received; stop the process by force");
            return std::future::pending().await;
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
}
