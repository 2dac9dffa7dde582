//! Endpoints for the bonuses of payment methods. A customer whose payment reaches the minimum amount of a bonus gets a fraction of
//! the payment on top. If several enabled bonuses apply, the one with the highest minimum amount counts.

use std::collections::BTreeSet;

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::Data;
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::payment_methods::{DeletePaymentMethodBonus, SetPaymentMethodBonuses};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{BonusId, PaymentMethodId};
use panel_contract::payment_methods::{BonusInput, PaymentMethod, PaymentMethodBonus};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::payment_methods::response::{commit_and_respond, record_audit};
use crate::operations::payment_methods::store;
use panel_platform::db::{DbError, DbResult, Sql, SqlExecutor};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// Maximum number of bonuses of a payment method, and of bonuses in one request.
const MAX_BONUSES: usize = 100;
/// Maximum bonus, in millionths of the payment.
const MAX_BONUS_PPM: i64 = 1_000_000;
/// A bonus must be a multiple of this step, in millionths of the payment (0.001 %).
const BONUS_STEP_PPM: i64 = 10;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<SetPaymentMethodBonuses, _, _, _>(set_bonuses)
        .route::<DeletePaymentMethodBonus, _, _, _>(delete_bonus)
}

async fn set_bonuses(ctx: Ctx, req: Req<SetPaymentMethodBonuses>) -> Result<Data<PaymentMethod>> {
    let (method_id, inputs) = (req.body.payment_method_id, &req.body.bonuses);
    validate(inputs)?;
    let mut work = ctx.begin().await?;
    lock_method(&mut work, method_id).await?;
    let old_bonuses = store::load_row(&mut work, method_id).await?.bonuses();
    check_ids(&old_bonuses, inputs)?;
    delete_bonuses_to_replace(&mut work, inputs).await?;
    for (index, bonus) in inputs.iter().enumerate() {
        insert_bonus(&mut work, method_id, bonus).await.map_err(|error| bonus_exists_error(error, index))?;
    }
    let new_bonuses = store::load_row(&mut work, method_id).await?.bonuses();
    if new_bonuses.len() > MAX_BONUSES {
        return Err(FieldErrors::single("bonuses", format!("Keep at most {MAX_BONUSES} bonuses.")).into());
    }
    let (old_values, new_values) = (json!({ "bonuses": old_bonuses }), json!({ "bonuses": new_bonuses }));
    record_audit(&mut work, "payment_method.bonuses_set", method_id, old_values, new_values).await?;
    commit_and_respond(work, &ctx, method_id).await
}

async fn delete_bonus(ctx: Ctx, req: Req<DeletePaymentMethodBonus>) -> Result<EmptyBody> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    let (method_id, bonus) =
        delete_and_return(&mut work, id).await?.ok_or_else(|| Error::not_found("bonus", id))?;
    record_audit(&mut work, "payment_method.bonus_deleted", method_id, json!({ "bonus": bonus }), json!({}))
        .await?;
    work.finish(EmptyBody {}).await
}

// Rules

fn validate(bonuses: &[BonusInput]) -> Result<(), FieldErrors> {
    if bonuses.is_empty() || bonuses.len() > MAX_BONUSES {
        let message = format!("Send 1 to {MAX_BONUSES} bonuses; the list has {}.", bonuses.len());
        return Err(FieldErrors::single("bonuses", message));
    }
    let (mut errors, mut ids, mut amounts) = (FieldErrors::default(), BTreeSet::new(), BTreeSet::new());
    for (index, bonus) in bonuses.iter().enumerate() {
        if bonus.from_amount < Money::ZERO {
            errors.add(format!("bonuses.{index}.from_amount"), "Enter an amount of zero or more.");
        }
        if !(0..=MAX_BONUS_PPM).contains(&bonus.bonus_fraction.0)
            || bonus.bonus_fraction.0 % BONUS_STEP_PPM != 0
        {
            let message =
                "Enter a fraction from 0 to 1 with at most five decimals, such as 0.05 for 5 percent.";
            errors.add(format!("bonuses.{index}.bonus_fraction"), message);
        }
        if !amounts.insert(bonus.from_amount) {
            errors.add(format!("bonuses.{index}.from_amount"), AMOUNT_IN_USE);
        }
        if bonus.id.is_some_and(|id| !ids.insert(id)) {
            errors.add(format!("bonuses.{index}.id"), "The list contains this bonus twice. Send it once.");
        }
    }
    errors.into_result(())
}

const AMOUNT_IN_USE: &str = "Another bonus of this method has the same from_amount.";

/// Rejects ids that are not ids of bonuses of this payment method.
fn check_ids(old_bonuses: &[PaymentMethodBonus], inputs: &[BonusInput]) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    for (index, bonus) in inputs.iter().enumerate() {
        if let Some(id) = bonus.id
            && !old_bonuses.iter().any(|old_bonus| old_bonus.id == id)
        {
            errors.add(format!("bonuses.{index}.id"), format!("This payment method has no bonus {id}."));
        }
    }
    errors.into_result(())
}

fn bonus_exists_error(error: DbError, index: usize) -> Error {
    match error.is_unique() {
        true => Error::invalid(format!("bonuses.{index}.from_amount"), "bonus_exists", AMOUNT_IN_USE),
        false => error.into(),
    }
}

/// Parses a line of the column `bonuses`: id, minimum amount, bonus in millionths, and 1 if it is enabled.
pub(super) fn parse_bonus_line(line: &str) -> Option<PaymentMethodBonus> {
    let mut columns = line.split(':');
    let mut next_number = || columns.next()?.parse::<i64>().ok();
    Some(to_bonus((BonusId::new(next_number()?), Money(next_number()?), next_number()?, next_number()? == 1)))
}

fn to_bonus((id, from_amount, ppm, is_enabled): (BonusId, Money, i64, bool)) -> PaymentMethodBonus {
    PaymentMethodBonus { id, from_amount, bonus_fraction: Fraction(ppm), is_enabled }
}

// Store

async fn lock_method(work: &mut UnitOfWork, method_id: PaymentMethodId) -> Result<()> {
    let sql = Sql::new("SELECT id FROM payment_methods WHERE id = ?").bind(method_id).for_update();
    let row = work.fetch_optional::<(PaymentMethodId,)>(sql).await?;
    let message = || format!("There is no payment method {method_id}. Choose another payment method.");
    row.map(|_| ()).ok_or_else(|| Error::invalid("payment_method_id", "payment_method_unknown", message()))
}

/// Inserts a bonus. An existing bonus that is replaced keeps its id.
async fn insert_bonus(
    work: &mut UnitOfWork,
    method_id: PaymentMethodId,
    bonus: &BonusInput,
) -> DbResult<u64> {
    let (now, timestamp) = (work.now, work.timestamp());
    let BonusInput { id, from_amount, bonus_fraction, is_enabled } = bonus;
    let bonus_ppm = bonus_fraction.0;
    let [insert_with_id_sql, insert_sql] = sql!(
        [
            "INSERT INTO payment_method_bonuses (id, payment_method_id, from_amount, bonus_ppm, is_enabled, created_at, \
               updated_at) VALUES (@id, @method, @from_amount, @bonus_ppm, @is_enabled, @now, @timestamp)",
            "INSERT INTO payment_method_bonuses (payment_method_id, from_amount, bonus_ppm, is_enabled, created_at, \
               updated_at) VALUES (@method, @from_amount, @bonus_ppm, @is_enabled, @now, @timestamp)",
        ],
        { method: method_id, from_amount, bonus_ppm, is_enabled, now, timestamp },
        bound_later: [id],
    );
    work.execute(id.map_or(insert_sql, |id| insert_with_id_sql.bind_named("id", id))).await
}

/// Deletes the existing bonuses in the input before they are inserted again, so that two bonuses can swap their minimum amounts.
async fn delete_bonuses_to_replace(work: &mut UnitOfWork, inputs: &[BonusInput]) -> DbResult<u64> {
    let ids: Vec<BonusId> = inputs.iter().filter_map(|bonus| bonus.id).collect();
    work.execute(Sql::new("DELETE FROM payment_method_bonuses WHERE id IN ").ids(&ids)).await
}

/// Deletes a bonus. Returns its payment method and its last values.
async fn delete_and_return(
    work: &mut UnitOfWork,
    id: BonusId,
) -> DbResult<Option<(PaymentMethodId, PaymentMethodBonus)>> {
    let sql = Sql::new(
        "DELETE FROM payment_method_bonuses WHERE id = ? RETURNING payment_method_id, id, from_amount, bonus_ppm, is_enabled",
    );
    let row: Option<(PaymentMethodId, BonusId, Money, i64, bool)> = work.fetch_optional(sql.bind(id)).await?;
    Ok(row
        .map(|(method_id, id, amount, ppm, is_enabled)| (method_id, to_bonus((id, amount, ppm, is_enabled)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invalid_fields(json: serde_json::Value) -> Vec<String> {
        let bonuses: Vec<BonusInput> = serde_json::from_value(json).unwrap();
        validate(&bonuses).unwrap_err().0.into_keys().collect()
    }

    #[test]
    fn reports_each_invalid_bonus() {
        assert_eq!(invalid_fields(json!([])), ["bonuses"]);
        assert_eq!(invalid_fields(json!([{"bonus_fraction": "1.01"}])), ["bonuses.0.bonus_fraction"]);
        assert_eq!(
            invalid_fields(json!([{}, {"from_amount": "5", "bonus_fraction": "0.000001"}])),
            ["bonuses.1.bonus_fraction"]
        );
        assert_eq!(
            invalid_fields(json!([{"from_amount": "5"}, {"from_amount": "5.0"}])),
            ["bonuses.1.from_amount"]
        );
        assert_eq!(invalid_fields(json!([{"id": 1}, {"id": 1, "from_amount": "2"}])), ["bonuses.1.id"]);
        assert_eq!(invalid_fields(json!([{"from_amount": "-1"}])), ["bonuses.0.from_amount"]);
    }

    #[test]
    fn parses_a_line_of_a_bonus() {
        let bonus = parse_bonus_line("7:5000000:50000:1").unwrap();
        assert_eq!(
            (bonus.id, bonus.from_amount, bonus.bonus_fraction),
            (BonusId::new(7), Money(5_000_000), Fraction(50_000))
        );
        assert!(parse_bonus_line("7:5").is_none());
    }
}
