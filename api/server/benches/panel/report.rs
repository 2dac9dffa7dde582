//! Writes the file of a run in docs/benchmarks: the measurements, the environment, and whether each goal was reached.

use std::fmt::Write as _;
use std::time::Duration;

use panel_platform::db::Dialect;

use crate::before::Compared;
use crate::bulk::Bulk;
use crate::catalogue;
use crate::load::Measured;
use crate::served::Served;
use crate::supply;
use crate::telemetry::{self, median};

const HEAD: &str = "# Measurements

Made by `make bench`; see `api/server/benches/panel`. Every line is one run: requests over real HTTP by 16 callers with
kept connections, beside the best SQL known for the same answer (kept totals, ids first, rows after), prepared, by 16
callers straight on the same database. Both share two cores with the load generator, so ratios hold and absolutes are low.
PostgreSQL runs with fsync and otherwise as installed, vacuumed after it was filled; the server is the release build.
";

const COLUMNS: &str = "| request | rows that match | served, req/s | median, ms | bare SQL, req/s | ratio | goal |\n|---|--:|--:|--:|--:|--:|--:|\n";

/// The report that is written at the end.
pub(crate) struct Report {
    text: String,
    plans: String,
    file: String,
}

impl Report {
    pub(crate) fn begin(scale: &str, part: &str, orders: i64) -> Self {
        let text = format!("{HEAD}\n## {orders} orders\n");
        // A part has its own file, so that it does not replace the whole report.
        let name = if part.is_empty() { "panel" } else { part };
        let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/benchmarks");
        let folder = std::env::var("BENCH_OUT").unwrap_or_else(|_| committed.to_owned());
        let file = format!("{folder}/{name}-{scale}.md");
        Self { text, plans: String::new(), file }
    }

    pub(crate) fn database(&mut self, dialect: Dialect, filled: Duration) {
        write!(self.text, "\n### {dialect:?}\n\nFilled in {:.1} s. ", filled.as_secs_f64()).unwrap();
        write!(self.plans, "\n### Plans on {dialect:?}\n").unwrap();
    }

    pub(crate) fn process(&mut self, served: &Served) {
        write!(
            self.text,
            "Start to the first answer: {:.0} ms (goal: under 200). Idle memory: {:.0} MB (goal: under 40).\n\n\
             {COLUMNS}",
            served.ready.as_secs_f64() * 1_000.0,
            served.idle_mb
        )
        .unwrap();
    }

    pub(crate) fn lists(&mut self) {
        write!(self.text, "\nThe default page of every list:\n\n{COLUMNS}").unwrap();
    }

    pub(crate) fn case(&mut self, found: &Measured) {
        let ratio = found.served.per_second / found.bare.per_second;
        let mark = if ratio >= found.case.goal { "" } else { " **missed**" };
        writeln!(
            self.text,
            "| {} | {} | {:.0} | {:.1} | {:.0} | {:.0} % | {:.0} %{mark} |",
            found.case.name,
            found.total,
            found.served.per_second,
            found.served.median_ms,
            found.bare.per_second,
            100.0 * ratio,
            100.0 * found.case.goal
        )
        .unwrap();
        write!(self.plans, "\n{}:\n\n```\n{}\n```\n", found.case.name, found.plan).unwrap();
    }

    pub(crate) fn bulk(&mut self, bulk: &Bulk) {
        writeln!(
            self.text,
            "\nBulk cancel of {} orders with money, one request: {:.0} ms (with an email for each: {:.0} ms); the bare statements: {:.0} ms; ratio {:.2} (goal: at most 2). Another writer \
             waited {:.0} ms at most (goal: under 500).",
            bulk.orders,
            bulk.served_ms,
            bulk.emails_ms,
            bulk.bare_ms,
            bulk.served_ms / bulk.bare_ms,
            bulk.longest_wait_ms
        )
        .unwrap();
    }

    pub(crate) fn catalogue(&mut self, found: &[catalogue::Measured]) {
        self.text.push_str(
            "\n3,000 services with texts in twelve languages, one caller:\n\n| request | median, ms | at most, ms | goal |\n|---|--:|--:|--:|\n",
        );
        for one in found {
            let mark = if one.median_ms < one.goal_ms { "" } else { " **missed**" };
            writeln!(
                self.text,
                "| {} | {:.1} | {:.1} | under {:.0}{mark} |",
                one.name, one.median_ms, one.longest_ms, one.goal_ms
            )
            .unwrap();
        }
    }

    pub(crate) fn supply(&mut self, found: &supply::Measured) {
        writeln!(
            self.text,
            "\n{} open orders at a panel on the same machine, each due every ten minutes: {:.0} ids polled per second, {} late at the end, \
             {:.2} cores and {:.0} MB used (goal: none late, under 0.5, under 150), beside {:.0} MB of files that are mapped. \
             Intake by the reseller API: {:.0} orders per second (goal: 500 on PostgreSQL, 300 on SQLite), {:.0} while all of those are polled. A catalogue of 20,000 services requested, listed and imported: {:.1} s (goal: under 20).",
            found.open,
            found.asked_per_second,
            found.late,
            found.cores,
            found.memory_mb.0,
            found.memory_mb.1,
            found.placed_per_second.0,
            found.placed_per_second.1,
            found.import_seconds
        )
        .unwrap();
    }

    pub(crate) fn before(&mut self, compared: &[Compared]) {
        self.text.push_str(
            "\nThe same requests by the program before and by this one, sixteen callers, the best of ten turns of each:\n\n| request | before | now | unit | slower | more processor time |\n|---|--:|--:|---|--:|--:|\n",
        );
        for one in compared {
            let (before, now) = one.best();
            let (name, unit, slower) = (one.name, one.unit, 100.0 * one.slower());
            let busier = one.busier().map_or_else(|| "-".into(), |more| format!("{:+.1} %", 100.0 * more));
            writeln!(self.text, "| {name} | {before:.0} | {now:.0} | {unit} | {slower:+.1} % | {busier} |")
                .unwrap();
        }
    }

    /// The others are compared with the first program.
    pub(crate) fn telemetry(&mut self, costs: &[telemetry::Cost]) {
        self.text.push_str(
            "\nThe default page of orders, sixteen callers, ten turns of each program:\n\n| program | processor time a request, us | least to most | beside the first | req/s |\n|---|--:|--:|--:|--:|\n",
        );
        for cost in costs {
            let ratios: Vec<f64> =
                cost.micros.iter().zip(&costs[0].micros).map(|(own, first)| own / first).collect();
            let least = cost.micros.iter().copied().fold(f64::INFINITY, f64::min);
            let most = cost.micros.iter().copied().fold(0.0, f64::max);
            writeln!(
                self.text,
                "| {} | {:.0} | {least:.0} to {most:.0} | {:+.1} % | {:.0} |",
                cost.name,
                median(&cost.micros),
                100.0 * (median(&ratios) - 1.0),
                median(&cost.per_second)
            )
            .unwrap();
        }
    }

    pub(crate) fn write(self) {
        std::fs::write(&self.file, format!("{}{}", self.text, self.plans)).unwrap();
        println!("written: {}", self.file);
    }
}
