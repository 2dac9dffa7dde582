//! What workers and import know of an external panel: where it is and by which token it is called. The token never
//! leaves this area, a log line or an answer.

use panel_contract::external_panels::{PanelType, StatisticType};
use panel_contract::ids::ExternalPanelId;
use panel_contract::rejections::RejectionMessage;
use panel_kernel::error::{Error, Result};

use crate::app::App;
use crate::supply::reseller::Panel;
use panel_domain::reseller_protocol::rejections::Rejections;
use panel_platform::db::{Source, Sql};
use panel_platform::platform::Platform;
use panel_platform::work::Work;

/// A panel that can be called.
#[derive(Clone)]
pub struct Reachable {
    /// Its id.
    pub id: ExternalPanelId,
    /// Its name.
    pub name: String,
    /// The address of its API.
    pub endpoint: String,
    /// The currency of its prices and charges.
    pub currency: String,
    /// Whether what it leaves undelivered goes to the next provider by itself.
    pub recreates: bool,
    /// What tells how much it delivered.
    pub statistic: StatisticType,
    /// In which words it says that it did not take an order.
    pub rejections: Rejections,
    /// Whether it is a panel of this product.
    is_own_kind: bool,
    token: String,
}

impl Reachable {
    /// As the client of the reseller API wants it.
    #[must_use]
    pub fn panel(&self) -> Panel<'_> {
        let is_own_kind = self.is_own_kind;
        Panel { id: self.id, endpoint: &self.endpoint, token: &self.token, is_own_kind }
    }
}

/// Where a panel's token is sealed for.
fn place(id: ExternalPanelId) -> String {
    format!("external_panels|api_token|{id}")
}

/// Seals a panel's token, to be stored with it.
pub fn seal(platform: &Platform, id: ExternalPanelId, token: &str) -> Result<Vec<u8>> {
    platform.secrets.seal(&platform.random, token.as_bytes(), &place(id)).map_err(Error::Fault)
}

/// The messages that staff keep for a panel, as they are stored.
pub fn rejection_messages(stored: &str) -> Result<Vec<RejectionMessage>> {
    serde_json::from_str(stored).map_err(|error| Error::Fault(format!("rejection messages: {error}")))
}

// Store

#[derive(sqlx::FromRow)]
struct Stored {
    name: String,
    kind: PanelType,
    rejection_messages: String,
    endpoint: String,
    currency: String,
    auto_recreate_orders_is_allowed: bool,
    statistic_type: StatisticType,
    api_token_sealed: Option<Vec<u8>>,
}

/// A panel with its token; a 422 where it has none.
pub async fn reachable(app: &App, db: &mut impl Source, id: ExternalPanelId) -> Result<Reachable> {
    let sql = Sql::new(
        "SELECT name, type AS kind, rejection_messages, endpoint, currency, auto_recreate_orders_is_allowed, COALESCE(statistic_type, 'remains') AS statistic_type, api_token_sealed
         FROM external_panels WHERE id = ?",
    );
    let found: Option<Stored> = db.opt(sql.bind(id)).await?;
    let found = found.ok_or_else(|| Error::not_found("external panel", id))?;
    let sealed = found.api_token_sealed.ok_or_else(|| {
        Error::invalid("api_token", "panel_without_token", "This panel has no token yet; enter it first.")
    })?;
    let token = app.secrets.open(&sealed, &place(id)).map_err(Error::Fault)?;
    let token = String::from_utf8(token).map_err(|error| Error::Fault(error.to_string()))?;
    let rejections = Rejections::of(found.kind, &rejection_messages(&found.rejection_messages)?);
    Ok(Reachable {
        id,
        rejections,
        name: found.name,
        endpoint: found.endpoint,
        currency: found.currency,
        recreates: found.auto_recreate_orders_is_allowed,
        statistic: found.statistic_type,
        is_own_kind: found.kind == PanelType::Socpanel,
        token,
    })
}

/// Locks a panel that was asked; a 409 where staff moved it to another address meanwhile, as another panel may answer there.
pub async fn lock_where_asked(work: &mut Work, asked: &Reachable) -> Result<()> {
    let lock = Sql::new("SELECT endpoint FROM external_panels WHERE id = ?").bind(asked.id).for_update();
    let (endpoint,): (String,) = work.one(lock).await?;
    if endpoint == asked.endpoint {
        return Ok(());
    }
    let message = "The panel's address changed while it was asked, so its list was left aside. Ask it again.";
    Err(Error::conflict("external_panel_moved", message))
}
