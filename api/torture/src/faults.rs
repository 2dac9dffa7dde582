//! Faults: a seeded schedule, a disk that fills up, and a library that makes writes fail and clocks jump. Every fault ends
//! after its duration or at the end of the phase.

use std::collections::BTreeMap;

use panel_kernel::random::Random;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Size of the disk that fills up: enough for an hour's data and SQLite's log. It is held in memory.
const DISK_SIZE: &str = "size=640m";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// SIGKILL, and a new start.
    Kill,
    /// SIGTERM, and a new start.
    Restart,
    /// SIGSTOP, and SIGCONT some seconds later.
    Freeze,
    /// Connections to PostgreSQL are closed.
    CutDatabase,
    /// PostgreSQL accepts connections and never answers.
    FreezeDatabase,
    /// PostgreSQL answers late.
    SlowDatabase,
    /// Connections of clients are closed.
    CutClients,
    /// Connections to an external panel are closed.
    CutPanel,
    /// An external panel answers late.
    SlowPanel,
    /// The disk is full.
    FullDisk,
    /// Writes to files fail.
    BrokenDisk,
    /// The real-time clock jumps by up to half an hour.
    Clock,
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
            Self::BrokenDisk => "EIO",
            Self::Clock => "clock jump",
        }
    }
}

/// The faults that can happen in this run; a repeated fault is more likely.
#[must_use]
pub fn possible_faults(is_postgres: bool, has_shim: bool, has_disk: bool) -> Vec<Fault> {
    use Fault::*;
    let mut faults = vec![Kill, Kill, Kill, Restart, Freeze, Freeze, CutClients, CutPanel, SlowPanel];
    if is_postgres {
        faults.extend([CutDatabase, CutDatabase, FreezeDatabase, SlowDatabase]);
    }
    if has_shim {
        faults.extend([Clock, Clock, BrokenDisk]);
    }
    if has_disk {
        faults.push(FullDisk);
    }
    faults
}

/// A random number below `bound`; with 0 the number 0.
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
    let compiler = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(&source)
        .arg("-ldl")
        .output();
    match compiler {
        Ok(output) if output.status.success() => Ok(library),
        Ok(output) => Err(format!("cc failed: {}", String::from_utf8_lossy(&output.stderr))),
        Err(error) => Err(format!("cc does not run: {error}")),
    }
}

/// A small disk in memory for the servers' data; dropping it unmounts it.
pub struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// # Errors
    /// The process may not mount.
    pub fn mount(folder: &Path) -> Result<Self, String> {
        let output =
            Command::new("mount").args(["-t", "tmpfs", "-o", DISK_SIZE, "tmpfs"]).arg(folder).output();
        match output {
            Ok(output) if output.status.success() => Ok(Self { folder: folder.to_owned() }),
            Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
            Err(error) => Err(format!("mount does not run: {error}")),
        }
    }

    pub fn fill(&self) {
        let Ok(mut file) = File::create(self.filler_file()) else { return };
        for size in [1 << 20, 4 << 10, 1] {
            let chunk = vec![0; size];
            while file.write(&chunk).is_ok_and(|written| written > 0) {}
        }
    }

    /// Frees the space again.
    pub fn free(&self) {
        // The file is missing if the disk was not filled.
        drop(std::fs::remove_file(self.filler_file()));
    }

    fn filler_file(&self) -> PathBuf {
        self.folder.join("filler")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // A lazy unmount, because a process that just ended may still have open files.
        drop(Command::new("umount").arg("-l").arg(&self.folder).status());
    }
}
