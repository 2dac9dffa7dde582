//! Coupons: the editor, the effect of a code on an invoice and on an order, races for the last usage, and statistics.

use panel_contract::amount::Money;
use panel_contract::ids::{InvoiceId, OrderId, PaymentMethodId, UserId};
use panel_contract::moment::Time;
use panel_contract::orders::OrderStatus;
use panel_contract::payments::BalanceType;
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_server::operations::invoices::bill::{NewInvoice, issue_invoice};
use panel_server::operations::orders::place::{NewOrder, place};
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::{NOW, Panel};
use crate::shop::{DEPOSIT, PLAIN};
use crate::withdrawals::add_payment_methods;

both! {
    a_coupon_is_created_changed_and_archived;
    invalid_fields_of_a_coupon_are_named;
    the_status_of_a_coupon_follows_time_and_usages;
    a_paid_invoice_posts_the_bonus_of_its_coupon;
    the_last_usage_goes_to_one_customer;
    a_payment_is_posted_although_its_coupon_is_archived;
    a_coupon_lowers_the_cost_of_an_order;
    an_unpaid_order_keeps_its_coupon;
    canceling_an_unpaid_order_frees_its_coupon;
    a_refund_lowers_the_sums_of_its_coupon;
    statistics_are_the_sums_of_usages;
    statistics_have_thirty_rows_unless_a_length_is_given;
}

const COUPONS: &str = "/api/v1/admin/coupons";
const UNIT: i64 = 1_000_000;
const HOUR_MICROS: i64 = 3_600_000_000;

fn time_after(hours: i64) -> String {
    Time(NOW + hours * HOUR_MICROS).to_string()
}

fn deposit_coupon() -> Value {
    json!({ "name": "Welcome", "code": "welcome", "payment_type": "deposit", "bonus_amount_calculation_type": "percent", "bonus_fraction": "0.1",
        "min_amount": "50", "valid_from": time_after(-1), "valid_to": time_after(12) })
}

fn order_coupon() -> Value {
    json!({ "name": "Five off", "code": "FIVE", "payment_type": "order", "bonus_amount_calculation_type": "fixed", "bonus_amount": "5", "valid_from": time_after(-1) })
}

#[expect(clippy::needless_pass_by_value, reason = "so that a call can contain its change")]
fn with_changes(mut body: Value, changes: Value) -> Value {
    body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    body
}

async fn shop(dialect: Dialect) -> Panel {
    let panel = Panel::shop(dialect, 6, 0).await;
    add_payment_methods(&panel).await;
    panel
}

/// Creates an invoice with a coupon; the error is the code of the rejection.
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

async fn pay(panel: &Panel, invoice: InvoiceId, amount: &str) -> (u16, String) {
    panel
        .post(
            &format!("/api/v1/admin/invoices/{invoice}/mark-as-paid"),
            &json!({ "amount": amount, "comment": "Transferred" }),
        )
        .await
        .status_and_code()
}

/// Places an order; the error is the code of the rejection.
async fn place_order(
    panel: &Panel,
    new_order: NewOrder,
) -> Result<(OrderId, OrderStatus, String), &'static str> {
    let mut work = panel.begin_work().await;
    match place(&mut work, &new_order).await {
        Ok(placed) => {
            work.finish(()).await.unwrap();
            Ok((placed.id, placed.status, placed.cost.to_string()))
        }
        Err(error) => Err(error.report("test").code),
    }
}

fn order_with_coupon(user: i64, coupon: &str) -> NewOrder {
    NewOrder {
        coupon: Some(coupon.to_owned()),
        ..NewOrder::plain(UserId::new(user), PLAIN, "https://video.example/1", 1_000)
    }
}

/// The number of usages, the total of the paid invoices and orders, and the total of the coupon's bonuses and discounts.
async fn coupon_sums(panel: &Panel, id: &Value) -> (i64, String, String) {
    let coupon = panel.get_data(&format!("{COUPONS}/{id}")).await;
    let text = |field: &str| coupon[field].as_str().unwrap().to_owned();
    (coupon["usages"].as_i64().unwrap(), text("received"), text("spent"))
}

async fn a_coupon_is_created_changed_and_archived(dialect: Dialect) {
    let panel = shop(dialect).await;
    let texts = json!({ "translations": { "en": { "name": "Welcome", "description": "Ten percent more" }, "de": { "name": "Willkommen" }, "fr": { "name": "" } }, "affiliate_id": 3 });
    let created = panel.post_data(COUPONS, with_changes(deposit_coupon(), texts)).await;
    assert_eq!((&created["code"], &created["status"]), (&json!("WELCOME"), &json!("active")));
    assert_eq!(
        (&created["bonus_type"], &created["description"]),
        (&json!("balance"), &json!("Ten percent more"))
    );
    assert_eq!(created["affiliate"], json!({ "id": 3, "email": "c3@shop.example" }));
    assert_eq!(created["translations"]["de"], json!({ "name": "Willkommen" }));
    assert_eq!(created["translations"].get("fr"), None);
    let path = format!("{COUPONS}/{}", created["id"]);
    assert_eq!(panel.get_data(&path).await, created);
    panel.clock.advance_secs(5);
    let patch = async |body: Value| panel.send("owner", "PATCH", &path, &body, None).await;
    let change = json!({ "bonus_amount_calculation_type": "fixed", "bonus_amount": "7", "valid_to": null, "updated_at": created["updated_at"] });
    let changed = patch(change.clone()).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json()["data"].clone();
    assert_eq!(
        (&changed["bonus_fraction"], &changed["bonus_amount"], &changed["valid_to"]),
        (&Value::Null, &json!("7"), &Value::Null)
    );
    assert_eq!(patch(change).await.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(ids(&panel.get_data(&format!("{COUPONS}?search[value]=elco")).await).len(), 1);
    let act = async |action: &str| panel.post(&format!("{path}/{action}"), &json!({})).await;
    assert_eq!(act("unarchive").await.status_and_code(), (409, "coupon_not_archived".into()));
    assert_eq!(act("archive").await.json()["data"]["actions"]["restore"], true);
    assert_eq!(act("archive").await.status_and_code(), (409, "coupon_archived".into()));
    assert_eq!(patch(json!({ "name": "X" })).await.status_and_code(), (409, "coupon_archived".into()));
    assert_eq!(ids(&panel.get_data(&format!("{COUPONS}?is_all=0")).await).len(), 0);
    assert_eq!(ids(&panel.get_data(&format!("{COUPONS}?is_all=1")).await).len(), 1);
    assert_eq!(act("unarchive").await.status, 200);
    let audits = "SELECT count(*) FROM audits WHERE event LIKE 'coupon.%'";
    assert_eq!(panel.number(Sql::new(audits)).await, 4);
    let collections = panel.get_data(&format!("{COUPONS}/collections")).await;
    assert_eq!(collections["couponsBonusTypes"][1]["type"], "discount");
}

async fn invalid_fields_of_a_coupon_are_named(dialect: Dialect) {
    let panel = shop(dialect).await;
    let wrong_fields = async |body: Value| -> Vec<String> {
        let answer = panel.post(COUPONS, &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    let required = ["bonus_amount_calculation_type", "code", "name", "payment_type", "valid_from"];
    assert_eq!(wrong_fields(json!({})).await, required);
    assert_eq!(
        wrong_fields(with_changes(deposit_coupon(), json!({ "bonus_type": "discount" }))).await,
        ["bonus_type"]
    );
    assert_eq!(
        wrong_fields(with_changes(deposit_coupon(), json!({ "affiliate_id": 99 }))).await,
        ["affiliate_id"]
    );
    panel.post_data(COUPONS, deposit_coupon()).await;
    assert_eq!(
        wrong_fields(with_changes(deposit_coupon(), json!({ "code": "WelCome" }))).await,
        ["code"],
        "codes ignore case"
    );
}

async fn the_status_of_a_coupon_follows_time_and_usages(dialect: Dialect) {
    let panel = shop(dialect).await;
    let body = with_changes(deposit_coupon(), json!({ "valid_from": time_after(1), "usage_limit": 1 }));
    let id = panel.post_data(COUPONS, body).await["id"].clone();
    let path = format!("{COUPONS}/{id}");
    let status = async || {
        let status_now = panel.get_data(&path).await["status"].as_str().unwrap().to_owned();
        let filter = format!("{COUPONS}?columns[0][data]=status&columns[0][search][value]={status_now}");
        assert_eq!(ids(&panel.get_data(&filter).await).len(), 1, "the list finds the coupon by this status");
        status_now
    };
    let patch = async |body: Value| panel.send("owner", "PATCH", &path, &body, None).await;
    assert_eq!(status().await, "scheduled");
    assert_eq!(create_invoice(&panel, 2, 100 * UNIT, "welcome").await, Err("coupon_not_active"));
    panel.clock.advance_secs(3_600);
    assert_eq!(status().await, "active");
    assert_eq!(patch(json!({ "usage_limit": 0 })).await.status, 200);
    assert_eq!(status().await, "disabled");
    assert_eq!(patch(json!({ "usage_limit": 1 })).await.status, 200);
    let invoice = create_invoice(&panel, 2, 100 * UNIT, " Welcome ").await.unwrap();
    assert_eq!(pay(&panel, invoice, "100").await.0, 200);
    assert_eq!(status().await, "completed", "the usage limit is reached");
    assert_eq!(patch(json!({ "usage_limit": 2 })).await.status, 200);
    assert_eq!(status().await, "active");
    panel.clock.advance_secs(11 * 3_600);
    assert_eq!(status().await, "completed", "valid_to has passed");
}

async fn a_paid_invoice_posts_the_bonus_of_its_coupon(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = panel.post_data(COUPONS, deposit_coupon()).await["id"].clone();
    assert_eq!(create_invoice(&panel, 2, 100 * UNIT, "nope").await, Err("coupon_unknown"));
    assert_eq!(create_invoice(&panel, 2, 49 * UNIT, "WELCOME").await, Err("coupon_needs_more"));
    let invoice = create_invoice(&panel, 2, 100 * UNIT, "WELCOME").await.unwrap();
    let second_invoice = create_invoice(&panel, 2, 100 * UNIT, "WELCOME").await.unwrap();
    assert_eq!(coupon_sums(&panel, &id).await.0, 0, "an unpaid invoice is no usage");
    let (first, second) = tokio::join!(pay(&panel, invoice, "120.55"), pay(&panel, invoice, "120.55"));
    assert_eq!(first.0 + second.0, 200 + 409, "{first:?} {second:?}");
    assert_eq!(
        panel.main_balance(2).await,
        DEPOSIT + 120_550_000 + 12_050_000,
        "10 % of 120.55, rounded down"
    );
    let entries = "SELECT e.type, e.amount FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id WHERE t.kind = 'invoice_coupon' AND e.user_id = 2";
    let entries: Vec<(String, i64)> = (&mut &panel.app.db).fetch_all(Sql::new(entries)).await.unwrap();
    assert_eq!(entries, [("bonus".to_owned(), 12_050_000)]);
    assert_eq!(coupon_sums(&panel, &id).await, (1, "120.55".into(), "12.05".into()));
    // The second invoice of the same customer is paid without a bonus.
    assert_eq!(pay(&panel, second_invoice, "100").await.0, 200);
    assert_eq!(panel.main_balance(2).await, DEPOSIT + 220_550_000 + 12_050_000);
    assert_eq!(coupon_sums(&panel, &id).await.0, 1);
    assert_eq!(create_invoice(&panel, 2, 100 * UNIT, "WELCOME").await, Err("coupon_used"));
    panel.assert_healthy().await;
}

async fn the_last_usage_goes_to_one_customer(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id =
        panel.post_data(COUPONS, with_changes(deposit_coupon(), json!({ "usage_limit": 2 }))).await["id"]
            .clone();
    let mut invoices = Vec::new();
    for user in 1..=5 {
        invoices.push(create_invoice(&panel, user, 100 * UNIT, "WELCOME").await.unwrap());
    }
    let [a, b, c, d, e] = invoices[..] else { panic!("five invoices") };
    let answers = tokio::join!(
        pay(&panel, a, "100"),
        pay(&panel, b, "100"),
        pay(&panel, c, "100"),
        pay(&panel, d, "100"),
        pay(&panel, e, "100")
    );
    for answer in [answers.0, answers.1, answers.2, answers.3, answers.4] {
        assert_eq!(answer.0, 200, "every payment is posted");
    }
    assert_eq!(coupon_sums(&panel, &id).await, (2, "200".into(), "20".into()));
    let bonuses = "SELECT count(*) FROM ledger_txns WHERE kind = 'invoice_coupon'";
    assert_eq!(panel.number(Sql::new(bonuses)).await, 2);
    panel.assert_healthy().await;
}

async fn a_payment_is_posted_although_its_coupon_is_archived(dialect: Dialect) {
    let panel = shop(dialect).await;
    let only_unpaid = with_changes(deposit_coupon(), json!({ "use_with_only_unpaid_orders": true }));
    let id = panel.post_data(COUPONS, only_unpaid).await["id"].clone();
    assert_eq!(
        create_invoice(&panel, 2, 100 * UNIT, "WELCOME").await,
        Err("coupon_unsuitable"),
        "the customer has no unpaid order"
    );
    let unpaid_order = NewOrder {
        paying_balances: vec![BalanceType::Referral],
        ..NewOrder::plain(UserId::new(2), PLAIN, "https://video.example/u", 1_000)
    };
    assert_eq!(panel.place(&unpaid_order).await.status, OrderStatus::Unpaid);
    let invoice = create_invoice(&panel, 2, 100 * UNIT, "WELCOME").await.unwrap();
    assert_eq!(panel.post(&format!("{COUPONS}/{id}/archive"), &json!({})).await.status, 200);
    assert_eq!(pay(&panel, invoice, "100").await.0, 200);
    assert_eq!(panel.main_balance(2).await, DEPOSIT + 100 * UNIT);
    assert_eq!(coupon_sums(&panel, &id).await.0, 0);
    panel.assert_healthy().await;
}

async fn a_coupon_lowers_the_cost_of_an_order(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = panel.post_data(COUPONS, order_coupon()).await["id"].clone();
    let (order_id, status, cost) = place_order(&panel, order_with_coupon(2, "five")).await.unwrap();
    assert_eq!((status, cost.as_str()), (OrderStatus::InProcessing, "5"));
    let order = panel.order(order_id).await;
    let modification = &order["price_modifications"][0];
    assert_eq!(
        (&modification["type"], &modification["name"], &modification["cost_before"]),
        (&json!("coupon"), &json!("FIVE"), &json!("10"))
    );
    assert_eq!(coupon_sums(&panel, &id).await, (1, "5".into(), "5".into()));
    assert_eq!(place_order(&panel, order_with_coupon(2, "FIVE")).await, Err("coupon_used"));
    assert_eq!(place_order(&panel, order_with_coupon(3, "SIX")).await, Err("coupon_unknown"));
    // A coupon cannot be combined with a discount or a customer's own price unless its settings allow that.
    let sale = json!({ "name": "Sale", "valid_from": time_after(-1), "services": [{ "id": PLAIN, "discount_fraction": "0.1" }] });
    panel.post_data("/api/v1/admin/discounts", sale).await;
    assert_eq!(place_order(&panel, order_with_coupon(3, "FIVE")).await, Err("coupon_unsuitable"));
    let path = format!("{COUPONS}/{id}");
    let both_discounts = json!({ "works_with_service_discount": true, "bonus_amount": "100" });
    assert_eq!(panel.send("owner", "PATCH", &path, &both_discounts, None).await.status, 200);
    panel.execute(Sql::new("UPDATE services SET min_price = 3000000 WHERE id = 1")).await;
    let order_at_min_price = place_order(&panel, order_with_coupon(3, "FIVE")).await.unwrap();
    assert_eq!(order_at_min_price.2, "3", "the lowest price applies");
    assert_eq!(
        coupon_sums(&panel, &id).await,
        (2, "8".into(), "11".into()),
        "the reduction above the lowest price"
    );
    let own_price = json!({ "service_id": PLAIN, "default_price": "8" });
    assert_eq!(panel.post("/api/v1/admin/users/4/user-services", &own_price).await.status, 200);
    assert_eq!(place_order(&panel, order_with_coupon(4, "FIVE")).await, Err("coupon_unsuitable"));
    assert_eq!(
        panel.number(Sql::new("SELECT count(*) FROM orders WHERE user_id = 4")).await,
        0,
        "no order is created"
    );
    panel.assert_healthy().await;
}

async fn an_unpaid_order_keeps_its_coupon(dialect: Dialect) {
    let panel = shop(dialect).await;
    let body = with_changes(order_coupon(), json!({ "works_with_balance": false }));
    let id = panel.post_data(COUPONS, body).await["id"].clone();
    assert_eq!(
        place_order(&panel, order_with_coupon(2, "FIVE")).await,
        Err("coupon_unsuitable"),
        "the balance would pay at once"
    );
    let unpaid_order =
        NewOrder { paying_balances: vec![BalanceType::Referral], ..order_with_coupon(2, "FIVE") };
    let (order_id, status, cost) = place_order(&panel, unpaid_order).await.unwrap();
    assert_eq!((status, cost.as_str()), (OrderStatus::Unpaid, "5"));
    assert_eq!(coupon_sums(&panel, &id).await, (1, "0".into(), "5".into()));
    let path = format!("/api/v1/admin/orders/{order_id}/activate");
    assert_eq!(panel.post(&path, &json!({})).await.status, 200);
    assert_eq!(coupon_sums(&panel, &id).await, (1, "5".into(), "5".into()));
    assert_eq!(panel.main_balance(2).await, DEPOSIT - 5 * UNIT);
    panel.assert_healthy().await;
}

async fn statistics_are_the_sums_of_usages(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel
        .post_data(COUPONS, with_changes(deposit_coupon(), json!({ "affiliate_id": 3, "valid_to": null })))
        .await;
    panel.post_data(COUPONS, with_changes(order_coupon(), json!({ "name": "Alpha" }))).await;
    for user in [1, 2] {
        let invoice = create_invoice(&panel, user, 100 * UNIT, "WELCOME").await.unwrap();
        assert_eq!(pay(&panel, invoice, "100").await.0, 200);
        panel.clock.advance_secs(5 * 3_600);
    }
    place_order(&panel, order_with_coupon(4, "FIVE")).await.unwrap();
    let statistics = async |path: &str, body: Value| {
        let answer = panel.post(&format!("{COUPONS}/{path}"), &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    };
    let by_coupon = statistics("statistics", json!({})).await;
    assert_eq!(by_coupon["totals"], json!({ "received": "205", "spent": "25", "usages": 3 }));
    let rows = by_coupon["data"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!((names, &by_coupon["recordsFiltered"]), (vec!["Alpha", "Welcome"], &json!(2)));
    assert_eq!(rows[1]["referral_manager"]["email"], "c3@shop.example");
    assert_eq!(by_coupon["days"].as_array().unwrap().len(), 30);
    let by_date = statistics("statistic-by-date", json!({})).await;
    let rows = by_date["data"].as_array().unwrap();
    let dates: Vec<_> = rows.iter().map(|row| row["date"].as_str().unwrap()).collect();
    assert!(dates.is_sorted_by(|a, b| a > b) && dates.len() == 2, "{dates:?}");
    let by_date_and_coupon =
        statistics("statistic-by-date", json!({ "grouping": "coupon", "length": 1, "start": 1 })).await;
    assert_eq!(
        (by_date_and_coupon["data"].as_array().unwrap().len(), &by_date_and_coupon["recordsFiltered"]),
        (1, &json!(2))
    );
    let of_affiliate =
        statistics("statistics", json!({ "affiliates": [3], "sort": "spent", "descending": true })).await;
    assert_eq!(of_affiliate["totals"]["usages"], 2);
    let refused = panel.post(&format!("{COUPONS}/statistics"), &json!({ "length": 0, "start": -1 })).await;
    let fields: Vec<String> = refused.json()["errors"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(fields, ["length", "start"]);
}

async fn canceling_an_unpaid_order_frees_its_coupon(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = panel.post_data(COUPONS, with_changes(order_coupon(), json!({ "usage_limit": 2 }))).await["id"]
        .clone();
    let mut unpaid_ids = Vec::new();
    for user in [2, 3] {
        let unpaid_order =
            NewOrder { paying_balances: vec![BalanceType::Referral], ..order_with_coupon(user, "FIVE") };
        unpaid_ids.push(place_order(&panel, unpaid_order).await.unwrap().0);
    }
    assert_eq!(coupon_sums(&panel, &id).await, (2, "0".into(), "10".into()));
    assert!(place_order(&panel, order_with_coupon(4, "FIVE")).await.is_err(), "the usage limit is reached");
    let body = json!({ "order_ids": unpaid_ids });
    assert_eq!(panel.post("/api/v1/admin/orders/cancel", &body).await.json()["processed"], 2);
    assert_eq!(coupon_sums(&panel, &id).await, (0, "0".into(), "0".into()));
    let paid_order = place_order(&panel, order_with_coupon(2, "FIVE")).await.unwrap();
    assert_eq!(paid_order.2, "5");
    // A canceled order without a refund stays a usage.
    assert_eq!(
        panel.post(&format!("/api/v1/admin/orders/{}/cancel", paid_order.0), &json!({})).await.status,
        200
    );
    assert_eq!(coupon_sums(&panel, &id).await, (1, "5".into(), "5".into()));
    panel.assert_healthy().await;
}

async fn a_refund_lowers_the_sums_of_its_coupon(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = panel.post_data(COUPONS, with_changes(order_coupon(), json!({ "usage_limit": 3 }))).await["id"]
        .clone();
    let mut orders = Vec::new();
    for user in [2, 3, 4] {
        orders.push(place_order(&panel, order_with_coupon(user, "FIVE")).await.unwrap().0);
    }
    assert_eq!(coupon_sums(&panel, &id).await, (3, "15".into(), "15".into()));
    assert!(place_order(&panel, order_with_coupon(5, "FIVE")).await.is_err(), "the usage limit is reached");
    let cancel = async |order: OrderId, body: Value| {
        let path = format!("/api/v1/admin/orders/{order}/cancel");
        assert_eq!(panel.post(&path, &body).await.status, 200);
    };
    // A partial refund lowers both sums by its share, rounded so that the rest is never less than the actual reduction.
    cancel(orders[0], json!({ "return_money": true, "amount": "1.000001" })).await;
    assert_eq!(coupon_sums(&panel, &id).await, (3, "13.999999".into(), "13.999999".into()));
    // A full refund removes the usage, so the customer can use the coupon again within its limit.
    let body = json!({ "order_ids": orders[1..], "return_money": true });
    assert_eq!(panel.post("/api/v1/admin/orders/cancel", &body).await.json()["processed"], 2);
    assert_eq!(coupon_sums(&panel, &id).await, (1, "3.999999".into(), "3.999999".into()));
    let answer = panel.post(&format!("{COUPONS}/statistics"), &json!({})).await.json();
    assert_eq!(answer["totals"], json!({ "received": "3.999999", "spent": "3.999999", "usages": 1 }));
    assert_eq!(place_order(&panel, order_with_coupon(2, "FIVE")).await, Err("coupon_used"));
    place_order(&panel, order_with_coupon(3, "FIVE")).await.unwrap();
    panel.assert_healthy().await;
}

/// Each of 31 coupons was used on a different day.
async fn statistics_have_thirty_rows_unless_a_length_is_given(dialect: Dialect) {
    let panel = Panel::shop(dialect, 1, 31).await;
    for n in 1..=31_i64 {
        let coupon = "INSERT INTO coupons (id, name, code, payment_type, bonus_type, bonus_amount_calculation_type, bonus_ppm, valid_from, created_at, updated_at)
            VALUES (?, ?, ?, 'order', 'discount', 'percent', 100000, 1, 1, 1)";
        panel.execute(Sql::new(coupon).bind(n).bind(format!("Coupon {n:02}")).bind(format!("CODE{n}"))).await;
        let usage = "INSERT INTO coupon_usages (coupon_id, user_id, order_id, received, spent, created_at) VALUES (?, 1, ?, 10, 1, ?)";
        let at = panel.app.clock.now().0 - (n - 1) * 86_400_000_000;
        panel.execute(Sql::new(usage).bind(n).bind(n).bind(at)).await;
    }
    let first = panel.app.clock.now().0 - 40 * 86_400_000_000;
    let first = Time(first).day();
    let statistics =
        async |path: &str, body: Value| panel.post(&format!("{COUPONS}/{path}"), &body).await.json();
    let names = |answer: &Value, field: &str| -> Vec<String> {
        answer["data"].as_array().unwrap().iter().map(|row| row[field].as_str().unwrap().to_owned()).collect()
    };
    let by_coupon = statistics("statistics", json!({ "start_date": first })).await;
    let expected: Vec<String> = (1..=30).map(|n| format!("Coupon {n:02}")).collect();
    assert_eq!(names(&by_coupon, "name"), expected, "sorted by name: {by_coupon}");
    let by_date = statistics("statistic-by-date", json!({ "start_date": first })).await;
    let dates = names(&by_date, "date");
    assert_eq!(dates.len(), 30);
    assert!(dates.is_sorted_by(|one, next| one > next), "newest first: {dates:?}");
    let longer = statistics("statistics", json!({ "start_date": first, "length": 50 })).await;
    assert_eq!(longer["data"].as_array().unwrap().len(), 31);
}
