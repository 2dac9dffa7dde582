//! The program `panel-server`: reads the command line and runs the command.

use std::process::ExitCode;

use clap::Parser as _;
use panel_server::start::commands::{self, Cli};

/// Every request allocates hundreds of small values, on any thread. With the allocator of the operating system, allocation takes
/// one seventh of the time of a list request.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    commands::main(Cli::parse()).await
}
