//! Orders of a year. The number of orders per day grows, and open orders are among the newest. A few resellers and a few services
//! have most of the orders.

use super::customers::ordering_customer_count;
use super::plan::DemoPlan;
use super::series::{insert_series, max_rows_per_statement};
use panel_platform::db::{DbResult, Sql, SqlExecutor, Tx};

const INSERT_ORDERS: &str = "INSERT INTO orders (id, name, url, status, approval, source, user_id, service_id, cost, price, pricing_per, rounding_precision, refunded, refund_seq,
  provider_cost, quantity, current_quantity, is_paid, has_refill, auto_refill_is_allowed, external_order_start_count, comment, keyword, countries, cancel_reason,
  cancel_description, is_child_panel, child_id, has_no_active_providers, created_at, updated_at, completed_at, canceled_at)";

/// Five pseudo-random values per order, and values that are computed from them. Some groups of three consecutive orders are one
/// package: they have the same number `j`, and so the same customer and status.
const RANDOM_VALUES: &str = ", packs AS (SELECT i, (i / 3 * 48271) % 2147483647 % 100 < 3 AS packed, CASE WHEN (i / 3 * 48271) % 2147483647 % 100 < 3 THEN i / 3 * 3 ELSE i END AS j FROM n),
  rolled AS (SELECT i, j, packed, (j * 1103515245 + @die_a) % 2147483647 AS a, (i * 1284865837 + @die_b) % 2147483647 AS b, (j * 1597334677 + @die_c) % 2147483647 AS c,
    (i * 1812433253 + @die_d) % 2147483647 AS d, (i * 1220703125 + @die_e) % 2147483647 AS e, (CAST(@count AS BIGINT) - i) * 1000000 / @count AS back FROM packs),
  dice AS (SELECT i, j, a, b, c, d, e, back, CASE WHEN packed THEN 'package' WHEN e % 100 BETWEEN 88 AND 92 THEN 'drip_feed' WHEN e % 100 BETWEEN 93 AND 95 THEN 'subscription'
    ELSE '' END AS kind FROM rolled),
  drawn AS (SELECT i, j, b, d, e, back, kind,
      (a % 1000000) * (a % 1000000) / 1000000 * (a % 1000000) / 1000000 AS whose,
      CASE kind WHEN 'drip_feed' THEN 1 + b % 5 WHEN 'subscription' THEN 6 + b % 3 ELSE (b % 1000000) * (b % 1000000) / 1000000 * 600 / 1000000 + 1 END AS what,
      CASE WHEN back < 60000 AND c % 1000 < 50 OR back < 150000 AND kind = 'package' AND c % 1000 < 700 THEN 'in_moderation' WHEN back < 200000 AND c % 1000 BETWEEN 50 AND 199 THEN 'in_processing'
        WHEN c % 1000 BETWEEN 200 AND 259 THEN 'canceled' WHEN c % 1000 BETWEEN 260 AND 266 THEN 'stopped' WHEN c % 1000 BETWEEN 267 AND 286 AND kind = '' THEN 'unpaid'
        ELSE 'completed' END AS status FROM dice),
  placed AS (SELECT w.i, w.j, w.d, w.e, w.kind, w.status, w.whose * CAST(@ordering_customers AS BIGINT) / 1000000 + @first_user AS user_id, s.id AS service_id, s.name, s.default_price AS price, s.pricing_per,
      s.has_refill, s.moderation_is_enabled, s.has_active_providers,
      s.min_quantity * CASE WHEN w.kind IN ('drip_feed', 'subscription') THEN 5 ELSE 1 + w.d % 20 END AS quantity,
      CAST(@now AS BIGINT) - (back / 5 + back * back / 1250000) * 31536000 AS at,
      CASE w.status WHEN 'completed' THEN 100 WHEN 'canceled' THEN CASE WHEN w.d % 3 = 0 THEN 0 ELSE w.d % 80 END WHEN 'in_processing' THEN w.d % 95
        WHEN 'stopped' THEN w.d % 60 ELSE 0 END AS filled
    FROM drawn w JOIN services s ON s.id = w.what)";

/// A bound value, because a question mark in the SQL statement would be a placeholder.
const VIDEO_URL: &str = "https://video.example/watch?v=";
/// Tracking parameters that some customers copy together with a URL. A bound value, as above.
const TRACKING_PARAMETERS: &str =
    "?utm_source=newsletter&utm_medium=email&utm_campaign=autumn-sale-2026&igsh=MzRlODBiNWFlZA";

const SELECT_ORDERS: &str = " SELECT i, name,
    CASE WHEN kind = 'package' THEN 'https://photo.example/p/' WHEN service_id % 4 = 0 THEN CAST(@watch AS TEXT) WHEN service_id % 4 = 1 THEN 'https://photo.example/p/'
      WHEN service_id % 4 = 2 THEN 'https://clips.example/@creator/' ELSE 'https://t.example/' END
      || CASE kind WHEN 'package' THEN j WHEN 'drip_feed' THEN user_id * 613 + service_id ELSE d * 7 + e END || CASE WHEN kind = '' AND e % 9 = 0 THEN CAST(@tracked AS TEXT) ELSE '' END,
    status, CASE WHEN status = 'in_moderation' THEN 'pending' WHEN status = 'stopped' AND d % 5 = 0 THEN 'rejected'
      WHEN moderation_is_enabled AND status NOT IN ('unpaid') THEN 'approved' END,
    CASE WHEN kind <> '' THEN kind WHEN e % 100 < 35 THEN 'api' WHEN e % 100 < 65 THEN 'cabinet' WHEN e % 100 < 83 THEN 'perfect_panel_api'
      WHEN e % 100 < 88 THEN 'order_widget' WHEN e % 100 < 98 THEN 'single_form' ELSE 'buy_page' END,
    user_id, service_id, quantity * price / pricing_per, price, pricing_per, 6,
    CASE WHEN status = 'canceled' AND d % 10 <> 0 THEN quantity * price / pricing_per * (100 - filled) / 100 ELSE 0 END,
    CASE WHEN status = 'canceled' AND d % 10 <> 0 AND quantity * price / pricing_per * (100 - filled) / 100 > 0 THEN 1 ELSE 0 END,
    quantity * price / pricing_per * 6 / 10 * filled / 100, quantity, quantity * filled / 100, status <> 'unpaid', has_refill, has_refill AND d % 2 = 0,
    CASE WHEN status <> 'unpaid' AND status <> 'in_moderation' THEN d % 50000 END, CAST(NULL AS TEXT), CASE WHEN service_id % 12 = 0 THEN 'growth marketing' END,
    CASE WHEN service_id % 15 = 0 THEN '[\"BR\",\"PT\"]' ELSE '[]' END,
    CASE WHEN status = 'canceled' THEN CASE d % 5 WHEN 0 THEN 'customer_request' WHEN 1 THEN 'wrong_link' WHEN 2 THEN 'private_account' WHEN 3 THEN 'provider_failure' ELSE 'other' END END,
    CASE WHEN status = 'canceled' AND d % 5 = 4 THEN 'The link leads nowhere any more.' END, e % 50 = 0, CASE WHEN e % 50 = 0 THEN i + 700000 END,
    status = 'in_processing' AND NOT has_active_providers, at, at + (CAST(@now AS BIGINT) - at) * (d % 100) / 1000,
    CASE WHEN status = 'completed' THEN at + (CAST(@now AS BIGINT) - at) * (d % 900) / 9000 END, CASE WHEN status = 'canceled' THEN at + (CAST(@now AS BIGINT) - at) * (d % 900) / 9000 END
  FROM placed";

pub(crate) async fn fill(tx: &mut Tx, plan: &DemoPlan, report_step: &impl Fn(&str)) -> DbResult<()> {
    let (count, chunk_size) = (plan.size.orders, max_rows_per_statement(tx.dialect()));
    let mut first_id = 1;
    while first_id <= count {
        let last_id = (first_id + chunk_size - 1).min(count);
        let mut sql = insert_series(INSERT_ORDERS, first_id, last_id).push(RANDOM_VALUES).push(SELECT_ORDERS);
        for (sequence, name) in (20..).zip(["die_a", "die_b", "die_c", "die_d", "die_e"]) {
            sql = sql.bind_named(name, plan.random_seed(sequence));
        }
        sql = sql
            .bind_named("count", count)
            .bind_named("ordering_customers", ordering_customer_count(plan.size.users));
        sql = sql.bind_named("first_user", plan.first_customer_id).bind_named("now", plan.now);
        tx.execute(sql.bind_named("watch", VIDEO_URL).bind_named("tracked", TRACKING_PARAMETERS)).await?;
        if count > chunk_size {
            report_step(&format!("{last_id} of {count} orders"));
        }
        first_id = last_id + 1;
    }
    split_refund_in_three(tx).await
}

/// Splits the refund of the newest refunded order into three, so that the demo has an order with several refunds.
async fn split_refund_in_three(tx: &mut Tx) -> DbResult<()> {
    tx.execute(Sql::new(
        "UPDATE orders SET refund_seq = 3 WHERE id = (SELECT max(id) FROM orders WHERE status = 'canceled' AND refunded > 3)",
    ))
    .await?;
    Ok(())
}
