//! Converts amounts of external panels to our own currency, in which customers pay. An amount in a currency without an exchange
//! rate has no conversion; the code must never treat it as an amount in our own currency.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_kernel::error::Result;
use serde_json::Value;

use panel_platform::db::SqlExecutor;
use panel_platform::settings;

#[derive(Debug, Clone, Default)]
pub struct ExchangeRates {
    own_currency: String,
    /// Units of each other currency for one unit of our own.
    by_currency: BTreeMap<String, Money>,
}

impl ExchangeRates {
    /// Loads the exchange rates from the settings.
    pub async fn load(db: &mut impl SqlExecutor) -> Result<Self> {
        let own_currency = settings::read_currency(db).await?;
        let stored_rates = settings::read_or_default(db, settings::EXCHANGE_RATES).await?;
        let parse_rate = |(currency, rate): (&String, &Value)| {
            let rate: Money = rate.as_str()?.parse().ok()?;
            (rate.0 > 0).then(|| (currency.clone(), rate))
        };
        let by_currency = stored_rates.as_object().into_iter().flatten().filter_map(parse_rate).collect();
        Ok(Self { own_currency, by_currency })
    }

    #[must_use]
    pub fn own_currency(&self) -> &str {
        &self.own_currency
    }

    /// Units of each other currency for one unit of our own.
    #[must_use]
    pub fn by_currency(&self) -> &BTreeMap<String, Money> {
        &self.by_currency
    }

    /// Whether amounts of `currency` can be converted. An empty string means our own currency.
    #[must_use]
    pub fn has_rate(&self, currency: &str) -> bool {
        currency.is_empty() || currency == self.own_currency || self.by_currency.contains_key(currency)
    }

    /// Converts an amount of `currency` to our own currency, rounded up to millionths; `None` without a rate or on overflow.
    #[must_use]
    pub fn to_own_currency(&self, amount: Money, currency: &str) -> Option<Money> {
        if currency.is_empty() || currency == self.own_currency {
            return Some(amount);
        }
        let rate = i128::from(self.by_currency.get(currency)?.0);
        let scaled = i128::from(amount.0) * 1_000_000;
        let rounded_up = if scaled >= 0 { (scaled + rate - 1) / rate } else { scaled / rate };
        i64::try_from(rounded_up).ok().map(Money)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange_rates() -> ExchangeRates {
        let rates =
            [("RUB", "92.5"), ("EUR", "0.92")].map(|(name, rate)| (name.into(), rate.parse().unwrap()));
        ExchangeRates { own_currency: "USD".into(), by_currency: rates.into_iter().collect() }
    }

    #[test]
    fn converts_to_our_own_currency_and_rounds_up() {
        let convert = |amount: &str, currency| {
            exchange_rates()
                .to_own_currency(amount.parse().unwrap(), currency)
                .map(|amount| amount.to_string())
        };
        assert_eq!(convert("1.5", "USD").as_deref(), Some("1.5"));
        assert_eq!(convert("92.5", "RUB").as_deref(), Some("1"));
        assert_eq!(convert("0.92", "EUR").as_deref(), Some("1"));
        assert_eq!(convert("0.000001", "RUB").as_deref(), Some("0.000001"));
        assert_eq!(convert("0.000001", "EUR").as_deref(), Some("0.000002"));
        assert_eq!(convert("1", "INR"), None);
    }
}
