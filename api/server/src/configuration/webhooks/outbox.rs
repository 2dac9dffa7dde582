//! The outbox of webhooks: writes an event in the transaction of its change, if any active webhook subscribes to it.

use panel_contract::ids::{WebhookDeliveryId, WebhookEventId, WebhookId};
use panel_contract::webhooks::{DeliveryStatus, EventType};
use panel_kernel::error::Result;
use serde_json::{Value, json};

use panel_platform::db::sql::hex;
use panel_platform::db::{Db, DbResult, Sql, SqlExecutor, Val};
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::work::UnitOfWork;

/// Maximum number of deliveries of a deleted webhook that one transaction deletes.
const ORPHAN_BATCH_SIZE: i64 = 500;

/// The active webhooks with their event types.
#[derive(Debug, Clone, Default)]
pub struct Subscriptions(Vec<(WebhookId, Vec<EventType>)>);

/// An event to publish.
#[derive(Debug, Clone)]
pub struct WebhookEvent {
    pub kind: EventType,
    /// The record as the API returns it, without `actions`.
    pub data: Value,
}

impl Subscriptions {
    /// Whether a webhook subscribes to any of these event types.
    #[must_use]
    pub fn include_any(&self, event_types: &[EventType]) -> bool {
        event_types.iter().any(|event_type| self.subscribers_of(*event_type).next().is_some())
    }

    fn subscribers_of(&self, event_type: EventType) -> impl Iterator<Item = WebhookId> {
        self.0.iter().filter(move |(_, types)| types.contains(&event_type)).map(|(id, _)| *id)
    }
}

impl WebhookEvent {
    /// Builds the event of a record. It omits `actions`, which depend on the caller's permissions.
    pub fn for_record<T: serde::Serialize>(
        kind: EventType,
        record: &T,
        previous_status: Option<&str>,
    ) -> Self {
        let mut data = json!(record);
        if let Some(fields) = data.as_object_mut() {
            fields.remove("actions");
            if let Some(previous) = previous_status {
                fields.insert("previous_status".into(), json!(previous));
            }
        }
        Self { kind, data }
    }
}

/// Loads the subscriptions: read by one short statement per transaction and then cached in it.
pub async fn load_subscriptions(work: &mut UnitOfWork) -> Result<Subscriptions> {
    if let Some(subscriptions) = work.cached::<Subscriptions>() {
        return Ok(subscriptions);
    }
    let sql = Sql::new("SELECT id, types FROM webhooks WHERE is_active = TRUE ORDER BY id");
    let rows: Vec<(WebhookId, String)> = work.fetch_all(sql).await?;
    let parse_row = |(id, types): (WebhookId, String)| (id, serde_json::from_str(&types).unwrap_or_default());
    let subscriptions = Subscriptions(rows.into_iter().map(parse_row).collect());
    work.cache(subscriptions.clone());
    Ok(subscriptions)
}

/// Writes events and their deliveries to all subscribed webhooks, in four statements for any number of events.
pub async fn publish(work: &mut UnitOfWork, events: Vec<WebhookEvent>) -> Result<()> {
    let subscriptions = load_subscriptions(work).await?;
    let events: Vec<WebhookEvent> =
        events.into_iter().filter(|event| subscriptions.include_any(&[event.kind])).collect();
    if events.is_empty() {
        return Ok(());
    }
    let inserted_events = write_events(work, events).await?;
    let targets = inserted_events
        .iter()
        .flat_map(|(id, kind)| subscriptions.subscribers_of(*kind).map(|webhook| (*id, webhook)));
    let targets: Vec<(WebhookEventId, WebhookId)> = targets.collect();
    let now = work.now;
    let jobs: Vec<Job> = write_deliveries(work, &targets, DeliveryStatus::Pending)
        .await?
        .into_iter()
        .map(|delivery_id| Job::Webhook { delivery_id })
        .collect();
    jobs::enqueue(work, &jobs, now).await
}

/// Inserts events with their final bodies and returns their ids.
pub(super) async fn write_events(
    work: &mut UnitOfWork,
    events: Vec<WebhookEvent>,
) -> Result<Vec<(WebhookEventId, EventType)>> {
    let (now, platform) = (work.now, work.scope().platform.clone());
    let timestamp = chrono::DateTime::from_timestamp_micros(now.0).map(|timestamp| timestamp.to_rfc3339());
    let mut rows = Vec::with_capacity(events.len());
    for WebhookEvent { kind, data } in events {
        let body = json!({ "type": kind, "timestamp": timestamp, "data": data });
        let message = format!("msg_{}", hex(&platform.random.bytes::<16>()));
        rows.push(vec![Val::from(message), kind.as_str().into(), body.to_string().into()]);
    }
    let sql = Sql::new(
        "INSERT INTO webhook_events (message_id, type, body, created_at) SELECT r.message_id, r.type, r.body, ? FROM ",
    )
    .bind(now)
    .rows("r", &["message_id", "type", "body"], rows);
    let mut inserted_events: Vec<(WebhookEventId, EventType)> =
        work.fetch_all(sql.push(" RETURNING id, type")).await?;
    inserted_events.sort_unstable_by_key(|(id, _)| *id);
    Ok(inserted_events)
}

/// Inserts one delivery per event and webhook and returns their ids.
pub(super) async fn write_deliveries(
    work: &mut UnitOfWork,
    targets: &[(WebhookEventId, WebhookId)],
    status: DeliveryStatus,
) -> Result<Vec<WebhookDeliveryId>> {
    let now = work.now;
    let next_attempt_at = (status == DeliveryStatus::Pending).then_some(now);
    let rows = targets.iter().map(|(event, webhook)| vec![Val::from(*event), (*webhook).into()]).collect();
    let sql = Sql::new(
        "INSERT INTO webhook_deliveries (event_id, webhook_id, status, next_attempt_at, created_at) SELECT r.event_id, r.webhook_id, ?, ?, ? FROM ",
    )
    .bind(status.as_str())
    .bind(next_attempt_at)
    .bind(now)
    .rows("r", &["event_id", "webhook_id"], rows);
    let mut delivery_ids: Vec<WebhookDeliveryId> = work
        .fetch_all::<(WebhookDeliveryId,)>(sql.push(" RETURNING id"))
        .await?
        .into_iter()
        .map(|(id,)| id)
        .collect();
    delivery_ids.sort_unstable();
    Ok(delivery_ids)
}

/// Deletes a batch of deliveries whose webhook was deleted while another transaction inserted them, and the events without other
/// deliveries. Returns the number of deleted deliveries, or `None` if there were none. It reads one index entry per webhook with
/// deliveries. Other events without deliveries are deleted by their age.
pub async fn remove_orphans(mut db: &Db) -> DbResult<Option<u64>> {
    let sql = Sql::new(
        "WITH RECURSIVE webhook_ids(id) AS (SELECT min(webhook_id) FROM webhook_deliveries UNION ALL
           SELECT (SELECT min(d.webhook_id) FROM webhook_deliveries d WHERE d.webhook_id > webhook_ids.id) FROM webhook_ids WHERE webhook_ids.id IS NOT NULL)
         SELECT id FROM webhook_ids WHERE id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.id = webhook_ids.id) LIMIT 1",
    );
    let Some((webhook,)) = db.fetch_optional::<(WebhookId,)>(sql).await? else { return Ok(None) };
    let mut tx = db.begin().await?;
    let sql = Sql::new(
        "DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries WHERE webhook_id = ? ORDER BY id LIMIT ?)
         RETURNING event_id",
    );
    let deleted_deliveries: Vec<(WebhookEventId,)> =
        tx.fetch_all(sql.bind(webhook).bind(ORPHAN_BATCH_SIZE)).await?;
    let mut event_ids: Vec<WebhookEventId> = deleted_deliveries.iter().map(|(event,)| *event).collect();
    event_ids.sort_unstable();
    event_ids.dedup();
    let sql = Sql::new("DELETE FROM webhook_events WHERE id IN ").ids(&event_ids);
    let without_delivery_sql =
        " AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_id = webhook_events.id)";
    tx.execute(sql.push(without_delivery_sql)).await?;
    tx.commit().await?;
    Ok(Some(deleted_deliveries.len() as u64))
}
