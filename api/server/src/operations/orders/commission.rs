//! Commission of an affiliate for the orders of a referred customer: a share of each charge, from any balance, credited to the
//! referral balance in the transaction of the charge. A refund takes its share of the commission back (`apply`).
//!
//! The affiliation that is active at the moment of the charge counts; a deactivated affiliate gets nothing. An affiliate's own
//! share has priority over the default share. Affiliate and customer are locked together, in the order of their ids.

use panel_contract::amount::{Fraction, Money};
use panel_contract::ids::{OrderId, UserId};
use panel_contract::moment::Time;
use panel_contract::payments::{BalanceType, PaymentType};
use panel_kernel::error::Result;

use panel_domain::commission_share::commission_share;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::ledger::{self, Account, Cause, Posting};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// The user who gets a commission, and their own share of the cost if they have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct Affiliate {
    pub affiliate_id: UserId,
    pub referral_program_ppm: Option<Fraction>,
}

/// An order that is about to be charged and earns a commission.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
pub struct OwedCommission {
    pub id: OrderId,
    refund_seq: i64,
    cost: Money,
    rounding_precision: i64,
    #[sqlx(flatten)]
    affiliate: Affiliate,
}

impl OwedCommission {
    /// The commission for an order that was just inserted.
    #[must_use]
    pub fn new(id: OrderId, cost: Money, places: u8, affiliate: Affiliate) -> Self {
        Self { id, refund_seq: 0, cost, rounding_precision: i64::from(places), affiliate }
    }

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

/// Joins the user `u` with the affiliate `a` who gets a commission for `u`'s orders at the moment `now`.
pub fn join_affiliate(join: &'static str, now: Time) -> Sql {
    let sql = Sql::new(join).push(" user_affiliates x ON x.referral_id = u.id AND x.started_at <= ? AND (x.ended_at IS NULL OR x.ended_at > ?) ");
    sql.bind(now).bind(now).push(join).push(" users a ON a.id = x.user_id AND a.status <> 'deactivated' ")
}

/// Locks a customer together with the affiliate of that customer. Call it before anything else locks the customer.
pub async fn lock_with_affiliate(work: &mut UnitOfWork, user: UserId) -> Result<()> {
    let sql = Sql::new("SELECT a.id FROM users u ").append(join_affiliate("JOIN", work.now));
    let affiliate: Option<(UserId,)> = work.opt(sql.push("WHERE u.id = ?").bind(user)).await?;
    let ids: Vec<UserId> = std::iter::once(user).chain(affiliate.map(|(id,)| id)).collect();
    ledger::balances(work, &ids).await?;
    Ok(())
}

/// The commissions that charging these orders will earn.
pub async fn load_owed(work: &mut UnitOfWork, orders: &[OrderId]) -> DbResult<Vec<OwedCommission>> {
    let sql = Sql::new(
        "SELECT o.id, o.refund_seq, o.cost, o.rounding_precision, a.id AS affiliate_id, a.referral_program_ppm FROM orders o JOIN users u ON u.id = o.user_id ",
    );
    let sql = sql.append(join_affiliate("JOIN", work.now));
    work.all(sql.push("WHERE o.id IN ").ids(orders).push(" ORDER BY o.id")).await
}

/// The postings that pay the commissions. The default share is read only if an affiliate has none of their own.
pub async fn postings(work: &mut UnitOfWork, owed: &[OwedCommission]) -> Result<Vec<Posting>> {
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
    fn an_own_share_has_priority_over_the_default() {
        let of = |own| {
            let affiliate = Affiliate { affiliate_id: UserId::new(3), referral_program_ppm: own };
            OwedCommission::new(OrderId::new(1), Money(10_000_000), 2, affiliate)
                .posting(Fraction(50_000))
                .legs[0]
                .1
        };
        assert_eq!(of(None), Money(500_000));
        assert_eq!(of(Some(Fraction(200_000))), Money(2_000_000));
        assert_eq!(of(Some(Fraction(0))), Money::ZERO, "an own share of zero is not the default share");
    }
}
