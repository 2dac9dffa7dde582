//! Runs the stress test on one database: creates the test data, runs clients and faults, and checks the final state.

mod environment;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use panel_kernel::clock::SystemClock;
use panel_kernel::random::Random;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep};

use crate::clients::{Clients, http_client};
use crate::evidence::{self, OrderOutcomeCounts};
use crate::faults::{self, Fault, FaultCounts, SmallDisk, random_index};
use crate::final_phase;
use crate::proxy::Proxy;
use crate::servers::{FaultControl, LaunchOptions, Server};
use crate::setup::{self, CUSTOMER_COUNT, STAFF_TOKENS, TestSetup, error_text};
use crate::violations::{ClientLog, find_violations};
use panel_platform::config::Config;
use panel_platform::db::cluster::{Cluster, TestDatabase};
use panel_server::app::App;
use panel_server::run::RunningServer;

/// Number of concurrent clients.
const CLIENT_COUNT: u64 = 12;
/// Number of servers on PostgreSQL; SQLite allows only one server.
const POSTGRES_SERVER_COUNT: usize = 4;
/// Duration of a phase with faults. After each phase, every server must become ready and pass the doctor's checks.
const PHASE_DURATION: Duration = Duration::from_secs(40);
/// Timeout after a phase for work that is still late.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(90);
/// Initial credit of every customer, in whole units.
const INITIAL_CREDIT: i64 = 100_000;
/// Maximum clock jump in either direction, in seconds.
const MAX_JUMP_SECS: u64 = 1_800;
/// Clock shift at the end of the run, in seconds. It exceeds the longest jump, so that all work that a jump delayed is due.
const FINAL_SHIFT_SECS: i64 = 2_000;

#[derive(Debug, Clone)]
pub struct RunPlan {
    /// Path of panel-server.
    pub server_binary: PathBuf,
    /// Seed of the faults, of the clients' choices and of the external panels' responses.
    pub seed: u64,
    pub fault_duration: Duration,
    /// Maximum number of orders that clients place. At the end of the run, each must be completed, canceled or waiting for staff.
    pub max_orders: u64,
    /// Number of withdrawals that clients approve, reject or mark as paid.
    pub withdrawal_count: i64,
    pub is_postgres: bool,
    /// Folder for logs and mails.
    pub work_dir: PathBuf,
}

#[derive(Debug, Default)]
pub struct RunResult {
    /// `SQLite` or `PostgreSQL`.
    pub database: &'static str,
    /// How often each fault happened.
    pub faults: FaultCounts,
    /// Faults that could not be simulated here, with the reason.
    pub skipped_faults: Vec<String>,
    pub client_log: ClientLog,
    /// Number of responses that clients received, by status.
    pub response_counts: std::collections::BTreeMap<String, u64>,
    pub order_outcomes: OrderOutcomeCounts,
    /// Number of orders at external panels.
    pub external_orders: u64,
    /// Number of events that the webhook's receiver received.
    pub webhook_events: usize,
    /// Number of quarantined records that the run released, as an operator would.
    pub released_records: usize,
    pub violations: Vec<String>,
}

/// Servers, clients and faults of a run.
pub(crate) struct TestEnvironment {
    pub(crate) launch: LaunchOptions,
    pub(crate) servers: Vec<Server>,
    /// `None` with SQLite.
    database_proxy: Option<Proxy>,
    fault_control: FaultControl,
    disk: Option<SmallDisk>,
    pub(crate) setup: TestSetup,
    pub(crate) clients: Arc<Clients>,
    pub(crate) http_client: reqwest::Client,
    active_faults: Vec<ActiveFault>,
}

struct ActiveFault {
    ends_at: Instant,
    fault: Fault,
    /// Index of the affected server or external panel.
    target_index: usize,
}

/// A PostgreSQL cluster that only this run uses. Dropping the struct stops it.
struct Postgres {
    _database: TestDatabase,
    _cluster: Cluster,
    url: String,
    port: u16,
}

/// Runs the plan. The result lists the violations. An error means that the environment failed, for example that no server started.
pub async fn run(run_plan: &RunPlan, interrupted: Arc<AtomicBool>) -> Result<RunResult, String> {
    let mut result = RunResult {
        database: if run_plan.is_postgres { "PostgreSQL" } else { "SQLite" },
        ..RunResult::default()
    };
    let data_dir = run_plan.work_dir.join("data");
    std::fs::create_dir_all(&data_dir).map_err(error_text)?;
    let disk = SmallDisk::mount(&data_dir)
        .map_err(|reason| result.skipped_faults.push(format!("disk full: {reason}")))
        .ok();
    let shim = faults::compile_shim(&run_plan.work_dir)
        .map_err(|reason| result.skipped_faults.push(format!("EIO and clock jumps: {reason}")))
        .ok();
    for reason in &result.skipped_faults {
        eprintln!("{}: fault skipped: {reason}", result.database);
    }
    let postgres = if run_plan.is_postgres { Some(start_postgres().await?) } else { None };
    let config =
        server_config(&data_dir, &run_plan.work_dir, postgres.as_ref().map(|postgres| postgres.url.clone()));
    let (setup, clients) = create_test_setup(&config, run_plan).await?;
    let launch = LaunchOptions {
        server_binary: run_plan.server_binary.clone(),
        data_dir,
        work_dir: run_plan.work_dir.clone(),
        database_url: None,
        shim,
    };
    let mut environment =
        start_environment(run_plan, launch, disk, postgres.as_ref(), setup, clients).await?;
    run_fault_phases(run_plan, &mut environment, &mut result, &interrupted).await?;
    environment.fault_control.shift_clock_secs(FINAL_SHIFT_SECS).map_err(error_text)?;
    match final_phase::stop_servers(&config, &mut environment).await {
        Ok(released) => result.released_records = released,
        Err(violation) => result.violations.push(violation),
    }
    for server in &mut environment.servers {
        server.stop().await;
    }
    check_final_state(config, &environment, &mut result).await?;
    Ok(result)
}

/// Starts a cluster that syncs to disk and runs autovacuum, as in production. Without autovacuum, PostgreSQL would keep the query
/// plans for empty tables.
async fn start_postgres() -> Result<Postgres, String> {
    let cluster = tokio::task::spawn_blocking(|| Cluster::start(true)).await.map_err(error_text)??;
    let database = cluster.fresh_database().await.map_err(error_text)?;
    let url = database.url.clone();
    let port = url.split("127.0.0.1:").nth(1).and_then(|rest| rest.split('/').next()?.parse().ok());
    Ok(Postgres { _database: database, _cluster: cluster, port: port.ok_or("the cluster has no port")?, url })
}

fn server_config(data_dir: &Path, work_dir: &Path, url: Option<String>) -> Config {
    let mut config = Config { data_dir: data_dir.to_owned(), database_url: url, ..Config::default() };
    config.limits.requests_per_minute = 1_000_000;
    config.outbound.allow_http = true;
    config.outbound.allowed_networks = "127.0.0.0/8".parse().into_iter().collect();
    config.outbound.timeout_seconds = 2;
    config.outbound.panel_calls_per_second = 10_000;
    config.mail.folder = Some(work_dir.join("mail"));
    config.mail.from = Some("Panel <noreply@panel.test>".into());
    config
}

/// Creates the panel's records before the faults begin.
async fn create_test_setup(config: &Config, run_plan: &RunPlan) -> Result<(TestSetup, Clients), String> {
    std::fs::create_dir_all(run_plan.work_dir.join("mail")).map_err(error_text)?;
    let app = App::start(config.clone(), Arc::new(SystemClock), Random::seeded(run_plan.seed)).await?;
    let setup = TestSetup::create(&app, run_plan.seed).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(error_text)?;
    let running = RunningServer::start(app.clone(), listener).map_err(error_text)?;
    let mut clients = Clients::new(vec![running.address.port()], setup.api_keys.clone());
    let random = Random::seeded(run_plan.seed);
    for user_id in 1..=CUSTOMER_COUNT {
        clients.credit_customer(&random, user_id, INITIAL_CREDIT).await;
    }
    let admin_api_url = format!("http://127.0.0.1:{}/api/v1/admin", running.address.port());
    let client = http_client();
    let types_response = client
        .get(format!("{admin_api_url}/webhook-types"))
        .bearer_auth(STAFF_TOKENS[0])
        .send()
        .await
        .map_err(error_text)?;
    let types_body: serde_json::Value =
        types_response.text().await.map_err(error_text)?.parse().map_err(error_text)?;
    let webhook_types: Vec<_> = types_body["data"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|webhook_type| webhook_type["type"].clone())
        .collect();
    let body = json!({ "url": setup.start_webhook_receiver().await?, "webhook_types": webhook_types });
    let create_response = client
        .post(format!("{admin_api_url}/webhooks"))
        .bearer_auth(STAFF_TOKENS[0])
        .json(&body)
        .send()
        .await
        .map_err(error_text)?;
    if !create_response.status().is_success() {
        let error_body = create_response.text().await.unwrap_or_default();
        return Err(format!("the server rejected the webhook: {error_body}"));
    }
    clients.set_pending_withdrawals(setup::request_withdrawals(&app, run_plan.withdrawal_count).await?);
    running.stop().await;
    Ok((setup, clients))
}

/// Starts the servers and their proxies.
async fn start_environment(
    run_plan: &RunPlan,
    mut launch: LaunchOptions,
    disk: Option<SmallDisk>,
    postgres: Option<&Postgres>,
    setup: TestSetup,
    clients: Clients,
) -> Result<TestEnvironment, String> {
    let mut database_proxy = None;
    if let Some(postgres) = postgres {
        let proxy = Proxy::start(postgres.port).await.map_err(error_text)?;
        let (proxy_port, postgres_port) = (format!(":{}/", proxy.port), format!(":{}/", postgres.port));
        launch.database_url = Some(postgres.url.replace(&postgres_port, &proxy_port));
        database_proxy = Some(proxy);
    }
    let fault_control = FaultControl::create(&run_plan.work_dir).map_err(error_text)?;
    let (mut servers, http_client) = (Vec::new(), http_client());
    let server_count = if run_plan.is_postgres { POSTGRES_SERVER_COUNT } else { 1 };
    for server_number in 0..server_count {
        let mut server = Server::start(&launch, server_number).await.map_err(error_text)?;
        server.wait_until_ready(&launch, &http_client).await?;
        servers.push(server);
    }
    let ports = servers.iter().map(|server| server.proxy.port).collect();
    let clients = Arc::new(clients.with_servers(ports, run_plan.max_orders, run_plan.fault_duration));
    Ok(TestEnvironment {
        launch,
        servers,
        database_proxy,
        fault_control,
        disk,
        setup,
        clients,
        http_client,
        active_faults: Vec::new(),
    })
}

async fn run_fault_phases(
    run_plan: &RunPlan,
    environment: &mut TestEnvironment,
    result: &mut RunResult,
    interrupted: &AtomicBool,
) -> Result<(), String> {
    let random = Random::seeded(run_plan.seed ^ 0x7074);
    let mut client_tasks = Vec::new();
    for client_number in 0..CLIENT_COUNT {
        let random = Random::seeded(run_plan.seed.wrapping_mul(1_000).wrapping_add(client_number));
        client_tasks.push(tokio::spawn(Arc::clone(&environment.clients).run(random)));
    }
    let (has_shim, has_disk) = (environment.launch.shim.is_some(), environment.disk.is_some());
    let possible_faults = faults::possible_faults(run_plan.is_postgres, has_shim, has_disk);
    let started_at = Instant::now();
    while started_at.elapsed() < run_plan.fault_duration && !interrupted.load(Ordering::SeqCst) {
        let remaining = run_plan.fault_duration.saturating_sub(started_at.elapsed());
        let phase_ends_at = Instant::now() + PHASE_DURATION.min(remaining);
        while Instant::now() < phase_ends_at {
            let fault = possible_faults[random_index(&random, possible_faults.len())];
            environment.restart_exited_servers()?;
            environment.start_fault(fault, &random, &mut result.faults)?;
            let next_fault_at =
                Instant::now() + Duration::from_millis(300 + faults::random_below(&random, 2_500));
            while Instant::now() < next_fault_at {
                environment.end_expired_faults()?;
                sleep(Duration::from_millis(50)).await;
            }
        }
        environment.end_phase(result).await?;
        eprintln!(
            "{}: {} s of {} s, {} faults",
            result.database,
            started_at.elapsed().as_secs(),
            run_plan.fault_duration.as_secs(),
            result.faults.values().sum::<u64>()
        );
    }
    environment.clients.stop();
    for client_task in client_tasks {
        client_task.await.map_err(error_text)?;
    }
    Ok(())
}

async fn check_final_state(
    config: Config,
    environment: &TestEnvironment,
    result: &mut RunResult,
) -> Result<(), String> {
    let app = final_phase::open_on_test_clock(config, &environment.setup, FINAL_SHIFT_SECS + 1).await?;
    final_phase::run_due_work(&app, &environment.setup).await?;
    let evidence = evidence::collect(&app, &environment.setup).await?;
    result.order_outcomes = evidence::count_order_outcomes(&app).await?;
    result.external_orders = evidence.external_order_counts.values().sum();
    result.client_log = environment.clients.client_log();
    result.response_counts = environment.clients.response_counts();
    result.webhook_events =
        environment.setup.receiver.event_ids.lock().map_or(0, |event_ids| event_ids.len());
    result.violations.extend(find_violations(&result.client_log, &evidence));
    app.db.close().await;
    Ok(())
}
