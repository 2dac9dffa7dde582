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
const DISK: &str = "size=640m";

/// Kinds of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// `kill -9`, and a new start.
    Kill,
    /// SIGTERM, and a new start.
    Restart,
    /// SIGSTOP, and SIGCONT after seconds.
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
    /// The clock jumps.
    Clock,
}

impl Fault {
    /// Its name in the report.
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

/// The faults of this run; repeated ones are more likely.
#[must_use]
pub fn possible(is_postgres: bool, has_shim: bool, has_disk: bool) -> Vec<Fault> {
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

/// A random number below `below`.
#[must_use]
pub fn below(random: &Random, below: u64) -> u64 {
    u64::from_le_bytes(random.bytes()) % below.max(1)
}

/// A random index below `count`.
#[must_use]
pub fn choose(random: &Random, count: usize) -> usize {
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    usize::try_from(below(random, count)).unwrap_or_default()
}

/// How long a fault lasts.
#[must_use]
pub fn duration(random: &Random) -> Duration {
    Duration::from_millis(200 + below(random, 4_000))
}

/// How often each fault happened.
pub type Counts = BTreeMap<Fault, u64>;

/// Compiles the preloaded library. Fails without a C compiler.
pub fn compile_shim(home: &Path) -> Result<PathBuf, String> {
    let (source, library) = (home.join("shim.c"), home.join("shim.so"));
    std::fs::write(&source, include_str!("shim.c")).map_err(|error| error.to_string())?;
    let compiler = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(&source)
        .arg("-ldl")
        .output();
    match compiler {
        Ok(out) if out.status.success() => Ok(library),
        Ok(out) => Err(format!("cc failed: {}", String::from_utf8_lossy(&out.stderr))),
        Err(error) => Err(format!("cc does not run: {error}")),
    }
}

/// A small disk in memory that holds the servers' data; unmounted at the end.
pub struct Disk {
    folder: PathBuf,
}

impl Disk {
    /// Mounts it. Fails without the permission.
    pub fn mount(folder: &Path) -> Result<Self, String> {
        let out = Command::new("mount").args(["-t", "tmpfs", "-o", DISK, "tmpfs"]).arg(folder).output();
        match out {
            Ok(out) if out.status.success() => Ok(Self { folder: folder.to_owned() }),
            Ok(out) => Err(String::from_utf8_lossy(&out.stderr).trim().to_owned()),
            Err(error) => Err(format!("mount does not run: {error}")),
        }
    }

    /// Fills the disk.
    pub fn fill(&self) {
        let Ok(mut file) = File::create(self.ballast()) else { return };
        for size in [1 << 20, 4 << 10, 1] {
            let piece = vec![0; size];
            while file.write(&piece).is_ok_and(|written| written > 0) {}
        }
    }

    /// Frees the space again.
    pub fn free(&self) {
        // The file is missing if the disk was not filled.
        drop(std::fs::remove_file(self.ballast()));
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join("ballast")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily, because a process that just ended may still have open files.
        drop(Command::new("umount").arg("-l").arg(&self.folder).status());
    }
}
