//! A process that dies at any of its steps, processes side by side, and a day without any: no order is sent twice, none
//! is lost, and the money is exact.

use std::future::Future;
use std::pin::pin;
use std::task::Poll;

use futures_util::future::join_all;
use panel_contract::ids::{PackageId, RecordId, UserId};
use panel_contract::orders::OrderSource;
use panel_contract::payments::BalanceType;
use panel_demo::panel::world::OrderBehavior;
use panel_platform::db::{Dialect, Sql};
use panel_server::app::App;
use panel_server::operations::combo_orders::buy::{NewCombo, buy};
use panel_server::operations::drip_feeds::run::{self, NewDripFeed};
use panel_server::operations::orders::place::NewOrder;
use panel_server::supply::dispatch;

use crate::shop::{DEPOSIT, PLAIN};
use crate::supplied::Supplied;

both! {
    a_process_dies_at_every_step;
    two_processes_race;
    a_day_without_a_worker_loses_no_run;
}

/// Steps of a round that a process dies at.
const STEPS: usize = 36;

/// Polls a future so many times and gives it up: what it awaited then is where the process died.
async fn dying(future: impl Future<Output = ()>, mut steps: usize) -> bool {
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

/// Everything that is due, done by one process, until nothing is.
async fn settle(app: &App) {
    for _ in 0..50 {
        if dispatch::cycle(app).await.unwrap() == 0 {
            return;
        }
    }
    panic!("there is always something due");
}

async fn a_process_dies_at_every_step(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    let other = shop.ours.twin().await;
    shop.order(1_000).await;
    settle(&other).await;
    let mut orders = Vec::new();
    let mut died = 0;
    for (n, steps) in (0_i64..).zip(1..=STEPS) {
        shop.ours.clock.advance_secs(40);
        // Each order has another quantity, so that orders at the panel can be distinguished.
        let link = format!("https://video.example/step/{n}");
        orders.push(shop.ours.place(&NewOrder::plain(UserId::new(1), PLAIN, &link, 600 + 50 * n)).await.id);
        let round = async {
            for _ in 0..3 {
                dispatch::cycle(&shop.ours.app).await.unwrap();
            }
        };
        died += usize::from(!dying(round, steps).await);
    }
    assert!(died > STEPS / 2, "{died}: most rounds take longer");
    for _ in 0..120 {
        shop.ours.clock.advance_secs(60);
        settle(&other).await;
    }
    for _ in 0..8 {
        shop.ours.clock.advance_secs(43_201);
        settle(&other).await;
    }
    for (n, id) in orders.into_iter().enumerate() {
        let link = format!("https://video.example/step/{n}");
        let there = shop.theirs[0].world().orders.values().filter(|order| order.link == link).count();
        let order = shop.ours.order(id).await;
        let seen = (order["status"].as_str().unwrap(), there);
        let attempts = shop.attempts(id).await;
        assert!(
            seen == ("completed", 1) || (seen.0 == "in_processing" && there <= 1),
            "step {n}: {seen:?} {attempts:?}"
        );
        if seen.0 == "in_processing" {
            assert_eq!(
                (attempts.len(), &attempts[0]["is_unknown"]),
                (1, &true.into()),
                "step {n}: a person sees it: {there} there, {attempts:?}"
            );
            assert_eq!(there, 0, "step {n}: what the panel has is found");
        }
        let delivered = order["current_quantity"].as_i64().unwrap();
        assert!(seen.0 == "in_processing" || delivered == order["quantity"].as_i64().unwrap());
    }
    shop.assert_healthy().await;
}

async fn two_processes_race(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
    let other = shop.ours.twin().await;
    for n in 0..60 {
        shop.order(n).await;
    }
    for _ in 0..20 {
        shop.ours.clock.advance_secs(30);
        let apps = [&shop.ours.app, &other, &shop.ours.app, &other];
        for found in join_all(apps.map(dispatch::cycle)).await {
            found.unwrap();
        }
    }
    assert_eq!(shop.taken(), [60, 0]);
    let done = "SELECT count(*) FROM orders WHERE status = 'completed' AND current_quantity = 600 AND provider_cost = 600000";
    assert_eq!(shop.ours.number(Sql::new(done)).await, 60, "nothing counted twice");
    assert_eq!(shop.ours.balances(1).await.0, DEPOSIT - 60 * 6_000_000);
    shop.assert_healthy().await;
}

async fn a_day_without_a_worker_loses_no_run(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.ours.exec(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE")).await;
    let drip = NewDripFeed {
        user_id: UserId::new(1),
        service_id: PLAIN,
        url: "https://video.example/drip".into(),
        quantity: 600,
        runs: 4,
        minutes_between_runs: 30,
        country: None,
        pays: BalanceType::Main,
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
    let mut work = shop.ours.work().await;
    let drip = run::start(&mut work, &drip).await.unwrap();
    let combo = buy(&mut work, &combo).await.unwrap();
    work.finish(()).await.unwrap();
    shop.ours.clock.advance_secs(86_400);
    // They are for one address: the panel takes one after the other, and the process comes and goes.
    for _ in 0..240 {
        run::run_due(&shop.ours.app).await.unwrap();
        shop.pass(30).await;
    }
    let done = |what: &'static str, id: RecordId| {
        Sql::new(
            "SELECT count(*) FROM orders WHERE status = 'completed' AND current_quantity = quantity AND ",
        )
        .push(what)
        .push(" = ?")
        .bind(id)
    };
    assert_eq!(shop.ours.number(done("drip_feed_id", drip.record())).await, 4, "no run lost, none doubled");
    assert_eq!(shop.ours.number(done("combo_order_id", combo.record())).await, 2);
    assert_eq!((shop.taken(), shop.ours.number(Sql::new("SELECT count(*) FROM orders")).await), (vec![6], 6));
    assert_eq!(shop.ours.balances(1).await, (DEPOSIT - 24_000_000, crate::shop::EARNED, 24_000_000));
    shop.assert_healthy().await;
}
