//! The only module with I/O: terminal, server and clock. It passes events to the dashboard, runs the returned jobs, and draws.

mod desktop;
mod external_panels;
mod failures;
mod identity;
mod jobs;
mod live;
mod message_channel;
mod orders;
mod per_record_requests;
mod queues;
mod session;
pub mod setup;
mod signals;
mod withdrawals;

use std::process::ExitCode;
use std::time::Duration;

use crossterm::event::EventStream;
use futures_util::StreamExt as _;
use panel_client::environment::{Environment as _, SystemEnvironment};

use crate::app::App;
use crate::event::Event;
use crate::input;
use crate::runner::jobs::JobRunner;
use crate::runner::message_channel::{MessageReceiver, RunnerMessage, message_channel};
use crate::runner::session::ProfileTarget;
use crate::runner::setup::Args;
use crate::terminal::Screen;

/// The maximum time between two draws of the screen, which shows ages, countdowns and sparklines.
const TICK_INTERVAL: Duration = Duration::from_millis(250);

#[must_use]
pub fn main(args: Args) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let result = match runtime {
        Ok(runtime) => runtime.block_on(run(args)).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match result {
        Ok(code) => code,
        Err(message) => {
            print_error(&format!("panel-tui: {message}"));
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stderr, reason = "only while the terminal is not in raw mode")]
fn print_error(text: &str) {
    eprintln!("{text}");
}

async fn run(args: Args) -> std::io::Result<ExitCode> {
    let options = args.options();
    let mut signals = signals::Signals::listen()?;
    let mut screen = Screen::enter(!options.no_mouse)?;
    let (sender, mut messages) = message_channel();
    let target = ProfileTarget { profile: args.profile, server: args.server };
    let mut app = App::new(options, SystemEnvironment.now(), screen.size()?);
    let mut runner = JobRunner::new(sender, target);
    runner.resume_session();
    let mut terminal_events = EventStream::new();
    let mut ticks = tokio::time::interval(TICK_INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    screen.draw(&app)?;
    let code = loop {
        let event = tokio::select! {
            terminal_event = terminal_events.next() => match terminal_event {
                Some(terminal_event) => input::to_event(terminal_event?),
                // The terminal was closed.
                None => break ExitCode::FAILURE,
            },
            message = next_message(&mut messages, &runner) => match message {
                Some(RunnerMessage::Event(event)) => Some(event),
                Some(RunnerMessage::Session(session)) => Some(runner.start_session(*session)),
                None => None,
            },
            _ = ticks.tick() => Some(Event::Tick),
            code = signals.next() => break code,
        };
        let Some(event) = event else { continue };
        let jobs = app.handle(SystemEnvironment.now(), event);
        if !jobs.into_iter().all(|job| runner.start(job, &mut screen)) {
            break ExitCode::SUCCESS;
        }
        screen.draw(&app)?;
    };
    drop(screen);
    if runner.is_running() {
        print_error("Waiting for the current request to finish …");
    }
    runner.shut_down().await;
    Ok(code)
}

async fn next_message(messages: &mut MessageReceiver, runner: &JobRunner) -> Option<RunnerMessage> {
    messages.next(&runner.sender).await
}
