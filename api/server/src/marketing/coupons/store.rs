//! SQL of coupons.

use panel_contract::amount::{Fraction, Money};
use panel_contract::coupons::{BonusCalculation, Coupon, CouponBonusType, CouponPaymentType};
use panel_contract::ids::{CouponId, UserId};
use panel_contract::moment::{Time, Timestamp};
use panel_kernel::error::{Error, Result};

use crate::marketing::coupons::rules::{CouponDraft, TEXTS};
use crate::marketing::coupons::{COUPONS, StoredCoupon};
use crate::records::texts;
use panel_platform::db::{DbError, Sql, SqlExecutor, Val};
use panel_platform::scope::Scope;
use panel_platform::table;
use panel_platform::work::UnitOfWork;

/// A locked coupon as stored.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct LockedCouponRow {
    name: String,
    code: String,
    displayable: bool,
    payment_type: CouponPaymentType,
    affiliate_id: Option<UserId>,
    min_amount: Money,
    valid_from: Time,
    valid_to: Option<Time>,
    bonus_type: CouponBonusType,
    bonus_amount_calculation_type: BonusCalculation,
    bonus_ppm: Option<Fraction>,
    bonus_amount: Option<Money>,
    usage_limit: Option<i64>,
    works_with_service_discount: bool,
    works_with_user_custom_price: bool,
    use_with_only_unpaid_orders: bool,
    works_with_balance: bool,
    pub(super) is_archived: bool,
    pub(super) updated_at: Timestamp,
}

/// Loads and locks a coupon.
pub(super) async fn lock(work: &mut UnitOfWork, id: CouponId) -> Result<(CouponDraft, LockedCouponRow)> {
    let sql = Sql::new(
        "SELECT name, code, displayable, payment_type, affiliate_id, min_amount, valid_from, valid_to, bonus_type, bonus_amount_calculation_type, bonus_ppm,
           bonus_amount, usage_limit, works_with_service_discount, works_with_user_custom_price, use_with_only_unpaid_orders, works_with_balance, is_archived,
           updated_at FROM coupons WHERE id = ?",
    );
    let row: Option<LockedCouponRow> = work.fetch_optional(sql.bind(id).for_update()).await?;
    let locked_row = row.ok_or_else(|| Error::not_found("coupon", id))?;
    let draft = CouponDraft {
        translations: texts::load_one(work, &TEXTS, id, &locked_row.name).await?,
        name: locked_row.name.clone(),
        code: locked_row.code.clone(),
        displayable: locked_row.displayable,
        payment_type: Some(locked_row.payment_type),
        affiliate_id: locked_row.affiliate_id,
        min_amount: locked_row.min_amount,
        valid_from: Some(locked_row.valid_from),
        valid_to: locked_row.valid_to,
        bonus_type: Some(locked_row.bonus_type),
        bonus_amount_calculation_type: Some(locked_row.bonus_amount_calculation_type),
        bonus_fraction: locked_row.bonus_ppm,
        bonus_amount: locked_row.bonus_amount,
        usage_limit: locked_row.usage_limit,
        works_with_service_discount: locked_row.works_with_service_discount,
        works_with_user_custom_price: locked_row.works_with_user_custom_price,
        use_with_only_unpaid_orders: locked_row.use_with_only_unpaid_orders,
        works_with_balance: Some(locked_row.works_with_balance),
    };
    Ok((draft, locked_row))
}

/// Checks that the referral manager exists.
pub(super) async fn check_affiliate(work: &mut UnitOfWork, id: Option<UserId>) -> Result<()> {
    let Some(id) = id else { return Ok(()) };
    let row: Option<(UserId,)> =
        work.fetch_optional(Sql::new("SELECT id FROM users WHERE id = ?").bind(id)).await?;
    match row {
        Some(_) => Ok(()),
        None => Err(Error::invalid(
            "affiliate_id",
            "user_unknown",
            format!("User {id} does not exist. Choose another one."),
        )),
    }
}

/// Checks that no coupon other than `id` has the code. For concurrent requests, the unique index ensures this.
pub(super) async fn check_code(work: &mut UnitOfWork, code: &str, id: Option<CouponId>) -> Result<()> {
    let sql = Sql::new("SELECT id FROM coupons WHERE code = ? AND id <> ?");
    let sql = sql.bind(code).bind(id.map_or(0, CouponId::get));
    match work.fetch_optional::<(CouponId,)>(sql).await? {
        None => Ok(()),
        Some(_) => Err(code_taken_error()),
    }
}

/// Returns the columns of INSERT and UPDATE with their values.
fn column_values(draft: &CouponDraft) -> Vec<(&'static str, Val)> {
    vec![
        ("name", Val::from(&*draft.name)),
        ("code", Val::from(&*draft.code)),
        ("displayable", draft.displayable.into()),
        ("payment_type", draft.payment_type.map(CouponPaymentType::as_str).into()),
        ("affiliate_id", draft.affiliate_id.into()),
        ("min_amount", draft.min_amount.into()),
        ("valid_from", draft.valid_from.into()),
        ("valid_to", draft.valid_to.into()),
        ("bonus_type", draft.bonus_type.map(CouponBonusType::as_str).into()),
        (
            "bonus_amount_calculation_type",
            draft.bonus_amount_calculation_type.map(BonusCalculation::as_str).into(),
        ),
        ("bonus_ppm", draft.bonus_fraction.into()),
        ("bonus_amount", draft.bonus_amount.into()),
        ("usage_limit", draft.usage_limit.into()),
        ("works_with_service_discount", draft.works_with_service_discount.into()),
        ("works_with_user_custom_price", draft.works_with_user_custom_price.into()),
        ("use_with_only_unpaid_orders", draft.use_with_only_unpaid_orders.into()),
        ("works_with_balance", draft.works_with_balance.unwrap_or(true).into()),
    ]
}

pub(super) async fn insert(work: &mut UnitOfWork, draft: &CouponDraft) -> Result<CouponId> {
    let now = work.timestamp();
    let (mut columns, mut values) = (
        Sql::new("INSERT INTO coupons (created_at, updated_at"),
        Sql::new(") VALUES (?, ?").bind(now).bind(now),
    );
    for (column, value) in column_values(draft) {
        columns = columns.push(", ").push(column);
        values = values.push(", ").bind(value);
    }
    let (id,): (CouponId,) =
        work.fetch_one(columns.append(values).push(") RETURNING id")).await.map_err(unique_violation)?;
    texts::write(work, &TEXTS, id, &draft.translations).await?;
    Ok(id)
}

pub(super) async fn update_row(work: &mut UnitOfWork, id: CouponId, draft: &CouponDraft) -> Result<()> {
    let mut sql = Sql::new("UPDATE coupons SET updated_at = ?").bind(work.timestamp());
    for (column, value) in column_values(draft) {
        sql = sql.push(", ").push(column).push(" = ").bind(value);
    }
    work.execute(sql.push(" WHERE id = ?").bind(id)).await.map_err(unique_violation)?;
    Ok(texts::write(work, &TEXTS, id, &draft.translations).await?)
}

fn unique_violation(error: DbError) -> Error {
    match error.is_unique() {
        true => code_taken_error(),
        false => error.into(),
    }
}

fn code_taken_error() -> Error {
    Error::invalid("code", "code_taken", "Another coupon has this code. Enter another one.")
}

/// Loads a coupon with its texts in two statements.
pub(super) async fn load(db: &mut impl SqlExecutor, scope: &Scope, id: CouponId) -> Result<Coupon> {
    let into_row = |coupon: StoredCoupon, scope: &Scope| coupon.into_row(scope);
    let mut rows = table::load_rows_from(db, scope, &COUPONS, &[id], into_row).await?;
    let row = rows.pop().ok_or_else(|| Error::not_found("coupon", id))?;
    let translations = texts::load_one(db, &TEXTS, id, &row.name).await?;
    let description = translations.text("en", "description").map(str::to_owned);
    Ok(Coupon { row, description, translations })
}
