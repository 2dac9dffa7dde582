//! The harness of the fuzz targets. A target is a test named `fuzz_…` beside the parser under test; it passes a proptest
//! strategy and a check function to [`FuzzTarget::run`]. Each input has its own seed, so that a failure can be replayed by its
//! number:
//!
//! - `PANEL_FUZZ_SECONDS` is the running time of each target (default: 1; `scripts/fuzz` sets minutes);
//! - `PANEL_FUZZ_START` is the seed of the first input; each further input has the next seed;
//! - `PANEL_FUZZ_SEED` runs only that input;
//! - `PANEL_FUZZ_DIR` is a folder with a file that has the seed of the running input: after a stack overflow, which ends the
//!   process, the file names the input.
//!
//! A check fails by a panic, by a stack overflow (the process dies), or by taking longer than the target's limit. No program
//! contains this crate.

mod bytes;
mod structured;

use std::fmt::Debug;
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

pub use bytes::{Input, Mutations, mutated, mutated_bytes, mutated_texts, query_pairs};
pub use structured::{json_documents, nest, xml_documents};

/// Default running time of a target, in seconds.
const DEFAULT_SECONDS: f64 = 1.0;
/// Default time limit of one input, for a debug build on a busy machine.
const DEFAULT_TIME_LIMIT: Duration = Duration::from_millis(500);
/// Maximum time for shrinking a failing input, in milliseconds.
const SHRINK_MS: u32 = 10_000;

#[derive(Debug)]
pub struct FuzzTarget {
    package: &'static str,
    name: &'static str,
    time_limit: Duration,
}

impl FuzzTarget {
    /// Creates a target of a package, with a name that is unique among all targets.
    #[must_use]
    pub const fn new(package: &'static str, name: &'static str) -> Self {
        Self { package, name, time_limit: DEFAULT_TIME_LIMIT }
    }

    /// Sets the time limit of one input. The harness runs a slower input again: only an input that is always too slow is a failure.
    #[must_use]
    pub const fn time_limit(self, time_limit: Duration) -> Self {
        Self { time_limit, ..self }
    }

    /// Runs `check` with values of the strategy until the running time is over.
    ///
    /// # Panics
    /// If a check panics or is too slow, with the smallest such input, its seed and the command to replay it.
    pub fn run<S: Strategy>(self, strategy: S, check: impl Fn(&S::Value))
    where
        S::Value: Debug,
    {
        if let Some(seed) = parse_env_variable("PANEL_FUZZ_SEED") {
            return self.run_input(seed, &strategy, &check);
        }
        let seconds = parse_env_variable("PANEL_FUZZ_SECONDS").unwrap_or(DEFAULT_SECONDS);
        let (started_at, time_budget) = (Instant::now(), Duration::from_secs_f64(seconds));
        let first_seed: u64 = parse_env_variable("PANEL_FUZZ_START").unwrap_or(0);
        let mut seed_file = SeedFile::create(self.name);
        let mut input_count = 0;
        while input_count == 0 || started_at.elapsed() < time_budget {
            let seed = first_seed.wrapping_add(input_count);
            seed_file.write(seed);
            self.run_input(seed, &strategy, &check);
            input_count += 1;
        }
        seed_file.remove();
        print_report(&format!("fuzz {}: {input_count} inputs in {:.1?}", self.name, started_at.elapsed()));
    }

    fn run_input<S: Strategy>(&self, seed: u64, strategy: &S, check: &impl Fn(&S::Value))
    where
        S::Value: Debug,
    {
        let config = Config { failure_persistence: None, max_shrink_time: SHRINK_MS, ..Config::default() };
        let mut bytes = [0_u8; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(config, rng);
        let Ok(tree) = strategy.new_tree(&mut runner) else { return };
        let failure = runner.run_one(tree, |value| {
            let duration = shortest_duration(self.time_limit, || check(&value));
            let limit = self.time_limit;
            assert!(duration <= limit, "the check took {duration:?}; at most {limit:?} is allowed");
            Ok(())
        });
        if let Err(TestError::Fail(reason, value)) = failure {
            let shown_input: String = format!("{value:?}").chars().take(4_000).collect();
            panic!(
                "fuzz {name}: {reason}\ninput: {shown_input}\nreplay: PANEL_FUZZ_SEED={seed} cargo test -p {package} fuzz_ -- --nocapture",
                name = self.name,
                package = self.package
            );
        }
    }
}

/// Measures the duration of a check. If it exceeds the limit, returns the shortest of four: other processes slow the machine down.
fn shortest_duration(limit: Duration, check: impl Fn()) -> Duration {
    let measure = || {
        let started_at = Instant::now();
        check();
        started_at.elapsed()
    };
    let first_duration = measure();
    if first_duration <= limit {
        first_duration
    } else {
        (0..3).fold(first_duration, |shortest, _| shortest.min(measure()))
    }
}

fn parse_env_variable<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.trim().parse().ok()
}

#[expect(
    clippy::print_stderr,
    reason = "a test reports its number of inputs; cargo shows it with --nocapture"
)]
fn print_report(line: &str) {
    eprintln!("{line}");
}

/// The file with the seed of the running input, if `PANEL_FUZZ_DIR` is set.
struct SeedFile(Option<(PathBuf, File)>);

impl SeedFile {
    fn create(name: &str) -> Self {
        let path = std::env::var_os("PANEL_FUZZ_DIR").map(|folder| PathBuf::from(folder).join(name));
        Self(path.and_then(|path| Some((path.clone(), File::create(path).ok()?))))
    }

    fn write(&mut self, seed: u64) {
        if let Some((_, file)) = &mut self.0 {
            // Twenty digits, so that the previous seed is fully overwritten.
            drop(file.rewind().and_then(|()| write!(file, "{seed:020}")));
        }
    }

    fn remove(self) {
        if let Some((path, _)) = self.0 {
            drop(std::fs::remove_file(path));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    fn panic_message(action: impl FnOnce()) -> String {
        let panic = catch_unwind(AssertUnwindSafe(action)).unwrap_err();
        panic.downcast_ref::<String>().unwrap().clone()
    }

    #[test]
    fn a_failure_names_its_smallest_input_and_its_seed() {
        let target = FuzzTarget::new("panel-fuzz", "self_test");
        let message = panic_message(|| target.run(0..1_000_u32, |value| assert!(*value < 10, "too large")));
        assert!(message.contains("too large") && message.contains("input: 10\n"), "{message}");
        assert!(
            message.contains("PANEL_FUZZ_SEED=") && message.contains("cargo test -p panel-fuzz"),
            "{message}"
        );
    }

    #[test]
    fn an_input_that_is_always_too_slow_fails() {
        let target = FuzzTarget::new("panel-fuzz", "self_test_of_time").time_limit(Duration::from_millis(1));
        let slow_check = |_: &u32| {
            let started_at = Instant::now();
            while started_at.elapsed() < Duration::from_millis(2) {}
        };
        assert!(panic_message(|| target.run(0..2_u32, slow_check)).contains("at most 1ms is allowed"));
    }

    #[test]
    fn a_seed_repeats_its_input() {
        let inputs = std::cell::RefCell::new(Vec::new());
        for _ in 0..2 {
            let target = FuzzTarget::new("panel-fuzz", "self_test_of_seeds");
            target.run_input(7, &json_documents(&["a"], &[]), &|text: &Input| {
                inputs.borrow_mut().push(text.clone())
            });
        }
        let inputs = inputs.borrow();
        assert_eq!(inputs[0], inputs[1]);
    }
}
