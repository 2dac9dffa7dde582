//! Commissions: an affiliate earns a share of the orders of their referrals, at their own rate or the panel's. A refund takes its
//! share back, and the owner of a widget and an affiliate can both earn from one order.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::ids::{OrderId, OrderWidgetId, UserId};
use panel_contract::payments::BalanceType;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::drip_feeds::run::{self, NewDripFeed};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::shop::PLAIN;

both! {
    an_affiliate_earns_at_their_own_rate_or_the_panels;
    an_unpaid_order_earns_when_it_is_charged;
    runs_of_a_drip_feed_earn_when_they_are_placed;
    a_refund_takes_its_commission_back;
    a_widget_and_an_affiliate_earn_from_one_order;
    parallel_orders_and_cancels_cause_no_deadlock;
}

async fn referral_balance(panel: &Panel, user: i64) -> i64 {
    panel.number(Sql::new("SELECT balance_referral FROM users WHERE id = ?").bind(user)).await
}

async fn set_affiliate(panel: &Panel, user: i64, affiliate: i64) {
    let path = format!("/api/v1/admin/users/{user}/affiliates");
    let answer = panel.post(&path, &json!({ "affiliate_id": affiliate })).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

async fn set_referral_rate(panel: &Panel, user: i64, fraction: Value) {
    let body = json!({ "referral_program_fraction": fraction });
    let answer = panel.send("owner", "PATCH", &format!("/api/v1/admin/users/{user}"), &body, None).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

/// An order that costs 10.
fn order_of_ten(user: i64) -> NewOrder {
    NewOrder::plain(UserId::new(user), PLAIN, "https://video.example/c", 1000)
}

async fn an_affiliate_earns_at_their_own_rate_or_the_panels(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    panel.place(&order_of_ten(1)).await;
    assert_eq!(referral_balance(&panel, 2).await, 0, "the customer has no affiliate yet");
    set_affiliate(&panel, 1, 2).await;
    panel.place(&order_of_ten(1)).await;
    assert_eq!(referral_balance(&panel, 2).await, 500_000, "five percent of ten");
    set_referral_rate(&panel, 2, json!("0.2")).await;
    panel.place(&order_of_ten(1)).await;
    assert_eq!(referral_balance(&panel, 2).await, 2_500_000);
    set_referral_rate(&panel, 2, json!("0")).await;
    panel.place(&order_of_ten(1)).await;
    assert_eq!(referral_balance(&panel, 2).await, 2_500_000, "a rate of 0 replaces the panel's rate");
    set_referral_rate(&panel, 2, Value::Null).await;
    panel.save_settings(json!({ "default_referral_program_fraction": "0.07" })).await;
    panel.place(&NewOrder { quantity: 100, ..order_of_ten(1) }).await;
    assert_eq!(referral_balance(&panel, 2).await, 2_570_000);
    panel.place(&NewOrder { is_free: true, ..order_of_ten(1) }).await;
    panel.place(&order_of_ten(3)).await;
    assert_eq!(
        referral_balance(&panel, 2).await,
        2_570_000,
        "neither free orders nor orders of other customers earn"
    );
    assert_eq!(panel.post("/api/v1/admin/users/2/deactivate", &json!({})).await.status, 200);
    panel.place(&order_of_ten(1)).await;
    assert_eq!(referral_balance(&panel, 2).await, 2_570_000);
    let payments =
        panel.get("/api/v1/admin/payments?columns[0][data]=type&columns[0][search][value]=referral").await;
    assert_eq!(payments.json()["recordsFiltered"], 3, "{}", payments.text);
    panel.assert_healthy().await;
}

async fn an_unpaid_order_earns_when_it_is_charged(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    set_affiliate(&panel, 4, 2).await;
    set_affiliate(&panel, 5, 3).await;
    let mut ids = Vec::new();
    for user in [4, 5, 4] {
        ids.push(panel.place(&NewOrder { paying_balances: Vec::new(), ..order_of_ten(user) }).await.id);
    }
    assert_eq!((referral_balance(&panel, 2).await, referral_balance(&panel, 3).await), (0, 0));
    let body = json!({ "order_ids": ids });
    let dry_run = panel.post("/api/v1/admin/orders/activate?dry_run=1", &body).await;
    assert_eq!((dry_run.status.as_u16(), referral_balance(&panel, 2).await), (200, 0));
    assert_eq!(panel.post("/api/v1/admin/orders/activate", &body).await.json()["processed"], 3);
    assert_eq!((referral_balance(&panel, 2).await, referral_balance(&panel, 3).await), (1_000_000, 500_000));
    panel.assert_healthy().await;
}

async fn runs_of_a_drip_feed_earn_when_they_are_placed(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    panel.execute(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE")).await;
    set_affiliate(&panel, 4, 2).await;
    let feed = NewDripFeed {
        user_id: UserId::new(4),
        service_id: PLAIN,
        url: "https://video.example/drip".into(),
        quantity: 1_000,
        runs: 2,
        minutes_between_runs: 30,
        country: None,
        paying_balance: BalanceType::Main,
        targets: Vec::new(),
    };
    let mut work = panel.begin_work().await;
    let id = run::start(&mut work, &feed).await.unwrap();
    work.finish(()).await.unwrap();
    assert_eq!(referral_balance(&panel, 2).await, 0, "held money is not charged yet");
    let mut work = panel.begin_work().await;
    run::run(&mut work, id).await.unwrap().unwrap();
    work.finish(()).await.unwrap();
    assert_eq!(referral_balance(&panel, 2).await, 500_000);
    panel.assert_healthy().await;
}

async fn a_refund_takes_its_commission_back(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    set_affiliate(&panel, 1, 2).await;
    let (partly_refunded, refunded, refunded_after_spending) = (
        panel.place(&order_of_ten(1)).await.id,
        panel.place(&order_of_ten(1)).await.id,
        panel.place(&order_of_ten(1)).await.id,
    );
    assert_eq!(referral_balance(&panel, 2).await, 1_500_000);
    let cancel = async |id: OrderId, body: Value| {
        let answer = panel.post(&format!("/api/v1/admin/orders/{id}/cancel"), &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    };
    cancel(partly_refunded, json!({ "return_money": true, "amount": "4" })).await;
    assert_eq!(referral_balance(&panel, 2).await, 1_300_000);
    cancel(refunded, json!({ "return_money": true })).await;
    assert_eq!(referral_balance(&panel, 2).await, 800_000);
    // The affiliate spends 0.7 of the remaining 0.8, so only 0.1 can be taken back.
    let body =
        json!({ "user_id": 2, "transaction_type": "outcome", "amount": "0.7", "balance_type": "referral" });
    assert_eq!(panel.send("owner", "POST", "/api/v1/admin/payments", &body, Some("spend")).await.status, 200);
    cancel(refunded_after_spending, json!({ "return_money": true })).await;
    assert_eq!(referral_balance(&panel, 2).await, 0);
    panel.assert_healthy().await;
}

async fn a_widget_and_an_affiliate_earn_from_one_order(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let widget = json!({ "name": "Blog", "user_id": 3, "reward_fraction": "0.1" });
    let id =
        panel.post_data("/api/v1/admin/order-widgets", widget).await["id"].as_i64().map(OrderWidgetId::new);
    set_affiliate(&panel, 1, 2).await;
    set_affiliate(&panel, 4, 3).await;
    let first = panel.place(&NewOrder { widget: id, ..order_of_ten(1) }).await.id;
    assert_eq!((referral_balance(&panel, 2).await, referral_balance(&panel, 3).await), (500_000, 1_000_000));
    // User 3 is the owner of the widget and the affiliate.
    let second = panel.place(&NewOrder { widget: id, ..order_of_ten(4) }).await.id;
    assert_eq!(referral_balance(&panel, 3).await, 2_500_000);
    let body = json!({ "order_ids": [first, second], "return_money": true });
    let answer = panel.post("/api/v1/admin/orders/cancel", &body).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["processed"]), (200, &json!(2)), "{}", answer.text);
    assert_eq!((referral_balance(&panel, 2).await, referral_balance(&panel, 3).await), (0, 0));
    panel.assert_healthy().await;
}

/// The users are affiliates of each other, so that parallel orders and cancels lock their balances in different orders.
async fn parallel_orders_and_cancels_cause_no_deadlock(dialect: Dialect) {
    let panel = Arc::new(Panel::shop(dialect, 4, 0).await);
    set_affiliate(&panel, 1, 3).await;
    set_affiliate(&panel, 4, 2).await;
    set_affiliate(&panel, 3, 4).await;
    let workers = (0..8_i64).map(|worker| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            for step in 0..6 {
                let user = [1, 4, 3][usize::try_from((worker + step) % 3).unwrap()];
                let body = json!({ "user_id": user, "service_id": PLAIN, "quantity": 1000, "url": format!("https://video.example/{worker}/{step}") });
                let placed = panel.post("/api/v1/admin/orders", &body).await;
                assert_eq!(placed.status, 200, "{}", placed.text);
                let id = placed.json()["data"]["id"].as_i64().unwrap();
                if step % 2 == 0 {
                    let answer = panel
                        .post(&format!("/api/v1/admin/orders/{id}/cancel"), &json!({ "return_money": true }))
                        .await;
                    assert_eq!(answer.status, 200, "{}", answer.text);
                }
            }
        })
    });
    for worker in join_all(workers).await {
        worker.unwrap();
    }
    let total = Sql::new("SELECT CAST(sum(balance_referral) AS BIGINT) FROM users");
    assert_eq!(panel.number(total).await, 24 * 500_000, "24 of the 48 orders were not canceled");
    panel.assert_healthy().await;
}
