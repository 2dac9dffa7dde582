//! Loads an external panel with its endpoint and API token, for workers and imports. Only code in `supply` may use the token; the
//! token must never appear in a log or an API response.

use panel_contract::external_panels::{PanelType, StatisticType};
use panel_contract::ids::ExternalPanelId;
use panel_contract::rejections::RejectionMessage;
use panel_kernel::error::{Error, Result};

use crate::app::App;
use crate::supply::reseller::PanelApi;
use panel_domain::reseller_protocol::rejections::PanelRejections;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::platform::Platform;
use panel_platform::work::UnitOfWork;

/// An external panel with the data that requests to its API need.
#[derive(Clone)]
pub struct PanelConnection {
    pub id: ExternalPanelId,
    pub name: String,
    /// URL of the external panel's API.
    pub endpoint: String,
    /// Currency of the prices and charges of the external panel, as an ISO code.
    pub currency: String,
    /// Whether the server automatically orders undelivered quantities at the next provider.
    pub fails_over_undelivered: bool,
    /// Whether the delivered quantity is calculated from `remains` or from the charge.
    pub statistic_type: StatisticType,
    /// Error messages with which the external panel rejects an order.
    pub rejections: PanelRejections,
    /// Whether the external panel runs the same product as this server.
    is_same_product: bool,
    token: String,
}

impl PanelConnection {
    /// The connection data that the client of the reseller API needs.
    #[must_use]
    pub fn api(&self) -> PanelApi<'_> {
        let is_same_product = self.is_same_product;
        PanelApi { id: self.id, endpoint: &self.endpoint, token: &self.token, is_same_product }
    }
}

/// The encryption context of the token of one external panel, so that a token cannot be decrypted for another panel.
fn seal_context_of_token(id: ExternalPanelId) -> String {
    format!("external_panels|api_token|{id}")
}

/// Encrypts (seals) the token of an external panel for storage.
pub fn seal_token(platform: &Platform, id: ExternalPanelId, token: &str) -> Result<Vec<u8>> {
    platform
        .secrets
        .seal(&platform.random, token.as_bytes(), &seal_context_of_token(id))
        .map_err(Error::Internal)
}

/// Parses the stored rejection messages of an external panel.
pub fn parse_rejection_messages(json: &str) -> Result<Vec<RejectionMessage>> {
    serde_json::from_str(json)
        .map_err(|error| Error::Internal(format!("stored rejection messages are invalid: {error}")))
}

// Store

#[derive(sqlx::FromRow)]
struct PanelRow {
    name: String,
    kind: PanelType,
    rejection_messages: String,
    endpoint: String,
    currency: String,
    auto_recreate_orders_is_allowed: bool,
    statistic_type: StatisticType,
    api_token_sealed: Option<Vec<u8>>,
}

/// Loads an external panel with its token.
///
/// # Errors 404 if the panel does not exist; 422 if it has no token.
pub async fn load_connection(
    app: &App,
    db: &mut impl SqlExecutor,
    id: ExternalPanelId,
) -> Result<PanelConnection> {
    let sql = Sql::new(
        "SELECT name, type AS kind, rejection_messages, endpoint, currency, auto_recreate_orders_is_allowed, COALESCE(statistic_type, 'remains') AS statistic_type, api_token_sealed
         FROM external_panels WHERE id = ?",
    );
    let row: Option<PanelRow> = db.fetch_optional(sql.bind(id)).await?;
    let row = row.ok_or_else(|| Error::not_found("external panel", id))?;
    let sealed_token = row.api_token_sealed.ok_or_else(|| {
        Error::invalid(
            "api_token",
            "panel_without_token",
            "This external panel has no API token. Enter the token first.",
        )
    })?;
    let token = app.secrets.open(&sealed_token, &seal_context_of_token(id)).map_err(Error::Internal)?;
    let token = String::from_utf8(token).map_err(|error| Error::Internal(error.to_string()))?;
    let rejections =
        PanelRejections::for_panel(row.kind, &parse_rejection_messages(&row.rejection_messages)?);
    Ok(PanelConnection {
        id,
        rejections,
        name: row.name,
        endpoint: row.endpoint,
        currency: row.currency,
        fails_over_undelivered: row.auto_recreate_orders_is_allowed,
        statistic_type: row.statistic_type,
        is_same_product: row.kind == PanelType::Socpanel,
        token,
    })
}

/// Locks an external panel after a request to it. Returns a 409 error if its endpoint has changed since the request, because the
/// response may be from another panel.
pub async fn lock_if_endpoint_unchanged(work: &mut UnitOfWork, connection: &PanelConnection) -> Result<()> {
    let lock_sql =
        Sql::new("SELECT endpoint FROM external_panels WHERE id = ?").bind(connection.id).for_update();
    let (endpoint,): (String,) = work.fetch_one(lock_sql).await?;
    if endpoint == connection.endpoint {
        return Ok(());
    }
    let message = "The endpoint of the external panel changed during the request, so the response was discarded. Try again.";
    Err(Error::conflict("external_panel_moved", message))
}
