//! What was paid to external panels: written down by staff, in the panel's currency. It moves no money here; what arrived
//! on our balance there is worked out of it.

use axum::response::Response;
use panel_contract::amount::Money;
use panel_contract::common::Data;
use panel_contract::endpoint::NoBody;
use panel_contract::endpoints::external_panels::{
    AddExternalPanelPayment, DeleteExternalPanelPayment, ListExternalPanelPayments,
    UpdateExternalPanelPayment,
};
use panel_contract::external_panels::{
    ExternalPanelPayment, ExternalPanelPaymentActions, ExternalPanelPaymentInput,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ExternalPanelId, ExternalPanelPaymentId};
use panel_contract::moment::{Day, Stamp, Time};
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use serde::Serialize;
use serde_json::{Value, json};

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::http::lists;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::table::{RowSource, Table, expr};
use panel_platform::work::Work;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.raw::<ListExternalPanelPayments, _, _>(list)
        .described_by::<ListExternalPanelPayments>(&PAYMENTS)
        .on::<AddExternalPanelPayment, _, _, _>(add)
        .on::<UpdateExternalPanelPayment, _, _, _>(update)
        .on::<DeleteExternalPanelPayment, _, _, _>(delete)
}

const COLUMNS: &str = "b.id, b.external_panel_id, b.date, b.amount, b.fee, b.payment_method_commission, b.bonus, b.created_at, b.updated_at";
const RECEIVED: &str = "(b.amount - b.fee - b.payment_method_commission + b.bonus)";

/// What was paid to a panel, the newest day first.
pub static PAYMENTS: Table = Table::new(
    &panel_contract::lists::external_panels::EXTERNAL_PANEL_PAYMENTS,
    RowSource {
        base: "external_panel_payments",
        alias: "b",
        key: "b.id",
        select: COLUMNS,
        ..RowSource::NONE
    },
    &[expr("received", RECEIVED)],
);

async fn list(ctx: Ctx, req: Req<ListExternalPanelPayments>) -> Result<Response> {
    let [panel] = PAYMENTS.plain() else { unreachable!("the list has one filter of its own") };
    if !req.query.plain.iter().any(|(name, id)| panel.is(name) && !id.trim().is_empty()) {
        return Err(panel_missing().into());
    }
    lists::answer(ctx, &PAYMENTS, &req.query, |record: Record, ctx| record.shown(ctx)).await
}

async fn add(ctx: Ctx, req: Req<AddExternalPanelPayment>) -> Result<Data<ExternalPanelPayment>> {
    let panel = req.body.external_panel_id.ok_or_else(panel_missing)?;
    let entry = Entry::default().with(&req.body, ctx.now().day())?;
    let mut work = ctx.begin().await?;
    hold_panel(&mut work, panel).await?;
    let id = insert(&mut work, panel, &entry).await?;
    audited(&mut work, "added", id, json!({}), entry.told(panel)).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateExternalPanelPayment>) -> Result<Data<ExternalPanelPayment>> {
    let (id, input) = (req.path, &req.body);
    let mut work = ctx.begin().await?;
    let old = lock(&mut work, id).await?;
    Error::unless_newest("billing entry", input.updated_at, old.updated_at)?;
    if input.external_panel_id.is_some_and(|panel| panel != old.external_panel_id) {
        let message = "An entry stays with its panel; delete it here and add it there.";
        return Err(Error::invalid("external_panel_id", "other_panel", message));
    }
    let before = old.entry();
    let after = before.clone().with(input, ctx.now().day())?;
    if after != before {
        write(&mut work, id, &after).await?;
        let panel = old.external_panel_id;
        audited(&mut work, "updated", id, before.told(panel), after.told(panel)).await?;
    }
    answer(work, id).await
}

async fn delete(ctx: Ctx, req: Req<DeleteExternalPanelPayment>) -> Result<NoBody> {
    let mut work = ctx.begin().await?;
    let old = lock(&mut work, req.path).await?;
    remove(&mut work, req.path).await?;
    audited(&mut work, "deleted", req.path, old.entry().told(old.external_panel_id), json!({})).await?;
    work.finish(NoBody {}).await
}

async fn audited(
    work: &mut Work,
    what: &str,
    id: ExternalPanelPaymentId,
    old: Value,
    new: Value,
) -> Result<()> {
    let event = format!("external_panel_payment.{what}");
    audit::record(work, &event, "external_panel_payment", Change { id: id.record(), old, new }).await
}

async fn answer(mut work: Work, id: ExternalPanelPaymentId) -> Result<Data<ExternalPanelPayment>> {
    let ctx = work.scope().clone();
    let data = find(&mut work, id).await?.shown(&ctx);
    work.finish(Data { data }).await
}

// Rules

/// An entry as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
struct Entry {
    date: Option<Day>,
    amount: Money,
    fee: Money,
    payment_method_commission: Money,
    bonus: Money,
}

impl Entry {
    /// After an input. Every amount is bounded by a tenth of what fits, so that their sum always does.
    fn with(mut self, input: &ExternalPanelPaymentInput, today: Day) -> Result<Self, FieldErrors> {
        const MOST: i64 = i64::MAX / 10;
        let mut errors = FieldErrors::default();
        self.date = input.date.or(self.date);
        match self.date {
            None => errors.add("date", "Say on which day it was paid."),
            // Somewhere it is tomorrow already.
            Some(date) if date.0 > today.0 + 1 || date.0 < 0 => {
                errors.add("date", "Give a day that has come.");
            }
            Some(_) => {}
        }
        for (field, wish, slot) in [
            ("amount", input.amount, &mut self.amount),
            ("fee", input.fee, &mut self.fee),
            (
                "payment_method_commission",
                input.payment_method_commission,
                &mut self.payment_method_commission,
            ),
            ("bonus", input.bonus, &mut self.bonus),
        ] {
            *slot = wish.unwrap_or(*slot);
            if field == "amount" && slot.0 <= 0 {
                errors.add(field, "Give an amount above 0.");
            } else if !(0..=MOST).contains(&slot.0) {
                errors.add(field, "Give an amount that is not below 0, and not so large.");
            }
        }
        if errors.0.is_empty() && self.fee.0 + self.payment_method_commission.0 > self.amount.0 {
            errors.add("fee", "Fee and commission are parts of the amount; together they cannot be more.");
        }
        errors.or(self)
    }

    fn told(&self, panel: ExternalPanelId) -> Value {
        let mut told = json!(self);
        told["external_panel_id"] = json!(panel);
        told
    }
}

fn panel_missing() -> FieldErrors {
    FieldErrors::one("external_panel_id", "External Panel ID is missing")
}

// Store

/// An entry as the database has it; its day by its first moment.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
    id: ExternalPanelPaymentId,
    external_panel_id: ExternalPanelId,
    date: Time,
    amount: Money,
    fee: Money,
    payment_method_commission: Money,
    bonus: Money,
    created_at: Time,
    updated_at: Stamp,
}

impl Record {
    fn entry(&self) -> Entry {
        Entry {
            date: Some(self.date.day()),
            amount: self.amount,
            fee: self.fee,
            payment_method_commission: self.payment_method_commission,
            bonus: self.bonus,
        }
    }

    fn shown(self, scope: &Scope) -> ExternalPanelPayment {
        let may = scope.may(Permission::ManageExternalPanels);
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
            // An entry moves no money here, so it can always be mended.
            actions: ExternalPanelPaymentActions { editable: may, deletable: may },
        }
    }
}

fn one(id: ExternalPanelPaymentId) -> Sql {
    Sql::new("SELECT ").push(COLUMNS).push(" FROM external_panel_payments b WHERE b.id = ?").bind(id)
}

async fn find(db: &mut impl Source, id: ExternalPanelPaymentId) -> Result<Record> {
    db.opt(one(id)).await?.ok_or_else(|| Error::not_found("billing entry", id))
}

async fn lock(work: &mut Work, id: ExternalPanelPaymentId) -> Result<Record> {
    work.opt(one(id).for_update()).await?.ok_or_else(|| Error::not_found("billing entry", id))
}

/// The panel must be there; an archived one may still be booked for.
async fn hold_panel(work: &mut Work, id: ExternalPanelId) -> Result<()> {
    let sql = Sql::new("SELECT id FROM external_panels WHERE id = ?").bind(id).for_update();
    match work.opt::<(ExternalPanelId,)>(sql).await? {
        Some(_) => Ok(()),
        None => {
            Err(FieldErrors::one("external_panel_id", format!("There is no external panel {id}.")).into())
        }
    }
}

/// The INSERT and the UPDATE of all fields of an entry.
fn statements(entry: &Entry, stamp: Stamp) -> [Sql; 2] {
    let Entry { date, amount, fee, payment_method_commission, bonus } = entry;
    sql!(
        [
            "INSERT INTO external_panel_payments (external_panel_id, date, amount, fee, payment_method_commission, bonus, \
               created_at, updated_at)
             VALUES (@external_panel_id, @date, @amount, @fee, @payment_method_commission, @bonus, @now, @stamp) RETURNING id",
            "UPDATE external_panel_payments SET date = @date, amount = @amount, fee = @fee, \
               payment_method_commission = @payment_method_commission, bonus = @bonus, updated_at = @stamp WHERE id = @id",
        ],
        { date: date.map(Day::start), amount, fee, payment_method_commission, bonus, stamp },
        later: [external_panel_id, now, id],
    )
}

async fn insert(work: &mut Work, panel: ExternalPanelId, entry: &Entry) -> Result<ExternalPanelPaymentId> {
    let [insert, _] = statements(entry, work.stamp());
    let insert = insert.named("external_panel_id", panel).named("now", work.now);
    Ok(work.one::<(ExternalPanelPaymentId,)>(insert).await?.0)
}

async fn write(work: &mut Work, id: ExternalPanelPaymentId, entry: &Entry) -> Result<()> {
    let [_, update] = statements(entry, work.stamp());
    work.exec(update.named("id", id)).await?;
    Ok(())
}

async fn remove(work: &mut Work, id: ExternalPanelPaymentId) -> Result<()> {
    work.exec(Sql::new("DELETE FROM external_panel_payments WHERE id = ?").bind(id)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: Day = Day(20_000);

    fn judged(body: &str) -> Result<Entry, Vec<String>> {
        let input: ExternalPanelPaymentInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        Entry::default().with(&input, TODAY).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn each_wrong_field_is_named() {
        assert_eq!(judged("{}").unwrap_err(), ["amount", "date"]);
        let wrong = r#"{"date":"2100-01-01","amount":"-1","fee":"-1","bonus":"9000000000000","payment_method_commission":"-0.1"}"#;
        assert_eq!(
            judged(wrong).unwrap_err(),
            ["amount", "bonus", "date", "fee", "payment_method_commission"]
        );
        let parts = r#"{"date":"2024-10-04","amount":"10","fee":"6","payment_method_commission":"4.000001"}"#;
        assert_eq!(judged(parts).unwrap_err(), ["fee"]);
        assert!(judged(&parts.replace("4.000001", "4")).is_ok(), "all of it may be gone");
    }
}
