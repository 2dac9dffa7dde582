//! Metrics of this process from the operating system and the async runtime, computed when `/metrics` is read. Without `/proc` the
//! metrics of the operating system are missing.

use std::time::Duration;

use panel_contract::moment::Time;

use super::{Metric, ScrapedMetric};

static CPU: ScrapedMetric = ScrapedMetric::counter(
    "process_cpu_seconds_total",
    [],
    "Processor time of this process, user and system.",
);
static MEMORY: ScrapedMetric =
    ScrapedMetric::gauge("process_resident_memory_bytes", [], "Resident memory of this process.");
static OPEN_FILES: ScrapedMetric =
    ScrapedMetric::gauge("process_open_fds", [], "Open file descriptors of this process.");
static MAX_FILES: ScrapedMetric =
    ScrapedMetric::gauge("process_max_fds", [], "Maximum number of open file descriptors.");
static STARTED: ScrapedMetric =
    ScrapedMetric::gauge("process_start_time_seconds", [], "When this process started, as Unix time.");
static WORKERS: ScrapedMetric =
    ScrapedMetric::gauge("panel_runtime_workers", [], "Threads of the asynchronous runtime.");
static TASKS: ScrapedMetric = ScrapedMetric::gauge(
    "panel_runtime_alive_tasks",
    [],
    "Tasks of the asynchronous runtime that have not ended.",
);
static QUEUE: ScrapedMetric =
    ScrapedMetric::gauge("panel_runtime_queue_depth", [], "Tasks that wait in the runtime's global queue.");
static BUILD: ScrapedMetric<1> =
    ScrapedMetric::gauge("panel_build_info", ["version"], "1, with the version as label.");

/// The declarations of this module's metrics.
pub static ALL: &[Metric] = &[
    CPU.metric(),
    MEMORY.metric(),
    OPEN_FILES.metric(),
    MAX_FILES.metric(),
    STARTED.metric(),
    WORKERS.metric(),
    TASKS.metric(),
    QUEUE.metric(),
    BUILD.metric(),
];

/// Linux reports processor time in hundredths of a second, regardless of the tick rate of the kernel.
const TICKS_PER_SECOND: u64 = 100;

/// Appends the metrics of the process to `text`.
pub fn write_metrics(text: &mut String, started_at: Time, version: &str) {
    for (metric, number) in [
        (&CPU, cpu_seconds()),
        (&MEMORY, resident_bytes()),
        (&OPEN_FILES, open_files()),
        (&MAX_FILES, max_open_files()),
    ] {
        if let Some(number) = number {
            metric.write_unlabeled(text, number);
        }
    }
    STARTED.write_unlabeled(text, (started_at.0 / 1_000_000) as f64);
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        let runtime = runtime.metrics();
        WORKERS.write_unlabeled(text, runtime.num_workers() as f64);
        TASKS.write_unlabeled(text, runtime.num_alive_tasks() as f64);
        QUEUE.write_unlabeled(text, runtime.global_queue_depth() as f64);
    }
    BUILD.write(text, [([version], 1.0)]);
}

/// Reads the 14th and the 15th field of `stat`. The second field is the name of the program in brackets, which may contain spaces.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(Duration::from_millis((user + system) * 1_000 / TICKS_PER_SECOND).as_secs_f64())
}

fn resident_bytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kibibytes: u64 = number_after(&status, "VmRSS:")?;
    Some((kibibytes * 1_024) as f64)
}

fn open_files() -> Option<f64> {
    Some(std::fs::read_dir("/proc/self/fd").ok()?.count() as f64)
}

/// Reads the soft limit; `None` if there is no limit.
fn max_open_files() -> Option<f64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    number_after(&limits, "Max open files").map(|max| max as f64)
}

/// Reads the number after `prefix` in the line that begins with it.
fn number_after(text: &str, prefix: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(prefix))?;
    line.split_whitespace().next()?.parse().ok()
}
