//! Webhooks according to the Standard Webhooks specification: the panel publishes events to the URLs of other systems. A secret
//! is shown once, when it is created.

pub mod deliver;
pub mod delivery_store;
pub mod outbox;
pub mod store;

use std::time::Duration;

use axum::response::Response;
use panel_contract::common::Data;
use panel_contract::endpoint::EmptyBody;
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
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde_json::{Value, json};

use crate::auth::confirmation;
use crate::configuration::webhooks::delivery_store::DeliveryRecord;
use crate::configuration::webhooks::outbox::WebhookEvent;
use crate::configuration::webhooks::store::{WebhookDraft, WebhookRecord};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::http::lists;
use crate::records::undo;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::audit::restore::Snapshot;
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::outbound::{OutboundError, may_keep_secret};
use panel_platform::table::{Join, RowSource, SearchTarget, Table, TextIndex, expr};
use panel_platform::work::UnitOfWork;

/// How long deliveries are also signed with the old secret after a rotation.
const OLD_SECRET_LIFETIME: Duration = DAY;

pub fn routes(api: Api) -> Api {
    api.list_route::<ListWebhooks, _, _>(&WEBHOOKS, |record: WebhookRecord, ctx| record.into_response(ctx))
        .route::<CreateWebhook, _, _, _>(create_webhook)
        .route::<UpdateWebhook, _, _, _>(update_webhook)
        .route::<DeleteWebhook, _, _, _>(delete_webhook)
        .route::<ListWebhookTypes, _, _, _>(list_types)
        .route::<TestWebhook, _, _, _>(test_webhook)
        .route::<RotateWebhookSecret, _, _, _>(rotate_secret)
        .route_with_response::<ListWebhookDeliveries, _, _>(list_deliveries)
        .describe_list::<ListWebhookDeliveries>(&DELIVERIES)
        .route::<RedeliverWebhook, _, _, _>(redeliver)
}

static URL_INDEX: TextIndex = TextIndex::rows("webhooks", &["url"]);

/// All webhooks, newest first.
pub static WEBHOOKS: Table = Table::new(
    &panel_contract::lists::webhooks::WEBHOOKS,
    RowSource { base: "webhooks", alias: "w", key: "w.id", select: store::COLUMNS, ..RowSource::NONE },
    &[expr("status", STATUS), expr("webhook_types", "w.types")],
)
.global_search(&[SearchTarget::new("w.id", &URL_INDEX, "url").own_columns(&["w.url"])]);

/// The SQL of `webhooks::status`.
const STATUS: &str =
    "(CASE WHEN w.is_active AND w.failing_since IS NOT NULL THEN 'failing' WHEN w.is_active THEN 'active'
  WHEN w.auto_disabled IS NOT NULL THEN 'auto_disabled' ELSE 'disabled' END)";

static MESSAGE_INDEX: TextIndex = TextIndex::trigrams("webhook_events", &["message_id"]);

/// The deliveries of a webhook, newest first.
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
        select: delivery_store::DELIVERY_COLUMNS,
        ..RowSource::NONE
    },
    &[
        expr("message_id", "e.message_id").join("e"),
        expr("type", "e.type").join("e"),
        expr("body", "e.body").join("e"),
    ],
)
.global_search(&[SearchTarget::new("d.event_id", &MESSAGE_INDEX, "message_id")]);

async fn list_types(_ctx: Ctx, _req: Req<ListWebhookTypes>) -> Result<Data<Vec<WebhookType>>> {
    Ok(Data {
        data: EventType::SUBSCRIBABLE_TYPES.iter().map(|kind| webhooks::to_webhook_type(*kind)).collect(),
    })
}

/// Validates an input and returns its normalized URL, if it has one.
async fn validate_input(ctx: &Ctx, input: &WebhookInput, is_new: bool) -> Result<Option<String>> {
    let mut field_errors = FieldErrorCollector::default();
    field_errors.collect(webhooks::validate_input(input, is_new))?;
    let url = match &input.url {
        Some(url) => field_errors.collect(check_url(ctx, url).await)?,
        None => None,
    };
    field_errors.into_result(url)
}

async fn create_webhook(ctx: Ctx, req: Req<CreateWebhook>) -> Result<Data<Webhook>> {
    let input = &req.body;
    let url = validate_input(&ctx, input, true).await?;
    let draft = WebhookDraft {
        url: url.unwrap_or_default(),
        is_active: input.is_active.unwrap_or(true),
        webhook_types: webhooks::normalize_types(input.webhook_types.as_deref().unwrap_or_default()),
    };
    let mut work = ctx.begin().await?;
    let id = store::insert(&mut work, &draft).await?;
    let secret = create_secret(&mut work, id, None).await?;
    record_audit(&mut work, "webhook.created", id, json!({}), json!(draft)).await?;
    commit_and_respond(work, id, Some(secret)).await
}

async fn update_webhook(ctx: Ctx, req: Req<UpdateWebhook>) -> Result<Data<Webhook>> {
    let (id, input) = (req.path, &req.body);
    let url = validate_input(&ctx, input, false).await?;
    let mut work = ctx.begin().await?;
    let current_record = store::lock(&mut work, id).await?;
    Error::check_not_stale("webhook", input.updated_at, current_record.updated_at)?;
    let old_draft = WebhookDraft {
        url: current_record.url.clone(),
        is_active: current_record.is_active,
        webhook_types: current_record.types(),
    };
    let new_draft = WebhookDraft {
        url: url.unwrap_or_else(|| old_draft.url.clone()),
        is_active: input.is_active.unwrap_or(old_draft.is_active),
        webhook_types: input
            .webhook_types
            .as_deref()
            .map_or_else(|| current_record.types(), webhooks::normalize_types),
    };
    // The receiver at the old URL knows the secret and could forge events for the receiver at the new URL.
    let keeps_secret = may_keep_secret(Some(&old_draft.url), Some(&new_draft.url), true, false);
    if !keeps_secret {
        confirmation::require_unless_dry_run(&ctx)?;
    }
    if new_draft != old_draft {
        let changes_only_is_active =
            WebhookDraft { is_active: old_draft.is_active, ..new_draft.clone() } == old_draft;
        let snapshot = match changes_only_is_active {
            true => undo::take_snapshot(&mut work, "webhook", id).await?,
            false => Snapshot::default(),
        };
        store::update_row(&mut work, id, &new_draft).await?;
        let changes =
            vec![AuditChange { id: id.as_record_id(), old: json!(old_draft), new: json!(new_draft) }];
        undo::record_changes(&mut work, "webhook.updated", "webhook", &snapshot, changes).await?;
    }
    if keeps_secret {
        return commit_and_respond(work, id, None).await;
    }
    let secret = create_secret(&mut work, id, None).await?;
    record_audit(&mut work, "webhook.secret_rotated", id, json!({}), json!({ "secret": "rotated" })).await?;
    let visible_secret = (!ctx.meta.dry_run).then_some(secret);
    commit_and_respond(work, id, visible_secret).await
}

async fn delete_webhook(ctx: Ctx, req: Req<DeleteWebhook>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let webhook = store::lock(&mut work, req.path).await?;
    store::delete(&mut work, req.path).await?;
    let old_values = json!({ "url": webhook.url, "webhook_types": webhook.types() });
    record_audit(&mut work, "webhook.deleted", req.path, old_values, json!({})).await?;
    work.finish(EmptyBody {}).await
}

async fn rotate_secret(ctx: Ctx, req: Req<RotateWebhookSecret>) -> Result<Data<Webhook>> {
    let mut work = ctx.begin().await?;
    store::lock(&mut work, req.path).await?;
    let old_secret_until = work.now.plus(OLD_SECRET_LIFETIME);
    let secret = create_secret(&mut work, req.path, Some(old_secret_until)).await?;
    let new_values = json!({ "secret": "rotated", "old_secret_until": old_secret_until });
    record_audit(&mut work, "webhook.secret_rotated", req.path, json!({}), new_values).await?;
    // A dry run rolls the new secret back, so the response must not show it.
    let visible_secret = (!ctx.meta.dry_run).then_some(secret);
    commit_and_respond(work, req.path, visible_secret).await
}

/// Writes a test event and delivers it immediately, once.
async fn test_webhook(ctx: Ctx, req: Req<TestWebhook>) -> Result<Data<WebhookDelivery>> {
    let mut work = ctx.begin().await?;
    let webhook = store::lock(&mut work, req.path).await?;
    let data = json!({ "webhook": { "id": webhook.id, "url": webhook.url } });
    let inserted_events =
        outbox::write_events(&mut work, vec![WebhookEvent { kind: EventType::Test, data }]).await?;
    let targets: Vec<(WebhookEventId, WebhookId)> =
        inserted_events.iter().map(|(event, _)| (*event, webhook.id)).collect();
    // No worker delivers this event. Its status is `failed` until the attempt below, so it is correct even if this process ends
    // before.
    let delivery_ids = outbox::write_deliveries(&mut work, &targets, DeliveryStatus::Failed).await?;
    let id = delivery_ids.first().copied();
    let id = id.ok_or_else(|| Error::Internal("the inserted delivery has no id".into()))?;
    record_audit(&mut work, "webhook.tested", webhook.id, json!({}), json!({ "delivery_id": id })).await?;
    let delivery_before_attempt = delivery_store::load_delivery(&mut work, webhook.id, id).await?;
    work.finish(Data { data: delivery_before_attempt.clone().into_response(&ctx) }).await?;
    if !ctx.meta.dry_run
        && let Some(delivery_target) = delivery_store::load_delivery_target(&mut ctx.db(), webhook.id).await?
    {
        deliver::deliver_once(&ctx.app, &delivery_before_attempt, &delivery_target, false).await?;
    }
    let delivery = if ctx.meta.dry_run {
        delivery_before_attempt
    } else {
        delivery_store::load_delivery(&mut ctx.db(), webhook.id, id).await?
    };
    Ok(Data { data: delivery.into_response(&ctx) })
}

async fn list_deliveries(ctx: Ctx, req: Req<ListWebhookDeliveries>) -> Result<Response> {
    store::load(&mut ctx.db(), req.path).await?;
    let query = req.query.clone().simple_filter("webhook_id", req.path.to_string());
    lists::serve_list(ctx, &DELIVERIES, &query, |record: DeliveryRecord, ctx| record.into_response(ctx)).await
}

async fn redeliver(ctx: Ctx, req: Req<RedeliverWebhook>) -> Result<Data<WebhookDelivery>> {
    let (webhook_id, id) = req.path;
    let mut work = ctx.begin().await?;
    let webhook_record = store::lock(&mut work, webhook_id).await?;
    let delivery = delivery_store::load_delivery(&mut work, webhook_id, id).await?;
    webhooks::check_redelivery(webhook_record.is_active, delivery.status)?;
    if !delivery_store::restart_delivery(&mut work, id).await? {
        // Another request has restarted it meanwhile.
        webhooks::check_redelivery(webhook_record.is_active, DeliveryStatus::Pending)?;
    }
    let now = work.now;
    jobs::enqueue(&mut work, &[Job::Webhook { delivery_id: id }], now).await?;
    record_audit(&mut work, "webhook.redelivered", webhook_id, json!({}), json!({ "delivery_id": id }))
        .await?;
    let data = delivery_store::load_delivery(&mut work, webhook_id, id).await?.into_response(&ctx);
    work.finish(Data { data }).await
}

/// Checks that the panel may send requests to a URL, and normalizes it.
async fn check_url(ctx: &Ctx, url: &str) -> Result<String> {
    let url = url.trim();
    match ctx.app.outbound.check_url_before_storing(url).await {
        Ok(url) => Ok(url.to_string()),
        Err(OutboundError::ForbiddenAddress(reason)) => {
            let message =
                format!("The panel may not send requests to this URL: {reason}. Enter another one.");
            Err(Error::invalid("url", "url_rejected", message))
        }
        Err(error) => Err(Error::Internal(error.to_string())),
    }
}

async fn create_secret(
    work: &mut UnitOfWork,
    id: WebhookId,
    old_secret_until: Option<Time>,
) -> Result<String> {
    let secret = webhooks::encode_secret(&work.scope().platform.random.bytes::<32>());
    store::store_secret(work, id, &secret, old_secret_until).await?;
    Ok(secret)
}

async fn record_audit(
    work: &mut UnitOfWork,
    event: &str,
    id: WebhookId,
    old: Value,
    new: Value,
) -> Result<()> {
    audit::record(work, event, "webhook", AuditChange { id: id.as_record_id(), old, new }).await
}

/// Commits and returns the webhook, with `secret` if it is new. The response that is stored under an idempotency key has no secret.
async fn commit_and_respond(
    mut work: UnitOfWork,
    id: WebhookId,
    secret: Option<String>,
) -> Result<Data<Webhook>> {
    let ctx = work.scope().clone();
    let data = store::load(&mut work, id).await?.into_response(&ctx);
    let Data { data } = work.finish(Data { data }).await?;
    Ok(Data { data: Webhook { secret, ..data } })
}
