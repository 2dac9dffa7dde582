//! Loads an external panel with its endpoint and API token for workers and imports. The token never leaves this area: it must not
//! appear in a log or an API response.

use panel_contract::external_panels::{PanelType, StatisticType};
use panel_contract::ids::ExternalPanelId;
use panel_contract::rejections::RejectionMessage;
use panel_kernel::error::{Error, Result};

use crate::app::App;
use crate::supply::reseller::Panel;
use panel_domain::reseller_protocol::rejections::PanelRejections;
use panel_platform::db::{Source, Sql};
use panel_platform::platform::Platform;
use panel_platform::work::UnitOfWork;

/// An external panel with the data that calls to it need.
#[derive(Clone)]
pub struct PanelConnection {
    pub id: ExternalPanelId,
    pub name: String,
    /// URL of the panel's API.
    pub endpoint: String,
    /// The currency of its prices and charges.
    pub currency: String,
    /// Whether undelivered quantities fail over to the next provider automatically.
    pub fails_over_undelivered: bool,
    /// Whether the delivered quantity is calculated from `remains` or from the charge.
    pub statistic_type: StatisticType,
    /// The panel's messages that mean that it did not accept an order.
    pub rejections: PanelRejections,
    /// Whether the panel runs this product.
    is_this_product: bool,
    token: String,
}

impl PanelConnection {
    /// The connection data that the client of the reseller API needs.
    #[must_use]
    pub fn api(&self) -> Panel<'_> {
        let is_this_product = self.is_this_product;
        Panel { id: self.id, endpoint: &self.endpoint, token: &self.token, is_this_product }
    }
}

/// The context that a panel's token is sealed for.
fn seal_context(id: ExternalPanelId) -> String {
    format!("external_panels|api_token|{id}")
}

/// Seals a panel's token for storage.
pub fn seal_token(platform: &Platform, id: ExternalPanelId, token: &str) -> Result<Vec<u8>> {
    platform.secrets.seal(&platform.random, token.as_bytes(), &seal_context(id)).map_err(Error::Internal)
}

/// Parses the stored rejection messages of a panel.
pub fn parse_rejection_messages(stored: &str) -> Result<Vec<RejectionMessage>> {
    serde_json::from_str(stored).map_err(|error| Error::Internal(format!("rejection messages: {error}")))
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

/// Loads a panel with its token. A panel without a token is a 422 error.
pub async fn load_connection(
    app: &App,
    db: &mut impl Source,
    id: ExternalPanelId,
) -> Result<PanelConnection> {
    let sql = Sql::new(
        "SELECT name, type AS kind, rejection_messages, endpoint, currency, auto_recreate_orders_is_allowed, COALESCE(statistic_type, 'remains') AS statistic_type, api_token_sealed
         FROM external_panels WHERE id = ?",
    );
    let row: Option<PanelRow> = db.fetch_optional(sql.bind(id)).await?;
    let row = row.ok_or_else(|| Error::not_found("external panel", id))?;
    let sealed = row.api_token_sealed.ok_or_else(|| {
        Error::invalid(
            "api_token",
            "panel_without_token",
            "This panel has no API token. Enter the token first.",
        )
    })?;
    let token = app.secrets.open(&sealed, &seal_context(id)).map_err(Error::Internal)?;
    let token = String::from_utf8(token).map_err(|error| Error::Internal(error.to_string()))?;
    let rejections = PanelRejections::of(row.kind, &parse_rejection_messages(&row.rejection_messages)?);
    Ok(PanelConnection {
        id,
        rejections,
        name: row.name,
        endpoint: row.endpoint,
        currency: row.currency,
        fails_over_undelivered: row.auto_recreate_orders_is_allowed,
        statistic_type: row.statistic_type,
        is_this_product: row.kind == PanelType::Socpanel,
        token,
    })
}

/// Locks a panel after a call to it. Returns a 409 error if the endpoint changed, because the response may be from another panel.
pub async fn lock_if_endpoint_unchanged(work: &mut UnitOfWork, connection: &PanelConnection) -> Result<()> {
    let lock = Sql::new("SELECT endpoint FROM external_panels WHERE id = ?").bind(connection.id).for_update();
    let (endpoint,): (String,) = work.fetch_one(lock).await?;
    if endpoint == connection.endpoint {
        return Ok(());
    }
    let message = "The panel's endpoint changed during the call, so its answer was discarded. Try again.";
    Err(Error::conflict("external_panel_moved", message))
}
