//! Tests an unreachable, hanging or restarting database: requests get 503 within two seconds, and no change is lost or applied
//! twice. SQLite runs inside the server process, so most tests use only PostgreSQL.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::Request;
use panel_kernel::error::Error;
use panel_platform::config::Config;
use panel_platform::db::{Db, DbConfig, DbError, Dialect, Sql, SqlExecutor as _};
use panel_server::operations::reseller;
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};
use crate::proxy::{LinkState, Proxy};

/// Longest response time while the database is unavailable.
const MAX_RESPONSE_TIME: Duration = Duration::from_secs(2);
const NETWORKS_PATH: &str = "/api/v1/admin/networks";

test_both_databases! {
    a_read_only_database_is_not_ready;
}

/// A panel that reaches PostgreSQL through a proxy.
async fn panel_behind_proxy() -> (Panel, Proxy) {
    panel_behind_proxy_with_pool(Config::default().database_connections).await
}

/// Like [`panel_behind_proxy`], with the size of the connection pool.
async fn panel_behind_proxy_with_pool(connection_count: u32) -> (Panel, Proxy) {
    let mut proxy = None;
    let panel = Panel::with_config(Dialect::Postgres, |config| {
        config.database_connections = connection_count;
        proxy = config.database_url.as_mut().map(Proxy::for_database);
    })
    .await;
    (panel, proxy.unwrap())
}

impl Panel {
    async fn request_reseller_balance(&self) -> TestResponse {
        let request = Request::post("/api/v2")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Body::from("key=none&action=balance"));
        self.send_request(request.unwrap()).await
    }

    async fn create_network(&self, name: &str, key: &str) -> TestResponse {
        self.send("owner", "POST", NETWORKS_PATH, &json!({ "name": name }), Some(key)).await
    }

    /// Repeats a request until the database is available again.
    async fn wait_until_available(&self) {
        let started_at = Instant::now();
        while self.get(NETWORKS_PATH).await.status != 200 {
            assert!(started_at.elapsed() < Duration::from_secs(30), "the circuit breaker is still open");
            tokio::task::yield_now().await;
        }
    }
}

#[track_caller]
fn assert_unavailable(response: &TestResponse) {
    assert_eq!(
        (response.status.as_u16(), response.json()["code"].as_str()),
        (503, Some("database_unavailable"))
    );
    assert_eq!(response.headers.get("retry-after").unwrap(), "2");
}

async fn assert_outage_is_reported_soon(link_state: LinkState) {
    let (panel, proxy) = panel_behind_proxy().await;
    assert_eq!(panel.get(NETWORKS_PATH).await.status, 200);
    proxy.set_link_state(link_state);
    let started_at = Instant::now();
    assert_unavailable(&panel.get(NETWORKS_PATH).await);
    assert!(started_at.elapsed() < MAX_RESPONSE_TIME, "{:?}", started_at.elapsed());
    // A broken connection fails the request at once, while the availability probe still runs.
    while panel.app.db.is_available() {
        assert!(started_at.elapsed() < MAX_RESPONSE_TIME, "the circuit breaker is still closed");
        tokio::task::yield_now().await;
    }
    // The circuit breaker is open, so the server sends no statement.
    let started_at = Instant::now();
    for _ in 0..20 {
        assert_unavailable(&panel.get(NETWORKS_PATH).await);
        assert_unavailable(&panel.create_network("Music", "key-1").await);
        let response = panel.request_reseller_balance().await;
        assert_eq!(
            (response.status.as_u16(), response.headers.get("retry-after").unwrap().as_bytes()),
            (503, &b"2"[..])
        );
        let message = "The panel's database cannot be reached; nothing was changed. Try again in a moment.";
        assert_eq!(response.json()["error"], message);
    }
    assert!(started_at.elapsed() < MAX_RESPONSE_TIME, "the server must reject all requests at once");
    proxy.set_link_state(LinkState::Up);
    panel.wait_until_available().await;
    assert!(panel.app.db.is_available());
    let create_response = panel.create_network("Music", "key-1").await;
    assert_eq!(create_response.status, 200, "{}", create_response.text);
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
async fn no_request_fails_while_the_database_restarts() {
    // Each restart uses a new panel: the probe after the first restart continues for a while, and a second restart that also
    // breaks the connection of the probe counts as an outage.
    for round in 0..3 {
        let (panel, proxy) = panel_behind_proxy().await;
        assert_eq!(panel.get(NETWORKS_PATH).await.status, 200);
        proxy.end_connections();
        let create_response = panel.create_network("Music", "key-1").await;
        assert_eq!(create_response.status, 200, "{round}: {}", create_response.text);
        assert!(panel.app.db.is_available());
    }
}

#[tokio::test]
async fn no_request_fails_if_a_restart_breaks_many_connections() {
    let (panel, proxy) = panel_behind_proxy_with_pool(40).await;
    let run_slow_statement = || async {
        (&mut &panel.app.db)
            .fetch_one::<(i64,)>(Sql::new("SELECT CAST(1 AS BIGINT) FROM pg_sleep(0.2)"))
            .await
    };
    // Open all ten read connections, which are more than the attempts of one request.
    futures_util::future::try_join_all((0..20).map(|_| run_slow_statement())).await.unwrap();
    proxy.end_connections();
    let response = panel.get(NETWORKS_PATH).await;
    assert_eq!(response.status, 200, "{}", response.text);
    let create_response = panel.create_network("Music", "key-1").await;
    assert_eq!(create_response.status, 200, "{}", create_response.text);
    assert!(panel.app.db.is_available());
}

#[tokio::test]
async fn a_restart_that_also_breaks_a_probe_does_not_count_as_an_outage() {
    let (panel, proxy) = panel_behind_proxy().await;
    assert_eq!(panel.get(NETWORKS_PATH).await.status, 200);
    let connection_count_before = proxy.accepted_count();
    proxy.set_link_state(LinkState::Frozen);
    let restart_database = async {
        // Wait until the probe of the pending request connects.
        while proxy.accepted_count() == connection_count_before {
            tokio::task::yield_now().await;
        }
        proxy.set_link_state(LinkState::Up);
        proxy.end_connections();
    };
    let (response, ()) = tokio::join!(panel.get(NETWORKS_PATH), restart_database);
    assert_eq!(response.status, 200, "{}", response.text);
    // The probe retries once, and the server accepts all requests meanwhile.
    while proxy.accepted_count() < connection_count_before + 2 {
        let response = panel.get(NETWORKS_PATH).await;
        assert_eq!(response.status, 200, "{}", response.text);
    }
    for _ in 0..20 {
        assert_eq!(panel.get(NETWORKS_PATH).await.status, 200);
        assert!(panel.app.db.is_available());
    }
}

#[tokio::test]
async fn a_slow_statement_does_not_count_as_an_outage() {
    let (panel, _proxy) = panel_behind_proxy().await;
    let db = panel.app.db.clone();
    let slow_statement = tokio::spawn(async move {
        (&mut &db).fetch_one::<(i64,)>(Sql::new("SELECT CAST(1 AS BIGINT) FROM pg_sleep(3)")).await
    });
    while !slow_statement.is_finished() {
        assert_eq!(panel.get(NETWORKS_PATH).await.status, 200);
        assert!(panel.app.db.is_available());
    }
    assert_eq!(slow_statement.await.unwrap().unwrap(), (1,));
}

#[tokio::test]
async fn a_commit_without_a_response_has_an_unknown_outcome() {
    let (panel, proxy) = panel_behind_proxy().await;
    let mut tx = panel.app.db.begin().await.unwrap();
    let sql = "INSERT INTO networks (id, name, created_at, updated_at) VALUES (77, 'Late', 1, 1)";
    tx.execute(Sql::new(sql)).await.unwrap();
    proxy.set_link_state(LinkState::Frozen);
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
    let error_report = error.report("test");
    assert_eq!((error_report.kind.status(), error_report.code), (503, "outcome_unknown"));
    // The commit was already sent, and PostgreSQL executes it.
    proxy.set_link_state(LinkState::Up);
    panel.wait_until_available().await;
    let started_at = Instant::now();
    loop {
        let count_rows_sql = Sql::new("SELECT count(*) FROM networks WHERE id = 77");
        if (&mut &panel.app.db).fetch_one::<(i64,)>(count_rows_sql).await.unwrap().0 == 1 {
            break;
        }
        assert!(started_at.elapsed() < Duration::from_secs(30), "PostgreSQL did not execute the commit");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_repeated_idempotency_key_applies_an_interrupted_change_once() {
    let (panel, proxy) = panel_behind_proxy().await;
    for round in 0..6_u64 {
        let (name, key) = (format!("Network {round}"), format!("key-{round}"));
        let interrupt = async {
            // Interrupt the request before, during or after its commit.
            tokio::time::sleep(Duration::from_millis(round * 3)).await;
            proxy.set_link_state(if round % 2 == 0 { LinkState::Cut } else { LinkState::Frozen });
        };
        let (first_response, ()) = tokio::join!(panel.create_network(&name, &key), interrupt);
        assert!([200, 503].contains(&first_response.status.as_u16()), "{}", first_response.text);
        proxy.set_link_state(LinkState::Up);
        panel.wait_until_available().await;
        let mut repeated_response = panel.create_network(&name, &key).await;
        while repeated_response.status == 409 && repeated_response.json()["code"] == "idempotency_key_in_use"
        {
            repeated_response = panel.create_network(&name, &key).await;
        }
        assert_eq!(repeated_response.status, 200, "{}", repeated_response.text);
        let count_networks_sql = Sql::new("SELECT count(*) FROM networks WHERE name = ?").bind(name);
        assert_eq!(
            (&mut &panel.app.db).fetch_one::<(i64,)>(count_networks_sql).await.unwrap(),
            (1,),
            "round {round}"
        );
    }
}

#[tokio::test]
async fn readiness_reports_an_unavailable_database() {
    for link_state in [LinkState::Cut, LinkState::Frozen] {
        let (panel, proxy) = panel_behind_proxy().await;
        let started_at = Instant::now();
        assert_eq!(panel.get("/readyz").await.status, 200);
        proxy.set_link_state(link_state);
        // Readiness checks share a result for up to a second.
        let mut response = panel.get("/readyz").await;
        while response.status == 200 {
            assert!(started_at.elapsed() < Duration::from_secs(5), "{link_state:?}");
            response = panel.get("/readyz").await;
        }
        assert_unready(&response, &["database_read", "database_write"], "database_unavailable");
        let requested_at = Instant::now();
        panel.get("/readyz").await;
        assert!(requested_at.elapsed() < MAX_RESPONSE_TIME);
    }
}

#[track_caller]
fn assert_unready(response: &TestResponse, checks: &[&str], code: &str) {
    let body = response.json();
    assert_eq!((response.status.as_u16(), body["code"].as_str()), (503, Some(code)), "{body}");
    assert!(response.headers.contains_key("retry-after"));
    let expected: Value = checks.iter().map(|check| ((*check).to_owned(), json!([code]))).collect();
    assert_eq!(body["errors"], expected);
}

/// Polls the readiness endpoint until it reports an error, because a cached result may still be positive.
async fn wait_until_unready(panel: &Panel) -> TestResponse {
    let started_at = Instant::now();
    loop {
        let response = panel.get("/readyz").await;
        if response.status != 200 {
            return response;
        }
        assert!(started_at.elapsed() < Duration::from_secs(10), "the server is still ready");
        tokio::task::yield_now().await;
    }
}

async fn a_read_only_database_is_not_ready(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let make_read_only_sql = match dialect {
        Dialect::Sqlite => "PRAGMA query_only = ON",
        Dialect::Postgres => {
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$"
        }
    };
    panel.execute(Sql::new(make_read_only_sql)).await;
    if dialect == Dialect::Postgres {
        // The setting applies only to new connections. A broken connection makes the pool replace all older connections.
        let terminate_connection_sql =
            Sql::new("SELECT count(*) FROM (SELECT pg_terminate_backend(pg_backend_pid())) ended");
        assert!((&mut &panel.app.db).fetch_one::<(i64,)>(terminate_connection_sql).await.is_err());
    }
    assert_unready(&wait_until_unready(&panel).await, &["database_write"], "storage_read_only");
    // Reads still work.
    assert_eq!(panel.get(NETWORKS_PATH).await.status, 200);
    let response = panel.create_network("Music", "key-1").await;
    assert_eq!(
        (response.status.as_u16(), response.json()["code"].as_str()),
        (503, Some("storage_read_only"))
    );
    assert!(response.headers.contains_key("retry-after"));
}

/// Only SQLite: `db/error.rs` and the stress test (`panel-torture`) test the error code of PostgreSQL.
#[tokio::test]
async fn a_full_disk_returns_507() {
    let panel = Panel::start(Dialect::Sqlite).await;
    // Limit the database to its current size.
    panel.execute(Sql::new("PRAGMA max_page_count = 1")).await;
    for n in 0..2_000 {
        let response = panel.create_network(&format!("Network {n}"), &format!("key-{n}")).await;
        if response.status != 200 {
            assert_eq!(
                (response.status.as_u16(), response.json()["code"].as_str()),
                (507, Some("storage_full"))
            );
            assert!(response.headers.contains_key("retry-after"));
            assert_eq!(panel.get(NETWORKS_PATH).await.status, 200);
            return;
        }
    }
    panic!("the database did not become full");
}

#[tokio::test]
async fn an_unknown_outcome_has_no_retry_after_header() {
    let unknown_outcome_error = Error::from(DbError::UnknownOutcome(sqlx::Error::WorkerCrashed));
    let response = reseller::error_response(unknown_outcome_error, "test");
    assert_eq!((response.status().as_u16(), response.headers().get("retry-after")), (503, None));
    let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert!(body["error"].as_str().unwrap().contains("the outcome is unknown"), "{body}");
}

#[tokio::test]
async fn the_error_of_a_missing_database_contains_its_name() {
    let (panel, _proxy) = panel_behind_proxy().await;
    let url = panel.app.config.database_url.clone().unwrap();
    let (server_url, _) = url.rsplit_once('/').unwrap();
    let url = Some(format!("{}/no_such_shop", server_url.replace("panel@", "panel:hidden-word@")));
    let config = DbConfig { url, path: "unused".into(), max_connections: 2, is_durable: false };
    let started_at = Instant::now();
    let error_text = Db::open(&config).await.unwrap_err().to_string();
    assert!(
        error_text.starts_with("PostgreSQL at 127.0.0.1:") && !error_text.contains("hidden-word"),
        "{error_text}"
    );
    assert!(error_text.contains("no_such_shop") && error_text.contains("does not exist"), "{error_text}");
    assert!(
        started_at.elapsed() < MAX_RESPONSE_TIME,
        "the server must report a missing database without retries"
    );
}
