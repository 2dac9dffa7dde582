//! Loads an external panel with its endpoint and API token for workers and imports. The token never leaves this area: it must not
//! appear in a log or an answer.

use panel_contract::external_panels::{PanelType, StatisticType};
use panel_contract::ids::ExternalPanelId;
use panel_contract::rejections::RejectionMessage;
use panel_kernel::error::{Error, Result};

use crate::app::App;
use crate::supply::reseller::Panel;
use panel_domain::reseller_protocol::rejections::Rejections;
use panel_platform::db::{Source, Sql};
use panel_platform::platform::Platform;
use panel_platform::work::UnitOfWork;

/// An external panel with everything that a call to it needs.
#[derive(Clone)]
pub struct Reachable {
    pub id: ExternalPanelId,
    pub name: String,
    /// URL of the panel's API.
    pub endpoint: String,
    /// The currency of its prices and charges.
    pub currency: String,
    /// Whether undelivered quantities fail over to the next provider automatically.
    pub recreates: bool,
    /// Which figure of the panel measures the delivered quantity.
    pub statistic: StatisticType,
    /// The panel's messages that mean that it did not accept an order.
    pub rejections: Rejections,
    /// Whether the panel runs this product.
    is_own_kind: bool,
    token: String,
}

impl Reachable {
    /// The panel as the client of the reseller API expects it.
    #[must_use]
    pub fn panel(&self) -> Panel<'_> {
        let is_own_kind = self.is_own_kind;
        Panel { id: self.id, endpoint: &self.endpoint, token: &self.token, is_own_kind }
    }
}

/// The context that a panel's token is sealed for.
fn seal_context(id: ExternalPanelId) -> String {
    format!("external_panels|api_token|{id}")
}

/// Seals a panel's token for storage.
pub fn seal(platform: &Platform, id: ExternalPanelId, token: &str) -> Result<Vec<u8>> {
    platform.secrets.seal(&platform.random, token.as_bytes(), &seal_context(id)).map_err(Error::Fault)
}

/// Parses the stored rejection messages of a panel.
pub fn rejection_messages(stored: &str) -> Result<Vec<RejectionMessage>> {
    serde_json::from_str(stored).map_err(|error| Error::Fault(format!("rejection messages: {error}")))
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

/// Loads a panel with its token. A panel without a token is a 422.
pub async fn reachable(app: &App, db: &mut impl Source, id: ExternalPanelId) -> Result<Reachable> {
    let sql = Sql::new(
        "SELECT name, type AS kind, rejection_messages, endpoint, currency, auto_recreate_orders_is_allowed, COALESCE(statistic_type, 'remains') AS statistic_type, api_token_sealed
         FROM external_panels WHERE id = ?",
    );
    let row: Option<PanelRow> = db.opt(sql.bind(id)).await?;
    let row = row.ok_or_else(|| Error::not_found("external panel", id))?;
    let sealed = row.api_token_sealed.ok_or_else(|| {
        Error::invalid("api_token", "panel_without_token", "This panel has no token yet; enter it first.")
    })?;
    let token = app.secrets.open(&sealed, &seal_context(id)).map_err(Error::Fault)?;
    let token = String::from_utf8(token).map_err(|error| Error::Fault(error.to_string()))?;
    let rejections = Rejections::of(row.kind, &rejection_messages(&row.rejection_messages)?);
    Ok(Reachable {
        id,
        rejections,
        name: row.name,
        endpoint: row.endpoint,
        currency: row.currency,
        recreates: row.auto_recreate_orders_is_allowed,
        statistic: row.statistic_type,
        is_own_kind: row.kind == PanelType::Socpanel,
        token,
    })
}

/// Locks a panel after a call to it. A changed endpoint is a 409, because the answer may be from another panel.
pub async fn lock_unless_moved(work: &mut UnitOfWork, called: &Reachable) -> Result<()> {
    let lock = Sql::new("SELECT endpoint FROM external_panels WHERE id = ?").bind(called.id).for_update();
    let (endpoint,): (String,) = work.one(lock).await?;
    if endpoint == called.endpoint {
        return Ok(());
    }
    let message = "The panel's endpoint changed during the call, so its answer was discarded. Try again.";
    Err(Error::conflict("external_panel_moved", message))
}
