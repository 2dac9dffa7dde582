//! The program: parses the command line and starts the runner.

use std::process::ExitCode;

use clap::Parser as _;
use panel_tui::runner::{self, setup::Args};

fn main() -> ExitCode {
    runner::main(Args::parse())
}
