//! Sending orders to panels. The attempt is claimed before the call; after a call whose end is unclear it is never sent
//! again by itself (`reconcile` looks for it, or a person does). No transaction is open during a call.

use std::collections::HashMap;

use futures_util::future::join_all;
use panel_contract::moment::Time;
use panel_contract::orders::ExternalStatus;
use panel_contract::targets::TargetName;
use serde_json::json;

use super::attempts::{self, Unsent};
use super::parcel::{self, Order};
use super::rules;
use super::settle::settle;
use crate::app::App;
use crate::db::{Source, Sql};
use crate::http::Ctx;
use crate::http::error::Result;
use crate::supply::panels::Reachable;
use crate::supply::reseller::wish::Wish;
use crate::supply::reseller::{self, PanelError, Reason};

/// Orders sent side by side to one panel.
const AT_ONCE: i64 = 10;
/// How long an attempt waits whose order stands still.
const WAITING: i64 = 30_000_000;

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Sent {
    /// The panel has it, under this id.
    Taken(String),
    /// Nobody knows.
    Unclear(String),
    /// It has heard nothing: this does not count as a try.
    Unheard(Time),
    /// It surely does not have it, and another try may help.
    Later(String),
    /// It surely does not have it, and no try will help.
    Never(String),
}

/// Sends what is due at one panel; how many there were.
pub(super) async fn send_due(app: &App, panel: &Reachable) -> Result<usize> {
    let claimed = attempts::claim_unsent(app, panel.id, AT_ONCE).await?;
    let now = app.clock.now();
    if claimed.is_empty() {
        attempts::put_off_waiting(app, panel.id, Time(now.0 + WAITING)).await?;
        return Ok(0);
    }
    let answers = answers(app, &claimed).await?;
    let answers = &answers;
    let all = claimed.iter().map(|attempt| async move {
        let answers = answers.get(&attempt.order_id).cloned().unwrap_or_default();
        let (request, sent) = send(app, panel, attempt, answers).await;
        (attempt, request, sent)
    });
    for (attempt, request, sent) in join_all(all).await {
        write(app, attempt, &request, sent).await?;
    }
    Ok(claimed.len())
}

async fn send(
    app: &App,
    panel: &Reachable,
    attempt: &Unsent,
    answers: Vec<(TargetName, String)>,
) -> (String, Sent) {
    let order = Order {
        link: attempt.link.clone(),
        quantity: attempt.quantity,
        delivered: attempt.delivered,
        comment: attempt.comment.clone(),
        answers,
    };
    let Some(service) = attempt.external_panel_service_id.as_deref() else {
        return (String::new(), Sent::Never("The provider names no service of its panel.".into()));
    };
    match parcel::wish(attempt.service_type.as_deref().unwrap_or_default(), &order) {
        Err(missing) => (String::new(), Sent::Never(missing)),
        Ok(wish) => {
            let said = reseller::add(app, panel.panel(), service, &wish).await;
            (shown(service, &wish), sent(said))
        }
    }
}

// Rules

/// What the end of a call means.
fn sent(said: std::result::Result<String, PanelError>) -> Sent {
    match said {
        Ok(id) => Sent::Taken(id),
        Err(PanelError::Resting(until)) => Sent::Unheard(until),
        Err(error @ PanelError::Unclear(_)) => Sent::Unclear(error.to_string()),
        Err(PanelError::Said(Reason::Service | Reason::Quantity, words)) => Sent::Never(words),
        Err(error) => Sent::Later(error.to_string()),
    }
}

/// The call as staff see it: without the key, which never was in it.
fn shown(service: &str, wish: &Wish) -> String {
    let fields = reseller::add_fields(service, wish);
    let mut shown = json!({ "action": "add" });
    for (name, value) in fields {
        shown[name] = json!(value);
    }
    attempts::kept(&shown.to_string())
}

// Store

/// What customers answered, by order.
async fn answers(app: &App, claimed: &[Unsent]) -> Result<HashMap<i64, Vec<(TargetName, String)>>> {
    let orders: Vec<i64> = claimed.iter().map(|attempt| attempt.order_id).collect();
    let sql = Sql::new(
        "SELECT v.order_id, y.name, v.value FROM order_targetable_values v JOIN orders o ON o.id = v.order_id
         JOIN service_targets x ON x.service_id = o.service_id JOIN targets t ON t.id = x.target_id AND t.name = v.name
         JOIN target_types y ON y.id = t.target_type_id WHERE v.order_id IN ",
    );
    let rows: Vec<(i64, TargetName, String)> =
        (&mut &app.db).all(sql.ids(&orders).push(" ORDER BY v.id")).await?;
    let mut answers: HashMap<i64, Vec<(TargetName, String)>> = HashMap::new();
    for (order, kind, value) in rows {
        answers.entry(order).or_default().push((kind, value));
    }
    Ok(answers)
}

async fn write(app: &App, attempt: &Unsent, request: &str, sent: Sent) -> Result<()> {
    let now = app.clock.now();
    match sent {
        Sent::Taken(id) => taken(app, attempt.id, &id, request).await,
        Sent::Unclear(why) => unclear(app, attempt, &why, request).await,
        Sent::Unheard(until) => back(app, attempt, None, until, attempt.tries - 1).await,
        Sent::Later(why) => match rules::again(attempt.tries, now) {
            Some(at) => back(app, attempt, Some(&why), at, attempt.tries).await,
            None => give_up(app, attempt, &why, request).await,
        },
        Sent::Never(why) => give_up(app, attempt, &why, request).await,
    }
}

/// The panel has it. Whoever wanted it canceled meanwhile is passed on with the next look.
pub(super) async fn taken(app: &App, id: i64, external: &str, request: &str) -> Result<()> {
    let now = app.clock.now();
    let sql = Sql::new(
        "UPDATE external_panel_orders SET external_order_id = ?, status = ?, last_error = NULL, alert_at = NULL, tries = 0, last_request = ?,
           last_answer = ?, due_at = CASE WHEN cancel_requested_at IS NULL THEN CAST(? AS BIGINT) ELSE CAST(? AS BIGINT) END, updated_at = ?
         WHERE id = ? AND status = 'Creating' AND sent_at IS NOT NULL AND external_order_id IS NULL",
    );
    let answer = json!({ "order": external }).to_string();
    let sql = sql.bind(external).bind(ExternalStatus::Pending.as_str()).bind(request).bind(answer);
    let sql = sql.bind(now.0 + rules::pace(0, true)).bind(now).bind(now).bind(id);
    (&mut &app.db).exec(sql).await?;
    Ok(())
}

/// Nobody knows: staff see it, and somebody looks for it soon.
async fn unclear(app: &App, attempt: &Unsent, why: &str, request: &str) -> Result<()> {
    let now = app.clock.now();
    let sql = Sql::new(
        "UPDATE external_panel_orders SET last_error = ?, last_request = ?, last_answer = ?, alert_at = ?, tries = 0, due_at = ?, updated_at = ?
         WHERE id = ? AND status = 'Creating' AND external_order_id IS NULL",
    );
    let sql = sql.bind(attempts::kept(why)).bind(request).bind(attempts::kept(why)).bind(now);
    let due = rules::probe(1, now).map(|at| at.0);
    (&mut &app.db).exec(sql.bind(due).bind(now).bind(attempt.id)).await?;
    Ok(())
}

/// It waits to be sent again.
async fn back(app: &App, attempt: &Unsent, why: Option<&str>, at: Time, tries: i64) -> Result<()> {
    let now = app.clock.now();
    let sql = Sql::new(
        "UPDATE external_panel_orders SET sent_at = NULL, due_at = ?, tries = ?, last_error = COALESCE(?, last_error), updated_at = ?
         WHERE id = ? AND status = 'Creating' AND external_order_id IS NULL AND cancel_requested_at IS NULL",
    );
    let sql = sql.bind(at).bind(tries.max(0)).bind(why.map(attempts::kept)).bind(now);
    if (&mut &app.db).exec(sql.bind(attempt.id)).await? == 0 {
        // Somebody wanted it canceled meanwhile, and it surely was not taken.
        return give_up(app, attempt, why.unwrap_or("Canceled before it was sent."), "").await;
    }
    Ok(())
}

/// It ends without a delivery, and the order goes on without it.
async fn give_up(app: &App, attempt: &Unsent, why: &str, request: &str) -> Result<()> {
    let mut work = Ctx::system(app.clone(), "dispatch").begin().await?;
    let now = work.now;
    let sql = Sql::new(
        "UPDATE external_panel_orders SET status = 'Canceled', remains = initial_quantity, ended_at = ?, due_at = NULL, last_error = ?,
           last_request = ?, last_answer = ?, updated_at = ? WHERE id = ? AND status = 'Creating' AND external_order_id IS NULL",
    );
    let sql = sql.bind(now).bind(attempts::kept(why)).bind(request).bind(attempts::kept(why)).bind(now);
    if work.exec(sql.bind(attempt.id)).await? == 1 {
        settle(&mut work, &[attempt.order_id]).await?;
    }
    work.finish(()).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_surely_was_not_taken_is_sent_again() {
        let said = |reason| sent(Err(PanelError::Said(reason, "No".into())));
        assert_eq!(sent(Ok("7".into())), Sent::Taken("7".into()));
        assert!(matches!(sent(Err(PanelError::Unclear("cut".into()))), Sent::Unclear(_)));
        assert_eq!(sent(Err(PanelError::Resting(Time(9)))), Sent::Unheard(Time(9)));
        assert!(matches!(sent(Err(PanelError::Unreached("down".into()))), Sent::Later(_)));
        for reason in [Reason::Key, Reason::Funds, Reason::DuplicateLink, Reason::Other] {
            assert_eq!(said(reason), Sent::Later("No".into()));
        }
        for reason in [Reason::Service, Reason::Quantity] {
            assert_eq!(said(reason), Sent::Never("No".into()));
        }
    }
}
