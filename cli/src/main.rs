//! The panel from scripts and terminals. Data goes to standard output, words to standard error, and nothing else
//! to either; the only place that writes is `output`.

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

use crate::command::blank::Refused;
use crate::command::shell;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::NO_ANSWER;
use crate::interrupt::Signals;
use crate::output::{Format, Out};

fn main() -> ExitCode {
    // File names need not be UTF-8, where `args` panics.
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let wants_json = root::wants_json(words.iter().cloned());
    let parsed = match root::parsed(std::env::args_os()) {
        Ok(parsed) => Ok(parsed),
        // Help and versions are no errors, and clap prints its errors best; a program gets its object all the same.
        Err(Refused::ByClap(error)) if !(wants_json && error.use_stderr()) => error.exit(),
        Err(Refused::ByClap(error)) => Err(error.into()),
        Err(Refused::Here(failure)) => Err(failure),
    };
    let (matches, globals) = match parsed {
        Ok(parsed) => parsed,
        Err(failure) => {
            let format = if wants_json { Format::Json } else { Format::Table };
            Out { format, ..root::plain() }.fail(&failure);
            return failure.exit.into();
        }
    };
    let out = root::out(&globals);
    let command = shell::line(std::iter::once("panelctl").chain(words.iter().skip(1).map(String::as_str)));
    let ctx = Ctx::new(globals, out, command);
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            ctx.out.fail(&error.into());
            return Exit::Failed.into();
        }
    };
    let exit = runtime.block_on(async {
        let signals = Signals::new();
        tokio::select! {
            done = root::run(&ctx, &matches) => done,
            () = ctx.interrupt.wanted(signals, |words| ctx.out.say(words)) => Ok(Exit::Interrupted),
        }
    });
    // A prompt may still wait for a line that nobody will type.
    runtime.shutdown_background();
    if matches!(exit, Ok(Exit::Interrupted)) && ctx.interrupt.is_abandoned() {
        ctx.out.say("Ended at once. Go on with: panelctl runs resume last");
    }
    match exit {
        Ok(exit) => exit.into(),
        Err(failure) if failure.is_closed_pipe => Exit::Ok.into(),
        Err(mut failure) => {
            if failure.code == NO_ANSWER
                && let Ok(Some(server)) = ctx.server()
            {
                failure = failure.hint(format!("panelctl doctor   (is the panel at {server}?)"));
            }
            ctx.out.fail(&failure);
            failure.exit.into()
        }
    }
}
