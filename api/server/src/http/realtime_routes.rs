//! Endpoints of the real-time channel, and the route of the websocket.

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
use crate::http::realtime_socket;
use crate::http::session_cookie::is_panel_origin;
use panel_platform::live::{counters, protocol};

/// Largest message of a client, in bytes.
const MAX_MESSAGE_BYTES: usize = 10_000;

/// Adds the endpoints of the real-time channel.
pub fn routes(api: Api) -> Api {
    api.route::<GetCounters, _, _, _>(get_counters).route::<AuthorizeChannel, _, _, _>(authorize_subscription)
}

/// The route of the websocket. It is not in the endpoint table, because it has no response body.
pub fn socket_route() -> Router<App> {
    Router::new().route("/ws/app/{key}", get(connect))
}

async fn get_counters(ctx: Ctx, _req: Req<GetCounters>) -> Result<Data<Counters>> {
    Ok(Data { data: counters::read(&mut ctx.db()).await? })
}

async fn authorize_subscription(ctx: Ctx, req: Req<AuthorizeChannel>) -> Result<BroadcastingAuth> {
    if !protocol::is_socket_id(&req.body.socket_id) {
        return Err(Error::invalid(
            "socket_id",
            "invalid",
            "The socket_id must be two numbers joined by a dot. Send the one that the websocket received.",
        ));
    }
    if req.body.channel_name != protocol::STAFF_CHANNEL {
        let message = format!("There is no such channel. Subscribe to {}.", protocol::STAFF_CHANNEL);
        return Err(Error::forbidden("channel_unknown", message));
    }
    let hash = ctx.meta.token_hash.ok_or_else(|| Error::unauthenticated("unauthenticated"))?;
    if let Some(session) = auth::store::load_session(&mut ctx.db(), &hash).await? {
        live_sessions::authorize_socket(&ctx.app, &req.body.socket_id, &session.family_id).await;
    }
    let signature = protocol::sign(&ctx.app.realtime_secret, &req.body.socket_id, &req.body.channel_name);
    Ok(BroadcastingAuth { auth: format!("{}:{signature}", ctx.app.config.realtime_key) })
}

/// The query of Pusher clients. Other parameters (the client's name and version) are ignored.
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
    if !is_allowed_origin(&app, &headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let ip = client.map_or(IpAddr::from([127, 0, 0, 1]), |Extension(client)| client.ip);
    upgrade
        // A frame is buffered before the size of its message is checked, so it has the same limit.
        .max_frame_size(MAX_MESSAGE_BYTES)
        .max_message_size(MAX_MESSAGE_BYTES)
        .read_buffer_size(4_096)
        .write_buffer_size(0)
        .on_upgrade(async move |socket| {
            realtime_socket::serve(app, socket, ip, key, query.protocol).await;
            // The permit is dropped here, because the socket counts as an open connection until it closes.
            drop(permit);
        })
}

/// Whether the request may come from its origin: one of the panel's own pages or a configured origin. Clients other than browsers
/// send no origin and may connect.
fn is_allowed_origin(app: &App, headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN).and_then(|value| value.to_str().ok()) else { return true };
    is_panel_origin(&app.config, headers) || app.config.cors_origins.iter().any(|allowed| allowed == origin)
}
