//! Tests that errors of external panels and of this panel change no order and no balance, and that the dispatcher never assumes the
//! outcome of an attempt that it does not know.

use std::pin::pin;

use futures_util::poll;
use panel_contract::ids::OrderId;
use panel_demo::panel::FakeBehavior;
use panel_demo::panel::state::{FakePanelState, OrderBehavior};
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use panel_server::supply::dispatch;
use serde_json::json;

use crate::shop::CUSTOMER_DEPOSIT;
use crate::shop_with_panels::{self, FAKE_SERVICE_ID, ShopWithPanels};

test_both_databases! {
    errors_of_external_panels_change_no_order;
    an_unreachable_panel_changes_no_order;
    a_failed_write_loses_only_its_own_order_id;
    a_short_database_outage_loses_no_order_id;
    an_unknown_attempt_does_not_block_its_order;
    a_manual_delivery_ends_with_its_order;
    an_ambiguous_order_id_is_not_adopted;
    an_order_of_another_connection_is_not_adopted;
    one_external_id_belongs_to_one_open_attempt;
    attempts_over_the_rate_limit_are_not_claimed;
    a_low_rate_limit_still_reconciles_accepted_orders;
    orders_are_delivered_with_a_small_share_of_the_rate_limit;
    a_disabled_provider_gets_no_orders;
    an_order_that_is_being_paused_is_not_sent;
}

/// The cost of an order of [`ShopWithPanels::place_order`], in millionths.
const ORDER_COST: i64 = 6_000_000;
const COUNT_ALERTS_SQL: &str = "SELECT count(*) FROM external_panel_orders WHERE alert_at IS NOT NULL";
const STUCK_ATTEMPTS: &str = "/api/v1/admin/external-panel-orders?stuck=1";

impl ShopWithPanels {
    /// Advances the clock by three hours and dispatches orders; repeats this `repeat_count` times.
    async fn run_three_hours_repeatedly(&self, repeat_count: usize) {
        for _ in 0..repeat_count {
            self.panel.clock.advance_secs(10_801);
            self.run_until_idle().await;
        }
    }

    async fn change_provider_of(&self, order: OrderId, provider: i64) {
        let change_body = json!({ "order_ids": [order], "provider_id": provider });
        let response = self.panel.post("/api/v1/admin/orders/change-provider", &change_body).await;
        assert_eq!(response.status, 200, "{}", response.text);
    }

    /// Asserts that the order still waits for its delivery and was not refunded.
    async fn assert_waits(&self, order: OrderId, reason: &str) {
        let order = self.panel.fetch_order(order).await;
        assert_eq!(
            (&order["status"], &order["refunded"]),
            (&json!("in_processing"), &json!("0")),
            "{reason}"
        );
        assert_eq!(self.panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - ORDER_COST, "{reason}");
        self.assert_healthy().await;
    }
}

/// A reason for the fake panel to reject orders.
struct RejectionCase {
    reason: &'static str,
    cause_rejection: fn(&mut FakePanelState),
    /// Whether the dispatcher retries without limit.
    is_retried: bool,
}

const REJECTIONS: [RejectionCase; 5] = [
    RejectionCase {
        reason: "a low balance",
        cause_rejection: |panel_state| panel_state.balance.0 = 0,
        is_retried: true,
    },
    RejectionCase {
        reason: "a wrong key",
        cause_rejection: |panel_state| panel_state.api_key = "another".into(),
        is_retried: true,
    },
    RejectionCase { reason: "an open order for this URL", cause_rejection: |_| {}, is_retried: true },
    RejectionCase {
        reason: "an unknown service",
        cause_rejection: |panel_state| panel_state.services.clear(),
        is_retried: false,
    },
    RejectionCase {
        reason: "a quantity below the minimum",
        cause_rejection: |panel_state| {
            panel_state.services.get_mut(&FAKE_SERVICE_ID).unwrap().min_quantity = 5_000
        },
        is_retried: false,
    },
];

async fn errors_of_external_panels_change_no_order(dialect: Dialect) {
    for RejectionCase { reason, cause_rejection, is_retried } in REJECTIONS {
        let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Stuck]).await;
        shop.panel.execute(Sql::new("UPDATE services SET auto_cancel = TRUE")).await;
        let now = shop.panel.app.clock.now();
        if reason.starts_with("an open") {
            shop.fake_panels[0].state().place_order(FAKE_SERVICE_ID, "https://video.example/1", 100, now);
        }
        cause_rejection(&mut shop.fake_panels[0].state());
        let id = shop.place_order(1).await;
        shop.run_until_idle().await;
        shop.run_three_hours_repeatedly(9).await;
        shop.assert_waits(id, reason).await;
        let has_no_provider = shop.panel.fetch_order(id).await["has_no_active_providers"].clone();
        let (expected_status, expected_alert_count, is_without_provider) =
            if is_retried { ("Creating", 1, false) } else { ("Canceled", 0, true) };
        let actual_outcome = (
            shop.fetch_attempt_statuses(id).await,
            shop.panel.fetch_number(Sql::new(COUNT_ALERTS_SQL)).await,
            has_no_provider,
        );
        assert_eq!(
            actual_outcome,
            (vec![expected_status.to_owned()], expected_alert_count, json!(is_without_provider)),
            "{reason}"
        );
        if reason == "a low balance" {
            shop.fake_panels[0].state().balance.0 = 1_000_000;
            shop.run_three_hours_repeatedly(1).await;
            assert_eq!(shop.fetch_attempt_statuses(id).await, ["Pending"], "the next attempt must succeed");
            assert_eq!(shop.panel.fetch_number(Sql::new(COUNT_ALERTS_SQL)).await, 0);
        }
    }
}

async fn an_unreachable_panel_changes_no_order(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[]).await;
    shop.panel.execute(Sql::new("UPDATE services SET auto_cancel = TRUE")).await;
    shop_with_panels::insert_external_panel(&shop.panel, 1, "http://127.0.0.1:9").await;
    let id = shop.place_order(1).await;
    shop.run_until_idle().await;
    shop.run_three_hours_repeatedly(9).await;
    shop.assert_waits(id, "connection refused").await;
    assert_eq!(
        (shop.fetch_attempt_statuses(id).await, shop.panel.fetch_number(Sql::new(COUNT_ALERTS_SQL)).await),
        (vec!["Creating".to_owned()], 1)
    );
}

/// Makes the database reject one external order id.
async fn reject_one_external_id(shop: &ShopWithPanels, dialect: Dialect) {
    if dialect == Dialect::Sqlite {
        shop.panel
            .execute(Sql::new(
                "CREATE TRIGGER reject_id BEFORE UPDATE OF external_order_id ON external_panel_orders WHEN new.external_order_id = '23501'
                 BEGIN SELECT RAISE(ABORT, 'rejected by the test'); END",
            ))
            .await;
        return;
    }
    let create_function_sql = "CREATE FUNCTION reject_id() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF new.external_order_id = '23501' THEN RAISE EXCEPTION 'rejected by the test'; END IF; RETURN new; END $$";
    shop.panel.execute(Sql::new(create_function_sql)).await;
    let create_trigger_sql = "CREATE TRIGGER reject_id BEFORE UPDATE ON external_panel_orders FOR EACH ROW EXECUTE FUNCTION reject_id()";
    shop.panel.execute(Sql::new(create_trigger_sql)).await;
}

async fn a_failed_write_loses_only_its_own_order_id(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Stuck]).await;
    reject_one_external_id(&shop, dialect).await;
    for n in 0..10 {
        shop.place_order(n).await;
    }
    let read_unrecorded_count = || {
        let text = shop.panel.app.metrics_handle.render();
        let line = text.lines().find_map(|line| line.strip_prefix("panel_external_orders_unrecorded_total "));
        line.unwrap().parse::<u64>().unwrap()
    };
    // Other tests of this process increase the same counters.
    let count_before = read_unrecorded_count();
    assert!(dispatch::process_all_queues(&shop.panel.app).await.is_err(), "the cycle must return the error");
    assert!(read_unrecorded_count() > count_before, "the metric must count the failed write");
    let count_recorded_sql = "SELECT count(*) FROM external_panel_orders WHERE status = 'Pending' AND external_order_id IS NOT NULL";
    assert_eq!(
        (shop.order_counts(), shop.panel.fetch_number(Sql::new(count_recorded_sql)).await),
        (vec![10], 9)
    );
}

async fn a_short_database_outage_loses_no_order_id(dialect: Dialect) {
    // SQLite runs inside the process, so the test cannot terminate its connections.
    if dialect == Dialect::Sqlite {
        return;
    }
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Stuck]).await;
    let other_process = shop.panel.start_second_process().await;
    let id = shop.place_order(1).await;
    let app = &shop.panel.app;
    {
        let mut dispatch_cycle = pin!(dispatch::process_all_queues(app));
        while shop.order_counts() == [0] {
            assert!(poll!(dispatch_cycle.as_mut()).is_pending());
            tokio::task::yield_now().await;
        }
        // The external panel accepted the order, and the dispatcher has not recorded this yet. Terminate all database connections
        // of the process now.
        let terminate_connections_sql =
            "SELECT count(*) FROM (SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()) ended";
        (&mut &other_process.db).fetch_one::<(i64,)>(Sql::new(terminate_connections_sql)).await.unwrap();
        // Other statements of the cycle fail too, so its result does not matter.
        drop(dispatch_cycle.await);
    }
    let count_pending_sql =
        Sql::new("SELECT count(*) FROM external_panel_orders WHERE order_id = ? AND status = 'Pending'");
    let mut recorded_count = None;
    // Each terminated connection returns one error.
    for _ in 0..20 {
        match (&mut &other_process.db).fetch_one::<(i64,)>(count_pending_sql.clone().bind(id)).await {
            Err(error) if error.is_unavailable() => {}
            response => recorded_count = Some(response.unwrap().0),
        }
    }
    assert_eq!((recorded_count, shop.order_counts()), (Some(1), vec![1]));
}

async fn an_unknown_attempt_does_not_block_its_order(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
    shop.set_behavior(0, FakeBehavior::BadGateway);
    let id = shop.place_order(1).await;
    shop.run_until_idle().await;
    shop.change_provider_of(id, 12).await;
    shop.run_for_secs(60).await;
    assert_eq!(
        (shop.fetch_attempt_statuses(id).await, shop.order_counts()),
        (vec!["Creating".to_owned(); 2], vec![0, 0])
    );
    shop.panel.clock.advance_secs(1_801);
    shop.run_until_idle().await;
    shop.run_for_secs(300).await;
    assert_eq!(
        shop.panel.fetch_order(id).await["status"],
        "completed",
        "{:?}",
        shop.fetch_attempt_statuses(id).await
    );
    shop.run_three_hours_repeatedly(10).await;
    assert_eq!(
        (shop.fetch_attempt_statuses(id).await, shop.order_counts()),
        (vec!["Canceled".to_owned(), "Completed".into()], vec![0, 1])
    );
    assert_eq!(shop.panel.get(STUCK_ATTEMPTS).await.json()["recordsFiltered"], 0);
    shop.assert_healthy().await;
}

async fn a_manual_delivery_ends_with_its_order(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    let mut ids = Vec::new();
    for n in 1..=4 {
        let id = shop.place_order(n).await;
        shop.change_provider_of(id, 1).await;
        ids.push(id);
    }
    shop.run_until_idle().await;
    shop.change_provider_of(ids[0], 11).await;
    shop.run_until_idle().await;
    assert_eq!(
        (shop.fetch_attempt_statuses(ids[0]).await, shop.order_counts()),
        (vec!["Canceled".to_owned(), "Pending".into()], vec![1]),
        "the manual attempt must end, and the new one must be sent"
    );
    for (id, action) in [(ids[1], "complete"), (ids[2], "cancel")] {
        let response = shop.panel.post(&format!("/api/v1/admin/orders/{id}/{action}"), &json!({})).await;
        assert_eq!(response.status, 200, "{}", response.text);
    }
    assert_eq!(shop.fetch_attempt_statuses(ids[1]).await, ["Completed"]);
    assert_eq!(shop.fetch_attempt_statuses(ids[2]).await, ["Canceled"]);
    // At its next poll, the dispatcher notices that the whole quantity is delivered.
    let set_delivered_sql =
        Sql::new("UPDATE orders SET current_quantity = quantity, dispatch_at = 1 WHERE id = ?");
    shop.panel.execute(set_delivered_sql.bind(ids[3])).await;
    shop.run_for_secs(300).await;
    assert_eq!(shop.fetch_attempt_statuses(ids[3]).await, ["Completed"]);
    for id in [ids[0], ids[3]] {
        assert_eq!(shop.panel.fetch_order(id).await["status"], "completed");
    }
    shop.panel.clock.advance_secs(86_400 * 4);
    assert_eq!(shop.panel.get(STUCK_ATTEMPTS).await.json()["recordsFiltered"], 0);
    shop.assert_healthy().await;
}

async fn an_ambiguous_order_id_is_not_adopted(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Stuck]).await;
    shop.place_order(1).await;
    shop.run_until_idle().await;
    shop.panel.clock.advance_secs(1);
    let (unknown_order_id, other_order_id) = (shop.place_order(2).await, shop.place_order(3).await);
    dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap();
    // Another process is about to send an identical order.
    let now = shop.panel.app.clock.now();
    let claim_sql = "UPDATE external_panel_orders SET sent_at = ?, due_at = ?, tries = 1 WHERE order_id = ?";
    shop.panel.execute(Sql::new(claim_sql).bind(now).bind(now.0 + 120_000_000).bind(other_order_id)).await;
    shop.set_behavior(0, FakeBehavior::ExecutesThen500);
    shop.run_until_idle().await;
    shop.set_behavior(0, FakeBehavior::Correct);
    shop.run_for_secs(90).await;
    assert_eq!(
        (shop.fetch_attempt_statuses(unknown_order_id).await, shop.order_counts()),
        (vec!["Creating".to_owned()], vec![2])
    );
    // The external panel rejected the other order, so only one attempt can have created the external order.
    let reject_sql = "UPDATE external_panel_orders SET status = 'Canceled', ended_at = 1, due_at = NULL WHERE order_id = ?";
    shop.panel.execute(Sql::new(reject_sql).bind(other_order_id)).await;
    shop.run_for_secs(600).await;
    assert_eq!(shop.fetch_attempt_statuses(unknown_order_id).await, ["Pending"]);
}

/// Staff can connect one account twice. Both connections then share one sequence of order ids.
async fn an_order_of_another_connection_is_not_adopted(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Stuck]).await;
    shop_with_panels::insert_external_panel(&shop.panel, 2, &shop.fake_panels[0].url).await;
    shop.place_order(1).await;
    shop.run_until_idle().await;
    shop.panel.clock.advance_secs(1);
    shop.set_behavior(0, FakeBehavior::BadGateway);
    let unknown_order_id = shop.place_order(2).await;
    shop.run_until_idle().await;
    shop.set_behavior(0, FakeBehavior::Correct);
    shop.panel.clock.advance_secs(1);
    let other_order_id = shop.place_order(3).await;
    shop.change_provider_of(other_order_id, 12).await;
    shop.run_until_idle().await;
    shop.run_for_secs(3_600).await;
    assert_eq!(shop.fetch_attempts(other_order_id).await[0]["external_panel_order_id"], "23502");
    assert_eq!(
        (shop.fetch_attempt_statuses(unknown_order_id).await, shop.order_counts()),
        (vec!["Creating".to_owned()], vec![2])
    );
    shop.assert_healthy().await;
}

async fn one_external_id_belongs_to_one_open_attempt(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Stuck]).await;
    let first_order_id = shop.place_order(1).await;
    shop.run_until_idle().await;
    let set_next_external_id_sql =
        "UPDATE external_panel_orders SET external_order_id = '23502' WHERE order_id = ?";
    shop.panel.execute(Sql::new(set_next_external_id_sql).bind(first_order_id)).await;
    let second_order_id = shop.place_order(2).await;
    shop.run_until_idle().await;
    shop.run_for_secs(600).await;
    let attempt = shop.fetch_attempts(second_order_id).await[0].clone();
    assert_eq!((&attempt["status"], &attempt["is_unknown"]), (&json!("Creating"), &json!(true)), "{attempt}");
    assert!(
        attempt["last_error"].as_str().unwrap().contains("order id 23502, which another attempt already has")
    );
    assert_eq!(shop.order_counts(), [2], "the order must not be sent again");
    shop.assert_healthy().await;
}

async fn attempts_over_the_rate_limit_are_not_claimed(dialect: Dialect) {
    let shop = ShopWithPanels::with_rate_limit(dialect, &[OrderBehavior::Stuck], 1).await;
    for n in 0..5 {
        shop.place_order(n).await;
    }
    shop.run_until_idle().await;
    let count_due_attempts_sql = || {
        Sql::new(
            "SELECT count(*) FROM external_panel_orders WHERE sent_at IS NULL AND tries = 0 AND due_at <= ?",
        )
    };
    let now = || shop.panel.app.clock.now();
    assert_eq!(
        (shop.order_counts(), shop.panel.fetch_number(count_due_attempts_sql().bind(now())).await),
        (vec![2], 3),
        "three attempts must stay unclaimed"
    );
    shop.panel.clock.advance_secs(1);
    shop.run_until_idle().await;
    assert_eq!(
        (shop.order_counts(), shop.panel.fetch_number(count_due_attempts_sql().bind(now())).await),
        (vec![3], 2)
    );
    // Status polls get their share of the rate limit and are not postponed either.
    shop.panel.clock.advance_secs(60);
    shop.run_until_idle().await;
    let status_request_count =
        shop.fake_panels[0].requests().iter().filter(|request| request["action"] == "status").count();
    assert_eq!((shop.order_counts(), status_request_count), (vec![4], 1));
}

async fn a_low_rate_limit_still_reconciles_accepted_orders(dialect: Dialect) {
    let shop = ShopWithPanels::with_rate_limit(dialect, &[OrderBehavior::Stuck], 1).await;
    shop.place_order(1).await;
    shop.run_until_idle().await;
    shop.run_for_secs(60).await;
    shop.set_behavior(0, FakeBehavior::ExecutesThen500);
    let unknown_order_id = shop.place_order(2).await;
    shop.run_until_idle().await;
    assert_eq!(
        (shop.fetch_attempt_statuses(unknown_order_id).await, shop.order_counts()),
        (vec!["Creating".to_owned()], vec![2])
    );
    shop.set_behavior(0, FakeBehavior::Correct);
    // No later order limits the range of ids to search, so the search uses the whole burst of the rate limit.
    shop.panel.clock.advance_secs(60);
    let next_order_id = shop.place_order(3).await;
    shop.run_until_idle().await;
    assert_eq!(
        (shop.fetch_attempt_statuses(unknown_order_id).await, shop.order_counts()),
        (vec!["Pending".to_owned()], vec![2])
    );
    for _ in 0..4 {
        shop.panel.clock.advance_secs(1);
        shop.run_until_idle().await;
    }
    assert_eq!(
        (shop.fetch_attempt_statuses(next_order_id).await, shop.order_counts()),
        (vec!["Pending".to_owned()], vec![3]),
        "the search must not delay the new order"
    );
}

/// Eight processes share the rate limit, and six of them send no orders.
async fn orders_are_delivered_with_a_small_share_of_the_rate_limit(dialect: Dialect) {
    let shop = ShopWithPanels::with_rate_limit(dialect, &[OrderBehavior::Delivered], 2).await;
    let other_process = shop.panel.start_second_process().await;
    for app in [&shop.panel.app, &other_process] {
        app.processes.set_count(8);
    }
    let mut orders = Vec::new();
    for n in 0..12 {
        orders.push(shop.place_order(n).await);
    }
    for _ in 0..40 {
        shop.panel.clock.advance_secs(30);
        for app in [&shop.panel.app, &other_process] {
            while dispatch::process_all_queues(app).await.unwrap() > 0 {}
        }
    }
    for order in orders {
        assert_eq!(
            shop.panel.fetch_order(order).await["status"],
            "completed",
            "{:?}",
            shop.fetch_attempt_statuses(order).await
        );
    }
    assert_eq!(shop.order_counts(), [12]);
    shop.assert_healthy().await;
}

async fn a_disabled_provider_gets_no_orders(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
    shop.panel.execute(Sql::new("UPDATE external_panels SET auto_recreate_orders_is_allowed = FALSE")).await;
    shop.fake_panels[0].state().balance.0 = 0;
    let id = shop.place_order(1).await;
    shop.run_until_idle().await;
    assert_eq!(shop.fetch_attempt_statuses(id).await, ["Creating"]);
    let archive_response = shop.panel.post("/api/v1/admin/providers/11/archive", &json!({})).await;
    assert_eq!(archive_response.status, 200, "{}", archive_response.text);
    shop.fake_panels[0].state().balance.0 = 1_000_000;
    shop.run_until_idle().await;
    assert_eq!(
        (shop.fetch_attempt_statuses(id).await, shop.order_counts()),
        (vec!["Canceled".to_owned(), "Pending".into()], vec![0, 1]),
        "the order must fail over at once"
    );
    // A process with an outdated cache of the provider must not send the order either.
    let second_order_id = shop.place_order(2).await;
    dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap();
    shop.panel.execute(Sql::new("UPDATE providers SET status = 'disabled' WHERE id = 12")).await;
    dispatch::process_all_queues(&shop.panel.app).await.unwrap();
    assert_eq!(
        (shop.fetch_attempt_statuses(second_order_id).await, shop.order_counts()),
        (vec!["Creating".to_owned()], vec![0, 1])
    );
    shop.panel.execute(Sql::new("UPDATE providers SET status = 'active' WHERE id = 12")).await;
    let archive_response = shop.panel.post("/api/v1/admin/providers/12/archive", &json!({})).await;
    assert_eq!(archive_response.status, 200, "{}", archive_response.text);
    shop.run_until_idle().await;
    let order = shop.panel.fetch_order(second_order_id).await;
    assert_eq!(
        (&order["status"], &order["has_no_active_providers"]),
        (&json!("in_processing"), &json!(true))
    );
    let restore_response = shop.panel.post("/api/v1/admin/providers/12/unarchive", &json!({})).await;
    assert_eq!(restore_response.status, 200, "{}", restore_response.text);
    shop.run_for_secs(600).await;
    assert_eq!(shop.fetch_attempt_statuses(second_order_id).await, ["Canceled", "Completed"]);
    shop.assert_healthy().await;
}

async fn an_order_that_is_being_paused_is_not_sent(dialect: Dialect) {
    // SQLite has a single writer, so the transactions cannot overlap.
    if dialect == Dialect::Sqlite {
        return;
    }
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.place_order(1).await;
    dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap();
    let mut pause_transaction = shop.panel.app.db.begin().await.unwrap();
    pause_transaction
        .execute(Sql::new("UPDATE orders SET status = 'stopped' WHERE id = ?").bind(id))
        .await
        .unwrap();
    dispatch::process_all_queues(&shop.panel.app).await.unwrap();
    pause_transaction.commit().await.unwrap();
    shop.run_for_secs(120).await;
    assert_eq!(
        (shop.fetch_attempt_statuses(id).await, shop.order_counts()),
        (vec!["Creating".to_owned()], vec![0])
    );
}
