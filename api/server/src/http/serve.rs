//! The accept loop: hyper with a timer (so that slow headers are cut off), a limit on connections, and an end that
//! lets running requests finish.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower::ServiceExt as _;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate as _};

use crate::app::App;
use crate::http::{console, docs, layers, routes};
use crate::live;

/// How long running requests may take to finish.
const GRACE: Duration = Duration::from_secs(10);

/// The whole service of one panel.
#[must_use]
pub fn router(app: App) -> Router {
    let (endpoints, _) = routes::api().into_parts();
    let compress = CompressionLayer::new()
        .compress_when(DefaultPredicate::new().and(NotForContentType::new("text/csv")));
    let limited = endpoints.layer(axum::middleware::from_fn_with_state(app.clone(), layers::limit_rate));
    Router::new()
        .merge(limited)
        .merge(live::routes::socket_route())
        .merge(docs::route())
        .method_not_allowed_fallback(layers::wrong_method)
        .fallback(console::serve)
        .layer(compress)
        .layer(CatchPanicLayer::custom(layers::panicked))
        .layer(axum::middleware::from_fn(layers::secure))
        .layer(layers::cors(&app.config.cors_origins))
        .layer(axum::middleware::from_fn_with_state(app.clone(), layers::trace))
        .with_state(app)
}

/// Serves until `app.stop` turns true, then lets running requests finish for at most ten seconds.
pub async fn serve(app: App, listener: TcpListener) {
    let router = router(app.clone());
    let graceful = GracefulShutdown::new();
    let seats = Arc::new(Semaphore::new(app.config.limits.connections));
    let mut stop = app.stop.subscribe();
    loop {
        let Ok(seat) = Arc::clone(&seats).acquire_owned().await else { break };
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => connection(&app, router.clone(), stream, peer, &graceful, seat),
                // Out of file descriptors, say: others may close some.
                Err(error) => {
                    tracing::warn!(%error, "a connection cannot be accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            () = async { drop(stop.wait_for(|stop| *stop).await) } => break,
        }
    }
    drop(listener);
    if tokio::time::timeout(GRACE, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish in time and were cut off");
    }
}

fn connection(
    app: &App,
    router: Router,
    stream: TcpStream,
    peer: SocketAddr,
    graceful: &GracefulShutdown,
    seat: tokio::sync::OwnedSemaphorePermit,
) {
    let service = hyper::service::service_fn(move |mut request: Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request.map(Body::new))
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(app.config.limits.header_seconds))
        .max_buf_size(128 * 1024)
        .keep_alive(true);
    builder.http2().timer(TokioTimer::new()).keep_alive_interval(Some(Duration::from_secs(30)));
    // An answer is small or streamed: waiting to fill packets only adds 40 ms.
    drop(stream.set_nodelay(true));
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service).into_owned();
    let watched = graceful.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = watched.await {
            tracing::debug!(%error, "a connection ended");
        }
        drop(seat);
    });
}
