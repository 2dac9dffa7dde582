//! The program: reads the command line and hands over to `start`.

use std::process::ExitCode;

use clap::Parser as _;
use panel_server::start::commands::{self, Cli};

/// Every request makes hundreds of small values on whichever thread is free: the system's allocator spends a seventh of a
/// list's time on that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Milliseconds for which the allocator keeps whole pages that were freed. Its default is a second, in which uploads and
/// images one after the other each take memory of their own: 50 MB were kept after a series of them, and 5 MB are.
#[cfg(unix)]
const PURGE_DELAY: (&str, &str) = ("MIMALLOC_PURGE_DELAY", "0");

fn main() -> ExitCode {
    #[cfg(unix)]
    set_up_allocator();
    run()
}

/// Replaces the program by itself, with the allocator's setting: it is read from the environment before `main`, and a
/// process that runs cannot safely change it otherwise. The process keeps its id. An operator's own value stands.
#[cfg(unix)]
fn set_up_allocator() {
    use std::os::unix::process::CommandExt as _;

    let (name, value) = PURGE_DELAY;
    if std::env::var_os(name).is_some() {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let mut given = std::env::args_os();
    let mut command = std::process::Command::new(&program);
    command.arg0(given.next().unwrap_or_else(|| program.into_os_string())).args(given).env(name, value);
    // Comes back only where it fails; then the allocator's default holds.
    drop(command.exec());
}

#[tokio::main]
async fn run() -> ExitCode {
    commands::main(Cli::parse()).await
}
