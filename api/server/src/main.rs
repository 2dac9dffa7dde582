//! The program: reads the command line and hands over to `start`.

use std::process::ExitCode;

use clap::Parser as _;
use panel_server::start::commands::{self, Cli};

/// Every request makes hundreds of small values on whichever thread is free: the system's allocator spends a seventh of a
/// list's time on that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    commands::main(Cli::parse()).await
}
