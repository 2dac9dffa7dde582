//! Rejects changes of the panel's currency that would change the value of stored amounts, and changes of exchange rates that would
//! make it impossible to calculate costs.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::fields::FieldErrors;
use panel_contract::ids::RecordId;
use panel_contract::settings::Setting;
use panel_kernel::error::Result;
use panel_kernel::rejection::Rejection;
use serde_json::Value;

use panel_platform::db::{Sql, SqlExecutor, Val};
use panel_platform::settings::{CURRENCY, EXCHANGE_RATES, SettingValues};
use panel_platform::work::UnitOfWork;

/// Maximum number of records of one kind that an error lists. The error gives only the number of further records.
const MAX_LISTED_RECORDS: i64 = 10;

/// Checks the changes of an editor; the caller must hold the lock of the settings. Changing the currency of a panel with amounts
/// is a conflict, a currency in use must have a rate, and the panel's own currency must have none.
pub(super) async fn check_currency_changes(
    work: &mut UnitOfWork,
    old_values: &SettingValues,
    changes: &[(&'static Setting, Value)],
) -> Result<()> {
    let new_value = |key: &str| {
        let change = changes.iter().find(|(setting, _)| setting.key == key);
        change.map_or_else(|| old_values.value(key), |(_, value)| value.clone())
    };
    let old_currencies =
        Currencies::from_settings(&old_values.value(CURRENCY), &old_values.value(EXCHANGE_RATES));
    let new_currencies = Currencies::from_settings(&new_value(CURRENCY), &new_value(EXCHANGE_RATES));
    if old_currencies == new_currencies {
        return Ok(());
    }
    if old_currencies.panel_currency != new_currencies.panel_currency {
        check_own_currency(&old_currencies.panel_currency, load_amounts(work).await?)?;
    }
    let unconvertible = old_currencies.missing_in(&new_currencies);
    let uses = if unconvertible.is_empty() { Vec::new() } else { load_uses(work, &unconvertible).await? };
    Ok(check_rates(&new_currencies, &uses).into_result(())?)
}

// Rules

/// The panel's currency and the exchange rates of other currencies.
#[derive(Debug, PartialEq, Eq)]
struct Currencies {
    panel_currency: String,
    rates: BTreeMap<String, String>,
}

impl Currencies {
    fn from_settings(panel_currency: &Value, rates: &Value) -> Self {
        let rates = rates.as_object().into_iter().flatten();
        let rates = rates.filter_map(|(currency, rate)| Some((currency.clone(), rate.as_str()?.to_owned())));
        Self { panel_currency: panel_currency.as_str().unwrap_or("USD").to_owned(), rates: rates.collect() }
    }

    fn has_rate(&self, currency: &str) -> bool {
        currency == self.panel_currency || self.rates.contains_key(currency)
    }

    /// The currencies that can be converted with `self` but not with `new_currencies`.
    fn missing_in(&self, new_currencies: &Self) -> BTreeSet<String> {
        let convertible = self.rates.keys().chain([&self.panel_currency]);
        convertible.filter(|currency| !new_currencies.has_rate(currency)).cloned().collect()
    }
}

/// Which records of the panel have amounts in its currency.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
struct StoredAmounts {
    has_ledger_entries: bool,
    has_orders: bool,
    has_prices: bool,
}

fn check_own_currency(panel_currency: &str, amounts: StoredAmounts) -> Result<(), Rejection> {
    let amount_kinds = [
        (amounts.has_ledger_entries, "ledger entries"),
        (amounts.has_orders, "orders"),
        (amounts.has_prices, "prices of services"),
    ];
    let kinds_in_use: Vec<&str> =
        amount_kinds.into_iter().filter(|(exists, _)| *exists).map(|(_, record_kind)| record_kind).collect();
    if kinds_in_use.is_empty() {
        return Ok(());
    }
    let message = format!(
        "The panel has {} in {panel_currency}, and another currency would change their value. The panel's currency can no longer be changed.",
        kinds_in_use.join(", ")
    );
    Err(Rejection::conflict("currency_in_use", message))
}

/// A record with amounts in a currency, and the number of such records of its kind.
#[derive(Debug, Clone, sqlx::FromRow)]
struct CurrencyUse {
    currency: String,
    record_kind: String,
    id: RecordId,
    name: String,
    count: i64,
}

fn check_rates(new_currencies: &Currencies, uses: &[CurrencyUse]) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let rate_field = |currency: &str| format!("{EXCHANGE_RATES}.{currency}");
    if new_currencies.rates.contains_key(&new_currencies.panel_currency) {
        let message = format!(
            "{} is the panel's own currency and has no rate. Remove it.",
            new_currencies.panel_currency
        );
        errors.add(rate_field(&new_currencies.panel_currency), message);
    }
    let mut uses_by_currency: BTreeMap<&str, BTreeMap<&str, Vec<&CurrencyUse>>> = BTreeMap::new();
    for currency_use in uses {
        uses_by_currency
            .entry(&currency_use.currency)
            .or_default()
            .entry(&currency_use.record_kind)
            .or_default()
            .push(currency_use);
    }
    for (currency, uses_by_kind) in uses_by_currency {
        let descriptions: Vec<String> =
            uses_by_kind.iter().map(|(record_kind, uses)| describe_uses(record_kind, uses)).collect();
        let message = format!(
            "{currency} is used by {}, whose costs need its rate. Keep the rate.",
            descriptions.join("; ")
        );
        errors.add(rate_field(currency), message);
    }
    errors
}

fn describe_uses(record_kind: &str, uses: &[&CurrencyUse]) -> String {
    let names: Vec<String> =
        uses.iter().map(|currency_use| format!("{} ({})", currency_use.name, currency_use.id)).collect();
    let listed_count = i64::try_from(names.len()).unwrap_or(i64::MAX);
    let other_count = uses.first().map_or(0, |currency_use| currency_use.count) - listed_count;
    let suffix = if other_count > 0 { format!(" and {other_count} more") } else { String::new() };
    format!("{record_kind}: {}{suffix}", names.join(", "))
}

// Store

async fn load_amounts(db: &mut impl SqlExecutor) -> Result<StoredAmounts> {
    let sql = Sql::new(
        "SELECT EXISTS (SELECT 1 FROM ledger_entries) AS has_ledger_entries, EXISTS (SELECT 1 FROM orders) AS has_orders,
           EXISTS (SELECT 1 FROM services WHERE default_price > 0) AS has_prices",
    );
    Ok(db.fetch_one(sql).await?)
}

/// Loads the first external panels and providers that have amounts in these currencies, without archived ones.
async fn load_uses(db: &mut impl SqlExecutor, currencies: &BTreeSet<String>) -> Result<Vec<CurrencyUse>> {
    let rows = currencies.iter().map(|currency| vec![Val::from(&**currency)]).collect();
    let sql = Sql::new(
        "SELECT y.currency, y.record_kind, y.id, y.name, y.n AS count FROM (
           SELECT x.currency, x.record_kind, x.id, x.name, row_number() OVER (PARTITION BY x.record_kind, x.currency ORDER BY x.id) AS number,
             count(*) OVER (PARTITION BY x.record_kind, x.currency) AS n
           FROM (SELECT 'external panels' AS record_kind, currency, id, name FROM external_panels WHERE NOT is_archived
             UNION ALL SELECT 'providers', source_currency, id, name FROM providers WHERE NOT is_archived) AS x JOIN ",
    );
    let sql = sql.rows("r", &["currency"], rows);
    let sql = sql.push(
        " ON r.currency = x.currency) AS y WHERE y.number <= ? ORDER BY y.currency, y.record_kind, y.id",
    );
    Ok(db.fetch_all(sql.bind(MAX_LISTED_RECORDS)).await?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn currencies(panel_currency: &str, rates: &Value) -> Currencies {
        Currencies::from_settings(&json!(panel_currency), rates)
    }

    #[test]
    fn rejects_another_currency_for_a_panel_with_amounts() {
        let no_amounts = StoredAmounts { has_ledger_entries: false, has_orders: false, has_prices: false };
        assert!(check_own_currency("USD", no_amounts).is_ok());
        let rejection =
            check_own_currency("USD", StoredAmounts { has_orders: true, has_prices: true, ..no_amounts })
                .unwrap_err();
        assert_eq!(rejection.code, "currency_in_use");
        assert!(rejection.message.contains("orders, prices of services in USD"), "{}", rejection.message);
    }

    #[test]
    fn missing_currencies_are_those_without_a_new_rate() {
        let old_currencies = currencies("USD", &json!({ "EUR": "0.9", "RUB": "92" }));
        let missing = |panel_currency: &str, rates: Value| {
            old_currencies
                .missing_in(&currencies(panel_currency, &rates))
                .into_iter()
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(missing("USD", json!({ "EUR": "0.8", "INR": "83" })), "RUB");
        assert_eq!(missing("EUR", json!({ "RUB": "100" })), "USD");
        assert_eq!(missing("USD", json!({ "EUR": "1", "RUB": "1" })), "");
    }

    #[test]
    fn errors_name_the_uses_of_each_currency() {
        let currency_use = |record_kind: &str, id: i64, count: i64| CurrencyUse {
            currency: "RUB".into(),
            record_kind: record_kind.into(),
            id: RecordId::new(id),
            name: format!("N{id}"),
            count,
        };
        let new_currencies = currencies("USD", &json!({ "USD": "2" }));
        let uses = [
            currency_use("external panels", 8, 1),
            currency_use("providers", 3, 12),
            currency_use("providers", 4, 12),
        ];
        let errors = check_rates(&new_currencies, &uses).0;
        let message = |field: &str| errors[field][0].clone();
        assert!(message("currencies.exchange_rates.USD").contains("own currency"));
        let expected = "RUB is used by external panels: N8 (8); providers: N3 (3), N4 (4) and 10 more,";
        assert!(message("currencies.exchange_rates.RUB").starts_with(expected), "{errors:?}");
        assert!(check_rates(&currencies("USD", &json!({ "EUR": "1" })), &[]).0.is_empty());
    }
}
