//! Payment methods for incoming and outgoing payments. Secrets are write-only.

mod answer;
pub mod bonuses;
pub mod rules;
pub mod secrets;
pub mod store;

use answer::{answer, record_audit};

use panel_contract::common::{Choice, Data};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::payment_methods::{
    CreatePaymentMethod, DisablePaymentMethod, EnablePaymentMethod, GetPaymentMethod, ListPaymentMethods,
    PaymentMethodCollectionsOp, PaymentMethodsForOrderWidget, SortPaymentMethods, UpdatePaymentMethod,
};
use panel_contract::ids::{PaymentMethodId, RecordId};
use panel_contract::payment_methods::{
    AvailablePaymentMethod, ChargeType, PaymentMethod, PaymentMethodCollections, PaymentMethodInput,
    PaymentMethodType, PaymentStrategy,
};
use panel_kernel::error::{Error, Result};
use panel_kernel::wrong_fields::WrongFields;
use serde_json::{Value, json};

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::payment_methods::rules::PaymentMethodFields;
use crate::operations::payment_methods::store::PaymentMethodRow;
use crate::records::search_texts;
use crate::records::undo;
use crate::records::uses;
use panel_contract::dictionary::CURRENCIES;
use panel_contract::dictionary::label;
use panel_domain::difference::changed_fields;
use panel_platform::audit::change::AuditChange;
use panel_platform::table::{RowSource, SearchTarget, Table, expr};
use panel_platform::work::UnitOfWork;

pub fn routes(api: Api) -> Api {
    api.table::<ListPaymentMethods, _, _>(&PAYMENT_METHODS, |record: PaymentMethodRow, ctx| {
        record.into_response(ctx)
    })
    .on::<CreatePaymentMethod, _, _, _>(create)
    .on::<PaymentMethodCollectionsOp, _, _, _>(collections)
    .on::<PaymentMethodsForOrderWidget, _, _, _>(for_order_widget)
    .on::<SortPaymentMethods, _, _, _>(sort)
    .on::<GetPaymentMethod, _, _, _>(get)
    .on::<UpdatePaymentMethod, _, _, _>(update)
    .on::<EnablePaymentMethod, _, _, _>(enable)
    .on::<DisablePaymentMethod, _, _, _>(disable)
    .with(bonuses::routes)
}

/// All payment methods, in their order.
pub static PAYMENT_METHODS: Table = Table::new(
    &panel_contract::lists::payment_methods::PAYMENT_METHODS,
    RowSource { base: "payment_methods", alias: "m", key: "m.id", select: store::COLUMNS, ..RowSource::NONE },
    &[
        expr("status", "CASE WHEN m.is_enabled THEN 'active' ELSE 'disabled' END"),
        expr("fee_percent", "m.fee_ppm"),
        expr("sorting", "m.position"),
    ],
)
.common_search(&[SearchTarget::new("m.id", &search_texts::PAYMENT_METHODS, "name").here(&["m.name"])])
.row_counts("payment_methods", "");

async fn get(ctx: Ctx, req: Req<GetPaymentMethod>) -> Result<Data<PaymentMethod>> {
    Ok(Data { data: store::find(&mut ctx.db(), req.path).await?.into_response(&ctx) })
}

async fn create(ctx: Ctx, req: Req<CreatePaymentMethod>) -> Result<Data<PaymentMethod>> {
    let input = &req.body;
    let (mut fields, errors) = PaymentMethodFields::fresh(input);
    let mut wrong = WrongFields::from(errors);
    wrong.record(secrets::check(input))?;
    let icon = ctx.app.uploads.store_picture(ctx.meta.dry_run, "icon", &input.icon, None).await;
    fields.icon = wrong.record(icon)?.flatten();
    let qr_code = ctx
        .app
        .uploads
        .store_picture(ctx.meta.dry_run, "payment_qr_code", &input.payment_qr_code, None)
        .await;
    fields.qr_code = wrong.record(qr_code)?.flatten();
    let mut work = ctx.begin().await?;
    let mut order = store::lock_order(&mut work).await?;
    if let Some(position) = input.position {
        wrong.record(rules::check_place(order.len() + 1, position))?;
    }
    wrong.or(())?;
    let id = store::insert(&mut work, &fields, input.is_enabled.unwrap_or(true), order.len()).await?;
    order.push(id);
    move_to(&mut work, &order, id, input.position).await?;
    let mut new = fields.audit_values();
    seal_secrets(&mut work, &ctx, id, input, &[], &mut new).await?;
    record_audit(&mut work, "payment_method.created", id, json!({}), new).await?;
    answer(work, &ctx, id).await
}

async fn update(ctx: Ctx, req: Req<UpdatePaymentMethod>) -> Result<Data<PaymentMethod>> {
    let (id, input) = (req.path, &req.body);
    let mut wrong = WrongFields::default();
    wrong.record(rules::refuse_switch(input))?;
    wrong.record(secrets::check(input))?;
    let icon = wrong.record(ctx.app.uploads.store_new_image(ctx.meta.dry_run, "icon", &input.icon).await)?;
    let qr_code =
        ctx.app.uploads.store_new_image(ctx.meta.dry_run, "payment_qr_code", &input.payment_qr_code).await;
    let qr_code = wrong.record(qr_code)?;
    let mut work = ctx.begin().await?;
    let order = store::lock_order(&mut work).await?;
    let old = store::find(&mut work, id).await?;
    Error::check_not_stale("payment method", input.updated_at, old.updated_at)?;
    let before = old.fields();
    let (mut after, errors) = before.clone().with(input);
    wrong.record(errors.or(()))?;
    if let Some(icon) = icon {
        after.icon = wrong.record(icon.new_value(before.icon.as_deref()))?.flatten();
    }
    if let Some(qr_code) = qr_code {
        after.qr_code = wrong.record(qr_code.new_value(before.qr_code.as_deref()))?.flatten();
    }
    if let Some(position) = input.position {
        wrong.record(rules::check_place(order.len(), position))?;
    }
    wrong.or(())?;
    let (mut was, mut is) = (json!({}), json!({}));
    if after != before {
        store::write(&mut work, id, &after).await?;
        (was, is) = changed_fields(&before.audit_values(), &after.audit_values());
    }
    if move_to(&mut work, &order, id, input.position).await? {
        (was["position"], is["position"]) = (json!(old.position), json!(input.position));
    }
    seal_secrets(&mut work, &ctx, id, input, &old.secret_names(), &mut is).await?;
    if is != json!({}) {
        record_audit(&mut work, "payment_method.updated", id, was, is).await?;
    }
    answer(work, &ctx, id).await
}

/// Seals the given secrets; the audit trail gets only their names.
async fn seal_secrets(
    work: &mut UnitOfWork,
    ctx: &Ctx,
    id: PaymentMethodId,
    input: &PaymentMethodInput,
    names: &[String],
    audit_values: &mut Value,
) -> Result<()> {
    let changed = secrets::seal(work, ctx, id, input, names).await?;
    if !changed.is_empty() {
        audit_values["secrets"] = json!(changed);
    }
    Ok(())
}

/// Moves one method to the requested position, from 1. Returns whether the order changed.
async fn move_to(
    work: &mut UnitOfWork,
    order: &[PaymentMethodId],
    id: PaymentMethodId,
    position: Option<i64>,
) -> Result<bool> {
    let Some(position) = position else { return Ok(false) };
    let new_order = rules::order_after_move(order, id, position)?;
    Ok(store::reorder(work, order, &new_order).await? > 0)
}

async fn sort(ctx: Ctx, req: Req<SortPaymentMethods>) -> Result<EmptyBody> {
    let new_order = &req.body.payment_methods;
    let mut work = ctx.begin().await?;
    let order = store::lock_order(&mut work).await?;
    rules::check_complete(&order, new_order)?;
    if store::reorder(&mut work, &order, new_order).await? > 0 {
        let (old, new) = (json!({ "order": order }), json!({ "order": new_order }));
        record_audit(&mut work, "payment_method.sorted", RecordId::NONE, old, new).await?;
    }
    work.finish(EmptyBody {}).await
}

async fn enable(ctx: Ctx, req: Req<EnablePaymentMethod>) -> Result<Data<PaymentMethod>> {
    switch(ctx, req.path, true).await
}

async fn disable(ctx: Ctx, req: Req<DisablePaymentMethod>) -> Result<Data<PaymentMethod>> {
    switch(ctx, req.path, false).await
}

async fn switch(ctx: Ctx, id: PaymentMethodId, on: bool) -> Result<Data<PaymentMethod>> {
    let mut work = ctx.begin().await?;
    let old = store::find(&mut work, id).await?;
    rules::check_switch(old.is_enabled, on)?;
    if !on {
        uses::refuse_if_used(&mut work, &uses::OF_PAYMENT_METHOD, id).await?;
    }
    let before = undo::before(&mut work, "payment_method", id).await?;
    if store::switch(&mut work, id, on).await? == 0 {
        return Err(Error::conflict(
            "payment_method_changed",
            "The payment method changed meanwhile. Reload it and try again.",
        ));
    }
    let event = if on { "payment_method.enabled" } else { "payment_method.disabled" };
    let change =
        AuditChange { id: id.record(), old: json!({ "is_enabled": !on }), new: json!({ "is_enabled": on }) };
    undo::record(&mut work, event, "payment_method", &before, vec![change]).await?;
    answer(work, &ctx, id).await
}

async fn collections(
    _ctx: Ctx,
    _req: Req<PaymentMethodCollectionsOp>,
) -> Result<Data<PaymentMethodCollections>> {
    let choice = |word: &str| Choice { kind: word.to_owned(), label: label(word) };
    Ok(Data {
        data: PaymentMethodCollections {
            types: PaymentMethodType::ALL.iter().map(|word| choice(word.as_str())).collect(),
            strategies: PaymentStrategy::ALL.iter().map(|word| choice(word.as_str())).collect(),
            charge_types: ChargeType::ALL.iter().map(|word| choice(word.as_str())).collect(),
            currencies: CURRENCIES
                .iter()
                .map(|code| Choice { kind: (*code).into(), label: (*code).into() })
                .collect(),
        },
    })
}

async fn for_order_widget(
    ctx: Ctx,
    _req: Req<PaymentMethodsForOrderWidget>,
) -> Result<Data<Vec<AvailablePaymentMethod>>> {
    let rows = store::enabled(&mut ctx.db()).await?;
    let to_response = |(id, name, icon)| AvailablePaymentMethod { id, name, icon };
    Ok(Data { data: rows.into_iter().map(to_response).collect() })
}
