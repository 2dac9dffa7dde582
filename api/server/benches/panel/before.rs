//! Measures the cost of a change: each list and a bulk cancel with the program of `BENCH_BEFORE` (built before the change) and with
//! the current program. The rounds alternate on the same records, so that other load on the machine affects both programs. Both
//! must use the same database schema.

use std::path::Path;

use panel_platform::db::Db;

use crate::bulk;
use crate::cases::BenchmarkCase;
use crate::server_process::{ServerProcess, program_under_test};
use crate::telemetry::measure_round;

const ROUNDS_PER_PROGRAM: usize = 10;
/// Duration of one measurement.
const SECONDS_PER_CASE: u64 = 1;
/// Number of orders in a bulk cancel. With 100,000 orders, 2,800 are paid and in processing; twenty rounds cancel 2,500 of them.
const ORDERS_PER_CANCEL: i64 = 125;

/// The measurements of one request with one program, one value per round.
#[derive(Default)]
pub(crate) struct ProgramMeasurements {
    /// Requests per second or milliseconds, by [`Comparison::unit`].
    values: Vec<f64>,
    /// CPU time of the program per request, in microseconds; empty if not measured.
    cpu_micros: Vec<f64>,
}

/// One request measured with both programs. Compares the best rounds, because other load on the machine only makes rounds slower.
pub(crate) struct Comparison {
    pub(crate) name: &'static str,
    before: ProgramMeasurements,
    current: ProgramMeasurements,
    /// `req/s`, or `ms`.
    pub(crate) unit: &'static str,
}

impl Comparison {
    fn new(name: &'static str, unit: &'static str) -> Self {
        Self { name, before: ProgramMeasurements::default(), current: ProgramMeasurements::default(), unit }
    }

    fn measurements_mut(&mut self, is_before: bool) -> &mut ProgramMeasurements {
        if is_before { &mut self.before } else { &mut self.current }
    }

    /// The best value of the program before the change, and of the current program.
    pub(crate) fn best_values(&self) -> (f64, f64) {
        let best_of = match self.unit {
            "req/s" => highest,
            _ => lowest,
        };
        (best_of(&self.before.values), best_of(&self.current.values))
    }

    /// Additional time of the current program, as a fraction: 0.05 means 5 % slower.
    pub(crate) fn slowdown_fraction(&self) -> f64 {
        match (self.unit, self.best_values()) {
            ("req/s", (before, current)) => before / current - 1.0,
            (_, (before, current)) => current / before - 1.0,
        }
    }

    /// Additional CPU time of the current program, as a fraction; `None` if not measured.
    pub(crate) fn additional_cpu_fraction(&self) -> Option<f64> {
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

/// Measures all cases with both programs.
pub(crate) async fn measure(
    folder: &Path,
    database_url: Option<&str>,
    db: &Db,
    cases: &[BenchmarkCase],
) -> Vec<Comparison> {
    let program_before = std::env::var("BENCH_BEFORE").unwrap();
    let current_program = program_under_test();
    let mut comparisons: Vec<Comparison> =
        cases.iter().map(|case| Comparison::new(case.name, "req/s")).collect();
    let mut cancel_comparison = Comparison::new("bulk cancel of 125", "ms");
    for round_number in 0..ROUNDS_PER_PROGRAM {
        // The first program of a round has a colder cache, so the order alternates.
        let mut programs = [(program_before.as_str(), true), (current_program.as_str(), false)];
        if round_number % 2 == 1 {
            programs.reverse();
        }
        for (program, is_before) in programs {
            let server = ServerProcess::start_program(program, &[], folder, database_url).await;
            for (case, comparison) in cases.iter().zip(&mut comparisons) {
                let round = measure_round(&server, &case.path, SECONDS_PER_CASE).await;
                let measurements = comparison.measurements_mut(is_before);
                measurements.values.push(round.requests_per_second);
                measurements.cpu_micros.push(round.cpu_micros_per_request);
            }
            let duration_ms = bulk::measure_http_cancel(&server, db, ORDERS_PER_CANCEL).await;
            cancel_comparison.measurements_mut(is_before).values.push(duration_ms);
            println!("round {round_number}: {program} done");
        }
    }
    comparisons.push(cancel_comparison);
    comparisons
}
