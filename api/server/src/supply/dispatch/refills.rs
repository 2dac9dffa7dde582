//! Refills: those asked for are passed on to the panel that completed the order and followed to their end; orders that
//! refill by themselves ask for one when they lost enough. The API has no quantity: a panel fills up what it finds
//! missing, the quantity here is what is counted. No money moves.

use panel_contract::moment::Time;
use panel_contract::orders::OrderStatus;
use serde_json::json;

use super::attempts::kept;
use super::rules::SECOND;
use crate::app::App;
use crate::audit::{self, Change};
use crate::db::{Source, Sql};
use crate::http::Ctx;
use crate::http::error::Result;
use crate::operations::orders::store;
use crate::supply::panels;
use crate::supply::reseller::{self, PanelError};
use crate::work::Work;

/// Requests looked at in one round.
const BATCH: i64 = 50;
/// How long a claimed request is a worker's own.
const CLAIM: i64 = 120 * SECOND;
/// Seconds until a call that did not come through is made again.
const AGAIN: [i64; 6] = [60, 300, 1_800, 7_200, 21_600, 86_400];
/// How often orders are looked at that refill by themselves.
const ROUND: i64 = 600 * SECOND;

#[derive(Debug, sqlx::FromRow)]
struct Request {
    id: i64,
    order_id: i64,
    quantity: i64,
    tries: i64,
    external_refill_id: Option<String>,
    external_panel_order_id: Option<i64>,
    created_at: Time,
}

/// What became of a request.
enum End {
    Sent(String),
    Completed,
    Rejected(String),
    Again(Time, Option<String>),
    /// Nobody can be asked: staff do it by hand.
    ByHand,
}

/// Passes on and follows what is due; how much there was.
pub async fn run_due(app: &App) -> Result<usize> {
    let claimed = claim(app).await?;
    for request in &claimed {
        let end = match &request.external_refill_id {
            None => ask(app, request).await?,
            Some(refill) => look(app, request, refill).await?,
        };
        write(app, request, end).await?;
    }
    Ok(claimed.len())
}

/// Asks for refills of orders that do so by themselves; how many there were. Every few minutes is enough.
pub async fn ask_for_dropped(app: &App) -> Result<usize> {
    let mut asked = 0;
    for order in dropped(app).await? {
        let Some(quantity) = wanted(&order, app.clock.now()) else { continue };
        let mut work = Ctx::system(app.clone(), "auto-refill").begin().await?;
        let locked = store::lock(&mut work, &[order.id]).await?.pop();
        if locked.is_none_or(|order| order.status != OrderStatus::Completed) {
            continue;
        }
        if insert(&mut work, order.id, quantity).await? {
            let new = json!({ "quantity": quantity, "drop_quantity": order.drop_quantity });
            let change = Change { id: order.id, old: json!({}), new };
            audit::record(&mut work, "order.refill_requested", "order", change).await?;
            asked += 1;
        }
        work.finish(()).await?;
    }
    Ok(asked)
}

/// When orders are looked at again that refill by themselves.
#[must_use]
pub(super) fn next_round(now: Time) -> Time {
    Time(now.0 + ROUND)
}

async fn ask(app: &App, request: &Request) -> Result<End> {
    let attempt = completed(app, request.order_id).await?;
    let Some((attempt, panel, external)) = attempt else { return Ok(End::ByHand) };
    let panel = panels::reachable(app, &mut &app.db, panel).await?;
    note_attempt(app, request.id, attempt).await?;
    Ok(match reseller::refill(app, panel.panel(), &external).await {
        Ok(refill) => End::Sent(refill),
        Err(error) => failed(request, &error, app.clock.now()),
    })
}

async fn look(app: &App, request: &Request, refill: &str) -> Result<End> {
    let panel = panel_of(app, request.external_panel_order_id).await?;
    let panel = panels::reachable(app, &mut &app.db, panel).await?;
    let now = app.clock.now();
    Ok(match reseller::refill_status(app, panel.panel(), refill).await {
        Ok(word) => heard(&word, request.created_at, now),
        Err(PanelError::Said(_, words)) => End::Again(Time(now.0 + 3_600 * SECOND), Some(words)),
        Err(error) => End::Again(Time(now.0 + 600 * SECOND), Some(error.to_string())),
    })
}

// Rules

/// A panel's word for a refill, exactly.
fn heard(word: &str, asked: Time, now: Time) -> End {
    match word.trim().to_ascii_lowercase().as_str() {
        "completed" => End::Completed,
        "rejected" | "error" | "canceled" | "cancelled" => End::Rejected(format!("The panel says {word}.")),
        _ => End::Again(Time(now.0 + ((now.0 - asked.0) / 10).clamp(300 * SECOND, 3_600 * SECOND)), None),
    }
}

/// A refill costs nothing and a second one finds nothing to fill, so an unclear call is made again.
fn failed(request: &Request, error: &PanelError, now: Time) -> End {
    match error {
        PanelError::Said(_, words) => End::Rejected(words.clone()),
        PanelError::Resting(until) => End::Again(*until, None),
        error => match usize::try_from(request.tries).ok().and_then(|tries| AGAIN.get(tries)) {
            Some(delay) => End::Again(Time(now.0 + delay * SECOND), Some(error.to_string())),
            None => End::Rejected(error.to_string()),
        },
    }
}

/// An order that lost something. Percents are of its quantity, in millionths; none where nobody set them.
#[derive(Debug, Clone, Default, sqlx::FromRow)]
struct Dropped {
    id: i64,
    quantity: i64,
    drop_quantity: i64,
    refilled: i64,
    completed_at: Option<Time>,
    last_asked_at: Option<Time>,
    after_hours: Option<i64>,
    once_fill_ppm: Option<i64>,
    min_drop_ppm: Option<i64>,
    max_drop_ppm: Option<i64>,
    max_total_ppm: Option<i64>,
}

/// How much is refilled now; none when it is too early, too little or too much.
fn wanted(order: &Dropped, now: Time) -> Option<i64> {
    let of = |ppm: i64| {
        i64::try_from(i128::from(order.quantity) * i128::from(ppm) / 1_000_000).unwrap_or(i64::MAX)
    };
    let pause = order.after_hours.unwrap_or(24).max(1) * 3_600 * SECOND;
    let since = order.last_asked_at.or(order.completed_at)?;
    let drop = order.drop_quantity;
    let fits = now.0 - since.0 >= pause
        && drop >= of(order.min_drop_ppm.unwrap_or(0)).max(1)
        && order.max_drop_ppm.is_none_or(|most| drop <= of(most));
    let once = order.once_fill_ppm.map_or(drop, |ppm| of(ppm).min(drop));
    let left = order.max_total_ppm.map_or(i64::MAX, |ppm| of(ppm) - order.refilled);
    let quantity = once.min(left);
    (fits && quantity >= 1).then_some(quantity)
}

// Store

/// Writes a request, unless one is open.
async fn insert(work: &mut Work, order: i64, quantity: i64) -> Result<bool> {
    let now = work.now;
    let sql = Sql::new(
        "INSERT INTO order_refill_requests (order_id, quantity, due_at, created_at)
         SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT)
         WHERE NOT EXISTS (SELECT 1 FROM order_refill_requests WHERE order_id = ? AND status IN ('pending', 'sent'))",
    );
    Ok(work.exec(sql.bind(order).bind(quantity).bind(now).bind(now).bind(order)).await? == 1)
}

/// The attempt that completed an order at a panel last: its id, the panel, and the order's id there.
async fn completed(app: &App, order: i64) -> Result<Option<(i64, i64, String)>> {
    let sql = Sql::new(
        "SELECT id, external_panel_id, external_order_id FROM external_panel_orders
         WHERE order_id = ? AND status = 'Completed' AND external_panel_id IS NOT NULL AND external_order_id IS NOT NULL ORDER BY id DESC LIMIT 1",
    );
    Ok((&mut &app.db).opt(sql.bind(order)).await?)
}

async fn note_attempt(app: &App, request: i64, attempt: i64) -> Result<()> {
    let sql =
        Sql::new("UPDATE order_refill_requests SET external_panel_order_id = ?, sent_at = ? WHERE id = ?");
    (&mut &app.db).exec(sql.bind(attempt).bind(app.clock.now()).bind(request)).await?;
    Ok(())
}

async fn panel_of(app: &App, attempt: Option<i64>) -> Result<i64> {
    let sql = Sql::new("SELECT external_panel_id FROM external_panel_orders WHERE id = ?");
    Ok((&mut &app.db).one::<(i64,)>(sql.bind(attempt)).await?.0)
}

async fn claim(app: &App) -> Result<Vec<Request>> {
    let now = app.clock.now();
    let due = || {
        Sql::new("SELECT id FROM order_refill_requests WHERE due_at IS NOT NULL AND due_at <= ?").bind(now)
    };
    if (&mut &app.db).opt::<(i64,)>(due().push(" LIMIT 1")).await?.is_none() {
        return Ok(Vec::new());
    }
    let due = due().push(" ORDER BY due_at, id LIMIT ?").bind(BATCH).for_update_skipping();
    let sql =
        Sql::new("UPDATE order_refill_requests SET due_at = ? WHERE id IN (").bind(now.0 + CLAIM).append(due);
    let sql = sql.push(
        ") RETURNING id, order_id, quantity, tries, external_refill_id, external_panel_order_id, created_at",
    );
    let mut tx = app.db.begin().await?;
    let claimed = tx.all(sql).await?;
    tx.commit().await?;
    Ok(claimed)
}

async fn write(app: &App, request: &Request, end: End) -> Result<()> {
    let now = app.clock.now();
    let (status, refill, due, error, is_try) = match end {
        End::Sent(refill) => ("sent", Some(refill), Some(now.0 + 300 * SECOND), None, false),
        End::Completed => ("completed", None, None, None, false),
        End::Rejected(why) => ("rejected", None, None, Some(why), false),
        End::Again(at, why) => {
            let status = if request.external_refill_id.is_some() { "sent" } else { "pending" };
            (status, None, Some(at.0), why, true)
        }
        End::ByHand => {
            ("pending", None, None, Some("No panel has this order: refill it by hand.".into()), false)
        }
    };
    let mut work = Ctx::system(app.clone(), "refill").begin().await?;
    let sql = Sql::new(
        "UPDATE order_refill_requests SET status = ?, external_refill_id = COALESCE(?, external_refill_id), due_at = ?,
           last_error = ?, tries = tries + ? WHERE id = ? AND status IN ('pending', 'sent')",
    );
    let sql =
        sql.bind(status).bind(refill).bind(due).bind(error.as_deref().map(kept)).bind(i64::from(is_try));
    let written = work.exec(sql.bind(request.id)).await?;
    if written == 1 && status == "completed" {
        let sql = Sql::new(
            "UPDATE orders SET order_current_refilled_quantity = order_current_refilled_quantity + ?,
               drop_quantity = CASE WHEN drop_quantity > ? THEN drop_quantity - ? ELSE 0 END WHERE id = ?",
        );
        let quantity = request.quantity;
        work.exec(sql.bind(quantity).bind(quantity).bind(quantity).bind(request.order_id)).await?;
    }
    work.finish(()).await
}

async fn dropped(app: &App) -> Result<Vec<Dropped>> {
    let sql = Sql::new(
        "SELECT o.id, o.quantity, o.drop_quantity, o.order_current_refilled_quantity AS refilled, o.completed_at,
           (SELECT max(r.created_at) FROM order_refill_requests r WHERE r.order_id = o.id) AS last_asked_at,
           s.auto_refill_after_hours AS after_hours, COALESCE(own.auto_refill_once_fill_ppm, s.auto_refill_once_fill_ppm) AS once_fill_ppm,
           COALESCE(own.auto_refill_min_drop_ppm, s.auto_refill_min_drop_ppm) AS min_drop_ppm,
           COALESCE(own.auto_refill_max_drop_ppm, s.auto_refill_max_drop_ppm) AS max_drop_ppm,
           COALESCE(own.auto_refill_max_total_refilled_ppm, s.auto_refill_max_total_refilled_ppm) AS max_total_ppm
         FROM orders o JOIN services s ON s.id = o.service_id LEFT JOIN user_services own ON own.service_id = o.service_id AND own.user_id = o.user_id
         WHERE o.auto_refill_is_allowed AND o.drop_quantity > 0 AND o.status = 'completed' AND o.has_refill
           AND NOT EXISTS (SELECT 1 FROM order_refill_requests r WHERE r.order_id = o.id AND r.status IN ('pending', 'sent'))
         ORDER BY o.id LIMIT ?",
    );
    Ok((&mut &app.db).all(sql.bind(1_000_i64)).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600 * SECOND;

    fn order() -> Dropped {
        Dropped {
            quantity: 1_000,
            drop_quantity: 100,
            completed_at: Some(Time(0)),
            after_hours: Some(24),
            once_fill_ppm: Some(50_000),
            min_drop_ppm: Some(50_000),
            max_drop_ppm: Some(300_000),
            max_total_ppm: Some(200_000),
            ..Dropped::default()
        }
    }

    #[test]
    fn refills_keep_their_bounds() {
        let at = |hours: i64, order: Dropped| wanted(&order, Time(hours * HOUR));
        assert_eq!(at(23, order()), None, "too early");
        assert_eq!(at(24, order()), Some(50), "once 5 percent");
        assert_eq!(at(24, Dropped { drop_quantity: 49, ..order() }), None, "too little");
        assert_eq!(at(24, Dropped { drop_quantity: 301, ..order() }), None, "too much: something is wrong");
        assert_eq!(
            at(24, Dropped { refilled: 170, ..order() }),
            Some(30),
            "the rest of what is allowed in all"
        );
        assert_eq!(at(24, Dropped { refilled: 200, ..order() }), None);
        assert_eq!(at(30, Dropped { last_asked_at: Some(Time(10 * HOUR)), ..order() }), None, "lately asked");
        let free = Dropped {
            once_fill_ppm: None,
            min_drop_ppm: None,
            max_drop_ppm: None,
            max_total_ppm: None,
            ..order()
        };
        assert_eq!(at(24, free), Some(100));
    }

    #[test]
    fn words_for_refills_are_exact() {
        assert!(matches!(heard("Completed", Time(0), Time(0)), End::Completed));
        assert!(matches!(heard("rejected", Time(0), Time(0)), End::Rejected(_)));
        assert!(matches!(heard("In progress", Time(0), Time(0)), End::Again(Time(300_000_000), None)));
        assert!(matches!(heard("Incompleted", Time(0), Time(HOUR)), End::Again(..)));
    }
}
