//! Records that can be archived: one machine for all of them.

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// Whether a record is archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArchivableState {
    /// It is offered and shown.
    Active,
    /// It is kept for the records that name it.
    Archived,
}

impl ArchivableState {
    /// The state of a record as it is stored.
    #[must_use]
    pub const fn of(is_archived: bool) -> Self {
        if is_archived { Self::Archived } else { Self::Active }
    }
}

/// An event of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArchivableEvent {
    /// Staff archive it.
    Archive,
    /// Staff restore it.
    Restore,
}

impl ArchivableEvent {
    /// The event that archives (`away`) or restores.
    #[must_use]
    pub const fn of(away: bool) -> Self {
        if away { Self::Archive } else { Self::Restore }
    }
}

/// The machine of every table with an `is_archived`.
#[derive(Debug)]
pub struct Archivables;

impl StateMachine for Archivables {
    type State = ArchivableState;
    type Event = ArchivableEvent;
    const NAME: &'static str = "archivable";
    const TITLE: &'static str = "Archivable records";
    const ABOUT: &'static str = "Every record with an `is_archived`: menu items, pages, services, packages, special offers, coupons, discounts, quests of free trials, grades, providers and external panels. An archived record is neither offered nor counted as used, and is kept for the records that name it. What else a record asks for before it is archived is a rule of its own.";
    const STATES: &'static [Described<ArchivableState>] = &[
        described(ArchivableState::Active, "active", "It is offered and shown"),
        described(ArchivableState::Archived, "archived", "It is kept for the records that name it"),
    ];
    const EVENTS: &'static [Described<ArchivableEvent>] = &[
        described(ArchivableEvent::Archive, "archive", "Staff archive it"),
        described(ArchivableEvent::Restore, "restore", "Staff restore it, or undo the archiving"),
    ];
    const INITIAL_STATES: &'static [ArchivableState] = &[ArchivableState::Active];
    const TRANSITIONS: &'static [Transitions<ArchivableState, ArchivableEvent>] = {
        use ArchivableEvent as E;
        use ArchivableState as S;
        &[
            transitions(&[S::Active], &[(E::Archive, S::Archived)]),
            transitions(&[S::Archived], &[(E::Restore, S::Active)]),
        ]
    };
    const HAS_FINAL_STATES: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn every_event_in_every_state() {
        assert_table::<Archivables>(|state, event| match event {
            ArchivableEvent::Archive => {
                (state == ArchivableState::Active).then_some(ArchivableState::Archived)
            }
            ArchivableEvent::Restore => {
                (state == ArchivableState::Archived).then_some(ArchivableState::Active)
            }
        });
    }
}
