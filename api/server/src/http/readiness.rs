//! Readiness of this process: the database can be read and written. At most one probe runs at a time and one per second, and
//! all callers share its result. It writes nothing but this process's heartbeat.

use std::time::Duration;

use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::{Rejection, RejectionKind};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use panel_platform::jobs::heartbeat;
use panel_platform::platform::Platform;
use panel_platform::settings;

/// Longest probe, and longest wait of a caller for it.
const TIMEOUT: Duration = Duration::from_secs(2);
/// How long callers share a result.
const LIFETIME: Duration = Duration::from_secs(1);
/// The `Retry-After` for an orchestrator, in seconds.
const RETRY_SECS: u64 = 1;

const NOT_READY: &str = "The panel is not ready: its database cannot be read or written. Try again in a second; if this lasts, check the database.";

/// The result of the last probe.
#[derive(Debug, Default)]
pub struct Readiness(Mutex<Option<(Instant, Failures)>>);

/// Each failed check with the code of its reason; empty if the process is ready.
type Failures = Vec<(&'static str, &'static str)>;

impl Readiness {
    /// Checks whether the process can read and write its database.
    ///
    /// # Errors
    /// Names the reason of each failed check.
    pub async fn check(&self, platform: &Platform) -> Result<()> {
        let failures = timeout(TIMEOUT, self.failures(platform)).await;
        let failures = failures.unwrap_or_else(|_| vec![("database", "database_timeout")]);
        let Some((_, code)) = failures.first().copied() else { return Ok(()) };
        let mut rejection = Rejection::new(RejectionKind::Unavailable, code, NOT_READY);
        failures.iter().for_each(|(check, code)| rejection.errors.add(*check, *code));
        Err(Error::from(rejection).retry_after_secs(RETRY_SECS))
    }

    async fn failures(&self, platform: &Platform) -> Failures {
        let mut last = self.0.lock().await;
        if let Some((at, failures)) = &*last
            && at.elapsed() < LIFETIME
        {
            return failures.clone();
        }
        let failures = probe(platform).await;
        *last = Some((Instant::now(), failures.clone()));
        failures
    }
}

async fn probe(platform: &Platform) -> Failures {
    let read = async { settings::flag(&mut &platform.db, settings::CAPTCHA_IS_ENABLED).await.map(drop) };
    let write = async { heartbeat::record_heartbeat(platform).await.map_err(Error::from) };
    // Shorter than the callers' own timeout, so that the result is stored before they give up.
    let limit = TIMEOUT - Duration::from_millis(100);
    let (read, write) = tokio::join!(timeout(limit, read), timeout(limit, write));
    let reason = |check: &'static str, result| match result {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some((check, code_of(error))),
        Err(_) => Some((check, "database_timeout")),
    };
    let failures: Failures =
        [reason("database_read", read), reason("database_write", write)].into_iter().flatten().collect();
    if !failures.is_empty() {
        tracing::warn!(?failures, "the readiness probe failed");
    }
    failures
}

/// The code of a failed check. Whether the heartbeat was written before the connection broke does not matter.
fn code_of(error: Error) -> &'static str {
    if error.is_unknown_outcome() { "database_unavailable" } else { error.report("readyz").code }
}
