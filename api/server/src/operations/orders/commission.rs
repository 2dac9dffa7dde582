//! What the one who brought a customer gets for that customer's orders: a share of what each order is charged, whatever
//! balance pays it, on the referral balance, with the charge. What is returned of an order takes its share back (`apply`).
//!
//! The affiliate is the one whose affiliation counts at that moment; whoever is deactivated gets nothing. Their own share
//! goes before the panel's usual one. The affiliate is locked together with the customer, in the order of their ids.

use panel_contract::amount::{Fraction, Money};
use panel_contract::ids::{OrderId, UserId};
use panel_contract::moment::Time;
use panel_contract::payments::{BalanceType, PaymentType};
use panel_kernel::error::Result;

use panel_domain::commission_share::commission_share;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::ledger::{self, Account, Cause, Posting};
use panel_platform::settings;
use panel_platform::work::Work;

/// Who gets a commission, and how much of the cost where they have a share of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct Affiliate {
    /// Who.
    pub affiliate_id: UserId,
    /// Their own share.
    pub referral_program_ppm: Option<Fraction>,
}

/// An order about to be charged, for which somebody gets a commission.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
pub struct Owed {
    /// The order.
    pub id: OrderId,
    refund_seq: i64,
    cost: Money,
    rounding_precision: i64,
    #[sqlx(flatten)]
    affiliate: Affiliate,
}

impl Owed {
    /// Of an order that was just written.
    #[must_use]
    pub fn new(id: OrderId, cost: Money, places: u8, affiliate: Affiliate) -> Self {
        Self { id, refund_seq: 0, cost, rounding_precision: i64::from(places), affiliate }
    }

    /// Who gets it.
    #[must_use]
    pub fn affiliate_id(&self) -> UserId {
        self.affiliate.affiliate_id
    }

    fn posting(&self, usual: Fraction) -> Posting {
        let share = self.affiliate.referral_program_ppm.unwrap_or(usual);
        let amount = commission_share(self.cost, share, u8::try_from(self.rounding_precision).unwrap_or(6));
        let seq = self.refund_seq;
        Posting {
            cause: Cause { kind: "commission", ref_type: "order", ref_id: self.id.record(), seq },
            kind: PaymentType::Referral,
            order_id: Some(self.id),
            payment_method_id: None,
            comment: None,
            legs: vec![
                (Account::User(self.affiliate.affiliate_id, BalanceType::Referral), amount),
                (Account::ReferralExpense, Money(-amount.0)),
            ],
            spent: None,
            at_most: false,
        }
    }
}

// Store

/// Joins to the user `u` whoever gets a commission for what they order at a moment: `a`.
pub fn counting(join: &'static str, now: Time) -> Sql {
    let sql = Sql::new(join).push(" user_affiliates x ON x.referral_id = u.id AND x.started_at <= ? AND (x.ended_at IS NULL OR x.ended_at > ?) ");
    sql.bind(now).bind(now).push(join).push(" users a ON a.id = x.user_id AND a.status <> 'deactivated' ")
}

/// Locks a customer together with who gets a commission for what they order, before anything else locks the customer.
pub async fn lock(work: &mut Work, user: UserId) -> Result<()> {
    let sql = Sql::new("SELECT a.id FROM users u ").append(counting("JOIN", work.now));
    let affiliate: Option<(UserId,)> = work.opt(sql.push("WHERE u.id = ?").bind(user)).await?;
    let ids: Vec<UserId> = std::iter::once(user).chain(affiliate.map(|(id,)| id)).collect();
    ledger::balances(work, &ids).await?;
    Ok(())
}

/// What is owed for these orders once they are charged.
pub async fn owed(work: &mut Work, orders: &[OrderId]) -> DbResult<Vec<Owed>> {
    let sql = Sql::new(
        "SELECT o.id, o.refund_seq, o.cost, o.rounding_precision, a.id AS affiliate_id, a.referral_program_ppm FROM orders o JOIN users u ON u.id = o.user_id ",
    );
    let sql = sql.append(counting("JOIN", work.now));
    work.all(sql.push("WHERE o.id IN ").ids(orders).push(" ORDER BY o.id")).await
}

/// The postings that pay it; the panel's usual share is read only where somebody has none of their own.
pub async fn postings(work: &mut Work, owed: &[Owed]) -> Result<Vec<Posting>> {
    let mut usual = Fraction::default();
    if owed.iter().any(|owed| owed.affiliate.referral_program_ppm.is_none()) {
        usual = settings::share(work, settings::DEFAULT_REFERRAL).await?;
    }
    Ok(owed.iter().map(|owed| owed.posting(usual)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_down() {
        assert_eq!(commission_share(Money(10_990_000), Fraction(50_000), 2), Money(540_000));
        assert_eq!(commission_share(Money(10_990_000), Fraction(50_000), 6), Money(549_500));
        assert_eq!(commission_share(Money(10_990_000), Fraction(0), 2), Money::ZERO);
        assert_eq!(commission_share(Money(i64::MAX), Fraction(1_000_000), 6), Money(i64::MAX));
    }

    #[test]
    fn an_own_share_goes_before_the_usual_one() {
        let of = |own| {
            let affiliate = Affiliate { affiliate_id: UserId::new(3), referral_program_ppm: own };
            Owed::new(OrderId::new(1), Money(10_000_000), 2, affiliate).posting(Fraction(50_000)).legs[0].1
        };
        assert_eq!(of(None), Money(500_000));
        assert_eq!(of(Some(Fraction(200_000))), Money(2_000_000));
        assert_eq!(of(Some(Fraction(0))), Money::ZERO, "an own share of nothing is one as well");
    }
}
