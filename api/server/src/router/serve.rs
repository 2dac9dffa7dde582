//! The accept loop: hyper with a timer (so that slow headers are cut off), a limit on connections, and an end that
//! lets running requests finish.

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
use crate::http::shutdown::{self, Parting};
use crate::http::writes::StallTimer;
use crate::http::{console, docs, layers};
use crate::metrics::CONNECTIONS_CLOSED;
use crate::router::routes;

/// How long running requests may take to finish; less than the ten seconds that all that is served has.
const GRACE: Duration = Duration::from_secs(8);
/// How long connections may wait for a free slot then, of these eight seconds.
const QUEUED: Duration = Duration::from_secs(2);
/// After how long without a connection the queue is empty.
const EMPTY: Duration = Duration::from_millis(20);
/// The answer to a connection beyond those that its address may have.
const TOO_MANY: &[u8] =
    b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 5\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// The whole service of one panel.
pub fn router(app: App) -> Router {
    let api = routes::api();
    let pages = layers::pages_beside(api.ops());
    let (endpoints, _) = api.into_parts();
    let compress = CompressionLayer::new().compress_when(
        DefaultPredicate::new()
            .and(NotForContentType::const_new(FileKind::Csv.media_type()))
            .and(NotForContentType::const_new(FileKind::Xlsx.media_type())),
    );
    let limited = endpoints.layer(axum::middleware::from_fn_with_state(app.clone(), layers::limit_rate));
    // Some pages have the path of an endpoint that is posted to, such as /login.
    let pages = pages.into_iter().fold(Router::new(), |router, path| router.route(path, get(console::serve)));
    Router::new()
        .merge(limited)
        .merge(pages)
        .merge(crate::http::live_routes::socket_route())
        .merge(docs::route())
        .merge(crate::http::files::route())
        .method_not_allowed_fallback(layers::wrong_method)
        .fallback(console::serve)
        .layer(compress)
        .layer(axum::middleware::from_fn(layers::catch_panic))
        .layer(axum::middleware::from_fn(layers::limit_head))
        .layer(axum::middleware::from_fn_with_state(app.clone(), layers::secure))
        .layer(layers::cors(&app.config.cors_origins))
        .layer(axum::middleware::from_fn_with_state(app.clone(), layers::trace))
        .with_state(app)
}

/// Serves until `app.stop` turns true, then those that wait to be accepted, and lets running requests finish.
pub async fn serve(app: App, listener: TcpListener) {
    let server =
        Server { router: router(app.clone()), connections: Connections::new(&app.config.limits), app };
    let mut stop = server.app.stop.subscribe();
    tokio::select! {
        () = server.accept_all(&listener) => {}
        () = shutdown::begun(&mut stop) => {}
    }
    let begun = Instant::now();
    shutdown::hold_off(&listener);
    drop(timeout(shutdown::SETTLE, server.accept_all(&listener)).await);
    drop(timeout(QUEUED, server.accept_queued(&listener)).await);
    drop(listener);
    // Every connection knows of the end.
    if timeout(GRACE.saturating_sub(begun.elapsed()), server.connections.closed()).await.is_err() {
        tracing::warn!("cut off requests that did not finish before the stop timeout");
    }
}

/// What accepted connections are served with.
struct Server {
    app: App,
    router: Router,
    connections: Connections,
}

impl Server {
    /// Accepts for ever.
    async fn accept_all(&self, listener: &TcpListener) {
        loop {
            match accept(listener, &self.connections).await {
                Some((stream, peer, slot)) => self.begin(stream, peer, slot),
                // No poller: the listener wakes this task, and the pause only keeps a socket that fails from a busy loop.
                None => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    }

    /// Accepts those that wait in the listener's queue.
    async fn accept_queued(&self, listener: &TcpListener) {
        while let Some(slot) = self.connections.free_slot().await {
            // No connection begins any more: a queue that is empty for a moment stays empty.
            match timeout(EMPTY, listener.accept()).await {
                Ok(Ok((stream, peer))) => self.begin(stream, peer, slot),
                Ok(Err(_)) | Err(_) => return,
            }
        }
    }

    /// Serves one connection in a task of its own.
    fn begin(&self, stream: TcpStream, peer: SocketAddr, slot: OwnedSemaphorePermit) {
        // A trusted proxy sends the requests of many clients.
        let is_trusted = self.app.config.trusts(peer.ip().to_canonical());
        match self.connections.admit(slot, peer.ip(), is_trusted) {
            Some(permit) => {
                let client = Client { peer, is_trusted, permit };
                drop(tokio::spawn(connection(self.app.clone(), self.router.clone(), stream, client)));
            }
            None => refuse(&stream),
        }
    }
}

/// The next connection, once there is a free slot for it; none when the system cannot give one (out of file
/// descriptors, say: others may close some).
async fn accept(
    listener: &TcpListener,
    connections: &Connections,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let slot = connections.free_slot().await?;
    match listener.accept().await {
        Ok((stream, peer)) => Some((stream, peer, slot)),
        Err(error) => {
            tracing::warn!(%error, "failed to accept a connection");
            None
        }
    }
}

/// Says why and closes; nothing is awaited, so the client reads the answer only if it is there to read it.
fn refuse(stream: &TcpStream) {
    CONNECTIONS_CLOSED.with(["address"]).increment(1);
    drop(stream.try_write(TOO_MANY));
}

/// Who is at the other end of a connection.
struct Client {
    peer: SocketAddr,
    is_trusted: bool,
    permit: ConnectionPermit,
}

/// One connection to its end. HTTP/1.1 only: a proxy in front speaks it to us, and finding out the version first
/// has no time limit.
async fn connection(app: App, router: Router, stream: TcpStream, client: Client) {
    let Client { peer, is_trusted, permit } = client;
    let limits = &app.config.limits;
    // The heads that a trusted proxy sends come whole: they count among those of signed-in callers.
    let meter = HeadMeter::new(&app.bodies, Sender { ip: peer.ip(), is_signed_in: is_trusted });
    let writes = StallTimer::new(Duration::from_secs(limits.write_stall_seconds));
    let heads = meter.clone();
    // Answers while the process ends say that no other follows.
    let is_last = app.stop.subscribe();
    let parting = Parting::new(app.stop.subscribe(), permit.clone());
    let service = hyper::service::service_fn(move |mut request: Request<hyper::body::Incoming>| {
        let length = HeadLength::of(&request);
        request.extensions_mut().insert(length);
        request.extensions_mut().insert(ConnectInfo(peer));
        // For the handler of an upgrade, which outlives this connection's task.
        request.extensions_mut().insert(permit.clone());
        let (router, heads) = (router.clone(), heads.clone());
        heads.pause();
        let is_last = is_last.clone();
        async move {
            let mut answer = router.oneshot(request.map(Body::new)).await?;
            // After an upgrade no head comes any more.
            if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
                heads.resume();
                if *is_last.borrow() {
                    answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
                }
            }
            Ok::<_, std::convert::Infallible>(answer)
        }
    });
    // An answer is small or streamed: waiting to fill packets only adds 40 ms.
    drop(stream.set_nodelay(true));
    let connection = Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(limits.header_seconds))
        .max_buf_size(heads::BUFFER_BYTES)
        .serve_connection(TokioIo::new(MeteredStream::new(stream, meter, writes, parting)), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    let mut stop = app.stop.subscribe();
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = async {
            shutdown::begun(&mut stop).await;
            // A request that was sent before its client knew is answered; an idle connection is closed after.
            tokio::time::sleep(shutdown::SETTLE).await;
        } => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "connection ended");
    }
}
