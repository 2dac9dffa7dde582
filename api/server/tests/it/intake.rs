//! The reseller API and orders that staff place: every accepted content type, exact charges, no access to orders of other
//! customers, and no record after a refusal.

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
    a_client_places_an_order_and_polls_it;
    every_content_type_is_accepted;
    a_wrong_key_and_a_deactivated_customer_get_the_same_error;
    refused_orders_write_nothing;
    another_customers_orders_do_not_exist;
    services_are_listed_at_the_customers_price;
    the_listed_price_is_the_charged_price;
    numbers_below_their_minimum_are_refused;
    fields_that_a_service_does_not_accept_are_refused;
    a_drip_feed_sends_its_first_order_at_once;
    a_drip_feed_is_polled_and_canceled_as_a_whole;
    canceling_a_drip_feed_after_its_first_order_cancels_the_rest;
    a_drip_feed_has_the_countries_of_its_request;
    a_refill_is_requested_once;
    a_child_panel_may_send_its_own_order_id;
    a_customer_cancels_where_the_service_allows_it;
    parallel_orders_cannot_overdraw_the_balance;
    uses_of_a_key_are_recorded_and_limited;
    staff_place_orders_with_idempotency_and_dry_run;
    orders_of_child_panels_have_their_own_list;
    an_order_may_have_a_coupon_and_a_country;
    a_service_may_forbid_a_second_order_for_one_url;
    an_order_may_have_no_url_where_the_service_allows_it;
}

pub(crate) async fn shop(dialect: Dialect) -> Panel {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel
        .create_staff(
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
    panel.execute(Sql::new(sql)).await;
    panel
}

pub(crate) async fn create_api_key(panel: &Panel, user: i64) -> String {
    let path = format!("/api/v1/admin/users/{user}/api-key");
    let answer = panel.send("ada", "POST", &path, &json!({}), None).await;
    answer.json()["data"]["key"].as_str().unwrap().to_owned()
}

async fn post_reseller_api(panel: &Panel, content_type: &str, body: impl Into<Body>) -> (u16, Value) {
    let request = Request::post("/api/v2").header("content-type", content_type).body(body.into()).unwrap();
    let response = panel.answer(request).await;
    (response.status.as_u16(), response.json())
}

/// Calls the reseller API with a form, as most clients do. Errors of the request have status 200 too.
pub(crate) async fn call(panel: &Panel, key: &str, fields: &str) -> Value {
    let (status, answer) =
        post_reseller_api(panel, "application/x-www-form-urlencoded", format!("key={key}&{fields}")).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

async fn balance(panel: &Panel, user: i64) -> i64 {
    panel.number(Sql::new("SELECT balance_main FROM users WHERE id = ?").bind(user)).await
}

pub(crate) fn order_id(answer: &Value) -> i64 {
    answer["order"].as_i64().unwrap_or_else(|| panic!("{answer}"))
}

async fn a_client_places_an_order_and_polls_it(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let answer =
        call(&panel, &key, &format!("action=add&service={PLAIN}&link={LINK}&quantity=1500&unknown=1")).await;
    let id = order_id(&answer);
    assert_eq!(answer, json!({ "order": id }));
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 15_000_000);
    let moderated_id = order_id(
        &call(&panel, &key, &format!("action=add&service={MODERATED}&link={LINK}&quantity=100")).await,
    );
    panel
        .execute(
            Sql::new(
                "UPDATE orders SET current_quantity = 500, external_order_start_count = 3572 WHERE id = ?",
            )
            .bind(id),
        )
        .await;
    let status = call(&panel, &key, &format!("action=status&order={id}")).await;
    let expected = json!({ "charge": "15", "start_count": "3572", "status": "In progress", "remains": "1000", "currency": "USD" });
    assert_eq!(status, expected);
    let statuses = call(&panel, &key, &format!("action=status&orders={id},{moderated_id},999,x")).await;
    assert_eq!(statuses[id.to_string()], expected);
    assert_eq!(statuses[moderated_id.to_string()]["status"], "Pending");
    assert_eq!(
        (&statuses["999"], &statuses["x"]),
        (&json!({ "error": "Incorrect order ID" }), &json!({ "error": "Incorrect order ID" }))
    );
    assert_eq!(call(&panel, &key, "action=balance").await, json!({ "balance": "99984", "currency": "USD" }));
    let count_orders = "SELECT count(*) FROM orders WHERE source = 'perfect_panel_api' AND user_id = 1";
    assert_eq!(panel.number(Sql::new(count_orders)).await, 2);
    panel.assert_healthy().await;
}

async fn every_content_type_is_accepted(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let body = json!({ "key": key, "action": "add", "service": PLAIN, "link": "https://a.example/1", "quantity": "100.00" });
    let (_, answer) = post_reseller_api(&panel, "application/json", body.to_string()).await;
    let first = order_id(&answer);
    let multipart = |fields: &[(&str, &str)]| {
        let multipart_field = |(name, value): &(&str, &str)| {
            format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        fields.iter().map(multipart_field).collect::<String>() + "--b--\r\n"
    };
    let fields = [
        ("key", key.as_str()),
        ("action", "add"),
        ("service", "1"),
        ("link", "https://a.example/2"),
        ("comments", "Nice\nGreat"),
    ];
    panel.execute(Sql::new("UPDATE services SET min_quantity = 1 WHERE id = 1")).await;
    add_comments_target(&panel).await;
    let (_, answer) = post_reseller_api(&panel, "multipart/form-data; boundary=b", multipart(&fields)).await;
    let second = order_id(&answer);
    let quantity = "SELECT quantity FROM orders WHERE id = ?";
    assert_eq!(panel.number(Sql::new(quantity).bind(second)).await, 2);
    let body = json!({ "key": key, "action": "status", "orders": [first, second] });
    let (_, answer) = post_reseller_api(&panel, "application/json; charset=utf-8", body.to_string()).await;
    assert_eq!(answer.as_object().unwrap().len(), 2);
    let by_brackets = call(&panel, &key, &format!("action=status&orders[]={first}&orders[]={second}")).await;
    assert_eq!(answer, by_brackets);
    assert_eq!(post_reseller_api(&panel, "application/json", "[").await.0, 422);
    assert_eq!(post_reseller_api(&panel, "text/plain", "key=x").await.0, 415);
}

async fn add_comments_target(panel: &Panel) {
    for sql in [
        "INSERT INTO targets (id, name, target_type_id, created_at, updated_at) SELECT 1, 'Comments', id, 1, 1 FROM target_types WHERE name = 'comment'",
        "INSERT INTO service_targets (service_id, target_id, position, attachment) VALUES (1, 1, 1, 'optional')",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
}

async fn a_wrong_key_and_a_deactivated_customer_get_the_same_error(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let invalid_key = json!({ "error": "Invalid API key" });
    assert_eq!(call(&panel, "wrong", "action=balance").await, invalid_key);
    assert_eq!(call(&panel, "", "action=services").await, invalid_key);
    assert_eq!(call(&panel, &key, "action=explode").await, json!({ "error": "Incorrect request" }));
    panel.execute(Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE id = 1")).await;
    let frozen = call(&panel, &key, &format!("action=add&service={PLAIN}&link={LINK}&quantity=100")).await;
    assert_eq!(frozen, json!({ "error": "Your account is suspended and cannot order" }));
    assert_eq!(call(&panel, &key, "action=balance").await["balance"], "100000");
    panel.execute(Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE id = 1")).await;
    assert_eq!(call(&panel, &key, "action=balance").await, invalid_key);
}

async fn refused_orders_write_nothing(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    // The first use of a key on a day writes an audit entry.
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
    panel.execute(Sql::new("UPDATE services SET default_price = 200000000, api_access = id <> 2")).await;
    let too_expensive =
        call(&panel, &key, &format!("action=add&service={PLAIN}&link={LINK}&quantity=1000000")).await;
    assert_eq!(too_expensive, json!({ "error": "Not enough funds on balance" }));
    let hidden =
        call(&panel, &key, &format!("action=add&service={MODERATED}&link={LINK}&quantity=100")).await;
    assert_eq!(hidden, json!({ "error": "Incorrect service ID" }));
    panel.execute(Sql::new("UPDATE services SET quantity_step = 50")).await;
    let off_step = call(&panel, &key, &format!("action=add&service={PLAIN}&link={LINK}&quantity=110")).await;
    let message = "Incorrect request: Order 100 to 1000000 in steps of 50, counted from 100.";
    assert_eq!(off_step, json!({ "error": message }));
    let written_rows = "SELECT (SELECT count(*) FROM orders) + (SELECT count(*) FROM drip_feeds) + (SELECT count(*) FROM advances)";
    assert_eq!(panel.number(Sql::new(written_rows)).await, 0);
    assert_eq!(balance(&panel, 1).await, DEPOSIT);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM audits")).await, before);
}

async fn another_customers_orders_do_not_exist(dialect: Dialect) {
    let panel = shop(dialect).await;
    let (key, other_key) = (create_api_key(&panel, 1).await, create_api_key(&panel, 2).await);
    let id =
        order_id(&call(&panel, &key, &format!("action=add&service={PLAIN}&link={LINK}&quantity=100")).await);
    let refused = json!({ "error": "Incorrect order ID" });
    assert_eq!(call(&panel, &other_key, &format!("action=status&order={id}")).await, refused);
    assert_eq!(call(&panel, &other_key, &format!("action=refill&order={id}")).await, refused);
    let answer = call(&panel, &other_key, &format!("action=cancel&orders={id}")).await;
    assert_eq!(answer, json!([{ "order": id, "cancel": refused }]));
    assert_eq!(call(&panel, &key, &format!("action=status&order={id}")).await["status"], "Processing");
}

async fn services_are_listed_at_the_customers_price(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    panel.execute(Sql::new("UPDATE services SET restricted_access = TRUE WHERE id IN (2, 3)")).await;
    panel.execute(Sql::new("INSERT INTO user_services (user_id, service_id, default_price, min_price, created_at, updated_at) VALUES (1, 3, 7500000, 1, 1, 1)")).await;
    let list = call(&panel, &key, "action=services").await;
    let field_of = |index: usize, field: &str| list[index][field].clone();
    assert_eq!(list.as_array().unwrap().len(), 2);
    assert_eq!(
        (field_of(0, "service"), field_of(0, "rate"), field_of(0, "min")),
        (json!(PLAIN), json!("10"), json!("100"))
    );
    assert_eq!(
        (field_of(1, "service"), field_of(1, "rate"), field_of(1, "category")),
        (json!(ABANDONED), json!("7.5"), json!("Video Views"))
    );
    let answer =
        call(&panel, &key, &format!("action=add&service={MODERATED}&link={LINK}&quantity=100")).await;
    assert_eq!(answer, json!({ "error": "Incorrect service ID" }));
}

/// A price of 15.01 with a discount of 35 % is 9.7565 for 1,000 units, so 0.97565 for 100, which is 0.98 rounded up once. Rounding
/// up after each change would give 0.99.
async fn the_listed_price_is_the_charged_price(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    panel.execute(Sql::new("UPDATE services SET default_price = 15010000 WHERE id = 1")).await;
    panel
        .execute(Sql::new(
            "INSERT INTO user_discounts (user_id, kind, discount_ppm, updated_at) VALUES (1, 'orders', 350000, 1)",
        ))
        .await;
    let rate = async || call(&panel, &key, "action=services").await[0]["rate"].clone();
    assert_eq!(rate().await, "9.7565");
    let fields = format!("action=add&service={PLAIN}&link={LINK}&quantity=100");
    let id = order_id(&call(&panel, &key, &fields).await);
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 980_000);
    let order = panel.order(id).await;
    let change = &order["price_modifications"][0];
    assert_eq!((&order["cost"], &change["cost_diff"]), (&json!("0.98"), &json!("-0.53")));
    // The three runs are charged together: 2.92695, rounded up once.
    order_id(&call(&panel, &key, &format!("{fields}&runs=3&interval=60")).await);
    assert_eq!(panel.number(Sql::new("SELECT cost FROM drip_feeds")).await, 2_930_000);
    // A price for 7 units has no finite decimal form, but the cost of 100 units is exact: 100 / 7 × 15.01 × 0.65 is 139.37857.
    panel.execute(Sql::new("UPDATE services SET pricing_per = 7 WHERE id = 1")).await;
    assert!(rate().await.as_str().unwrap().starts_with("1393.785714285"));
    let before = balance(&panel, 1).await;
    order_id(&call(&panel, &key, &fields).await);
    assert_eq!(before - balance(&panel, 1).await, 139_380_000);
    panel.assert_healthy().await;
}

async fn numbers_below_their_minimum_are_refused(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
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
        let answer = call(&panel, &key, &format!("action=add&service={PLAIN}&link={LINK}&{fields}")).await;
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.starts_with(&format!("Incorrect {field}")), "{fields}: {answer}");
    }
    let refused = json!({ "error": "Incorrect order ID" });
    assert_eq!(call(&panel, &key, "action=status&order=-1").await, refused);
    assert_eq!(panel.number(orders).await, 0);
}

async fn fields_that_a_service_does_not_accept_are_refused(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let add = async |fields: &str| {
        call(&panel, &key, &format!("action=add&service={PLAIN}&link={LINK}&quantity=100&{fields}")).await
    };
    assert_eq!(
        add("comments=Nice").await,
        json!({ "error": "Incorrect request: This service takes no comments" })
    );
    let posts_error =
        "Incorrect request: An order takes no posts; a subscription has min and max, and no quantity";
    assert_eq!(add("posts=5").await, json!({ "error": posts_error }));
    assert_eq!(
        add("runs=2&interval=5&guarantee=1").await,
        json!({ "error": "Incorrect request: An order with runs takes no guarantee" })
    );
    let interval_error = "Incorrect request: Send interval only together with runs";
    assert_eq!(add("interval=5").await, json!({ "error": interval_error }));
    add_comments_target(&panel).await;
    order_id(&add("comments=Nice&posts=0&runs=1").await);
    // A service with a required comments target has the type Custom Comments, which needs one comment for each unit.
    panel.execute(Sql::new("UPDATE service_targets SET attachment = 'required'")).await;
    let too_few_comments = add("comments=Nice").await;
    assert!(
        too_few_comments["error"].as_str().unwrap().contains("one line for each of the 100"),
        "{too_few_comments}"
    );
    let services = call(&panel, &key, "action=services").await;
    assert_eq!(services[0]["type"], "Custom Comments");
    // A service without the target that its type needs is not listed and cannot be ordered.
    let set_type = Sql::new("UPDATE services SET panel_service_type = 'Poll' WHERE id = ?").bind(PLAIN);
    panel.execute(set_type).await;
    let refused = add("comments=Nice").await;
    assert_eq!(refused, json!({ "error": "Incorrect service ID" }));
    let services = call(&panel, &key, "action=services").await;
    assert!(
        services.as_array().unwrap().iter().all(|service| service["service"] != PLAIN.get()),
        "{services}"
    );
    panel.execute(Sql::new("UPDATE services SET panel_service_type = 'Default'")).await;
    panel.execute(Sql::new("UPDATE service_targets SET attachment = 'optional'")).await;
    panel.execute(Sql::new("UPDATE services SET drip_feed_is_allowed = FALSE")).await;
    assert_eq!(
        add("runs=2&interval=5").await,
        json!({ "error": "Incorrect request: This service takes no runs" })
    );
    panel.assert_healthy().await;
}

async fn a_drip_feed_sends_its_first_order_at_once(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let fields = format!("action=add&service={PLAIN}&link={LINK}&quantity=100&runs=3&interval=60");
    let id = order_id(&call(&panel, &key, &fields).await);
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 3_000_000);
    let sql = "SELECT d.runs * 1000 + d.orders_count FROM orders o JOIN drip_feeds d ON d.id = o.drip_feed_id WHERE o.id = ?";
    assert_eq!(panel.number(Sql::new(sql).bind(id)).await, 3_001);
    panel.assert_healthy().await;
}

/// Places a drip-feed of 100 units for 1 per hour. Returns the id in the answer, which is the id of the first order.
async fn place_drip_feed(panel: &Panel, key: &str, n: u8, runs: u8) -> i64 {
    let link = format!("https%3A%2F%2Fvideo.example%2F{n}");
    let fields = format!("action=add&service={PLAIN}&link={link}&quantity=100&runs={runs}&interval=60");
    order_id(&call(panel, key, &fields).await)
}

/// Advances the clock by an hour and places the next run of each drip-feed.
async fn run_after_an_hour(panel: &Panel) {
    panel.clock.advance_secs(3_601);
    run::run_due(&panel.app).await.unwrap();
}

/// Status, charge and remains of an order, separated by commas.
async fn status_charge_remains(panel: &Panel, key: &str, id: i64) -> String {
    let answer = call(panel, key, &format!("action=status&order={id}")).await;
    ["status", "charge", "remains"].map(|name| answer[name].as_str().unwrap_or_default()).join(",")
}

async fn cancel(panel: &Panel, key: &str, id: i64) -> Value {
    call(panel, key, &format!("action=cancel&orders={id}")).await[0]["cancel"].clone()
}

fn is_error_with(answer: &Value, text: &str) -> bool {
    answer["error"].as_str().is_some_and(|message| message.contains(text))
}

/// The id that `add` returns stands for the whole drip-feed: its status covers all runs, and its cancel refunds exactly the
/// undelivered units.
async fn a_drip_feed_is_polled_and_canceled_as_a_whole(dialect: Dialect) {
    let panel = shop(dialect).await;
    let (key, other_key) = (create_api_key(&panel, 1).await, create_api_key(&panel, 2).await);
    let first = place_drip_feed(&panel, &key, 1, 3).await;
    assert_eq!(status_charge_remains(&panel, &key, first).await, "Processing,3,300");
    panel.execute(Sql::new("UPDATE orders SET current_quantity = 40 WHERE id = ?").bind(first)).await;
    run_after_an_hour(&panel).await;
    let second = panel.number(Sql::new("SELECT max(id) FROM orders")).await;
    assert_eq!(status_charge_remains(&panel, &key, first).await, "In progress,3,260");
    assert_eq!(
        status_charge_remains(&panel, &key, second).await,
        "Processing,1,100",
        "a later run has its own order"
    );
    assert_eq!(cancel(&panel, &other_key, first).await, json!({ "error": "Incorrect order ID" }));
    assert_eq!(cancel(&panel, &key, first).await, 1);
    // Refunded: 60 units of the first order, the second order, and the third run, which was not placed.
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 400_000);
    assert_eq!(status_charge_remains(&panel, &key, first).await, "Partial,0.4,260");
    assert!(is_error_with(&cancel(&panel, &key, first).await, "canceled"));
    run_after_an_hour(&panel).await;
    let orders_and_hold = "SELECT (SELECT count(*) FROM orders) * 1000 + hold_main FROM users WHERE id = 1";
    assert_eq!(
        panel.number(Sql::new(orders_and_hold)).await,
        2_000,
        "no run is placed, and no amount is held"
    );
    let audits = "SELECT count(*) FROM audits WHERE event = 'drip_feed.canceled'";
    assert_eq!(panel.number(Sql::new(audits)).await, 1);
    panel.assert_healthy().await;
}

async fn canceling_a_drip_feed_after_its_first_order_cancels_the_rest(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let complete = async |id: i64| {
        let answer = panel.post(&format!("/api/v1/admin/orders/{id}/complete"), &json!({})).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    };
    let first = place_drip_feed(&panel, &key, 1, 3).await;
    complete(first).await;
    assert_eq!(status_charge_remains(&panel, &key, first).await, "In progress,3,200");
    panel.execute(Sql::new("UPDATE services SET cancel_by_client_is_allowed = FALSE")).await;
    assert!(is_error_with(&cancel(&panel, &key, first).await, "This service cannot be canceled"));
    panel.execute(Sql::new("UPDATE services SET cancel_by_client_is_allowed = TRUE")).await;
    assert_eq!(cancel(&panel, &key, first).await, 1);
    assert_eq!(status_charge_remains(&panel, &key, first).await, "Partial,1,200");
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 1_000_000);
    // A delivered drip-feed cannot be canceled.
    let second_feed = place_drip_feed(&panel, &key, 2, 2).await;
    run_after_an_hour(&panel).await;
    complete(second_feed).await;
    complete(panel.number(Sql::new("SELECT max(id) FROM orders")).await).await;
    assert_eq!(status_charge_remains(&panel, &key, second_feed).await, "Completed,2,0");
    assert!(is_error_with(&cancel(&panel, &key, second_feed).await, "completed"));
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 3_000_000);
    panel.assert_healthy().await;
}

async fn a_drip_feed_has_the_countries_of_its_request(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let insert_target =
        "INSERT INTO targets (id, name, target_type_id, selectable_values, parameter, created_at, updated_at)
        SELECT 900, 'Where', id, '[\"DE\",\"FR\"]', 'country', 1, 1 FROM target_types WHERE id = 2";
    panel.execute(Sql::new(insert_target)).await;
    let attach_target = "INSERT INTO service_targets (service_id, target_id, position, attachment) VALUES (?, 900, 1, 'optional')";
    panel.execute(Sql::new(attach_target).bind(PLAIN)).await;
    let fields = format!("action=add&service={PLAIN}&link={LINK}&quantity=100&runs=2&interval=5&country=DE");
    let first = order_id(&call(&panel, &key, &fields).await);
    let feeds = panel.get_data("/api/v1/admin/drip-feeds").await;
    assert_eq!(feeds[0]["countries"], json!(["DE"]));
    assert_eq!(panel.order(first).await["countries"], json!(["DE"]));
}

async fn a_refill_is_requested_once(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let id =
        order_id(&call(&panel, &key, &format!("action=add&service={PLAIN}&link={LINK}&quantity=100")).await);
    let too_early = call(&panel, &key, &format!("action=refill&order={id}")).await;
    assert!(too_early["error"].as_str().unwrap().contains("completed"), "{too_early}");
    panel
        .execute(
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
    let repeated = call(&panel, &key, &format!("action=refill&orders={id},77")).await;
    let expected = json!([{ "order": id, "refill": { "error": "Refill is already requested" } }, { "order": 77, "refill": { "error": "Incorrect order ID" } }]);
    assert_eq!(repeated, expected);
    assert_eq!(
        call(&panel, &key, &format!("action=refill_status&refill={refill}")).await,
        json!({ "status": "Pending" })
    );
    let statuses = call(&panel, &key, &format!("action=refill_status&refills={refill},99")).await;
    let expected = json!([{ "refill": refill, "status": "Pending" }, { "refill": 99, "status": { "error": "Refill not found" } }]);
    assert_eq!(statuses, expected);
}

async fn a_customer_cancels_where_the_service_allows_it(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let mut ids = Vec::new();
    for service in [PLAIN, MODERATED, ABANDONED] {
        ids.push(order_id(
            &call(&panel, &key, &format!("action=add&service={service}&link={LINK}&quantity=1000")).await,
        ));
    }
    panel.execute(Sql::new("UPDATE services SET cancel_by_client_is_allowed = FALSE WHERE id = 2")).await;
    panel.execute(Sql::new("UPDATE services SET no_refund = TRUE WHERE id = 3")).await;
    panel.execute(Sql::new("UPDATE orders SET current_quantity = 250 WHERE id = ?").bind(ids[0])).await;
    let fields = format!("action=cancel&orders={},{},{}", ids[0], ids[1], ids[2]);
    let answer = call(&panel, &key, &fields).await;
    let expected = json!([
        { "order": ids[0], "cancel": 1 },
        { "order": ids[1], "cancel": { "error": "This service cannot be canceled" } },
        { "order": ids[2], "cancel": 1 },
    ]);
    assert_eq!(answer, expected);
    // Three orders cost 10 each, and three quarters of the first are refunded.
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 30_000_000 + 7_500_000);
    let partial = call(&panel, &key, &format!("action=status&order={}", ids[0])).await;
    assert_eq!(
        (&partial["status"], &partial["charge"], &partial["remains"]),
        (&json!("Partial"), &json!("2.5"), &json!("750"))
    );
    let repeated = call(&panel, &key, &fields).await;
    assert!(repeated[0]["cancel"]["error"].as_str().unwrap().contains("canceled"), "{repeated}");
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 22_500_000);
    panel.assert_healthy().await;
}

async fn parallel_orders_cannot_overdraw_the_balance(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    panel.execute(Sql::new("UPDATE services SET default_price = 60000000000 WHERE id = 1")).await;
    let fields = format!("action=add&service={PLAIN}&link={LINK}&quantity=1000");
    let answers =
        tokio::join!(call(&panel, &key, &fields), call(&panel, &key, &fields), call(&panel, &key, &fields));
    let answers = [answers.0, answers.1, answers.2];
    assert_eq!(answers.iter().filter(|answer| answer["order"].is_i64()).count(), 1, "{answers:?}");
    assert_eq!(balance(&panel, 1).await, DEPOSIT - 60_000_000_000);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM orders")).await, 1);
    panel.assert_healthy().await;
}

async fn uses_of_a_key_are_recorded_and_limited(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.limits.requests_per_minute = 3).await;
    panel.create_staff("ada", &[Permission::ViewUsers, Permission::ManageApiKeys]).await;
    let sql =
        "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (1, 'C', 'c@shop.example', 1, 1)";
    panel.execute(Sql::new(sql)).await;
    let key = create_api_key(&panel, 1).await;
    for _ in 0..3 {
        assert_eq!(call(&panel, &key, "action=balance").await["balance"], "0");
    }
    let (status, answer) =
        post_reseller_api(&panel, "application/json", json!({ "key": key, "action": "balance" }).to_string())
            .await;
    assert_eq!((status, &answer), (429, &json!({ "error": "Too Many Attempts." })));
    let user = panel.send("ada", "GET", "/api/v1/admin/users/1", &json!({}), None).await.json();
    assert_eq!(user["data"]["api_key_last_used_ip"], "127.0.0.1");
    assert!(user["data"]["api_key_last_used_at"].is_string(), "{user}");
    assert_eq!(user["data"]["has_api_key"], true);
}

async fn staff_place_orders_with_idempotency_and_dry_run(dialect: Dialect) {
    let panel = shop(dialect).await;
    let url = "/api/v1/admin/orders";
    let body = json!({ "user_id": 2, "service_id": PLAIN, "url": "https://a.example/1", "quantity": 1000, "comment": " By phone " });
    let dry_run = panel.send("ada", "POST", &format!("{url}?dry_run=1"), &body, None).await.json();
    assert_eq!((&dry_run["data"]["cost"], balance(&panel, 2).await), (&json!("10"), DEPOSIT));
    let first = panel.send("ada", "POST", url, &body, Some("k1")).await.json();
    let repeated = panel.send("ada", "POST", url, &body, Some("k1")).await.json();
    assert_eq!(
        (&first["data"]["id"], &first["data"]["comment"]),
        (&repeated["data"]["id"], &json!("By phone"))
    );
    assert_eq!(balance(&panel, 2).await, DEPOSIT - 10_000_000);
    panel.execute(Sql::new("UPDATE services SET default_price = 200000000000 WHERE id = 1")).await;
    let refused = panel.send("ada", "POST", url, &body, None).await;
    assert_eq!((refused.status.as_u16(), refused.json()["errors"]["balance"].is_array()), (422, true));
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM orders")).await, 1);
    let unknown_service = json!({ "user_id": 2, "service_id": 77, "quantity": 1, "url": "" });
    let answer = panel.send("ada", "POST", url, &unknown_service, None).await;
    assert_eq!((answer.status.as_u16(), answer.json()["errors"]["service_id"].is_array()), (422, true));
    panel.assert_healthy().await;
}

async fn orders_of_child_panels_have_their_own_list(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.execute(Sql::new("UPDATE users SET account_type = 'child_panel' WHERE id = 2")).await;
    let link = "https%3A%2F%2Fvideo.example%2Fchild";
    let mut orders = Vec::new();
    for user in [1, 2] {
        let fields = format!("action=add&service={PLAIN}&link={link}&quantity=100");
        orders.push(order_id(&call(&panel, &create_api_key(&panel, user).await, &fields).await));
    }
    let list = panel.get("/api/v1/admin/child-panel-orders").await.json();
    let ids: Vec<i64> =
        list["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect();
    assert_eq!((ids, &list["recordsTotal"]), (vec![orders[1]], &json!(1)));
    panel.assert_healthy().await;
}

async fn an_order_may_have_a_coupon_and_a_country(dialect: Dialect) {
    let panel = shop(dialect).await;
    let coupon = json!({ "name": "Five off", "code": "FIVE", "payment_type": "order", "bonus_amount_calculation_type": "fixed", "bonus_amount": "5",
        "valid_from": "2026-01-01 00:00:00" });
    panel.post_data("/api/v1/admin/coupons", coupon).await;
    panel.execute(Sql::new("UPDATE services SET countries = '[\"DE\",\"FR\"]' WHERE id = 1")).await;
    let place_order = async |fields: Value| {
        let mut body =
            json!({ "user_id": 2, "service_id": PLAIN, "url": "https://a.example/1", "quantity": 1000 });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        panel.send("ada", "POST", "/api/v1/admin/orders", &body, None).await
    };
    let wrong_field = async |fields: Value| {
        let answer = place_order(fields).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().next().unwrap().clone()
    };
    assert_eq!(wrong_field(json!({ "country": "Germany" })).await, "country");
    assert_eq!(wrong_field(json!({ "country": "US" })).await, "country");
    assert_eq!(wrong_field(json!({ "coupon": "NOPE" })).await, "coupon");
    let placed = place_order(json!({ "coupon": " five ", "country": "de" })).await;
    assert_eq!(
        (placed.status.as_u16(), &placed.json()["data"]["cost"]),
        (200, &json!("5")),
        "{}",
        placed.text
    );
    assert_eq!(wrong_field(json!({ "coupon": "FIVE" })).await, "coupon");
    assert_eq!(place_order(json!({})).await.status, 200, "an order without a country is accepted");
    // The reseller API has the same rules.
    let key = create_api_key(&panel, 1).await;
    let link = "https%3A%2F%2Fvideo.example%2Fc";
    let add = async |fields: &str| {
        call(&panel, &key, &format!("action=add&service={PLAIN}&link={link}&quantity=1000{fields}")).await
    };
    assert_eq!(add("&customer_country=xx").await, json!({ "error": "Incorrect customer_country" }));
    assert!(add("&customer_country=US").await["error"].is_string());
    let unknown_error = "Incorrect request: There is no such coupon. Check its code.";
    assert_eq!(add("&coupon=NOPE").await, json!({ "error": unknown_error }));
    let runs_error = "Incorrect request: A coupon takes no runs";
    assert_eq!(add("&coupon=FIVE&runs=2").await, json!({ "error": runs_error }));
    let before = balance(&panel, 1).await;
    let refused = add("&coupon=FIVE&customer_country=FR&country=FR").await;
    assert_eq!(refused, json!({ "error": "Incorrect request: This service takes no country" }));
    order_id(&add("&coupon=FIVE&customer_country=FR").await);
    assert_eq!(balance(&panel, 1).await, before - 5_000_000);
    panel.assert_healthy().await;
}

async fn a_child_panel_may_send_its_own_order_id(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.execute(Sql::new("UPDATE users SET account_type = 'child_panel' WHERE id = 1")).await;
    for (user, sent, stored) in [(1, "77", 77), (1, "0", 0), (2, "78", 0)] {
        let key = create_api_key(&panel, user).await;
        let add = format!(
            "action=add&service={PLAIN}&link=https://a.example/{user}{sent}&quantity=100&child_id={sent}"
        );
        let id = order_id(&call(&panel, &key, &add).await);
        let child_id = "SELECT COALESCE(child_id, 0) FROM orders WHERE id = ?";
        assert_eq!(panel.number(Sql::new(child_id).bind(id)).await, stored, "{user} {sent}");
    }
    let key = create_api_key(&panel, 1).await;
    let wrong_id = format!("action=add&service={PLAIN}&link={LINK}&quantity=100&child_id=x");
    let answer = call(&panel, &key, &wrong_id).await;
    assert!(answer["error"].as_str().is_some_and(|message| message.contains("child_id")), "{answer}");
    let list = "/api/v1/admin/child-panel-orders?columns[0][data]=child_id&columns[0][search][value]=77";
    let list = panel.send("ada", "GET", list, &json!({}), None).await.json();
    assert_eq!(list["recordsFiltered"], 1, "{list}");
}

async fn a_service_may_forbid_a_second_order_for_one_url(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.execute(Sql::new("UPDATE services SET forbids_orders_with_same_url = id = ?").bind(PLAIN)).await;
    let place_order = async |user: i64, service: ServiceId, url: &str| {
        let body = json!({ "user_id": user, "service_id": service, "url": url, "quantity": 100 });
        panel.post("/api/v1/admin/orders", &body).await
    };
    let first = place_order(1, PLAIN, "https://a.example/1").await;
    assert_eq!(first.status, 200, "{}", first.text);
    let repeated = place_order(1, PLAIN, " https://a.example/1 ").await;
    assert_eq!(repeated.status_and_code(), (422, "url_in_use".into()));
    assert!(repeated.json()["errors"]["url"].is_array(), "{}", repeated.text);
    for (user, service, url) in [
        (1, PLAIN, "https://a.example/2"),
        (1, ABANDONED, "https://a.example/1"),
        (2, PLAIN, "https://a.example/1"),
    ] {
        let other_key = place_order(user, service, url).await;
        assert_eq!(other_key.status, 200, "{user} {service} {url}: {}", other_key.text);
    }
    let id = first.json()["data"]["id"].clone();
    let canceled =
        panel.post(&format!("/api/v1/admin/orders/{id}/cancel"), &json!({ "return_money": true })).await;
    assert_eq!(canceled.status, 200, "{}", canceled.text);
    assert_eq!(place_order(1, PLAIN, "https://a.example/1").await.status, 200, "the first order is canceled");
    // The reseller API answers with the message that its protocol prescribes.
    let key = create_api_key(&panel, 1).await;
    let add = format!("action=add&service={PLAIN}&link=https://a.example/1&quantity=100");
    let answer = call(&panel, &key, &add).await;
    let message = "You have active order with this link. Please wait until order being completed.";
    assert_eq!(answer, json!({ "error": message }));
}

async fn an_order_may_have_no_url_where_the_service_allows_it(dialect: Dialect) {
    let panel = shop(dialect).await;
    let place_order = async |url: &str| {
        let body = json!({ "user_id": 1, "service_id": PLAIN, "url": url, "quantity": 100 });
        panel.post("/api/v1/admin/orders", &body).await
    };
    panel.execute(Sql::new("UPDATE services SET url_is_required = TRUE")).await;
    let refused = place_order("").await;
    assert!(refused.status == 422 && refused.json()["errors"]["url"].is_array(), "{}", refused.text);
    panel.execute(Sql::new("UPDATE services SET url_is_required = FALSE")).await;
    let placed = place_order("").await;
    assert_eq!((placed.status.as_u16(), &placed.json()["data"]["url"]), (200, &json!("")), "{}", placed.text);
    let malformed = place_order("no address").await;
    assert_eq!(malformed.status, 422, "a URL that the customer sends must be valid: {}", malformed.text);
}
