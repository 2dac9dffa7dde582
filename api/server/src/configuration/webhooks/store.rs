//! SQL of webhooks and deliveries. Each secret is sealed with its webhook's id as context.

use panel_contract::ids::{WebhookDeliveryId, WebhookId};
use panel_contract::moment::{Time, Timestamp};
use panel_contract::permission::Permission;
use panel_contract::webhooks::{
    DeliveryStatus, EventType, Webhook, WebhookAttempt, WebhookDelivery, WebhookDeliveryActions,
};
use panel_domain::states::webhook_deliveries::{DeliveryEvent, WebhookDeliveries};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::app::App;
use panel_domain::webhooks;
use panel_platform::db::state::{StoredStates, transition};
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::status_conditions;
use panel_platform::work::UnitOfWork;

/// The largest number of webhooks. It is low, because every event is matched against each webhook.
const MAX_WEBHOOKS: i64 = 50;

pub const COLUMNS: &str = "w.id, w.url, w.types, w.is_active, w.auto_disabled, w.failing_since, w.last_delivered_at, w.old_secret_until,
  w.created_at, w.updated_at";

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct WebhookRecord {
    pub id: WebhookId,
    pub url: String,
    types: String,
    pub is_active: bool,
    auto_disabled: Option<String>,
    failing_since: Option<Time>,
    last_delivered_at: Option<Time>,
    old_secret_until: Option<Time>,
    created_at: Time,
    pub updated_at: Timestamp,
}

impl WebhookRecord {
    #[must_use]
    pub fn types(&self) -> Vec<EventType> {
        serde_json::from_str(&self.types).unwrap_or_default()
    }

    /// The record for a caller, with the actions that they may take.
    #[must_use]
    pub fn into_response(self, scope: &Scope) -> Webhook {
        let days = scope.platform.config.webhooks.disable_after_days;
        Webhook {
            id: self.id,
            secret: None,
            status: webhooks::status(
                self.is_active,
                self.auto_disabled.is_some(),
                self.failing_since.is_some(),
            ),
            notice: self.auto_disabled.as_deref().map(|reason| webhooks::notice(reason, days)),
            webhook_types: self.types().into_iter().map(webhooks::type_of).collect(),
            is_active: self.is_active,
            url: self.url,
            failing_since: self.failing_since,
            last_delivered_at: self.last_delivered_at,
            old_secret_until: self.old_secret_until.filter(|until| *until > scope.now()),
            created_at: self.created_at,
            updated_at: self.updated_at,
            actions: webhooks::actions(self.is_active, scope.may(Permission::ManageWebhooks)),
        }
    }
}

/// A webhook as it is written and audited.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct WebhookDraft {
    /// The URL that receives deliveries.
    pub url: String,
    /// Whether it receives events.
    pub is_active: bool,
    /// The subscribed event types.
    pub webhook_types: Vec<EventType>,
}

/// Loads a webhook; 404 if there is none.
pub async fn load(db: &mut impl Source, id: WebhookId) -> Result<WebhookRecord> {
    let sql = Sql::new("SELECT ").push(COLUMNS).push(" FROM webhooks w WHERE w.id = ?").bind(id);
    db.fetch_optional(sql).await?.ok_or_else(|| Error::not_found("webhook", id))
}

/// Loads and locks a webhook; 404 if there is none.
pub async fn lock(work: &mut UnitOfWork, id: WebhookId) -> Result<WebhookRecord> {
    let sql = Sql::new("SELECT ").push(COLUMNS).push(" FROM webhooks w WHERE w.id = ?").bind(id);
    work.fetch_optional(sql.for_update()).await?.ok_or_else(|| Error::not_found("webhook", id))
}

/// Inserts a webhook and returns its id.
pub async fn insert(work: &mut UnitOfWork, fields: &WebhookDraft) -> Result<WebhookId> {
    let (count,): (i64,) = work.fetch_one(Sql::new("SELECT count(*) FROM webhooks")).await?;
    if count >= MAX_WEBHOOKS {
        let message = format!(
            "The panel already has {MAX_WEBHOOKS} webhooks, and more would slow it down. Delete one first."
        );
        return Err(Error::conflict("too_many_webhooks", message));
    }
    let (now, timestamp) = (work.now, work.timestamp());
    let sql = sql!(
        "INSERT INTO webhooks (url, types, is_active, created_at, updated_at) \
           VALUES (@url, @types, @is_active, @now, @timestamp) RETURNING id",
        {
            url: &*fields.url,
            types: json!(fields.webhook_types).to_string(),
            is_active: fields.is_active,
            now,
            timestamp,
        },
    );
    Ok(work.fetch_one::<(WebhookId,)>(sql).await?.0)
}

/// Updates a webhook. Enabling it resets its failures.
pub async fn update_row(work: &mut UnitOfWork, id: WebhookId, fields: &WebhookDraft) -> DbResult<u64> {
    let timestamp = work.timestamp();
    let sql =
        Sql::new("UPDATE webhooks SET url = ?, types = ?, is_active = ?, updated_at = ?").bind(&*fields.url);
    let mut sql = sql.bind(json!(fields.webhook_types).to_string()).bind(fields.is_active).bind(timestamp);
    if fields.is_active {
        sql = sql.push(", auto_disabled = NULL, failing_since = NULL, paused_until = NULL");
    }
    work.execute(sql.push(" WHERE id = ?").bind(id)).await
}

/// Deletes a webhook and its deliveries.
pub async fn delete(work: &mut UnitOfWork, id: WebhookId) -> DbResult<()> {
    work.execute(Sql::new("DELETE FROM webhook_deliveries WHERE webhook_id = ?").bind(id)).await?;
    work.execute(Sql::new("DELETE FROM webhooks WHERE id = ?").bind(id)).await?;
    Ok(())
}

fn seal_context(id: WebhookId) -> String {
    format!("webhooks|secret|{id}")
}

/// Stores a new secret, sealed. The old secret, if any, also signs until `old_until`.
pub async fn put_secret(
    work: &mut UnitOfWork,
    id: WebhookId,
    secret: &str,
    old_until: Option<Time>,
) -> Result<()> {
    let app = work.scope().platform.clone();
    let sealed =
        app.secrets.seal(&app.random, secret.as_bytes(), &seal_context(id)).map_err(Error::Internal)?;
    let timestamp = work.timestamp();
    let sql = Sql::new(
        "UPDATE webhooks SET old_secret_sealed = secret_sealed, old_secret_until = ?, secret_sealed = ?, updated_at = ? WHERE id = ?",
    );
    work.execute(sql.bind(old_until).bind(sealed).bind(timestamp).bind(id)).await?;
    Ok(())
}

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

    /// The record for a caller, with the actions that they may take.
    #[must_use]
    pub fn into_response(self, scope: &Scope) -> WebhookDelivery {
        let can_manage = scope.may(Permission::ManageWebhooks);
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
    db: &mut impl Source,
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
    /// Since when all deliveries have failed.
    pub failing_since: Option<Time>,
    /// The last failed delivery.
    pub last_failed_at: Option<Time>,
    /// Until when deliveries pause.
    pub paused_until: Option<Time>,
    secret_sealed: Option<Vec<u8>>,
    old_secret_sealed: Option<Vec<u8>>,
    old_secret_until: Option<Time>,
}

impl DeliveryTarget {
    /// The secrets that currently sign, newest first.
    pub fn secrets(&self, app: &App, id: WebhookId, now: Time) -> std::result::Result<Vec<String>, String> {
        let old = self
            .old_secret_sealed
            .as_ref()
            .filter(|_| self.old_secret_until.is_some_and(|until| until > now));
        let sealed = self.secret_sealed.iter().chain(old);
        let open = |sealed: &Vec<u8>| {
            let plain_text = app.secrets.open(sealed, &seal_context(id))?;
            String::from_utf8(plain_text).map_err(|error| error.to_string())
        };
        sealed.map(open).collect()
    }
}

/// Loads the target of a webhook's deliveries; `None` if the webhook was deleted.
pub async fn load_delivery_target(db: &mut impl Source, id: WebhookId) -> DbResult<Option<DeliveryTarget>> {
    let sql = Sql::new(
        "SELECT url, is_active, failing_since, last_failed_at, paused_until, secret_sealed, old_secret_sealed, old_secret_until FROM webhooks WHERE id = ?",
    );
    db.fetch_optional(sql.bind(id)).await
}

/// Loads a delivery by its id only; `None` if it was deleted.
pub async fn load_delivery_by_id(
    db: &mut impl Source,
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
pub async fn give_up(mut db: &panel_platform::db::Db, id: WebhookDeliveryId, error: &str) -> DbResult<()> {
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

/// Records a failed delivery. The webhook's series of failures continues if its last failure is at or after
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

/// Names and email addresses of at most 50 active staff members who may manage webhooks.
pub async fn webhook_managers(work: &mut UnitOfWork) -> DbResult<Vec<(String, String)>> {
    let sql = Sql::new(
        "SELECT u.name, u.email FROM users u WHERE u.status = 'active' AND u.id IN (
           SELECT up.user_id FROM user_permissions up WHERE up.permission = 'manage webhooks'
           UNION SELECT ur.user_id FROM user_roles ur JOIN role_permissions rp ON rp.role_id = ur.role_id WHERE rp.permission = 'manage webhooks')
         ORDER BY u.id LIMIT 50",
    );
    work.fetch_all(sql).await
}
