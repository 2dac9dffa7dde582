//! The state machine of background jobs, which one process at a time leases.

use panel_contract::jobs::JobStatus;

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

/// An event of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobEvent {
    /// A process claims it, also after an earlier lease has expired.
    Lease,
    /// It succeeded.
    Finish,
    /// It failed; a worker tries it again later.
    Fail,
    /// It failed too often.
    GiveUp,
    /// Its process shut down, or died.
    Release,
    /// Staff start it again.
    Retry,
}

/// The status that the stored columns mean.
#[must_use]
pub const fn status(is_done: bool, is_dead: bool, is_leased: bool) -> JobStatus {
    match (is_done, is_dead, is_leased) {
        (true, ..) => JobStatus::Done,
        (false, true, _) => JobStatus::GivenUp,
        (false, false, true) => JobStatus::Running,
        (false, false, false) => JobStatus::Waiting,
    }
}

/// The state machine of the table `jobs`.
#[derive(Debug)]
pub struct Jobs;

impl StateMachine for Jobs {
    type State = JobStatus;
    type Event = JobEvent;
    const NAME: &'static str = "job";
    const TITLE: &'static str = "Jobs";
    const ABOUT: &'static str = "Work outside of the database, such as sending an email or a webhook. If a process dies, other processes can lease its jobs after the leases have expired. A worker stores a result only if the job is still leased to its process. The result is also stored if the lease has expired but no other process has leased the job.";
    const STATES: &'static [DiagramLabel<JobStatus>] = &[
        label(JobStatus::Waiting, "waiting", "It is due at `run_at`"),
        label(JobStatus::Running, "running", "A process works on it until `lease_until`"),
        label(JobStatus::Done, "done", "It succeeded"),
        label(JobStatus::GivenUp, "given_up", "It failed too often; only staff can start it again"),
    ];
    const EVENTS: &'static [DiagramLabel<JobEvent>] = &[
        label(JobEvent::Lease, "lease", "A process claims it, also after an earlier lease has expired"),
        label(JobEvent::Finish, "finish", "It succeeded"),
        label(JobEvent::Fail, "fail", "It failed; a worker tries it again later"),
        label(JobEvent::GiveUp, "give up", "It failed too often"),
        label(JobEvent::Release, "release", "Its process shut down, or died"),
        label(JobEvent::Retry, "retry", "Staff start it again"),
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
    fn the_table_has_exactly_the_expected_transitions() {
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
