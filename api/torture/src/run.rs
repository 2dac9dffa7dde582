//! One run on one database: creates the test setup, runs clients and faults, and checks the final state.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use panel_kernel::clock::SystemClock;
use panel_kernel::random::Random;
use panel_platform::config::Config;
use panel_platform::db::cluster::{Cluster, TestDatabase};
use panel_server::app::App;
use panel_server::run::Running;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep};

use crate::clients::{Clients, http};
use crate::evidence::{self, Diagnosis, Ends};
use crate::faults::{self, Counts, Disk, Fault, choose};
use crate::judge::{Promises, judge};
use crate::proxy::{Line, Proxy};
use crate::servers::{Control, Launch, Server};
use crate::settle;
use crate::shop::{self, CUSTOMERS, STAFF, Shop, text};

/// Number of concurrent clients.
const CLIENTS: u64 = 12;
/// Number of servers on PostgreSQL; SQLite allows one.
const SERVERS: usize = 4;
/// Length of a phase of faults, after which everything must work again.
const PHASE: Duration = Duration::from_secs(40);
/// Timeout for outgoing work that is late after a phase.
const CATCH_UP: Duration = Duration::from_secs(90);
/// Initial credit of every customer, in whole units.
const FIRST_CREDIT: i64 = 100_000;
/// Maximum clock jump in either direction, in seconds.
const JUMP_SECS: u64 = 1_800;
/// Shift of the clock at the end: beyond all work that a jump delayed.
const AHEAD_SECS: i64 = 2_000;

/// Parameters of a run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Path of the server's program.
    pub program: PathBuf,
    /// Seed of the faults, the clients' choices and the panels' answers.
    pub seed: u64,
    /// Length of the fault phase.
    pub length: Duration,
    /// Maximum number of orders; each has to be finished at the end.
    pub orders: u64,
    /// Number of withdrawals that clients decide.
    pub withdrawals: i64,
    /// Whether it runs on PostgreSQL.
    pub is_postgres: bool,
    /// Folder for logs and mails.
    pub home: PathBuf,
}

/// Result of a run.
#[derive(Debug, Default)]
pub struct RunResult {
    /// `SQLite` or `PostgreSQL`.
    pub database: &'static str,
    /// How often each fault happened.
    pub faults: Counts,
    /// Faults that could not be simulated here, with the reason.
    pub left_out: Vec<String>,
    /// Promises of the servers to clients.
    pub promises: Promises,
    /// Number of answers of each kind.
    pub seen: std::collections::BTreeMap<String, u64>,
    /// Number of orders by their end.
    pub ends: Ends,
    /// Number of orders at external panels.
    pub at_panels: u64,
    /// Number of events at the webhook's receiver.
    pub events: usize,
    /// Number of quarantined records that were released.
    pub released: usize,
    /// All violations.
    pub violations: Vec<String>,
}

/// Servers, clients and faults of a run.
pub(crate) struct Scene {
    pub(crate) launch: Launch,
    pub(crate) servers: Vec<Server>,
    database: Option<Proxy>,
    control: Control,
    disk: Option<Disk>,
    pub(crate) shop: Shop,
    pub(crate) clients: Arc<Clients>,
    pub(crate) http: reqwest::Client,
    /// End times of the current faults.
    ends: Vec<(Instant, Fault, usize)>,
}

/// The private PostgreSQL of this run.
struct Postgres {
    _database: TestDatabase,
    _cluster: Cluster,
    url: String,
    port: u16,
}

/// Runs the plan. An error means a problem of the environment; violations by the panel are in the result.
pub async fn run(plan: &Plan, interrupted: Arc<AtomicBool>) -> Result<RunResult, String> {
    let mut verdict = RunResult {
        database: if plan.is_postgres { "PostgreSQL" } else { "SQLite" },
        ..RunResult::default()
    };
    let data = plan.home.join("data");
    std::fs::create_dir_all(&data).map_err(text)?;
    let disk = Disk::mount(&data).map_err(|why| verdict.left_out.push(format!("disk full: {why}"))).ok();
    let shim = faults::compile_shim(&plan.home)
        .map_err(|why| verdict.left_out.push(format!("EIO and clock jumps: {why}")))
        .ok();
    for why in &verdict.left_out {
        eprintln!("{}: not tried: {why}", verdict.database);
    }
    let postgres = if plan.is_postgres { Some(postgres().await?) } else { None };
    let config = config(&data, &plan.home, postgres.as_ref().map(|postgres| postgres.url.clone()));
    let (shop, clients) = prepare(&config, plan).await?;
    let launch = Launch { program: plan.program.clone(), data, home: plan.home.clone(), url: None, shim };
    let mut scene = open(plan, launch, disk, postgres.as_ref(), shop, clients).await?;
    torture(plan, &mut scene, &mut verdict, &interrupted).await?;
    scene.control.shift_clock_secs(AHEAD_SECS).map_err(text)?;
    match settle::end_servers(&config, &mut scene).await {
        Ok(released) => verdict.released = released,
        Err(why) => verdict.violations.push(why),
    }
    for server in &mut scene.servers {
        server.stop().await;
    }
    conclude(config, &scene, &mut verdict).await?;
    Ok(verdict)
}

/// Durable and with autovacuum, as in production; without it, query plans would stay those of empty tables.
async fn postgres() -> Result<Postgres, String> {
    let cluster = tokio::task::spawn_blocking(|| Cluster::start(true)).await.map_err(text)??;
    let database = cluster.fresh_database().await.map_err(text)?;
    let url = database.url.clone();
    let port = url.split("127.0.0.1:").nth(1).and_then(|rest| rest.split('/').next()?.parse().ok());
    Ok(Postgres { _database: database, _cluster: cluster, port: port.ok_or("the cluster has no port")?, url })
}

fn config(data: &Path, home: &Path, url: Option<String>) -> Config {
    let mut config = Config { data_dir: data.to_owned(), database_url: url, ..Config::default() };
    config.limits.requests_per_minute = 1_000_000;
    config.outbound.allow_http = true;
    config.outbound.allowed_networks = "127.0.0.0/8".parse().into_iter().collect();
    config.outbound.seconds = 2;
    config.outbound.panel_calls_per_second = 10_000;
    config.mail.folder = Some(home.join("mail"));
    config.mail.from = Some("Panel <noreply@panel.test>".into());
    config
}

/// Fills the panel before the faults begin.
async fn prepare(config: &Config, plan: &Plan) -> Result<(Shop, Clients), String> {
    std::fs::create_dir_all(plan.home.join("mail")).map_err(text)?;
    let app = App::start(config.clone(), Arc::new(SystemClock), Random::seeded(plan.seed)).await?;
    let shop = Shop::make(&app, plan.seed).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(text)?;
    let running = Running::start(app.clone(), listener).map_err(text)?;
    let mut clients = Clients::new(vec![running.address.port()], shop.keys.clone());
    let random = Random::seeded(plan.seed);
    for user in 1..=CUSTOMERS {
        clients.credit(&random, user, FIRST_CREDIT).await;
    }
    let base = format!("http://127.0.0.1:{}/api/v1/admin", running.address.port());
    let client = http();
    let types =
        client.get(format!("{base}/webhook-types")).bearer_auth(STAFF[0]).send().await.map_err(text)?;
    let types: serde_json::Value = types.text().await.map_err(text)?.parse().map_err(text)?;
    let types: Vec<_> =
        types["data"].as_array().into_iter().flatten().map(|one| one["type"].clone()).collect();
    let body = json!({ "url": shop.webhook().await?, "webhook_types": types });
    let made = client
        .post(format!("{base}/webhooks"))
        .bearer_auth(STAFF[0])
        .json(&body)
        .send()
        .await
        .map_err(text)?;
    if !made.status().is_success() {
        return Err(format!("the webhook was refused: {}", made.text().await.unwrap_or_default()));
    }
    clients.decide(shop::withdrawals(&app, plan.withdrawals).await?);
    running.stop().await;
    Ok((shop, clients))
}

/// Starts the servers and their proxies.
async fn open(
    plan: &Plan,
    mut launch: Launch,
    disk: Option<Disk>,
    postgres: Option<&Postgres>,
    shop: Shop,
    clients: Clients,
) -> Result<Scene, String> {
    let mut database = None;
    if let Some(postgres) = postgres {
        let proxy = Proxy::before(postgres.port).await.map_err(text)?;
        let (own, behind) = (format!(":{}/", proxy.port), format!(":{}/", postgres.port));
        launch.url = Some(postgres.url.replace(&behind, &own));
        database = Some(proxy);
    }
    let control = Control::make(&plan.home).map_err(text)?;
    let (mut servers, http) = (Vec::new(), http());
    for number in 0..if plan.is_postgres { SERVERS } else { 1 } {
        let mut server = Server::start(&launch, number).await.map_err(text)?;
        server.ready(&launch, &http).await?;
        servers.push(server);
    }
    let ports = servers.iter().map(|server| server.proxy.port).collect();
    let clients = Arc::new(clients.at(ports, plan.orders, plan.length));
    Ok(Scene { launch, servers, database, control, disk, shop, clients, http, ends: Vec::new() })
}

async fn torture(
    plan: &Plan,
    scene: &mut Scene,
    verdict: &mut RunResult,
    interrupted: &AtomicBool,
) -> Result<(), String> {
    let random = Random::seeded(plan.seed ^ 0x7074);
    let mut running = Vec::new();
    for number in 0..CLIENTS {
        let random = Random::seeded(plan.seed.wrapping_mul(1_000).wrapping_add(number));
        running.push(tokio::spawn(Arc::clone(&scene.clients).run(random)));
    }
    let possible = faults::possible(plan.is_postgres, scene.launch.shim.is_some(), scene.disk.is_some());
    let begun = Instant::now();
    while begun.elapsed() < plan.length && !interrupted.load(Ordering::SeqCst) {
        let left = plan.length.saturating_sub(begun.elapsed());
        let until = Instant::now() + PHASE.min(left);
        while Instant::now() < until {
            let fault = possible[choose(&random, possible.len())];
            scene.restart_ended_servers()?;
            scene.begin(fault, &random, &mut verdict.faults)?;
            let pause = Instant::now() + Duration::from_millis(300 + faults::below(&random, 2_500));
            while Instant::now() < pause {
                scene.end_expired_faults(false)?;
                sleep(Duration::from_millis(50)).await;
            }
        }
        scene.end_phase(verdict).await?;
        eprintln!(
            "{}: {} s of {} s, {} faults",
            verdict.database,
            begun.elapsed().as_secs(),
            plan.length.as_secs(),
            verdict.faults.values().sum::<u64>()
        );
    }
    scene.clients.end();
    for client in running {
        client.await.map_err(text)?;
    }
    Ok(())
}

impl Scene {
    /// Restarts servers that ended by themselves, as an orchestrator does. Servers ended by a fault are restarted at its end.
    fn restart_ended_servers(&mut self) -> Result<(), String> {
        for (at, server) in self.servers.iter_mut().enumerate() {
            let is_down = |(_, fault, of): &(Instant, Fault, usize)| {
                matches!(fault, Fault::Kill | Fault::Restart) && *of == at
            };
            if !self.ends.iter().any(is_down) {
                server.restart(&self.launch).map_err(text)?;
            }
        }
        Ok(())
    }

    fn begin(&mut self, fault: Fault, random: &Random, counts: &mut Counts) -> Result<(), String> {
        let server = choose(random, self.servers.len());
        let panel = choose(random, self.shop.proxies.len());
        let mut lasts = faults::duration(random);
        let mut at = server;
        match fault {
            Fault::Kill => {
                self.servers[server].kill();
                lasts /= 4;
            }
            Fault::Restart => self.servers[server].end(),
            Fault::Freeze => self.servers[server].freeze(),
            Fault::CutDatabase => self.database(Line::Cut),
            Fault::FreezeDatabase => self.database(Line::Frozen),
            Fault::SlowDatabase => self.database(Line::Slow),
            Fault::CutClients => {
                self.servers[server].proxy.set(Line::Cut);
                lasts /= 8;
            }
            Fault::CutPanel | Fault::SlowPanel => {
                at = panel;
                let line = if fault == Fault::CutPanel { Line::Cut } else { Line::Slow };
                self.shop.proxies[panel].set(line);
            }
            Fault::FullDisk => self.disk.iter().for_each(Disk::fill),
            Fault::BrokenDisk => {
                let of = 1 + i64::try_from(faults::below(random, 9)).unwrap_or_default();
                self.control.fail_writes(of).map_err(text)?;
                lasts /= 2;
            }
            Fault::Clock => {
                let by = i64::try_from(faults::below(random, 2 * JUMP_SECS)).unwrap_or_default();
                self.control
                    .shift_clock_secs(by - i64::try_from(JUMP_SECS).unwrap_or_default())
                    .map_err(text)?;
            }
        }
        *counts.entry(fault).or_default() += 1;
        self.ends.push((Instant::now() + lasts, fault, at));
        Ok(())
    }

    fn database(&self, line: Line) {
        self.database.iter().for_each(|proxy| proxy.set(line));
    }

    /// Ends expired faults, or all of them.
    fn end_expired_faults(&mut self, all: bool) -> Result<(), String> {
        let now = Instant::now();
        let (over, lasting) = self.ends.drain(..).partition(|(at, _, _)| all || *at <= now);
        self.ends = lasting;
        let over: Vec<(Instant, Fault, usize)> = over;
        for (_, fault, at) in over {
            match fault {
                Fault::Kill | Fault::Restart => drop(self.servers[at].restart(&self.launch).map_err(text)?),
                Fault::Freeze => self.servers[at].thaw(),
                Fault::CutDatabase | Fault::FreezeDatabase | Fault::SlowDatabase => self.database(Line::Up),
                Fault::CutClients => self.servers[at].proxy.set(Line::Up),
                Fault::CutPanel | Fault::SlowPanel => self.shop.proxies[at].set(Line::Up),
                Fault::FullDisk => self.disk.iter().for_each(Disk::free),
                Fault::BrokenDisk => self.control.fail_writes(0).map_err(text)?,
                // The next jump, or the end of the phase, resets the clock.
                Fault::Clock => {}
            }
        }
        Ok(())
    }

    /// Ends all faults. Every server must become ready again, and the doctor must find no violation.
    async fn end_phase(&mut self, verdict: &mut RunResult) -> Result<(), String> {
        self.end_expired_faults(true)?;
        self.control.shift_clock_secs(0).map_err(text)?;
        for server in &mut self.servers {
            server.thaw();
        }
        for server in &mut self.servers {
            if let Err(why) = server.ready(&self.launch, &self.http).await {
                verdict.violations.push(why);
            }
        }
        verdict.violations.extend(self.doctor_between_phases().await);
        Ok(())
    }

    /// The doctor's violations. Work that became due while the clock was behind counts as late until it is done.
    async fn doctor_between_phases(&self) -> Vec<String> {
        let begun = Instant::now();
        loop {
            let diagnosis = match self.clients.doctor(self.servers[0].proxy.port).await {
                Ok(report) => Diagnosis::of(&report),
                Err(why) => Diagnosis::missing(&why),
            };
            if !matches!(diagnosis, Diagnosis::Pending(_)) || begun.elapsed() > CATCH_UP {
                return diagnosis.into_violations();
            }
            sleep(Duration::from_millis(500)).await;
        }
    }
}

async fn conclude(config: Config, scene: &Scene, verdict: &mut RunResult) -> Result<(), String> {
    let app = settle::open(config, &scene.shop, AHEAD_SECS + 1).await?;
    settle::settle(&app, &scene.shop).await?;
    let found = evidence::collect(&app, &scene.shop).await?;
    verdict.ends = evidence::ends(&app).await?;
    verdict.at_panels = found.at_panels.values().sum();
    verdict.promises = scene.clients.promises();
    verdict.seen = scene.clients.seen();
    verdict.events = scene.shop.receiver.events.lock().map_or(0, |events| events.len());
    verdict.violations.extend(judge(&verdict.promises, &found));
    app.db.close().await;
    Ok(())
}
