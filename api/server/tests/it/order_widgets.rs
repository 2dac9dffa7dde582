//! Order widgets: made and changed, orders through them with their least cost and usual quantity, the owner's reward and
//! how it goes back, and the statistics.

use panel_contract::ids::{OrderWidgetId, UserId};
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::intake::{call, key, order_of, shop};
use crate::panel::Panel;
use crate::shop::PLAIN;
use crate::withdrawals::methods;

both! {
    a_widget_is_made_and_changed;
    what_is_wrong_with_a_widget_is_named;
    an_order_through_a_widget_rewards_its_owner_until_it_goes_back;
    an_order_that_waits_rewards_when_it_is_paid;
    the_higher_least_amount_holds;
    widgets_have_a_usual_quantity;
    nobody_is_rewarded_for_orders_of_their_own;
    statistics_are_the_sums_of_orders;
    order_widgets_require_their_permissions;
}

const WIDGETS: &str = "/api/v1/admin/order-widgets";
const LINK: &str = "https%3A%2F%2Fvideo.example%2Fwatch";

fn widget() -> Value {
    json!({ "name": "Blog", "user_id": 2, "reward_percent": "0.05" })
}

async fn referral(panel: &Panel, user: i64) -> i64 {
    panel.number(Sql::new("SELECT balance_referral FROM users WHERE id = ?").bind(user)).await
}

/// An order of customer 1 for 10 through a widget: its id.
async fn ordered(panel: &Panel, token: &str) -> i64 {
    let key = key(panel, 1).await;
    let fields = format!("action=add&service={PLAIN}&link={LINK}&quantity=1000&order_widget={token}");
    order_of(&call(panel, &key, &fields).await)
}

async fn a_widget_is_made_and_changed(dialect: Dialect) {
    let panel = shop(dialect).await;
    methods(&panel).await;
    let made = panel.made(WIDGETS, widget()).await;
    assert_eq!(
        (&made["user"]["id"], &made["is_outer"], &made["embed"]),
        (&json!(2), &json!(true), &Value::Null)
    );
    panel.settled(json!({ "logo_destination_url": "https://shop.example/home" })).await;
    let path = format!("{WIDGETS}/{}", made["id"]);
    let read = panel.data(&path).await;
    let token = read["api_token"].as_str().unwrap();
    assert_eq!(
        read["embed"],
        format!(
            "<iframe src=\"https://shop.example/order-widget?token={token}\" title=\"Blog\" width=\"100%\" height=\"640\" loading=\"lazy\"></iframe>"
        )
    );
    panel.clock.advance_secs(5);
    let change = json!({ "name": "Shop", "minimum_purchase_amount": "2.5", "payment_methods": [2, 1], "updated_at": read["updated_at"] });
    let answer = panel.renew(&path, &change).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let data = answer.json()["data"].clone();
    assert_eq!((&data["minimum_purchase_amount"], &data["payment_methods"]), (&json!("2.5"), &json!([2, 1])));
    assert_eq!(data["api_token"], token, "pages go on naming it");
    assert_eq!(panel.renew(&path, &change).await.says(), (409, "changed_meanwhile".into()));
    let audits = panel.get("/api/v1/admin/audits").await.json()["data"].clone();
    let update =
        audits.as_array().unwrap().iter().find(|row| row["event"] == "order_widget.updated").unwrap();
    assert_eq!(update["old_values"]["name"], "Blog");
    assert!(update["new_values"].get("user_id").is_none(), "only what changed: {update}");
    let inner = panel.renew(&path, &json!({ "is_outer": false })).await.json()["data"].clone();
    assert_eq!(inner["embed"], Value::Null);
    let rows = panel.get(WIDGETS).await.json()["data"].clone();
    assert_eq!((rows.as_array().unwrap().len(), &rows[0]["name"]), (1, &json!("Shop")));
    assert_eq!(panel.get(&format!("{WIDGETS}/99")).await.status, 404);
    panel.assert_healthy().await;
}

async fn what_is_wrong_with_a_widget_is_named(dialect: Dialect) {
    let panel = shop(dialect).await;
    methods(&panel).await;
    let bad = json!({ "name": "Blog", "user_id": 77, "payment_methods": [1, 999] });
    let answer = panel.post(WIDGETS, &bad).await;
    let errors = answer.json()["errors"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!((answer.status.as_u16(), errors), (422, vec!["payment_methods".into(), "user_id".into()]));
    let made = panel.made(WIDGETS, json!({ "name": "Blog", "user_id": 1, "payment_methods": [1] })).await;
    panel.exec(Sql::new("UPDATE payment_methods SET is_enabled = FALSE WHERE id = 1")).await;
    let answer = panel.renew(&format!("{WIDGETS}/{}", made["id"]), &json!({ "name": "Other" })).await;
    assert_eq!(answer.status, 200, "what was switched off since may stay: {}", answer.text);
    let key = key(&panel, 1).await;
    let shown = call(
        &panel,
        &key,
        &format!("action=order_widget&order_widget={}", made["api_token"].as_str().unwrap()),
    )
    .await;
    assert_eq!(shown, json!({ "name": "Other", "minimum": "0", "currency": "USD", "payment_methods": [] }));
    let unknown =
        call(&panel, &key, &format!("action=add&service={PLAIN}&link={LINK}&quantity=100&order_widget=x"))
            .await;
    assert_eq!(unknown, json!({ "error": "Incorrect order widget" }));
}

async fn an_order_through_a_widget_rewards_its_owner_until_it_goes_back(dialect: Dialect) {
    let panel = shop(dialect).await;
    let made = panel.made(WIDGETS, widget()).await;
    let order = ordered(&panel, made["api_token"].as_str().unwrap()).await;
    assert_eq!(panel.order(order).await["source"], "order_widget");
    assert_eq!(referral(&panel, 2).await, 500_000, "five percent of ten");
    let cancel =
        json!({ "return_money": true, "amount": "4", "cancel_reason": "other", "cancel_description": "x" });
    let answer = panel.post(&format!("/api/v1/admin/orders/{order}/cancel"), &cancel).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(referral(&panel, 2).await, 300_000, "its share of what went back");
    panel.assert_healthy().await;
}

async fn an_order_that_waits_rewards_when_it_is_paid(dialect: Dialect) {
    let panel = shop(dialect).await;
    let made = panel.made(WIDGETS, widget()).await;
    let widget = made["id"].as_i64().map(OrderWidgetId::new);
    let plain = NewOrder::plain(UserId::new(1), PLAIN, "https://video.example/w", 1000);
    let placed = panel.place(&NewOrder { widget, pays: Vec::new(), ..plain }).await;
    assert_eq!((placed.status.as_str(), referral(&panel, 2).await), ("unpaid", 0));
    let answer = panel.post(&format!("/api/v1/admin/orders/{}/activate", placed.id), &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(referral(&panel, 2).await, 500_000);
    panel.assert_healthy().await;
}

async fn the_higher_least_amount_holds(dialect: Dialect) {
    let panel = shop(dialect).await;
    let made =
        panel.made(WIDGETS, json!({ "name": "Blog", "user_id": 2, "minimum_purchase_amount": "5" })).await;
    let (token, key) = (made["api_token"].as_str().unwrap(), key(&panel, 1).await);
    let add = async |quantity: i64| {
        let fields = format!(
            "action=add&service={PLAIN}&link={LINK}{quantity}&quantity={quantity}&order_widget={token}"
        );
        call(&panel, &key, &fields).await
    };
    assert!(add(499).await["error"].is_string());
    assert!(add(500).await["order"].is_i64());
    panel.settled(json!({ "minimum_purchase_amount_on_widget": "8" })).await;
    assert!(add(799).await["error"].is_string());
    assert!(add(800).await["order"].is_i64());
    panel.settled(json!({ "minimum_purchase_amount_on_widget": "1" })).await;
    assert!(add(499).await["error"].is_string(), "the widget's own is higher");
    let plain = format!("action=add&service={PLAIN}&link={LINK}plain&quantity=100");
    assert!(call(&panel, &key, &plain).await["order"].is_i64(), "only through widgets");
}

async fn widgets_have_a_usual_quantity(dialect: Dialect) {
    let panel = shop(dialect).await;
    let made = panel.made(WIDGETS, widget()).await;
    let key = key(&panel, 1).await;
    panel.exec(Sql::new("UPDATE services SET default_quantity_for_order_widget = 700 WHERE id = 1")).await;
    let fields = format!("action=add&service={PLAIN}&link={LINK}");
    let refused = call(&panel, &key, &fields).await;
    assert_eq!(refused, json!({ "error": "Incorrect quantity" }));
    let token = made["api_token"].as_str().unwrap();
    let order = order_of(&call(&panel, &key, &format!("{fields}&order_widget={token}")).await);
    assert_eq!(panel.order(order).await["quantity"], 700);
    let runs = call(&panel, &key, &format!("{fields}&order_widget={token}&runs=3&interval=10")).await;
    assert_eq!(runs, json!({ "error": "Incorrect request: An order widget takes no runs" }));
}

async fn nobody_is_rewarded_for_orders_of_their_own(dialect: Dialect) {
    let panel = shop(dialect).await;
    let own = panel.made(WIDGETS, json!({ "name": "Mine", "user_id": 1, "reward_percent": "0.5" })).await;
    ordered(&panel, own["api_token"].as_str().unwrap()).await;
    assert_eq!(referral(&panel, 1).await, 0);
    panel.assert_healthy().await;
}

async fn statistics_are_the_sums_of_orders(dialect: Dialect) {
    let panel = shop(dialect).await;
    let blog = panel.made(WIDGETS, widget()).await;
    let shop = panel.made(WIDGETS, json!({ "name": "Shop", "user_id": 3 })).await;
    for widget in [&blog, &blog, &shop] {
        ordered(&panel, widget["api_token"].as_str().unwrap()).await;
    }
    let order = ordered(&panel, blog["api_token"].as_str().unwrap()).await;
    let cancel = json!({ "return_money": true, "cancel_reason": "other", "cancel_description": "x" });
    assert_eq!(panel.post(&format!("/api/v1/admin/orders/{order}/cancel"), &cancel).await.status, 200);
    let path = "/api/v1/admin/order-widget-statistics";
    let all = panel.data(path).await;
    assert_eq!(all["totals"], json!({ "orders": 4, "spent": "30", "reward": "1" }));
    assert_eq!(
        (&all["rows"][0]["order_widget"]["name"], &all["rows"][0]["spent"]),
        (&json!("Blog"), &json!("20"))
    );
    assert_eq!((&all["rows"][1]["user"]["id"], &all["rows"][1]["reward"]), (&json!(3), &json!("0")));
    let days = all["days"].as_array().unwrap();
    assert_eq!((days.len(), &days[29]["orders"], &days[0]["orders"]), (30, &json!(4), &json!(0)));
    let one = panel.data(&format!("{path}?order_widgets={}", shop["id"])).await;
    assert_eq!(one["totals"], json!({ "orders": 1, "spent": "10", "reward": "0" }));
    assert_eq!(panel.get(&format!("{path}?start_date=2026-11-05&end_date=2026-11-01")).await.status, 422);
    assert_eq!(panel.get(&format!("{path}?order_widgets=a")).await.status, 422);
}

async fn order_widgets_require_their_permissions(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.staff("clerk", &[Permission::ManageCoupons]).await;
    for path in [WIDGETS, "/api/v1/admin/order-widget-statistics"] {
        assert_eq!(panel.get_as("clerk", path, "application/json").await.status, 403);
    }
    assert_eq!(panel.send("clerk", "POST", WIDGETS, &widget(), None).await.status, 403);
}
