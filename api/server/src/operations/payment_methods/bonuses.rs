//! Bonuses of payment methods: from an amount on, a share more. The highest enabled one that is reached is paid.

use std::collections::BTreeSet;

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::Data;
use panel_contract::endpoint::NoBody;
use panel_contract::endpoints::payment_methods::{DeletePaymentMethodBonus, SetPaymentMethodBonuses};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{BonusId, PaymentMethodId};
use panel_contract::payment_methods::{BonusInput, PaymentMethod, PaymentMethodBonus};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::payment_methods::answer::{answer, audited};
use crate::operations::payment_methods::store;
use panel_platform::db::{DbError, DbResult, Source, Sql};
use panel_platform::sql;
use panel_platform::work::Work;

/// Bonuses of one method, and of one call.
const MOST: usize = 100;
/// A percent on the wire has millionths; the database keeps millionths of the payment.
const PERCENT: i64 = 100;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<SetPaymentMethodBonuses, _, _, _>(set).on::<DeletePaymentMethodBonus, _, _, _>(delete)
}

async fn set(ctx: Ctx, req: Req<SetPaymentMethodBonuses>) -> Result<Data<PaymentMethod>> {
    let (method, wanted) = (req.body.payment_method_id, &req.body.bonuses);
    check(wanted)?;
    let mut work = ctx.begin().await?;
    lock(&mut work, method).await?;
    let old = store::find(&mut work, method).await?.bonuses();
    known(&old, wanted)?;
    clear(&mut work, wanted).await?;
    for (at, bonus) in wanted.iter().enumerate() {
        put(&mut work, method, bonus).await.map_err(|error| taken(error, at))?;
    }
    let new = store::find(&mut work, method).await?.bonuses();
    if new.len() > MOST {
        return Err(FieldErrors::one("bonuses", format!("Keep at most {MOST} bonuses.")).into());
    }
    let (was, is) = (json!({ "bonuses": old }), json!({ "bonuses": new }));
    audited(&mut work, "payment_method.bonuses_set", method, was, is).await?;
    answer(work, &ctx, method).await
}

async fn delete(ctx: Ctx, req: Req<DeletePaymentMethodBonus>) -> Result<NoBody> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    let (method, bonus) = remove(&mut work, id).await?.ok_or_else(|| Error::not_found("bonus", id))?;
    audited(&mut work, "payment_method.bonus_deleted", method, json!({ "bonus": bonus }), json!({})).await?;
    work.finish(NoBody {}).await
}

// Rules

fn check(bonuses: &[BonusInput]) -> Result<(), FieldErrors> {
    if bonuses.is_empty() || bonuses.len() > MOST {
        let message = format!("Give 1 to {MOST} bonuses; there are {}.", bonuses.len());
        return Err(FieldErrors::one("bonuses", message));
    }
    let (mut errors, mut ids, mut amounts) = (FieldErrors::default(), BTreeSet::new(), BTreeSet::new());
    for (at, bonus) in bonuses.iter().enumerate() {
        if bonus.from_amount < Money::ZERO {
            errors.add(format!("bonuses.{at}.from_amount"), "Give an amount that is not below zero.");
        }
        if !(0..=100 * Money::UNIT).contains(&bonus.bonus_percent.0) || bonus.bonus_percent.0 % 1_000 != 0 {
            let message = "Give a percentage from 0 to 100 with at most three decimals.";
            errors.add(format!("bonuses.{at}.bonus_percent"), message);
        }
        if !amounts.insert(bonus.from_amount) {
            errors.add(format!("bonuses.{at}.from_amount"), TAKEN);
        }
        if bonus.id.is_some_and(|id| !ids.insert(id)) {
            errors.add(format!("bonuses.{at}.id"), "This bonus stands in the list twice; name it once.");
        }
    }
    errors.or(())
}

const TAKEN: &str = "Another bonus of this method begins at the same amount.";

/// Those with an id are bonuses of this method.
fn known(old: &[PaymentMethodBonus], wanted: &[BonusInput]) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    for (at, bonus) in wanted.iter().enumerate() {
        if let Some(id) = bonus.id
            && !old.iter().any(|old| old.id == id)
        {
            errors.add(format!("bonuses.{at}.id"), format!("This payment method has no bonus {id}."));
        }
    }
    errors.or(())
}

fn taken(error: DbError, at: usize) -> Error {
    match error.is_unique() {
        true => Error::invalid(format!("bonuses.{at}.from_amount"), "bonus_exists", TAKEN),
        false => error.into(),
    }
}

/// A line of a method's bonuses: id, amount, share, switch.
pub(super) fn read(line: &str) -> Option<PaymentMethodBonus> {
    let mut parts = line.split(':');
    let mut next = || parts.next()?.parse::<i64>().ok();
    Some(shown((BonusId::new(next()?), Money(next()?), next()?, next()? == 1)))
}

fn shown((id, from_amount, ppm, is_enabled): (BonusId, Money, i64, bool)) -> PaymentMethodBonus {
    PaymentMethodBonus { id, from_amount, bonus_percent: Fraction(ppm * PERCENT), is_enabled }
}

// Store

async fn lock(work: &mut Work, method: PaymentMethodId) -> Result<()> {
    let sql = Sql::new("SELECT id FROM payment_methods WHERE id = ?").bind(method).for_update();
    let found = work.opt::<(PaymentMethodId,)>(sql).await?;
    let message = || format!("There is no payment method {method}; choose one.");
    found.map(|_| ()).ok_or_else(|| Error::invalid("payment_method_id", "payment_method_unknown", message()))
}

/// Writes a bonus anew, under its old id if it has one.
async fn put(work: &mut Work, method: PaymentMethodId, bonus: &BonusInput) -> DbResult<u64> {
    let (now, stamp) = (work.now, work.stamp());
    let BonusInput { id, from_amount, bonus_percent, is_enabled } = bonus;
    let bonus_ppm = bonus_percent.0 / PERCENT;
    let [known, new] = sql!(
        [
            "INSERT INTO payment_method_bonuses (id, payment_method_id, from_amount, bonus_ppm, is_enabled, created_at, \
               updated_at) VALUES (@id, @method, @from_amount, @bonus_ppm, @is_enabled, @now, @stamp)",
            "INSERT INTO payment_method_bonuses (payment_method_id, from_amount, bonus_ppm, is_enabled, created_at, \
               updated_at) VALUES (@method, @from_amount, @bonus_ppm, @is_enabled, @now, @stamp)",
        ],
        { method, from_amount, bonus_ppm, is_enabled, now, stamp },
        later: [id],
    );
    work.exec(id.map_or(new, |id| known.named("id", id))).await
}

/// Takes those away that are written anew, so that two can change places.
async fn clear(work: &mut Work, wanted: &[BonusInput]) -> DbResult<u64> {
    let ids: Vec<BonusId> = wanted.iter().filter_map(|bonus| bonus.id).collect();
    work.exec(Sql::new("DELETE FROM payment_method_bonuses WHERE id IN ").ids(&ids)).await
}

/// Deletes one: its method, and what it was.
async fn remove(work: &mut Work, id: BonusId) -> DbResult<Option<(PaymentMethodId, PaymentMethodBonus)>> {
    let sql = Sql::new(
        "DELETE FROM payment_method_bonuses WHERE id = ? RETURNING payment_method_id, id, from_amount, bonus_ppm, is_enabled",
    );
    let row: Option<(PaymentMethodId, BonusId, Money, i64, bool)> = work.opt(sql.bind(id)).await?;
    Ok(row.map(|(method, id, amount, ppm, on)| (method, shown((id, amount, ppm, on)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(json: serde_json::Value) -> Vec<String> {
        let bonuses: Vec<BonusInput> = serde_json::from_value(json).unwrap();
        check(&bonuses).unwrap_err().0.into_keys().collect()
    }

    #[test]
    fn each_wrong_bonus_is_named() {
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
    fn a_line_is_a_bonus() {
        let bonus = read("7:5000000:50000:1").unwrap();
        assert_eq!(
            (bonus.id, bonus.from_amount, bonus.bonus_percent),
            (BonusId::new(7), Money(5_000_000), Fraction(5_000_000))
        );
        assert!(read("7:5").is_none());
    }
}
