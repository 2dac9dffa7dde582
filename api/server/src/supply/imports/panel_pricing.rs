//! Loads the currency, margins and exchange rates of an external panel, from which imports calculate prices.

use panel_contract::amount::Fraction;
use panel_contract::ids::ExternalPanelId;
use panel_kernel::error::{Error, Result};

use crate::pricing::rates::ExchangeRates;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::settings;

// Store

pub struct PanelPricing {
    /// ISO code of the currency of the external panel.
    pub currency: String,
    /// Margin of the external panel.
    pub margin: Option<Fraction>,
    /// Minimum margin in the settings, if any.
    pub min_margin: Option<Fraction>,
    pub rates: ExchangeRates,
}

/// Loads the pricing of an external panel, or fails with 404 if the external panel does not exist.
pub async fn load_pricing(db: &mut impl SqlExecutor, id: ExternalPanelId) -> Result<PanelPricing> {
    let sql = Sql::new("SELECT currency, resale_margin_ppm FROM external_panels WHERE id = ?").bind(id);
    let row: Option<(String, Option<Fraction>)> = db.fetch_optional(sql).await?;
    let (currency, margin) = row.ok_or_else(|| Error::not_found("external panel", id))?;
    Ok(PanelPricing {
        currency,
        margin,
        min_margin: settings::read_min_margin(db).await?,
        rates: ExchangeRates::load(db).await?,
    })
}
