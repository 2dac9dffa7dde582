//! Dispatch of orders from placement to their end: sent, polled, completed, failed over, refunded.

use panel_contract::ids::OrderId;
use panel_demo::panel::FakeBehavior;
use panel_demo::panel::world::{OrderBehavior, START_COUNT};
use panel_platform::db::{Dialect, Sql};
use panel_server::supply::dispatch;
use serde_json::{Value, json};

use crate::shop::{DEPOSIT, PLAIN};
use crate::supplied::Supplied;

both! {
    an_order_is_placed_polled_and_completed;
    the_undelivered_remainder_fails_over;
    a_charge_tells_what_was_delivered_where_the_panel_says_so;
    orders_without_a_provider_are_counted;
    staff_are_notified_once_of_an_order_without_a_provider;
    an_order_without_a_provider_refunds_the_undelivered_part;
    a_canceled_order_is_canceled_there_and_pays_once;
    another_provider_waits_for_the_first_ones_answer;
    paused_orders_are_not_sent;
    moderated_orders_are_sent_when_approved;
    refusals_are_retried_or_fail_over;
    panel_responses_are_recorded;
    a_refill_is_passed_on_and_followed;
    orders_refill_by_themselves;
    staff_close_a_refill_that_no_panel_was_asked_for;
    a_refill_that_no_panel_learned_of_is_closed;
    what_a_panel_says_remains_is_refilled_by_itself;
    losses_are_measured_from_when_auto_refill_is_switched_on;
}

fn cancel(id: OrderId) -> String {
    format!("/api/v1/admin/orders/{id}/cancel")
}

async fn an_order_is_placed_polled_and_completed(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    shop.settle().await;
    assert_eq!((shop.states(id).await, shop.taken()), (vec!["Pending".to_owned()], vec![1]));
    shop.pass(60).await;
    let order = shop.ours.order(id).await;
    assert_eq!(
        (order["status"].as_str(), order["current_quantity"].as_i64()),
        (Some("in_processing"), Some(300))
    );
    assert_eq!(order["external_order_start_count"], 3572);
    shop.pass(120).await;
    let order = shop.ours.order(id).await;
    assert_eq!(
        (order["status"].as_str(), order["current_quantity"].as_i64()),
        (Some("completed"), Some(600))
    );
    assert_eq!((order["provider_cost"].as_str(), order["revenue"].as_str()), (Some("0.6"), Some("5.4")));
    assert_eq!(shop.attempts(id).await[0]["charge"], "0.6");
    let booked = Sql::new(
        "SELECT CAST(sum(quantity * 1000000000 + cost) AS BIGINT) FROM provider_statistics WHERE order_id = ?",
    );
    assert_eq!(shop.ours.number(booked.bind(id)).await, 600_000_600_000);
    let calls = shop.theirs[0].calls().len();
    shop.pass(600).await;
    assert_eq!(shop.theirs[0].calls().len(), calls, "what is over is not asked about");
    shop.assert_healthy().await;
}

async fn the_undelivered_remainder_fails_over(dialect: Dialect) {
    let shop = Supplied::on(
        dialect,
        &[OrderBehavior::Partial(40), OrderBehavior::Canceled, OrderBehavior::Delivered],
    )
    .await;
    let id = shop.order(1).await;
    shop.pass(600).await;
    let order = shop.ours.order(id).await;
    assert_eq!(
        (order["status"].as_str(), order["current_quantity"].as_i64()),
        (Some("completed"), Some(600))
    );
    assert_eq!(shop.states(id).await, ["Partial", "Canceled", "Completed"]);
    let quantities: Vec<i64> =
        shop.attempts(id).await.iter().map(|attempt| attempt["initial_quantity"].as_i64().unwrap()).collect();
    assert_eq!(quantities, [600, 360, 360]);
    assert_eq!(order["provider_cost"], "0.6");
    assert_eq!(shop.ours.balances(1).await.0, DEPOSIT - 6_000_000, "the customer paid once");
    shop.assert_healthy().await;
}

/// 40 % of 600 are charged at half of the known price: by the remaining quantity 240 were delivered, by the charge 120.
async fn a_charge_tells_what_was_delivered_where_the_panel_says_so(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Partial(40)]).await;
    shop.ours.exec(Sql::new("UPDATE providers SET source_price = source_price * 2")).await;
    shop.ours.exec(Sql::new("UPDATE external_panels SET statistic_type = 'charge'")).await;
    let id = shop.order(1).await;
    shop.pass(600).await;
    assert_eq!(shop.states(id).await, ["Partial"]);
    assert_eq!(shop.attempts(id).await[0]["remains"], 480);
    assert_eq!(shop.ours.order(id).await["current_quantity"], 120);
    // Polled again after an hour, the panel returns the same, and staff get no alert.
    shop.pass(3_690).await;
    let alarmed = Sql::new(
        "SELECT count(*) FROM external_panel_orders WHERE alert_at IS NOT NULL OR last_error IS NOT NULL",
    );
    assert_eq!(shop.ours.number(alarmed).await, 0);
    shop.assert_healthy().await;
}

async fn orders_without_a_provider_are_counted(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Partial(40), OrderBehavior::Delivered]).await;
    shop.ours.exec(Sql::new("UPDATE external_panels SET auto_recreate_orders_is_allowed = FALSE")).await;
    let id = shop.order(1).await;
    shop.pass(600).await;
    let order = shop.ours.order(id).await;
    assert_eq!(
        (order["status"].as_str(), order["has_no_active_providers"].as_bool()),
        (Some("in_processing"), Some(true))
    );
    assert_eq!((shop.states(id).await, shop.taken()), (vec!["Partial".to_owned()], vec![1, 0]));
    shop.assert_healthy().await;
    // Staff change the provider: the order is placed again and completes.
    let moved = json!({ "order_ids": [id], "provider_id": 12 });
    assert_eq!(shop.ours.post("/api/v1/admin/orders/change-provider", &moved).await.status, 200);
    shop.pass(600).await;
    let order = shop.ours.order(id).await;
    assert_eq!(
        (order["status"].as_str(), order["has_no_active_providers"].as_bool()),
        (Some("completed"), Some(false))
    );
    shop.assert_healthy().await;
}

async fn staff_are_notified_once_of_an_order_without_a_provider(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Partial(40), OrderBehavior::Partial(20)]).await;
    shop.ours.exec(Sql::new("UPDATE external_panels SET auto_recreate_orders_is_allowed = FALSE")).await;
    let recipient = "INSERT INTO notification_recipients (audience, user_id) SELECT 'support', id FROM users WHERE email = 'owner@panel.test'";
    assert_eq!(shop.ours.exec(Sql::new(recipient)).await, 1);
    let id = shop.order(1).await;
    let audits = Sql::new(
        "SELECT count(*) FROM audits WHERE event = 'order.left_without_provider' AND auditable_id = ?",
    );
    let audits = audits.bind(id);
    let letters =
        Sql::new("SELECT count(*) FROM jobs WHERE kind = 'mail' AND payload LIKE '%no active provider%'");
    shop.pass(600).await;
    assert_eq!((shop.ours.number(audits.clone()).await, shop.ours.number(letters.clone()).await), (1, 1));
    // Further cycles send no second email.
    shop.ours.exec(Sql::new("UPDATE orders SET dispatch_at = 1")).await;
    shop.settle().await;
    assert_eq!((shop.ours.number(audits.clone()).await, shop.ours.number(letters.clone()).await), (1, 1));
    // The order gets another provider and loses it again, so staff are notified again.
    let moved = json!({ "order_ids": [id], "provider_id": 12 });
    assert_eq!(shop.ours.post("/api/v1/admin/orders/change-provider", &moved).await.status, 200);
    shop.pass(600).await;
    assert_eq!(shop.states(id).await, ["Partial", "Partial"]);
    let is_left = shop.ours.order(id).await["has_no_active_providers"].clone();
    let seen = (shop.ours.number(audits).await, shop.ours.number(letters).await);
    assert_eq!((is_left, seen), (json!(true), (2, 2)));
    shop.assert_healthy().await;
}

async fn an_order_without_a_provider_refunds_the_undelivered_part(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Partial(40)]).await;
    shop.ours.exec(Sql::new("UPDATE services SET auto_cancel = TRUE")).await;
    let id = shop.order(1).await;
    shop.pass(600).await;
    let order = shop.ours.order(id).await;
    assert_eq!((order["status"].as_str(), order["refunded"].as_str()), (Some("canceled"), Some("3.6")));
    assert_eq!(order["cancel_reason"], "provider_failure");
    assert_eq!(shop.ours.balances(1).await.0, DEPOSIT - 2_400_000);
    shop.ours.exec(Sql::new("UPDATE services SET no_refund = TRUE")).await;
    let kept = shop.order(2).await;
    shop.pass(600).await;
    let order = shop.ours.order(kept).await;
    assert_eq!((order["status"].as_str(), order["refunded"].as_str()), (Some("canceled"), Some("0")));
    assert_eq!(shop.ours.balances(1).await.0, DEPOSIT - 8_400_000);
    shop.assert_healthy().await;
}

async fn a_canceled_order_is_canceled_there_and_pays_once(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    shop.pass(90).await;
    assert_eq!(shop.ours.post(&cancel(id), &json!({ "return_money": true })).await.status, 200);
    assert_eq!(shop.ours.balances(1).await.0, DEPOSIT - 3_000_000);
    shop.settle().await;
    shop.pass(600).await;
    assert_eq!(shop.states(id).await, ["Canceled"]);
    let asked = shop.theirs[0].calls().iter().filter(|call| call["action"] == "cancel").count();
    assert_eq!(asked, 1);
    let order = shop.ours.order(id).await;
    assert_eq!((order["status"].as_str(), order["provider_cost"].as_str()), (Some("canceled"), Some("0.3")));
    assert_eq!(shop.ours.balances(1).await.0, DEPOSIT - 3_000_000, "its end there moves no money");
    // A canceled order that was not sent yet is never sent.
    let unsent = shop.order(2).await;
    dispatch::dispatch_due_orders(&shop.ours.app).await.unwrap();
    assert_eq!(shop.ours.post(&cancel(unsent), &json!({})).await.status, 200);
    shop.pass(60).await;
    assert_eq!((shop.states(unsent).await, shop.taken()), (vec!["Canceled".to_owned()], vec![1]));
    shop.assert_healthy().await;
}

async fn another_provider_waits_for_the_first_ones_answer(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Stuck, OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    shop.settle().await;
    shop.behave(0, FakeBehavior::Down);
    let moved = json!({ "order_ids": [id], "provider_id": 12 });
    assert_eq!(shop.ours.post("/api/v1/admin/orders/change-provider", &moved).await.status, 200);
    shop.pass(120).await;
    assert_eq!(shop.taken(), [1, 0], "the first attempt has no outcome yet");
    shop.behave(0, FakeBehavior::Good);
    shop.pass(900).await;
    assert_eq!(
        (shop.states(id).await, shop.taken()),
        (vec!["Canceled".to_owned(), "Completed".into()], vec![1, 1])
    );
    assert_eq!(shop.ours.order(id).await["status"], "completed");
    shop.assert_healthy().await;
}

async fn paused_orders_are_not_sent(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    dispatch::dispatch_due_orders(&shop.ours.app).await.unwrap();
    let to = |verb: &str| format!("/api/v1/admin/orders/{id}/{verb}");
    assert_eq!(shop.ours.post(&to("pause"), &json!({})).await.status, 200);
    shop.pass(300).await;
    assert_eq!((shop.taken(), shop.states(id).await), (vec![0], vec!["Creating".to_owned()]));
    assert_eq!(shop.ours.post(&to("activate"), &json!({})).await.status, 200);
    shop.pass(300).await;
    assert_eq!((shop.taken(), shop.ours.order(id).await["status"].clone()), (vec![1], json!("completed")));
    shop.assert_healthy().await;
}

async fn moderated_orders_are_sent_when_approved(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.ours
        .exec(Sql::new("UPDATE services SET moderation_is_enabled = TRUE WHERE id = ?").bind(PLAIN))
        .await;
    let id = shop.order(1).await;
    shop.pass(60).await;
    assert!(shop.attempts(id).await.is_empty());
    assert_eq!(shop.ours.post(&format!("/api/v1/admin/orders/{id}/approve"), &json!({})).await.status, 200);
    shop.settle().await;
    assert_eq!((shop.taken(), shop.states(id).await), (vec![1], vec!["Pending".to_owned()]));
    shop.assert_healthy().await;
}

async fn refusals_are_retried_or_fail_over(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
    shop.theirs[0].world().balance.0 = 100_000;
    let id = shop.order(1).await;
    shop.settle().await;
    assert_eq!(shop.states(id).await, ["Creating"]);
    assert_eq!(shop.attempts(id).await[0]["last_error"], "neworder.error.not_enough_funds");
    shop.theirs[0].world().balance.0 = 1_000_000;
    shop.pass(30).await;
    assert_eq!(
        (shop.states(id).await, shop.taken()),
        (vec!["Pending".to_owned()], vec![1, 0]),
        "tried again"
    );
    // A service that the panel deleted is not retried; the order fails over to the next provider.
    shop.theirs[0].world().offers.clear();
    let other = shop.order(2).await;
    shop.settle().await;
    assert_eq!(shop.states(other).await, ["Canceled", "Pending"]);
    assert_eq!(shop.attempts(other).await[0]["last_error"], "error.incorrect_service_id");
    // When the balance at the panel stays too low, the order fails over after some hours.
    shop.theirs[0].world().sell(7, panel_demo::panel::world::Offer::plain("Likes"));
    shop.theirs[0].world().balance.0 = 0;
    let poor = shop.order(3).await;
    shop.pass(6 * 3_600).await;
    assert_eq!(shop.states(poor).await, ["Canceled", "Completed"]);
    shop.assert_healthy().await;
}

async fn panel_responses_are_recorded(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    shop.pass(90).await;
    let kept = Sql::new("SELECT count(*) FROM external_panel_orders WHERE order_id = ? AND last_request LIKE '%video.example%'
        AND last_answer LIKE '%In progress%' AND last_request NOT LIKE ? AND last_answer NOT LIKE ?");
    let key = format!("%{}%", crate::supplied::KEY);
    assert_eq!(shop.ours.number(kept.bind(id).bind(key.clone()).bind(key)).await, 1);
    shop.behave(0, FakeBehavior::Odd);
    shop.pass(60).await;
    let attempt = shop.attempts(id).await[0].clone();
    assert_eq!(
        (attempt["status"].as_str(), attempt["remains"].as_i64()),
        (Some("In progress"), Some(300)),
        "nothing is guessed"
    );
    assert!(attempt["last_error"].as_str().unwrap().contains("(auto)"));
    shop.behave(0, FakeBehavior::Numbers);
    shop.pass(600).await;
    assert_eq!(shop.ours.order(id).await["status"], "completed");
    shop.assert_healthy().await;
}

async fn a_refill_is_passed_on_and_followed(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.ours.exec(Sql::new("UPDATE services SET has_refill = TRUE")).await;
    let id = shop.order(1).await;
    shop.pass(300).await;
    let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
    assert_eq!(shop.ours.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    let status = async || shop.ours.get(&path).await.json()["data"][0]["status"].clone();
    assert_eq!(status().await, "pending");
    shop.settle().await;
    assert_eq!(status().await, "sent");
    shop.pass(1_800).await;
    assert_eq!(status().await, "completed");
    let asked = shop.theirs[0].calls().iter().filter(|call| call["action"] == "refill").count();
    assert_eq!(asked, 1);
    let refilled = Sql::new("SELECT order_current_refilled_quantity FROM orders WHERE id = ?").bind(id);
    assert_eq!(shop.ours.number(refilled).await, 50);
    shop.assert_healthy().await;
}

async fn staff_close_a_refill_that_no_panel_was_asked_for(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.ours.exec(Sql::new("UPDATE services SET has_refill = TRUE, auto_refill_is_allowed = TRUE")).await;
    let id = shop.order(1).await;
    shop.pass(300).await;
    let numbers = async || {
        let sql = "SELECT drop_quantity * 1000 + order_current_refilled_quantity FROM orders WHERE id = ?";
        shop.ours.number(Sql::new(sql).bind(id)).await
    };
    let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
    let newest = async || shop.ours.get(&path).await.json()["data"][0].clone();
    shop.ours.exec(Sql::new("UPDATE orders SET drop_quantity = 60 WHERE id = ?").bind(id)).await;
    shop.ours
        .exec(Sql::new("UPDATE external_panel_orders SET status = 'Canceled' WHERE order_id = ?").bind(id))
        .await;
    shop.ours.clock.advance_secs(90_000);
    assert_eq!(dispatch::request_automatic_refills(&shop.ours.app).await.unwrap(), 1);
    shop.settle().await;
    let request = newest().await;
    assert_eq!(
        (&request["status"], &request["closable"], &request["last_error"]),
        (&json!("pending"), &json!(true), &json!("No panel has this order: refill it by hand."))
    );
    let close = async |request: &Value, verb: &str| {
        shop.ours.post(&format!("{path}/{}/{verb}", request["id"]), &json!({})).await
    };
    assert_eq!(close(&request, "reject").await.json()["data"]["status"], "rejected");
    assert_eq!(numbers().await, 60_000, "nothing was refilled");
    assert_eq!(close(&request, "complete").await.says(), (409, "refill_request_not_closable".into()));
    // A rejected refill does not block a later one.
    shop.ours.clock.advance_secs(90_000);
    assert_eq!(dispatch::request_automatic_refills(&shop.ours.app).await.unwrap(), 1);
    let request = newest().await;
    assert_eq!(close(&request, "complete").await.json()["data"]["closable"], json!(false));
    assert_eq!(numbers().await, 60, "60 came by hand");
    // A refill that was requested from the panel ends with the panel's status.
    shop.ours
        .exec(Sql::new("UPDATE external_panel_orders SET status = 'Completed' WHERE order_id = ?").bind(id))
        .await;
    assert_eq!(shop.ours.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    shop.settle().await;
    let request = newest().await;
    assert_eq!((&request["status"], &request["closable"]), (&json!("sent"), &json!(false)));
    assert_eq!(close(&request, "reject").await.says(), (409, "refill_request_not_closable".into()));
    let unknown = shop.ours.post(&format!("{path}/99999/reject"), &json!({})).await;
    assert_eq!(unknown.status, 404);
    let sql =
        "SELECT count(*) FROM audits WHERE event IN ('order.refill_completed', 'order.refill_rejected')";
    assert_eq!(shop.ours.number(Sql::new(sql)).await, 2);
    shop.assert_healthy().await;
}

async fn orders_refill_by_themselves(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.ours
        .exec(Sql::new(
            "UPDATE services SET has_refill = TRUE, auto_refill_is_allowed = TRUE, auto_refill_after_hours = 1, auto_refill_min_drop_ppm = 50000",
        ))
        .await;
    let id = shop.order(1).await;
    shop.pass(300).await;
    let drop = |drop: i64| Sql::new("UPDATE orders SET drop_quantity = ? WHERE id = ?").bind(drop).bind(id);
    shop.ours.exec(drop(29)).await;
    shop.ours.clock.advance_secs(4_000);
    assert_eq!(dispatch::request_automatic_refills(&shop.ours.app).await.unwrap(), 0, "less than 5 percent");
    shop.ours.exec(drop(60)).await;
    assert_eq!(dispatch::request_automatic_refills(&shop.ours.app).await.unwrap(), 1);
    assert_eq!(dispatch::request_automatic_refills(&shop.ours.app).await.unwrap(), 0, "once");
    shop.pass(1_800).await;
    let left =
        Sql::new("SELECT drop_quantity * 1000 + order_current_refilled_quantity FROM orders WHERE id = ?")
            .bind(id);
    assert_eq!(shop.ours.number(left).await, 60);
    shop.assert_healthy().await;
}

async fn losses_are_measured_from_when_auto_refill_is_switched_on(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.ours.exec(Sql::new("UPDATE services SET has_refill = TRUE")).await;
    let id = shop.order(1).await;
    shop.pass(300).await;
    assert_eq!(shop.ours.order(id).await["status"], "completed");
    let due = async || {
        let sql =
            Sql::new("SELECT count(*) FROM external_panel_orders WHERE due_at IS NOT NULL AND order_id = ?");
        shop.ours.number(sql.bind(id)).await
    };
    let on = |is_on: bool| json!({ "auto_refill_is_allowed": is_on });
    let single = format!("/api/v1/admin/orders/{id}/set-auto-refill-is-allowed");
    let params = format!("/api/v1/admin/orders/{id}/auto-refill-params");
    for (method, path) in [("POST", &single), ("PATCH", &params)] {
        shop.ours.exec(Sql::new("UPDATE external_panel_orders SET due_at = NULL")).await;
        assert_eq!(shop.ours.send("owner", method, path, &on(false), None).await.status, 200);
        assert_eq!(due().await, 0, "{method}");
        assert_eq!(shop.ours.send("owner", method, path, &on(true), None).await.status, 200);
        assert_eq!(due().await, 1, "{method}");
    }
    shop.assert_healthy().await;
}

async fn a_refill_that_no_panel_learned_of_is_closed(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.ours.exec(Sql::new("UPDATE services SET has_refill = TRUE")).await;
    let id = shop.order(1).await;
    shop.pass(300).await;
    shop.ours.exec(Sql::new("UPDATE external_panels SET endpoint = 'http://127.0.0.1:1'")).await;
    let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
    assert_eq!(shop.ours.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    shop.settle().await;
    let request = shop.ours.get(&path).await.json()["data"][0].clone();
    assert_eq!((&request["status"], &request["closable"]), (&json!("pending"), &json!(true)), "{request}");
    let closed = shop.ours.post(&format!("{path}/{}/complete", request["id"]), &json!({})).await;
    assert_eq!((closed.status.as_u16(), &closed.json()["data"]["status"]), (200, &json!("completed")));
}

async fn what_a_panel_says_remains_is_refilled_by_itself(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    let sql = "UPDATE services SET has_refill = TRUE, auto_refill_is_allowed = TRUE, auto_refill_after_hours = 1, auto_refill_min_drop_ppm = 50000";
    shop.ours.exec(Sql::new(sql)).await;
    let id = shop.order(1).await;
    shop.pass(300).await;
    assert_eq!(shop.ours.order(id).await["status"], "completed");
    let lost =
        async || shop.ours.number(Sql::new("SELECT drop_quantity FROM orders WHERE id = ?").bind(id)).await;
    let first = json!(START_COUNT + 600);
    // Before the panel is asked for the first time after the end.
    for order in shop.theirs[0].world().orders.values_mut() {
        order.lose(90);
    }
    shop.ours.exec(Sql::new("UPDATE external_panels SET statistic_type = 'charge'")).await;
    shop.pass(4_000).await;
    assert_eq!((shop.ours.order(id).await["refill"]["first"].clone(), lost().await), (json!(null), 0));
    shop.ours.exec(Sql::new("UPDATE external_panels SET statistic_type = 'remains'")).await;
    shop.pass(86_400).await;
    let order = shop.ours.order(id).await;
    assert_eq!(
        (&order["refill"]["first"]["quantity"], &order["refill"]["last"]["quantity"], lost().await),
        (&first, &json!(START_COUNT + 510), 90)
    );
    let params = format!("/api/v1/admin/orders/{id}/auto-refill-params");
    assert_eq!(
        shop.ours.send("owner", "PATCH", &params, &json!({ "refill_quantity": 89 }), None).await.status,
        200
    );
    assert_eq!(dispatch::request_automatic_refills(&shop.ours.app).await.unwrap(), 1);
    let asked = Sql::new("SELECT quantity FROM order_refill_requests WHERE order_id = ?").bind(id);
    let next = shop.ours.get(&params).await.json()["data"]["refill_quantity"].clone();
    assert_eq!((shop.ours.number(asked).await, next), (89, json!(0)), "staff's number holds once");
    shop.pass(3_600).await;
    shop.pass(4 * 86_400).await;
    assert_eq!((lost().await, shop.ours.order(id).await["refill"]["last"]["quantity"].clone()), (0, first));
    assert_eq!(dispatch::request_automatic_refills(&shop.ours.app).await.unwrap(), 0, "nothing is missing");
    shop.assert_healthy().await;
}
