//! More or less is ordered from a panel than was sold, and what it delivers counts in the customer's numbers.

use panel_contract::amount::Money;
use panel_contract::ids::{OrderId, UserId};
use panel_demo::panel::world::{Offer, OrderBehavior};
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::shop::{DEPOSIT, PLAIN};
use crate::supplied::Supplied;

both! {
    what_is_ordered_is_scaled_and_what_is_delivered_is_counted_as_sold;
    what_was_sent_keeps_its_ratio;
    the_customers_own_ratio_holds_for_small_orders;
    lists_of_comments_are_ordered_as_they_are;
    money_is_returned_for_what_was_sold;
    staff_move_and_place_again_what_was_sold;
    what_fills_an_order_follows_its_attempts;
    a_panels_bounds_hold_back_the_ratio;
    odd_ratios_end_in_exact_orders_and_exact_money;
}

async fn ratio(shop: &Supplied, ppm: i64) {
    shop.ours.exec(Sql::new("UPDATE services SET order_quantity_ratio_ppm = ?").bind(ppm)).await;
}

/// What the panel's list said of its service when it was read.
async fn offered(shop: &Supplied, kind: &str, most: i64) {
    let sql = Sql::new(
        "INSERT INTO external_panel_services (external_panel_id, external_panel_service_id, name, type, category, rate, pricing_per, min_quantity,
           max_quantity, created_at, updated_at) VALUES (1, '7', 'Likes', ?, 'All', 1000000, 1000, 1, ?, 1, 1)",
    );
    shop.ours.exec(sql.bind(kind).bind(most)).await;
}

/// What each attempt was placed with, and how many of those sold that is for.
async fn placed(shop: &Supplied, order: OrderId) -> Vec<(i64, i64)> {
    let number = |attempt: &Value, name: &str| attempt[name].as_i64().unwrap();
    let attempts = shop.attempts(order).await;
    attempts
        .iter()
        .map(|attempt| (number(attempt, "initial_quantity"), number(attempt, "sold_quantity")))
        .collect()
}

async fn stands(shop: &Supplied, order: OrderId) -> (String, i64) {
    let order = shop.ours.order(order).await;
    (order["status"].as_str().unwrap().to_owned(), order["current_quantity"].as_i64().unwrap())
}

async fn what_is_ordered_is_scaled_and_what_is_delivered_is_counted_as_sold(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Partial(40), OrderBehavior::Delivered]).await;
    ratio(&shop, 1_100_000).await;
    let id = shop.order(1).await;
    shop.settle().await;
    assert_eq!(shop.theirs[0].calls().last().unwrap()["quantity"], "660");
    shop.pass(600).await;
    // 264 of 660 are 240 of 600; the rest goes to the next by the same ratio.
    assert_eq!(placed(&shop, id).await, [(660, 600), (396, 360)]);
    assert_eq!(stands(&shop, id).await, ("completed".to_owned(), 600));
    let order = shop.ours.order(id).await;
    assert_eq!(order["quantity_for_full_fill"], 660);
    assert_eq!(order["provider_cost"], "0.66", "what the panels charged for what they were ordered");
    let booked = Sql::new("SELECT CAST(sum(quantity) AS BIGINT) FROM provider_statistics WHERE order_id = ?");
    assert_eq!(shop.ours.number(booked.bind(id)).await, 600);
    let report = shop.ours.get("/api/v1/admin/providers/report?by=service&days=1").await.json();
    assert_eq!(report["data"][0]["quantity"], 600, "{report}");
    shop.assert_healthy().await;
}

async fn what_was_sent_keeps_its_ratio(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    ratio(&shop, 1_500_000).await;
    let id = shop.order(1).await;
    shop.settle().await;
    ratio(&shop, 3_000_000).await;
    shop.pass(60).await;
    // 300 of 900 are there.
    assert_eq!(stands(&shop, id).await, ("in_processing".to_owned(), 200));
    shop.pass(120).await;
    assert_eq!(
        (placed(&shop, id).await, stands(&shop, id).await),
        (vec![(900, 600)], ("completed".to_owned(), 600))
    );
    ratio(&shop, 500_000).await;
    let id = shop.order(2).await;
    shop.pass(300).await;
    assert_eq!(
        (placed(&shop, id).await, stands(&shop, id).await),
        (vec![(300, 600)], ("completed".to_owned(), 600))
    );
    shop.assert_healthy().await;
}

async fn the_customers_own_ratio_holds_for_small_orders(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    ratio(&shop, 1_100_000).await;
    let own = Sql::new(
        "INSERT INTO user_services (user_id, service_id, default_price, min_price, order_quantity_ratio_ppm, max_order_quantity_for_use_throttle,
           has_refill, created_at, updated_at) VALUES (1, ?, 10000000, 1, 2000000, 600, FALSE, 1, 1)",
    );
    shop.ours.exec(own.bind(PLAIN)).await;
    for (n, user, quantity, wanted) in [(1, 1, 600, 1_200), (2, 1, 601, 662), (3, 2, 600, 660)] {
        let url = format!("https://video.example/own/{n}");
        let id = shop.ours.place(&NewOrder::plain(UserId::new(user), PLAIN, &url, quantity)).await.id;
        shop.settle().await;
        assert_eq!(placed(&shop, id).await, [(wanted, quantity)]);
    }
    shop.assert_healthy().await;
}

async fn lists_of_comments_are_ordered_as_they_are(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    ratio(&shop, 1_100_000).await;
    offered(&shop, "Custom Comments", 10_000).await;
    let comments = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten";
    let id = shop.order(1).await;
    let target = "INSERT INTO targets (id, name, target_type_id, created_at, updated_at) VALUES (1, 'Remarks', 3, 1, 1)";
    shop.ours.exec(Sql::new(target)).await;
    let answer =
        "INSERT INTO order_targetable_values (order_id, target_id, name, value) VALUES (?, 1, 'Remarks', ?)";
    shop.ours.exec(Sql::new(answer).bind(id).bind(comments)).await;
    shop.settle().await;
    assert_eq!(placed(&shop, id).await, [(600, 600)]);
    assert_eq!(shop.theirs[0].calls().last().unwrap()["comments"], comments);
}

async fn money_is_returned_for_what_was_sold(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Partial(40)]).await;
    shop.ours.exec(Sql::new("UPDATE services SET auto_cancel = TRUE")).await;
    ratio(&shop, 1_100_000).await;
    let id = shop.order(1).await;
    shop.pass(600).await;
    let order = shop.ours.order(id).await;
    assert_eq!((order["status"].as_str(), order["refunded"].as_str()), (Some("canceled"), Some("3.6")));
    assert_eq!(shop.ours.balances(1).await.0, DEPOSIT - 2_400_000);
    shop.assert_healthy().await;
}

async fn staff_move_and_place_again_what_was_sold(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Partial(50), OrderBehavior::Delivered]).await;
    shop.ours.exec(Sql::new("UPDATE external_panels SET auto_recreate_orders_is_allowed = FALSE")).await;
    ratio(&shop, 1_200_000).await;
    let (again, moved) = (shop.order(1).await, shop.order(2).await);
    shop.pass(600).await;
    assert_eq!(stands(&shop, again).await, ("in_processing".to_owned(), 300));
    let attempt = shop.attempts(again).await[0]["id"].as_i64().unwrap();
    let path = format!("/api/v1/admin/external-panel-orders/{attempt}/recreate");
    let made = shop.ours.post(&path, &json!({})).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let input = json!({ "order_ids": [moved], "provider_id": 12 });
    assert_eq!(shop.ours.post("/api/v1/admin/orders/change-provider", &input).await.status, 200);
    assert_eq!(placed(&shop, again).await, [(720, 600), (360, 300)]);
    assert_eq!(placed(&shop, moved).await, [(720, 600), (360, 300)]);
    let fills = async |order: OrderId| shop.ours.order(order).await["quantity_for_full_fill"].clone();
    assert_eq!([fills(again).await, fills(moved).await], [json!(720), json!(720)]);
    shop.pass(600).await;
    assert_eq!(stands(&shop, again).await, ("in_processing".to_owned(), 450), "half of it once more");
    assert_eq!(stands(&shop, moved).await, ("completed".to_owned(), 600));
    shop.assert_healthy().await;
}

/// What fills an order follows the attempts that count for it, and is nothing of its own where none had a ratio.
async fn what_fills_an_order_follows_its_attempts(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Partial(50), OrderBehavior::Delivered]).await;
    shop.ours.exec(Sql::new("UPDATE external_panels SET auto_recreate_orders_is_allowed = FALSE")).await;
    let fills = async |order: OrderId| shop.ours.order(order).await["quantity_for_full_fill"].clone();
    let to_second = json!({ "provider_id": 12 });
    let change = async |order: OrderId| {
        let mut input = to_second.clone();
        input["order_ids"] = json!([order]);
        let answer = shop.ours.post("/api/v1/admin/orders/change-provider", &input).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    };
    ratio(&shop, 1_200_000).await;
    let (early, half) = (shop.order(1).await, shop.order(2).await);
    shop.settle().await;
    assert_eq!(fills(early).await, 720);
    let unsent = shop.order(3).await;
    shop.ours
        .exec(Sql::new("UPDATE orders SET quantity_for_full_fill = 720 WHERE id = ?").bind(unsent))
        .await;
    shop.ours.exec(Sql::new("UPDATE orders SET dispatch_at = NULL WHERE id = ?").bind(unsent)).await;
    ratio(&shop, 1_000_000).await;
    change(unsent).await;
    assert_eq!(fills(unsent).await, Value::Null, "nothing was delivered by another ratio");
    shop.pass(600).await;
    ratio(&shop, 1_500_000).await;
    change(half).await;
    assert_eq!(fills(half).await, 360 + 450);
    ratio(&shop, 1_000_000).await;
    change(early).await;
    assert_eq!(fills(early).await, 360 + 300);
    shop.assert_healthy().await;
}

async fn a_panels_bounds_hold_back_the_ratio(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    ratio(&shop, 1_500_000).await;
    offered(&shop, "Default", 700).await;
    let id = shop.order(1).await;
    shop.pass(300).await;
    assert_eq!(
        (placed(&shop, id).await, stands(&shop, id).await),
        (vec![(700, 600)], ("completed".to_owned(), 600))
    );
    shop.assert_healthy().await;
}

/// Three panels in turn leave parts, by ratios that divide nothing; what is left at the end is paid back.
async fn odd_ratios_end_in_exact_orders_and_exact_money(dialect: Dialect) {
    let shop = Supplied::on(
        dialect,
        &[OrderBehavior::Partial(33), OrderBehavior::Partial(71), OrderBehavior::Partial(13)],
    )
    .await;
    shop.ours.exec(Sql::new("UPDATE services SET auto_cancel = TRUE")).await;
    for panel in &shop.theirs {
        panel
            .world()
            .sell(7, Offer { behavior: OrderBehavior::Partial(47), max: 1_000_000, ..Offer::plain("Likes") });
    }
    let (mut returned, mut paid) = (0, 0);
    for (n, (quantity, ppm)) in [(101, 1_013_000), (977, 333_333), (613, 7_777_777)].into_iter().enumerate() {
        ratio(&shop, ppm).await;
        let url = format!("https://video.example/odd/{n}");
        let id = shop.ours.place(&NewOrder::plain(UserId::new(1), PLAIN, &url, quantity)).await.id;
        shop.pass(3_600).await;
        let attempts = shop.attempts(id).await;
        let mut left = quantity;
        for attempt in &attempts {
            let number = |name: &str| attempt[name].as_i64().unwrap();
            let (asked, sold) = (number("initial_quantity"), number("sold_quantity"));
            assert_eq!((asked, sold), ((left * ppm + 999_999) / 1_000_000, left));
            left -= (asked - number("remains")) * sold / asked;
        }
        assert_eq!((attempts.len(), stands(&shop, id).await), (3, ("canceled".to_owned(), quantity - left)));
        // 10 for 1,000, by steps of a cent: the delivered share rounded up stays.
        let cost = quantity * 10_000;
        let kept = (cost * (quantity - left) + quantity * 10_000 - 1) / (quantity * 10_000) * 10_000;
        let order = shop.ours.order(id).await;
        let refunded: Money = order["refunded"].as_str().unwrap().parse().unwrap();
        assert_eq!(refunded, Money(cost - kept), "{order}");
        returned += cost - kept;
        paid += cost;
    }
    assert_eq!(shop.ours.balances(1).await.0, DEPOSIT - paid + returned);
    shop.assert_healthy().await;
}
