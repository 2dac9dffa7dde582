//! A process that dies at any of its steps, parallel processes, and a day without one: no order is sent twice or lost, and balances
//! are exact.

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

use crate::shop::{DEPOSIT, PLAIN};
use crate::shop_with_panels::ShopWithPanels;

both! {
    a_process_dies_at_every_step;
    two_parallel_processes_send_each_order_once;
    a_day_without_a_worker_loses_no_run;
}

/// The number of polls of a dispatch run after which a process dies: 1 to `STEPS`.
const STEPS: usize = 36;

/// Polls a future `steps` times and drops it, as when the process dies at that `await`. Returns whether the future was ready
/// before.
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
        if dispatch::cycle(app).await.unwrap() == 0 {
            return;
        }
    }
    panic!("work is still due after 50 cycles");
}

async fn a_process_dies_at_every_step(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    let other = shop.panel.second_process().await;
    shop.order(1_000).await;
    run_until_idle(&other).await;
    let mut orders = Vec::new();
    let mut drops = 0;
    for (n, steps) in (0_i64..).zip(1..=STEPS) {
        shop.panel.clock.advance_secs(40);
        // Each order has another quantity, so that orders at the panel can be distinguished.
        let link = format!("https://video.example/step/{n}");
        orders.push(shop.panel.place(&NewOrder::plain(UserId::new(1), PLAIN, &link, 600 + 50 * n)).await.id);
        let dispatch_run = async {
            for _ in 0..3 {
                dispatch::cycle(&shop.panel.app).await.unwrap();
            }
        };
        drops += usize::from(!completes_within(dispatch_run, steps).await);
    }
    assert!(drops > STEPS / 2, "{drops} of {STEPS} runs were dropped");
    for _ in 0..120 {
        shop.panel.clock.advance_secs(60);
        run_until_idle(&other).await;
    }
    for _ in 0..8 {
        shop.panel.clock.advance_secs(43_201);
        run_until_idle(&other).await;
    }
    for (n, id) in orders.into_iter().enumerate() {
        let link = format!("https://video.example/step/{n}");
        let external_orders =
            shop.fake_panels[0].state().orders.values().filter(|order| order.link == link).count();
        let order = shop.panel.order(id).await;
        let outcome = (order["status"].as_str().unwrap(), external_orders);
        let attempts = shop.attempts(id).await;
        assert!(
            outcome == ("completed", 1) || (outcome.0 == "in_processing" && external_orders <= 1),
            "step {n}: {outcome:?} {attempts:?}"
        );
        if outcome.0 == "in_processing" {
            assert_eq!(
                (attempts.len(), &attempts[0]["is_unknown"]),
                (1, &true.into()),
                "step {n}: an unknown attempt is shown to staff: {external_orders} external orders, {attempts:?}"
            );
            assert_eq!(external_orders, 0, "step {n}: reconciliation finds an existing external order");
        }
        let delivered = order["current_quantity"].as_i64().unwrap();
        assert!(outcome.0 == "in_processing" || delivered == order["quantity"].as_i64().unwrap());
    }
    shop.assert_healthy().await;
}

async fn two_parallel_processes_send_each_order_once(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
    let other = shop.panel.second_process().await;
    for n in 0..60 {
        shop.order(n).await;
    }
    for _ in 0..20 {
        shop.panel.clock.advance_secs(30);
        let apps = [&shop.panel.app, &other, &shop.panel.app, &other];
        for result in join_all(apps.map(dispatch::cycle)).await {
            result.unwrap();
        }
    }
    assert_eq!(shop.order_counts(), [60, 0]);
    let completed = "SELECT count(*) FROM orders WHERE status = 'completed' AND current_quantity = 600 AND provider_cost = 600000";
    assert_eq!(shop.panel.number(Sql::new(completed)).await, 60, "no quantity is counted twice");
    assert_eq!(shop.panel.main_balance(1).await, DEPOSIT - 60 * 6_000_000);
    shop.assert_healthy().await;
}

async fn a_day_without_a_worker_loses_no_run(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.panel.execute(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE")).await;
    let drip_feed = NewDripFeed {
        user_id: UserId::new(1),
        service_id: PLAIN,
        url: "https://video.example/drip".into(),
        quantity: 600,
        runs: 4,
        minutes_between_runs: 30,
        country: None,
        paying_balance: BalanceType::Main,
        targets: Vec::new(),
    };
    let combo = NewCombo {
        user_id: UserId::new(2),
        url: "https://video.example/combo".into(),
        source: OrderSource::Cabinet,
        package: (Some(PackageId::new(3)), "Starter".into(), "combo".into()),
        parts: vec![(PLAIN, 600), (PLAIN, 1_200)],
        targets: std::collections::BTreeMap::new(),
        is_moderated: false,
    };
    let mut work = shop.panel.begin_work().await;
    let drip_feed = run::start(&mut work, &drip_feed).await.unwrap();
    let combo = buy(&mut work, &combo).await.unwrap();
    work.finish(()).await.unwrap();
    shop.panel.clock.advance_secs(86_400);
    // All orders have the same URL, so the panel accepts one after the other.
    for _ in 0..240 {
        run::run_due(&shop.panel.app).await.unwrap();
        shop.run_for_secs(30).await;
    }
    let completed_orders = |column: &'static str, id: RecordId| {
        Sql::new(
            "SELECT count(*) FROM orders WHERE status = 'completed' AND current_quantity = quantity AND ",
        )
        .push(column)
        .push(" = ?")
        .bind(id)
    };
    assert_eq!(
        shop.panel.number(completed_orders("drip_feed_id", drip_feed.as_record_id())).await,
        4,
        "each run has one order"
    );
    assert_eq!(shop.panel.number(completed_orders("combo_order_id", combo.as_record_id())).await, 2);
    assert_eq!(
        (shop.order_counts(), shop.panel.number(Sql::new("SELECT count(*) FROM orders")).await),
        (vec![6], 6)
    );
    assert_eq!(shop.panel.balances(1).await, (DEPOSIT - 24_000_000, crate::shop::EARNED, 24_000_000));
    shop.assert_healthy().await;
}
