//! Checks of stored counts, sums, positions and other derived values.

use std::time::Duration;

use super::check::Check;
use panel_platform::db::Sql;
use panel_platform::db::counts::RECOUNTS;

/// If a job is overdue for longer, it was lost, or no worker runs.
const MAX_JOB_DELAY: Duration = Duration::from_mins(15);

/// Returns SQL that selects the blocks of a table whose materialized count differs from the number of rows.
fn select_wrong_counts_sql(table: &'static str) -> Sql {
    // Without a recount of the table, the SQL compares no rows.
    let recount_sql =
        RECOUNTS.iter().find(|(name, _)| *name == table).map_or("", |(_, recount_sql)| recount_sql);
    let select_stored_sql = |table_name: &'static str| {
        Sql::new(" SELECT tbl, grp, block, n FROM ")
            .push(table_name)
            .push(" WHERE block >= 0 AND tbl = ?")
            .bind(table)
    };
    Sql::new("SELECT tbl || ' ' || grp || ' block ' || block AS id FROM (")
        .append(select_stored_sql("row_counts"))
        .push(" UNION ALL")
        .append(select_stored_sql("row_count_deltas"))
        .push(" UNION ALL SELECT tbl, grp, block, -n FROM (")
        .push(recount_sql)
        .push(") AS recounted) AS compared GROUP BY tbl, grp, block HAVING sum(n) <> 0")
}

/// A check of the materialized counts of one table.
macro_rules! materialized_count_check {
    ($name:literal, $table:literal) => {
        Check {
            name: $name,
            rule: "Materialized counts plus the deltas that are not yet added to them equal the number of rows.",
            record_noun: "count of",
            select_violations: |_| select_wrong_counts_sql($table),
        }
    };
}

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "payment_method_positions",
        rule: "Positions of payment methods are 1 to n without gaps.",
        record_noun: "payment method",
        select_violations: |_| {
            Sql::new(
                "SELECT id FROM (SELECT id, position, row_number() OVER (ORDER BY position, id) AS place FROM payment_methods) m WHERE position <> place",
            )
        },
    },
    materialized_count_check!("orders_counted", "orders"),
    materialized_count_check!("users_counted", "users"),
    materialized_count_check!("drip_feeds_counted", "drip_feeds"),
    materialized_count_check!("subscriptions_counted", "subscriptions"),
    materialized_count_check!("combo_orders_counted", "combo_orders"),
    materialized_count_check!("invoices_counted", "invoices"),
    materialized_count_check!("withdrawals_counted", "withdrawals"),
    materialized_count_check!("free_trials_counted", "free_trials"),
    materialized_count_check!("payments_counted", "ledger_entries"),
    materialized_count_check!("external_panel_orders_counted", "external_panel_orders"),
    materialized_count_check!("cancel_requests_counted", "order_cancel_requests"),
    materialized_count_check!("audits_counted", "audits"),
    materialized_count_check!("change_logs_counted", "change_logs"),
    materialized_count_check!("payment_methods_counted", "payment_methods"),
    materialized_count_check!("free_trial_quests_counted", "free_trial_quests"),
    materialized_count_check!("grades_counted", "grades"),
    Check {
        name: "staff_flags",
        rule: "Exactly the users with a role or a permission are marked as staff.",
        record_noun: "user",
        select_violations: |_| {
            Sql::new(
                "SELECT u.id FROM users u WHERE u.is_staff <> (EXISTS (SELECT 1 FROM user_roles r WHERE r.user_id = u.id)
                   OR EXISTS (SELECT 1 FROM user_permissions p WHERE p.user_id = u.id))",
            )
        },
    },
    Check {
        name: "row_count_totals",
        rule: "The stored total of each group is the sum of its blocks.",
        record_noun: "count of",
        select_violations: |_| {
            Sql::new(
                "SELECT tbl || ' ' || grp AS id FROM (SELECT tbl, grp, CASE WHEN block = -1 THEN n ELSE -n END AS n
                   FROM (SELECT * FROM row_counts UNION ALL SELECT * FROM row_count_deltas) AS kept) AS compared
                 GROUP BY tbl, grp HAVING sum(n) <> 0",
            )
        },
    },
    Check {
        name: "daily_sums",
        rule: "The stored sums of each day and status equal those of its orders; only paid orders count in the cost.",
        record_noun: "day",
        select_violations: |_| {
            Sql::new(
                "SELECT day || ' ' || status AS id FROM (
                   SELECT day, status, n, cost, refunded, provider_cost, quantity FROM order_days
                   UNION ALL SELECT day, status, n, cost, refunded, provider_cost, quantity FROM order_day_deltas
                   UNION ALL SELECT created_at / 86400000000, status, -count(*), -sum(CASE WHEN is_paid THEN cost ELSE 0 END), -sum(refunded), -sum(provider_cost), -sum(quantity)
                     FROM orders GROUP BY 1, 2) AS compared
                 GROUP BY day, status HAVING sum(n) <> 0 OR sum(cost) <> 0 OR sum(refunded) <> 0 OR sum(provider_cost) <> 0 OR sum(quantity) <> 0",
            )
        },
    },
    Check {
        name: "user_order_counts",
        rule: "The stored number of a customer's orders equals the count of their orders.",
        record_noun: "user",
        select_violations: |_| {
            Sql::new(
                "SELECT user_id AS id FROM (SELECT user_id, n FROM user_order_counts UNION ALL SELECT user_id, n FROM user_order_count_deltas
                   UNION ALL SELECT user_id, -count(*) FROM orders GROUP BY user_id) AS compared GROUP BY user_id HAVING sum(n) <> 0",
            )
        },
    },
    Check {
        name: "overdue_jobs",
        rule: "No job is overdue by more than 15 minutes while the server runs, so mail and other outgoing work is sent in time.",
        record_noun: "job",
        select_violations: |now| {
            Sql::new(
                "SELECT id FROM jobs WHERE done_at IS NULL AND dead_at IS NULL AND run_at < ? AND (lease_until IS NULL OR lease_until < ?)
                   AND NOT EXISTS (SELECT 1 FROM quarantine q WHERE q.poller = jobs.kind AND q.record_id = jobs.id)",
            )
            .bind(now.minus(MAX_JOB_DELAY))
            .bind(now)
        },
    },
    Check {
        name: "no_quarantined_records",
        rule: "No record is quarantined. A quarantined record crashed the process that worked on it. When the cause is fixed, release the record in the console (System status) or with panelctl (quarantine list).",
        record_noun: "record",
        select_violations: |_| {
            Sql::new("SELECT poller || ' ' || record_id AS id FROM quarantine WHERE status = 'quarantined'")
        },
    },
];
