//! A customer's cancel is a request: what was not sent is refunded at once, of the rest the provider is asked first, and
//! what no provider decides goes to staff. No order gets back more than was not delivered.

use panel_contract::amount::Money;
use panel_contract::ids::{CancelRequestId, OrderId};
use panel_demo::panel::world::{CancelBehavior, OrderBehavior};
use panel_demo::panel::{FakeBehavior, Reply};
use panel_kernel::random::Random;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::cancel_requests::store;
use panel_server::supply::dispatch;
use serde_json::{Value, json};

use crate::intake::call;
use crate::shop::{DEPOSIT, PLAIN};
use crate::supplied::Supplied;

both! {
    what_was_not_sent_is_refunded_at_once;
    what_was_sent_is_refunded_when_the_provider_ended_it;
    deliveries_after_a_yes_reduce_the_refund;
    a_refusal_goes_to_staff_who_confirm_with_money;
    a_provider_that_does_not_answer_in_time_leaves_it_to_staff;
    a_yes_without_an_end_leaves_it_to_staff;
    a_forgotten_request_expires_with_the_completed_order;
    an_open_request_keeps_the_order_where_it_is;
    a_refused_request_lets_the_order_go_on;
    a_panel_without_the_call_and_a_manual_provider_leave_it_to_staff;
    an_unknown_attempt_is_not_refunded;
    many_requests_are_decided_at_once;
    a_call_that_was_not_made_is_no_try;
    random_cancels_never_return_more_than_was_not_delivered;
}

const LIST: &str = "/api/v1/admin/order-cancel-requests";

/// A shop whose panels deliver 60 a minute and whose service lets customers cancel, and the key of customer 1.
pub(crate) async fn shop(dialect: Dialect, panels: usize) -> (Supplied, String) {
    let shop = Supplied::on(dialect, &vec![OrderBehavior::Delivered; panels]).await;
    shop.ours
        .exec(Sql::new("UPDATE services SET api_access = TRUE, cancel_by_client_is_allowed = TRUE"))
        .await;
    for fake in &shop.theirs {
        fake.world().offers.get_mut(&7).unwrap().speed = 60;
    }
    let answer = shop.ours.send("owner", "POST", "/api/v1/admin/users/1/api-key", &json!({}), None).await;
    let key = answer.json()["data"]["key"].as_str().unwrap().to_owned();
    (shop, key)
}

pub(crate) fn on_cancel(shop: &Supplied, panel: usize, behavior: CancelBehavior) {
    shop.theirs[panel].world().offers.get_mut(&7).unwrap().on_cancel = behavior;
}

/// The customer's request, which is accepted.
pub(crate) async fn cancel(shop: &Supplied, key: &str, order: OrderId) {
    let said = call(&shop.ours, key, &format!("action=cancel&orders={order}")).await;
    assert_eq!(said, json!([{ "order": order, "cancel": 1 }]));
}

async fn status(shop: &Supplied, key: &str, order: OrderId) -> Value {
    call(&shop.ours, key, &format!("action=status&order={order}")).await
}

async fn a_call_that_was_not_made_is_no_try(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    let order = shop.order(1).await;
    shop.settle().await;
    cancel(&shop, &key, order).await;
    let app = &shop.ours.app;
    let tries = async || shop.ours.number(Sql::new("SELECT tries FROM order_cancel_requests")).await;
    let id = CancelRequestId::new(request(&shop).await["id"].as_i64().unwrap());
    // It is due now, and that moment is the lease.
    let now = app.clock.now();
    assert_eq!(store::mark_asked(&app.db, (&[id], now), now).await.unwrap(), [id]);
    assert_eq!((request(&shop).await["status"].clone(), tries().await), (json!("asked"), 1));
    store::unmark_asked(&mut &app.db, (id, now), now).await.unwrap().ignore_superseded();
    let after = request(&shop).await;
    assert_eq!((&after["status"], &after["asked_at"], tries().await), (&json!("requested"), &json!(null), 0));
    // A call that was made stays asked.
    for _ in 0..2 {
        store::mark_asked(&app.db, (&[id], now), now).await.unwrap();
    }
    store::unmark_asked(&mut &app.db, (id, now), now).await.unwrap().ignore_superseded();
    assert_eq!((request(&shop).await["status"].clone(), tries().await), (json!("asked"), 1));
}

/// The newest request as staff see it.
async fn request(shop: &Supplied) -> Value {
    let answer = shop.ours.get(&format!("{LIST}?draw=1&length=1")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["data"][0].clone()
}

async fn waiting(shop: &Supplied) -> i64 {
    let answer = shop.ours.get(&format!("{LIST}?waiting=1")).await.json();
    answer["recordsTotal"].as_i64().unwrap()
}

async fn balance(shop: &Supplied) -> i64 {
    shop.ours.balances(1).await.0
}

/// An order of 600 for 6.00 that its provider has; so many seconds after it was placed.
pub(crate) async fn sent(shop: &Supplied, n: u32, seconds: i64) -> OrderId {
    let order = shop.order(n).await;
    shop.settle().await;
    shop.pass(seconds).await;
    order
}

async fn what_was_not_sent_is_refunded_at_once(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    let order = shop.order(1).await;
    dispatch::dispatch_due_orders(&shop.ours.app).await.unwrap();
    cancel(&shop, &key, order).await;
    assert_eq!(balance(&shop).await, DEPOSIT);
    let said = status(&shop, &key, order).await;
    assert_eq!((&said["status"], &said["cancel_status"]), (&json!("Canceled"), &json!("confirmed")));
    shop.pass(120).await;
    assert_eq!(shop.taken(), [0], "it is never sent");
    let shown = request(&shop).await;
    assert_eq!((shown["returned"].as_str(), shown["asked_at"].is_null()), (Some("6"), true));
    let again = call(&shop.ours, &key, &format!("action=cancel&orders={order}")).await;
    assert!(again[0]["cancel"]["error"].as_str().unwrap().contains("canceled"), "{again}");
    assert_eq!(balance(&shop).await, DEPOSIT);
    shop.assert_healthy().await;
}

async fn what_was_sent_is_refunded_when_the_provider_ended_it(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    let order = sent(&shop, 1, 90).await;
    cancel(&shop, &key, order).await;
    assert_eq!(balance(&shop).await, DEPOSIT - 6_000_000, "nothing comes back before the provider ended it");
    let said = status(&shop, &key, order).await;
    assert_eq!((&said["status"], &said["cancel_status"]), (&json!("In progress"), &json!("requested")));
    shop.settle().await;
    let said = status(&shop, &key, order).await;
    assert_eq!((&said["status"], &said["cancel_status"]), (&json!("Partial"), &json!("confirmed")));
    assert_eq!(shop.states(order).await, ["Canceled"]);
    // 60 of 600 were delivered.
    assert_eq!(balance(&shop).await, DEPOSIT - 600_000);
    let asked = shop.theirs[0].calls().iter().filter(|call| call["action"] == "cancel").count();
    assert_eq!(asked, 1);
    let shown = request(&shop).await;
    assert_eq!((shown["returned"].as_str(), shown["provider"]["id"].as_i64()), (Some("5.4"), Some(11)));
    assert_eq!(shop.ours.order(order).await["cancel_reason"], "customer_request");
    assert_eq!(waiting(&shop).await, 0);
    shop.pass(3_600).await;
    assert_eq!(balance(&shop).await, DEPOSIT - 600_000, "once");
    shop.assert_healthy().await;
}

async fn deliveries_after_a_yes_reduce_the_refund(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    on_cancel(&shop, 0, CancelBehavior::DeliversOn(120));
    let order = sent(&shop, 1, 90).await;
    cancel(&shop, &key, order).await;
    shop.settle().await;
    let said = status(&shop, &key, order).await;
    assert_eq!((&said["status"], &said["cancel_status"]), (&json!("In progress"), &json!("asked")));
    assert_eq!(balance(&shop).await, DEPOSIT - 6_000_000, "a yes alone returns nothing");
    shop.pass(600).await;
    // 120 more were delivered.
    assert_eq!(balance(&shop).await, DEPOSIT - 1_800_000);
    assert_eq!(status(&shop, &key, order).await["cancel_status"], "confirmed");
    shop.assert_healthy().await;
}

async fn a_refusal_goes_to_staff_who_confirm_with_money(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    shop.ours.exec(Sql::new("INSERT INTO notification_recipients (audience, user_id) SELECT 'support', id FROM users WHERE email = 'owner@panel.test'")).await;
    on_cancel(&shop, 0, CancelBehavior::Refuses);
    let order = sent(&shop, 1, 90).await;
    cancel(&shop, &key, order).await;
    shop.settle().await;
    let shown = request(&shop).await;
    assert_eq!(
        (shown["status"].as_str(), shown["cause"].as_str()),
        (Some("asked"), Some("provider_refused"))
    );
    assert_eq!(shown["answer"], "Order cannot be canceled");
    assert_eq!((shown["returned"].as_str(), waiting(&shop).await), (Some("5.4"), 1));
    let letters =
        Sql::new("SELECT count(*) FROM jobs WHERE kind = 'mail' AND payload LIKE '%cancel request%'");
    assert_eq!(shop.ours.number(letters).await, 1, "staff hear of it once");
    let said = status(&shop, &key, order).await;
    assert_eq!((&said["status"], &said["cancel_status"]), (&json!("In progress"), &json!("asked")));
    let path = format!("{LIST}/{}/confirm", shown["id"]);
    let dry = shop.ours.post(&format!("{path}?dry_run=1"), &json!({})).await.json();
    assert_eq!(
        (dry["data"]["status"].as_str(), dry["data"]["returned"].as_str()),
        (Some("confirmed"), Some("5.4"))
    );
    assert_eq!(balance(&shop).await, DEPOSIT - 6_000_000);
    assert_eq!(shop.ours.post(&path, &json!({ "amount": "9" })).await.status, 422);
    let done = shop.ours.post(&path, &json!({ "amount": "1.5" })).await.json()["data"].clone();
    assert_eq!((done["status"].as_str(), done["returned"].as_str()), (Some("confirmed"), Some("1.5")));
    assert_eq!(done["decided_by"]["name"], "owner");
    assert_eq!(balance(&shop).await, DEPOSIT - 4_500_000);
    let again = shop.ours.post(&path, &json!({})).await;
    assert_eq!(
        (again.status.as_u16(), again.json()["code"].as_str()),
        (409, Some("cancel_request_not_open"))
    );
    shop.pass(900).await;
    assert_eq!(balance(&shop).await, DEPOSIT - 4_500_000);
    shop.assert_healthy().await;
}

async fn a_provider_that_does_not_answer_in_time_leaves_it_to_staff(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    shop.ours
        .exec(Sql::new(
            "INSERT INTO settings (key, value, updated_at) VALUES ('cancel_request_hours', '2', 1)",
        ))
        .await;
    shop.theirs[0].world().offers.get_mut(&7).unwrap().behavior = OrderBehavior::Stuck;
    let order = sent(&shop, 1, 60).await;
    shop.behave(0, FakeBehavior::Down);
    cancel(&shop, &key, order).await;
    shop.pass(7_100).await;
    assert_eq!((request(&shop).await["status"].as_str(), waiting(&shop).await), (Some("asked"), 0));
    let asked = shop.theirs[0].calls().iter().filter(|call| call["action"] == "cancel").count();
    assert!((3..40).contains(&asked), "asked again, ever later: {asked}");
    shop.pass(300).await;
    let shown = request(&shop).await;
    assert_eq!((shown["cause"].as_str(), waiting(&shop).await), (Some("no_answer"), 1));
    assert_eq!(balance(&shop).await, DEPOSIT - 6_000_000);
    // The provider cancels it by itself after all: that decides.
    shop.behave(0, FakeBehavior::Good);
    let there = shop.theirs[0].world().orders.keys().copied().next().unwrap();
    shop.theirs[0].world().orders.get_mut(&there).unwrap().set_behavior(OrderBehavior::Canceled);
    shop.pass(900).await;
    assert_eq!((request(&shop).await["status"].as_str(), balance(&shop).await), (Some("confirmed"), DEPOSIT));
    shop.assert_healthy().await;
}

async fn a_yes_without_an_end_leaves_it_to_staff(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    on_cancel(&shop, 0, CancelBehavior::DeliversOn(400_000));
    shop.theirs[0].world().offers.get_mut(&7).unwrap().behavior = OrderBehavior::Stuck;
    let order = sent(&shop, 1, 60).await;
    cancel(&shop, &key, order).await;
    shop.pass(86_000).await;
    assert_eq!(waiting(&shop).await, 0);
    shop.pass(600).await;
    assert_eq!((request(&shop).await["cause"].as_str(), waiting(&shop).await), (Some("not_ended"), 1));
    assert_eq!(balance(&shop).await, DEPOSIT - 6_000_000);
    shop.assert_healthy().await;
}

async fn a_forgotten_request_expires_with_the_completed_order(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    on_cancel(&shop, 0, CancelBehavior::Forgets);
    let order = sent(&shop, 1, 90).await;
    cancel(&shop, &key, order).await;
    shop.pass(1_200).await;
    let said = status(&shop, &key, order).await;
    assert_eq!((&said["status"], &said["cancel_status"]), (&json!("Completed"), &json!("expired")));
    assert_eq!((balance(&shop).await, waiting(&shop).await), (DEPOSIT - 6_000_000, 0));
    shop.assert_healthy().await;
}

async fn an_open_request_keeps_the_order_where_it_is(dialect: Dialect) {
    let (shop, key) = shop(dialect, 2).await;
    on_cancel(&shop, 0, CancelBehavior::Refuses);
    let order = sent(&shop, 1, 90).await;
    cancel(&shop, &key, order).await;
    let again = call(&shop.ours, &key, &format!("action=cancel&orders={order}")).await;
    assert_eq!(again[0]["cancel"]["error"], "Cancel is already requested");
    shop.settle().await;
    let moved = json!({ "order_ids": [order], "provider_id": 12 });
    let refused = shop.ours.post("/api/v1/admin/orders/change-provider", &moved).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("requested to cancel"), "{}", refused.text);
    // What the first provider leaves goes to no other one: it comes back.
    let there = shop.theirs[0].world().orders.keys().copied().next().unwrap();
    shop.theirs[0].world().orders.get_mut(&there).unwrap().set_behavior(OrderBehavior::Partial(40));
    shop.pass(900).await;
    assert_eq!((shop.taken(), shop.states(order).await), (vec![1, 0], vec!["Partial".to_owned()]));
    assert_eq!(
        (request(&shop).await["status"].as_str(), balance(&shop).await),
        (Some("confirmed"), DEPOSIT - 2_400_000)
    );
    // Staff cancel another order themselves: that closes its request.
    on_cancel(&shop, 0, CancelBehavior::Refuses);
    let other = sent(&shop, 2, 90).await;
    cancel(&shop, &key, other).await;
    let path = format!("/api/v1/admin/orders/{other}/cancel");
    assert_eq!(shop.ours.post(&path, &json!({ "return_money": true })).await.status, 200);
    let shown = request(&shop).await;
    assert_eq!((shown["status"].as_str(), shown["returned"].as_str()), (Some("confirmed"), Some("5.4")));
    shop.assert_healthy().await;
}

async fn a_refused_request_lets_the_order_go_on(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    on_cancel(&shop, 0, CancelBehavior::Refuses);
    let order = sent(&shop, 1, 90).await;
    cancel(&shop, &key, order).await;
    shop.settle().await;
    let path = format!("{LIST}/{}/refuse", request(&shop).await["id"]);
    let done = shop.ours.post(&path, &json!({})).await;
    assert_eq!((done.status.as_u16(), done.json()["data"]["status"].as_str()), (200, Some("refused")));
    assert_eq!(status(&shop, &key, order).await["cancel_status"], "refused");
    assert_eq!(shop.ours.post(&path, &json!({})).await.status, 409);
    shop.pass(1_200).await;
    assert_eq!(shop.ours.order(order).await["status"], "completed");
    assert_eq!(
        (request(&shop).await["status"].as_str(), balance(&shop).await),
        (Some("refused"), DEPOSIT - 6_000_000)
    );
    shop.assert_healthy().await;
}

async fn a_panel_without_the_call_and_a_manual_provider_leave_it_to_staff(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    let sql = "INSERT INTO external_panel_services (external_panel_id, external_panel_service_id, name, type, category, rate, pricing_per, min_quantity, max_quantity,
        refill, cancel, created_at, updated_at) VALUES (1, '7', 'Likes', 'Default', 'All', 1, 1000, 1, 1000, FALSE, FALSE, 1, 1)";
    shop.ours.exec(Sql::new(sql)).await;
    let order = sent(&shop, 1, 90).await;
    cancel(&shop, &key, order).await;
    assert_eq!(request(&shop).await["cause"], "not_supported");
    shop.settle().await;
    assert!(shop.theirs[0].calls().iter().all(|call| call["action"] != "cancel"), "it is not asked");
    let moved = sent(&shop, 2, 30).await;
    let to = json!({ "order_ids": [moved], "provider_id": 1 });
    assert_eq!(shop.ours.post("/api/v1/admin/orders/change-provider", &to).await.status, 200);
    shop.settle().await;
    cancel(&shop, &key, moved).await;
    assert_eq!(request(&shop).await["cause"], "by_hand");
    assert_eq!((waiting(&shop).await, balance(&shop).await), (2, DEPOSIT - 12_000_000));
    shop.assert_healthy().await;
}

async fn an_unknown_attempt_is_not_refunded(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    sent(&shop, 8, 60).await;
    let lost = Reply { takes: true, status: 500, body: String::new() };
    shop.theirs[0].reply("https://video.example/1", lost);
    let order = sent(&shop, 1, 0).await;
    cancel(&shop, &key, order).await;
    shop.settle().await;
    assert_eq!(status(&shop, &key, order).await["cancel_status"], "requested");
    assert_eq!(balance(&shop).await, DEPOSIT - 12_000_000, "the panel may have it");
    // Its order is found between two others, asked to cancel, and what it delivered stays paid.
    sent(&shop, 9, 0).await;
    shop.pass(900).await;
    assert_eq!(status(&shop, &key, order).await["cancel_status"], "confirmed");
    let now = shop.ours.app.clock.now();
    let delivered = shop.theirs[0].world().delivered("https://video.example/1", now);
    assert!(delivered > 0);
    assert_eq!(balance(&shop).await, DEPOSIT - 12_000_000 - delivered * 10_000);
    shop.assert_healthy().await;
}

async fn many_requests_are_decided_at_once(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    on_cancel(&shop, 0, CancelBehavior::Refuses);
    let mut orders = Vec::new();
    for n in 1..=4 {
        orders.push(sent(&shop, n, 0).await);
    }
    shop.pass(90).await;
    for order in &orders {
        cancel(&shop, &key, *order).await;
    }
    shop.settle().await;
    let asks: Vec<String> = shop.theirs[0]
        .calls()
        .iter()
        .filter(|call| call["action"] == "cancel")
        .map(|call| call["orders"].clone())
        .collect();
    assert_eq!((asks.len(), asks[0].split(',').count()), (1, 4), "one call for all: {asks:?}");
    let ids = shop
        .ours
        .get(&format!("{LIST}?order[0][column]=0&order[0][dir]=asc&columns[0][data]=id"))
        .await
        .json();
    let ids: Vec<i64> =
        ids["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect();
    let refused =
        shop.ours.post(&format!("{LIST}/refuse"), &json!({ "ids": [ids[3], 999, ids[3]] })).await.json();
    assert_eq!((&refused["processed"], &refused["skipped"][0]["code"]), (&json!(1), &json!("not_found")));
    assert_eq!((&refused["totals"]["services"], &refused["totals"]["customers"]), (&json!(1), &json!(1)));
    let none = shop.ours.post(&format!("{LIST}/refuse"), &json!({ "ids": [ids[3], 999] })).await;
    assert_eq!((none.status.as_u16(), &none.json()["code"]), (422, &json!("nothing_processed")));
    let skipped: Vec<(i64, String)> = none.json()["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skip| (skip["id"].as_i64().unwrap(), skip["code"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(skipped, [(ids[3], "cancel_request_not_open".to_owned()), (999, "not_found".to_owned())]);
    let path = format!("{LIST}/confirm");
    let dry = shop.ours.post(&format!("{path}?dry_run=1"), &json!({ "ids": ids })).await.json();
    assert_eq!((dry["processed"].as_i64(), dry["totals"]["returned"].as_str()), (Some(3), Some("16.2")));
    assert_eq!(
        dry["skipped"],
        json!([{ "id": ids[3], "code": "cancel_request_not_open",
        "message": "You cannot confirm a cancel request that is refused; that is final." }])
    );
    assert_eq!(balance(&shop).await, DEPOSIT - 24_000_000);
    shop.ours.exec(Sql::new("UPDATE services SET no_refund = TRUE WHERE id = ?").bind(PLAIN)).await;
    let without = shop.ours.post(&path, &json!({ "ids": [ids[0]] })).await.json();
    assert_eq!(without["totals"]["returned"], "0");
    shop.ours.exec(Sql::new("UPDATE services SET no_refund = FALSE")).await;
    let done = shop.ours.post(&path, &json!({ "ids": ids })).await.json();
    assert_eq!((done["processed"].as_i64(), done["totals"]["returned"].as_str()), (Some(2), Some("10.8")));
    assert_eq!(balance(&shop).await, DEPOSIT - 13_200_000);
    assert_eq!(shop.ours.post(&path, &json!({ "ids": ids })).await.status, 422, "nothing is left to decide");
    assert_eq!(shop.ours.post(&path, &json!({ "ids": [] })).await.status, 422);
    shop.assert_healthy().await;
}

/// The database's part of what `supply::dispatch::cancels` simulates ten thousand times.
async fn random_cancels_never_return_more_than_was_not_delivered(dialect: Dialect) {
    let (shop, key) = shop(dialect, 2).await;
    let random = Random::seeded(31);
    let below =
        |most: i64| i64::try_from(u64::from_le_bytes(random.bytes()) % u64::try_from(most).unwrap()).unwrap();
    let mut orders = Vec::new();
    for n in 1..=30 {
        for panel in 0..2 {
            let behavior = match below(5) {
                0 => CancelBehavior::Confirms,
                1 => CancelBehavior::Refuses,
                2 => CancelBehavior::Forgets,
                3 => CancelBehavior::ConfirmsLate(below(900)),
                _ => CancelBehavior::DeliversOn(below(900)),
            };
            on_cancel(&shop, panel, behavior);
        }
        let order = shop.order(n).await;
        if below(5) > 0 {
            shop.settle().await;
        }
        orders.push((order, n));
        shop.pass(30 * below(5)).await;
        let (canceled, _) = orders[usize::try_from(below(i64::from(n))).unwrap()];
        call(&shop.ours, &key, &format!("action=cancel&orders={canceled}")).await;
    }
    shop.pass(90_000).await;
    let (now, mut returned) = (shop.ours.app.clock.now(), 0);
    for (order, n) in &orders {
        let link = format!("https://video.example/{n}");
        let delivered: i64 = shop.theirs.iter().map(|fake| fake.world().delivered(&link, now)).sum();
        let shown = shop.ours.order(*order).await;
        let refunded: Money = shown["refunded"].as_str().unwrap().parse().unwrap();
        let left = Money((600 - delivered.min(600)) * 10_000);
        assert!(refunded <= left, "order {order}: {refunded} of {left}, {shown}");
        returned += i64::from(refunded > Money::ZERO);
    }
    assert!(returned > 3, "some were refunded: {returned}");
    let open = Sql::new(
        "SELECT count(*) FROM order_cancel_requests WHERE status IN ('requested', 'asked') AND escalated_at IS NULL",
    );
    assert_eq!(shop.ours.number(open).await, 0, "all are decided, or wait for staff");
    shop.assert_healthy().await;
}
