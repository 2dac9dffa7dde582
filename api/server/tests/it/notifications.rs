//! Notifications: which staff receive which kinds, and delivery by email and Telegram.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{StatusCode, Uri};
use panel_contract::amount::Money;
use panel_contract::ids::{PaymentMethodId, UserId};
use panel_contract::payments::BalanceType;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_server::background::worker;
use panel_server::operations::free_trials::request as free_trials;
use panel_server::operations::orders::place::NewOrder;
use panel_server::operations::withdrawals::request::{self, NewWithdrawal};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::panel::Panel;
use crate::shop::{ABANDONED, MODERATED, PLAIN};

both! {
    notification_kinds_are_enabled_and_disabled;
    recipients_are_staff;
    events_notify_permitted_recipients;
    a_disabled_kind_sends_nothing;
    a_rolled_back_change_sends_no_notification;
    bot_messages_contain_no_amounts;
    the_bot_token_is_in_no_error_and_no_job;
}

const KINDS: &str = "/api/v1/admin/notifications";
pub(crate) const ADMINS: &str = "/api/v1/admin/admin-notifications";
pub(crate) const SUPPORT: &str = "/api/v1/admin/support-notifications";

impl Panel {
    pub(crate) async fn create_staff_member(&self, name: &str, permissions: &[Permission]) -> i64 {
        self.create_staff(name, permissions).await;
        let sql = Sql::new("SELECT id FROM users WHERE email = ?").bind(format!("{name}@panel.test"));
        self.number(sql).await
    }

    pub(crate) async fn set_recipients(&self, list: &str, users: &[i64]) -> Value {
        let answer = self.put(list, &json!({ "users": users })).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"]["users"].clone()
    }

    /// The recipient and the payload of each queued notification job; the recipient of a Telegram message is `bot`.
    pub(crate) async fn queued_emails(&self) -> Vec<(String, Value)> {
        let sql = Sql::new("SELECT payload FROM jobs ORDER BY id");
        let rows: Vec<(String,)> = (&mut &self.app.db).fetch_all(sql).await.unwrap();
        let jobs = rows.into_iter().map(|(text,)| serde_json::from_str::<Value>(&text).unwrap());
        jobs.map(|job| (job["email"].as_str().unwrap_or("bot").to_owned(), job)).collect()
    }

    async fn request_withdrawal(&self) {
        let method = Sql::new(
            "INSERT INTO payment_methods (id, name, type, position, created_at, updated_at) VALUES (1, 'Card', 'card', 1, 1, 1)",
        );
        self.execute(method).await;
        let new = NewWithdrawal {
            user_id: UserId::new(1),
            amount: Money(12_500_000),
            balance_type: BalanceType::Main,
            payment_method_id: PaymentMethodId::new(1),
            account_number: "DE1".into(),
            user_comment: None,
        };
        let mut work = self.begin_work().await;
        request::submit_withdrawal(&mut work, &new).await.unwrap();
        work.finish(()).await.unwrap();
    }
}

async fn notification_kinds_are_enabled_and_disabled(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let all = panel.get_data(KINDS).await["panel_notifications"].clone();
    assert!(all.as_array().unwrap().iter().all(|kind| kind["is_enabled"] == true));
    let disable = json!({ "panel_notifications": [{ "notification": "invoice_paid", "is_enabled": false }] });
    let changed = panel.put(KINDS, &disable).await.json()["data"]["panel_notifications"].clone();
    let disabled: Vec<_> =
        changed.as_array().unwrap().iter().filter(|kind| kind["is_enabled"] == false).collect();
    assert_eq!((disabled.len(), &disabled[0]["notification"]), (1, &json!("invoice_paid")));
    assert_eq!(
        panel.put(KINDS, &json!({ "panel_notifications": changed })).await.status,
        200,
        "the response is accepted as a request"
    );
    let unknown = json!({ "panel_notifications": [{ "notification": "nonsense", "is_enabled": false }] });
    assert_eq!(panel.put(KINDS, &unknown).await.status, 422);
    assert_eq!(
        panel.number(Sql::new("SELECT count(*) FROM audits WHERE event = 'notifications.changed'")).await,
        1
    );
}

async fn recipients_are_staff(dialect: Dialect) {
    let panel = Panel::shop(dialect, 2, 0).await;
    let clerk = panel.create_staff_member("clerk", &[Permission::ViewOrders]).await;
    let users = panel.set_recipients(ADMINS, &[clerk, clerk]).await;
    assert_eq!(users[0]["email"], "clerk@panel.test");
    let withheld = [
        "withdrawal_requested",
        "withdrawal_paid",
        "invoice_paid",
        "external_panel_balance_low",
        "backup_overdue",
    ];
    assert_eq!(users[0]["withheld"], json!(withheld));
    let customer = panel.put(ADMINS, &json!({ "users": [clerk, 1] })).await;
    assert!(customer.status == 422 && customer.json()["errors"]["users.1"].is_array(), "{}", customer.text);
    assert_eq!(panel.get_data(ADMINS).await["users"].as_array().unwrap().len(), 1);
    assert_eq!(panel.get_data(SUPPORT).await["users"], json!([]), "the two lists are independent");
    panel.set_recipients(ADMINS, &[]).await;
    let recipient_audits = "SELECT count(*) FROM audits WHERE event = 'notifications.recipients_changed'";
    assert_eq!(panel.number(Sql::new(recipient_audits)).await, 2);
}

async fn events_notify_permitted_recipients(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let cashier = panel.create_staff_member("cashier", &[Permission::ViewWithdrawals]).await;
    let clerk =
        panel.create_staff_member("clerk", &[Permission::ViewOrders, Permission::ManageFreeTrials]).await;
    let deactivated = panel.create_staff_member("gone", &[Permission::ViewWithdrawals]).await;
    panel.set_recipients(ADMINS, &[cashier, clerk, deactivated]).await;
    panel.set_recipients(SUPPORT, &[cashier, clerk]).await;
    panel
        .execute(
            Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE id = ?")
                .bind(deactivated),
        )
        .await;
    panel.save_settings(json!({ "panel_name": "Shop" })).await;
    panel.request_withdrawal().await;
    let queued_emails = panel.queued_emails().await;
    assert_eq!(queued_emails.len(), 1, "{queued_emails:?}");
    let (email, email_job) = &queued_emails[0];
    assert_eq!(
        (email.as_str(), &email_job["subject"]),
        ("cashier@panel.test", &json!("Shop: A customer requested a withdrawal"))
    );
    assert!(email_job["text"].as_str().unwrap().contains("(12.5)"), "{email_job}");
    panel.place(&NewOrder::plain(UserId::new(1), MODERATED, "https://video.example/1", 100)).await;
    panel.place(&NewOrder::plain(UserId::new(1), ABANDONED, "https://video.example/2", 100)).await;
    panel.place(&NewOrder::plain(UserId::new(1), PLAIN, "https://video.example/3", 100)).await;
    let quest = panel.create_quest(json!({})).await;
    let mut work = panel.begin_work().await;
    let trial_request = free_trials::NewTrial {
        user_id: UserId::new(1),
        quest_id: quest,
        url: "https://photo.example/p",
        proof_url: None,
    };
    free_trials::submit_trial(&mut work, trial_request).await.unwrap();
    work.finish(()).await.unwrap();
    let subjects: Vec<_> = panel.queued_emails().await[1..]
        .iter()
        .map(|(email, email_job)| (email.clone(), email_job["subject"].as_str().unwrap().to_owned()))
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
    for service in [MODERATED, ABANDONED, PLAIN] {
        let plain = NewOrder::plain(UserId::new(1), service, "https://video.example/4", 100);
        unpaid_orders.push(panel.place(&NewOrder { paying_balances: Vec::new(), ..plain }).await.id);
    }
    assert_eq!(panel.queued_emails().await.len(), 4, "staff are not notified of an unpaid order");
    let activated = panel.post("/api/v1/admin/orders/activate", &json!({ "order_ids": unpaid_orders })).await;
    assert_eq!(activated.json()["processed"], 3, "{}", activated.text);
    let subjects: Vec<_> = panel.queued_emails().await[4..]
        .iter()
        .map(|(email, email_job)| (email.clone(), email_job["subject"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(
        subjects,
        [clerk_email("An order waits for moderation"), clerk_email("An order has no active provider"),]
    );
}

async fn a_disabled_kind_sends_nothing(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let cashier = panel.create_staff_member("cashier", &[Permission::ViewWithdrawals]).await;
    panel.set_recipients(ADMINS, &[cashier]).await;
    let disable =
        json!({ "panel_notifications": [{ "notification": "withdrawal_requested", "is_enabled": false }] });
    panel.put(KINDS, &disable).await;
    panel.request_withdrawal().await;
    assert_eq!(panel.queued_emails().await, []);
}

async fn a_rolled_back_change_sends_no_notification(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let clerk = panel.create_staff_member("clerk", &[Permission::ViewOrders]).await;
    panel.set_recipients(SUPPORT, &[clerk]).await;
    let mut work = panel.begin_work().await;
    let order = NewOrder::plain(UserId::new(1), MODERATED, "https://video.example/1", 100);
    panel_server::operations::orders::place::place(&mut work, &order).await.unwrap();
    drop(work);
    assert_eq!(panel.queued_emails().await, []);
}

/// A fake Telegram API with this response. Returns its URL and the requests it received.
async fn start_telegram_server(
    status: u16,
    body: &'static str,
) -> (String, Arc<Mutex<Vec<(String, Value)>>>) {
    let received_requests = Arc::new(Mutex::new(Vec::new()));
    let recorded = Arc::clone(&received_requests);
    let answer = async move |uri: Uri, sent: Bytes| {
        recorded.lock().unwrap().push((uri.path().to_owned(), serde_json::from_slice(&sent).unwrap()));
        (StatusCode::from_u16(status).unwrap(), body)
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await.unwrap() });
    (url, received_requests)
}

async fn panel_with_bot(dialect: Dialect, url: String) -> Panel {
    let panel = Panel::with_config(dialect, |config| {
        config.telegram_url = url;
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.allow_http = true;
    })
    .await;
    crate::shop::fill(&panel.app.db, 3, 0).await;
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
    worker::run_due(&panel.app).await.unwrap();
    let received_requests = received_requests.lock().unwrap().clone();
    assert_eq!(
        (received_requests.len(), received_requests[0].0.as_str()),
        (1, "/bot7:secret-token/sendMessage")
    );
    assert_eq!(received_requests[0].1["chat_id"], "-100");
    let text = received_requests[0].1["text"].as_str().unwrap();
    assert!(text.contains("A customer requested a withdrawal") && !text.contains("12.5"), "{text}");
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM jobs WHERE done_at IS NOT NULL")).await, 1);
}

async fn the_bot_token_is_in_no_error_and_no_job(dialect: Dialect) {
    let (url, _) = start_telegram_server(401, r#"{"ok":false,"description":"Unauthorized"}"#).await;
    let panel = panel_with_bot(dialect, url).await;
    panel.request_withdrawal().await;
    worker::run_due(&panel.app).await.unwrap();
    let failed_jobs = "SELECT count(*) FROM jobs WHERE dead_at IS NOT NULL AND last_error LIKE '%token%'";
    assert_eq!(panel.number(Sql::new(failed_jobs)).await, 1);
    let leaks =
        "SELECT count(*) FROM jobs WHERE last_error LIKE '%secret-token%' OR payload LIKE '%secret-token%'";
    assert_eq!(panel.number(Sql::new(leaks)).await, 0);
}
