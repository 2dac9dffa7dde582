//! The accept loop: hyper with a timer (so that slow headers are cut off), a limit on connections, and a graceful shutdown.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, Request, StatusCode, header};
use axum::routing::get;
use hyper::server::conn::http1::Builder;
use hyper_util::rt::{TokioIo, TokioTimer};
use panel_kernel::request_meta::FileKind;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;
use tower::ServiceExt as _;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate as _};

use crate::app::App;
use crate::http::bodies::Sender;
use crate::http::connections::{ConnectionPermit, Connections};
use crate::http::heads::{self, HeadLength, HeadMeter, MeteredStream};
use crate::http::shutdown::{self, LingeringClose};
use crate::http::writes::StallTimer;
use crate::http::{console, docs, layers};
use crate::metrics::CONNECTIONS_CLOSED;
use crate::router::routes;

/// How long running requests may take to finish; less than the ten seconds of the whole shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(8);
/// How long queued connections may wait for a free slot during the shutdown; part of [`SHUTDOWN_TIMEOUT`].
const QUEUE_TIMEOUT: Duration = Duration::from_secs(2);
/// Time without a connection after which the queue counts as empty.
const QUEUE_IDLE: Duration = Duration::from_millis(20);
/// The response to a connection above the limit of its address.
const TOO_MANY_CONNECTIONS: &[u8] =
    b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 5\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// The HTTP service of the panel.
pub fn router(app: App) -> Router {
    let api = routes::api();
    let pages = layers::console_pages_outside_api(api.ops());
    let (endpoints, _) = api.into_parts();
    let compress = CompressionLayer::new().compress_when(
        DefaultPredicate::new()
            .and(NotForContentType::const_new(FileKind::Csv.media_type()))
            .and(NotForContentType::const_new(FileKind::Xlsx.media_type())),
    );
    let limited = endpoints.layer(axum::middleware::from_fn_with_state(app.clone(), layers::limit_rate));
    // Some pages have the path of a POST endpoint, such as /login.
    let pages = pages.into_iter().fold(Router::new(), |router, path| router.route(path, get(console::serve)));
    Router::new()
        .merge(limited)
        .merge(pages)
        .merge(crate::http::live_routes::socket_route())
        .merge(docs::route())
        .merge(crate::http::files::route())
        .method_not_allowed_fallback(layers::method_not_allowed)
        .fallback(console::serve)
        .layer(compress)
        .layer(axum::middleware::from_fn(layers::catch_panic))
        .layer(axum::middleware::from_fn(layers::limit_head))
        .layer(axum::middleware::from_fn_with_state(app.clone(), layers::security_headers))
        .layer(layers::cors(&app.config.cors_origins))
        .layer(axum::middleware::from_fn_with_state(app.clone(), layers::trace))
        .with_state(app)
}

/// Serves until `app.stop` turns true, then accepts the queued connections and finishes running requests.
pub async fn serve(app: App, listener: TcpListener) {
    let server =
        Server { router: router(app.clone()), connections: Connections::new(&app.config.limits), app };
    let mut stop = server.app.stop.subscribe();
    tokio::select! {
        () = server.accept_all(&listener) => {}
        () = shutdown::wait_for_shutdown(&mut stop) => {}
    }
    let stopping_since = Instant::now();
    shutdown::ignore_new_connections(&listener);
    drop(timeout(shutdown::SETTLE_TIME, server.accept_all(&listener)).await);
    drop(timeout(QUEUE_TIMEOUT, server.accept_queued(&listener)).await);
    drop(listener);
    // Every connection has been asked to close.
    if timeout(
        SHUTDOWN_TIMEOUT.saturating_sub(stopping_since.elapsed()),
        server.connections.wait_until_closed(),
    )
    .await
    .is_err()
    {
        tracing::warn!("cut off requests that did not finish before the stop timeout");
    }
}

/// State shared by all connections.
struct Server {
    app: App,
    router: Router,
    connections: Connections,
}

impl Server {
    /// Accepts connections until the future is dropped.
    async fn accept_all(&self, listener: &TcpListener) {
        loop {
            match accept(listener, &self.connections).await {
                Some((stream, peer, slot)) => self.spawn(stream, peer, slot),
                // Not a poller: the listener wakes this task, and the pause only prevents a busy loop on a failing socket.
                None => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    }

    /// Accepts the connections in the listener's queue.
    async fn accept_queued(&self, listener: &TcpListener) {
        while let Some(slot) = self.connections.wait_for_slot().await {
            // No new connections arrive: a queue that is empty for a moment stays empty.
            match timeout(QUEUE_IDLE, listener.accept()).await {
                Ok(Ok((stream, peer))) => self.spawn(stream, peer, slot),
                Ok(Err(_)) | Err(_) => return,
            }
        }
    }

    /// Serves one connection in a separate task.
    fn spawn(&self, stream: TcpStream, peer: SocketAddr, slot: OwnedSemaphorePermit) {
        // A trusted proxy sends the requests of many clients.
        let is_trusted = self.app.config.trusts(peer.ip().to_canonical());
        match self.connections.admit(slot, peer.ip(), is_trusted) {
            Some(permit) => {
                let client = Client { peer, is_trusted, permit };
                drop(tokio::spawn(serve_connection(self.app.clone(), self.router.clone(), stream, client)));
            }
            None => refuse(&stream),
        }
    }
}

/// Returns the next connection once a slot is free; `None` if the system cannot accept one, for example because file
/// descriptors ran out.
async fn accept(
    listener: &TcpListener,
    connections: &Connections,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let slot = connections.wait_for_slot().await?;
    match listener.accept().await {
        Ok((stream, peer)) => Some((stream, peer, slot)),
        Err(error) => {
            tracing::warn!(%error, "failed to accept a connection");
            None
        }
    }
}

/// Sends a 429 response and closes the connection. Awaits nothing, so that a client that does not read blocks no task.
fn refuse(stream: &TcpStream) {
    CONNECTIONS_CLOSED.with_labels(["address"]).increment(1);
    drop(stream.try_write(TOO_MANY_CONNECTIONS));
}

/// The client of a connection.
struct Client {
    peer: SocketAddr,
    is_trusted: bool,
    permit: ConnectionPermit,
}

/// Serves one connection until it ends. HTTP/1.1 only: proxies in front use it, and detecting the version first has no time limit.
async fn serve_connection(app: App, router: Router, stream: TcpStream, client: Client) {
    let Client { peer, is_trusted, permit } = client;
    let limits = &app.config.limits;
    // A trusted proxy sends only complete heads, so its heads are counted like those of signed-in callers.
    let meter = HeadMeter::new(&app.bodies, Sender { ip: peer.ip(), is_signed_in: is_trusted });
    let writes = StallTimer::new(Duration::from_secs(limits.write_stall_seconds));
    let heads = meter.clone();
    // Responses during the shutdown close their connection.
    let is_stopping = app.stop.subscribe();
    let lingering_close = LingeringClose::new(app.stop.subscribe(), permit.clone());
    let service = hyper::service::service_fn(move |mut request: Request<hyper::body::Incoming>| {
        let length = HeadLength::of(&request);
        request.extensions_mut().insert(length);
        request.extensions_mut().insert(ConnectInfo(peer));
        // For the handler of an upgrade, which outlives this connection's task.
        request.extensions_mut().insert(permit.clone());
        let (router, heads) = (router.clone(), heads.clone());
        heads.pause();
        let is_stopping = is_stopping.clone();
        async move {
            let mut response = router.oneshot(request.map(Body::new)).await?;
            // After an upgrade the client sends no further request head.
            if response.status() != StatusCode::SWITCHING_PROTOCOLS {
                heads.resume();
                if *is_stopping.borrow() {
                    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
                }
            }
            Ok::<_, std::convert::Infallible>(response)
        }
    });
    // A response is small or streamed: waiting for full packets only adds 40 ms.
    drop(stream.set_nodelay(true));
    let connection = Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(limits.header_seconds))
        .max_buf_size(heads::BUFFER_BYTES)
        .serve_connection(TokioIo::new(MeteredStream::new(stream, meter, writes, lingering_close)), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    let mut stop = app.stop.subscribe();
    let result = tokio::select! {
        result = connection.as_mut() => result,
        () = async {
            shutdown::wait_for_shutdown(&mut stop).await;
            // Serves the requests that were sent before the client noticed the shutdown, then closes idle connections.
            tokio::time::sleep(shutdown::SETTLE_TIME).await;
        } => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = result {
        tracing::debug!(%error, "connection ended");
    }
}
