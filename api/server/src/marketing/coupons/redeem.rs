//! Using a coupon, in the transaction of the payment that it goes with. The coupon is locked from the judgement to the
//! write, so that no race uses it more often than it may be; its customer is locked before, and uses it once.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money};
use panel_contract::coupons::{BonusCalculation, CouponPaymentType};
use panel_contract::discounts::PromotionStatus;
use panel_contract::ids::{CouponId, InvoiceId, OrderId, UserId};
use panel_kernel::error::{Error, Result};

use crate::marketing::coupons::rules::{self, Terms};
use crate::marketing::coupons::status;
use crate::pricing::quote::{Modifier, PriceChange};
use panel_platform::db::{Source, Sql};
use panel_platform::sql;
use panel_platform::work::Work;

pub use crate::marketing::coupons::rules::Occasion;

/// A coupon that can be used, locked.
#[derive(Debug, Clone)]
pub struct Redeemed {
    /// The coupon.
    pub coupon_id: CouponId,
    /// What the customer typed.
    pub code: String,
    /// What it gives with a payment onto the balance.
    pub bonus: Money,
    change: PriceChange,
    user_id: UserId,
    works_with_balance: bool,
    only_unpaid: bool,
}

impl Redeemed {
    /// What it takes off an order.
    #[must_use]
    pub fn modifier(&self) -> Modifier {
        Modifier {
            id: Some(self.coupon_id.record()),
            name: self.code.clone(),
            kind: "coupon".to_owned(),
            change: self.change,
            is_speedup: false,
            has_countries: false,
        }
    }

    /// Whether it goes with an order that the balance pays at once, or does not.
    pub fn check_payment(&self, is_paid: bool) -> Result<()> {
        match is_paid {
            true => Ok(rules::judge_paid(self.works_with_balance, self.only_unpaid)?),
            false => Ok(()),
        }
    }
}

/// What a coupon was used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paid {
    /// A payment onto the balance.
    Invoice(InvoiceId),
    /// An order.
    Order(OrderId),
}

/// A coupon's usage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// For what.
    pub paid: Paid,
    /// What the customer paid; nothing yet for an order that waits.
    pub received: Money,
    /// What the coupon gave.
    pub spent: Money,
}

// Store

#[derive(sqlx::FromRow)]
struct Kept {
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

impl Kept {
    fn terms(&self) -> Terms {
        Terms {
            status: self.status,
            payment_type: self.payment_type,
            min_amount: self.min_amount,
            calculation: self.bonus_amount_calculation_type,
            percentage: self.bonus_ppm,
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

async fn lock(work: &mut Work, user: UserId, which: Sql) -> Result<Option<Kept>> {
    let now = work.now;
    let locked = Sql::new("SELECT c.id FROM coupons c WHERE ").append(which.clone()).for_update();
    if work.opt::<(CouponId,)>(locked).await?.is_none() {
        return Ok(None);
    }
    Ok(work.opt(Sql::new(SELECT).bind(user).bind(user).append(which).named("now", now)).await?)
}

fn redeemed(kept: &Kept, user_id: UserId, of: &Occasion, places: u8) -> Result<Redeemed> {
    let terms = kept.terms();
    rules::judge(&terms, of)?;
    Ok(Redeemed {
        coupon_id: kept.id,
        code: kept.code.clone(),
        bonus: rules::bonus(&terms, of, places)?,
        change: rules::change(&terms),
        user_id,
        works_with_balance: kept.works_with_balance,
        only_unpaid: kept.use_with_only_unpaid_orders,
    })
}

fn unknown() -> Error {
    Error::invalid("coupon", "coupon_unknown", "There is no such coupon; check its code.")
}

/// Whether there is a coupon that a customer names.
pub async fn check_known(work: &mut Work, code: &str) -> Result<()> {
    let code = code.trim().to_ascii_uppercase();
    let known: Option<(CouponId,)> =
        work.opt(Sql::new("SELECT id FROM coupons WHERE code = ?").bind(code)).await?;
    known.map(|_| ()).ok_or_else(unknown)
}

/// The coupon that a customer names; one that cannot be used is 422 on `coupon`.
pub async fn of_code(
    work: &mut Work,
    code: &str,
    user: UserId,
    of: Occasion,
    places: u8,
) -> Result<Redeemed> {
    let code = code.trim().to_ascii_uppercase();
    let kept = lock(work, user, Sql::new("c.code = ?").bind(&*code)).await?;
    let kept = kept.ok_or_else(unknown)?;
    redeemed(&kept, user, &of, places)
}

/// A coupon that was named before; none when it cannot be used any more: a payment that came in is taken without it.
pub async fn of_id(
    work: &mut Work,
    id: CouponId,
    user: UserId,
    of: Occasion,
    places: u8,
) -> Result<Option<Redeemed>> {
    let kept = lock(work, user, Sql::new("c.id = ?").bind(id)).await?;
    Ok(kept.and_then(|kept| redeemed(&kept, user, &of, places).ok()))
}

/// Writes a usage and the coupon's sums.
pub async fn write(work: &mut Work, of: &Redeemed, usage: Usage) -> Result<()> {
    let now = work.now;
    let (invoice, order) = match usage.paid {
        Paid::Invoice(id) => (Some(id), None),
        Paid::Order(id) => (None, Some(id)),
    };
    let sql = Sql::new(
        "UPDATE coupons SET usages = usages + 1, received = received + ?, spent = spent + ? WHERE id = ? AND (usage_limit IS NULL OR usages < usage_limit)",
    );
    if work.exec(sql.bind(usage.received).bind(usage.spent).bind(of.coupon_id)).await? == 0 {
        return Err(Error::conflict("coupon_used_up", "This coupon is used up."));
    }
    let sql = sql!(
        "INSERT INTO coupon_usages (coupon_id, user_id, invoice_id, order_id, received, spent, created_at) \
           VALUES (@coupon_id, @user_id, @invoice_id, @order_id, @received, @spent, @now)",
        {
            coupon_id: of.coupon_id,
            user_id: of.user_id,
            invoice_id: invoice,
            order_id: order,
            received: usage.received,
            spent: usage.spent,
            now,
        },
    );
    work.exec(sql).await?;
    Ok(())
}

/// Orders that waited with their coupons are paid now.
pub async fn paid(work: &mut Work, orders: &[OrderId]) -> Result<()> {
    if orders.is_empty() {
        return Ok(());
    }
    let sql = Sql::new(
        "SELECT x.coupon_id, o.id, o.cost FROM coupon_usages x JOIN orders o ON o.id = x.order_id WHERE x.received = 0 AND x.order_id IN ",
    );
    let used: Vec<(CouponId, OrderId, Money)> =
        work.all(sql.ids(orders).push(" ORDER BY x.coupon_id")).await?;
    for (coupon, order, cost) in used {
        let sql = Sql::new("UPDATE coupon_usages SET received = ? WHERE order_id = ? AND received = 0");
        if work.exec(sql.bind(cost).bind(order)).await? == 1 {
            let sql = Sql::new("UPDATE coupons SET received = received + ? WHERE id = ?");
            work.exec(sql.bind(cost).bind(coupon)).await?;
        }
    }
    Ok(())
}

/// What coupons came to follows canceled orders: those in `unpaid` never used theirs, and what was returned of the others is
/// no longer received. A coupon whose order was returned as a whole can be used again.
pub async fn follow_cancels(
    work: &mut Work,
    unpaid: &[OrderId],
    returned: &[(OrderId, Money)],
) -> Result<()> {
    let returned: BTreeMap<OrderId, Money> =
        returned.iter().copied().filter(|(_, amount)| *amount > Money::ZERO).collect();
    let mut unused = unpaid.to_vec();
    let mut sums = Sums::new();
    let mut rows = Vec::new();
    for usage in usages_of(work, &returned.keys().copied().collect::<Vec<_>>()).await? {
        let amount = returned.get(&usage.order_id).copied().unwrap_or_default();
        let Some((received, spent)) = rules::after_refund((usage.received, usage.spent), amount)? else {
            unused.push(usage.order_id);
            continue;
        };
        add(&mut sums, usage.coupon_id, (0, usage.received.minus(received)?, usage.spent.minus(spent)?))?;
        rows.push(vec![usage.order_id.into(), received.into(), spent.into()]);
    }
    if !rows.is_empty() {
        let sql = Sql::new("UPDATE coupon_usages SET received = r.received, spent = r.spent FROM ");
        let sql = sql.rows("r", &["order_id", "received", "spent"], rows);
        work.exec(sql.push(" WHERE coupon_usages.order_id = r.order_id")).await?;
    }
    if !unused.is_empty() {
        let sql = Sql::new("DELETE FROM coupon_usages WHERE order_id IN ").ids(&unused);
        let freed: Vec<(CouponId, Money, Money)> =
            work.all(sql.push(" RETURNING coupon_id, received, spent")).await?;
        for (coupon, received, spent) in freed {
            add(&mut sums, coupon, (1, received, spent))?;
        }
    }
    reduce(work, sums).await
}

#[derive(sqlx::FromRow)]
struct UsageRow {
    order_id: OrderId,
    coupon_id: CouponId,
    received: Money,
    spent: Money,
}

/// Usages, received and spent that each coupon has no longer.
type Sums = BTreeMap<CouponId, (i64, Money, Money)>;

fn add(sums: &mut Sums, coupon: CouponId, (usages, received, spent): (i64, Money, Money)) -> Result<()> {
    let sum = sums.entry(coupon).or_default();
    *sum = (sum.0 + usages, sum.1.plus(received)?, sum.2.plus(spent)?);
    Ok(())
}

/// The usages of orders, whose rows are locked.
async fn usages_of(work: &mut Work, orders: &[OrderId]) -> Result<Vec<UsageRow>> {
    if orders.is_empty() {
        return Ok(Vec::new());
    }
    let sql = Sql::new("SELECT order_id, coupon_id, received, spent FROM coupon_usages WHERE order_id IN ");
    Ok(work.all(sql.ids(orders)).await?)
}

async fn reduce(work: &mut Work, sums: Sums) -> Result<()> {
    if sums.is_empty() {
        return Ok(());
    }
    // Locked in the order of their ids, so that two cancels do not wait for each other.
    let ids: Vec<CouponId> = sums.keys().copied().collect();
    work.lock("coupons", &ids).await?;
    let rows = sums
        .into_iter()
        .map(|(id, (n, received, spent))| vec![id.into(), n.into(), received.into(), spent.into()]);
    let sql = Sql::new(
        "UPDATE coupons SET usages = coupons.usages - r.n, received = coupons.received - r.received, spent = coupons.spent - r.spent FROM ",
    );
    let sql = sql.rows("r", &["id", "n", "received", "spent"], rows.collect());
    work.exec(sql.push(" WHERE coupons.id = r.id")).await?;
    Ok(())
}
