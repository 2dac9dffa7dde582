//! Polls the status of open external orders, up to a hundred per request, and sends their cancel requests before. One transaction
//! writes the new status of an attempt together with its delivered quantity and its charge, so that parallel polls of several
//! processes count nothing twice.

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
use crate::supply::reseller::{self, MAX_IDS_PER_REQUEST, MessageSubject, PanelError};
use panel_domain::reseller_protocol::delivered_quantity::apply_statistic_type;
use panel_domain::reseller_protocol::responses::{ExternalOrderStatus, ResultsById};
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::work::UnitOfWork;

/// Polls up to a hundred due attempts of one external panel and returns their number.
pub(super) async fn poll_due_statuses(app: &App, panel: &PanelConnection) -> Result<usize> {
    let max_attempts = i64::try_from(MAX_IDS_PER_REQUEST).unwrap_or(100);
    let (claimed, batch) = attempts::claim_accepted(app, panel.id, max_attempts).await?;
    if claimed.is_empty() {
        return Ok(0);
    }
    batch.run(app, poll_claimed(app, panel, &claimed)).await?;
    Ok(claimed.len())
}

async fn poll_claimed(app: &App, panel: &PanelConnection, claimed: &[OpenAttempt]) -> Result<()> {
    send_pending_cancels(app, panel, claimed).await?;
    let ids: Vec<String> = claimed.iter().map(|attempt| attempt.external_order_id.clone()).collect();
    match reseller::fetch_statuses(app, panel.api(), &ids).await {
        Ok(statuses) => record_statuses(app, panel, claimed, &statuses).await,
        Err(error) => postpone_polls(app, claimed, &error).await,
    }
}

/// Sends the pending cancel requests to the external panel. A rejection is recorded as the response and not retried.
async fn send_pending_cancels(app: &App, panel: &PanelConnection, claimed: &[OpenAttempt]) -> Result<()> {
    let pending_attempts: Vec<&OpenAttempt> =
        claimed.iter().filter(|attempt| attempt.is_cancel_pending).collect();
    if pending_attempts.is_empty() {
        return Ok(());
    }
    let ids: Vec<String> = pending_attempts.iter().map(|attempt| attempt.external_order_id.clone()).collect();
    let results = match reseller::request_cancels(app, panel.api(), &ids).await {
        Ok(results) => results,
        // The external panel does not support cancel requests, so the worker does not retry.
        Err(PanelError::Rejected(MessageSubject::Other, message)) => {
            ids.into_iter().map(|id| (id, Err(message.clone()))).collect()
        }
        Err(_) => return Ok(()),
    };
    let rows = pending_attempts.iter().filter_map(|attempt| {
        let result = results.get(&attempt.external_order_id)?;
        let message = result
            .as_ref()
            .err()
            .map(|message| format!("The external panel rejected the cancel request: {message}"));
        Some((attempt.id, message))
    });
    let now = app.clock.now();
    Ok(polling::record_cancel_responses(&mut &app.db, rows.collect(), now).await?)
}

// Store

/// Postpones the next poll of all attempts after a failed request. The error is stored in the record of the external panel, not in
/// the attempts.
async fn postpone_polls(app: &App, claimed: &[OpenAttempt], error: &PanelError) -> Result<()> {
    let now = app.clock.now();
    let next_poll_at = |attempt: &OpenAttempt| match error {
        PanelError::Paused(until) => Some(*until),
        _ => match attempt.ended_at {
            Some(ended_at) => attempt.next_poll_after_end(ended_at, now),
            None => Some(now.plus(dispatch::poll_interval_of_open_attempt(attempt.age(now), false))),
        },
    };
    let polls: Vec<(ExternalOrderId, Option<Time>)> =
        claimed.iter().map(|attempt| (attempt.id, next_poll_at(attempt))).collect();
    Ok(polling::postpone_polls(&mut &app.db, &polls).await?)
}

/// Records the losses of completed orders, calculated from the reported `remains`. Skips external panels whose delivery is measured
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
    let to_loss_count = |attempt: &OpenAttempt| {
        let status = statuses.get(&attempt.external_order_id)?.as_ref().ok()?;
        let (baseline, count) = dispatch::loss_counts(attempt.progress(), attempt.sold_quantity, status)?;
        Some(LossCount { order_id: attempt.order_id, count, baseline: Some(baseline), is_shared: false })
    };
    let counts: Vec<LossCount> =
        claimed.iter().filter(|attempt| attempt.is_refill_target).filter_map(to_loss_count).collect();
    if counts.is_empty() {
        return Ok(());
    }
    let mut work = Scope::system(app, "follow").begin().await?;
    store::lock(&mut work, &counts.iter().map(|count| count.order_id).collect::<Vec<_>>()).await?;
    losses::record_counts(&mut work, &counts, CountSource::Panel).await?;
    work.finish(()).await
}

/// Records the statuses. If an attempt has not changed, writes only the time of its next poll; otherwise writes the attempt
/// together with its order.
async fn record_statuses(
    app: &App,
    panel: &PanelConnection,
    claimed: &[OpenAttempt],
    statuses: &ResultsById<ExternalOrderStatus>,
) -> Result<()> {
    record_losses(app, panel, claimed, statuses).await?;
    let now = app.clock.now();
    let rates = ExchangeRates::load(&mut &app.db).await?;
    let results = claimed.iter().map(|attempt| {
        // The statistic type also applies to ended attempts, because without it a late status would seem to contradict their
        // result.
        let full_charge = attempt.full_charge.unwrap_or(Money::ZERO);
        let status = statuses.get(&attempt.external_order_id).cloned();
        let status = status.map(|status| {
            status.map(|status| {
                apply_statistic_type(panel.statistic_type, attempt.quantity, full_charge, status)
            })
        });
        PollResult::from_response(attempt, status.as_ref(), &rates, panel, now)
    });
    let (changed_results, unchanged_results): (Vec<PollResult>, Vec<PollResult>) =
        results.partition(PollResult::has_changes);
    let polls: Vec<(ExternalOrderId, Option<Time>)> =
        unchanged_results.iter().map(|result| (result.attempt.id, result.due_at)).collect();
    polling::postpone_polls(&mut &app.db, &polls).await?;
    if changed_results.is_empty() {
        return Ok(());
    }
    let mut work = Scope::system(app, "follow").begin().await?;
    write_results(&mut work, &changed_results).await?;
    work.finish(()).await
}

async fn write_results(work: &mut UnitOfWork, results: &[PollResult<'_>]) -> Result<()> {
    let mut order_ids: Vec<OrderId> = results.iter().map(|result| result.attempt.order_id).collect();
    order_ids.sort_unstable();
    order_ids.dedup();
    store::lock(work, &order_ids).await?;
    let written_ids = write_attempts(work, results).await?;
    let results: Vec<&PollResult> =
        results.iter().filter(|result| written_ids.contains(&result.attempt.id)).collect();
    book_deliveries(work, &results).await?;
    let mut ids_to_dispatch: Vec<OrderId> =
        results.iter().filter(|result| result.is_over()).map(|result| result.attempt.order_id).collect();
    ids_to_dispatch.sort_unstable();
    ids_to_dispatch.dedup();
    dispatch_orders(work, &ids_to_dispatch).await
}

/// Updates the attempts whose stored state is still the state at the time of the poll, and returns the ids of the updated attempts.
async fn write_attempts(work: &mut UnitOfWork, results: &[PollResult<'_>]) -> Result<Vec<ExternalOrderId>> {
    // Most results do not change the columns by which lists filter, and such updates are cheaper.
    let (list_changes, other_changes): (Vec<&PollResult>, Vec<&PollResult>) =
        results.iter().partition(|result| result.changes_list_columns());
    let now = work.now;
    let to_reports = |results: &[&PollResult]| {
        results.iter().map(|result| to_status_report(result, now)).collect::<Vec<_>>()
    };
    Ok(polling::record_reports(work, &to_reports(&list_changes), &to_reports(&other_changes), now).await?)
}

/// The columns to update for a [`PollResult`].
fn to_status_report(result: &PollResult<'_>, now: Time) -> StatusReport {
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
        response: result.response.clone(),
        due_at: result.due_at,
        ended_at: attempt.ended_at.or(result.is_over().then_some(now)),
    }
}

/// Adds the delivered quantity and the cost to the orders and to the provider statistics of the current day.
async fn book_deliveries(work: &mut UnitOfWork, results: &[&PollResult<'_>]) -> Result<()> {
    let (now, day) = (work.now, work.now.day());
    let mut totals_by_order: BTreeMap<OrderId, (i64, i64, Option<i64>)> = BTreeMap::new();
    let mut totals_by_provider: BTreeMap<(OrderId, ProviderId), (i64, i64)> = BTreeMap::new();
    for result in results {
        let (cost, quantity) = (result.additional_cost(), result.additional_quantity());
        let start_count = result.update.as_ref().and_then(|update| update.progress.start_count);
        let (order_cost, order_quantity, order_start_count) =
            totals_by_order.entry(result.attempt.order_id).or_default();
        *order_cost += cost;
        *order_quantity += quantity;
        *order_start_count = dispatch::merge_start_count(*order_start_count, start_count);
        if cost != 0 || quantity != 0 {
            let key = (result.attempt.order_id, result.attempt.provider_id);
            let (provider_cost, provider_quantity) = totals_by_provider.entry(key).or_default();
            *provider_cost += cost;
            *provider_quantity += quantity;
        }
    }
    let deliveries: Vec<Delivery> = totals_by_order
        .into_iter()
        .map(|(id, (cost, quantity, start_count))| Delivery { id, cost: Money(cost), quantity, start_count })
        .collect();
    record_deliveries(work, &deliveries, now).await?;
    if totals_by_provider.is_empty() {
        return Ok(());
    }
    let rows = totals_by_provider.into_iter().map(|((order, provider), (cost, quantity))| {
        vec![order.into(), provider.into(), cost.into(), quantity.into()]
    });
    let sql = Sql::new(
        "INSERT INTO provider_statistics (order_id, provider_id, day, cost, quantity)
         SELECT r.order_id, r.provider_id, CAST(? AS BIGINT), r.cost, r.quantity FROM ",
    );
    let sql = sql.bind(day).rows("r", &["order_id", "provider_id", "cost", "quantity"], rows.collect());
    work.execute(sql.push(
        " WHERE TRUE ON CONFLICT (order_id, provider_id, day) DO UPDATE SET cost = provider_statistics.cost + excluded.cost,
          quantity = provider_statistics.quantity + excluded.quantity",
    ))
    .await?;
    Ok(())
}
