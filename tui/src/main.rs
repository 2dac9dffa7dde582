//! The program: reads the command line and hands over to the runner.

use std::process::ExitCode;

use clap::Parser as _;
use panel_tui::runner::{self, setup::Args};

fn main() -> ExitCode {
    runner::main(Args::parse())
}
