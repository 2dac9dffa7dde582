//! Tests commissions: an affiliate earns a fraction of the cost of their referrals' orders, at their own rate or the default rate.
//! A refund reduces the commission, and the owner of a widget and an affiliate can both earn from one order.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::ids::{OrderId, OrderWidgetId, UserId};
use panel_contract::payments::BalanceType;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::drip_feeds::run::{self, NewDripFeed};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::shop::PLAIN_SERVICE;

test_both_databases! {
    an_affiliate_earns_at_their_own_rate_or_the_default_rate;
    an_unpaid_order_earns_a_commission_when_it_is_charged;
    runs_of_a_drip_feed_earn_a_commission_when_they_are_placed;
    a_refund_reduces_the_commission;
    a_widget_and_an_affiliate_earn_from_one_order;
    parallel_orders_and_cancels_cause_no_deadlock;
}

async fn fetch_referral_balance(panel: &Panel, user: i64) -> i64 {
    panel.fetch_number(Sql::new("SELECT balance_referral FROM users WHERE id = ?").bind(user)).await
}

async fn set_affiliate(panel: &Panel, user: i64, affiliate: i64) {
    let path = format!("/api/v1/admin/users/{user}/affiliates");
    let response = panel.post(&path, &json!({ "affiliate_id": affiliate })).await;
    assert_eq!(response.status, 200, "{}", response.text);
}

async fn set_referral_rate(panel: &Panel, user: i64, fraction: Value) {
    let body = json!({ "referral_program_fraction": fraction });
    let response = panel.send("owner", "PATCH", &format!("/api/v1/admin/users/{user}"), &body, None).await;
    assert_eq!(response.status, 200, "{}", response.text);
}

/// An order of the customer that costs 10.
fn new_order_for_ten(user: i64) -> NewOrder {
    NewOrder::without_options(UserId::new(user), PLAIN_SERVICE, "https://video.example/c", 1000)
}

async fn an_affiliate_earns_at_their_own_rate_or_the_default_rate(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    panel.place_order(&new_order_for_ten(1)).await;
    assert_eq!(
        fetch_referral_balance(&panel, 2).await,
        0,
        "the affiliate must not earn before the customer is their referral"
    );
    set_affiliate(&panel, 1, 2).await;
    panel.place_order(&new_order_for_ten(1)).await;
    assert_eq!(
        fetch_referral_balance(&panel, 2).await,
        500_000,
        "the commission must be five percent of ten"
    );
    set_referral_rate(&panel, 2, json!("0.2")).await;
    panel.place_order(&new_order_for_ten(1)).await;
    assert_eq!(fetch_referral_balance(&panel, 2).await, 2_500_000);
    set_referral_rate(&panel, 2, json!("0")).await;
    panel.place_order(&new_order_for_ten(1)).await;
    assert_eq!(
        fetch_referral_balance(&panel, 2).await,
        2_500_000,
        "a rate of 0 must replace the default rate"
    );
    set_referral_rate(&panel, 2, Value::Null).await;
    panel.save_settings(json!({ "default_referral_program_fraction": "0.07" })).await;
    panel.place_order(&NewOrder { quantity: 100, ..new_order_for_ten(1) }).await;
    assert_eq!(fetch_referral_balance(&panel, 2).await, 2_570_000);
    panel.place_order(&NewOrder { is_free: true, ..new_order_for_ten(1) }).await;
    panel.place_order(&new_order_for_ten(3)).await;
    assert_eq!(
        fetch_referral_balance(&panel, 2).await,
        2_570_000,
        "free orders and orders of other customers must earn nothing"
    );
    assert_eq!(panel.post("/api/v1/admin/users/2/deactivate", &json!({})).await.status, 200);
    panel.place_order(&new_order_for_ten(1)).await;
    assert_eq!(fetch_referral_balance(&panel, 2).await, 2_570_000);
    let payments =
        panel.get("/api/v1/admin/payments?columns[0][data]=type&columns[0][search][value]=referral").await;
    assert_eq!(payments.json()["recordsFiltered"], 3, "{}", payments.text);
    panel.assert_healthy().await;
}

async fn an_unpaid_order_earns_a_commission_when_it_is_charged(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    set_affiliate(&panel, 4, 2).await;
    set_affiliate(&panel, 5, 3).await;
    let mut ids = Vec::new();
    for user in [4, 5, 4] {
        ids.push(
            panel.place_order(&NewOrder { paying_balances: Vec::new(), ..new_order_for_ten(user) }).await.id,
        );
    }
    assert_eq!((fetch_referral_balance(&panel, 2).await, fetch_referral_balance(&panel, 3).await), (0, 0));
    let body = json!({ "order_ids": ids });
    let dry_run = panel.post("/api/v1/admin/orders/activate?dry_run=1", &body).await;
    assert_eq!((dry_run.status.as_u16(), fetch_referral_balance(&panel, 2).await), (200, 0));
    assert_eq!(panel.post("/api/v1/admin/orders/activate", &body).await.json()["processed"], 3);
    assert_eq!(
        (fetch_referral_balance(&panel, 2).await, fetch_referral_balance(&panel, 3).await),
        (1_000_000, 500_000)
    );
    panel.assert_healthy().await;
}

async fn runs_of_a_drip_feed_earn_a_commission_when_they_are_placed(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    panel.execute(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE")).await;
    set_affiliate(&panel, 4, 2).await;
    let feed = NewDripFeed {
        user_id: UserId::new(4),
        service_id: PLAIN_SERVICE,
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
    assert_eq!(fetch_referral_balance(&panel, 2).await, 0, "a hold must earn nothing before it is charged");
    let mut work = panel.begin_work().await;
    run::place_due_run(&mut work, id).await.unwrap().unwrap();
    work.finish(()).await.unwrap();
    assert_eq!(fetch_referral_balance(&panel, 2).await, 500_000);
    panel.assert_healthy().await;
}

async fn a_refund_reduces_the_commission(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    set_affiliate(&panel, 1, 2).await;
    let (partly_refunded_id, refunded_id, late_refunded_id) = (
        panel.place_order(&new_order_for_ten(1)).await.id,
        panel.place_order(&new_order_for_ten(1)).await.id,
        panel.place_order(&new_order_for_ten(1)).await.id,
    );
    assert_eq!(fetch_referral_balance(&panel, 2).await, 1_500_000);
    let cancel_order = async |id: OrderId, body: Value| {
        let response = panel.post(&format!("/api/v1/admin/orders/{id}/cancel"), &body).await;
        assert_eq!(response.status, 200, "{}", response.text);
    };
    cancel_order(partly_refunded_id, json!({ "return_money": true, "amount": "4" })).await;
    assert_eq!(fetch_referral_balance(&panel, 2).await, 1_300_000);
    cancel_order(refunded_id, json!({ "return_money": true })).await;
    assert_eq!(fetch_referral_balance(&panel, 2).await, 800_000);
    // The affiliate spends 0.7 of the remaining 0.8, so the server can deduct only 0.1.
    let body =
        json!({ "user_id": 2, "transaction_type": "outcome", "amount": "0.7", "balance_type": "referral" });
    assert_eq!(panel.send("owner", "POST", "/api/v1/admin/payments", &body, Some("spend")).await.status, 200);
    cancel_order(late_refunded_id, json!({ "return_money": true })).await;
    assert_eq!(fetch_referral_balance(&panel, 2).await, 0);
    panel.assert_healthy().await;
}

async fn a_widget_and_an_affiliate_earn_from_one_order(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let widget_body = json!({ "name": "Blog", "user_id": 3, "reward_fraction": "0.1" });
    let widget_id = panel.post_data("/api/v1/admin/order-widgets", widget_body).await["id"]
        .as_i64()
        .map(OrderWidgetId::new);
    set_affiliate(&panel, 1, 2).await;
    set_affiliate(&panel, 4, 3).await;
    let first_order_id = panel.place_order(&NewOrder { widget: widget_id, ..new_order_for_ten(1) }).await.id;
    assert_eq!(
        (fetch_referral_balance(&panel, 2).await, fetch_referral_balance(&panel, 3).await),
        (500_000, 1_000_000)
    );
    // User 3 owns the widget and is also the affiliate of the customer.
    let second_order_id = panel.place_order(&NewOrder { widget: widget_id, ..new_order_for_ten(4) }).await.id;
    assert_eq!(fetch_referral_balance(&panel, 3).await, 2_500_000);
    let body = json!({ "order_ids": [first_order_id, second_order_id], "return_money": true });
    let response = panel.post("/api/v1/admin/orders/cancel", &body).await;
    assert_eq!(
        (response.status.as_u16(), &response.json()["processed"]),
        (200, &json!(2)),
        "{}",
        response.text
    );
    assert_eq!((fetch_referral_balance(&panel, 2).await, fetch_referral_balance(&panel, 3).await), (0, 0));
    panel.assert_healthy().await;
}

/// The users are affiliates of each other. So parallel orders and cancels lock the balances of these users in different sequences.
async fn parallel_orders_and_cancels_cause_no_deadlock(dialect: Dialect) {
    let panel = Arc::new(Panel::with_users_and_orders(dialect, 4, 0).await);
    set_affiliate(&panel, 1, 3).await;
    set_affiliate(&panel, 4, 2).await;
    set_affiliate(&panel, 3, 4).await;
    let tasks = (0..8_i64).map(|task| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            for step in 0..6 {
                let user = [1, 4, 3][usize::try_from((task + step) % 3).unwrap()];
                let body = json!({ "user_id": user, "service_id": PLAIN_SERVICE, "quantity": 1000, "url": format!("https://video.example/{task}/{step}") });
                let place_response = panel.post("/api/v1/admin/orders", &body).await;
                assert_eq!(place_response.status, 200, "{}", place_response.text);
                let id = place_response.json()["data"]["id"].as_i64().unwrap();
                if step % 2 == 0 {
                    let response = panel
                        .post(&format!("/api/v1/admin/orders/{id}/cancel"), &json!({ "return_money": true }))
                        .await;
                    assert_eq!(response.status, 200, "{}", response.text);
                }
            }
        })
    });
    for result in join_all(tasks).await {
        result.unwrap();
    }
    let sum_balances_sql = Sql::new("SELECT CAST(sum(balance_referral) AS BIGINT) FROM users");
    assert_eq!(
        panel.fetch_number(sum_balances_sql).await,
        24 * 500_000,
        "the 24 orders that were not canceled must earn their commission"
    );
    panel.assert_healthy().await;
}
