//! Bonuses of payment methods: a fraction on top of payments from a minimum amount. The enabled bonus with the highest minimum
//! amount that the payment reaches applies.

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
use crate::operations::payment_methods::answer::{answer, record_audit};
use crate::operations::payment_methods::store;
use panel_platform::db::{DbError, DbResult, Source, Sql};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// Largest number of bonuses of one method, and in one call.
const MAX_BONUSES: usize = 100;
/// The API has millionths of a percent; the database stores millionths of the payment.
const PERCENT: i64 = 100;

// Routes

pub fn routes(api: Api) -> Api {
    api.on::<SetPaymentMethodBonuses, _, _, _>(set).on::<DeletePaymentMethodBonus, _, _, _>(delete)
}

async fn set(ctx: Ctx, req: Req<SetPaymentMethodBonuses>) -> Result<Data<PaymentMethod>> {
    let (method, inputs) = (req.body.payment_method_id, &req.body.bonuses);
    check(inputs)?;
    let mut work = ctx.begin().await?;
    lock(&mut work, method).await?;
    let old = store::find(&mut work, method).await?.bonuses();
    check_ids(&old, inputs)?;
    clear(&mut work, inputs).await?;
    for (at, bonus) in inputs.iter().enumerate() {
        insert_bonus(&mut work, method, bonus).await.map_err(|error| unique_violation(error, at))?;
    }
    let new = store::find(&mut work, method).await?.bonuses();
    if new.len() > MAX_BONUSES {
        return Err(FieldErrors::one("bonuses", format!("Keep at most {MAX_BONUSES} bonuses.")).into());
    }
    let (was, is) = (json!({ "bonuses": old }), json!({ "bonuses": new }));
    record_audit(&mut work, "payment_method.bonuses_set", method, was, is).await?;
    answer(work, &ctx, method).await
}

async fn delete(ctx: Ctx, req: Req<DeletePaymentMethodBonus>) -> Result<EmptyBody> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    let (method, bonus) = remove(&mut work, id).await?.ok_or_else(|| Error::not_found("bonus", id))?;
    record_audit(&mut work, "payment_method.bonus_deleted", method, json!({ "bonus": bonus }), json!({}))
        .await?;
    work.finish(EmptyBody {}).await
}

// Rules

fn check(bonuses: &[BonusInput]) -> Result<(), FieldErrors> {
    if bonuses.is_empty() || bonuses.len() > MAX_BONUSES {
        let message = format!("Send 1 to {MAX_BONUSES} bonuses; the list has {}.", bonuses.len());
        return Err(FieldErrors::one("bonuses", message));
    }
    let (mut errors, mut ids, mut amounts) = (FieldErrors::default(), BTreeSet::new(), BTreeSet::new());
    for (at, bonus) in bonuses.iter().enumerate() {
        if bonus.from_amount < Money::ZERO {
            errors.add(format!("bonuses.{at}.from_amount"), "Enter an amount of zero or more.");
        }
        if !(0..=100 * Money::UNIT).contains(&bonus.bonus_percent.0) || bonus.bonus_percent.0 % 1_000 != 0 {
            let message = "Enter a percentage from 0 to 100 with at most three decimals.";
            errors.add(format!("bonuses.{at}.bonus_percent"), message);
        }
        if !amounts.insert(bonus.from_amount) {
            errors.add(format!("bonuses.{at}.from_amount"), AMOUNT_IN_USE);
        }
        if bonus.id.is_some_and(|id| !ids.insert(id)) {
            errors.add(format!("bonuses.{at}.id"), "The list contains this bonus twice. Send it once.");
        }
    }
    errors.or(())
}

const AMOUNT_IN_USE: &str = "Another bonus of this method has the same from_amount.";

/// Refuses ids that are not bonuses of this method.
fn check_ids(old: &[PaymentMethodBonus], new: &[BonusInput]) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    for (at, bonus) in new.iter().enumerate() {
        if let Some(id) = bonus.id
            && !old.iter().any(|old| old.id == id)
        {
            errors.add(format!("bonuses.{at}.id"), format!("This payment method has no bonus {id}."));
        }
    }
    errors.or(())
}

fn unique_violation(error: DbError, at: usize) -> Error {
    match error.is_unique() {
        true => Error::invalid(format!("bonuses.{at}.from_amount"), "bonus_exists", AMOUNT_IN_USE),
        false => error.into(),
    }
}

/// Parses a line of a method's bonuses: id, amount, millionths, whether it is enabled.
pub(super) fn parse_line(line: &str) -> Option<PaymentMethodBonus> {
    let mut parts = line.split(':');
    let mut next = || parts.next()?.parse::<i64>().ok();
    Some(to_bonus((BonusId::new(next()?), Money(next()?), next()?, next()? == 1)))
}

fn to_bonus((id, from_amount, ppm, is_enabled): (BonusId, Money, i64, bool)) -> PaymentMethodBonus {
    PaymentMethodBonus { id, from_amount, bonus_percent: Fraction(ppm * PERCENT), is_enabled }
}

// Store

async fn lock(work: &mut UnitOfWork, method: PaymentMethodId) -> Result<()> {
    let sql = Sql::new("SELECT id FROM payment_methods WHERE id = ?").bind(method).for_update();
    let row = work.opt::<(PaymentMethodId,)>(sql).await?;
    let message = || format!("Payment method {method} does not exist. Choose another one.");
    row.map(|_| ()).ok_or_else(|| Error::invalid("payment_method_id", "payment_method_unknown", message()))
}

/// Inserts a bonus, with its old id if it has one.
async fn insert_bonus(work: &mut UnitOfWork, method: PaymentMethodId, bonus: &BonusInput) -> DbResult<u64> {
    let (now, stamp) = (work.now, work.stamp());
    let BonusInput { id, from_amount, bonus_percent, is_enabled } = bonus;
    let bonus_ppm = bonus_percent.0 / PERCENT;
    let [with_id, without_id] = sql!(
        [
            "INSERT INTO payment_method_bonuses (id, payment_method_id, from_amount, bonus_ppm, is_enabled, created_at, \
               updated_at) VALUES (@id, @method, @from_amount, @bonus_ppm, @is_enabled, @now, @stamp)",
            "INSERT INTO payment_method_bonuses (payment_method_id, from_amount, bonus_ppm, is_enabled, created_at, \
               updated_at) VALUES (@method, @from_amount, @bonus_ppm, @is_enabled, @now, @stamp)",
        ],
        { method, from_amount, bonus_ppm, is_enabled, now, stamp },
        later: [id],
    );
    work.exec(id.map_or(without_id, |id| with_id.named("id", id))).await
}

/// Deletes the bonuses that are inserted again, so that two of them can swap their amounts.
async fn clear(work: &mut UnitOfWork, new: &[BonusInput]) -> DbResult<u64> {
    let ids: Vec<BonusId> = new.iter().filter_map(|bonus| bonus.id).collect();
    work.exec(Sql::new("DELETE FROM payment_method_bonuses WHERE id IN ").ids(&ids)).await
}

/// Deletes a bonus, and returns its method and its last values.
async fn remove(
    work: &mut UnitOfWork,
    id: BonusId,
) -> DbResult<Option<(PaymentMethodId, PaymentMethodBonus)>> {
    let sql = Sql::new(
        "DELETE FROM payment_method_bonuses WHERE id = ? RETURNING payment_method_id, id, from_amount, bonus_ppm, is_enabled",
    );
    let row: Option<(PaymentMethodId, BonusId, Money, i64, bool)> = work.opt(sql.bind(id)).await?;
    Ok(row.map(|(method, id, amount, ppm, on)| (method, to_bonus((id, amount, ppm, on)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(json: serde_json::Value) -> Vec<String> {
        let bonuses: Vec<BonusInput> = serde_json::from_value(json).unwrap();
        check(&bonuses).unwrap_err().0.into_keys().collect()
    }

    #[test]
    fn names_each_invalid_bonus() {
        assert_eq!(wrong(json!([])), ["bonuses"]);
        assert_eq!(wrong(json!([{"bonus_percent": "101"}])), ["bonuses.0.bonus_percent"]);
        assert_eq!(
            wrong(json!([{}, {"from_amount": "5", "bonus_percent": "0.0001"}])),
            ["bonuses.1.bonus_percent"]
        );
        assert_eq!(wrong(json!([{"from_amount": "5"}, {"from_amount": "5.0"}])), ["bonuses.1.from_amount"]);
        assert_eq!(wrong(json!([{"id": 1}, {"id": 1, "from_amount": "2"}])), ["bonuses.1.id"]);
        assert_eq!(wrong(json!([{"from_amount": "-1"}])), ["bonuses.0.from_amount"]);
    }

    #[test]
    fn parses_a_line_of_a_bonus() {
        let bonus = parse_line("7:5000000:50000:1").unwrap();
        assert_eq!(
            (bonus.id, bonus.from_amount, bonus.bonus_percent),
            (BonusId::new(7), Money(5_000_000), Fraction(5_000_000))
        );
        assert!(parse_line("7:5").is_none());
    }
}
