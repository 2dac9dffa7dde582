//! What a change costs: each list and a bulk cancel by the program of `BENCH_BEFORE` (one from before the change) and by this one, in
//! turns on the same records, so that what else the machine does is shared. Both must read the same schema.

use std::path::Path;

use panel_platform::db::Db;

use crate::bulk;
use crate::cases::Case;
use crate::served::{Served, measured_program};
use crate::telemetry::{median, turn};

/// Turns of each program.
const TURNS: usize = 5;
/// How long each request is measured in a turn.
const SECONDS: u64 = 1;
/// Orders of one bulk cancel.
const LOT: i64 = 1_000;

/// One request by both programs.
pub(crate) struct Compared {
    pub(crate) name: &'static str,
    /// Its unit is `unit`; of each turn.
    pub(crate) before: Vec<f64>,
    pub(crate) after: Vec<f64>,
    pub(crate) unit: &'static str,
}

impl Compared {
    /// How much slower this program is than the one before, as a part of the time: the median of the turns.
    pub(crate) fn slower(&self) -> f64 {
        let pairs = self.before.iter().zip(&self.after);
        let times: Vec<f64> = match self.unit {
            "req/s" => pairs.map(|(before, after)| before / after - 1.0).collect(),
            _ => pairs.map(|(before, after)| after / before - 1.0).collect(),
        };
        median(&times)
    }
}

/// Measures all cases by both programs.
pub(crate) async fn measure(folder: &Path, url: Option<&str>, db: &Db, cases: &[Case]) -> Vec<Compared> {
    let (before, now) = (std::env::var("BENCH_BEFORE").unwrap(), measured_program());
    let compared = |name, unit| Compared { name, before: Vec::new(), after: Vec::new(), unit };
    let mut rates: Vec<Compared> = cases.iter().map(|case| compared(case.name, "req/s")).collect();
    let mut cancel = compared("bulk cancel of 1,000", "ms");
    for number in 0..TURNS {
        // The program that begins has a colder cache; they take turns with that as well.
        let mut programs = [(before.as_str(), true), (now.as_str(), false)];
        if number % 2 == 1 {
            programs.reverse();
        }
        for (program, is_before) in programs {
            let served = Served::of(program, &[], folder, url).await;
            for (case, rate) in cases.iter().zip(&mut rates) {
                let (_, per_second) = turn(&served, &case.path, SECONDS).await;
                if is_before { &mut rate.before } else { &mut rate.after }.push(per_second);
            }
            let spent = bulk::cancel(&served, db, LOT).await;
            if is_before { &mut cancel.before } else { &mut cancel.after }.push(spent);
            println!("turn {number}: {program} done");
        }
    }
    rates.push(cancel);
    rates
}
