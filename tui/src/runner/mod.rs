//! The only part that does I/O: terminal, panel, clock. It hands events to the dashboard, does the jobs that come
//! back, and draws.

mod desk;
mod identity;
mod jobs;
mod live;
mod mail;
mod orders;
mod queues;
mod requests;
mod session;
pub mod setup;
mod signals;
mod supply;
mod trouble;
mod withdrawals;

use std::process::ExitCode;
use std::time::Duration;

use crossterm::event::EventStream;
use futures_util::StreamExt as _;
use panel_client::world::{RealWorld, World as _};

use crate::app::App;
use crate::event::Event;
use crate::input;
use crate::runner::jobs::Hands;
use crate::runner::mail::{Inbox, Letter, post};
use crate::runner::session::Place;
use crate::runner::setup::Args;
use crate::terminal::Screen;

/// The screen moves at least this often: ages, waits, the sparklines.
const TICK: Duration = Duration::from_millis(250);

/// Runs the program.
#[must_use]
pub fn main(args: Args) -> ExitCode {
    let built = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let ended = match built {
        Ok(runtime) => runtime.block_on(run(args)).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match ended {
        Ok(code) => code,
        Err(message) => {
            say(&format!("panel-tui: {message}"));
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stderr, reason = "only before the terminal is taken over and after it was given back")]
fn say(text: &str) {
    eprintln!("{text}");
}

async fn run(args: Args) -> std::io::Result<ExitCode> {
    let options = args.options();
    let mut signals = signals::Signals::listen()?;
    let mut screen = Screen::enter(!options.no_mouse)?;
    let (out, mut inbox) = post();
    let place = Place { profile: args.profile, server: args.server };
    let mut app = App::new(options, RealWorld.now(), screen.size()?);
    let mut hands = Hands::new(out, place);
    hands.begin();
    let mut keys = EventStream::new();
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    screen.draw(&app)?;
    let code = loop {
        let event = tokio::select! {
            told = keys.next() => match told {
                Some(told) => input::event(told?),
                // The terminal is gone.
                None => break ExitCode::FAILURE,
            },
            letter = next(&mut inbox, &hands) => match letter {
                Some(Letter::Event(event)) => Some(event),
                Some(Letter::Session(session)) => Some(hands.signed_in(*session)),
                None => None,
            },
            _ = ticks.tick() => Some(Event::Tick),
            code = signals.next() => break code,
        };
        let Some(event) = event else { continue };
        let jobs = app.on(RealWorld.now(), event);
        if !jobs.into_iter().all(|job| hands.take(job, &mut screen)) {
            break ExitCode::SUCCESS;
        }
        screen.draw(&app)?;
    };
    drop(screen);
    if hands.is_running() {
        say("Ending after the request in flight …");
    }
    hands.put_down().await;
    Ok(code)
}

async fn next(inbox: &mut Inbox, hands: &Hands) -> Option<Letter> {
    inbox.next(&hands.out).await
}
