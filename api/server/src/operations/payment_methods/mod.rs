//! Payment methods: how customers pay and are paid. Secrets go in and never come out.

mod answer;
pub mod bonuses;
pub mod rules;
pub mod secrets;
pub mod store;

use answer::{answer, audited};

use panel_contract::common::{Choice, Data};
use panel_contract::endpoint::NoBody;
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
use crate::operations::payment_methods::rules::Fields;
use crate::operations::payment_methods::store::Record;
use crate::records::search_texts;
use crate::records::undo;
use crate::records::uses;
use panel_contract::dictionary::CURRENCIES;
use panel_contract::dictionary::label;
use panel_domain::difference::differing;
use panel_platform::audit::change::Change;
use panel_platform::table::{Arm, RowSource, Table, expr};
use panel_platform::work::Work;

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListPaymentMethods, _, _>(&PAYMENT_METHODS, |record: Record, ctx| record.shown(ctx))
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
.common_search(&[Arm::new("m.id", &search_texts::PAYMENT_METHODS, "name").here(&["m.name"])])
.row_counts("payment_methods", "");

async fn get(ctx: Ctx, req: Req<GetPaymentMethod>) -> Result<Data<PaymentMethod>> {
    Ok(Data { data: store::find(&mut ctx.db(), req.path).await?.shown(&ctx) })
}

async fn create(ctx: Ctx, req: Req<CreatePaymentMethod>) -> Result<Data<PaymentMethod>> {
    let input = &req.body;
    let (mut fields, errors) = Fields::fresh(input);
    let mut wrong = WrongFields::from(errors);
    wrong.note(secrets::check(input))?;
    let icon = ctx.app.uploads.picture(ctx.meta.dry_run, "icon", &input.icon, None).await;
    fields.icon = wrong.note(icon)?.flatten();
    let qr_code =
        ctx.app.uploads.picture(ctx.meta.dry_run, "payment_qr_code", &input.payment_qr_code, None).await;
    fields.qr_code = wrong.note(qr_code)?.flatten();
    let mut work = ctx.begin().await?;
    let mut order = store::lock_order(&mut work).await?;
    if let Some(position) = input.position {
        wrong.note(rules::check_place(order.len() + 1, position))?;
    }
    wrong.or(())?;
    let id = store::insert(&mut work, &fields, input.is_enabled.unwrap_or(true), order.len()).await?;
    order.push(id);
    place(&mut work, &order, id, input.position).await?;
    let mut new = fields.audit_values();
    put_secrets(&mut work, &ctx, id, input, &[], &mut new).await?;
    audited(&mut work, "payment_method.created", id, json!({}), new).await?;
    answer(work, &ctx, id).await
}

async fn update(ctx: Ctx, req: Req<UpdatePaymentMethod>) -> Result<Data<PaymentMethod>> {
    let (id, input) = (req.path, &req.body);
    let mut wrong = WrongFields::default();
    wrong.note(rules::not_switched(input))?;
    wrong.note(secrets::check(input))?;
    let icon = wrong.note(ctx.app.uploads.offered(ctx.meta.dry_run, "icon", &input.icon).await)?;
    let qr_code = ctx.app.uploads.offered(ctx.meta.dry_run, "payment_qr_code", &input.payment_qr_code).await;
    let qr_code = wrong.note(qr_code)?;
    let mut work = ctx.begin().await?;
    let order = store::lock_order(&mut work).await?;
    let old = store::find(&mut work, id).await?;
    Error::unless_newest("payment method", input.updated_at, old.updated_at)?;
    let before = old.fields();
    let (mut after, errors) = before.clone().with(input);
    wrong.note(errors.or(()))?;
    if let Some(icon) = icon {
        after.icon = wrong.note(icon.over(before.icon.as_deref()))?.flatten();
    }
    if let Some(qr_code) = qr_code {
        after.qr_code = wrong.note(qr_code.over(before.qr_code.as_deref()))?.flatten();
    }
    if let Some(position) = input.position {
        wrong.note(rules::check_place(order.len(), position))?;
    }
    wrong.or(())?;
    let (mut was, mut is) = (json!({}), json!({}));
    if after != before {
        store::write(&mut work, id, &after).await?;
        (was, is) = differing(&before.audit_values(), &after.audit_values());
    }
    if place(&mut work, &order, id, input.position).await? {
        (was["position"], is["position"]) = (json!(old.position), json!(input.position));
    }
    put_secrets(&mut work, &ctx, id, input, &old.secret_names(), &mut is).await?;
    if is != json!({}) {
        audited(&mut work, "payment_method.updated", id, was, is).await?;
    }
    answer(work, &ctx, id).await
}

/// Seals what was given; the trail learns the names.
async fn put_secrets(
    work: &mut Work,
    ctx: &Ctx,
    id: PaymentMethodId,
    input: &PaymentMethodInput,
    names: &[String],
    audit_values: &mut Value,
) -> Result<()> {
    let changed = secrets::put(work, ctx, id, input, names).await?;
    if !changed.is_empty() {
        audit_values["secrets"] = json!(changed);
    }
    Ok(())
}

/// Moves one method to its wanted place, from 1; whether it moved.
async fn place(
    work: &mut Work,
    order: &[PaymentMethodId],
    id: PaymentMethodId,
    position: Option<i64>,
) -> Result<bool> {
    let Some(wanted) = position else { return Ok(false) };
    let wanted = rules::moved(order, id, wanted)?;
    Ok(store::reorder(work, order, &wanted).await? > 0)
}

async fn sort(ctx: Ctx, req: Req<SortPaymentMethods>) -> Result<NoBody> {
    let wanted = &req.body.payment_methods;
    let mut work = ctx.begin().await?;
    let order = store::lock_order(&mut work).await?;
    rules::whole(&order, wanted)?;
    if store::reorder(&mut work, &order, wanted).await? > 0 {
        let (old, new) = (json!({ "order": order }), json!({ "order": wanted }));
        audited(&mut work, "payment_method.sorted", RecordId::NONE, old, new).await?;
    }
    work.finish(NoBody {}).await
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
    rules::judge_switch(old.is_enabled, on)?;
    if !on {
        uses::unless_used(&mut work, &uses::OF_PAYMENT_METHOD, id).await?;
    }
    let before = undo::before(&mut work, "payment_method", id).await?;
    if store::switch(&mut work, id, on).await? == 0 {
        return Err(Error::conflict(
            "payment_method_changed",
            "Somebody else was faster; load the payment method again.",
        ));
    }
    let event = if on { "payment_method.enabled" } else { "payment_method.disabled" };
    let change =
        Change { id: id.record(), old: json!({ "is_enabled": !on }), new: json!({ "is_enabled": on }) };
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
    let shown = |(id, name, icon)| AvailablePaymentMethod { id, name, icon };
    Ok(Data { data: rows.into_iter().map(shown).collect() })
}
