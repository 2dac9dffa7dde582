//! Checks of payments into and out of the panel: withdrawals, invoices, coupons and commissions.

use super::check::Check;
use panel_platform::db::Sql;

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "withdrawal_postings",
        rule: "Every withdrawal has exactly one hold. A rejected withdrawal also has exactly one release, a paid withdrawal exactly one payout, and an open withdrawal neither.",
        record_noun: "withdrawal",
        select_violations: |_| {
            Sql::new(
                "SELECT w.id FROM withdrawals w LEFT JOIN (SELECT t.ref_id,
                     sum(CASE WHEN t.kind = 'withdrawal_hold' THEN 1 ELSE 0 END) AS holds, sum(CASE WHEN t.kind = 'withdrawal_release' THEN 1 ELSE 0 END) AS releases,
                     sum(CASE WHEN t.kind = 'withdrawal_payout' THEN 1 ELSE 0 END) AS payouts
                   FROM ledger_txns t WHERE t.ref_type = 'withdrawal' GROUP BY t.ref_id) s ON s.ref_id = w.id
                 WHERE COALESCE(s.holds, 0) <> 1 OR s.releases <> CASE w.status WHEN 'rejected' THEN 1 ELSE 0 END OR s.payouts <> CASE w.status WHEN 'paid' THEN 1 ELSE 0 END
                   OR (w.status = 'paid' AND w.transaction_id IS NULL)",
            )
        },
    },
    Check {
        name: "withdrawal_holds",
        rule: "While a withdrawal is open, its amount is on hold on the customer's balance; afterwards there is no hold for it.",
        record_noun: "withdrawal",
        select_violations: |_| {
            Sql::new(
                "SELECT id FROM (
                   SELECT id, user_id, 'hold_' || balance_type AS account, CASE WHEN status IN ('pending', 'approved') THEN amount ELSE 0 END AS n FROM withdrawals
                   UNION ALL SELECT t.ref_id, e.user_id, e.account, -e.amount FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id
                     WHERE e.account IN ('hold_main', 'hold_task', 'hold_referral') AND t.ref_type = 'withdrawal') AS both_sides
                 GROUP BY id, user_id, account HAVING sum(n) <> 0",
            )
        },
    },
    Check {
        name: "invoices_in_ledger",
        rule: "A paid invoice credited its customer exactly once with the payment, the bonus and the coupon's bonus; other invoices credited no amount.",
        record_noun: "invoice",
        select_violations: |_| {
            Sql::new(
                "SELECT id FROM (
                   SELECT id, user_id, 'invoice_payment' AS kind, COALESCE(paid_amount, 0) AS n FROM invoices
                   UNION ALL SELECT id, user_id, 'invoice_bonus', bonus_amount FROM invoices
                   UNION ALL SELECT invoice_id, user_id, 'invoice_coupon', spent FROM coupon_usages WHERE invoice_id IS NOT NULL
                   UNION ALL SELECT t.ref_id, e.user_id, t.kind, -e.amount FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id
                     WHERE t.ref_type = 'invoice' AND e.account = 'main') AS both_sides
                 GROUP BY id, user_id, kind HAVING sum(n) <> 0",
            )
        },
    },
    Check {
        name: "coupon_totals",
        rule: "A coupon's totals equal the sums of its usages, and the usage of an order received the order's cost less its refunds.",
        record_noun: "coupon",
        select_violations: |_| {
            Sql::new(
                "SELECT c.id FROM coupons c LEFT JOIN (SELECT coupon_id, count(*) AS n, sum(received) AS received, sum(spent) AS spent FROM coupon_usages GROUP BY coupon_id) u
                   ON u.coupon_id = c.id WHERE c.usages <> COALESCE(u.n, 0) OR c.received <> COALESCE(u.received, 0) OR c.spent <> COALESCE(u.spent, 0)
                 UNION SELECT x.coupon_id FROM coupon_usages x JOIN orders o ON o.id = x.order_id
                   WHERE x.received <> CASE WHEN o.is_paid THEN o.cost - o.refunded ELSE 0 END",
            )
        },
    },
    Check {
        name: "commission_amounts",
        rule: "A commission is for a paid order of another customer and at most the order's cost. A refund of the order took back the same fraction of the commission, as far as the recipient's balance allowed.",
        record_noun: "order",
        select_violations: |_| {
            // Each refund rounds the commission to take back down, so the recipient may keep one millionth per refund.
            Sql::new(
                "SELECT o.id FROM (SELECT e.order_id, e.user_id, t.kind LIKE 'order_widget_%' AS by_widget, min(e.id) AS since,
                     sum(CASE WHEN e.amount > 0 THEN e.amount ELSE 0 END) AS paid, sum(CASE WHEN e.amount < 0 THEN -e.amount ELSE 0 END) AS taken
                   FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id
                   WHERE e.type = 'referral' AND e.user_id IS NOT NULL AND e.order_id IS NOT NULL GROUP BY 1, 2, 3) c JOIN orders o ON o.id = c.order_id
                 WHERE c.user_id = o.user_id OR NOT o.is_paid OR c.paid > o.cost OR c.taken > c.paid OR (c.taken - 1) * o.cost > c.paid * o.refunded
                   OR ((c.taken + o.refund_seq) * o.cost < c.paid * o.refunded AND NOT EXISTS (SELECT 1 FROM ledger_entries b
                     WHERE b.user_id = c.user_id AND b.account = 'referral' AND b.balance_after = 0 AND b.id > c.since))",
            )
        },
    },
];
