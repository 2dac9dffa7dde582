//! Mail leaves by jobs: a mail server that refuses, rejects, hangs or is away delays nothing and loses nothing.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use panel_contract::upload::data_url;
use panel_platform::db::{Dialect, Sql};
use panel_server::background::worker;
use panel_server::run::Running;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::jobs::letter;
use crate::panel::Panel;
use crate::shop;
use crate::uploads::PIXEL;

both! {
    a_cancel_tells_its_customer;
    no_mail_is_lost;
    a_hung_server_delays_nothing;
    mails_carry_the_logo;
}

const REFUSE: u8 = 0;
const REJECT: u8 = 1;
const HANG: u8 = 2;
const ACCEPT: u8 = 3;

/// A mail server with moods.
#[derive(Clone)]
struct Smtp {
    url: String,
    mood: Arc<AtomicU8>,
    mails: Arc<Mutex<Vec<String>>>,
}

impl Smtp {
    async fn start(mood: u8) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let smtp = Self { url, mood: Arc::new(AtomicU8::new(mood)), mails: Arc::default() };
        let server = smtp.clone();
        tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                let server = server.clone();
                // A client that hangs up ends its conversation.
                tokio::spawn(async move { drop(server.talk(socket).await) });
            }
        });
        smtp
    }

    async fn talk(&self, mut socket: TcpStream) -> std::io::Result<()> {
        match self.mood.load(Ordering::SeqCst) {
            REFUSE => return socket.write_all(b"421 not now\r\n").await,
            HANG => std::future::pending().await,
            _ => {}
        }
        let (read, mut write) = socket.split();
        let mut lines = BufReader::new(read).lines();
        write.write_all(b"220 ready\r\n").await?;
        while let Some(line) = lines.next_line().await? {
            let answer: &[u8] = match line.get(..4).unwrap_or_default() {
                "EHLO" => b"250-here\r\n250 8BITMIME\r\n",
                "RCPT" if self.mood.load(Ordering::SeqCst) == REJECT => b"550 who is that\r\n",
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

    fn become_(&self, mood: u8) {
        self.mood.store(mood, Ordering::SeqCst);
    }

    async fn panel(&self, dialect: Dialect) -> Panel {
        Panel::with(dialect, |config| {
            config.mail.smtp_url = Some(self.url.clone());
            config.mail.from = Some("Panel <noreply@panel.example>".into());
        })
        .await
    }
}

async fn a_cancel_tells_its_customer(dialect: Dialect) {
    let smtp = Smtp::start(ACCEPT).await;
    let panel = smtp.panel(dialect).await;
    shop::fill(&panel.app.db, 3, 4).await;
    let rename = "UPDATE users SET name = ?, email = 'eve@shop.example', notify_orders = TRUE WHERE id = (SELECT user_id FROM orders WHERE id = 1)";
    panel.exec(Sql::new(rename).bind("Eve <script>\u{1f600}")).await;
    let body =
        json!({ "return_money": true, "cancel_reason": "other", "cancel_description": "<b>No</b>\n.\nQUIT" });
    let dry = panel.post("/api/v1/admin/orders/1/cancel?dry_run=1", &body).await;
    assert_eq!(dry.status, 200, "{}", dry.text);
    assert_eq!(worker::run_due(&panel.app).await.unwrap(), 0, "a dry run sends no email");
    assert_eq!(panel.post("/api/v1/admin/orders/1/cancel", &body).await.status, 200);
    assert_eq!(panel.post("/api/v1/admin/orders/1/cancel", &body).await.status, 409);
    let silent = json!({ "send_email_notification": false });
    assert_eq!(panel.post("/api/v1/admin/orders/2/cancel", &silent).await.status, 200);
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

async fn mails_carry_the_logo(dialect: Dialect) {
    let smtp = Smtp::start(ACCEPT).await;
    let panel = smtp.panel(dialect).await;
    panel.enqueue(&[letter(1)]).await;
    worker::run_due(&panel.app).await.unwrap();
    panel.settled(json!({ "panel_name": "North", "email_logo": data_url(PIXEL) })).await;
    panel.enqueue(&[letter(2)]).await;
    worker::run_due(&panel.app).await.unwrap();
    // A file that is gone holds no mail back.
    panel
        .exec(Sql::new("UPDATE settings SET value = '\"/uploads/gone.png\"' WHERE key = 'email_logo'"))
        .await;
    panel.enqueue(&[letter(3)]).await;
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

async fn no_mail_is_lost(dialect: Dialect) {
    let smtp = Smtp::start(REFUSE).await;
    let panel = smtp.panel(dialect).await;
    let letters: Vec<_> = (0..30).map(letter).collect();
    panel.enqueue(&letters).await;
    for mood in [REFUSE, REJECT] {
        smtp.become_(mood);
        panel.clock.advance_secs(200);
        while worker::run_due(&panel.app).await.unwrap() > 0 {}
        assert_eq!((panel.tally().await, smtp.mails.lock().unwrap().len()), ((0, 0, 30), 0));
    }
    let retried =
        Sql::new("SELECT count(*) FROM jobs WHERE last_error LIKE '%who is that%' AND attempts = 2");
    assert_eq!(panel.number(retried).await, 30);
    smtp.become_(ACCEPT);
    panel.clock.advance_secs(200);
    while worker::run_due(&panel.app).await.unwrap() > 0 {}
    assert_eq!(panel.tally().await, (30, 0, 0));
    let mut to: Vec<String> = smtp.mails.lock().unwrap().clone();
    to.sort_unstable();
    to.dedup();
    assert_eq!(to.len(), 30, "each once");
}

async fn a_hung_server_delays_nothing(dialect: Dialect) {
    let smtp = Smtp::start(HANG).await;
    let panel = smtp.panel(dialect).await;
    shop::fill(&panel.app.db, 2, 3).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let running = Running::start(panel.app.clone(), listener).unwrap();
    let begun = Instant::now();
    for id in 1..=3 {
        let answer = panel.post(&format!("/api/v1/admin/orders/{id}/cancel"), &json!({})).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    // Wait until the worker hangs on it, then see that all else goes on and that the panel still ends in time.
    let leased = Sql::new("SELECT count(*) FROM jobs WHERE lease_until IS NOT NULL");
    while panel.number(leased.clone()).await < 1 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    if dialect == Dialect::Postgres {
        let deltas = Sql::new("SELECT count(*) FROM row_count_deltas");
        while panel.number(deltas.clone()).await > 0 {
            assert!(begun.elapsed() < Duration::from_secs(15), "counts are not folded");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    let stopping = Instant::now();
    let config = panel.app.config.clone();
    running.stop().await;
    assert!(stopping.elapsed() < Duration::from_secs(10), "{:?}", stopping.elapsed());
    // Nothing is lost: the jobs are due again for the next start.
    let db = panel_platform::db::Db::connect(&config.database()).await.unwrap();
    let due =
        Sql::new("SELECT count(*) FROM jobs WHERE done_at IS NULL AND lease_until IS NULL AND attempts = 0");
    assert_eq!(panel_platform::db::Source::one::<(i64,)>(&mut &db, due).await.unwrap().0, 3);
    db.close().await;
}
