//! Progress of a bulk run: a bar on a terminal, otherwise a line every ten seconds.

use std::fmt::Write;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use panel_client::bulk::report::RunReport;

use crate::output::Output;

/// Interval of progress lines without a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Shows the progress until the value is dropped.
pub(crate) struct Progress<'o> {
    out: &'o Output,
    bar: Option<ProgressBar>,
    last_line_at: Instant,
}

impl<'o> Progress<'o> {
    pub(crate) fn new(out: &'o Output, total: usize) -> Self {
        let bar = (out.stderr_is_terminal && total > 1).then(|| {
            let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            let template = "{bar:30} {human_pos} of {human_len} · {rate} · {eta} left{msg}";
            // Indicatif's own rate has decimals.
            let write_rate = |state: &ProgressState, text: &mut dyn Write| {
                // A failed write only omits the rate.
                let _ = write!(text, "{:.0}/s", state.per_sec());
            };
            let style =
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style.with_key("rate", write_rate));
            bar
        });
        Self { out, bar, last_line_at: Instant::now() }
    }

    pub(crate) fn show(&mut self, report: &RunReport, total: usize) {
        let skipped_count = report.skipped.len();
        if let Some(bar) = &self.bar {
            if skipped_count > 0 {
                bar.set_message(format!(" · {skipped_count} skipped"));
            }
            bar.set_position(report.total as u64);
        } else if self.last_line_at.elapsed() >= LINE_INTERVAL {
            self.last_line_at = Instant::now();
            self.out.print_message(&format!("{} of {total}, {skipped_count} skipped", report.total));
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
