//! Finds the due placement attempts of each external panel and claims them. Every write to an attempt is a state transition in
//! `stores::placement_attempts`.

use std::collections::HashMap;
use std::time::Duration;

use panel_contract::amount::Money;
use panel_contract::ids::{ExternalOrderId, ExternalPanelId, OrderId, ProviderId};
use panel_contract::moment::Time;
use panel_contract::orders::ExternalStatus;
use panel_contract::quarantine::Poller;
use panel_domain::dispatch::{self, AttemptProgress};
use panel_kernel::circuit_breaker::BreakerState;
use panel_kernel::error::Result;
use serde_json::json;

use super::add_order::{self, CustomerAnswer, OrderToSend, PreparedRequest};
use crate::app::App;
use crate::operations::cancel_requests::store::cancel_requested;
use crate::pricing::available::provider_is_available;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::placement_attempts::{polling, sending};
use panel_domain::reseller_protocol::responses::ServiceParameter;
use panel_platform::db::{Sql, SqlExecutor, Tx};
use panel_platform::jobs::processes;
use panel_platform::lease::declared::CLAIM_DURATION;
use panel_platform::quarantine::{self, ClaimedBatch};

/// A request must start within this time after the claim. A process that was frozen for longer may have lost the claim, and another
/// process may have started to reconcile the order.
pub(super) const REQUEST_START_TIMEOUT: Duration =
    processes::PROCESS_TIMEOUT.saturating_sub(Duration::from_secs(5));
/// An order waits this long until another external panel responds to a cancel request. Then it is sent to the next provider anyway.
const PENDING_CANCEL_TIMEOUT: Duration = Duration::from_mins(30);

/// A placement attempt that was claimed to be sent.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct UnsentAttempt {
    pub(super) id: ExternalOrderId,
    pub(super) order_id: OrderId,
    pub(super) external_panel_service_id: Option<String>,
    pub(super) service_type: Option<String>,
    pub(super) quantity: i64,
    pub(super) tries: i64,
    /// When this process claimed the attempt. Every write of a result checks that this claim is still valid.
    pub(super) claimed_at: Time,
    pub(super) link: String,
    pub(super) delivered_quantity: i64,
    /// JSON array of the parameters that the service accepts in addition to those of its type.
    pub(super) parameters: Option<String>,
    /// Whether the external panel runs the same product as this server.
    pub(super) is_same_product: bool,
    #[sqlx(skip)]
    pub(super) answers: Vec<CustomerAnswer>,
}

impl UnsentAttempt {
    /// The claim that the write of the outcome checks.
    pub(super) fn claim(&self) -> sending::Claim {
        sending::Claim { attempt_id: self.id, claimed_at: self.claimed_at }
    }

    /// Builds the request to send.
    ///
    /// # Errors One sentence that names the missing answer.
    pub(super) fn prepare_request(&self) -> Result<PreparedRequest, String> {
        let order = OrderToSend {
            link: self.link.clone(),
            quantity: self.quantity,
            delivered_quantity: self.delivered_quantity,
            answers: self.answers.clone(),
        };
        let extra_parameters = ServiceParameter::parse_stored(self.parameters.as_deref().unwrap_or_default());
        let extra_parameters: Vec<_> =
            extra_parameters.iter().filter_map(ServiceParameter::panel_parameter).collect();
        let mut prepared = add_order::prepare_request(
            self.service_type.as_deref().unwrap_or_default(),
            &extra_parameters,
            &order,
        )?;
        if self.is_same_product {
            prepared.request = prepared.request.child_id(self.order_id);
        }
        Ok(prepared)
    }
}

/// A placement attempt that an external panel accepted, claimed for a status poll.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct OpenAttempt {
    pub(super) id: ExternalOrderId,
    pub(super) order_id: OrderId,
    pub(super) provider_id: ProviderId,
    pub(super) external_order_id: String,
    pub(super) status: ExternalStatus,
    pub(super) quantity: i64,
    /// Units of the customer's order that this attempt should deliver.
    pub(super) sold_quantity: i64,
    pub(super) remains: Option<i64>,
    pub(super) start_count: Option<i64>,
    pub(super) charge: Money,
    pub(super) booked_cost: Money,
    /// The charge for the full quantity at the price at the time of sending, in the currency of the external panel.
    pub(super) full_charge: Option<Money>,
    pub(super) sent_at: Option<Time>,
    pub(super) created_at: Time,
    pub(super) missing_since: Option<Time>,
    pub(super) alert_at: Option<Time>,
    pub(super) last_error: Option<String>,
    /// Whether a cancel request exists to which the external panel has not responded yet.
    pub(super) is_cancel_pending: bool,
    /// When the attempt ended. Ended attempts are polled a few more times.
    pub(super) ended_at: Option<Time>,
    /// Whether refill requests go to this attempt: it is the last attempt that completed an order with automatic refills.
    pub(super) is_refill_target: bool,
}

impl OpenAttempt {
    pub(super) fn progress(&self) -> AttemptProgress {
        AttemptProgress {
            status: self.status,
            quantity: self.quantity,
            remains: self.remains,
            start_count: self.start_count,
            charge: self.charge,
        }
    }

    /// Returns the time of the next poll of an attempt that ended at `ended_at`; `None` if it is not polled again.
    pub(super) fn next_poll_after_end(&self, ended_at: Time, now: Time) -> Option<Time> {
        dispatch::next_late_poll(ended_at, now)
            .or_else(|| dispatch::next_loss_check(ended_at, now).filter(|_| self.is_refill_target))
    }

    pub(super) fn age(&self, now: Time) -> Duration {
        now.since(self.sent_at.unwrap_or(self.created_at))
    }
}

/// SQL conditions of the attempts that can be due. Each condition matches a partial index.
const DUE_CONDITIONS: [&str; 3] =
    [attempt_is!(open, "e"), attempt_is!(completed_or_partial, "e"), "e.status = 'Creating'"];

/// Loads the external panels with due attempts. For each panel and condition, the query reads the attempt with the earliest due
/// time in the order of the partial index. Without the ORDER BY, PostgreSQL would read all attempts of a panel without due
/// attempts.
pub(super) async fn load_panels_with_due_attempts(app: &App) -> Result<Vec<ExternalPanelId>> {
    let now = app.clock.now();
    let mut sql =
        Sql::new("SELECT x.id FROM external_panels x WHERE x.api_token_sealed IS NOT NULL AND (FALSE");
    for condition in DUE_CONDITIONS {
        sql = sql.push(
            " OR (SELECT e.due_at FROM external_panel_orders e WHERE e.external_panel_id = x.id AND e.due_at IS NOT NULL AND ",
        );
        sql = sql.push(condition).append(quarantine::claimable_condition(app, Poller::ExternalOrder, "e.id"));
        sql = sql.push(" ORDER BY e.due_at LIMIT 1) <= ?").bind(now);
    }
    let rows: Vec<(ExternalPanelId,)> = (&mut &app.db).fetch_all(sql.push(") ORDER BY x.id")).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// SQL that counts the due attempts at external panels with a closed circuit (up to a thousand per panel and condition, and ten
/// thousand in total), and selects the earliest due time. Panels whose circuit is not closed are left out, because another metric
/// reports them.
pub(super) fn backlog_sql(app: &App) -> Sql {
    let now = app.clock.now();
    let limits = app.panel_limits.snapshot(now).into_iter();
    let paused_limits = limits.filter(|limit| limit.breaker != BreakerState::Closed);
    let paused_panels: Vec<ExternalPanelId> = paused_limits.map(|limit| limit.external_panel_id).collect();
    let push_due_attempts = |sql: Sql, condition: &'static str| {
        let sql = sql.push(
            " FROM external_panel_orders e WHERE e.external_panel_id = x.id AND e.due_at IS NOT NULL AND ",
        );
        let sql = sql.push(condition).push(" AND e.due_at <= ?").bind(now);
        sql.append(quarantine::claimable_condition(app, Poller::ExternalOrder, "e.id"))
    };
    let mut sql = Sql::new(
        "SELECT CASE WHEN sum(w.due_count) > 10000 THEN 10000 ELSE CAST(COALESCE(sum(w.due_count), 0) AS BIGINT) END, min(w.oldest_due_at) FROM (",
    );
    for (index, condition) in DUE_CONDITIONS.into_iter().enumerate() {
        sql = sql.push(if index == 0 { "" } else { " UNION ALL " });
        sql = push_due_attempts(sql.push("SELECT (SELECT count(*) FROM (SELECT 1"), condition)
            .push(" ORDER BY e.due_at LIMIT 1000) d) AS due_count, ");
        sql = push_due_attempts(sql.push("(SELECT e.due_at"), condition)
            .push(" ORDER BY e.due_at LIMIT 1) AS oldest_due_at");
        sql = sql
            .push(" FROM external_panels x WHERE x.api_token_sealed IS NOT NULL AND x.id NOT IN ")
            .ids(&paused_panels);
    }
    sql.push(") w")
}

/// Claims attempts to send. From this moment until the external panel responds, it is unknown whether the external panel accepted
/// them. The transaction locks the order together with its attempt, so that a pause or a cancellation happens before or after the
/// claim, never at the same time. The claim skips an order that is paused, whose provider is disabled, whose customer requested to
/// cancel it, or that has a live attempt at another external panel with an unanswered cancel request. The claim clears the alert of
/// an earlier try, because with the alert staff would see the outcome of the new try as unknown.
pub(super) async fn claim_unsent(
    app: &App,
    panel: ExternalPanelId,
    limit: i64,
) -> Result<(Vec<UnsentAttempt>, ClaimedBatch)> {
    let now = app.clock.now();
    let select_due_sql = Sql::new(concat!(
        "SELECT e.id FROM external_panel_orders e JOIN orders o ON o.id = e.order_id JOIN providers p ON p.id = e.provider_id
         WHERE e.external_panel_id = ? AND e.due_at IS NOT NULL AND e.due_at <= ? AND ",
        attempt_is!(queued, "e"),
        " AND e.cancel_requested_at IS NULL AND o.status = 'in_processing' AND NOT ",
        cancel_requested!("o.id"),
        " AND NOT EXISTS (SELECT 1 FROM external_panel_orders q
             WHERE q.order_id = e.order_id AND q.id <> e.id AND q.cancel_requested_at > ? AND q.cancel_answered_at IS NULL AND ",
        attempt_is!(unfinished, "q"),
        ") AND ",
        provider_is_available!(),
    ));
    let select_due_sql = select_due_sql.bind(panel).bind(now).bind(now.minus(PENDING_CANCEL_TIMEOUT));
    let select_due_sql =
        select_due_sql.append(quarantine::claimable_condition(app, Poller::ExternalOrder, "e.id"));
    let select_due_sql =
        select_due_sql.push(" ORDER BY e.due_at, e.id LIMIT ?").bind(limit).for_update_skip_locked_of("o, e");
    let mut tx = app.db.begin().await?;
    let ids = sending::claim(&mut tx, select_due_sql, now.plus(CLAIM_DURATION), now).await?;
    let sql = Sql::new(
        "SELECT e.id, e.order_id, e.external_panel_service_id, k.type AS service_type, k.parameters, e.initial_quantity AS quantity,
           e.tries, e.sent_at AS claimed_at, o.url AS link, o.current_quantity AS delivered_quantity, x.type = 'socpanel' AS is_same_product
         FROM external_panel_orders e JOIN orders o ON o.id = e.order_id JOIN external_panels x ON x.id = e.external_panel_id LEFT JOIN external_panel_services k
           ON k.external_panel_id = e.external_panel_id AND k.external_panel_service_id = e.external_panel_service_id WHERE e.id IN ",
    );
    if ids.is_empty() {
        return Ok((Vec::new(), ClaimedBatch::none()));
    }
    let mut claimed: Vec<UnsentAttempt> = tx.fetch_all(sql.ids(&ids).push(" ORDER BY e.id")).await?;
    // Loaded before the commit, because no step may fail between the claim and the request.
    let answers = load_answers(&mut tx, &claimed).await?;
    for attempt in &mut claimed {
        attempt.answers = answers.get(&attempt.order_id).cloned().unwrap_or_default();
    }
    record_not_forwarded(&mut tx, &claimed).await?;
    let batch = quarantine::insert_batch(&mut tx, app, Poller::ExternalOrder, &ids).await?;
    tx.commit().await?;
    Ok((claimed, batch))
}

/// Loads the customers' answers by order.
async fn load_answers(
    tx: &mut Tx,
    claimed: &[UnsentAttempt],
) -> Result<HashMap<OrderId, Vec<CustomerAnswer>>> {
    #[derive(sqlx::FromRow)]
    struct AnswerRow {
        order_id: OrderId,
        #[sqlx(flatten)]
        answer: CustomerAnswer,
    }
    let order_ids: Vec<OrderId> = claimed.iter().map(|attempt| attempt.order_id).collect();
    let sql = Sql::new(
        "SELECT v.order_id, v.name, v.value, y.name AS target_name, t.parameter FROM order_targetable_values v JOIN targets t ON t.id = v.target_id
         JOIN target_types y ON y.id = t.target_type_id WHERE v.order_id IN ",
    );
    let rows: Vec<AnswerRow> = tx.fetch_all(sql.ids(&order_ids).push(" ORDER BY v.id")).await?;
    let mut answers: HashMap<OrderId, Vec<CustomerAnswer>> = HashMap::new();
    for row in rows {
        answers.entry(row.order_id).or_default().push(row.answer);
    }
    Ok(answers)
}

/// Records the answers for which the external panel has no parameter, so that staff see them.
async fn record_not_forwarded(tx: &mut Tx, claimed: &[UnsentAttempt]) -> Result<()> {
    let id_and_names = |attempt: &UnsentAttempt| {
        let names = attempt.prepare_request().map(|prepared| prepared.not_forwarded).unwrap_or_default();
        (!names.is_empty()).then(|| (attempt.id, json!(names).to_string()))
    };
    Ok(sending::record_not_forwarded(tx, claimed.iter().filter_map(id_and_names).collect()).await?)
}

/// Postpones unsent attempts whose order is paused or waits for another attempt to end, so that not every poll reads them. When
/// staff resume the order, its attempts become due again.
pub(super) async fn postpone_blocked(app: &App, panel: ExternalPanelId, until: Time) -> Result<()> {
    let now = app.clock.now();
    let select_due_sql = Sql::new(" AND external_panel_id = ? AND due_at IS NOT NULL AND due_at <= ?");
    let select_due_sql = select_due_sql.bind(panel).bind(now);
    let select_due_sql = select_due_sql.append(quarantine::claimable_condition(
        app,
        Poller::ExternalOrder,
        "external_panel_orders.id",
    ));
    Ok(sending::postpone_queued(&mut &app.db, select_due_sql, until).await?)
}

/// Claims up to `limit` accepted attempts for a status poll: first open attempts, then ended attempts.
pub(super) async fn claim_accepted(
    app: &App,
    panel: ExternalPanelId,
    limit: i64,
) -> Result<(Vec<OpenAttempt>, ClaimedBatch)> {
    let mut tx = app.db.begin().await?;
    let claim_open_sql = claim_sql(app, attempt_is!(open, "external_panel_orders"), panel, limit);
    let mut claimed: Vec<OpenAttempt> = tx.fetch_all(claim_open_sql).await?;
    let remaining = limit - i64::try_from(claimed.len()).unwrap_or(limit);
    if remaining > 0 {
        let claim_ended_sql =
            claim_sql(app, attempt_is!(completed_or_partial, "external_panel_orders"), panel, remaining);
        claimed.extend(tx.fetch_all::<OpenAttempt>(claim_ended_sql).await?);
    }
    claimed.sort_by_key(|attempt| attempt.id);
    let ids: Vec<ExternalOrderId> = claimed.iter().map(|attempt| attempt.id).collect();
    let batch = quarantine::insert_batch(&mut tx, app, Poller::ExternalOrder, &ids).await?;
    tx.commit().await?;
    Ok((claimed, batch))
}

fn claim_sql(app: &App, condition: &'static str, panel: ExternalPanelId, limit: i64) -> Sql {
    let now = app.clock.now();
    let select_due_sql = Sql::new(
        "SELECT id FROM external_panel_orders WHERE external_panel_id = ? AND due_at IS NOT NULL AND due_at <= ? AND ",
    );
    let select_due_sql = select_due_sql.bind(panel).bind(now).push(condition);
    let select_due_sql = select_due_sql.push(" AND external_order_id IS NOT NULL");
    let select_due_sql = select_due_sql.append(quarantine::claimable_condition(
        app,
        Poller::ExternalOrder,
        "external_panel_orders.id",
    ));
    let select_due_sql = select_due_sql.push(" ORDER BY due_at, id LIMIT ?").bind(limit);
    let sql = polling::lease_for_poll_sql(select_due_sql.for_update_skip_locked(), now.plus(CLAIM_DURATION));
    sql.push(concat!(
        " RETURNING id, order_id, provider_id, external_order_id, status, initial_quantity AS quantity,
          COALESCE(sold_quantity, initial_quantity) AS sold_quantity, remains, start_count, charge,
          booked_cost, full_charge, sent_at, created_at, missing_since, alert_at, last_error, ended_at,
          cancel_requested_at IS NOT NULL AND cancel_answered_at IS NULL AND ended_at IS NULL AS is_cancel_pending,
          ended_at IS NOT NULL AND ",
        attempt_is!(completed, "external_panel_orders"),
        " AND EXISTS (SELECT 1 FROM orders o WHERE o.id = external_panel_orders.order_id
            AND o.has_refill AND o.auto_refill_is_allowed AND NOT o.broken_pipes)
            AND NOT EXISTS (SELECT 1 FROM external_panel_orders later WHERE later.order_id = external_panel_orders.order_id AND later.id > external_panel_orders.id AND ",
        attempt_is!(completed, "later"),
        " AND later.external_panel_id IS NOT NULL AND later.external_order_id IS NOT NULL) AS is_refill_target",
    ))
}
