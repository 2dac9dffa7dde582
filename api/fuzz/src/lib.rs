//! The harness of the fuzz targets. A target is a test named `fuzz_…` beside the parser that it feeds; it hands [`Run::on`] a
//! proptest strategy and a check. Each input has a seed of its own, so that a failure is replayed by its number:
//!
//! - `PANEL_FUZZ_SECONDS` is the time that each target takes (1 unless said otherwise; `scripts/fuzz` gives minutes);
//! - `PANEL_FUZZ_START` is the seed of the first input, each further one has the next;
//! - `PANEL_FUZZ_SEED` runs that one input and nothing else;
//! - `PANEL_FUZZ_DIR` is a folder where the seed of the running input is kept in a file: a stack overflow ends the process,
//!   and the file says by which input.
//!
//! A check fails by a panic, by a stack overflow (the process dies), or by taking longer than the target's bound. Nothing here
//! is part of a program.

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

/// Seconds that a target takes where `PANEL_FUZZ_SECONDS` says nothing.
const SECONDS: f64 = 1.0;
/// Longest time of one input where the target says nothing: a debug build on a busy machine.
const SLOWEST: Duration = Duration::from_millis(500);
/// Milliseconds that a failing input is made smaller.
const SHRINK_MS: u32 = 10_000;

/// One target.
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
        Self { package, name, slowest: SLOWEST }
    }

    /// One input may take so long. It is run again where it took longer: only what is slow each time is a failure.
    #[must_use]
    pub const fn slowest(self, slowest: Duration) -> Self {
        Self { slowest, ..self }
    }

    /// Feeds `check` with values of the strategy until the time is over.
    ///
    /// # Panics
    /// Where a check panics or is too slow, with the smallest such input, its seed and how to replay it.
    pub fn on<S: Strategy>(self, strategy: S, check: impl Fn(&S::Value))
    where
        S::Value: Debug,
    {
        if let Some(seed) = variable("PANEL_FUZZ_SEED") {
            return self.one(seed, &strategy, &check);
        }
        let seconds = variable("PANEL_FUZZ_SECONDS").unwrap_or(SECONDS);
        let (began, budget) = (Instant::now(), Duration::from_secs_f64(seconds));
        let start: u64 = variable("PANEL_FUZZ_START").unwrap_or(0);
        let mut mark = Mark::of(self.name);
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

/// The time of a check; of the fastest of four where the first took too long, as the machine is shared.
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

#[expect(clippy::print_stderr, reason = "a test says how much it did; cargo shows it with --nocapture")]
fn report(line: &str) {
    eprintln!("{line}");
}

/// The file with the seed of the running input, where one is wanted.
struct Mark(Option<(PathBuf, File)>);

impl Mark {
    fn of(name: &str) -> Self {
        let path = std::env::var_os("PANEL_FUZZ_DIR").map(|folder| PathBuf::from(folder).join(name));
        Self(path.and_then(|path| Some((path.clone(), File::create(path).ok()?))))
    }

    fn set(&mut self, seed: u64) {
        if let Some((_, file)) = &mut self.0 {
            // Twenty digits each time, so that nothing of the one before stays.
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

    /// What a panic says.
    fn said(what: impl FnOnce()) -> String {
        let panic = catch_unwind(AssertUnwindSafe(what)).unwrap_err();
        panic.downcast_ref::<String>().unwrap().clone()
    }

    #[test]
    fn a_failure_names_its_smallest_input_and_its_seed() {
        let run = Run::new("panel-fuzz", "self_test");
        let said = said(|| run.on(0..1_000_u32, |value| assert!(*value < 10, "too large")));
        assert!(said.contains("too large") && said.contains("input: 10\n"), "{said}");
        assert!(said.contains("PANEL_FUZZ_SEED=") && said.contains("cargo test -p panel-fuzz"), "{said}");
    }

    #[test]
    fn what_is_slow_each_time_is_a_failure() {
        let run = Run::new("panel-fuzz", "self_test_of_time").slowest(Duration::from_millis(1));
        let slow = |_: &u32| {
            let began = Instant::now();
            while began.elapsed() < Duration::from_millis(2) {}
        };
        assert!(said(|| run.on(0..2_u32, slow)).contains("at most 1ms is allowed"));
    }

    #[test]
    fn a_seed_makes_the_same_input() {
        let seen = std::cell::RefCell::new(Vec::new());
        for _ in 0..2 {
            let run = Run::new("panel-fuzz", "self_test_of_seeds");
            run.one(7, &json_texts(&["a"], &[]), &|text: &Input| seen.borrow_mut().push(text.clone()));
        }
        let seen = seen.borrow();
        assert_eq!(seen[0], seen[1]);
    }
}
