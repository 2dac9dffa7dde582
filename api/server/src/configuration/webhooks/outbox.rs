//! How events come to webhooks: written in the transaction of the change, where a webhook wants them, else not at all.

use panel_contract::ids::{WebhookDeliveryId, WebhookEventId, WebhookId};
use panel_contract::webhooks::{DeliveryStatus, EventType};
use panel_kernel::error::Result;
use serde_json::{Value, json};

use panel_platform::db::sql::hex;
use panel_platform::db::{Db, DbResult, Source, Sql, Val};
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::work::Work;

/// Deliveries of deleted webhooks that one transaction removes.
const ORPHANS: i64 = 500;

/// Active webhooks with what each is told of.
#[derive(Debug, Clone, Default)]
pub struct Wanted(Vec<(WebhookId, Vec<EventType>)>);

/// Something that happened.
#[derive(Debug, Clone)]
pub struct Event {
    /// What.
    pub kind: EventType,
    /// The record as the API shows it.
    pub data: Value,
}

impl Wanted {
    /// Whether a webhook is told of any of these.
    #[must_use]
    pub fn any(&self, kinds: &[EventType]) -> bool {
        kinds.iter().any(|kind| self.by(*kind).next().is_some())
    }

    fn by(&self, kind: EventType) -> impl Iterator<Item = WebhookId> {
        self.0.iter().filter(move |(_, types)| types.contains(&kind)).map(|(id, _)| *id)
    }
}

impl Event {
    /// Of a record, as lists show it. What the caller may do with it is nobody else's business.
    pub fn of<T: serde::Serialize>(kind: EventType, record: &T, previous_status: Option<&str>) -> Self {
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

/// Which webhooks there are to tell: one short statement a transaction, however often it is asked.
pub async fn wanted(work: &mut Work) -> Result<Wanted> {
    if let Some(known) = work.cached::<Wanted>() {
        return Ok(known);
    }
    let sql = Sql::new("SELECT id, types FROM webhooks WHERE is_active = TRUE ORDER BY id");
    let rows: Vec<(WebhookId, String)> = work.all(sql).await?;
    let read = |(id, types): (WebhookId, String)| (id, serde_json::from_str(&types).unwrap_or_default());
    let known = Wanted(rows.into_iter().map(read).collect());
    work.cache(known.clone());
    Ok(known)
}

/// Writes events and their way to every webhook that wants them, in four statements however many they are.
pub async fn tell(work: &mut Work, events: Vec<Event>) -> Result<()> {
    let wanted = wanted(work).await?;
    let events: Vec<Event> = events.into_iter().filter(|event| wanted.any(&[event.kind])).collect();
    if events.is_empty() {
        return Ok(());
    }
    let made = write_events(work, events).await?;
    let ways = made.iter().flat_map(|(id, kind)| wanted.by(*kind).map(|webhook| (*id, webhook)));
    let ways: Vec<(WebhookEventId, WebhookId)> = ways.collect();
    let now = work.now;
    let jobs: Vec<Job> = write_deliveries(work, &ways, DeliveryStatus::Pending)
        .await?
        .into_iter()
        .map(|delivery_id| Job::Webhook { delivery_id })
        .collect();
    jobs::enqueue(work, &jobs, now).await
}

/// Writes events with their bodies, which never change again; their ids.
pub(super) async fn write_events(
    work: &mut Work,
    events: Vec<Event>,
) -> Result<Vec<(WebhookEventId, EventType)>> {
    let (now, platform) = (work.now, work.scope().platform.clone());
    let moment = chrono::DateTime::from_timestamp_micros(now.0).map(|moment| moment.to_rfc3339());
    let mut rows = Vec::with_capacity(events.len());
    for Event { kind, data } in events {
        let body = json!({ "type": kind, "timestamp": moment, "data": data });
        let message = format!("msg_{}", hex(&platform.random.bytes::<16>()));
        rows.push(vec![Val::from(message), kind.as_str().into(), body.to_string().into()]);
    }
    let sql = Sql::new(
        "INSERT INTO webhook_events (message_id, type, body, created_at) SELECT r.message_id, r.type, r.body, ? FROM ",
    )
    .bind(now)
    .rows("r", &["message_id", "type", "body"], rows);
    let mut made: Vec<(WebhookEventId, EventType)> = work.all(sql.push(" RETURNING id, type")).await?;
    made.sort_unstable_by_key(|(id, _)| *id);
    Ok(made)
}

/// Writes deliveries of an event to a webhook each; their ids.
pub(super) async fn write_deliveries(
    work: &mut Work,
    ways: &[(WebhookEventId, WebhookId)],
    status: DeliveryStatus,
) -> Result<Vec<WebhookDeliveryId>> {
    let now = work.now;
    let due = (status == DeliveryStatus::Pending).then_some(now);
    let rows = ways.iter().map(|(event, webhook)| vec![Val::from(*event), (*webhook).into()]).collect();
    let sql = Sql::new(
        "INSERT INTO webhook_deliveries (event_id, webhook_id, status, next_attempt_at, created_at) SELECT r.event_id, r.webhook_id, ?, ?, ? FROM ",
    )
    .bind(status.as_str())
    .bind(due)
    .bind(now)
    .rows("r", &["event_id", "webhook_id"], rows);
    let mut made: Vec<WebhookDeliveryId> = work
        .all::<(WebhookDeliveryId,)>(sql.push(" RETURNING id"))
        .await?
        .into_iter()
        .map(|(id,)| id)
        .collect();
    made.sort_unstable();
    Ok(made)
}

/// Removes a batch of deliveries whose webhook was deleted while another transaction wrote them, with the events that no other
/// delivery refers to; none where there are no such deliveries. Reads one entry of an index for each webhook that deliveries
/// name. Events that lost their deliveries otherwise end by their age.
pub async fn remove_orphans(mut db: &Db) -> DbResult<Option<u64>> {
    let sql = Sql::new(
        "WITH RECURSIVE named(id) AS (SELECT min(webhook_id) FROM webhook_deliveries UNION ALL
           SELECT (SELECT min(d.webhook_id) FROM webhook_deliveries d WHERE d.webhook_id > named.id) FROM named WHERE named.id IS NOT NULL)
         SELECT id FROM named WHERE id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.id = named.id) LIMIT 1",
    );
    let Some((webhook,)) = db.opt::<(WebhookId,)>(sql).await? else { return Ok(None) };
    let mut tx = db.begin().await?;
    let sql = Sql::new(
        "DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries WHERE webhook_id = ? ORDER BY id LIMIT ?)
         RETURNING event_id",
    );
    let removed: Vec<(WebhookEventId,)> = tx.all(sql.bind(webhook).bind(ORPHANS)).await?;
    let mut events: Vec<WebhookEventId> = removed.iter().map(|(event,)| *event).collect();
    events.sort_unstable();
    events.dedup();
    let sql = Sql::new("DELETE FROM webhook_events WHERE id IN ").ids(&events);
    let rest = " AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_id = webhook_events.id)";
    tx.exec(sql.push(rest)).await?;
    tx.commit().await?;
    Ok(Some(removed.len() as u64))
}
