//! The accept loop: hyper with a timer (so that slow headers are cut off), a limit on connections, and an end that
//! lets running requests finish.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode};
use axum::routing::get;
use hyper::server::conn::http1::Builder;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::OwnedSemaphorePermit;
use tower::ServiceExt as _;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate as _};

use crate::app::App;
use crate::http::bodies::Sender;
use crate::http::connections::{ConnectionPermit, Connections};
use crate::http::context::FileKind;
use crate::http::heads::{self, HeadLength, HeadMeter, MeteredStream};
use crate::http::writes::StallTimer;
use crate::http::{console, docs, layers, routes};
use crate::{live, uploads};

/// How long running requests may take to finish; less than the ten seconds that all that is served has.
const GRACE: Duration = Duration::from_secs(8);
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
        .merge(live::routes::socket_route())
        .merge(docs::route())
        .merge(uploads::route())
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

/// Serves until `app.stop` turns true, then lets running requests finish.
pub async fn serve(app: App, listener: TcpListener) {
    let router = router(app.clone());
    let connections = Connections::new(&app.config.limits);
    let mut stop = app.stop.subscribe();
    loop {
        tokio::select! {
            accepted = accept(&listener, &connections) => match accepted {
                Some((stream, peer, slot)) => {
                    // A trusted proxy sends the requests of many clients.
                    let is_trusted = app.config.trusts(peer.ip().to_canonical());
                    match connections.admit(slot, peer.ip(), is_trusted) {
                        Some(permit) => {
                            let client = Client { peer, is_trusted, permit };
                            drop(tokio::spawn(connection(app.clone(), router.clone(), stream, client)));
                        }
                        None => refuse(&stream),
                    }
                }
                None => tokio::time::sleep(Duration::from_millis(100)).await,
            },
            () = async { drop(stop.wait_for(|stop| *stop).await) } => break,
        }
    }
    drop(listener);
    // Every connection knows of the end.
    if tokio::time::timeout(GRACE, connections.closed()).await.is_err() {
        tracing::warn!("some requests did not finish in time and were cut off");
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
            tracing::warn!(%error, "a connection cannot be accepted");
            None
        }
    }
}

/// Says why and closes; nothing is awaited, so the client reads the answer only if it is there to read it.
fn refuse(stream: &TcpStream) {
    metrics::counter!("panel_connections_closed_total", "reason" => "address").increment(1);
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
    let service = hyper::service::service_fn(move |mut request: Request<hyper::body::Incoming>| {
        let length = HeadLength::of(&request);
        request.extensions_mut().insert(length);
        request.extensions_mut().insert(ConnectInfo(peer));
        // For the handler of an upgrade, which outlives this connection's task.
        request.extensions_mut().insert(permit.clone());
        let (router, heads) = (router.clone(), heads.clone());
        heads.pause();
        async move {
            let answer = router.oneshot(request.map(Body::new)).await?;
            // After an upgrade no head comes any more.
            if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
                heads.resume();
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
        .serve_connection(TokioIo::new(MeteredStream::new(stream, meter, writes)), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    let mut stop = app.stop.subscribe();
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = async { drop(stop.wait_for(|stop| *stop).await) } => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}
