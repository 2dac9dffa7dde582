//! The least margin holds a price that is set by hand as well: it is at least what the dearest provider asks and the margin on
//! it. A provider whose currency has no rate cannot be judged, and is left out.

use panel_contract::amount::{Fraction, Money};

use crate::catalogue::services::draft::Draft;
use crate::db::{DbResult, Source, Sql};
use crate::http::error::Result;
use crate::supply::imports::rules;
use crate::supply::rates::Rates;
use crate::work::Work;

/// What a provider asks: how much, in which currency, for how many units.
type Asked = (Money, String, i64);

/// Whether a change of a service is one of what it earns.
#[must_use]
pub(super) fn concerns(after: &Draft, before: &Draft) -> bool {
    (after.default_price, after.pricing_per, &after.providers)
        != (before.default_price, before.pricing_per, &before.providers)
}

/// The least price for so many units.
fn least_price(asked: &[Asked], rates: &Rates, per: i64, margin: Fraction) -> Option<Money> {
    let own = asked.iter().filter_map(|(price, currency, cost_per)| {
        rules::priced(rates.to_own(*price, currency)?, *cost_per, per, margin).ok()
    });
    own.max()
}

// Store

/// The least price of a service with this margin; none where no provider asks anything.
pub(super) async fn floor(work: &mut Work, service: &Draft, margin: Fraction) -> Result<Option<Money>> {
    let asked = asked(work, &service.providers).await?;
    if asked.is_empty() {
        return Ok(None);
    }
    Ok(least_price(&asked, &Rates::read(work).await?, service.pricing_per, margin))
}

async fn asked(work: &mut Work, providers: &[i64]) -> DbResult<Vec<Asked>> {
    let sql = Sql::new(
        "SELECT source_price, source_currency, source_pricing_per FROM providers WHERE source_price > 0 AND NOT is_archived AND id IN ",
    );
    work.all(sql.ids(providers)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dearest_provider_and_the_margin_are_the_least() {
        let asked = |price, currency: &str, per| (Money(price), currency.to_owned(), per);
        let of = |asked: &[Asked], per| least_price(asked, &Rates::default(), per, Fraction(200_000));
        // The rates of a panel without a currency know only the empty one.
        let two = [asked(1_000_000, "", 1_000), asked(3_000_000, "", 1_000), asked(9_000_000, "INR", 1_000)];
        assert_eq!(of(&two, 1_000), Some(Money(3_600_000)), "what has no rate is left out");
        assert_eq!(of(&two, 100), Some(Money(360_000)));
        assert_eq!(of(&[asked(2_000_000, "INR", 1)], 1_000), None);
    }
}
