//! Endpoints for the payment methods of incoming and outgoing payments. No endpoint returns the secrets of a payment method.

pub mod bonuses;
mod response;
pub mod rules;
pub mod secrets;
pub mod store;

use response::{commit_and_respond, record_audit};

use panel_contract::common::{Choice, Data};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::payment_methods::{
    CreatePaymentMethod, DisablePaymentMethod, EnablePaymentMethod, GetPaymentMethod,
    GetPaymentMethodCollections, ListPaymentMethods, PaymentMethodsForOrderWidget, SortPaymentMethods,
    UpdatePaymentMethod,
};
use panel_contract::ids::{PaymentMethodId, RecordId};
use panel_contract::payment_methods::{
    AvailablePaymentMethod, ChargeType, PaymentMethod, PaymentMethodCollections, PaymentMethodInput,
    PaymentMethodType, PaymentStrategy,
};
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde_json::{Value, json};

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::payment_methods::rules::PaymentMethodFields;
use crate::operations::payment_methods::store::PaymentMethodRow;
use crate::records::references;
use crate::records::search_texts;
use crate::records::undo;
use panel_contract::dictionary::CURRENCIES;
use panel_contract::dictionary::enum_label;
use panel_domain::difference::changed_fields;
use panel_platform::audit::change::AuditChange;
use panel_platform::table::{RowSource, SearchTarget, Table, expr};
use panel_platform::work::UnitOfWork;

pub fn routes(api: Api) -> Api {
    api.list_route::<ListPaymentMethods, _, _>(&PAYMENT_METHODS, |row: PaymentMethodRow, ctx| {
        row.into_response(ctx)
    })
    .route::<CreatePaymentMethod, _, _, _>(create)
    .route::<GetPaymentMethodCollections, _, _, _>(list_collections)
    .route::<PaymentMethodsForOrderWidget, _, _, _>(list_for_order_widget)
    .route::<SortPaymentMethods, _, _, _>(sort_payment_methods)
    .route::<GetPaymentMethod, _, _, _>(get_payment_method)
    .route::<UpdatePaymentMethod, _, _, _>(update)
    .route::<EnablePaymentMethod, _, _, _>(enable_payment_method)
    .route::<DisablePaymentMethod, _, _, _>(disable_payment_method)
    .with(bonuses::routes)
}

/// All payment methods, in their order.
pub static PAYMENT_METHODS: Table = Table::new(
    &panel_contract::lists::payment_methods::PAYMENT_METHODS,
    RowSource { base: "payment_methods", alias: "m", key: "m.id", select: store::COLUMNS, ..RowSource::NONE },
    &[
        expr("status", "CASE WHEN m.is_enabled THEN 'active' ELSE 'disabled' END"),
        expr("fee_fraction", "m.fee_ppm"),
        expr("sorting", "m.position"),
    ],
)
.global_search(&[SearchTarget::new("m.id", &search_texts::PAYMENT_METHODS, "name").own_columns(&["m.name"])])
.count_from("payment_methods", "");

async fn get_payment_method(ctx: Ctx, req: Req<GetPaymentMethod>) -> Result<Data<PaymentMethod>> {
    Ok(Data { data: store::load_row(&mut ctx.db(), req.path).await?.into_response(&ctx) })
}

async fn create(ctx: Ctx, req: Req<CreatePaymentMethod>) -> Result<Data<PaymentMethod>> {
    let input = &req.body;
    let (mut fields, errors) = PaymentMethodFields::from_input(input);
    let mut field_errors = FieldErrorCollector::from(errors);
    field_errors.collect(secrets::validate(input))?;
    let icon = ctx.app.uploads.store_image(ctx.meta.dry_run, "icon", &input.icon, None).await;
    fields.icon = field_errors.collect(icon)?.flatten();
    let qr_code =
        ctx.app.uploads.store_image(ctx.meta.dry_run, "payment_qr_code", &input.payment_qr_code, None).await;
    fields.qr_code = field_errors.collect(qr_code)?.flatten();
    let mut work = ctx.begin().await?;
    let mut order = store::lock_order(&mut work).await?;
    if let Some(position) = input.position {
        field_errors.collect(rules::parse_position(order.len() + 1, position))?;
    }
    field_errors.into_result(())?;
    let id = store::insert(&mut work, &fields, input.is_enabled.unwrap_or(true), order.len()).await?;
    order.push(id);
    move_to_position(&mut work, &order, id, input.position).await?;
    let mut new = fields.audit_values();
    store_secrets(&mut work, &ctx, id, input, &[], &mut new).await?;
    record_audit(&mut work, "payment_method.created", id, json!({}), new).await?;
    commit_and_respond(work, &ctx, id).await
}

async fn update(ctx: Ctx, req: Req<UpdatePaymentMethod>) -> Result<Data<PaymentMethod>> {
    let (id, input) = (req.path, &req.body);
    let mut field_errors = FieldErrorCollector::default();
    field_errors.collect(rules::reject_is_enabled(input))?;
    field_errors.collect(secrets::validate(input))?;
    let icon = field_errors
        .collect(ctx.app.uploads.store_image_before_lock(ctx.meta.dry_run, "icon", &input.icon).await)?;
    let qr_code = ctx
        .app
        .uploads
        .store_image_before_lock(ctx.meta.dry_run, "payment_qr_code", &input.payment_qr_code)
        .await;
    let qr_code = field_errors.collect(qr_code)?;
    let mut work = ctx.begin().await?;
    let order = store::lock_order(&mut work).await?;
    let row = store::load_row(&mut work, id).await?;
    Error::check_not_stale("payment method", input.updated_at, row.updated_at)?;
    let old_fields = row.fields();
    let (mut new_fields, errors) = old_fields.clone().apply_input(input);
    field_errors.collect(errors.into_result(()))?;
    if let Some(icon) = icon {
        new_fields.icon = field_errors.collect(icon.new_value(old_fields.icon.as_deref()))?.flatten();
    }
    if let Some(qr_code) = qr_code {
        new_fields.qr_code =
            field_errors.collect(qr_code.new_value(old_fields.qr_code.as_deref()))?.flatten();
    }
    if let Some(position) = input.position {
        field_errors.collect(rules::parse_position(order.len(), position))?;
    }
    field_errors.into_result(())?;
    let (mut old_values, mut new_values) = (json!({}), json!({}));
    if new_fields != old_fields {
        store::update_row(&mut work, id, &new_fields).await?;
        (old_values, new_values) = changed_fields(&old_fields.audit_values(), &new_fields.audit_values());
    }
    if move_to_position(&mut work, &order, id, input.position).await? {
        (old_values["position"], new_values["position"]) = (json!(row.position), json!(input.position));
    }
    store_secrets(&mut work, &ctx, id, input, &row.secret_names(), &mut new_values).await?;
    if new_values != json!({}) {
        record_audit(&mut work, "payment_method.updated", id, old_values, new_values).await?;
    }
    commit_and_respond(work, &ctx, id).await
}

/// Encrypts and stores the secrets of the input. The audit trail contains only their names.
async fn store_secrets(
    work: &mut UnitOfWork,
    ctx: &Ctx,
    id: PaymentMethodId,
    input: &PaymentMethodInput,
    stored_names: &[String],
    audit_values: &mut Value,
) -> Result<()> {
    let changed_names = secrets::merge_and_store(work, ctx, id, input, stored_names).await?;
    if !changed_names.is_empty() {
        audit_values["secrets"] = json!(changed_names);
    }
    Ok(())
}

/// Moves a payment method to the requested position; the first position is 1. Returns whether the order changed.
async fn move_to_position(
    work: &mut UnitOfWork,
    order: &[PaymentMethodId],
    id: PaymentMethodId,
    position: Option<i64>,
) -> Result<bool> {
    let Some(position) = position else { return Ok(false) };
    let new_order = rules::order_after_move(order, id, position)?;
    Ok(store::reorder(work, order, &new_order).await? > 0)
}

async fn sort_payment_methods(ctx: Ctx, req: Req<SortPaymentMethods>) -> Result<EmptyBody> {
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

async fn enable_payment_method(ctx: Ctx, req: Req<EnablePaymentMethod>) -> Result<Data<PaymentMethod>> {
    set_enabled(ctx, req.path, true).await
}

async fn disable_payment_method(ctx: Ctx, req: Req<DisablePaymentMethod>) -> Result<Data<PaymentMethod>> {
    set_enabled(ctx, req.path, false).await
}

async fn set_enabled(ctx: Ctx, id: PaymentMethodId, enable: bool) -> Result<Data<PaymentMethod>> {
    let mut work = ctx.begin().await?;
    let row = store::load_row(&mut work, id).await?;
    rules::check_switch(row.is_enabled, enable)?;
    if !enable {
        references::reject_if_used(&mut work, &references::TO_PAYMENT_METHOD, id).await?;
    }
    let snapshot = undo::take_snapshot(&mut work, "payment_method", id).await?;
    if store::set_enabled(&mut work, id, enable).await? == 0 {
        return Err(Error::conflict(
            "payment_method_changed",
            "Another request changed the payment method. Reload it and try again.",
        ));
    }
    let event = if enable { "payment_method.enabled" } else { "payment_method.disabled" };
    let change = AuditChange {
        id: id.as_record_id(),
        old: json!({ "is_enabled": !enable }),
        new: json!({ "is_enabled": enable }),
    };
    undo::record_changes(&mut work, event, "payment_method", &snapshot, vec![change]).await?;
    commit_and_respond(work, &ctx, id).await
}

async fn list_collections(
    _ctx: Ctx,
    _req: Req<GetPaymentMethodCollections>,
) -> Result<Data<PaymentMethodCollections>> {
    let choice = |value: &str| Choice { kind: value.to_owned(), label: enum_label(value) };
    Ok(Data {
        data: PaymentMethodCollections {
            types: PaymentMethodType::ALL.iter().map(|value| choice(value.as_str())).collect(),
            strategies: PaymentStrategy::ALL.iter().map(|value| choice(value.as_str())).collect(),
            charge_types: ChargeType::ALL.iter().map(|value| choice(value.as_str())).collect(),
            currencies: CURRENCIES
                .iter()
                .map(|code| Choice { kind: (*code).into(), label: (*code).into() })
                .collect(),
        },
    })
}

async fn list_for_order_widget(
    ctx: Ctx,
    _req: Req<PaymentMethodsForOrderWidget>,
) -> Result<Data<Vec<AvailablePaymentMethod>>> {
    let rows = store::load_enabled_methods(&mut ctx.db()).await?;
    let to_response = |(id, name, icon)| AvailablePaymentMethod { id, name, icon };
    Ok(Data { data: rows.into_iter().map(to_response).collect() })
}
