//! The harness of the fuzz targets. A target is a test named `fuzz_…` beside the parser under test; it passes a proptest
//! strategy and a check to [`Run::on`]. Each input has its own seed, so that a failure can be replayed by its number:
//!
//! - `PANEL_FUZZ_SECONDS` is the running time of each target (default: 1; `scripts/fuzz` sets minutes);
//! - `PANEL_FUZZ_START` is the seed of the first input, each further one has the next;
//! - `PANEL_FUZZ_SEED` runs only that input;
//! - `PANEL_FUZZ_DIR` is a folder with a file that has the seed of the running input: after a stack overflow, which ends the
//!   process, the file names the input.
//!
//! A check fails by a panic, by a stack overflow (the process dies), or by taking longer than the target's limit. No program
//! contains this crate.

mod bytes;
mod structured;

use std::cell::Cell;
use std::fmt::Debug;
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

pub use bytes::{Input, Mutations, mutated, pairs, samples, texts};
pub use structured::{deep, json_texts, xml_texts};

/// Default running time of a target, in seconds.
const DEFAULT_SECONDS: f64 = 1.0;
/// Default time limit of one input, for a debug build on a busy machine.
const DEFAULT_LIMIT: Duration = Duration::from_millis(500);
/// Maximum time for shrinking a failing input, in milliseconds.
const SHRINK_MS: u32 = 10_000;

/// A fuzz target.
#[derive(Debug)]
pub struct Run {
    package: &'static str,
    name: &'static str,
    slowest: Duration,
}

impl Run {
    /// A target of a package, under a name that is unique among all targets.
    #[must_use]
    pub const fn new(package: &'static str, name: &'static str) -> Self {
        Self { package, name, slowest: DEFAULT_LIMIT }
    }

    /// Sets the time limit of one input. A slower input is run again: only an input that is always too slow is a failure.
    #[must_use]
    pub const fn slowest(self, slowest: Duration) -> Self {
        Self { slowest, ..self }
    }

    /// Runs `check` with values of the strategy until the time is over.
    ///
    /// # Panics
    /// If a check panics or is too slow, with the smallest such input, its seed and the command to replay it.
    pub fn on<S: Strategy>(self, strategy: S, check: impl Fn(&S::Value))
    where
        S::Value: Debug,
    {
        if let Some(seed) = variable("PANEL_FUZZ_SEED") {
            return self.one(seed, &strategy, &check);
        }
        let seconds = variable("PANEL_FUZZ_SECONDS").unwrap_or(DEFAULT_SECONDS);
        let (began, budget) = (Instant::now(), Duration::from_secs_f64(seconds));
        let start: u64 = variable("PANEL_FUZZ_START").unwrap_or(0);
        let mut mark = SeedFile::of(self.name);
        let mut inputs = 0;
        while inputs == 0 || began.elapsed() < budget {
            let seed = start.wrapping_add(inputs);
            mark.set(seed);
            self.one(seed, &strategy, &check);
            inputs += 1;
        }
        mark.clear();
        report(&format!("fuzz {}: {inputs} inputs in {:.1?}", self.name, began.elapsed()));
    }

    fn one<S: Strategy>(&self, seed: u64, strategy: &S, check: &impl Fn(&S::Value))
    where
        S::Value: Debug,
    {
        let config = Config { failure_persistence: None, max_shrink_time: SHRINK_MS, ..Config::default() };
        let mut bytes = [0_u8; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(config, rng);
        let Ok(tree) = strategy.new_tree(&mut runner) else { return };
        let slowest = Cell::new(Duration::ZERO);
        let failure = runner.run_one(tree, |value| {
            let took = fastest(self.slowest, || check(&value));
            slowest.set(slowest.get().max(took));
            assert!(took <= self.slowest, "it took {took:?}; at most {:?} is allowed", self.slowest);
            Ok(())
        });
        if let Err(TestError::Fail(reason, value)) = failure {
            let shown: String = format!("{value:?}").chars().take(4_000).collect();
            panic!(
                "fuzz {name}: {reason}\ninput: {shown}\nreplay: PANEL_FUZZ_SEED={seed} cargo test -p {package} fuzz_ -- --nocapture",
                name = self.name,
                package = self.package
            );
        }
    }
}

/// The time of a check; the fastest of four if the first was too slow, because the machine is shared.
fn fastest(enough: Duration, check: impl Fn()) -> Duration {
    let time = || {
        let began = Instant::now();
        check();
        began.elapsed()
    };
    let first = time();
    if first <= enough { first } else { (0..3).fold(first, |least, _| least.min(time())) }
}

fn variable<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.trim().parse().ok()
}

#[expect(clippy::print_stderr, reason = "a test reports how much it did; cargo shows it with --nocapture")]
fn report(line: &str) {
    eprintln!("{line}");
}

/// The file with the seed of the running input, if `PANEL_FUZZ_DIR` is set.
struct SeedFile(Option<(PathBuf, File)>);

impl SeedFile {
    fn of(name: &str) -> Self {
        let path = std::env::var_os("PANEL_FUZZ_DIR").map(|folder| PathBuf::from(folder).join(name));
        Self(path.and_then(|path| Some((path.clone(), File::create(path).ok()?))))
    }

    fn set(&mut self, seed: u64) {
        if let Some((_, file)) = &mut self.0 {
            // Twenty digits, so that the previous seed is fully overwritten.
            drop(file.rewind().and_then(|()| write!(file, "{seed:020}")));
        }
    }

    fn clear(self) {
        if let Some((path, _)) = self.0 {
            drop(std::fs::remove_file(path));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// The message of a panic.
    fn panic_message(what: impl FnOnce()) -> String {
        let panic = catch_unwind(AssertUnwindSafe(what)).unwrap_err();
        panic.downcast_ref::<String>().unwrap().clone()
    }

    #[test]
    fn a_failure_names_its_smallest_input_and_its_seed() {
        let run = Run::new("panel-fuzz", "self_test");
        let message = panic_message(|| run.on(0..1_000_u32, |value| assert!(*value < 10, "too large")));
        assert!(message.contains("too large") && message.contains("input: 10\n"), "{message}");
        assert!(
            message.contains("PANEL_FUZZ_SEED=") && message.contains("cargo test -p panel-fuzz"),
            "{message}"
        );
    }

    #[test]
    fn an_input_that_is_always_too_slow_fails() {
        let run = Run::new("panel-fuzz", "self_test_of_time").slowest(Duration::from_millis(1));
        let slow = |_: &u32| {
            let began = Instant::now();
            while began.elapsed() < Duration::from_millis(2) {}
        };
        assert!(panic_message(|| run.on(0..2_u32, slow)).contains("at most 1ms is allowed"));
    }

    #[test]
    fn a_seed_repeats_its_input() {
        let seen = std::cell::RefCell::new(Vec::new());
        for _ in 0..2 {
            let run = Run::new("panel-fuzz", "self_test_of_seeds");
            run.one(7, &json_texts(&["a"], &[]), &|text: &Input| seen.borrow_mut().push(text.clone()));
        }
        let seen = seen.borrow();
        assert_eq!(seen[0], seen[1]);
    }
}
