//! The entry point of panelctl. Data goes to standard output; messages, prompts and errors go to standard error. Only the
//! module `output` writes to either.

mod api;
mod catalogue;
mod command;
mod configuration;
mod ctx;
mod exit;
mod failure;
mod input;
mod interrupt;
mod manual;
mod marketing;
mod operations;
mod output;
mod root;
mod session;
mod sheet;
mod supply;
mod tools;

use std::process::ExitCode;

use crate::command::empty_values::ParseError;
use crate::command::shell;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::NO_RESPONSE;
use crate::interrupt::Signals;
use crate::output::{Format, Output};

fn main() -> ExitCode {
    // `std::env::args` would panic on an argument that is not UTF-8, such as some file names.
    let args: Vec<String> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let requests_json = root::requests_json(args.iter().cloned());
    let parse_result = match root::parse(std::env::args_os()) {
        Ok(parsed) => Ok(parsed),
        // clap prints its own help, version and errors, unless the command line requests JSON.
        Err(ParseError::Clap(error)) if !(requests_json && error.use_stderr()) => error.exit(),
        Err(ParseError::Clap(error)) => Err(error.into()),
        Err(ParseError::EmptyValue(failure)) => Err(failure),
    };
    let (matches, globals) = match parse_result {
        Ok(parsed) => parsed,
        Err(failure) => {
            let format = if requests_json { Format::Json } else { Format::Table };
            Output { format, ..root::output_for_parse_errors() }.print_failure(&failure);
            return failure.exit.into();
        }
    };
    let out = root::build_output(&globals);
    let command =
        shell::join_words(std::iter::once("panelctl").chain(args.iter().skip(1).map(String::as_str)));
    let ctx = Ctx::new(globals, out, command);
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            ctx.out.print_failure(&error.into());
            return Exit::Failed.into();
        }
    };
    let result = runtime.block_on(async {
        let signals = Signals::new();
        tokio::select! {
            result = root::run(&ctx, &matches) => result,
            () = ctx.interrupt.wait_for_exit(signals, |text| ctx.out.print_message(text)) => Ok(Exit::Interrupted),
        }
    });
    // A thread may still wait for input at a prompt. A normal shutdown of the runtime would wait for that thread.
    runtime.shutdown_background();
    if matches!(result, Ok(Exit::Interrupted)) && ctx.interrupt.is_chunk_interrupted() {
        ctx.out.print_message("Stopped at once. To continue, run: panelctl runs resume last");
    }
    match result {
        Ok(exit) => exit.into(),
        Err(failure) if failure.is_closed_pipe => Exit::Ok.into(),
        Err(mut failure) => {
            if failure.code == NO_RESPONSE
                && let Ok(Some(server)) = ctx.server()
            {
                failure = failure
                    .hint(format!("panelctl doctor   (checks whether the server at {server} responds)"));
            }
            ctx.out.print_failure(&failure);
            failure.exit.into()
        }
    }
}
