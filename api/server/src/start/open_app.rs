//! Opens a panel: the database, the keys, and the state that all request handlers share.

use std::sync::{Arc, OnceLock};

use panel_kernel::clock::Clock;
use panel_kernel::error::Error;
use panel_kernel::random::Random;
use tokio::sync::watch;

use super::metrics::install_metrics_recorder;
use crate::app::icon_cache::IconCache;
use crate::app::panel_limits::PanelLimits;
use crate::app::{App, AppState};
use crate::auth::password::Passwords;
use crate::auth::staff_accounts::SessionCache;
use crate::background::worker;
use crate::event_sinks;
use crate::http::bodies::BodyBudget;
use crate::http::rates::RequestRates;
use crate::http::readiness::Readiness;
use panel_platform::config::Config;
use panel_platform::db::Db;
use panel_platform::db::sql::hex;
use panel_platform::jobs::processes::Processes;
use panel_platform::live::Live;
use panel_platform::mail::Mailer;
use panel_platform::outbound::OutboundClient;
use panel_platform::platform::{Platform, PlatformParts};
use panel_platform::private_files;
use panel_platform::quarantine::state::Quarantine;
use panel_platform::secrets::{Secrets, keys};
use panel_platform::settings;
use panel_platform::uploads::Uploads;

impl App {
    /// Opens the database and creates the panel's state. Error messages are for the operator who starts the server.
    pub async fn start(config: Config, clock: Arc<dyn Clock>, random: Random) -> Result<Self, String> {
        // This is the first step, because metrics that code records before the recorder exists are lost.
        let metrics_handle = install_metrics_recorder();
        private_files::make_data_private(&config)?;
        let secrets = keys::load(&config, &random)?;
        if !config.database_is_durable {
            tracing::warn!(
                "database_is_durable is false: a power failure may lose changes and damage SQLite's database file"
            );
        }
        let db = Db::open(&config.database())
            .await
            .map_err(|error| format!("cannot open the database: {error}"))?;
        check_key(&db, &*clock, &secrets).await?;
        let realtime_secret = load_or_create_realtime_secret(&db, &*clock, &random, &secrets).await?;
        let (outbound, mail) = (OutboundClient::new(&config.outbound)?, Mailer::new(&config.mail)?);
        let processes = Processes::default();
        let body_budget = Arc::new(BodyBudget::new(&config.limits));
        Ok(Self(Arc::new(AppState {
            passwords: Passwords::new(config.limits.password_workers),
            icon_cache: IconCache::default(),
            session_cache: SessionCache::default(),
            request_rates: RequestRates::new(&config.limits),
            readiness: Readiness::default(),
            panel_limits: PanelLimits::new(config.outbound.panel_calls_per_second, processes.clone()),
            metrics_handle,
            openapi_document: OnceLock::new(),
            realtime_secret,
            platform: Platform::new(PlatformParts {
                started_at: clock.now(),
                instance: hex(&random.bytes::<8>()),
                stop: watch::channel(false).0,
                uploads: Uploads::new(&config, body_budget.decode_permit(), secrets.clone(), random.clone())?,
                events: event_sinks::all(),
                live: Live::default(),
                quarantine: Quarantine::new(&worker::LEASES),
                config,
                db,
                clock,
                random,
                outbound,
                mail,
                processes,
                secrets,
            }),
            body_budget,
        })))
    }
}

/// Reads a setting. The first process that starts on a new database creates it.
async fn load_or_create_setting(
    db: &Db,
    clock: &dyn Clock,
    name: &str,
    create: impl FnOnce() -> String,
) -> Result<String, String> {
    let to_message = |error: Error| format!("cannot read the settings: {error:?}");
    if settings::read_stored(&mut &*db, name).await.map_err(to_message)?.is_none() {
        settings::insert_if_missing(&mut &*db, name, &serde_json::json!(create()), clock.now())
            .await
            .map_err(to_message)?;
    }
    // Read again: another process may have created it first.
    let value = settings::read_stored(&mut &*db, name).await.map_err(to_message)?;
    Ok(value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default())
}

/// Returns an error if the database's secrets are sealed with a key that is not configured. If they are sealed with a former key,
/// the server starts with a warning, and `secrets rotate` reseals them later.
async fn check_key(db: &Db, clock: &dyn Clock, secrets: &Secrets) -> Result<(), String> {
    let fingerprint = load_or_create_setting(db, clock, settings::SECRET_KEY_FINGERPRINT, || {
        secrets.fingerprint().to_owned()
    })
    .await?;
    match secrets.key_by_fingerprint(&fingerprint) {
        Some(key) if key == secrets.key_id() => Ok(()),
        Some(former_key) => {
            tracing::warn!(%former_key, key = %secrets.key_id(), "secrets are still sealed with a former key; run `panel-server secrets rotate`");
            Ok(())
        }
        None => Err("the secrets in this database were sealed with another key: set secret_key (PANEL_SECRET_KEY) to the same \
             value for every process, or put the former secret.key back into data_dir; to change the key, list the old key in \
             former_secret_keys and run `panel-server secrets rotate`"
            .into()),
    }
}

/// Length of an unsealed token, in characters.
const PLAIN_TOKEN_CHARS: usize = 43;

/// Returns the secret that signs the tokens of real-time channels. The first process creates the secret, all others read it. A
/// secret that an older version stored as plain text is sealed.
async fn load_or_create_realtime_secret(
    db: &Db,
    clock: &dyn Clock,
    random: &Random,
    secrets: &Secrets,
) -> Result<String, String> {
    let key = settings::REALTIME_SECRET;
    let to_message = |error: Error| format!("cannot read the settings: {error:?}");
    let mut db = db;
    if settings::read_stored(&mut db, key).await.map_err(to_message)?.is_none() {
        let sealed_secret = settings::seal_value(secrets, random, key, &random.token())?;
        settings::insert_if_missing(&mut db, key, &sealed_secret, clock.now()).await.map_err(to_message)?;
    }
    // Read again: another process may have created it first.
    let stored_value = settings::read_stored(&mut db, key).await.map_err(to_message)?.unwrap_or_default();
    if let Some(plain_secret) = stored_value.as_str().filter(|text| text.len() == PLAIN_TOKEN_CHARS) {
        let sealed_secret = settings::seal_value(secrets, random, key, plain_secret)?;
        settings::replace_if_equal(&mut db, key, &stored_value, &sealed_secret).await.map_err(to_message)?;
        return Ok(plain_secret.to_owned());
    }
    settings::open_value(secrets, key, &stored_value)
}
