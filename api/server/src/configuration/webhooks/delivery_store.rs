//! SQL of webhook deliveries and of their effects on the webhook: the failure streak and the deactivation.

use panel_contract::ids::{WebhookDeliveryId, WebhookId};
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_contract::webhooks::{
    DeliveryStatus, EventType, WebhookAttempt, WebhookDelivery, WebhookDeliveryActions,
};
use panel_domain::states::webhook_deliveries::{DeliveryEvent, WebhookDeliveries};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::app::App;
use panel_domain::webhooks;
use panel_platform::db::state::{StoredStates, transition};
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::status_conditions;
use panel_platform::work::UnitOfWork;

/// The columns of [`DeliveryRecord`], over `webhook_deliveries d`, `webhook_events e` and `webhooks w`.
pub const DELIVERY_COLUMNS: &str =
    "d.id, d.webhook_id, e.message_id, e.type AS kind, d.status, d.attempts, d.response_status, d.error,
  d.next_attempt_at, d.attempted_at, d.created_at, e.body, d.log, w.is_active AS webhook_is_active";

/// A delivery as stored.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct DeliveryRecord {
    pub id: WebhookDeliveryId,
    pub webhook_id: WebhookId,
    /// The id of the message, the same for all attempts.
    pub message_id: String,
    kind: EventType,
    pub status: DeliveryStatus,
    pub attempts: i64,
    response_status: Option<i64>,
    error: Option<String>,
    next_attempt_at: Option<Time>,
    attempted_at: Option<Time>,
    created_at: Time,
    pub body: String,
    log: String,
    webhook_is_active: bool,
}

impl DeliveryRecord {
    /// The stored attempts, at most 20.
    #[must_use]
    pub fn log(&self) -> Vec<WebhookAttempt> {
        serde_json::from_str(&self.log).unwrap_or_default()
    }

    /// Returns the record with the actions that the caller may take.
    #[must_use]
    pub fn into_response(self, scope: &Scope) -> WebhookDelivery {
        let can_manage = scope.has_permission(Permission::ManageWebhooks);
        let redeliver = can_manage && webhooks::check_redelivery(self.webhook_is_active, self.status).is_ok();
        WebhookDelivery {
            id: self.id,
            webhook_id: self.webhook_id,
            kind: self.kind,
            status: self.status,
            attempts: self.attempts,
            response_status: self.response_status,
            next_attempt_at: self.next_attempt_at,
            attempted_at: self.attempted_at,
            created_at: self.created_at,
            log: self.log(),
            actions: WebhookDeliveryActions { redeliver },
            message_id: self.message_id,
            error: self.error,
            body: self.body,
        }
    }
}

/// Loads a delivery of a webhook; 404 if there is none.
pub async fn load_delivery(
    db: &mut impl SqlExecutor,
    webhook: WebhookId,
    id: WebhookDeliveryId,
) -> Result<DeliveryRecord> {
    let sql = Sql::new("SELECT ")
        .push(DELIVERY_COLUMNS)
        .push(" FROM webhook_deliveries d JOIN webhook_events e ON e.id = d.event_id JOIN webhooks w ON w.id = d.webhook_id WHERE d.id = ? AND d.webhook_id = ?");
    db.fetch_optional(sql.bind(id).bind(webhook)).await?.ok_or_else(|| Error::not_found("delivery", id))
}

/// How the states of a delivery are stored.
pub const DELIVERIES: StoredStates<WebhookDeliveries> = StoredStates {
    table: "webhook_deliveries",
    conditions: status_conditions!(
        "webhook_deliveries.status",
        DeliveryStatus::Pending => "pending",
        DeliveryStatus::Delivered => "delivered",
        DeliveryStatus::Failed => "failed",
    ),
};

/// Restarts a finished delivery; false if it is still pending.
pub async fn restart_delivery(work: &mut UnitOfWork, id: WebhookDeliveryId) -> DbResult<bool> {
    let now = work.now;
    let sql = Sql::new(
        "UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_attempt_at = ? WHERE id = ?",
    );
    let sql = sql.bind(now).bind(id).append(DELIVERIES.condition_for(DeliveryEvent::Redeliver));
    Ok(transition(work, sql).await?.is_applied())
}

/// The webhook's fields that an attempt needs.
#[derive(Debug, sqlx::FromRow)]
pub struct DeliveryTarget {
    pub url: String,
    /// Whether it receives events.
    pub is_active: bool,
    /// Start of the current series of failed deliveries.
    pub failing_since: Option<Time>,
    /// Time of the last failed delivery.
    pub last_failed_at: Option<Time>,
    /// End of the pause of deliveries.
    pub paused_until: Option<Time>,
    secret_sealed: Option<Vec<u8>>,
    old_secret_sealed: Option<Vec<u8>>,
    old_secret_until: Option<Time>,
}

impl DeliveryTarget {
    /// Decrypts the secrets that currently sign, newest first.
    pub fn open_secrets(
        &self,
        app: &App,
        id: WebhookId,
        now: Time,
    ) -> std::result::Result<Vec<String>, String> {
        let old_secret = self
            .old_secret_sealed
            .as_ref()
            .filter(|_| self.old_secret_until.is_some_and(|until| until > now));
        let sealed_secrets = self.secret_sealed.iter().chain(old_secret);
        let open_secret = |sealed: &Vec<u8>| {
            let secret_bytes = app.secrets.open(sealed, &super::store::seal_context(id))?;
            String::from_utf8(secret_bytes).map_err(|error| error.to_string())
        };
        sealed_secrets.map(open_secret).collect()
    }
}

/// Loads the target of a webhook's deliveries; `None` if the webhook was deleted.
pub async fn load_delivery_target(
    db: &mut impl SqlExecutor,
    id: WebhookId,
) -> DbResult<Option<DeliveryTarget>> {
    let sql = Sql::new(
        "SELECT url, is_active, failing_since, last_failed_at, paused_until, secret_sealed, old_secret_sealed, old_secret_until FROM webhooks WHERE id = ?",
    );
    db.fetch_optional(sql.bind(id)).await
}

/// Loads a delivery by its id only; `None` if it was deleted.
pub async fn load_delivery_by_id(
    db: &mut impl SqlExecutor,
    id: WebhookDeliveryId,
) -> DbResult<Option<DeliveryRecord>> {
    let sql = Sql::new("SELECT ")
        .push(DELIVERY_COLUMNS)
        .push(" FROM webhook_deliveries d JOIN webhook_events e ON e.id = d.event_id JOIN webhooks w ON w.id = d.webhook_id WHERE d.id = ?");
    db.fetch_optional(sql.bind(id)).await
}

/// The outcome of an attempt.
#[derive(Debug, Clone)]
pub struct AttemptOutcome {
    /// The delivery's new status.
    pub status: DeliveryStatus,
    pub attempt: WebhookAttempt,
    /// The time of the next attempt, if any.
    pub next_attempt_at: Option<Time>,
}

/// Records an attempt if the delivery's number of attempts is still `delivery.attempts`, so that a job that runs twice counts once.
/// Returns the number of changed rows.
pub async fn write_attempt(
    work: &mut UnitOfWork,
    delivery: &DeliveryRecord,
    outcome: &AttemptOutcome,
) -> DbResult<u64> {
    let mut log = delivery.log();
    log.push(outcome.attempt.clone());
    let first_stored_index = log.len().saturating_sub(20);
    let attempt = &outcome.attempt;
    let sql = sql!(
        "UPDATE webhook_deliveries SET status = @status, attempts = @attempts, response_status = @response_status, \
           error = @error, log = @log, next_attempt_at = @next_attempt_at, attempted_at = @attempted_at
         WHERE id = @id AND attempts = @known_attempts",
        {
            status: outcome.status.as_str(),
            attempts: delivery.attempts + 1,
            response_status: attempt.status,
            error: attempt.error.clone(),
            log: json!(log[first_stored_index..]).to_string(),
            next_attempt_at: outcome.next_attempt_at,
            attempted_at: attempt.at,
            id: delivery.id,
            known_attempts: delivery.attempts,
        },
    );
    work.execute(sql).await
}

/// Marks a delivery as failed without an attempt.
pub async fn mark_failed(
    mut db: &panel_platform::db::Db,
    id: WebhookDeliveryId,
    error: &str,
) -> DbResult<()> {
    let sql = Sql::new(
        "UPDATE webhook_deliveries SET status = 'failed', error = ?, next_attempt_at = NULL WHERE id = ?",
    );
    let sql = sql.bind(error).bind(id).append(DELIVERIES.condition_for(DeliveryEvent::GiveUp));
    transition(&mut db, sql).await?.ignore_superseded();
    Ok(())
}

/// Resets the webhook's failures after a successful delivery.
pub async fn record_success(work: &mut UnitOfWork, webhook: WebhookId) -> DbResult<()> {
    let now = work.now;
    let sql = Sql::new(
        "UPDATE webhooks SET failing_since = NULL, paused_until = NULL, last_delivered_at = ? WHERE id = ?",
    );
    work.execute(sql.bind(now).bind(webhook)).await?;
    Ok(())
}

/// Records a failed delivery. The webhook's series of failures continues if its last failure was at or after
/// `failure_streak_cutoff`.
pub async fn record_failure(
    work: &mut UnitOfWork,
    webhook: WebhookId,
    failure_streak_cutoff: Time,
    paused_until: Option<Time>,
) -> DbResult<()> {
    let now = work.now;
    let sql = sql!(
        "UPDATE webhooks SET failing_since = CASE WHEN last_failed_at >= @failure_streak_cutoff THEN COALESCE(failing_since, \
           @now) ELSE @now END, last_failed_at = @now,
           paused_until = COALESCE(@paused_until, paused_until) WHERE id = @webhook",
        { failure_streak_cutoff, now, paused_until, webhook },
    );
    work.execute(sql).await?;
    Ok(())
}

/// Disables a webhook; false if it already was disabled.
pub async fn disable_webhook(work: &mut UnitOfWork, webhook: WebhookId, reason: &str) -> DbResult<bool> {
    let timestamp = work.timestamp();
    let sql = Sql::new(
        "UPDATE webhooks SET is_active = FALSE, auto_disabled = ?, updated_at = ? WHERE id = ? AND is_active = TRUE",
    );
    Ok(work.execute(sql.bind(reason).bind(timestamp).bind(webhook)).await? == 1)
}

/// Loads names and email addresses of at most 50 active staff members who may manage webhooks.
pub async fn load_webhook_managers(work: &mut UnitOfWork) -> DbResult<Vec<(String, String)>> {
    let sql = Sql::new(
        "SELECT u.name, u.email FROM users u WHERE u.status = 'active' AND u.id IN (
           SELECT up.user_id FROM user_permissions up WHERE up.permission = 'manage webhooks'
           UNION SELECT ur.user_id FROM user_roles ur JOIN role_permissions rp ON rp.role_id = ur.role_id WHERE rp.permission = 'manage webhooks')
         ORDER BY u.id LIMIT 50",
    );
    work.fetch_all(sql).await
}
