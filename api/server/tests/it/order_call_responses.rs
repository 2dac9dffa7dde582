//! Responses of an external panel to a new order: an accepted order is never placed twice, and a rejected order is placed again
//! only if the message is a known rejection. The cases are the responses of `fixtures/panel-answers.tsv` and a thousand random
//! sentences, each from a panel that accepted the order and from one that did not.
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
use crate::shop::PLAIN;
use crate::shop_with_panels::ShopWithPanels;

both! {
    an_accepted_order_is_never_placed_twice;
    only_known_messages_lead_to_another_attempt;
    a_rejection_message_of_staff_applies_to_later_orders;
}

/// The number of random sentences.
const RANDOM_SENTENCES: usize = 1_000;
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
    /// Whether the message is known to mean that the panel did not accept the order.
    is_rejection: bool,
}

fn cases() -> Vec<ResponseCase> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/panel-answers.tsv");
    let text = std::fs::read_to_string(file).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let mut cases: Vec<ResponseCase> = rows
        .map(|row| {
            let fields: Vec<&str> = row.split('\t').collect();
            assert_eq!(fields.len(), 4, "{row}");
            let (status, body) = (fields[0].parse().unwrap(), fields[1].to_owned());
            ResponseCase { status, body, is_rejection: fields[2] != "unknown" }
        })
        .collect();
    assert!(cases.iter().filter(|case| case.is_rejection).count() >= 20 && cases.len() > 100);
    let seed = number_from_env("PANEL_TEST_SEED", 23);
    eprintln!("PANEL_TEST_SEED={seed}");
    let random = Random::seeded(seed);
    let random_below = |bound: usize| usize::from(u16::from_le_bytes(random.bytes())) % bound;
    for n in 0..RANDOM_SENTENCES {
        let words: Vec<&str> = (0..1 + random_below(9)).map(|_| WORDS[random_below(WORDS.len())]).collect();
        let sentence = words.join(" ");
        let body = match n % 5 {
            0 => json!({ "status": "fail", "message": sentence }),
            1 => json!({ "errors": [sentence] }),
            2 => json!({ "error": { "code": n, "message": sentence } }),
            _ => json!({ "error": sentence }),
        };
        let is_rejection = PanelRejections::default().rejection_reason(&sentence).is_some();
        cases.push(ResponseCase {
            status: [200, 200, 400, 422][n % 4],
            body: body.to_string(),
            is_rejection,
        });
    }
    cases
}

fn link(n: usize) -> String {
    format!("https://video.example/words/{n}")
}

/// A shop with one order in processing per case; the first external panel answers each order with the response of its case.
async fn shop_with_replies(dialect: Dialect, cases: &[ResponseCase], accepts_order: bool) -> ShopWithPanels {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Stuck, OrderBehavior::Stuck]).await;
    for fake in &shop.fake_panels {
        fake.state().balance.0 = i64::MAX / 2;
        fake.state().accepts_duplicates = true;
    }
    for (n, case) in cases.iter().enumerate() {
        shop.fake_panels[0]
            .set_reply(&link(n), FixedReply { accepts_order, status: case.status, body: case.body.clone() });
    }
    let rows = (0..cases.len()).map(|n| vec![i64::try_from(n).unwrap().into()]).collect();
    let orders = Sql::new(
        "INSERT INTO orders (id, name, url, status, source, user_id, service_id, cost, price, pricing_per, quantity, is_paid, created_at, updated_at,
           dispatch_at) SELECT CAST(? AS BIGINT) + r.n, 'Words', 'https://video.example/words/' || r.n, 'in_processing', 'cabinet', 1, CAST(? AS BIGINT), 0, 0, 1000, 100,
           TRUE, 1, 1, 1 FROM ",
    );
    shop.panel.execute(orders.bind(FIRST_ORDER_ID).bind(PLAIN).rows("r", &["n"], rows)).await;
    shop
}

impl ShopWithPanels {
    /// Dispatches until every order was sent. Advances the clock past the backoff that responses without a message cause.
    async fn send_all_orders(&self) {
        let unsent = "SELECT count(*) FROM external_panel_orders WHERE sent_at IS NULL AND status = 'Creating' AND tries = 0";
        loop {
            self.run_due_work().await;
            if self.panel.number(Sql::new(unsent)).await == 0 {
                return;
            }
            self.panel.clock.advance_secs(61);
        }
    }

    async fn run_due_work(&self) {
        while panel_server::supply::dispatch::cycle(&self.panel.app).await.unwrap() > 0 {}
    }

    /// For each case, the number of its orders and of its `add` calls at all panels.
    fn orders_and_calls(&self, cases: usize) -> Vec<(usize, usize)> {
        let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for fake in &self.fake_panels {
            for order in fake.state().orders.values() {
                counts.entry(order.link.clone()).or_default().0 += 1;
            }
            for call in fake.calls().iter().filter(|call| call["action"] == "add") {
                counts.entry(call["link"].clone()).or_default().1 += 1;
            }
        }
        (0..cases).map(|n| counts.get(&link(n)).copied().unwrap_or_default()).collect()
    }
}

async fn an_accepted_order_is_never_placed_twice(dialect: Dialect) {
    // A panel that accepted an order never answers with a known rejection, so these cases are skipped.
    let cases: Vec<ResponseCase> = cases().into_iter().filter(|case| !case.is_rejection).collect();
    let shop = shop_with_replies(dialect, &cases, true).await;
    shop.send_all_orders().await;
    for seconds in [3_600, 86_400] {
        shop.panel.clock.advance_secs(seconds);
        shop.run_due_work().await;
    }
    for (case, counts) in cases.iter().zip(shop.orders_and_calls(cases.len())) {
        assert_eq!(counts, (1, 1), "{} {}", case.status, case.body);
    }
    let unknown = "SELECT count(*) FROM external_panel_orders WHERE status = 'Creating' AND sent_at IS NOT NULL AND alert_at IS NOT NULL
        AND external_order_id IS NULL AND last_error IS NOT NULL";
    let unknown = shop.panel.number(Sql::new(unknown)).await;
    assert_eq!(usize::try_from(unknown), Ok(cases.len()), "staff see every unknown outcome");
    shop.assert_healthy().await;
}

async fn only_known_messages_lead_to_another_attempt(dialect: Dialect) {
    let cases = cases();
    let shop = shop_with_replies(dialect, &cases, false).await;
    shop.send_all_orders().await;
    for seconds in [11, 86_400] {
        shop.panel.clock.advance_secs(seconds);
        shop.run_due_work().await;
    }
    for (n, (case, (orders, calls))) in cases.iter().zip(shop.orders_and_calls(cases.len())).enumerate() {
        if case.is_rejection {
            assert!(calls > 1 && orders <= 1, "{n}: {} {}: {orders} {calls}", case.status, case.body);
        } else {
            assert_eq!((orders, calls), (0, 1), "{n}: {} {}", case.status, case.body);
        }
    }
    shop.assert_healthy().await;
}

async fn a_rejection_message_of_staff_applies_to_later_orders(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Stuck, OrderBehavior::Stuck]).await;
    let rejection = r#"{"error":"<b>Service #7</b> is closed today"}"#;
    let reject_link = |link: &str| {
        shop.fake_panels[0]
            .set_reply(link, FixedReply { accepts_order: false, status: 200, body: rejection.to_owned() });
    };
    for n in 1..=2 {
        reject_link(&format!("https://video.example/{n}"));
    }
    let first = shop.order(1).await;
    shop.run_until_idle().await;
    let attempt = async || {
        let id = shop.attempts(first).await[0]["id"].clone();
        let path =
            format!("/api/v1/admin/external-panel-orders?columns[0][data]=id&columns[0][search][value]={id}");
        shop.panel.get(&path).await.json()["data"][0].clone()
    };
    let message = attempt().await["unknown_message"].clone();
    assert_eq!(message, "<b>Service #7</b> is closed today", "the panel's exact words");
    let path = "/api/v1/admin/external-panels/1/rejection-messages";
    let body = json!({ "message": message, "reason": "unknown_service" });
    let added = shop.panel.post(path, &body).await;
    assert_eq!(
        (added.status.as_u16(), &added.json()["data"]["rejection_messages"]),
        (200, &json!([body])),
        "{}",
        added.text
    );
    let notification_count = async || {
        shop.panel.number(Sql::new("SELECT count(*) FROM audits WHERE event = 'order.attempt_unknown'")).await
    };
    for (seconds, expected) in [(61, 0), (301, 1), (86_400, 1)] {
        shop.panel.clock.advance_secs(seconds);
        shop.run_until_idle().await;
        assert_eq!(
            notification_count().await,
            expected,
            "staff get one email, after the second reconciliation"
        );
    }
    assert_eq!(attempt().await["is_unknown"], true, "an unknown outcome stays unknown");
    assert_eq!(shop.order_counts(), [0, 0]);
    let second = shop.order(2).await;
    shop.run_until_idle().await;
    assert_eq!(
        shop.attempt_statuses(second).await,
        ["Canceled", "Pending"],
        "the order goes to the next provider at once"
    );
    // A staff member resolves the first order.
    let id = attempt().await["id"].clone();
    let recreated =
        shop.panel.post(&format!("/api/v1/admin/external-panel-orders/{id}/recreate"), &json!({})).await;
    assert_eq!(recreated.status, 200, "{}", recreated.text);
    shop.run_until_idle().await;
    assert_eq!(shop.attempt_statuses(first).await, ["Canceled", "Canceled", "Pending"]);
    // The same message again is refused and writes no second audit entry.
    assert_eq!(shop.panel.post(path, &body).await.status_and_code(), (409, "rejection_message_known".into()));
    let audits = "SELECT count(*) FROM audits WHERE event = 'external_panel.updated' AND new_values LIKE '%is closed today%'";
    assert_eq!(shop.panel.number(Sql::new(audits)).await, 1);
    let wrong = shop.panel.post(path, &json!({ "message": "?", "reason": "unknown_service" })).await;
    assert_eq!(
        (wrong.status.as_u16(), wrong.json()["errors"]["message"].is_array()),
        (422, true),
        "{}",
        wrong.text
    );
    let patch_messages = async |messages: Value| {
        let body = json!({ "rejection_messages": messages });
        shop.panel.send("owner", "PATCH", "/api/v1/admin/external-panels/1", &body, None).await
    };
    let twice =
        patch_messages(json!([body, { "message": "service 7 IS CLOSED today", "reason": "invalid_link" }]))
            .await;
    assert_eq!(twice.status, 422, "{}", twice.text);
    assert!(twice.json()["errors"]["rejection_messages.1.message"].is_array(), "{}", twice.text);
    let cleared = patch_messages(json!([])).await;
    assert_eq!(cleared.json()["data"]["rejection_messages"], Value::Array(Vec::new()), "{}", cleared.text);
    shop.set_behavior(0, FakeBehavior::Correct);
    shop.assert_healthy().await;
}
