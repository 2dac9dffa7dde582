//! Tests coupons: creation and changes, the effect of a code on an invoice and on an order, races for the last usage, and
//! statistics.

use futures_util::future::join_all;
use panel_contract::amount::Money;
use panel_contract::ids::{InvoiceId, OrderId, PaymentMethodId, UserId};
use panel_contract::moment::Time;
use panel_contract::orders::OrderStatus;
use panel_contract::payments::BalanceType;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_server::operations::invoices::bill::{NewInvoice, issue_invoice};
use panel_server::operations::orders::place::{NewOrder, place};
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::{NOW, Panel};
use crate::shop::{CUSTOMER_DEPOSIT, PLAIN_SERVICE};
use crate::withdrawals::add_payment_methods;

test_both_databases! {
    a_coupon_is_created_changed_and_archived;
    invalid_fields_of_a_coupon_are_named;
    the_status_of_a_coupon_follows_time_and_usages;
    paying_an_invoice_posts_the_bonus_of_its_coupon;
    the_last_usage_goes_to_one_customer;
    a_payment_is_posted_although_its_coupon_is_archived;
    a_coupon_lowers_the_cost_of_an_order;
    an_unpaid_order_keeps_its_coupon;
    canceling_an_unpaid_order_removes_the_usage_of_its_coupon;
    a_refund_lowers_the_sums_of_its_coupon;
    statistics_are_the_sums_of_usages;
    statistics_have_thirty_rows_by_default;
}

const COUPONS: &str = "/api/v1/admin/coupons";
/// One currency unit, in millionths.
const UNIT: i64 = 1_000_000;
const HOUR_MICROS: i64 = 3_600_000_000;

fn hours_from_now(hours: i64) -> String {
    Time(NOW + hours * HOUR_MICROS).to_string()
}

fn deposit_coupon_body() -> Value {
    json!({ "name": "Welcome", "code": "welcome", "payment_type": "deposit", "bonus_amount_calculation_type": "percent", "bonus_fraction": "0.1",
        "min_amount": "50", "valid_from": hours_from_now(-1), "valid_to": hours_from_now(12) })
}

fn order_coupon_body() -> Value {
    json!({ "name": "Five off", "code": "FIVE", "payment_type": "order", "bonus_amount_calculation_type": "fixed", "bonus_amount": "5", "valid_from": hours_from_now(-1) })
}

#[expect(clippy::needless_pass_by_value, reason = "the argument is usually a `json!` expression")]
fn with_changes(mut body: Value, changes: Value) -> Value {
    body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    body
}

async fn start_shop(dialect: Dialect) -> Panel {
    let panel = Panel::with_users_and_orders(dialect, 6, 0).await;
    add_payment_methods(&panel).await;
    panel
}

/// Creates an invoice with a coupon. Returns the error code if the server rejects the coupon.
async fn create_invoice(
    panel: &Panel,
    user: i64,
    amount: i64,
    coupon: &str,
) -> Result<InvoiceId, &'static str> {
    let new_invoice = NewInvoice {
        user_id: UserId::new(user),
        amount: Money(amount),
        payment_method_id: PaymentMethodId::new(1),
        short_name: format!("INV-{user}"),
        coupon: Some(coupon.to_owned()),
    };
    let mut work = panel.begin_work().await;
    match issue_invoice(&mut work, &new_invoice).await {
        Ok(id) => Ok(work.finish(id).await.unwrap()),
        Err(error) => Err(error.report("test").code),
    }
}

/// Marks the invoice as paid. Returns the HTTP status and the error code.
async fn mark_as_paid(panel: &Panel, invoice: InvoiceId, amount: &str) -> (u16, String) {
    panel
        .post(
            &format!("/api/v1/admin/invoices/{invoice}/mark-as-paid"),
            &json!({ "amount": amount, "comment": "Transferred" }),
        )
        .await
        .status_and_code()
}

/// Places an order and returns its id, status and cost, or the error code if the server rejects the order.
async fn place_order(
    panel: &Panel,
    new_order: NewOrder,
) -> Result<(OrderId, OrderStatus, String), &'static str> {
    let mut work = panel.begin_work().await;
    match place(&mut work, &new_order).await {
        Ok(placed_order) => {
            work.finish(()).await.unwrap();
            Ok((placed_order.id, placed_order.status, placed_order.cost.to_string()))
        }
        Err(error) => Err(error.report("test").code),
    }
}

fn new_order_with_coupon(user: i64, coupon: &str) -> NewOrder {
    NewOrder {
        coupon: Some(coupon.to_owned()),
        ..NewOrder::without_options(UserId::new(user), PLAIN_SERVICE, "https://video.example/1", 1_000)
    }
}

/// The number of usages, the total of the paid invoices and orders, and the total of the coupon's bonuses and discounts.
async fn fetch_coupon_sums(panel: &Panel, id: &Value) -> (i64, String, String) {
    let coupon = panel.get_data(&format!("{COUPONS}/{id}")).await;
    let text_of = |field: &str| coupon[field].as_str().unwrap().to_owned();
    (coupon["usages"].as_i64().unwrap(), text_of("received"), text_of("spent"))
}

async fn a_coupon_is_created_changed_and_archived(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let changes = json!({ "translations": { "en": { "name": "Welcome", "description": "Ten percent more" }, "de": { "name": "Willkommen" }, "fr": { "name": "" } }, "affiliate_id": 3 });
    let coupon = panel.post_data(COUPONS, with_changes(deposit_coupon_body(), changes)).await;
    assert_eq!((&coupon["code"], &coupon["status"]), (&json!("WELCOME"), &json!("active")));
    assert_eq!(
        (&coupon["bonus_type"], &coupon["description"]),
        (&json!("balance"), &json!("Ten percent more"))
    );
    assert_eq!(coupon["affiliate"], json!({ "id": 3, "email": "c3@shop.example" }));
    assert_eq!(coupon["translations"]["de"], json!({ "name": "Willkommen" }));
    assert_eq!(coupon["translations"].get("fr"), None);
    let path = format!("{COUPONS}/{}", coupon["id"]);
    assert_eq!(panel.get_data(&path).await, coupon);
    panel.clock.advance_secs(5);
    let patch_coupon = async |body: Value| panel.send("owner", "PATCH", &path, &body, None).await;
    let change_body = json!({ "bonus_amount_calculation_type": "fixed", "bonus_amount": "7", "valid_to": null, "updated_at": coupon["updated_at"] });
    let change_response = patch_coupon(change_body.clone()).await;
    assert_eq!(change_response.status, 200, "{}", change_response.text);
    let changed_coupon = change_response.json()["data"].clone();
    assert_eq!(
        (&changed_coupon["bonus_fraction"], &changed_coupon["bonus_amount"], &changed_coupon["valid_to"]),
        (&Value::Null, &json!("7"), &Value::Null)
    );
    assert_eq!(patch_coupon(change_body).await.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(ids(&panel.get_data(&format!("{COUPONS}?search[value]=elco")).await).len(), 1);
    let post_action = async |action: &str| panel.post(&format!("{path}/{action}"), &json!({})).await;
    assert_eq!(post_action("unarchive").await.status_and_code(), (409, "coupon_not_archived".into()));
    assert_eq!(post_action("archive").await.json()["data"]["actions"]["restore"], true);
    assert_eq!(post_action("archive").await.status_and_code(), (409, "coupon_archived".into()));
    assert_eq!(patch_coupon(json!({ "name": "X" })).await.status_and_code(), (409, "coupon_archived".into()));
    assert_eq!(ids(&panel.get_data(&format!("{COUPONS}?is_all=0")).await).len(), 0);
    assert_eq!(ids(&panel.get_data(&format!("{COUPONS}?is_all=1")).await).len(), 1);
    assert_eq!(post_action("unarchive").await.status, 200);
    let count_audits_sql = "SELECT count(*) FROM audits WHERE event LIKE 'coupon.%'";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 4);
    let collections = panel.get_data(&format!("{COUPONS}/collections")).await;
    assert_eq!(collections["couponsBonusTypes"][1]["type"], "discount");
}

async fn invalid_fields_of_a_coupon_are_named(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let post_and_get_invalid_fields = async |body: Value| -> Vec<String> {
        let response = panel.post(COUPONS, &body).await;
        assert_eq!(response.status, 422, "{}", response.text);
        response.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    let required_fields = ["bonus_amount_calculation_type", "code", "name", "payment_type", "valid_from"];
    assert_eq!(post_and_get_invalid_fields(json!({})).await, required_fields);
    assert_eq!(
        post_and_get_invalid_fields(with_changes(deposit_coupon_body(), json!({ "bonus_type": "discount" })))
            .await,
        ["bonus_type"]
    );
    assert_eq!(
        post_and_get_invalid_fields(with_changes(deposit_coupon_body(), json!({ "affiliate_id": 99 }))).await,
        ["affiliate_id"]
    );
    panel.post_data(COUPONS, deposit_coupon_body()).await;
    assert_eq!(
        post_and_get_invalid_fields(with_changes(deposit_coupon_body(), json!({ "code": "WelCome" }))).await,
        ["code"],
        "codes must be compared without case"
    );
}

async fn the_status_of_a_coupon_follows_time_and_usages(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let body =
        with_changes(deposit_coupon_body(), json!({ "valid_from": hours_from_now(1), "usage_limit": 1 }));
    let id = panel.post_data(COUPONS, body).await["id"].clone();
    let path = format!("{COUPONS}/{id}");
    let fetch_status = async || {
        let status = panel.get_data(&path).await["status"].as_str().unwrap().to_owned();
        let list_path = format!("{COUPONS}?columns[0][data]=status&columns[0][search][value]={status}");
        assert_eq!(
            ids(&panel.get_data(&list_path).await).len(),
            1,
            "the list must find the coupon by this status"
        );
        status
    };
    let patch_coupon = async |body: Value| panel.send("owner", "PATCH", &path, &body, None).await;
    assert_eq!(fetch_status().await, "scheduled");
    assert_eq!(create_invoice(&panel, 2, 100 * UNIT, "welcome").await, Err("coupon_not_active"));
    panel.clock.advance_secs(3_600);
    assert_eq!(fetch_status().await, "active");
    assert_eq!(patch_coupon(json!({ "usage_limit": 0 })).await.status, 200);
    assert_eq!(fetch_status().await, "disabled");
    assert_eq!(patch_coupon(json!({ "usage_limit": 1 })).await.status, 200);
    let invoice = create_invoice(&panel, 2, 100 * UNIT, " Welcome ").await.unwrap();
    assert_eq!(mark_as_paid(&panel, invoice, "100").await.0, 200);
    assert_eq!(fetch_status().await, "completed", "the coupon must not be used beyond its usage limit");
    assert_eq!(patch_coupon(json!({ "usage_limit": 2 })).await.status, 200);
    assert_eq!(fetch_status().await, "active");
    panel.clock.advance_secs(11 * 3_600);
    assert_eq!(fetch_status().await, "completed", "the coupon must be completed after valid_to");
}

async fn paying_an_invoice_posts_the_bonus_of_its_coupon(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let id = panel.post_data(COUPONS, deposit_coupon_body()).await["id"].clone();
    assert_eq!(create_invoice(&panel, 2, 100 * UNIT, "nope").await, Err("coupon_unknown"));
    assert_eq!(create_invoice(&panel, 2, 49 * UNIT, "WELCOME").await, Err("coupon_needs_more"));
    let invoice = create_invoice(&panel, 2, 100 * UNIT, "WELCOME").await.unwrap();
    let second_invoice = create_invoice(&panel, 2, 100 * UNIT, "WELCOME").await.unwrap();
    assert_eq!(fetch_coupon_sums(&panel, &id).await.0, 0, "an unpaid invoice must not count as a usage");
    let ((first_status, first_code), (second_status, second_code)) =
        tokio::join!(mark_as_paid(&panel, invoice, "120.55"), mark_as_paid(&panel, invoice, "120.55"));
    assert_eq!(first_status + second_status, 200 + 409, "{first_code} {second_code}");
    assert_eq!(
        panel.fetch_main_balance(2).await,
        CUSTOMER_DEPOSIT + 120_550_000 + 12_050_000,
        "the bonus must be 10 % of 120.55, rounded down"
    );
    let entries_sql = "SELECT e.type, e.amount FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id WHERE t.kind = 'invoice_coupon' AND e.user_id = 2";
    let entries: Vec<(String, i64)> = (&mut &panel.app.db).fetch_all(Sql::new(entries_sql)).await.unwrap();
    assert_eq!(entries, [("bonus".to_owned(), 12_050_000)]);
    assert_eq!(fetch_coupon_sums(&panel, &id).await, (1, "120.55".into(), "12.05".into()));
    // The second invoice of the same customer is paid without a bonus.
    assert_eq!(mark_as_paid(&panel, second_invoice, "100").await.0, 200);
    assert_eq!(panel.fetch_main_balance(2).await, CUSTOMER_DEPOSIT + 220_550_000 + 12_050_000);
    assert_eq!(fetch_coupon_sums(&panel, &id).await.0, 1);
    assert_eq!(create_invoice(&panel, 2, 100 * UNIT, "WELCOME").await, Err("coupon_used"));
    panel.assert_healthy().await;
}

async fn the_last_usage_goes_to_one_customer(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let id = panel.post_data(COUPONS, with_changes(deposit_coupon_body(), json!({ "usage_limit": 2 }))).await
        ["id"]
        .clone();
    let mut invoices = Vec::new();
    for user in 1..=5 {
        invoices.push(create_invoice(&panel, user, 100 * UNIT, "WELCOME").await.unwrap());
    }
    for (status, code) in
        join_all(invoices.into_iter().map(|invoice| mark_as_paid(&panel, invoice, "100"))).await
    {
        assert_eq!(status, 200, "every payment must be posted: {code}");
    }
    assert_eq!(fetch_coupon_sums(&panel, &id).await, (2, "200".into(), "20".into()));
    let count_bonuses_sql = "SELECT count(*) FROM ledger_txns WHERE kind = 'invoice_coupon'";
    assert_eq!(panel.fetch_number(Sql::new(count_bonuses_sql)).await, 2);
    panel.assert_healthy().await;
}

async fn a_payment_is_posted_although_its_coupon_is_archived(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let coupon_body = with_changes(deposit_coupon_body(), json!({ "use_with_only_unpaid_orders": true }));
    let id = panel.post_data(COUPONS, coupon_body).await["id"].clone();
    assert_eq!(
        create_invoice(&panel, 2, 100 * UNIT, "WELCOME").await,
        Err("coupon_unsuitable"),
        "the coupon must be rejected, because the customer has no unpaid order"
    );
    let unpaid_order = NewOrder {
        paying_balances: vec![BalanceType::Referral],
        ..NewOrder::without_options(UserId::new(2), PLAIN_SERVICE, "https://video.example/u", 1_000)
    };
    assert_eq!(panel.place_order(&unpaid_order).await.status, OrderStatus::Unpaid);
    let invoice = create_invoice(&panel, 2, 100 * UNIT, "WELCOME").await.unwrap();
    assert_eq!(panel.post(&format!("{COUPONS}/{id}/archive"), &json!({})).await.status, 200);
    assert_eq!(mark_as_paid(&panel, invoice, "100").await.0, 200);
    assert_eq!(panel.fetch_main_balance(2).await, CUSTOMER_DEPOSIT + 100 * UNIT);
    assert_eq!(fetch_coupon_sums(&panel, &id).await.0, 0);
    panel.assert_healthy().await;
}

async fn a_coupon_lowers_the_cost_of_an_order(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let id = panel.post_data(COUPONS, order_coupon_body()).await["id"].clone();
    let (order_id, status, cost) = place_order(&panel, new_order_with_coupon(2, "five")).await.unwrap();
    assert_eq!((status, cost.as_str()), (OrderStatus::InProcessing, "5"));
    let order = panel.fetch_order(order_id).await;
    let modification = &order["price_modifications"][0];
    assert_eq!(
        (&modification["type"], &modification["name"], &modification["cost_before"]),
        (&json!("coupon"), &json!("FIVE"), &json!("10"))
    );
    assert_eq!(fetch_coupon_sums(&panel, &id).await, (1, "5".into(), "5".into()));
    assert_eq!(place_order(&panel, new_order_with_coupon(2, "FIVE")).await, Err("coupon_used"));
    assert_eq!(place_order(&panel, new_order_with_coupon(3, "SIX")).await, Err("coupon_unknown"));
    // A coupon cannot be combined with a discount or a price agreed with the customer, unless the settings of the coupon allow it.
    let discount_body = json!({ "name": "Sale", "valid_from": hours_from_now(-1), "services": [{ "id": PLAIN_SERVICE, "discount_fraction": "0.1" }] });
    panel.post_data("/api/v1/admin/discounts", discount_body).await;
    assert_eq!(place_order(&panel, new_order_with_coupon(3, "FIVE")).await, Err("coupon_unsuitable"));
    let path = format!("{COUPONS}/{id}");
    let change_body = json!({ "works_with_service_discount": true, "bonus_amount": "100" });
    assert_eq!(panel.send("owner", "PATCH", &path, &change_body, None).await.status, 200);
    panel.execute(Sql::new("UPDATE services SET min_price = 3000000 WHERE id = 1")).await;
    let (_, _, cost) = place_order(&panel, new_order_with_coupon(3, "FIVE")).await.unwrap();
    assert_eq!(cost, "3", "the minimum price must apply");
    assert_eq!(
        fetch_coupon_sums(&panel, &id).await,
        (2, "8".into(), "11".into()),
        "only the reduction down to the minimum price must count"
    );
    let agreed_price = json!({ "service_id": PLAIN_SERVICE, "default_price": "8" });
    assert_eq!(panel.post("/api/v1/admin/users/4/user-services", &agreed_price).await.status, 200);
    assert_eq!(place_order(&panel, new_order_with_coupon(4, "FIVE")).await, Err("coupon_unsuitable"));
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM orders WHERE user_id = 4")).await,
        0,
        "a rejected order was created"
    );
    panel.assert_healthy().await;
}

async fn an_unpaid_order_keeps_its_coupon(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let body = with_changes(order_coupon_body(), json!({ "works_with_balance": false }));
    let id = panel.post_data(COUPONS, body).await["id"].clone();
    assert_eq!(
        place_order(&panel, new_order_with_coupon(2, "FIVE")).await,
        Err("coupon_unsuitable"),
        "the coupon must be rejected, because the balance would pay the order"
    );
    let unpaid_order =
        NewOrder { paying_balances: vec![BalanceType::Referral], ..new_order_with_coupon(2, "FIVE") };
    let (order_id, status, cost) = place_order(&panel, unpaid_order).await.unwrap();
    assert_eq!((status, cost.as_str()), (OrderStatus::Unpaid, "5"));
    assert_eq!(fetch_coupon_sums(&panel, &id).await, (1, "0".into(), "5".into()));
    let path = format!("/api/v1/admin/orders/{order_id}/activate");
    assert_eq!(panel.post(&path, &json!({})).await.status, 200);
    assert_eq!(fetch_coupon_sums(&panel, &id).await, (1, "5".into(), "5".into()));
    assert_eq!(panel.fetch_main_balance(2).await, CUSTOMER_DEPOSIT - 5 * UNIT);
    panel.assert_healthy().await;
}

async fn statistics_are_the_sums_of_usages(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    panel
        .post_data(
            COUPONS,
            with_changes(deposit_coupon_body(), json!({ "affiliate_id": 3, "valid_to": null })),
        )
        .await;
    panel.post_data(COUPONS, with_changes(order_coupon_body(), json!({ "name": "Alpha" }))).await;
    for user in [1, 2] {
        let invoice = create_invoice(&panel, user, 100 * UNIT, "WELCOME").await.unwrap();
        assert_eq!(mark_as_paid(&panel, invoice, "100").await.0, 200);
        panel.clock.advance_secs(5 * 3_600);
    }
    place_order(&panel, new_order_with_coupon(4, "FIVE")).await.unwrap();
    let post_statistics = async |path: &str, body: Value| {
        let response = panel.post(&format!("{COUPONS}/{path}"), &body).await;
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()
    };
    let statistics_by_coupon = post_statistics("statistics", json!({})).await;
    assert_eq!(statistics_by_coupon["totals"], json!({ "received": "205", "spent": "25", "usages": 3 }));
    let rows = statistics_by_coupon["data"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!((names, &statistics_by_coupon["recordsFiltered"]), (vec!["Alpha", "Welcome"], &json!(2)));
    assert_eq!(rows[1]["referral_manager"]["email"], "c3@shop.example");
    assert_eq!(statistics_by_coupon["days"].as_array().unwrap().len(), 30);
    let statistics_by_date = post_statistics("statistic-by-date", json!({})).await;
    let rows = statistics_by_date["data"].as_array().unwrap();
    let dates: Vec<_> = rows.iter().map(|row| row["date"].as_str().unwrap()).collect();
    assert!(dates.is_sorted_by(|date, next_date| date > next_date) && dates.len() == 2, "{dates:?}");
    let statistics_by_date_and_coupon =
        post_statistics("statistic-by-date", json!({ "grouping": "coupon", "length": 1, "start": 1 })).await;
    assert_eq!(
        (
            statistics_by_date_and_coupon["data"].as_array().unwrap().len(),
            &statistics_by_date_and_coupon["recordsFiltered"]
        ),
        (1, &json!(2))
    );
    let affiliate_statistics =
        post_statistics("statistics", json!({ "affiliates": [3], "sort": "spent", "descending": true }))
            .await;
    assert_eq!(affiliate_statistics["totals"]["usages"], 2);
    let rejected_response =
        panel.post(&format!("{COUPONS}/statistics"), &json!({ "length": 0, "start": -1 })).await;
    let invalid_fields: Vec<String> =
        rejected_response.json()["errors"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(invalid_fields, ["length", "start"]);
}

async fn canceling_an_unpaid_order_removes_the_usage_of_its_coupon(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let id =
        panel.post_data(COUPONS, with_changes(order_coupon_body(), json!({ "usage_limit": 2 }))).await["id"]
            .clone();
    let mut unpaid_order_ids = Vec::new();
    for user in [2, 3] {
        let unpaid_order =
            NewOrder { paying_balances: vec![BalanceType::Referral], ..new_order_with_coupon(user, "FIVE") };
        unpaid_order_ids.push(place_order(&panel, unpaid_order).await.unwrap().0);
    }
    assert_eq!(fetch_coupon_sums(&panel, &id).await, (2, "0".into(), "10".into()));
    assert!(
        place_order(&panel, new_order_with_coupon(4, "FIVE")).await.is_err(),
        "the coupon must not be used beyond its usage limit"
    );
    let body = json!({ "order_ids": unpaid_order_ids });
    assert_eq!(panel.post("/api/v1/admin/orders/cancel", &body).await.json()["processed"], 2);
    assert_eq!(fetch_coupon_sums(&panel, &id).await, (0, "0".into(), "0".into()));
    let (paid_order_id, _, cost) = place_order(&panel, new_order_with_coupon(2, "FIVE")).await.unwrap();
    assert_eq!(cost, "5");
    // A canceled order without a refund still counts as a usage.
    assert_eq!(
        panel.post(&format!("/api/v1/admin/orders/{paid_order_id}/cancel"), &json!({})).await.status,
        200
    );
    assert_eq!(fetch_coupon_sums(&panel, &id).await, (1, "5".into(), "5".into()));
    panel.assert_healthy().await;
}

async fn a_refund_lowers_the_sums_of_its_coupon(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let id =
        panel.post_data(COUPONS, with_changes(order_coupon_body(), json!({ "usage_limit": 3 }))).await["id"]
            .clone();
    let mut orders = Vec::new();
    for user in [2, 3, 4] {
        orders.push(place_order(&panel, new_order_with_coupon(user, "FIVE")).await.unwrap().0);
    }
    assert_eq!(fetch_coupon_sums(&panel, &id).await, (3, "15".into(), "15".into()));
    assert!(
        place_order(&panel, new_order_with_coupon(5, "FIVE")).await.is_err(),
        "the coupon must not be used beyond its usage limit"
    );
    let cancel_order = async |order: OrderId, body: Value| {
        let path = format!("/api/v1/admin/orders/{order}/cancel");
        assert_eq!(panel.post(&path, &body).await.status, 200);
    };
    // A partial refund lowers both sums in proportion. The rounding never makes the remaining sum less than the actual reduction.
    cancel_order(orders[0], json!({ "return_money": true, "amount": "1.000001" })).await;
    assert_eq!(fetch_coupon_sums(&panel, &id).await, (3, "13.999999".into(), "13.999999".into()));
    // A full refund removes the usage, so the customer can use the coupon again within its limit.
    let body = json!({ "order_ids": orders[1..], "return_money": true });
    assert_eq!(panel.post("/api/v1/admin/orders/cancel", &body).await.json()["processed"], 2);
    assert_eq!(fetch_coupon_sums(&panel, &id).await, (1, "3.999999".into(), "3.999999".into()));
    let statistics = panel.post(&format!("{COUPONS}/statistics"), &json!({})).await.json();
    assert_eq!(statistics["totals"], json!({ "received": "3.999999", "spent": "3.999999", "usages": 1 }));
    assert_eq!(place_order(&panel, new_order_with_coupon(2, "FIVE")).await, Err("coupon_used"));
    place_order(&panel, new_order_with_coupon(3, "FIVE")).await.unwrap();
    panel.assert_healthy().await;
}

/// Each of 31 coupons was used on a different day.
async fn statistics_have_thirty_rows_by_default(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 1, 31).await;
    for number in 1..=31_i64 {
        let insert_coupon_sql = "INSERT INTO coupons (id, name, code, payment_type, bonus_type, bonus_amount_calculation_type, bonus_ppm, valid_from, created_at, updated_at)
            VALUES (?, ?, ?, 'order', 'discount', 'percent', 100000, 1, 1, 1)";
        panel
            .execute(
                Sql::new(insert_coupon_sql)
                    .bind(number)
                    .bind(format!("Coupon {number:02}"))
                    .bind(format!("CODE{number}")),
            )
            .await;
        let insert_usage_sql = "INSERT INTO coupon_usages (coupon_id, user_id, order_id, received, spent, created_at) VALUES (?, 1, ?, 10, 1, ?)";
        let used_at = panel.app.clock.now().0 - (number - 1) * 86_400_000_000;
        panel.execute(Sql::new(insert_usage_sql).bind(number).bind(number).bind(used_at)).await;
    }
    let start_micros = panel.app.clock.now().0 - 40 * 86_400_000_000;
    let start_date = Time(start_micros).day();
    let post_statistics =
        async |path: &str, body: Value| panel.post(&format!("{COUPONS}/{path}"), &body).await.json();
    let values_of = |response: &Value, field: &str| -> Vec<String> {
        response["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row[field].as_str().unwrap().to_owned())
            .collect()
    };
    let statistics_by_coupon = post_statistics("statistics", json!({ "start_date": start_date })).await;
    let expected_names: Vec<String> = (1..=30).map(|number| format!("Coupon {number:02}")).collect();
    assert_eq!(
        values_of(&statistics_by_coupon, "name"),
        expected_names,
        "the rows must be sorted by name: {statistics_by_coupon}"
    );
    let statistics_by_date = post_statistics("statistic-by-date", json!({ "start_date": start_date })).await;
    let dates = values_of(&statistics_by_date, "date");
    assert_eq!(dates.len(), 30);
    assert!(
        dates.is_sorted_by(|date, next_date| date > next_date),
        "the newest date must be first: {dates:?}"
    );
    let long_page = post_statistics("statistics", json!({ "start_date": start_date, "length": 50 })).await;
    assert_eq!(long_page["data"].as_array().unwrap().len(), 31);
}
