//! The list of the doctor's checks. To check a new invariant, add an entry here.

use super::check::Check;
use super::{counts, withdrawals_and_invoices};
use crate::pricing::available::provider_is_available;
use panel_platform::db::Sql;

/// All checks; those of money are first.
pub(super) fn all_checks() -> impl Iterator<Item = &'static Check> {
    LEDGER_CHECKS
        .iter()
        .chain(withdrawals_and_invoices::CHECKS)
        .chain(USER_CHECKS)
        .chain(ORDER_CHECKS)
        .chain(ORDER_GROUP_CHECKS)
        .chain(SUBSCRIPTION_CHECKS)
        .chain(counts::CHECKS)
}

const LEDGER_CHECKS: &[Check] = &[
    Check {
        name: "ledger_balanced",
        rule: "The entries of each ledger transaction sum to zero.",
        record_noun: "transaction",
        select_violations: |_| {
            Sql::new("SELECT txn_id AS id FROM ledger_entries GROUP BY txn_id HAVING sum(amount) <> 0")
        },
    },
    Check {
        name: "ledger_complete",
        rule: "Each ledger transaction has entries, and the order or user that caused it exists.",
        record_noun: "transaction",
        select_violations: |_| {
            Sql::new(
                "SELECT t.id FROM ledger_txns t WHERE NOT EXISTS (SELECT 1 FROM ledger_entries e WHERE e.txn_id = t.id)
                   OR (t.ref_type = 'order' AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.id = t.ref_id))
                   OR (t.ref_type = 'drip_feed' AND NOT EXISTS (SELECT 1 FROM drip_feeds d WHERE d.id = t.ref_id))
                   OR (t.ref_type = 'subscription' AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.id = t.ref_id))
                   OR (t.ref_type = 'withdrawal' AND NOT EXISTS (SELECT 1 FROM withdrawals w WHERE w.id = t.ref_id))
                   OR (t.ref_type = 'invoice' AND NOT EXISTS (SELECT 1 FROM invoices i WHERE i.id = t.ref_id))
                   OR (t.ref_type = 'user' AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = t.ref_id))",
            )
        },
    },
    Check {
        name: "entries_well_formed",
        rule: "Entries on customers' accounts have a customer and the balance after the entry; entries on the panel's own accounts have neither. The direction matches the sign, and refunds have an order.",
        record_noun: "entry",
        select_violations: |_| {
            Sql::new(
                "SELECT id FROM ledger_entries
                 WHERE (account IN ('main', 'task', 'referral', 'hold_main', 'hold_task', 'hold_referral')) <> (user_id IS NOT NULL)
                   OR (user_id IS NULL) <> (balance_after IS NULL) OR balance_after < 0
                   OR (transaction_type = 'income') <> (amount > 0) OR (type = 'refund' AND order_id IS NULL AND NOT EXISTS (SELECT 1 FROM ledger_txns t WHERE t.id = ledger_entries.txn_id AND t.kind = 'advance_returned'))",
            )
        },
    },
    Check {
        name: "balances_match_ledger",
        rule: "Each balance of a customer, including holds, is the sum of its ledger entries, and no balance is negative.",
        record_noun: "user",
        select_violations: |_| {
            Sql::new(
                "SELECT u.id FROM users u LEFT JOIN (SELECT user_id,
                     sum(CASE WHEN account = 'main' THEN amount ELSE 0 END) AS main, sum(CASE WHEN account = 'task' THEN amount ELSE 0 END) AS task,
                     sum(CASE WHEN account = 'referral' THEN amount ELSE 0 END) AS referral, sum(CASE WHEN account = 'hold_main' THEN amount ELSE 0 END) AS h_main,
                     sum(CASE WHEN account = 'hold_task' THEN amount ELSE 0 END) AS h_task, sum(CASE WHEN account = 'hold_referral' THEN amount ELSE 0 END) AS h_referral
                   FROM ledger_entries WHERE user_id IS NOT NULL GROUP BY user_id) e ON e.user_id = u.id
                 WHERE u.balance_main <> COALESCE(e.main, 0) OR u.balance_task <> COALESCE(e.task, 0) OR u.balance_referral <> COALESCE(e.referral, 0)
                   OR u.hold_main <> COALESCE(e.h_main, 0) OR u.hold_task <> COALESCE(e.h_task, 0) OR u.hold_referral <> COALESCE(e.h_referral, 0)
                   OR u.balance_main < 0 OR u.balance_task < 0 OR u.balance_referral < 0 OR u.hold_main < 0 OR u.hold_task < 0 OR u.hold_referral < 0",
            )
        },
    },
    Check {
        name: "running_balances",
        rule: "The balance after an entry is the balance after the previous entry plus the amount of the entry.",
        record_noun: "entry",
        select_violations: |_| {
            Sql::new(
                "SELECT id FROM (SELECT id, balance_after - amount - COALESCE(lag(balance_after) OVER (PARTITION BY user_id, account ORDER BY id), 0) AS gap
                   FROM ledger_entries WHERE user_id IS NOT NULL) AS chain WHERE gap <> 0",
            )
        },
    },
    Check {
        name: "spent_matches_orders",
        rule: "The amount that a customer spent is the charges of their orders less the refunds.",
        record_noun: "user",
        select_violations: |_| {
            Sql::new(
                "SELECT u.id FROM users u LEFT JOIN (SELECT user_id, -sum(amount) AS n FROM ledger_entries
                   WHERE user_id IS NOT NULL AND type IN ('order', 'refund') GROUP BY user_id) e ON e.user_id = u.id
                 WHERE u.spent <> COALESCE(e.n, 0)",
            )
        },
    },
    Check {
        name: "causes_are_unique",
        rule: "No two ledger transactions have the same cause.",
        record_noun: "cause",
        select_violations: |_| {
            Sql::new(
                "SELECT kind || ' of ' || ref_type || ' ' || ref_id AS id FROM ledger_txns GROUP BY kind, ref_type, ref_id, seq HAVING count(*) > 1",
            )
        },
    },
    Check {
        name: "ledger_is_audited",
        rule: "Each ledger transaction of a staff member has an audit entry of that member with the same time.",
        record_noun: "transaction",
        select_violations: |_| {
            Sql::new(
                // Compares sets. A customer may have thousands of payments, and a bulk action thousands of entries with the same
                // time, so a search by record or by time would scan thousands of rows for each transaction.
                "SELECT t.id FROM ledger_txns t JOIN (SELECT ref_type, ref_id, created_at, actor_id FROM ledger_txns WHERE actor_id IS NOT NULL
                   EXCEPT SELECT auditable_type, auditable_id, created_at, user_id FROM audits) missing
                   ON missing.ref_type = t.ref_type AND missing.ref_id = t.ref_id AND missing.created_at = t.created_at AND missing.actor_id = t.actor_id",
            )
        },
    },
];

const USER_CHECKS: &[Check] = &[Check {
    name: "user_status_times",
    rule: "A user has frozen_at exactly while frozen, and deactivated_at exactly while deactivated.",
    record_noun: "user",
    select_violations: |_| {
        Sql::new(
            "SELECT id FROM users WHERE (status = 'frozen') <> (frozen_at IS NOT NULL) OR (status = 'deactivated') <> (deactivated_at IS NOT NULL)",
        )
    },
}];

/// Checks of drip-feeds, subscriptions and combo orders, which group orders.
const ORDER_GROUP_CHECKS: &[Check] = &[
    Check {
        name: "prepayment_holds",
        rule: "Prepaid amounts of drip-feeds and subscriptions that are neither used nor refunded are on hold; there is no hold for finished drip-feeds and subscriptions.",
        record_noun: "advance of",
        select_violations: |_| {
            Sql::new(
                "SELECT ref_type || ' ' || ref_id AS id FROM (
                   SELECT ref_type, ref_id, balance_type, amount - used - returned AS n FROM advances
                   UNION ALL SELECT t.ref_type, t.ref_id, substr(e.account, 6), -e.amount FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id
                     WHERE e.account IN ('hold_main', 'hold_task', 'hold_referral') AND t.ref_type IN ('drip_feed', 'subscription')) AS both_sides
                 GROUP BY ref_type, ref_id, balance_type HAVING sum(n) <> 0
                 UNION ALL SELECT a.ref_type || ' ' || a.ref_id FROM advances a JOIN drip_feeds d ON d.id = a.ref_id
                   WHERE a.ref_type = 'drip_feed' AND d.status <> 'in_processing' AND a.amount <> a.used + a.returned
                 UNION ALL SELECT a.ref_type || ' ' || a.ref_id FROM advances a JOIN subscriptions s ON s.id = a.ref_id
                   WHERE a.ref_type = 'subscription' AND s.status <> 'in_processing' AND a.amount <> a.used + a.returned",
            )
        },
    },
    Check {
        name: "placed_order_counts",
        rule: "The stored number of orders of a drip-feed, subscription or combo order equals the count of its orders.",
        record_noun: "orders of",
        select_violations: |_| {
            Sql::new(
                "SELECT 'drip feed ' || d.id AS id FROM drip_feeds d WHERE d.orders_count <> (SELECT count(*) FROM orders o WHERE o.drip_feed_id = d.id)
                 UNION ALL SELECT 'subscription ' || d.id FROM subscriptions d WHERE d.orders_count <> (SELECT count(*) FROM orders o WHERE o.subscription_id = d.id)
                 UNION ALL SELECT 'combo order ' || d.id FROM combo_orders d WHERE d.orders_count <> (SELECT count(*) FROM orders o WHERE o.combo_order_id = d.id)",
            )
        },
    },
];

const SUBSCRIPTION_CHECKS: &[Check] = &[CONTENT_COUNTS, SUBSCRIPTION_PERIODS];

const SUBSCRIPTION_PERIODS: Check = Check {
    name: "subscription_periods",
    rule: "Exactly the recurring subscriptions have a period and a number of contents per period, and each recurring subscription in processing has a renewal time.",
    record_noun: "subscription",
    select_violations: |_| {
        Sql::new(
            "SELECT id FROM subscriptions WHERE (billing_type = 'recurring') <> (period_days IS NOT NULL AND period_contents IS NOT NULL)
               OR (status = 'in_processing' AND (billing_type = 'recurring') <> (renews_at IS NOT NULL))",
        )
    },
};

const CONTENT_COUNTS: Check = Check {
    name: "subscription_content_counts",
    rule: "The stored number of a subscription's contents equals the count of its placed contents, and its number of orders the sum of their orders. Only a subscription in processing polls for contents and has waiting contents.",
    record_noun: "subscription",
    select_violations: |_| {
        Sql::new(
            "SELECT s.id FROM subscriptions s LEFT JOIN (SELECT subscription_id, sum(orders_count) AS orders, sum(CASE WHEN status = 'placed' THEN 1 ELSE 0 END) AS placed,
               sum(CASE WHEN status = 'found' THEN 1 ELSE 0 END) AS waiting, sum(CASE WHEN (status = 'found') <> (due_at IS NOT NULL) THEN 1 ELSE 0 END) AS stuck
               FROM subscription_contents GROUP BY subscription_id) c ON c.subscription_id = s.id
             WHERE s.subscription_contents_count <> COALESCE(c.placed, 0) OR s.orders_count <> COALESCE(c.orders, 0) OR c.stuck > 0
               OR s.subscription_contents_count + COALESCE(c.waiting, 0) > s.contents_limit
               OR s.status <> 'in_processing' AND (s.next_poll_at IS NOT NULL OR c.waiting > 0)",
        )
    },
};

const ORDER_CHECKS: &[Check] = &[
    Check {
        name: "refunds_within_payments",
        rule: "The refunds of an order are at most its cost, and its refunded amount is the sum of its refunds in the ledger.",
        record_noun: "order",
        select_violations: |_| {
            Sql::new(
                "SELECT o.id FROM orders o LEFT JOIN (SELECT order_id, sum(amount) AS n FROM ledger_entries
                   WHERE type = 'refund' AND user_id IS NOT NULL GROUP BY order_id) e ON e.order_id = o.id
                 WHERE o.refunded < 0 OR o.refunded > o.cost OR o.refunded <> COALESCE(e.n, 0)",
            )
        },
    },
    Check {
        name: "refunds_in_ledger",
        rule: "Each refund of an order is exactly one ledger transaction, and there are no other refund transactions.",
        record_noun: "order",
        select_violations: |_| {
            Sql::new(
                "SELECT o.id FROM orders o LEFT JOIN (SELECT ref_id, count(*) AS n FROM ledger_txns
                   WHERE kind = 'order_refund' AND ref_type = 'order' GROUP BY ref_id) t ON t.ref_id = o.id
                 WHERE o.refund_seq <> COALESCE(t.n, 0) OR (o.refunded > 0) <> (o.refund_seq > 0)",
            )
        },
    },
    Check {
        name: "cancel_refunds_match_audit",
        rule: "If the audit entry of a cancellation names a refund, the ledger has a refund of the order at that time.",
        record_noun: "order",
        select_violations: |_| {
            // JSON escapes quotes inside of values, so these patterns only match the key.
            Sql::new(
                "SELECT a.auditable_id AS id FROM audits a WHERE a.event = 'order.canceled' AND a.auditable_type = 'order'
                   AND a.new_values LIKE '%\"refunded\":\"%' AND a.new_values NOT LIKE '%\"refunded\":\"0\"%'
                   AND NOT EXISTS (SELECT 1 FROM ledger_txns t WHERE t.kind = 'order_refund' AND t.ref_type = 'order'
                     AND t.ref_id = a.auditable_id AND t.created_at = a.created_at)",
            )
        },
    },
    Check {
        name: "cancel_requests_decided",
        rule: "The order of a confirmed cancel request is canceled, and the amount of the request was refunded at that time. The order of an open request is neither canceled nor completed.",
        record_noun: "cancel request",
        select_violations: |_| {
            Sql::new(
                "SELECT c.id FROM order_cancel_requests c JOIN orders o ON o.id = c.order_id
                 WHERE (c.status = 'confirmed' AND (o.status <> 'canceled' OR c.refunded > o.refunded
                     OR (c.refunded > 0) <> EXISTS (SELECT 1 FROM ledger_txns t WHERE t.kind = 'order_refund' AND t.ref_type = 'order'
                       AND t.ref_id = c.order_id AND t.created_at = c.decided_at)))
                   OR (c.status IN ('requested', 'sent') AND o.status IN ('canceled', 'completed')) OR (c.status <> 'confirmed' AND c.refunded <> 0)",
            )
        },
    },
    Check {
        name: "order_payments",
        rule: "The payments of a paid order sum to its cost and their refunds to its refunded amount; an unpaid order has no payments.",
        record_noun: "order",
        select_violations: |_| {
            Sql::new(
                "SELECT o.id FROM orders o LEFT JOIN (SELECT order_id, sum(amount) AS paid, sum(refunded) AS refunded
                   FROM order_balance_payments GROUP BY order_id) p ON p.order_id = o.id
                 WHERE COALESCE(p.paid, 0) <> CASE WHEN o.is_paid THEN o.cost ELSE 0 END OR COALESCE(p.refunded, 0) <> o.refunded",
            )
        },
    },
    Check {
        name: "order_payments_in_ledger",
        rule: "Payments and refunds of an order, by balance, equal the ledger entries of that balance.",
        record_noun: "order",
        select_violations: |_| {
            Sql::new(
                "SELECT order_id AS id FROM (
                   SELECT order_id, balance_type AS account, amount AS paid, refunded FROM order_balance_payments
                   UNION ALL SELECT order_id, account, CASE WHEN type = 'order' THEN amount ELSE 0 END, CASE WHEN type = 'refund' THEN -amount ELSE 0 END
                     FROM ledger_entries WHERE order_id IS NOT NULL AND user_id IS NOT NULL AND type IN ('order', 'refund')) AS both_sides
                 GROUP BY order_id, account HAVING sum(paid) <> 0 OR sum(refunded) <> 0",
            )
        },
    },
    Check {
        name: "order_states",
        rule: "Completed and canceled orders have the time at which they were completed or canceled. Orders in processing and completed orders are paid; orders with the status unpaid are not.",
        record_noun: "order",
        select_violations: |_| {
            Sql::new(
                "SELECT id FROM orders WHERE (status = 'completed' AND completed_at IS NULL) OR (status = 'canceled' AND canceled_at IS NULL)
                   OR (status = 'unpaid' AND is_paid) OR (status IN ('in_processing', 'completed') AND NOT is_paid)",
            )
        },
    },
    Check {
        name: "orders_without_provider",
        rule: "An order is marked as without active providers exactly if it is in processing and its service has no active provider, or every active provider ended it before the whole quantity was delivered.",
        record_noun: "order",
        select_violations: |_| {
            Sql::new(
                "SELECT o.id FROM orders o JOIN services s ON s.id = o.service_id
                 WHERE o.has_no_active_providers <> (o.status = 'in_processing' AND NOT s.has_active_providers)
                   AND NOT (o.status = 'in_processing' AND o.has_no_active_providers AND EXISTS (SELECT 1 FROM external_panel_orders e
                     WHERE e.order_id = o.id AND e.status IN ('Partial', 'Canceled', 'Completed')))",
            )
        },
    },
    Check {
        name: "counter_quantities",
        rule: "An order measured by the counter shows the measured quantity.",
        record_noun: "order",
        select_violations: |_| {
            Sql::new(
                "SELECT c.order_id AS id FROM order_counters c JOIN orders o ON o.id = c.order_id
                 WHERE c.start_count IS NOT NULL AND (o.external_statistics_quantity IS NULL OR o.external_statistics_quantity <> c.quantity)",
            )
        },
    },
    Check {
        name: "services_with_provider",
        rule: "A service has active providers exactly when one of its providers is active and not archived, and its external panel is neither disabled nor archived.",
        record_noun: "service",
        select_violations: |_| {
            Sql::new(concat!(
                "SELECT s.id FROM services s WHERE s.has_active_providers <> EXISTS (SELECT 1 FROM service_providers m
                   JOIN providers p ON p.id = m.provider_id WHERE m.service_id = s.id AND ",
                provider_is_available!(),
                ")"
            ))
        },
    },
];
