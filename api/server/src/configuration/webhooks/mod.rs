//! Webhooks: others are told what happens here, by the Standard Webhooks scheme. Secrets go out once and never again.

pub mod deliver;
pub mod outbox;
pub mod store;

use std::time::Duration;

use axum::response::Response;
use panel_contract::common::Data;
use panel_contract::endpoint::NoBody;
use panel_contract::endpoints::webhooks::{
    CreateWebhook, DeleteWebhook, ListWebhookDeliveries, ListWebhookTypes, ListWebhooks, RedeliverWebhook,
    RotateWebhookSecret, TestWebhook, UpdateWebhook,
};
use panel_contract::ids::{WebhookEventId, WebhookId};
use panel_contract::moment::{DAY, Time};
use panel_contract::webhooks::{
    DeliveryStatus, EventType, Webhook, WebhookDelivery, WebhookInput, WebhookType,
};
use panel_domain::webhooks;
use panel_kernel::error::{Error, Result};
use panel_kernel::wrong_fields::WrongFields;
use serde_json::{Value, json};

use crate::auth::confirmation;
use crate::configuration::webhooks::outbox::Event;
use crate::configuration::webhooks::store::{Delivery, Fields, Record};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::http::lists;
use crate::records::undo;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::audit::restore::Snapshot;
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::outbound::{OutboundError, secret_stays};
use panel_platform::table::{Arm, Index, Join, RowSource, Table, expr};
use panel_platform::work::Work;

/// How long the secret before a rotation signs as well.
const OVERLAP: Duration = DAY;

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListWebhooks, _, _>(&WEBHOOKS, |record: Record, ctx| record.shown(ctx))
        .on::<CreateWebhook, _, _, _>(create)
        .on::<UpdateWebhook, _, _, _>(update)
        .on::<DeleteWebhook, _, _, _>(delete)
        .on::<ListWebhookTypes, _, _, _>(types)
        .on::<TestWebhook, _, _, _>(test)
        .on::<RotateWebhookSecret, _, _, _>(rotate)
        .raw::<ListWebhookDeliveries, _, _>(deliveries)
        .described_by::<ListWebhookDeliveries>(&DELIVERIES)
        .on::<RedeliverWebhook, _, _, _>(redeliver)
}

static URLS: Index = Index::rows("webhooks", &["url"]);

/// All webhooks, newest first.
pub static WEBHOOKS: Table = Table::new(
    &panel_contract::lists::webhooks::WEBHOOKS,
    RowSource { base: "webhooks", alias: "w", key: "w.id", select: store::COLUMNS, ..RowSource::NONE },
    &[expr("status", STATUS), expr("webhook_types", "w.types")],
)
.common_search(&[Arm::new("w.id", &URLS, "url").here(&["w.url"])]);

/// As `webhooks::status` says it.
const STATUS: &str =
    "(CASE WHEN w.is_active AND w.failing_since IS NOT NULL THEN 'failing' WHEN w.is_active THEN 'active'
  WHEN w.switched_off IS NOT NULL THEN 'switched_off' ELSE 'disabled' END)";

static MESSAGES: Index = Index::trigrams("webhook_events", &["message_id"]);

/// What was sent to a webhook, newest first.
pub static DELIVERIES: Table = Table::new(
    &panel_contract::lists::webhooks::WEBHOOK_DELIVERIES,
    RowSource {
        base: "webhook_deliveries",
        alias: "d",
        key: "d.id",
        joins: &[
            Join { alias: "e", sql: "JOIN webhook_events e ON e.id = d.event_id" },
            Join { alias: "w", sql: "JOIN webhooks w ON w.id = d.webhook_id" },
        ],
        select: store::DELIVERY_COLUMNS,
        ..RowSource::NONE
    },
    &[
        expr("message_id", "e.message_id").join("e"),
        expr("type", "e.type").join("e"),
        expr("body", "e.body").join("e"),
    ],
)
.common_search(&[Arm::new("d.event_id", &MESSAGES, "message_id")]);

async fn types(_ctx: Ctx, _req: Req<ListWebhookTypes>) -> Result<Data<Vec<WebhookType>>> {
    Ok(Data { data: EventType::CHOICES.iter().map(|kind| webhooks::type_of(*kind)).collect() })
}

/// The address of an input as it is called, after everything that the input says was checked.
async fn checked(ctx: &Ctx, input: &WebhookInput, is_new: bool) -> Result<Option<String>> {
    let mut wrong = WrongFields::default();
    wrong.note(webhooks::check(input, is_new))?;
    let url = match &input.url {
        Some(url) => wrong.note(callable(ctx, url).await)?,
        None => None,
    };
    wrong.or(url)
}

async fn create(ctx: Ctx, req: Req<CreateWebhook>) -> Result<Data<Webhook>> {
    let input = &req.body;
    let url = checked(&ctx, input, true).await?;
    let fields = Fields {
        url: url.unwrap_or_default(),
        is_active: input.is_active.unwrap_or(true),
        webhook_types: webhooks::settled(input.webhook_types.as_deref().unwrap_or_default()),
    };
    let mut work = ctx.begin().await?;
    let id = store::insert(&mut work, &fields).await?;
    let secret = new_secret(&mut work, id, None).await?;
    audited(&mut work, "webhook.created", id, json!({}), json!(fields)).await?;
    answer(work, id, Some(secret)).await
}

async fn update(ctx: Ctx, req: Req<UpdateWebhook>) -> Result<Data<Webhook>> {
    let (id, input) = (req.path, &req.body);
    let url = checked(&ctx, input, false).await?;
    let mut work = ctx.begin().await?;
    let old = store::lock(&mut work, id).await?;
    Error::unless_newest("webhook", input.updated_at, old.updated_at)?;
    let before = Fields { url: old.url.clone(), is_active: old.is_active, webhook_types: old.types() };
    let after = Fields {
        url: url.unwrap_or_else(|| before.url.clone()),
        is_active: input.is_active.unwrap_or(before.is_active),
        webhook_types: input.webhook_types.as_deref().map_or_else(|| old.types(), webhooks::settled),
    };
    // Who receives at the former address knows the secret, and could forge events for the new one.
    let stays = secret_stays(Some(&before.url), Some(&after.url), true, false);
    if !stays {
        confirmation::require_for(&ctx)?;
    }
    if after != before {
        let is_switch = Fields { is_active: before.is_active, ..after.clone() } == before;
        let snapshot = match is_switch {
            true => undo::before(&mut work, "webhook", id).await?,
            false => Snapshot::default(),
        };
        store::write(&mut work, id, &after).await?;
        let changes = vec![Change { id: id.record(), old: json!(before), new: json!(after) }];
        undo::record(&mut work, "webhook.updated", "webhook", &snapshot, changes).await?;
    }
    if stays {
        return answer(work, id, None).await;
    }
    let secret = new_secret(&mut work, id, None).await?;
    audited(&mut work, "webhook.secret_rotated", id, json!({}), json!({ "secret": "rotated" })).await?;
    let shown = (!ctx.meta.dry_run).then_some(secret);
    answer(work, id, shown).await
}

async fn delete(ctx: Ctx, req: Req<DeleteWebhook>) -> Result<NoBody> {
    let mut work = ctx.begin().await?;
    let old = store::lock(&mut work, req.path).await?;
    store::remove(&mut work, req.path).await?;
    let before = json!({ "url": old.url, "webhook_types": old.types() });
    audited(&mut work, "webhook.deleted", req.path, before, json!({})).await?;
    work.finish(NoBody {}).await
}

async fn rotate(ctx: Ctx, req: Req<RotateWebhookSecret>) -> Result<Data<Webhook>> {
    let mut work = ctx.begin().await?;
    store::lock(&mut work, req.path).await?;
    let until = work.now.after(OVERLAP);
    let secret = new_secret(&mut work, req.path, Some(until)).await?;
    let new = json!({ "secret": "rotated", "old_secret_until": until });
    audited(&mut work, "webhook.secret_rotated", req.path, json!({}), new).await?;
    // A dry run rolls the secret back, so showing it would only mislead.
    let shown = (!ctx.meta.dry_run).then_some(secret);
    answer(work, req.path, shown).await
}

/// The event is written first, as any other, and tried at once; it is not repeated.
async fn test(ctx: Ctx, req: Req<TestWebhook>) -> Result<Data<WebhookDelivery>> {
    let mut work = ctx.begin().await?;
    let webhook = store::lock(&mut work, req.path).await?;
    let data = json!({ "webhook": { "id": webhook.id, "url": webhook.url } });
    let event = outbox::write_events(&mut work, vec![Event { kind: EventType::Test, data }]).await?;
    let ways: Vec<(WebhookEventId, WebhookId)> =
        event.iter().map(|(event, _)| (*event, webhook.id)).collect();
    // Nobody else tries it: were this process to end now, it would stand there as what it is, not delivered.
    let made = outbox::write_deliveries(&mut work, &ways, DeliveryStatus::Failed).await?;
    let id = made.first().copied();
    let id = id.ok_or_else(|| Error::Fault("a delivery was written without an id".into()))?;
    audited(&mut work, "webhook.tested", webhook.id, json!({}), json!({ "delivery_id": id })).await?;
    let written = store::delivery(&mut work, webhook.id, id).await?;
    work.finish(Data { data: written.clone().shown(&ctx) }).await?;
    if !ctx.meta.dry_run
        && let Some(receiver) = store::receiver(&mut ctx.db(), webhook.id).await?
    {
        deliver::make(&ctx.app, &written, &receiver, false).await?;
    }
    let delivery =
        if ctx.meta.dry_run { written } else { store::delivery(&mut ctx.db(), webhook.id, id).await? };
    Ok(Data { data: delivery.shown(&ctx) })
}

async fn deliveries(ctx: Ctx, req: Req<ListWebhookDeliveries>) -> Result<Response> {
    store::find(&mut ctx.db(), req.path).await?;
    let query = req.query.clone().plain("webhook_id", req.path.to_string());
    lists::answer(ctx, &DELIVERIES, &query, |record: Delivery, ctx| record.shown(ctx)).await
}

async fn redeliver(ctx: Ctx, req: Req<RedeliverWebhook>) -> Result<Data<WebhookDelivery>> {
    let (webhook, id) = req.path;
    let mut work = ctx.begin().await?;
    let of = store::lock(&mut work, webhook).await?;
    let delivery = store::delivery(&mut work, webhook, id).await?;
    webhooks::judge_redelivery(of.is_active, delivery.status)?;
    if !store::begin_anew(&mut work, id).await? {
        // Another request was faster.
        webhooks::judge_redelivery(of.is_active, DeliveryStatus::Pending)?;
    }
    let now = work.now;
    jobs::enqueue(&mut work, &[Job::Webhook { delivery_id: id }], now).await?;
    audited(&mut work, "webhook.redelivered", webhook, json!({}), json!({ "delivery_id": id })).await?;
    let data = store::delivery(&mut work, webhook, id).await?.shown(&ctx);
    work.finish(Data { data }).await
}

/// An address that may be called, as it is kept.
async fn callable(ctx: &Ctx, url: &str) -> Result<String> {
    let url = url.trim();
    match ctx.app.outbound.admits(url).await {
        Ok(url) => Ok(url.to_string()),
        Err(OutboundError::Refused(why)) => {
            let message = format!("This address may not be called: {why}.");
            Err(Error::invalid("url", "url_refused", message))
        }
        Err(error) => Err(Error::Fault(error.to_string())),
    }
}

async fn new_secret(work: &mut Work, id: WebhookId, old_until: Option<Time>) -> Result<String> {
    let secret = webhooks::secret(&work.scope().platform.random.bytes::<32>());
    store::put_secret(work, id, &secret, old_until).await?;
    Ok(secret)
}

async fn audited(work: &mut Work, event: &str, id: WebhookId, old: Value, new: Value) -> Result<()> {
    audit::record(work, event, "webhook", Change { id: id.record(), old, new }).await
}

/// The webhook; with its secret where it was just made. That one answer is not kept for a repeated call: what is
/// stored under an idempotency key has no secret in it.
async fn answer(mut work: Work, id: WebhookId, secret: Option<String>) -> Result<Data<Webhook>> {
    let ctx = work.scope().clone();
    let data = store::find(&mut work, id).await?.shown(&ctx);
    let Data { data } = work.finish(Data { data }).await?;
    Ok(Data { data: Webhook { secret, ..data } })
}
