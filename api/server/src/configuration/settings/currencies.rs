//! Refuses changes of the panel's currency that would change the value of stored amounts, and changes of exchange rates that would
//! make costs incalculable.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::fields::FieldErrors;
use panel_contract::ids::RecordId;
use panel_contract::settings::Setting;
use panel_kernel::error::Result;
use panel_kernel::rejection::Rejection;
use serde_json::Value;

use panel_platform::db::{Source, Sql, Val};
use panel_platform::settings::{CURRENCY, EXCHANGE_RATES, SettingValues};
use panel_platform::work::UnitOfWork;

/// Most records of one kind that an error names; it counts the others.
const MAX_NAMED: i64 = 10;

/// Checks the changes of an editor; the caller must hold the lock of the settings. Changing the currency of a panel with amounts
/// is a conflict, a currency in use must have a rate, and the panel's own currency must have none.
pub(super) async fn check(
    work: &mut UnitOfWork,
    before: &SettingValues,
    changes: &[(&'static Setting, Value)],
) -> Result<()> {
    let after = |key: &str| {
        let change = changes.iter().find(|(setting, _)| setting.key == key);
        change.map_or_else(|| before.value(key), |(_, value)| value.clone())
    };
    let current = Currencies::of(&before.value(CURRENCY), &before.value(EXCHANGE_RATES));
    let new = Currencies::of(&after(CURRENCY), &after(EXCHANGE_RATES));
    if current == new {
        return Ok(());
    }
    if current.panel_currency != new.panel_currency {
        check_own_currency(&current.panel_currency, amounts(work).await?)?;
    }
    let missing = current.missing_in(&new);
    let uses = if missing.is_empty() { Vec::new() } else { uses(work, &missing).await? };
    Ok(check_rates(&new, &uses).or(())?)
}

// Rules

/// The panel's currency and the exchange rates of other currencies.
#[derive(Debug, PartialEq, Eq)]
struct Currencies {
    panel_currency: String,
    rates: BTreeMap<String, String>,
}

impl Currencies {
    fn of(panel_currency: &Value, rates: &Value) -> Self {
        let rates = rates.as_object().into_iter().flatten();
        let rates = rates.filter_map(|(currency, rate)| Some((currency.clone(), rate.as_str()?.to_owned())));
        Self { panel_currency: panel_currency.as_str().unwrap_or("USD").to_owned(), rates: rates.collect() }
    }

    fn has_rate(&self, currency: &str) -> bool {
        currency == self.panel_currency || self.rates.contains_key(currency)
    }

    /// The currencies that can be converted with `self` but not with `after`.
    fn missing_in(&self, after: &Self) -> BTreeSet<String> {
        let convertible = self.rates.keys().chain([&self.panel_currency]);
        convertible.filter(|currency| !after.has_rate(currency)).cloned().collect()
    }
}

/// Which records of the panel have amounts in its currency.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
struct Amounts {
    has_ledger_entries: bool,
    has_orders: bool,
    has_prices: bool,
}

fn check_own_currency(panel_currency: &str, amounts: Amounts) -> Result<(), Rejection> {
    let all = [
        (amounts.has_ledger_entries, "ledger entries"),
        (amounts.has_orders, "orders"),
        (amounts.has_prices, "prices of services"),
    ];
    let in_use: Vec<&str> = all.into_iter().filter(|(is_there, _)| *is_there).map(|(_, what)| what).collect();
    if in_use.is_empty() {
        return Ok(());
    }
    let message = format!(
        "The panel has {} in {panel_currency}, and another currency would change their value. The panel's currency can no longer be changed.",
        in_use.join(", ")
    );
    Err(Rejection::conflict("currency_in_use", message))
}

/// A record with amounts in a currency, and the number of such records of its kind.
#[derive(Debug, Clone, sqlx::FromRow)]
struct CurrencyUse {
    currency: String,
    what: String,
    id: RecordId,
    name: String,
    count: i64,
}

fn check_rates(after: &Currencies, uses: &[CurrencyUse]) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let field = |currency: &str| format!("{EXCHANGE_RATES}.{currency}");
    if after.rates.contains_key(&after.panel_currency) {
        let message =
            format!("{} is the panel's own currency and has no rate. Remove it.", after.panel_currency);
        errors.add(field(&after.panel_currency), message);
    }
    let mut by_currency: BTreeMap<&str, BTreeMap<&str, Vec<&CurrencyUse>>> = BTreeMap::new();
    for one in uses {
        by_currency.entry(&one.currency).or_default().entry(&one.what).or_default().push(one);
    }
    for (currency, kinds) in by_currency {
        let parts: Vec<String> = kinds.iter().map(|(what, all)| sentence(what, all)).collect();
        let message =
            format!("{currency} is used by {}, whose costs need its rate. Keep the rate.", parts.join("; "));
        errors.add(field(currency), message);
    }
    errors
}

fn sentence(what: &str, all: &[&CurrencyUse]) -> String {
    let names: Vec<String> = all.iter().map(|one| format!("{} ({})", one.name, one.id)).collect();
    let named = i64::try_from(names.len()).unwrap_or(i64::MAX);
    let others = all.first().map_or(0, |one| one.count) - named;
    let more = if others > 0 { format!(" and {others} more") } else { String::new() };
    format!("{what}: {}{more}", names.join(", "))
}

// Store

async fn amounts(db: &mut impl Source) -> Result<Amounts> {
    let sql = Sql::new(
        "SELECT EXISTS (SELECT 1 FROM ledger_entries) AS has_ledger_entries, EXISTS (SELECT 1 FROM orders) AS has_orders,
           EXISTS (SELECT 1 FROM services WHERE default_price > 0) AS has_prices",
    );
    Ok(db.one(sql).await?)
}

/// The first external panels and providers that have amounts in these currencies, without archived ones.
async fn uses(db: &mut impl Source, currencies: &BTreeSet<String>) -> Result<Vec<CurrencyUse>> {
    let rows = currencies.iter().map(|currency| vec![Val::from(&**currency)]).collect();
    let sql = Sql::new(
        "SELECT y.currency, y.what, y.id, y.name, y.n AS count FROM (
           SELECT x.currency, x.what, x.id, x.name, row_number() OVER (PARTITION BY x.what, x.currency ORDER BY x.id) AS place,
             count(*) OVER (PARTITION BY x.what, x.currency) AS n
           FROM (SELECT 'external panels' AS what, currency, id, name FROM external_panels WHERE NOT is_archived
             UNION ALL SELECT 'providers', source_currency, id, name FROM providers WHERE NOT is_archived) AS x JOIN ",
    );
    let sql = sql.rows("r", &["currency"], rows);
    let sql =
        sql.push(" ON r.currency = x.currency) AS y WHERE y.place <= ? ORDER BY y.currency, y.what, y.id");
    Ok(db.all(sql.bind(MAX_NAMED)).await?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn currencies(panel_currency: &str, rates: &Value) -> Currencies {
        Currencies::of(&json!(panel_currency), rates)
    }

    #[test]
    fn refuses_another_currency_for_a_panel_with_amounts() {
        let none = Amounts { has_ledger_entries: false, has_orders: false, has_prices: false };
        assert!(check_own_currency("USD", none).is_ok());
        let some =
            check_own_currency("USD", Amounts { has_orders: true, has_prices: true, ..none }).unwrap_err();
        assert_eq!(some.code, "currency_in_use");
        assert!(some.message.contains("orders, prices of services in USD"), "{}", some.message);
    }

    #[test]
    fn missing_currencies_are_those_without_a_new_rate() {
        let current = currencies("USD", &json!({ "EUR": "0.9", "RUB": "92" }));
        let missing = |panel_currency: &str, rates: Value| {
            current.missing_in(&currencies(panel_currency, &rates)).into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(missing("USD", json!({ "EUR": "0.8", "INR": "83" })), "RUB");
        assert_eq!(missing("EUR", json!({ "RUB": "100" })), "USD");
        assert_eq!(missing("USD", json!({ "EUR": "1", "RUB": "1" })), "");
    }

    #[test]
    fn errors_name_the_uses_of_each_currency() {
        let one = |what: &str, id: i64, count: i64| CurrencyUse {
            currency: "RUB".into(),
            what: what.into(),
            id: RecordId::new(id),
            name: format!("N{id}"),
            count,
        };
        let after = currencies("USD", &json!({ "USD": "2" }));
        let uses = [one("external panels", 8, 1), one("providers", 3, 12), one("providers", 4, 12)];
        let errors = check_rates(&after, &uses).0;
        let message = |field: &str| errors[field][0].clone();
        assert!(message("currencies.exchange_rates.USD").contains("own currency"));
        let expected = "RUB is used by external panels: N8 (8); providers: N3 (3), N4 (4) and 10 more,";
        assert!(message("currencies.exchange_rates.RUB").starts_with(expected), "{errors:?}");
        assert!(check_rates(&currencies("USD", &json!({ "EUR": "1" })), &[]).0.is_empty());
    }
}
