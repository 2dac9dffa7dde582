//! Order widgets: editing them, ordering through them with a minimum cost and a default quantity, the reward of the owner, which a
//! refund reverses, and the statistics.

use panel_contract::ids::{OrderWidgetId, UserId};
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::placing_orders::{create_api_key, parse_order_id, send_reseller_request, start_shop};
use crate::shop::PLAIN_SERVICE;
use crate::withdrawals::add_payment_methods;

test_both_databases! {
    creates_and_updates_an_order_widget;
    rejects_an_invalid_order_widget_and_names_the_fields;
    an_order_through_a_widget_rewards_the_owner_and_a_refund_reverses_the_reward;
    an_unpaid_order_rewards_the_owner_when_it_is_paid;
    the_higher_minimum_amount_applies;
    an_order_through_a_widget_has_a_default_quantity;
    customers_get_no_reward_for_their_own_orders;
    widget_statistics_sum_up_orders_and_rewards;
    order_widgets_require_their_permissions;
}

const WIDGETS_PATH: &str = "/api/v1/admin/order-widgets";
const LINK: &str = "https%3A%2F%2Fvideo.example%2Fwatch";

fn widget_input() -> Value {
    json!({ "name": "Blog", "user_id": 2, "reward_fraction": "0.05" })
}

async fn fetch_referral_balance(panel: &Panel, user: i64) -> i64 {
    panel.fetch_number(Sql::new("SELECT balance_referral FROM users WHERE id = ?").bind(user)).await
}

/// Places an order of customer 1 with the cost 10 through a widget. Returns the id of the order.
async fn place_through_widget(panel: &Panel, token: &str) -> i64 {
    let key = create_api_key(panel, 1).await;
    let fields = format!("action=add&service={PLAIN_SERVICE}&link={LINK}&quantity=1000&order_widget={token}");
    parse_order_id(&send_reseller_request(panel, &key, &fields).await)
}

async fn creates_and_updates_an_order_widget(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    add_payment_methods(&panel).await;
    let created_record = panel.post_data(WIDGETS_PATH, widget_input()).await;
    assert_eq!(
        (&created_record["user"]["id"], &created_record["is_outer"], &created_record["embed"]),
        (&json!(2), &json!(true), &Value::Null)
    );
    panel.save_settings(json!({ "logo_destination_url": "https://shop.example/home" })).await;
    let path = format!("{WIDGETS_PATH}/{}", created_record["id"]);
    let loaded_widget = panel.get_data(&path).await;
    let token = loaded_widget["api_token"].as_str().unwrap();
    assert_eq!(
        loaded_widget["embed"],
        format!(
            "<iframe src=\"https://shop.example/order-widget?token={token}\" title=\"Blog\" width=\"100%\" height=\"640\" loading=\"lazy\"></iframe>"
        )
    );
    panel.clock.advance_secs(5);
    let change_body = json!({ "name": "Shop", "minimum_purchase_amount": "2.5", "payment_methods": [2, 1], "updated_at": loaded_widget["updated_at"] });
    let response = panel.put(&path, &change_body).await;
    assert_eq!(response.status, 200, "{}", response.text);
    let changed_widget = response.json()["data"].clone();
    assert_eq!(
        (&changed_widget["minimum_purchase_amount"], &changed_widget["payment_methods"]),
        (&json!("2.5"), &json!([2, 1]))
    );
    assert_eq!(
        changed_widget["api_token"], token,
        "the token must stay unchanged, because web pages contain it"
    );
    assert_eq!(panel.put(&path, &change_body).await.status_and_code(), (409, "changed_meanwhile".into()));
    let audit_entries = panel.get("/api/v1/admin/audits").await.json()["data"].clone();
    let update_audit =
        audit_entries.as_array().unwrap().iter().find(|row| row["event"] == "order_widget.updated").unwrap();
    assert_eq!(update_audit["old_values"]["name"], "Blog");
    assert!(
        update_audit["new_values"].get("user_id").is_none(),
        "the audit entry must contain only changed fields: {update_audit}"
    );
    let inner_widget = panel.put(&path, &json!({ "is_outer": false })).await.json()["data"].clone();
    assert_eq!(inner_widget["embed"], Value::Null);
    let rows = panel.get(WIDGETS_PATH).await.json()["data"].clone();
    assert_eq!((rows.as_array().unwrap().len(), &rows[0]["name"]), (1, &json!("Shop")));
    assert_eq!(panel.get(&format!("{WIDGETS_PATH}/99")).await.status, 404);
    panel.assert_healthy().await;
}

async fn rejects_an_invalid_order_widget_and_names_the_fields(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    add_payment_methods(&panel).await;
    let invalid_body = json!({ "name": "Blog", "user_id": 77, "payment_methods": [1, 999] });
    let response = panel.post(WIDGETS_PATH, &invalid_body).await;
    let errors = response.json()["errors"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!((response.status.as_u16(), errors), (422, vec!["payment_methods".into(), "user_id".into()]));
    let created_record =
        panel.post_data(WIDGETS_PATH, json!({ "name": "Blog", "user_id": 1, "payment_methods": [1] })).await;
    panel.execute(Sql::new("UPDATE payment_methods SET is_enabled = FALSE WHERE id = 1")).await;
    let response =
        panel.put(&format!("{WIDGETS_PATH}/{}", created_record["id"]), &json!({ "name": "Other" })).await;
    assert_eq!(
        response.status, 200,
        "a payment method that staff disabled later may stay in the widget: {}",
        response.text
    );
    let key = create_api_key(&panel, 1).await;
    let public_widget = send_reseller_request(
        &panel,
        &key,
        &format!("action=order_widget&order_widget={}", created_record["api_token"].as_str().unwrap()),
    )
    .await;
    assert_eq!(
        public_widget,
        json!({ "name": "Other", "minimum": "0", "currency": "USD", "payment_methods": [] })
    );
    let unknown_widget_response = send_reseller_request(
        &panel,
        &key,
        &format!("action=add&service={PLAIN_SERVICE}&link={LINK}&quantity=100&order_widget=x"),
    )
    .await;
    assert_eq!(unknown_widget_response, json!({ "error": "Incorrect order widget" }));
}

async fn an_order_through_a_widget_rewards_the_owner_and_a_refund_reverses_the_reward(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let created_record = panel.post_data(WIDGETS_PATH, widget_input()).await;
    let order = place_through_widget(&panel, created_record["api_token"].as_str().unwrap()).await;
    assert_eq!(panel.fetch_order(order).await["source"], "order_widget");
    assert_eq!(fetch_referral_balance(&panel, 2).await, 500_000, "5 % of 10");
    let cancel_body =
        json!({ "return_money": true, "amount": "4", "cancel_reason": "other", "cancel_description": "x" });
    let response = panel.post(&format!("/api/v1/admin/orders/{order}/cancel"), &cancel_body).await;
    assert_eq!(response.status, 200, "{}", response.text);
    assert_eq!(
        fetch_referral_balance(&panel, 2).await,
        300_000,
        "the refund must reverse the same share of the reward"
    );
    panel.assert_healthy().await;
}

async fn an_unpaid_order_rewards_the_owner_when_it_is_paid(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let created_record = panel.post_data(WIDGETS_PATH, widget_input()).await;
    let widget = created_record["id"].as_i64().map(OrderWidgetId::new);
    let base_order =
        NewOrder::without_options(UserId::new(1), PLAIN_SERVICE, "https://video.example/w", 1000);
    let placed_order =
        panel.place_order(&NewOrder { widget, paying_balances: Vec::new(), ..base_order }).await;
    assert_eq!((placed_order.status.as_str(), fetch_referral_balance(&panel, 2).await), ("unpaid", 0));
    let response =
        panel.post(&format!("/api/v1/admin/orders/{}/activate", placed_order.id), &json!({})).await;
    assert_eq!(response.status, 200, "{}", response.text);
    assert_eq!(fetch_referral_balance(&panel, 2).await, 500_000);
    panel.assert_healthy().await;
}

async fn the_higher_minimum_amount_applies(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let created_record = panel
        .post_data(WIDGETS_PATH, json!({ "name": "Blog", "user_id": 2, "minimum_purchase_amount": "5" }))
        .await;
    let (token, key) = (created_record["api_token"].as_str().unwrap(), create_api_key(&panel, 1).await);
    let add_order = async |quantity: i64| {
        let fields = format!(
            "action=add&service={PLAIN_SERVICE}&link={LINK}{quantity}&quantity={quantity}&order_widget={token}"
        );
        send_reseller_request(&panel, &key, &fields).await
    };
    assert!(add_order(499).await["error"].is_string());
    assert!(add_order(500).await["order"].is_i64());
    panel.save_settings(json!({ "minimum_purchase_amount_on_widget": "8" })).await;
    assert!(add_order(799).await["error"].is_string());
    assert!(add_order(800).await["order"].is_i64());
    panel.save_settings(json!({ "minimum_purchase_amount_on_widget": "1" })).await;
    assert!(add_order(499).await["error"].is_string(), "the higher minimum of the widget must apply");
    let order_without_widget = format!("action=add&service={PLAIN_SERVICE}&link={LINK}plain&quantity=100");
    assert!(
        send_reseller_request(&panel, &key, &order_without_widget).await["order"].is_i64(),
        "the minimum must apply only to orders through widgets"
    );
}

async fn an_order_through_a_widget_has_a_default_quantity(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let created_record = panel.post_data(WIDGETS_PATH, widget_input()).await;
    let key = create_api_key(&panel, 1).await;
    panel.execute(Sql::new("UPDATE services SET default_quantity_for_order_widget = 700 WHERE id = 1")).await;
    let fields = format!("action=add&service={PLAIN_SERVICE}&link={LINK}");
    let rejection = send_reseller_request(&panel, &key, &fields).await;
    assert_eq!(rejection, json!({ "error": "Incorrect quantity" }));
    let token = created_record["api_token"].as_str().unwrap();
    let order =
        parse_order_id(&send_reseller_request(&panel, &key, &format!("{fields}&order_widget={token}")).await);
    assert_eq!(panel.fetch_order(order).await["quantity"], 700);
    let drip_feed_response =
        send_reseller_request(&panel, &key, &format!("{fields}&order_widget={token}&runs=3&interval=10"))
            .await;
    assert_eq!(drip_feed_response, json!({ "error": "Incorrect request: An order widget takes no runs" }));
}

async fn customers_get_no_reward_for_their_own_orders(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let own_widget = panel
        .post_data(WIDGETS_PATH, json!({ "name": "Mine", "user_id": 1, "reward_fraction": "0.5" }))
        .await;
    place_through_widget(&panel, own_widget["api_token"].as_str().unwrap()).await;
    assert_eq!(fetch_referral_balance(&panel, 1).await, 0);
    panel.assert_healthy().await;
}

async fn widget_statistics_sum_up_orders_and_rewards(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let blog_widget = panel.post_data(WIDGETS_PATH, widget_input()).await;
    let shop_widget = panel.post_data(WIDGETS_PATH, json!({ "name": "Shop", "user_id": 3 })).await;
    for widget in [&blog_widget, &blog_widget, &shop_widget] {
        place_through_widget(&panel, widget["api_token"].as_str().unwrap()).await;
    }
    let order = place_through_widget(&panel, blog_widget["api_token"].as_str().unwrap()).await;
    let cancel_body = json!({ "return_money": true, "cancel_reason": "other", "cancel_description": "x" });
    assert_eq!(panel.post(&format!("/api/v1/admin/orders/{order}/cancel"), &cancel_body).await.status, 200);
    let path = "/api/v1/admin/order-widget-statistics";
    let statistics = panel.get_data(path).await;
    assert_eq!(statistics["totals"], json!({ "orders": 4, "spent": "30", "reward": "1" }));
    assert_eq!(
        (&statistics["rows"][0]["order_widget"]["name"], &statistics["rows"][0]["spent"]),
        (&json!("Blog"), &json!("20"))
    );
    assert_eq!(
        (&statistics["rows"][1]["user"]["id"], &statistics["rows"][1]["reward"]),
        (&json!(3), &json!("0"))
    );
    let days = statistics["days"].as_array().unwrap();
    assert_eq!((days.len(), &days[29]["orders"], &days[0]["orders"]), (30, &json!(4), &json!(0)));
    let filtered_record = panel.get_data(&format!("{path}?order_widgets={}", shop_widget["id"])).await;
    assert_eq!(filtered_record["totals"], json!({ "orders": 1, "spent": "10", "reward": "0" }));
    assert_eq!(panel.get(&format!("{path}?start_date=2026-11-05&end_date=2026-11-01")).await.status, 422);
    assert_eq!(panel.get(&format!("{path}?order_widgets=a")).await.status, 422);
}

async fn order_widgets_require_their_permissions(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    panel.create_staff("clerk", &[Permission::ManageCoupons]).await;
    for path in [WIDGETS_PATH, "/api/v1/admin/order-widget-statistics"] {
        assert_eq!(panel.get_as("clerk", path, "application/json").await.status, 403);
    }
    assert_eq!(panel.send("clerk", "POST", WIDGETS_PATH, &widget_input(), None).await.status, 403);
}
