//! Errors of external panels and of this panel change no order and no balance, and the dispatcher never guesses an unknown outcome.

use std::pin::pin;

use futures_util::poll;
use panel_contract::ids::OrderId;
use panel_demo::panel::FakeBehavior;
use panel_demo::panel::state::{FakePanelState, OrderBehavior};
use panel_platform::db::{Dialect, Source, Sql};
use panel_server::supply::dispatch;
use serde_json::json;

use crate::shop::DEPOSIT;
use crate::shop_with_panels::{self, ShopWithPanels};

both! {
    panel_errors_change_no_order;
    an_unreachable_panel_changes_no_order;
    a_failed_write_loses_one_id_and_no_other;
    a_short_database_outage_loses_no_id;
    an_unknown_attempt_does_not_block_its_order;
    a_manual_delivery_ends_with_its_order;
    an_ambiguous_id_is_not_adopted;
    an_order_of_another_connection_is_not_adopted;
    one_external_id_belongs_to_one_open_attempt;
    attempts_over_the_rate_limit_are_not_claimed;
    a_low_rate_limit_still_reconciles_accepted_orders;
    a_quota_share_is_enough_to_deliver;
    a_disabled_provider_gets_no_orders;
    a_pause_precedes_or_follows_a_claim;
}

const ALERTS: &str = "SELECT count(*) FROM external_panel_orders WHERE alert_at IS NOT NULL";
const STUCK: &str = "/api/v1/admin/external-panel-orders?stuck=1";

impl ShopWithPanels {
    /// Advances the clock by three hours and dispatches, `times` times.
    async fn run_three_hours_times(&self, times: usize) {
        for _ in 0..times {
            self.panel.clock.advance_secs(10_801);
            self.run_until_idle().await;
        }
    }

    async fn move_to(&self, order: OrderId, provider: i64) {
        let change_provider = json!({ "order_ids": [order], "provider_id": provider });
        let answer = self.panel.post("/api/v1/admin/orders/change-provider", &change_provider).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }

    /// Asserts that the order still waits and nothing was refunded.
    async fn assert_waits(&self, order: OrderId, reason: &str) {
        let order = self.panel.order(order).await;
        assert_eq!(
            (&order["status"], &order["refunded"]),
            (&json!("in_processing"), &json!("0")),
            "{reason}"
        );
        assert_eq!(self.panel.main_balance(1).await, DEPOSIT - 6_000_000, "{reason}");
        self.assert_healthy().await;
    }
}

/// A description, the change of the fake panel that causes the rejection, and whether the dispatcher retries without limit.
type RejectionCase = (&'static str, fn(&mut FakePanelState), bool);

const REJECTIONS: [RejectionCase; 5] = [
    ("a low balance", |panel_state| panel_state.balance.0 = 0, true),
    ("a wrong key", |panel_state| panel_state.key = "another".into(), true),
    ("an open order for this URL", |_| {}, true),
    ("an unknown service", |panel_state| panel_state.services.clear(), false),
    (
        "a quantity below the minimum",
        |panel_state| panel_state.services.get_mut(&7).unwrap().min = 5_000,
        false,
    ),
];

async fn panel_errors_change_no_order(dialect: Dialect) {
    for (reason, cause_rejection, is_retried) in REJECTIONS {
        let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Stuck]).await;
        shop.panel.execute(Sql::new("UPDATE services SET auto_cancel = TRUE")).await;
        let now = shop.panel.app.clock.now();
        if reason.starts_with("an open") {
            shop.fake_panels[0].state().place_order(7, "https://video.example/1", 100, now);
        }
        cause_rejection(&mut shop.fake_panels[0].state());
        let id = shop.order(1).await;
        shop.run_until_idle().await;
        shop.run_three_hours_times(9).await;
        shop.assert_waits(id, reason).await;
        let has_no_provider = shop.panel.order(id).await["has_no_active_providers"].clone();
        let expected = if is_retried { ("Creating", 1, false) } else { ("Canceled", 0, true) };
        let actual =
            (shop.attempt_statuses(id).await, shop.panel.number(Sql::new(ALERTS)).await, has_no_provider);
        assert_eq!(actual, (vec![expected.0.to_owned()], expected.1, json!(expected.2)), "{reason}");
        if reason == "a low balance" {
            shop.fake_panels[0].state().balance.0 = 1_000_000;
            shop.run_three_hours_times(1).await;
            assert_eq!(shop.attempt_statuses(id).await, ["Pending"], "the next try succeeds");
            assert_eq!(shop.panel.number(Sql::new(ALERTS)).await, 0);
        }
    }
}

async fn an_unreachable_panel_changes_no_order(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[]).await;
    shop.panel.execute(Sql::new("UPDATE services SET auto_cancel = TRUE")).await;
    shop_with_panels::insert_panel(&shop.panel, 1, "http://127.0.0.1:9").await;
    let id = shop.order(1).await;
    shop.run_until_idle().await;
    shop.run_three_hours_times(9).await;
    shop.assert_waits(id, "connection refused").await;
    assert_eq!(
        (shop.attempt_statuses(id).await, shop.panel.number(Sql::new(ALERTS)).await),
        (vec!["Creating".to_owned()], 1)
    );
}

/// Makes the database refuse to write one external order id.
async fn refuse_to_write(shop: &ShopWithPanels, dialect: Dialect) {
    if dialect == Dialect::Sqlite {
        shop.panel
            .execute(Sql::new(
                "CREATE TRIGGER refuse BEFORE UPDATE OF external_order_id ON external_panel_orders WHEN new.external_order_id = '23501'
                 BEGIN SELECT RAISE(ABORT, 'not this one'); END",
            ))
            .await;
        return;
    }
    let function = "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF new.external_order_id = '23501' THEN RAISE EXCEPTION 'not this one'; END IF; RETURN new; END $$";
    shop.panel.execute(Sql::new(function)).await;
    let trigger =
        "CREATE TRIGGER refuse BEFORE UPDATE ON external_panel_orders FOR EACH ROW EXECUTE FUNCTION refuse()";
    shop.panel.execute(Sql::new(trigger)).await;
}

async fn a_failed_write_loses_one_id_and_no_other(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Stuck]).await;
    refuse_to_write(&shop, dialect).await;
    for n in 0..10 {
        shop.order(n).await;
    }
    let unrecorded = || {
        let text = shop.panel.app.metrics.render();
        let line = text.lines().find_map(|line| line.strip_prefix("panel_external_orders_unrecorded_total "));
        line.unwrap().parse::<u64>().unwrap()
    };
    // Other tests of this process increase the same counters.
    let before = unrecorded();
    assert!(dispatch::cycle(&shop.panel.app).await.is_err(), "the cycle returns the error");
    assert!(unrecorded() > before, "the metric counts the failed write");
    let recorded = "SELECT count(*) FROM external_panel_orders WHERE status = 'Pending' AND external_order_id IS NOT NULL";
    assert_eq!((shop.order_counts(), shop.panel.number(Sql::new(recorded)).await), (vec![10], 9));
}

async fn a_short_database_outage_loses_no_id(dialect: Dialect) {
    // SQLite runs inside the process, so there are no connections to end.
    if dialect == Dialect::Sqlite {
        return;
    }
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Stuck]).await;
    let other = shop.panel.second_process().await;
    let id = shop.order(1).await;
    let app = &shop.panel.app;
    {
        let mut cycle = pin!(dispatch::cycle(app));
        while shop.order_counts() == [0] {
            assert!(poll!(cycle.as_mut()).is_pending());
            tokio::task::yield_now().await;
        }
        // The panel accepted the order, and this is not recorded yet: end all database connections of this process now.
        let terminate_connections =
            "SELECT count(*) FROM (SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()) ended";
        (&mut &other.db).fetch_one::<(i64,)>(Sql::new(terminate_connections)).await.unwrap();
        // Every other statement on such a connection fails.
        drop(cycle.await);
    }
    let recorded =
        Sql::new("SELECT count(*) FROM external_panel_orders WHERE order_id = ? AND status = 'Pending'");
    let mut recorded_count = None;
    // Each ended connection returns one error.
    for _ in 0..20 {
        match (&mut &other.db).fetch_one::<(i64,)>(recorded.clone().bind(id)).await {
            Err(error) if error.is_unavailable() => {}
            answer => recorded_count = Some(answer.unwrap().0),
        }
    }
    assert_eq!((recorded_count, shop.order_counts()), (Some(1), vec![1]));
}

async fn an_unknown_attempt_does_not_block_its_order(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
    shop.set_behavior(0, FakeBehavior::BadGateway);
    let id = shop.order(1).await;
    shop.run_until_idle().await;
    shop.move_to(id, 12).await;
    shop.run_for_secs(60).await;
    assert_eq!(
        (shop.attempt_statuses(id).await, shop.order_counts()),
        (vec!["Creating".to_owned(); 2], vec![0, 0])
    );
    shop.panel.clock.advance_secs(1_801);
    shop.run_until_idle().await;
    shop.run_for_secs(300).await;
    assert_eq!(shop.panel.order(id).await["status"], "completed", "{:?}", shop.attempt_statuses(id).await);
    shop.run_three_hours_times(10).await;
    assert_eq!(
        (shop.attempt_statuses(id).await, shop.order_counts()),
        (vec!["Canceled".to_owned(), "Completed".into()], vec![0, 1])
    );
    assert_eq!(shop.panel.get(STUCK).await.json()["recordsFiltered"], 0);
    shop.assert_healthy().await;
}

async fn a_manual_delivery_ends_with_its_order(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    let mut ids = Vec::new();
    for n in 1..=4 {
        let id = shop.order(n).await;
        shop.move_to(id, 1).await;
        ids.push(id);
    }
    shop.run_until_idle().await;
    shop.move_to(ids[0], 11).await;
    shop.run_until_idle().await;
    assert_eq!(
        (shop.attempt_statuses(ids[0]).await, shop.order_counts()),
        (vec!["Canceled".to_owned(), "Pending".into()], vec![1]),
        "no attempt is pending"
    );
    for (id, action) in [(ids[1], "complete"), (ids[2], "cancel")] {
        let answer = shop.panel.post(&format!("/api/v1/admin/orders/{id}/{action}"), &json!({})).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    assert_eq!(shop.attempt_statuses(ids[1]).await, ["Completed"]);
    assert_eq!(shop.attempt_statuses(ids[2]).await, ["Canceled"]);
    // The whole quantity is delivered, which the dispatcher sees at its next poll.
    let full = Sql::new("UPDATE orders SET current_quantity = quantity, dispatch_at = 1 WHERE id = ?");
    shop.panel.execute(full.bind(ids[3])).await;
    shop.run_for_secs(300).await;
    assert_eq!(shop.attempt_statuses(ids[3]).await, ["Completed"]);
    for id in [ids[0], ids[3]] {
        assert_eq!(shop.panel.order(id).await["status"], "completed");
    }
    shop.panel.clock.advance_secs(86_400 * 4);
    assert_eq!(shop.panel.get(STUCK).await.json()["recordsFiltered"], 0);
    shop.assert_healthy().await;
}

async fn an_ambiguous_id_is_not_adopted(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Stuck]).await;
    shop.order(1).await;
    shop.run_until_idle().await;
    shop.panel.clock.advance_secs(1);
    let (unknown, other) = (shop.order(2).await, shop.order(3).await);
    dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap();
    // Another process is about to send an identical order.
    let now = shop.panel.app.clock.now();
    let claim = "UPDATE external_panel_orders SET sent_at = ?, due_at = ?, tries = 1 WHERE order_id = ?";
    shop.panel.execute(Sql::new(claim).bind(now).bind(now.0 + 120_000_000).bind(other)).await;
    shop.set_behavior(0, FakeBehavior::ExecutesThen500);
    shop.run_until_idle().await;
    shop.set_behavior(0, FakeBehavior::Correct);
    shop.run_for_secs(90).await;
    assert_eq!(
        (shop.attempt_statuses(unknown).await, shop.order_counts()),
        (vec!["Creating".to_owned()], vec![2])
    );
    // The panel rejected the other order, so only one attempt can have created the external order.
    let reject = "UPDATE external_panel_orders SET status = 'Canceled', ended_at = 1, due_at = NULL WHERE order_id = ?";
    shop.panel.execute(Sql::new(reject).bind(other)).await;
    shop.run_for_secs(600).await;
    assert_eq!(shop.attempt_statuses(unknown).await, ["Pending"]);
}

/// One account may be connected twice; both connections then share one sequence of ids.
async fn an_order_of_another_connection_is_not_adopted(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Stuck]).await;
    shop_with_panels::insert_panel(&shop.panel, 2, &shop.fake_panels[0].url).await;
    shop.order(1).await;
    shop.run_until_idle().await;
    shop.panel.clock.advance_secs(1);
    shop.set_behavior(0, FakeBehavior::BadGateway);
    let unknown = shop.order(2).await;
    shop.run_until_idle().await;
    shop.set_behavior(0, FakeBehavior::Correct);
    shop.panel.clock.advance_secs(1);
    let other = shop.order(3).await;
    shop.move_to(other, 12).await;
    shop.run_until_idle().await;
    shop.run_for_secs(3_600).await;
    assert_eq!(shop.attempts(other).await[0]["external_panel_order_id"], "23502");
    assert_eq!(
        (shop.attempt_statuses(unknown).await, shop.order_counts()),
        (vec!["Creating".to_owned()], vec![2])
    );
    shop.assert_healthy().await;
}

async fn one_external_id_belongs_to_one_open_attempt(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Stuck]).await;
    let first = shop.order(1).await;
    shop.run_until_idle().await;
    let use_next_id = "UPDATE external_panel_orders SET external_order_id = '23502' WHERE order_id = ?";
    shop.panel.execute(Sql::new(use_next_id).bind(first)).await;
    let second = shop.order(2).await;
    shop.run_until_idle().await;
    shop.run_for_secs(600).await;
    let attempt = shop.attempts(second).await[0].clone();
    assert_eq!((&attempt["status"], &attempt["is_unknown"]), (&json!("Creating"), &json!(true)), "{attempt}");
    assert!(
        attempt["last_error"].as_str().unwrap().contains("order id 23502, which another attempt already has")
    );
    assert_eq!(shop.order_counts(), [2], "the order is not sent again");
    shop.assert_healthy().await;
}

async fn attempts_over_the_rate_limit_are_not_claimed(dialect: Dialect) {
    let shop = ShopWithPanels::with_rate_limit(dialect, &[OrderBehavior::Stuck], 1).await;
    for n in 0..5 {
        shop.order(n).await;
    }
    shop.run_until_idle().await;
    let due = || {
        Sql::new(
            "SELECT count(*) FROM external_panel_orders WHERE sent_at IS NULL AND tries = 0 AND due_at <= ?",
        )
    };
    let now = || shop.panel.app.clock.now();
    assert_eq!(
        (shop.order_counts(), shop.panel.number(due().bind(now())).await),
        (vec![2], 3),
        "three attempts stay unclaimed"
    );
    shop.panel.clock.advance_secs(1);
    shop.run_until_idle().await;
    assert_eq!((shop.order_counts(), shop.panel.number(due().bind(now())).await), (vec![3], 2));
    // Status polls get their share of the calls and are not postponed either.
    shop.panel.clock.advance_secs(60);
    shop.run_until_idle().await;
    let status_calls = shop.fake_panels[0].calls().iter().filter(|call| call["action"] == "status").count();
    assert_eq!((shop.order_counts(), status_calls), (vec![4], 1));
}

async fn a_low_rate_limit_still_reconciles_accepted_orders(dialect: Dialect) {
    let shop = ShopWithPanels::with_rate_limit(dialect, &[OrderBehavior::Stuck], 1).await;
    shop.order(1).await;
    shop.run_until_idle().await;
    shop.run_for_secs(60).await;
    shop.set_behavior(0, FakeBehavior::ExecutesThen500);
    let unknown = shop.order(2).await;
    shop.run_until_idle().await;
    assert_eq!(
        (shop.attempt_statuses(unknown).await, shop.order_counts()),
        (vec!["Creating".to_owned()], vec![2])
    );
    shop.set_behavior(0, FakeBehavior::Correct);
    // No later order bounds the range of ids to search, so the search uses the whole burst.
    shop.panel.clock.advance_secs(60);
    let next = shop.order(3).await;
    shop.run_until_idle().await;
    assert_eq!(
        (shop.attempt_statuses(unknown).await, shop.order_counts()),
        (vec!["Pending".to_owned()], vec![2])
    );
    for _ in 0..4 {
        shop.panel.clock.advance_secs(1);
        shop.run_until_idle().await;
    }
    assert_eq!(
        (shop.attempt_statuses(next).await, shop.order_counts()),
        (vec!["Pending".to_owned()], vec![3]),
        "the search does not delay the new order"
    );
}

/// Eight processes share the rate limit, and six of them send nothing.
async fn a_quota_share_is_enough_to_deliver(dialect: Dialect) {
    let shop = ShopWithPanels::with_rate_limit(dialect, &[OrderBehavior::Delivered], 2).await;
    let other = shop.panel.second_process().await;
    for app in [&shop.panel.app, &other] {
        app.processes.set_count(8);
    }
    let mut orders = Vec::new();
    for n in 0..12 {
        orders.push(shop.order(n).await);
    }
    for _ in 0..40 {
        shop.panel.clock.advance_secs(30);
        for app in [&shop.panel.app, &other] {
            while dispatch::cycle(app).await.unwrap() > 0 {}
        }
    }
    for order in orders {
        assert_eq!(
            shop.panel.order(order).await["status"],
            "completed",
            "{:?}",
            shop.attempt_statuses(order).await
        );
    }
    assert_eq!(shop.order_counts(), [12]);
    shop.assert_healthy().await;
}

async fn a_disabled_provider_gets_no_orders(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
    shop.panel.execute(Sql::new("UPDATE external_panels SET auto_recreate_orders_is_allowed = FALSE")).await;
    shop.fake_panels[0].state().balance.0 = 0;
    let id = shop.order(1).await;
    shop.run_until_idle().await;
    assert_eq!(shop.attempt_statuses(id).await, ["Creating"]);
    let archived = shop.panel.post("/api/v1/admin/providers/11/archive", &json!({})).await;
    assert_eq!(archived.status, 200, "{}", archived.text);
    shop.fake_panels[0].state().balance.0 = 1_000_000;
    shop.run_until_idle().await;
    assert_eq!(
        (shop.attempt_statuses(id).await, shop.order_counts()),
        (vec!["Canceled".to_owned(), "Pending".into()], vec![0, 1]),
        "the order fails over at once"
    );
    // A process that reads the provider before the cache is invalidated does not send either.
    let second = shop.order(2).await;
    dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap();
    shop.panel.execute(Sql::new("UPDATE providers SET status = 'disabled' WHERE id = 12")).await;
    dispatch::cycle(&shop.panel.app).await.unwrap();
    assert_eq!(
        (shop.attempt_statuses(second).await, shop.order_counts()),
        (vec!["Creating".to_owned()], vec![0, 1])
    );
    shop.panel.execute(Sql::new("UPDATE providers SET status = 'active' WHERE id = 12")).await;
    let archived = shop.panel.post("/api/v1/admin/providers/12/archive", &json!({})).await;
    assert_eq!(archived.status, 200, "{}", archived.text);
    shop.run_until_idle().await;
    let order = shop.panel.order(second).await;
    assert_eq!(
        (&order["status"], &order["has_no_active_providers"]),
        (&json!("in_processing"), &json!(true))
    );
    let restored = shop.panel.post("/api/v1/admin/providers/12/unarchive", &json!({})).await;
    assert_eq!(restored.status, 200, "{}", restored.text);
    shop.run_for_secs(600).await;
    assert_eq!(shop.attempt_statuses(second).await, ["Canceled", "Completed"]);
    shop.assert_healthy().await;
}

async fn a_pause_precedes_or_follows_a_claim(dialect: Dialect) {
    // SQLite has a single writer, so the two cannot overlap.
    if dialect == Dialect::Sqlite {
        return;
    }
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap();
    let mut pause = shop.panel.app.db.begin().await.unwrap();
    pause.execute(Sql::new("UPDATE orders SET status = 'stopped' WHERE id = ?").bind(id)).await.unwrap();
    dispatch::cycle(&shop.panel.app).await.unwrap();
    pause.commit().await.unwrap();
    shop.run_for_secs(120).await;
    assert_eq!(
        (shop.attempt_statuses(id).await, shop.order_counts()),
        (vec!["Creating".to_owned()], vec![0])
    );
}
