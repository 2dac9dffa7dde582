//! The program: reads the command line and hands over to `start`.

use std::process::ExitCode;

use clap::Parser as _;
use panel_server::start::commands::{self, Cli};

#[tokio::main]
async fn main() -> ExitCode {
    commands::main(Cli::parse()).await
}
