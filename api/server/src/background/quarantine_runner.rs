//! Lets a separate process work on suspected records, one after the other. Harmless records are released as soon as
//! they are processed. The server itself never processes a suspected record.
//!
//! If the process exits, is killed by a signal or exceeds the time limit while it has a record, that record is quarantined; the
//! others go to a new process. A process that does not start affects no record. An orderly stop of the server also ends the
//! process, and its record stays suspected. If the server dies, the process finishes its record and exits; if both die, the
//! record is quarantined when its lease expires.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use panel_contract::moment::Time;
use panel_kernel::error::Result;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::quarantine_retry::{POSTPONED, PROCESSED, READY};
use crate::app::App;
use crate::metrics::QUARANTINED;
use crate::start::terminal::print_message;
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::quarantine::store::{self, Suspect};

/// Interval between checks for due records.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Longest time until a process is ready.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a process may work on one record: longer than any job or call may take.
pub const RECORD_TIMEOUT: Duration = Duration::from_secs(90);
/// Lease of a record: longer than [`RECORD_TIMEOUT`] and than the limit of the process itself.
const RECORD_LEASE: Duration = Duration::from_secs(150);
/// Pause before the next start after a process failed to start.
const RESTART_DELAY: Duration = Duration::from_secs(60);
/// Longest time until a process exits after its input ends.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
/// A log line with one of these texts is the last message of a process that crashes.
const CRASH_MESSAGES: [&str; 3] = ["has overflowed its stack", "memory allocation of", "fatal runtime error"];

/// Time limits of a process.
#[derive(Debug, Clone, Copy)]
pub struct ProcessLimits {
    /// Time for one record.
    pub record: Duration,
    /// Time to finish when the server stops.
    pub stop: Duration,
}

impl Default for ProcessLimits {
    fn default() -> Self {
        Self { record: RECORD_TIMEOUT, stop: STOP_TIMEOUT }
    }
}

/// State from one poll to the next.
#[derive(Default)]
pub struct QuarantineRunner {
    process: Option<RetryProcess>,
    /// No process is started before this time.
    start_at: Time,
    limits: ProcessLimits,
}

/// Processes one suspected record per poll. The process ends with the last poll.
#[must_use]
pub fn poller() -> Poller<App> {
    let work = |app: App, mut runner: QuarantineRunner| async move {
        let result = runner.run_next(&app).await;
        (runner, result.map(|is_more| WorkSummary::done(usize::from(is_more))))
    };
    let shut_down = |mut runner: QuarantineRunner| async move { runner.shut_down().await };
    Poller::stateful_with_shutdown("quarantine", POLL_INTERVAL, work, shut_down).repoll_while_found()
}

impl QuarantineRunner {
    /// A runner with these time limits.
    #[must_use]
    pub fn with_limits(limits: ProcessLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Processes the next due record. Returns whether there may be more.
    pub async fn run_next(&mut self, app: &App) -> Result<bool> {
        store::suspect_dead_batches(app).await?;
        for suspect in store::quarantine_abandoned_suspects(app).await? {
            report_quarantined(&suspect, "the process and its server died together");
        }
        if !store::has_due_suspects(app).await? {
            self.shut_down().await;
            return Ok(false);
        }
        let Some(mut process) = self.running_process(app).await else { return Ok(false) };
        let Some(suspect) = store::claim_next_suspect(app, RECORD_LEASE).await? else {
            self.process = Some(process);
            return Ok(false);
        };
        match process.try_record(app, &suspect, self.limits).await {
            RecordOutcome::Processed => {
                tracing::info!(poller = %suspect.poller, record_id = suspect.record_id.get(), "released a suspected record after processing it alone");
                self.process = Some(process);
            }
            RecordOutcome::Postponed => {
                // The process records this in the database, unless it cannot reach it.
                store::postpone(app, &suspect).await?;
                self.process = Some(process);
            }
            RecordOutcome::Interrupted => store::release_interrupted(app, &suspect).await?,
            RecordOutcome::Died(reason) => {
                if store::quarantine(app, &suspect, &reason).await? {
                    report_quarantined(&suspect, &reason);
                }
            }
        }
        Ok(true)
    }

    /// Returns the running process, or starts one.
    async fn running_process(&mut self, app: &App) -> Option<RetryProcess> {
        if let Some(process) = self.process.take() {
            return Some(process);
        }
        let (program, now) = (app.quarantine.retry_program()?, app.clock.now());
        if now < self.start_at {
            return None;
        }
        match RetryProcess::start(app, program).await {
            Ok(process) => Some(process),
            Err(error) => {
                self.start_at = now.plus(RESTART_DELAY);
                tracing::warn!(%error, "failed to start a process for suspected records; retrying later");
                None
            }
        }
    }

    async fn shut_down(&mut self) {
        if let Some(process) = self.process.take() {
            process.shut_down().await;
        }
    }
}

/// Reports a quarantined record to the operator.
fn report_quarantined(suspect: &Suspect, reason: &str) {
    QUARANTINED.with_labels([suspect.poller.as_str()]).increment(1);
    tracing::error!(
        quarantine_id = suspect.id.get(),
        poller = %suspect.poller,
        record_id = suspect.record_id.get(),
        reason,
        "quarantined a record that crashed the process working on it; release it once the cause is fixed"
    );
}

/// Outcome of the work on a record.
enum RecordOutcome {
    Processed,
    Postponed,
    /// The process ended for another reason than the record: this server is stopping.
    Interrupted,
    /// The process died while it worked on the record; holds the reason.
    Died(String),
}

/// A process that handles suspected records.
struct RetryProcess {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    last_message: Arc<Mutex<Option<String>>>,
    errors: JoinHandle<()>,
}

impl RetryProcess {
    async fn start(app: &App, program: &Path) -> std::result::Result<Self, String> {
        let mut command = Command::new(program);
        command.arg("retry-claimed").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().map_err(|error| error.to_string())?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("the process has no input or output".into());
        };
        let last_message = Arc::default();
        let errors = tokio::spawn(forward_log(errors, Arc::clone(&last_message)));
        let output = BufReader::new(output).lines();
        let mut process = Self { child, input, output, last_message, errors };
        let config = serde_json::to_string(&app.config).map_err(|error| error.to_string())?;
        process.write(&config).await?;
        match timeout(START_TIMEOUT, process.output.next_line()).await {
            Ok(Ok(Some(line))) if line == READY => Ok(process),
            Ok(_) => Err(format!("it {}", process.describe_end().await)),
            Err(_) => Err(format!("it was not ready after {} s", START_TIMEOUT.as_secs())),
        }
    }

    async fn write(&mut self, line: &str) -> std::result::Result<(), String> {
        let write_result = self.input.write_all(format!("{line}\n").as_bytes()).await;
        write_result.map_err(|error| error.to_string())
    }

    /// Sends one record to the process and waits for its outcome.
    async fn try_record(&mut self, app: &App, suspect: &Suspect, limits: ProcessLimits) -> RecordOutcome {
        // If this fails, the process ended before it had the record: another process gets it.
        let Ok(line) = serde_json::to_string(suspect) else { return RecordOutcome::Interrupted };
        if self.write(&line).await.is_err() {
            return RecordOutcome::Interrupted;
        }
        let mut stop = app.stop.subscribe();
        let server_stopped = async {
            drop(stop.wait_for(|stop| *stop).await);
            tokio::time::sleep(limits.stop).await;
        };
        let response = tokio::select! {
            response = timeout(limits.record, self.output.next_line()) => response,
            () = server_stopped => {
                drop(self.child.kill().await);
                return RecordOutcome::Interrupted;
            }
        };
        match response {
            Ok(Ok(Some(line))) if line == PROCESSED => RecordOutcome::Processed,
            Ok(Ok(Some(line))) if line == POSTPONED => RecordOutcome::Postponed,
            Ok(_) => self.died_outcome().await,
            Err(_) => {
                drop(self.child.kill().await);
                RecordOutcome::Died(format!(
                    "The process that worked on it alone did not end within {} seconds.",
                    limits.record.as_secs()
                ))
            }
        }
    }

    async fn died_outcome(&mut self) -> RecordOutcome {
        RecordOutcome::Died(format!("The process that worked on it alone {}.", self.describe_end().await))
    }

    /// Waits for the end of the process, and describes it with its last message.
    async fn describe_end(&mut self) -> String {
        let status = match timeout(STOP_TIMEOUT, self.child.wait()).await {
            Ok(Ok(status)) => describe_exit(status),
            _ => "closed its output".to_owned(),
        };
        drop(timeout(STOP_TIMEOUT, &mut self.errors).await);
        let message = self.last_message.lock().unwrap_or_else(PoisonError::into_inner).clone();
        message.map_or_else(|| status.clone(), |message| format!("{status}; its last message: {message}"))
    }

    /// Closes the input, so that the process exits; kills it after a timeout.
    async fn shut_down(self) {
        let Self { mut child, input, .. } = self;
        drop(input);
        if timeout(STOP_TIMEOUT, child.wait()).await.is_err() {
            drop(child.kill().await);
        }
    }
}

fn describe_exit(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(6), _) => "aborted (signal 6)".to_owned(),
        (Some(9), _) => {
            "was killed (signal 9), which is what the system does when memory runs out".to_owned()
        }
        (Some(signal), _) => format!("was ended by signal {signal}"),
        (None, code) => format!("ended with exit code {}", code.unwrap_or_default()),
    }
}

/// Forwards the log of the process to our own, and stores its crash message.
async fn forward_log(errors: ChildStderr, last_message: Arc<Mutex<Option<String>>>) {
    let mut lines = BufReader::new(errors).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        print_message(&line);
        if CRASH_MESSAGES.iter().any(|message| line.contains(message)) {
            *last_message.lock().unwrap_or_else(PoisonError::into_inner) = Some(line.trim().to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_how_a_process_ended() {
        assert_eq!(describe_exit(ExitStatus::from_raw(6)), "aborted (signal 6)");
        assert!(describe_exit(ExitStatus::from_raw(9)).contains("memory"));
        assert_eq!(describe_exit(ExitStatus::from_raw(11)), "was ended by signal 11");
        assert_eq!(describe_exit(ExitStatus::from_raw(256)), "ended with exit code 1");
    }

    #[test]
    fn the_lease_of_a_record_outlasts_the_process() {
        assert!(RECORD_TIMEOUT + STOP_TIMEOUT + STOP_TIMEOUT < RECORD_LEASE);
    }
}
