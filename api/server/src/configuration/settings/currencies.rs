//! Which changes of the panel's currency and of its exchange rates are refused: amounts would mean something else, or costs
//! could not be worked out any more.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::fields::FieldErrors;
use panel_contract::ids::RecordId;
use panel_contract::settings::Setting;
use panel_kernel::error::Result;
use panel_kernel::rejection::Rejection;
use serde_json::Value;

use panel_platform::db::{Source, Sql, Val};
use panel_platform::settings::{CURRENCY, EXCHANGE_RATES, Known};
use panel_platform::work::Work;

/// Most records of one kind that a refusal names; it counts the others.
const NAMED: i64 = 10;

/// Judges what an editor wants to write, with the settings held. The currency of a panel that has amounts is a conflict; a
/// currency in use needs its rate, and the panel's own has none.
pub(super) async fn check(
    work: &mut Work,
    before: &Known,
    changes: &[(&'static Setting, Value)],
) -> Result<()> {
    let after = |key: &str| {
        let change = changes.iter().find(|(setting, _)| setting.key == key);
        change.map_or_else(|| before.value(key), |(_, value)| value.clone())
    };
    let was = Currencies::of(&before.value(CURRENCY), &before.value(EXCHANGE_RATES));
    let will_be = Currencies::of(&after(CURRENCY), &after(EXCHANGE_RATES));
    if was == will_be {
        return Ok(());
    }
    if was.own != will_be.own {
        judge_own(&was.own, amounts(work).await?)?;
    }
    let lost = was.lost_in(&will_be);
    let uses = if lost.is_empty() { Vec::new() } else { uses(work, &lost).await? };
    Ok(judge_rates(&will_be, &uses).or(())?)
}

// Rules

/// The panel's currency, and the currencies whose amounts it can work out.
#[derive(Debug, PartialEq, Eq)]
struct Currencies {
    own: String,
    rates: BTreeMap<String, String>,
}

impl Currencies {
    fn of(own: &Value, rates: &Value) -> Self {
        let rates = rates.as_object().into_iter().flatten();
        let rates = rates.filter_map(|(currency, rate)| Some((currency.clone(), rate.as_str()?.to_owned())));
        Self { own: own.as_str().unwrap_or("USD").to_owned(), rates: rates.collect() }
    }

    fn knows(&self, currency: &str) -> bool {
        currency == self.own || self.rates.contains_key(currency)
    }

    /// Those whose amounts could be worked out until now.
    fn lost_in(&self, after: &Self) -> BTreeSet<String> {
        let known = self.rates.keys().chain([&self.own]);
        known.filter(|currency| !after.knows(currency)).cloned().collect()
    }
}

/// What of the panel is in its currency.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
struct Amounts {
    has_ledger_entries: bool,
    has_orders: bool,
    has_prices: bool,
}

fn judge_own(own: &str, amounts: Amounts) -> Result<(), Rejection> {
    let all = [
        (amounts.has_ledger_entries, "ledger entries"),
        (amounts.has_orders, "orders"),
        (amounts.has_prices, "prices of services"),
    ];
    let found: Vec<&str> = all.into_iter().filter(|(is_there, _)| *is_there).map(|(_, what)| what).collect();
    if found.is_empty() {
        return Ok(());
    }
    let message = format!(
        "There are {} in {own}, and another currency would change what they are worth. The panel's currency cannot change any more.",
        found.join(", ")
    );
    Err(Rejection::conflict("currency_in_use", message))
}

/// A record whose amounts are in a currency, and how many of its kind there are.
#[derive(Debug, Clone, sqlx::FromRow)]
struct CurrencyUse {
    currency: String,
    what: String,
    id: RecordId,
    name: String,
    count: i64,
}

fn judge_rates(after: &Currencies, uses: &[CurrencyUse]) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let place = |currency: &str| format!("{EXCHANGE_RATES}.{currency}");
    if after.rates.contains_key(&after.own) {
        let message = format!("{} is the panel's own currency, which has no rate; leave it out.", after.own);
        errors.add(place(&after.own), message);
    }
    let mut by_currency: BTreeMap<&str, BTreeMap<&str, Vec<&CurrencyUse>>> = BTreeMap::new();
    for one in uses {
        by_currency.entry(&one.currency).or_default().entry(&one.what).or_default().push(one);
    }
    for (currency, kinds) in by_currency {
        let said: Vec<String> = kinds.iter().map(|(what, all)| sentence(what, all)).collect();
        let message =
            format!("{currency} is used by {}. Their costs need its rate; keep one.", said.join("; "));
        errors.add(place(currency), message);
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

/// External panels and providers, but for archived ones, whose amounts are in these currencies; the first of each kind.
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
    Ok(db.all(sql.bind(NAMED)).await?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn currencies(own: &str, rates: &Value) -> Currencies {
        Currencies::of(&json!(own), rates)
    }

    #[test]
    fn amounts_hold_the_panels_currency() {
        let none = Amounts { has_ledger_entries: false, has_orders: false, has_prices: false };
        assert!(judge_own("USD", none).is_ok());
        let some = judge_own("USD", Amounts { has_orders: true, has_prices: true, ..none }).unwrap_err();
        assert_eq!(some.code, "currency_in_use");
        assert!(some.message.contains("orders, prices of services in USD"), "{}", some.message);
    }

    #[test]
    fn a_currency_is_lost_where_its_amounts_cannot_be_worked_out_any_more() {
        let was = currencies("USD", &json!({ "EUR": "0.9", "RUB": "92" }));
        let lost = |own: &str, rates: Value| {
            was.lost_in(&currencies(own, &rates)).into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(lost("USD", json!({ "EUR": "0.8", "INR": "83" })), "RUB");
        assert_eq!(lost("EUR", json!({ "RUB": "100" })), "USD");
        assert_eq!(lost("USD", json!({ "EUR": "1", "RUB": "1" })), "");
    }

    #[test]
    fn uses_are_named_at_their_currency() {
        let one = |what: &str, id: i64, count: i64| CurrencyUse {
            currency: "RUB".into(),
            what: what.into(),
            id: RecordId::new(id),
            name: format!("N{id}"),
            count,
        };
        let after = currencies("USD", &json!({ "USD": "2" }));
        let uses = [one("external panels", 8, 1), one("providers", 3, 12), one("providers", 4, 12)];
        let errors = judge_rates(&after, &uses).0;
        let said = |field: &str| errors[field][0].clone();
        assert!(said("currencies.exchange_rates.USD").contains("own currency"));
        let wanted = "RUB is used by external panels: N8 (8); providers: N3 (3), N4 (4) and 10 more.";
        assert!(said("currencies.exchange_rates.RUB").starts_with(wanted), "{errors:?}");
        assert!(judge_rates(&currencies("USD", &json!({ "EUR": "1" })), &[]).0.is_empty());
    }
}
