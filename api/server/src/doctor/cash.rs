//! What must always hold of money on its way in and out, as SQL that selects what breaks it.

use super::Check;
use crate::db::Sql;

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "withdrawals_held",
        rule: "Every withdrawal held its amount once; a rejected one gave it back once, a paid one paid it out once, an open one did neither.",
        what: "withdrawal",
        broken: |_| {
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
        name: "withdrawals_in_ledger",
        rule: "What is held for a withdrawal is its amount, on its customer's balance, while it is open, and nothing afterwards.",
        what: "withdrawal",
        broken: |_| {
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
        rule: "A paid invoice credited its customer once with what came in, once with its bonus and once with what its coupon gave, and no other one did.",
        what: "invoice",
        broken: |_| {
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
        name: "coupons_add_up",
        rule: "A coupon's usages, received and spent are the sums of its usages.",
        what: "coupon",
        broken: |_| {
            Sql::new(
                "SELECT c.id FROM coupons c LEFT JOIN (SELECT coupon_id, count(*) AS n, sum(received) AS received, sum(spent) AS spent FROM coupon_usages GROUP BY coupon_id) u
                   ON u.coupon_id = c.id WHERE c.usages <> COALESCE(u.n, 0) OR c.received <> COALESCE(u.received, 0) OR c.spent <> COALESCE(u.spent, 0)",
            )
        },
    },
];
