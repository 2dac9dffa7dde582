//! Pays the commission of an affiliate for the orders of a referred customer: a fraction of each charge, whichever balance paid it. The
//! commission is credited to the referral balance of the affiliate in the transaction of the charge. A refund of an order reverses the
//! same part of the commission (`apply`).
//!
//! The affiliate at the time of the charge gets the commission, unless this user is deactivated. A fraction that is set for the affiliate
//! has priority over the default fraction. The affiliate and the customer are locked together, in the order of their ids.

use panel_contract::amount::{Fraction, Money};
use panel_contract::ids::{OrderId, UserId};
use panel_contract::moment::Time;
use panel_contract::payments::{BalanceType, PaymentType};
use panel_kernel::error::Result;

use panel_domain::commission::calculate_commission;
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::ledger::{self, Account, Posting, PostingCause};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// The user who gets a commission. `referral_program_ppm` is the fraction of the cost, or `None` for the default fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct Affiliate {
    pub affiliate_id: UserId,
    pub referral_program_ppm: Option<Fraction>,
}

/// The commission for an order that is about to be charged.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
pub struct OwedCommission {
    pub order_id: OrderId,
    refund_seq: i64,
    cost: Money,
    rounding_precision: i64,
    #[sqlx(flatten)]
    affiliate: Affiliate,
}

impl OwedCommission {
    /// The commission for an order that was just inserted.
    #[must_use]
    pub fn new(order_id: OrderId, cost: Money, decimals: u8, affiliate: Affiliate) -> Self {
        Self { order_id, refund_seq: 0, cost, rounding_precision: i64::from(decimals), affiliate }
    }

    #[must_use]
    pub fn affiliate_id(&self) -> UserId {
        self.affiliate.affiliate_id
    }

    fn posting(&self, default_fraction: Fraction) -> Posting {
        let fraction = self.affiliate.referral_program_ppm.unwrap_or(default_fraction);
        let amount =
            calculate_commission(self.cost, fraction, u8::try_from(self.rounding_precision).unwrap_or(6));
        let seq = self.refund_seq;
        Posting {
            cause: PostingCause {
                kind: "commission",
                ref_type: "order",
                ref_id: self.order_id.as_record_id(),
                seq,
            },
            kind: PaymentType::Referral,
            order_id: Some(self.order_id),
            payment_method_id: None,
            comment: None,
            legs: vec![
                (Account::User(self.affiliate.affiliate_id, BalanceType::Referral), amount),
                (Account::ReferralExpense, Money(-amount.0)),
            ],
            spent_change: None,
            cap_at_balance: false,
        }
    }
}

// Store

/// Returns SQL that joins the user `u` with the affiliate `a` who gets a commission for the orders of this user at the time `now`.
pub fn join_affiliate(join: &'static str, now: Time) -> Sql {
    let sql = Sql::new(join).push(" user_affiliates x ON x.referral_id = u.id AND x.started_at <= ? AND (x.ended_at IS NULL OR x.ended_at > ?) ");
    sql.bind(now).bind(now).push(join).push(" users a ON a.id = x.user_id AND a.status <> 'deactivated' ")
}

/// Locks a customer together with the affiliate of this customer. Call it before any other statement of the transaction locks the
/// customer.
pub async fn lock_customer_with_affiliate(work: &mut UnitOfWork, customer_id: UserId) -> Result<()> {
    let sql = Sql::new("SELECT a.id FROM users u ").append(join_affiliate("JOIN", work.now));
    let affiliate: Option<(UserId,)> =
        work.fetch_optional(sql.push("WHERE u.id = ?").bind(customer_id)).await?;
    let ids: Vec<UserId> = std::iter::once(customer_id).chain(affiliate.map(|(id,)| id)).collect();
    ledger::lock_balances(work, &ids).await?;
    Ok(())
}

/// Loads the commissions that are due when these orders are charged.
pub async fn load_owed(work: &mut UnitOfWork, orders: &[OrderId]) -> DbResult<Vec<OwedCommission>> {
    let sql = Sql::new(
        "SELECT o.id AS order_id, o.refund_seq, o.cost, o.rounding_precision, a.id AS affiliate_id, a.referral_program_ppm FROM orders o JOIN users u ON u.id = o.user_id ",
    );
    let sql = sql.append(join_affiliate("JOIN", work.now));
    work.fetch_all(sql.push("WHERE o.id IN ").ids(orders).push(" ORDER BY o.id")).await
}

/// Builds the postings that pay the commissions. Loads the default fraction only if an affiliate has no fraction of their own.
pub async fn build_postings(work: &mut UnitOfWork, commissions: &[OwedCommission]) -> Result<Vec<Posting>> {
    let mut default_fraction = Fraction::default();
    if commissions.iter().any(|commission| commission.affiliate.referral_program_ppm.is_none()) {
        default_fraction = settings::read_fraction(work, settings::DEFAULT_REFERRAL_FRACTION).await?;
    }
    Ok(commissions.iter().map(|commission| commission.posting(default_fraction)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commission_is_rounded_down() {
        assert_eq!(calculate_commission(Money(10_990_000), Fraction(50_000), 2), Money(540_000));
        assert_eq!(calculate_commission(Money(10_990_000), Fraction(50_000), 6), Money(549_500));
        assert_eq!(calculate_commission(Money(10_990_000), Fraction(0), 2), Money::ZERO);
        assert_eq!(calculate_commission(Money(i64::MAX), Fraction(1_000_000), 6), Money(i64::MAX));
    }

    #[test]
    fn the_fraction_of_the_affiliate_has_priority_over_the_default() {
        let commission_with = |own_fraction| {
            let affiliate = Affiliate { affiliate_id: UserId::new(3), referral_program_ppm: own_fraction };
            OwedCommission::new(OrderId::new(1), Money(10_000_000), 2, affiliate)
                .posting(Fraction(50_000))
                .legs[0]
                .1
        };
        assert_eq!(commission_with(None), Money(500_000));
        assert_eq!(commission_with(Some(Fraction(200_000))), Money(2_000_000));
        assert_eq!(
            commission_with(Some(Fraction(0))),
            Money::ZERO,
            "the default fraction must not replace a fraction of zero"
        );
    }
}
