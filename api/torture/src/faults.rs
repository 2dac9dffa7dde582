//! The faults, chosen at random from a seed, and their tools: a small disk that can be filled, and a preloaded library that makes
//! writes fail and shifts clocks. Every fault ends after its duration or at the end of the phase.

use std::collections::BTreeMap;

use panel_kernel::random::Random;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Size of the small disk, a tmpfs: enough for the data of an hour and SQLite's write-ahead log.
const DISK_SIZE_OPTION: &str = "size=640m";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// SIGKILL to a server, then a restart.
    Kill,
    /// SIGTERM to a server, then a restart.
    Restart,
    /// SIGSTOP to a server, and SIGCONT some seconds later.
    Freeze,
    /// The proxy closes all connections to PostgreSQL.
    CutDatabase,
    /// PostgreSQL accepts connections and never responds.
    FreezeDatabase,
    /// PostgreSQL responds late.
    SlowDatabase,
    /// The proxy closes all connections of clients to a server.
    CutClients,
    /// The proxy closes all connections to an external panel.
    CutPanel,
    /// An external panel responds late.
    SlowPanel,
    /// The disk is full.
    FullDisk,
    /// Some writes to files fail with EIO.
    FailingWrites,
    /// The real-time clock jumps by up to half an hour.
    ClockJump,
}

impl Fault {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kill => "kill -9",
            Self::Restart => "SIGTERM",
            Self::Freeze => "SIGSTOP",
            Self::CutDatabase => "database cut",
            Self::FreezeDatabase => "database frozen",
            Self::SlowDatabase => "database slow",
            Self::CutClients => "clients cut",
            Self::CutPanel => "panel cut",
            Self::SlowPanel => "panel slow",
            Self::FullDisk => "disk full",
            Self::FailingWrites => "EIO",
            Self::ClockJump => "clock jump",
        }
    }
}

/// The faults that can happen in this run. A fault that the list contains several times is more likely.
#[must_use]
pub fn possible_faults(is_postgres: bool, has_shim: bool, has_disk: bool) -> Vec<Fault> {
    use Fault::*;
    let mut faults = vec![Kill, Kill, Kill, Restart, Freeze, Freeze, CutClients, CutPanel, SlowPanel];
    if is_postgres {
        faults.extend([CutDatabase, CutDatabase, FreezeDatabase, SlowDatabase]);
    }
    if has_shim {
        faults.extend([ClockJump, ClockJump, FailingWrites]);
    }
    if has_disk {
        faults.push(FullDisk);
    }
    faults
}

/// A random number below `bound`; 0 if `bound` is 0.
#[must_use]
pub fn random_below(random: &Random, bound: u64) -> u64 {
    u64::from_le_bytes(random.bytes()) % bound.max(1)
}

/// A random index below `count`.
#[must_use]
pub fn random_index(random: &Random, count: usize) -> usize {
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    usize::try_from(random_below(random, count)).unwrap_or_default()
}

#[must_use]
pub fn random_duration(random: &Random) -> Duration {
    Duration::from_millis(200 + random_below(random, 4_000))
}

/// How often each fault happened.
pub type FaultCounts = BTreeMap<Fault, u64>;

/// Compiles the library that the servers preload.
///
/// # Errors
/// The machine has no C compiler.
pub fn compile_shim(work_dir: &Path) -> Result<PathBuf, String> {
    let (source, library) = (work_dir.join("shim.c"), work_dir.join("shim.so"));
    std::fs::write(&source, include_str!("shim.c")).map_err(|error| error.to_string())?;
    let compiler_output = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(&source)
        .arg("-ldl")
        .output();
    match compiler_output {
        Ok(output) if output.status.success() => Ok(library),
        Ok(output) => Err(format!("cc failed: {}", String::from_utf8_lossy(&output.stderr))),
        Err(error) => Err(format!("failed to run cc: {error}")),
    }
}

/// A small disk in memory for the servers' data; dropping it unmounts it.
pub struct SmallDisk {
    mount_point: PathBuf,
}

impl SmallDisk {
    /// # Errors
    /// The process has no permission to mount, or mount failed.
    pub fn mount(mount_point: &Path) -> Result<Self, String> {
        let output = Command::new("mount")
            .args(["-t", "tmpfs", "-o", DISK_SIZE_OPTION, "tmpfs"])
            .arg(mount_point)
            .output();
        match output {
            Ok(output) if output.status.success() => Ok(Self { mount_point: mount_point.to_owned() }),
            Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
            Err(error) => Err(format!("failed to run mount: {error}")),
        }
    }

    pub fn fill(&self) {
        let Ok(mut file) = File::create(self.filler_file()) else { return };
        for size in [1 << 20, 4 << 10, 1] {
            let chunk = vec![0; size];
            while file.write(&chunk).is_ok_and(|written| written > 0) {}
        }
    }

    /// Deletes the file that fills the disk.
    pub fn free(&self) {
        // The file is missing if the disk was not filled.
        drop(std::fs::remove_file(self.filler_file()));
    }

    fn filler_file(&self) -> PathBuf {
        self.mount_point.join("filler")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // A lazy unmount, because a process that has just exited may still have open files.
        drop(Command::new("umount").arg("-l").arg(&self.mount_point).status());
    }
}
