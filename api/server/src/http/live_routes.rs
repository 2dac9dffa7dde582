//! Endpoints of the live channel, and the socket's own route.

use std::net::IpAddr;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Extension, Router};
use panel_contract::common::Data;
use panel_contract::endpoints::session::{AuthorizeChannel, GetCounters};
use panel_contract::session::{BroadcastingAuth, Counters};
use panel_kernel::error::{Error, Result};

use crate::app::App;
use crate::auth;
use crate::auth::live_sessions;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::http::connections::ConnectionPermit;
use crate::http::forwarded::ClientAddress;
use crate::http::live_socket;
use crate::http::session_cookie::is_own_origin;
use panel_platform::live::{counters, protocol};

/// Largest message of a client.
const LARGEST_MESSAGE: usize = 10_000;

/// Adds the endpoints of the table.
pub fn routes(api: Api) -> Api {
    api.on::<GetCounters, _, _, _>(init).on::<AuthorizeChannel, _, _, _>(authorize)
}

/// The socket's route; it is not in the endpoint table because it does not answer.
pub fn socket_route() -> Router<App> {
    Router::new().route("/ws/app/{key}", get(connect))
}

async fn init(ctx: Ctx, _req: Req<GetCounters>) -> Result<Data<Counters>> {
    Ok(Data { data: counters::read(&mut ctx.db()).await? })
}

async fn authorize(ctx: Ctx, req: Req<AuthorizeChannel>) -> Result<BroadcastingAuth> {
    if !protocol::is_socket_id(&req.body.socket_id) {
        return Err(Error::invalid(
            "socket_id",
            "invalid",
            "The socket_id must be two numbers joined by a dot.",
        ));
    }
    if req.body.channel_name != protocol::CHANNEL {
        let message = format!("There is no such channel; the one there is: {}.", protocol::CHANNEL);
        return Err(Error::forbidden("channel_unknown", message));
    }
    let hash = ctx.meta.token_hash.ok_or_else(|| Error::unauthenticated("unauthenticated"))?;
    if let Some(session) = auth::store::session(&mut ctx.db(), &hash).await? {
        live_sessions::grant(&ctx.app, &req.body.socket_id, &session.family_id).await;
    }
    let signature =
        protocol::signature(&ctx.app.realtime_secret, &req.body.socket_id, &req.body.channel_name);
    Ok(BroadcastingAuth { auth: format!("{}:{signature}", ctx.app.config.realtime_key) })
}

/// What Pusher clients put into the address; the rest (the client's name and version) is left unread.
#[derive(serde::Deserialize)]
struct ConnectQuery {
    protocol: Option<String>,
}

async fn connect(
    State(app): State<App>,
    Path(key): Path<String>,
    Query(query): Query<ConnectQuery>,
    permit: Option<Extension<ConnectionPermit>>,
    client: Option<Extension<ClientAddress>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    if !origin_fits(&app, &headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let ip = client.map_or(IpAddr::from([127, 0, 0, 1]), |Extension(client)| client.ip);
    upgrade
        // A frame is buffered whole before its message is measured.
        .max_frame_size(LARGEST_MESSAGE)
        .max_message_size(LARGEST_MESSAGE)
        .read_buffer_size(4_096)
        .write_buffer_size(0)
        .on_upgrade(async move |socket| {
            live_socket::serve(app, socket, ip, key, query.protocol).await;
            // Until here the socket is one of the open connections.
            drop(permit);
        })
}

/// Browsers say where a page comes from: only our own pages and configured origins may connect.
fn origin_fits(app: &App, headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN).and_then(|value| value.to_str().ok()) else { return true };
    is_own_origin(&app.config, headers) || app.config.cors_origins.iter().any(|allowed| allowed == origin)
}
