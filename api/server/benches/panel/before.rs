//! The cost of a change: each list and a bulk cancel with the program of `BENCH_BEFORE` (from before the change) and with this one,
//! in alternating rounds on the same records, so that other load on the machine affects both. Both must use the same schema.

use std::path::Path;

use panel_platform::db::Db;

use crate::bulk;
use crate::cases::Case;
use crate::server_process::{ServerProcess, measured_program};
use crate::telemetry::measure_round;

/// The number of rounds of each program.
const ROUNDS: usize = 10;
/// The duration of each measurement in a round, in seconds.
const SECONDS_PER_CASE: u64 = 1;
/// The number of orders in a bulk cancel. A table of 100,000 has 2,800 paid orders in processing; twenty rounds cancel 2,500.
const ORDERS_PER_CANCEL: i64 = 125;

/// The measurements of one request, one for each round of a program.
#[derive(Default)]
pub(crate) struct ProgramRounds {
    /// Requests per second or milliseconds, by [`Comparison::unit`].
    values: Vec<f64>,
    /// The CPU time of the program per request, in microseconds.
    cpu_micros: Vec<f64>,
}

/// One request with both programs. Compares the best rounds, because other load on the machine only makes a round slower.
pub(crate) struct Comparison {
    pub(crate) name: &'static str,
    before: ProgramRounds,
    current: ProgramRounds,
    /// `req/s`, or `ms`.
    pub(crate) unit: &'static str,
}

impl Comparison {
    fn new(name: &'static str, unit: &'static str) -> Self {
        Self { name, before: ProgramRounds::default(), current: ProgramRounds::default(), unit }
    }

    fn rounds(&mut self, is_before: bool) -> &mut ProgramRounds {
        if is_before { &mut self.before } else { &mut self.current }
    }

    /// The best rounds of the program before and of this one.
    pub(crate) fn best(&self) -> (f64, f64) {
        let best = match self.unit {
            "req/s" => highest,
            _ => lowest,
        };
        (best(&self.before.values), best(&self.current.values))
    }

    /// The additional time of this program relative to the one before, as a fraction: 0.05 is 5 % slower.
    pub(crate) fn slowdown(&self) -> f64 {
        match (self.unit, self.best()) {
            ("req/s", (before, current)) => before / current - 1.0,
            (_, (before, current)) => current / before - 1.0,
        }
    }

    /// The additional CPU time of this program relative to the one before, as a fraction; `None` where it was not measured.
    pub(crate) fn additional_cpu(&self) -> Option<f64> {
        (!self.current.cpu_micros.is_empty())
            .then(|| lowest(&self.current.cpu_micros) / lowest(&self.before.cpu_micros) - 1.0)
    }
}

fn highest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::MIN, f64::max)
}

fn lowest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::MAX, f64::min)
}

/// Measures all cases by both programs.
pub(crate) async fn measure(folder: &Path, url: Option<&str>, db: &Db, cases: &[Case]) -> Vec<Comparison> {
    let (before, current) = (std::env::var("BENCH_BEFORE").unwrap(), measured_program());
    let mut rates: Vec<Comparison> = cases.iter().map(|case| Comparison::new(case.name, "req/s")).collect();
    let mut cancel = Comparison::new("bulk cancel of 125", "ms");
    for number in 0..ROUNDS {
        // The first program of a round has a colder cache, so the order alternates.
        let mut programs = [(before.as_str(), true), (current.as_str(), false)];
        if number % 2 == 1 {
            programs.reverse();
        }
        for (program, is_before) in programs {
            let server = ServerProcess::start_program(program, &[], folder, url).await;
            for (case, rate) in cases.iter().zip(&mut rates) {
                let (cpu_micros, per_second) = measure_round(&server, &case.path, SECONDS_PER_CASE).await;
                let rounds = rate.rounds(is_before);
                rounds.values.push(per_second);
                rounds.cpu_micros.push(cpu_micros);
            }
            let duration_ms = bulk::cancel(&server, db, ORDERS_PER_CANCEL).await;
            cancel.rounds(is_before).values.push(duration_ms);
            println!("round {number}: {program} done");
        }
    }
    rates.push(cancel);
    rates
}
