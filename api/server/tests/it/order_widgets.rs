//! Order widgets: editing, orders through them with minimum cost and default quantity, the reward of the owner and its reversal,
//! and the statistics.

use panel_contract::ids::{OrderWidgetId, UserId};
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::intake::{call, create_api_key, order_id, shop};
use crate::panel::Panel;
use crate::shop::PLAIN;
use crate::withdrawals::add_payment_methods;

both! {
    creates_and_updates_an_order_widget;
    refuses_an_invalid_order_widget_and_names_the_fields;
    an_order_through_a_widget_rewards_its_owner_and_a_refund_reverses_a_share;
    an_unpaid_order_rewards_the_owner_once_it_is_paid;
    the_higher_minimum_amount_applies;
    an_order_through_a_widget_has_a_default_quantity;
    customers_get_no_reward_for_their_own_orders;
    widget_statistics_sum_up_orders_and_rewards;
    order_widgets_require_their_permissions;
}

const WIDGETS: &str = "/api/v1/admin/order-widgets";
const LINK: &str = "https%3A%2F%2Fvideo.example%2Fwatch";

fn widget_input() -> Value {
    json!({ "name": "Blog", "user_id": 2, "reward_fraction": "0.05" })
}

async fn referral_balance(panel: &Panel, user: i64) -> i64 {
    panel.number(Sql::new("SELECT balance_referral FROM users WHERE id = ?").bind(user)).await
}

/// Places an order of customer 1 for 10 through a widget, and returns its id.
async fn place_through_widget(panel: &Panel, token: &str) -> i64 {
    let key = create_api_key(panel, 1).await;
    let fields = format!("action=add&service={PLAIN}&link={LINK}&quantity=1000&order_widget={token}");
    order_id(&call(panel, &key, &fields).await)
}

async fn creates_and_updates_an_order_widget(dialect: Dialect) {
    let panel = shop(dialect).await;
    add_payment_methods(&panel).await;
    let created = panel.post_data(WIDGETS, widget_input()).await;
    assert_eq!(
        (&created["user"]["id"], &created["is_outer"], &created["embed"]),
        (&json!(2), &json!(true), &Value::Null)
    );
    panel.save_settings(json!({ "logo_destination_url": "https://shop.example/home" })).await;
    let path = format!("{WIDGETS}/{}", created["id"]);
    let loaded = panel.get_data(&path).await;
    let token = loaded["api_token"].as_str().unwrap();
    assert_eq!(
        loaded["embed"],
        format!(
            "<iframe src=\"https://shop.example/order-widget?token={token}\" title=\"Blog\" width=\"100%\" height=\"640\" loading=\"lazy\"></iframe>"
        )
    );
    panel.clock.advance_secs(5);
    let change = json!({ "name": "Shop", "minimum_purchase_amount": "2.5", "payment_methods": [2, 1], "updated_at": loaded["updated_at"] });
    let answer = panel.put(&path, &change).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let data = answer.json()["data"].clone();
    assert_eq!((&data["minimum_purchase_amount"], &data["payment_methods"]), (&json!("2.5"), &json!([2, 1])));
    assert_eq!(data["api_token"], token, "the token is unchanged, because pages embed it");
    assert_eq!(panel.put(&path, &change).await.status_and_code(), (409, "changed_meanwhile".into()));
    let audits = panel.get("/api/v1/admin/audits").await.json()["data"].clone();
    let update =
        audits.as_array().unwrap().iter().find(|row| row["event"] == "order_widget.updated").unwrap();
    assert_eq!(update["old_values"]["name"], "Blog");
    assert!(
        update["new_values"].get("user_id").is_none(),
        "the audit entry names only changed fields: {update}"
    );
    let inner = panel.put(&path, &json!({ "is_outer": false })).await.json()["data"].clone();
    assert_eq!(inner["embed"], Value::Null);
    let rows = panel.get(WIDGETS).await.json()["data"].clone();
    assert_eq!((rows.as_array().unwrap().len(), &rows[0]["name"]), (1, &json!("Shop")));
    assert_eq!(panel.get(&format!("{WIDGETS}/99")).await.status, 404);
    panel.assert_healthy().await;
}

async fn refuses_an_invalid_order_widget_and_names_the_fields(dialect: Dialect) {
    let panel = shop(dialect).await;
    add_payment_methods(&panel).await;
    let invalid = json!({ "name": "Blog", "user_id": 77, "payment_methods": [1, 999] });
    let answer = panel.post(WIDGETS, &invalid).await;
    let errors = answer.json()["errors"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!((answer.status.as_u16(), errors), (422, vec!["payment_methods".into(), "user_id".into()]));
    let created =
        panel.post_data(WIDGETS, json!({ "name": "Blog", "user_id": 1, "payment_methods": [1] })).await;
    panel.execute(Sql::new("UPDATE payment_methods SET is_enabled = FALSE WHERE id = 1")).await;
    let answer = panel.put(&format!("{WIDGETS}/{}", created["id"]), &json!({ "name": "Other" })).await;
    assert_eq!(answer.status, 200, "a payment method that was disabled later may remain: {}", answer.text);
    let key = create_api_key(&panel, 1).await;
    let public_widget = call(
        &panel,
        &key,
        &format!("action=order_widget&order_widget={}", created["api_token"].as_str().unwrap()),
    )
    .await;
    assert_eq!(
        public_widget,
        json!({ "name": "Other", "minimum": "0", "currency": "USD", "payment_methods": [] })
    );
    let unknown =
        call(&panel, &key, &format!("action=add&service={PLAIN}&link={LINK}&quantity=100&order_widget=x"))
            .await;
    assert_eq!(unknown, json!({ "error": "Incorrect order widget" }));
}

async fn an_order_through_a_widget_rewards_its_owner_and_a_refund_reverses_a_share(dialect: Dialect) {
    let panel = shop(dialect).await;
    let created = panel.post_data(WIDGETS, widget_input()).await;
    let order = place_through_widget(&panel, created["api_token"].as_str().unwrap()).await;
    assert_eq!(panel.order(order).await["source"], "order_widget");
    assert_eq!(referral_balance(&panel, 2).await, 500_000, "5 % of 10");
    let cancel =
        json!({ "return_money": true, "amount": "4", "cancel_reason": "other", "cancel_description": "x" });
    let answer = panel.post(&format!("/api/v1/admin/orders/{order}/cancel"), &cancel).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(
        referral_balance(&panel, 2).await,
        300_000,
        "the refund reverses the same share of the reward"
    );
    panel.assert_healthy().await;
}

async fn an_unpaid_order_rewards_the_owner_once_it_is_paid(dialect: Dialect) {
    let panel = shop(dialect).await;
    let created = panel.post_data(WIDGETS, widget_input()).await;
    let widget = created["id"].as_i64().map(OrderWidgetId::new);
    let plain = NewOrder::plain(UserId::new(1), PLAIN, "https://video.example/w", 1000);
    let placed = panel.place(&NewOrder { widget, paying_balances: Vec::new(), ..plain }).await;
    assert_eq!((placed.status.as_str(), referral_balance(&panel, 2).await), ("unpaid", 0));
    let answer = panel.post(&format!("/api/v1/admin/orders/{}/activate", placed.id), &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(referral_balance(&panel, 2).await, 500_000);
    panel.assert_healthy().await;
}

async fn the_higher_minimum_amount_applies(dialect: Dialect) {
    let panel = shop(dialect).await;
    let created = panel
        .post_data(WIDGETS, json!({ "name": "Blog", "user_id": 2, "minimum_purchase_amount": "5" }))
        .await;
    let (token, key) = (created["api_token"].as_str().unwrap(), create_api_key(&panel, 1).await);
    let add = async |quantity: i64| {
        let fields = format!(
            "action=add&service={PLAIN}&link={LINK}{quantity}&quantity={quantity}&order_widget={token}"
        );
        call(&panel, &key, &fields).await
    };
    assert!(add(499).await["error"].is_string());
    assert!(add(500).await["order"].is_i64());
    panel.save_settings(json!({ "minimum_purchase_amount_on_widget": "8" })).await;
    assert!(add(799).await["error"].is_string());
    assert!(add(800).await["order"].is_i64());
    panel.save_settings(json!({ "minimum_purchase_amount_on_widget": "1" })).await;
    assert!(add(499).await["error"].is_string(), "the minimum of the widget is higher");
    let plain = format!("action=add&service={PLAIN}&link={LINK}plain&quantity=100");
    assert!(
        call(&panel, &key, &plain).await["order"].is_i64(),
        "the minimum applies only to orders through widgets"
    );
}

async fn an_order_through_a_widget_has_a_default_quantity(dialect: Dialect) {
    let panel = shop(dialect).await;
    let created = panel.post_data(WIDGETS, widget_input()).await;
    let key = create_api_key(&panel, 1).await;
    panel.execute(Sql::new("UPDATE services SET default_quantity_for_order_widget = 700 WHERE id = 1")).await;
    let fields = format!("action=add&service={PLAIN}&link={LINK}");
    let refused = call(&panel, &key, &fields).await;
    assert_eq!(refused, json!({ "error": "Incorrect quantity" }));
    let token = created["api_token"].as_str().unwrap();
    let order = order_id(&call(&panel, &key, &format!("{fields}&order_widget={token}")).await);
    assert_eq!(panel.order(order).await["quantity"], 700);
    let runs = call(&panel, &key, &format!("{fields}&order_widget={token}&runs=3&interval=10")).await;
    assert_eq!(runs, json!({ "error": "Incorrect request: An order widget takes no runs" }));
}

async fn customers_get_no_reward_for_their_own_orders(dialect: Dialect) {
    let panel = shop(dialect).await;
    let own_widget =
        panel.post_data(WIDGETS, json!({ "name": "Mine", "user_id": 1, "reward_fraction": "0.5" })).await;
    place_through_widget(&panel, own_widget["api_token"].as_str().unwrap()).await;
    assert_eq!(referral_balance(&panel, 1).await, 0);
    panel.assert_healthy().await;
}

async fn widget_statistics_sum_up_orders_and_rewards(dialect: Dialect) {
    let panel = shop(dialect).await;
    let blog = panel.post_data(WIDGETS, widget_input()).await;
    let shop = panel.post_data(WIDGETS, json!({ "name": "Shop", "user_id": 3 })).await;
    for widget in [&blog, &blog, &shop] {
        place_through_widget(&panel, widget["api_token"].as_str().unwrap()).await;
    }
    let order = place_through_widget(&panel, blog["api_token"].as_str().unwrap()).await;
    let cancel = json!({ "return_money": true, "cancel_reason": "other", "cancel_description": "x" });
    assert_eq!(panel.post(&format!("/api/v1/admin/orders/{order}/cancel"), &cancel).await.status, 200);
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
    let filtered = panel.get_data(&format!("{path}?order_widgets={}", shop["id"])).await;
    assert_eq!(filtered["totals"], json!({ "orders": 1, "spent": "10", "reward": "0" }));
    assert_eq!(panel.get(&format!("{path}?start_date=2026-11-05&end_date=2026-11-01")).await.status, 422);
    assert_eq!(panel.get(&format!("{path}?order_widgets=a")).await.status, 422);
}

async fn order_widgets_require_their_permissions(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.create_staff("clerk", &[Permission::ManageCoupons]).await;
    for path in [WIDGETS, "/api/v1/admin/order-widget-statistics"] {
        assert_eq!(panel.get_as("clerk", path, "application/json").await.status, 403);
    }
    assert_eq!(panel.send("clerk", "POST", WIDGETS, &widget_input(), None).await.status, 403);
}
