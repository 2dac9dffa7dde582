//! Following what panels have: a hundred at a time, wishes to cancel passed on first. What was delivered and charged is
//! booked with the order in the transaction that notes it, so that nothing counts twice, whoever hears it first.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::moment::Time;
use serde_json::json;

use super::attempts::{self, Open};
use super::rules::{self, BELIEVED_MISSING, Heard, Standing};
use super::settle::settle;
use crate::app::App;
use crate::db::{Source, Sql, Val};
use crate::http::Ctx;
use crate::http::error::Result;
use crate::operations::orders::store;
use crate::supply::panels::Reachable;
use crate::supply::rates::Rates;
use crate::supply::ratio;
use crate::supply::reseller::read::{Each, OrderState};
use crate::supply::reseller::statistic::measured;
use crate::supply::reseller::{self, MOST, PanelError, Reason};
use crate::work::Work;

/// Asks one panel about up to a hundred orders that are due; how many there were.
pub(super) async fn follow_due(app: &App, panel: &Reachable) -> Result<usize> {
    let most = i64::try_from(MOST).unwrap_or(100);
    let claimed = attempts::claim_open(app, panel.id, most).await?;
    if claimed.is_empty() {
        return Ok(0);
    }
    pass_on_cancels(app, panel, &claimed).await?;
    let ids: Vec<String> = claimed.iter().map(|attempt| attempt.external_order_id.clone()).collect();
    match reseller::statuses(app, panel.panel(), &ids).await {
        Ok(each) => note(app, panel, &claimed, &each).await?,
        Err(error) => put_off(app, &claimed, &error).await?,
    }
    Ok(claimed.len())
}

/// Asks the panel to cancel what somebody wants canceled. Its no is an answer too.
async fn pass_on_cancels(app: &App, panel: &Reachable, claimed: &[Open]) -> Result<()> {
    let wanted: Vec<&Open> = claimed.iter().filter(|attempt| attempt.wants_cancel).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let ids: Vec<String> = wanted.iter().map(|attempt| attempt.external_order_id.clone()).collect();
    let said = match reseller::cancel(app, panel.panel(), &ids).await {
        Ok(each) => each,
        // The panel knows no such call: nobody needs to ask again.
        Err(PanelError::Said(Reason::Other, words)) => {
            ids.into_iter().map(|id| (id, Err(words.clone()))).collect()
        }
        Err(_) => return Ok(()),
    };
    let rows = wanted.iter().filter_map(|attempt| {
        let said = said.get(&attempt.external_order_id)?;
        let words = said.as_ref().err().map(|words| format!("It cannot be canceled there: {words}"));
        Some(vec![attempt.id.into(), words.into()])
    });
    let rows: Vec<Vec<Val>> = rows.collect();
    if rows.is_empty() { Ok(()) } else { note_cancels(app, rows).await }
}

// Rules

/// What is written about one attempt.
struct Note<'a> {
    attempt: &'a Open,
    heard: Option<Heard>,
    cost: Option<Money>,
    error: Option<String>,
    alert_at: Option<Time>,
    missing_since: Option<Time>,
    answer: Option<String>,
    due: Option<Time>,
}

impl<'a> Note<'a> {
    /// Reads what the panel said of one attempt, or that it said nothing.
    fn of(
        attempt: &'a Open,
        said: Option<&std::result::Result<OrderState, String>>,
        rates: &Rates,
        panel: &Reachable,
        now: Time,
    ) -> Self {
        let later = |moved| Some(Time(now.0 + rules::pace(attempt.age(now), moved)));
        let plain = Self {
            attempt,
            heard: None,
            cost: None,
            error: attempt.last_error.clone(),
            alert_at: attempt.alert_at,
            missing_since: attempt.missing_since,
            answer: None,
            due: later(false),
        };
        if let Some(ended) = attempt.ended_at {
            let due = rules::late(ended, now);
            return Self { due, ..plain }.late(said, rates, panel, now);
        }
        match said {
            None => plain,
            Some(Err(words)) => plain.refused(words, now),
            Some(Ok(state)) => {
                let heard = rules::hear(attempt.standing(), state);
                let cost =
                    rates.to_own(heard.standing.charge, state.currency.as_deref().unwrap_or(&panel.currency));
                let no_rate = || {
                    format!(
                        "There is no exchange rate for {}; set one.",
                        state.currency.as_deref().unwrap_or(&panel.currency)
                    )
                };
                let error = heard.alert.clone().or_else(|| cost.is_none().then(no_rate));
                let moved = heard.standing != attempt.standing();
                Self {
                    alert_at: error.is_some().then(|| attempt.alert_at.unwrap_or(now)),
                    error,
                    missing_since: None,
                    answer: (moved || heard.is_over).then(|| shown(state)),
                    due: if heard.is_over { heard.asked_late(now) } else { later(moved) },
                    cost,
                    heard: Some(heard),
                    ..plain
                }
            }
        }
    }

    /// What is over stays so. What contradicts it is noted, and what the panel charges back is booked.
    fn late(
        self,
        said: Option<&std::result::Result<OrderState, String>>,
        rates: &Rates,
        panel: &Reachable,
        now: Time,
    ) -> Self {
        let Some(Ok(state)) = said else { return self };
        let heard = rules::hear_late(self.attempt.standing(), state);
        let Some(words) = heard.alert.clone() else { return self };
        let is_charged_anew = heard.standing.charge != self.attempt.charge;
        let currency = state.currency.as_deref().unwrap_or(&panel.currency);
        Self {
            cost: is_charged_anew.then(|| rates.to_own(heard.standing.charge, currency)).flatten(),
            error: Some(attempts::kept(&words)),
            alert_at: self.alert_at.or(Some(now)),
            answer: Some(shown(state)),
            heard: Some(heard),
            ..self
        }
    }

    /// A panel may not know a fresh order for a while; later somebody should look, and it is asked about all the same.
    fn refused(self, words: &str, now: Time) -> Self {
        let is_missing = reseller::reason(words) == Reason::Order;
        let missing_since = is_missing.then(|| self.missing_since.unwrap_or(now));
        let is_lost = missing_since.is_some_and(|since| now.0 - since.0 >= BELIEVED_MISSING);
        Self {
            error: Some(attempts::kept(words)),
            alert_at: if is_lost { self.alert_at.or(Some(now)) } else { self.alert_at },
            missing_since,
            ..self
        }
    }

    fn is_news(&self) -> bool {
        let attempt = self.attempt;
        self.heard.as_ref().is_some_and(|heard| heard.is_over || heard.standing != attempt.standing())
            || self.cost_more() != 0
            || self.error != attempt.last_error
            || self.alert_at != attempt.alert_at
            || self.missing_since != attempt.missing_since
    }

    fn is_over(&self) -> bool {
        self.heard.as_ref().is_some_and(|heard| heard.is_over)
    }

    /// Of what was sold.
    fn delivered_more(&self) -> i64 {
        let counted = |standing: Standing| {
            ratio::counted(standing.delivered(), self.attempt.quantity, self.attempt.sold)
        };
        let before = counted(self.attempt.standing());
        self.heard.as_ref().map_or(0, |heard| counted(heard.standing) - before)
    }

    fn cost_more(&self) -> i64 {
        self.cost.map_or(0, |cost| cost.0 - self.attempt.booked_cost.0)
    }
}

/// A panel's answer about one order as staff see it.
fn shown(state: &OrderState) -> String {
    let shown = json!({
        "status": state.word, "charge": state.charge, "start_count": state.start_count, "remains": state.remains,
        "currency": state.currency,
    });
    attempts::kept(&shown.to_string())
}

// Store

async fn note_cancels(app: &App, rows: Vec<Vec<Val>>) -> Result<()> {
    let now = app.clock.now();
    let sql = Sql::new(
        "UPDATE external_panel_orders SET cancel_answered_at = ?, last_error = COALESCE(r.words, external_panel_orders.last_error), updated_at = ? FROM ",
    );
    let sql = sql.bind(now).bind(now).rows("r", &["id", "words"], rows);
    (&mut &app.db)
        .exec(sql.push(
            " WHERE external_panel_orders.id = r.id AND external_panel_orders.cancel_answered_at IS NULL",
        ))
        .await?;
    Ok(())
}

/// The panel said nothing about any of them: each is due again, and what is wrong is seen on the panel.
async fn put_off(app: &App, claimed: &[Open], error: &PanelError) -> Result<()> {
    let now = app.clock.now();
    let wait = |attempt: &Open| match error {
        PanelError::Resting(until) => Some(*until),
        _ => match attempt.ended_at {
            Some(ended) => rules::late(ended, now),
            None => Some(Time(now.0 + rules::pace(attempt.age(now), false))),
        },
    };
    let rows = claimed.iter().map(|attempt| vec![attempt.id.into(), wait(attempt).into()]).collect();
    let sql =
        Sql::new("UPDATE external_panel_orders SET due_at = r.due FROM ").rows("r", &["id", "due"], rows);
    let sql = sql.push(" WHERE external_panel_orders.id = r.id AND external_panel_orders.due_at IS NOT NULL");
    (&mut &app.db).exec(sql).await?;
    Ok(())
}

/// Notes what was heard: quietly where nothing is new, else together with the orders.
async fn note(app: &App, panel: &Reachable, claimed: &[Open], each: &Each<OrderState>) -> Result<()> {
    let now = app.clock.now();
    let rates = Rates::read(&mut &app.db).await?;
    let notes = claimed.iter().map(|attempt| {
        // By the panel's measure, for what is over as well: else its end would look contradicted.
        let full = attempt.full_charge.unwrap_or(Money::ZERO);
        let said = each.get(&attempt.external_order_id).cloned();
        let said =
            said.map(|said| said.map(|state| measured(panel.statistic, attempt.quantity, full, state)));
        Note::of(attempt, said.as_ref(), &rates, panel, now)
    });
    let (news, same): (Vec<Note>, Vec<Note>) = notes.partition(Note::is_news);
    if !same.is_empty() {
        let rows = same.iter().map(|note| vec![note.attempt.id.into(), note.due.into()]).collect();
        let sql =
            Sql::new("UPDATE external_panel_orders SET due_at = r.due FROM ").rows("r", &["id", "due"], rows);
        let sql =
            sql.push(" WHERE external_panel_orders.id = r.id AND external_panel_orders.due_at IS NOT NULL");
        (&mut &app.db).exec(sql).await?;
    }
    if news.is_empty() {
        return Ok(());
    }
    let mut work = Ctx::system(app.clone(), "follow").begin().await?;
    write(&mut work, &news).await?;
    work.finish(()).await
}

async fn write(work: &mut Work, news: &[Note<'_>]) -> Result<()> {
    let mut orders: Vec<i64> = news.iter().map(|note| note.attempt.order_id).collect();
    orders.sort_unstable();
    orders.dedup();
    store::lock(work, &orders).await?;
    let written = write_attempts(work, news).await?;
    let news: Vec<&Note> = news.iter().filter(|note| written.contains(&note.attempt.id)).collect();
    book(work, &news).await?;
    let mut ended: Vec<i64> =
        news.iter().filter(|note| note.is_over()).map(|note| note.attempt.order_id).collect();
    ended.sort_unstable();
    ended.dedup();
    settle(work, &ended).await
}

/// Each as it was when it was asked about; those that changed meanwhile are left alone. Who was written.
async fn write_attempts(work: &mut Work, news: &[Note<'_>]) -> Result<Vec<i64>> {
    let now = work.now;
    let rows = news.iter().map(|note| {
        let attempt = note.attempt;
        let standing = note.heard.as_ref().map_or_else(|| attempt.standing(), |heard| heard.standing);
        vec![
            attempt.id.into(),
            attempt.status.as_str().into(),
            attempt.booked_cost.into(),
            standing.status.as_str().into(),
            standing.remains.into(),
            standing.start_count.into(),
            standing.charge.into(),
            (attempt.booked_cost.0 + note.cost_more()).into(),
            note.error.clone().into(),
            note.alert_at.into(),
            note.missing_since.into(),
            note.answer.clone().into(),
            note.due.into(),
            attempt.ended_at.or(note.is_over().then_some(now)).into(),
            attempt.ended_at.map_or(0, |ended| ended.0).into(),
        ]
    });
    let columns = [
        "id",
        "was",
        "booked_was",
        "status",
        "remains",
        "start_count",
        "charge",
        "booked",
        "error",
        "alert_at",
        "missing_since",
        "answer",
        "due",
        "ended_at",
        "ended_was",
    ];
    let sql = Sql::new(
        "UPDATE external_panel_orders SET status = r.status, remains = r.remains, start_count = r.start_count, charge = r.charge,
           initial_charge = CASE WHEN external_panel_orders.initial_charge = 0 THEN r.charge ELSE external_panel_orders.initial_charge END,
           booked_cost = r.booked, last_error = r.error, alert_at = r.alert_at, missing_since = r.missing_since,
           last_answer = COALESCE(r.answer, external_panel_orders.last_answer), due_at = r.due, ended_at = r.ended_at, updated_at = ? FROM ",
    );
    let sql = sql.bind(now).rows("r", &columns, rows.collect());
    let sql = sql.push(
        " WHERE external_panel_orders.id = r.id AND external_panel_orders.status = r.was AND external_panel_orders.booked_cost = r.booked_was
          AND COALESCE(external_panel_orders.ended_at, 0) = r.ended_was RETURNING external_panel_orders.id",
    );
    let rows: Vec<(i64,)> = work.all(sql).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// What was delivered and charged, with the orders and with the statistics of the day.
async fn book(work: &mut Work, news: &[&Note<'_>]) -> Result<()> {
    let (now, day) = (work.now, work.now.day());
    let mut orders: BTreeMap<i64, (i64, i64, Option<i64>)> = BTreeMap::new();
    let mut providers: BTreeMap<(i64, i64), (i64, i64)> = BTreeMap::new();
    for note in news {
        let (cost, quantity) = (note.cost_more(), note.delivered_more());
        let start = note.heard.as_ref().and_then(|heard| heard.standing.start_count);
        let order = orders.entry(note.attempt.order_id).or_default();
        *order = (order.0 + cost, order.1 + quantity, rules::better(order.2, start));
        if cost != 0 || quantity != 0 {
            let provider = providers.entry((note.attempt.order_id, note.attempt.provider_id)).or_default();
            *provider = (provider.0 + cost, provider.1 + quantity);
        }
    }
    let rows = orders
        .into_iter()
        .map(|(id, (cost, quantity, start))| vec![id.into(), cost.into(), quantity.into(), start.into()]);
    let sql = Sql::new(
        "UPDATE orders SET provider_cost = orders.provider_cost + r.cost,
           current_quantity = CASE WHEN orders.current_quantity + r.quantity > 0 THEN orders.current_quantity + r.quantity ELSE 0 END,
           external_order_start_count = COALESCE(NULLIF(orders.external_order_start_count, 0), r.start, orders.external_order_start_count), updated_at = ? FROM ",
    );
    let sql = sql.bind(now).rows("r", &["id", "cost", "quantity", "start"], rows.collect());
    work.exec(sql.push(" WHERE orders.id = r.id")).await?;
    if providers.is_empty() {
        return Ok(());
    }
    let rows = providers.into_iter().map(|((order, provider), (cost, quantity))| {
        vec![order.into(), provider.into(), cost.into(), quantity.into()]
    });
    let sql = Sql::new(
        "INSERT INTO provider_statistics (order_id, provider_id, day, cost, quantity)
         SELECT r.id, r.provider, CAST(? AS BIGINT), r.cost, r.quantity FROM ",
    );
    let sql = sql.bind(day).rows("r", &["id", "provider", "cost", "quantity"], rows.collect());
    work.exec(sql.push(
        " WHERE TRUE ON CONFLICT (order_id, provider_id, day) DO UPDATE SET cost = provider_statistics.cost + excluded.cost,
          quantity = provider_statistics.quantity + excluded.quantity",
    ))
    .await?;
    Ok(())
}
