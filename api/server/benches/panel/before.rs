//! What a change costs: each list and a bulk cancel by the program of `BENCH_BEFORE` (one from before the change) and by this one, in
//! turns on the same records, so that what else the machine does is shared. Both must read the same schema.

use std::path::Path;

use panel_platform::db::Db;

use crate::bulk;
use crate::cases::Case;
use crate::served::{Served, measured_program};
use crate::telemetry::turn;

/// Turns of each program.
const TURNS: usize = 10;
/// How long each request is measured in a turn.
const SECONDS: u64 = 1;
/// Orders of one bulk cancel; the smallest table has enough of them for all turns.
const LOT: i64 = 250;

/// What one request took in each turn of a program.
#[derive(Default)]
pub(crate) struct Turns {
    /// Requests per second, or milliseconds; see [`Compared::unit`].
    measured: Vec<f64>,
    /// Processor time of the program for a request, in microseconds.
    micros: Vec<f64>,
}

/// One request by both programs. The best turn of each is compared: what else the machine does only ever takes time from a turn.
pub(crate) struct Compared {
    pub(crate) name: &'static str,
    before: Turns,
    now: Turns,
    /// `req/s`, or `ms`.
    pub(crate) unit: &'static str,
}

impl Compared {
    fn new(name: &'static str, unit: &'static str) -> Self {
        Self { name, before: Turns::default(), now: Turns::default(), unit }
    }

    fn turns(&mut self, is_before: bool) -> &mut Turns {
        if is_before { &mut self.before } else { &mut self.now }
    }

    /// What the program before and this one measured in their best turns.
    pub(crate) fn best(&self) -> (f64, f64) {
        let best = match self.unit {
            "req/s" => highest,
            _ => lowest,
        };
        (best(&self.before.measured), best(&self.now.measured))
    }

    /// How much slower this program is than the one before, as a part of the time.
    pub(crate) fn slower(&self) -> f64 {
        match (self.unit, self.best()) {
            ("req/s", (before, now)) => before / now - 1.0,
            (_, (before, now)) => now / before - 1.0,
        }
    }

    /// How much more processor time this program needs than the one before, as a part; none where it was not measured.
    pub(crate) fn busier(&self) -> Option<f64> {
        (!self.now.micros.is_empty()).then(|| lowest(&self.now.micros) / lowest(&self.before.micros) - 1.0)
    }
}

fn highest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::MIN, f64::max)
}

fn lowest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::MAX, f64::min)
}

/// Measures all cases by both programs.
pub(crate) async fn measure(folder: &Path, url: Option<&str>, db: &Db, cases: &[Case]) -> Vec<Compared> {
    let (before, now) = (std::env::var("BENCH_BEFORE").unwrap(), measured_program());
    let mut rates: Vec<Compared> = cases.iter().map(|case| Compared::new(case.name, "req/s")).collect();
    let mut cancel = Compared::new("bulk cancel of 250", "ms");
    for number in 0..TURNS {
        // The program that begins has a colder cache; they take turns with that as well.
        let mut programs = [(before.as_str(), true), (now.as_str(), false)];
        if number % 2 == 1 {
            programs.reverse();
        }
        for (program, is_before) in programs {
            let served = Served::of(program, &[], folder, url).await;
            for (case, rate) in cases.iter().zip(&mut rates) {
                let (micros, per_second) = turn(&served, &case.path, SECONDS).await;
                let turns = rate.turns(is_before);
                turns.measured.push(per_second);
                turns.micros.push(micros);
            }
            let spent = bulk::cancel(&served, db, LOT).await;
            cancel.turns(is_before).measured.push(spent);
            println!("turn {number}: {program} done");
        }
    }
    rates.push(cancel);
    rates
}
