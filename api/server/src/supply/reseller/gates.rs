//! The rate limits and circuit breakers of all external panels in this process.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use panel_contract::moment::Time;

use crate::supply::reseller::gate::Gate;
use panel_platform::jobs::processes::Processes;

/// The manners of this process towards every panel.
#[derive(Debug)]
pub struct Gates {
    /// Calls a second to one panel, of all processes together.
    calls: u32,
    /// Which calls are shared with.
    processes: Processes,
    of: Mutex<HashMap<i64, Gate>>,
}

/// How one panel is limited.
#[derive(Debug, Clone, Copy)]
pub struct GateState {
    /// The panel.
    pub external_panel_id: i64,
    /// 0 closed, 1 half-open, 2 open.
    pub breaker: u8,
    /// Calls that would be let through at once.
    pub available: i64,
    /// The most of them that there ever are.
    pub burst: i64,
}

impl Gates {
    /// With so many calls a second to one panel, of which each of the processes makes its part.
    #[must_use]
    pub fn new(calls: u32, processes: Processes) -> Self {
        Self { calls: calls.max(1), processes, of: Mutex::default() }
    }

    pub(super) fn with<T>(&self, panel: i64, what: impl FnOnce(&mut Gate) -> T) -> T {
        let mut gates = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        let gate = gates.entry(panel).or_insert_with(|| Gate::new(self.calls));
        gate.share(self.calls, self.processes.number());
        what(gate)
    }

    /// How every panel that was called is limited now, by its id.
    #[must_use]
    pub fn snapshot(&self, now: Time) -> Vec<GateState> {
        let gates = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        let state = |(id, gate): (&i64, &Gate)| GateState {
            external_panel_id: *id,
            breaker: gate.breaker(now),
            available: gate.allows(now),
            burst: gate.at_once(),
        };
        let mut states: Vec<_> = gates.iter().map(state).collect();
        states.sort_unstable_by_key(|state| state.external_panel_id);
        states
    }

    /// Whether a panel is left alone now.
    #[must_use]
    pub fn is_closed(&self, panel: i64, now: Time) -> bool {
        self.with(panel, |gate| gate.is_closed(now))
    }

    /// How many calls to a panel would be let through now.
    #[must_use]
    pub fn allows(&self, panel: i64, now: Time) -> i64 {
        self.with(panel, |gate| gate.allows(now))
    }

    /// How many calls to a panel ever come at once.
    #[must_use]
    pub fn at_once(&self, panel: i64) -> i64 {
        self.with(panel, |gate| gate.at_once())
    }

    /// When so many calls to a panel would be let through at once.
    #[must_use]
    pub fn opens_at(&self, panel: i64, calls: i64, now: Time) -> Time {
        self.with(panel, |gate| gate.opens_at(calls, now))
    }
}
