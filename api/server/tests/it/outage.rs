//! A database that is unreachable, hangs or restarts: requests get 503 within two seconds, and no change is lost or applied
//! twice. SQLite runs inside the server process, so most tests use PostgreSQL only.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::Request;
use panel_kernel::error::Error;
use panel_platform::config::Config;
use panel_platform::db::{Db, DbConfig, DbError, Dialect, Source as _, Sql};
use panel_server::operations::reseller;
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::proxy::{LinkState, Proxy};

/// Longest response time while the database is unavailable.
const MAX_RESPONSE_TIME: Duration = Duration::from_secs(2);
const NETWORKS: &str = "/api/v1/admin/networks";

both! {
    a_read_only_database_is_not_ready;
}

/// A panel that reaches PostgreSQL through a proxy.
async fn panel_behind_proxy() -> (Panel, Proxy) {
    panel_behind_proxy_with_pool(Config::default().database_connections).await
}

/// Like [`panel_behind_proxy`], with the size of the connection pool.
async fn panel_behind_proxy_with_pool(connections: u32) -> (Panel, Proxy) {
    let mut proxy = None;
    let panel = Panel::with_config(Dialect::Postgres, |config| {
        config.database_connections = connections;
        proxy = config.database_url.as_mut().map(Proxy::before);
    })
    .await;
    (panel, proxy.unwrap())
}

impl Panel {
    async fn call_reseller(&self) -> Answer {
        let request = Request::post("/api/v2")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Body::from("key=none&action=balance"));
        self.answer(request.unwrap()).await
    }

    async fn create_network(&self, name: &str, key: &str) -> Answer {
        self.send("owner", "POST", NETWORKS, &json!({ "name": name }), Some(key)).await
    }

    /// Repeats a request until the database is available again.
    async fn wait_until_available(&self) {
        let started_at = Instant::now();
        while self.get(NETWORKS).await.status != 200 {
            assert!(started_at.elapsed() < Duration::from_secs(30), "the breaker stays open");
            tokio::task::yield_now().await;
        }
    }
}

#[track_caller]
fn assert_unavailable(answer: &Answer) {
    assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (503, Some("database_unavailable")));
    assert_eq!(answer.headers.get("retry-after").unwrap(), "2");
}

async fn assert_outage_is_reported_soon(link: LinkState) {
    let (panel, proxy) = panel_behind_proxy().await;
    assert_eq!(panel.get(NETWORKS).await.status, 200);
    proxy.set_link(link);
    let started_at = Instant::now();
    assert_unavailable(&panel.get(NETWORKS).await);
    assert!(started_at.elapsed() < MAX_RESPONSE_TIME, "{:?}", started_at.elapsed());
    // A broken connection fails the request at once, while the availability probe still runs.
    while panel.app.db.is_available() {
        assert!(started_at.elapsed() < MAX_RESPONSE_TIME, "the breaker stays closed");
        tokio::task::yield_now().await;
    }
    // The breaker is open: the server sends no statement.
    let started_at = Instant::now();
    for _ in 0..20 {
        assert_unavailable(&panel.get(NETWORKS).await);
        assert_unavailable(&panel.create_network("Music", "key-1").await);
        let answer = panel.call_reseller().await;
        assert_eq!(
            (answer.status.as_u16(), answer.headers.get("retry-after").unwrap().as_bytes()),
            (503, &b"2"[..])
        );
        let message = "The panel's database cannot be reached; nothing was changed. Try again in a moment.";
        assert_eq!(answer.json()["error"], message);
    }
    assert!(started_at.elapsed() < MAX_RESPONSE_TIME, "all requests are refused at once");
    proxy.set_link(LinkState::Up);
    panel.wait_until_available().await;
    assert!(panel.app.db.is_available());
    let created = panel.create_network("Music", "key-1").await;
    assert_eq!(created.status, 200, "{}", created.text);
}

#[tokio::test]
async fn an_unreachable_database_is_reported_within_two_seconds() {
    assert_outage_is_reported_soon(LinkState::Cut).await;
}

#[tokio::test]
async fn a_hanging_database_is_reported_within_two_seconds() {
    assert_outage_is_reported_soon(LinkState::Frozen).await;
}

#[tokio::test]
async fn a_restart_of_the_database_fails_no_request() {
    // Use a new panel for each restart: the probe after the first restart still runs for a while, and a second restart that
    // breaks its connection too counts as an outage.
    for round in 0..3 {
        let (panel, proxy) = panel_behind_proxy().await;
        assert_eq!(panel.get(NETWORKS).await.status, 200);
        proxy.end_connections();
        let created = panel.create_network("Music", "key-1").await;
        assert_eq!(created.status, 200, "{round}: {}", created.text);
        assert!(panel.app.db.is_available());
    }
}

#[tokio::test]
async fn a_restart_fails_no_request_however_many_connections_it_breaks() {
    let (panel, proxy) = panel_behind_proxy_with_pool(40).await;
    let slow = || async {
        (&mut &panel.app.db)
            .fetch_one::<(i64,)>(Sql::new("SELECT CAST(1 AS BIGINT) FROM pg_sleep(0.2)"))
            .await
    };
    // Open all ten read connections, more than a request makes attempts.
    futures_util::future::try_join_all((0..20).map(|_| slow())).await.unwrap();
    proxy.end_connections();
    let answer = panel.get(NETWORKS).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let created = panel.create_network("Music", "key-1").await;
    assert_eq!(created.status, 200, "{}", created.text);
    assert!(panel.app.db.is_available());
}

#[tokio::test]
async fn a_restart_that_also_breaks_a_probe_is_no_outage() {
    let (panel, proxy) = panel_behind_proxy().await;
    assert_eq!(panel.get(NETWORKS).await.status, 200);
    let before = proxy.accepted();
    proxy.set_link(LinkState::Frozen);
    let restart = async {
        // Wait until the probe of the pending request connects.
        while proxy.accepted() == before {
            tokio::task::yield_now().await;
        }
        proxy.set_link(LinkState::Up);
        proxy.end_connections();
    };
    let (answer, ()) = tokio::join!(panel.get(NETWORKS), restart);
    assert_eq!(answer.status, 200, "{}", answer.text);
    // The probe retries once, and the server refuses no request meanwhile.
    while proxy.accepted() < before + 2 {
        let answer = panel.get(NETWORKS).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    for _ in 0..20 {
        assert_eq!(panel.get(NETWORKS).await.status, 200);
        assert!(panel.app.db.is_available());
    }
}

#[tokio::test]
async fn a_slow_statement_is_no_outage() {
    let (panel, _proxy) = panel_behind_proxy().await;
    let slow = panel.app.db.clone();
    let slow = tokio::spawn(async move {
        (&mut &slow).fetch_one::<(i64,)>(Sql::new("SELECT CAST(1 AS BIGINT) FROM pg_sleep(3)")).await
    });
    while !slow.is_finished() {
        assert_eq!(panel.get(NETWORKS).await.status, 200);
        assert!(panel.app.db.is_available());
    }
    assert_eq!(slow.await.unwrap().unwrap(), (1,));
}

#[tokio::test]
async fn a_commit_without_a_response_has_an_unknown_outcome() {
    let (panel, proxy) = panel_behind_proxy().await;
    let mut tx = panel.app.db.begin().await.unwrap();
    let sql = "INSERT INTO networks (id, name, created_at, updated_at) VALUES (77, 'Late', 1, 1)";
    tx.execute(Sql::new(sql)).await.unwrap();
    proxy.set_link(LinkState::Frozen);
    let started_at = Instant::now();
    let error = tx.commit().await.unwrap_err();
    assert!(
        started_at.elapsed() < MAX_RESPONSE_TIME && matches!(error, DbError::UnknownOutcome(_)),
        "{error}"
    );
    let error = Error::from(error);
    assert!(
        error.is_unavailable() && !error.is_lost_connection(),
        "an unknown outcome must not be retried automatically"
    );
    let rejection = error.report("test");
    assert_eq!((rejection.kind.status(), rejection.code), (503, "outcome_unknown"));
    // The commit was already sent, and PostgreSQL executes it.
    proxy.set_link(LinkState::Up);
    panel.wait_until_available().await;
    let started_at = Instant::now();
    loop {
        let count = Sql::new("SELECT count(*) FROM networks WHERE id = 77");
        if (&mut &panel.app.db).fetch_one::<(i64,)>(count).await.unwrap().0 == 1 {
            break;
        }
        assert!(started_at.elapsed() < Duration::from_secs(30), "the commit that was sent is never executed");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_repeated_idempotency_key_applies_an_interrupted_change_once() {
    let (panel, proxy) = panel_behind_proxy().await;
    for round in 0..6_u64 {
        let (name, key) = (format!("Network {round}"), format!("key-{round}"));
        let cut = async {
            // Interrupt the request before, during or after its commit.
            tokio::time::sleep(Duration::from_millis(round * 3)).await;
            proxy.set_link(if round % 2 == 0 { LinkState::Cut } else { LinkState::Frozen });
        };
        let (first, ()) = tokio::join!(panel.create_network(&name, &key), cut);
        assert!([200, 503].contains(&first.status.as_u16()), "{}", first.text);
        proxy.set_link(LinkState::Up);
        panel.wait_until_available().await;
        let mut repeated = panel.create_network(&name, &key).await;
        while repeated.status == 409 && repeated.json()["code"] == "idempotency_key_in_use" {
            repeated = panel.create_network(&name, &key).await;
        }
        assert_eq!(repeated.status, 200, "{}", repeated.text);
        let created = Sql::new("SELECT count(*) FROM networks WHERE name = ?").bind(name);
        assert_eq!((&mut &panel.app.db).fetch_one::<(i64,)>(created).await.unwrap(), (1,), "round {round}");
    }
}

#[tokio::test]
async fn readiness_reports_an_unavailable_database() {
    for link in [LinkState::Cut, LinkState::Frozen] {
        let (panel, proxy) = panel_behind_proxy().await;
        let started_at = Instant::now();
        assert_eq!(panel.get("/readyz").await.status, 200);
        proxy.set_link(link);
        // Readiness checks share a result for up to a second.
        let mut answer = panel.get("/readyz").await;
        while answer.status == 200 {
            assert!(started_at.elapsed() < Duration::from_secs(5), "{link:?}");
            answer = panel.get("/readyz").await;
        }
        assert_unready(&answer, &["database_read", "database_write"], "database_unavailable");
        let requested_at = Instant::now();
        panel.get("/readyz").await;
        assert!(requested_at.elapsed() < MAX_RESPONSE_TIME);
    }
}

#[track_caller]
fn assert_unready(answer: &Answer, checks: &[&str], code: &str) {
    let body = answer.json();
    assert_eq!((answer.status.as_u16(), body["code"].as_str()), (503, Some(code)), "{body}");
    assert!(answer.headers.contains_key("retry-after"));
    let expected: Value = checks.iter().map(|check| ((*check).to_owned(), json!([code]))).collect();
    assert_eq!(body["errors"], expected);
}

/// Polls the readiness endpoint until it fails, since a cached result may still say ready.
async fn wait_until_unready(panel: &Panel) -> Answer {
    let started_at = Instant::now();
    loop {
        let answer = panel.get("/readyz").await;
        if answer.status != 200 {
            return answer;
        }
        assert!(started_at.elapsed() < Duration::from_secs(10), "the panel stays ready");
        tokio::task::yield_now().await;
    }
}

async fn a_read_only_database_is_not_ready(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let make_read_only = match dialect {
        Dialect::Sqlite => "PRAGMA query_only = ON",
        Dialect::Postgres => {
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$"
        }
    };
    panel.execute(Sql::new(make_read_only)).await;
    if dialect == Dialect::Postgres {
        // The setting holds for new connections only; a broken connection makes the pool replace all older ones.
        let terminate_connection =
            Sql::new("SELECT count(*) FROM (SELECT pg_terminate_backend(pg_backend_pid())) ended");
        assert!((&mut &panel.app.db).fetch_one::<(i64,)>(terminate_connection).await.is_err());
    }
    assert_unready(&wait_until_unready(&panel).await, &["database_write"], "storage_read_only");
    // Reads still work.
    assert_eq!(panel.get(NETWORKS).await.status, 200);
    let answer = panel.create_network("Music", "key-1").await;
    assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (503, Some("storage_read_only")));
    assert!(answer.headers.contains_key("retry-after"));
}

/// SQLite only: `db/error.rs` and the torture run test the error code of PostgreSQL.
#[tokio::test]
async fn a_full_disk_returns_507() {
    let panel = Panel::on(Dialect::Sqlite).await;
    // Limit the database to its current size.
    panel.execute(Sql::new("PRAGMA max_page_count = 1")).await;
    for n in 0..2_000 {
        let answer = panel.create_network(&format!("Network {n}"), &format!("key-{n}")).await;
        if answer.status != 200 {
            assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (507, Some("storage_full")));
            assert!(answer.headers.contains_key("retry-after"));
            assert_eq!(panel.get(NETWORKS).await.status, 200);
            return;
        }
    }
    panic!("the database never fills up");
}

#[tokio::test]
async fn an_unknown_outcome_has_no_retry_after_header() {
    let unknown = Error::from(DbError::UnknownOutcome(sqlx::Error::WorkerCrashed));
    let answer = reseller::error_response(unknown, "test");
    assert_eq!((answer.status().as_u16(), answer.headers().get("retry-after")), (503, None));
    let body = axum::body::to_bytes(answer.into_body(), 10_000).await.unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert!(body["error"].as_str().unwrap().contains("the outcome is unknown"), "{body}");
}

#[tokio::test]
async fn a_missing_database_is_named_in_the_error() {
    let (panel, _proxy) = panel_behind_proxy().await;
    let url = panel.app.config.database_url.clone().unwrap();
    let (server, _) = url.rsplit_once('/').unwrap();
    let url = Some(format!("{}/no_such_shop", server.replace("panel@", "panel:hidden-word@")));
    let config = DbConfig { url, path: "unused".into(), max_connections: 2, is_durable: false };
    let started_at = Instant::now();
    let text = Db::open(&config).await.unwrap_err().to_string();
    assert!(text.starts_with("PostgreSQL at 127.0.0.1:") && !text.contains("hidden-word"), "{text}");
    assert!(text.contains("no_such_shop") && text.contains("does not exist"), "{text}");
    assert!(started_at.elapsed() < MAX_RESPONSE_TIME, "a missing database is reported without retries");
}
