//! Lists invoices, marks them as paid (which credits the customer exactly once), and creates them for customers (`bill`).

pub mod bill;
pub mod store;

use panel_contract::amount::{Fraction, Money, Overflow};
use panel_contract::common::{Data, NamedRef};
use panel_contract::endpoints::invoices::{ListInvoices, MarkInvoicePaid};
use panel_contract::ids::{CouponId, InvoiceId, PaymentMethodId, UserId};
use panel_contract::invoices::{Invoice, InvoiceActions, InvoiceCoupon, InvoiceStatus};
use panel_contract::moment::{Time, Timestamp};
use panel_contract::payments::{BalanceType, PaymentType, UserSummary};
use panel_contract::permission::Permission;
use panel_domain::state_machine::next_state;
use panel_domain::states::invoices::{InvoiceEvent, Invoices};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use crate::context::Ctx;
use crate::emails::{self, Recipient};
use crate::http::Req;
use crate::http::api::Api;
use crate::marketing::coupons::redeem::{self, CouponPurchase, CouponUsage, PaidItem, RedeemableCoupon};
use crate::operations::manual_credits;
use crate::records::search_texts;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::ledger::{self, Account, Posting, PostingCause};
use panel_platform::mail::Email;
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::table::{
    ColumnSql, CountGroup, Join, RowSource, SearchTarget, Table, TextIndex, base_column, expr,
};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListInvoices, _, _>(&INVOICES, InvoiceRow::into_response)
        .route::<MarkInvoicePaid, _, _, _>(mark_as_paid)
}

static TEXT_INDEX: TextIndex = TextIndex::trigrams("invoices", &["short_name"]);

pub static INVOICES: Table = Table::new(
    &panel_contract::lists::invoices::INVOICES,
    RowSource {
        base: "invoices",
        alias: "i",
        key: "i.id",
        joins: &[
            Join { alias: "m", sql: "JOIN payment_methods m ON m.id = i.payment_method_id" },
            Join { alias: "u", sql: "JOIN users u ON u.id = i.user_id" },
            Join { alias: "c", sql: "LEFT JOIN coupons c ON c.id = i.coupon_id" },
        ],
        select: SELECT,
        ..RowSource::NONE
    },
    COLUMN_SQL,
)
.global_search(&[
    SearchTarget::new("i.id", &TEXT_INDEX, "short_name").own_columns(&["i.short_name"]),
    SearchTarget::new("i.user_id", &search_texts::USERS, "user"),
    SearchTarget::new("i.payment_method_id", &search_texts::PAYMENT_METHODS, "payment_method"),
])
.count_from("invoices", "");

/// Columns whose SQL is not a table column of the same name, or that have materialized counts or a text index.
const COLUMN_SQL: &[ColumnSql] = &[
    expr("payment_method", "m.name").join("m").text_index(
        "i.payment_method_id",
        &search_texts::PAYMENT_METHODS,
        "",
    ),
    expr("payment_method.id", "i.payment_method_id"),
    expr("payment_method.name", "m.name").join("m"),
    base_column("short_name").text_index("i.id", &TEXT_INDEX, "short_name"),
    expr("coupon", "c.code").join("c"),
    expr("coupon.id", "i.coupon_id"),
    expr("coupon.code", "c.code").join("c"),
    base_column("status").count_group(CountGroup::FilterValue),
    expr("user", "u.name").join("u").text_index("i.user_id", &search_texts::USERS, ""),
    expr("user.id", "i.user_id"),
    expr("user.name", "u.name").join("u").text_index("i.user_id", &search_texts::USERS, "name"),
    expr("user.email", "u.email").join("u").text_index("i.user_id", &search_texts::USERS, "email"),
];

async fn mark_as_paid(ctx: Ctx, req: Req<MarkInvoicePaid>) -> Result<Data<Invoice>> {
    let amount = require_positive(req.body.amount)?;
    let mut work = ctx.begin().await?;
    let invoice = lock_row(&mut work, req.path).await?;
    check_payable(invoice.status)?;
    let comment = check_comment(req.body.comment.as_deref(), amount, invoice.amount)?;
    let decimals = settings::read_rounding_precision(&mut work).await?;
    let bonuses = load_bonuses(&mut work, invoice.method_id).await?;
    let invoiced_credit = invoice.amount.plus(compute_highest_bonus(invoice.amount, &bonuses, decimals)?)?;
    let bonus = compute_highest_bonus(amount, &bonuses, decimals)?;
    let excess = amount.plus(bonus)?.minus(invoiced_credit)?;
    let coupon = lock_coupon(&mut work, &invoice, amount, decimals).await?;
    if excess > Money::ZERO {
        ledger::lock_balances(&mut work, &[invoice.user_id]).await?;
        manual_credits::count_credit(&mut work, excess).await?;
    }
    store_payment(&mut work, &invoice, InvoicePayment { amount, bonus, coupon, comment }).await?;
    let data = load_row(&mut work, invoice.id).await?.into_response(&ctx);
    work.finish(Data { data }).await
}

// Rules

fn require_positive(amount: Money) -> Result<Money, Rejection> {
    match amount > Money::ZERO {
        true => Ok(amount),
        false => Err(Rejection::invalid("amount", "invalid", "Enter an amount above zero.")),
    }
}

/// Rejects a payment of an invoice that is not pending.
fn check_payable(status: InvoiceStatus) -> Result<(), Rejection> {
    if next_state::<Invoices>(status, InvoiceEvent::Pay).is_some() {
        return Ok(());
    }
    let message =
        format!("You cannot mark an invoice as paid that is {status}. Only a pending invoice can be paid.");
    Err(Rejection::conflict("invoice_not_payable", message))
}

/// Returns the trimmed comment, which is required if the paid amount is higher than the invoiced one.
fn check_comment(
    comment: Option<&str>,
    amount: Money,
    invoiced_amount: Money,
) -> Result<Option<String>, Rejection> {
    let comment = comment.map(str::trim).filter(|comment| !comment.is_empty());
    if comment.is_some_and(|comment| comment.chars().count() > 1_000) {
        return Err(Rejection::invalid("comment", "invalid", "Enter at most 1,000 characters."));
    }
    if amount > invoiced_amount && comment.is_none() {
        let message =
            format!("Enter the reason why the amount is higher than the invoiced amount {invoiced_amount}.");
        return Err(Rejection::invalid("comment", "comment_required", message));
    }
    Ok(comment.map(str::to_owned))
}

/// The bonus of a payment method on payments from a minimum amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
struct MethodBonus {
    from_amount: Money,
    bonus_ppm: Fraction,
}

/// The highest bonus that `amount` reaches. Rounded down, so that it never exceeds the promised fraction.
fn compute_highest_bonus(amount: Money, bonuses: &[MethodBonus], decimals: u8) -> Result<Money, Overflow> {
    let reached_bonuses = bonuses.iter().filter(|bonus| bonus.from_amount <= amount);
    let ppm = reached_bonuses.map(|bonus| bonus.bonus_ppm.0).max().unwrap_or(0);
    let bonus = i128::from(amount.0) * i128::from(ppm) / 1_000_000;
    i64::try_from(bonus).map(|bonus| Money(bonus).rounded_down(decimals)).map_err(|_| Overflow)
}

/// The amount that the customer paid, and the bonuses on top of it.
struct InvoicePayment {
    amount: Money,
    /// Bonus of the payment method.
    bonus: Money,
    coupon: Option<RedeemableCoupon>,
    /// Comment of the staff member.
    comment: Option<String>,
}

impl InvoicePayment {
    fn coupon_bonus(&self) -> Money {
        self.coupon.as_ref().map_or(Money::ZERO, |coupon| coupon.bonus)
    }
}

fn build_paid_email(invoice: &InvoiceRow, payment: &InvoicePayment) -> Result<Email, Overflow> {
    let recipient = Recipient { name: invoice.user_name.clone(), email: invoice.user_email.clone() };
    let bonus = payment.bonus.plus(payment.coupon_bonus())?;
    Ok(emails::invoice_paid(recipient, &invoice.short_name, payment.amount, bonus))
}

/// The postings of the paid amount and of each bonus. Each has a different cause, so that the ledger credits each only once.
fn build_credit_postings(invoice: &InvoiceRow, payment: &InvoicePayment) -> Vec<Posting> {
    let to_posting =
        |kind: &'static str, payment_type: PaymentType, source: Account, amount: Money| Posting {
            cause: PostingCause { kind, ref_type: "invoice", ref_id: invoice.id.as_record_id(), seq: 0 },
            kind: payment_type,
            order_id: None,
            payment_method_id: Some(invoice.method_id),
            comment: Some(match &payment.comment {
                Some(comment) => format!("Invoice {}: {comment}", invoice.short_name),
                None => format!("Invoice {}", invoice.short_name),
            }),
            legs: vec![
                (Account::User(invoice.user_id, BalanceType::Main), amount),
                (source, Money(-amount.0)),
            ],
            spent_change: None,
            cap_at_balance: false,
        };
    let mut postings =
        vec![to_posting("invoice_payment", PaymentType::Deposit, Account::GatewayClearing, payment.amount)];
    for (kind, bonus) in [("invoice_bonus", payment.bonus), ("invoice_coupon", payment.coupon_bonus())] {
        if bonus > Money::ZERO {
            postings.push(to_posting(kind, PaymentType::Bonus, Account::Bonus, bonus));
        }
    }
    postings
}

// Store

/// Locks the coupon of the invoice; `None` if it can no longer be used. Locks the customer first, so that the coupon is used
/// only once.
async fn lock_coupon(
    work: &mut UnitOfWork,
    invoice: &InvoiceRow,
    amount: Money,
    decimals: u8,
) -> Result<Option<RedeemableCoupon>> {
    let Some(id) = invoice.coupon_id else { return Ok(None) };
    ledger::lock_balances(work, &[invoice.user_id]).await?;
    redeem::lock_by_id(work, id, invoice.user_id, CouponPurchase::deposit(amount), decimals).await
}

async fn store_payment(work: &mut UnitOfWork, invoice: &InvoiceRow, payment: InvoicePayment) -> Result<()> {
    let now = work.now;
    let message = "Another request changed the invoice. Reload it and try again.";
    let transition = store::mark_paid(work, invoice.id, payment.amount, payment.bonus).await?;
    transition.or_conflict("invoice_changed_meanwhile", message)?;
    ledger::post(work, build_credit_postings(invoice, &payment)).await?;
    if let Some(coupon) = &payment.coupon {
        let (received, spent) = (payment.amount, coupon.bonus);
        redeem::record_usage(
            work,
            coupon,
            CouponUsage { item: PaidItem::Invoice(invoice.id), received, spent },
        )
        .await?;
    }
    let old = json!({ "status": invoice.status });
    let mut new = json!({ "status": InvoiceStatus::Paid, "paid_amount": payment.amount, "bonus_amount": payment.bonus });
    if let Some(comment) = &payment.comment {
        new["comment"] = json!(comment);
    }
    if invoice.coupon_id.is_some() {
        new["coupon_amount"] = json!(payment.coupon_bonus());
    }
    audit::record(work, "invoice.paid", "invoice", AuditChange { id: invoice.id.as_record_id(), old, new })
        .await?;
    if invoice.notify_payments {
        jobs::enqueue(work, &[Job::Mail(build_paid_email(invoice, &payment)?)], now).await?;
    }
    Ok(())
}

/// The enabled bonuses of a payment method.
async fn load_bonuses(work: &mut UnitOfWork, method: PaymentMethodId) -> Result<Vec<MethodBonus>> {
    let sql = Sql::new(
        "SELECT from_amount, bonus_ppm FROM payment_method_bonuses WHERE payment_method_id = ? AND is_enabled = TRUE",
    );
    Ok(work.fetch_all(sql.bind(method)).await?)
}

async fn lock_row(work: &mut UnitOfWork, id: InvoiceId) -> Result<InvoiceRow> {
    work.lock("invoices", &[id]).await?;
    load_row(work, id).await
}

async fn load_row(db: &mut impl SqlExecutor, id: InvoiceId) -> Result<InvoiceRow> {
    let sql = Sql::new("SELECT ").push(SELECT).push(FROM).bind(id);
    db.fetch_optional(sql).await?.ok_or_else(|| Error::not_found("invoice", id))
}

const SELECT: &str = "i.id, i.amount, i.paid_amount, i.bonus_amount, i.created_at, i.paid_at, i.payment_method_id AS method_id, m.name AS method_name,
  i.short_name, i.status, i.coupon_id, c.code AS coupon_code, i.updated_at, i.user_id, u.name AS user_name, u.email AS user_email, u.notify_payments";
const FROM: &str = " FROM invoices i JOIN payment_methods m ON m.id = i.payment_method_id JOIN users u ON u.id = i.user_id LEFT JOIN coupons c ON c.id = i.coupon_id WHERE i.id = ?";

/// A row of `invoices`, with its payment method, customer and coupon.
#[derive(Debug, sqlx::FromRow)]
pub struct InvoiceRow {
    id: InvoiceId,
    amount: Money,
    paid_amount: Option<Money>,
    bonus_amount: Money,
    created_at: Time,
    paid_at: Option<Time>,
    method_id: PaymentMethodId,
    method_name: String,
    short_name: String,
    status: InvoiceStatus,
    coupon_id: Option<CouponId>,
    coupon_code: Option<String>,
    updated_at: Timestamp,
    user_id: UserId,
    user_name: String,
    user_email: String,
    notify_payments: bool,
}

impl InvoiceRow {
    fn into_response(self, scope: &Scope) -> Invoice {
        let is_payable =
            scope.has_permission(Permission::ManageInvoices) && check_payable(self.status).is_ok();
        let method = NamedRef { id: self.method_id, name: self.method_name };
        Invoice {
            id: self.id,
            amount: self.amount,
            paid_amount: self.paid_amount,
            bonus_amount: self.bonus_amount,
            created_at: self.created_at,
            paid_at: self.paid_at,
            payment_method: scope.has_permission(Permission::ViewPaymentMethods).then_some(method),
            short_name: self.short_name,
            coupon: self.coupon_id.zip(self.coupon_code).map(|(id, code)| InvoiceCoupon { id, code }),
            status: self.status,
            updated_at: self.updated_at,
            user: UserSummary { id: self.user_id, name: self.user_name, email: self.user_email },
            actions: InvoiceActions { can_be_marked_as_paid: is_payable },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BONUSES: [MethodBonus; 3] = [
        MethodBonus { from_amount: Money(100_000_000), bonus_ppm: Fraction(50_000) },
        MethodBonus { from_amount: Money(500_000_000), bonus_ppm: Fraction(80_000) },
        MethodBonus { from_amount: Money(900_000_000), bonus_ppm: Fraction(20_000) },
    ];

    #[test]
    fn the_highest_reached_bonus_applies() {
        let bonus_for = |amount: i64| compute_highest_bonus(Money(amount), &BONUSES, 6).map(|bonus| bonus.0);
        assert_eq!(bonus_for(99_999_999), Ok(0));
        assert_eq!(bonus_for(100_000_000), Ok(5_000_000));
        assert_eq!(bonus_for(500_000_000), Ok(40_000_000));
        // A bonus with a higher minimum and a lower fraction does not reduce the result.
        assert_eq!(bonus_for(900_000_000), Ok(72_000_000));
        assert_eq!(compute_highest_bonus(Money(1), &[], 6), Ok(Money(0)));
    }

    #[test]
    fn a_bonus_is_rounded_down_and_never_wraps() {
        let one_third = [MethodBonus { from_amount: Money(0), bonus_ppm: Fraction(333_333) }];
        assert_eq!(compute_highest_bonus(Money(10_000_000), &one_third, 6), Ok(Money(3_333_330)));
        assert_eq!(compute_highest_bonus(Money(10_000_000), &one_third, 2), Ok(Money(3_330_000)));
        assert_eq!(compute_highest_bonus(Money(2), &one_third, 6), Ok(Money(0)));
        let whole_amount = [MethodBonus { from_amount: Money(0), bonus_ppm: Fraction(1_000_000) }];
        assert_eq!(compute_highest_bonus(Money(i64::MAX), &whole_amount, 6), Ok(Money(i64::MAX)));
    }

    #[test]
    fn only_a_pending_invoice_can_be_paid_and_only_with_a_positive_amount() {
        assert!(check_payable(InvoiceStatus::Pending).is_ok());
        for status in [InvoiceStatus::Paid, InvoiceStatus::Canceled] {
            assert_eq!(check_payable(status).unwrap_err().code, "invoice_not_payable");
        }
        for amount in [0, -1, i64::MIN] {
            assert!(require_positive(Money(amount)).is_err());
        }
        assert_eq!(require_positive(Money(1)), Ok(Money(1)));
        assert_eq!(check_comment(None, Money(5), Money(5)), Ok(None));
        assert_eq!(check_comment(Some(" tip "), Money(6), Money(5)), Ok(Some("tip".into())));
        assert_eq!(check_comment(Some(" "), Money(6), Money(5)).unwrap_err().code, "comment_required");
    }
}
