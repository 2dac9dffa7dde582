//! What an order can have beside its service, at the panel's charge: being sped up, and a guarantee (it is refilled although
//! its service is not). Each is a share on top of what the customer's terms left.

use panel_contract::amount::Fraction;
use panel_kernel::error::Result;

use crate::pricing::quote::{Modifier, PriceChange};
use panel_platform::db::Source;
use panel_platform::settings;

/// The changes of the price, in order.
pub async fn of(db: &mut impl Source, speedup: bool, guarantee: bool) -> Result<Vec<Modifier>> {
    let mut modifiers = Vec::new();
    for (wanted, key, name, kind) in [
        (speedup, settings::SPEEDUP_CHARGE, "Speed-up", "speedup"),
        (guarantee, settings::GUARANTEE_CHARGE, "Guarantee", "guarantee"),
    ] {
        if wanted {
            modifiers.push(modifier(name, kind, settings::share(db, key).await?));
        }
    }
    Ok(modifiers)
}

fn modifier(name: &str, kind: &str, share: Fraction) -> Modifier {
    Modifier {
        id: None,
        name: name.to_owned(),
        kind: kind.to_owned(),
        change: PriceChange::Share(share),
        is_speedup: kind == "speedup",
        has_countries: false,
    }
}
