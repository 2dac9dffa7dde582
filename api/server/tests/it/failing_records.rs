//! Tests that a failing record does not delay other due records, and that an outage of the database does not count as a failure of
//! a record.

use panel_contract::ids::{SubscriptionId, UserId};
use panel_contract::moment::Time;
use panel_contract::subscriptions::BillingType;
use panel_demo::panel::state::OrderBehavior;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::subscriptions::content;
use panel_server::operations::subscriptions::start::{NewSubscription, ServiceQuantity, start};
use panel_server::supply::dispatch;

use crate::cancel_requests;
use crate::panel::{NOW, Panel};
use crate::shop::PLAIN_SERVICE;
use crate::shop_with_panels::ShopWithPanels;

test_both_databases! {
    a_failing_order_delays_no_other_order;
    a_failing_cancel_request_delays_no_other_request;
    a_subscription_that_fails_to_end_delays_no_other_subscription;
    an_outage_postpones_no_content;
}

/// Creates a trigger that rejects an INSERT or UPDATE (`event`) of rows that satisfy the SQL `condition`.
async fn reject_writes(panel: &Panel, (event, table): (&'static str, &'static str), condition: &'static str) {
    if panel.app.db.dialect() == Dialect::Sqlite {
        let sql = Sql::new("CREATE TRIGGER reject_write BEFORE ").push(event).push(" ON ").push(table);
        let sql = sql
            .push(" WHEN ")
            .push(condition)
            .push(" BEGIN SELECT RAISE(ABORT, 'rejected by the test'); END");
        panel.execute(sql).await;
        return;
    }
    let sql = Sql::new("CREATE FUNCTION reject_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF ")
        .push(condition);
    panel.execute(sql.push(" THEN RAISE EXCEPTION 'rejected by the test'; END IF; RETURN new; END $$")).await;
    let sql = Sql::new("CREATE TRIGGER reject_write BEFORE ").push(event).push(" ON ").push(table);
    panel.execute(sql.push(" FOR EACH ROW EXECUTE FUNCTION reject_write()")).await;
}

async fn a_failing_order_delays_no_other_order(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    let is_first_order = "new.order_id = (SELECT min(id) FROM orders)";
    reject_writes(&shop.panel, ("INSERT", "external_panel_orders"), is_first_order).await;
    let (failing_order_id, other_id) = (shop.place_order(1).await, shop.place_order(2).await);
    assert_eq!(dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap(), 1);
    assert_eq!(
        (
            shop.fetch_attempt_statuses(failing_order_id).await.len(),
            shop.fetch_attempt_statuses(other_id).await.len()
        ),
        (0, 1)
    );
    let is_due_sql = "SELECT count(*) FROM orders WHERE dispatch_at IS NOT NULL AND id = ?";
    assert_eq!(
        shop.panel.fetch_number(Sql::new(is_due_sql).bind(failing_order_id)).await,
        1,
        "the failed order must still be due"
    );
    let drop_trigger_sql = match dialect {
        Dialect::Sqlite => "DROP TRIGGER reject_write",
        Dialect::Postgres => "DROP TRIGGER reject_write ON external_panel_orders",
    };
    shop.panel.execute(Sql::new(drop_trigger_sql)).await;
    assert_eq!(
        dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap(),
        0,
        "the failed order must wait for its backoff"
    );
    shop.panel.clock.advance_secs(61);
    assert_eq!(dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap(), 1);
    assert_eq!(shop.fetch_attempt_statuses(failing_order_id).await.len(), 1);
    shop.assert_healthy().await;
}

async fn a_failing_cancel_request_delays_no_other_request(dialect: Dialect) {
    let (shop, key) = cancel_requests::start_shop(dialect, 1).await;
    let panel = &shop.panel;
    let orders = [
        cancel_requests::place_and_send(&shop, 1, 0).await,
        cancel_requests::place_and_send(&shop, 2, 0).await,
    ];
    for order in orders {
        cancel_requests::request_cancel(&shop, &key, order).await;
    }
    // The deadline of both requests has passed, so the server escalates both to staff.
    panel.execute(Sql::new("UPDATE order_cancel_requests SET deadline_at = due_at")).await;
    let is_first_request =
        "new.escalated_at IS NOT NULL AND new.id = (SELECT min(id) FROM order_cancel_requests)";
    reject_writes(panel, ("UPDATE", "order_cancel_requests"), is_first_request).await;
    assert_eq!(dispatch::process_cancel_requests(&panel.app).await.unwrap(), 1);
    let escalated_orders_sql = "SELECT order_id FROM order_cancel_requests WHERE escalated_at IS NOT NULL";
    assert_eq!(panel.fetch_number(Sql::new(escalated_orders_sql)).await, orders[1].get());
}

async fn subscribe(panel: &Panel, expired_at: Option<Time>) -> SubscriptionId {
    let new_subscription = NewSubscription {
        user_id: UserId::new(1),
        name: "New videos".into(),
        url: "https://video.example/@channel".into(),
        kind: "youtube".into(),
        billing_type: BillingType::Prepaid,
        contents_limit: 3,
        old_contents: 0,
        delay_minutes: 0,
        services: vec![ServiceQuantity::fixed(PLAIN_SERVICE, 1_000)],
        expired_at,
        period_days: None,
    };
    let mut work = panel.begin_work().await;
    let id = start(&mut work, &new_subscription).await.unwrap();
    work.finish(id).await.unwrap()
}

async fn a_subscription_that_fails_to_end_delays_no_other_subscription(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    subscribe(&panel, Some(Time(NOW + 60_000_000))).await;
    let other_id = subscribe(&panel, Some(Time(NOW + 61_000_000))).await;
    let is_first_subscription = "new.status = 'completed' AND new.id = (SELECT min(id) FROM subscriptions)";
    reject_writes(&panel, ("UPDATE", "subscriptions"), is_first_subscription).await;
    panel.clock.advance_secs(120);
    content::end_expired(&panel.app).await.unwrap();
    let ended_subscriptions_sql = "SELECT id FROM subscriptions WHERE status = 'completed'";
    assert_eq!(panel.fetch_number(Sql::new(ended_subscriptions_sql)).await, other_id.get());
}

/// PostgreSQL only: SQLite runs inside the process and has no outages.
async fn an_outage_postpones_no_content(dialect: Dialect) {
    if dialect == Dialect::Sqlite {
        return;
    }
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let id = subscribe(&panel, None).await;
    let insert_content_sql =
        "INSERT INTO subscription_contents (subscription_id, url, status, due_at, created_at)
      VALUES (?, 'https://video.example/watch/1', 'found', ?, 1)";
    panel.execute(Sql::new(insert_content_sql).bind(id).bind(NOW)).await;
    // 53200 is out_of_memory, which the server treats as an outage of the database.
    let create_function_sql = "CREATE FUNCTION reject_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'out of memory' USING ERRCODE = '53200'; END $$";
    panel.execute(Sql::new(create_function_sql)).await;
    let create_trigger_sql =
        "CREATE TRIGGER reject_write BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION reject_write()";
    panel.execute(Sql::new(create_trigger_sql)).await;
    assert!(content::place_due_contents(&panel.app).await.unwrap_err().is_unavailable());
    let count_unchanged_sql =
        "SELECT count(*) FROM subscription_contents WHERE tries = 0 AND last_error IS NULL";
    assert_eq!(panel.fetch_number(Sql::new(count_unchanged_sql)).await, 1);
    panel.execute(Sql::new("DROP TRIGGER reject_write ON orders")).await;
    panel.clock.advance_secs(120);
    assert_eq!(content::place_due_contents(&panel.app).await.unwrap(), 1);
    let count_placed_sql = "SELECT count(*) FROM subscription_contents WHERE status = 'placed'";
    assert_eq!(
        panel.fetch_number(Sql::new(count_placed_sql)).await,
        1,
        "the content must be placed after its lease has expired"
    );
}
