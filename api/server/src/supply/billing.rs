//! Payments to external panels: records that staff enter in the currency of the external panel, after they have paid. A record
//! changes no balance on this server; it only shows the amount that the external panel credited to us.

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
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::table::{RowSource, Table, expr};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.route_with_response::<ListExternalPanelPayments, _, _>(list)
        .describe_list::<ListExternalPanelPayments>(&PAYMENTS)
        .route::<AddExternalPanelPayment, _, _, _>(create)
        .route::<UpdateExternalPanelPayment, _, _, _>(update)
        .route::<DeleteExternalPanelPayment, _, _, _>(delete)
}

const PAYMENT_SELECT_LIST: &str = "b.id, b.external_panel_id, b.date, b.amount, b.fee, b.payment_method_commission, b.bonus, b.created_at, b.updated_at";
const RECEIVED_AMOUNT_SQL: &str = "(b.amount - b.fee - b.payment_method_commission + b.bonus)";

/// The payments to one external panel, latest day first.
pub static PAYMENTS: Table = Table::new(
    &panel_contract::lists::external_panels::EXTERNAL_PANEL_PAYMENTS,
    RowSource {
        base: "external_panel_payments",
        alias: "b",
        key: "b.id",
        select: PAYMENT_SELECT_LIST,
        ..RowSource::NONE
    },
    &[expr("received", RECEIVED_AMOUNT_SQL)],
);

async fn list(ctx: Ctx, req: Req<ListExternalPanelPayments>) -> Result<Response> {
    let [panel_filter] = PAYMENTS.own_filters() else { unreachable!("the list has one filter of its own") };
    if !req.query.simple_filters.iter().any(|(name, id)| panel_filter.has_name(name) && !id.trim().is_empty())
    {
        return Err(missing_panel_error().into());
    }
    lists::serve_list(ctx, &PAYMENTS, &req.query, |record: PaymentRow, ctx| record.into_payment(ctx)).await
}

async fn create(ctx: Ctx, req: Req<AddExternalPanelPayment>) -> Result<Data<ExternalPanelPayment>> {
    let panel_id = req.body.external_panel_id.ok_or_else(missing_panel_error)?;
    let draft = PaymentDraft::default().apply_input(&req.body, ctx.now().day())?;
    let mut work = ctx.begin().await?;
    lock_panel(&mut work, panel_id).await?;
    let id = insert_payment(&mut work, panel_id, &draft).await?;
    record_audit(&mut work, "added", id, json!({}), draft.audit_values(panel_id)).await?;
    respond_with_payment(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateExternalPanelPayment>) -> Result<Data<ExternalPanelPayment>> {
    let (id, input) = (req.path, &req.body);
    let mut work = ctx.begin().await?;
    let old_row = lock_payment(&mut work, id).await?;
    Error::check_not_stale("billing entry", input.updated_at, old_row.updated_at)?;
    if input.external_panel_id.is_some_and(|panel| panel != old_row.external_panel_id) {
        let message = "The external panel of a payment cannot change. Delete this payment, and add a new one to the other external panel.";
        return Err(Error::invalid("external_panel_id", "other_panel", message));
    }
    let old_draft = old_row.to_draft();
    let new_draft = old_draft.clone().apply_input(input, ctx.now().day())?;
    if new_draft != old_draft {
        update_payment(&mut work, id, &new_draft).await?;
        let panel_id = old_row.external_panel_id;
        record_audit(
            &mut work,
            "updated",
            id,
            old_draft.audit_values(panel_id),
            new_draft.audit_values(panel_id),
        )
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
        old_row.to_draft().audit_values(old_row.external_panel_id),
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
    /// Validates the input and applies it to the draft. Every amount is at most a tenth of `i64::MAX`, so that their sum never
    /// overflows.
    fn apply_input(mut self, input: &ExternalPanelPaymentInput, today: Day) -> Result<Self, FieldErrors> {
        const MAX_AMOUNT: i64 = i64::MAX / 10;
        let mut errors = FieldErrors::default();
        self.date = input.date.or(self.date);
        match self.date {
            None => errors.add("date", "Enter the day of the payment."),
            // `today` is the day in UTC. In some time zones, the next day has already begun.
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
                errors.add(field, "Enter an amount above 0.");
            } else if !(0..=MAX_AMOUNT).contains(&current.0) {
                errors.add(field, format!("Enter an amount from 0 to {}.", Money(MAX_AMOUNT)));
            }
        }
        if errors.0.is_empty() && self.fee.0 + self.payment_method_commission.0 > self.amount.0 {
            errors.add(
                "fee",
                "Fee and commission are parts of the amount. Their sum cannot be higher than the amount.",
            );
        }
        errors.into_result(self)
    }

    fn audit_values(&self, panel_id: ExternalPanelId) -> Value {
        let mut values = json!(self);
        values["external_panel_id"] = json!(panel_id);
        values
    }
}

fn missing_panel_error() -> FieldErrors {
    FieldErrors::single("external_panel_id", "External Panel ID is missing")
}

// Store

#[derive(Debug, sqlx::FromRow)]
pub struct PaymentRow {
    id: ExternalPanelPaymentId,
    external_panel_id: ExternalPanelId,
    /// Start of the day in UTC.
    date: Time,
    amount: Money,
    fee: Money,
    payment_method_commission: Money,
    bonus: Money,
    created_at: Time,
    updated_at: Timestamp,
}

impl PaymentRow {
    fn to_draft(&self) -> PaymentDraft {
        PaymentDraft {
            date: Some(self.date.day()),
            amount: self.amount,
            fee: self.fee,
            payment_method_commission: self.payment_method_commission,
            bonus: self.bonus,
        }
    }

    fn into_payment(self, scope: &Scope) -> ExternalPanelPayment {
        let can_edit = scope.has_permission(Permission::ManageExternalPanels);
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
            // A payment record changes no balance on this server, so staff can always correct it.
            actions: ExternalPanelPaymentActions { editable: can_edit, deletable: can_edit },
        }
    }
}

fn select_payment_sql(id: ExternalPanelPaymentId) -> Sql {
    Sql::new("SELECT ")
        .push(PAYMENT_SELECT_LIST)
        .push(" FROM external_panel_payments b WHERE b.id = ?")
        .bind(id)
}

async fn load_payment(db: &mut impl SqlExecutor, id: ExternalPanelPaymentId) -> Result<PaymentRow> {
    db.fetch_optional(select_payment_sql(id)).await?.ok_or_else(|| Error::not_found("billing entry", id))
}

async fn lock_payment(work: &mut UnitOfWork, id: ExternalPanelPaymentId) -> Result<PaymentRow> {
    work.fetch_optional(select_payment_sql(id).for_update())
        .await?
        .ok_or_else(|| Error::not_found("billing entry", id))
}

/// Locks the external panel, or returns a field error if it does not exist. Payments to an archived panel are allowed.
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
fn insert_and_update_sql(payment: &PaymentDraft, timestamp: Timestamp) -> [Sql; 2] {
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
    let [insert_sql, _] = insert_and_update_sql(payment, work.timestamp());
    let insert_sql = insert_sql.bind_named("external_panel_id", panel).bind_named("now", work.now);
    Ok(work.fetch_one::<(ExternalPanelPaymentId,)>(insert_sql).await?.0)
}

async fn update_payment(
    work: &mut UnitOfWork,
    id: ExternalPanelPaymentId,
    payment: &PaymentDraft,
) -> Result<()> {
    let [_, update_sql] = insert_and_update_sql(payment, work.timestamp());
    work.execute(update_sql.bind_named("id", id)).await?;
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
    fn names_each_invalid_field_of_a_payment() {
        assert_eq!(validate("{}").unwrap_err(), ["amount", "date"]);
        let invalid_body = r#"{"date":"2100-01-01","amount":"-1","fee":"-1","bonus":"9000000000000","payment_method_commission":"-0.1"}"#;
        assert_eq!(
            validate(invalid_body).unwrap_err(),
            ["amount", "bonus", "date", "fee", "payment_method_commission"]
        );
        let body_with_too_high_fees =
            r#"{"date":"2024-10-04","amount":"10","fee":"6","payment_method_commission":"4.000001"}"#;
        assert_eq!(validate(body_with_too_high_fees).unwrap_err(), ["fee"]);
        assert!(
            validate(&body_with_too_high_fees.replace("4.000001", "4")).is_ok(),
            "fee and commission together may equal the amount"
        );
    }
}
