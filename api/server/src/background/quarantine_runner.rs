//! Has suspected records worked on alone, by a process of its own for all of them, one after the other: records that are
//! innocent are released as fast as they are worked on. It never works on a record itself.
//!
//! A process that ends, is ended by a signal or takes too long while it has a record quarantines that record; the rest go to
//! a new process. One that does not even start costs no record anything. An orderly stop of the server ends the process as
//! well, and its record is suspected as before. Where the server dies too, the process finishes its record and ends; where
//! neither is left, the record is quarantined when its time is over.

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

use super::quarantine_retry::{LATER, READY, WORKED};
use crate::app::App;
use crate::metrics::QUARANTINED;
use crate::start::terminal::tell;
use panel_platform::poller::Poller;
use panel_platform::poller::worked::Worked;
use panel_platform::quarantine::store::{self, Suspect};

/// How often is looked whether there is something to do.
const EVERY: Duration = Duration::from_secs(1);
/// How long a process may take until it can work.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a process may work on one record: longer than any job or call may take.
pub const RECORD_TIMEOUT: Duration = Duration::from_secs(90);
/// How long a record is a runner's own: above [`RECORD_TIMEOUT`] and what the process itself allows.
const RECORD_LEASE: Duration = Duration::from_secs(150);
/// Until another process is started where one could not be.
const RESTART_DELAY: Duration = Duration::from_secs(60);
/// How long a process may take to end when its input does.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
/// What a process that ends by itself says last.
const LAST_WORDS: [&str; 3] = ["has overflowed its stack", "memory allocation of", "fatal runtime error"];

/// How long a process may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For one record.
    pub record: Duration,
    /// To answer when the server is to end.
    pub parting: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { record: RECORD_TIMEOUT, parting: STOP_TIMEOUT }
    }
}

/// What goes on from turn to turn.
#[derive(Default)]
pub struct Runner {
    process: Option<Process>,
    /// No process is started before.
    start_at: Time,
    limits: Limits,
}

/// Has one record after the other worked on alone; its process is ended with the last poll.
#[must_use]
pub fn poller() -> Poller<App> {
    let work = |app: App, mut runner: Runner| async move {
        let worked = runner.turn(&app).await;
        (runner, worked.map(|is_more| Worked::done(usize::from(is_more))))
    };
    let end = |mut runner: Runner| async move { runner.end().await };
    Poller::stateful_until("quarantine", EVERY, work, end).again_while_found()
}

impl Runner {
    /// One that waits no longer than this.
    #[must_use]
    pub fn within(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Does one thing that is to be done; whether there may be more.
    pub async fn turn(&mut self, app: &App) -> Result<bool> {
        store::suspect(app).await?;
        for abandoned in store::quarantine_abandoned(app).await? {
            note(&abandoned, "it died together with its server");
        }
        if !store::any_due(app).await? {
            self.end().await;
            return Ok(false);
        }
        let Some(mut process) = self.started(app).await else { return Ok(false) };
        let Some(suspect) = store::take(app, RECORD_LEASE).await? else {
            self.process = Some(process);
            return Ok(false);
        };
        match process.try_record(app, &suspect, self.limits).await {
            Tried::Worked => {
                tracing::info!(poller = %suspect.poller, record_id = suspect.record_id.get(), "a suspected record was worked on alone and is released");
                self.process = Some(process);
            }
            Tried::Later => {
                // The process says so in the database, unless it cannot reach it.
                store::put_off(app, &suspect).await?;
                self.process = Some(process);
            }
            Tried::CutOff => store::put_back(app, &suspect).await?,
            Tried::Died(reason) => {
                if store::quarantine(app, &suspect, &reason).await? {
                    note(&suspect, &reason);
                }
            }
        }
        Ok(true)
    }

    /// The process that works on records, started where there is none.
    async fn started(&mut self, app: &App) -> Option<Process> {
        if let Some(process) = self.process.take() {
            return Some(process);
        }
        let (program, now) = (app.quarantine.program()?, app.clock.now());
        if now < self.start_at {
            return None;
        }
        match Process::start(app, program).await {
            Ok(process) => Some(process),
            Err(error) => {
                self.start_at = now.after(RESTART_DELAY);
                tracing::warn!(%error, "failed to start a process for suspected records; they are tried later");
                None
            }
        }
    }

    /// Lets the process go.
    async fn end(&mut self) {
        if let Some(process) = self.process.take() {
            process.end().await;
        }
    }
}

/// Says for the operator that a record was quarantined.
fn note(suspect: &Suspect, reason: &str) {
    QUARANTINED.with([suspect.poller.as_str()]).increment(1);
    tracing::error!(
        quarantine_id = suspect.id.get(),
        poller = %suspect.poller,
        record_id = suspect.record_id.get(),
        reason,
        "quarantined a record that ends the process working on it; release it once the cause is mended"
    );
}

/// What became of a record.
enum Tried {
    Worked,
    Later,
    /// The process is gone for a reason that is not the record's: this server is to end.
    CutOff,
    /// Why the process is no more.
    Died(String),
}

/// A process that works on records alone.
struct Process {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    last_words: Arc<Mutex<Option<String>>>,
    errors: JoinHandle<()>,
}

impl Process {
    async fn start(app: &App, program: &Path) -> std::result::Result<Self, String> {
        let mut command = Command::new(program);
        command.arg("retry-claimed").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().map_err(|error| error.to_string())?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("it has no input and output".into());
        };
        let last_words = Arc::default();
        let errors = tokio::spawn(hand_on(errors, Arc::clone(&last_words)));
        let output = BufReader::new(output).lines();
        let mut process = Self { child, input, output, last_words, errors };
        let config = serde_json::to_string(&app.config).map_err(|error| error.to_string())?;
        process.write(&config).await?;
        match timeout(START_TIMEOUT, process.output.next_line()).await {
            Ok(Ok(Some(word))) if word == READY => Ok(process),
            Ok(_) => Err(format!("it {}", process.ended().await)),
            Err(_) => Err(format!("it was not ready after {} s", START_TIMEOUT.as_secs())),
        }
    }

    async fn write(&mut self, line: &str) -> std::result::Result<(), String> {
        let said = self.input.write_all(format!("{line}\n").as_bytes()).await;
        said.map_err(|error| error.to_string())
    }

    /// Has one record worked on.
    async fn try_record(&mut self, app: &App, suspect: &Suspect, limits: Limits) -> Tried {
        // Where this fails the process has ended before it had the record: another one tries it.
        let Ok(line) = serde_json::to_string(suspect) else { return Tried::CutOff };
        if self.write(&line).await.is_err() {
            return Tried::CutOff;
        }
        let mut stop = app.stop.subscribe();
        let stopped = async {
            drop(stop.wait_for(|stop| *stop).await);
            tokio::time::sleep(limits.parting).await;
        };
        let answered = tokio::select! {
            answered = timeout(limits.record, self.output.next_line()) => answered,
            () = stopped => {
                drop(self.child.kill().await);
                return Tried::CutOff;
            }
        };
        match answered {
            Ok(Ok(Some(word))) if word == WORKED => Tried::Worked,
            Ok(Ok(Some(word))) if word == LATER => Tried::Later,
            Ok(_) => self.died().await,
            Err(_) => {
                drop(self.child.kill().await);
                Tried::Died(format!(
                    "The process that worked on it alone did not end within {} seconds.",
                    limits.record.as_secs()
                ))
            }
        }
    }

    async fn died(&mut self) -> Tried {
        Tried::Died(format!("The process that worked on it alone {}.", self.ended().await))
    }

    /// How it ended, with its last words.
    async fn ended(&mut self) -> String {
        let status = match timeout(STOP_TIMEOUT, self.child.wait()).await {
            Ok(Ok(status)) => words(status),
            _ => "closed its output".to_owned(),
        };
        drop(timeout(STOP_TIMEOUT, &mut self.errors).await);
        let last = self.last_words.lock().unwrap_or_else(PoisonError::into_inner).clone();
        last.map_or_else(|| status.clone(), |last| format!("{status}; its last words: {last}"))
    }

    /// No more records: it ends by itself, or is ended.
    async fn end(self) {
        let Self { mut child, input, .. } = self;
        drop(input);
        if timeout(STOP_TIMEOUT, child.wait()).await.is_err() {
            drop(child.kill().await);
        }
    }
}

fn words(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(6), _) => "aborted (signal 6)".to_owned(),
        (Some(9), _) => {
            "was killed (signal 9), which is what the system does where memory runs out".to_owned()
        }
        (Some(signal), _) => format!("was ended by signal {signal}"),
        (None, code) => format!("ended with exit code {}", code.unwrap_or_default()),
    }
}

/// Its log goes on in ours; what it said last is kept.
async fn hand_on(errors: ChildStderr, last_words: Arc<Mutex<Option<String>>>) {
    let mut lines = BufReader::new(errors).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        tell(&line);
        if LAST_WORDS.iter().any(|words| line.contains(words)) {
            *last_words.lock().unwrap_or_else(PoisonError::into_inner) = Some(line.trim().to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_process_ended_is_said_in_words() {
        assert_eq!(words(ExitStatus::from_raw(6)), "aborted (signal 6)");
        assert!(words(ExitStatus::from_raw(9)).contains("memory"));
        assert_eq!(words(ExitStatus::from_raw(11)), "was ended by signal 11");
        assert_eq!(words(ExitStatus::from_raw(256)), "ended with exit code 1");
    }

    #[test]
    fn a_record_is_a_runners_own_for_as_long_as_a_process_may_take() {
        assert!(RECORD_TIMEOUT + STOP_TIMEOUT + STOP_TIMEOUT < RECORD_LEASE);
    }
}
