//! Order quantity ratio: the dispatcher orders more or fewer units from the external panel than the customer bought, and converts
//! delivered units back into sold ones.

use panel_contract::amount::Money;
use panel_contract::ids::{OrderId, UserId};
use panel_demo::panel::state::{FakeService, OrderBehavior};
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::shop::{DEPOSIT, PLAIN};
use crate::shop_with_panels::ShopWithPanels;

both! {
    scales_placed_quantities_and_converts_delivered_ones_back;
    a_sent_order_keeps_its_ratio;
    the_personal_ratio_of_a_customer_applies_to_small_orders;
    orders_with_lists_of_comments_are_not_scaled;
    a_refund_follows_the_sold_quantity;
    staff_recreate_and_move_orders_by_the_sold_quantity;
    the_quantity_for_full_fill_follows_the_attempts;
    the_maximum_of_the_external_service_limits_the_scaled_quantity;
    uneven_ratios_lead_to_exact_quantities_and_refunds;
}

async fn set_ratio(shop: &ShopWithPanels, ppm: i64) {
    shop.panel.execute(Sql::new("UPDATE services SET order_quantity_ratio_ppm = ?").bind(ppm)).await;
}

/// Inserts the external panel's service, with its type and maximum quantity.
async fn insert_external_service(shop: &ShopWithPanels, kind: &str, max: i64) {
    let sql = Sql::new(
        "INSERT INTO external_panel_services (external_panel_id, external_panel_service_id, name, type, category, rate, pricing_per, min_quantity,
           max_quantity, created_at, updated_at) VALUES (1, '7', 'Likes', ?, 'All', 1000000, 1000, 1, ?, 1, 1)",
    );
    shop.panel.execute(sql.bind(kind).bind(max)).await;
}

/// The placed and the sold quantity of each placement attempt.
async fn attempt_quantities(shop: &ShopWithPanels, order: OrderId) -> Vec<(i64, i64)> {
    let number = |attempt: &Value, name: &str| attempt[name].as_i64().unwrap();
    let attempts = shop.attempts(order).await;
    attempts
        .iter()
        .map(|attempt| (number(attempt, "initial_quantity"), number(attempt, "sold_quantity")))
        .collect()
}

async fn status_and_delivered(shop: &ShopWithPanels, order: OrderId) -> (String, i64) {
    let order = shop.panel.order(order).await;
    (order["status"].as_str().unwrap().to_owned(), order["current_quantity"].as_i64().unwrap())
}

async fn scales_placed_quantities_and_converts_delivered_ones_back(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Partial(40), OrderBehavior::Delivered]).await;
    set_ratio(&shop, 1_100_000).await;
    let id = shop.order(1).await;
    shop.run_until_idle().await;
    assert_eq!(shop.fake_panels[0].calls().last().unwrap()["quantity"], "660");
    shop.run_for_secs(600).await;
    // 264 of 660 placed units are 240 of 600 sold ones. The next provider gets the other 360, by the same ratio.
    assert_eq!(attempt_quantities(&shop, id).await, [(660, 600), (396, 360)]);
    assert_eq!(status_and_delivered(&shop, id).await, ("completed".to_owned(), 600));
    let order = shop.panel.order(id).await;
    assert_eq!(order["quantity_for_full_fill"], 660);
    assert_eq!(order["provider_cost"], "0.66", "the charges of the panels for the placed quantities");
    let statistics =
        Sql::new("SELECT CAST(sum(quantity) AS BIGINT) FROM provider_statistics WHERE order_id = ?");
    assert_eq!(shop.panel.number(statistics.bind(id)).await, 600);
    let report = shop.panel.get("/api/v1/admin/providers/report?by=service&days=1").await.json();
    assert_eq!(report["data"][0]["quantity"], 600, "{report}");
    shop.assert_healthy().await;
}

async fn a_sent_order_keeps_its_ratio(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    set_ratio(&shop, 1_500_000).await;
    let id = shop.order(1).await;
    shop.run_until_idle().await;
    set_ratio(&shop, 3_000_000).await;
    shop.run_for_secs(60).await;
    // 300 of 900 placed units are delivered, which are 200 sold ones.
    assert_eq!(status_and_delivered(&shop, id).await, ("in_processing".to_owned(), 200));
    shop.run_for_secs(120).await;
    assert_eq!(
        (attempt_quantities(&shop, id).await, status_and_delivered(&shop, id).await),
        (vec![(900, 600)], ("completed".to_owned(), 600))
    );
    set_ratio(&shop, 500_000).await;
    let id = shop.order(2).await;
    shop.run_for_secs(300).await;
    assert_eq!(
        (attempt_quantities(&shop, id).await, status_and_delivered(&shop, id).await),
        (vec![(300, 600)], ("completed".to_owned(), 600))
    );
    shop.assert_healthy().await;
}

async fn the_personal_ratio_of_a_customer_applies_to_small_orders(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    set_ratio(&shop, 1_100_000).await;
    let personal_price = Sql::new(
        "INSERT INTO user_services (user_id, service_id, default_price, min_price, order_quantity_ratio_ppm, max_order_quantity_for_use_throttle,
           has_refill, created_at, updated_at) VALUES (1, ?, 10000000, 1, 2000000, 600, FALSE, 1, 1)",
    );
    shop.panel.execute(personal_price.bind(PLAIN)).await;
    for (n, user, quantity, expected) in [(1, 1, 600, 1_200), (2, 1, 601, 662), (3, 2, 600, 660)] {
        let url = format!("https://video.example/own/{n}");
        let id = shop.panel.place(&NewOrder::plain(UserId::new(user), PLAIN, &url, quantity)).await.id;
        shop.run_until_idle().await;
        assert_eq!(attempt_quantities(&shop, id).await, [(expected, quantity)]);
    }
    shop.assert_healthy().await;
}

async fn orders_with_lists_of_comments_are_not_scaled(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    set_ratio(&shop, 1_100_000).await;
    insert_external_service(&shop, "Custom Comments", 10_000).await;
    let comments = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten";
    let id = shop.order(1).await;
    let target = "INSERT INTO targets (id, name, target_type_id, created_at, updated_at) VALUES (1, 'Comments', 3, 1, 1)";
    shop.panel.execute(Sql::new(target)).await;
    let target_value =
        "INSERT INTO order_targetable_values (order_id, target_id, name, value) VALUES (?, 1, 'Comments', ?)";
    shop.panel.execute(Sql::new(target_value).bind(id).bind(comments)).await;
    shop.run_until_idle().await;
    assert_eq!(attempt_quantities(&shop, id).await, [(600, 600)]);
    assert_eq!(shop.fake_panels[0].calls().last().unwrap()["comments"], comments);
}

async fn a_refund_follows_the_sold_quantity(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Partial(40)]).await;
    shop.panel.execute(Sql::new("UPDATE services SET auto_cancel = TRUE")).await;
    set_ratio(&shop, 1_100_000).await;
    let id = shop.order(1).await;
    shop.run_for_secs(600).await;
    let order = shop.panel.order(id).await;
    assert_eq!((order["status"].as_str(), order["refunded"].as_str()), (Some("canceled"), Some("3.6")));
    assert_eq!(shop.panel.main_balance(1).await, DEPOSIT - 2_400_000);
    shop.assert_healthy().await;
}

async fn staff_recreate_and_move_orders_by_the_sold_quantity(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Partial(50), OrderBehavior::Delivered]).await;
    shop.panel.execute(Sql::new("UPDATE external_panels SET auto_recreate_orders_is_allowed = FALSE")).await;
    set_ratio(&shop, 1_200_000).await;
    let (recreated, moved) = (shop.order(1).await, shop.order(2).await);
    shop.run_for_secs(600).await;
    assert_eq!(status_and_delivered(&shop, recreated).await, ("in_processing".to_owned(), 300));
    let attempt = shop.attempts(recreated).await[0]["id"].as_i64().unwrap();
    let path = format!("/api/v1/admin/external-panel-orders/{attempt}/recreate");
    let response = shop.panel.post(&path, &json!({})).await;
    assert_eq!(response.status, 200, "{}", response.text);
    let input = json!({ "order_ids": [moved], "provider_id": 12 });
    assert_eq!(shop.panel.post("/api/v1/admin/orders/change-provider", &input).await.status, 200);
    assert_eq!(attempt_quantities(&shop, recreated).await, [(720, 600), (360, 300)]);
    assert_eq!(attempt_quantities(&shop, moved).await, [(720, 600), (360, 300)]);
    let full_fill_quantity =
        async |order: OrderId| shop.panel.order(order).await["quantity_for_full_fill"].clone();
    assert_eq!(
        [full_fill_quantity(recreated).await, full_fill_quantity(moved).await],
        [json!(720), json!(720)]
    );
    shop.run_for_secs(600).await;
    assert_eq!(
        status_and_delivered(&shop, recreated).await,
        ("in_processing".to_owned(), 450),
        "the same provider delivers half of the other 300"
    );
    assert_eq!(status_and_delivered(&shop, moved).await, ("completed".to_owned(), 600));
    shop.assert_healthy().await;
}

/// `quantity_for_full_fill` is the sum over the attempts that count for the order, and null while no attempt has a ratio.
async fn the_quantity_for_full_fill_follows_the_attempts(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Partial(50), OrderBehavior::Delivered]).await;
    shop.panel.execute(Sql::new("UPDATE external_panels SET auto_recreate_orders_is_allowed = FALSE")).await;
    let full_fill_quantity =
        async |order: OrderId| shop.panel.order(order).await["quantity_for_full_fill"].clone();
    let second_provider = json!({ "provider_id": 12 });
    let change_provider = async |order: OrderId| {
        let mut input = second_provider.clone();
        input["order_ids"] = json!([order]);
        let answer = shop.panel.post("/api/v1/admin/orders/change-provider", &input).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    };
    set_ratio(&shop, 1_200_000).await;
    let (first, second) = (shop.order(1).await, shop.order(2).await);
    shop.run_until_idle().await;
    assert_eq!(full_fill_quantity(first).await, 720);
    let unsent = shop.order(3).await;
    shop.panel
        .execute(Sql::new("UPDATE orders SET quantity_for_full_fill = 720 WHERE id = ?").bind(unsent))
        .await;
    shop.panel.execute(Sql::new("UPDATE orders SET dispatch_at = NULL WHERE id = ?").bind(unsent)).await;
    set_ratio(&shop, 1_000_000).await;
    change_provider(unsent).await;
    assert_eq!(full_fill_quantity(unsent).await, Value::Null, "no unit was delivered under another ratio");
    shop.run_for_secs(600).await;
    set_ratio(&shop, 1_500_000).await;
    change_provider(second).await;
    assert_eq!(full_fill_quantity(second).await, 360 + 450);
    set_ratio(&shop, 1_000_000).await;
    change_provider(first).await;
    assert_eq!(full_fill_quantity(first).await, 360 + 300);
    shop.assert_healthy().await;
}

async fn the_maximum_of_the_external_service_limits_the_scaled_quantity(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    set_ratio(&shop, 1_500_000).await;
    insert_external_service(&shop, "Default", 700).await;
    let id = shop.order(1).await;
    shop.run_for_secs(300).await;
    assert_eq!(
        (attempt_quantities(&shop, id).await, status_and_delivered(&shop, id).await),
        (vec![(700, 600)], ("completed".to_owned(), 600))
    );
    shop.assert_healthy().await;
}

/// Each of three panels delivers a part, by ratios that never divide evenly. The undelivered rest is refunded.
async fn uneven_ratios_lead_to_exact_quantities_and_refunds(dialect: Dialect) {
    let shop = ShopWithPanels::on(
        dialect,
        &[OrderBehavior::Partial(33), OrderBehavior::Partial(71), OrderBehavior::Partial(13)],
    )
    .await;
    shop.panel.execute(Sql::new("UPDATE services SET auto_cancel = TRUE")).await;
    for panel in &shop.fake_panels {
        panel.state().add_service(
            7,
            FakeService {
                behavior: OrderBehavior::Partial(47),
                max: 1_000_000,
                ..FakeService::plain("Likes")
            },
        );
    }
    let (mut refunded_total, mut charged_total) = (0, 0);
    for (n, (quantity, ppm)) in [(101, 1_013_000), (977, 333_333), (613, 7_777_777)].into_iter().enumerate() {
        set_ratio(&shop, ppm).await;
        let url = format!("https://video.example/odd/{n}");
        let id = shop.panel.place(&NewOrder::plain(UserId::new(1), PLAIN, &url, quantity)).await.id;
        shop.run_for_secs(3_600).await;
        let attempts = shop.attempts(id).await;
        let mut remaining = quantity;
        for attempt in &attempts {
            let number = |name: &str| attempt[name].as_i64().unwrap();
            let (ordered, sold) = (number("initial_quantity"), number("sold_quantity"));
            assert_eq!((ordered, sold), ((remaining * ppm + 999_999) / 1_000_000, remaining));
            remaining -= (ordered - number("remains")) * sold / ordered;
        }
        assert_eq!(
            (attempts.len(), status_and_delivered(&shop, id).await),
            (3, ("canceled".to_owned(), quantity - remaining))
        );
        // At 10 per 1,000 the customer pays the delivered part, rounded up to cents.
        let cost = quantity * 10_000;
        let delivered_cost =
            (cost * (quantity - remaining) + quantity * 10_000 - 1) / (quantity * 10_000) * 10_000;
        let order = shop.panel.order(id).await;
        let refunded: Money = order["refunded"].as_str().unwrap().parse().unwrap();
        assert_eq!(refunded, Money(cost - delivered_cost), "{order}");
        refunded_total += cost - delivered_cost;
        charged_total += cost;
    }
    assert_eq!(shop.panel.main_balance(1).await, DEPOSIT - charged_total + refunded_total);
    shop.assert_healthy().await;
}
