//! Responses of an external panel to a new order: an order that it accepted is never placed twice, and one that it did not
//! accept is placed again only where its message is known to mean so. The cases are every response of
//! `fixtures/panel-answers.tsv` and a thousand random sentences, each from a panel that accepted the order and from one that
//! did not.
//!
//! `PANEL_TEST_SEED` sets the seed of the random sentences.

use std::collections::BTreeMap;
use std::path::Path;

use panel_demo::panel::world::OrderBehavior;
use panel_demo::panel::{FakeBehavior, Reply};
use panel_domain::reseller_protocol::rejections::Rejections;
use panel_kernel::random::Random;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::model::number_of;
use crate::shop::PLAIN;
use crate::supplied::Supplied;

both! {
    an_accepted_order_is_never_placed_twice;
    only_known_messages_lead_to_another_attempt;
    a_custom_message_applies_to_later_orders;
}

/// Number of random sentences besides those of the fixture.
const RANDOM: usize = 1_000;
/// The first order's id.
const FIRST: i64 = 100_000;
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

/// A response to a new order.
struct Case {
    status: u16,
    body: String,
    /// Whether the message is known to mean that the panel did not accept the order.
    is_rejection: bool,
}

fn cases() -> Vec<Case> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/panel-answers.tsv");
    let text = std::fs::read_to_string(file).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let mut cases: Vec<Case> = rows
        .map(|row| {
            let fields: Vec<&str> = row.split('\t').collect();
            assert_eq!(fields.len(), 4, "{row}");
            let (status, body) = (fields[0].parse().unwrap(), fields[1].to_owned());
            Case { status, body, is_rejection: fields[2] != "unknown" }
        })
        .collect();
    assert!(cases.iter().filter(|case| case.is_rejection).count() >= 20 && cases.len() > 100);
    let seed = number_of("PANEL_TEST_SEED", 23);
    eprintln!("PANEL_TEST_SEED={seed}");
    let random = Random::seeded(seed);
    let number = |below: usize| usize::from(u16::from_le_bytes(random.bytes())) % below;
    for n in 0..RANDOM {
        let words: Vec<&str> = (0..1 + number(9)).map(|_| WORDS[number(WORDS.len())]).collect();
        let sentence = words.join(" ");
        let body = match n % 5 {
            0 => json!({ "status": "fail", "message": sentence }),
            1 => json!({ "errors": [sentence] }),
            2 => json!({ "error": { "code": n, "message": sentence } }),
            _ => json!({ "error": sentence }),
        };
        let is_rejection = Rejections::default().reason_of(&sentence).is_some();
        cases.push(Case { status: [200, 200, 400, 422][n % 4], body: body.to_string(), is_rejection });
    }
    cases
}

fn link(n: usize) -> String {
    format!("https://video.example/words/{n}")
}

/// Inserts one order in processing per case, and panels of which the first returns the case's response.
async fn shop_with_replies(dialect: Dialect, cases: &[Case], takes: bool) -> Supplied {
    let shop = Supplied::on(dialect, &[OrderBehavior::Stuck, OrderBehavior::Stuck]).await;
    for fake in &shop.theirs {
        fake.world().balance.0 = i64::MAX / 2;
        fake.world().accepts_duplicates = true;
    }
    for (n, case) in cases.iter().enumerate() {
        shop.theirs[0].reply(&link(n), Reply { takes, status: case.status, body: case.body.clone() });
    }
    let rows = (0..cases.len()).map(|n| vec![i64::try_from(n).unwrap().into()]).collect();
    let orders = Sql::new(
        "INSERT INTO orders (id, name, url, status, source, user_id, service_id, cost, price, pricing_per, quantity, is_paid, created_at, updated_at,
           dispatch_at) SELECT CAST(? AS BIGINT) + r.n, 'Words', 'https://video.example/words/' || r.n, 'in_processing', 'cabinet', 1, CAST(? AS BIGINT), 0, 0, 1000, 100,
           TRUE, 1, 1, 1 FROM ",
    );
    shop.ours.exec(orders.bind(FIRST).bind(PLAIN).rows("r", &["n"], rows)).await;
    shop
}

impl Supplied {
    /// Dispatches until nothing is due, advancing the clock past the pauses that responses without a message cause.
    async fn drain(&self) {
        let unsent = "SELECT count(*) FROM external_panel_orders WHERE sent_at IS NULL AND status = 'Creating' AND tries = 0";
        loop {
            self.settle_all().await;
            if self.ours.number(Sql::new(unsent)).await == 0 {
                return;
            }
            self.ours.clock.advance_secs(61);
        }
    }

    async fn settle_all(&self) {
        while panel_server::supply::dispatch::cycle(&self.ours.app).await.unwrap() > 0 {}
    }

    /// The numbers of orders and of order calls for each link, over all panels.
    fn seen(&self, cases: usize) -> Vec<(usize, usize)> {
        let mut seen: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for fake in &self.theirs {
            for order in fake.world().orders.values() {
                seen.entry(order.link.clone()).or_default().0 += 1;
            }
            for call in fake.calls().iter().filter(|call| call["action"] == "add") {
                seen.entry(call["link"].clone()).or_default().1 += 1;
            }
        }
        (0..cases).map(|n| seen.get(&link(n)).copied().unwrap_or_default()).collect()
    }
}

async fn an_accepted_order_is_never_placed_twice(dialect: Dialect) {
    // A panel that accepted an order never returns a known refusal, so those cases are left out.
    let cases: Vec<Case> = cases().into_iter().filter(|case| !case.is_rejection).collect();
    let shop = shop_with_replies(dialect, &cases, true).await;
    shop.drain().await;
    for seconds in [3_600, 86_400] {
        shop.ours.clock.advance_secs(seconds);
        shop.settle_all().await;
    }
    for (case, seen) in cases.iter().zip(shop.seen(cases.len())) {
        assert_eq!(seen, (1, 1), "{} {}", case.status, case.body);
    }
    let unknown = "SELECT count(*) FROM external_panel_orders WHERE status = 'Creating' AND sent_at IS NOT NULL AND alert_at IS NOT NULL
        AND external_order_id IS NULL AND last_error IS NOT NULL";
    let unknown = shop.ours.number(Sql::new(unknown)).await;
    assert_eq!(usize::try_from(unknown), Ok(cases.len()), "staff see every unknown outcome");
    shop.assert_healthy().await;
}

async fn only_known_messages_lead_to_another_attempt(dialect: Dialect) {
    let cases = cases();
    let shop = shop_with_replies(dialect, &cases, false).await;
    shop.drain().await;
    for seconds in [11, 86_400] {
        shop.ours.clock.advance_secs(seconds);
        shop.settle_all().await;
    }
    for (n, (case, (orders, calls))) in cases.iter().zip(shop.seen(cases.len())).enumerate() {
        if case.is_rejection {
            assert!(calls > 1 && orders <= 1, "{n}: {} {}: {orders} {calls}", case.status, case.body);
        } else {
            assert_eq!((orders, calls), (0, 1), "{n}: {} {}", case.status, case.body);
        }
    }
    shop.assert_healthy().await;
}

async fn a_custom_message_applies_to_later_orders(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Stuck, OrderBehavior::Stuck]).await;
    let busy = r#"{"error":"<b>Service #7</b> is closed today"}"#;
    let says = |link: &str| {
        shop.theirs[0].reply(link, Reply { takes: false, status: 200, body: busy.to_owned() });
    };
    for n in 1..=2 {
        says(&format!("https://video.example/{n}"));
    }
    let first = shop.order(1).await;
    shop.settle().await;
    let attempt = async || {
        let id = shop.attempts(first).await[0]["id"].clone();
        let path =
            format!("/api/v1/admin/external-panel-orders?columns[0][data]=id&columns[0][search][value]={id}");
        shop.ours.get(&path).await.json()["data"][0].clone()
    };
    let message = attempt().await["unknown_message"].clone();
    assert_eq!(message, "<b>Service #7</b> is closed today", "the panel's exact words");
    let path = "/api/v1/admin/external-panels/1/rejection-messages";
    let body = json!({ "message": message, "reason": "unknown_service" });
    let made = shop.ours.post(path, &body).await;
    assert_eq!(
        (made.status.as_u16(), &made.json()["data"]["rejection_messages"]),
        (200, &json!([body])),
        "{}",
        made.text
    );
    let notified = async || {
        shop.ours.number(Sql::new("SELECT count(*) FROM audits WHERE event = 'order.attempt_unknown'")).await
    };
    for (seconds, wanted) in [(61, 0), (301, 1), (86_400, 1)] {
        shop.ours.clock.advance_secs(seconds);
        shop.settle().await;
        assert_eq!(notified().await, wanted, "staff get one email, after the second poll");
    }
    assert_eq!(attempt().await["is_unknown"], true, "an unknown outcome stays unknown");
    assert_eq!(shop.taken(), [0, 0]);
    let second = shop.order(2).await;
    shop.settle().await;
    assert_eq!(shop.states(second).await, ["Canceled", "Pending"], "the next provider has it at once");
    // A staff member resolves the first order.
    let id = attempt().await["id"].clone();
    let again =
        shop.ours.post(&format!("/api/v1/admin/external-panel-orders/{id}/recreate"), &json!({})).await;
    assert_eq!(again.status, 200, "{}", again.text);
    shop.settle().await;
    assert_eq!(shop.states(first).await, ["Canceled", "Canceled", "Pending"]);
    // The audit log holds one entry.
    assert_eq!(shop.ours.post(path, &body).await.says(), (409, "rejection_message_known".into()));
    let audits = "SELECT count(*) FROM audits WHERE event = 'external_panel.updated' AND new_values LIKE '%is closed today%'";
    assert_eq!(shop.ours.number(Sql::new(audits)).await, 1);
    let wrong = shop.ours.post(path, &json!({ "message": "?", "reason": "unknown_service" })).await;
    assert_eq!(
        (wrong.status.as_u16(), wrong.json()["errors"]["message"].is_array()),
        (422, true),
        "{}",
        wrong.text
    );
    let alter = async |messages: Value| {
        let body = json!({ "rejection_messages": messages });
        shop.ours.send("owner", "PATCH", "/api/v1/admin/external-panels/1", &body, None).await
    };
    let twice =
        alter(json!([body, { "message": "service 7 IS CLOSED today", "reason": "invalid_link" }])).await;
    assert_eq!(twice.status, 422, "{}", twice.text);
    assert!(twice.json()["errors"]["rejection_messages.1.message"].is_array(), "{}", twice.text);
    let gone = alter(json!([])).await;
    assert_eq!(gone.json()["data"]["rejection_messages"], Value::Array(Vec::new()), "{}", gone.text);
    shop.behave(0, FakeBehavior::Good);
    shop.assert_healthy().await;
}
