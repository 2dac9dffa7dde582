//! Tests the reseller API and the orders that staff place: every accepted content type, exact charges, no access to orders of other
//! customers, and no record of a rejected order.

use axum::body::Body;
use axum::http::Request;
use panel_contract::ids::ServiceId;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_server::operations::drip_feeds::run;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::shop::{CUSTOMER_DEPOSIT, MODERATED_SERVICE, PLAIN_SERVICE, SERVICE_WITHOUT_PROVIDER};

/// The percent-encoded URL of most orders in these tests.
const LINK: &str = "https%3A%2F%2Fvideo.example%2Fwatch";

test_both_databases! {
    a_client_places_an_order_and_polls_it;
    every_content_type_is_accepted;
    a_wrong_key_and_a_deactivated_customer_get_the_same_error;
    rejected_orders_write_nothing;
    orders_of_other_customers_are_not_found;
    services_are_listed_at_the_customers_price;
    the_listed_price_is_the_charged_price;
    numbers_below_their_minimum_are_rejected;
    fields_that_a_service_does_not_accept_are_rejected;
    a_drip_feed_sends_its_first_order_at_once;
    a_drip_feed_is_polled_and_canceled_as_a_whole;
    canceling_a_drip_feed_after_its_first_order_cancels_the_rest;
    a_drip_feed_has_the_countries_of_its_request;
    a_refill_is_requested_once;
    a_child_panel_may_send_its_own_order_id;
    a_customer_cancels_if_the_service_allows_it;
    parallel_orders_cannot_overdraw_the_balance;
    uses_of_an_api_key_are_recorded_and_limited;
    staff_place_orders_with_idempotency_and_dry_run;
    orders_of_child_panels_have_their_own_list;
    an_order_may_have_a_coupon_and_a_country;
    a_service_may_forbid_a_second_order_for_one_url;
    an_order_may_have_no_url_if_the_service_allows_it;
}

pub(crate) async fn start_shop(dialect: Dialect) -> Panel {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
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
    let response = panel.send("ada", "POST", &path, &json!({}), None).await;
    response.json()["data"]["key"].as_str().unwrap().to_owned()
}

async fn post_reseller_api(panel: &Panel, content_type: &str, body: impl Into<Body>) -> (u16, Value) {
    let request = Request::post("/api/v2").header("content-type", content_type).body(body.into()).unwrap();
    let response = panel.send_request(request).await;
    (response.status.as_u16(), response.json())
}

/// Sends a form to the reseller API, as most clients do. Responses with an error also have status 200.
pub(crate) async fn send_reseller_request(panel: &Panel, key: &str, fields: &str) -> Value {
    let (status, response) =
        post_reseller_api(panel, "application/x-www-form-urlencoded", format!("key={key}&{fields}")).await;
    assert_eq!(status, 200, "{response}");
    response
}

async fn fetch_balance(panel: &Panel, user: i64) -> i64 {
    panel.fetch_number(Sql::new("SELECT balance_main FROM users WHERE id = ?").bind(user)).await
}

pub(crate) fn parse_order_id(response: &Value) -> i64 {
    response["order"].as_i64().unwrap_or_else(|| panic!("{response}"))
}

async fn a_client_places_an_order_and_polls_it(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let response = send_reseller_request(
        &panel,
        &key,
        &format!("action=add&service={PLAIN_SERVICE}&link={LINK}&quantity=1500&unknown=1"),
    )
    .await;
    let id = parse_order_id(&response);
    assert_eq!(response, json!({ "order": id }));
    assert_eq!(fetch_balance(&panel, 1).await, CUSTOMER_DEPOSIT - 15_000_000);
    let moderated_id = parse_order_id(
        &send_reseller_request(
            &panel,
            &key,
            &format!("action=add&service={MODERATED_SERVICE}&link={LINK}&quantity=100"),
        )
        .await,
    );
    panel
        .execute(
            Sql::new(
                "UPDATE orders SET current_quantity = 500, external_order_start_count = 3572 WHERE id = ?",
            )
            .bind(id),
        )
        .await;
    let status = send_reseller_request(&panel, &key, &format!("action=status&order={id}")).await;
    let expected_status = json!({ "charge": "15", "start_count": "3572", "status": "In progress", "remains": "1000", "currency": "USD" });
    assert_eq!(status, expected_status);
    let statuses =
        send_reseller_request(&panel, &key, &format!("action=status&orders={id},{moderated_id},999,x")).await;
    assert_eq!(statuses[id.to_string()], expected_status);
    assert_eq!(statuses[moderated_id.to_string()]["status"], "Pending");
    assert_eq!(
        (&statuses["999"], &statuses["x"]),
        (&json!({ "error": "Incorrect order ID" }), &json!({ "error": "Incorrect order ID" }))
    );
    assert_eq!(
        send_reseller_request(&panel, &key, "action=balance").await,
        json!({ "balance": "99984", "currency": "USD" })
    );
    let count_orders_sql = "SELECT count(*) FROM orders WHERE source = 'perfect_panel_api' AND user_id = 1";
    assert_eq!(panel.fetch_number(Sql::new(count_orders_sql)).await, 2);
    panel.assert_healthy().await;
}

async fn every_content_type_is_accepted(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let body = json!({ "key": key, "action": "add", "service": PLAIN_SERVICE, "link": "https://a.example/1", "quantity": "100.00" });
    let (_, response) = post_reseller_api(&panel, "application/json", body.to_string()).await;
    let first_order_id = parse_order_id(&response);
    let encode_multipart = |fields: &[(&str, &str)]| {
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
    let (_, response) =
        post_reseller_api(&panel, "multipart/form-data; boundary=b", encode_multipart(&fields)).await;
    let second_order_id = parse_order_id(&response);
    let quantity_sql = "SELECT quantity FROM orders WHERE id = ?";
    assert_eq!(panel.fetch_number(Sql::new(quantity_sql).bind(second_order_id)).await, 2);
    let body = json!({ "key": key, "action": "status", "orders": [first_order_id, second_order_id] });
    let (_, response) = post_reseller_api(&panel, "application/json; charset=utf-8", body.to_string()).await;
    assert_eq!(response.as_object().unwrap().len(), 2);
    let by_brackets = send_reseller_request(
        &panel,
        &key,
        &format!("action=status&orders[]={first_order_id}&orders[]={second_order_id}"),
    )
    .await;
    assert_eq!(response, by_brackets);
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
    let panel = start_shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let invalid_key = json!({ "error": "Invalid API key" });
    assert_eq!(send_reseller_request(&panel, "wrong", "action=balance").await, invalid_key);
    assert_eq!(send_reseller_request(&panel, "", "action=services").await, invalid_key);
    assert_eq!(
        send_reseller_request(&panel, &key, "action=explode").await,
        json!({ "error": "Incorrect request" })
    );
    panel.execute(Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE id = 1")).await;
    let frozen_response = send_reseller_request(
        &panel,
        &key,
        &format!("action=add&service={PLAIN_SERVICE}&link={LINK}&quantity=100"),
    )
    .await;
    assert_eq!(frozen_response, json!({ "error": "Your account is suspended and cannot order" }));
    assert_eq!(send_reseller_request(&panel, &key, "action=balance").await["balance"], "100000");
    panel.execute(Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE id = 1")).await;
    assert_eq!(send_reseller_request(&panel, &key, "action=balance").await, invalid_key);
}

async fn rejected_orders_write_nothing(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    // The first use of a key on each day writes an audit entry.
    send_reseller_request(&panel, &key, "action=balance").await;
    let audit_count_before = panel.fetch_number(Sql::new("SELECT count(*) FROM audits")).await;
    for (fields, error) in [
        (
            format!("service={PLAIN_SERVICE}&link={LINK}&quantity=1000000&runs=11&interval=5"),
            "Not enough funds on balance",
        ),
        (format!("service={PLAIN_SERVICE}&link={LINK}&quantity=10"), "Quantity less than minimal 100"),
        (
            format!("service={PLAIN_SERVICE}&link={LINK}&quantity=1000001"),
            "Quantity more than maximum 1000000",
        ),
        (format!("service={PLAIN_SERVICE}&link=javascript%3A1&quantity=100"), "Incorrect link"),
        (format!("service={PLAIN_SERVICE}&link={LINK}&quantity=ten"), "Incorrect quantity"),
        (format!("service={PLAIN_SERVICE}&link={LINK}"), "Incorrect quantity"),
        (format!("service=99&link={LINK}&quantity=100"), "Incorrect service ID"),
        (format!("service=x&link={LINK}&quantity=100"), "Incorrect service ID"),
    ] {
        assert_eq!(
            send_reseller_request(&panel, &key, &format!("action=add&{fields}")).await,
            json!({ "error": error }),
            "{fields}"
        );
    }
    panel.execute(Sql::new("UPDATE services SET default_price = 200000000, api_access = id <> 2")).await;
    let expensive_response = send_reseller_request(
        &panel,
        &key,
        &format!("action=add&service={PLAIN_SERVICE}&link={LINK}&quantity=1000000"),
    )
    .await;
    assert_eq!(expensive_response, json!({ "error": "Not enough funds on balance" }));
    let hidden_service_response = send_reseller_request(
        &panel,
        &key,
        &format!("action=add&service={MODERATED_SERVICE}&link={LINK}&quantity=100"),
    )
    .await;
    assert_eq!(hidden_service_response, json!({ "error": "Incorrect service ID" }));
    panel.execute(Sql::new("UPDATE services SET quantity_step = 50")).await;
    let step_response = send_reseller_request(
        &panel,
        &key,
        &format!("action=add&service={PLAIN_SERVICE}&link={LINK}&quantity=110"),
    )
    .await;
    let message = "Incorrect request: Order 100 to 1000000 in steps of 50, counted from 100.";
    assert_eq!(step_response, json!({ "error": message }));
    let count_written_rows_sql = "SELECT (SELECT count(*) FROM orders) + (SELECT count(*) FROM drip_feeds) + (SELECT count(*) FROM advances)";
    assert_eq!(panel.fetch_number(Sql::new(count_written_rows_sql)).await, 0);
    assert_eq!(fetch_balance(&panel, 1).await, CUSTOMER_DEPOSIT);
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM audits")).await, audit_count_before);
}

async fn orders_of_other_customers_are_not_found(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let (key, other_key) = (create_api_key(&panel, 1).await, create_api_key(&panel, 2).await);
    let id = parse_order_id(
        &send_reseller_request(
            &panel,
            &key,
            &format!("action=add&service={PLAIN_SERVICE}&link={LINK}&quantity=100"),
        )
        .await,
    );
    let unknown_order_error = json!({ "error": "Incorrect order ID" });
    assert_eq!(
        send_reseller_request(&panel, &other_key, &format!("action=status&order={id}")).await,
        unknown_order_error
    );
    assert_eq!(
        send_reseller_request(&panel, &other_key, &format!("action=refill&order={id}")).await,
        unknown_order_error
    );
    let response = send_reseller_request(&panel, &other_key, &format!("action=cancel&orders={id}")).await;
    assert_eq!(response, json!([{ "order": id, "cancel": unknown_order_error }]));
    assert_eq!(
        send_reseller_request(&panel, &key, &format!("action=status&order={id}")).await["status"],
        "Processing"
    );
}

async fn services_are_listed_at_the_customers_price(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    panel.execute(Sql::new("UPDATE services SET restricted_access = TRUE WHERE id IN (2, 3)")).await;
    panel.execute(Sql::new("INSERT INTO user_services (user_id, service_id, default_price, min_price, created_at, updated_at) VALUES (1, 3, 7500000, 1, 1, 1)")).await;
    let services = send_reseller_request(&panel, &key, "action=services").await;
    let field_of = |index: usize, field: &str| services[index][field].clone();
    assert_eq!(services.as_array().unwrap().len(), 2);
    assert_eq!(
        (field_of(0, "service"), field_of(0, "rate"), field_of(0, "min")),
        (json!(PLAIN_SERVICE), json!("10"), json!("100"))
    );
    assert_eq!(
        (field_of(1, "service"), field_of(1, "rate"), field_of(1, "category")),
        (json!(SERVICE_WITHOUT_PROVIDER), json!("7.5"), json!("Video Views"))
    );
    let response = send_reseller_request(
        &panel,
        &key,
        &format!("action=add&service={MODERATED_SERVICE}&link={LINK}&quantity=100"),
    )
    .await;
    assert_eq!(response, json!({ "error": "Incorrect service ID" }));
}

/// A price of 15.01 with a discount of 35 % is 9.7565 for 1,000 units and 0.97565 for 100 units, rounded up to 0.98. If the server
/// rounded up after each step, the result would be 0.99.
async fn the_listed_price_is_the_charged_price(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    panel.execute(Sql::new("UPDATE services SET default_price = 15010000 WHERE id = 1")).await;
    panel
        .execute(Sql::new(
            "INSERT INTO user_discounts (user_id, kind, discount_ppm, updated_at) VALUES (1, 'orders', 350000, 1)",
        ))
        .await;
    let fetch_rate = async || send_reseller_request(&panel, &key, "action=services").await[0]["rate"].clone();
    assert_eq!(fetch_rate().await, "9.7565");
    let fields = format!("action=add&service={PLAIN_SERVICE}&link={LINK}&quantity=100");
    let id = parse_order_id(&send_reseller_request(&panel, &key, &fields).await);
    assert_eq!(fetch_balance(&panel, 1).await, CUSTOMER_DEPOSIT - 980_000);
    let order = panel.fetch_order(id).await;
    let price_modification = &order["price_modifications"][0];
    assert_eq!((&order["cost"], &price_modification["cost_diff"]), (&json!("0.98"), &json!("-0.53")));
    // The three runs are charged together: 2.92695, rounded up.
    parse_order_id(&send_reseller_request(&panel, &key, &format!("{fields}&runs=3&interval=60")).await);
    assert_eq!(panel.fetch_number(Sql::new("SELECT cost FROM drip_feeds")).await, 2_930_000);
    // The price of one unit has no finite decimal form, but the cost of 100 units is exact: 100 / 7 × 15.01 × 0.65 is 139.37857.
    panel.execute(Sql::new("UPDATE services SET pricing_per = 7 WHERE id = 1")).await;
    assert!(fetch_rate().await.as_str().unwrap().starts_with("1393.785714285"));
    let balance_before = fetch_balance(&panel, 1).await;
    parse_order_id(&send_reseller_request(&panel, &key, &fields).await);
    assert_eq!(balance_before - fetch_balance(&panel, 1).await, 139_380_000);
    panel.assert_healthy().await;
}

async fn numbers_below_their_minimum_are_rejected(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let count_orders_sql = Sql::new("SELECT count(*) FROM orders");
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
        let response = send_reseller_request(
            &panel,
            &key,
            &format!("action=add&service={PLAIN_SERVICE}&link={LINK}&{fields}"),
        )
        .await;
        let error = response["error"].as_str().unwrap_or_default();
        assert!(error.starts_with(&format!("Incorrect {field}")), "{fields}: {response}");
    }
    let unknown_order_error = json!({ "error": "Incorrect order ID" });
    assert_eq!(send_reseller_request(&panel, &key, "action=status&order=-1").await, unknown_order_error);
    assert_eq!(panel.fetch_number(count_orders_sql).await, 0);
}

async fn fields_that_a_service_does_not_accept_are_rejected(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let add_order = async |fields: &str| {
        send_reseller_request(
            &panel,
            &key,
            &format!("action=add&service={PLAIN_SERVICE}&link={LINK}&quantity=100&{fields}"),
        )
        .await
    };
    assert_eq!(
        add_order("comments=Nice").await,
        json!({ "error": "Incorrect request: This service takes no comments" })
    );
    let posts_error =
        "Incorrect request: An order takes no posts; a subscription has min and max, and no quantity";
    assert_eq!(add_order("posts=5").await, json!({ "error": posts_error }));
    assert_eq!(
        add_order("runs=2&interval=5&guarantee=1").await,
        json!({ "error": "Incorrect request: An order with runs takes no guarantee" })
    );
    let interval_error = "Incorrect request: Send interval only together with runs";
    assert_eq!(add_order("interval=5").await, json!({ "error": interval_error }));
    add_comments_target(&panel).await;
    parse_order_id(&add_order("comments=Nice&posts=0&runs=1").await);
    // A service with a required comments target has the type Custom Comments, which needs one comment for each unit.
    panel.execute(Sql::new("UPDATE service_targets SET attachment = 'required'")).await;
    let too_few_response = add_order("comments=Nice").await;
    assert!(
        too_few_response["error"].as_str().unwrap().contains("one line for each of the 100"),
        "{too_few_response}"
    );
    let services = send_reseller_request(&panel, &key, "action=services").await;
    assert_eq!(services[0]["type"], "Custom Comments");
    // A service without the target that its type needs is not listed and cannot be ordered.
    let set_type_sql =
        Sql::new("UPDATE services SET panel_service_type = 'Poll' WHERE id = ?").bind(PLAIN_SERVICE);
    panel.execute(set_type_sql).await;
    let rejected_response = add_order("comments=Nice").await;
    assert_eq!(rejected_response, json!({ "error": "Incorrect service ID" }));
    let services = send_reseller_request(&panel, &key, "action=services").await;
    assert!(
        services.as_array().unwrap().iter().all(|service| service["service"] != PLAIN_SERVICE.get()),
        "{services}"
    );
    panel.execute(Sql::new("UPDATE services SET panel_service_type = 'Default'")).await;
    panel.execute(Sql::new("UPDATE service_targets SET attachment = 'optional'")).await;
    panel.execute(Sql::new("UPDATE services SET drip_feed_is_allowed = FALSE")).await;
    assert_eq!(
        add_order("runs=2&interval=5").await,
        json!({ "error": "Incorrect request: This service takes no runs" })
    );
    panel.assert_healthy().await;
}

async fn a_drip_feed_sends_its_first_order_at_once(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let fields = format!("action=add&service={PLAIN_SERVICE}&link={LINK}&quantity=100&runs=3&interval=60");
    let id = parse_order_id(&send_reseller_request(&panel, &key, &fields).await);
    assert_eq!(fetch_balance(&panel, 1).await, CUSTOMER_DEPOSIT - 3_000_000);
    let count_runs_sql = "SELECT d.runs, d.orders_count FROM orders o JOIN drip_feeds d ON d.id = o.drip_feed_id WHERE o.id = ?";
    let runs_and_orders: (i64, i64) =
        (&mut &panel.app.db).fetch_one(Sql::new(count_runs_sql).bind(id)).await.unwrap();
    assert_eq!(runs_and_orders, (3, 1));
    panel.assert_healthy().await;
}

/// Places a drip-feed that delivers 100 units for 1 each hour. Returns the id in the response: the id of the first order.
async fn place_drip_feed(panel: &Panel, key: &str, url_number: u8, runs: u8) -> i64 {
    let url = format!("https%3A%2F%2Fvideo.example%2F{url_number}");
    let fields =
        format!("action=add&service={PLAIN_SERVICE}&link={url}&quantity=100&runs={runs}&interval=60");
    parse_order_id(&send_reseller_request(panel, key, &fields).await)
}

/// Advances the clock by an hour and places the next run of each drip-feed.
async fn place_runs_after_an_hour(panel: &Panel) {
    panel.clock.advance_secs(3_601);
    run::run_due(&panel.app).await.unwrap();
}

/// Status, charge and remains of an order, separated by commas.
async fn fetch_status_charge_remains(panel: &Panel, key: &str, id: i64) -> String {
    let response = send_reseller_request(panel, key, &format!("action=status&order={id}")).await;
    ["status", "charge", "remains"].map(|name| response[name].as_str().unwrap_or_default()).join(",")
}

async fn request_cancel(panel: &Panel, key: &str, id: i64) -> Value {
    send_reseller_request(panel, key, &format!("action=cancel&orders={id}")).await[0]["cancel"].clone()
}

fn has_error_with(response: &Value, expected_text: &str) -> bool {
    response["error"].as_str().is_some_and(|message| message.contains(expected_text))
}

/// The order id that `add` returns represents the whole drip-feed: its status covers all runs, and a cancel refunds exactly the
/// undelivered units.
async fn a_drip_feed_is_polled_and_canceled_as_a_whole(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let (key, other_key) = (create_api_key(&panel, 1).await, create_api_key(&panel, 2).await);
    let first_order_id = place_drip_feed(&panel, &key, 1, 3).await;
    assert_eq!(fetch_status_charge_remains(&panel, &key, first_order_id).await, "Processing,3,300");
    panel
        .execute(Sql::new("UPDATE orders SET current_quantity = 40 WHERE id = ?").bind(first_order_id))
        .await;
    place_runs_after_an_hour(&panel).await;
    let second_order_id = panel.fetch_number(Sql::new("SELECT max(id) FROM orders")).await;
    assert_eq!(fetch_status_charge_remains(&panel, &key, first_order_id).await, "In progress,3,260");
    assert_eq!(
        fetch_status_charge_remains(&panel, &key, second_order_id).await,
        "Processing,1,100",
        "the order of a later run must have its own status"
    );
    assert_eq!(
        request_cancel(&panel, &other_key, first_order_id).await,
        json!({ "error": "Incorrect order ID" })
    );
    assert_eq!(request_cancel(&panel, &key, first_order_id).await, 1);
    // The refund covers 60 units of the first order, the whole second order, and the third run, which was not placed.
    assert_eq!(fetch_balance(&panel, 1).await, CUSTOMER_DEPOSIT - 400_000);
    assert_eq!(fetch_status_charge_remains(&panel, &key, first_order_id).await, "Partial,0.4,260");
    assert!(has_error_with(&request_cancel(&panel, &key, first_order_id).await, "canceled"));
    place_runs_after_an_hour(&panel).await;
    let orders_and_hold_sql = "SELECT (SELECT count(*) FROM orders), hold_main FROM users WHERE id = 1";
    let order_count_and_hold: (i64, i64) =
        (&mut &panel.app.db).fetch_one(Sql::new(orders_and_hold_sql)).await.unwrap();
    assert_eq!(order_count_and_hold, (2, 0), "no further run may be placed, and no amount may be held");
    let count_audits_sql = "SELECT count(*) FROM audits WHERE event = 'drip_feed.canceled'";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 1);
    panel.assert_healthy().await;
}

async fn canceling_a_drip_feed_after_its_first_order_cancels_the_rest(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let complete_order = async |id: i64| {
        let response = panel.post(&format!("/api/v1/admin/orders/{id}/complete"), &json!({})).await;
        assert_eq!(response.status, 200, "{}", response.text);
    };
    let first_order_id = place_drip_feed(&panel, &key, 1, 3).await;
    complete_order(first_order_id).await;
    assert_eq!(fetch_status_charge_remains(&panel, &key, first_order_id).await, "In progress,3,200");
    panel.execute(Sql::new("UPDATE services SET cancel_by_client_is_allowed = FALSE")).await;
    assert!(has_error_with(
        &request_cancel(&panel, &key, first_order_id).await,
        "This service cannot be canceled"
    ));
    panel.execute(Sql::new("UPDATE services SET cancel_by_client_is_allowed = TRUE")).await;
    assert_eq!(request_cancel(&panel, &key, first_order_id).await, 1);
    assert_eq!(fetch_status_charge_remains(&panel, &key, first_order_id).await, "Partial,1,200");
    assert_eq!(fetch_balance(&panel, 1).await, CUSTOMER_DEPOSIT - 1_000_000);
    // A completed drip-feed cannot be canceled.
    let second_feed = place_drip_feed(&panel, &key, 2, 2).await;
    place_runs_after_an_hour(&panel).await;
    complete_order(second_feed).await;
    complete_order(panel.fetch_number(Sql::new("SELECT max(id) FROM orders")).await).await;
    assert_eq!(fetch_status_charge_remains(&panel, &key, second_feed).await, "Completed,2,0");
    assert!(has_error_with(&request_cancel(&panel, &key, second_feed).await, "completed"));
    assert_eq!(fetch_balance(&panel, 1).await, CUSTOMER_DEPOSIT - 3_000_000);
    panel.assert_healthy().await;
}

async fn a_drip_feed_has_the_countries_of_its_request(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let insert_target_sql =
        "INSERT INTO targets (id, name, target_type_id, selectable_values, parameter, created_at, updated_at)
        SELECT 900, 'Where', id, '[\"DE\",\"FR\"]', 'country', 1, 1 FROM target_types WHERE id = 2";
    panel.execute(Sql::new(insert_target_sql)).await;
    let attach_target_sql = "INSERT INTO service_targets (service_id, target_id, position, attachment) VALUES (?, 900, 1, 'optional')";
    panel.execute(Sql::new(attach_target_sql).bind(PLAIN_SERVICE)).await;
    let fields =
        format!("action=add&service={PLAIN_SERVICE}&link={LINK}&quantity=100&runs=2&interval=5&country=DE");
    let first_order_id = parse_order_id(&send_reseller_request(&panel, &key, &fields).await);
    let drip_feeds = panel.get_data("/api/v1/admin/drip-feeds").await;
    assert_eq!(drip_feeds[0]["countries"], json!(["DE"]));
    assert_eq!(panel.fetch_order(first_order_id).await["countries"], json!(["DE"]));
}

async fn a_refill_is_requested_once(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let id = parse_order_id(
        &send_reseller_request(
            &panel,
            &key,
            &format!("action=add&service={PLAIN_SERVICE}&link={LINK}&quantity=100"),
        )
        .await,
    );
    let early_response = send_reseller_request(&panel, &key, &format!("action=refill&order={id}")).await;
    assert!(early_response["error"].as_str().unwrap().contains("completed"), "{early_response}");
    panel
        .execute(
            Sql::new(
                "UPDATE orders SET status = 'completed', completed_at = 1, drop_quantity = 40 WHERE id = ?",
            )
            .bind(id),
        )
        .await;
    let refill_id = send_reseller_request(&panel, &key, &format!("action=refill&order={id}")).await["refill"]
        .as_i64()
        .unwrap();
    assert_eq!(
        panel
            .fetch_number(Sql::new("SELECT quantity FROM order_refill_requests WHERE id = ?").bind(refill_id))
            .await,
        40
    );
    let repeated_response =
        send_reseller_request(&panel, &key, &format!("action=refill&orders={id},77")).await;
    let expected_response = json!([{ "order": id, "refill": { "error": "Refill is already requested" } }, { "order": 77, "refill": { "error": "Incorrect order ID" } }]);
    assert_eq!(repeated_response, expected_response);
    assert_eq!(
        send_reseller_request(&panel, &key, &format!("action=refill_status&refill={refill_id}")).await,
        json!({ "status": "Pending" })
    );
    let statuses =
        send_reseller_request(&panel, &key, &format!("action=refill_status&refills={refill_id},99")).await;
    let expected_statuses = json!([{ "refill": refill_id, "status": "Pending" }, { "refill": 99, "status": { "error": "Refill not found" } }]);
    assert_eq!(statuses, expected_statuses);
}

async fn a_customer_cancels_if_the_service_allows_it(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let mut ids = Vec::new();
    for service in [PLAIN_SERVICE, MODERATED_SERVICE, SERVICE_WITHOUT_PROVIDER] {
        ids.push(parse_order_id(
            &send_reseller_request(
                &panel,
                &key,
                &format!("action=add&service={service}&link={LINK}&quantity=1000"),
            )
            .await,
        ));
    }
    panel.execute(Sql::new("UPDATE services SET cancel_by_client_is_allowed = FALSE WHERE id = 2")).await;
    panel.execute(Sql::new("UPDATE services SET no_refund = TRUE WHERE id = 3")).await;
    panel.execute(Sql::new("UPDATE orders SET current_quantity = 250 WHERE id = ?").bind(ids[0])).await;
    let fields = format!("action=cancel&orders={},{},{}", ids[0], ids[1], ids[2]);
    let response = send_reseller_request(&panel, &key, &fields).await;
    let expected_response = json!([
        { "order": ids[0], "cancel": 1 },
        { "order": ids[1], "cancel": { "error": "This service cannot be canceled" } },
        { "order": ids[2], "cancel": 1 },
    ]);
    assert_eq!(response, expected_response);
    // Three orders cost 10 each, and three quarters of the first are refunded.
    assert_eq!(fetch_balance(&panel, 1).await, CUSTOMER_DEPOSIT - 30_000_000 + 7_500_000);
    let order_status = send_reseller_request(&panel, &key, &format!("action=status&order={}", ids[0])).await;
    assert_eq!(
        (&order_status["status"], &order_status["charge"], &order_status["remains"]),
        (&json!("Partial"), &json!("2.5"), &json!("750"))
    );
    let repeated_response = send_reseller_request(&panel, &key, &fields).await;
    assert!(
        repeated_response[0]["cancel"]["error"].as_str().unwrap().contains("canceled"),
        "{repeated_response}"
    );
    assert_eq!(fetch_balance(&panel, 1).await, CUSTOMER_DEPOSIT - 22_500_000);
    panel.assert_healthy().await;
}

async fn parallel_orders_cannot_overdraw_the_balance(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    panel.execute(Sql::new("UPDATE services SET default_price = 60000000000 WHERE id = 1")).await;
    let fields = format!("action=add&service={PLAIN_SERVICE}&link={LINK}&quantity=1000");
    let responses = tokio::join!(
        send_reseller_request(&panel, &key, &fields),
        send_reseller_request(&panel, &key, &fields),
        send_reseller_request(&panel, &key, &fields)
    );
    let responses = [responses.0, responses.1, responses.2];
    assert_eq!(responses.iter().filter(|response| response["order"].is_i64()).count(), 1, "{responses:?}");
    assert_eq!(fetch_balance(&panel, 1).await, CUSTOMER_DEPOSIT - 60_000_000_000);
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM orders")).await, 1);
    panel.assert_healthy().await;
}

async fn uses_of_an_api_key_are_recorded_and_limited(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.limits.requests_per_minute = 3).await;
    panel.create_staff("ada", &[Permission::ViewUsers, Permission::ManageApiKeys]).await;
    let sql =
        "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (1, 'C', 'c@shop.example', 1, 1)";
    panel.execute(Sql::new(sql)).await;
    let key = create_api_key(&panel, 1).await;
    for _ in 0..3 {
        assert_eq!(send_reseller_request(&panel, &key, "action=balance").await["balance"], "0");
    }
    let (status, response) =
        post_reseller_api(&panel, "application/json", json!({ "key": key, "action": "balance" }).to_string())
            .await;
    assert_eq!((status, &response), (429, &json!({ "error": "Too Many Attempts." })));
    let user = panel.send("ada", "GET", "/api/v1/admin/users/1", &json!({}), None).await.json();
    assert_eq!(user["data"]["api_key_last_used_ip"], "127.0.0.1");
    assert!(user["data"]["api_key_last_used_at"].is_string(), "{user}");
    assert_eq!(user["data"]["has_api_key"], true);
}

async fn staff_place_orders_with_idempotency_and_dry_run(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let url = "/api/v1/admin/orders";
    let body = json!({ "user_id": 2, "service_id": PLAIN_SERVICE, "url": "https://a.example/1", "quantity": 1000, "comment": " By phone " });
    let dry_run = panel.send("ada", "POST", &format!("{url}?dry_run=1"), &body, None).await.json();
    assert_eq!((&dry_run["data"]["cost"], fetch_balance(&panel, 2).await), (&json!("10"), CUSTOMER_DEPOSIT));
    let first_response = panel.send("ada", "POST", url, &body, Some("k1")).await.json();
    let repeated_response = panel.send("ada", "POST", url, &body, Some("k1")).await.json();
    assert_eq!(
        (&first_response["data"]["id"], &first_response["data"]["comment"]),
        (&repeated_response["data"]["id"], &json!("By phone"))
    );
    assert_eq!(fetch_balance(&panel, 2).await, CUSTOMER_DEPOSIT - 10_000_000);
    panel.execute(Sql::new("UPDATE services SET default_price = 200000000000 WHERE id = 1")).await;
    let rejected_response = panel.send("ada", "POST", url, &body, None).await;
    assert_eq!(
        (rejected_response.status.as_u16(), rejected_response.json()["errors"]["balance"].is_array()),
        (422, true)
    );
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM orders")).await, 1);
    let unknown_service = json!({ "user_id": 2, "service_id": 77, "quantity": 1, "url": "" });
    let response = panel.send("ada", "POST", url, &unknown_service, None).await;
    assert_eq!((response.status.as_u16(), response.json()["errors"]["service_id"].is_array()), (422, true));
    panel.assert_healthy().await;
}

async fn orders_of_child_panels_have_their_own_list(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    panel.execute(Sql::new("UPDATE users SET account_type = 'child_panel' WHERE id = 2")).await;
    let url = "https%3A%2F%2Fvideo.example%2Fchild";
    let mut orders = Vec::new();
    for user in [1, 2] {
        let fields = format!("action=add&service={PLAIN_SERVICE}&link={url}&quantity=100");
        orders.push(parse_order_id(
            &send_reseller_request(&panel, &create_api_key(&panel, user).await, &fields).await,
        ));
    }
    let list = panel.get("/api/v1/admin/child-panel-orders").await.json();
    let ids: Vec<i64> =
        list["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect();
    assert_eq!((ids, &list["recordsTotal"]), (vec![orders[1]], &json!(1)));
    panel.assert_healthy().await;
}

async fn an_order_may_have_a_coupon_and_a_country(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let coupon = json!({ "name": "Five off", "code": "FIVE", "payment_type": "order", "bonus_amount_calculation_type": "fixed", "bonus_amount": "5",
        "valid_from": "2026-01-01 00:00:00" });
    panel.post_data("/api/v1/admin/coupons", coupon).await;
    panel.execute(Sql::new("UPDATE services SET countries = '[\"DE\",\"FR\"]' WHERE id = 1")).await;
    let place_order = async |fields: Value| {
        let mut body = json!({ "user_id": 2, "service_id": PLAIN_SERVICE, "url": "https://a.example/1", "quantity": 1000 });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        panel.send("ada", "POST", "/api/v1/admin/orders", &body, None).await
    };
    let wrong_field = async |fields: Value| {
        let response = place_order(fields).await;
        assert_eq!(response.status, 422, "{}", response.text);
        response.json()["errors"].as_object().unwrap().keys().next().unwrap().clone()
    };
    assert_eq!(wrong_field(json!({ "country": "Germany" })).await, "country");
    assert_eq!(wrong_field(json!({ "country": "US" })).await, "country");
    assert_eq!(wrong_field(json!({ "coupon": "NOPE" })).await, "coupon");
    let place_response = place_order(json!({ "coupon": " five ", "country": "de" })).await;
    assert_eq!(
        (place_response.status.as_u16(), &place_response.json()["data"]["cost"]),
        (200, &json!("5")),
        "{}",
        place_response.text
    );
    assert_eq!(wrong_field(json!({ "coupon": "FIVE" })).await, "coupon");
    assert_eq!(place_order(json!({})).await.status, 200, "an order without a country must be accepted");
    // The reseller API has the same rules.
    let key = create_api_key(&panel, 1).await;
    let url = "https%3A%2F%2Fvideo.example%2Fc";
    let add_order = async |fields: &str| {
        send_reseller_request(
            &panel,
            &key,
            &format!("action=add&service={PLAIN_SERVICE}&link={url}&quantity=1000{fields}"),
        )
        .await
    };
    assert_eq!(add_order("&customer_country=xx").await, json!({ "error": "Incorrect customer_country" }));
    assert!(add_order("&customer_country=US").await["error"].is_string());
    let unknown_error = "Incorrect request: No coupon has this code. Check the code.";
    assert_eq!(add_order("&coupon=NOPE").await, json!({ "error": unknown_error }));
    let runs_error = "Incorrect request: A coupon takes no runs";
    assert_eq!(add_order("&coupon=FIVE&runs=2").await, json!({ "error": runs_error }));
    let balance_before = fetch_balance(&panel, 1).await;
    let rejected_response = add_order("&coupon=FIVE&customer_country=FR&country=FR").await;
    assert_eq!(rejected_response, json!({ "error": "Incorrect request: This service takes no country" }));
    parse_order_id(&add_order("&coupon=FIVE&customer_country=FR").await);
    assert_eq!(fetch_balance(&panel, 1).await, balance_before - 5_000_000);
    panel.assert_healthy().await;
}

async fn a_child_panel_may_send_its_own_order_id(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    panel.execute(Sql::new("UPDATE users SET account_type = 'child_panel' WHERE id = 1")).await;
    for (user, child_id, expected_child_id) in [(1, "77", 77), (1, "0", 0), (2, "78", 0)] {
        let key = create_api_key(&panel, user).await;
        let add_fields = format!(
            "action=add&service={PLAIN_SERVICE}&link=https://a.example/{user}{child_id}&quantity=100&child_id={child_id}"
        );
        let id = parse_order_id(&send_reseller_request(&panel, &key, &add_fields).await);
        let child_id_sql = "SELECT COALESCE(child_id, 0) FROM orders WHERE id = ?";
        assert_eq!(
            panel.fetch_number(Sql::new(child_id_sql).bind(id)).await,
            expected_child_id,
            "{user} {child_id}"
        );
    }
    let key = create_api_key(&panel, 1).await;
    let invalid_fields = format!("action=add&service={PLAIN_SERVICE}&link={LINK}&quantity=100&child_id=x");
    let response = send_reseller_request(&panel, &key, &invalid_fields).await;
    assert!(response["error"].as_str().is_some_and(|message| message.contains("child_id")), "{response}");
    let list_path = "/api/v1/admin/child-panel-orders?columns[0][data]=child_id&columns[0][search][value]=77";
    let page = panel.send("ada", "GET", list_path, &json!({}), None).await.json();
    assert_eq!(page["recordsFiltered"], 1, "{page}");
}

async fn a_service_may_forbid_a_second_order_for_one_url(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    panel
        .execute(Sql::new("UPDATE services SET forbids_orders_with_same_url = id = ?").bind(PLAIN_SERVICE))
        .await;
    let place_order = async |user: i64, service: ServiceId, url: &str| {
        let body = json!({ "user_id": user, "service_id": service, "url": url, "quantity": 100 });
        panel.post("/api/v1/admin/orders", &body).await
    };
    let first_response = place_order(1, PLAIN_SERVICE, "https://a.example/1").await;
    assert_eq!(first_response.status, 200, "{}", first_response.text);
    let repeated_response = place_order(1, PLAIN_SERVICE, " https://a.example/1 ").await;
    assert_eq!(repeated_response.status_and_code(), (422, "url_in_use".into()));
    assert!(repeated_response.json()["errors"]["url"].is_array(), "{}", repeated_response.text);
    for (user, service, url) in [
        (1, PLAIN_SERVICE, "https://a.example/2"),
        (1, SERVICE_WITHOUT_PROVIDER, "https://a.example/1"),
        (2, PLAIN_SERVICE, "https://a.example/1"),
    ] {
        let other_response = place_order(user, service, url).await;
        assert_eq!(other_response.status, 200, "{user} {service} {url}: {}", other_response.text);
    }
    let id = first_response.json()["data"]["id"].clone();
    let cancel_response =
        panel.post(&format!("/api/v1/admin/orders/{id}/cancel"), &json!({ "return_money": true })).await;
    assert_eq!(cancel_response.status, 200, "{}", cancel_response.text);
    assert_eq!(
        place_order(1, PLAIN_SERVICE, "https://a.example/1").await.status,
        200,
        "a second order must be accepted after the first was canceled"
    );
    // The reseller API returns the message that its protocol prescribes.
    let key = create_api_key(&panel, 1).await;
    let add_fields = format!("action=add&service={PLAIN_SERVICE}&link=https://a.example/1&quantity=100");
    let response = send_reseller_request(&panel, &key, &add_fields).await;
    let message = "You have active order with this link. Please wait until order being completed.";
    assert_eq!(response, json!({ "error": message }));
}

async fn an_order_may_have_no_url_if_the_service_allows_it(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let place_order = async |url: &str| {
        let body = json!({ "user_id": 1, "service_id": PLAIN_SERVICE, "url": url, "quantity": 100 });
        panel.post("/api/v1/admin/orders", &body).await
    };
    panel.execute(Sql::new("UPDATE services SET url_is_required = TRUE")).await;
    let rejected_response = place_order("").await;
    assert!(
        rejected_response.status == 422 && rejected_response.json()["errors"]["url"].is_array(),
        "{}",
        rejected_response.text
    );
    panel.execute(Sql::new("UPDATE services SET url_is_required = FALSE")).await;
    let place_response = place_order("").await;
    assert_eq!(
        (place_response.status.as_u16(), &place_response.json()["data"]["url"]),
        (200, &json!("")),
        "{}",
        place_response.text
    );
    let invalid_url_response = place_order("no address").await;
    assert_eq!(
        invalid_url_response.status, 422,
        "an optional URL must still be valid: {}",
        invalid_url_response.text
    );
}
