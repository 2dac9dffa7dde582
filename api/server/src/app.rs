//! Everything a handler may touch, handed around as one cheap clone. No globals anywhere else.

use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use metrics::{describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use panel_contract::moment::Time;
use tokio::sync::watch;

use crate::auth::password::Passwords;
use crate::auth::people::Known;
use crate::clock::Clock;
use crate::config::Config;
use crate::configuration::settings;
use crate::db::{Db, sql::hex};
use crate::http::ApiError;
use crate::http::bodies::BodyBudget;
use crate::http::rates::Rates;
use crate::http::readiness::Readiness;
use crate::jobs::processes::Processes;
use crate::live::Live;
use crate::mail::Mailer;
use crate::outbound::Outbound;
use crate::private_files;
use crate::quarantine::Quarantine;
use crate::random::Random;
use crate::secrets::{Secrets, keys};
use crate::supply::external_panels::icon::Icons;
use crate::supply::reseller::Gates;
use crate::uploads::Uploads;

/// The running panel.
#[derive(Clone)]
pub struct App(Arc<Parts>);

/// The rooms that handlers share.
pub struct Parts {
    /// Configuration.
    pub config: Config,
    /// The database.
    pub db: Db,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Random,
    /// The live channel.
    pub live: Live,
    /// Password hashes.
    pub passwords: Passwords,
    /// Sealed secrets.
    pub secrets: Secrets,
    /// Calls to the outside.
    pub outbound: Outbound,
    /// Manners towards external panels.
    pub panels: Gates,
    /// Icons of external panels that were read lately.
    pub icons: Icons,
    /// Outgoing mail.
    pub mail: Mailer,
    /// Images and other files.
    pub uploads: Uploads,
    /// Signs live subscriptions; the same in every process on one database.
    pub realtime_secret: String,
    /// When this process started.
    pub started_at: Time,
    /// Names this process among others on the same database.
    pub instance: String,
    /// How many processes work on the same database.
    pub processes: Processes,
    /// Which records this process may claim.
    pub quarantine: Quarantine,
    /// Permissions read lately.
    pub known: Known,
    /// Requests per session or address.
    pub rates: Rates,
    /// What the last probe of `/readyz` found.
    pub readiness: Readiness,
    /// Memory for the bodies of requests.
    pub bodies: Arc<BodyBudget>,
    /// Numbers for Prometheus.
    pub metrics: PrometheusHandle,
    /// The OpenAPI document, made when first asked for.
    pub openapi: OnceLock<Bytes>,
    /// Turns true once, when the process is to end.
    pub stop: watch::Sender<bool>,
}

impl App {
    /// Opens the database and puts the rooms together. The texts of errors are for whoever starts the server.
    pub async fn start(config: Config, clock: Arc<dyn Clock>, random: Random) -> Result<Self, String> {
        private_files::restrict(&config)?;
        let secrets = keys::load(&config, &random)?;
        if !config.database_is_durable {
            tracing::warn!(
                "database_is_durable is false: a loss of power loses changes and may damage SQLite's file"
            );
        }
        let db = Db::open(&config.database())
            .await
            .map_err(|error| format!("the database cannot be opened: {error}"))?;
        check_key(&db, &*clock, &secrets).await?;
        let realtime_secret = realtime_secret(&db, &*clock, &random, &secrets).await?;
        let (outbound, mail) = (Outbound::new(&config.outbound)?, Mailer::new(&config.mail)?);
        let processes = Processes::default();
        let bodies = Arc::new(BodyBudget::new(&config.limits));
        Ok(Self(Arc::new(Parts {
            passwords: Passwords::new(config.limits.password_workers),
            started_at: clock.now(),
            instance: hex(&random.bytes::<8>()),
            stop: watch::channel(false).0,
            uploads: Uploads::new(&config, bodies.unfolding(), secrets.clone())?,
            live: Live::default(),
            icons: Icons::default(),
            known: Known::default(),
            rates: Rates::new(&config.limits),
            readiness: Readiness::default(),
            bodies,
            panels: Gates::new(config.outbound.panel_calls_per_second, processes.clone()),
            processes,
            quarantine: Quarantine::default(),
            metrics: metrics_of_process(),
            openapi: OnceLock::new(),
            config,
            db,
            clock,
            random,
            outbound,
            mail,
            realtime_secret,
            secrets,
        })))
    }
}

impl std::ops::Deref for App {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        &self.0
    }
}

/// A setting that the first process makes and all others read.
async fn made_once(
    db: &Db,
    clock: &dyn Clock,
    name: &str,
    make: impl FnOnce() -> String,
) -> Result<String, String> {
    let failed = |error: ApiError| format!("the settings cannot be read: {error:?}");
    if settings::get(&mut &*db, name).await.map_err(failed)?.is_none() {
        settings::put_new(&mut &*db, name, &serde_json::json!(make()), clock.now()).await.map_err(failed)?;
    }
    // Read back: another process may have been first.
    let value = settings::get(&mut &*db, name).await.map_err(failed)?;
    Ok(value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default())
}

/// Refuses another key than the one that the database's secrets are sealed with. One that is listed as a former key may start,
/// as `secrets rotate` has still to seal them anew.
async fn check_key(db: &Db, clock: &dyn Clock, secrets: &Secrets) -> Result<(), String> {
    let mark = made_once(db, clock, settings::SECRET_KEY_MARK, || secrets.mark().to_owned()).await?;
    match secrets.key_of_mark(&mark) {
        Some(key) if key == secrets.key_id() => Ok(()),
        Some(former_key) => {
            tracing::warn!(%former_key, key = %secrets.key_id(), "secrets are still sealed with a former key; run `panel-server secrets rotate`");
            Ok(())
        }
        None => Err("the secrets in this database were sealed with another key: set secret_key (PANEL_SECRET_KEY) to the same \
             value for every process, or put its secret.key back into data_dir; to change the key, list the old one in \
             former_secret_keys and run `panel-server secrets rotate`"
            .into()),
    }
}

/// Characters of a token that is not sealed.
const PLAIN_TOKEN: usize = 43;

/// What signs live subscriptions: the first process makes it, all others read it. One from before it was sealed is sealed.
async fn realtime_secret(
    db: &Db,
    clock: &dyn Clock,
    random: &Random,
    secrets: &Secrets,
) -> Result<String, String> {
    let key = settings::REALTIME_SECRET;
    let failed = |error: ApiError| format!("the settings cannot be read: {error:?}");
    let mut db = db;
    if settings::get(&mut db, key).await.map_err(failed)?.is_none() {
        let sealed = settings::sealed(secrets, random, key, &random.token())?;
        settings::put_new(&mut db, key, &sealed, clock.now()).await.map_err(failed)?;
    }
    // Read back: another process may have been first.
    let stored = settings::get(&mut db, key).await.map_err(failed)?.unwrap_or_default();
    if let Some(plain) = stored.as_str().filter(|text| text.len() == PLAIN_TOKEN) {
        let sealed = settings::sealed(secrets, random, key, plain)?;
        settings::swap(&mut db, key, &stored, &sealed).await.map_err(failed)?;
        return Ok(plain.to_owned());
    }
    settings::opened(secrets, key, &stored)
}

/// Upper bounds of request times, in seconds.
const BUCKETS: [f64; 14] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

/// One recorder for the process, however many panels tests start in it.
fn metrics_of_process() -> PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    HANDLE
        .get_or_init(|| {
            let matcher = Matcher::Full("http_server_request_duration_seconds".into());
            let builder =
                PrometheusBuilder::new().set_buckets_for_metric(matcher, &BUCKETS).unwrap_or_default();
            let handle = builder
                .install_recorder()
                .unwrap_or_else(|_| PrometheusBuilder::new().build_recorder().handle());
            describe_histogram!(
                "http_server_request_duration_seconds",
                "Time from a request's head to its answer's."
            );
            describe_gauge!("http_server_active_requests", "Requests in work.");
            describe_counter!("panel_login_failures_total", "Sign-ins with a wrong password.");
            describe_counter!("panel_console_errors_total", "Errors that the console reported about itself.");
            describe_counter!(
                "panel_request_bodies_refused_total",
                "Bodies refused as too slow, or for want of memory of their address or of all."
            );
            describe_counter!(
                "panel_connections_closed_total",
                "Connections closed because their address had too many, or because the client did not read."
            );
            describe_counter!(
                "panel_quarantined_total",
                "Records whose work ended the process that did it, alone."
            );
            describe_counter!(
                "panel_retention_removed_total",
                "Expired records that were removed, by table."
            );
            describe_counter!("panel_db_outages_total", "Times that the database stopped to answer.");
            describe_counter!(
                "panel_db_retries_total",
                "Transactions run again because another was in the way."
            );
            handle
        })
        .clone()
}
