//! The reseller API: strangers' clients in all their coats, exact charges, nothing of another customer's, and nothing
//! written where it says no. And orders that staff place.

use axum::body::Body;
use axum::http::Request;
use panel_contract::ids::ServiceId;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::drip_feeds::run;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::shop::{ABANDONED, DEPOSIT, MODERATED, PLAIN};

const LINK: &str = "https%3A%2F%2Fvideo.example%2Fwatch";

both! {
    a_program_orders_and_follows_its_order;
    every_coat_is_understood;
    a_wrong_key_and_a_deactivated_customer_sound_the_same;
    what_cannot_be_paid_is_not_written;
    another_customers_orders_do_not_exist;
    services_are_shown_at_the_customers_price;
    what_is_quoted_is_what_is_charged;
    numbers_below_their_least_are_refused;
    what_a_service_does_not_take_is_refused;
    a_drip_feed_sends_its_first_order_at_once;
    a_drip_feed_is_followed_and_canceled_as_a_whole;
    a_drip_feed_whose_first_order_ended_is_canceled_for_the_rest;
    the_countries_of_a_drip_feed_are_those_that_were_answered;
    refills_are_asked_for_once;
    a_child_panel_names_its_own_id;
    a_customer_cancels_where_the_service_allows_it;
    two_orders_for_the_last_money;
    uses_of_a_key_are_seen_and_limited;
    staff_place_an_order_or_nothing;
    what_a_child_panel_orders_is_listed_apart;
    a_coupon_and_a_country_come_with_an_order;
    a_service_may_forbid_a_second_order_of_one_address;
    an_address_is_left_out_where_the_service_needs_none;
}

pub(crate) async fn shop(dialect: Dialect) -> Panel {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel
        .staff(
            "ada",
            &[
                Permission::ViewUsers,
                Permission::ManageUsers,
                Permission::ManageApiKeys,
                Permission::ManageOrders,
                Permission::ViewOrders,
            ],
        )
        .await;
    let sql = "UPDATE services SET api_access = TRUE, cancel_by_client_is_allowed = TRUE, drip_feed_is_allowed = TRUE, has_refill = TRUE";
    panel.exec(Sql::new(sql)).await;
    panel
}

pub(crate) async fn key(panel: &Panel, user: i64) -> String {
    let path = format!("/api/v1/admin/users/{user}/api-key");
    let answer = panel.send("ada", "POST", &path, &json!({}), None).await;
    answer.json()["data"]["key"].as_str().unwrap().to_owned()
}

async fn say(panel: &Panel, kind: &str, body: impl Into<Body>) -> (u16, Value) {
    let request = Request::post("/api/v2").header("content-type", kind).body(body.into()).unwrap();
    let answer = panel.answer(request).await;
    (answer.status.as_u16(), answer.json())
}

/// A call as most clients send it; everything but a fault is 200.
pub(crate) async fn call(panel: &Panel, key: &str, fields: &str) -> Value {
    let (status, said) = say(panel, "application/x-www-form-urlencoded", format!("key={key}&{fields}")).await;
    assert_eq!(status, 200, "{said}");
    said
}

async fn balance(panel: &Panel, user: i64) -> i64 {
    panel.number(Sql::new("SELECT balance_main FROM users WHERE id = ?").bind(user)).await
}

pub(crate) fn order_of(said: &Value) -> i64 {
    said["order"].as_i64().unwrap_or_else(|| panic!("{said}"))
}

async fn a_program_orders_and_follows_its_order(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = key(&panel, 1).await;
    let said =
        call(&panel, &key, &format!("action=add&service={PLAIN}&link={LINK}&quantity=1500&unknown=1")).await;
    let id = order_of(&said);
    assert_eq!(said, json!({ "order": id }));
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 15_000_000);
    let waits = order_of(
        &call(&panel, &key, &format!("action=add&service={MODERATED}&link={LINK}&quantity=100")).await,
    );
    panel
        .exec(
            Sql::new(
                "UPDATE orders SET current_quantity = 500, external_order_start_count = 3572 WHERE id = ?",
            )
            .bind(id),
        )
        .await;
    let one = call(&panel, &key, &format!("action=status&order={id}")).await;
    let expected = json!({ "charge": "15", "start_count": "3572", "status": "In progress", "remains": "1000", "currency": "USD" });
    assert_eq!(one, expected);
    let many = call(&panel, &key, &format!("action=status&orders={id},{waits},999,x")).await;
    assert_eq!(many[id.to_string()], expected);
    assert_eq!(many[waits.to_string()]["status"], "Pending");
    assert_eq!(
        (&many["999"], &many["x"]),
        (&json!({ "error": "Incorrect order ID" }), &json!({ "error": "Incorrect order ID" }))
    );
    assert_eq!(call(&panel, &key, "action=balance").await, json!({ "balance": "99984", "currency": "USD" }));
    let source = "SELECT count(*) FROM orders WHERE source = 'perfect_panel_api' AND user_id = 1";
    assert_eq!(panel.number(Sql::new(source)).await, 2);
    panel.assert_healthy().await;
}

async fn every_coat_is_understood(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = key(&panel, 1).await;
    let body = json!({ "key": key, "action": "add", "service": PLAIN, "link": "https://a.example/1", "quantity": "100.00" });
    let (_, said) = say(&panel, "application/json", body.to_string()).await;
    let first = order_of(&said);
    let form = |fields: &[(&str, &str)]| {
        let part = |(name, value): &(&str, &str)| {
            format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        fields.iter().map(part).collect::<String>() + "--b--\r\n"
    };
    let fields = [
        ("key", key.as_str()),
        ("action", "add"),
        ("service", "1"),
        ("link", "https://a.example/2"),
        ("comments", "Nice\nGreat"),
    ];
    panel.exec(Sql::new("UPDATE services SET min_quantity = 1 WHERE id = 1")).await;
    asks_comments(&panel).await;
    let (_, said) = say(&panel, "multipart/form-data; boundary=b", form(&fields)).await;
    let second = order_of(&said);
    let quantity = "SELECT quantity FROM orders WHERE id = ?";
    assert_eq!(panel.number(Sql::new(quantity).bind(second)).await, 2);
    let body = json!({ "key": key, "action": "status", "orders": [first, second] });
    let (_, said) = say(&panel, "application/json; charset=utf-8", body.to_string()).await;
    assert_eq!(said.as_object().unwrap().len(), 2);
    let listed = call(&panel, &key, &format!("action=status&orders[]={first}&orders[]={second}")).await;
    assert_eq!(said, listed);
    assert_eq!(say(&panel, "application/json", "[").await.0, 422);
    assert_eq!(say(&panel, "text/plain", "key=x").await.0, 415);
}

async fn asks_comments(panel: &Panel) {
    for sql in [
        "INSERT INTO targets (id, name, target_type_id, created_at, updated_at) SELECT 1, 'Comments', id, 1, 1 FROM target_types WHERE name = 'comment'",
        "INSERT INTO service_targets (service_id, target_id, position, attachment) VALUES (1, 1, 1, 'optional')",
    ] {
        panel.exec(Sql::new(sql)).await;
    }
}

async fn a_wrong_key_and_a_deactivated_customer_sound_the_same(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = key(&panel, 1).await;
    let refused = json!({ "error": "Invalid API key" });
    assert_eq!(call(&panel, "wrong", "action=balance").await, refused);
    assert_eq!(call(&panel, "", "action=services").await, refused);
    assert_eq!(call(&panel, &key, "action=explode").await, json!({ "error": "Incorrect request" }));
    panel.exec(Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE id = 1")).await;
    let frozen = call(&panel, &key, &format!("action=add&service={PLAIN}&link={LINK}&quantity=100")).await;
    assert_eq!(frozen, json!({ "error": "Your account is suspended and cannot order" }));
    assert_eq!(call(&panel, &key, "action=balance").await["balance"], "100000");
    panel.exec(Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE id = 1")).await;
    assert_eq!(call(&panel, &key, "action=balance").await, refused);
}

async fn what_cannot_be_paid_is_not_written(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = key(&panel, 1).await;
    // The first use of a key in a day is an entry of its own.
    call(&panel, &key, "action=balance").await;
    let before = panel.number(Sql::new("SELECT count(*) FROM audits")).await;
    for (fields, error) in [
        (
            format!("service={PLAIN}&link={LINK}&quantity=1000000&runs=11&interval=5"),
            "Not enough funds on balance",
        ),
        (format!("service={PLAIN}&link={LINK}&quantity=10"), "Quantity less than minimal 100"),
        (format!("service={PLAIN}&link={LINK}&quantity=1000001"), "Quantity more than maximum 1000000"),
        (format!("service={PLAIN}&link=javascript%3A1&quantity=100"), "Incorrect link"),
        (format!("service={PLAIN}&link={LINK}&quantity=ten"), "Incorrect quantity"),
        (format!("service={PLAIN}&link={LINK}"), "Incorrect quantity"),
        (format!("service=99&link={LINK}&quantity=100"), "Incorrect service ID"),
        (format!("service=x&link={LINK}&quantity=100"), "Incorrect service ID"),
    ] {
        assert_eq!(
            call(&panel, &key, &format!("action=add&{fields}")).await,
            json!({ "error": error }),
            "{fields}"
        );
    }
    panel.exec(Sql::new("UPDATE services SET default_price = 200000000, api_access = id <> 2")).await;
    let dear = call(&panel, &key, &format!("action=add&service={PLAIN}&link={LINK}&quantity=1000000")).await;
    assert_eq!(dear, json!({ "error": "Not enough funds on balance" }));
    let hidden =
        call(&panel, &key, &format!("action=add&service={MODERATED}&link={LINK}&quantity=100")).await;
    assert_eq!(hidden, json!({ "error": "Incorrect service ID" }));
    panel.exec(Sql::new("UPDATE services SET quantity_step = 50")).await;
    let odd = call(&panel, &key, &format!("action=add&service={PLAIN}&link={LINK}&quantity=110")).await;
    let why = "Incorrect request: Order 100 to 1000000 in steps of 50, counted from 100.";
    assert_eq!(odd, json!({ "error": why }));
    let written = "SELECT (SELECT count(*) FROM orders) + (SELECT count(*) FROM drip_feeds) + (SELECT count(*) FROM advances)";
    assert_eq!(panel.number(Sql::new(written)).await, 0);
    assert_eq!(balance(&panel, 1).await, DEPOSIT);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM audits")).await, before);
}

async fn another_customers_orders_do_not_exist(dialect: Dialect) {
    let panel = shop(dialect).await;
    let (mine, other) = (key(&panel, 1).await, key(&panel, 2).await);
    let id =
        order_of(&call(&panel, &mine, &format!("action=add&service={PLAIN}&link={LINK}&quantity=100")).await);
    let refused = json!({ "error": "Incorrect order ID" });
    assert_eq!(call(&panel, &other, &format!("action=status&order={id}")).await, refused);
    assert_eq!(call(&panel, &other, &format!("action=refill&order={id}")).await, refused);
    let said = call(&panel, &other, &format!("action=cancel&orders={id}")).await;
    assert_eq!(said, json!([{ "order": id, "cancel": refused }]));
    assert_eq!(call(&panel, &mine, &format!("action=status&order={id}")).await["status"], "Processing");
}

async fn services_are_shown_at_the_customers_price(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = key(&panel, 1).await;
    panel.exec(Sql::new("UPDATE services SET restricted_access = TRUE WHERE id IN (2, 3)")).await;
    panel.exec(Sql::new("INSERT INTO user_services (user_id, service_id, default_price, min_price, created_at, updated_at) VALUES (1, 3, 7500000, 1, 1, 1)")).await;
    let list = call(&panel, &key, "action=services").await;
    let line = |at: usize, field: &str| list[at][field].clone();
    assert_eq!(list.as_array().unwrap().len(), 2);
    assert_eq!(
        (line(0, "service"), line(0, "rate"), line(0, "min")),
        (json!(PLAIN), json!("10"), json!("100"))
    );
    assert_eq!(
        (line(1, "service"), line(1, "rate"), line(1, "category")),
        (json!(ABANDONED), json!("7.5"), json!("Video Views"))
    );
    let said = call(&panel, &key, &format!("action=add&service={MODERATED}&link={LINK}&quantity=100")).await;
    assert_eq!(said, json!({ "error": "Incorrect service ID" }));
}

/// 15.01 less 35 % is 9.7565 for 1,000: 0.97565 for 100, and not 0.99, as it was when every change was rounded up.
async fn what_is_quoted_is_what_is_charged(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = key(&panel, 1).await;
    panel.exec(Sql::new("UPDATE services SET default_price = 15010000 WHERE id = 1")).await;
    panel
        .exec(Sql::new(
            "INSERT INTO user_discounts (user_id, kind, percent_ppm, updated_at) VALUES (1, 'orders', 350000, 1)",
        ))
        .await;
    let rate = async || call(&panel, &key, "action=services").await[0]["rate"].clone();
    assert_eq!(rate().await, "9.7565");
    let fields = format!("action=add&service={PLAIN}&link={LINK}&quantity=100");
    let id = order_of(&call(&panel, &key, &fields).await);
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 980_000);
    let order = panel.order(id).await;
    let change = &order["price_modifications"][0];
    assert_eq!((&order["cost"], &change["cost_diff"]), (&json!("0.98"), &json!("-0.53")));
    // Three runs are one charge: 2.92695, rounded up once.
    order_of(&call(&panel, &key, &format!("{fields}&runs=3&interval=60")).await);
    assert_eq!(panel.number(Sql::new("SELECT cost FROM drip_feeds")).await, 2_930_000);
    // Prices for 7 units have no end; what 100 cost is exact all the same: 100 / 7 × 15.01 × 0.65 is 139.37857.
    panel.exec(Sql::new("UPDATE services SET pricing_per = 7 WHERE id = 1")).await;
    assert!(rate().await.as_str().unwrap().starts_with("1393.785714285"));
    let before = balance(&panel, 1).await;
    order_of(&call(&panel, &key, &fields).await);
    assert_eq!(before - balance(&panel, 1).await, 139_380_000);
    panel.assert_healthy().await;
}

async fn numbers_below_their_least_are_refused(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = key(&panel, 1).await;
    let orders = Sql::new("SELECT count(*) FROM orders");
    for (fields, field) in [
        ("quantity=100&runs=0", "runs"),
        ("quantity=100&runs=-1", "runs"),
        ("quantity=100&runs=2&interval=-5", "interval"),
        ("quantity=100&runs=2&interval=0", "interval"),
        ("quantity=-100", "quantity"),
        ("min=-1&max=100&username=a", "min"),
        ("min=100&max=200&username=a&posts=-1", "posts"),
        ("min=100&max=200&username=a&delay=-1", "delay"),
    ] {
        let said = call(&panel, &key, &format!("action=add&service={PLAIN}&link={LINK}&{fields}")).await;
        let error = said["error"].as_str().unwrap_or_default();
        assert!(error.starts_with(&format!("Incorrect {field}")), "{fields}: {said}");
    }
    let refused = json!({ "error": "Incorrect order ID" });
    assert_eq!(call(&panel, &key, "action=status&order=-1").await, refused);
    assert_eq!(panel.number(orders).await, 0);
}

async fn what_a_service_does_not_take_is_refused(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = key(&panel, 1).await;
    let add = async |fields: &str| {
        call(&panel, &key, &format!("action=add&service={PLAIN}&link={LINK}&quantity=100&{fields}")).await
    };
    assert_eq!(
        add("comments=Nice").await,
        json!({ "error": "Incorrect request: This service takes no comments" })
    );
    let posts = "Incorrect request: An order takes no posts; a subscription has min and max, and no quantity";
    assert_eq!(add("posts=5").await, json!({ "error": posts }));
    assert_eq!(
        add("runs=2&interval=5&guarantee=1").await,
        json!({ "error": "Incorrect request: An order with runs takes no guarantee" })
    );
    let alone = "Incorrect request: An interval goes with runs; send both or none";
    assert_eq!(add("interval=5").await, json!({ "error": alone }));
    asks_comments(&panel).await;
    order_of(&add("comments=Nice&posts=0&runs=1").await);
    // What staff require is sold as Custom Comments: a comment for each that is charged.
    panel.exec(Sql::new("UPDATE service_targets SET attachment = 'required'")).await;
    let few = add("comments=Nice").await;
    assert!(few["error"].as_str().unwrap().contains("one line for each of the 100"), "{few}");
    let services = call(&panel, &key, "action=services").await;
    assert_eq!(services[0]["type"], "Custom Comments");
    // One that does not ask for what its type needs is neither offered nor sold.
    let poll = Sql::new("UPDATE services SET panel_service_type = 'Poll' WHERE id = ?").bind(PLAIN);
    panel.exec(poll).await;
    let refused = add("comments=Nice").await;
    assert_eq!(refused, json!({ "error": "Incorrect service ID" }));
    let services = call(&panel, &key, "action=services").await;
    assert!(services.as_array().unwrap().iter().all(|sold| sold["service"] != PLAIN.get()), "{services}");
    panel.exec(Sql::new("UPDATE services SET panel_service_type = 'Default'")).await;
    panel.exec(Sql::new("UPDATE service_targets SET attachment = 'optional'")).await;
    panel.exec(Sql::new("UPDATE services SET drip_feed_is_allowed = FALSE")).await;
    assert_eq!(
        add("runs=2&interval=5").await,
        json!({ "error": "Incorrect request: This service takes no runs" })
    );
    panel.assert_healthy().await;
}

async fn a_drip_feed_sends_its_first_order_at_once(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = key(&panel, 1).await;
    let fields = format!("action=add&service={PLAIN}&link={LINK}&quantity=100&runs=3&interval=60");
    let id = order_of(&call(&panel, &key, &fields).await);
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 3_000_000);
    let sql = "SELECT d.runs * 1000 + d.orders_count FROM orders o JOIN drip_feeds d ON d.id = o.drip_feed_id WHERE o.id = ?";
    assert_eq!(panel.number(Sql::new(sql).bind(id)).await, 3_001);
    panel.assert_healthy().await;
}

/// Places a drip-feed of 100 an hour, each for 1; the id that it is answered with.
async fn drip(panel: &Panel, key: &str, n: u8, runs: u8) -> i64 {
    let link = format!("https%3A%2F%2Fvideo.example%2F{n}");
    let fields = format!("action=add&service={PLAIN}&link={link}&quantity=100&runs={runs}&interval=60");
    order_of(&call(panel, key, &fields).await)
}

/// Lets an hour pass, in which the next run of each drip-feed is placed.
async fn next_run(panel: &Panel) {
    panel.clock.advance_secs(3_601);
    run::run_due(&panel.app).await.unwrap();
}

/// Status, charge and remains of an id, by commas.
async fn stands(panel: &Panel, key: &str, id: i64) -> String {
    let said = call(panel, key, &format!("action=status&order={id}")).await;
    ["status", "charge", "remains"].map(|name| said[name].as_str().unwrap_or_default()).join(",")
}

async fn canceled(panel: &Panel, key: &str, id: i64) -> Value {
    call(panel, key, &format!("action=cancel&orders={id}")).await[0]["cancel"].clone()
}

fn is_refused(answer: &Value, part: &str) -> bool {
    answer["error"].as_str().is_some_and(|why| why.contains(part))
}

/// The id that `add` answers with means the whole: what all runs deliver and cost, and its cancel gives back to the cent what
/// was not sent.
async fn a_drip_feed_is_followed_and_canceled_as_a_whole(dialect: Dialect) {
    let panel = shop(dialect).await;
    let (mine, other) = (key(&panel, 1).await, key(&panel, 2).await);
    let first = drip(&panel, &mine, 1, 3).await;
    assert_eq!(stands(&panel, &mine, first).await, "Processing,3,300");
    panel.exec(Sql::new("UPDATE orders SET current_quantity = 40 WHERE id = ?").bind(first)).await;
    next_run(&panel).await;
    let second = panel.number(Sql::new("SELECT max(id) FROM orders")).await;
    assert_eq!(stands(&panel, &mine, first).await, "In progress,3,260");
    assert_eq!(stands(&panel, &mine, second).await, "Processing,1,100", "a later run is an order");
    assert_eq!(canceled(&panel, &other, first).await, json!({ "error": "Incorrect order ID" }));
    assert_eq!(canceled(&panel, &mine, first).await, 1);
    // 60 of the first order, the second, and the third run that was not placed.
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 400_000);
    assert_eq!(stands(&panel, &mine, first).await, "Partial,0.4,260");
    assert!(is_refused(&canceled(&panel, &mine, first).await, "canceled"));
    next_run(&panel).await;
    let held = "SELECT (SELECT count(*) FROM orders) * 1000 + hold_main FROM users WHERE id = 1";
    assert_eq!(panel.number(Sql::new(held)).await, 2_000, "no run comes, and nothing is held");
    let noted = "SELECT count(*) FROM audits WHERE event = 'drip_feed.canceled'";
    assert_eq!(panel.number(Sql::new(noted)).await, 1);
    panel.assert_healthy().await;
}

async fn a_drip_feed_whose_first_order_ended_is_canceled_for_the_rest(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = key(&panel, 1).await;
    let complete = async |id: i64| {
        let done = panel.post(&format!("/api/v1/admin/orders/{id}/complete"), &json!({})).await;
        assert_eq!(done.status, 200, "{}", done.text);
    };
    let first = drip(&panel, &key, 1, 3).await;
    complete(first).await;
    assert_eq!(stands(&panel, &key, first).await, "In progress,3,200");
    panel.exec(Sql::new("UPDATE services SET cancel_by_client_is_allowed = FALSE")).await;
    assert!(is_refused(&canceled(&panel, &key, first).await, "This service cannot be canceled"));
    panel.exec(Sql::new("UPDATE services SET cancel_by_client_is_allowed = TRUE")).await;
    assert_eq!(canceled(&panel, &key, first).await, 1);
    assert_eq!(stands(&panel, &key, first).await, "Partial,1,200");
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 1_000_000);
    // One that was delivered is over.
    let whole = drip(&panel, &key, 2, 2).await;
    next_run(&panel).await;
    complete(whole).await;
    complete(panel.number(Sql::new("SELECT max(id) FROM orders")).await).await;
    assert_eq!(stands(&panel, &key, whole).await, "Completed,2,0");
    assert!(is_refused(&canceled(&panel, &key, whole).await, "completed"));
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 3_000_000);
    panel.assert_healthy().await;
}

async fn the_countries_of_a_drip_feed_are_those_that_were_answered(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = key(&panel, 1).await;
    let target =
        "INSERT INTO targets (id, name, target_type_id, selectable_values, parameter, created_at, updated_at)
        SELECT 900, 'Where', id, '[\"DE\",\"FR\"]', 'country', 1, 1 FROM target_types WHERE id = 2";
    panel.exec(Sql::new(target)).await;
    let asked = "INSERT INTO service_targets (service_id, target_id, position, attachment) VALUES (?, 900, 1, 'optional')";
    panel.exec(Sql::new(asked).bind(PLAIN)).await;
    let fields = format!("action=add&service={PLAIN}&link={LINK}&quantity=100&runs=2&interval=5&country=DE");
    let first = order_of(&call(&panel, &key, &fields).await);
    let feeds = panel.data("/api/v1/admin/drip-feeds").await;
    assert_eq!(feeds[0]["countries"], json!(["DE"]));
    assert_eq!(panel.order(first).await["countries"], json!(["DE"]));
}

async fn refills_are_asked_for_once(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = key(&panel, 1).await;
    let id =
        order_of(&call(&panel, &key, &format!("action=add&service={PLAIN}&link={LINK}&quantity=100")).await);
    let early = call(&panel, &key, &format!("action=refill&order={id}")).await;
    assert!(early["error"].as_str().unwrap().contains("completed"), "{early}");
    panel
        .exec(
            Sql::new(
                "UPDATE orders SET status = 'completed', completed_at = 1, drop_quantity = 40 WHERE id = ?",
            )
            .bind(id),
        )
        .await;
    let refill = call(&panel, &key, &format!("action=refill&order={id}")).await["refill"].as_i64().unwrap();
    assert_eq!(
        panel.number(Sql::new("SELECT quantity FROM order_refill_requests WHERE id = ?").bind(refill)).await,
        40
    );
    let again = call(&panel, &key, &format!("action=refill&orders={id},77")).await;
    let expected = json!([{ "order": id, "refill": { "error": "Refill is already requested" } }, { "order": 77, "refill": { "error": "Incorrect order ID" } }]);
    assert_eq!(again, expected);
    assert_eq!(
        call(&panel, &key, &format!("action=refill_status&refill={refill}")).await,
        json!({ "status": "Pending" })
    );
    let many = call(&panel, &key, &format!("action=refill_status&refills={refill},99")).await;
    let expected = json!([{ "refill": refill, "status": "Pending" }, { "refill": 99, "status": { "error": "Refill not found" } }]);
    assert_eq!(many, expected);
}

async fn a_customer_cancels_where_the_service_allows_it(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = key(&panel, 1).await;
    let mut ids = Vec::new();
    for service in [PLAIN, MODERATED, ABANDONED] {
        ids.push(order_of(
            &call(&panel, &key, &format!("action=add&service={service}&link={LINK}&quantity=1000")).await,
        ));
    }
    panel.exec(Sql::new("UPDATE services SET cancel_by_client_is_allowed = FALSE WHERE id = 2")).await;
    panel.exec(Sql::new("UPDATE services SET no_refund = TRUE WHERE id = 3")).await;
    panel.exec(Sql::new("UPDATE orders SET current_quantity = 250 WHERE id = ?").bind(ids[0])).await;
    let fields = format!("action=cancel&orders={},{},{}", ids[0], ids[1], ids[2]);
    let said = call(&panel, &key, &fields).await;
    let expected = json!([
        { "order": ids[0], "cancel": 1 },
        { "order": ids[1], "cancel": { "error": "This service cannot be canceled" } },
        { "order": ids[2], "cancel": 1 },
    ]);
    assert_eq!(said, expected);
    // Three times 10, and three quarters of the first come back.
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 30_000_000 + 7_500_000);
    let partial = call(&panel, &key, &format!("action=status&order={}", ids[0])).await;
    assert_eq!(
        (&partial["status"], &partial["charge"], &partial["remains"]),
        (&json!("Partial"), &json!("2.5"), &json!("750"))
    );
    let again = call(&panel, &key, &fields).await;
    assert!(again[0]["cancel"]["error"].as_str().unwrap().contains("canceled"), "{again}");
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 22_500_000);
    panel.assert_healthy().await;
}

async fn two_orders_for_the_last_money(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = key(&panel, 1).await;
    panel.exec(Sql::new("UPDATE services SET default_price = 60000000000 WHERE id = 1")).await;
    let fields = format!("action=add&service={PLAIN}&link={LINK}&quantity=1000");
    let said =
        tokio::join!(call(&panel, &key, &fields), call(&panel, &key, &fields), call(&panel, &key, &fields));
    let said = [said.0, said.1, said.2];
    assert_eq!(said.iter().filter(|said| said["order"].is_i64()).count(), 1, "{said:?}");
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 60_000_000_000);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM orders")).await, 1);
    panel.assert_healthy().await;
}

async fn uses_of_a_key_are_seen_and_limited(dialect: Dialect) {
    let panel = Panel::with(dialect, |config| config.limits.requests_per_minute = 3).await;
    panel.staff("ada", &[Permission::ViewUsers, Permission::ManageApiKeys]).await;
    let sql =
        "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (1, 'C', 'c@shop.example', 1, 1)";
    panel.exec(Sql::new(sql)).await;
    let key = key(&panel, 1).await;
    for _ in 0..3 {
        assert_eq!(call(&panel, &key, "action=balance").await["balance"], "0");
    }
    let (status, said) =
        say(&panel, "application/json", json!({ "key": key, "action": "balance" }).to_string()).await;
    assert_eq!((status, &said), (429, &json!({ "error": "Too Many Attempts." })));
    let user = panel.send("ada", "GET", "/api/v1/admin/users/1", &json!({}), None).await.json();
    assert_eq!(user["data"]["api_key_last_used_ip"], "127.0.0.1");
    assert!(user["data"]["api_key_last_used_at"].is_string(), "{user}");
    assert_eq!(user["data"]["has_api_key"], true);
}

async fn staff_place_an_order_or_nothing(dialect: Dialect) {
    let panel = shop(dialect).await;
    let url = "/api/v1/admin/orders";
    let body = json!({ "user_id": 2, "service_id": PLAIN, "url": "https://a.example/1", "quantity": 1000, "comment": " By phone " });
    let dry = panel.send("ada", "POST", &format!("{url}?dry_run=1"), &body, None).await.json();
    assert_eq!((&dry["data"]["cost"], balance(&panel, 2).await), (&json!("10"), DEPOSIT));
    let first = panel.send("ada", "POST", url, &body, Some("k1")).await.json();
    let again = panel.send("ada", "POST", url, &body, Some("k1")).await.json();
    assert_eq!((&first["data"]["id"], &first["data"]["comment"]), (&again["data"]["id"], &json!("By phone")));
    assert_eq!(balance(&panel, 2).await, DEPOSIT - 10_000_000);
    panel.exec(Sql::new("UPDATE services SET default_price = 200000000000 WHERE id = 1")).await;
    let refused = panel.send("ada", "POST", url, &body, None).await;
    assert_eq!((refused.status.as_u16(), refused.json()["errors"]["balance"].is_array()), (422, true));
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM orders")).await, 1);
    let unknown = json!({ "user_id": 2, "service_id": 77, "quantity": 1, "url": "" });
    let said = panel.send("ada", "POST", url, &unknown, None).await;
    assert_eq!((said.status.as_u16(), said.json()["errors"]["service_id"].is_array()), (422, true));
    panel.assert_healthy().await;
}

async fn what_a_child_panel_orders_is_listed_apart(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.exec(Sql::new("UPDATE users SET account_type = 'child_panel' WHERE id = 2")).await;
    let link = "https%3A%2F%2Fvideo.example%2Fchild";
    let mut orders = Vec::new();
    for user in [1, 2] {
        let fields = format!("action=add&service={PLAIN}&link={link}&quantity=100");
        orders.push(order_of(&call(&panel, &key(&panel, user).await, &fields).await));
    }
    let listed = panel.get("/api/v1/admin/child-panel-orders").await.json();
    let ids: Vec<i64> =
        listed["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect();
    assert_eq!((ids, &listed["recordsTotal"]), (vec![orders[1]], &json!(1)));
    panel.assert_healthy().await;
}

async fn a_coupon_and_a_country_come_with_an_order(dialect: Dialect) {
    let panel = shop(dialect).await;
    let coupon = json!({ "name": "Five off", "code": "FIVE", "payment_type": "order", "bonus_amount_calculation_type": "fixed", "bonus_amount": "5",
        "valid_from": "2026-01-01 00:00:00" });
    panel.made("/api/v1/admin/coupons", coupon).await;
    panel.exec(Sql::new("UPDATE services SET countries = '[\"DE\",\"FR\"]' WHERE id = 1")).await;
    let place = async |more: Value| {
        let mut body =
            json!({ "user_id": 2, "service_id": PLAIN, "url": "https://a.example/1", "quantity": 1000 });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        panel.send("ada", "POST", "/api/v1/admin/orders", &body, None).await
    };
    let field = async |more: Value| {
        let answer = place(more).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().next().unwrap().clone()
    };
    assert_eq!(field(json!({ "country": "Germany" })).await, "country");
    assert_eq!(field(json!({ "country": "US" })).await, "country");
    assert_eq!(field(json!({ "coupon": "NOPE" })).await, "coupon");
    let placed = place(json!({ "coupon": " five ", "country": "de" })).await;
    assert_eq!(
        (placed.status.as_u16(), &placed.json()["data"]["cost"]),
        (200, &json!("5")),
        "{}",
        placed.text
    );
    assert_eq!(field(json!({ "coupon": "FIVE" })).await, "coupon");
    assert_eq!(place(json!({})).await.status, 200, "an unknown value refuses no order");
    // A program says the same.
    let key = key(&panel, 1).await;
    let link = "https%3A%2F%2Fvideo.example%2Fc";
    let add = async |more: &str| {
        call(&panel, &key, &format!("action=add&service={PLAIN}&link={link}&quantity=1000{more}")).await
    };
    assert_eq!(add("&customer_country=xx").await, json!({ "error": "Incorrect customer_country" }));
    assert!(add("&customer_country=US").await["error"].is_string());
    let unknown = "Incorrect request: There is no such coupon. Check its code.";
    assert_eq!(add("&coupon=NOPE").await, json!({ "error": unknown }));
    let runs = "Incorrect request: A coupon takes no runs";
    assert_eq!(add("&coupon=FIVE&runs=2").await, json!({ "error": runs }));
    let before = balance(&panel, 1).await;
    let refused = add("&coupon=FIVE&customer_country=FR&country=FR").await;
    assert_eq!(refused, json!({ "error": "Incorrect request: This service takes no country" }));
    order_of(&add("&coupon=FIVE&customer_country=FR").await);
    assert_eq!(balance(&panel, 1).await, before - 5_000_000);
    panel.assert_healthy().await;
}

async fn a_child_panel_names_its_own_id(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.exec(Sql::new("UPDATE users SET account_type = 'child_panel' WHERE id = 1")).await;
    for (user, given, wanted) in [(1, "77", 77), (1, "0", 0), (2, "78", 0)] {
        let key = key(&panel, user).await;
        let add = format!(
            "action=add&service={PLAIN}&link=https://a.example/{user}{given}&quantity=100&child_id={given}"
        );
        let id = order_of(&call(&panel, &key, &add).await);
        let child = "SELECT COALESCE(child_id, 0) FROM orders WHERE id = ?";
        assert_eq!(panel.number(Sql::new(child).bind(id)).await, wanted, "{user} {given}");
    }
    let key = key(&panel, 1).await;
    let wrong = format!("action=add&service={PLAIN}&link={LINK}&quantity=100&child_id=x");
    let said = call(&panel, &key, &wrong).await;
    assert!(said["error"].as_str().is_some_and(|why| why.contains("child_id")), "{said}");
    let list = "/api/v1/admin/child-panel-orders?columns[0][data]=child_id&columns[0][search][value]=77";
    let found = panel.send("ada", "GET", list, &json!({}), None).await.json();
    assert_eq!(found["recordsFiltered"], 1, "{found}");
}

async fn a_service_may_forbid_a_second_order_of_one_address(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.exec(Sql::new("UPDATE services SET forbids_orders_with_same_url = id = ?").bind(PLAIN)).await;
    let order = async |user: i64, service: ServiceId, url: &str| {
        let body = json!({ "user_id": user, "service_id": service, "url": url, "quantity": 100 });
        panel.post("/api/v1/admin/orders", &body).await
    };
    let first = order(1, PLAIN, "https://a.example/1").await;
    assert_eq!(first.status, 200, "{}", first.text);
    let again = order(1, PLAIN, " https://a.example/1 ").await;
    assert_eq!(again.says(), (422, "url_in_use".into()));
    assert!(again.json()["errors"]["url"].is_array(), "{}", again.text);
    for (user, service, url) in [
        (1, PLAIN, "https://a.example/2"),
        (1, ABANDONED, "https://a.example/1"),
        (2, PLAIN, "https://a.example/1"),
    ] {
        let other = order(user, service, url).await;
        assert_eq!(other.status, 200, "{user} {service} {url}: {}", other.text);
    }
    let id = first.json()["data"]["id"].clone();
    let canceled =
        panel.post(&format!("/api/v1/admin/orders/{id}/cancel"), &json!({ "return_money": true })).await;
    assert_eq!(canceled.status, 200, "{}", canceled.text);
    assert_eq!(order(1, PLAIN, "https://a.example/1").await.status, 200, "the first is over");
    // A program is refused in the words of its field.
    let key = key(&panel, 1).await;
    let add = format!("action=add&service={PLAIN}&link=https://a.example/1&quantity=100");
    let said = call(&panel, &key, &add).await;
    let words = "You have active order with this link. Please wait until order being completed.";
    assert_eq!(said, json!({ "error": words }));
}

async fn an_address_is_left_out_where_the_service_needs_none(dialect: Dialect) {
    let panel = shop(dialect).await;
    let order = async |url: &str| {
        let body = json!({ "user_id": 1, "service_id": PLAIN, "url": url, "quantity": 100 });
        panel.post("/api/v1/admin/orders", &body).await
    };
    panel.exec(Sql::new("UPDATE services SET url_is_required = TRUE")).await;
    let refused = order("").await;
    assert!(refused.status == 422 && refused.json()["errors"]["url"].is_array(), "{}", refused.text);
    panel.exec(Sql::new("UPDATE services SET url_is_required = FALSE")).await;
    let placed = order("").await;
    assert_eq!((placed.status.as_u16(), &placed.json()["data"]["url"]), (200, &json!("")), "{}", placed.text);
    let wrong = order("no address").await;
    assert_eq!(wrong.status, 422, "one that is given is an address all the same: {}", wrong.text);
}
