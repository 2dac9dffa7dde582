//! Finding out whether a panel took an order whose call had no clear end. Panels have no list of orders, but their ids
//! count up and they answer only for one's own: so the ids between the neighbours of that time are asked about. An
//! order that only one attempt can have made is adopted. What is not found is never sent again by itself: a person
//! decides. No transaction is open during a call.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};

use futures_util::{StreamExt as _, stream};
use panel_contract::amount::Money;
use panel_contract::ids::{ExternalOrderId, ExternalPanelId, OrderId};
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller;
use panel_domain::dispatch;
use panel_kernel::error::Result;
use serde_json::json;

use super::send;
use crate::app::App;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::placement_attempts::ending;
use crate::stores::placement_attempts::reconciling::{self, Look};
use crate::supply::panels::Reachable;
use crate::supply::reseller::{self, MOST, PanelError};
use panel_domain::reseller_protocol::read::OrderState;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{Source, Sql};
use panel_platform::lease::declared::CLAIM;
use panel_platform::quarantine::{self, ClaimedBatch};
use panel_platform::scope::Scope;

/// Attempts looked for in one round.
const AT_ONCE: i64 = 100;
/// Calls of one round that a panel has to answer at the same time.
const SIDE_BY_SIDE: usize = 4;
/// Neighbours that are looked at on each side.
const NEIGHBOURS: i64 = 200;
/// Calls with a hundred ids each that are made for one attempt at the most. A panel with a slower pace is asked about as
/// many as come at once: the ids are looked through together or not at all.
const CALLS: i64 = 5;

/// After so many looks without a find staff are written to: some minutes after the call, before the customer asks.
const TELLS_STAFF: i64 = 2;

/// An attempt that nobody knows of.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
struct Lost {
    id: ExternalOrderId,
    order_id: OrderId,
    quantity: i64,
    sent_at: Time,
    tries: i64,
    /// What the panel asks for it, where its price is known in the panel's currency.
    price: Money,
    per: i64,
    last_request: Option<String>,
}

/// Between what the attempt's order stands there, by its id and by the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Window {
    from: i64,
    to: i64,
    /// The neighbour before it was sent then.
    since: Time,
    /// And the one after, where there is one.
    until: Option<Time>,
}

impl Window {
    fn holds(&self, id: i64) -> bool {
        (self.from..self.to).contains(&id)
    }

    /// Its part of the ids that were asked about.
    fn within(self, asked: Self) -> Self {
        Self { from: self.from.max(asked.from), to: self.to.min(asked.to), ..self }
    }
}

/// What one part of the ids brought: our orders there, or that the panel is left alone until then, or nothing that can be
/// relied on.
#[derive(Debug, Clone)]
enum Answered {
    Orders(Vec<(i64, OrderState)>),
    Resting(Time),
    Unclear,
}

/// Looks for what is due, with up to `calls`, some of them side by side; how many there were. Attempts with the same
/// neighbours share their questions: a panel that took a hundred orders without an answer is asked about each id once.
pub(super) async fn look(app: &App, panel: &Reachable, calls: i64) -> Result<usize> {
    if calls == 0 {
        return Ok(0);
    }
    let each = CALLS.min(app.panel_limits.burst(panel.id));
    let mut windows = HashMap::new();
    let mut due = Vec::new();
    for attempt in due_now(app, panel.id).await? {
        if let Some(window) = window(app, panel.id, &attempt, each).await? {
            windows.insert(attempt.id, window);
        }
        due.push(attempt.id);
    }
    let most = calls.max(each).min(app.panel_limits.available(panel.id, app.clock.now()));
    let (chosen, ids) = plan(&due, &windows, most);
    let (lost, batch) = claim(app, panel.id, &chosen).await?;
    batch.work(app, look_for(app, panel, &lost, &windows, &ids)).await?;
    Ok(lost.len())
}

async fn look_for(
    app: &App,
    panel: &Reachable,
    lost: &[Lost],
    windows: &HashMap<ExternalOrderId, Window>,
    ids: &[i64],
) -> Result<()> {
    let answers = if lost.is_empty() { Vec::new() } else { ask(app, panel, ids).await };
    let mut looked = Vec::new();
    for attempt in lost {
        looked.push(attempt.id);
        let Some(asked) = windows.get(&attempt.id) else { continue };
        match within(&answers, *asked) {
            Answered::Resting(until) => {
                looked.pop();
                let tries = attempt.tries - 1;
                reconciling::postpone_look(&mut &app.db, attempt.id, tries, until).await?.or_nothing();
            }
            // Half of the answers would make an order look like the only one.
            Answered::Unclear => {}
            Answered::Orders(found) => {
                // Narrower by what was adopted meanwhile.
                let Some(now) = window(app, panel.id, attempt, CALLS).await? else { continue };
                let now = now.within(*asked);
                let found = found.into_iter().filter(|(id, _)| now.holds(*id));
                let found = found.map(|(id, state)| (id.to_string(), state)).collect();
                adopt(app, panel.id, attempt, now, found).await?;
            }
        }
    }
    let again = lost.iter().filter(|attempt| attempt.tries == TELLS_STAFF && looked.contains(&attempt.id));
    tell_staff(app, &again.map(|attempt| attempt.id).collect::<Vec<_>>()).await?;
    end_of_orders_that_are_over(app, lost).await
}

/// Gives the attempt the id that only it can have made.
async fn adopt(
    app: &App,
    panel: ExternalPanelId,
    attempt: &Lost,
    window: Window,
    found: Vec<(String, OrderState)>,
) -> Result<()> {
    // In this order: whoever gets its id between the two is seen in one of them.
    let others = others(app, panel, attempt, window).await?;
    let free = free(app, panel, found).await?;
    if let Some(id) = only(attempt, &others, &free) {
        let request = attempt.last_request.as_deref().unwrap_or_default();
        send::accept(app, (attempt.id, attempt.order_id), &id, request).await?;
    }
    Ok(())
}

// Rules

/// Which attempts can be looked for with so many calls, in the order in which they are due, and the ids to ask about for them.
fn plan(
    due: &[ExternalOrderId],
    windows: &HashMap<ExternalOrderId, Window>,
    calls: i64,
) -> (Vec<ExternalOrderId>, Vec<i64>) {
    let most = usize::try_from(calls).unwrap_or(0) * MOST;
    let (mut chosen, mut ids) = (Vec::new(), BTreeSet::new());
    for attempt in due {
        // Without neighbours nobody is asked.
        let Some(window) = windows.get(attempt) else {
            chosen.push(*attempt);
            continue;
        };
        let new: Vec<i64> = (window.from..window.to).filter(|id| !ids.contains(id)).collect();
        if ids.len() + new.len() <= most {
            ids.extend(new);
            chosen.push(*attempt);
        }
    }
    (chosen, ids.into_iter().collect())
}

/// What is known of a window: all of its ids or nothing.
fn within(answers: &[(Vec<i64>, Answered)], window: Window) -> Answered {
    let mut found = Vec::new();
    for (ids, answered) in answers {
        if !ids.iter().any(|id| window.holds(*id)) {
            continue;
        }
        match answered {
            Answered::Orders(orders) => {
                found.extend(orders.iter().filter(|(id, _)| window.holds(*id)).cloned());
            }
            other => return other.clone(),
        }
    }
    Answered::Orders(found)
}

/// The one order that this attempt, and no other, can have made.
fn only(attempt: &Lost, others: &[Lost], found: &[(String, OrderState)]) -> Option<String> {
    let mut fitting = found.iter().filter(|(_, state)| fits(attempt, state));
    let (id, state) = fitting.next()?;
    let is_only = fitting.next().is_none() && !others.iter().any(|other| fits(other, state));
    is_only.then(|| id.clone())
}

/// Whether an order can be this attempt's: charged what it costs, with no more undelivered than was ordered.
fn fits(attempt: &Lost, state: &OrderState) -> bool {
    let asked = i128::from(attempt.price.0) * i128::from(attempt.quantity) / i128::from(attempt.per.max(1));
    let charged = state.charge.map(|charge| i128::from(charge.0));
    // Panels round, some of them up; but a cent is a whole order where orders are small.
    let close = |charge: i128| (charge - asked).abs() <= (asked / 100).min(10_000);
    state.remains.is_some_and(|remains| remains <= attempt.quantity)
        && charged.is_some_and(close)
        && asked > 0
}

/// The ids to ask about, `most` of them: between the last one known before it was sent and the first one after.
fn between(before: &[(i64, Time)], after: &[(i64, Time)], most: i64) -> Option<Window> {
    let (last, since) = before.iter().max().copied()?;
    let from = last + 1;
    let next = after.iter().filter(|(id, _)| *id >= from).min();
    let to = next.map_or(from + most, |(id, _)| *id).min(from + most);
    (to > from).then_some(Window { from, to, since, until: next.map(|(_, at)| *at) })
}

// Store

const LOST: &str = "SELECT e.id, e.order_id, e.initial_quantity AS quantity, e.sent_at, e.tries, p.source_price AS price, p.source_pricing_per AS per, e.last_request
    FROM external_panel_orders e JOIN providers p ON p.id = e.provider_id";

fn due(app: &App, panel: ExternalPanelId) -> Sql {
    let sql = Sql::new(LOST).push(" WHERE e.external_panel_id = ? AND e.due_at <= ? AND ");
    let sql = sql.bind(panel).bind(app.clock.now()).push(attempt_is!(looked_for, "e"));
    sql.append(quarantine::condition(app, Poller::ExternalOrder, "e.id"))
}

async fn due_now(app: &App, panel: ExternalPanelId) -> Result<Vec<Lost>> {
    Ok((&mut &app.db).all(due(app, panel).push(" ORDER BY e.due_at, e.id LIMIT ?").bind(AT_ONCE)).await?)
}

/// Claims those of these that are still due; what was looked for often enough waits for a person.
async fn claim(
    app: &App,
    panel: ExternalPanelId,
    ids: &[ExternalOrderId],
) -> Result<(Vec<Lost>, ClaimedBatch)> {
    if ids.is_empty() {
        return Ok((Vec::new(), ClaimedBatch::none()));
    }
    let now = app.clock.now();
    let sql = due(app, panel).push(" AND e.id IN ").ids(ids);
    let sql = sql.push(" ORDER BY e.due_at, e.id").for_update_skipping_of("e");
    let mut tx = app.db.begin().await?;
    let mut lost: Vec<Lost> = tx.all(sql).await?;
    for attempt in &mut lost {
        attempt.tries += 1;
    }
    let look = |attempt: &Lost| Look {
        id: attempt.id,
        tries: attempt.tries,
        next: dispatch::probe(attempt.tries + 1, now),
    };
    reconciling::record_looks(&mut tx, &lost.iter().map(look).collect::<Vec<_>>(), now).await?;
    let ids: Vec<ExternalOrderId> = lost.iter().map(|attempt| attempt.id).collect();
    let batch = quarantine::claimed(&mut tx, app, Poller::ExternalOrder, &ids).await?;
    tx.commit().await?;
    Ok((lost, batch))
}

async fn window(app: &App, panel: ExternalPanelId, attempt: &Lost, calls: i64) -> Result<Option<Window>> {
    let sql = Sql::new(
        "SELECT external_order_id, sent_at FROM external_panel_orders WHERE external_panel_id = ? AND external_order_id IS NOT NULL
         AND sent_at IS NOT NULL AND id >= ? AND id <= ? ORDER BY id",
    );
    let id = attempt.id.get();
    let sql = sql.bind(panel).bind(id - NEIGHBOURS).bind(id + NEIGHBOURS);
    let rows: Vec<(String, Time)> = (&mut &app.db).all(sql).await?;
    // Those that were sent in the same moment say nothing about the order of ids.
    let ids = |side: Ordering| {
        let side = rows.iter().filter(|row| row.1.cmp(&attempt.sent_at) == side);
        side.filter_map(|row| Some((row.0.parse::<i64>().ok()?, row.1))).collect::<Vec<_>>()
    };
    let most = calls * i64::try_from(MOST).unwrap_or(1);
    Ok(between(&ids(Ordering::Less), &ids(Ordering::Greater), most))
}

/// Our orders there with these ids, a hundred a call and some calls side by side.
async fn ask(app: &App, panel: &Reachable, ids: &[i64]) -> Vec<(Vec<i64>, Answered)> {
    let parts: Vec<Vec<i64>> = ids.chunks(MOST).map(<[i64]>::to_vec).collect();
    let calls = parts.into_iter().map(|part| async move {
        let names: Vec<String> = part.iter().map(ToString::to_string).collect();
        let answered = match reseller::statuses(app, panel.panel(), &names).await {
            Ok(each) => {
                let orders = each.into_iter().filter_map(|(id, said)| Some((id.parse().ok()?, said.ok()?)));
                Answered::Orders(orders.collect())
            }
            Err(PanelError::Resting(until)) => Answered::Resting(until),
            Err(_) => Answered::Unclear,
        };
        (part, answered)
    });
    stream::iter(calls).buffer_unordered(SIDE_BY_SIDE).collect().await
}

/// Everything else at that panel, however often it is connected, whose end is not known, and that can have made an order of this window: what waits for
/// a person and what another process sends in this moment as well.
async fn others(app: &App, panel: ExternalPanelId, attempt: &Lost, window: Window) -> Result<Vec<Lost>> {
    let sql = Sql::new(LOST).push(concat!(
        " WHERE e.external_panel_id IN (SELECT s.id FROM external_panels s JOIN external_panels x ON x.endpoint = s.endpoint WHERE x.id = ?)
          AND ",
        attempt_is!(unconfirmed, "e"),
        " AND e.id <> ? AND e.sent_at >= ? AND e.sent_at <= ?",
    ));
    let until = window.until.map_or(Time(i64::MAX), |until| until.after(CLAIM));
    let sql = sql.bind(panel).bind(attempt.id).bind(window.since.before(CLAIM)).bind(until);
    Ok((&mut &app.db).all(sql).await?)
}

/// Those that no attempt of ours has, at whichever connection to that panel.
async fn free(
    app: &App,
    panel: ExternalPanelId,
    found: Vec<(String, OrderState)>,
) -> Result<Vec<(String, OrderState)>> {
    if found.is_empty() {
        return Ok(found);
    }
    let rows = found.iter().map(|(id, _)| vec![id.clone().into()]).collect();
    let sql = Sql::new("SELECT r.id FROM ").rows("r", &["id"], rows).push(
        " WHERE EXISTS (SELECT 1 FROM external_panel_orders e WHERE e.external_order_id = r.id
           AND e.external_panel_id IN (SELECT s.id FROM external_panels s JOIN external_panels x ON x.endpoint = s.endpoint WHERE x.id = ?))",
    );
    let taken: Vec<(String,)> = (&mut &app.db).all(sql.bind(panel)).await?;
    let taken: HashSet<String> = taken.into_iter().map(|(id,)| id).collect();
    Ok(found.into_iter().filter(|(id, _)| !taken.contains(id)).collect())
}

/// Staff are written to once about each that is still unknown while its order waits.
async fn tell_staff(app: &App, attempts: &[ExternalOrderId]) -> Result<()> {
    if attempts.is_empty() {
        return Ok(());
    }
    let mut work = Scope::system(app, "reconcile").begin().await?;
    let sql = Sql::new(concat!(
        "SELECT e.id, e.order_id, e.unknown_message FROM external_panel_orders e JOIN orders o ON o.id = e.order_id
         WHERE ",
        attempt_is!(unconfirmed, "e"),
        " AND o.status = 'in_processing' AND e.id IN ",
    ));
    let unknown: Vec<(ExternalOrderId, OrderId, Option<String>)> =
        work.all(sql.ids(attempts).push(" ORDER BY e.id")).await?;
    let changes = unknown.into_iter().map(|(id, order, message)| {
        let new = json!({ "external_panel_order_id": id, "unknown_message": message });
        Change { id: order.record(), old: json!({}), new }
    });
    audit::record_all(&mut work, "order.attempt_unknown", "order", changes.collect()).await?;
    work.finish(()).await
}

/// What is never found again ends with its order; while the order waits, a person decides.
async fn end_of_orders_that_are_over(app: &App, lost: &[Lost]) -> Result<()> {
    let now = app.clock.now();
    let last = lost.iter().filter(|attempt| dispatch::probe(attempt.tries + 1, now).is_none());
    let ids: Vec<ExternalOrderId> = last.map(|attempt| attempt.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    Ok(ending::end_of_orders_that_are_over(&mut &app.db, &ids, now).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use panel_domain::reseller_protocol::read::State;

    fn lost(quantity: i64) -> Lost {
        Lost {
            id: ExternalOrderId::new(1),
            order_id: OrderId::new(1),
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
        assert_eq!(only(&lost(500), &[lost(900)], &both), Some("11".into()));
        assert_eq!(only(&lost(500), &[lost(500)], &both), None, "two may have made it");
        assert_eq!(only(&lost(500), &[], &[mine.clone(), mine]), None, "it may be either");
        assert_eq!(only(&lost(500), &[], &[other]), None);
        assert_eq!(only(&lost(500), &[], &[("13".into(), order("0.5", 501))]), None);
    }

    #[test]
    fn a_small_order_is_not_taken_for_another_one() {
        // Of 0.005 and 0.006, a cent apart they are not.
        assert_eq!(only(&lost(5), &[], &[("11".into(), order("0.006", 5))]), None);
        assert_eq!(only(&lost(5), &[], &[("11".into(), order("0.005", 5))]), Some("11".into()));
        assert_eq!(only(&lost(500), &[], &[("11".into(), order("0.505", 5))]), Some("11".into()));
        assert_eq!(only(&lost(500), &[], &[("11".into(), order("0.506", 5))]), None);
    }

    #[test]
    fn attempts_share_what_is_asked() {
        let window = |from, to| Window { from, to, since: Time(0), until: None };
        let same = window(11, 211);
        let windows = HashMap::from([
            (1, same),
            (2, same),
            (4, window(300, 350)),
            (5, window(900, 1_400)),
            (6, window(340, 400)),
        ]);
        let windows: HashMap<_, _> =
            windows.into_iter().map(|(id, window)| (ExternalOrderId::new(id), window)).collect();
        let plan = |due: &[i64], calls| {
            let due: Vec<_> = due.iter().copied().map(ExternalOrderId::new).collect();
            let (chosen, ids) = plan(&due, &windows, calls);
            (chosen.into_iter().map(ExternalOrderId::get).collect::<Vec<_>>(), ids)
        };
        let (chosen, ids) = plan(&[1, 2, 3, 4, 5, 6], 3);
        assert_eq!(chosen, [1, 2, 3, 4, 6], "the fifth waits for more calls");
        assert_eq!((ids.len(), ids[0], ids[299]), (300, 11, 399));
        assert_eq!(plan(&[5, 3], 4).0, [3], "all of its ids or none");
        assert_eq!(plan(&[5], 5).0, [5]);

        let orders = |ids: &[i64]| ids.iter().map(|id| (*id, order("0.5", 500))).collect::<Vec<_>>();
        let answers = [
            ((11..111).collect(), Answered::Orders(orders(&[20, 110]))),
            ((111..211).collect(), Answered::Orders(orders(&[111]))),
            ((300..400).collect(), Answered::Unclear),
            ((900..1_000).collect(), Answered::Resting(Time(9))),
        ];
        let found = |window| match within(&answers, window) {
            Answered::Orders(found) => found.into_iter().map(|(id, _)| id).collect::<Vec<_>>(),
            Answered::Resting(_) => vec![-1],
            Answered::Unclear => vec![-2],
        };
        assert_eq!(found(same), [20, 110, 111]);
        assert_eq!(found(window(100, 120)), [110, 111]);
        assert_eq!((found(window(210, 301)), found(window(950, 960))), (vec![-2], vec![-1]));
    }

    #[test]
    fn ids_between_the_neighbours_are_asked_about() {
        let at = |ids: &[i64]| ids.iter().map(|id| (*id, Time(id * 10))).collect::<Vec<_>>();
        let seen = |before: &[i64], after: &[i64]| {
            between(&at(before), &at(after), 500).map(|found| (found.from, found.to, found.until.is_some()))
        };
        assert_eq!(seen(&[10, 12], &[15, 20]), Some((13, 15, true)));
        assert_eq!(seen(&[10], &[11]), None);
        assert_eq!(seen(&[10], &[]), Some((11, 511, false)));
        assert_eq!(seen(&[10], &[90_000]), Some((11, 511, true)));
        assert_eq!(seen(&[], &[15]), None, "nobody knows where to begin");
    }
}
