//! Converts amounts of external panels to the panel's own currency. Pure, except for reading the rates. A currency without a
//! rate is an error, never treated as one to one.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_kernel::error::Result;
use serde_json::Value;

use panel_platform::db::Source;
use panel_platform::settings;

/// Exchange rates by currency.
#[derive(Debug, Clone, Default)]
pub struct ExchangeRates {
    own: String,
    rates: BTreeMap<String, Money>,
}

impl ExchangeRates {
    /// Reads the rates from the settings.
    pub async fn read(db: &mut impl Source) -> Result<Self> {
        let own = settings::currency(db).await?;
        let stored = settings::value(db, settings::EXCHANGE_RATES).await?;
        let rate = |(currency, rate): (&String, &Value)| {
            let rate: Money = rate.as_str()?.parse().ok()?;
            (rate.0 > 0).then(|| (currency.clone(), rate))
        };
        let rates = stored.as_object().into_iter().flatten().filter_map(rate).collect();
        Ok(Self { own, rates })
    }

    /// The panel's own currency.
    #[must_use]
    pub fn own(&self) -> &str {
        &self.own
    }

    /// How much of each other currency one unit of the panel's own buys.
    #[must_use]
    pub fn all(&self) -> &BTreeMap<String, Money> {
        &self.rates
    }

    /// Whether amounts of `currency` can be converted.
    #[must_use]
    pub fn has_rate(&self, currency: &str) -> bool {
        currency.is_empty() || currency == self.own || self.rates.contains_key(currency)
    }

    /// Converts an amount of `currency` to the panel's own, rounded up to millionths; `None` without a rate or on overflow.
    #[must_use]
    pub fn to_own(&self, amount: Money, currency: &str) -> Option<Money> {
        if currency.is_empty() || currency == self.own {
            return Some(amount);
        }
        let rate = i128::from(self.rates.get(currency)?.0);
        let scaled = i128::from(amount.0) * 1_000_000;
        let up = if scaled >= 0 { (scaled + rate - 1) / rate } else { scaled / rate };
        i64::try_from(up).ok().map(Money)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates() -> ExchangeRates {
        let rates =
            [("RUB", "92.5"), ("EUR", "0.92")].map(|(name, rate)| (name.into(), rate.parse().unwrap()));
        ExchangeRates { own: "USD".into(), rates: rates.into_iter().collect() }
    }

    #[test]
    fn converts_to_the_own_currency_and_rounds_up() {
        let own = |amount: &str, currency| {
            rates().to_own(amount.parse().unwrap(), currency).map(|own| own.to_string())
        };
        assert_eq!(own("1.5", "USD").as_deref(), Some("1.5"));
        assert_eq!(own("92.5", "RUB").as_deref(), Some("1"));
        assert_eq!(own("0.92", "EUR").as_deref(), Some("1"));
        assert_eq!(own("0.000001", "RUB").as_deref(), Some("0.000001"));
        assert_eq!(own("0.000001", "EUR").as_deref(), Some("0.000002"));
        assert_eq!(own("1", "INR"), None);
    }
}
