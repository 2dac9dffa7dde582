//! Coupons: the editor, what a code does with an invoice and with an order, races for the last usage, and statistics.

use panel_contract::amount::Money;
use panel_contract::ids::{InvoiceId, OrderId, PaymentMethodId, UserId};
use panel_contract::moment::Time;
use panel_contract::orders::OrderStatus;
use panel_contract::payments::BalanceType;
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_server::operations::invoices::bill::{NewInvoice, bill};
use panel_server::operations::orders::place::{NewOrder, place};
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::{NOW, Panel};
use crate::shop::{DEPOSIT, PLAIN};
use crate::withdrawals::methods;

both! {
    a_coupon_is_made_changed_and_put_away;
    what_is_wrong_with_a_coupon_is_named;
    its_status_is_what_time_and_usages_say;
    a_paid_invoice_gets_what_its_coupon_promised;
    the_last_usage_goes_to_one_customer;
    a_payment_comes_in_when_its_coupon_is_gone;
    an_order_is_cheaper_by_its_coupon;
    an_order_that_waits_keeps_its_coupon;
    an_order_that_is_canceled_unpaid_gives_its_coupon_back;
    a_refund_takes_back_what_its_coupon_came_to;
    statistics_are_the_sums_of_usages;
    statistics_have_thirty_rows_unless_more_are_asked_for;
}

const COUPONS: &str = "/api/v1/admin/coupons";
const UNIT: i64 = 1_000_000;
const HOUR_MICROS: i64 = 3_600_000_000;

fn at(hours: i64) -> String {
    Time(NOW + hours * HOUR_MICROS).to_string()
}

fn deposit() -> Value {
    json!({ "name": "Welcome", "code": "welcome", "payment_type": "deposit", "bonus_amount_calculation_type": "percent", "bonus_percentage": "0.1",
        "min_amount": "50", "valid_from": at(-1), "valid_to": at(12) })
}

fn off_order() -> Value {
    json!({ "name": "Five off", "code": "FIVE", "payment_type": "order", "bonus_amount_calculation_type": "fixed", "bonus_amount": "5", "valid_from": at(-1) })
}

#[expect(clippy::needless_pass_by_value, reason = "so that a call can write its change where it stands")]
fn with(mut body: Value, change: Value) -> Value {
    body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    body
}

async fn shop(dialect: Dialect) -> Panel {
    let panel = Panel::shop(dialect, 6, 0).await;
    methods(&panel).await;
    panel
}

/// Bills with a coupon: the invoice, or the code of the refusal.
async fn billed(panel: &Panel, user: i64, amount: i64, coupon: &str) -> Result<InvoiceId, &'static str> {
    let new = NewInvoice {
        user_id: UserId::new(user),
        amount: Money(amount),
        payment_method_id: PaymentMethodId::new(1),
        short_name: format!("INV-{user}"),
        coupon: Some(coupon.to_owned()),
    };
    let mut work = panel.work().await;
    match bill(&mut work, &new).await {
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
        .says()
}

/// Places an order with a coupon, or says why not.
async fn ordered(panel: &Panel, new: NewOrder) -> Result<(OrderId, OrderStatus, String), &'static str> {
    let mut work = panel.work().await;
    match place(&mut work, &new).await {
        Ok(placed) => {
            work.finish(()).await.unwrap();
            Ok((placed.id, placed.status, placed.cost.to_string()))
        }
        Err(error) => Err(error.report("test").code),
    }
}

fn order(user: i64, coupon: &str) -> NewOrder {
    NewOrder {
        coupon: Some(coupon.to_owned()),
        ..NewOrder::plain(UserId::new(user), PLAIN, "https://video.example/1", 1_000)
    }
}

/// Usages, received and spent.
async fn sums(panel: &Panel, id: &Value) -> (i64, String, String) {
    let coupon = panel.data(&format!("{COUPONS}/{id}")).await;
    let text = |field: &str| coupon[field].as_str().unwrap().to_owned();
    (coupon["usages"].as_i64().unwrap(), text("received"), text("spent"))
}

async fn a_coupon_is_made_changed_and_put_away(dialect: Dialect) {
    let panel = shop(dialect).await;
    let texts = json!({ "translations": { "en": { "name": "Welcome", "description": "Ten percent more" }, "de": { "name": "Willkommen" }, "fr": { "name": "" } }, "affiliate_id": 3 });
    let made = panel.made(COUPONS, with(deposit(), texts)).await;
    assert_eq!((&made["code"], &made["status"]), (&json!("WELCOME"), &json!("active")));
    assert_eq!((&made["bonus_type"], &made["description"]), (&json!("balance"), &json!("Ten percent more")));
    assert_eq!(made["affiliate"], json!({ "id": 3, "email": "c3@shop.example" }));
    assert_eq!(made["translations"]["de"], json!({ "name": "Willkommen" }));
    assert_eq!(made["translations"].get("fr"), None);
    let path = format!("{COUPONS}/{}", made["id"]);
    assert_eq!(panel.data(&path).await, made);
    panel.clock.advance_secs(5);
    let patch = async |body: Value| panel.send("owner", "PATCH", &path, &body, None).await;
    let change = json!({ "bonus_amount_calculation_type": "fixed", "bonus_amount": "7", "valid_to": null, "updated_at": made["updated_at"] });
    let changed = patch(change.clone()).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json()["data"].clone();
    assert_eq!(
        (&changed["bonus_percentage"], &changed["bonus_amount"], &changed["valid_to"]),
        (&Value::Null, &json!("7"), &Value::Null)
    );
    assert_eq!(patch(change).await.says(), (409, "changed_meanwhile".into()));
    assert_eq!(ids(&panel.data(&format!("{COUPONS}?search[value]=elco")).await).len(), 1);
    let act = async |what: &str| panel.post(&format!("{path}/{what}"), &json!({})).await;
    assert_eq!(act("unarchive").await.says(), (409, "coupon_not_archived".into()));
    assert_eq!(act("archive").await.json()["data"]["actions"]["restore"], true);
    assert_eq!(act("archive").await.says(), (409, "coupon_archived".into()));
    assert_eq!(patch(json!({ "name": "X" })).await.says(), (409, "coupon_archived".into()));
    assert_eq!(ids(&panel.data(&format!("{COUPONS}?is_all=0")).await).len(), 0);
    assert_eq!(ids(&panel.data(&format!("{COUPONS}?is_all=1")).await).len(), 1);
    assert_eq!(act("unarchive").await.status, 200);
    let audits = "SELECT count(*) FROM audits WHERE event LIKE 'coupon.%'";
    assert_eq!(panel.number(Sql::new(audits)).await, 4);
    let collections = panel.data(&format!("{COUPONS}/collections")).await;
    assert_eq!(collections["couponsBonusTypes"][1]["type"], "discount");
}

async fn what_is_wrong_with_a_coupon_is_named(dialect: Dialect) {
    let panel = shop(dialect).await;
    let wrong = async |body: Value| -> Vec<String> {
        let answer = panel.post(COUPONS, &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    let needed = ["bonus_amount_calculation_type", "code", "name", "payment_type", "valid_from"];
    assert_eq!(wrong(json!({})).await, needed);
    assert_eq!(wrong(with(deposit(), json!({ "bonus_type": "discount" }))).await, ["bonus_type"]);
    assert_eq!(wrong(with(deposit(), json!({ "affiliate_id": 99 }))).await, ["affiliate_id"]);
    panel.made(COUPONS, deposit()).await;
    assert_eq!(wrong(with(deposit(), json!({ "code": "WelCome" }))).await, ["code"], "codes know no case");
}

async fn its_status_is_what_time_and_usages_say(dialect: Dialect) {
    let panel = shop(dialect).await;
    let body = with(deposit(), json!({ "valid_from": at(1), "usage_limit": 1 }));
    let id = panel.made(COUPONS, body).await["id"].clone();
    let path = format!("{COUPONS}/{id}");
    let status = async || {
        let now = panel.data(&path).await["status"].as_str().unwrap().to_owned();
        let filter = format!("{COUPONS}?columns[0][data]=status&columns[0][search][value]={now}");
        assert_eq!(ids(&panel.data(&filter).await).len(), 1, "the list says the same");
        now
    };
    let patch = async |body: Value| panel.send("owner", "PATCH", &path, &body, None).await;
    assert_eq!(status().await, "scheduled");
    assert_eq!(billed(&panel, 2, 100 * UNIT, "welcome").await, Err("coupon_not_active"));
    panel.clock.advance_secs(3_600);
    assert_eq!(status().await, "active");
    assert_eq!(patch(json!({ "usage_limit": 0 })).await.status, 200);
    assert_eq!(status().await, "disabled");
    assert_eq!(patch(json!({ "usage_limit": 1 })).await.status, 200);
    let invoice = billed(&panel, 2, 100 * UNIT, " Welcome ").await.unwrap();
    assert_eq!(pay(&panel, invoice, "100").await.0, 200);
    assert_eq!(status().await, "completed", "used up");
    assert_eq!(patch(json!({ "usage_limit": 2 })).await.status, 200);
    assert_eq!(status().await, "active");
    panel.clock.advance_secs(11 * 3_600);
    assert_eq!(status().await, "completed", "its time is over");
}

async fn a_paid_invoice_gets_what_its_coupon_promised(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = panel.made(COUPONS, deposit()).await["id"].clone();
    assert_eq!(billed(&panel, 2, 100 * UNIT, "nope").await, Err("coupon_unknown"));
    assert_eq!(billed(&panel, 2, 49 * UNIT, "WELCOME").await, Err("coupon_needs_more"));
    let invoice = billed(&panel, 2, 100 * UNIT, "WELCOME").await.unwrap();
    let again = billed(&panel, 2, 100 * UNIT, "WELCOME").await.unwrap();
    assert_eq!(sums(&panel, &id).await.0, 0, "an invoice by itself uses nothing");
    let (one, other) = tokio::join!(pay(&panel, invoice, "120.55"), pay(&panel, invoice, "120.55"));
    assert_eq!(one.0 + other.0, 200 + 409, "{one:?} {other:?}");
    assert_eq!(panel.balances(2).await.0, DEPOSIT + 120_550_000 + 12_050_000, "10 % of 120.55, rounded down");
    let entries = "SELECT e.type, e.amount FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id WHERE t.kind = 'invoice_coupon' AND e.user_id = 2";
    let entries: Vec<(String, i64)> = (&mut &panel.app.db).all(Sql::new(entries)).await.unwrap();
    assert_eq!(entries, [("bonus".to_owned(), 12_050_000)]);
    assert_eq!(sums(&panel, &id).await, (1, "120.55".into(), "12.05".into()));
    // The same customer's second one is taken without it.
    assert_eq!(pay(&panel, again, "100").await.0, 200);
    assert_eq!(panel.balances(2).await.0, DEPOSIT + 220_550_000 + 12_050_000);
    assert_eq!(sums(&panel, &id).await.0, 1);
    assert_eq!(billed(&panel, 2, 100 * UNIT, "WELCOME").await, Err("coupon_used"));
    panel.assert_healthy().await;
}

async fn the_last_usage_goes_to_one_customer(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = panel.made(COUPONS, with(deposit(), json!({ "usage_limit": 2 }))).await["id"].clone();
    let mut invoices = Vec::new();
    for user in 1..=5 {
        invoices.push(billed(&panel, user, 100 * UNIT, "WELCOME").await.unwrap());
    }
    let [a, b, c, d, e] = invoices[..] else { panic!("five invoices") };
    let all = tokio::join!(
        pay(&panel, a, "100"),
        pay(&panel, b, "100"),
        pay(&panel, c, "100"),
        pay(&panel, d, "100"),
        pay(&panel, e, "100")
    );
    for said in [all.0, all.1, all.2, all.3, all.4] {
        assert_eq!(said.0, 200, "every payment is taken");
    }
    assert_eq!(sums(&panel, &id).await, (2, "200".into(), "20".into()));
    let given = "SELECT count(*) FROM ledger_txns WHERE kind = 'invoice_coupon'";
    assert_eq!(panel.number(Sql::new(given)).await, 2);
    panel.assert_healthy().await;
}

async fn a_payment_comes_in_when_its_coupon_is_gone(dialect: Dialect) {
    let panel = shop(dialect).await;
    let only_unpaid = with(deposit(), json!({ "use_with_only_unpaid_orders": true }));
    let id = panel.made(COUPONS, only_unpaid).await["id"].clone();
    assert_eq!(billed(&panel, 2, 100 * UNIT, "WELCOME").await, Err("coupon_unsuitable"), "nothing waits");
    let poor = NewOrder {
        pays: vec![BalanceType::Referral],
        ..NewOrder::plain(UserId::new(2), PLAIN, "https://video.example/u", 1_000)
    };
    assert_eq!(panel.place(&poor).await.status, OrderStatus::Unpaid);
    let invoice = billed(&panel, 2, 100 * UNIT, "WELCOME").await.unwrap();
    assert_eq!(panel.post(&format!("{COUPONS}/{id}/archive"), &json!({})).await.status, 200);
    assert_eq!(pay(&panel, invoice, "100").await.0, 200);
    assert_eq!(panel.balances(2).await.0, DEPOSIT + 100 * UNIT);
    assert_eq!(sums(&panel, &id).await.0, 0);
    panel.assert_healthy().await;
}

async fn an_order_is_cheaper_by_its_coupon(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = panel.made(COUPONS, off_order()).await["id"].clone();
    let (order_id, status, cost) = ordered(&panel, order(2, "five")).await.unwrap();
    assert_eq!((status, cost.as_str()), (OrderStatus::InProcessing, "5"));
    let shown = panel.order(order_id).await;
    let step = &shown["price_modifications"][0];
    assert_eq!(
        (&step["type"], &step["name"], &step["cost_before"]),
        (&json!("coupon"), &json!("FIVE"), &json!("10"))
    );
    assert_eq!(sums(&panel, &id).await, (1, "5".into(), "5".into()));
    assert_eq!(ordered(&panel, order(2, "FIVE")).await, Err("coupon_used"));
    assert_eq!(ordered(&panel, order(3, "SIX")).await, Err("coupon_unknown"));
    // It goes with neither a sale nor an own price, unless it says so.
    let sale = json!({ "name": "Sale", "valid_from": at(-1), "services": [{ "id": PLAIN, "discount_percent": "0.1" }] });
    panel.made("/api/v1/admin/discounts", sale).await;
    assert_eq!(ordered(&panel, order(3, "FIVE")).await, Err("coupon_unsuitable"));
    let path = format!("{COUPONS}/{id}");
    let both = json!({ "works_with_service_discount": true, "bonus_amount": "100" });
    assert_eq!(panel.send("owner", "PATCH", &path, &both, None).await.status, 200);
    panel.exec(Sql::new("UPDATE services SET min_price = 3000000 WHERE id = 1")).await;
    let cheap = ordered(&panel, order(3, "FIVE")).await.unwrap();
    assert_eq!(cheap.2, "3", "the lowest price holds");
    assert_eq!(sums(&panel, &id).await, (2, "8".into(), "11".into()), "what it really gave");
    let own = json!({ "service_id": PLAIN, "default_price": "8" });
    assert_eq!(panel.post("/api/v1/admin/users/4/user-services", &own).await.status, 200);
    assert_eq!(ordered(&panel, order(4, "FIVE")).await, Err("coupon_unsuitable"));
    assert_eq!(
        panel.number(Sql::new("SELECT count(*) FROM orders WHERE user_id = 4")).await,
        0,
        "nothing is written"
    );
    panel.assert_healthy().await;
}

async fn an_order_that_waits_keeps_its_coupon(dialect: Dialect) {
    let panel = shop(dialect).await;
    let body = with(off_order(), json!({ "works_with_balance": false }));
    let id = panel.made(COUPONS, body).await["id"].clone();
    assert_eq!(ordered(&panel, order(2, "FIVE")).await, Err("coupon_unsuitable"), "the balance pays at once");
    let waits = NewOrder { pays: vec![BalanceType::Referral], ..order(2, "FIVE") };
    let (order_id, status, cost) = ordered(&panel, waits).await.unwrap();
    assert_eq!((status, cost.as_str()), (OrderStatus::Unpaid, "5"));
    assert_eq!(sums(&panel, &id).await, (1, "0".into(), "5".into()));
    let path = format!("/api/v1/admin/orders/{order_id}/activate");
    assert_eq!(panel.post(&path, &json!({})).await.status, 200);
    assert_eq!(sums(&panel, &id).await, (1, "5".into(), "5".into()));
    assert_eq!(panel.balances(2).await.0, DEPOSIT - 5 * UNIT);
    panel.assert_healthy().await;
}

async fn statistics_are_the_sums_of_usages(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.made(COUPONS, with(deposit(), json!({ "affiliate_id": 3, "valid_to": null }))).await;
    panel.made(COUPONS, with(off_order(), json!({ "name": "Alpha" }))).await;
    for user in [1, 2] {
        let invoice = billed(&panel, user, 100 * UNIT, "WELCOME").await.unwrap();
        assert_eq!(pay(&panel, invoice, "100").await.0, 200);
        panel.clock.advance_secs(5 * 3_600);
    }
    ordered(&panel, order(4, "FIVE")).await.unwrap();
    let read = async |what: &str, body: Value| {
        let answer = panel.post(&format!("{COUPONS}/{what}"), &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    };
    let by_coupon = read("statistics", json!({})).await;
    assert_eq!(by_coupon["totals"], json!({ "received": "205", "spent": "25", "usages": 3 }));
    let rows = by_coupon["data"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!((names, &by_coupon["recordsFiltered"]), (vec!["Alpha", "Welcome"], &json!(2)));
    assert_eq!(rows[1]["referral_manager"]["email"], "c3@shop.example");
    assert_eq!(by_coupon["days"].as_array().unwrap().len(), 30);
    let by_date = read("statistic-by-date", json!({})).await;
    let rows = by_date["data"].as_array().unwrap();
    let dates: Vec<_> = rows.iter().map(|row| row["date"].as_str().unwrap()).collect();
    assert!(dates.is_sorted_by(|a, b| a > b) && dates.len() == 2, "{dates:?}");
    let each = read("statistic-by-date", json!({ "grouping": "coupon", "length": 1, "start": 1 })).await;
    assert_eq!((each["data"].as_array().unwrap().len(), &each["recordsFiltered"]), (1, &json!(2)));
    let of_manager =
        read("statistics", json!({ "affiliates": [3], "sort": "spent", "descending": true })).await;
    assert_eq!(of_manager["totals"]["usages"], 2);
    let refused = panel.post(&format!("{COUPONS}/statistics"), &json!({ "length": 0, "start": -1 })).await;
    let named: Vec<String> = refused.json()["errors"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(named, ["length", "start"]);
}

async fn an_order_that_is_canceled_unpaid_gives_its_coupon_back(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = panel.made(COUPONS, with(off_order(), json!({ "usage_limit": 2 }))).await["id"].clone();
    let mut waits = Vec::new();
    for user in [2, 3] {
        let poor = NewOrder { pays: vec![BalanceType::Referral], ..order(user, "FIVE") };
        waits.push(ordered(&panel, poor).await.unwrap().0);
    }
    assert_eq!(sums(&panel, &id).await, (2, "0".into(), "10".into()));
    assert!(ordered(&panel, order(4, "FIVE")).await.is_err(), "used up");
    let body = json!({ "order_ids": waits });
    assert_eq!(panel.post("/api/v1/admin/orders/cancel", &body).await.json()["processed"], 2);
    assert_eq!(sums(&panel, &id).await, (0, "0".into(), "0".into()));
    let again = ordered(&panel, order(2, "FIVE")).await.unwrap();
    assert_eq!(again.2, "5");
    // What was paid stays used where its money stays.
    assert_eq!(panel.post(&format!("/api/v1/admin/orders/{}/cancel", again.0), &json!({})).await.status, 200);
    assert_eq!(sums(&panel, &id).await, (1, "5".into(), "5".into()));
    panel.assert_healthy().await;
}

async fn a_refund_takes_back_what_its_coupon_came_to(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = panel.made(COUPONS, with(off_order(), json!({ "usage_limit": 3 }))).await["id"].clone();
    let mut orders = Vec::new();
    for user in [2, 3, 4] {
        orders.push(ordered(&panel, order(user, "FIVE")).await.unwrap().0);
    }
    assert_eq!(sums(&panel, &id).await, (3, "15".into(), "15".into()));
    assert!(ordered(&panel, order(5, "FIVE")).await.is_err(), "used up");
    let cancel = async |order: OrderId, body: Value| {
        let path = format!("/api/v1/admin/orders/{order}/cancel");
        assert_eq!(panel.post(&path, &body).await.status, 200);
    };
    // A part takes its share, rounded so that the rest never counts as less than it gave.
    cancel(orders[0], json!({ "return_money": true, "amount": "1.000001" })).await;
    assert_eq!(sums(&panel, &id).await, (3, "13.999999".into(), "13.999999".into()));
    // The whole takes all back, and the coupon can be used again: by this customer, and within its limit.
    let body = json!({ "order_ids": orders[1..], "return_money": true });
    assert_eq!(panel.post("/api/v1/admin/orders/cancel", &body).await.json()["processed"], 2);
    assert_eq!(sums(&panel, &id).await, (1, "3.999999".into(), "3.999999".into()));
    let answer = panel.post(&format!("{COUPONS}/statistics"), &json!({})).await.json();
    assert_eq!(answer["totals"], json!({ "received": "3.999999", "spent": "3.999999", "usages": 1 }));
    assert_eq!(ordered(&panel, order(2, "FIVE")).await, Err("coupon_used"));
    ordered(&panel, order(3, "FIVE")).await.unwrap();
    panel.assert_healthy().await;
}

/// 31 coupons were used, each on another day.
async fn statistics_have_thirty_rows_unless_more_are_asked_for(dialect: Dialect) {
    let panel = Panel::shop(dialect, 1, 31).await;
    for n in 1..=31_i64 {
        let coupon = "INSERT INTO coupons (id, name, code, payment_type, bonus_type, bonus_amount_calculation_type, bonus_ppm, valid_from, created_at, updated_at)
            VALUES (?, ?, ?, 'order', 'discount', 'percent', 100000, 1, 1, 1)";
        panel.exec(Sql::new(coupon).bind(n).bind(format!("Coupon {n:02}")).bind(format!("CODE{n}"))).await;
        let usage = "INSERT INTO coupon_usages (coupon_id, user_id, order_id, received, spent, created_at) VALUES (?, 1, ?, 10, 1, ?)";
        let at = panel.app.clock.now().0 - (n - 1) * 86_400_000_000;
        panel.exec(Sql::new(usage).bind(n).bind(n).bind(at)).await;
    }
    let first = panel.app.clock.now().0 - 40 * 86_400_000_000;
    let first = Time(first).day();
    let read = async |path: &str, body: Value| panel.post(&format!("{COUPONS}/{path}"), &body).await.json();
    let names = |answer: &Value, field: &str| -> Vec<String> {
        answer["data"].as_array().unwrap().iter().map(|row| row[field].as_str().unwrap().to_owned()).collect()
    };
    let by_coupon = read("statistics", json!({ "start_date": first })).await;
    let wanted: Vec<String> = (1..=30).map(|n| format!("Coupon {n:02}")).collect();
    assert_eq!(names(&by_coupon, "name"), wanted, "by name: {by_coupon}");
    let by_date = read("statistic-by-date", json!({ "start_date": first })).await;
    let dates = names(&by_date, "date");
    assert_eq!(dates.len(), 30);
    assert!(dates.is_sorted_by(|one, next| one > next), "the newest first: {dates:?}");
    let more = read("statistics", json!({ "start_date": first, "length": 50 })).await;
    assert_eq!(more["data"].as_array().unwrap().len(), 31);
}
