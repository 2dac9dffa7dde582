//! SQL of webhooks. Each secret is sealed with its webhook's id as context.

use panel_contract::ids::WebhookId;
use panel_contract::moment::{Time, Timestamp};
use panel_contract::permission::Permission;
use panel_contract::webhooks::{EventType, Webhook};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use panel_domain::webhooks;
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// Maximum number of webhooks. It is low, because every event is matched against each webhook.
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

    /// Returns the record with the actions that the caller may take.
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
            notice: self.auto_disabled.as_deref().map(|reason| webhooks::disabled_notice(reason, days)),
            webhook_types: self.types().into_iter().map(webhooks::to_webhook_type).collect(),
            is_active: self.is_active,
            url: self.url,
            failing_since: self.failing_since,
            last_delivered_at: self.last_delivered_at,
            old_secret_until: self.old_secret_until.filter(|until| *until > scope.now()),
            created_at: self.created_at,
            updated_at: self.updated_at,
            actions: webhooks::actions(self.is_active, scope.has_permission(Permission::ManageWebhooks)),
        }
    }
}

/// The editable fields of a webhook, as stored and audited.
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
pub async fn load(db: &mut impl SqlExecutor, id: WebhookId) -> Result<WebhookRecord> {
    let sql = Sql::new("SELECT ").push(COLUMNS).push(" FROM webhooks w WHERE w.id = ?").bind(id);
    db.fetch_optional(sql).await?.ok_or_else(|| Error::not_found("webhook", id))
}

/// Loads and locks a webhook; 404 if there is none.
pub async fn lock(work: &mut UnitOfWork, id: WebhookId) -> Result<WebhookRecord> {
    let sql = Sql::new("SELECT ").push(COLUMNS).push(" FROM webhooks w WHERE w.id = ?").bind(id);
    work.fetch_optional(sql.for_update()).await?.ok_or_else(|| Error::not_found("webhook", id))
}

/// Inserts a webhook and returns its id.
pub async fn insert(work: &mut UnitOfWork, draft: &WebhookDraft) -> Result<WebhookId> {
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
            url: &*draft.url,
            types: json!(draft.webhook_types).to_string(),
            is_active: draft.is_active,
            now,
            timestamp,
        },
    );
    Ok(work.fetch_one::<(WebhookId,)>(sql).await?.0)
}

/// Updates a webhook. Enabling it resets its failures.
pub async fn update_row(work: &mut UnitOfWork, id: WebhookId, draft: &WebhookDraft) -> DbResult<u64> {
    let timestamp = work.timestamp();
    let sql =
        Sql::new("UPDATE webhooks SET url = ?, types = ?, is_active = ?, updated_at = ?").bind(&*draft.url);
    let mut sql = sql.bind(json!(draft.webhook_types).to_string()).bind(draft.is_active).bind(timestamp);
    if draft.is_active {
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

pub(super) fn seal_context(id: WebhookId) -> String {
    format!("webhooks|secret|{id}")
}

/// Stores a new secret, sealed. The old secret, if any, also signs until `old_secret_until`.
pub async fn store_secret(
    work: &mut UnitOfWork,
    id: WebhookId,
    secret: &str,
    old_secret_until: Option<Time>,
) -> Result<()> {
    let app = work.scope().platform.clone();
    let sealed =
        app.secrets.seal(&app.random, secret.as_bytes(), &seal_context(id)).map_err(Error::Internal)?;
    let timestamp = work.timestamp();
    let sql = Sql::new(
        "UPDATE webhooks SET old_secret_sealed = secret_sealed, old_secret_until = ?, secret_sealed = ?, updated_at = ? WHERE id = ?",
    );
    work.execute(sql.bind(old_secret_until).bind(sealed).bind(timestamp).bind(id)).await?;
    Ok(())
}
