//! Readiness of this process: whether it can read and write its database. At most one probe runs at a time and one per second; all
//! requests share its result. A probe only writes this process's heartbeat.

use std::time::Duration;

use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::{Rejection, RejectionKind};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use panel_platform::jobs::heartbeat;
use panel_platform::platform::Platform;
use panel_platform::settings;

/// Maximum duration of a probe, and maximum time for which a request waits for the result.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);
/// Time for which requests share a result.
const RESULT_TTL: Duration = Duration::from_secs(1);
/// The `Retry-After` for an orchestrator, in seconds.
const RETRY_AFTER_SECS: u64 = 1;

const DATABASE_TIMEOUT_CODE: &str = "database_timeout";
const NOT_READY_MESSAGE: &str = "The panel is not ready, because it cannot read or write its database. Try again in a second. If the error persists, check the database.";

/// The last probe; `None` before the first.
#[derive(Debug, Default)]
pub struct Readiness(Mutex<Option<ProbeResult>>);

#[derive(Debug)]
struct ProbeResult {
    probed_at: Instant,
    /// Empty if the process is ready.
    failed_checks: Vec<FailedCheck>,
}

#[derive(Debug, Clone, Copy)]
struct FailedCheck {
    /// `database`, `database_read` or `database_write`.
    name: &'static str,
    /// Error code of the reason, such as `database_timeout`.
    code: &'static str,
}

impl Readiness {
    /// Checks whether the process can read and write its database.
    ///
    /// # Errors
    /// A check failed. The error names each failed check with its reason.
    pub async fn check(&self, platform: &Platform) -> Result<()> {
        let probe_result = timeout(PROBE_TIMEOUT, self.current_failed_checks(platform)).await;
        let failed_checks = probe_result
            .unwrap_or_else(|_| vec![FailedCheck { name: "database", code: DATABASE_TIMEOUT_CODE }]);
        let Some(first_failed) = failed_checks.first() else { return Ok(()) };
        let mut rejection = Rejection::new(RejectionKind::Unavailable, first_failed.code, NOT_READY_MESSAGE);
        failed_checks.iter().for_each(|check| rejection.errors.add(check.name, check.code));
        Err(Error::from(rejection).retry_after_secs(RETRY_AFTER_SECS))
    }

    async fn current_failed_checks(&self, platform: &Platform) -> Vec<FailedCheck> {
        let mut last_probe = self.0.lock().await;
        if let Some(ProbeResult { probed_at, failed_checks }) = &*last_probe
            && probed_at.elapsed() < RESULT_TTL
        {
            return failed_checks.clone();
        }
        let failed_checks = probe_database(platform).await;
        *last_probe = Some(ProbeResult { probed_at: Instant::now(), failed_checks: failed_checks.clone() });
        failed_checks
    }
}

async fn probe_database(platform: &Platform) -> Vec<FailedCheck> {
    let read_check =
        async { settings::read_bool(&mut &platform.db, settings::CAPTCHA_IS_ENABLED).await.map(drop) };
    let write_check = async { heartbeat::record_heartbeat(platform).await.map_err(Error::from) };
    // Shorter than the timeout of the requests, so that the result is stored before the requests stop waiting.
    let check_timeout = PROBE_TIMEOUT - Duration::from_millis(100);
    let (read_result, write_result) =
        tokio::join!(timeout(check_timeout, read_check), timeout(check_timeout, write_check));
    let failed_check = |name: &'static str, result| match result {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(FailedCheck { name, code: error_code(error) }),
        Err(_) => Some(FailedCheck { name, code: DATABASE_TIMEOUT_CODE }),
    };
    let failed_checks: Vec<FailedCheck> =
        [failed_check("database_read", read_result), failed_check("database_write", write_result)]
            .into_iter()
            .flatten()
            .collect();
    if !failed_checks.is_empty() {
        tracing::warn!(?failed_checks, "the readiness probe failed");
    }
    failed_checks
}

/// The code of a failed check. If the connection broke, it is unknown whether the heartbeat was written, but that does not matter.
fn error_code(error: Error) -> &'static str {
    if error.is_unknown_outcome() { "database_unavailable" } else { error.report("readyz").code }
}
