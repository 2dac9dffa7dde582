//! The state machine that all records which can be archived share.

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArchivableState {
    /// In use: lists and forms show it.
    Active,
    /// Hidden, and kept only for the records that refer to it.
    Archived,
}

impl ArchivableState {
    /// The state that the stored column means.
    #[must_use]
    pub const fn of(is_archived: bool) -> Self {
        if is_archived { Self::Archived } else { Self::Active }
    }
}

/// An event of a record that can be archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArchivableEvent {
    Archive,
    Restore,
}

impl ArchivableEvent {
    /// The event that archives or restores.
    #[must_use]
    pub const fn of(archive: bool) -> Self {
        if archive { Self::Archive } else { Self::Restore }
    }
}

/// The state machine of every table with an `is_archived`.
#[derive(Debug)]
pub struct Archivables;

impl StateMachine for Archivables {
    type State = ArchivableState;
    type Event = ArchivableEvent;
    const NAME: &'static str = "archivable";
    const TITLE: &'static str = "Archivable records";
    const ABOUT: &'static str = "All records with the column `is_archived`: menu items, pages, services, packages, special offers, coupons, discounts, quests of free trials, grades, providers and external panels. An archived record cannot be chosen and does not count as a use of other records; it is kept for the records that refer to it. Each kind of record has additional conditions for archiving.";
    const STATES: &'static [DiagramLabel<ArchivableState>] = &[
        label(ArchivableState::Active, "active", "In use: lists and forms show it"),
        label(
            ArchivableState::Archived,
            "archived",
            "Hidden, and kept only for the records that refer to it",
        ),
    ];
    const EVENTS: &'static [DiagramLabel<ArchivableEvent>] = &[
        label(ArchivableEvent::Archive, "archive", "Staff archive it"),
        label(ArchivableEvent::Restore, "restore", "Staff restore it, or undo the archiving"),
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
    fn the_table_has_exactly_the_expected_transitions() {
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
