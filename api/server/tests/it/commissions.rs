//! Commissions: who brought a customer earns by their orders, by an own share or the panel's; what is returned takes its
//! share back; a widget's owner and an affiliate earn by one order; no deadlock occurs.

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
    orders_earn_by_an_own_share_or_the_panels;
    what_waits_earns_when_it_is_charged;
    runs_earn_as_they_are_placed;
    what_goes_back_takes_its_share_back;
    a_widget_and_an_affiliate_earn_by_one_order;
    placing_and_canceling_at_once;
}

async fn earned(panel: &Panel, user: i64) -> i64 {
    panel.number(Sql::new("SELECT balance_referral FROM users WHERE id = ?").bind(user)).await
}

async fn brought_by(panel: &Panel, user: i64, affiliate: i64) {
    let path = format!("/api/v1/admin/users/{user}/affiliates");
    let answer = panel.post(&path, &json!({ "affiliate_id": affiliate })).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

async fn own_share(panel: &Panel, user: i64, share: Value) {
    let body = json!({ "referral_program_percent": share });
    let answer = panel.send("owner", "PATCH", &format!("/api/v1/admin/users/{user}"), &body, None).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

/// An order for 10.
fn ten(user: i64) -> NewOrder {
    NewOrder::plain(UserId::new(user), PLAIN, "https://video.example/c", 1000)
}

async fn orders_earn_by_an_own_share_or_the_panels(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    panel.place(&ten(1)).await;
    assert_eq!(earned(&panel, 2).await, 0, "the customer has no affiliate yet");
    brought_by(&panel, 1, 2).await;
    panel.place(&ten(1)).await;
    assert_eq!(earned(&panel, 2).await, 500_000, "five percent of ten");
    own_share(&panel, 2, json!("0.2")).await;
    panel.place(&ten(1)).await;
    assert_eq!(earned(&panel, 2).await, 2_500_000);
    own_share(&panel, 2, json!("0")).await;
    panel.place(&ten(1)).await;
    assert_eq!(earned(&panel, 2).await, 2_500_000, "an own share of nothing is one");
    own_share(&panel, 2, Value::Null).await;
    panel.settled(json!({ "default_referral_program_percent": "0.07" })).await;
    panel.place(&NewOrder { quantity: 100, ..ten(1) }).await;
    assert_eq!(earned(&panel, 2).await, 2_570_000);
    panel.place(&NewOrder { is_free: true, ..ten(1) }).await;
    panel.place(&ten(3)).await;
    assert_eq!(earned(&panel, 2).await, 2_570_000, "neither what is free nor what others order");
    assert_eq!(panel.post("/api/v1/admin/users/2/deactivate", &json!({})).await.status, 200);
    panel.place(&ten(1)).await;
    assert_eq!(earned(&panel, 2).await, 2_570_000);
    let payments =
        panel.get("/api/v1/admin/payments?columns[0][data]=type&columns[0][search][value]=referral").await;
    assert_eq!(payments.json()["recordsFiltered"], 3, "{}", payments.text);
    panel.assert_healthy().await;
}

async fn what_waits_earns_when_it_is_charged(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    brought_by(&panel, 4, 2).await;
    brought_by(&panel, 5, 3).await;
    let mut ids = Vec::new();
    for user in [4, 5, 4] {
        ids.push(panel.place(&NewOrder { pays: Vec::new(), ..ten(user) }).await.id);
    }
    assert_eq!((earned(&panel, 2).await, earned(&panel, 3).await), (0, 0));
    let body = json!({ "order_ids": ids });
    let tried = panel.post("/api/v1/admin/orders/activate?dry_run=1", &body).await;
    assert_eq!((tried.status.as_u16(), earned(&panel, 2).await), (200, 0));
    assert_eq!(panel.post("/api/v1/admin/orders/activate", &body).await.json()["processed"], 3);
    assert_eq!((earned(&panel, 2).await, earned(&panel, 3).await), (1_000_000, 500_000));
    panel.assert_healthy().await;
}

async fn runs_earn_as_they_are_placed(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    panel.exec(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE")).await;
    brought_by(&panel, 4, 2).await;
    let feed = NewDripFeed {
        user_id: UserId::new(4),
        service_id: PLAIN,
        url: "https://video.example/drip".into(),
        quantity: 1_000,
        runs: 2,
        minutes_between_runs: 30,
        country: None,
        pays: BalanceType::Main,
        targets: Vec::new(),
    };
    let mut work = panel.work().await;
    let id = run::start(&mut work, &feed).await.unwrap();
    work.finish(()).await.unwrap();
    assert_eq!(earned(&panel, 2).await, 0, "what is only held is not charged");
    let mut work = panel.work().await;
    run::run(&mut work, id).await.unwrap().unwrap();
    work.finish(()).await.unwrap();
    assert_eq!(earned(&panel, 2).await, 500_000);
    panel.assert_healthy().await;
}

async fn what_goes_back_takes_its_share_back(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    brought_by(&panel, 1, 2).await;
    let (part, whole, spent) =
        (panel.place(&ten(1)).await.id, panel.place(&ten(1)).await.id, panel.place(&ten(1)).await.id);
    assert_eq!(earned(&panel, 2).await, 1_500_000);
    let cancel = async |id: OrderId, body: Value| {
        let answer = panel.post(&format!("/api/v1/admin/orders/{id}/cancel"), &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    };
    cancel(part, json!({ "return_money": true, "amount": "4" })).await;
    assert_eq!(earned(&panel, 2).await, 1_300_000);
    cancel(whole, json!({ "return_money": true })).await;
    assert_eq!(earned(&panel, 2).await, 800_000);
    // What was spent meanwhile stays spent.
    let body =
        json!({ "user_id": 2, "transaction_type": "outcome", "amount": "0.7", "balance_type": "referral" });
    assert_eq!(panel.send("owner", "POST", "/api/v1/admin/payments", &body, Some("spend")).await.status, 200);
    cancel(spent, json!({ "return_money": true })).await;
    assert_eq!(earned(&panel, 2).await, 0);
    panel.assert_healthy().await;
}

async fn a_widget_and_an_affiliate_earn_by_one_order(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let widget = json!({ "name": "Blog", "user_id": 3, "reward_percent": "0.1" });
    let id = panel.made("/api/v1/admin/order-widgets", widget).await["id"].as_i64().map(OrderWidgetId::new);
    brought_by(&panel, 1, 2).await;
    brought_by(&panel, 4, 3).await;
    let first = panel.place(&NewOrder { widget: id, ..ten(1) }).await.id;
    assert_eq!((earned(&panel, 2).await, earned(&panel, 3).await), (500_000, 1_000_000));
    // One person is both.
    let second = panel.place(&NewOrder { widget: id, ..ten(4) }).await.id;
    assert_eq!(earned(&panel, 3).await, 2_500_000);
    let body = json!({ "order_ids": [first, second], "return_money": true });
    let answer = panel.post("/api/v1/admin/orders/cancel", &body).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["processed"]), (200, &json!(2)), "{}", answer.text);
    assert_eq!((earned(&panel, 2).await, earned(&panel, 3).await), (0, 0));
    panel.assert_healthy().await;
}

/// Two bring each other's opposite: their customers order, activate and cancel at once, and no deadlock occurs.
async fn placing_and_canceling_at_once(dialect: Dialect) {
    let panel = Arc::new(Panel::shop(dialect, 4, 0).await);
    brought_by(&panel, 1, 3).await;
    brought_by(&panel, 4, 2).await;
    brought_by(&panel, 3, 4).await;
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
    let all = Sql::new("SELECT CAST(sum(balance_referral) AS BIGINT) FROM users");
    assert_eq!(panel.number(all).await, 24 * 500_000, "half of the 48 orders stayed");
    panel.assert_healthy().await;
}
