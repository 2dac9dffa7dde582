//! Background jobs: what leaves the panel, leased by one process at a time.

use panel_contract::jobs::JobStatus;

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// An event of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobEvent {
    /// A process claims it, also after an earlier lease has expired.
    Lease,
    /// It was done.
    Finish,
    /// It failed and is tried again later.
    Fail,
    /// It failed too often.
    GiveUp,
    /// Its process ends in order, or is gone.
    Release,
    /// Staff start it again.
    Retry,
}

/// The state of a job as it is stored.
#[must_use]
pub const fn status(is_done: bool, is_dead: bool, is_leased: bool) -> JobStatus {
    match (is_done, is_dead, is_leased) {
        (true, ..) => JobStatus::Done,
        (false, true, _) => JobStatus::GivenUp,
        (false, false, true) => JobStatus::Running,
        (false, false, false) => JobStatus::Waiting,
    }
}

/// The machine of `jobs`.
#[derive(Debug)]
pub struct Jobs;

impl StateMachine for Jobs {
    type State = JobStatus;
    type Event = JobEvent;
    const NAME: &'static str = "job";
    const TITLE: &'static str = "Jobs";
    const ABOUT: &'static str = "Work that leaves the panel, such as an email or a webhook. The jobs of a process that died become free when their leases expire. A result is written on condition that the job still names the process that leased it, so it counts also where the lease was ended meanwhile and no other process took the job.";
    const STATES: &'static [Described<JobStatus>] = &[
        described(JobStatus::Waiting, "waiting", "It is due at `run_at`"),
        described(JobStatus::Running, "running", "A process has it until `lease_until`"),
        described(JobStatus::Done, "done", "It was done"),
        described(JobStatus::GivenUp, "given_up", "It failed too often; it is not tried again by itself"),
    ];
    const EVENTS: &'static [Described<JobEvent>] = &[
        described(JobEvent::Lease, "lease", "A process claims it, also after an earlier lease has expired"),
        described(JobEvent::Finish, "finish", "It was done"),
        described(JobEvent::Fail, "fail", "It failed and is tried again later"),
        described(JobEvent::GiveUp, "give up", "It failed too often"),
        described(JobEvent::Release, "release", "Its process ends in order, or is gone"),
        described(JobEvent::Retry, "retry", "Staff start it again"),
    ];
    const INITIAL_STATES: &'static [JobStatus] = &[JobStatus::Waiting];
    const TRANSITIONS: &'static [Transitions<JobStatus, JobEvent>] = {
        use JobEvent as E;
        use JobStatus as S;
        &[
            transitions(
                &[S::Waiting, S::Running],
                &[
                    (E::Lease, S::Running),
                    (E::Finish, S::Done),
                    (E::Fail, S::Waiting),
                    (E::GiveUp, S::GivenUp),
                    (E::Release, S::Waiting),
                ],
            ),
            transitions(&[S::Waiting, S::Running, S::GivenUp], &[(E::Retry, S::Waiting)]),
        ]
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn every_event_in_every_state() {
        use JobEvent as E;
        use JobStatus as S;
        assert_table::<Jobs>(|state, event| match event {
            E::Lease => matches!(state, S::Waiting | S::Running).then_some(S::Running),
            E::Finish => matches!(state, S::Waiting | S::Running).then_some(S::Done),
            E::Fail | E::Release => matches!(state, S::Waiting | S::Running).then_some(S::Waiting),
            E::GiveUp => matches!(state, S::Waiting | S::Running).then_some(S::GivenUp),
            E::Retry => (state != S::Done).then_some(S::Waiting),
        });
    }
}
