//! The end of a run: with the faults over, everything that is due for some days is done at once, on a clock that is moved on.

use std::iter::repeat_n;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use panel_server::app::App;
use panel_server::clock::{Clock as _, SystemClock};
use panel_server::config::Config;
use panel_server::demo::panel::Temper;
use panel_server::jobs::worker;
use panel_server::random::Random;
use panel_server::supply::dispatch;

use crate::shop::{Shop, text};

/// Most rounds of work at one moment; each does up to hundreds of records.
const ROUNDS: usize = 500;

/// Opens the panel's data on the shop's clock, from so many seconds after now on.
pub async fn open(config: Config, shop: &Shop, ahead_secs: i64) -> Result<App, String> {
    for panel in &shop.panels {
        panel.behave(Temper::Good);
    }
    shop.receiver.is_good.store(true, Ordering::SeqCst);
    let fixed = &shop.clock.fixed;
    let behind = (SystemClock.now().0 - fixed.now().0) / 1_000_000;
    fixed.advance(behind + ahead_secs);
    shop.clock.is_stopped.store(true, Ordering::SeqCst);
    App::start(config, Arc::new(fixed.clone()), Random::seeded(11)).await
}

/// Does what is due for some days: tries again, looks for what is not known, follows what was taken, delivers.
pub async fn settle(app: &App, shop: &Shop) -> Result<(), String> {
    let steps = repeat_n(30, 60).chain(repeat_n(1_800, 60)).chain(repeat_n(43_201, 6));
    for seconds in steps {
        shop.clock.fixed.advance(seconds);
        for _ in 0..ROUNDS {
            let orders = dispatch::cycle(app).await.map_err(|error| format!("{error:?}"))?;
            let jobs = worker::run_due(app).await.map_err(text)?;
            if orders + jobs == 0 {
                break;
            }
        }
    }
    Ok(())
}
