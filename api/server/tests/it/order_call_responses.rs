//! Responses of an external panel to a new order: the server never places an accepted order twice, and places a rejected order again
//! only if the message is a known rejection. The tests use the responses of `fixtures/panel-answers.tsv` and a thousand random
//! sentences, each sent by a panel that accepted the order and by a panel that rejected the order.
//!
//! `PANEL_TEST_SEED` sets the seed of the random sentences.

use std::collections::BTreeMap;
use std::path::Path;

use panel_demo::panel::state::OrderBehavior;
use panel_demo::panel::{FakeBehavior, FixedReply};
use panel_domain::reseller_protocol::rejections::PanelRejections;
use panel_kernel::random::Random;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::model::number_from_env;
use crate::shop::PLAIN_SERVICE;
use crate::shop_with_panels::ShopWithPanels;

test_both_databases! {
    an_accepted_order_is_never_placed_twice;
    only_a_known_rejection_leads_to_another_attempt;
    a_rejection_message_that_staff_add_applies_to_later_orders;
}

/// The number of random sentences.
const RANDOM_SENTENCE_COUNT: usize = 1_000;
/// The id of the first order.
const FIRST_ORDER_ID: i64 = 100_000;
/// Vocabulary of the random sentences: words of known messages and of unrelated errors.
const WORDS: [&str; 36] = [
    "not",
    "enough",
    "funds",
    "on",
    "balance",
    "you",
    "have",
    "active",
    "order",
    "with",
    "this",
    "link",
    "please",
    "wait",
    "invalid",
    "api",
    "key",
    "incorrect",
    "service",
    "id",
    "quantity",
    "less",
    "than",
    "minimal",
    "bad",
    "temporarily",
    "unavailable",
    "internal",
    "error",
    "timeout",
    "accepted",
    "queued",
    "5",
    "unknown",
    "try",
    "later",
];

/// A response of an external panel to a new order.
struct ResponseCase {
    status: u16,
    body: String,
    /// Whether the server knows that the panel did not accept the order if it sends this message.
    is_rejection: bool,
}

fn response_cases() -> Vec<ResponseCase> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/panel-answers.tsv");
    let file_text = std::fs::read_to_string(path).unwrap();
    let rows = file_text.lines().filter(|line| !line.starts_with('#'));
    let mut response_cases: Vec<ResponseCase> = rows
        .map(|row| {
            let fields: Vec<&str> = row.split('\t').collect();
            assert_eq!(fields.len(), 4, "{row}");
            let (status, body) = (fields[0].parse().unwrap(), fields[1].to_owned());
            ResponseCase { status, body, is_rejection: fields[2] != "unknown" }
        })
        .collect();
    assert!(
        response_cases.iter().filter(|case| case.is_rejection).count() >= 20 && response_cases.len() > 100
    );
    let seed = number_from_env("PANEL_TEST_SEED", 23);
    eprintln!("PANEL_TEST_SEED={seed}");
    let random = Random::seeded(seed);
    let random_below = |bound: usize| usize::from(u16::from_le_bytes(random.bytes())) % bound;
    for index in 0..RANDOM_SENTENCE_COUNT {
        let random_words: Vec<&str> =
            (0..1 + random_below(9)).map(|_| WORDS[random_below(WORDS.len())]).collect();
        let sentence = random_words.join(" ");
        let body = match index % 5 {
            0 => json!({ "status": "fail", "message": sentence }),
            1 => json!({ "errors": [sentence] }),
            2 => json!({ "error": { "code": index, "message": sentence } }),
            _ => json!({ "error": sentence }),
        };
        let is_rejection = PanelRejections::default().rejection_reason(&sentence).is_some();
        response_cases.push(ResponseCase {
            status: [200, 200, 400, 422][index % 4],
            body: body.to_string(),
            is_rejection,
        });
    }
    response_cases
}

fn order_url(index: usize) -> String {
    format!("https://video.example/words/{index}")
}

/// A shop with one order in processing per case. The first external panel responds to each order with the response of the case.
async fn shop_with_fixed_responses(
    dialect: Dialect,
    response_cases: &[ResponseCase],
    accepts_order: bool,
) -> ShopWithPanels {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Stuck, OrderBehavior::Stuck]).await;
    for fake_panel in &shop.fake_panels {
        fake_panel.state().balance.0 = i64::MAX / 2;
        fake_panel.state().accepts_duplicates = true;
    }
    for (index, case) in response_cases.iter().enumerate() {
        shop.fake_panels[0].set_reply(
            &order_url(index),
            FixedReply { accepts_order, status: case.status, body: case.body.clone() },
        );
    }
    let rows = (0..response_cases.len()).map(|index| vec![i64::try_from(index).unwrap().into()]).collect();
    let insert_orders_sql = Sql::new(
        "INSERT INTO orders (id, name, url, status, source, user_id, service_id, cost, price, pricing_per, quantity, is_paid, created_at, updated_at,
           dispatch_at) SELECT CAST(? AS BIGINT) + r.n, 'Words', 'https://video.example/words/' || r.n, 'in_processing', 'cabinet', 1, CAST(? AS BIGINT), 0, 0, 1000, 100,
           TRUE, 1, 1, 1 FROM ",
    );
    shop.panel
        .execute(insert_orders_sql.bind(FIRST_ORDER_ID).bind(PLAIN_SERVICE).rows("r", &["n"], rows))
        .await;
    shop
}

impl ShopWithPanels {
    /// Dispatches until every order was sent. Advances the clock because responses without a message delay the next request.
    async fn send_all_orders(&self) {
        let count_unsent_sql = "SELECT count(*) FROM external_panel_orders WHERE sent_at IS NULL AND status = 'Creating' AND tries = 0";
        loop {
            self.run_due_work().await;
            if self.panel.fetch_number(Sql::new(count_unsent_sql)).await == 0 {
                return;
            }
            self.panel.clock.advance_secs(61);
        }
    }

    async fn run_due_work(&self) {
        while panel_server::supply::dispatch::process_all_queues(&self.panel.app).await.unwrap() > 0 {}
    }

    /// For each case, the number of orders and of `add` requests at all external panels.
    fn order_and_request_counts(&self, case_count: usize) -> Vec<(usize, usize)> {
        let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for fake_panel in &self.fake_panels {
            for order in fake_panel.state().orders.values() {
                counts.entry(order.link.clone()).or_default().0 += 1;
            }
            for request in fake_panel.requests().iter().filter(|request| request["action"] == "add") {
                counts.entry(request["link"].clone()).or_default().1 += 1;
            }
        }
        (0..case_count).map(|index| counts.get(&order_url(index)).copied().unwrap_or_default()).collect()
    }
}

async fn an_accepted_order_is_never_placed_twice(dialect: Dialect) {
    // The test skips known rejections, because a panel that accepted an order never sends one.
    let response_cases: Vec<ResponseCase> =
        response_cases().into_iter().filter(|case| !case.is_rejection).collect();
    let shop = shop_with_fixed_responses(dialect, &response_cases, true).await;
    shop.send_all_orders().await;
    for seconds in [3_600, 86_400] {
        shop.panel.clock.advance_secs(seconds);
        shop.run_due_work().await;
    }
    for (case, counts) in response_cases.iter().zip(shop.order_and_request_counts(response_cases.len())) {
        assert_eq!(counts, (1, 1), "{} {}", case.status, case.body);
    }
    let count_unknown_sql = "SELECT count(*) FROM external_panel_orders WHERE status = 'Creating' AND sent_at IS NOT NULL AND alert_at IS NOT NULL
        AND external_order_id IS NULL AND last_error IS NOT NULL";
    let unknown_count = shop.panel.fetch_number(Sql::new(count_unknown_sql)).await;
    assert_eq!(
        usize::try_from(unknown_count),
        Ok(response_cases.len()),
        "staff must see every unknown outcome"
    );
    shop.assert_healthy().await;
}

async fn only_a_known_rejection_leads_to_another_attempt(dialect: Dialect) {
    let response_cases = response_cases();
    let shop = shop_with_fixed_responses(dialect, &response_cases, false).await;
    shop.send_all_orders().await;
    for seconds in [11, 86_400] {
        shop.panel.clock.advance_secs(seconds);
        shop.run_due_work().await;
    }
    for (index, (case, (order_count, request_count))) in
        response_cases.iter().zip(shop.order_and_request_counts(response_cases.len())).enumerate()
    {
        if case.is_rejection {
            assert!(
                request_count > 1 && order_count <= 1,
                "{index}: {} {}: {order_count} {request_count}",
                case.status,
                case.body
            );
        } else {
            assert_eq!((order_count, request_count), (0, 1), "{index}: {} {}", case.status, case.body);
        }
    }
    shop.assert_healthy().await;
}

async fn a_rejection_message_that_staff_add_applies_to_later_orders(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Stuck, OrderBehavior::Stuck]).await;
    let rejection_body = r#"{"error":"<b>Service #7</b> is closed today"}"#;
    let reject_orders_for = |link: &str| {
        shop.fake_panels[0].set_reply(
            link,
            FixedReply { accepts_order: false, status: 200, body: rejection_body.to_owned() },
        );
    };
    for index in 1..=2 {
        reject_orders_for(&format!("https://video.example/{index}"));
    }
    let first_order_id = shop.place_order(1).await;
    shop.run_until_idle().await;
    let fetch_attempt = async || {
        let id = shop.fetch_attempts(first_order_id).await[0]["id"].clone();
        let path =
            format!("/api/v1/admin/external-panel-orders?columns[0][data]=id&columns[0][search][value]={id}");
        shop.panel.get(&path).await.json()["data"][0].clone()
    };
    let unknown_message = fetch_attempt().await["unknown_message"].clone();
    assert_eq!(
        unknown_message, "<b>Service #7</b> is closed today",
        "staff must see the message exactly as the panel sent it"
    );
    let path = "/api/v1/admin/external-panels/1/rejection-messages";
    let body = json!({ "message": unknown_message, "reason": "unknown_service" });
    let add_response = shop.panel.post(path, &body).await;
    assert_eq!(
        (add_response.status.as_u16(), &add_response.json()["data"]["rejection_messages"]),
        (200, &json!([body])),
        "{}",
        add_response.text
    );
    let count_notifications = async || {
        shop.panel
            .fetch_number(Sql::new("SELECT count(*) FROM audits WHERE event = 'order.attempt_unknown'"))
            .await
    };
    for (seconds, expected_count) in [(61, 0), (301, 1), (86_400, 1)] {
        shop.panel.clock.advance_secs(seconds);
        shop.run_until_idle().await;
        assert_eq!(
            count_notifications().await,
            expected_count,
            "staff must get one email, after the second reconciliation"
        );
    }
    assert_eq!(
        fetch_attempt().await["is_unknown"],
        true,
        "a new rejection message must not change an existing unknown outcome"
    );
    assert_eq!(shop.order_counts(), [0, 0]);
    let second_order_id = shop.place_order(2).await;
    shop.run_until_idle().await;
    assert_eq!(
        shop.fetch_attempt_statuses(second_order_id).await,
        ["Canceled", "Pending"],
        "the server must send the order to the next provider at once"
    );
    // A staff member resolves the first order.
    let id = fetch_attempt().await["id"].clone();
    let recreate_response =
        shop.panel.post(&format!("/api/v1/admin/external-panel-orders/{id}/recreate"), &json!({})).await;
    assert_eq!(recreate_response.status, 200, "{}", recreate_response.text);
    shop.run_until_idle().await;
    assert_eq!(shop.fetch_attempt_statuses(first_order_id).await, ["Canceled", "Canceled", "Pending"]);
    // The server rejects the same message again, and writes no second audit entry.
    assert_eq!(shop.panel.post(path, &body).await.status_and_code(), (409, "rejection_message_known".into()));
    let count_audits_sql = "SELECT count(*) FROM audits WHERE event = 'external_panel.updated' AND new_values LIKE '%is closed today%'";
    assert_eq!(shop.panel.fetch_number(Sql::new(count_audits_sql)).await, 1);
    let invalid_response =
        shop.panel.post(path, &json!({ "message": "?", "reason": "unknown_service" })).await;
    assert_eq!(
        (invalid_response.status.as_u16(), invalid_response.json()["errors"]["message"].is_array()),
        (422, true),
        "{}",
        invalid_response.text
    );
    let patch_messages = async |messages: Value| {
        let body = json!({ "rejection_messages": messages });
        shop.panel.send("owner", "PATCH", "/api/v1/admin/external-panels/1", &body, None).await
    };
    let duplicate_response =
        patch_messages(json!([body, { "message": "service 7 IS CLOSED today", "reason": "invalid_link" }]))
            .await;
    assert_eq!(duplicate_response.status, 422, "{}", duplicate_response.text);
    assert!(
        duplicate_response.json()["errors"]["rejection_messages.1.message"].is_array(),
        "{}",
        duplicate_response.text
    );
    let clear_response = patch_messages(json!([])).await;
    assert_eq!(
        clear_response.json()["data"]["rejection_messages"],
        Value::Array(Vec::new()),
        "{}",
        clear_response.text
    );
    shop.set_behavior(0, FakeBehavior::Correct);
    shop.assert_healthy().await;
}
