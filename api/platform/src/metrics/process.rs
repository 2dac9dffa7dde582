//! Metrics of this process from the operating system and the runtime, computed when `/metrics` is read. Without `/proc` those of the
//! operating system are left out.

use std::time::Duration;

use panel_contract::moment::Time;

use super::{Metric, Scraped};

static CPU: Scraped =
    Scraped::counter("process_cpu_seconds_total", [], "Processor time of this process, user and system.");
static MEMORY: Scraped =
    Scraped::gauge("process_resident_memory_bytes", [], "Memory of this process that is resident.");
static OPEN_FILES: Scraped =
    Scraped::gauge("process_open_fds", [], "File descriptors that this process has open.");
static MAX_FILES: Scraped =
    Scraped::gauge("process_max_fds", [], "Most file descriptors that this process may open.");
static STARTED: Scraped =
    Scraped::gauge("process_start_time_seconds", [], "When this process started, as Unix time.");
static WORKERS: Scraped = Scraped::gauge("panel_runtime_workers", [], "Threads of the asynchronous runtime.");
static TASKS: Scraped =
    Scraped::gauge("panel_runtime_alive_tasks", [], "Tasks of the asynchronous runtime that have not ended.");
static QUEUE: Scraped =
    Scraped::gauge("panel_runtime_queue_depth", [], "Tasks that wait in the runtime's global queue.");
static BUILD: Scraped<1> = Scraped::gauge("panel_build_info", ["version"], "1, with the version as label.");

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

/// Linux reports processor time in hundredths of a second, regardless of the kernel's tick.
const TICKS_PER_SECOND: u64 = 100;

/// Appends the metrics of the process to `text`.
pub fn write(text: &mut String, started_at: Time, version: &str) {
    for (metric, number) in [
        (&CPU, cpu_seconds()),
        (&MEMORY, resident_bytes()),
        (&OPEN_FILES, open_files()),
        (&MAX_FILES, max_open_files()),
    ] {
        if let Some(number) = number {
            metric.write_one(text, number);
        }
    }
    STARTED.write_one(text, (started_at.0 / 1_000_000) as f64);
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        let runtime = runtime.metrics();
        WORKERS.write_one(text, runtime.num_workers() as f64);
        TASKS.write_one(text, runtime.num_alive_tasks() as f64);
        QUEUE.write_one(text, runtime.global_queue_depth() as f64);
    }
    BUILD.write(text, [([version], 1.0)]);
}

/// The 14th and 15th field of `stat`; the second is the program's name in brackets, which may contain spaces.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(Duration::from_millis((user + system) * 1_000 / TICKS_PER_SECOND).as_secs_f64())
}

fn resident_bytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kibibytes: u64 = number_of_line(&status, "VmRSS:")?;
    Some((kibibytes * 1_024) as f64)
}

fn open_files() -> Option<f64> {
    Some(std::fs::read_dir("/proc/self/fd").ok()?.count() as f64)
}

/// The soft limit; none where there is no limit.
fn max_open_files() -> Option<f64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    number_of_line(&limits, "Max open files").map(|max| max as f64)
}

fn number_of_line(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}
