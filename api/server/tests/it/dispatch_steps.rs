//! Tests processes that crash at any step, parallel processes, and a day without a process: no order is sent twice or lost, and
//! balances are exact.

use std::future::Future;
use std::pin::pin;
use std::task::Poll;

use futures_util::future::join_all;
use panel_contract::ids::{PackageId, RecordId, UserId};
use panel_contract::orders::OrderSource;
use panel_contract::payments::BalanceType;
use panel_demo::panel::state::OrderBehavior;
use panel_platform::db::{Dialect, Sql};
use panel_server::app::App;
use panel_server::operations::combo_orders::buy::{NewCombo, buy};
use panel_server::operations::drip_feeds::run::{self, NewDripFeed};
use panel_server::operations::orders::place::NewOrder;
use panel_server::supply::dispatch;

use crate::shop::{CUSTOMER_DEPOSIT, PLAIN_SERVICE};
use crate::shop_with_panels::ShopWithPanels;

test_both_databases! {
    orders_survive_a_crash_at_every_step;
    two_parallel_processes_send_each_order_once;
    after_a_day_without_a_worker_no_run_is_lost;
}

/// The cost of an order of 600 units, in millionths.
const ORDER_COST: i64 = 6_000_000;
/// The test drops the future of a dispatch run after 1, 2, … `MAX_POLLS` polls.
const MAX_POLLS: usize = 36;

/// Polls a future at most `steps` times and drops it, as if the process crashed at this `await`. Returns whether the future was
/// ready by then.
async fn completes_within(future: impl Future<Output = ()>, mut steps: usize) -> bool {
    let mut future = pin!(future);
    std::future::poll_fn(move |cx| {
        if steps == 0 {
            return Poll::Ready(false);
        }
        steps -= 1;
        future.as_mut().poll(cx).map(|()| true)
    })
    .await
}

/// Runs dispatch cycles of one process until no work is due.
async fn run_until_idle(app: &App) {
    for _ in 0..50 {
        if dispatch::process_all_queues(app).await.unwrap() == 0 {
            return;
        }
    }
    panic!("work is still due after 50 cycles");
}

async fn orders_survive_a_crash_at_every_step(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    let other_process = shop.panel.start_second_process().await;
    shop.place_order(1_000).await;
    run_until_idle(&other_process).await;
    let mut orders = Vec::new();
    let mut dropped_count = 0;
    for (n, steps) in (0_i64..).zip(1..=MAX_POLLS) {
        shop.panel.clock.advance_secs(40);
        // Each order has a different quantity, so that the external orders can be distinguished.
        let url = format!("https://video.example/step/{n}");
        orders.push(
            shop.panel
                .place_order(&NewOrder::without_options(UserId::new(1), PLAIN_SERVICE, &url, 600 + 50 * n))
                .await
                .id,
        );
        let dispatch_run = async {
            for _ in 0..3 {
                dispatch::process_all_queues(&shop.panel.app).await.unwrap();
            }
        };
        dropped_count += usize::from(!completes_within(dispatch_run, steps).await);
    }
    assert!(dropped_count > MAX_POLLS / 2, "only {dropped_count} of {MAX_POLLS} runs were dropped");
    for _ in 0..120 {
        shop.panel.clock.advance_secs(60);
        run_until_idle(&other_process).await;
    }
    for _ in 0..8 {
        shop.panel.clock.advance_secs(43_201);
        run_until_idle(&other_process).await;
    }
    for (n, id) in orders.into_iter().enumerate() {
        let url = format!("https://video.example/step/{n}");
        let external_order_count =
            shop.fake_panels[0].state().orders.values().filter(|order| order.link == url).count();
        let order = shop.panel.fetch_order(id).await;
        let status = order["status"].as_str().unwrap();
        let attempts = shop.fetch_attempts(id).await;
        assert!(
            (status, external_order_count) == ("completed", 1)
                || (status == "in_processing" && external_order_count <= 1),
            "step {n}: {status} with {external_order_count} external orders: {attempts:?}"
        );
        if status == "in_processing" {
            assert_eq!(
                (attempts.len(), &attempts[0]["is_unknown"]),
                (1, &true.into()),
                "step {n}: staff must see the unknown attempt; {external_order_count} external orders exist: {attempts:?}"
            );
            assert_eq!(
                external_order_count, 0,
                "step {n}: reconciliation must find an existing external order"
            );
        }
        let delivered_quantity = order["current_quantity"].as_i64().unwrap();
        assert!(status == "in_processing" || delivered_quantity == order["quantity"].as_i64().unwrap());
    }
    shop.assert_healthy().await;
}

async fn two_parallel_processes_send_each_order_once(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
    let other_process = shop.panel.start_second_process().await;
    for n in 0..60 {
        shop.place_order(n).await;
    }
    for _ in 0..20 {
        shop.panel.clock.advance_secs(30);
        let apps = [&shop.panel.app, &other_process, &shop.panel.app, &other_process];
        for result in join_all(apps.map(dispatch::process_all_queues)).await {
            result.unwrap();
        }
    }
    assert_eq!(shop.order_counts(), [60, 0]);
    let count_completed_sql = "SELECT count(*) FROM orders WHERE status = 'completed' AND current_quantity = 600 AND provider_cost = 600000";
    assert_eq!(
        shop.panel.fetch_number(Sql::new(count_completed_sql)).await,
        60,
        "no quantity may be counted twice"
    );
    assert_eq!(shop.panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 60 * ORDER_COST);
    shop.assert_healthy().await;
}

async fn after_a_day_without_a_worker_no_run_is_lost(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    shop.panel.execute(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE")).await;
    let new_drip_feed = NewDripFeed {
        user_id: UserId::new(1),
        service_id: PLAIN_SERVICE,
        url: "https://video.example/drip".into(),
        quantity: 600,
        runs: 4,
        minutes_between_runs: 30,
        country: None,
        paying_balance: BalanceType::Main,
        targets: Vec::new(),
    };
    let new_combo = NewCombo {
        user_id: UserId::new(2),
        url: "https://video.example/combo".into(),
        source: OrderSource::Cabinet,
        package: (Some(PackageId::new(3)), "Starter".into(), "combo".into()),
        parts: vec![(PLAIN_SERVICE, 600), (PLAIN_SERVICE, 1_200)],
        targets: std::collections::BTreeMap::new(),
        is_moderated: false,
    };
    let mut work = shop.panel.begin_work().await;
    let drip_feed_id = run::start(&mut work, &new_drip_feed).await.unwrap();
    let combo_id = buy(&mut work, &new_combo).await.unwrap();
    work.finish(()).await.unwrap();
    shop.panel.clock.advance_secs(86_400);
    // All runs have the same URL, so the external panel accepts one after the other.
    for _ in 0..240 {
        run::run_due(&shop.panel.app).await.unwrap();
        shop.run_for_secs(30).await;
    }
    let count_completed_orders_sql = |column: &'static str, id: RecordId| {
        Sql::new(
            "SELECT count(*) FROM orders WHERE status = 'completed' AND current_quantity = quantity AND ",
        )
        .push(column)
        .push(" = ?")
        .bind(id)
    };
    assert_eq!(
        shop.panel
            .fetch_number(count_completed_orders_sql("drip_feed_id", drip_feed_id.as_record_id()))
            .await,
        4,
        "each run must have one order"
    );
    assert_eq!(
        shop.panel.fetch_number(count_completed_orders_sql("combo_order_id", combo_id.as_record_id())).await,
        2
    );
    assert_eq!(
        (shop.order_counts(), shop.panel.fetch_number(Sql::new("SELECT count(*) FROM orders")).await),
        (vec![6], 6)
    );
    assert_eq!(
        shop.panel.fetch_balances(1).await,
        (CUSTOMER_DEPOSIT - 4 * ORDER_COST, crate::shop::CUSTOMER_EARNINGS, 4 * ORDER_COST)
    );
    shop.assert_healthy().await;
}
