//! Paid options of an order: speed-up, and guarantee (refills for a service that includes none). Each option adds a fraction of the price
//! after the discounts of the customer.

use panel_contract::amount::Fraction;
use panel_kernel::error::Result;

use crate::pricing::quote::{PriceChange, PriceModifier};
use panel_platform::db::SqlExecutor;
use panel_platform::settings;

/// Loads the price modifiers of the ordered options, in the order in which they apply.
pub async fn load_modifiers(
    db: &mut impl SqlExecutor,
    speedup: bool,
    guarantee: bool,
) -> Result<Vec<PriceModifier>> {
    let mut modifiers = Vec::new();
    for (is_ordered, key, name, kind) in [
        (speedup, settings::SPEEDUP_CHARGE_FRACTION, "Speed-up", "speedup"),
        (guarantee, settings::GUARANTEE_CHARGE_FRACTION, "Guarantee", "guarantee"),
    ] {
        if is_ordered {
            modifiers.push(build_modifier(name, kind, settings::read_fraction(db, key).await?));
        }
    }
    Ok(modifiers)
}

fn build_modifier(name: &str, kind: &str, fraction: Fraction) -> PriceModifier {
    PriceModifier {
        id: None,
        name: name.to_owned(),
        kind: kind.to_owned(),
        change: PriceChange::ByFraction(fraction),
        is_speedup: kind == "speedup",
        is_country_restricted: false,
    }
}
