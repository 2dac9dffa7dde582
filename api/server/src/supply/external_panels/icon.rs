//! Serves the icon of an external panel from this server, because the console must not load images from other hosts.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use panel_contract::endpoints::external_panels::ShowExternalPanelIcon;
use panel_contract::ids::ExternalPanelId;
use panel_kernel::error::{Error, Result};

use super::rules;
use crate::context::Ctx;
use crate::http::Req;
use panel_platform::db::{Sql, SqlExecutor};

// Routes

/// `GET external-panels/{id}/icon`.
pub(super) async fn show(ctx: Ctx, req: Req<ShowExternalPanelIcon>) -> Result<Response> {
    let endpoint = load_endpoint(&mut ctx.db(), req.path).await?;
    let endpoint = endpoint.ok_or_else(|| Error::not_found("external panel", req.path))?;
    let icon = match rules::favicon_url(&endpoint) {
        Some(address) => ctx.app.icon_cache.get(&ctx.app, &address).await,
        None => None,
    };
    let cache_control = (header::CACHE_CONTROL, "private, max-age=3600");
    Ok(match icon {
        Some(icon) => ([cache_control, (header::CONTENT_TYPE, icon.media_type)], icon.bytes).into_response(),
        None => (StatusCode::NO_CONTENT, [cache_control]).into_response(),
    })
}

// Store

async fn load_endpoint(db: &mut impl SqlExecutor, id: ExternalPanelId) -> Result<Option<String>> {
    let sql = Sql::new("SELECT endpoint FROM external_panels WHERE id = ?").bind(id);
    let row: Option<(String,)> = db.fetch_optional(sql).await?;
    Ok(row.map(|(endpoint,)| endpoint))
}
