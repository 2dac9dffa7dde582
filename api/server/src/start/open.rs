//! Opens a panel: database, keys, the platform and what handlers share beside it.

use std::sync::{Arc, OnceLock};

use panel_kernel::clock::Clock;
use panel_kernel::error::Error;
use panel_kernel::random::Random;
use tokio::sync::watch;

use super::metrics::metrics_of_process;
use crate::app::icon_cache::Icons;
use crate::app::panel_limits::PanelLimits;
use crate::app::{App, Parts};
use crate::auth::password::Passwords;
use crate::auth::people::Known;
use crate::background::worker;
use crate::event_sinks;
use crate::http::bodies::BodyBudget;
use crate::http::rates::Rates;
use crate::http::readiness::Readiness;
use panel_platform::config::Config;
use panel_platform::db::Db;
use panel_platform::db::sql::hex;
use panel_platform::jobs::processes::Processes;
use panel_platform::live::Live;
use panel_platform::mail::Mailer;
use panel_platform::outbound::Outbound;
use panel_platform::platform::{Platform, PlatformParts};
use panel_platform::private_files;
use panel_platform::quarantine::state::Quarantine;
use panel_platform::secrets::{Secrets, keys};
use panel_platform::settings;
use panel_platform::uploads::Uploads;

impl App {
    /// Opens the database and builds the parts of the panel. The texts of errors are for the operator who starts the server.
    pub async fn start(config: Config, clock: Arc<dyn Clock>, random: Random) -> Result<Self, String> {
        // First: what is counted before the recorder is there is lost.
        let metrics = metrics_of_process();
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
            icons: Icons::default(),
            known: Known::default(),
            rates: Rates::new(&config.limits),
            readiness: Readiness::default(),
            panel_limits: PanelLimits::new(config.outbound.panel_calls_per_second, processes.clone()),
            metrics,
            openapi: OnceLock::new(),
            realtime_secret,
            platform: Platform::new(PlatformParts {
                started_at: clock.now(),
                instance: hex(&random.bytes::<8>()),
                stop: watch::channel(false).0,
                uploads: Uploads::new(&config, bodies.unfolding(), secrets.clone(), random.clone())?,
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
            bodies,
        })))
    }
}

/// A setting that the first process makes and all others read.
async fn made_once(
    db: &Db,
    clock: &dyn Clock,
    name: &str,
    make: impl FnOnce() -> String,
) -> Result<String, String> {
    let failed = |error: Error| format!("the settings cannot be read: {error:?}");
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
    let failed = |error: Error| format!("the settings cannot be read: {error:?}");
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
