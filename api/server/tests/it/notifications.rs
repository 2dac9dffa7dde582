//! Notifications: which staff receive which kinds of notification, and how emails and Telegram messages are delivered.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{StatusCode, Uri};
use panel_contract::amount::Money;
use panel_contract::ids::{PaymentMethodId, UserId};
use panel_contract::payments::BalanceType;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_server::background::worker;
use panel_server::operations::free_trials::request as free_trials;
use panel_server::operations::orders::place::NewOrder;
use panel_server::operations::withdrawals::request::{self, NewWithdrawal};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::panel::Panel;
use crate::shop::{MODERATED_SERVICE, PLAIN_SERVICE, SERVICE_WITHOUT_PROVIDER};

test_both_databases! {
    notification_kinds_are_enabled_and_disabled;
    only_staff_can_be_recipients;
    events_notify_permitted_recipients;
    a_disabled_kind_sends_nothing;
    a_rolled_back_change_sends_no_notification;
    bot_messages_contain_no_amounts;
    errors_and_jobs_do_not_contain_the_bot_token;
}

const KINDS_PATH: &str = "/api/v1/admin/notifications";
pub(crate) const ADMINS_PATH: &str = "/api/v1/admin/admin-notifications";
pub(crate) const SUPPORT_PATH: &str = "/api/v1/admin/support-notifications";

impl Panel {
    pub(crate) async fn create_staff_member(&self, name: &str, permissions: &[Permission]) -> i64 {
        self.create_staff(name, permissions).await;
        let sql = Sql::new("SELECT id FROM users WHERE email = ?").bind(format!("{name}@panel.test"));
        self.fetch_number(sql).await
    }

    pub(crate) async fn set_recipients(&self, list: &str, users: &[i64]) -> Value {
        let response = self.put(list, &json!({ "users": users })).await;
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()["data"]["users"].clone()
    }

    /// The recipient and the payload of each queued notification job; the recipient of a Telegram message is `bot`.
    pub(crate) async fn queued_emails(&self) -> Vec<(String, Value)> {
        let sql = Sql::new("SELECT payload FROM jobs ORDER BY id");
        let rows: Vec<(String,)> = (&mut &self.app.db).fetch_all(sql).await.unwrap();
        let jobs = rows.into_iter().map(|(text,)| serde_json::from_str::<Value>(&text).unwrap());
        jobs.map(|job| (job["email"].as_str().unwrap_or("bot").to_owned(), job)).collect()
    }

    async fn request_withdrawal(&self) {
        let insert_method_sql = Sql::new(
            "INSERT INTO payment_methods (id, name, type, position, created_at, updated_at) VALUES (1, 'Card', 'card', 1, 1, 1)",
        );
        self.execute(insert_method_sql).await;
        let new_withdrawal = NewWithdrawal {
            user_id: UserId::new(1),
            amount: Money(12_500_000),
            balance_type: BalanceType::Main,
            payment_method_id: PaymentMethodId::new(1),
            account_number: "DE1".into(),
            user_comment: None,
        };
        let mut work = self.begin_work().await;
        request::submit_withdrawal(&mut work, &new_withdrawal).await.unwrap();
        work.finish(()).await.unwrap();
    }
}

async fn notification_kinds_are_enabled_and_disabled(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let kinds = panel.get_data(KINDS_PATH).await["panel_notifications"].clone();
    assert!(kinds.as_array().unwrap().iter().all(|kind| kind["is_enabled"] == true));
    let disable_body =
        json!({ "panel_notifications": [{ "notification": "invoice_paid", "is_enabled": false }] });
    let changed_record =
        panel.put(KINDS_PATH, &disable_body).await.json()["data"]["panel_notifications"].clone();
    let disabled_kinds: Vec<_> =
        changed_record.as_array().unwrap().iter().filter(|kind| kind["is_enabled"] == false).collect();
    assert_eq!((disabled_kinds.len(), &disabled_kinds[0]["notification"]), (1, &json!("invoice_paid")));
    assert_eq!(
        panel.put(KINDS_PATH, &json!({ "panel_notifications": changed_record })).await.status,
        200,
        "the server must accept the response as a request"
    );
    let unknown_body =
        json!({ "panel_notifications": [{ "notification": "nonsense", "is_enabled": false }] });
    assert_eq!(panel.put(KINDS_PATH, &unknown_body).await.status, 422);
    assert_eq!(
        panel
            .fetch_number(Sql::new("SELECT count(*) FROM audits WHERE event = 'notifications.changed'"))
            .await,
        1
    );
}

async fn only_staff_can_be_recipients(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 2, 0).await;
    let clerk_id = panel.create_staff_member("clerk", &[Permission::ViewOrders]).await;
    let users = panel.set_recipients(ADMINS_PATH, &[clerk_id, clerk_id]).await;
    assert_eq!(users[0]["email"], "clerk@panel.test");
    let withheld_kinds = [
        "withdrawal_requested",
        "withdrawal_paid",
        "invoice_paid",
        "external_panel_balance_low",
        "backup_overdue",
    ];
    assert_eq!(users[0]["withheld"], json!(withheld_kinds));
    let customer_response = panel.put(ADMINS_PATH, &json!({ "users": [clerk_id, 1] })).await;
    assert!(
        customer_response.status == 422 && customer_response.json()["errors"]["users.1"].is_array(),
        "{}",
        customer_response.text
    );
    assert_eq!(panel.get_data(ADMINS_PATH).await["users"].as_array().unwrap().len(), 1);
    assert_eq!(
        panel.get_data(SUPPORT_PATH).await["users"],
        json!([]),
        "a change of one list must not change the other list"
    );
    panel.set_recipients(ADMINS_PATH, &[]).await;
    let count_recipient_audits_sql =
        "SELECT count(*) FROM audits WHERE event = 'notifications.recipients_changed'";
    assert_eq!(panel.fetch_number(Sql::new(count_recipient_audits_sql)).await, 2);
}

async fn events_notify_permitted_recipients(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let cashier_id = panel.create_staff_member("cashier", &[Permission::ViewWithdrawals]).await;
    let clerk_id =
        panel.create_staff_member("clerk", &[Permission::ViewOrders, Permission::ManageFreeTrials]).await;
    let deactivated_id = panel.create_staff_member("gone", &[Permission::ViewWithdrawals]).await;
    panel.set_recipients(ADMINS_PATH, &[cashier_id, clerk_id, deactivated_id]).await;
    panel.set_recipients(SUPPORT_PATH, &[cashier_id, clerk_id]).await;
    panel
        .execute(
            Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE id = ?")
                .bind(deactivated_id),
        )
        .await;
    panel.save_settings(json!({ "panel_name": "Shop" })).await;
    panel.request_withdrawal().await;
    let queued_emails = panel.queued_emails().await;
    assert_eq!(queued_emails.len(), 1, "{queued_emails:?}");
    let (recipient, email_payload) = &queued_emails[0];
    assert_eq!(
        (recipient.as_str(), &email_payload["subject"]),
        ("cashier@panel.test", &json!("Shop: A customer requested a withdrawal"))
    );
    assert!(email_payload["text"].as_str().unwrap().contains("(12.5)"), "{email_payload}");
    panel
        .place_order(&NewOrder::without_options(
            UserId::new(1),
            MODERATED_SERVICE,
            "https://video.example/1",
            100,
        ))
        .await;
    panel
        .place_order(&NewOrder::without_options(
            UserId::new(1),
            SERVICE_WITHOUT_PROVIDER,
            "https://video.example/2",
            100,
        ))
        .await;
    panel
        .place_order(&NewOrder::without_options(
            UserId::new(1),
            PLAIN_SERVICE,
            "https://video.example/3",
            100,
        ))
        .await;
    let quest_id = panel.create_quest(json!({})).await;
    let mut work = panel.begin_work().await;
    let trial_request = free_trials::NewTrial {
        user_id: UserId::new(1),
        quest_id,
        url: "https://photo.example/p",
        proof_url: None,
    };
    free_trials::submit_trial(&mut work, trial_request).await.unwrap();
    work.finish(()).await.unwrap();
    let subjects: Vec<_> = panel.queued_emails().await[1..]
        .iter()
        .map(|(recipient, email_payload)| {
            (recipient.clone(), email_payload["subject"].as_str().unwrap().to_owned())
        })
        .collect();
    let clerk_email = |text: &str| ("clerk@panel.test".to_owned(), format!("Shop: {text}"));
    assert_eq!(
        subjects,
        [
            clerk_email("An order waits for moderation"),
            clerk_email("An order has no active provider"),
            clerk_email("A customer requested a free trial")
        ]
    );
    // Staff are notified of an unpaid order when it is activated.
    let mut unpaid_orders = Vec::new();
    for service in [MODERATED_SERVICE, SERVICE_WITHOUT_PROVIDER, PLAIN_SERVICE] {
        let base_order = NewOrder::without_options(UserId::new(1), service, "https://video.example/4", 100);
        unpaid_orders
            .push(panel.place_order(&NewOrder { paying_balances: Vec::new(), ..base_order }).await.id);
    }
    assert_eq!(panel.queued_emails().await.len(), 4, "staff must not be notified of an unpaid order");
    let activate_response =
        panel.post("/api/v1/admin/orders/activate", &json!({ "order_ids": unpaid_orders })).await;
    assert_eq!(activate_response.json()["processed"], 3, "{}", activate_response.text);
    let subjects: Vec<_> = panel.queued_emails().await[4..]
        .iter()
        .map(|(recipient, email_payload)| {
            (recipient.clone(), email_payload["subject"].as_str().unwrap().to_owned())
        })
        .collect();
    assert_eq!(
        subjects,
        [clerk_email("An order waits for moderation"), clerk_email("An order has no active provider"),]
    );
}

async fn a_disabled_kind_sends_nothing(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let cashier_id = panel.create_staff_member("cashier", &[Permission::ViewWithdrawals]).await;
    panel.set_recipients(ADMINS_PATH, &[cashier_id]).await;
    let disable_body =
        json!({ "panel_notifications": [{ "notification": "withdrawal_requested", "is_enabled": false }] });
    panel.put(KINDS_PATH, &disable_body).await;
    panel.request_withdrawal().await;
    assert_eq!(panel.queued_emails().await, []);
}

async fn a_rolled_back_change_sends_no_notification(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let clerk_id = panel.create_staff_member("clerk", &[Permission::ViewOrders]).await;
    panel.set_recipients(SUPPORT_PATH, &[clerk_id]).await;
    let mut work = panel.begin_work().await;
    let order = NewOrder::without_options(UserId::new(1), MODERATED_SERVICE, "https://video.example/1", 100);
    panel_server::operations::orders::place::place(&mut work, &order).await.unwrap();
    drop(work);
    assert_eq!(panel.queued_emails().await, []);
}

/// Starts a fake Telegram API that sends the given response. Returns the URL and the requests that arrive.
async fn start_telegram_server(
    status: u16,
    body: &'static str,
) -> (String, Arc<Mutex<Vec<(String, Value)>>>) {
    let received_requests = Arc::new(Mutex::new(Vec::new()));
    let recorded_requests = Arc::clone(&received_requests);
    let handle_request = async move |uri: Uri, request_body: Bytes| {
        recorded_requests
            .lock()
            .unwrap()
            .push((uri.path().to_owned(), serde_json::from_slice(&request_body).unwrap()));
        (StatusCode::from_u16(status).unwrap(), body)
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(handle_request)).await.unwrap() });
    (url, received_requests)
}

async fn panel_with_bot(dialect: Dialect, url: String) -> Panel {
    let panel = Panel::with_config(dialect, |config| {
        config.telegram_url = url;
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.allow_http = true;
    })
    .await;
    crate::shop::insert_shop_records(&panel.app.db, 3, 0).await;
    panel
        .save_settings(
            json!({ "integrations": { "telegram_bot_token": "7:secret-token", "telegram_chat_id": "-100" } }),
        )
        .await;
    panel
}

async fn bot_messages_contain_no_amounts(dialect: Dialect) {
    let (url, received_requests) = start_telegram_server(200, r#"{"ok":true}"#).await;
    let panel = panel_with_bot(dialect, url).await;
    panel.request_withdrawal().await;
    worker::run_due_jobs(&panel.app).await.unwrap();
    let received_requests = received_requests.lock().unwrap().clone();
    assert_eq!(
        (received_requests.len(), received_requests[0].0.as_str()),
        (1, "/bot7:secret-token/sendMessage")
    );
    assert_eq!(received_requests[0].1["chat_id"], "-100");
    let text = received_requests[0].1["text"].as_str().unwrap();
    assert!(text.contains("A customer requested a withdrawal") && !text.contains("12.5"), "{text}");
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM jobs WHERE done_at IS NOT NULL")).await, 1);
}

async fn errors_and_jobs_do_not_contain_the_bot_token(dialect: Dialect) {
    let (url, _) = start_telegram_server(401, r#"{"ok":false,"description":"Unauthorized"}"#).await;
    let panel = panel_with_bot(dialect, url).await;
    panel.request_withdrawal().await;
    worker::run_due_jobs(&panel.app).await.unwrap();
    let count_failed_jobs_sql =
        "SELECT count(*) FROM jobs WHERE dead_at IS NOT NULL AND last_error LIKE '%token%'";
    assert_eq!(panel.fetch_number(Sql::new(count_failed_jobs_sql)).await, 1);
    let count_jobs_with_token_sql =
        "SELECT count(*) FROM jobs WHERE last_error LIKE '%secret-token%' OR payload LIKE '%secret-token%'";
    assert_eq!(panel.fetch_number(Sql::new(count_jobs_with_token_sql)).await, 0);
}
