//! Email jobs: if a mail server refuses connections, rejects recipients or hangs, no request is delayed and no email is lost.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use panel_contract::upload::to_data_url;
use panel_platform::db::{Dialect, Sql};
use panel_server::background::worker;
use panel_server::run::RunningServer;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::jobs::email_job;
use crate::panel::Panel;
use crate::shop;
use crate::uploads::PIXEL;

test_both_databases! {
    a_canceled_order_sends_an_email_to_its_customer;
    each_email_is_retried_and_sent_only_once;
    a_hanging_mail_server_does_not_delay_requests_or_the_shutdown;
    emails_contain_the_logo_from_the_settings;
}

const REFUSE_CONNECTION: u8 = 0;
const REJECT_RECIPIENT: u8 = 1;
const HANG: u8 = 2;
const ACCEPT: u8 = 3;

/// A fake mail server whose behavior a test can change.
#[derive(Clone)]
struct FakeSmtp {
    url: String,
    behavior: Arc<AtomicU8>,
    received_emails: Arc<Mutex<Vec<String>>>,
}

impl FakeSmtp {
    async fn start(behavior: u8) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let mail_server =
            Self { url, behavior: Arc::new(AtomicU8::new(behavior)), received_emails: Arc::default() };
        let server = mail_server.clone();
        tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                let server = server.clone();
                // An error means that the client closed the connection.
                tokio::spawn(async move { drop(server.serve_client(socket).await) });
            }
        });
        mail_server
    }

    async fn serve_client(&self, mut socket: TcpStream) -> std::io::Result<()> {
        match self.behavior.load(Ordering::SeqCst) {
            REFUSE_CONNECTION => return socket.write_all(b"421 busy\r\n").await,
            HANG => std::future::pending().await,
            _ => {}
        }
        let (read_half, mut write_half) = socket.split();
        let mut lines = BufReader::new(read_half).lines();
        write_half.write_all(b"220 ready\r\n").await?;
        while let Some(line) = lines.next_line().await? {
            let response: &[u8] = match line.get(..4).unwrap_or_default() {
                "EHLO" => b"250-fake\r\n250 8BITMIME\r\n",
                "RCPT" if self.behavior.load(Ordering::SeqCst) == REJECT_RECIPIENT => {
                    b"550 unknown recipient\r\n"
                }
                "DATA" => {
                    write_half.write_all(b"354 go on\r\n").await?;
                    let mut mail = String::new();
                    while let Some(line) = lines.next_line().await?.filter(|line| line != ".") {
                        mail.push_str(&line);
                        mail.push('\n');
                    }
                    self.received_emails.lock().unwrap().push(mail);
                    b"250 accepted\r\n"
                }
                "QUIT" => return write_half.write_all(b"221 bye\r\n").await,
                _ => b"250 OK\r\n",
            };
            write_half.write_all(response).await?;
        }
        Ok(())
    }

    fn set_behavior(&self, behavior: u8) {
        self.behavior.store(behavior, Ordering::SeqCst);
    }

    async fn start_panel(&self, dialect: Dialect) -> Panel {
        Panel::with_config(dialect, |config| {
            config.mail.smtp_url = Some(self.url.clone());
            config.mail.from = Some("Panel <noreply@panel.example>".into());
        })
        .await
    }
}

async fn a_canceled_order_sends_an_email_to_its_customer(dialect: Dialect) {
    let mail_server = FakeSmtp::start(ACCEPT).await;
    let panel = mail_server.start_panel(dialect).await;
    shop::insert_shop_records(&panel.app.db, 3, 4).await;
    let rename_sql = "UPDATE users SET name = ?, email = 'eve@shop.example', notify_orders = TRUE WHERE id = (SELECT user_id FROM orders WHERE id = 1)";
    panel.execute(Sql::new(rename_sql).bind("Eve <script>\u{1f600}")).await;
    let body =
        json!({ "return_money": true, "cancel_reason": "other", "cancel_description": "<b>No</b>\n.\nQUIT" });
    let dry_run = panel.post("/api/v1/admin/orders/1/cancel?dry_run=1", &body).await;
    assert_eq!(dry_run.status, 200, "{}", dry_run.text);
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 0, "a dry run must not send an email");
    assert_eq!(panel.post("/api/v1/admin/orders/1/cancel", &body).await.status, 200);
    assert_eq!(panel.post("/api/v1/admin/orders/1/cancel", &body).await.status, 409);
    let without_email_body = json!({ "send_email_notification": false });
    assert_eq!(panel.post("/api/v1/admin/orders/2/cancel", &without_email_body).await.status, 200);
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 1);
    let received_emails = mail_server.received_emails.lock().unwrap().clone();
    assert_eq!(received_emails.len(), 1);
    for expected_text in [
        "From: Panel <noreply@panel.example>",
        "<eve@shop.example>",
        "Subject: Order 1 was canceled",
        "text/plain",
        "@panel.example>",
        "<b>No</b>",
        "QUIT",
    ] {
        assert!(received_emails[0].contains(expected_text), "{expected_text}: {}", received_emails[0]);
    }
}

async fn emails_contain_the_logo_from_the_settings(dialect: Dialect) {
    let mail_server = FakeSmtp::start(ACCEPT).await;
    let panel = mail_server.start_panel(dialect).await;
    panel.enqueue(&[email_job(1)]).await;
    worker::run_due_jobs(&panel.app).await.unwrap();
    panel.save_settings(json!({ "panel_name": "North", "email_logo": to_data_url(PIXEL) })).await;
    panel.enqueue(&[email_job(2)]).await;
    worker::run_due_jobs(&panel.app).await.unwrap();
    // The email is sent even if the logo file is missing.
    panel
        .execute(Sql::new("UPDATE settings SET value = '\"/uploads/gone.png\"' WHERE key = 'email_logo'"))
        .await;
    panel.enqueue(&[email_job(3)]).await;
    worker::run_due_jobs(&panel.app).await.unwrap();
    let received_emails = mail_server.received_emails.lock().unwrap().clone();
    assert_eq!(received_emails.len(), 3);
    for expected_text in
        ["multipart/alternative", "text/plain", "cid:logo", "alt=\"North\"", "Content-Type: image/png"]
    {
        assert!(received_emails[1].contains(expected_text), "{expected_text}: {}", received_emails[1]);
    }
    for email_without_logo in [&received_emails[0], &received_emails[2]] {
        assert!(!email_without_logo.contains("multipart"), "{email_without_logo}");
    }
}

async fn each_email_is_retried_and_sent_only_once(dialect: Dialect) {
    let mail_server = FakeSmtp::start(REFUSE_CONNECTION).await;
    let panel = mail_server.start_panel(dialect).await;
    let emails: Vec<_> = (0..30).map(email_job).collect();
    panel.enqueue(&emails).await;
    for behavior in [REFUSE_CONNECTION, REJECT_RECIPIENT] {
        mail_server.set_behavior(behavior);
        panel.clock.advance_secs(200);
        while worker::run_due_jobs(&panel.app).await.unwrap() > 0 {}
        assert_eq!(
            (panel.job_counts().await, mail_server.received_emails.lock().unwrap().len()),
            ((0, 0, 30), 0)
        );
    }
    let count_retried_sql =
        Sql::new("SELECT count(*) FROM jobs WHERE last_error LIKE '%unknown recipient%' AND attempts = 2");
    assert_eq!(panel.fetch_number(count_retried_sql).await, 30);
    mail_server.set_behavior(ACCEPT);
    panel.clock.advance_secs(200);
    while worker::run_due_jobs(&panel.app).await.unwrap() > 0 {}
    assert_eq!(panel.job_counts().await, (30, 0, 0));
    let mut sent_emails: Vec<String> = mail_server.received_emails.lock().unwrap().clone();
    sent_emails.sort_unstable();
    sent_emails.dedup();
    assert_eq!(sent_emails.len(), 30, "each email must be sent once");
}

async fn a_hanging_mail_server_does_not_delay_requests_or_the_shutdown(dialect: Dialect) {
    let mail_server = FakeSmtp::start(HANG).await;
    let panel = mail_server.start_panel(dialect).await;
    shop::insert_shop_records(&panel.app.db, 2, 3).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let running_server = RunningServer::start(panel.app.clone(), listener).unwrap();
    let started_at = Instant::now();
    for id in 1..=3 {
        let response = panel.post(&format!("/api/v1/admin/orders/{id}/cancel"), &json!({})).await;
        assert_eq!(response.status, 200, "{}", response.text);
    }
    assert!(started_at.elapsed() < Duration::from_secs(3), "{:?}", started_at.elapsed());
    // Wait until the worker hangs in the connection. Other background work must continue, and the server must still stop in time.
    let count_leased_sql = Sql::new("SELECT count(*) FROM jobs WHERE lease_until IS NOT NULL");
    while panel.fetch_number(count_leased_sql.clone()).await < 1 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    if dialect == Dialect::Postgres {
        let count_deltas_sql = Sql::new("SELECT count(*) FROM row_count_deltas");
        while panel.fetch_number(count_deltas_sql.clone()).await > 0 {
            assert!(started_at.elapsed() < Duration::from_secs(15), "the worker did not fold the row counts");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    let stopping_since = Instant::now();
    let config = panel.app.config.clone();
    running_server.stop().await;
    assert!(stopping_since.elapsed() < Duration::from_secs(10), "{:?}", stopping_since.elapsed());
    // No email is lost: the jobs are due again at the next start.
    let db = panel_platform::db::Db::connect(&config.database()).await.unwrap();
    let count_due_sql =
        Sql::new("SELECT count(*) FROM jobs WHERE done_at IS NULL AND lease_until IS NULL AND attempts = 0");
    assert_eq!(
        panel_platform::db::SqlExecutor::fetch_one::<(i64,)>(&mut &db, count_due_sql).await.unwrap().0,
        3
    );
    db.close().await;
}
