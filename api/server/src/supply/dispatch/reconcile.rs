//! Finding out whether a panel took an order whose call had no clear end. Panels have no list of orders, but their ids
//! count up and they answer only for one's own: so the ids between the neighbours of that time are asked about. An
//! order that only one attempt can have made is adopted. What is not found is never sent again by itself: a person
//! decides. No transaction is open during a call.

use std::cmp::Ordering;

use panel_contract::amount::Money;
use panel_contract::moment::Time;

use super::{attempts, rules, send};
use crate::app::App;
use crate::db::{Source, Sql};
use crate::http::error::Result;
use crate::supply::panels::Reachable;
use crate::supply::reseller::read::OrderState;
use crate::supply::reseller::{self, MOST};

/// Attempts looked for in one round.
const AT_ONCE: i64 = 20;
/// Neighbours that are looked at on each side.
const NEIGHBOURS: i64 = 200;
/// Ids that are asked about for one attempt.
const WIDEST: i64 = 500;

/// An attempt that nobody knows of.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
struct Lost {
    id: i64,
    quantity: i64,
    sent_at: Time,
    tries: i64,
    /// What the panel asks for it, where its price is known in the panel's currency.
    price: Money,
    per: i64,
    last_request: Option<String>,
}

/// Looks for what is due; how many there were.
pub(super) async fn look(app: &App, panel: &Reachable) -> Result<usize> {
    let lost = claim(app, panel.id).await?;
    for (at, attempt) in lost.iter().enumerate() {
        let between = window(app, panel.id, attempt).await?;
        let found = match between {
            Some((from, to)) => ask(app, panel, from, to).await?,
            None => Vec::new(),
        };
        let others: Vec<&Lost> =
            lost.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other).collect();
        if let Some(id) = only(attempt, &others, &found) {
            let request = attempt.last_request.as_deref().unwrap_or_default();
            send::taken(app, attempt.id, &id, request).await?;
        }
    }
    Ok(lost.len())
}

// Rules

/// The one order that this attempt, and no other, can have made.
fn only(attempt: &Lost, others: &[&Lost], found: &[(String, OrderState)]) -> Option<String> {
    let mut fitting = found.iter().filter(|(_, state)| fits(attempt, state));
    let (id, state) = fitting.next()?;
    let is_only = fitting.next().is_none() && !others.iter().any(|other| fits(other, state));
    is_only.then(|| id.clone())
}

/// Whether an order can be this attempt's: charged what it costs, with no more undelivered than was ordered.
fn fits(attempt: &Lost, state: &OrderState) -> bool {
    let asked = i128::from(attempt.price.0) * i128::from(attempt.quantity) / i128::from(attempt.per.max(1));
    let charged = state.charge.map(|charge| i128::from(charge.0));
    // Panels round to whole cents, some of them up.
    let close = |charge: i128| (charge - asked).abs() <= 10_000;
    state.remains.is_some_and(|remains| remains <= attempt.quantity)
        && charged.is_some_and(close)
        && asked > 0
}

/// The ids to ask about: between the last one known before it was sent and the first one after.
fn between(before: &[i64], after: &[i64]) -> Option<(i64, i64)> {
    let from = before.iter().max()? + 1;
    let to = after.iter().filter(|id| **id >= from).min().map_or(from + WIDEST, |id| *id);
    (to > from).then_some((from, to.min(from + WIDEST)))
}

// Store

/// Claims what is due; what was looked for often enough waits for a person.
async fn claim(app: &App, panel: i64) -> Result<Vec<Lost>> {
    let now = app.clock.now();
    let sql = Sql::new(
        "SELECT e.id, e.initial_quantity AS quantity, e.sent_at, e.tries, p.source_price AS price, p.source_pricing_per AS per, e.last_request
         FROM external_panel_orders e JOIN providers p ON p.id = e.provider_id
         WHERE e.external_panel_id = ? AND e.status = 'Creating' AND e.due_at IS NOT NULL AND e.due_at <= ? AND e.sent_at IS NOT NULL
           AND e.external_order_id IS NULL ORDER BY e.due_at, e.id LIMIT ?",
    );
    let sql = sql.bind(panel).bind(now).bind(AT_ONCE).for_update_skipping_of("e");
    let mut tx = app.db.begin().await?;
    let mut lost: Vec<Lost> = tx.all(sql).await?;
    for attempt in &mut lost {
        attempt.tries += 1;
    }
    if !lost.is_empty() {
        let rows = lost.iter().map(|attempt| {
            let due = rules::probe(attempt.tries + 1, now);
            vec![attempt.id.into(), attempt.tries.into(), due.into()]
        });
        let sql = Sql::new(
            "UPDATE external_panel_orders SET tries = r.tries, due_at = r.due, alert_at = COALESCE(external_panel_orders.alert_at, ?),
               last_error = COALESCE(external_panel_orders.last_error, 'Whether the panel took it is not known.') FROM ",
        );
        let sql = sql.bind(now).rows("r", &["id", "tries", "due"], rows.collect());
        tx.exec(sql.push(" WHERE external_panel_orders.id = r.id")).await?;
    }
    tx.commit().await?;
    Ok(lost)
}

async fn window(app: &App, panel: i64, attempt: &Lost) -> Result<Option<(i64, i64)>> {
    let sql = Sql::new(
        "SELECT external_order_id, sent_at FROM external_panel_orders WHERE external_panel_id = ? AND external_order_id IS NOT NULL
         AND sent_at IS NOT NULL AND id >= ? AND id <= ? ORDER BY id",
    );
    let sql = sql.bind(panel).bind(attempt.id - NEIGHBOURS).bind(attempt.id + NEIGHBOURS);
    let rows: Vec<(String, Time)> = (&mut &app.db).all(sql).await?;
    // Those that were sent in the same moment say nothing about the order of ids.
    let ids = |side: Ordering| {
        let side = rows.iter().filter(|row| row.1.cmp(&attempt.sent_at) == side);
        side.filter_map(|row| row.0.parse::<i64>().ok()).collect::<Vec<_>>()
    };
    Ok(between(&ids(Ordering::Less), &ids(Ordering::Greater)))
}

/// Our orders there with ids of this range that no attempt of ours has.
async fn ask(app: &App, panel: &Reachable, from: i64, to: i64) -> Result<Vec<(String, OrderState)>> {
    let mut found = Vec::new();
    let ids: Vec<String> = (from..to).map(|id| id.to_string()).collect();
    for part in ids.chunks(MOST) {
        let Ok(each) = reseller::statuses(app, panel.panel(), part).await else { break };
        found.extend(each.into_iter().filter_map(|(id, said)| Some((id, said.ok()?))));
    }
    let mut free = Vec::new();
    for (id, state) in found {
        let sql = Sql::new(
            "SELECT id FROM external_panel_orders WHERE external_panel_id = ? AND external_order_id = ? LIMIT 1",
        );
        let taken: Option<(i64,)> = (&mut &app.db).opt(sql.bind(panel.id).bind(attempts::kept(&id))).await?;
        if taken.is_none() {
            free.push((id, state));
        }
    }
    Ok(free)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supply::reseller::read::State;

    fn lost(quantity: i64) -> Lost {
        Lost {
            id: 1,
            quantity,
            sent_at: Time(0),
            tries: 1,
            price: Money(1_000_000),
            per: 1_000,
            last_request: None,
        }
    }

    fn order(charge: &str, remains: i64) -> OrderState {
        OrderState {
            word: "Pending".into(),
            state: State::Open,
            charge: charge.parse().ok(),
            start_count: None,
            remains: Some(remains),
            currency: None,
        }
    }

    #[test]
    fn only_what_nobody_else_can_have_made_is_adopted() {
        let mine = ("11".to_owned(), order("0.5", 500));
        let other = ("12".to_owned(), order("0.9", 900));
        let both = [mine.clone(), other.clone()];
        assert_eq!(only(&lost(500), &[], &both), Some("11".into()));
        assert_eq!(only(&lost(500), &[&lost(900)], &both), Some("11".into()));
        assert_eq!(only(&lost(500), &[&lost(500)], &both), None, "two may have made it");
        assert_eq!(only(&lost(500), &[], &[mine.clone(), mine]), None, "it may be either");
        assert_eq!(only(&lost(500), &[], &[other]), None);
        assert_eq!(only(&lost(500), &[], &[("13".into(), order("0.5", 501))]), None);
    }

    #[test]
    fn ids_between_the_neighbours_are_asked_about() {
        assert_eq!(between(&[10, 12], &[15, 20]), Some((13, 15)));
        assert_eq!(between(&[10], &[11]), None);
        assert_eq!(between(&[10], &[]), Some((11, 511)));
        assert_eq!(between(&[10], &[90_000]), Some((11, 511)));
        assert_eq!(between(&[], &[15]), None, "nobody knows where to begin");
    }
}
