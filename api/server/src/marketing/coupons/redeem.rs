//! Redeems a coupon in the transaction of its payment or order. The coupon is locked from the check to the write, so that
//! concurrent requests cannot exceed its usage limit. The caller must have locked the customer; each customer can use a coupon
//! once.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money};
use panel_contract::coupons::{BonusCalculation, CouponPaymentType};
use panel_contract::discounts::PromotionStatus;
use panel_contract::ids::{CouponId, InvoiceId, OrderId, UserId};
use panel_kernel::error::{Error, Result};

use crate::marketing::coupons::rules::{self, CouponTerms};
use crate::marketing::coupons::status;
use crate::pricing::quote::{PriceChange, PriceModifier};
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

pub use crate::marketing::coupons::rules::CouponPurchase;

/// A locked coupon that passed all checks of a purchase.
#[derive(Debug, Clone)]
pub struct RedeemableCoupon {
    pub coupon_id: CouponId,
    pub code: String,
    /// The bonus for a payment to the balance.
    pub bonus: Money,
    change: PriceChange,
    user_id: UserId,
    works_with_balance: bool,
    only_for_unpaid_orders: bool,
}

impl RedeemableCoupon {
    /// Returns the coupon's effect on the price of an order.
    #[must_use]
    pub fn modifier(&self) -> PriceModifier {
        PriceModifier {
            id: Some(self.coupon_id.as_record_id()),
            name: self.code.clone(),
            kind: "coupon".to_owned(),
            change: self.change,
            is_speedup: false,
            is_country_restricted: false,
        }
    }

    /// Checks whether the coupon may be used for an order that is paid from the balance immediately (`is_paid`) or later.
    pub fn check_payment(&self, is_paid: bool) -> Result<()> {
        match is_paid {
            true => Ok(rules::check_paid_by_balance(self.works_with_balance, self.only_for_unpaid_orders)?),
            false => Ok(()),
        }
    }
}

/// What a coupon was used for: an invoice or an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaidItem {
    /// A payment to the balance.
    Invoice(InvoiceId),
    /// An order of the customer.
    Order(OrderId),
}

/// One usage of a coupon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CouponUsage {
    /// What the customer paid for.
    pub item: PaidItem,
    /// The amount that the customer paid; zero while the order is unpaid.
    pub received: Money,
    /// The bonus or discount that the coupon gave.
    pub spent: Money,
}

// Store

#[derive(sqlx::FromRow)]
struct CouponTermsRow {
    id: CouponId,
    code: String,
    status: PromotionStatus,
    payment_type: CouponPaymentType,
    min_amount: Money,
    bonus_amount_calculation_type: BonusCalculation,
    bonus_ppm: Option<Fraction>,
    bonus_amount: Option<Money>,
    works_with_service_discount: bool,
    works_with_user_custom_price: bool,
    use_with_only_unpaid_orders: bool,
    works_with_balance: bool,
    is_used: bool,
    has_unpaid_orders: bool,
}

impl CouponTermsRow {
    fn to_terms(&self) -> CouponTerms {
        CouponTerms {
            status: self.status,
            payment_type: self.payment_type,
            min_amount: self.min_amount,
            calculation: self.bonus_amount_calculation_type,
            fraction: self.bonus_ppm,
            amount: self.bonus_amount,
            works_with_service_discount: self.works_with_service_discount,
            works_with_user_custom_price: self.works_with_user_custom_price,
            use_with_only_unpaid_orders: self.use_with_only_unpaid_orders,
            is_used: self.is_used,
            has_unpaid_orders: self.has_unpaid_orders,
        }
    }
}

const SELECT: &str = concat!(
    "SELECT c.id, c.code, c.payment_type, c.min_amount, c.bonus_amount_calculation_type, c.bonus_ppm, c.bonus_amount, c.works_with_service_discount,
       c.works_with_user_custom_price, c.use_with_only_unpaid_orders, c.works_with_balance,
       EXISTS (SELECT 1 FROM coupon_usages x WHERE x.coupon_id = c.id AND x.user_id = ?) AS is_used,
       EXISTS (SELECT 1 FROM orders o WHERE o.user_id = ? AND o.status = 'unpaid') AS has_unpaid_orders, ",
    status!(),
    " AS status FROM coupons c WHERE "
);

async fn lock(work: &mut UnitOfWork, user_id: UserId, condition: Sql) -> Result<Option<CouponTermsRow>> {
    let now = work.now;
    let lock_sql = Sql::new("SELECT c.id FROM coupons c WHERE ").append(condition.clone()).for_update();
    if work.fetch_optional::<(CouponId,)>(lock_sql).await?.is_none() {
        return Ok(None);
    }
    Ok(work
        .fetch_optional(Sql::new(SELECT).bind(user_id).bind(user_id).append(condition).bind_named("now", now))
        .await?)
}

fn check_redeemable(
    row: &CouponTermsRow,
    user_id: UserId,
    purchase: &CouponPurchase,
    decimals: u8,
) -> Result<RedeemableCoupon> {
    let terms = row.to_terms();
    rules::check_usable(&terms, purchase)?;
    Ok(RedeemableCoupon {
        coupon_id: row.id,
        code: row.code.clone(),
        bonus: rules::calculate_bonus(&terms, purchase, decimals)?,
        change: rules::price_change(&terms),
        user_id,
        works_with_balance: row.works_with_balance,
        only_for_unpaid_orders: row.use_with_only_unpaid_orders,
    })
}

fn unknown_coupon_error() -> Error {
    Error::invalid("coupon", "coupon_unknown", "No coupon has this code. Check the code.")
}

/// Checks that a coupon with this code exists.
pub async fn check_exists(work: &mut UnitOfWork, code: &str) -> Result<()> {
    let code = code.trim().to_ascii_uppercase();
    let row: Option<(CouponId,)> =
        work.fetch_optional(Sql::new("SELECT id FROM coupons WHERE code = ?").bind(code)).await?;
    row.map(|_| ()).ok_or_else(unknown_coupon_error)
}

/// Locks the coupon with this code. A coupon that cannot be used for the purchase is a 422 on `coupon`.
pub async fn lock_by_code(
    work: &mut UnitOfWork,
    code: &str,
    user_id: UserId,
    purchase: CouponPurchase,
    decimals: u8,
) -> Result<RedeemableCoupon> {
    let code = code.trim().to_ascii_uppercase();
    let row = lock(work, user_id, Sql::new("c.code = ?").bind(&*code)).await?;
    let row = row.ok_or_else(unknown_coupon_error)?;
    check_redeemable(&row, user_id, &purchase, decimals)
}

/// Locks a coupon that the customer chose earlier. `None` if it can no longer be used; the payment is then accepted without it.
pub async fn lock_by_id(
    work: &mut UnitOfWork,
    id: CouponId,
    user_id: UserId,
    purchase: CouponPurchase,
    decimals: u8,
) -> Result<Option<RedeemableCoupon>> {
    let row = lock(work, user_id, Sql::new("c.id = ?").bind(id)).await?;
    Ok(row.and_then(|row| check_redeemable(&row, user_id, &purchase, decimals).ok()))
}

/// Inserts a usage and adds it to the coupon's totals.
pub async fn record_usage(
    work: &mut UnitOfWork,
    coupon: &RedeemableCoupon,
    usage: CouponUsage,
) -> Result<()> {
    let now = work.now;
    let (invoice_id, order_id) = match usage.item {
        PaidItem::Invoice(id) => (Some(id), None),
        PaidItem::Order(id) => (None, Some(id)),
    };
    let sql = Sql::new(
        "UPDATE coupons SET usages = usages + 1, received = received + ?, spent = spent + ? WHERE id = ? AND (usage_limit IS NULL OR usages < usage_limit)",
    );
    if work.execute(sql.bind(usage.received).bind(usage.spent).bind(coupon.coupon_id)).await? == 0 {
        return Err(Error::conflict(
            "coupon_used_up",
            "This coupon has reached its usage limit. Remove it and try again.",
        ));
    }
    let sql = sql!(
        "INSERT INTO coupon_usages (coupon_id, user_id, invoice_id, order_id, received, spent, created_at) \
           VALUES (@coupon_id, @user_id, @invoice_id, @order_id, @received, @spent, @now)",
        {
            coupon_id: coupon.coupon_id,
            user_id: coupon.user_id,
            invoice_id,
            order_id,
            received: usage.received,
            spent: usage.spent,
            now,
        },
    );
    work.execute(sql).await?;
    Ok(())
}

/// Records that unpaid orders with coupons are now paid: sets the received amount of their usages.
pub async fn record_payment(work: &mut UnitOfWork, orders: &[OrderId]) -> Result<()> {
    if orders.is_empty() {
        return Ok(());
    }
    let sql = Sql::new(
        "SELECT x.coupon_id, o.id, o.cost FROM coupon_usages x JOIN orders o ON o.id = x.order_id WHERE x.received = 0 AND x.order_id IN ",
    );
    let unpaid_usages: Vec<(CouponId, OrderId, Money)> =
        work.fetch_all(sql.ids(orders).push(" ORDER BY x.coupon_id")).await?;
    for (coupon_id, order_id, cost) in unpaid_usages {
        let sql = Sql::new("UPDATE coupon_usages SET received = ? WHERE order_id = ? AND received = 0");
        if work.execute(sql.bind(cost).bind(order_id)).await? == 1 {
            let sql = Sql::new("UPDATE coupons SET received = received + ? WHERE id = ?");
            work.execute(sql.bind(cost).bind(coupon_id)).await?;
        }
    }
    Ok(())
}

/// Reverses the usages of canceled orders: those of `unpaid_orders` are deleted, and those of the others are reduced by the
/// refunded amounts. The customer can use the coupon again if the order was refunded completely.
pub async fn reverse_for_cancels(
    work: &mut UnitOfWork,
    unpaid_orders: &[OrderId],
    refunded_amounts: &[(OrderId, Money)],
) -> Result<()> {
    let refunds: BTreeMap<OrderId, Money> =
        refunded_amounts.iter().copied().filter(|(_, amount)| *amount > Money::ZERO).collect();
    let mut orders_without_usage = unpaid_orders.to_vec();
    let mut reductions = CouponReductions::new();
    let mut rows = Vec::new();
    for usage in load_usages(work, &refunds.keys().copied().collect::<Vec<_>>()).await? {
        let amount = refunds.get(&usage.order_id).copied().unwrap_or_default();
        let Some((received, spent)) = rules::reduce_usage((usage.received, usage.spent), amount)? else {
            orders_without_usage.push(usage.order_id);
            continue;
        };
        let reduction = CouponReduction {
            usages: 0,
            received: usage.received.minus(received)?,
            spent: usage.spent.minus(spent)?,
        };
        add_reduction(&mut reductions, usage.coupon_id, &reduction)?;
        rows.push(vec![usage.order_id.into(), received.into(), spent.into()]);
    }
    if !rows.is_empty() {
        let sql = Sql::new("UPDATE coupon_usages SET received = r.received, spent = r.spent FROM ");
        let sql = sql.rows("r", &["order_id", "received", "spent"], rows);
        work.execute(sql.push(" WHERE coupon_usages.order_id = r.order_id")).await?;
    }
    if !orders_without_usage.is_empty() {
        let sql = Sql::new("DELETE FROM coupon_usages WHERE order_id IN ").ids(&orders_without_usage);
        let deleted_usages: Vec<(CouponId, Money, Money)> =
            work.fetch_all(sql.push(" RETURNING coupon_id, received, spent")).await?;
        for (coupon_id, received, spent) in deleted_usages {
            add_reduction(&mut reductions, coupon_id, &CouponReduction { usages: 1, received, spent })?;
        }
    }
    subtract_from_totals(work, reductions).await
}

#[derive(sqlx::FromRow)]
struct UsageRow {
    order_id: OrderId,
    coupon_id: CouponId,
    received: Money,
    spent: Money,
}

/// The usages and amounts to subtract from a coupon's totals.
#[derive(Default)]
struct CouponReduction {
    usages: i64,
    received: Money,
    spent: Money,
}

type CouponReductions = BTreeMap<CouponId, CouponReduction>;

fn add_reduction(
    reductions: &mut CouponReductions,
    coupon_id: CouponId,
    reduction: &CouponReduction,
) -> Result<()> {
    let sum = reductions.entry(coupon_id).or_default();
    *sum = CouponReduction {
        usages: sum.usages + reduction.usages,
        received: sum.received.plus(reduction.received)?,
        spent: sum.spent.plus(reduction.spent)?,
    };
    Ok(())
}

/// Loads the coupon usages of these orders. The caller must have locked the orders.
async fn load_usages(work: &mut UnitOfWork, orders: &[OrderId]) -> Result<Vec<UsageRow>> {
    if orders.is_empty() {
        return Ok(Vec::new());
    }
    let sql = Sql::new("SELECT order_id, coupon_id, received, spent FROM coupon_usages WHERE order_id IN ");
    Ok(work.fetch_all(sql.ids(orders)).await?)
}

async fn subtract_from_totals(work: &mut UnitOfWork, reductions: CouponReductions) -> Result<()> {
    if reductions.is_empty() {
        return Ok(());
    }
    // Locked in the order of their ids, so that concurrent cancels cannot deadlock.
    let ids: Vec<CouponId> = reductions.keys().copied().collect();
    work.lock("coupons", &ids).await?;
    let rows = reductions
        .into_iter()
        .map(|(id, sum)| vec![id.into(), sum.usages.into(), sum.received.into(), sum.spent.into()]);
    let sql = Sql::new(
        "UPDATE coupons SET usages = coupons.usages - r.n, received = coupons.received - r.received, spent = coupons.spent - r.spent FROM ",
    );
    let sql = sql.rows("r", &["id", "n", "received", "spent"], rows.collect());
    work.execute(sql.push(" WHERE coupons.id = r.id")).await?;
    Ok(())
}
