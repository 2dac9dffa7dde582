//! Webhooks: events are written in the transaction of the change, signed, retried on a schedule and abandoned in the end; a
//! webhook whose receiver keeps failing is disabled.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use panel_domain::webhooks::sign;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _, bulk};
use panel_server::background::worker;
use serde_json::{Value, json};

use crate::panel::{NOW, Panel};
use crate::withdrawals;

test_both_databases! {
    an_order_event_is_delivered_with_a_valid_signature;
    thousands_of_events_are_written_in_few_statements;
    no_event_is_written_without_a_subscribed_webhook;
    a_rejected_change_publishes_no_event;
    failed_deliveries_are_retried_on_a_schedule_and_then_abandoned;
    a_delivery_waits_for_the_retry_after_header;
    a_webhook_is_disabled_after_410_or_days_of_failure;
    idle_time_and_test_deliveries_do_not_disable_a_webhook;
    affiliate_changes_publish_user_updated;
    two_secrets_sign_after_a_rotation;
    a_test_delivery_returns_its_result;
    only_a_finished_delivery_can_be_redelivered;
    a_webhook_secret_is_shown_only_once;
    a_webhook_that_moves_to_another_server_gets_a_new_secret;
    invalid_webhooks_are_rejected_by_field;
    webhooks_and_deliveries_list_their_allowed_actions;
    webhooks_can_be_filtered_by_status_and_by_type;
    payments_users_and_withdrawals_publish_events;
    payment_and_withdrawal_events_have_the_payment_method;
    a_late_failure_does_not_overwrite_a_successful_delivery;
}

#[derive(Debug, Clone)]
struct ReceivedRequest {
    headers: HeaderMap,
    body: String,
}

impl ReceivedRequest {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// Status, `Retry-After` header (empty for none) and body.
type Reply = (u16, &'static str, &'static str);

/// A webhook receiver that returns the queued replies, and 204 when the queue is empty.
#[derive(Clone, Default)]
struct Receiver {
    queued_replies: Arc<Mutex<VecDeque<Reply>>>,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl Receiver {
    async fn start() -> (Self, String) {
        let receiver = Self::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let router = axum::Router::new().fallback(Self::receive).with_state(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (receiver, url)
    }

    async fn receive(
        State(receiver): State<Self>,
        headers: HeaderMap,
        body: Bytes,
    ) -> (StatusCode, HeaderMap, &'static str) {
        receiver
            .requests
            .lock()
            .unwrap()
            .push(ReceivedRequest { headers, body: String::from_utf8(body.to_vec()).unwrap() });
        let (status, retry_after, body) =
            receiver.queued_replies.lock().unwrap().pop_front().unwrap_or((204, "", ""));
        let mut headers = HeaderMap::new();
        if !retry_after.is_empty() {
            headers.insert("retry-after", HeaderValue::from_static(retry_after));
        }
        (StatusCode::from_u16(status).unwrap(), headers, body)
    }

    fn queue_replies(&self, replies: &[Reply]) {
        self.queued_replies.lock().unwrap().extend(replies);
    }

    fn received_requests(&self) -> Vec<ReceivedRequest> {
        self.requests.lock().unwrap().clone()
    }
}

const WEBHOOKS_PATH: &str = "/api/v1/admin/webhooks";
const ORDER_EVENT_TYPES: [&str; 4] =
    ["order.created", "order.status_changed", "order.completed", "order.canceled"];

impl Panel {
    /// A panel that is allowed to call the loopback address and writes its emails to a folder.
    async fn with_loopback_calls(dialect: Dialect) -> Self {
        Self::with_config(dialect, |config| {
            config.outbound.allow_http = true;
            config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
            config.mail.folder = Some(config.data_dir.join("mails"));
        })
        .await
    }

    /// Creates a webhook. Returns its id and secret.
    async fn create_webhook(&self, url: &str, types: &[&str]) -> (i64, String) {
        let create_response = self.post(WEBHOOKS_PATH, &json!({ "url": url, "webhook_types": types })).await;
        assert_eq!(create_response.status, 200, "{}", create_response.text);
        let data = create_response.json()["data"].clone();
        (data["id"].as_i64().unwrap(), data["secret"].as_str().unwrap().to_owned())
    }

    async fn fetch_deliveries(&self, webhook_id: i64) -> Vec<Value> {
        let page = self.get(&format!("{WEBHOOKS_PATH}/{webhook_id}/deliveries?length=100")).await;
        assert_eq!(page.status, 200, "{}", page.text);
        page.json()["data"].as_array().unwrap().clone()
    }

    async fn fetch_webhook(&self, webhook_id: i64) -> Value {
        let page = self
            .get(&format!("{WEBHOOKS_PATH}?columns[0][data]=id&columns[0][search][value]={webhook_id}"))
            .await;
        page.json()["data"][0].clone()
    }

    /// Sets the orders to in processing.
    async fn set_in_processing(&self, ids: std::ops::RangeInclusive<i64>) {
        let sql = Sql::new(
            "UPDATE orders SET status = 'in_processing', approval = NULL, is_paid = TRUE WHERE id BETWEEN ? AND ?",
        );
        self.execute(sql.bind(*ids.start()).bind(*ids.end())).await;
    }

    async fn orders_in_processing(&self, limit: i64) -> Vec<i64> {
        self.set_in_processing(1..=i64::MAX).await;
        let path = format!("/api/v1/admin/orders?ids_only=1&length={limit}");
        let ids = self.get(&path).await.json()["ids"].clone();
        serde_json::from_value(ids).unwrap()
    }

    async fn complete_order(&self, id: i64) {
        let complete_response = self.post(&format!("/api/v1/admin/orders/{id}/complete"), &json!({})).await;
        assert_eq!(complete_response.status, 200, "{}", complete_response.text);
    }
}

async fn an_order_event_is_delivered_with_a_valid_signature(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    panel.insert_generated_records(20, 60).await;
    let (receiver, url) = Receiver::start().await;
    let (webhook_id, secret) = panel.create_webhook(&url, &ORDER_EVENT_TYPES).await;
    let id = panel.orders_in_processing(1).await[0];
    panel.complete_order(id).await;
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 2);
    let requests = receiver.received_requests();
    let types: Vec<Value> = requests.iter().map(|request| request.json()["type"].clone()).collect();
    assert!(types.contains(&json!("order.status_changed")) && types.contains(&json!("order.completed")));
    for request in &requests {
        let timestamp: i64 = request.header("webhook-timestamp").parse().unwrap();
        assert_eq!((timestamp, request.header("content-type")), (NOW / 1_000_000, "application/json"));
        let signature = sign(&secret, request.header("webhook-id"), timestamp, &request.body).unwrap();
        assert_eq!(request.header("webhook-signature"), signature);
        let body = request.json();
        assert_eq!(body["timestamp"], "2026-11-20T16:00:00+00:00");
        assert_eq!((&body["data"]["id"], &body["data"]["status"]), (&json!(id), &json!("completed")));
        assert_eq!(body["data"]["previous_status"], "in_processing");
        assert!(body["data"].get("actions").is_none() && body["data"]["cost"].is_string(), "{body}");
    }
    let delivery_rows = panel.fetch_deliveries(webhook_id).await;
    assert_eq!(delivery_rows.len(), 2);
    assert!(
        delivery_rows
            .iter()
            .all(|row| row["status"] == "delivered" && row["attempts"] == 1 && row["response_status"] == 204)
    );
    assert_eq!(delivery_rows[0]["log"][0]["url"], url);
    assert!(!panel.fetch_webhook(webhook_id).await["last_delivered_at"].is_null());
    assert_eq!(panel.job_counts().await, (2, 0, 0));
}

async fn thousands_of_events_are_written_in_few_statements(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    panel.insert_generated_records(50, 2_000).await;
    let (webhook_id, _) = panel.create_webhook("https://8.8.8.8/hook", &["order.status_changed"]).await;
    panel.create_webhook("https://8.8.4.4/hook", &["order.completed", "order.status_changed"]).await;
    let ids = panel.orders_in_processing(2_000).await;
    let complete_response = panel.post("/api/v1/admin/orders/complete", &json!({ "order_ids": ids })).await;
    assert_eq!(complete_response.json()["processed"], 2_000, "{}", complete_response.text);
    let count = async |text: &'static str| panel.fetch_number(Sql::new(text)).await;
    assert_eq!(count("SELECT count(*) FROM webhook_events").await, 4_000);
    assert_eq!(count("SELECT count(*) FROM webhook_deliveries").await, 6_000);
    assert_eq!(count("SELECT count(*) FROM jobs WHERE kind = 'webhook'").await, 6_000);
    assert_eq!(count("SELECT count(DISTINCT message_id) FROM webhook_events").await, 4_000);
    let page = panel.get(&format!("{WEBHOOKS_PATH}/{webhook_id}/deliveries")).await.json();
    assert_eq!((page["recordsTotal"].clone(), page["data"].as_array().unwrap().len()), (json!(2_000), 30));
    // Deleting a webhook deletes its delivery log; jobs still queued for it do nothing.
    let delete_response =
        panel.send("owner", "DELETE", &format!("{WEBHOOKS_PATH}/{webhook_id}"), &json!({}), None).await;
    assert_eq!(delete_response.status, 204, "{}", delete_response.text);
    assert_eq!(count("SELECT count(*) FROM webhook_deliveries").await, 4_000);
    assert_eq!(panel.get(&format!("{WEBHOOKS_PATH}/{webhook_id}/deliveries")).await.status, 404);
}

async fn no_event_is_written_without_a_subscribed_webhook(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    panel.insert_generated_records(20, 60).await;
    let (webhook_id, _) = panel.create_webhook("https://8.8.8.8/hook", &["order.completed"]).await;
    panel.create_webhook("https://8.8.8.8/other", &["order.canceled", "user.created"]).await;
    let disable_body = json!({ "is_active": false });
    let path = format!("{WEBHOOKS_PATH}/{webhook_id}");
    assert_eq!(
        panel.send("owner", "PUT", &path, &disable_body, None).await.json()["data"]["status"],
        "disabled"
    );
    panel.complete_order(panel.orders_in_processing(1).await[0]).await;
    let events = panel.fetch_number(Sql::new("SELECT count(*) FROM webhook_events")).await;
    assert_eq!((events, panel.job_counts().await), (0, (0, 0, 0)));
}

async fn a_rejected_change_publishes_no_event(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    panel.insert_generated_records(20, 60).await;
    panel.create_webhook("https://8.8.8.8/hook", &ORDER_EVENT_TYPES).await;
    let id = panel.orders_in_processing(1).await[0];
    let path = "/api/v1/admin/orders/complete?dry_run=1";
    assert_eq!(panel.post(path, &json!({ "order_ids": [id] })).await.json()["processed"], 1);
    panel.complete_order(id).await;
    assert_eq!(panel.post(&format!("/api/v1/admin/orders/{id}/complete"), &json!({})).await.status, 409);
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM webhook_events")).await,
        2,
        "a dry run or a rejected change must not publish an event"
    );
}

async fn failed_deliveries_are_retried_on_a_schedule_and_then_abandoned(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    panel.execute(Sql::new("UPDATE sessions SET expires_at = expires_at + 9000000000000")).await;
    panel.insert_generated_records(20, 60).await;
    let (receiver, url) = Receiver::start().await;
    receiver.queue_replies(&[(500, "", "oops"); 20]);
    let (webhook_id, _) = panel.create_webhook(&url, &["order.completed"]).await;
    panel.complete_order(panel.orders_in_processing(1).await[0]).await;
    let mut waits = Vec::new();
    while panel.job_counts().await.2 == 1 {
        assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 1);
        let run_at = panel.fetch_number(Sql::new("SELECT run_at FROM jobs")).await;
        let wait = (run_at - panel.app.clock.now().0) / 1_000_000 + 1;
        panel.clock.advance_secs(wait - 2);
        assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 0, "no retry must be due yet");
        panel.clock.advance_secs(2);
        waits.push(wait);
    }
    waits.pop();
    let schedule = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    assert_eq!(waits.len(), schedule.len(), "{waits:?}");
    for (wait, planned) in waits.iter().zip(schedule) {
        assert!((planned..=planned + planned / 10 + 1).contains(wait), "{waits:?}");
    }
    let requests = receiver.received_requests();
    assert_eq!(requests.len(), 10);
    assert!(requests.iter().all(|request| {
        request.body == requests[0].body && request.header("webhook-id") == requests[0].header("webhook-id")
    }));
    assert_ne!(requests[0].header("webhook-timestamp"), requests[1].header("webhook-timestamp"));
    let row = panel.fetch_deliveries(webhook_id).await[0].clone();
    assert_eq!(
        (&row["status"], &row["attempts"], &row["next_attempt_at"]),
        (&json!("failed"), &json!(10), &Value::Null)
    );
    assert_eq!(
        (&row["error"], &row["log"][9]["response_body"]),
        (&json!("The receiver responded with 500."), &json!("oops"))
    );
    assert_eq!(panel.fetch_webhook(webhook_id).await["status"], "failing");
}

/// A worker that hung during its attempt records a failure after another worker delivered the event.
async fn a_late_failure_does_not_overwrite_a_successful_delivery(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    panel.insert_generated_records(20, 60).await;
    let db = panel.app.db.clone();
    let router = axum::Router::new().fallback(move || {
        let db = db.clone();
        async move {
            let update_failure_sql = "UPDATE webhook_deliveries SET attempts = attempts + 1, error = 'No answer.', next_attempt_at = 1";
            (&mut &db).execute(Sql::new(update_failure_sql)).await.unwrap();
            StatusCode::NO_CONTENT
        }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let (webhook_id, _) = panel.create_webhook(&url, &["order.completed"]).await;
    panel.complete_order(panel.orders_in_processing(1).await[0]).await;
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 1);
    let row = panel.fetch_deliveries(webhook_id).await[0].clone();
    assert_eq!(
        (&row["status"], &row["attempts"], &row["next_attempt_at"], &row["error"]),
        (&json!("delivered"), &json!(2), &Value::Null, &Value::Null)
    );
}

async fn a_delivery_waits_for_the_retry_after_header(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    panel.insert_generated_records(20, 60).await;
    let (receiver, url) = Receiver::start().await;
    receiver.queue_replies(&[(429, "90", "slow")]);
    let (webhook_id, _) = panel.create_webhook(&url, &["order.completed"]).await;
    let ids = panel.orders_in_processing(2).await;
    panel.complete_order(ids[0]).await;
    worker::run_due_jobs(&panel.app).await.unwrap();
    panel.complete_order(ids[1]).await;
    // The second delivery is postponed too, which does not count as an attempt.
    worker::run_due_jobs(&panel.app).await.unwrap();
    assert_eq!(receiver.received_requests().len(), 1);
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT CAST(sum(attempts) AS BIGINT) FROM webhook_deliveries")).await,
        1
    );
    panel.clock.advance_secs(89);
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 0);
    panel.clock.advance_secs(20);
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 2);
    assert_eq!((receiver.received_requests().len(), panel.job_counts().await), (3, (2, 0, 0)));
    assert_eq!(panel.fetch_webhook(webhook_id).await["status"], "active");
}

async fn a_webhook_is_disabled_after_410_or_days_of_failure(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    panel.insert_generated_records(20, 60).await;
    let (receiver, url) = Receiver::start().await;
    receiver.queue_replies(&[(410, "", ""), (500, "", ""), (500, "", "")]);
    let (webhook_id, _) = panel.create_webhook(&url, &["order.completed"]).await;
    let ids = panel.orders_in_processing(5).await;
    panel.complete_order(ids[0]).await;
    panel.complete_order(ids[1]).await;
    // Lease one job at a time, so that the first response is recorded before the second attempt.
    worker::run_due_jobs(&panel.app).await.unwrap();
    let disabled_webhook = panel.fetch_webhook(webhook_id).await;
    assert_eq!(
        (&disabled_webhook["status"], &disabled_webhook["is_active"]),
        (&json!("auto_disabled"), &json!(false))
    );
    assert!(disabled_webhook["notice"].as_str().unwrap().contains("410"), "{disabled_webhook}");
    let path = format!("{WEBHOOKS_PATH}/{webhook_id}");
    let enabled_response =
        panel.send("owner", "PUT", &path, &json!({ "is_active": true }), None).await.json();
    assert_eq!(
        (&enabled_response["data"]["status"], &enabled_response["data"]["notice"]),
        (&json!("active"), &Value::Null)
    );
    receiver.queued_replies.lock().unwrap().clear();
    receiver.queue_replies(&[(500, "", ""); 40]);
    panel.complete_order(ids[2]).await;
    worker::run_due_jobs(&panel.app).await.unwrap();
    assert_eq!(panel.fetch_webhook(webhook_id).await["status"], "failing");
    // The owner's session expires soon, so the following checks read the database.
    let count_active_sql = Sql::new("SELECT count(*) FROM webhooks WHERE is_active = TRUE");
    for _ in 0..5 {
        assert_eq!(panel.fetch_number(count_active_sql.clone()).await, 1);
        panel.clock.advance_secs(86_400 + 60);
        worker::run_due_jobs(&panel.app).await.unwrap();
    }
    let count_disabled_sql =
        "SELECT count(*) FROM webhooks WHERE is_active = FALSE AND auto_disabled = 'failed'";
    assert_eq!(panel.fetch_number(Sql::new(count_disabled_sql)).await, 1);
    let count_audited_sql =
        "SELECT count(*) FROM audits WHERE event = 'webhook.auto_disabled' AND user_id IS NULL";
    assert_eq!(panel.fetch_number(Sql::new(count_audited_sql)).await, 2);
    let count_emails_sql =
        "SELECT count(*) FROM jobs WHERE kind = 'mail' AND payload LIKE '%was switched off%'";
    assert_eq!(panel.fetch_number(Sql::new(count_emails_sql)).await, 2);
}

async fn two_secrets_sign_after_a_rotation(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    panel.insert_generated_records(20, 60).await;
    let (receiver, url) = Receiver::start().await;
    let (webhook_id, old_secret) = panel.create_webhook(&url, &["order.completed"]).await;
    let rotate_response =
        panel.post(&format!("{WEBHOOKS_PATH}/{webhook_id}/rotate-secret"), &json!({})).await.json();
    let new_secret = rotate_response["data"]["secret"].as_str().unwrap().to_owned();
    assert!(
        new_secret.starts_with("whsec_")
            && new_secret != old_secret
            && !rotate_response["data"]["old_secret_until"].is_null()
    );
    let ids = panel.orders_in_processing(2).await;
    let complete_and_sign = async |id| {
        panel.complete_order(id).await;
        worker::run_due_jobs(&panel.app).await.unwrap();
        let request = receiver.received_requests().pop().unwrap();
        let timestamp = request.header("webhook-timestamp").parse().unwrap();
        let expected = |secret| sign(secret, request.header("webhook-id"), timestamp, &request.body).unwrap();
        (request.header("webhook-signature").to_owned(), expected(&new_secret), expected(&old_secret))
    };
    let (sent, with_new, with_old) = complete_and_sign(ids[0]).await;
    assert_eq!(sent, format!("{with_new} {with_old}"));
    panel.complete_order(ids[1]).await;
    panel.clock.advance_secs(86_401);
    worker::run_due_jobs(&panel.app).await.unwrap();
    let request = receiver.received_requests().pop().unwrap();
    assert_eq!(
        request.header("webhook-signature").split(' ').count(),
        1,
        "the old secret signs for one day only"
    );
}

async fn a_test_delivery_returns_its_result(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    let (receiver, url) = Receiver::start().await;
    receiver.queue_replies(&[(204, "", ""), (302, "", "elsewhere")]);
    let (webhook_id, _) = panel.create_webhook(&url, &["user.created"]).await;
    let path = format!("{WEBHOOKS_PATH}/{webhook_id}/test");
    let response = panel.post(&path, &json!({})).await.json()["data"].clone();
    assert_eq!((&response["type"], &response["status"]), (&json!("webhook.test"), &json!("delivered")));
    assert_eq!(receiver.received_requests()[0].json()["data"]["webhook"]["id"], webhook_id);
    let response = panel.post(&path, &json!({})).await.json()["data"].clone();
    assert_eq!((&response["status"], &response["response_status"]), (&json!("failed"), &json!(302)));
    assert!(response["error"].as_str().unwrap().contains("redirects"), "{response}");
    assert_eq!(panel.job_counts().await, (0, 0, 0), "a test delivery must not be repeated");
}

async fn only_a_finished_delivery_can_be_redelivered(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    panel.insert_generated_records(20, 60).await;
    let (receiver, url) = Receiver::start().await;
    let (webhook_id, _) = panel.create_webhook(&url, &["order.completed"]).await;
    panel.complete_order(panel.orders_in_processing(1).await[0]).await;
    let id = panel.fetch_deliveries(webhook_id).await[0]["id"].as_i64().unwrap();
    let redeliver = format!("{WEBHOOKS_PATH}/{webhook_id}/deliveries/{id}/redeliver");
    assert_eq!(panel.post(&redeliver, &json!({})).await.json()["code"], "delivery_pending");
    worker::run_due_jobs(&panel.app).await.unwrap();
    let empty_body = json!({});
    let (first, second) =
        tokio::join!(panel.post(&redeliver, &empty_body), panel.post(&redeliver, &empty_body));
    let mut statuses = [first.status.as_u16(), second.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", first.text, second.text);
    worker::run_due_jobs(&panel.app).await.unwrap();
    let requests = receiver.received_requests();
    assert_eq!((requests.len(), requests[0].header("webhook-id")), (2, requests[1].header("webhook-id")));
    assert_eq!(panel.fetch_deliveries(webhook_id).await[0]["log"].as_array().unwrap().len(), 2);
    let other_webhook_id = panel.create_webhook(&url, &["order.created"]).await.0;
    assert_eq!(
        panel
            .post(
                &redeliver.replace(&format!("/{webhook_id}/"), &format!("/{other_webhook_id}/")),
                &json!({})
            )
            .await
            .status,
        404
    );
    // A job that runs twice finds the delivery finished.
    let sql =
        Sql::new("UPDATE jobs SET done_at = NULL, lease_until = NULL, run_at = 1 WHERE kind = 'webhook'");
    panel.execute(sql).await;
    worker::run_due_jobs(&panel.app).await.unwrap();
    assert_eq!(receiver.received_requests().len(), 2);
}

async fn a_webhook_secret_is_shown_only_once(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    panel.insert_generated_records(20, 60).await;
    let body = json!({ "url": "https://8.8.8.8/hook", "webhook_types": ["order.completed"] });
    let first_response = panel.send("owner", "POST", WEBHOOKS_PATH, &body, Some("key-1")).await;
    let secret = first_response.json()["data"]["secret"].as_str().unwrap().to_owned();
    let replay_response = panel.send("owner", "POST", WEBHOOKS_PATH, &body, Some("key-1")).await;
    assert_eq!(
        (replay_response.status.as_u16(), replay_response.text.contains("whsec_")),
        (200, false),
        "{}",
        replay_response.text
    );
    let id = first_response.json()["data"]["id"].as_i64().unwrap();
    let secret_without_prefix = secret.trim_start_matches("whsec_").to_owned();
    for path in
        [WEBHOOKS_PATH.to_owned(), format!("{WEBHOOKS_PATH}/{id}/deliveries"), "/api/v1/admin/audits".into()]
    {
        assert!(!panel.get(&path).await.text.contains(&secret_without_prefix), "{path}");
    }
    for text in [
        "SELECT count(*) FROM audits WHERE new_values LIKE ? OR old_values LIKE ?",
        "SELECT count(*) FROM idempotency WHERE response LIKE ? OR key LIKE ?",
    ] {
        let like = format!("%{secret_without_prefix}%");
        assert_eq!(panel.fetch_number(Sql::new(text).bind(like.clone()).bind(like)).await, 0, "{text}");
    }
    // The delivery log stores the response with the secret masked.
    let (receiver, url) = Receiver::start().await;
    let update_response =
        panel.send("owner", "PUT", &format!("{WEBHOOKS_PATH}/{id}"), &json!({ "url": url }), None).await;
    assert_eq!(update_response.status, 200, "{}", update_response.text);
    // A URL on another server gets a new secret, which is shown once.
    let new_secret = update_response.json()["data"]["secret"].as_str().unwrap().to_owned();
    assert_ne!(new_secret, secret);
    let secret = new_secret;
    let echo: &'static str = Box::leak(format!("your key is {secret}").into_boxed_str());
    receiver.queue_replies(&[(500, "", echo)]);
    let response = panel.post(&format!("{WEBHOOKS_PATH}/{id}/test"), &json!({})).await.json();
    assert_eq!(response["data"]["log"][0]["response_body"], "your key is [secret]");
}

async fn a_webhook_that_moves_to_another_server_gets_a_new_secret(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    let (receiver, url) = Receiver::start().await;
    let (id, secret) = panel.create_webhook(&url, &["order.created"]).await;
    let put_url = async |url: &str, query: &str| {
        let response = panel
            .send("owner", "PUT", &format!("{WEBHOOKS_PATH}/{id}{query}"), &json!({ "url": url }), None)
            .await;
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()["data"]["secret"].clone()
    };
    assert_eq!(put_url(&url.replace("/hook", "/other"), "").await, Value::Null, "the same server");
    assert_eq!(put_url("https://8.8.8.8/hook", "?dry_run=1").await, Value::Null, "a dry run shows none");
    let secret_elsewhere = put_url("https://8.8.8.8/hook", "").await;
    let secret_back_here = put_url(&url, "").await;
    assert!(secret_elsewhere.is_string() && secret_back_here.is_string());
    assert!(secret_elsewhere != secret_back_here && secret_back_here != secret.as_str());
    panel.post(&format!("{WEBHOOKS_PATH}/{id}/test"), &json!({})).await;
    let request = receiver.received_requests().pop().unwrap();
    let signature_by = |secret: &str| {
        sign(
            secret,
            request.header("webhook-id"),
            request.header("webhook-timestamp").parse().unwrap(),
            &request.body,
        )
        .unwrap()
    };
    // Only the new secret signs, so the former receiver cannot forge events.
    assert_eq!(request.header("webhook-signature"), signature_by(secret_back_here.as_str().unwrap()));
    let count_rotated_sql = "SELECT count(*) FROM audits WHERE event = 'webhook.secret_rotated'";
    assert_eq!(panel.fetch_number(Sql::new(count_rotated_sql)).await, 2);
}

async fn invalid_webhooks_are_rejected_by_field(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let types = json!(["order.created"]);
    let wrong_fields = async |body: Value| {
        let response = panel.post(WEBHOOKS_PATH, &body).await;
        assert_eq!(response.status, 422, "{body}: {}", response.text);
        response.json()["errors"].as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(",")
    };
    for url in [
        "http://8.8.8.8/",
        "https://127.0.0.1/",
        "https://localhost/",
        "https://169.254.169.254/",
        "https://user:pw@8.8.8.8/",
        "https://2130706433/",
        "ftp://8.8.8.8/",
        "nonsense",
        "",
    ] {
        assert_eq!(wrong_fields(json!({ "url": url, "webhook_types": types })).await, "url", "{url}");
    }
    let url = "https://8.8.8.8/hook";
    assert_eq!(wrong_fields(json!({ "url": url, "webhook_types": [] })).await, "webhook_types");
    assert_eq!(
        wrong_fields(json!({ "url": url, "webhook_types": ["webhook.test"] })).await,
        "webhook_types.0"
    );
    assert_eq!(wrong_fields(json!({ "url": url, "webhook_types": ["order.sold"] })).await, "webhook_types.0");
    assert_eq!(wrong_fields(json!({ "url": url, "webhook_types": types, "secret": "mine" })).await, "secret");
    assert_eq!(wrong_fields(json!({})).await, "url,webhook_types");
    let (id, _) = panel.create_webhook(url, &["order.created"]).await;
    let path = format!("{WEBHOOKS_PATH}/{id}");
    let updated_at = panel.fetch_webhook(id).await["updated_at"].clone();
    panel.clock.advance_secs(1);
    let first_body = json!({ "webhook_types": ["user.created"], "updated_at": updated_at });
    assert_eq!(panel.send("owner", "PUT", &path, &first_body, None).await.status, 200);
    assert_eq!(panel.send("owner", "PUT", &path, &first_body, None).await.status, 409);
    let type_count = panel.get("/api/v1/admin/webhook-types").await.json()["data"].as_array().unwrap().len();
    assert_eq!(type_count, 10);
    for number in 1..50 {
        panel.create_webhook(&format!("https://8.8.8.8/{number}"), &["order.created"]).await;
    }
    let too_many_response = panel.post(WEBHOOKS_PATH, &json!({ "url": url, "webhook_types": types })).await;
    assert_eq!(too_many_response.json()["code"], "too_many_webhooks");
}

async fn payments_users_and_withdrawals_publish_events(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    panel.insert_generated_records(20, 60).await;
    let mut tx = panel.app.db.begin().await.unwrap();
    bulk::advance_id_sequence(&mut tx, "ledger_txns").await.unwrap();
    tx.commit().await.unwrap();
    let (receiver, url) = Receiver::start().await;
    let types = [
        "payment.created",
        "user.created",
        "user.updated",
        "user.status_changed",
        "withdrawal.status_changed",
    ];
    panel.create_webhook(&url, &types).await;
    let payment_body = json!({ "user_id": 3, "transaction_type": "income", "amount": "5", "balance_type": "main", "comment": "Test" });
    assert_eq!(
        panel.send("owner", "POST", "/api/v1/admin/payments", &payment_body, Some("pay")).await.status,
        200
    );
    for path in ["/api/v1/admin/users/3/freeze", "/api/v1/admin/users/3/activate"] {
        assert_eq!(panel.post(path, &json!({})).await.status, 200, "{path}");
    }
    let rename_body = json!({ "name": "Renamed" });
    let update_response = panel.send("owner", "PATCH", "/api/v1/admin/users/3", &rename_body, None).await;
    assert_eq!(update_response.status, 200, "{}", update_response.text);
    let new_body = json!({ "name": "New", "email": "new@panel.test", "password": "a long enough pass", "permissions": ["view orders"], "roles": [] });
    let create_response = panel.post("/api/v1/admin/staffs", &new_body).await;
    assert_eq!(create_response.status, 200, "{}", create_response.text);
    let pending =
        panel.fetch_number(Sql::new("SELECT min(id) FROM withdrawals WHERE status = 'pending'")).await;
    let approve_response =
        panel.post(&format!("/api/v1/admin/withdrawals/{pending}/approve"), &json!({})).await;
    assert_eq!(approve_response.status, 200, "{}", approve_response.text);
    while worker::run_due_jobs(&panel.app).await.unwrap() > 0 {}
    let mut events: Vec<(String, Value)> = receiver
        .received_requests()
        .iter()
        .map(|request| (request.json()["type"].as_str().unwrap().to_owned(), request.json()["data"].clone()))
        .collect();
    events.sort_by(|a, b| a.0.cmp(&b.0));
    let kinds: Vec<&str> = events.iter().map(|(kind, _)| kind.as_str()).collect();
    let expected = [
        "payment.created",
        "user.created",
        "user.status_changed",
        "user.status_changed",
        "user.updated",
        "withdrawal.status_changed",
    ];
    assert_eq!(kinds, expected);
    assert_eq!((&events[0].1["amount"], &events[0].1["user"]["id"]), (&json!("5"), &json!(3)));
    assert_eq!(
        (&events[4].1["name"], &events[5].1["previous_status"]),
        (&json!("Renamed"), &json!("pending"))
    );
    let has_password = events.iter().any(|(_, data)| data.to_string().contains("password"));
    assert!(!has_password);
    panel_server::background::retention::remove_expired_records(&panel.app, None).await.unwrap();
}

async fn idle_time_and_test_deliveries_do_not_disable_a_webhook(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    panel.insert_generated_records(20, 60).await;
    let (receiver, url) = Receiver::start().await;
    receiver.queue_replies(&[(500, "", ""), (410, "", ""), (500, "", ""), (500, "", "")]);
    let (webhook_id, _) = panel.create_webhook(&url, &["order.completed"]).await;
    for _ in 0..2 {
        let response = panel.post(&format!("{WEBHOOKS_PATH}/{webhook_id}/test"), &json!({})).await;
        assert_eq!((response.status.as_u16(), &response.json()["data"]["status"]), (200, &json!("failed")));
        let webhook = panel.fetch_webhook(webhook_id).await;
        assert_eq!((&webhook["status"], &webhook["failing_since"]), (&json!("active"), &Value::Null));
    }
    let id = panel.orders_in_processing(1).await[0];
    panel.complete_order(id).await;
    worker::run_due_jobs(&panel.app).await.unwrap();
    assert_eq!(panel.fetch_webhook(webhook_id).await["status"], "failing");
    // Nothing was sent for six days: the next failure starts a new failing period, and the delivery keeps its attempt count.
    panel.clock.advance_secs(6 * 86_400);
    worker::run_due_jobs(&panel.app).await.unwrap();
    assert_eq!(receiver.received_requests().len(), 4);
    let count_active_sql =
        Sql::new("SELECT count(*) FROM webhooks WHERE is_active = TRUE AND failing_since > ?");
    assert_eq!(panel.fetch_number(count_active_sql.bind(NOW + 5 * 86_400_000_000)).await, 1);
    panel.clock.advance_secs(86_400);
    worker::run_due_jobs(&panel.app).await.unwrap();
    let count_not_failing_sql = Sql::new("SELECT count(*) FROM webhooks WHERE failing_since IS NULL");
    assert_eq!((receiver.received_requests().len(), panel.fetch_number(count_not_failing_sql).await), (5, 1));
}

async fn affiliate_changes_publish_user_updated(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    panel.insert_generated_records(20, 60).await;
    let (receiver, url) = Receiver::start().await;
    panel.create_webhook(&url, &["user.updated"]).await;
    panel.execute(Sql::new("UPDATE users SET affiliate_id = NULL")).await;
    panel.execute(Sql::new("DELETE FROM user_affiliates")).await;
    let create_response = panel.post("/api/v1/admin/users/5/affiliates", &json!({ "affiliate_id": 2 })).await;
    assert_eq!(create_response.status, 200, "{}", create_response.text);
    let path = format!("/api/v1/admin/users/5/affiliates/{}", create_response.json()["data"]["id"]);
    assert_eq!(
        panel.request_from("127.0.0.1", Some("owner"), "DELETE", &path, &Value::Null).await.status,
        204
    );
    worker::run_due_jobs(&panel.app).await.unwrap();
    let affiliates: Vec<Value> = receiver
        .received_requests()
        .iter()
        .map(|request| request.json()["data"]["affiliate"]["id"].clone())
        .collect();
    assert_eq!((affiliates.len(), affiliates.contains(&json!(2))), (2, true), "{affiliates:?}");
}

async fn payment_and_withdrawal_events_have_the_payment_method(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    withdrawals::add_payment_methods(&panel).await;
    let customer = panel.create_user("customer@shop.example", &[]).await;
    let deposit_body = json!({ "user_id": customer, "transaction_type": "income", "amount": "50", "balance_type": "main", "comment": "Test" });
    let pay_response =
        panel.send("owner", "POST", "/api/v1/admin/payments", &deposit_body, Some("deposit")).await;
    assert_eq!(pay_response.status, 200, "{}", pay_response.text);
    let pending = withdrawals::request_withdrawal(&panel, customer, 30_000_000).await;
    let (receiver, url) = Receiver::start().await;
    panel.create_webhook(&url, &["payment.created", "withdrawal.status_changed"]).await;
    let path = format!("/api/v1/admin/withdrawals/{pending}/reject");
    let rejected_response = panel.post(&path, &json!({ "admin_note": "No" })).await;
    assert_eq!(rejected_response.status, 200, "{}", rejected_response.text);
    while worker::run_due_jobs(&panel.app).await.unwrap() > 0 {}
    let method = rejected_response.json()["data"]["withdrawal_method"].clone();
    assert!(method["name"].is_string(), "{}", rejected_response.text);
    let mut fields = Vec::new();
    for request in receiver.received_requests() {
        let (kind, data) = (request.json()["type"].clone(), request.json()["data"].clone());
        let field = if kind == "payment.created" { "payment_method" } else { "withdrawal_method" };
        assert_eq!(data[field], method, "{kind} {data}");
        fields.push(field);
    }
    fields.sort_unstable();
    assert_eq!(fields, ["payment_method", "withdrawal_method"]);
}

async fn webhooks_and_deliveries_list_their_allowed_actions(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    panel.insert_generated_records(20, 60).await;
    let (_, url) = Receiver::start().await;
    let (webhook_id, _) = panel.create_webhook(&url, &["order.completed"]).await;
    let actions = |is_active: bool| json!({ "editable": true, "enable": !is_active, "disable": is_active, "test": true, "rotate_secret": true, "deletable": true });
    assert_eq!(panel.fetch_webhook(webhook_id).await["actions"], actions(true));
    panel.complete_order(panel.orders_in_processing(1).await[0]).await;
    assert_eq!(
        panel.fetch_deliveries(webhook_id).await[0]["actions"],
        json!({ "redeliver": false }),
        "a pending delivery cannot be redelivered"
    );
    worker::run_due_jobs(&panel.app).await.unwrap();
    let delivery = panel.fetch_deliveries(webhook_id).await[0].clone();
    assert_eq!(delivery["actions"], json!({ "redeliver": true }));
    let disable_response = panel
        .send("owner", "PUT", &format!("{WEBHOOKS_PATH}/{webhook_id}"), &json!({ "is_active": false }), None)
        .await;
    assert_eq!(disable_response.json()["data"]["actions"], actions(false), "{}", disable_response.text);
    assert_eq!(
        panel.fetch_deliveries(webhook_id).await[0]["actions"],
        json!({ "redeliver": false }),
        "a disabled webhook redelivers nothing"
    );
    let redeliver = format!("{WEBHOOKS_PATH}/{webhook_id}/deliveries/{}/redeliver", delivery["id"]);
    assert_eq!(panel.post(&redeliver, &json!({})).await.json()["code"], "webhook_off");
}

async fn webhooks_can_be_filtered_by_status_and_by_type(dialect: Dialect) {
    let panel = Panel::with_loopback_calls(dialect).await;
    let (_, url) = Receiver::start().await;
    let mut webhook_ids = Vec::new();
    for types in [
        &["order.created", "user.created"][..],
        &["user.status_changed"],
        &["order.created"],
        &["order.completed"],
    ] {
        webhook_ids.push(panel.create_webhook(&url, types).await.0);
    }
    let states = ["is_active = FALSE", "is_active = FALSE, auto_disabled = 'gone'", "failing_since = 1"];
    for (state, id) in states.iter().zip(&webhook_ids[1..]) {
        panel.execute(Sql::new("UPDATE webhooks SET ").push(state).push(" WHERE id = ?").bind(*id)).await;
    }
    let filtered_ids = async |query: &str| {
        let page = panel.get(&format!("{WEBHOOKS_PATH}?{query}&sort=id")).await;
        assert_eq!(page.status, 200, "{query}: {}", page.text);
        let rows = page.json()["data"].as_array().unwrap().clone();
        rows.iter().map(|row| row["id"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(filtered_ids("status=active").await, [webhook_ids[0]]);
    assert_eq!(filtered_ids("status=disabled,auto_disabled").await, webhook_ids[1..3]);
    assert_eq!(filtered_ids("status=failing").await, [webhook_ids[3]]);
    assert_eq!(filtered_ids("webhook_types=order.created").await, [webhook_ids[0], webhook_ids[2]]);
    assert_eq!(
        filtered_ids("webhook_types=user.status_changed,order.completed").await,
        [webhook_ids[1], webhook_ids[3]]
    );
    assert_eq!(filtered_ids("webhook_types=order.canceled").await, [0; 0]);
    assert_eq!(panel.get(&format!("{WEBHOOKS_PATH}?webhook_types=order.sold")).await.status, 422);
    let by_status = panel.get(&format!("{WEBHOOKS_PATH}?sort=status")).await.json();
    let order: Vec<&Value> = by_status["data"].as_array().unwrap().iter().map(|row| &row["status"]).collect();
    assert_eq!(order, ["active", "auto_disabled", "disabled", "failing"]);
    let csv = panel
        .get_as("owner", &format!("{WEBHOOKS_PATH}?export_columns=id,status,webhook_types"), "text/csv")
        .await;
    assert!(csv.text.contains("order.completed"), "{}", csv.text);
}
