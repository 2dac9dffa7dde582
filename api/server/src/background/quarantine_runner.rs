//! Starts the retry process ([`quarantine_retry`](super::quarantine_retry)) and sends it suspected records, one after the other.
//! The server itself must never process a suspected record.
//!
//! A record that the process finishes is no longer suspected. If the process exits, is killed or exceeds the time limit while it
//! processes a record, that record is quarantined, and a new process gets the next record. If the process fails to start, no record
//! changes. A graceful stop of the server also stops the process, and its record stays suspected. If the server crashes, the
//! process finishes its record and exits. If both crash, the record is quarantined when its lease expires.

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
/// Time within which a process must become ready.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum time for one record: longer than the timeout of any job or outgoing request.
pub const RECORD_TIMEOUT: Duration = Duration::from_secs(90);
/// Lease of a record: longer than [`RECORD_TIMEOUT`] and than the time after which the process aborts itself.
const RECORD_LEASE: Duration = Duration::from_secs(150);
/// Delay before the next attempt after a process failed to start.
const RESTART_DELAY: Duration = Duration::from_secs(60);
/// Time within which a process must exit after its input ends.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
/// If a log line contains one of these strings, it is the last message of a crashing process.
const CRASH_MESSAGES: [&str; 3] = ["has overflowed its stack", "memory allocation of", "fatal runtime error"];

/// Time limits of a retry process.
#[derive(Debug, Clone, Copy)]
pub struct ProcessLimits {
    pub record_timeout: Duration,
    /// Time to finish the current record when the server stops.
    pub stop_timeout: Duration,
}

impl Default for ProcessLimits {
    fn default() -> Self {
        Self { record_timeout: RECORD_TIMEOUT, stop_timeout: STOP_TIMEOUT }
    }
}

/// State between two polls.
#[derive(Default)]
pub struct QuarantineRunner {
    process: Option<RetryProcess>,
    /// The earliest time for the next attempt to start a process.
    earliest_start_at: Time,
    limits: ProcessLimits,
}

/// Sends one suspected record per poll to the retry process. Stops the process when the poller stops.
#[must_use]
pub fn poller() -> Poller<App> {
    let poll = |app: App, mut runner: QuarantineRunner| async move {
        let result = runner.process_next_record(&app).await;
        (runner, result.map(|has_processed| WorkSummary::done(usize::from(has_processed))))
    };
    let shut_down = |mut runner: QuarantineRunner| async move { runner.shut_down().await };
    Poller::stateful_with_shutdown("quarantine", POLL_INTERVAL, poll, shut_down).repoll_while_found()
}

impl QuarantineRunner {
    /// Creates a runner with these time limits.
    #[must_use]
    pub fn with_limits(limits: ProcessLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Sends the next due record to the process. Returns whether further records may be due.
    pub async fn process_next_record(&mut self, app: &App) -> Result<bool> {
        store::suspect_dead_batches(app).await?;
        for suspect in store::quarantine_abandoned_suspects(app).await? {
            report_quarantined(&suspect, "the retry process and its server crashed at the same time");
        }
        if !store::has_due_suspects(app).await? {
            self.shut_down().await;
            return Ok(false);
        }
        let Some(mut process) = self.get_or_start_process(app).await else { return Ok(false) };
        let Some(suspect) = store::claim_next_suspect(app, RECORD_LEASE).await? else {
            self.process = Some(process);
            return Ok(false);
        };
        match process.process_record(app, &suspect, self.limits).await {
            RecordOutcome::Processed => {
                tracing::info!(poller = %suspect.poller, record_id = suspect.record_id.get(), "cleared a suspected record after the retry process finished it");
                self.process = Some(process);
            }
            RecordOutcome::Postponed => {
                // The process usually postpones the record itself, but it may have no connection to the database.
                store::postpone(app, &suspect).await?;
                self.process = Some(process);
            }
            RecordOutcome::Interrupted => store::release_interrupted(app, &suspect).await?,
            RecordOutcome::Crashed(reason) => {
                if store::quarantine(app, &suspect, &reason).await? {
                    report_quarantined(&suspect, &reason);
                }
            }
        }
        Ok(true)
    }

    /// Returns the running process, or starts a process. Returns `None` if no process can be started now.
    async fn get_or_start_process(&mut self, app: &App) -> Option<RetryProcess> {
        if let Some(process) = self.process.take() {
            return Some(process);
        }
        let (program, now) = (app.quarantine.retry_program()?, app.clock.now());
        if now < self.earliest_start_at {
            return None;
        }
        match RetryProcess::start(app, program).await {
            Ok(process) => Some(process),
            Err(error) => {
                self.earliest_start_at = now.plus(RESTART_DELAY);
                tracing::warn!(%error, "failed to start the retry process for suspected records; retrying later");
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

/// Reports a quarantined record in metrics and log.
fn report_quarantined(suspect: &Suspect, reason: &str) {
    QUARANTINED.with_labels([suspect.poller.as_str()]).increment(1);
    tracing::error!(
        quarantine_id = suspect.id.get(),
        poller = %suspect.poller,
        record_id = suspect.record_id.get(),
        reason,
        "quarantined a record that crashed the process; release the record after you have fixed the cause"
    );
}

/// What the retry process did with a record.
enum RecordOutcome {
    Processed,
    Postponed,
    /// The process did not finish the record for a reason other than the record, such as the stop of this server.
    Interrupted,
    /// The process crashed or exceeded the time limit while it processed the record. Holds the reason.
    Crashed(String),
}

/// A running retry process.
struct RetryProcess {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    /// The last message of a crash.
    crash_message: Arc<Mutex<Option<String>>>,
    log_forwarder: JoinHandle<()>,
}

impl RetryProcess {
    async fn start(app: &App, program: &Path) -> std::result::Result<Self, String> {
        let mut command = Command::new(program);
        command.arg("retry-claimed").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().map_err(|error| error.to_string())?;
        let (Some(input), Some(output), Some(log)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("the process has no standard input or output".into());
        };
        let crash_message = Arc::default();
        let log_forwarder = tokio::spawn(forward_log(log, Arc::clone(&crash_message)));
        let output = BufReader::new(output).lines();
        let mut process = Self { child, input, output, crash_message, log_forwarder };
        let config = serde_json::to_string(&app.config).map_err(|error| error.to_string())?;
        process.write_line(&config).await?;
        match timeout(START_TIMEOUT, process.output.next_line()).await {
            Ok(Ok(Some(line))) if line == READY => Ok(process),
            Ok(_) => Err(format!("the process {}", process.describe_exit().await)),
            Err(_) => Err(format!("the process was not ready after {} s", START_TIMEOUT.as_secs())),
        }
    }

    async fn write_line(&mut self, line: &str) -> std::result::Result<(), String> {
        let write_result = self.input.write_all(format!("{line}\n").as_bytes()).await;
        write_result.map_err(|error| error.to_string())
    }

    /// Sends one record to the process and waits for the outcome.
    async fn process_record(&mut self, app: &App, suspect: &Suspect, limits: ProcessLimits) -> RecordOutcome {
        // If this fails, the process exited before it received the record, and another process gets the record.
        let Ok(line) = serde_json::to_string(suspect) else { return RecordOutcome::Interrupted };
        if self.write_line(&line).await.is_err() {
            return RecordOutcome::Interrupted;
        }
        let mut stop = app.stop.subscribe();
        let server_stop = async {
            drop(stop.wait_for(|stop| *stop).await);
            tokio::time::sleep(limits.stop_timeout).await;
        };
        let read_result = tokio::select! {
            read_result = timeout(limits.record_timeout, self.output.next_line()) => read_result,
            () = server_stop => {
                drop(self.child.kill().await);
                return RecordOutcome::Interrupted;
            }
        };
        match read_result {
            Ok(Ok(Some(line))) if line == PROCESSED => RecordOutcome::Processed,
            Ok(Ok(Some(line))) if line == POSTPONED => RecordOutcome::Postponed,
            Ok(_) => self.crashed_outcome().await,
            Err(_) => {
                drop(self.child.kill().await);
                RecordOutcome::Crashed(format!(
                    "The process that retried the record did not finish within {} seconds.",
                    limits.record_timeout.as_secs()
                ))
            }
        }
    }

    async fn crashed_outcome(&mut self) -> RecordOutcome {
        RecordOutcome::Crashed(format!("The process that retried the record {}.", self.describe_exit().await))
    }

    /// Waits until the process exits. Returns a description such as `aborted (signal 6)`, with the message of the crash.
    async fn describe_exit(&mut self) -> String {
        let status = match timeout(STOP_TIMEOUT, self.child.wait()).await {
            Ok(Ok(status)) => describe_exit_status(status),
            _ => "closed its output".to_owned(),
        };
        drop(timeout(STOP_TIMEOUT, &mut self.log_forwarder).await);
        let crash_message = self.crash_message.lock().unwrap_or_else(PoisonError::into_inner).clone();
        crash_message
            .map_or_else(|| status.clone(), |message| format!("{status}; its last message: {message}"))
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

fn describe_exit_status(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(6), _) => "aborted (signal 6)".to_owned(),
        (Some(9), _) => "was killed (signal 9); the system does this when memory is exhausted".to_owned(),
        (Some(signal), _) => format!("was killed by signal {signal}"),
        (None, code) => format!("exited with code {}", code.unwrap_or_default()),
    }
}

/// Copies the process's log to this server's log, and stores the message of a crash.
async fn forward_log(log: ChildStderr, crash_message: Arc<Mutex<Option<String>>>) {
    let mut lines = BufReader::new(log).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        print_message(&line);
        if CRASH_MESSAGES.iter().any(|message| line.contains(message)) {
            *crash_message.lock().unwrap_or_else(PoisonError::into_inner) = Some(line.trim().to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_exit_statuses() {
        assert_eq!(describe_exit_status(ExitStatus::from_raw(6)), "aborted (signal 6)");
        assert!(describe_exit_status(ExitStatus::from_raw(9)).contains("memory"));
        assert_eq!(describe_exit_status(ExitStatus::from_raw(11)), "was killed by signal 11");
        assert_eq!(describe_exit_status(ExitStatus::from_raw(256)), "exited with code 1");
    }

    #[test]
    fn the_lease_of_a_record_outlasts_the_process() {
        assert!(RECORD_TIMEOUT + STOP_TIMEOUT + STOP_TIMEOUT < RECORD_LEASE);
    }
}
