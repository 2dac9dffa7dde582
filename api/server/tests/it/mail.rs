//! Email jobs: a mail server that refuses connections, rejects recipients or hangs delays no request and loses no email.

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

both! {
    a_canceled_order_sends_an_email_to_its_customer;
    every_email_is_retried_until_it_is_sent_once;
    a_hanging_mail_server_delays_no_request_and_no_shutdown;
    emails_contain_the_logo_of_the_settings;
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
    mails: Arc<Mutex<Vec<String>>>,
}

impl FakeSmtp {
    async fn start(behavior: u8) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let smtp = Self { url, behavior: Arc::new(AtomicU8::new(behavior)), mails: Arc::default() };
        let server = smtp.clone();
        tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                let server = server.clone();
                // An error means that the client closed the connection.
                tokio::spawn(async move { drop(server.serve_client(socket).await) });
            }
        });
        smtp
    }

    async fn serve_client(&self, mut socket: TcpStream) -> std::io::Result<()> {
        match self.behavior.load(Ordering::SeqCst) {
            REFUSE_CONNECTION => return socket.write_all(b"421 not now\r\n").await,
            HANG => std::future::pending().await,
            _ => {}
        }
        let (read, mut write) = socket.split();
        let mut lines = BufReader::new(read).lines();
        write.write_all(b"220 ready\r\n").await?;
        while let Some(line) = lines.next_line().await? {
            let answer: &[u8] = match line.get(..4).unwrap_or_default() {
                "EHLO" => b"250-here\r\n250 8BITMIME\r\n",
                "RCPT" if self.behavior.load(Ordering::SeqCst) == REJECT_RECIPIENT => b"550 who is that\r\n",
                "DATA" => {
                    write.write_all(b"354 go on\r\n").await?;
                    let mut mail = String::new();
                    while let Some(line) = lines.next_line().await?.filter(|line| line != ".") {
                        mail.push_str(&line);
                        mail.push('\n');
                    }
                    self.mails.lock().unwrap().push(mail);
                    b"250 taken\r\n"
                }
                "QUIT" => return write.write_all(b"221 bye\r\n").await,
                _ => b"250 fine\r\n",
            };
            write.write_all(answer).await?;
        }
        Ok(())
    }

    fn set_behavior(&self, behavior: u8) {
        self.behavior.store(behavior, Ordering::SeqCst);
    }

    async fn panel(&self, dialect: Dialect) -> Panel {
        Panel::with_config(dialect, |config| {
            config.mail.smtp_url = Some(self.url.clone());
            config.mail.from = Some("Panel <noreply@panel.example>".into());
        })
        .await
    }
}

async fn a_canceled_order_sends_an_email_to_its_customer(dialect: Dialect) {
    let smtp = FakeSmtp::start(ACCEPT).await;
    let panel = smtp.panel(dialect).await;
    shop::fill(&panel.app.db, 3, 4).await;
    let rename = "UPDATE users SET name = ?, email = 'eve@shop.example', notify_orders = TRUE WHERE id = (SELECT user_id FROM orders WHERE id = 1)";
    panel.execute(Sql::new(rename).bind("Eve <script>\u{1f600}")).await;
    let body =
        json!({ "return_money": true, "cancel_reason": "other", "cancel_description": "<b>No</b>\n.\nQUIT" });
    let dry_run = panel.post("/api/v1/admin/orders/1/cancel?dry_run=1", &body).await;
    assert_eq!(dry_run.status, 200, "{}", dry_run.text);
    assert_eq!(worker::run_due(&panel.app).await.unwrap(), 0, "a dry run sends no email");
    assert_eq!(panel.post("/api/v1/admin/orders/1/cancel", &body).await.status, 200);
    assert_eq!(panel.post("/api/v1/admin/orders/1/cancel", &body).await.status, 409);
    let without_email = json!({ "send_email_notification": false });
    assert_eq!(panel.post("/api/v1/admin/orders/2/cancel", &without_email).await.status, 200);
    assert_eq!(worker::run_due(&panel.app).await.unwrap(), 1);
    let mails = smtp.mails.lock().unwrap().clone();
    assert_eq!(mails.len(), 1);
    for part in [
        "From: Panel <noreply@panel.example>",
        "<eve@shop.example>",
        "Subject: Order 1 was canceled",
        "text/plain",
        "@panel.example>",
        "<b>No</b>",
        "QUIT",
    ] {
        assert!(mails[0].contains(part), "{part}: {}", mails[0]);
    }
}

async fn emails_contain_the_logo_of_the_settings(dialect: Dialect) {
    let smtp = FakeSmtp::start(ACCEPT).await;
    let panel = smtp.panel(dialect).await;
    panel.enqueue(&[email_job(1)]).await;
    worker::run_due(&panel.app).await.unwrap();
    panel.save_settings(json!({ "panel_name": "North", "email_logo": to_data_url(PIXEL) })).await;
    panel.enqueue(&[email_job(2)]).await;
    worker::run_due(&panel.app).await.unwrap();
    // A missing logo file does not stop the email.
    panel
        .execute(Sql::new("UPDATE settings SET value = '\"/uploads/gone.png\"' WHERE key = 'email_logo'"))
        .await;
    panel.enqueue(&[email_job(3)]).await;
    worker::run_due(&panel.app).await.unwrap();
    let mails = smtp.mails.lock().unwrap().clone();
    assert_eq!(mails.len(), 3);
    for part in
        ["multipart/alternative", "text/plain", "cid:logo", "alt=\"North\"", "Content-Type: image/png"]
    {
        assert!(mails[1].contains(part), "{part}: {}", mails[1]);
    }
    for plain in [&mails[0], &mails[2]] {
        assert!(!plain.contains("multipart"), "{plain}");
    }
}

async fn every_email_is_retried_until_it_is_sent_once(dialect: Dialect) {
    let smtp = FakeSmtp::start(REFUSE_CONNECTION).await;
    let panel = smtp.panel(dialect).await;
    let emails: Vec<_> = (0..30).map(email_job).collect();
    panel.enqueue(&emails).await;
    for behavior in [REFUSE_CONNECTION, REJECT_RECIPIENT] {
        smtp.set_behavior(behavior);
        panel.clock.advance_secs(200);
        while worker::run_due(&panel.app).await.unwrap() > 0 {}
        assert_eq!((panel.job_counts().await, smtp.mails.lock().unwrap().len()), ((0, 0, 30), 0));
    }
    let retried =
        Sql::new("SELECT count(*) FROM jobs WHERE last_error LIKE '%who is that%' AND attempts = 2");
    assert_eq!(panel.number(retried).await, 30);
    smtp.set_behavior(ACCEPT);
    panel.clock.advance_secs(200);
    while worker::run_due(&panel.app).await.unwrap() > 0 {}
    assert_eq!(panel.job_counts().await, (30, 0, 0));
    let mut sent: Vec<String> = smtp.mails.lock().unwrap().clone();
    sent.sort_unstable();
    sent.dedup();
    assert_eq!(sent.len(), 30, "each email is sent once");
}

async fn a_hanging_mail_server_delays_no_request_and_no_shutdown(dialect: Dialect) {
    let smtp = FakeSmtp::start(HANG).await;
    let panel = smtp.panel(dialect).await;
    shop::fill(&panel.app.db, 2, 3).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let running = RunningServer::start(panel.app.clone(), listener).unwrap();
    let started_at = Instant::now();
    for id in 1..=3 {
        let answer = panel.post(&format!("/api/v1/admin/orders/{id}/cancel"), &json!({})).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    assert!(started_at.elapsed() < Duration::from_secs(3), "{:?}", started_at.elapsed());
    // Wait until the worker hangs in the connection. Other background work must go on, and the panel must still shut down in time.
    let leased = Sql::new("SELECT count(*) FROM jobs WHERE lease_until IS NOT NULL");
    while panel.number(leased.clone()).await < 1 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    if dialect == Dialect::Postgres {
        let deltas = Sql::new("SELECT count(*) FROM row_count_deltas");
        while panel.number(deltas.clone()).await > 0 {
            assert!(started_at.elapsed() < Duration::from_secs(15), "counts are not folded");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    let stopping_since = Instant::now();
    let config = panel.app.config.clone();
    running.stop().await;
    assert!(stopping_since.elapsed() < Duration::from_secs(10), "{:?}", stopping_since.elapsed());
    // No email is lost: the jobs are due again at the next start.
    let db = panel_platform::db::Db::connect(&config.database()).await.unwrap();
    let due =
        Sql::new("SELECT count(*) FROM jobs WHERE done_at IS NULL AND lease_until IS NULL AND attempts = 0");
    assert_eq!(panel_platform::db::Source::fetch_one::<(i64,)>(&mut &db, due).await.unwrap().0, 3);
    db.close().await;
}
