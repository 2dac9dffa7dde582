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

/// The longest duration of a probe, and the longest time that a caller waits for its result.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);
/// How long callers share a result.
const RESULT_TTL: Duration = Duration::from_secs(1);
/// The `Retry-After` for an orchestrator, in seconds.
const RETRY_AFTER_SECS: u64 = 1;

const NOT_READY_MESSAGE: &str = "The panel is not ready: its database cannot be read or written. Try again in a second; if this lasts, check the database.";

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
        let failures = timeout(PROBE_TIMEOUT, self.current_failures(platform)).await;
        let failures = failures.unwrap_or_else(|_| vec![("database", "database_timeout")]);
        let Some((_, code)) = failures.first().copied() else { return Ok(()) };
        let mut rejection = Rejection::new(RejectionKind::Unavailable, code, NOT_READY_MESSAGE);
        failures.iter().for_each(|(check, code)| rejection.errors.add(*check, *code));
        Err(Error::from(rejection).retry_after_secs(RETRY_AFTER_SECS))
    }

    async fn current_failures(&self, platform: &Platform) -> Failures {
        let mut last_probe = self.0.lock().await;
        if let Some((probed_at, failures)) = &*last_probe
            && probed_at.elapsed() < RESULT_TTL
        {
            return failures.clone();
        }
        let failures = probe(platform).await;
        *last_probe = Some((Instant::now(), failures.clone()));
        failures
    }
}

async fn probe(platform: &Platform) -> Failures {
    let read_check =
        async { settings::read_bool(&mut &platform.db, settings::CAPTCHA_IS_ENABLED).await.map(drop) };
    let write_check = async { heartbeat::record_heartbeat(platform).await.map_err(Error::from) };
    // Shorter than the timeout of the callers, so that the result is stored before the callers stop waiting.
    let check_timeout = PROBE_TIMEOUT - Duration::from_millis(100);
    let (read_check, write_check) =
        tokio::join!(timeout(check_timeout, read_check), timeout(check_timeout, write_check));
    let failure_of = |check: &'static str, result| match result {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some((check, code_of(error))),
        Err(_) => Some((check, "database_timeout")),
    };
    let failures: Failures =
        [failure_of("database_read", read_check), failure_of("database_write", write_check)]
            .into_iter()
            .flatten()
            .collect();
    if !failures.is_empty() {
        tracing::warn!(?failures, "the readiness probe failed");
    }
    failures
}

/// The code of a failed check. Whether the heartbeat was written before the connection broke does not matter.
fn code_of(error: Error) -> &'static str {
    if error.is_unknown_outcome() { "database_unavailable" } else { error.report("readyz").code }
}
