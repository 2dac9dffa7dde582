//! Polls the status of open external orders, up to a hundred per call, after it sends their cancel requests. The delivered
//! quantity and the charge are booked in the same transaction as the attempt's new status, so that nothing is counted twice
//! when several processes poll.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::external_panels::StatisticType;
use panel_contract::ids::{ExternalOrderId, OrderId, ProviderId};
use panel_contract::moment::Time;
use panel_contract::orders::CountSource;
use panel_domain::dispatch;
use panel_domain::states::placement_attempts::state::report_event;
use panel_kernel::error::Result;

use super::attempts::{self, OpenAttempt};
use super::dispatch_orders::dispatch_orders;
use super::poll_result::PollResult;
use crate::app::App;
use crate::operations::orders::losses::{self, LossCount};
use crate::operations::orders::store;
use crate::pricing::rates::ExchangeRates;
use crate::stores::orders::delivery::{Delivery, record_deliveries};
use crate::stores::placement_attempts::polling::{self, StatusReport};
use crate::supply::panels::PanelConnection;
use crate::supply::reseller::{self, MAX_IDS_PER_CALL, MessageSubject, PanelError};
use panel_domain::reseller_protocol::delivered_quantity::apply_statistic_type;
use panel_domain::reseller_protocol::responses::{ExternalOrderStatus, ResultsById};
use panel_platform::db::{Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::work::UnitOfWork;

/// Polls up to a hundred due orders of one panel and returns their number.
pub(super) async fn poll_due_statuses(app: &App, panel: &PanelConnection) -> Result<usize> {
    let max_attempts = i64::try_from(MAX_IDS_PER_CALL).unwrap_or(100);
    let (claimed, batch) = attempts::claim_open(app, panel.id, max_attempts).await?;
    if claimed.is_empty() {
        return Ok(0);
    }
    batch.run(app, poll_claimed(app, panel, &claimed)).await?;
    Ok(claimed.len())
}

async fn poll_claimed(app: &App, panel: &PanelConnection, claimed: &[OpenAttempt]) -> Result<()> {
    send_requested_cancels(app, panel, claimed).await?;
    let ids: Vec<String> = claimed.iter().map(|attempt| attempt.external_order_id.clone()).collect();
    match reseller::statuses(app, panel.api(), &ids).await {
        Ok(statuses) => record_statuses(app, panel, claimed, &statuses).await,
        Err(error) => postpone(app, claimed, &error).await,
    }
}

/// Sends the requested cancels to the panel. A rejection is recorded as an answer and not retried.
async fn send_requested_cancels(app: &App, panel: &PanelConnection, claimed: &[OpenAttempt]) -> Result<()> {
    let pending: Vec<&OpenAttempt> = claimed.iter().filter(|attempt| attempt.is_cancel_pending).collect();
    if pending.is_empty() {
        return Ok(());
    }
    let ids: Vec<String> = pending.iter().map(|attempt| attempt.external_order_id.clone()).collect();
    let answers = match reseller::cancel(app, panel.api(), &ids).await {
        Ok(statuses) => statuses,
        // The panel does not support cancel requests, so the worker does not retry.
        Err(PanelError::Rejected(MessageSubject::Other, message)) => {
            ids.into_iter().map(|id| (id, Err(message.clone()))).collect()
        }
        Err(_) => return Ok(()),
    };
    let rows = pending.iter().filter_map(|attempt| {
        let answer = answers.get(&attempt.external_order_id)?;
        let message =
            answer.as_ref().err().map(|message| format!("The panel rejected the cancel request: {message}"));
        Some((attempt.id, message))
    });
    let now = app.clock.now();
    Ok(polling::record_cancel_responses(&mut &app.db, rows.collect(), now).await?)
}

// Store

/// Postpones the next poll of all orders after a failed call. The panel's own record shows the error.
async fn postpone(app: &App, claimed: &[OpenAttempt], error: &PanelError) -> Result<()> {
    let now = app.clock.now();
    let next_poll_at = |attempt: &OpenAttempt| match error {
        PanelError::Paused(until) => Some(*until),
        _ => match attempt.ended_at {
            Some(ended_at) => attempt.next_poll_after_end(ended_at, now),
            None => Some(now.plus(dispatch::open_poll_interval(attempt.age(now), false))),
        },
    };
    let polls: Vec<(ExternalOrderId, Option<Time>)> =
        claimed.iter().map(|attempt| (attempt.id, next_poll_at(attempt))).collect();
    Ok(polling::postpone_polls(&mut &app.db, &polls).await?)
}

/// Records the losses of completed orders, calculated from the panel's `remains`. Skips panels whose delivery is measured
/// by the charge, because their `remains` is unreliable.
async fn record_losses(
    app: &App,
    panel: &PanelConnection,
    claimed: &[OpenAttempt],
    statuses: &ResultsById<ExternalOrderStatus>,
) -> Result<()> {
    if panel.statistic_type == StatisticType::Charge {
        return Ok(());
    }
    let loss_count = |attempt: &OpenAttempt| {
        let status = statuses.get(&attempt.external_order_id)?.as_ref().ok()?;
        let (baseline, count) = dispatch::loss_counts(attempt.progress(), attempt.sold_quantity, status)?;
        Some(LossCount { order_id: attempt.order_id, count, baseline: Some(baseline), is_shared: false })
    };
    let counts: Vec<LossCount> =
        claimed.iter().filter(|attempt| attempt.is_refill_target).filter_map(loss_count).collect();
    if counts.is_empty() {
        return Ok(());
    }
    let mut work = Scope::system(app, "follow").begin().await?;
    store::lock(&mut work, &counts.iter().map(|count| count.order_id).collect::<Vec<_>>()).await?;
    losses::record_counts(&mut work, &counts, CountSource::Panel).await?;
    work.finish(()).await
}

/// Records the statuses: only the next poll time if nothing changed, else the attempt together with its order.
async fn record_statuses(
    app: &App,
    panel: &PanelConnection,
    claimed: &[OpenAttempt],
    statuses: &ResultsById<ExternalOrderStatus>,
) -> Result<()> {
    record_losses(app, panel, claimed, statuses).await?;
    let now = app.clock.now();
    let rates = ExchangeRates::read(&mut &app.db).await?;
    let results = claimed.iter().map(|attempt| {
        // Ended orders are measured by the panel's statistic type too. Otherwise a late status would seem to contradict their end.
        let full_charge = attempt.full_charge.unwrap_or(Money::ZERO);
        let status = statuses.get(&attempt.external_order_id).cloned();
        let status = status.map(|status| {
            status
                .map(|state| apply_statistic_type(panel.statistic_type, attempt.quantity, full_charge, state))
        });
        PollResult::from_response(attempt, status.as_ref(), &rates, panel, now)
    });
    let (changed, unchanged): (Vec<PollResult>, Vec<PollResult>) = results.partition(PollResult::has_changes);
    let polls: Vec<(ExternalOrderId, Option<Time>)> =
        unchanged.iter().map(|result| (result.attempt.id, result.due_at)).collect();
    polling::postpone_polls(&mut &app.db, &polls).await?;
    if changed.is_empty() {
        return Ok(());
    }
    let mut work = Scope::system(app, "follow").begin().await?;
    write_results(&mut work, &changed).await?;
    work.finish(()).await
}

async fn write_results(work: &mut UnitOfWork, results: &[PollResult<'_>]) -> Result<()> {
    let mut orders: Vec<OrderId> = results.iter().map(|result| result.attempt.order_id).collect();
    orders.sort_unstable();
    orders.dedup();
    store::lock(work, &orders).await?;
    let written_ids = write_attempts(work, results).await?;
    let results: Vec<&PollResult> =
        results.iter().filter(|result| written_ids.contains(&result.attempt.id)).collect();
    book_deliveries(work, &results).await?;
    let mut orders_to_dispatch: Vec<OrderId> =
        results.iter().filter(|result| result.is_over()).map(|result| result.attempt.order_id).collect();
    orders_to_dispatch.sort_unstable();
    orders_to_dispatch.dedup();
    dispatch_orders(work, &orders_to_dispatch).await
}

/// Updates the attempts that have not changed since the poll; returns the ids of the updated ones.
async fn write_attempts(work: &mut UnitOfWork, results: &[PollResult<'_>]) -> Result<Vec<ExternalOrderId>> {
    // Most attempts keep their status.
    let (changed, unchanged): (Vec<&PollResult>, Vec<&PollResult>) =
        results.iter().partition(|result| result.changes_list_columns());
    let now = work.now;
    let reports =
        |results: &[&PollResult]| results.iter().map(|result| status_report(result, now)).collect::<Vec<_>>();
    Ok(polling::record_reports(work, &reports(&changed), &reports(&unchanged), now).await?)
}

/// The columns to update for a [`PollResult`].
fn status_report(result: &PollResult<'_>, now: Time) -> StatusReport {
    let (attempt, progress) = (result.attempt, result.progress());
    StatusReport {
        id: attempt.id,
        event: report_event(attempt.status, progress.status, result.is_over()),
        expected_state: (attempt.status, attempt.booked_cost, attempt.ended_at),
        status: progress.status,
        remains: progress.remains,
        start_count: progress.start_count,
        charge: progress.charge,
        booked_cost: Money(attempt.booked_cost.0 + result.additional_cost()),
        error: result.error.clone(),
        alert_at: result.alert_at,
        missing_since: result.missing_since,
        answer: result.response.clone(),
        due_at: result.due_at,
        ended_at: attempt.ended_at.or(result.is_over().then_some(now)),
    }
}

/// Books the delivered quantity and the cost on the orders and in the day's provider statistics.
async fn book_deliveries(work: &mut UnitOfWork, results: &[&PollResult<'_>]) -> Result<()> {
    let (now, day) = (work.now, work.now.day());
    let mut orders: BTreeMap<OrderId, (i64, i64, Option<i64>)> = BTreeMap::new();
    let mut providers: BTreeMap<(OrderId, ProviderId), (i64, i64)> = BTreeMap::new();
    for result in results {
        let (cost, quantity) = (result.additional_cost(), result.additional_quantity());
        let start = result.update.as_ref().and_then(|update| update.progress.start_count);
        let order = orders.entry(result.attempt.order_id).or_default();
        *order = (order.0 + cost, order.1 + quantity, dispatch::merge_start_count(order.2, start));
        if cost != 0 || quantity != 0 {
            let provider =
                providers.entry((result.attempt.order_id, result.attempt.provider_id)).or_default();
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
    work.execute(sql.push(
        " WHERE TRUE ON CONFLICT (order_id, provider_id, day) DO UPDATE SET cost = provider_statistics.cost + excluded.cost,
          quantity = provider_statistics.quantity + excluded.quantity",
    ))
    .await?;
    Ok(())
}
