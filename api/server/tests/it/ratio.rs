//! Order quantity ratio: the dispatcher orders more or fewer units at the external panel than the customer bought, and converts the
//! delivered units back into sold units.

use panel_contract::amount::Money;
use panel_contract::ids::{OrderId, UserId};
use panel_demo::panel::state::{FakeService, OrderBehavior};
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::shop::{CUSTOMER_DEPOSIT, PLAIN_SERVICE};
use crate::shop_with_panels::ShopWithPanels;

test_both_databases! {
    scales_placed_quantities_and_converts_delivered_quantities_back;
    a_change_of_the_ratio_does_not_affect_sent_orders;
    the_personal_ratio_of_a_customer_applies_to_small_orders;
    orders_with_lists_of_comments_are_not_scaled;
    a_refund_follows_the_sold_quantity;
    staff_recreate_and_move_orders_by_the_sold_quantity;
    the_quantity_for_full_fill_follows_the_attempts;
    the_maximum_of_the_external_service_limits_the_scaled_quantity;
    uneven_ratios_lead_to_exact_quantities_and_refunds;
}

async fn set_ratio(shop: &ShopWithPanels, ratio_ppm: i64) {
    shop.panel.execute(Sql::new("UPDATE services SET order_quantity_ratio_ppm = ?").bind(ratio_ppm)).await;
}

/// Inserts the external panel's service, with its type and maximum quantity.
async fn insert_external_service(shop: &ShopWithPanels, external_type: &str, max_quantity: i64) {
    let sql = Sql::new(
        "INSERT INTO external_panel_services (external_panel_id, external_panel_service_id, name, type, category, rate, pricing_per, min_quantity,
           max_quantity, created_at, updated_at) VALUES (1, '7', 'Likes', ?, 'All', 1000000, 1000, 1, ?, 1, 1)",
    );
    shop.panel.execute(sql.bind(external_type).bind(max_quantity)).await;
}

/// The placed and the sold quantity of each placement attempt.
async fn fetch_attempt_quantities(shop: &ShopWithPanels, order: OrderId) -> Vec<(i64, i64)> {
    let number_of = |attempt: &Value, name: &str| attempt[name].as_i64().unwrap();
    let attempts = shop.fetch_attempts(order).await;
    attempts
        .iter()
        .map(|attempt| (number_of(attempt, "initial_quantity"), number_of(attempt, "sold_quantity")))
        .collect()
}

async fn fetch_status_and_delivered_quantity(shop: &ShopWithPanels, order: OrderId) -> (String, i64) {
    let order = shop.panel.fetch_order(order).await;
    (order["status"].as_str().unwrap().to_owned(), order["current_quantity"].as_i64().unwrap())
}

async fn scales_placed_quantities_and_converts_delivered_quantities_back(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Partial(40), OrderBehavior::Delivered]).await;
    set_ratio(&shop, 1_100_000).await;
    let id = shop.place_order(1).await;
    shop.run_until_idle().await;
    assert_eq!(shop.fake_panels[0].requests().last().unwrap()["quantity"], "660");
    shop.run_for_secs(600).await;
    // 264 of 660 placed units are 240 of 600 sold units. The next provider gets the other 360 sold units with the same ratio.
    assert_eq!(fetch_attempt_quantities(&shop, id).await, [(660, 600), (396, 360)]);
    assert_eq!(fetch_status_and_delivered_quantity(&shop, id).await, ("completed".to_owned(), 600));
    let order = shop.panel.fetch_order(id).await;
    assert_eq!(order["quantity_for_full_fill"], 660);
    assert_eq!(
        order["provider_cost"], "0.66",
        "the cost must be the charges of the external panels for the placed quantities"
    );
    let statistics_sql =
        Sql::new("SELECT CAST(sum(quantity) AS BIGINT) FROM provider_statistics WHERE order_id = ?");
    assert_eq!(shop.panel.fetch_number(statistics_sql.bind(id)).await, 600);
    let report = shop.panel.get("/api/v1/admin/providers/report?by=service&days=1").await.json();
    assert_eq!(report["data"][0]["quantity"], 600, "{report}");
    shop.assert_healthy().await;
}

async fn a_change_of_the_ratio_does_not_affect_sent_orders(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    set_ratio(&shop, 1_500_000).await;
    let id = shop.place_order(1).await;
    shop.run_until_idle().await;
    set_ratio(&shop, 3_000_000).await;
    shop.run_for_secs(60).await;
    // 300 of 900 placed units are delivered, which are 200 sold units.
    assert_eq!(fetch_status_and_delivered_quantity(&shop, id).await, ("in_processing".to_owned(), 200));
    shop.run_for_secs(120).await;
    assert_eq!(
        (fetch_attempt_quantities(&shop, id).await, fetch_status_and_delivered_quantity(&shop, id).await),
        (vec![(900, 600)], ("completed".to_owned(), 600))
    );
    set_ratio(&shop, 500_000).await;
    let id = shop.place_order(2).await;
    shop.run_for_secs(300).await;
    assert_eq!(
        (fetch_attempt_quantities(&shop, id).await, fetch_status_and_delivered_quantity(&shop, id).await),
        (vec![(300, 600)], ("completed".to_owned(), 600))
    );
    shop.assert_healthy().await;
}

async fn the_personal_ratio_of_a_customer_applies_to_small_orders(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    set_ratio(&shop, 1_100_000).await;
    let insert_personal_price_sql = Sql::new(
        "INSERT INTO user_services (user_id, service_id, default_price, min_price, order_quantity_ratio_ppm, max_order_quantity_for_use_throttle,
           has_refill, created_at, updated_at) VALUES (1, ?, 10000000, 1, 2000000, 600, FALSE, 1, 1)",
    );
    shop.panel.execute(insert_personal_price_sql.bind(PLAIN_SERVICE)).await;
    for (index, user, quantity, expected_quantity) in [(1, 1, 600, 1_200), (2, 1, 601, 662), (3, 2, 600, 660)]
    {
        let url = format!("https://video.example/own/{index}");
        let id = shop
            .panel
            .place_order(&NewOrder::without_options(UserId::new(user), PLAIN_SERVICE, &url, quantity))
            .await
            .id;
        shop.run_until_idle().await;
        assert_eq!(fetch_attempt_quantities(&shop, id).await, [(expected_quantity, quantity)]);
    }
    shop.assert_healthy().await;
}

async fn orders_with_lists_of_comments_are_not_scaled(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    set_ratio(&shop, 1_100_000).await;
    insert_external_service(&shop, "Custom Comments", 10_000).await;
    let comments = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten";
    let id = shop.place_order(1).await;
    let insert_target_sql = "INSERT INTO targets (id, name, target_type_id, created_at, updated_at) VALUES (1, 'Comments', 3, 1, 1)";
    shop.panel.execute(Sql::new(insert_target_sql)).await;
    let insert_target_value_sql =
        "INSERT INTO order_targetable_values (order_id, target_id, name, value) VALUES (?, 1, 'Comments', ?)";
    shop.panel.execute(Sql::new(insert_target_value_sql).bind(id).bind(comments)).await;
    shop.run_until_idle().await;
    assert_eq!(fetch_attempt_quantities(&shop, id).await, [(600, 600)]);
    assert_eq!(shop.fake_panels[0].requests().last().unwrap()["comments"], comments);
}

async fn a_refund_follows_the_sold_quantity(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Partial(40)]).await;
    shop.panel.execute(Sql::new("UPDATE services SET auto_cancel = TRUE")).await;
    set_ratio(&shop, 1_100_000).await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(600).await;
    let order = shop.panel.fetch_order(id).await;
    assert_eq!((order["status"].as_str(), order["refunded"].as_str()), (Some("canceled"), Some("3.6")));
    assert_eq!(shop.panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 2_400_000);
    shop.assert_healthy().await;
}

async fn staff_recreate_and_move_orders_by_the_sold_quantity(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Partial(50), OrderBehavior::Delivered]).await;
    shop.panel.execute(Sql::new("UPDATE external_panels SET auto_recreate_orders_is_allowed = FALSE")).await;
    set_ratio(&shop, 1_200_000).await;
    let (recreated_id, moved_id) = (shop.place_order(1).await, shop.place_order(2).await);
    shop.run_for_secs(600).await;
    assert_eq!(
        fetch_status_and_delivered_quantity(&shop, recreated_id).await,
        ("in_processing".to_owned(), 300)
    );
    let attempt = shop.fetch_attempts(recreated_id).await[0]["id"].as_i64().unwrap();
    let path = format!("/api/v1/admin/external-panel-orders/{attempt}/recreate");
    let response = shop.panel.post(&path, &json!({})).await;
    assert_eq!(response.status, 200, "{}", response.text);
    let body = json!({ "order_ids": [moved_id], "provider_id": 12 });
    assert_eq!(shop.panel.post("/api/v1/admin/orders/change-provider", &body).await.status, 200);
    assert_eq!(fetch_attempt_quantities(&shop, recreated_id).await, [(720, 600), (360, 300)]);
    assert_eq!(fetch_attempt_quantities(&shop, moved_id).await, [(720, 600), (360, 300)]);
    let fetch_full_fill_quantity =
        async |order: OrderId| shop.panel.fetch_order(order).await["quantity_for_full_fill"].clone();
    assert_eq!(
        [fetch_full_fill_quantity(recreated_id).await, fetch_full_fill_quantity(moved_id).await],
        [json!(720), json!(720)]
    );
    shop.run_for_secs(600).await;
    assert_eq!(
        fetch_status_and_delivered_quantity(&shop, recreated_id).await,
        ("in_processing".to_owned(), 450),
        "the same provider must deliver half of the other 300 units"
    );
    assert_eq!(fetch_status_and_delivered_quantity(&shop, moved_id).await, ("completed".to_owned(), 600));
    shop.assert_healthy().await;
}

/// `quantity_for_full_fill` is the sum of the attempts that count for the order, and null while no attempt has a ratio.
async fn the_quantity_for_full_fill_follows_the_attempts(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Partial(50), OrderBehavior::Delivered]).await;
    shop.panel.execute(Sql::new("UPDATE external_panels SET auto_recreate_orders_is_allowed = FALSE")).await;
    let fetch_full_fill_quantity =
        async |order: OrderId| shop.panel.fetch_order(order).await["quantity_for_full_fill"].clone();
    let second_provider_body = json!({ "provider_id": 12 });
    let change_provider = async |order: OrderId| {
        let mut body = second_provider_body.clone();
        body["order_ids"] = json!([order]);
        let response = shop.panel.post("/api/v1/admin/orders/change-provider", &body).await;
        assert_eq!(response.status, 200, "{}", response.text);
    };
    set_ratio(&shop, 1_200_000).await;
    let (first_id, second_id) = (shop.place_order(1).await, shop.place_order(2).await);
    shop.run_until_idle().await;
    assert_eq!(fetch_full_fill_quantity(first_id).await, 720);
    let unsent_id = shop.place_order(3).await;
    shop.panel
        .execute(Sql::new("UPDATE orders SET quantity_for_full_fill = 720 WHERE id = ?").bind(unsent_id))
        .await;
    shop.panel.execute(Sql::new("UPDATE orders SET dispatch_at = NULL WHERE id = ?").bind(unsent_id)).await;
    set_ratio(&shop, 1_000_000).await;
    change_provider(unsent_id).await;
    assert_eq!(
        fetch_full_fill_quantity(unsent_id).await,
        Value::Null,
        "the value must be null, because no unit was delivered with another ratio"
    );
    shop.run_for_secs(600).await;
    set_ratio(&shop, 1_500_000).await;
    change_provider(second_id).await;
    assert_eq!(fetch_full_fill_quantity(second_id).await, 360 + 450);
    set_ratio(&shop, 1_000_000).await;
    change_provider(first_id).await;
    assert_eq!(fetch_full_fill_quantity(first_id).await, 360 + 300);
    shop.assert_healthy().await;
}

async fn the_maximum_of_the_external_service_limits_the_scaled_quantity(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    set_ratio(&shop, 1_500_000).await;
    insert_external_service(&shop, "Default", 700).await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(300).await;
    assert_eq!(
        (fetch_attempt_quantities(&shop, id).await, fetch_status_and_delivered_quantity(&shop, id).await),
        (vec![(700, 600)], ("completed".to_owned(), 600))
    );
    shop.assert_healthy().await;
}

/// Each of three external panels delivers a part. The ratios never divide evenly. The undelivered part is refunded.
async fn uneven_ratios_lead_to_exact_quantities_and_refunds(dialect: Dialect) {
    let shop = ShopWithPanels::start(
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
                max_quantity: 1_000_000,
                ..FakeService::with_name("Likes")
            },
        );
    }
    let (mut refunded_total, mut charged_total) = (0, 0);
    for (index, (quantity, ratio_ppm)) in
        [(101, 1_013_000), (977, 333_333), (613, 7_777_777)].into_iter().enumerate()
    {
        set_ratio(&shop, ratio_ppm).await;
        let url = format!("https://video.example/odd/{index}");
        let id = shop
            .panel
            .place_order(&NewOrder::without_options(UserId::new(1), PLAIN_SERVICE, &url, quantity))
            .await
            .id;
        shop.run_for_secs(3_600).await;
        let attempts = shop.fetch_attempts(id).await;
        let mut remaining_quantity = quantity;
        for attempt in &attempts {
            let number_of = |name: &str| attempt[name].as_i64().unwrap();
            let (ordered_quantity, sold_quantity) =
                (number_of("initial_quantity"), number_of("sold_quantity"));
            assert_eq!(
                (ordered_quantity, sold_quantity),
                ((remaining_quantity * ratio_ppm + 999_999) / 1_000_000, remaining_quantity)
            );
            remaining_quantity -=
                (ordered_quantity - number_of("remains")) * sold_quantity / ordered_quantity;
        }
        assert_eq!(
            (attempts.len(), fetch_status_and_delivered_quantity(&shop, id).await),
            (3, ("canceled".to_owned(), quantity - remaining_quantity))
        );
        // The customer pays 10 per 1,000 delivered units, rounded up to cents.
        let cost = quantity * 10_000;
        let delivered_cost =
            (cost * (quantity - remaining_quantity) + quantity * 10_000 - 1) / (quantity * 10_000) * 10_000;
        let order = shop.panel.fetch_order(id).await;
        let refunded: Money = order["refunded"].as_str().unwrap().parse().unwrap();
        assert_eq!(refunded, Money(cost - delivered_cost), "{order}");
        refunded_total += cost - delivered_cost;
        charged_total += cost;
    }
    assert_eq!(shop.panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - charged_total + refunded_total);
    shop.assert_healthy().await;
}
