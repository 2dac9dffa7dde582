//! What goes wrong at panels and in this process: in the end there is one external order per order, and the money is
//! exact.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::ids::UserId;
use panel_demo::panel::world::{Offer, OrderBehavior, World};
use panel_demo::panel::{FakeBehavior, FakePanel};
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::NewOrder;
use panel_server::supply::dispatch;
use serde_json::json;

use crate::shop::{DEPOSIT, PLAIN};
use crate::supplied::{self, Supplied};

both! {
    an_unclear_answer_is_reconciled_and_never_resent;
    a_call_that_never_came_there_waits_for_a_person;
    a_panel_that_cannot_be_reached_is_tried_again;
    a_process_that_dies_leaves_one_order;
    workers_side_by_side_send_once;
    a_lost_order_is_seen_and_asked_about_on;
    completed_then_canceled_pays_nobody_twice;
    a_late_word_changes_nothing_for_staffs_decision;
    a_day_passes_at_once;
    ten_thousand_come_due_together;
    a_hundred_unclear_orders_are_decided_in_a_minute;
}

async fn an_unclear_answer_is_reconciled_and_never_resent(dialect: Dialect) {
    for temper in [FakeBehavior::Silent, FakeBehavior::Half, FakeBehavior::Forgetful] {
        let shop = Supplied::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
        let before = shop.order(1).await;
        shop.pass(30).await;
        shop.ours.clock.advance_secs(1);
        shop.behave(0, temper);
        let id = shop.order(2).await;
        shop.settle().await;
        assert_eq!(shop.states(id).await, ["Creating"], "{temper:?}");
        assert!(shop.attempts(id).await[0]["last_error"].is_string());
        shop.behave(0, FakeBehavior::Good);
        shop.ours.clock.advance_secs(1);
        let after = shop.order(3).await;
        shop.pass(900).await;
        assert_eq!(shop.taken(), [3, 0], "{temper:?}: sent once, and to no other panel");
        for order in [before, id, after] {
            let status = shop.ours.order(order).await["status"].clone();
            assert_eq!(status, "completed", "{temper:?} {:?}", shop.attempts(order).await);
        }
        assert_eq!(shop.ours.balances(1).await.0, DEPOSIT - 18_000_000);
        shop.assert_healthy().await;
    }
}

async fn a_call_that_never_came_there_waits_for_a_person(dialect: Dialect) {
    for temper in [FakeBehavior::Down, FakeBehavior::Html, FakeBehavior::Empty] {
        let shop = Supplied::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
        shop.order(1).await;
        shop.settle().await;
        shop.behave(0, temper);
        let id = shop.order(2).await;
        shop.settle().await;
        shop.behave(0, FakeBehavior::Good);
        shop.pass(24 * 3_600).await;
        assert_eq!(
            (shop.states(id).await, shop.taken()),
            (vec!["Creating".to_owned()], vec![1, 0]),
            "{temper:?}"
        );
        let seen = Sql::new(
            "SELECT count(*) FROM external_panel_orders WHERE order_id = ? AND alert_at IS NOT NULL AND due_at IS NULL",
        );
        assert_eq!(shop.ours.number(seen.bind(id)).await, 1);
        assert_eq!(shop.ours.order(id).await["status"], "in_processing");
        shop.assert_healthy().await;
    }
}

async fn a_panel_that_cannot_be_reached_is_tried_again(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[]).await;
    // The address refuses connections.
    supplied::connect(&shop.ours, 1, "http://127.0.0.1:9").await;
    let id = shop.order(1).await;
    shop.settle().await;
    assert_eq!(shop.states(id).await, ["Creating"]);
    assert!(shop.attempts(id).await[0]["last_error"].as_str().unwrap().contains("cannot be reached"));
    shop.pass(600).await;
    assert_eq!(shop.states(id).await, ["Creating"]);
    // After hours the next provider's turn comes.
    let there = FakePanel::start(World::new(supplied::KEY), Arc::new(shop.ours.clock.clone())).await.unwrap();
    there.world().sell(7, Offer::plain("Likes"));
    supplied::connect(&shop.ours, 2, &there.url).await;
    shop.pass(8 * 3_600).await;
    assert_eq!(shop.states(id).await, ["Canceled", "Completed"]);
    shop.assert_healthy().await;
}

async fn a_process_that_dies_leaves_one_order(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.order(1).await;
    shop.settle().await;
    // Dead before the order was taken up: nothing happened, it is taken up later.
    let first = shop.order(2).await;
    shop.settle().await;
    shop.ours.clock.advance_secs(1);
    // Dead after the claim and before the call, and dead between the call and its note.
    let claimed = shop.order(3).await;
    dispatch::dispatch_due_orders(&shop.ours.app).await.unwrap();
    let claim = "UPDATE external_panel_orders SET sent_at = ?, due_at = ?, tries = 1 WHERE order_id = ?";
    let now = shop.ours.app.clock.now();
    shop.ours.exec(Sql::new(claim).bind(now).bind(now.0 + 120_000_000).bind(claimed)).await;
    // Use another quantity, because the order would otherwise be indistinguishable from the one above.
    let link = "https://video.example/4";
    let called = shop.ours.place(&NewOrder::plain(UserId::new(1), PLAIN, link, 700)).await.id;
    shop.behave(0, FakeBehavior::Forgetful);
    dispatch::cycle(&shop.ours.app).await.unwrap();
    shop.behave(0, FakeBehavior::Good);
    shop.pass(3_600).await;
    assert_eq!(shop.taken(), [3]);
    assert_eq!(shop.ours.order(first).await["status"], "completed");
    assert_eq!(shop.ours.order(called).await["status"], "completed", "found by its neighbours");
    assert_eq!(shop.states(claimed).await, ["Creating"], "never sent blindly");
    shop.assert_healthy().await;
}

async fn workers_side_by_side_send_once(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Partial(50)]).await;
    for n in 0..40 {
        shop.order(n).await;
    }
    for _ in 0..30 {
        shop.ours.clock.advance_secs(30);
        let workers = (0..4).map(|_| dispatch::cycle(&shop.ours.app));
        for found in join_all(workers).await {
            found.unwrap();
        }
    }
    assert_eq!(shop.taken(), [40, 0]);
    let done = Sql::new(
        "SELECT count(*) FROM orders WHERE status = 'completed' AND current_quantity = 600 AND provider_cost = 600000",
    );
    assert_eq!(shop.ours.number(done).await, 40, "nothing counted twice");
    shop.assert_healthy().await;
}

async fn a_lost_order_is_seen_and_asked_about_on(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Lost, OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    shop.pass(1_800).await;
    let alerts = || Sql::new("SELECT count(*) FROM external_panel_orders WHERE alert_at IS NOT NULL");
    assert_eq!(shop.ours.number(alerts()).await, 0, "a fresh order may be unknown for a while");
    shop.pass(3_600).await;
    assert_eq!(shop.ours.number(alerts()).await, 1);
    assert_eq!((shop.states(id).await, shop.taken()), (vec!["Pending".to_owned()], vec![1, 0]));
    // It turns up again.
    for order in shop.theirs[0].world().orders.values_mut() {
        order.set_behavior(OrderBehavior::Delivered);
    }
    shop.pass(1_200).await;
    assert_eq!(shop.ours.order(id).await["status"], "completed");
    assert_eq!(shop.ours.number(alerts()).await, 0);
    shop.assert_healthy().await;
}

async fn completed_then_canceled_pays_nobody_twice(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Fickle]).await;
    let id = shop.order(1).await;
    shop.pass(7_200).await;
    let order = shop.ours.order(id).await;
    assert_eq!((order["status"].as_str(), order["refunded"].as_str()), (Some("completed"), Some("0")));
    assert_eq!(shop.ours.balances(1).await.0, DEPOSIT - 6_000_000);
    // It is recorded all the same, with what the panel charges back.
    let attempt = shop.attempts(id).await[0].clone();
    assert_eq!(
        (attempt["status"].as_str(), attempt["charge"].as_str()),
        (Some("Completed"), Some("0")),
        "{attempt}"
    );
    assert!(attempt["last_error"].as_str().unwrap().contains("the panel reports Canceled"), "{attempt}");
    assert!(attempt["last_answer"].as_str().unwrap().contains("Canceled"));
    assert_eq!((&order["provider_cost"], &order["current_quantity"]), (&json!("0"), &json!(600)));
    let booked = "SELECT CAST(sum(cost) * 1000 + sum(quantity) AS BIGINT) FROM provider_statistics";
    assert_eq!(shop.ours.number(Sql::new(booked)).await, 600);
    let calls = shop.theirs[0].calls().len();
    for _ in 0..10 {
        shop.ours.clock.advance_secs(43_200);
        shop.settle().await;
    }
    assert_eq!(shop.theirs[0].calls().len(), calls + 2, "after a day and after three, then never");
    assert_eq!(shop.ours.order(id).await["provider_cost"], "0", "once");
    shop.assert_healthy().await;
}

async fn a_late_word_changes_nothing_for_staffs_decision(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    shop.pass(30).await;
    shop.behave(0, FakeBehavior::Down);
    let cancel = format!("/api/v1/admin/orders/{id}/cancel");
    assert_eq!(shop.ours.post(&cancel, &json!({ "return_money": true })).await.status, 200);
    assert_eq!(shop.ours.balances(1).await.0, DEPOSIT);
    // The panel is back after it delivered everything.
    shop.ours.clock.advance_secs(3_600);
    shop.behave(0, FakeBehavior::Good);
    shop.pass(1_200).await;
    let order = shop.ours.order(id).await;
    assert_eq!((order["status"].as_str(), order["provider_cost"].as_str()), (Some("canceled"), Some("0.6")));
    assert_eq!(
        (shop.states(id).await, shop.ours.balances(1).await.0),
        (vec!["Completed".to_owned()], DEPOSIT)
    );
    shop.assert_healthy().await;
}

async fn a_day_passes_at_once(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Partial(50), OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    shop.settle().await;
    shop.ours.clock.advance_secs(86_400);
    shop.settle().await;
    shop.ours.clock.advance_secs(86_400);
    shop.settle().await;
    assert_eq!(shop.states(id).await, ["Partial", "Completed"]);
    assert_eq!(shop.ours.order(id).await["status"], "completed");
    shop.assert_healthy().await;
}

async fn ten_thousand_come_due_together(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.theirs[0].world().balance.0 = i64::MAX / 2;
    let first = shop.order(1).await;
    shop.settle().await;
    let mut ids = Vec::new();
    for n in 0..10_000 {
        let link = format!("https://video.example/many/{n}");
        ids.push(shop.theirs[0].world().take(7, &link, 100, shop.ours.app.clock.now()));
    }
    // Ten thousand open attempts of orders that stand still here, all due after a night without a worker.
    let orders = "INSERT INTO orders (id, name, url, status, source, user_id, service_id, cost, price, pricing_per, quantity, is_paid, created_at, updated_at)
      SELECT 100000 + r.id, 'Many', 'https://video.example/many', 'stopped', 'cabinet', 1, 1, 0, 0, 1000, 100, TRUE, 1, 1 FROM ";
    let rows = || ids.iter().map(|id| vec![(*id).into()]).collect::<Vec<_>>();
    shop.ours.exec(Sql::new(orders).rows("r", &["id"], rows())).await;
    let attempts = "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, external_panel_service_id, external_order_id, status,
        initial_quantity, sent_at, due_at, created_at, updated_at)
      SELECT 100000 + r.id, 11, 1, '7', CAST(r.id AS TEXT), 'Pending', 100, 1, 1, 1, 1 FROM ";
    shop.ours.exec(Sql::new(attempts).rows("r", &["id"], rows())).await;
    shop.ours.clock.advance_secs(86_400);
    let calls = shop.theirs[0].calls().len();
    shop.settle().await;
    assert!(shop.theirs[0].calls().len() - calls <= 110, "a hundred at a time");
    let done = Sql::new("SELECT count(*) FROM orders WHERE status = 'completed'");
    assert_eq!(shop.ours.number(done).await, 10_001);
    assert_eq!(shop.ours.order(first).await["status"], "completed");
    shop.assert_healthy().await;
}

/// A panel takes a hundred orders and answers none of them: within a minute of the first look each has its external order,
/// with no more calls than the panel's pace allows.
async fn a_hundred_unclear_orders_are_decided_in_a_minute(dialect: Dialect) {
    const PACE: i64 = 20;
    let shop = Supplied::paced(dialect, &[OrderBehavior::Stuck], u32::try_from(PACE).unwrap()).await;
    let order = async |n: u32| {
        let url = format!("https://video.example/{n}");
        // More than a cent apart, or the charges would fit two orders, and together below the panel's balance of 100.
        shop.ours.place(&NewOrder::plain(UserId::new(1), PLAIN, &url, 100 + i64::from(n) * 11)).await.id
    };
    let cycles = async |seconds: usize| {
        for _ in 0..seconds {
            shop.ours.clock.advance_secs(1);
            dispatch::cycle(&shop.ours.app).await.unwrap();
        }
    };
    order(0).await;
    cycles(2).await;
    // What the panel accepted is written; that it did so is forgotten by us.
    for n in 1..=100 {
        order(n).await;
    }
    cycles(60).await;
    order(101).await;
    cycles(2).await;
    assert_eq!(shop.taken(), [102]);
    let forgotten = "UPDATE external_panel_orders SET external_order_id = NULL, status = 'Creating', due_at = ?, tries = 0
      WHERE order_id NOT IN (SELECT min(id) FROM orders) AND order_id NOT IN (SELECT max(id) FROM orders)";
    let now = shop.ours.app.clock.now();
    assert_eq!(shop.ours.exec(Sql::new(forgotten).bind(now)).await, 100);
    let before = shop.theirs[0].calls().len();
    let unclear = "SELECT count(*) FROM external_panel_orders WHERE external_order_id IS NULL";
    let mut seconds = 0;
    while shop.ours.number(Sql::new(unclear)).await > 0 {
        cycles(1).await;
        seconds += 1;
        assert!(seconds <= 60, "{} are not decided", shop.ours.number(Sql::new(unclear)).await);
    }
    let calls = i64::try_from(shop.theirs[0].calls().len() - before).unwrap();
    assert!(calls <= PACE * (seconds + 2), "{calls} calls in {seconds} seconds");
    assert!(calls < 50, "attempts with the same neighbours share their questions: {calls} calls");
    assert_eq!(shop.taken(), [102], "nothing was sent again");
    shop.assert_healthy().await;
}
