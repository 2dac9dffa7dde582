//! Payments to external panels: records that staff enter, in the panel's currency. They move no money here. The amount received on
//! our balance at the panel is calculated from them.

use axum::response::Response;
use panel_contract::amount::Money;
use panel_contract::common::Data;
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::external_panels::{
    AddExternalPanelPayment, DeleteExternalPanelPayment, ListExternalPanelPayments,
    UpdateExternalPanelPayment,
};
use panel_contract::external_panels::{
    ExternalPanelPayment, ExternalPanelPaymentActions, ExternalPanelPaymentInput,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ExternalPanelId, ExternalPanelPaymentId};
use panel_contract::moment::{Day, Time, Timestamp};
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use serde::Serialize;
use serde_json::{Value, json};

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::http::lists;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::table::{RowSource, Table, expr};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.raw::<ListExternalPanelPayments, _, _>(list)
        .described_by::<ListExternalPanelPayments>(&PAYMENTS)
        .on::<AddExternalPanelPayment, _, _, _>(add)
        .on::<UpdateExternalPanelPayment, _, _, _>(update)
        .on::<DeleteExternalPanelPayment, _, _, _>(delete)
}

const COLUMNS: &str = "b.id, b.external_panel_id, b.date, b.amount, b.fee, b.payment_method_commission, b.bonus, b.created_at, b.updated_at";
const RECEIVED_AMOUNT: &str = "(b.amount - b.fee - b.payment_method_commission + b.bonus)";

/// The payments to a panel, newest day first.
pub static PAYMENTS: Table = Table::new(
    &panel_contract::lists::external_panels::EXTERNAL_PANEL_PAYMENTS,
    RowSource {
        base: "external_panel_payments",
        alias: "b",
        key: "b.id",
        select: COLUMNS,
        ..RowSource::NONE
    },
    &[expr("received", RECEIVED_AMOUNT)],
);

async fn list(ctx: Ctx, req: Req<ListExternalPanelPayments>) -> Result<Response> {
    let [panel_filter] = PAYMENTS.own_filters() else { unreachable!("the list has one filter of its own") };
    if !req.query.plain_filters.iter().any(|(name, id)| panel_filter.has_name(name) && !id.trim().is_empty())
    {
        return Err(missing_panel_error().into());
    }
    lists::serve_list(ctx, &PAYMENTS, &req.query, |record: PaymentRow, ctx| record.into_payment(ctx)).await
}

async fn add(ctx: Ctx, req: Req<AddExternalPanelPayment>) -> Result<Data<ExternalPanelPayment>> {
    let panel = req.body.external_panel_id.ok_or_else(missing_panel_error)?;
    let payment = PaymentDraft::default().apply_input(&req.body, ctx.now().day())?;
    let mut work = ctx.begin().await?;
    lock_panel(&mut work, panel).await?;
    let id = insert_payment(&mut work, panel, &payment).await?;
    record_audit(&mut work, "added", id, json!({}), payment.audit_values(panel)).await?;
    respond_with_payment(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateExternalPanelPayment>) -> Result<Data<ExternalPanelPayment>> {
    let (id, input) = (req.path, &req.body);
    let mut work = ctx.begin().await?;
    let old_row = lock_payment(&mut work, id).await?;
    Error::check_not_stale("billing entry", input.updated_at, old_row.updated_at)?;
    if input.external_panel_id.is_some_and(|panel| panel != old_row.external_panel_id) {
        let message =
            "The panel of an entry cannot be changed. Delete the entry and add it to the other panel.";
        return Err(Error::invalid("external_panel_id", "other_panel", message));
    }
    let old_draft = old_row.draft();
    let new_draft = old_draft.clone().apply_input(input, ctx.now().day())?;
    if new_draft != old_draft {
        update_payment(&mut work, id, &new_draft).await?;
        let panel = old_row.external_panel_id;
        record_audit(&mut work, "updated", id, old_draft.audit_values(panel), new_draft.audit_values(panel))
            .await?;
    }
    respond_with_payment(work, id).await
}

async fn delete(ctx: Ctx, req: Req<DeleteExternalPanelPayment>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let old_row = lock_payment(&mut work, req.path).await?;
    delete_payment(&mut work, req.path).await?;
    record_audit(
        &mut work,
        "deleted",
        req.path,
        old_row.draft().audit_values(old_row.external_panel_id),
        json!({}),
    )
    .await?;
    work.finish(EmptyBody {}).await
}

async fn record_audit(
    work: &mut UnitOfWork,
    action: &str,
    id: ExternalPanelPaymentId,
    old: Value,
    new: Value,
) -> Result<()> {
    let event = format!("external_panel_payment.{action}");
    audit::record(work, &event, "external_panel_payment", AuditChange { id: id.as_record_id(), old, new })
        .await
}

async fn respond_with_payment(
    mut work: UnitOfWork,
    id: ExternalPanelPaymentId,
) -> Result<Data<ExternalPanelPayment>> {
    let ctx = work.scope().clone();
    let data = load_payment(&mut work, id).await?.into_payment(&ctx);
    work.finish(Data { data }).await
}

// Rules

/// The editable fields of a payment.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
struct PaymentDraft {
    date: Option<Day>,
    amount: Money,
    fee: Money,
    payment_method_commission: Money,
    bonus: Money,
}

impl PaymentDraft {
    /// Validates the input and applies it. Every amount is at most a tenth of the largest value, so that their sum never overflows.
    fn apply_input(mut self, input: &ExternalPanelPaymentInput, today: Day) -> Result<Self, FieldErrors> {
        const MAX_AMOUNT: i64 = i64::MAX / 10;
        let mut errors = FieldErrors::default();
        self.date = input.date.or(self.date);
        match self.date {
            None => errors.add("date", "Enter the day of the payment."),
            // In some time zones it is already tomorrow.
            Some(date) if date.0 > today.0 + 1 || date.0 < 0 => {
                errors.add("date", "Enter a day that is not in the future.");
            }
            Some(_) => {}
        }
        for (field, requested, current) in [
            ("amount", input.amount, &mut self.amount),
            ("fee", input.fee, &mut self.fee),
            (
                "payment_method_commission",
                input.payment_method_commission,
                &mut self.payment_method_commission,
            ),
            ("bonus", input.bonus, &mut self.bonus),
        ] {
            *current = requested.unwrap_or(*current);
            if field == "amount" && current.0 <= 0 {
                errors.add(field, "Give an amount above 0.");
            } else if !(0..=MAX_AMOUNT).contains(&current.0) {
                errors.add(field, format!("Give an amount from 0 to {}.", Money(MAX_AMOUNT)));
            }
        }
        if errors.0.is_empty() && self.fee.0 + self.payment_method_commission.0 > self.amount.0 {
            errors.add("fee", "Fee and commission are parts of the amount. Their sum cannot be above it.");
        }
        errors.into_result(self)
    }

    fn audit_values(&self, panel: ExternalPanelId) -> Value {
        let mut values = json!(self);
        values["external_panel_id"] = json!(panel);
        values
    }
}

fn missing_panel_error() -> FieldErrors {
    FieldErrors::single("external_panel_id", "External Panel ID is missing")
}

// Store

/// A payment as stored. `date` is the start of the day.
#[derive(Debug, sqlx::FromRow)]
pub struct PaymentRow {
    id: ExternalPanelPaymentId,
    external_panel_id: ExternalPanelId,
    date: Time,
    amount: Money,
    fee: Money,
    payment_method_commission: Money,
    bonus: Money,
    created_at: Time,
    updated_at: Timestamp,
}

impl PaymentRow {
    fn draft(&self) -> PaymentDraft {
        PaymentDraft {
            date: Some(self.date.day()),
            amount: self.amount,
            fee: self.fee,
            payment_method_commission: self.payment_method_commission,
            bonus: self.bonus,
        }
    }

    fn into_payment(self, scope: &Scope) -> ExternalPanelPayment {
        let can_edit = scope.may(Permission::ManageExternalPanels);
        ExternalPanelPayment {
            id: self.id,
            external_panel_id: self.external_panel_id,
            date: self.date.day(),
            received: Money(self.amount.0 - self.fee.0 - self.payment_method_commission.0 + self.bonus.0),
            amount: self.amount,
            fee: self.fee,
            payment_method_commission: self.payment_method_commission,
            bonus: self.bonus,
            created_at: self.created_at,
            updated_at: self.updated_at,
            // A payment moves no money here, so it can always be corrected.
            actions: ExternalPanelPaymentActions { editable: can_edit, deletable: can_edit },
        }
    }
}

fn select_by_id(id: ExternalPanelPaymentId) -> Sql {
    Sql::new("SELECT ").push(COLUMNS).push(" FROM external_panel_payments b WHERE b.id = ?").bind(id)
}

async fn load_payment(db: &mut impl Source, id: ExternalPanelPaymentId) -> Result<PaymentRow> {
    db.fetch_optional(select_by_id(id)).await?.ok_or_else(|| Error::not_found("billing entry", id))
}

async fn lock_payment(work: &mut UnitOfWork, id: ExternalPanelPaymentId) -> Result<PaymentRow> {
    work.fetch_optional(select_by_id(id).for_update())
        .await?
        .ok_or_else(|| Error::not_found("billing entry", id))
}

/// Locks the panel, which must exist. Payments to an archived panel are allowed.
async fn lock_panel(work: &mut UnitOfWork, id: ExternalPanelId) -> Result<()> {
    let sql = Sql::new("SELECT id FROM external_panels WHERE id = ?").bind(id).for_update();
    match work.fetch_optional::<(ExternalPanelId,)>(sql).await? {
        Some(_) => Ok(()),
        None => {
            Err(FieldErrors::single("external_panel_id", format!("There is no external panel {id}.")).into())
        }
    }
}

/// The INSERT and the UPDATE of all fields of a payment.
fn statements(payment: &PaymentDraft, timestamp: Timestamp) -> [Sql; 2] {
    let PaymentDraft { date, amount, fee, payment_method_commission, bonus } = payment;
    sql!(
        [
            "INSERT INTO external_panel_payments (external_panel_id, date, amount, fee, payment_method_commission, bonus, \
               created_at, updated_at)
             VALUES (@external_panel_id, @date, @amount, @fee, @payment_method_commission, @bonus, @now, @timestamp) RETURNING id",
            "UPDATE external_panel_payments SET date = @date, amount = @amount, fee = @fee, \
               payment_method_commission = @payment_method_commission, bonus = @bonus, updated_at = @timestamp WHERE id = @id",
        ],
        { date: date.map(Day::start), amount, fee, payment_method_commission, bonus, timestamp },
        bound_later: [external_panel_id, now, id],
    )
}

async fn insert_payment(
    work: &mut UnitOfWork,
    panel: ExternalPanelId,
    payment: &PaymentDraft,
) -> Result<ExternalPanelPaymentId> {
    let [insert, _] = statements(payment, work.timestamp());
    let insert = insert.bind_named("external_panel_id", panel).bind_named("now", work.now);
    Ok(work.fetch_one::<(ExternalPanelPaymentId,)>(insert).await?.0)
}

async fn update_payment(
    work: &mut UnitOfWork,
    id: ExternalPanelPaymentId,
    payment: &PaymentDraft,
) -> Result<()> {
    let [_, update] = statements(payment, work.timestamp());
    work.execute(update.bind_named("id", id)).await?;
    Ok(())
}

async fn delete_payment(work: &mut UnitOfWork, id: ExternalPanelPaymentId) -> Result<()> {
    work.execute(Sql::new("DELETE FROM external_panel_payments WHERE id = ?").bind(id)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: Day = Day(20_000);

    fn validate(body: &str) -> Result<PaymentDraft, Vec<String>> {
        let input: ExternalPanelPaymentInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        PaymentDraft::default().apply_input(&input, TODAY).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn names_each_invalid_field() {
        assert_eq!(validate("{}").unwrap_err(), ["amount", "date"]);
        let invalid = r#"{"date":"2100-01-01","amount":"-1","fee":"-1","bonus":"9000000000000","payment_method_commission":"-0.1"}"#;
        assert_eq!(
            validate(invalid).unwrap_err(),
            ["amount", "bonus", "date", "fee", "payment_method_commission"]
        );
        let too_large_parts =
            r#"{"date":"2024-10-04","amount":"10","fee":"6","payment_method_commission":"4.000001"}"#;
        assert_eq!(validate(too_large_parts).unwrap_err(), ["fee"]);
        assert!(
            validate(&too_large_parts.replace("4.000001", "4")).is_ok(),
            "fee and commission may be the whole amount"
        );
    }
}
