//! Cost of a change: each list and a bulk cancel with the program of `BENCH_BEFORE` (from before the change) and with this one,
//! in alternating rounds on the same records, so that other load on the machine affects both. Both must use the same schema.

use std::path::Path;

use panel_platform::db::Db;

use crate::bulk;
use crate::cases::Case;
use crate::served::{Served, measured_program};
use crate::telemetry::measure_round;

/// Number of rounds of each program.
const ROUNDS: usize = 10;
/// Length of each measurement in a round, in seconds.
const SECONDS: u64 = 1;
/// Orders of one bulk cancel. A table of 100,000 has 2,800 paid orders in processing, and twenty turns cancel 2,500 of them.
const LOT: i64 = 125;

/// Measurements of one request in each round of a program.
#[derive(Default)]
pub(crate) struct Turns {
    /// Requests per second, or milliseconds; see [`Compared::unit`].
    measured: Vec<f64>,
    /// CPU time of the program per request, in microseconds.
    micros: Vec<f64>,
}

/// One request with both programs. Compares the best rounds, because other load on the machine only makes a round slower.
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

    /// The best rounds of the program before and of this one.
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
    let mut cancel = Compared::new("bulk cancel of 125", "ms");
    for number in 0..ROUNDS {
        // The program that begins has a colder cache; they take turns with that as well.
        let mut programs = [(before.as_str(), true), (now.as_str(), false)];
        if number % 2 == 1 {
            programs.reverse();
        }
        for (program, is_before) in programs {
            let served = Served::of(program, &[], folder, url).await;
            for (case, rate) in cases.iter().zip(&mut rates) {
                let (micros, per_second) = measure_round(&served, &case.path, SECONDS).await;
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
