//! How far a bulk run is: a bar on a terminal, a line now and then elsewhere.

use std::fmt::Write;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use panel_client::bulk::report::Report;

use crate::output::Out;

/// Between two lines where there is no terminal.
const EVERY: Duration = Duration::from_secs(10);

/// Shows progress until it is dropped.
pub(crate) struct Progress<'o> {
    out: &'o Out,
    bar: Option<ProgressBar>,
    told: Instant,
}

impl<'o> Progress<'o> {
    pub(crate) fn new(out: &'o Out, total: usize) -> Self {
        let bar = (out.words_to_terminal && total > 1).then(|| {
            let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            let template = "{bar:30} {human_pos} of {human_len} · {rate} · {eta} left{msg}";
            // Whole records a second: nobody reads the rest.
            let rate = |state: &ProgressState, text: &mut dyn Write| {
                // A bar without its rate is still a bar.
                let _ = write!(text, "{:.0}/s", state.per_sec());
            };
            let style =
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style.with_key("rate", rate));
            bar
        });
        Self { out, bar, told: Instant::now() }
    }

    pub(crate) fn show(&mut self, report: &Report, total: usize) {
        let skipped = report.skipped.len();
        if let Some(bar) = &self.bar {
            if skipped > 0 {
                bar.set_message(format!(" · {skipped} skipped"));
            }
            bar.set_position(report.total as u64);
        } else if self.told.elapsed() >= EVERY {
            self.told = Instant::now();
            self.out.say(&format!("{} of {total}, {skipped} skipped", report.total));
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
