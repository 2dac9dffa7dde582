//! A due record that fails does not delay the other due records, and a database outage does not count as a failure of a record.

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
use crate::shop::PLAIN;
use crate::shop_with_panels::ShopWithPanels;

both! {
    an_order_that_fails_delays_no_other;
    a_cancel_request_that_fails_delays_no_other;
    a_subscription_that_fails_to_end_delays_no_other;
    an_outage_postpones_no_content;
}

/// Creates a trigger that refuses writes of rows of a table where `when` is true; `event` is INSERT or UPDATE.
async fn refuse_writes(panel: &Panel, (event, table): (&'static str, &'static str), when: &'static str) {
    if panel.app.db.dialect() == Dialect::Sqlite {
        let sql = Sql::new("CREATE TRIGGER refuse BEFORE ").push(event).push(" ON ").push(table);
        let sql = sql.push(" WHEN ").push(when).push(" BEGIN SELECT RAISE(ABORT, 'not this one'); END");
        panel.execute(sql).await;
        return;
    }
    let sql =
        Sql::new("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF ").push(when);
    panel.execute(sql.push(" THEN RAISE EXCEPTION 'not this one'; END IF; RETURN new; END $$")).await;
    let sql = Sql::new("CREATE TRIGGER refuse BEFORE ").push(event).push(" ON ").push(table);
    panel.execute(sql.push(" FOR EACH ROW EXECUTE FUNCTION refuse()")).await;
}

async fn an_order_that_fails_delays_no_other(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    let first = "new.order_id = (SELECT min(id) FROM orders)";
    refuse_writes(&shop.panel, ("INSERT", "external_panel_orders"), first).await;
    let (failing, other) = (shop.order(1).await, shop.order(2).await);
    assert_eq!(dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap(), 1);
    assert_eq!(
        (shop.attempt_statuses(failing).await.len(), shop.attempt_statuses(other).await.len()),
        (0, 1)
    );
    let due = "SELECT count(*) FROM orders WHERE dispatch_at IS NOT NULL AND id = ?";
    assert_eq!(shop.panel.number(Sql::new(due).bind(failing)).await, 1, "the failed order is still due");
    let drop_trigger = match dialect {
        Dialect::Sqlite => "DROP TRIGGER refuse",
        Dialect::Postgres => "DROP TRIGGER refuse ON external_panel_orders",
    };
    shop.panel.execute(Sql::new(drop_trigger)).await;
    assert_eq!(
        dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap(),
        0,
        "the failed order has a backoff"
    );
    shop.panel.clock.advance_secs(61);
    assert_eq!(dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap(), 1);
    assert_eq!(shop.attempt_statuses(failing).await.len(), 1);
    shop.assert_healthy().await;
}

async fn a_cancel_request_that_fails_delays_no_other(dialect: Dialect) {
    let (shop, key) = cancel_requests::shop(dialect, 1).await;
    let panel = &shop.panel;
    let orders = [
        cancel_requests::place_and_send(&shop, 1, 0).await,
        cancel_requests::place_and_send(&shop, 2, 0).await,
    ];
    for order in orders {
        cancel_requests::request_cancel(&shop, &key, order).await;
    }
    // The deadline of both requests has passed, so staff must decide about both.
    panel.execute(Sql::new("UPDATE order_cancel_requests SET deadline_at = due_at")).await;
    let first = "new.escalated_at IS NOT NULL AND new.id = (SELECT min(id) FROM order_cancel_requests)";
    refuse_writes(panel, ("UPDATE", "order_cancel_requests"), first).await;
    assert_eq!(dispatch::run_cancel_requests(&panel.app).await.unwrap(), 1);
    let escalated = "SELECT order_id FROM order_cancel_requests WHERE escalated_at IS NOT NULL";
    assert_eq!(panel.number(Sql::new(escalated)).await, orders[1].get());
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
        services: vec![ServiceQuantity::fixed(PLAIN, 1_000)],
        expired_at,
        period_days: None,
    };
    let mut work = panel.begin_work().await;
    let id = start(&mut work, &new_subscription).await.unwrap();
    work.finish(id).await.unwrap()
}

async fn a_subscription_that_fails_to_end_delays_no_other(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    subscribe(&panel, Some(Time(NOW + 60_000_000))).await;
    let other = subscribe(&panel, Some(Time(NOW + 61_000_000))).await;
    let first = "new.status = 'completed' AND new.id = (SELECT min(id) FROM subscriptions)";
    refuse_writes(&panel, ("UPDATE", "subscriptions"), first).await;
    panel.clock.advance_secs(120);
    content::end_expired(&panel.app).await.unwrap();
    let ended = "SELECT id FROM subscriptions WHERE status = 'completed'";
    assert_eq!(panel.number(Sql::new(ended)).await, other.get());
}

/// PostgreSQL only: SQLite runs inside the process and has no outages.
async fn an_outage_postpones_no_content(dialect: Dialect) {
    if dialect == Dialect::Sqlite {
        return;
    }
    let panel = Panel::shop(dialect, 5, 0).await;
    let id = subscribe(&panel, None).await;
    let sql = "INSERT INTO subscription_contents (subscription_id, url, status, due_at, created_at)
      VALUES (?, 'https://video.example/watch/1', 'found', ?, 1)";
    panel.execute(Sql::new(sql).bind(id).bind(NOW)).await;
    // 53200 is out_of_memory, which the server treats as an outage of the database.
    let create_function = "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'away' USING ERRCODE = '53200'; END $$";
    panel.execute(Sql::new(create_function)).await;
    let create_trigger =
        "CREATE TRIGGER refuse BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION refuse()";
    panel.execute(Sql::new(create_trigger)).await;
    assert!(content::place_due(&panel.app).await.unwrap_err().is_unavailable());
    let untouched = "SELECT count(*) FROM subscription_contents WHERE tries = 0 AND last_error IS NULL";
    assert_eq!(panel.number(Sql::new(untouched)).await, 1);
    panel.execute(Sql::new("DROP TRIGGER refuse ON orders")).await;
    panel.clock.advance_secs(120);
    assert_eq!(content::place_due(&panel.app).await.unwrap(), 1);
    let placed = "SELECT count(*) FROM subscription_contents WHERE status = 'placed'";
    assert_eq!(panel.number(Sql::new(placed)).await, 1, "the content is placed when its lease has expired");
}
