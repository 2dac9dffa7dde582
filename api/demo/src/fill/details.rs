//! Details of orders and customers: placement attempts, price changes, refill requests, comments, free trials, audit entries, saved
//! views. Only the newest orders have details, because staff mostly open those.

use super::names::ORDER_COMMENTS;
use super::plan::{DAY_MICROS, DemoPlan, HOUR_MICROS};
use panel_platform::db::{DbResult, Sql, SqlExecutor, Tx};
use panel_platform::sql;

/// Binds of each statement: the order id `after_id`; only orders with a higher id get details.
const ORDER_STATEMENTS: [&str; 9] = [
    "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, external_panel_service_id, external_order_id, status, charge, initial_charge,
       initial_quantity, remains, start_count, last_error, created_at, updated_at)
     SELECT o.id, p.id, p.external_panel_id, p.external_panel_service_id, CASE WHEN p.status <> 'error' THEN CAST(o.id + 5000000 AS TEXT) END,
       CASE WHEN p.status = 'error' THEN 'Creating' WHEN o.status = 'completed' THEN 'Completed' WHEN o.status = 'canceled' THEN 'Canceled' ELSE 'In progress' END,
       o.provider_cost, o.provider_cost, o.quantity, o.quantity - o.current_quantity, o.external_order_start_count,
       CASE WHEN p.status = 'error' THEN 'neworder.error.not_enough_funds' END, o.created_at, o.updated_at
     FROM orders o JOIN service_providers m ON m.service_id = o.service_id AND m.position = 0 JOIN providers p ON p.id = m.provider_id
     WHERE o.id > ? AND o.status IN ('in_processing', 'completed', 'canceled', 'stopped')",
    "UPDATE external_panel_orders SET sent_at = CASE WHEN status <> 'Creating' THEN created_at END, booked_cost = charge,
       ended_at = CASE WHEN status IN ('Completed', 'Canceled') THEN updated_at END, alert_at = CASE WHEN status = 'Creating' THEN updated_at END,
       last_request = 'action=add&service=' || external_panel_service_id || '&quantity=' || initial_quantity,
       last_response = CASE WHEN status = 'Creating' THEN '{\"error\":\"neworder.error.not_enough_funds\"}' ELSE '{\"order\":' || external_order_id || '}' END
     WHERE order_id > ?",
    "INSERT INTO provider_statistics (order_id, provider_id, day, cost, quantity)
     SELECT o.id, m.provider_id, o.created_at / 86400000000, o.provider_cost, o.current_quantity FROM orders o
     JOIN service_providers m ON m.service_id = o.service_id AND m.position = 0 WHERE o.id > ? AND o.current_quantity > 0",
    "INSERT INTO order_price_modifications (order_id, modifier_id, name, type, cost_before, cost_after)
     SELECT id, 2, 'Grade Regular', 'grade', cost + cost / 99, cost FROM orders WHERE id > ? AND id % 9 = 0 AND cost > 0",
    "INSERT INTO order_refill_requests (order_id, quantity, status, last_error, created_at)
     SELECT id, 1 + quantity / 10, CASE id % 3 WHEN 0 THEN 'pending' WHEN 1 THEN 'completed' ELSE 'rejected' END,
       CASE id % 3 WHEN 2 THEN 'Refill is not available for this order' END, updated_at FROM orders
     WHERE id > ? AND has_refill AND status = 'completed' AND id % 25 = 0",
    "INSERT INTO order_targetable_values (order_id, name, value)
     SELECT id, 'Comments', 'Great work! · すごい · 👏' FROM orders WHERE id > ? AND service_id % 17 = 0",
    "UPDATE orders SET refill_first_at = completed_at, refill_first_quantity = external_order_start_count + current_quantity, refill_last_at = CASE WHEN updated_at > completed_at THEN updated_at ELSE completed_at END,
       refill_last_quantity = external_order_start_count + current_quantity - current_quantity / 20, refill_source = 'panel', drop_quantity = current_quantity / 20
     WHERE id > ? AND has_refill AND status = 'completed' AND external_order_start_count IS NOT NULL AND id % 5 = 0",
    "UPDATE orders SET promotable_embed_url = 'https://video.example/embed/' || id, promotable_region_restriction = CASE WHEN id % 3 = 0 THEN 'US, CA' END,
       promotable_first_statistic_viewers = 5 + id % 20, promotable_average_viewers = 60 + id % 90, promotable_supported_at = created_at,
       promotable_supported_until = created_at + 7200000000
     WHERE id > ? AND status IN ('in_processing', 'completed') AND (drip_feed_id IS NOT NULL OR service_id IN (SELECT s.id FROM services s WHERE lower(s.name) LIKE '%live%'))",
    "INSERT INTO promotable_statistics (order_id, at, viewers)
     SELECT o.id, o.created_at + n.i * 300000000, o.promotable_first_statistic_viewers + n.i * (25 - n.i) * (1 + o.id % 4) / 4 + o.id * n.i % 11
     FROM orders o CROSS JOIN (SELECT CAST(a.i * 4 + b.i AS BIGINT) AS i FROM (SELECT 0 AS i UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5) a
       CROSS JOIN (SELECT 0 AS i UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) b) n
     WHERE o.id > ? AND o.promotable_embed_url IS NOT NULL AND o.drip_feed_id IS NULL",
];

pub(crate) async fn fill(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let after_id = plan.last_order_id_without_details();
    for statement in ORDER_STATEMENTS {
        tx.execute(Sql::new(statement).bind(after_id)).await?;
    }
    set_order_comments(tx, after_id).await?;
    insert_free_trials(tx, plan).await?;
    insert_audits(tx, plan, after_id).await?;
    insert_change_logs(tx, plan).await?;
    insert_customer_details(tx, plan).await?;
    insert_saved_views(tx, plan).await
}

/// Affiliates of customers, and prices and payment methods for individual customers. Binds of each statement: the id of the first
/// customer.
const CUSTOMER_STATEMENTS: [&str; 3] = [
    "INSERT INTO user_affiliates (referral_id, user_id, started_at, created_at, updated_at)
     SELECT id, affiliate_id, created_at, created_at, created_at FROM users WHERE id >= ? AND affiliate_id IS NOT NULL",
    "INSERT INTO user_services (user_id, service_id, default_price, min_price, has_refill, created_at, updated_at)
     SELECT u.id, s.id, s.default_price * 9 / 10, s.default_price * 8 / 10, s.has_refill, u.updated_at, u.updated_at FROM users u
     JOIN services s ON s.id <= 400 AND s.id % 50 = u.id % 50 WHERE u.id >= ? AND u.id % 5 = 2 AND u.id < 2000",
    "INSERT INTO user_payment_methods (user_id, payment_method_id)
     SELECT u.id, m.id FROM users u JOIN payment_methods m ON m.id <= 2 WHERE u.id >= ? AND u.id % 9 = 1 AND u.id < 2000",
];

async fn insert_customer_details(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    for statement in CUSTOMER_STATEMENTS {
        tx.execute(Sql::new(statement).bind(plan.first_customer_id)).await?;
    }
    Ok(())
}

async fn set_order_comments(tx: &mut Tx, after_id: i64) -> DbResult<()> {
    for (index, comment) in (0_i64..).zip(ORDER_COMMENTS) {
        let sql = Sql::new("UPDATE orders SET comment = ? WHERE id > ? AND id % 211 = ?");
        tx.execute(sql.bind(comment).bind(after_id).bind(index * 7)).await?;
    }
    Ok(())
}

async fn insert_free_trials(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let created_at = plan.now - 90 * DAY_MICROS;
    let insert_quests_sql = sql!(
        "INSERT INTO free_trial_quests (id, name, service_id, quantity, deadline, is_enabled, is_archived, is_repeatable, repeats_count, allow_proof_url,
           auto_approve_is_allowed, min_amount_for_auto_approve, created_at, updated_at) VALUES
           (1, 'Post about us, get likes', 1, 100, NULL, TRUE, FALSE, TRUE, 3, TRUE, TRUE, 50000000, @created_at, @created_at),
           (2, 'Review us on a forum', 6, 500, @deadline, TRUE, FALSE, FALSE, NULL, TRUE, FALSE, NULL, @created_at, @created_at),
           (3, 'Spring giveaway', 2, 100, @ended, FALSE, TRUE, FALSE, NULL, FALSE, FALSE, NULL, @created_at, @completed)",
        { created_at, deadline: plan.now + 30 * DAY_MICROS, ended: plan.now - 60 * DAY_MICROS, completed: plan.now - 59 * DAY_MICROS },
    );
    tx.execute(insert_quests_sql).await?;
    let (first_customer_id, interval) = (plan.first_customer_id, HOUR_MICROS / 10);
    let insert_trials_sql = sql!(
        "INSERT INTO free_trials (free_trial_quest_id, user_id, name, url, proof_url, quantity, status, approved_by, approved_at, created_at)
         SELECT q.id, u.id, q.name, 'https://photo.example/p/' || u.id, CASE WHEN q.allow_proof_url THEN 'https://photo.example/proof/' || u.id END, q.quantity,
           CASE WHEN u.id % 3 = 0 THEN 'pending' WHEN u.id % 3 = 1 THEN 'rejected' ELSE 'approved' END, CASE WHEN u.id % 3 > 0 THEN CAST(@moderator AS BIGINT) END,
           CASE WHEN u.id % 3 > 0 THEN CAST(@now AS BIGINT) - u.id * CAST(@step AS BIGINT) + 60000000 END, CAST(@now AS BIGINT) - u.id * CAST(@step AS BIGINT)
         FROM users u JOIN free_trial_quests q ON q.id = 1 + u.id % 2 WHERE u.id >= @first AND u.id < @end ORDER BY u.id DESC",
        { moderator: plan.moderator_id, now: plan.now, step: interval, first: first_customer_id, end: first_customer_id + 60 },
    );
    tx.execute(insert_trials_sql).await?;
    // Each approved free trial has a free order.
    for statement in [
        "INSERT INTO orders (id, name, url, status, source, user_id, service_id, cost, price, pricing_per, quantity, current_quantity, is_paid, free_trial_id,
           created_at, updated_at, completed_at)
         SELECT (SELECT COALESCE(max(id), 0) FROM orders) + row_number() OVER (ORDER BY t.id), s.name, t.url, 'completed', 'free_trial', t.user_id, s.id, 0, 0, s.pricing_per,
           t.quantity, t.quantity, TRUE, t.id, t.approved_at, t.approved_at, t.approved_at
         FROM free_trials t JOIN free_trial_quests q ON q.id = t.free_trial_quest_id JOIN services s ON s.id = q.service_id WHERE t.status = 'approved'",
        "UPDATE free_trials SET order_id = (SELECT o.id FROM orders o WHERE o.free_trial_id = free_trials.id) WHERE status = 'approved'",
    ] {
        tx.execute(Sql::new(statement)).await?;
    }
    Ok(())
}

/// Audit entries of the moderator, who canceled the newest canceled orders. Their times are those of the ledger transactions.
async fn insert_audits(tx: &mut Tx, plan: &DemoPlan, after_id: i64) -> DbResult<()> {
    let Some(moderator_id) = plan.moderator_id else { return Ok(()) };
    let insert_audits_sql = Sql::new(
        "INSERT INTO audits (created_at, user_id, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values)
         SELECT o.canceled_at + part.n, ?, '127.0.0.1', 'demo', 'demo-' || o.id, CASE part.n WHEN 0 THEN 'order.canceled' ELSE 'order.refunded' END, 'order', o.id,
           '{\"status\":\"in_processing\"}', '{\"status\":\"canceled\"}'
         FROM orders o JOIN (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2) part ON part.n = 0 OR part.n < o.refund_seq
         WHERE o.id > ? AND o.status = 'canceled' ORDER BY 1, 8",
    );
    tx.execute(insert_audits_sql.bind(moderator_id).bind(after_id)).await?;
    Ok(())
}

/// Change log of recent changes of services.
async fn insert_change_logs(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let Some(owner_id) = plan.owner_id else { return Ok(()) };
    let insert_logs_sql = Sql::new(
        "INSERT INTO change_logs (created_at, user_id, action_type, type, target_id, information, old_value, new_value)
         SELECT CAST(? AS BIGINT) - (s.id * 7 + part.n) * CAST(? AS BIGINT), ?, CASE part.n WHEN 0 THEN 'created' ELSE 'updated' END, 'service', s.id,
           CASE part.n WHEN 0 THEN s.name WHEN 1 THEN 'Default price' ELSE 'Max quantity' END,
           CASE part.n WHEN 1 THEN '' || (s.id % 9 + 1) || '.5' WHEN 2 THEN '5000' END, CASE part.n WHEN 1 THEN '' || (s.id % 9 + 2) WHEN 2 THEN '10000' END
         FROM services s JOIN (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2) part ON part.n = 0 OR s.id % 3 = part.n WHERE s.id <= 60 ORDER BY 1, 5",
    );
    tx.execute(insert_logs_sql.bind(plan.now).bind(HOUR_MICROS).bind(owner_id)).await?;
    Ok(())
}

async fn insert_saved_views(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let Some(owner_id) = plan.owner_id else { return Ok(()) };
    let insert_views_sql = sql!(
        "INSERT INTO saved_views (user_id, list, name, query, is_shared, created_at, updated_at) VALUES
           (@owner, 'orders', 'In moderation', 'status=in_moderation&sort=created_at', TRUE, @now, @now),
           (@owner, 'orders', 'No active providers', 'has_no_active_providers=1', TRUE, @now, @now),
           (@owner, 'transactions', 'Refunds', 'type=refund', TRUE, @now, @now)",
        { owner: owner_id, now: plan.now },
    );
    tx.execute(insert_views_sql).await?;
    Ok(())
}
