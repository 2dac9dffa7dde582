//! Paid options of an order: speed-up, and guarantee (refills although the service has none). Each adds a fraction of the price
//! after the customer's discounts.

use panel_contract::amount::Fraction;
use panel_kernel::error::Result;

use crate::pricing::quote::{Modifier, PriceChange};
use panel_platform::db::Source;
use panel_platform::settings;

/// The price changes, in the order in which they apply.
pub async fn load_modifiers(db: &mut impl Source, speedup: bool, guarantee: bool) -> Result<Vec<Modifier>> {
    let mut modifiers = Vec::new();
    for (is_ordered, key, name, kind) in [
        (speedup, settings::SPEEDUP_CHARGE_FRACTION, "Speed-up", "speedup"),
        (guarantee, settings::GUARANTEE_CHARGE_FRACTION, "Guarantee", "guarantee"),
    ] {
        if is_ordered {
            modifiers.push(modifier(name, kind, settings::read_fraction(db, key).await?));
        }
    }
    Ok(modifiers)
}

fn modifier(name: &str, kind: &str, fraction: Fraction) -> Modifier {
    Modifier {
        id: None,
        name: name.to_owned(),
        kind: kind.to_owned(),
        change: PriceChange::ByFraction(fraction),
        is_speedup: kind == "speedup",
        has_countries: false,
    }
}
