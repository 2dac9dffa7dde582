//! Accepts connections and serves them with hyper: with a timeout for request headers, a limit on connections, and a graceful
//! shutdown.

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
use crate::http::stall_timer::StallTimer;
use crate::http::{console, docs, layers};
use crate::metrics::CONNECTIONS_CLOSED;
use crate::router::routes;

/// How long running requests may take to finish; less than the ten seconds of the whole shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(8);
/// How long connections in the listener's queue may wait for a permit during the shutdown; part of [`SHUTDOWN_TIMEOUT`].
const QUEUE_TIMEOUT: Duration = Duration::from_secs(2);
/// If no connection arrives for this time during the shutdown, the listener's queue is empty.
const QUEUE_EMPTY_AFTER: Duration = Duration::from_millis(20);
/// The response to a client whose IP address has too many connections.
const TOO_MANY_CONNECTIONS_RESPONSE: &[u8] =
    b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 5\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// The HTTP service of the panel.
pub fn router(app: App) -> Router {
    let api = routes::all_routes();
    let page_paths = layers::console_pages_outside_api(api.ops());
    let (endpoints, _) = api.into_parts();
    let compression_layer = CompressionLayer::new().compress_when(
        DefaultPredicate::new()
            .and(NotForContentType::const_new(FileKind::Csv.media_type()))
            .and(NotForContentType::const_new(FileKind::Xlsx.media_type())),
    );
    let rate_limited_endpoints =
        endpoints.layer(axum::middleware::from_fn_with_state(app.clone(), layers::limit_rate));
    // Some pages of the console have the path of a POST endpoint, such as /login.
    let console_pages =
        page_paths.into_iter().fold(Router::new(), |router, path| router.route(path, get(console::serve)));
    Router::new()
        .merge(rate_limited_endpoints)
        .merge(console_pages)
        .merge(crate::http::realtime_routes::socket_route())
        .merge(docs::docs_routes())
        .merge(crate::http::files::public_images_route())
        .method_not_allowed_fallback(layers::method_not_allowed)
        .fallback(console::serve)
        .layer(compression_layer)
        .layer(axum::middleware::from_fn(layers::catch_panic))
        .layer(axum::middleware::from_fn(layers::limit_head))
        .layer(axum::middleware::from_fn_with_state(app.clone(), layers::security_headers))
        .layer(layers::cors(&app.config.cors_origins))
        .layer(axum::middleware::from_fn_with_state(app.clone(), layers::trace))
        .with_state(app)
}

/// Serves until `app.stop` turns true. Then serves the connections that are already in the listener's queue, and finishes running
/// requests.
pub async fn serve(app: App, listener: TcpListener) {
    let server =
        Server { router: router(app.clone()), connections: Connections::new(&app.config.limits), app };
    let mut stop = server.app.stop.subscribe();
    tokio::select! {
        () = server.accept_all(&listener) => {}
        () = shutdown::wait_for_shutdown(&mut stop) => {}
    }
    let shutdown_started_at = Instant::now();
    shutdown::ignore_new_connections(&listener);
    drop(timeout(shutdown::SETTLE_TIME, server.accept_all(&listener)).await);
    drop(timeout(QUEUE_TIMEOUT, server.accept_queued(&listener)).await);
    drop(listener);
    // The task of each connection closes it when `app.stop` turns true.
    if timeout(
        SHUTDOWN_TIMEOUT.saturating_sub(shutdown_started_at.elapsed()),
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
            match accept_next(listener, &self.connections).await {
                Some((stream, peer_address, semaphore_permit)) => {
                    self.spawn(stream, peer_address, semaphore_permit)
                }
                // The pause only prevents a busy loop while the socket fails. Otherwise the listener wakes this task.
                None => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    }

    /// Accepts the connections that are already in the listener's queue.
    async fn accept_queued(&self, listener: &TcpListener) {
        while let Some(semaphore_permit) = self.connections.wait_for_permit().await {
            // The listener ignores new connections by now, so a queue that is empty for a moment stays empty.
            match timeout(QUEUE_EMPTY_AFTER, listener.accept()).await {
                Ok(Ok((stream, peer_address))) => self.spawn(stream, peer_address, semaphore_permit),
                Ok(Err(_)) | Err(_) => return,
            }
        }
    }

    /// Serves one connection in a separate task.
    fn spawn(&self, stream: TcpStream, peer_address: SocketAddr, semaphore_permit: OwnedSemaphorePermit) {
        // A trusted proxy sends the requests of many clients.
        let is_trusted = self.app.config.trusts(peer_address.ip().to_canonical());
        match self.connections.admit(semaphore_permit, peer_address.ip(), is_trusted) {
            Some(permit) => {
                let client = Client { peer_address, is_trusted, permit };
                drop(tokio::spawn(serve_connection(self.app.clone(), self.router.clone(), stream, client)));
            }
            None => refuse_connection(&stream),
        }
    }
}

/// Waits for a permit and returns the next connection; `None` if the operating system cannot accept a connection, for example
/// because the process has too many open files.
async fn accept_next(
    listener: &TcpListener,
    connections: &Connections,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let semaphore_permit = connections.wait_for_permit().await?;
    match listener.accept().await {
        Ok((stream, peer_address)) => Some((stream, peer_address, semaphore_permit)),
        Err(error) => {
            tracing::warn!(%error, "failed to accept a connection");
            None
        }
    }
}

/// Sends a 429 response and closes the connection. Does not wait, so a client that reads nothing cannot block a task.
fn refuse_connection(stream: &TcpStream) {
    CONNECTIONS_CLOSED.with_labels(["address"]).increment(1);
    drop(stream.try_write(TOO_MANY_CONNECTIONS_RESPONSE));
}

/// The client of a connection.
struct Client {
    peer_address: SocketAddr,
    is_trusted: bool,
    permit: ConnectionPermit,
}

/// Serves one connection until it ends. Only HTTP/1.1: reverse proxies use it, and hyper's detection of the version has no timeout.
async fn serve_connection(app: App, router: Router, stream: TcpStream, client: Client) {
    let Client { peer_address, is_trusted, permit } = client;
    let limits = &app.config.limits;
    // A trusted proxy sends only complete request heads, so the meter counts its heads like those of signed-in callers.
    let head_meter =
        HeadMeter::new(&app.body_budget, Sender { ip: peer_address.ip(), is_signed_in: is_trusted });
    let stall_timer = StallTimer::new(Duration::from_secs(limits.write_stall_seconds));
    let meter_of_requests = head_meter.clone();
    // A response during the shutdown closes its connection.
    let stop_receiver = app.stop.subscribe();
    let lingering_close = LingeringClose::new(app.stop.subscribe(), permit.clone());
    let service = hyper::service::service_fn(move |mut request: Request<hyper::body::Incoming>| {
        let head_length = HeadLength::of_request(&request);
        request.extensions_mut().insert(head_length);
        request.extensions_mut().insert(ConnectInfo(peer_address));
        // The handler of a WebSocket holds the permit, because it outlives the task of this connection.
        request.extensions_mut().insert(permit.clone());
        let (router, head_meter) = (router.clone(), meter_of_requests.clone());
        head_meter.pause();
        let stop_receiver = stop_receiver.clone();
        async move {
            let mut response = router.oneshot(request.map(Body::new)).await?;
            // After an upgrade the client sends no further request head.
            if response.status() != StatusCode::SWITCHING_PROTOCOLS {
                head_meter.resume();
                if *stop_receiver.borrow() {
                    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
                }
            }
            Ok::<_, std::convert::Infallible>(response)
        }
    });
    // Without this option, TCP may delay a small response by 40 ms to fill its packets.
    drop(stream.set_nodelay(true));
    let connection = Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(limits.header_seconds))
        .max_buf_size(heads::MAX_READ_BUFFER_BYTES)
        .serve_connection(
            TokioIo::new(MeteredStream::new(stream, head_meter, stall_timer, lingering_close)),
            service,
        )
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
