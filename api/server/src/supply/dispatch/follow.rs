//! Following what panels have: a hundred at a time, wishes to cancel passed on first. What was delivered and charged is
//! booked with the order in the transaction that notes it, so that nothing counts twice, whoever hears it first.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::external_panels::StatisticType;
use panel_contract::ids::{ExternalOrderId, OrderId, ProviderId};
use panel_contract::moment::Time;
use panel_contract::orders::CountSource;
use panel_domain::dispatch;
use panel_domain::states::placement_attempts::state::report_event;
use panel_kernel::error::Result;

use super::attempts::{self, Open};
use super::notes::Note;
use super::settle::settle;
use crate::app::App;
use crate::operations::orders::losses::{self, LossCount};
use crate::operations::orders::store;
use crate::pricing::rates::Rates;
use crate::stores::orders::delivery::{Delivery, record_deliveries};
use crate::stores::placement_attempts::polling::{self, Report};
use crate::supply::panels::Reachable;
use crate::supply::reseller::{self, MOST, PanelError, Reason};
use panel_domain::reseller_protocol::read::{Each, OrderState};
use panel_domain::reseller_protocol::statistic::measured;
use panel_platform::db::{Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::work::Work;

/// Asks one panel about up to a hundred orders that are due; how many there were.
pub(super) async fn follow_due(app: &App, panel: &Reachable) -> Result<usize> {
    let most = i64::try_from(MOST).unwrap_or(100);
    let (claimed, batch) = attempts::claim_open(app, panel.id, most).await?;
    if claimed.is_empty() {
        return Ok(0);
    }
    batch.work(app, poll_claimed(app, panel, &claimed)).await?;
    Ok(claimed.len())
}

async fn poll_claimed(app: &App, panel: &Reachable, claimed: &[Open]) -> Result<()> {
    pass_on_cancels(app, panel, claimed).await?;
    let ids: Vec<String> = claimed.iter().map(|attempt| attempt.external_order_id.clone()).collect();
    match reseller::statuses(app, panel.panel(), &ids).await {
        Ok(each) => note(app, panel, claimed, &each).await,
        Err(error) => put_off(app, claimed, &error).await,
    }
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
        Some((attempt.id, words))
    });
    let now = app.clock.now();
    Ok(polling::record_cancel_answers(&mut &app.db, rows.collect(), now).await?)
}

// Store

/// The panel said nothing about any of them: each is due again, and what is wrong is seen on the panel.
async fn put_off(app: &App, claimed: &[Open], error: &PanelError) -> Result<()> {
    let now = app.clock.now();
    let wait = |attempt: &Open| match error {
        PanelError::Resting(until) => Some(*until),
        _ => match attempt.ended_at {
            Some(ended) => attempt.late(ended, now),
            None => Some(now.after(dispatch::open_poll_interval(attempt.age(now), false))),
        },
    };
    let polls: Vec<(ExternalOrderId, Option<Time>)> =
        claimed.iter().map(|attempt| (attempt.id, wait(attempt))).collect();
    Ok(polling::postpone_polls(&mut &app.db, &polls).await?)
}

/// What completed orders lost, by what their panel says remains. A panel that is measured by its charge says nothing true
/// there.
async fn note_losses(app: &App, panel: &Reachable, claimed: &[Open], each: &Each<OrderState>) -> Result<()> {
    if panel.statistic == StatisticType::Charge {
        return Ok(());
    }
    let count = |attempt: &Open| {
        let said = each.get(&attempt.external_order_id)?.as_ref().ok()?;
        let (baseline, count) = dispatch::loss_count(attempt.standing(), attempt.sold, said)?;
        Some(LossCount { order_id: attempt.order_id, count, baseline: Some(baseline), is_shared: false })
    };
    let counts: Vec<LossCount> = claimed.iter().filter(|attempt| attempt.refills).filter_map(count).collect();
    if counts.is_empty() {
        return Ok(());
    }
    let mut work = Scope::system(app, "follow").begin().await?;
    store::lock(&mut work, &counts.iter().map(|count| count.order_id).collect::<Vec<_>>()).await?;
    losses::note(&mut work, &counts, CountSource::Panel).await?;
    work.finish(()).await
}

/// Notes what was heard: quietly where nothing is new, else together with the orders.
async fn note(app: &App, panel: &Reachable, claimed: &[Open], each: &Each<OrderState>) -> Result<()> {
    note_losses(app, panel, claimed, each).await?;
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
    let polls: Vec<(ExternalOrderId, Option<Time>)> =
        same.iter().map(|note| (note.attempt.id, note.due)).collect();
    polling::postpone_polls(&mut &app.db, &polls).await?;
    if news.is_empty() {
        return Ok(());
    }
    let mut work = Scope::system(app, "follow").begin().await?;
    write(&mut work, &news).await?;
    work.finish(()).await
}

async fn write(work: &mut Work, news: &[Note<'_>]) -> Result<()> {
    let mut orders: Vec<OrderId> = news.iter().map(|note| note.attempt.order_id).collect();
    orders.sort_unstable();
    orders.dedup();
    store::lock(work, &orders).await?;
    let written = write_attempts(work, news).await?;
    let news: Vec<&Note> = news.iter().filter(|note| written.contains(&note.attempt.id)).collect();
    book(work, &news).await?;
    let mut ended: Vec<OrderId> =
        news.iter().filter(|note| note.is_over()).map(|note| note.attempt.order_id).collect();
    ended.sort_unstable();
    ended.dedup();
    settle(work, &ended).await
}

/// Each as it was when it was asked about; those that changed meanwhile are left alone. Who was written.
async fn write_attempts(work: &mut Work, news: &[Note<'_>]) -> Result<Vec<ExternalOrderId>> {
    // Most go on where they stand.
    let (moved, stay): (Vec<&Note>, Vec<&Note>) = news.iter().partition(|note| note.moves());
    let now = work.now;
    let reports = |notes: &[&Note]| notes.iter().map(|note| report(note, now)).collect::<Vec<_>>();
    Ok(polling::record_reports(work, &reports(&moved), &reports(&stay), now).await?)
}

/// What of a [`Note`] is written.
fn report(note: &Note<'_>, now: Time) -> Report {
    let (attempt, standing) = (note.attempt, note.standing());
    Report {
        id: attempt.id,
        event: report_event(attempt.status, standing.status, note.is_over()),
        before: (attempt.status, attempt.booked_cost, attempt.ended_at),
        status: standing.status,
        remains: standing.remains,
        start_count: standing.start_count,
        charge: standing.charge,
        booked_cost: Money(attempt.booked_cost.0 + note.cost_more()),
        error: note.error.clone(),
        alert_at: note.alert_at,
        missing_since: note.missing_since,
        answer: note.answer.clone(),
        due_at: note.due,
        ended_at: attempt.ended_at.or(note.is_over().then_some(now)),
    }
}

/// What was delivered and charged, with the orders and with the statistics of the day.
async fn book(work: &mut Work, news: &[&Note<'_>]) -> Result<()> {
    let (now, day) = (work.now, work.now.day());
    let mut orders: BTreeMap<OrderId, (i64, i64, Option<i64>)> = BTreeMap::new();
    let mut providers: BTreeMap<(OrderId, ProviderId), (i64, i64)> = BTreeMap::new();
    for note in news {
        let (cost, quantity) = (note.cost_more(), note.delivered_more());
        let start = note.heard.as_ref().and_then(|heard| heard.standing.start_count);
        let order = orders.entry(note.attempt.order_id).or_default();
        *order = (order.0 + cost, order.1 + quantity, dispatch::better(order.2, start));
        if cost != 0 || quantity != 0 {
            let provider = providers.entry((note.attempt.order_id, note.attempt.provider_id)).or_default();
            *provider = (provider.0 + cost, provider.1 + quantity);
        }
    }
    let deliveries: Vec<Delivery> = orders
        .into_iter()
        .map(|(id, (cost, quantity, start_count))| Delivery { id, cost: Money(cost), quantity, start_count })
        .collect();
    record_deliveries(work, &deliveries, now).await?;
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
